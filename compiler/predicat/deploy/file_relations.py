"""Checks that the files of a catalog's DuckDB relations exist, with columns that fit the declared fields."""

from collections.abc import Mapping
from functools import partial

from predicat.backends.sql.expressions import BadExpression
from predicat.catalog.file_formats import ANY
from predicat.catalog.model import Catalog, Dataset
from predicat.deploy.columns import expressions_of, problems
from predicat.diagnostics import Diagnostic, PredicatError, Reporter, extras
from predicat.diagnostics.messages import deploy as say
from predicat.files import duckdb_tables
from predicat.files.duckdb_tables import FileTable
from predicat.files.records import there


def check_relations(catalog: Catalog, paths: Mapping[str, str]) -> None:
    """The files of each dataset, by its name, have the columns that its filters read. CSV and JSON have no
    types: their cells are read as the catalog declares. Raises PredicatError with all that is missing.
    """
    extras.require("duckdb")
    reporter = Reporter()
    for name, path in paths.items():
        if (dataset := catalog.datasets[name]).filters:
            try:
                reporter.extend(_problems(dataset, path))
            except PredicatError as error:
                reporter.extend(error.diagnostics)
    reporter.raise_errors()


def _problems(dataset: Dataset, path: str) -> list[Diagnostic]:
    import duckdb  # noqa: PLC0415  # optional

    place = dataset.place("relation")
    if not there(path):
        return [say.files_missing(place, path, dataset.name)]
    form = dataset.files.get("duckdb", ANY)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        try:
            with duckdb_tables.opened(connection, path, form, dataset.fields.values()) as table:
                columns = table.asked(table.types)
                read = {
                    d: None for row in dataset.filters.values() for d in row.current.predicate.fields.values()
                }
                types, wrong = expressions_of("duckdb", read, partial(describe, table), dataset.places)
        except duckdb.Error as error:
            return [say.files_unreadable(place, path, " ".join(str(error).split()))]
    columns |= types
    return [*wrong, *problems("duckdb", path, columns, dataset.filters.values(), places=dataset.places)]


def describe(table: FileTable, text: str) -> str:
    """The type of an expression over files. Raises BadExpression."""
    import duckdb  # noqa: PLC0415  # optional

    try:
        return table.described(f"(SELECT {text} AS expression FROM {table.sql})")["expression"]
    except duckdb.Error as error:
        raise BadExpression(" ".join(str(error).partition("\nLINE ")[0].split())) from None
