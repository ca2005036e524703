"""Functions of numbers that Spark alone means so: of NaN, of what has no root, and of seconds.

Source: Spark's `Sqrt` and `Pow` (java.lang.Math), `Floor` and `Ceil` (a long of a double, so NaN is 0), and
`timestampToLong` (rounded down).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sqlglot import exp

from predicat.ir import tree as t
from predicat.language.common.trees import apply, choose, let
from predicat.language.sql.arguments import arguments, counted
from predicat.language.sql.number_functions import double
from predicat.language.sql.operators import Build

if TYPE_CHECKING:
    from predicat.language.sql.reader import Reader

_VALUE = "a value"
"""A variable that nobody can write."""


def square_root(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """SQRT: NaN for a negative number."""
    span = reader.span(node)
    (value,) = reader.all(counted(reader, node, 1), depth)

    def build(value: t.Tree) -> t.Tree:
        below = apply("lt", span, value, t.Const(0.0, span))
        root = apply("sqrt", span, value)
        return choose(apply("is_true", span, below), t.Const(math.nan, span), root, span)

    return let(_VALUE, double(value, span), build, span)


def whole(op: str) -> Build:
    """FLOOR and CEIL: of a double a long, so of NaN 0."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        if len(list(arguments(node))) > 1:
            raise reader.fail(reader.unsupported(node))
        return apply(f"spark.{op}", reader.span(node), reader.read(node.this, depth))

    return build
