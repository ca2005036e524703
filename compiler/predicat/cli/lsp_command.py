"""predicat lsp."""

from __future__ import annotations

import gc
from pathlib import Path

import click

from predicat.cli.options import CATALOG, option, options
from predicat.diagnostics import PredicatError, Reporter


@click.command(
    "lsp", help="Start the language server on standard input and output. Editors start it themselves."
)
@options
def command(
    *,
    folder: Path = CATALOG,
    no_lint: bool = option("--no-lint", "Show problems of the catalog only, no findings of lint."),
) -> None:
    from predicat.diagnostics import extras  # noqa: PLC0415  # not for --help

    extras.require("pygls")
    from predicat.editor.server import create  # noqa: PLC0415  # not for --help

    gc.enable()  # this command does not end soon
    create(folder, lint=not no_lint, rows=_Measured(folder.resolve().parent / HISTORY)).start_io()


# Where `predicat quality run` keeps its results.
HISTORY = Path("target") / "quality" / "history.jsonl"


class _Measured:
    """For each filter how many rows it accepted, of how many, when that was measured last."""

    def __init__(self, history: Path) -> None:
        self.history = history
        self.state: object = None
        self.rows: dict[str, tuple[int, int]] = {}

    def __call__(self) -> dict[str, tuple[int, int]]:
        """None where nothing was measured; read again only when the file has changed."""
        from predicat.quality.stores import read  # noqa: PLC0415  # not for --help

        try:
            status = self.history.stat()
            if self.state != (state := (status.st_mtime_ns, status.st_size)):
                self.state = state
                self.rows = {
                    item["filter"]: (item["accepted"], item["rows"])
                    for item in read(self.history, Reporter())
                }
        except (OSError, PredicatError, KeyError, TypeError):
            self.rows = {}
        return self.rows
