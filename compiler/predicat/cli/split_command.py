"""predicat split."""

from __future__ import annotations

import json
from pathlib import Path

import click

from predicat.cli.options import catalog_option, load_quietly, needs_review, pairs, vars_option
from predicat.cli.output import format_option
from predicat.diagnostics.messages import commands as say


@click.command(
    "split",
    help="Split filters for a source: the part that its language supports, and the rest. "
    "A row is accepted if both parts accept it. Several filters are joined by OR, as in predicat union.",
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option(
    "--for", "target", required=True, metavar="LANGUAGE", help="The language or SQL dialect of the source."
)
@click.option(
    "--rest",
    default="spark",
    show_default=True,
    metavar="LANGUAGE",
    help="The language or SQL dialect of the rest.",
)
@format_option
@catalog_option
@vars_option
def command(
    names: tuple[str, ...], target: str, rest: str, form: str, folder: Path, variables: tuple[str, ...]
) -> None:
    needs_review()
    from predicat import api  # noqa: PLC0415  # not for --help
    from predicat.pushdown import split  # noqa: PLC0415  # as above

    api.check_target(target)
    api.check_target(rest)
    result = split(load_quietly(folder, pairs("--var", variables)).union(*names), target)
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
