"""`predicat filters`: entry filters that are installed."""

from __future__ import annotations

import click

from predicat.cli.options import options
from predicat.cli.output import FORMAT, show
from predicat.diagnostics.messages import entries as say


@click.group("filters", help="List the entry filters that are installed.")
def command() -> None:
    """Entry filters."""


@command.command("providers")
@options
def _list_providers(form: str = FORMAT) -> None:
    """List the entry filters that installed packages provide: name, class, package."""
    from predicat.entry_filters import GROUP, providers  # noqa: PLC0415  # not for --help

    entry_points = providers()
    if form == "json":
        data = [
            {"name": row.name, "class": row.target, "distribution": row.distribution} for row in entry_points
        ]
        show(form, data, str)
        return
    if not entry_points:
        click.echo(say.no_providers(GROUP))
        return
    widths = [max(len(row[at]) for row in entry_points) for at in (0, 1)]
    for row in entry_points:
        click.echo(f"{row.name:{widths[0]}}  {row.target:{widths[1]}}  {row.distribution}")
