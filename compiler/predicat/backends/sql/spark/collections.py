"""Spark: arrays, maps, structs, and the macros over them."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    and_,
    between,
    binary,
    call,
    case,
    cast,
    is_null,
    not_,
    or_,
    pack,
    try_cast,
)
from predicat.backends.sql.common import value_lists
from predicat.backends.sql.common.collections import source_of_present
from predicat.backends.sql.common.texts import INT32_MAX
from predicat.backends.sql.common.widths import as_bigint
from predicat.backends.sql.renderer import Renderer, constant, constant_int, let, unless_missing
from predicat.backends.sql.rules import Rule, function
from predicat.backends.sql.spark.documents import _at, elements, values
from predicat.ir.nodes import Call, Literal, Quantifier
from predicat.ir.types import DOUBLE, MapType
from predicat.ir.values import RANGE_MOST, SUM_MOST
from predicat.rewrite.acceptance import never_unknown
from predicat.rewrite.elements import is_exists_over_values, takes_null


def quantifier(r: Renderer, node: Quantifier) -> Sql:
    if is_exists_over_values(node) and isinstance(node.source, Call) and not takes_null(node):
        return call("EXISTS", values(r, node.source, nulls=False), _lambda(node, r.node(node.body)))
    items = elements(r, node.source)
    body = r.node(node.body)
    if node.kind in ("any", "all"):
        return call("EXISTS" if node.kind == "any" else "FORALL", items, _lambda(node, body))
    if node.kind == "filter" and never_unknown(node.body):
        return call("FILTER", items, _lambda(node, body))
    known = call("FORALL", items, _lambda(node, not_(is_null(body))))
    result = call("TRANSFORM" if node.kind == "map" else "FILTER", items, _lambda(node, body))
    return case((known, binary(exp.EQ, call("ARRAY_SIZE", result), 1) if node.kind == "one" else result))


def _lambda(node: Quantifier, body: Sql) -> Sql:
    return exp.Lambda(this=body, expressions=[exp.to_identifier(node.variable, quoted=True)])


def _array(r: Renderer, node: Call) -> Sql:
    result = call("ARRAY", *r.args(node))
    return unless_missing(r, node, result)


def _array_eq(r: Renderer, node: Call) -> Sql:
    left, right = r.args(node)
    whole = [
        not_(call("ARRAY_CONTAINS", call("TRANSFORM", part, is_absent()), True)) for part in (left, right)
    ]
    return case((and_(*whole), binary(exp.EQ, left, right)))


def is_absent() -> Sql:
    item = exp.to_identifier("__item", quoted=True)
    return exp.Lambda(this=is_null(exp.Column(this=item)), expressions=[item])


def _range(r: Renderer, node: Call) -> Sql:
    """SEQUENCE counts down if the end is smaller, so one more number is made and cut off."""

    def build(count: Sql) -> Sql:
        result = call("SLICE", call("SEQUENCE", cast(0, "BIGINT"), count), 1, cast(count, "INT"))
        return case((between(count, 0, RANGE_MOST), result))

    return let(r, as_bigint(r, node.args[0]), build)


def _sum(r: Renderer, node: Call) -> Sql:
    """AGGREGATE adds up in order; integers as decimals, which hold any sum of them."""
    total, item = (exp.to_identifier(name, quoted=True) for name in ("__total", "__item"))
    items = r.node(node.args[0])
    if node.type == DOUBLE:
        step = binary(exp.Add, exp.Column(this=total), cast(exp.Column(this=item), "DOUBLE"))
        result = call("AGGREGATE", items, cast(0, "DOUBLE"), exp.Lambda(this=step, expressions=[total, item]))
        known = call(
            "FORALL", items, exp.Lambda(this=_can_be_added(exp.Column(this=item)), expressions=[item])
        )
        return case((known, result))
    step = cast(
        binary(exp.Add, exp.Column(this=total), cast(exp.Column(this=item), "DECIMAL(20)")), "DECIMAL(38)"
    )
    return try_cast(
        call("AGGREGATE", items, cast(0, "DECIMAL(38)"), exp.Lambda(this=step, expressions=[total, item])),
        "BIGINT",
    )


def _can_be_added(item: Sql) -> Sql:
    """Whether a double is not so large that the sum of many would be beyond the doubles."""
    size = call("ABS", item)
    return or_(
        binary(exp.LTE, size, cast(repr(SUM_MOST), "DOUBLE")),
        binary(exp.GTE, size, cast("Infinity", "DOUBLE")),
    )


def _extreme_of(name: str) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        whole = source_of_present(node.args[0])
        if whole is not None:
            return call(name, r.node(whole))
        items = r.node(node.args[0])
        return case((not_(call("EXISTS", items, is_absent())), call(name, items)))

    return rule


def bind(values: Mapping[str, Sql], body: Sql) -> Sql:
    """The value, or a struct of several, as the one element of an array, and its name as the variable of a
    function on that.
    """
    value, name, body = pack(values, body)
    result = exp.Lambda(this=body, expressions=[exp.to_identifier(name, quoted=True)])
    return call("GET", call("TRANSFORM", call("ARRAY", value), result), 0)


def in_array(r: Renderer, node: Call) -> Sql:
    value, items = r.args(node)
    return call("ARRAY_CONTAINS", items, value)


def _index(r: Renderer, node: Call) -> Sql:
    items, position = r.args(node)
    if isinstance(node.args[1], Literal):
        return (
            call("GET", items, position)
            if 0 <= constant_int(node.args[1]) <= INT32_MAX
            else r.null(node.type)
        )
    return _at(items, position)


def _member(r: Renderer, node: Call) -> Sql:
    base = r.node(node.args[0])
    return exp.Dot(this=base, expression=r.dialect.identifier(constant(node.args[1])))


def _size(r: Renderer, node: Call) -> Sql:
    """SIZE of a NULL is -1 in some settings; CARDINALITY of a map is that of its entries."""
    (arg,) = node.args
    sql = r.node(arg)
    items = call("MAP_KEYS", sql) if isinstance(arg.type, MapType) else sql
    return call("ARRAY_SIZE", items)


RULES: dict[str, Rule] = {
    "in_list": value_lists.in_broadcast,
    "member": _member,
    "index": _index,
    "size": _size,
    "array": _array,
    "array_position": function("ARRAY_POSITION"),
    "array_eq": _array_eq,
    "array_max": _extreme_of("ARRAY_MAX"),
    "array_min": _extreme_of("ARRAY_MIN"),
    "array_concat": function("CONCAT"),
    "range": _range,
    "sum": _sum,
}
