"""The language server through its real protocol."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any, Self

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

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

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "catalog" / "orders.yml"
        self.client = LanguageClient("test", "1")
        self.published: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def diagnostics(params: lsp.PublishDiagnosticsParams) -> None:
            self.published.put_nowait(params)

    async def __aenter__(self) -> Self:
        program = Path(sys.executable).parent / "predicat"
        await self.client.start_io(str(program), "lsp", "--catalog", "catalog", cwd=str(self.folder))
        await self.client.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities(), root_uri=self.folder.as_uri()))
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

    def at(self, text: str, offset: int = 0) -> dict[str, Any]:
        lines = self.file.read_text().split("\n")
        line = next(number for number, row in enumerate(lines) if text in row)
        position = lsp.Position(line, lines[line].index(text) + offset)
        return {"text_document": lsp.TextDocumentIdentifier(self.file.as_uri()), "position": position}

    def change(self, text: str, version: int) -> None:
        document = lsp.VersionedTextDocumentIdentifier(version, self.file.as_uri())
        whole = lsp.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [whole]))


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
        assert [(item.code, item.range.start.line, item.range.start.character) for item in first] == [("unknown-field", 16, 9)]
        actions = await session.client.text_document_code_action_async(
            lsp.CodeActionParams(lsp.TextDocumentIdentifier(session.file.as_uri()), first[0].range, lsp.CodeActionContext(first))
        )
        assert [action.title for action in actions or []] == ["Change to amount"]

        session.change(CATALOG.replace("amuont", "amount"), 2)
        assert await session.diagnostics() == []
        hover = await session.client.text_document_hover_async(lsp.HoverParams(**session.at("- large", 3)))
        assert hover is not None and "amount > 100" in hover.contents.value  # type: ignore[union-attr]
        hover = await session.client.text_document_hover_async(lsp.HoverParams(**session.at("amount > 100", 2)))
        assert hover is not None and "In cents." in hover.contents.value  # type: ignore[union-attr]
        place: Any = await session.client.text_document_definition_async(lsp.DefinitionParams(**session.at("{not: large}", 8)))
        assert (place.uri, place.range.start.line) == (session.file.as_uri(), 7)
        place = await session.client.text_document_definition_async(lsp.DefinitionParams(**session.at("amount > 100", 2)))
        assert place.range.start.line == 4

        async def offers(text: str, offset: int) -> list[str]:
            found: Any = await session.client.text_document_completion_async(lsp.CompletionParams(**session.at(text, offset)))
            return [item.label for item in found.items]

        body = await offers("amount > 100", 0)
        assert {"amount", "note", "big", "size"} <= set(body)
        assert await offers("{not: large}", 6) == ["large", "both", "more"]
        assert "on_unknown" in await offers("    owner:", 4)
        assert "filters" in await offers("dataset:", 0)

        session.change(CATALOG.replace("amuont > 1", "amount > 1 OR amount <= 1"), 3)
        assert await session.diagnostics() == []
        session.client.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(session.file.as_uri())))
        saved = await session.diagnostics()
        assert "P201" in {item.code for item in saved}
        session.change("filters: [", 4)
        assert [item.code for item in await session.diagnostics()] == ["yaml"]


def test_a_conversation(folder: Path) -> None:
    asyncio.run(asyncio.wait_for(conversation(folder), 90))
