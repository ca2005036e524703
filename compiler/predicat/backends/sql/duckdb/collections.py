"""DuckDB: lists, maps, structs, and the macros over them."""

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
    lambda_,
    not_,
    pack,
    try_cast,
    variable,
    wrap,
)
from predicat.backends.sql.common import value_lists
from predicat.backends.sql.common.collections import source_of_present
from predicat.backends.sql.common.texts import INT32_MAX
from predicat.backends.sql.common.widths import as_bigint
from predicat.backends.sql.duckdb.calendar import try_
from predicat.backends.sql.duckdb.documents import elements, values
from predicat.backends.sql.renderer import Renderer, constant, let, unless_missing
from predicat.backends.sql.rules import Rule
from predicat.ir.nodes import Call, Items, Literal, Quantifier
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, STRING, TIMESTAMP, ArrayType, MapType
from predicat.ir.values import RANGE_MOST, SUM_MOST
from predicat.rewrite.acceptance import for_acceptance, never_unknown
from predicat.rewrite.elements import condition, is_exists_over_values, takes_null
from predicat.rewrite.polarity import true_rows


def bind(values: Mapping[str, Sql], body: Sql) -> Sql:
    """The value, or a struct of several, as the one element of a list, and its name as the variable of a
    function on that.
    """
    value, name, body = pack(values, body)
    return call("LIST_EXTRACT", call("LIST_TRANSFORM", call("LIST_VALUE", value), lambda_(body, name)), 1)


def has_missing(items: Sql) -> Sql:
    """Whether an element has no value."""
    return binary(exp.LT, call("LIST_COUNT", items), call("LEN", items))


def quantifier(r: Renderer, node: Quantifier) -> Sql:
    if is_exists_over_values(node) and isinstance(node.source, Call):
        tested = call(
            "LIST_TRANSFORM",
            values(r, node.source, nulls=takes_null(node)),
            lambda_(r.node(condition(node)), node.variable),
        )
        return call("LIST_CONTAINS", tested, True)
    items, body = elements(r, node.source), r.node(node.body)
    if node.kind == "filter" and never_unknown(node.body):
        return call("LIST_FILTER", items, lambda_(body, node.variable))
    tested = call("LIST_TRANSFORM", items, lambda_(body, node.variable))
    if node.kind in ("any", "all"):
        one, other = (variable(name) for name in ("__one", "__two"))
        kind = exp.Or if node.kind == "any" else exp.And
        step = exp.Lambda(this=kind(this=one, expression=other), expressions=[one.this, other.this])
        return call("LIST_REDUCE", tested, step, exp.Boolean(this=node.kind == "all"))
    whole = and_(not_(is_null(items)), not_(has_missing(tested)))
    if node.kind == "map":
        return case((whole, tested))
    kept = call("LIST_FILTER", items, lambda_(body, node.variable))
    return case((whole, binary(exp.EQ, call("LEN", kept), 1) if node.kind == "one" else kept))


def exists(r: Renderer, node: Quantifier) -> Sql:
    """Whether a list has an element for which a test is TRUE."""
    test = r.node(true_rows(for_acceptance(node.body)))
    kept = call("LIST_FILTER", r.node(node.source), lambda_(test, node.variable))
    return binary(exp.GT, call("LEN", kept), 0)


def in_array(r: Renderer, node: Call) -> Sql:
    value, items = r.args(node)
    constant = isinstance(node.args[0], Literal) and node.args[0].value is not None
    known = and_(*([] if constant else [not_(is_null(value))]), not_(is_null(items)))
    hit = call("LIST_CONTAINS", items, value)
    return case(
        (not_(known), cast(exp.Null(), "BOOLEAN")),
        (hit, True),
        (has_missing(items), cast(exp.Null(), "BOOLEAN")),
        default=False,
    )


def holds_item(r: Renderer, node: Call) -> Sql | None:
    """Whether an array has an item, in a WHERE: FALSE instead of NULL beside elements without a value."""
    value, items = node.args
    if value.type not in (STRING, BIGINT, BOOLEAN, DATE, TIMESTAMP) or items.type != ArrayType(value.type):
        return None
    if isinstance(items, Items):
        return None
    return call("LIST_CONTAINS", r.node(items), r.node(value))


def _array(r: Renderer, node: Call) -> Sql:
    result = call("LIST_VALUE", *r.args(node))
    return unless_missing(r, node, result)


def _array_position(r: Renderer, node: Call) -> Sql:
    """LIST_POSITION of what is not found is 0 or NULL, by the version."""
    place = call("COALESCE", call("LIST_POSITION", *r.args(node)), 0)
    return cast(unless_missing(r, node, place), "BIGINT")


def _array_eq(r: Renderer, node: Call) -> Sql:
    left, right = r.args(node)
    return case((and_(not_(has_missing(left)), not_(has_missing(right))), binary(exp.EQ, left, right)))


def _extreme_of(name: str) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        whole = source_of_present(node.args[0])
        if whole is not None:
            return call(name, r.node(whole))
        items = r.node(node.args[0])
        return case((not_(has_missing(items)), call(name, items)))

    return rule


def _array_concat(r: Renderer, node: Call) -> Sql:
    """LIST_CONCAT ignores a NULL list."""
    left, right = r.args(node)
    return case((and_(not_(is_null(left)), not_(is_null(right))), call("LIST_CONCAT", left, right)))


def _range(r: Renderer, node: Call) -> Sql:
    def build(count: Sql) -> Sql:
        return case((between(count, 0, RANGE_MOST), call("RANGE", count)))

    return let(r, as_bigint(r, node.args[0]), build)


def _sum(r: Renderer, node: Call) -> Sql:
    """LIST_SUM adds up in order; of no elements it has no value."""
    items = r.node(node.args[0])
    whole_list = and_(not_(is_null(items)), not_(has_missing(items)))
    if node.type == DOUBLE:
        size = call("ABS", variable("__item"))
        large = and_(
            binary(exp.GT, size, cast(repr(SUM_MOST), "DOUBLE")),
            binary(exp.LT, size, cast("Infinity", "DOUBLE")),
        )
        none = binary(exp.EQ, call("LEN", call("LIST_FILTER", items, lambda_(large, "__item"))), 0)
        return case((and_(whole_list, none), call("COALESCE", call("LIST_SUM", items), cast(0, "DOUBLE"))))
    return case((whole_list, try_cast(call("COALESCE", call("LIST_SUM", items), 0), "BIGINT")))


def _index(r: Renderer, node: Call) -> Sql:
    items, position = r.node(node.args[0]), as_bigint(r, node.args[1])
    following = binary(exp.Add, position, 1)
    result = call("LIST_EXTRACT", items, following if isinstance(node.args[1], Literal) else try_(following))
    return case((between(position, 0, INT32_MAX), result))


def _size(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    return cast(call("CARDINALITY" if isinstance(arg.type, MapType) else "LEN", r.node(arg)), "BIGINT")


def _member(r: Renderer, node: Call) -> Sql:
    return exp.Dot(this=wrap(r.node(node.args[0])), expression=r.dialect.identifier(constant(node.args[1])))


RULES: dict[str, Rule] = {
    "in_list": value_lists.in_rows,
    "member": _member,
    "index": _index,
    "size": _size,
    "array": _array,
    "array_position": _array_position,
    "array_eq": _array_eq,
    "array_max": _extreme_of("LIST_MAX"),
    "array_min": _extreme_of("LIST_MIN"),
    "array_concat": _array_concat,
    "range": _range,
    "sum": _sum,
}
