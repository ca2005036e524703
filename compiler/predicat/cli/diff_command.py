"""predicat diff."""

from __future__ import annotations

import importlib
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from predicat.cli.engines import is_given, located
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
from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import commands as say
from predicat.diagnostics.messages.review import no_dataset

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from predicat.catalog.load import Definitions
    from predicat.review.counts import Counts
    from predicat.review.entries import Review
    from predicat.review.severity import Judge
    from predicat.review.sides import Sides

_DSN = ("postgresql://", "postgres://")
FAILURES = ("breaking", "narrower", "wider")
FORMATS = ("text", "markdown", "json", "github", "sarif")


@click.command(
    "diff",
    help="Compare the catalog with BASE, a git revision or a manifest. Default: the merge base with main. "
    "Exit code 1 if rows of a filter change, 2 for wrong use or a catalog with problems.",
)
@options
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
        "Count gained and lost rows in real data: a path of Parquet, JSON or CSV (on DuckDB; with --master "
        "on Spark), a table of Spark, or a PostgreSQL DSN (it is only read).",
    ),
    master: str = master_option(" for --data"),
    fail_on: str | None = option(
        "--fail-on",
        "Exit code 1 for entries of this severity, and worse ones. Default: if rows change.",
        type=click.Choice(FAILURES),
    ),
    dbt: Path | None = option(
        "--dbt MANIFEST", "Also name the models and exposures of dbt's target/manifest.json behind a filter."
    ),
    approved: tuple[str, ...] = option(
        "--approved NAME", "Who has approved the change, by the names in `review` of the project file."
    ),
) -> None:
    with failure_as_review(form, out, folder, "diff"):
        needs_review()
        with _sides(base, folder, variables) as sides:
            fails = _review(sides, folder, form, out, effort, data, master, approved, fail_on, dbt)
    if fails:
        raise click.exceptions.Exit(1)


def _review(
    sides: Sides,
    folder: Path,
    form: str,
    out: Path | None,
    effort: float,
    data: tuple[str, ...],
    master: str,
    approved: tuple[str, ...],
    fail_on: str | None,
    dbt: Path | None,
) -> bool:
    """Writes the review: whether it is a failure."""
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # not for --help
    from predicat.forge.owners import Owners  # noqa: PLC0415  # as above
    from predicat.review import report  # noqa: PLC0415  # as above
    from predicat.review.changes import review  # noqa: PLC0415  # as above
    from predicat.review.dbt import with_dbt  # noqa: PLC0415  # as above
    from predicat.review.exports import with_exports  # noqa: PLC0415  # as above
    from predicat.review.impact import impact  # noqa: PLC0415  # as above
    from predicat.review.severity import fails  # noqa: PLC0415  # as above

    result = review(
        sides.before,
        sides.after,
        sides.label,
        effort=effort,
        filters=sides.filters,
        edited=sides.edited,
        figures=partial(_figures, sides.definitions),
        identity=sides.identity,
        file_owners=Owners().of,
    )
    if problems := sides.problems():
        raise PredicatError(problems)
    result = with_exports(with_dbt(result, dbt) if dbt is not None else result, folder)
    result = _judge(sides, folder).judged(result, approved)
    counts: dict[str, Counts] = {}
    for source in data:
        counts.update(_counted(result, sides.definitions, source, master))
    shown = report.FORMATS[form](result, impact(result, counts) if data else {})
    if out is None:
        click.echo(shown, nl=False)
    else:
        write_text(out, shown)
    return fails(result, fail_on)


def _judge(sides: Sides, folder: Path) -> Judge:
    """The rules of both sides, so that a change cannot take one away, and the waivers of this one."""
    from predicat.catalog.project import Project, project_around  # noqa: PLC0415  # not for --help
    from predicat.review.severity import Judge, approvals_in  # noqa: PLC0415  # as above

    project = project_around(folder) or Project("")
    former = approvals_in(sides.before.data.get("project", {}))
    return Judge((*former, *project.approvals), project.waivers, datetime.now(tz=UTC).date())


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
    from predicat.review import files  # noqa: PLC0415  # not for --help
    from predicat.review.questions import questions  # noqa: PLC0415  # as above

    dataset, sign, path = source.partition("=")
    server = path if path.startswith(_DSN) else source
    if server.startswith(_DSN):
        return _on_postgres(review, server, None if server == source else dataset)
    datasets = definitions.datasets if definitions is not None else {}
    if not sign or dataset not in datasets:
        touched = questions(review, "spark").datasets
        if len(touched) > 1:
            raise click.UsageError(say.several_changed(source, ", ".join(touched)))
        if not touched:
            return {}
        dataset, path = touched[0], source
    state = (
        definitions.datasets[dataset] if definitions is not None and dataset in definitions.datasets else None
    )
    form = state.files.get("duckdb") if state is not None else None
    if not is_given("master") and extras.installed("duckdb") and files.reads(path, form):
        return files.count_there(
            questions(review, "duckdb").only(dataset), dataset, _paths(review, dataset, path), form
        )
    if definitions is None or state is None:
        return {}
    asked = questions(review, "spark").only(dataset)
    engine: Any = importlib.import_module("predicat_spark.differences")
    counted: dict[str, Counts] = (
        engine.count(path, definitions.dataset(dataset), asked, master) if asked.asked else {}
    )
    return {**asked.refused, **counted}


def _paths(review: Review, dataset: str, path: str) -> tuple[str, str]:
    """The files of a dataset before and after: those of the former relation, if this is the current one."""
    known = [side.datasets.get(dataset, {}).get("relation", {}).get("duckdb") for side in review.sides]
    before, after = (located(Path.cwd(), one) if one else None for one in known)
    moved = before != after and after is not None and Path(after).resolve() == Path(path).resolve()
    return (before or path) if moved else path, path


def _on_postgres(review: Review, server: str, dataset: str | None) -> dict[str, Counts]:
    """The counts in the tables of one dataset, or of all, on a PostgreSQL server."""
    from predicat.review import postgres  # noqa: PLC0415  # not for --help
    from predicat.review.questions import questions  # noqa: PLC0415  # as above

    known = {name: None for side in review.sides for name in side.datasets}
    if dataset is not None and dataset not in known:
        raise PredicatError.of(no_dataset(dataset, msg.did_you_mean(dataset, known)))
    asked = questions(review, "postgres").only(dataset)
    with connect(server) as connection:
        return postgres.count_there(connection, asked)
