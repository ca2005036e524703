"""The language server (LSP 3.17, by pygls): problems as you type, completion, hover, definitions and uses,
rename, outlines, signatures, lenses, layout, quick fixes.
"""

import asyncio
import gc
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import Protocol

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

import predicat
from predicat.catalog.model import Catalog
from predicat.diagnostics import Diagnostic, PredicatError, Severity, Source, extras
from predicat.editor import rename as renaming
from predicat.editor.lenses import Rows
from predicat.editor.protocol import column_of, path_of, position, range_of, utf16
from predicat.editor.symbols import Outline, Use, file_of
from predicat.editor.workspace import Location, Workspace

_KINDS = {
    "field": lsp.CompletionItemKind.Field,
    "filter": lsp.CompletionItemKind.Reference,
    "function": lsp.CompletionItemKind.Function,
    "key": lsp.CompletionItemKind.Property,
    "macro": lsp.CompletionItemKind.Snippet,
    "type": lsp.CompletionItemKind.TypeParameter,
    "value": lsp.CompletionItemKind.Value,
}
_SYMBOLS = {
    "dataset": lsp.SymbolKind.Namespace,
    "field": lsp.SymbolKind.Field,
    "filter": lsp.SymbolKind.Function,
    "version": lsp.SymbolKind.Method,
    "group": lsp.SymbolKind.Array,
    "subscription": lsp.SymbolKind.Event,
    "job": lsp.SymbolKind.Event,
    "policy": lsp.SymbolKind.Key,
    "attribute": lsp.SymbolKind.Variable,
}
_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}
_SUGGESTED = re.compile(r"did you mean '([^']+)'")
_REQUEST_FAILED = -32803
# Commands that the editor's extension has; without one a lens is only shown.
LENS_COMMANDS = {"tests": "predicat.test", "users": "predicat.showUses", "rows": ""}


def create(folder: Path, *, lint: bool = True, rows: Callable[[], Rows] = dict) -> LanguageServer:
    """A server for a catalog folder.

    With `lint` the quick findings of the lint rules are shown too, on opening and saving. `rows` gives what
    was measured of filters.
    """
    server = LanguageServer("predicat", predicat.__version__)
    service = _Service(server, Workspace(folder.resolve()), rows, lint=lint)
    _documents(server, service)
    _questions(server, service)
    _changes(server, service)
    return server


class _Positioned(Protocol):
    """A question about a place in a document."""

    @property
    def text_document(self) -> lsp.TextDocumentIdentifier: ...

    @property
    def position(self) -> lsp.Position: ...


class _Service:
    """What the server's answers share."""

    def __init__(
        self, server: LanguageServer, workspace: Workspace, rows: Callable[[], Rows], *, lint: bool
    ) -> None:
        self.server = server
        self.workspace = workspace
        self.rows = rows
        self.lint = lint and extras.installed("z3")
        self.linting = Lock()
        self.published: dict[str, list[lsp.Diagnostic]] = {}

    def publish(self, uri: str, *, saved: bool = False) -> None:
        """Check the catalog and say what is new, and of the document `uri` in any case; lint it if it is
        `saved`.
        """
        first = self.workspace.loaded is None
        result = self.workspace.check()
        if first:  # the catalog stays: the collector need not look at it again and again
            gc.collect()
            gc.freeze()
        if saved and self.lint and self.workspace.current().good:
            self._tell_more(uri, result)
        else:
            self._tell(uri, result)

    def _tell_more(self, uri: str, diagnostics: list[Diagnostic]) -> None:
        """Tell the problems, and again with the findings when those are known, unless something changes
        before.
        """
        loaded = self.workspace.current()
        loop = asyncio.get_running_loop()

        def tell(findings: list[Diagnostic]) -> None:
            if self.workspace.loaded is loaded:
                self._tell(uri, [*diagnostics, *findings])

        def lint() -> None:
            findings: list[Diagnostic] = []
            try:
                with self.linting:
                    if self.workspace.loaded is loaded:
                        findings = _findings(loaded.catalog, self.workspace.folder)
            finally:
                with suppress(RuntimeError):  # the server has ended
                    loop.call_soon_threadsafe(tell, findings)

        if diagnostics:
            self._tell(uri, diagnostics)
        Thread(target=lint, daemon=True).start()

    def _tell(self, uri: str, diagnostics: list[Diagnostic]) -> None:
        now: dict[str, list[lsp.Diagnostic]] = {target: [] for target in (*self.published, uri)}
        for item in diagnostics:
            name = item.span.outermost().source.name
            file = Path(name).resolve() if name else self.workspace.folder
            now.setdefault(file.as_uri(), []).append(_diagnostic(item))
        for target, items in now.items():
            if target == uri or items != self.published.get(target):
                self.server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(target, items))
        self.published = {target: items for target, items in now.items() if items}

    def at(self, params: _Positioned) -> tuple[Path, int, int]:
        """The file, line and column, in characters, that a question is about."""
        file, place = path_of(params.text_document.uri), params.position
        return file, place.line, column_of(self.workspace.text(file), place.line, place.character)

    def location(self, location: Location) -> lsp.Location:
        source = Source(str(location.file), self.workspace.text(location.file))
        line = source.line(location.line + 1)
        ends = (location.column, location.column + location.length)
        start, end = (lsp.Position(location.line, utf16(line[:column])) for column in ends)
        return lsp.Location(location.file.as_uri(), lsp.Range(start, end))

    def symbol(self, params: _Positioned) -> Use | None:
        return self.workspace.use_at(*self.at(params))


def _documents(server: LanguageServer, service: _Service) -> None:
    workspace = service.workspace

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: lsp.DidOpenTextDocumentParams) -> None:
        workspace.texts[path_of(params.text_document.uri)] = params.text_document.text
        service.publish(params.text_document.uri, saved=True)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: lsp.DidChangeTextDocumentParams) -> None:
        document = server.workspace.get_text_document(params.text_document.uri)
        workspace.texts[path_of(params.text_document.uri)] = document.source
        service.publish(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: lsp.DidSaveTextDocumentParams) -> None:
        service.publish(params.text_document.uri, saved=True)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: lsp.DidCloseTextDocumentParams) -> None:
        workspace.texts.pop(path_of(params.text_document.uri), None)
        service.publish(params.text_document.uri)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_files(params: lsp.DidChangeWatchedFilesParams) -> None:
        for change in params.changes[:1]:
            service.publish(change.uri)


def _questions(server: LanguageServer, service: _Service) -> None:
    workspace = service.workspace

    @server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["'", '"', " ", "."])
    )
    def complete(params: lsp.CompletionParams) -> lsp.CompletionList:
        items = [
            lsp.CompletionItem(item.text, kind=_KINDS[item.kind], detail=item.about or item.kind)
            for item in workspace.complete(*service.at(params))
        ]
        return lsp.CompletionList(is_incomplete=False, items=items)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        result = workspace.hover(*service.at(params))
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, result)) if result else None

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        outcome = workspace.definition(*service.at(params))
        return service.location(outcome) if outcome is not None else None

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        use = service.symbol(params)
        uses = workspace.uses(use.symbol) if use is not None else []
        return [
            lsp.Location(
                file_of(item.near).as_uri(), range_of(item.span if item.span is not None else item.near)
            )
            for item in uses
            if params.context.include_declaration or not item.defines
        ]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def document_symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        return list(map(_symbol, workspace.outline(path_of(params.text_document.uri))))

    @server.feature(lsp.WORKSPACE_SYMBOL)
    def workspace_symbols(params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
        symbols: list[lsp.WorkspaceSymbol] = []
        for dataset, item in workspace.symbols(params.query):
            place = lsp.Location(file_of(item.place).as_uri(), range_of(item.place))
            symbols.append(lsp.WorkspaceSymbol(place, item.name, _SYMBOLS[item.kind], container_name=dataset))
        return symbols

    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(trigger_characters=["(", ","]))
    def signature_help(params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        signatures, argument = workspace.signatures(*service.at(params))
        rows = [
            lsp.SignatureInformation(
                item.label,
                item.doc or None,
                [lsp.ParameterInformation(name) for name in item.arguments],
                min(argument, max(len(item.arguments) - 1, 0)),
            )
            for item in signatures
        ]
        active = next((index for index, item in enumerate(signatures) if argument < len(item.arguments)), 0)
        return lsp.SignatureHelp(rows, active) if rows else None

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    def code_lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        lenses: list[lsp.CodeLens] = []
        for item in workspace.lenses(path_of(params.text_document.uri), service.rows()):
            place = range_of(item.place)
            arguments = [item.name] if item.kind == "tests" else [params.text_document.uri, place.start]
            command = lsp.Command(item.title, LENS_COMMANDS[item.kind], arguments=arguments)
            lenses.append(lsp.CodeLens(place, command))
        return lenses


def _changes(server: LanguageServer, service: _Service) -> None:
    workspace = service.workspace

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix]))
    def fixes(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        result = (_action(params.text_document.uri, item) for item in params.context.diagnostics)
        return [action for action in result if action is not None]

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        from predicat.editor.layout import layout  # noqa: PLC0415  # its library loads when it is used

        file = path_of(params.text_document.uri)
        if not file.is_relative_to(
            workspace.folder
        ):  # YAML of something else, which the editor sends as well
            return []
        source = Source(str(file), workspace.text(file))
        try:
            text = layout(source)
        except PredicatError as error:
            raise JsonRpcException(error.diagnostics[0].message, _REQUEST_FAILED) from None
        whole = lsp.Range(lsp.Position(0, 0), position(source, len(source.text)))
        return [lsp.TextEdit(whole, text)] if text != source.text else []

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder | None:
        use = service.symbol(params)
        if use is None or use.span is None:
            return None
        try:
            renaming.check(use.symbol, workspace.current(), workspace.folder)
        except (renaming.Refused, PredicatError) as error:
            raise _failed(error) from None
        return lsp.PrepareRenamePlaceholder(range_of(use.span), use.symbol.name)

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        use = service.symbol(params)
        if use is None:
            return None
        try:
            edits = workspace.rename(use.symbol, params.new_name)
        except (renaming.Refused, PredicatError) as error:
            raise _failed(error) from None
        sources = {edit.file: Source(str(edit.file), workspace.text(edit.file)) for edit in edits}
        return lsp.WorkspaceEdit(changes=_text_edits(edits, sources))


def _text_edits(edits: list[renaming.Edit], sources: Mapping[Path, Source]) -> dict[str, list[lsp.TextEdit]]:
    result: dict[str, list[lsp.TextEdit]] = {}
    for edit in sorted(edits, key=lambda item: (item.file, item.start)):
        source = sources[edit.file]
        place = lsp.Range(position(source, edit.start), position(source, edit.end))
        result.setdefault(edit.file.as_uri(), []).append(lsp.TextEdit(place, edit.text))
    return result


def _failed(error: Exception) -> JsonRpcException:
    """An answer that says why not, which editors show."""
    reason = error.diagnostics[0].message if isinstance(error, PredicatError) else str(error)
    return JsonRpcException(f"cannot rename: {reason}", _REQUEST_FAILED)


def _symbol(item: Outline) -> lsp.DocumentSymbol:
    inner = list(map(_symbol, item.inner))
    kind = _SYMBOLS[item.kind]
    return lsp.DocumentSymbol(
        item.name,
        kind,
        range_of(item.whole),
        range_of(item.place),
        item.detail or None,
        children=inner or None,
    )


def _findings(catalog: Catalog, folder: Path) -> list[Diagnostic]:
    """The errors and warnings of the lint rules, with what `predicat lint` has proved before."""
    from predicat.lint import findings, findings_cache  # noqa: PLC0415  # as above

    known = findings_cache.answers(folder)
    result = findings.collect(catalog, answers=known)
    known.save(whole=False)
    return [item.diagnostic() for item in result if item.level is not Severity.NOTE]


def _diagnostic(item: Diagnostic) -> lsp.Diagnostic:
    message = item.message + (f"\n{item.hint}" if item.hint else "")
    suggested = _SUGGESTED.search(item.hint or "")
    data = {"replacement": suggested[1]} if suggested else None
    return lsp.Diagnostic(
        range_of(item.span), message, _SEVERITIES[item.severity], code=item.code, source="predicat", data=data
    )


def _action(uri: str, item: lsp.Diagnostic) -> lsp.CodeAction | None:
    replacement = item.data.get("replacement") if isinstance(item.data, dict) else None
    if not replacement:
        return None
    edit = lsp.WorkspaceEdit(changes={uri: [lsp.TextEdit(item.range, replacement)]})
    return lsp.CodeAction(
        f"Change to {replacement}",
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=[item],
        edit=edit,
        is_preferred=True,
    )
