"""Spark: JSON, which is VARIANT."""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    and_,
    binary,
    call,
    case,
    cast,
    is_null,
    not_,
    number_literal,
    rlike,
    string_literal,
    try_cast,
)
from predicat.backends.sql.common.documents import is_kind, member_or_element, template, where_kind
from predicat.backends.sql.json_rewrites import JSON_STEPS, path
from predicat.backends.sql.renderer import Renderer, Rule
from predicat.backends.sql.spark import json_texts
from predicat.ir.nodes import Call, Node, ranged_over
from predicat.ir.operators import ARRAYS
from predicat.ir.types import JSON


def elements(r: Renderer, node: Node) -> Sql:
    """The elements that a macro ranges over: of an array, of a JSON array, or the keys of a JSON object. JSON
    null stays JSON null.
    """
    if node.type != JSON:
        return r.node(node)
    if isinstance(node, Call) and node.op == "json_values":
        return values(r, node, nulls=True)
    read = ranged_over(node)
    if read is node:
        return _items(r, node)
    return call("COALESCE", _items(r, read), cast(call("MAP_KEYS", _members(r, read)), "ARRAY<VARIANT>"))


def not_json_null(sql: Sql) -> Sql:
    """A JSON value; NULL for JSON null."""
    return case((not_(call("IS_VARIANT_NULL", sql)), sql))


def _at(items: Sql, position: Sql) -> Sql:
    """The element at a position, counted from 0, that is computed from the row; NULL if there is none."""
    return call("GET", items, try_cast(position, "INT"))


def json_value(r: Renderer, node: Node, kind: str | None = None) -> Sql:
    """A JSON value converted to a type; NULL if that fails. Consecutive look-ups become one path."""
    base, steps = path(node, lambda step: not isinstance(step, str) or not set(step) & set("'\"\\"))
    result = _looked_up(r, base) if isinstance(base, Call) and base.op in JSON_STEPS else r.document(base)
    if kind is None and not steps:
        return result
    return call(
        "TRY_VARIANT_GET", result, "$" + "".join(map(_step, steps)), *([string_literal(kind)] if kind else [])
    )


def _looked_up(r: Renderer, node: Call) -> Sql:
    """A look-up with a key or a position computed from the row, in a map or an array of all values."""
    if node.op == "json_element":
        return member_or_element(r, node)
    base, key = node.args
    if node.op == "json_get":
        return call("TRY_ELEMENT_AT", _members(r, base), r.node(key))
    if isinstance(key, Call) and key.op == "to_whole" and (number_of := _json_read(key.args[0])) is not None:
        # A JSON number is a position only if it is an integer.
        kind = r.dialect.documents.kind(r, number_of)
        whole = binary(
            exp.EQ, exp.Mod(this=json_value(r, number_of, "double"), expression=number_literal(1)), 0
        )
        return call(
            "GET",
            _items(r, base),
            case((and_(is_kind_name(kind, "number"), whole), json_value(r, number_of, "int"))),
        )
    return _at(_items(r, base), r.node(key))


def _json_read(node: Node) -> Node | None:
    return node.args[0] if isinstance(node, Call) and node.op == "json_number" else None


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if step.isascii() and step.isidentifier() else f'["{step}"]'


def _members(r: Renderer, node: Node) -> Sql:
    """The members of a JSON object as a map; NULL for any other value."""
    return json_value(r, node, "map<string,variant>")


def _items(r: Renderer, node: Node) -> Sql:
    """The elements of a JSON array; NULL for any other value."""
    return json_value(r, node, "array<variant>")


def values(r: Renderer, node: Call, *, nulls: bool) -> Sql:
    """The values of a key. A missing key and a JSON null give the same, except with `nulls`."""
    alone = call("ARRAY", json_value(r, Call(JSON, "json_get", node.args) if node.args[1:] else node.args[0]))
    sql, place, item = (exp.to_identifier(name, quoted=True) for name in ("__found", "__n", "__inner"))
    if nulls:
        there = not_(is_null(exp.Column(this=item)))
        alone = call("FILTER", alone, exp.Lambda(this=there, expressions=[item]))
    value = exp.Column(this=item)
    inside = call("COALESCE", call("TRY_VARIANT_GET", value, "$", "array<variant>"), call("ARRAY", value))
    flat = call(
        "FLATTEN", call("TRANSFORM", exp.Column(this=sql), exp.Lambda(this=inside, expressions=[item]))
    )
    return call(
        "AGGREGATE", call("SEQUENCE", 1, ARRAYS), alone, exp.Lambda(this=flat, expressions=[sql, place])
    )


def _json_values(r: Renderer, node: Call) -> Sql:
    return call("TRY_PARSE_JSON", call("TO_JSON", values(r, node, nulls=True)))


def _json_size(r: Renderer, node: Call) -> Sql:
    (value,) = node.args
    return call(
        "COALESCE",
        call("ARRAY_SIZE", _items(r, value)),
        call("ARRAY_SIZE", call("MAP_KEYS", _members(r, value))),
    )


def _json_items(r: Renderer, node: Call) -> Sql:
    (value,) = node.args
    keys = call("TRY_PARSE_JSON", call("TO_JSON", call("MAP_KEYS", _members(r, value))))
    return call("COALESCE", keys, not_json_null(r.document(value)))


# Two values are equal if their tokens are (strings, numbers, and the text between them), with numbers as
# doubles: VARIANT sorts its keys.
# With EXISTS, instead of a plain comparison, each value is written only once. The result is UNKNOWN if one of
# them is NULL.
_SAME_JSON = r"""
EXISTS(ARRAY(TRANSFORM(ARRAY(__a, __b), `__j` -> TRANSFORM(
  REGEXP_EXTRACT_ALL(NULLIF(TO_JSON(`__j`), 'null'),
    '"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|[-0-9][-+.0-9eE]*|[^-0-9"]+', 0),
  `__x` -> COALESCE(CAST(TRY_CAST(`__x` AS DOUBLE) + 0 AS STRING), `__x`)))), `__p` -> `__p`[0] = `__p`[1])
"""


def is_kind_name(name: Sql, kind: str) -> Sql:
    """Whether Spark's schema of a JSON value belongs to a kind; NULL for NULL."""
    if kind in ("string", "boolean"):
        return binary(exp.EQ, name, kind.upper())
    return rlike(name, "^(BIGINT|DECIMAL|DOUBLE|FLOAT)" if kind == "number" else f"^{kind.upper()}")


def _json_number(r: Renderer, node: Call) -> Sql:
    return where_kind(r, node.args[0], "number", json_value(r, node.args[0], "double"))


def json_equals(r: Renderer, value: Node, wanted: float) -> Sql:
    """Whether a JSON value is a number that equals a double; NULL for NULL."""
    return and_(is_kind(r, value, "number"), binary(exp.EQ, json_value(r, value, "double"), r.double(wanted)))


def json_scalar(r: Renderer, value: Node, text: str) -> Sql:
    """Whether a value is the scalar with this JSON text; NULL for NULL."""
    return binary(exp.EQ, call("TO_JSON", json_value(r, value)), text)


RULES: dict[str, Rule] = {
    "parse_json": json_texts.parse_json,
    "json_eq": template("spark", _SAME_JSON),
    "json_number": _json_number,
    "json_values": _json_values,
    "json_size": _json_size,
    "json_items": _json_items,
}
