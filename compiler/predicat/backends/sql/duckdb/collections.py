"""DuckDB: lists, maps, structs, and the macros over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    and_,
    between,
    binary,
    call,
    case,
    cast,
    comparison_operand,
    is_null,
    lambda_,
    not_,
    number_literal,
    or_,
    pack,
    try_cast,
    variable,
)
from predicat.backends.sql.common.collections import (
    array,
    array_concat,
    array_eq,
    array_position,
    extreme,
    numbers_before,
)
from predicat.backends.sql.common.texts import INT32_MAX
from predicat.backends.sql.common.value_lists import three_valued, type_name, values_of
from predicat.backends.sql.common.widths import as_bigint
from predicat.backends.sql.duckdb.calendar import try_
from predicat.backends.sql.duckdb.documents import elements, values
from predicat.backends.sql.renderer import Renderer, Rule
from predicat.ir.nodes import Call, Items, Literal, Quantifier, Variable, walk
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, STRING, TIMESTAMP, ArrayType, MapType, Type
from predicat.ir.value_sets import as_text
from predicat.ir.values import SUM_MOST
from predicat.rewrite.acceptance import for_acceptance, never_unknown
from predicat.rewrite.elements import condition, is_exists_over_values, takes_null
from predicat.rewrite.polarity import true_rows


def bind(values: Mapping[str, Sql], body: Sql) -> Sql:
    """Names for values: a list with one element (the value, or a struct of several values), and a function of
    this element.
    """
    value, name, body = pack(values, body)
    return call("LIST_EXTRACT", call("LIST_TRANSFORM", call("LIST_VALUE", value), lambda_(body, name)), 1)


def is_whole(items: Sql) -> Sql:
    """Whether no element of a list is NULL."""
    return binary(exp.GTE, call("LIST_COUNT", items), call("LEN", items))


def quantifier(r: Renderer, node: Quantifier) -> Sql:
    """A macro as functions of lists. NULL if an outcome that would decide is NULL."""
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
        join = or_ if node.kind == "any" else and_
        step = lambda_(join(variable("__one"), variable("__two")), "__one", "__two")
        return call("LIST_REDUCE", tested, step, node.kind == "all")
    whole = and_(not_(is_null(items)), is_whole(tested))
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
    """Whether a list contains a value; NULL if it does not and an element is NULL."""
    value, items = r.args(node)
    constant = isinstance(node.args[0], Literal) and node.args[0].value is not None
    known = and_(*([] if constant else [not_(is_null(value))]), not_(is_null(items)))
    hit = call("LIST_CONTAINS", items, value)
    return case(
        (not_(known), cast(exp.Null(), "BOOLEAN")),
        (hit, True),
        (not_(is_whole(items)), cast(exp.Null(), "BOOLEAN")),
        default=False,
    )


def holds_item(r: Renderer, node: Call) -> Sql | None:
    """Whether an array contains an item, in a WHERE: FALSE instead of NULL if an element is NULL."""
    value, items = node.args
    if value.type not in (STRING, BIGINT, BOOLEAN, DATE, TIMESTAMP) or items.type != ArrayType(value.type):
        return None
    if isinstance(items, Items):
        return None
    return call("LIST_CONTAINS", r.node(items), r.node(value))


def _sum(r: Renderer, node: Call) -> Sql:
    """The sum of the elements. LIST_SUM adds in order, but gives NULL for an empty list."""
    items = r.node(node.args[0])
    whole_list = and_(not_(is_null(items)), is_whole(items))
    if node.type == DOUBLE:
        size = call("ABS", variable("__item"))
        most, endless = (cast(limit, "DOUBLE") for limit in (repr(SUM_MOST), "Infinity"))
        large = and_(binary(exp.GT, size, most), binary(exp.LT, size, endless))
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


def _in_list(r: Renderer, node: Call) -> Sql:
    """`x IN (SELECT UNNEST(...))`. DuckDB has no subqueries in lambda functions: the list is searched."""
    kind, listed = values_of(node)
    if listed.table is not None:
        return three_valued(r, node, listed)
    texts = [as_text(one) for one in listed.values]
    separator = next(sign for sign in _SEPARATORS if not any(sign in text for text in texts))
    parts = call("STRING_SPLIT", separator.join(texts), separator)
    name, value = type_name(r, kind), r.node(node.args[0])
    if any(isinstance(part, Variable) for part in walk(node.args[0])):
        return call("LIST_CONTAINS", cast(parts, f"{name}[]"), value)
    rows = exp.Explode(this=parts)  # faster than a cast of the list
    query = exp.select(rows if kind == STRING else cast(rows, name))
    return exp.In(this=comparison_operand(value), query=exp.Subquery(this=query))


# What may stand between the values: the first that none of them has. A million values cannot have all.
_SEPARATORS = (" ", ",", "|", "\n", "\t", "\x1f", "\x1e", *map(chr, range(0xE000, 0xF8FF)))


RULES: dict[str, Rule] = {
    "in_list": _in_list,
    "index": _index,
    "size": _size,
    "array": array("LIST_VALUE"),
    "array_position": array_position("LIST_POSITION"),
    "array_eq": array_eq(is_whole),
    "array_max": extreme("LIST_MAX", is_whole),
    "array_min": extreme("LIST_MIN", is_whole),
    "array_concat": array_concat(partial(call, "LIST_CONCAT")),
    "range": numbers_before(partial(call, "RANGE")),
    "sum": _sum,
}


def item_at(kind: Type, value: Sql, least: Sql, start: int, step: int, items: Sequence[int]) -> Sql:
    """The item of a list for a value: see `DialectRules.item_at`. A list of constants is built once."""
    if kind == TIMESTAMP:
        value, least = call("EPOCH_US", value), number_literal(start)
    elif kind == BIGINT:  # a narrower column would overflow
        value = cast(value, "bigint")
    steps = binary(exp.IntDiv, binary(exp.Sub, value, least), number_literal(step))
    place = binary(exp.Add, steps, number_literal(1))
    listed = exp.Array(expressions=[number_literal(item) for item in items])
    return call("LIST_EXTRACT", listed, place)
