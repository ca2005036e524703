"""predicat lsp"""

from __future__ import annotations

import gc
from pathlib import Path

import click

from predicat.cli.options import catalog_option


@click.command("lsp", help="Start the language server on standard input and output; editors start it themselves.")
@catalog_option
@click.option("--no-lint", is_flag=True, help="Show problems only, not what the lint rules find.")
def command(folder: Path, *, no_lint: bool) -> None:
    from predicat.diagnostics import extras  # noqa: PLC0415  # not for --help

    extras.require("pygls")
    from predicat.editor.server import create  # noqa: PLC0415  # not for --help

    gc.enable()  # this command does not end soon
    create(folder, lint=not no_lint).start_io()
