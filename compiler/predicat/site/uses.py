"""How a filter is used on each engine: text to copy."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from predicat import backends
from predicat.catalog.model import Catalog, Filter
from predicat.diagnostics import Unsupported
from predicat.files import duckdb_tables


class Use(Struct, frozen=True):
    """A way to use a filter: the engine, the text to copy, and its language for colours."""

    engine: str
    text: str
    language: str


def uses(catalog: Catalog, filter_: Filter) -> Iterator[Use]:
    """The ways to use the latest version on the engines of its dataset, then in Python."""
    relation = catalog.datasets[filter_.dataset].relation
    call = _call(filter_)
    if "spark" in relation:
        yield Use("Spark SQL", f"SELECT * FROM {relation['spark']} WHERE {call}", "spark")
        yield Use("PySpark", f'spark.table("{relation["spark"]}").where("{call}")', "python")
    if "postgres" in relation and filter_.has_view():
        schema, dot, _ = relation["postgres"].rpartition(".")
        yield Use("PostgreSQL view", f"SELECT * FROM {schema}{dot}{filter_.view}", "postgres")
    if "duckdb" in relation and (condition := _condition(catalog, filter_)):
        source = duckdb_tables.source(relation["duckdb"])
        yield Use("DuckDB", f"SELECT * FROM {source} WHERE {condition}", "duckdb")
    yield Use("Python", _python(filter_), "python")


def _required(filter_: Filter) -> list[str]:
    return [param.name for param in filter_.current.params.values() if param.required]


def _call(filter_: Filter) -> str:
    arguments = "".join(f", {name} => :{name}" for name in _required(filter_))
    return f"matches_filter('{filter_.qualified}'{arguments})"


def _condition(catalog: Catalog, filter_: Filter) -> str | None:
    """The condition of a WHERE in DuckDB; None where there is none."""
    dataset, node = catalog.datasets[filter_.dataset], filter_.row_filter()
    if node is None:
        return None
    storage = backends.stored("duckdb", dataset.collation, dataset.indexes)
    try:
        return backends.dialect("duckdb").render(node, condition=True, storage=storage)
    except Unsupported:
        return None


def _python(filter_: Filter) -> str:
    return (
        'catalog = predicat.load_catalog("catalog")\n'
        f'catalog.accepted("{filter_.qualified}").evaluate(row)  # a dict or an object'
    )
