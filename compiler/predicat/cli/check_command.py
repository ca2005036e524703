"""predicat check"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from predicat.cli.options import catalog_option, load, pairs, vars_option


@click.command("check", help="Check a catalog: every file, name, type, reference and inline test, and that released versions keep their meaning.")
@catalog_option
@vars_option
def command(folder: Path, variables: tuple[str, ...]) -> None:
    from predicat.catalog.checked import recall, remember  # noqa: PLC0415  # not for --help

    values = pairs("--var", variables)
    known = recall(folder, values)
    if known is None:
        known = remember(folder, values, *_checked(folder, variables))
    warnings, summary = known
    for warning in warnings:
        click.echo(warning + "\n", err=True)
    click.echo(summary)


def _checked(folder: Path, variables: tuple[str, ...]) -> tuple[list[str], str]:
    """The warnings and the summary of a catalog without errors. Raises PredicatError."""
    from predicat.catalog.lock import lock_path, read_lock  # noqa: PLC0415  # not for --help
    from predicat.diagnostics import PredicatError, Severity  # noqa: PLC0415  # as above
    from predicat.review import releases  # noqa: PLC0415  # as above

    found = load(folder, variables, quiet=True)
    lock = read_lock(lock_path(folder))
    problems = releases.verify(found, lock, datetime.now(tz=UTC).date()) if lock is not None else []
    errors = [item for item in problems if item.severity is Severity.ERROR]
    if errors:
        raise PredicatError(errors)
    filters = found.filters()
    tests = sum(len(row.tests) for row in filters)
    versions = sum(len(row.versions) for row in filters)
    released = f", {len(lock.versions)} released" if lock is not None else ""
    summary = f"{len(found.datasets)} datasets, {len(filters)} filters in {versions} versions{released}, {tests} tests passed"
    return [item.render() for item in (*found.warnings, *problems)], summary
