"""predicat union."""

from __future__ import annotations

from pathlib import Path

import click

from predicat.cli.options import CATALOG, VARIABLES, argument, load_quietly, needs_review, option, options
from predicat.cli.output import FORMAT, show
from predicat.diagnostics.messages import commands as say


@click.command(
    "union",
    help="Print one condition for the rows that at least one of the filters accepts. NAME is a filter, one "
    "of its versions or a subscription, or a pattern such as 'flights.*'.",
)
@options
def command(
    *,
    names: tuple[str, ...] = argument(nargs=-1, required=True, metavar="NAME..."),
    target: str = option("--to LANGUAGE", "The language or SQL dialect of the output.", default="spark"),
    wider: bool = option(
        "--wider",
        "If LANGUAGE does not support the whole condition, print one that accepts the same rows and some "
        "more.",
    ),
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
    form: str = FORMAT,
) -> None:
    from predicat import api  # noqa: PLC0415  # not for --help

    api.check_target(target)
    whole = load_quietly(folder, variables).union(*names)
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
