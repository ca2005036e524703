"""predicat check"""

from __future__ import annotations

import importlib
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from predicat.cli.options import (
    EMBEDDED,
    base_option,
    catalog_option,
    changed_option,
    judged,
    load_quietly,
    pairs,
    vars_option,
)

if TYPE_CHECKING:
    from predicat.review.base import BaseCommit
    from predicat.review.touched import Scope

Result = tuple[list[str], str]
"""Warnings and a summary."""


@click.command(
    "check",
    help="Check a catalog: files, names, types, references, inline tests, and that released versions keep "
    "their meaning. "
    "Released versions are those in the lock file, now and at the merge base with main.",
)
@catalog_option
@vars_option
@base_option
@click.option(
    "--relation",
    type=click.Choice(("spark", "postgres")),
    help="Also compare the declared fields with the columns of the relations in this engine.",
)
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="DATASET=SOURCE",
    help="The table or path of a dataset on Spark. Default: its relation.",
)
@click.option(
    "--dsn",
    help="The server for --relation postgres. Default: the PG* variables, otherwise an embedded server.",
)
@changed_option
def command(
    folder: Path,
    variables: tuple[str, ...],
    base: str | None,
    relation: str | None,
    inputs: tuple[str, ...],
    dsn: str | None,
    changed: str | None,
) -> None:
    values = pairs("--var", variables)
    if changed is None:
        warnings, summary = _known(folder, values, _base(folder, base))
    else:
        with judged(folder, changed, lock=True) as scope:
            warnings, summary = [], "nothing of the catalog is touched"
            if not scope.empty:
                warnings, summary = _checked(scope.folder, values, _base(scope.folder, base), scope)
    for warning in warnings:
        click.echo(warning + "\n", err=True)
    click.echo(summary)
    if relation is not None:
        _relations(folder, values, relation, pairs("--input", inputs, "DATASET=SOURCE"), dsn)


def _relations(
    folder: Path, values: dict[str, str], engine: str, inputs: dict[str, str], dsn: str | None
) -> None:
    """Compare declared fields with columns. Raises PredicatError with every field that a relation lacks or
    has otherwise.
    """
    catalog = load_quietly(folder, values)
    if engine == "postgres":
        from predicat.deploy import relations, server  # noqa: PLC0415  # not for a plain check

        with server.connect(dsn, EMBEDDED) as connection:
            relations.check_relations(catalog, connection)
    else:
        jobs: Any = importlib.import_module("predicat_spark.relations")
        jobs.check_relations(catalog, inputs)
    click.echo(f"the relations on {engine} have the declared columns")


def _base(folder: Path, revision: str | None) -> BaseCommit:
    """What is merged, to compare with; a warning says why there is nothing."""
    from predicat.catalog.paths import lock_path  # noqa: PLC0415  # not for --help
    from predicat.review import base  # noqa: PLC0415  # as above

    result = base.find(lock_path(folder), revision)
    if result.warning is not None:
        click.echo(result.warning.render() + "\n", err=True)
    return result


def _known(folder: Path, values: dict[str, str], base: BaseCommit) -> Result:
    """What was found in the whole catalog, which is kept until it or what is merged changes."""
    from predicat.catalog.check_cache import place, recall, remember  # noqa: PLC0415  # not for --help
    from predicat.catalog.paths import lock_path, read_text  # noqa: PLC0415  # as above

    kept = place(folder, values, {"lock": read_text(lock_path(folder)), "base": base.texts})
    return recall(kept) or remember(kept, *_checked(folder, values, base))


def _checked(folder: Path, values: dict[str, str], base: BaseCommit, scope: Scope | None = None) -> Result:
    """The warnings and the summary of a catalog, or of what a scope holds of it, without errors. Raises
    PredicatError.
    """
    from predicat.catalog import load_catalog  # noqa: PLC0415  # not for --help
    from predicat.catalog.lock import lock_path, read_lock_file  # noqa: PLC0415  # as above
    from predicat.diagnostics import PredicatError, Severity  # noqa: PLC0415  # as above
    from predicat.review.releases import Rules  # noqa: PLC0415  # as above

    files = scope.files if scope is not None else None
    catalog = load_catalog(folder, variables=values, files=files)
    path = lock_path(folder)
    select = scope.of_lock if scope is not None else None
    file = read_lock_file(path)
    merged = base.file(catalog.datasets, file)
    rules = Rules(catalog, file, datetime.now(tz=UTC).date(), base=merged, path=str(path), select=select)
    problems = [] if file is None and merged is None else rules.problems()
    errors = [item for item in problems if item.severity is Severity.ERROR]
    if errors:
        raise PredicatError(errors)
    filters = catalog.filters()
    tests = sum(len(row.tests) for row in filters)
    versions = sum(len(row.versions) for row in filters)
    released = f", {len(rules.lock.versions)} released" if file is not None else ""
    if merged is not None:
        released += " (compared with the base)"
    part = "" if files is None else "what the change touches: "
    summary = (
        f"{part}{len(catalog.datasets)} datasets, {len(filters)} filters in {versions} versions{released}, "
        f"{tests} tests passed"
    )
    return [item.render() for item in (*catalog.warnings, *problems)], summary
