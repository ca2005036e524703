"""`matches_filter` as a Column, and filters as views and SQL functions for clusters that admit no jar."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from predicat import backends
from predicat.catalog.model import Catalog
from predicat.deploy.views import accepted
from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat.ir.nodes import Node, fields_of
from predicat.ir.types import JSON, Type
from predicat_spark.settings import READING, settings

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession


def matches_filter(name: str, alias: str | None = None, **params: Any) -> Column:
    """Whether a row is accepted by a filter, as a Column; `params` are values for its parameters."""
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
    """A view `dataset__filter` of the dataset's Spark relation for every filter whose parameters have defaults."""
    done: list[str] = []
    kind = "OR REPLACE TEMPORARY VIEW" if temporary else "OR REPLACE VIEW"
    with settings(session, READING):
        for name, relation, node in _acceptable(catalog, dataset):
            source = exp.to_table(relation, dialect="spark").sql(dialect="spark")
            session.sql(
                f"CREATE {kind} {_quoted(name)} AS SELECT * FROM {source} WHERE {backends.dialect('spark').render(node)}"
            )
            done.append(name)
    return done


def create_functions(
    session: SparkSession, catalog: Catalog, *, temporary: bool = True, dataset: str | None = None
) -> list[str]:
    """A SQL function `dataset__filter(columns...)` for every such filter: TRUE or FALSE; Spark inlines its body."""
    done: list[str] = []
    kind = "OR REPLACE TEMPORARY FUNCTION" if temporary else "OR REPLACE FUNCTION"
    with settings(session, READING):
        for name, _, node in _acceptable(catalog, dataset):
            fields = fields_of(node).values()
            arguments = ", ".join(f"{_quoted(decl.column('spark'))} {ddl(decl.type)}" for decl in fields)
            body = f"({backends.dialect('spark').render(node)}) IS TRUE"
            session.sql(f"CREATE {kind} {_quoted(name)}({arguments}) RETURNS BOOLEAN RETURN {body}")
            done.append(name)
    return done


def ddl(kind: Type) -> str:
    """A type as Spark's DDL has it."""
    return "variant" if kind == JSON else str(kind)


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(dialect="spark")


def _acceptable(catalog: Catalog, dataset: str | None) -> Iterator[tuple[str, str, Node]]:
    """The name, the Spark relation and the predicate of each filter whose parameters have defaults."""
    if dataset is not None and dataset not in catalog.datasets:
        raise PredicatError.of(
            msg.usage(f"no dataset is named {dataset!r}", msg.did_you_mean(dataset, catalog.datasets))
        )
    for item in catalog.datasets.values():
        if dataset not in (None, item.name) or "spark" not in item.relation:
            continue
        for row in item.filters.values():
            node = accepted(row, row.current)
            if node is not None:
                yield row.view, item.relation["spark"], node
