"""Times edits in an editor: `python benchmarks/editor.py [filters] [--edits N]`.

CPU milliseconds of `predicat lsp`, a process spoken to by its protocol, from an edit to the problems that it
publishes, and
for the other questions that an editor asks; beside a load of the same catalog. The filters stand in one file,
in files of 50, and
in files of one.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from generated import TWO, write
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from predicat.catalog import load_catalog

TICKS = os.sysconf("SC_CLK_TCK")
ROUND = 6


class Editor:
    """An editor with the first file of a catalog open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = min((folder / "catalog").glob("*.yml"))
        self.client = LanguageClient("benchmark", "1")
        self.published: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()
        self.version = 1

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def diagnostics(params: lsp.PublishDiagnosticsParams) -> None:
            self.published.put_nowait(params)

    async def start(self) -> None:
        await self.client.start_io(sys.executable, "-m", "predicat", "lsp", "--no-lint", cwd=str(self.folder))
        options = lsp.InitializeParams(capabilities=lsp.ClientCapabilities(), root_uri=self.folder.as_uri())
        await self.client.initialize_async(options)
        document = lsp.TextDocumentItem(self.file.as_uri(), "yaml", self.version, self.file.read_text())
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))
        await self.answer()

    async def answer(self) -> None:
        while (await asyncio.wait_for(self.published.get(), 120)).uri != self.file.as_uri():
            pass

    async def edit(self, line: int, character: int, text: str, removed: int = 0) -> None:
        self.version += 1
        document = lsp.VersionedTextDocumentIdentifier(self.version, self.file.as_uri())
        place = lsp.Range(lsp.Position(line, character), lsp.Position(line, character + removed))
        change = lsp.TextDocumentContentChangePartial(place, text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))
        await self.answer()

    def cpu(self) -> float:
        """Milliseconds that the server has used."""
        fields = Path(f"/proc/{self.client._server.pid}/stat").read_text().rpartition(")")[2].split()  # type: ignore[union-attr]
        return 1000 * (int(fields[11]) + int(fields[12])) / TICKS

    async def best(self, times: int, step: Callable[[int], Awaitable[object]]) -> float:
        """The CPU milliseconds of a step in the best round of some: the clock counts hundredths of a
        second.
        """
        found = []
        for start in range(0, max(times, ROUND), ROUND):
            before = self.cpu()
            for number in range(start, start + ROUND):
                await step(number)
            found.append((self.cpu() - before) / ROUND)
        return min(found)


async def measure(folder: Path, edits: int) -> str:
    editor = Editor(folder)
    await editor.start()
    lines = editor.file.read_text().split("\n")
    bodies = [
        number for number, line in enumerate(lines) if line.lstrip().startswith(("cel: a > ", "sql: a > "))
    ]
    document = lsp.TextDocumentIdentifier(editor.file.as_uri())

    async def typed(number: int) -> None:
        line = bodies[number * 7919 % len(bodies)]
        await editor.edit(line, lines[line].index("a > ") + 4, "1")

    async def broken(number: int) -> None:
        line = bodies[number // 2 * 7919 % len(bodies)]
        await editor.edit(line, lines[line].index("a > "), "'" if number % 2 == 0 else "", number % 2)

    async def new_key(number: int) -> None:
        await editor.edit(5, 2, "half" if number % 2 == 0 else "", 0 if number % 2 == 0 else 4)

    def asked(
        question: Callable[..., Awaitable[object]], params: object
    ) -> Callable[[int], Awaitable[object]]:
        return lambda _number: question(params)

    place = {"text_document": document, "position": lsp.Position(5, 3)}
    client = editor.client
    rows = {
        "edit of a body": typed,
        "edit that breaks the YAML, and back": broken,
        "edit of a key": new_key,
        "lenses": asked(client.text_document_code_lens_async, lsp.CodeLensParams(document)),
        "outline": asked(client.text_document_document_symbol_async, lsp.DocumentSymbolParams(document)),
        "uses": asked(
            client.text_document_references_async, lsp.ReferenceParams(lsp.ReferenceContext(True), **place)
        ),
    }
    found = [f"{name} {await editor.best(edits, step):.0f} ms" for name, step in rows.items()]
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    return ", ".join(found)


def main(count: int, edits: int) -> None:
    for per_file in (count, 50, 1):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            (folder / "catalog").mkdir()
            write(folder / "catalog", count, TWO, per_file)
            start = time.process_time()
            load_catalog(folder / "catalog")
            whole = 1000 * (time.process_time() - start)
            shown = asyncio.run(measure(folder, edits))
            print(f"{count} filters, {per_file} a file: load {whole:.0f} ms; {shown}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("filters", nargs="?", type=int, default=1000)
    parser.add_argument("--edits", type=int, default=30)
    arguments = parser.parse_args()
    main(arguments.filters, arguments.edits)
