"""Functions that only Spark has, or that round differently on other engines.

Source: Spark SQL, "Built-in Functions"; WidthBucket.computeBucketNumber of Spark's source for the arithmetic.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.diagnostics.messages import sql_functions as say
from predicat.ir import syntax as t
from predicat.language.common.trees import apply, choose, let, nothing, number
from predicat.language.sql import constants
from predicat.language.sql.arguments import counted
from predicat.language.sql.node_reader import Reader
from predicat.language.sql.number_functions import double

_VALUE = "a value"
_MOST_BUCKETS = 2**31 - 1
# The maximum absolute value of the bounds: larger ones would overflow in the calculation.
_FARTHEST = 1e290


def width_bucket(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """WIDTH_BUCKET(x, low, high, n): the number of the bucket of x, 0 below `low` and n + 1 from `high`. NULL
    for NaN. Multiplies before it divides, as Spark; PostgreSQL divides first, and rounds differently.
    """
    span = reader.span(node)
    value, low, high, buckets = reader.all(counted(reader, node, 4), depth)
    least, most = constants.real(reader, low, "width_bucket"), constants.real(reader, high, "width_bucket")
    count = constants.whole(reader, buckets, "width_bucket")
    if not -_FARTHEST < least < most < _FARTHEST or not 0 < count <= _MOST_BUCKETS:
        raise reader.fail(say.buckets(span))

    def build(value: t.Tree) -> t.Tree:
        ahead = apply("sub", span, value, t.Constant(least, span))
        scaled = apply("mul", span, t.Constant(float(count), span), ahead)
        share = apply("div", span, scaled, t.Constant(most - least, span))
        inside = apply("add", span, apply("floor", span, share), number(1, span))
        above = apply("ge", span, value, t.Constant(most, span))
        tree = choose(above, number(count + 1, span), inside, span)
        below = apply("lt", span, value, t.Constant(least, span))
        placed = choose(below, number(0, span), tree, span)
        return choose(apply("is_nan", span, value), nothing(span), placed, span)

    return let(_VALUE, double(value, span), build, span)


def typeof(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """TYPEOF of a field: Spark's name of its declared type, also if its value is NULL."""
    (value,) = reader.all(counted(reader, node, 1), depth)
    return apply("spark.typeof", reader.span(node), value)
