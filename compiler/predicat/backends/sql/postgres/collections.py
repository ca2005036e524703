"""PostgreSQL: arrays, maps (kept as jsonb) and structs."""

from __future__ import annotations

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
    clamp,
    is_null,
    not_,
    number_literal,
    or_,
    variable,
    wrap,
)
from predicat.backends.sql.common.collections import (
    array_concat,
    array_eq,
    array_position,
    numbers_before,
    source_of_present,
)
from predicat.backends.sql.common.conversions import truth_value
from predicat.backends.sql.postgres import value_lists
from predicat.backends.sql.postgres.conversions import (
    text_to_date,
    text_to_decimal,
    text_to_double,
    text_to_int,
    text_to_timestamp,
)
from predicat.backends.sql.postgres.documents import arrow, json_kind, not_null, text_of
from predicat.backends.sql.postgres.queries import (
    array_of,
    count_all,
    count_keys,
    in_order,
    only_where,
    table,
    value_of,
)
from predicat.backends.sql.renderer import Renderer, Rule, constant, unless_missing
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Items, Literal, Node
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    JSON,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    MapType,
    StructType,
    Type,
)
from predicat.ir.values import INT_MAX, INT_MIN, SUM_MOST

# What scalar types are called.
TYPES: dict[Type, str] = {
    STRING: "TEXT",
    BIGINT: "BIGINT",
    DOUBLE: "DOUBLE",
    BOOLEAN: "BOOLEAN",
    TIMESTAMP: "TIMESTAMPTZ",
    DATE: "DATE",
    DURATION: "BIGINT",
    JSON: "JSONB",
}


def type_name(kind: Type) -> str:
    """PostgreSQL's name of the type of an element."""
    if isinstance(kind, DecimalType):
        return f"DECIMAL({kind.precision}, {kind.scale})"
    return "JSONB" if isinstance(kind, MapType) else TYPES.get(kind, "TEXT")


def _array(r: Renderer, node: Call) -> Sql:
    element = node.type.element if isinstance(node.type, ArrayType) else STRING
    result = cast(exp.Array(expressions=r.args(node)), f"{type_name(element)}[]")
    return unless_missing(r, node, result)


def _numbers_before(count: Sql) -> Sql:
    rows = exp.Select(expressions=[call("GENERATE_SERIES", 0, binary(exp.Sub, count, 1))])
    return call("ARRAY", rows)


def is_whole(sql: Sql) -> Sql:
    """Whether no element of an array is NULL."""
    return is_null(call("ARRAY_POSITION", sql, exp.Null()))


def _extreme_of(name: str) -> Rule:
    """The largest or smallest element; NULL if an element is NULL."""

    def rule(r: Renderer, node: Call) -> Sql:
        source = source_of_present(node.args[0])
        item = variable("__item")
        rows = exp.Unnest(
            expressions=[r.node(node.args[0] if source is None else source)],
            alias=exp.TableAlias(this=exp.to_identifier("__items", quoted=True), columns=[item.this]),
        )
        whole, sql = binary(exp.EQ, call("COUNT", item), count_all()), call(name, item)
        return value_of(case((whole, sql)) if source is None else sql, rows)

    return rule


def _keys(r: Renderer, node: Call) -> Sql:
    sql = r.node(node.args[0])
    rows = exp.Select(expressions=[call("JSONB_OBJECT_KEYS", sql)]).subquery(copy=False)
    return case((not_(is_null(sql)), exp.Anonymous(this="ARRAY", expressions=[rows.this])))


def _sum(r: Renderer, node: Call) -> Sql:
    """The sum of the elements, in order. PostgreSQL adds integers as numerics, and raises an error if a sum
    of doubles overflows.
    """
    items, kind = r.node(node.args[0]), TYPES[node.type]
    item, place = exp.column(r.fresh_name("e")), exp.column(r.fresh_name("at"))
    rows = table(r, call("UNNEST", items), item.this, place.this, numbered=True)
    added = call("COALESCE", call("SUM", in_order(cast(item, kind), place)), 0)
    if node.type == DOUBLE:
        size = call("ABS", item)
        large = binary(exp.GT, size, number_literal(repr(SUM_MOST)))
        wrong = or_(is_null(item), and_(large, binary(exp.LT, size, cast("Infinity", "DOUBLE"))))
        checked = value_of(call("COALESCE", call("BOOL_OR", wrong), False), rows)
        return case((and_(not_(is_null(items)), not_(checked)), value_of(added, rows)))
    none_absent = binary(exp.EQ, only_where(count_all(), is_null(item)), 0)
    fits = and_(none_absent, between(added, INT_MIN, INT_MAX))
    return case((not_(is_null(items)), value_of(case((fits, cast(added, "BIGINT"))), rows)))


def array_value(items: Sql) -> Sql:
    """An array for ANY or ALL. A bare subquery in their parentheses would mean its rows."""
    return exp.Paren(this=call("COALESCE", items) if isinstance(items, exp.Subquery) else items)


def in_array(r: Renderer, node: Call) -> Sql:
    """Whether an array contains a value; NULL if it does not and an element is NULL, and for NULL."""
    result = _any_of(r, node)
    # `= ANY` of an empty array is FALSE even for a NULL value, where the meaning is UNKNOWN.
    known = isinstance(node.args[0], Literal) and node.args[0].value is not None
    return result if known else case((not_(is_null(r.node(node.args[0]))), result))


def in_array_where(r: Renderer, node: Call) -> Sql | None:
    """Whether an array contains a value, in a WHERE: FALSE instead of NULL for NULL and an empty array."""
    items = node.args[1]
    return _any_of(r, node) if isinstance(items.type, ArrayType) and not isinstance(items, Items) else None


def _any_of(r: Renderer, node: Call) -> Sql:
    value, items = r.args(node)
    return exp.EQ(this=wrap(value), expression=exp.Any(this=array_value(items)))


def subscripted(items: Sql) -> Sql:
    """An array for a subscript: PostgreSQL needs parentheses around anything but a column."""
    return items if isinstance(items, exp.Column) else exp.Paren(this=items)


def _array_get(r: Renderer, node: Call) -> Sql:
    """The element at a position from 0, whatever the lower bound of the array is."""
    items, position = r.args(node)
    known = node.args[1]
    if not isinstance(known, Literal):
        # No array is that long: a position beyond the integers finds nothing either.
        shifted = binary(exp.Add, cast(clamp(position, -1, 2**31 - 2), "INT"), 1)
    elif isinstance(known.value, int) and 0 <= known.value < 2**31 - 1:
        shifted = number_literal(known.value + 1)
    else:
        return r.null(node.type)
    return exp.Bracket(this=subscripted(items), expressions=[shifted], offset=1)


def _is_missing(r: Renderer, node: Call) -> Sql:
    """A test for NULL. IS NULL is also TRUE for a composite value whose members are all NULL, so composite
    values are tested with IS NOT DISTINCT FROM NULL.
    """
    (arg,) = node.args
    if arg.type == JSON:
        return is_null(text_of(r, arg))
    sql = r.node(arg)
    whole = isinstance(arg.type, StructType)
    return binary(exp.NullSafeEQ, sql, exp.Null()) if whole else is_null(sql)


def _member(r: Renderer, node: Call) -> Sql:
    if _in_jsonb(r, node.args[0]):
        return _from_jsonb(r, node, wrap(r.node(node.args[0])), r.node(node.args[1]))
    name = r.dialect.identifier(constant(node.args[1]))
    return exp.Dot(this=exp.Paren(this=r.node(node.args[0])), expression=name)


def _size(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if not isinstance(arg.type, MapType):
        return cast(call("CARDINALITY", sql), "BIGINT")
    return case((json_kind(sql, "object"), count_keys(sql)))


def _value_of_key(r: Renderer, node: Call) -> Sql:
    """The value of a key of a map, which PostgreSQL keeps as jsonb."""
    base, key = (wrap(sql) for sql in r.args(node))
    return _from_jsonb(r, node, base, key)


def _in_jsonb(r: Renderer, node: Node) -> bool:
    """Whether a struct is stored as a JSON object, as in a map, and not as a composite value."""
    if isinstance(node, Call) and node.op == "member":
        return _in_jsonb(r, node.args[0])
    if isinstance(node, Call) and node.op in ("cond", "coalesce"):
        kinds = {_in_jsonb(r, arg) for arg in node.args if arg.type == node.type}
        if len(kinds) > 1:
            raise r.refuse(node, say.STRUCTS_OF_TWO_KINDS)
        return True in kinds
    return isinstance(node, Call) and node.op == "get"


def _from_jsonb(r: Renderer, node: Call, base: Sql, key: Sql) -> Sql:
    """The value of a key in its declared type; NULL if it is of another type."""
    kind, value = node.type, arrow(base, key, "->")
    if isinstance(kind, ArrayType):
        item = exp.column(r.fresh_name("e"))
        if isinstance(kind.element, ArrayType | StructType):
            raise r.refuse(node, say.ARRAY_IN_JSONB)
        whole = isinstance(kind.element, MapType) or kind.element == JSON
        each = call("JSONB_ARRAY_ELEMENTS" if whole else "JSONB_ARRAY_ELEMENTS_TEXT", value)
        read = not_null(item) if whole else _of_text(r, item, kind.element)
        items = array_of(read, table(r, each, item.this))
        return case((json_kind(value, "array"), items))
    if isinstance(kind, MapType | StructType):
        return case((json_kind(value, "object"), value))
    return value if kind == JSON else _of_text(r, arrow(base, key, "->>"), kind)


def _of_text(r: Renderer, sql: Sql, kind: Type) -> Sql:
    """The string of a JSON value converted to a type."""
    if isinstance(kind, DecimalType):
        return text_to_decimal(r, sql, kind)
    if kind == BOOLEAN:
        return truth_value(sql)
    readers = {BIGINT: text_to_int, DOUBLE: text_to_double, TIMESTAMP: text_to_timestamp, DATE: text_to_date}
    return readers[kind](r, sql) if kind in readers else sql


RULES: dict[str, Rule] = {
    "is_null": _is_missing,
    "in_list": value_lists.in_array,
    "get": _value_of_key,
    "member": _member,
    "index": _array_get,
    "size": _size,
    "array": _array,
    "array_position": array_position("ARRAY_POSITION"),
    "array_eq": array_eq(is_whole),
    "array_max": _extreme_of("MAX"),
    "array_min": _extreme_of("MIN"),
    "array_concat": array_concat(partial(binary, exp.DPipe)),
    "range": numbers_before(_numbers_before),
    "sum": _sum,
    "keys": _keys,
}
