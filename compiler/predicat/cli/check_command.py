"""predicat check"""

from __future__ import annotations

import importlib
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from predicat.cli.options import catalog_option, changed_option, judged, load_quietly, pairs, vars_option

if TYPE_CHECKING:
    from predicat.review.touched import Scope


@click.command("check", help="Check a catalog: every file, name, type, reference and inline test, and that released versions keep their meaning.")
@catalog_option
@vars_option
@click.option("--relation", type=click.Choice(("spark", "postgres")), help="Also compare the declared fields with the columns of the relations there.")
@click.option("--input", "inputs", multiple=True, metavar="DATASET=SOURCE", help="The table or path of a dataset on Spark; by default its relation.")
@click.option("--dsn", help="PostgreSQL for --relation postgres; without it the PG* variables, else an embedded server.")
@changed_option
def command(folder: Path, variables: tuple[str, ...], relation: str | None, inputs: tuple[str, ...], dsn: str | None, changed: str | None) -> None:
    values = pairs("--var", variables)
    if changed is None:
        warnings, summary = _known(folder, values)
    else:
        with judged(folder, changed, lock=True) as scope:
            warnings, summary = ([], "nothing of the catalog is touched") if scope.empty else _checked(scope.folder, values, scope)
    for warning in warnings:
        click.echo(warning + "\n", err=True)
    click.echo(summary)
    if relation is not None:
        _relations(folder, values, relation, pairs("--input", inputs, "DATASET=SOURCE"), dsn)


def _relations(folder: Path, values: dict[str, str], engine: str, inputs: dict[str, str], dsn: str | None) -> None:
    """Compare declared fields with columns. Raises PredicatError with every field that a relation lacks or has otherwise."""
    catalog = load_quietly(folder, values)
    if engine == "postgres":
        from predicat.deploy import relations, server  # noqa: PLC0415  # not for a plain check

        with server.connect(dsn, Path("target/postgres")) as connection:
            relations.check_relations(catalog, connection)
    else:
        jobs: Any = importlib.import_module("predicat_spark.jobs")
        jobs.check_relations(catalog, inputs)
    click.echo(f"the relations on {engine} have the declared columns")


def _known(folder: Path, values: dict[str, str]) -> tuple[list[str], str]:
    """What was found in the whole catalog, which is kept until it changes."""
    from predicat.catalog.checked import place, recall, remember  # noqa: PLC0415  # not for --help

    kept = place(folder, values)
    return recall(kept) or remember(kept, *_checked(folder, values))


def _checked(folder: Path, values: dict[str, str], scope: Scope | None = None) -> tuple[list[str], str]:
    """The warnings and the summary of a catalog, or of what a scope holds of it, without errors. Raises PredicatError."""
    from predicat.catalog import load_catalog  # noqa: PLC0415  # not for --help
    from predicat.catalog.lock import EMPTY, lock_path, read_lock  # noqa: PLC0415  # as above
    from predicat.diagnostics import PredicatError, Severity  # noqa: PLC0415  # as above
    from predicat.review import releases  # noqa: PLC0415  # as above

    files = scope.files if scope is not None else None
    found = load_catalog(folder, variables=values, files=files)
    whole = read_lock(lock_path(folder))
    lock = scope.of_lock(whole or EMPTY) if scope is not None else whole or EMPTY
    problems = releases.verify(found, lock, datetime.now(tz=UTC).date()) if whole is not None else []
    errors = [item for item in problems if item.severity is Severity.ERROR]
    if errors:
        raise PredicatError(errors)
    filters = found.filters()
    tests = sum(len(row.tests) for row in filters)
    versions = sum(len(row.versions) for row in filters)
    released = f", {len(lock.versions)} released" if whole is not None else ""
    part = "" if files is None else "what the change touches: "
    summary = f"{part}{len(found.datasets)} datasets, {len(filters)} filters in {versions} versions{released}, {tests} tests passed"
    return [item.render() for item in (*found.warnings, *problems)], summary
