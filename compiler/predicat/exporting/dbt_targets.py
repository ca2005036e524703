"""The adapters of dbt that the package is written for, and what is known about each."""

from __future__ import annotations

from collections.abc import Mapping

import sqlglot
from msgspec import Struct
from sqlglot import exp

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Parameter, walk
from predicat.ir.types import BIGINT, BOOLEAN, DATE, STRING, ArrayType, Type


class Target(Struct, frozen=True):
    """An adapter.

    Attributes:
        dialect: The dialect of predicat whose SQL it gets.
        write: The name of its dialect in sqlglot, if that SQL is translated.
        run: Whether the SQL was run on the engine: by the tests of predicat, on every operator.
        types: Of a translation, the types whose comparisons have one meaning there.
    """

    dialect: str
    write: str = ""
    run: bool = False
    types: tuple[Type, ...] = ()


_TYPES = (BIGINT, BOOLEAN, DATE, STRING)
# By the name of the adapter. Databricks gets the SQL of Spark as it is.
TARGETS: Mapping[str, Target] = {
    "postgres": Target("postgres", run=True),
    "spark": Target("spark", run=True),
    "duckdb": Target("duckdb", run=True),
    "databricks": Target("spark", "databricks"),
    "snowflake": Target("postgres", "snowflake", types=_TYPES),
    "bigquery": Target("postgres", "bigquery", types=_TYPES),
    # Blanks at the end of texts may not count there.
    "redshift": Target("postgres", "redshift", types=(BIGINT, BOOLEAN, DATE)),
    "trino": Target("postgres", "trino", types=_TYPES),
}
DEFAULT = tuple(name for name, target in TARGETS.items() if target.run)
# What means the same in every SQL, for the types of a target.
_ORDER = {"lt", "le", "gt", "ge"}
_PLAIN = _ORDER | {"and", "or", "not", "is_null", "eq", "ne", "in", "coalesce"}


def check_meaning(node: Node, target: Target) -> None:
    """Raise ValueError with the reason if a predicate may have another meaning on a target whose SQL is
    translated.
    """
    if not target.types:
        return
    for part in walk(node):
        if reason := _untried(part, target):
            raise ValueError(reason)


def _untried(part: Node, target: Target) -> str:
    """Why the meaning of a node on a target is not known; "" if it is."""
    if isinstance(part, Call) and part.op in _ORDER and part.args[0].type == STRING:
        return say.order_of_texts(target.write)
    if isinstance(part, Field) and (part.decl.columns or part.decl.expressions):
        return say.own_columns(part.decl.name, target.write)
    known = part.op in _PLAIN if isinstance(part, Call) else isinstance(part, _LEAVES)
    if not known:
        return say.not_known_there(part.op if isinstance(part, Call) else "this", target.write)
    return (
        "" if _element(part.type) in target.types else say.type_not_known_there(str(part.type), target.write)
    )


_LEAVES = (Field, Literal, Parameter, Items)


def _element(type_: Type) -> Type:
    return type_.element if isinstance(type_, ArrayType) else type_


def translated(sql: str, target: Target) -> str:
    """SQL of the target's dialect as its engine reads it. It is read again, and must be what it was. Raises
    ValueError with the reason if it is not.
    """
    if not target.write:
        return sql
    if target.dialect == target.write or not target.types:
        sqlglot.parse_one(sql, read=target.write)
        return sql
    tree = sqlglot.parse_one(sql, read=target.dialect)
    names = {name.name for name in tree.find_all(exp.Identifier) if name.args.get("quoted")}
    if names:
        raise ValueError(say.quoted_there(min(names), target.write))
    result = tree.sql(dialect=target.write)
    again = sqlglot.parse_one(result, read=target.write)
    if _negated(again).sql(dialect=target.dialect) != _negated(tree).sql(dialect=target.dialect):
        raise ValueError(say.not_read_alike(target.write))
    return result


def _negated(tree: exp.Expr) -> exp.Expr:
    """A tree in which NOT x IS y is x IS NOT y: some dialects are read as the one, some as the other."""

    def changed(node: exp.Expr) -> exp.Expr:
        inner = node.this if isinstance(node, exp.Not) else None
        if isinstance(inner, exp.Is) and not inner.args.get("negate"):
            return exp.Is(this=inner.this, expression=inner.expression, negate=True)
        return node

    return tree.transform(changed)
