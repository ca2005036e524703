"""DuckDB: JSON documents."""

from __future__ import annotations

from collections.abc import Sequence

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
    is_one_of,
    lambda_,
    not_,
    string_literal,
    try_cast,
    variable,
    wrap,
)
from predicat.backends.sql.common.documents import member_or_element, template, where_kind
from predicat.backends.sql.common.texts import INT32_MAX
from predicat.backends.sql.duckdb import json_texts
from predicat.backends.sql.json_rewrites import JSON_STEPS, Step, path
from predicat.backends.sql.renderer import Renderer, Rule, constant
from predicat.ir.nodes import Call, Literal, Node, ranged_over
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
        return where_kind(r, read, "array", _all_of(r, read))
    item = variable("__item")
    keys = call("LIST_TRANSFORM", pathed(r, "JSON_KEYS", read), lambda_(call("TO_JSON", item), "__item"))
    return case(
        (is_kind_name(pathed(r, "JSON_TYPE", read), "object"), keys),
        (is_kind_name(pathed(r, "JSON_TYPE", read), "array"), _all_of(r, read)),
    )


def values(r: Renderer, node: Call, *, nulls: bool) -> Sql:
    """The values of a key. A missing key and a JSON null give the same, except with `nulls`."""
    sql = json_value(r, Call(JSON, "json_get", node.args) if node.args[1:] else node.args[0])
    result, place, item = (exp.to_identifier(name, quoted=True) for name in ("__found", "__n", "__inner"))
    value: Sql = exp.Column(this=item)
    alone: Sql = exp.Array(expressions=[sql])
    if nulls:
        alone = case((not_(is_null(sql)), alone), default=exp.Array(expressions=[]))
    inside = call("COALESCE", try_cast(value, "JSON[]"), exp.Array(expressions=[value]))
    flat = call("FLATTEN", call("LIST_TRANSFORM", exp.Column(this=result), lambda_(inside, "__inner")))
    start = exp.Array(
        expressions=[alone, *(exp.Array(expressions=[]) for _ in range(ARRAYS))]
    )  # it begins with the first
    return call("LIST_REDUCE", start, exp.Lambda(this=flat, expressions=[result, place]))


def _place(r: Renderer, node: Node) -> tuple[Sql, Sql | None]:
    """A JSON value and a path in it: consecutive look-ups become one path."""
    base, steps = path(node, lambda _: True)
    if not steps:
        return _computed(r, base) if isinstance(base, Call) and base.op in JSON_STEPS else r.document(
            base
        ), None
    if all(map(_is_member, steps)):
        return r.document(base), _pointer(steps)
    base, steps = path(node, _in_path)
    if steps:
        return r.document(base), string_literal(
            "$" + "".join(f"[{step}]" if isinstance(step, int) else f'."{step}"' for step in steps)
        )
    assert isinstance(node, Call)  # noqa: S101  # it has a step
    return r.document(node.args[0]), _pointer([constant(node.args[1])])


def _in_path(step: Step) -> bool:
    """Whether a key can be a step of DuckDB's paths: it is not empty and has none of these characters."""
    return isinstance(step, int) or (step != "" and not set(step) & set('"\\*'))


def _pointer(steps: Sequence[Step]) -> Sql:
    """A JSON pointer (RFC 6901), which supports any key."""
    return string_literal("".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps))


def _is_member(step: Step) -> bool:
    """Whether a step of a pointer can only be a key of an object: digits and a hyphen are also positions in
    an array.
    """
    return isinstance(step, str) and not step.isdigit() and step != "-"


def pathed(r: Renderer, name: str, node: Node) -> Sql:
    """A function of a JSON value."""
    base, place = _place(r, node)
    return call(name, base) if place is None else call(name, base, place)


def json_value(r: Renderer, node: Node) -> Sql:
    """The JSON value that look-ups find, possibly JSON null; NULL if there is none."""
    base, place = _place(r, node)
    return base if place is None else call("JSON_EXTRACT", base, place)


def text_of(r: Renderer, node: Node) -> Sql:
    """The string of a JSON value, by `->>` in parentheses: it binds weaker than comparisons."""
    base, place = _place(r, node)
    arrow = exp.JSONExtractScalar(
        this=wrap(base),
        expression=string_literal("$") if place is None else wrap(place),
        only_json_types=True,
    )
    return exp.Paren(this=arrow)


def _all_of(r: Renderer, node: Node) -> Sql:
    """The elements of a value that is an array."""
    return cast(json_value(r, node), "JSON[]")


def _computed(r: Renderer, node: Call) -> Sql:
    """A look-up with a key or a position that is computed from the row."""
    if node.op == "json_element":
        return member_or_element(r, node)
    base, key = node.args
    if isinstance(key, Literal):
        return r.null(JSON)
    if node.op == "json_get":
        escaped = call("REPLACE", call("REPLACE", r.node(key), "~", "~0"), "/", "~1")
        result = call(
            "JSON_EXTRACT",
            r.document(base),
            exp.DPipe(this=string_literal("/"), expression=escaped, safe=True),
        )
        return where_kind(r, base, "object", result)

    def build(position: Node) -> Sql:
        place = r.node(position)
        known = and_(is_kind_name(pathed(r, "JSON_TYPE", base), "array"), between(place, 0, INT32_MAX))
        steps = exp.DPipe(
            this=exp.DPipe(this=string_literal("$["), expression=cast(place, "TEXT"), safe=True),
            expression=string_literal("]"),
            safe=True,
        )
        return case((known, call("JSON_EXTRACT", r.document(base), steps)))

    return r.let_node(key, build)


def _json_values(r: Renderer, node: Call) -> Sql:
    return call("TO_JSON", values(r, node, nulls=True))


def not_json_null(sql: Sql) -> Sql:
    """A JSON value, with JSON's null as NULL."""
    return call("NULLIF", sql, cast("null", "JSON"))


_KINDS = {"string": "VARCHAR", "boolean": "BOOLEAN", "object": "OBJECT", "array": "ARRAY"}


_NUMBERS = ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "DOUBLE", "DECIMAL")


def is_kind_name(name: Sql, kind: str) -> Sql:
    """Whether DuckDB's name of a JSON type belongs to a kind; NULL for NULL."""
    if kind == "number":
        return is_one_of(name, *_NUMBERS)
    return binary(exp.EQ, name, _KINDS[kind])


# All parts of both values with their paths (RFC 6901), in order: a loop of as many rounds as there are arrays
# and objects.
_SAME_JSON = """
LIST_EXTRACT(LIST_TRANSFORM([LIST_TRANSFORM([__a, __b], LAMBDA "__j" : CASE
  WHEN NOT JSON_EXTRACT_STRING("__j", '$') IS NULL THEN
  LIST_SORT(LIST_TRANSFORM(LIST_REDUCE(
    LIST_TRANSFORM(RANGE(0, LENGTH("__j") - LENGTH(TRANSLATE("__j", '{[', ''))),
      LAMBDA "__i" : [{'p': '', 'v': "__j"}]),
    LAMBDA "__f", "__m" : FLATTEN(LIST_TRANSFORM("__f", LAMBDA "__x" : LIST_PREPEND(
      {'p': "__x".p, 'v': CASE JSON_TYPE("__x".v) WHEN 'OBJECT' THEN '{}' WHEN 'ARRAY' THEN '[]'
        ELSE "__x".v END},
      LIST_TRANSFORM(
        LIST_CONCAT(
          LIST_TRANSFORM(JSON_KEYS("__x".v), LAMBDA "__k" : REPLACE(REPLACE("__k", '~', '~0'), '/', '~1')),
          CAST(RANGE(0, CAST(JSON_ARRAY_LENGTH("__x".v) AS BIGINT)) AS TEXT[])),
        LAMBDA "__k" : {'p': "__x".p || '/' || "__k", 'v': JSON_EXTRACT("__x".v, '/' || "__k")})))),
    [{'p': '', 'v': "__j"}]),
  LAMBDA "__x" : "__x".p || ' ' || COALESCE(CAST(TRY_CAST(CAST("__x".v AS TEXT) AS DOUBLE) + 0 AS TEXT),
    CAST(JSON("__x".v) AS TEXT))))
  END)], LAMBDA "__p" : LIST_EXTRACT("__p", 1) = LIST_EXTRACT("__p", 2)), 1)
"""


def json_scalar(r: Renderer, value: Node, text: str) -> Sql | None:
    """Whether a value is the scalar with this JSON text. Members and elements only: the text of a whole
    document may have spaces around it.
    """
    if not isinstance(value, Call) or value.op not in JSON_STEPS:
        return None
    return binary(exp.EQ, cast(json_value(r, value), "TEXT"), text)


def _json_number(r: Renderer, node: Call) -> Sql:
    return _number(r, node.args[0])


def _number(r: Renderer, value: Node) -> Sql:
    """The JSON text of a value as a number: a string has quotes, so no other kind is read as a number."""
    return try_cast(cast(json_value(r, value), "TEXT"), "DOUBLE")


def json_equals(r: Renderer, value: Node, wanted: float) -> Sql:
    """Whether a JSON value is a number that equals a double; NULL if there is no value."""
    there = not_(is_null(text_of(r, value)))
    return case((there, exp.NullSafeEQ(this=_number(r, value), expression=r.double(wanted))))


def _json_size(r: Renderer, node: Call) -> Sql:
    (value,) = node.args
    kind, keys = pathed(r, "JSON_TYPE", value), pathed(r, "JSON_KEYS", value)
    return case(
        (is_kind_name(kind, "array"), cast(pathed(r, "JSON_ARRAY_LENGTH", value), "BIGINT")),
        (is_kind_name(kind, "object"), cast(call("LEN", keys), "BIGINT")),
    )


def _json_items(r: Renderer, node: Call) -> Sql:
    (value,) = node.args
    keys = call("TO_JSON", pathed(r, "JSON_KEYS", value))
    return case(
        (is_kind_name(pathed(r, "JSON_TYPE", value), "object"), keys),
        default=not_json_null(r.document(value)),
    )


RULES: dict[str, Rule] = {
    "parse_json": json_texts.parse_json,
    "json_eq": template("duckdb", _SAME_JSON),
    "json_number": _json_number,
    "json_values": _json_values,
    "json_size": _json_size,
    "json_items": _json_items,
}
