"""predicat explain."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from predicat.cli.options import CATALOG, VARIABLES, argument, load_quietly, needs_review, option, options
from predicat.cli.output import FORMAT, show
from predicat.diagnostics import NOWHERE
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import commands as say

if TYPE_CHECKING:
    from predicat.ir.nodes import FieldDecl


@click.command(
    "explain",
    help=(
        "Explain a filter: its meaning in words, its SQL, what is pushed down, and its lineage. With --row: "
        "explain why the row is accepted or not."
    ),
)
@options
def command(
    *,
    name: str = argument(),
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
    row: str | None = option(
        "--row ROW|@FILE",
        "A row as JSON or as YAML, such as '{dep_delay: 90}' in a review, or a file that contains it.",
    ),
    form: str = FORMAT,
) -> None:
    needs_review()
    from predicat.explain import text  # noqa: PLC0415  # not for --help

    catalog = load_quietly(folder, variables)
    filter_, number = catalog.find(name)
    version = filter_.versions[number]
    about = {"name": filter_.qualified, "version": number}
    if row is None:
        lines = text.explain(catalog, filter_, version)
        show(form, {**about, "lines": lines}, lambda: "\n".join(lines))
        return
    data = _row(row)
    _check_names(data, catalog.datasets[filter_.dataset].fields)
    outcome = version.predicate.evaluate(data)
    accepted = filter_.on_unknown == "accept" if outcome is None else outcome
    reasons = text.explain_row(filter_, version, data)
    about |= {"outcome": outcome, "accepted": accepted}
    show(form, {**about, "lines": reasons}, lambda: "\n".join(reasons))


def _check_names(row: dict[str, object], fields: Mapping[str, FieldDecl]) -> None:
    """Warns of keys that are no fields of the dataset: a mistyped one would pass for a field without a
    value.
    """
    from predicat.ir.rows import unknown_keys  # noqa: PLC0415  # not for --help

    for name, known in unknown_keys(row, fields):
        result = msg.unknown_row_key(NOWHERE, name, known)
        click.echo(f"warning: {result.message}: {result.hint}", err=True)


def _row(text: str) -> dict[str, object]:
    """A row as in a test of the catalog. Raises PredicatError."""
    from predicat.catalog.yaml_nodes import compose  # noqa: PLC0415  # not for --help
    from predicat.diagnostics import PredicatError, Reporter, Source  # noqa: PLC0415  # as above
    from predicat.diagnostics.reading import text_of  # noqa: PLC0415  # as above

    file = Path(text[1:]) if text.startswith("@") else None
    reporter = Reporter()
    item = compose(Source(str(file or "--row"), text if file is None else text_of(file)), reporter)
    if reporter.errors:
        raise PredicatError([replace(problem, code="usage") for problem in reporter.errors])
    if item is None or not item.is_mapping:
        raise click.UsageError(say.ROW_OBJECT)
    data: dict[str, object] = item.plain()
    return data
