"""The language server through its real protocol."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, Self

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from predicat.editor import server, symbols
from predicat.editor.protocol import path_of
from predicat.editor.workspace import Workspace
from tests.processes import in_process

CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: orders
fields:
  amount: {type: bigint, description: In cents.}
  note: string
filters:
  large:
    description: Large orders.
    owner: a@example.com
    sql: amount > 100
  both:
    all:
      - large
      - {not: large}
  more:
    sql: amuont > 1
"""


class Session:
    """A client with a running server."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.options = options
        self.file = folder / "catalog" / "orders.yml"
        self.client = LanguageClient("test", "1")
        self.published: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def diagnostics(params: lsp.PublishDiagnosticsParams) -> None:
            self.published.put_nowait(params)

    async def __aenter__(self) -> Self:
        program = Path(sys.executable).parent / "predicat"
        await self.client.start_io(
            str(program), "lsp", "--catalog", "catalog", *self.options, cwd=str(self.folder)
        )
        await self.client.initialize_async(
            lsp.InitializeParams(capabilities=lsp.ClientCapabilities(), root_uri=self.folder.as_uri())
        )
        self.client.initialized(lsp.InitializedParams())
        document = lsp.TextDocumentItem(self.file.as_uri(), "yaml", 1, self.file.read_text())
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()

    async def diagnostics(self) -> list[lsp.Diagnostic]:
        while True:
            found = await asyncio.wait_for(self.published.get(), 30)
            if found.uri == self.file.as_uri():
                return list(found.diagnostics)

    def at(self, text: str, offset: int = 0, file: str = "orders.yml") -> dict[str, Any]:
        path = self.file.with_name(file)
        lines = path.read_text().split("\n")
        line = next(number for number, row in enumerate(lines) if text in row)
        position = lsp.Position(
            line, len(lines[line][: lines[line].index(text)].encode("utf-16-le")) // 2 + offset
        )
        return {"text_document": lsp.TextDocumentIdentifier(path.as_uri()), "position": position}

    async def rename(self, place: dict[str, Any], name: str) -> dict[str, str] | str:
        """The texts of the files that a rename changes, or why it is refused."""
        try:
            found = await self.client.text_document_rename_async(lsp.RenameParams(**place, new_name=name))
        except JsonRpcException as error:
            return error.message
        assert found is not None and found.changes is not None
        return {
            path_of(uri).name: applied(path_of(uri).read_text(), list(edits))
            for uri, edits in found.changes.items()
        }

    def change(self, text: str, version: int) -> None:
        document = lsp.VersionedTextDocumentIdentifier(version, self.file.as_uri())
        whole = lsp.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [whole]))


def applied(text: str, edits: list[lsp.TextEdit]) -> str:
    """A text with edits made, as a client makes them."""
    lines = text.split("\n")

    def offset(place: lsp.Position) -> int:
        before = lines[place.line].encode("utf-16-le")[: 2 * place.character].decode("utf-16-le")
        return sum(len(line) + 1 for line in lines[: place.line]) + len(before)

    for edit in sorted(
        edits, key=lambda item: (item.range.start.line, item.range.start.character), reverse=True
    ):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "macros").mkdir()
    (tmp_path / "macros" / "m.sql").write_text("{% macro big(column) %}{{ column }} > 100{% endmacro %}\n")
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    return tmp_path


async def conversation(folder: Path) -> None:
    async with Session(folder) as session:
        first = await session.diagnostics()
        assert [(item.code, item.range.start.line, item.range.start.character) for item in first] == [
            ("unknown-field", 16, 9)
        ]
        actions = await session.client.text_document_code_action_async(
            lsp.CodeActionParams(
                lsp.TextDocumentIdentifier(session.file.as_uri()),
                first[0].range,
                lsp.CodeActionContext(first),
            )
        )
        assert [action.title for action in actions or []] == ["Change to amount"]

        session.change(CATALOG.replace("amuont", "amount"), 2)
        assert await session.diagnostics() == []
        hover = await session.client.text_document_hover_async(lsp.HoverParams(**session.at("- large", 3)))
        assert hover is not None and "amount > 100" in hover.contents.value  # type: ignore[union-attr]
        hover = await session.client.text_document_hover_async(
            lsp.HoverParams(**session.at("amount > 100", 2))
        )
        assert hover is not None and "In cents." in hover.contents.value  # type: ignore[union-attr]
        place: Any = await session.client.text_document_definition_async(
            lsp.DefinitionParams(**session.at("{not: large}", 8))
        )
        assert (place.uri, place.range.start.line) == (session.file.as_uri(), 7)
        place = await session.client.text_document_definition_async(
            lsp.DefinitionParams(**session.at("amount > 100", 2))
        )
        assert place.range.start.line == 4

        async def offers(text: str, offset: int) -> list[str]:
            found: Any = await session.client.text_document_completion_async(
                lsp.CompletionParams(**session.at(text, offset))
            )
            return [item.label for item in found.items]

        body = await offers("amount > 100", 0)
        assert {"amount", "note", "big", "size"} <= set(body)
        assert await offers("{not: large}", 6) == ["large", "both", "more"]
        assert "on_unknown" in await offers("    owner:", 4)
        assert "filters" in await offers("dataset:", 0)

        session.change(CATALOG.replace("amuont > 1", "amount > 1 OR amount <= 1"), 3)
        assert await session.diagnostics() == []
        session.client.text_document_did_save(
            lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(session.file.as_uri()))
        )
        saved = await session.diagnostics()
        assert "P201" in {item.code for item in saved}
        session.change("filters: [", 4)
        assert [item.code for item in await session.diagnostics()] == ["yaml"]


def test_a_conversation(folder: Path) -> None:
    asyncio.run(asyncio.wait_for(conversation(folder), 90))


OFFERED = (
    ("relation:\n  duckdb: {|", {"csv", "delim", "decimal", "thousands", "nulls"}),
    ('relation: {duckdb: {csv: "a,b.csv", |', {"csv", "delim", "decimal", "thousands", "nulls"}),
    ("relation:\n  duckdb:\n    csv: orders.csv\n    |", {"delim", "encoding", "header"}),
    ("relation: {spark: {csv: a.csv, encoding: |", {"utf-8", "latin-1"}),
    ("relation: {duckdb: {csv: a.csv, nulls: [NA, x], decimal: |", {".", ","}),
    ("fields:\n  amount: {type: |", {"bigint", "double"}),
    ("fields:\n  amount: {type: bigint, |", {"description", "column"}),
    ("filters:\n  big: {params: {least: {|", {"type", "default"}),
)


@pytest.mark.parametrize(("text", "wanted"), OFFERED)
def test_keys_inside_of_braces_are_offered(tmp_path: Path, text: str, wanted: set[str]) -> None:
    before = f"apiVersion: predicat/v1\ndataset: orders\n{text.partition('|')[0]}"
    file = tmp_path / "orders.yml"
    lines = before.split("\n")
    offers = Workspace(tmp_path, {file: before}).complete(file, len(lines) - 1, len(lines[-1]))
    assert wanted <= {offer.text for offer in offers}
    assert not ({"sql", "filters"} & {offer.text for offer in offers})


NAMES = """apiVersion: predicat/v1
dataset: orders
relation: orders
fields:
  amount: {type: bigint, description: In cents.}
  note: string
  tags: array<string>
  placed:
    type: timestamp
  price: decimal(10,2)
  headers: map<string, string>
filters:
  large:
    description: "Ünïcode 😀 before."
    sql: "'😀' = '😀' AND amount > 100"
    tests:
      - {row: {amount: 101}, matches: true}
  over:
    latest: 2
    versions:
      1: {sql: amount > 5}
      2: {sql: "amount > :least AND note <> 'amount'", params: {least: {type: bigint, default: 20}}}
  both:
    all: [large, {not: orders.large}]
  tagged:
    cel: tags.exists(amount, amount == note) && filter("large") && amount > 1
  near:
    sql: |
      matches_filter('over', least => 7)
        AND matches_filter('large@1') AND "amount" < 5
  shown: {sql: "{{ filter('large') }} AND {{ big('amount') }} AND placed IS NULL AND price > 1"}
  created: {headers: {headerEquals: {type: created}}}
groups:
  sizes: {filters: [large, over]}
subscriptions:
  desk: {filter: large}
policies:
  sees: {using: large, tests: [{as: {role: a}, row: {amount: 7}, sees: true}]}
  adds: {command: insert, check: {filter: large, params: {}}}
"""
MORE = """apiVersion: predicat/v1
dataset: orders
filters:
  late: {any: ["large", large@1]}
tests:
  large:
    - {row: {amount: 1}, matches: false}
"""


def replaced(text: str, *pairs: tuple[str, str]) -> str:
    for before, after in pairs:
        assert before in text, before
        text = text.replace(before, after)
    return text


IN_FIELDS = (
    ("  amount: {type", "  cents: {column: amount, type"),
    ("😀' AND amount >", "😀' AND cents >"),
    ("{row: {amount: 101}", "{row: {cents: 101}"),
    ("{sql: amount > 5}", "{sql: cents > 5}"),
    ('{sql: "amount > :least', '{sql: "cents > :least'),
    ("&& amount > 1", "&& cents > 1"),
    ('"amount" < 5', '"cents" < 5'),
    ("big('amount')", "big('cents')"),
    ("row: {amount: 7}", "row: {cents: 7}"),
)
RENAMES: tuple[tuple[str, int, str, dict[str, str]], ...] = (
    (
        "  large:",
        4,
        "huge",
        {"orders.yml": NAMES.replace("large", "huge"), "more.yml": MORE.replace("large", "huge")},
    ),
    (
        'filter("large")',
        9,
        "on",
        {
            "orders.yml": replaced(
                NAMES,
                ("large:", '"on":'),
                ("[large,", '["on",'),
                ("{filter: large}", '{filter: "on"}'),
                ("{using: large,", '{using: "on",'),
                ("{filter: large,", '{filter: "on",'),
                ("large", "on"),
            ),
            "more.yml": replaced(MORE, ('"large"', '"on"'), ("large:", '"on":'), ("large", "on")),
        },
    ),
    ("tests:\n", 0, "", {}),
    (
        "amount > 5",
        3,
        "cents",
        {"orders.yml": replaced(NAMES, *IN_FIELDS), "more.yml": MORE.replace("amount", "cents")},
    ),
    (
        "placed IS NULL",
        2,
        "at",
        {
            "orders.yml": replaced(
                NAMES, ("  placed:\n    type", "  at:\n    column: placed\n    type"), ("placed IS", "at IS")
            ),
        },
    ),
    (
        "price > 1",
        2,
        "cost",
        {
            "orders.yml": replaced(
                NAMES,
                ("price: decimal(10,2)", 'cost: {type: "decimal(10,2)", column: price}'),
                ("price > 1", "cost > 1"),
            ),
        },
    ),
    (":least AND", 3, "floor", {"orders.yml": NAMES.replace("least", "floor")}),
    ("least => 7", 0, "floor", {"orders.yml": NAMES.replace("least", "floor")}),
    ("sizes:", 2, "bands", {"orders.yml": NAMES.replace("sizes", "bands")}),
)
REFUSED = (
    ("  large:", 4, "Large", "'Large' is not a valid name of a filter"),
    ("  large:", 4, "over", "there is already a filter over"),
    ("amount > 5", 0, "note", "there is already a field note"),
    ("amount > 5", 0, "select", "cannot rename: catalog/orders.yml"),
    (":least AND", 3, "no-name", "'no-name' is not a valid name of a parameter"),
    ("  headers: map", 4, "h", "uses headers without writing its name there"),
    ("  desk:", 4, "table", "a subscription cannot be renamed here"),
)
RELEASED = (
    ("  over:", 4, "above", "orders.over@1 was released, so its name must not change"),
    (":least AND", 3, "floor", "orders.over@2 was released with its parameters"),
    ("placed IS NULL", 2, "at", "orders.shown@1 was released and reads the field placed"),
)


@pytest.fixture
def names(folder: Path) -> Path:
    (folder / "catalog" / "orders.yml").write_text(NAMES)
    (folder / "catalog" / "more.yml").write_text(MORE)
    history = folder / "target" / "quality" / "history.jsonl"
    history.parent.mkdir(parents=True)
    entry = {
        "at": "2026-01-01T00:00:00+00:00",
        "run": "1",
        "dataset": "orders",
        "partition": "",
        "filter": "orders.large",
        "version": 1,
        "rows": 10000,
        "accepted": 1234,
        "true": 1234,
        "false": 0,
        "unknown": 8766,
    }
    history.write_text(json.dumps(entry) + "\n")
    return folder


async def about_names(folder: Path) -> None:  # noqa: PLR0915  # one session, step by step
    async with Session(folder, "--no-lint") as session:
        assert await session.diagnostics() == []
        client, document = session.client, lsp.TextDocumentIdentifier(session.file.as_uri())
        for anchor, offset, name, expected in RENAMES:
            if name:
                assert await session.rename(session.at(anchor, offset), name) == expected, anchor
        found = await client.text_document_prepare_rename_async(
            lsp.PrepareRenameParams(**session.at("large@1", 2, "more.yml"))
        )
        assert isinstance(found, lsp.PrepareRenamePlaceholder) and found.placeholder == "large"
        assert (
            await client.text_document_prepare_rename_async(
                lsp.PrepareRenameParams(**session.at("apiVersion"))
            )
            is None
        )

        async def uses(anchor: str, *, declared: bool) -> list[tuple[str, int]]:
            context = lsp.ReferenceContext(include_declaration=declared)
            places = await client.text_document_references_async(
                lsp.ReferenceParams(context, **session.at(anchor))
            )
            return sorted((path_of(place.uri).name, place.range.start.line) for place in places or [])

        large = [
            ("more.yml", 3),
            ("more.yml", 3),
            ("more.yml", 5),
            *(("orders.yml", line) for line in (12, 23, 23, 25, 29, 30, 33, 35, 37, 38)),
        ]
        assert await uses("large:", declared=True) == large
        assert await uses("large:", declared=False) == [
            place for place in large if place != ("orders.yml", 12)
        ]
        assert await uses("placed:", declared=True) == [("orders.yml", 7), ("orders.yml", 30)]
        assert await uses("sizes:", declared=False) == []

        symbols = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
        outline = {item.name: item for item in symbols or [] if isinstance(item, lsp.DocumentSymbol)}
        assert list(outline)[:2] == ["amount", "note"] and list(outline)[-4:] == [
            "sizes",
            "desk",
            "sees",
            "adds",
        ]
        assert [item.name for item in outline["over"].children or []] == ["1", "2"]
        assert (outline["over"].range.start.line, outline["over"].range.end.line) == (17, 21)
        assert (outline["large"].kind, outline["price"].detail) == (lsp.SymbolKind.Function, "decimal(10,2)")
        everywhere = await client.workspace_symbol_async(lsp.WorkspaceSymbolParams("orlate"))
        assert [(item.name, item.container_name) for item in everywhere or []] == [("late", "orders")]

        lenses = await client.text_document_code_lens_async(lsp.CodeLensParams(document))
        shown = [
            (item.range.start.line, item.command.title, item.command.command)
            for item in lenses or []
            if item.command
        ]
        assert shown[:3] == [
            (12, "2 tests pass", "predicat.test"),
            (12, "used by 5 filters, 1 group, 1 subscription, 2 policies", "predicat.showUses"),
            (12, "accepted 1,234 of 10,000 rows (12.3%)", ""),
        ]
        assert (17, "no tests", "predicat.test") in shown

        session.change(NAMES.replace("amount: 101", "amount: 99"), 2)
        assert [item.code for item in await session.diagnostics()] == ["failed-test"]
        lenses = await client.text_document_code_lens_async(lsp.CodeLensParams(document))
        assert lenses and lenses[0].command and lenses[0].command.title == "1 of 2 tests failing"

        session.change(NAMES + "view:   {}\n", 3)
        await session.diagnostics()
        edits = await client.text_document_formatting_async(
            lsp.DocumentFormattingParams(document, lsp.FormattingOptions(2, True))
        )
        laid_out = applied(NAMES + "view:   {}\n", list(edits or []))
        assert laid_out.endswith("\nview: {}\n") and len(laid_out.split("\n")) == len(NAMES.split("\n")) + 1

        other = folder / "compose.yml"
        other.write_text("a:   1\n")
        foreign = lsp.TextDocumentIdentifier(other.as_uri())
        options = lsp.FormattingOptions(2, True)
        assert not await client.text_document_formatting_async(lsp.DocumentFormattingParams(foreign, options))

        for body, label, argument, doc in (
            ("sql: lower(", "lower(string) -> string", 0, "A to Z become a to z"),
            ("sql: coalesce(a, upper(b), ", "coalesce(T, ...) -> T", 1, "The first argument"),
            (
                "sql: matches_filter('over', ",
                "matches_filter(name, parameter => value, ...)",
                1,
                "another filter",
            ),
            ("cel: note.startsWith(", "string.startsWith(string) -> boolean", 0, "starts with"),
            ("cel: tags.exists(x, ", "a.exists(b, c)", 1, ""),
        ):
            text = f"{CATALOG}  typed:\n    {body}"
            session.change(text, 4)
            row = len(text.split("\n")) - 1
            place = {"text_document": document, "position": lsp.Position(row, len(text.split("\n")[row]))}
            help_ = await client.text_document_signature_help_async(lsp.SignatureHelpParams(**place))
            assert help_ is not None, body
            information = help_.signatures[help_.active_signature or 0]
            assert (information.label, information.active_parameter) == (label, argument)
            assert doc in str(information.documentation or "")
        session.change(NAMES + "groups: {}\n", 5)
        assert (
            await session.rename(session.at("large:"), "huge")
            == "cannot rename: the catalog has a problem; resolve it first"
        )


def test_names(names: Path) -> None:
    asyncio.run(asyncio.wait_for(about_names(names), 90))


async def refusals(folder: Path) -> None:
    async with Session(folder, "--no-lint") as session:
        assert await session.diagnostics() == []
        for anchor, offset, name, reason in REFUSED:
            assert reason in await session.rename(session.at(anchor, offset), name), anchor
        assert isinstance(await session.rename(session.at("  over:", 4), "above"), dict)
        assert in_process("release", cwd=folder).returncode == 0
        for anchor, offset, name, reason in RELEASED:
            assert reason in await session.rename(session.at(anchor, offset), name), anchor


def test_refused_names(names: Path) -> None:
    asyncio.run(asyncio.wait_for(refusals(names), 90))


def test_each_kind_of_an_outline_has_a_symbol() -> None:
    assert set(symbols._SECTIONS.values()) <= set(server._SYMBOLS)
