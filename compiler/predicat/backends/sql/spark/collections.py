"""Spark: arrays, maps, structs, and the macros over them."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    binary,
    call,
    case,
    cast,
    is_null,
    lambda_,
    not_,
    or_,
    pack,
    try_cast,
    variable,
)
from predicat.backends.sql.common.collections import array, array_eq, extreme, numbers_before
from predicat.backends.sql.common.texts import INT32_MAX
from predicat.backends.sql.common.value_lists import values_of
from predicat.backends.sql.renderer import Renderer, Rule, constant_int, function
from predicat.backends.sql.spark.documents import elements, values
from predicat.ir.nodes import Call, Literal, Quantifier
from predicat.ir.types import DOUBLE, MapType
from predicat.ir.values import SUM_MOST
from predicat.rewrite.acceptance import never_unknown
from predicat.rewrite.elements import is_exists_over_values, takes_null


def quantifier(r: Renderer, node: Quantifier) -> Sql:
    """A macro as functions of arrays. NULL if an outcome that would decide is NULL."""
    if is_exists_over_values(node) and isinstance(node.source, Call) and not takes_null(node):
        return call("EXISTS", values(r, node.source, nulls=False), lambda_(r.node(node.body), node.variable))
    items = elements(r, node.source)
    body = r.node(node.body)
    if node.kind in ("any", "all"):
        return call("EXISTS" if node.kind == "any" else "FORALL", items, lambda_(body, node.variable))
    if node.kind == "filter" and never_unknown(node.body):
        return call("FILTER", items, lambda_(body, node.variable))
    known = call("FORALL", items, lambda_(not_(is_null(body)), node.variable))
    result = call("TRANSFORM" if node.kind == "map" else "FILTER", items, lambda_(body, node.variable))
    return case((known, binary(exp.EQ, call("ARRAY_SIZE", result), 1) if node.kind == "one" else result))


def _is_missing() -> Sql:
    return lambda_(is_null(variable("__item")), "__item")


def is_whole(items: Sql) -> Sql:
    """Whether no element of an array is NULL."""
    return not_(call("EXISTS", items, _is_missing()))


def _has_no_missing(items: Sql) -> Sql:
    return not_(call("ARRAY_CONTAINS", call("TRANSFORM", items, _is_missing()), True))


def _numbers_before(count: Sql) -> Sql:
    """The numbers from 0 up to, but not including, `count`. For 0, SEQUENCE would count down to -1, so it
    goes up to `count`, and SLICE removes the last number.
    """
    return call("SLICE", call("SEQUENCE", cast(0, "BIGINT"), count), 1, cast(count, "INT"))


def _sum(r: Renderer, node: Call) -> Sql:
    """The sum of the elements, in order. Integers are added as decimals, which hold any sum of them. NULL if
    an element is NULL, the sum of integers does not fit, or a finite double exceeds SUM_MOST.
    """
    items = r.node(node.args[0])
    if node.type == DOUBLE:
        known = call("FORALL", items, lambda_(_can_be_added(variable("__item")), "__item"))
        return case((known, _added(items, "DOUBLE", "DOUBLE")))
    return try_cast(_added(items, "DECIMAL(38)", "DECIMAL(20)"), "BIGINT")


def _added(items: Sql, kind: str, of_item: str) -> Sql:
    step = binary(exp.Add, variable("__total"), cast(variable("__item"), of_item))
    step = step if kind == of_item else cast(step, kind)
    return call("AGGREGATE", items, cast(0, kind), lambda_(step, "__total", "__item"))


def _can_be_added(item: Sql) -> Sql:
    """Whether a double is so small that the sum of many cannot overflow, or is infinite or NaN."""
    size, most = call("ABS", item), cast(repr(SUM_MOST), "DOUBLE")
    return or_(binary(exp.LTE, size, most), binary(exp.GTE, size, cast("Infinity", "DOUBLE")))


def bind(values: Mapping[str, Sql], body: Sql) -> Sql:
    """Names for values: an array with one element (the value, or a struct of several values), and a function
    of this element.
    """
    value, name, body = pack(values, body)
    return call("GET", call("TRANSFORM", call("ARRAY", value), lambda_(body, name)), 0)


def in_array(r: Renderer, node: Call) -> Sql:
    """Whether an array contains a value; NULL if it does not and an element is NULL, and for NULL."""
    value, items = r.args(node)
    return call("ARRAY_CONTAINS", items, value)


def _index(r: Renderer, node: Call) -> Sql:
    items, position = r.args(node)
    if isinstance(node.args[1], Literal):
        reaches = 0 <= constant_int(node.args[1]) <= INT32_MAX
        return call("GET", items, position) if reaches else r.null(node.type)
    return call("GET", items, try_cast(position, "INT"))


def _size(r: Renderer, node: Call) -> Sql:
    """The number of elements or entries, by ARRAY_SIZE: SIZE of NULL is -1 in some settings."""
    (arg,) = node.args
    sql = r.node(arg)
    items = call("MAP_KEYS", sql) if isinstance(arg.type, MapType) else sql
    return call("ARRAY_SIZE", items)


def _in_list(r: Renderer, node: Call) -> Sql:
    """`predicat_in_list(x, 'HASH')`, a function of the extension. The values are in a file next to the
    manifest and are sent to each executor once.
    """
    _, listed = values_of(node)
    return call("predicat_in_list", r.node(node.args[0]), listed.digest)


RULES: dict[str, Rule] = {
    "in_list": _in_list,
    "index": _index,
    "size": _size,
    "array": array("ARRAY"),
    "array_position": function("ARRAY_POSITION"),
    "array_eq": array_eq(_has_no_missing),
    "array_max": extreme("ARRAY_MAX", is_whole),
    "array_min": extreme("ARRAY_MIN", is_whole),
    "array_concat": function("CONCAT"),
    "range": numbers_before(_numbers_before),
    "sum": _sum,
}
