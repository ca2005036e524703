"""predicat discover"""

from __future__ import annotations

from pathlib import Path

import click

from predicat.diagnostics.messages import discover as say

_HELP = (
    "Find the conditions that a repository already has: in SQL of any dialect, in dbt models and in "
    "manifests. Prints how many there are, and what was left out with the reason."
)


@click.command("discover", help=_HELP)
@click.argument(
    "paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path, exists=True)
)
@click.option(
    "--dialect",
    metavar="NAME",
    help="The dialect of all SQL. Default: that of dbt, sqlfluff or predicat.yml, or what reads most files.",
)
@click.option(
    "--format",
    "form",
    default="text",
    show_default=True,
    type=click.Choice(("text", "json")),
    help="The output format.",
)
def command(paths: tuple[Path, ...], dialect: str | None, form: str) -> None:
    from predicat.discover import report  # noqa: PLC0415  # not for --help
    from predicat.discover.read import dialects, folder  # noqa: PLC0415  # as above

    chosen = dialects.known(dialect) if dialect is not None else None
    if dialect is not None and chosen is None:
        raise click.UsageError(say.unknown_dialect(dialect, dialects.names()))
    found = folder.read(paths, chosen)
    click.echo({"text": report.text, "json": report.as_json}[form](found), nl=False)
