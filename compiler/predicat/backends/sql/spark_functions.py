"""Spark: the functions of the extension, which read a text byte by byte instead of by patterns.

`spark_ext/scala/TextConversions.scala` has them.
"""

from __future__ import annotations

from predicat.backends.sql.base import Renderer, Sql, call
from predicat.backends.sql.functions import CONVERSIONS, Function, Runtime, by_operator
from predicat.ir.nodes import Call, Node

NAMES = ("to_bigint", "to_double", "to_date", "to_timestamp", "int", "double", "timestamp")
"""The conversions that the extension has."""


def _call(r: Renderer, function: Function, _: Call, arguments: list[Node]) -> Sql:
    return call(f"predicat_{function.name}", *map(r.node, arguments))


RUNTIME = Runtime(
    by_operator(tuple(Function(name, CONVERSIONS[name], ("s",)) for name in NAMES)), _call, of_extension=True
)
