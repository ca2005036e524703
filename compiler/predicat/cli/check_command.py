"""predicat check."""

from __future__ import annotations

import importlib
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from predicat.cli.colour import tell
from predicat.cli.engines import located
from predicat.cli.options import BASE, CHANGED, dsn_option, judged, load_quietly, option, options, pairs
from predicat.cli.output import FORMAT, problems, show
from predicat.cli.project import connect
from predicat.cli.selection import Selection
from predicat.diagnostics import PredicatError, Severity
from predicat.diagnostics.messages import commands
from predicat.diagnostics.messages import selection as say

if TYPE_CHECKING:
    from collections.abc import Collection

    from predicat.catalog import Catalog
    from predicat.review.base import BaseCommit
    from predicat.review.releases import Select
    from predicat.review.touched import Scope

# What was found: `problems`, which are warnings, each with its `text`, and what was counted.
Result = dict[str, Any]
# Nothing of the catalog is touched.
NOTHING: Result = {
    "problems": [],
    "datasets": 0,
    "filters": 0,
    "of": 0,
    "versions": 0,
    "tests": 0,
    "released": None,
    "compared": False,
}


class CheckedSelection(Selection, frozen=True, kw_only=True):
    """What `check` was given, whose base is that of the lock file too."""

    base: str | None = BASE


@click.command(
    "check",
    help=(
        "Check a catalog: files, names, types, references and inline tests. Also check that released "
        "versions keep their meaning: those in the lock file, now and at the merge base with main."
    ),
)
@options
def command(
    *,
    selection: CheckedSelection,
    relation: str | None = option(
        "--relation",
        "Also compare the declared fields with the columns of the relations in this engine.",
        type=click.Choice(("spark", "postgres", "duckdb")),
    ),
    inputs: tuple[str, ...] = option(
        "--input DATASET=SOURCE",
        "The table or path to read for a dataset (Spark, DuckDB). Default: its relation.",
    ),
    dsn: str | None = dsn_option(" for --relation postgres"),
    changed: str | None = CHANGED,
    form: str = FORMAT,
) -> None:
    folder, values, base = selection.folder, selection.variables, selection.base
    if not selection.everything:
        if changed is not None:
            raise click.UsageError(say.CHANGED_AND_SELECTORS)
        result = _selected(selection)
    elif changed is None:
        result = _known(folder, values, _base(folder, base))
    else:
        with judged(folder, changed, lock=True) as scope:
            result = NOTHING
            if not scope.empty:
                result = _checked(scope.folder, values, _base(scope.folder, base), scope)
    for warning in result["problems"] if form == "text" else ():
        tell(warning["text"] + "\n")
    show(form, result, lambda: say.checked(result))
    if relation is not None:
        _relations(folder, values, relation, pairs("--input", inputs, "DATASET=SOURCE"), dsn, form)


def _relations(
    folder: Path, values: dict[str, str], engine: str, inputs: dict[str, str], dsn: str | None, form: str
) -> None:
    """Compare declared fields with columns. Raises PredicatError with every field that a relation lacks or
    has otherwise.
    """
    catalog = load_quietly(folder, values)
    datasets = [dataset for dataset in catalog.datasets.values() if dataset.filters]
    without = [row.name for row in datasets if engine not in row.relation and row.name not in inputs]
    if len(without) == len(datasets):
        raise click.UsageError(commands.no_relations(engine))
    if engine == "postgres":
        from predicat.deploy import relations  # noqa: PLC0415  # not for a plain check

        with connect(dsn) as connection:
            relations.check_relations(catalog, connection)
    elif engine == "duckdb":
        from predicat.deploy.file_relations import check_relations  # noqa: PLC0415  # not for a plain check

        paths = {
            row.name: located(folder, row.relation[engine]) for row in datasets if engine in row.relation
        }
        check_relations(catalog, paths | inputs)
    else:
        jobs: Any = importlib.import_module("predicat_spark.relations")
        jobs.check_relations(catalog, inputs)
    click.echo(commands.relations_hold(engine, without), err=form == "json")


def _base(folder: Path, revision: str | None) -> BaseCommit:
    """What is merged, to compare with; a warning says why there is nothing."""
    from predicat.catalog.paths import lock_path  # noqa: PLC0415  # not for --help
    from predicat.review import base  # noqa: PLC0415  # as above

    result = base.find(lock_path(folder), revision)
    if result.warning is not None:
        click.echo(result.warning.render() + "\n", err=True)
    return result


def _selected(selection: Selection) -> Result:
    """What was found in some filters without errors. Raises PredicatError."""
    from predicat.catalog.load import read_definitions  # noqa: PLC0415  # not for --help
    from predicat.catalog.released import only  # noqa: PLC0415  # as above
    from predicat.catalog.select import Filters  # noqa: PLC0415  # as above

    definitions = read_definitions(selection.folder, variables=selection.variables)
    separate = definitions.apart()
    filters = Filters(
        definitions.filters,
        lambda: separate.builder.catalog().known,
        selection.states,
        definitions.datasets.values(),
    )
    names = {one.name for one in selection.of(filters)}
    catalog = definitions.checked(names)
    base = _base(selection.folder, selection.base)
    return _result(selection.folder, catalog, base, lambda lock: only(lock, names), len(definitions.filters))


def _known(folder: Path, values: dict[str, str], base: BaseCommit) -> Result:
    """What was found in the whole catalog, which is kept until it or what is merged changes."""
    from predicat.catalog.check_cache import place, recall, remember  # noqa: PLC0415  # not for --help
    from predicat.catalog.paths import lock_path, read_text  # noqa: PLC0415  # as above

    entry = place(folder, values, {"lock": read_text(lock_path(folder)), "base": base.texts})
    return recall(entry) or remember(entry, _checked(folder, values, base))


def _checked(folder: Path, values: dict[str, str], base: BaseCommit, scope: Scope | None = None) -> Result:
    """What was found in a catalog, or in what a scope holds of it, without errors. Raises PredicatError."""
    from predicat.catalog import load_catalog  # noqa: PLC0415  # not for --help

    files = scope.files if scope is not None else None
    select = scope.of_lock if scope is not None else None
    try:
        catalog = load_catalog(folder, variables=values, files=files)
    except PredicatError as error:
        raise _with_releases(error, folder, values, base, files, select) from None
    result = _result(folder, catalog, base, select, None if files is not None else len(catalog.known))
    if any(dataset.policies for dataset in catalog.datasets.values()):
        from predicat.policies.runs import checked  # noqa: PLC0415  # most catalogs do without

        result["tests"] += checked(catalog)
    return result


def _with_releases(
    error: PredicatError,
    folder: Path,
    values: dict[str, str],
    base: BaseCommit,
    files: Collection[Path] | None,
    select: Select | None,
) -> PredicatError:
    """The problems of a catalog, with breaches of the rules of released versions where only tests fail."""
    try:
        catalog = load_quietly(folder, values, files)
    except PredicatError:
        return error  # not only tests fail
    try:
        _result(folder, catalog, base, select, None)
    except PredicatError as other:
        return PredicatError([*error.diagnostics, *other.diagnostics])
    return error


def _result(
    folder: Path, catalog: Catalog, base: BaseCommit, select: Select | None, every: int | None
) -> Result:
    """The warnings about a catalog, and what it has. `every` is the number of filters that there are.

    Raises PredicatError with breaches of the rules of released versions.
    """
    from predicat.catalog.lock import lock_path, read_lock_file  # noqa: PLC0415  # not for --help
    from predicat.review.releases import Rules  # noqa: PLC0415  # as above

    path = lock_path(folder)
    file = read_lock_file(path)
    merged = base.file(catalog.datasets, file)
    rules = Rules(catalog, file, datetime.now(tz=UTC).date(), base=merged, path=str(path), select=select)
    problems_ = [] if file is None and merged is None else rules.problems()
    errors = [item for item in problems_ if item.severity is Severity.ERROR]
    if errors:
        raise PredicatError(errors)
    warnings = (*catalog.warnings, *problems_)
    texts = [item.render() for item in warnings]
    filters = catalog.filters()
    return {
        "problems": [
            {**filter_, "text": text} for filter_, text in zip(problems(warnings), texts, strict=True)
        ],
        "datasets": len(catalog.datasets),
        "filters": len(filters),
        "of": every,
        "versions": sum(len(filter_.versions) for filter_ in filters),
        "tests": sum(len(filter_.tests) for filter_ in filters),
        "released": len(rules.lock.versions) if file is not None else None,
        "compared": merged is not None,
    }
