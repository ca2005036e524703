"""predicat split."""

from __future__ import annotations

import json
from pathlib import Path

import click

from predicat.cli.options import CATALOG, VARIABLES, argument, load_quietly, needs_review, option, options
from predicat.cli.output import FORMAT
from predicat.diagnostics.messages import commands as say


@click.command(
    "split",
    help="Split filters for a source: the part that its language supports, and the rest. A row is accepted "
    "if both parts accept it. Several filters are joined by OR, as in predicat union.",
)
@options
def command(
    *,
    names: tuple[str, ...] = argument(nargs=-1, required=True, metavar="NAME..."),
    target: str = option("--for LANGUAGE", "The language or SQL dialect of the source.", required=True),
    rest: str = option("--rest LANGUAGE", "The language or SQL dialect of the rest.", default="spark"),
    form: str = FORMAT,
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
) -> None:
    needs_review()
    from predicat import api  # noqa: PLC0415  # not for --help
    from predicat.pushdown import split  # noqa: PLC0415  # as above

    api.check_target(target)
    api.check_target(rest)
    result = split(load_quietly(folder, variables).union(*names), target)
    pushed = result.pushed.to(target) if result.pushed is not None else None
    residual = result.residual.to(rest) if result.residual is not None else None
    if form == "json":
        click.echo(
            json.dumps({"pushed": pushed, "rest": residual, "proof": result.proof}, ensure_ascii=False)
        )
        return
    click.echo(f"pushed ({target}): {pushed or say.NOTHING}")
    click.echo(f"rest ({rest}): {residual or say.NOTHING}")
    click.echo(say.loses_no_row(result.proof))
