"""predicat test."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from predicat.cli.colour import tell
from predicat.cli.options import dsn_option, load_quietly, needs_review, now_option, option, options, reading
from predicat.cli.output import FORMAT, problems, show
from predicat.cli.project import connect, project
from predicat.cli.selection import Selection
from predicat.diagnostics.wording import quantity

if TYPE_CHECKING:
    from predicat.catalog import Catalog
    from predicat.catalog.model import Filter
    from predicat.policies.runs import Result as PolicyResult
    from predicat.testing.runs import Result

ENGINES = ("evaluator", "spark", "postgres", "duckdb", "all")
WITH_POLICIES = ("evaluator", "postgres")


@click.command(
    "test",
    help=(
        "Run the tests of all filters, or of those that selectors choose. Exit code 1 if a test fails, 2 "
        "for a catalog with problems."
    ),
)
@options
def command(
    *,
    selection: Selection,
    engine: str = option("--engine", "What runs the tests.", default="evaluator", type=click.Choice(ENGINES)),
    generate: bool = option(
        "--generate",
        "Print missing test rows: for each condition a row where it decides TRUE and one where it decides "
        "FALSE (MC/DC), a row at each boundary, and a row without values.",
    ),
    out: Path | None = option("--out", "Write the generated rows as a catalog file."),
    mutate: bool = option(
        "--mutate",
        "Make small mistakes in each filter (mutants), and count how many its tests find. Mutants that are "
        "proved equivalent do not count. With --generate: print rows that find the others.",
    ),
    now: str | None = now_option("that of their tests, otherwise the clock", "With --generate: the"),
    dsn: str | None = dsn_option(" for --engine postgres"),
    form: str = FORMAT,
) -> None:
    catalog = load_quietly(selection.folder, selection.variables)
    rows = selection.filters(catalog)
    if generate:
        _generate(rows, out, reading(now), mutate=mutate)
        return
    if mutate:
        _mutate(rows)
        return
    _run(catalog, rows, engine, dsn, form)


def _run(catalog: Catalog, filters: Sequence[Filter], engine: str, dsn: str | None, form: str) -> None:
    from predicat.testing import runs  # noqa: PLC0415  # not for --help

    tests: list[Result] = []
    policies: list[PolicyResult] = []
    for name in ("evaluator", *_all()) if engine == "all" else (engine,):
        there = runs.on_evaluator(filters) if name == "evaluator" else _on_engine(catalog, filters, name, dsn)
        tests += there
        policies += _policies(catalog, filters, name, dsn)
    result: list[Result | PolicyResult] = [*tests, *policies]
    failed = [item for item in result if item.problem is not None]
    skipped = [item for item in result if item.skipped]
    for item in failed:
        assert item.problem is not None  # noqa: S101  # chosen above
        if form == "text":
            tell(item.problem.render() + "\n")
    for item in skipped:
        click.echo(f"skipped on {item.engine}: {item.name}: {item.skipped}", err=True)
    engines = ", ".join(dict.fromkeys(item.engine for item in result))
    passed = len(result) - len(failed) - len(skipped)
    without = sum(not filter_.tests for filter_ in filters)
    more = f", {len(skipped)} skipped" if skipped else ""
    data = {
        "passed": passed,
        "failed": len(failed),
        "skipped": len(skipped),
        "without_tests": without,
        "tests": [_data(item) for item in tests],
        "policies": [_policy_data(item) for item in policies],
    }
    show(
        form,
        data,
        lambda: (
            f"{passed} passed, {len(failed)} failed{more}"
            + (f" on {engines}" if engines else "")
            + (f"; {quantity(without, 'filter')} without a test" if without else "")
        ),
    )
    if failed:
        raise click.exceptions.Exit(1)


def _policies(
    catalog: Catalog, filters: Sequence[Filter], engine: str, dsn: str | None
) -> Sequence[PolicyResult]:
    """The tests of the policies that use some filters, on an engine that has policies."""
    if engine not in WITH_POLICIES or not any(dataset.policies for dataset in catalog.datasets.values()):
        return []
    from predicat.policies import runs  # noqa: PLC0415  # most catalogs do without

    names = {filter_.qualified for filter_ in filters}
    asked = [case for case in runs.cases(catalog) if case.uses(names)]
    if not asked or engine == "evaluator":
        return runs.on_evaluator(asked)
    from predicat.deploy.policy_rows import on_server  # noqa: PLC0415  # as above

    with connect(dsn) as connection:
        return on_server(connection, catalog, asked)


def _all() -> Sequence[str]:
    """The engines that the project runs on; all, if it does not say."""
    project_ = project(click.get_current_context())
    return project_.engines if project_ is not None and project_.engines else ENGINES[1:-1]


def _data(item: Result) -> dict[str, Any]:
    """A test as data. `outcome` is null for UNKNOWN, and for a test that could not be run."""
    return {
        "filter": item.filter.qualified,
        "version": item.test.version or item.filter.latest,
        "description": item.test.description,
        "engine": item.engine,
        "row": item.test.row,
        "matches": "unknown" if item.test.matches is None else item.test.matches,
        "outcome": item.outcome,
        **_status(item),
    }


def _policy_data(item: PolicyResult) -> dict[str, Any]:
    """A test of a policy as data: whether the role may do something with the row."""
    test = item.test
    return {
        "policy": item.name,
        "role": test.role,
        "attributes": test.attributes,
        "command": test.command,
        "description": test.description,
        "engine": item.engine,
        "row": test.row,
        "sees": test.sees,
        "writes": test.writes,
        "outcome": item.outcome,
        **_status(item),
    }


def _status(item: Result | PolicyResult) -> dict[str, Any]:
    """How a test ended."""
    return {
        "status": "skipped" if item.skipped else "passed" if item.problem is None else "failed",
        "reason": item.skipped or None,
        "problem": problems([item.problem])[0] if item.problem is not None else None,
    }


def _on_engine(catalog: Catalog, filters: Sequence[Filter], name: str, dsn: str | None) -> list[Result]:
    from predicat.testing import runs  # noqa: PLC0415  # not for --help

    if name == "spark":
        spark: Any = importlib.import_module("predicat_spark.rows")
        nodes = [version.predicate.node for filter_ in filters for version in filter_.versions.values()]
        return runs.on_engine(catalog, filters, name, partial(spark.on_spark, nodes=nodes))
    from predicat.deploy import rows as engines  # noqa: PLC0415  # as above

    if name == "duckdb":
        return runs.on_engine(catalog, filters, name, engines.on_duckdb)

    with connect(dsn) as connection:
        return runs.on_engine(catalog, filters, name, partial(engines.on_postgres, connection))


def _generate(filters: Sequence[Filter], out: Path | None, now: datetime | None, *, mutate: bool) -> None:
    needs_review()
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # not for --help
    from predicat.explain import show  # noqa: PLC0415  # as above
    from predicat.lower import core  # noqa: PLC0415  # as above
    from predicat.proof.inputs import over_inputs  # noqa: PLC0415  # as above
    from predicat.rewrite.substitute import at, with_defaults  # noqa: PLC0415  # as above
    from predicat.testing import coverage  # noqa: PLC0415  # as above

    lines: dict[str, list[str]] = {}
    for filter_ in filters:
        if any(decl.required for decl in filter_.current.params.values()):
            click.echo(f"{filter_.qualified}: a parameter without default needs rows by hand", err=True)
            continue
        moment = _moment(filter_, now)
        surface = at(with_defaults(filter_.current.predicate.surface), moment)
        function = over_inputs(core(surface))
        rows = [test.row for test in filter_.tests if moment is None or test.now == moment]
        result = coverage.generate(surface, rows, mutate=filter_.on_unknown if mutate else None)
        when = f', now: "{moment.replace(tzinfo=None).isoformat(" ")}"' if moment is not None else ""
        tests = [
            f"    - {{row: {show.row_text(item)}{when}, matches: {_matches(function(item))}}}"
            for item in result
        ]
        if tests:
            lines.setdefault(filter_.dataset, []).extend((f"  {filter_.name}:", *tests))
    documents = [
        "\n".join(("apiVersion: predicat/v1", f"dataset: {dataset}", "tests:", *lines_)) + "\n"
        for dataset, lines_ in lines.items()
    ]
    if out is None:
        click.echo("---\n".join(documents) or "nothing is missing", nl=not documents)
    elif len(documents) > 1:
        for dataset, document in zip(lines, documents, strict=True):
            write_text(out.with_name(f"{out.stem}_{dataset}{out.suffix or '.yml'}"), document)
    elif documents:
        write_text(out, documents[0])


def _moment(filter_: Filter, now: datetime | None) -> datetime | None:
    """The current time of rows for a filter; None where it reads none."""
    if not filter_.current.predicate.reads_now:
        return None
    stated = (test.now for test in filter_.tests if test.now is not None)
    return now or next(stated, None) or datetime.now(tz=UTC).replace(microsecond=0)


def _matches(outcome: bool | None) -> str:
    return "unknown" if outcome is None else str(outcome).lower()


def _mutate(filters: Sequence[Filter]) -> None:
    needs_review()
    from predicat.testing import coverage  # noqa: PLC0415  # not for --help

    killed = total = covered = needed = 0
    for filter_ in filters:
        result = coverage.measure(filter_)
        if result is None:
            click.echo(f"{filter_.qualified}: not measured, as a parameter has no default")
            continue
        killed, total, covered, needed = (
            killed + result.killed,
            total + result.mutants,
            covered + result.covered,
            needed + result.needed,
        )
        click.echo(f"{filter_.qualified}: {result.short()}")
        for text in result.missing[:5]:
            click.echo(f"  no test: {text}")
        for mutant in result.alive[:5]:
            click.echo(f"  not found: {mutant.change}")
    score = f"{killed / total:.0%}" if total else "none"
    click.echo(
        f"{covered} of {needed} conditions decided both ways; mutation score {score} ({killed} of {total})"
    )
