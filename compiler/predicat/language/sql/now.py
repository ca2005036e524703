"""The current time: from sqlglot's nodes to trees.

It is the start time of the query, as in Spark, and in PostgreSQL outside a longer transaction. The current
date is the date in UTC.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.ir import syntax as t
from predicat.language.common.trees import apply, cast_to
from predicat.language.sql.arguments import counted
from predicat.language.sql.node_reader import Reader


def timestamp(reader: Reader, node: exp.Expr, _depth: int) -> t.Tree:
    """`now()`, `current_timestamp`. A precision is not supported: some engines round, others truncate."""
    counted(reader, node, 0)
    return apply("now", reader.span(node))


def date(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`current_date`, and `current_date('Europe/Berlin')`."""
    span = reader.span(node)
    zones = counted(reader, node, 0, 1)
    moment: t.Tree = apply("now", span)
    if zones and not is_utc(zones[0]):
        moment = apply("in_zone", span, moment, reader.read(zones[0], depth))
    return cast_to("to_date", moment, span)


def is_utc(zone: exp.Expr) -> bool:
    """Whether a zone is a constant that names UTC."""
    return isinstance(zone, exp.Literal) and zone.name.upper() in ("UTC", "ETC/UTC", "Z", "+00:00", "GMT")
