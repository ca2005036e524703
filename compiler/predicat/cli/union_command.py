"""predicat union."""

from __future__ import annotations

from pathlib import Path

import click

from predicat.cli.options import catalog_option, load_quietly, needs_review, pairs, vars_option
from predicat.cli.output import format_option, show
from predicat.diagnostics.messages import commands as say


@click.command(
    "union",
    help="Print one condition for the rows that at least one of the filters accepts. "
    "NAME is a filter, one of its versions or a subscription, or a pattern such as 'flights.*'.",
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option(
    "--to",
    "target",
    default="spark",
    show_default=True,
    metavar="LANGUAGE",
    help="The language or SQL dialect of the output.",
)
@click.option(
    "--wider",
    is_flag=True,
    help=(
        "If LANGUAGE does not support the whole condition, print one that accepts the "
        "same rows and some more."
    ),
)
@catalog_option
@vars_option
@format_option
def command(
    names: tuple[str, ...], target: str, wider: bool, folder: Path, variables: tuple[str, ...], form: str
) -> None:
    from predicat import api  # noqa: PLC0415  # not for --help

    api.check_target(target)
    whole = load_quietly(folder, pairs("--var", variables)).union(*names)
    if not wider:
        text = whole.to(target)
        show(form, {"to": target, "text": text, "exact": True}, lambda: text)
        return
    needs_review()
    from predicat.pushdown import weaken  # noqa: PLC0415  # as above

    weakening = weaken(whole, target)
    if weakening.predicate is None:
        raise click.ClickException(say.nothing_supported(target))
    wide = weakening.predicate.to(target)
    show(form, {"to": target, "text": wide, "exact": weakening.exact}, lambda: wide)
    if not weakening.exact:
        click.echo(say.accepts_more(target, weakening.proof), err=True)
