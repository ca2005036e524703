"""Numeric functions with a meaning that only Spark has.

Source: `Floor` and `Ceil` of Spark's source, which convert a double to a long, so NaN to 0.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.ir import syntax as t
from predicat.language.common.trees import apply, let
from predicat.language.sql.arguments import arguments, counted
from predicat.language.sql.node_reader import Build, Reader
from predicat.language.sql.number_functions import double


def whole(op: str) -> Build:
    """FLOOR and CEIL: a double gives a BIGINT, NaN gives 0."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        if len(list(arguments(node))) > 1:
            raise reader.fail(reader.unsupported(node))
        return apply(f"spark.{op}", reader.span(node), reader.read(node.this, depth))

    return build


def nanvl(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """Spark's NANVL(a, b): `b` if `a` is NaN, else `a`; both are doubles."""
    span = reader.span(node)
    value, other = (double(tree, span) for tree in reader.all(counted(reader, node, 2), depth))

    def build(value: t.Tree) -> t.Tree:
        return apply("cond", span, apply("is_true", span, apply("is_nan", span, value)), other, value)

    return let("a value", value, build, span)
