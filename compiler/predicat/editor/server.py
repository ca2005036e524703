"""The language server (LSP 3.17, by pygls): problems as you type, completion, hover, go to definition, quick fixes."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

import predicat
from predicat.diagnostics import Diagnostic, Severity, Span, extras
from predicat.editor.workspace import Workspace

_KINDS = {
    "field": lsp.CompletionItemKind.Field, "filter": lsp.CompletionItemKind.Reference, "function": lsp.CompletionItemKind.Function,
    "key": lsp.CompletionItemKind.Property, "macro": lsp.CompletionItemKind.Snippet, "type": lsp.CompletionItemKind.TypeParameter,
    "value": lsp.CompletionItemKind.Value,
}  # fmt: skip
_SUGGESTED = re.compile(r"did you mean '([^']+)'")


def path_of(uri: str) -> Path:
    """The file of a file: URI."""
    return Path(unquote(urlsplit(uri).path)).resolve()


def create(folder: Path, *, lint: bool = True) -> LanguageServer:
    """A server for a catalog folder. With `lint` the quick findings of the lint rules are shown too, on opening and saving."""
    server = LanguageServer("predicat", predicat.__version__)
    workspace = Workspace(folder.resolve())
    published: set[str] = set()

    def publish(*, thorough: bool) -> None:
        found = workspace.check()
        if lint and thorough and workspace.good is not None and not any(item.severity is Severity.ERROR for item in found):
            found += _findings(workspace)
        by_file: dict[str, list[lsp.Diagnostic]] = {uri: [] for uri in (*published, *(file.as_uri() for file in workspace.texts))}
        for item in found:
            place = item.span.outermost()
            uri = (Path(place.source.name).resolve() if place.source.name else workspace.folder).as_uri()
            by_file.setdefault(uri, []).append(_diagnostic(item))
        published.clear()
        for uri, items in by_file.items():
            server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, items))
            if items:
                published.add(uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: lsp.DidOpenTextDocumentParams) -> None:
        workspace.texts[path_of(params.text_document.uri)] = params.text_document.text
        publish(thorough=True)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: lsp.DidChangeTextDocumentParams) -> None:
        document = server.workspace.get_text_document(params.text_document.uri)
        workspace.texts[path_of(params.text_document.uri)] = document.source
        publish(thorough=False)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def did_save(_params: lsp.DidSaveTextDocumentParams) -> None:
        publish(thorough=True)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: lsp.DidCloseTextDocumentParams) -> None:
        workspace.texts.pop(path_of(params.text_document.uri), None)
        publish(thorough=False)

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["'", '"', " ", "."]))
    def complete(params: lsp.CompletionParams) -> lsp.CompletionList:
        found = workspace.complete(path_of(params.text_document.uri), params.position.line, params.position.character)
        items = [lsp.CompletionItem(item.text, kind=_KINDS[item.kind], detail=item.about or item.kind) for item in found]
        return lsp.CompletionList(is_incomplete=False, items=items)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        found = workspace.hover(path_of(params.text_document.uri), params.position.line, params.position.character)
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, found)) if found else None

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        found = workspace.definition(path_of(params.text_document.uri), params.position.line, params.position.character)
        if found is None:
            return None
        start, end = lsp.Position(found.line, found.column), lsp.Position(found.line, found.column + found.length)
        return lsp.Location(found.file.as_uri(), lsp.Range(start, end))

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]))
    def fixes(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        return [action for item in params.context.diagnostics if (action := _action(params.text_document.uri, item)) is not None]

    return server


def _findings(workspace: Workspace) -> list[Diagnostic]:
    if not extras.installed("z3") or workspace.good is None:
        return []
    from predicat.review.lint import RULES, Context  # noqa: PLC0415  # needs z3

    context = Context(workspace.good, timeout=0.2)
    quick = [rule for rule in RULES if not rule.code.startswith(("P10", "P206"))]
    return [item.diagnostic() for rule in quick for item in rule.check(context)]


def _diagnostic(item: Diagnostic) -> lsp.Diagnostic:
    message = item.message + (f"\n{item.hint}" if item.hint else "")
    severity = lsp.DiagnosticSeverity.Error if item.severity is Severity.ERROR else lsp.DiagnosticSeverity.Warning
    suggested = _SUGGESTED.search(item.hint or "")
    data = {"replacement": suggested[1]} if suggested else None
    return lsp.Diagnostic(_range(item.span), message, severity, code=item.code, source="predicat", data=data)


def _range(span: Span) -> lsp.Range:
    place = span.outermost()
    if not place.source.text:
        return lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    ends = [place.source.line_column(at) for at in (place.start, max(place.end, place.start))]
    return lsp.Range(*(lsp.Position(line - 1, _utf16(place.source.line(line)[: column - 1])) for line, column in ends))


def _utf16(text: str) -> int:
    """The length as the protocol counts it."""
    return len(text.encode("utf-16-le")) // 2


def _action(uri: str, item: lsp.Diagnostic) -> lsp.CodeAction | None:
    replacement = item.data.get("replacement") if isinstance(item.data, dict) else None
    if not replacement:
        return None
    edit = lsp.WorkspaceEdit(changes={uri: [lsp.TextEdit(item.range, replacement)]})
    return lsp.CodeAction(f"Change to {replacement}", kind=lsp.CodeActionKind.QuickFix, diagnostics=[item], edit=edit, is_preferred=True)
