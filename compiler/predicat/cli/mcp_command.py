"""predicat mcp."""

from __future__ import annotations

import gc
from pathlib import Path

import click

from predicat.cli.options import CATALOG, FILE, VARIABLES, option, options
from predicat.diagnostics import Reporter


@click.command(
    "mcp",
    help="Start a server for agents (Model Context Protocol): it finds, explains and compares filters, and "
    "tells which filter a WHERE is. It only reads. Default: on standard input and output.",
)
@options
def command(
    *,
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
    port: int | None = option(
        "--http PORT", "Listen on a port of this machine instead; 0 is any.", type=click.IntRange(0, 65535)
    ),
    host: str = option("--host", "The address of --http: 127.0.0.1, ::1 or localhost.", default="127.0.0.1"),
    history: Path = option(
        "--history FILE",
        "Where `quality run` keeps its results.",
        below="target/quality/history.jsonl",
        type=FILE,
    ),
    skill: bool = option("--skill", "Print SKILL.md, which tells agents how to use the catalog, and end."),
) -> None:
    from predicat.exporting.skill import skill as text  # noqa: PLC0415  # not for --help

    if skill:
        click.echo(text(), nl=False)
        return
    from predicat.catalog.files import catalog_files  # noqa: PLC0415  # not for --help
    from predicat.diagnostics import extras  # noqa: PLC0415  # as above

    extras.require("mcp")
    reporter = Reporter()
    catalog_files(folder, reporter)
    reporter.raise_errors()
    from predicat.agents import server  # noqa: PLC0415  # needs the extra
    from predicat.agents.tools import CatalogSource  # noqa: PLC0415  # as above

    gc.enable()  # this command does not end soon
    source = CatalogSource(folder, variables, history)
    if port is None:
        server.serve_stdio(source)
        return
    listening = server.listen(host, port)
    click.echo(f"{server.address(listening, host)}", err=True)
    server.serve_http(source, listening)
