"""predicat diff."""

from __future__ import annotations

import importlib
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from predicat.cli.options import (
    CATALOG,
    EFFORT,
    VARIABLES,
    argument,
    failure_as_review,
    form_option,
    master_option,
    needs_review,
    option,
    options,
    removed_before,
)
from predicat.cli.project import as_reviewed, connect
from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import commands as say
from predicat.diagnostics.messages.review import no_dataset

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from predicat.catalog.load import Definitions
    from predicat.review.counts import Counts
    from predicat.review.entries import Review
    from predicat.review.sides import Sides

_DSN = ("postgresql://", "postgres://")
FORMATS = ("text", "markdown", "json", "github", "sarif")


@click.command(
    "diff",
    help="Compare the catalog with BASE, a git revision or a manifest. Default: the merge base with main. "
    "Exit code 1 if rows of a filter change, 2 for wrong use or a catalog with problems.",
)
@options
@failure_as_review
def command(
    *,
    base: str | None = argument(required=False, is_eager=True, callback=as_reviewed),
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
    form: str = form_option(*FORMATS, what="review"),
    out: Path | None = option("--out", "Write the review to a file.", callback=removed_before),
    effort: float = option(
        "--effort, --timeout",
        "How much work the proof about one pair of predicates may take; 1 is about a second.",
        default=5.0,
        type=EFFORT,
    ),
    data: tuple[str, ...] = option(
        "--data [DATASET=]SOURCE",
        "Count gained and lost rows in real data: a Parquet, JSON or CSV path or a table (on Spark), or a "
        "PostgreSQL DSN.",
    ),
    master: str = master_option(" for --data"),
) -> None:
    needs_review()
    with _sides(base, folder, variables) as sides:
        _review(sides, form, out, effort, data, master)


def _review(
    sides: Sides, form: str, out: Path | None, effort: float, data: tuple[str, ...], master: str
) -> None:
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # not for --help
    from predicat.review import report  # noqa: PLC0415  # as above
    from predicat.review.changes import review  # noqa: PLC0415  # as above

    result = review(
        sides.before,
        sides.after,
        sides.label,
        effort=effort,
        filters=sides.filters,
        edited=sides.edited,
        figures=partial(_figures, sides.definitions),
        identity=sides.identity,
    )
    if problems := sides.problems():
        raise PredicatError(problems)
    counts: dict[str, Counts] = {}
    for source in data:
        counts.update(_counted(result, sides.definitions, source, master))
    shown = report.FORMATS[form](result, counts)
    if out is None:
        click.echo(shown, nl=False)
    else:
        write_text(out, shown)
    if result.changes_rows:
        raise click.exceptions.Exit(1)


def _figures(definitions: Definitions | None, name: str) -> str:
    """How good the tests of a filter are."""
    from predicat.testing.coverage import measure  # noqa: PLC0415  # not for --help

    definition = definitions.filter(name) if definitions is not None else None
    if definition is None:
        return ""
    result = measure(definition, effort=0.2) if definition.tests else None
    return result.short() if result else "" if definition.tests else "no tests"


def _sides(base: str | None, folder: Path, variables: dict[str, str]) -> AbstractContextManager[Sides]:
    from predicat.review import sides  # noqa: PLC0415  # not for --help

    if base is not None and base.endswith(".json"):
        return nullcontext(sides.against_manifest(Path(base), folder, variables))
    return sides.against_git(base, folder, variables)


def _counted(review: Review, definitions: Definitions | None, source: str, master: str) -> dict[str, Counts]:
    from predicat.review.counts import questions  # noqa: PLC0415  # not for --help

    dataset, sign, path = source.partition("=")
    server = path if path.startswith(_DSN) else source
    if server.startswith(_DSN):
        return _on_postgres(review, server, None if server == source else dataset)
    datasets = definitions.datasets if definitions is not None else {}
    if not sign or dataset not in datasets:
        touched = list(dict.fromkeys(question.dataset for question in questions(review, "spark")[0]))
        if len(touched) > 1:
            raise click.UsageError(say.several_changed(source, ", ".join(touched)))
        if not touched:
            return {}
        dataset, path = touched[0], source
    assert definitions is not None  # noqa: S101  # something changed, so it was read
    queries, refused = questions(review, "spark")
    mine = [question for question in queries if question.dataset == dataset]
    engine: Any = importlib.import_module("predicat_spark.differences")
    counted: dict[str, Counts] = (
        engine.count(path, definitions.dataset(dataset), mine, master) if mine else {}
    )
    return {**{name: counts for name, counts in refused.items() if name.startswith(f"{dataset}.")}, **counted}


def _on_postgres(review: Review, server: str, dataset: str | None) -> dict[str, Counts]:
    """The counts in the tables of one dataset, or of all, on a PostgreSQL server."""
    from predicat.review import postgres  # noqa: PLC0415  # not for --help
    from predicat.review.counts import questions  # noqa: PLC0415  # as above

    relations = {name: state["relation"] for name, state in review.sides[1].datasets.items()}
    if dataset is not None and dataset not in relations:
        raise PredicatError.of(no_dataset(dataset, msg.did_you_mean(dataset, relations)))
    queries, refused = questions(review, "postgres")
    mine = [query for query in queries if dataset in (None, query.dataset)]
    with connect(server) as connection:
        counted = postgres.count(connection, mine, relations)
    return {
        **{name: one for name, one in refused.items() if dataset in (None, name.partition(".")[0])},
        **counted,
    }
