"""`matches_filter` as a Column, and filters as views and SQL functions for clusters that admit no jar."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from predicat import backends
from predicat.catalog.model import Catalog
from predicat.deploy.chosen import dataset_of
from predicat.deploy.columns import check_fields
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import pipeline as say
from predicat.ir.nodes import Node, fields_of
from predicat.ir.types import JSON, Type
from predicat_spark import failures
from predicat_spark.lists import provide
from predicat_spark.names import quoted, quoted_table
from predicat_spark.pipeline.source import column_types
from predicat_spark.sessions import local_session
from predicat_spark.settings import READING, settings

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession


def matches_filter(name: str, alias: str | None = None, **params: Any) -> Column:
    """Whether a filter accepts the row, as a Column. It is TRUE or FALSE, never NULL. Works with classic
    sessions and Spark Connect.

    Args:
        name: `dataset.filter`, `dataset.filter@version`, or `filter` if that is unique.
        alias: The alias of the relation whose columns the filter reads. Default: columns are found by name.
        **params: Values for the parameters of the filter, which otherwise have their defaults; Columns for
            columns that have another name: `country=F.col("land")`.

    Raises:
        pyspark.errors.AnalysisException: When the DataFrame is analysed: an unknown filter or parameter, or a
            missing column.
    """
    from pyspark.sql import functions as F  # noqa: N812, PLC0415  # the usual name; optional

    arguments = [F.lit(name), *([F.lit(alias)] if alias is not None else [])]
    if params:
        arguments.append(
            F.named_struct(*(part for key, value in params.items() for part in (F.lit(key), F.lit(value))))
        )
    return F.call_function("matches_filter", *arguments)


def create_views(
    session: SparkSession, catalog: Catalog, *, temporary: bool = True, dataset: str | None = None
) -> list[str]:
    """Create a view `dataset__filter` on the Spark relation of the dataset, for every filter whose parameters
    have defaults.

    Args:
        session: Any Spark session. It does not need the extension.
        catalog: The catalog.
        temporary: Whether the views end with the session.
        dataset: Only this dataset. Default: all that have a Spark relation.

    Returns:
        The names of the views.

    Raises:
        PredicatError: There is no such dataset, or it has no Spark relation, or a column has another type
            than its field, or a filter has a long list and the session is one of Spark Connect.
    """
    done: list[str] = []
    kind = "OR REPLACE TEMPORARY VIEW" if temporary else "OR REPLACE VIEW"
    filters = list(_acceptable(catalog, dataset))
    provide(session, (node for _, _, node in filters))
    with settings(session, READING):
        for name, relation, node in filters:
            known = column_types(session.table(relation))
            check_fields("spark", relation, known, fields_of(node).values(), reader=name)
            source = exp.to_table(relation, dialect="spark").sql(dialect="spark")
            session.sql(
                f"CREATE {kind} {quoted(name)} AS SELECT * FROM {source} WHERE "
                f"{backends.dialect('spark').render(node, condition=True)}"
            )
            done.append(name)
    return done


def create_functions(
    session: SparkSession, catalog: Catalog, *, temporary: bool = True, dataset: str | None = None
) -> list[str]:
    """Create a SQL function `dataset__filter(columns...)` for every filter whose parameters have defaults.
    Spark inlines its body.

    The result is TRUE or FALSE, never NULL.

    Args:
        session: Any Spark session. It does not need the extension.
        catalog: The catalog.
        temporary: Whether the functions end with the session.
        dataset: Only this dataset. Default: all that have a Spark relation.

    Returns:
        The names of the functions.

    Raises:
        PredicatError: There is no such dataset, or it has no Spark relation, or a filter has a long list and
            the session is one of Spark Connect.
    """
    done: list[str] = []
    kind = "OR REPLACE TEMPORARY FUNCTION" if temporary else "OR REPLACE FUNCTION"
    filters = list(_acceptable(catalog, dataset))
    provide(session, (node for _, _, node in filters))
    with settings(session, READING):
        for name, _, node in filters:
            fields = fields_of(node).values()
            arguments = ", ".join(f"{quoted(decl.column('spark'))} {ddl(decl.type)}" for decl in fields)
            body = f"({backends.dialect('spark').render(node)}) IS TRUE"
            session.sql(f"CREATE {kind} {quoted(name)}({arguments}) RETURNS BOOLEAN RETURN {body}")
            done.append(name)
    return done


def table_columns(name: str) -> list[tuple[str, str]]:
    """The names and types of the columns of a Spark table. Starts a session if none runs. Raises
    PredicatError if there is no such table.
    """
    session = local_session("local[1]", "predicat init")
    from pyspark.errors import PySparkException  # noqa: PLC0415  # needs Java's home first

    with failures.telling():
        try:
            return list(session.table(name).dtypes)
        except PySparkException as error:
            if error.getCondition() != "TABLE_OR_VIEW_NOT_FOUND":
                raise
            reason = " ".join(str(error).split("\n")[0].split())
            raise PredicatError.of(say.no_table(reason)) from None


def table_comments(name: str) -> dict[str, str]:
    """The comments of the columns of a Spark table that have one."""
    schema = local_session("local[1]", "predicat init").table(name).schema
    return {column.name: str(text) for column in schema if (text := column.metadata.get("comment"))}


def table_values(name: str, sql: str, count: int) -> list[tuple[Any, ...]]:
    """The values of a list of expressions for some rows of a Spark table; none if it cannot be read."""
    session = local_session("local[1]", "predicat init")
    from pyspark.errors import PySparkException  # noqa: PLC0415  # needs Java's home first

    try:
        return list(session.sql(f"SELECT {sql} FROM {quoted_table(name)} LIMIT {count}").collect())
    except PySparkException:
        return []


def ddl(kind: Type) -> str:
    """A type in the DDL of Spark."""
    return "variant" if kind == JSON else str(kind)


def _acceptable(catalog: Catalog, dataset: str | None) -> Iterator[tuple[str, str, Node]]:
    """The name, the Spark relation and the predicate of each filter whose parameters have defaults."""
    if dataset is not None and "spark" not in dataset_of(catalog, dataset).relation:
        raise PredicatError.of(say.no_spark_relation(dataset))
    for item in catalog.datasets.values():
        if dataset not in (None, item.name) or "spark" not in item.relation:
            continue
        for filter_ in item.filters.values():
            node = filter_.row_filter() if filter_.has_view() else None
            if node is not None:
                yield filter_.view, item.relation["spark"], node
