"""PostgreSQL: JSON documents."""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.base import (
    Renderer,
    Rule,
    Sql,
    between,
    binary,
    both,
    case,
    cast,
    constant,
    fn,
    number,
    once,
    text,
    wrap,
)
from predicat.backends.sql.postgres.numbers import nearest
from predicat.backends.sql.postgres.plain import numeric
from predicat.ir.nodes import Call, Literal, Node, ranged_over


def arrow(base: Sql, key: Sql, operator: str) -> Sql:
    """Jsonb's `->` and `->>`. As operators, not as their functions, an index on such an expression serves them."""
    kind = exp.JSONExtractScalar if operator == "->>" else exp.JSONExtract
    return kind(this=base, expression=key, only_json_types=True)  # or sqlglot would write paths


def json_get(r: Renderer, node: Call) -> Sql:
    """A member; an absent one and a JSON null are both no value. Steps in a row are one path.

    In a path, a number written as a text is a place in an array: a key with digits, or none known, is looked up by itself.
    """
    if not _plain_key(node.args[1]):
        return not_null(arrow(wrap(r.document(node.args[0])), wrap(r.node(node.args[1])), "->"))
    keys: list[Sql] = []
    base: Node = node
    while isinstance(base, Call) and base.op == "json_get" and _plain_key(base.args[1]):
        keys.insert(0, r.node(base.args[1]))
        base = base.args[0]
    return not_null(fn("JSONB_EXTRACT_PATH", r.document(base), *keys))


def _plain_key(key: Node) -> bool:
    return isinstance(key, Literal) and isinstance(key.value, str) and not any(map(str.isdigit, key.value))


def not_null(sql: Sql) -> Sql:
    """A JSON value, with JSON's null as no value."""
    return fn("NULLIF", sql, cast(text("null"), "JSONB"))


def json_at(r: Renderer, node: Call) -> Sql:
    """PostgreSQL keeps a scalar as an array of one, and gives it as that one's element."""
    base, position = r.document(node.args[0]), r.node(node.args[1])
    inside = both(json_kind(base, "array"), between(position, number(0), number(2**31 - 1)))
    return case((inside, not_null(fn("JSONB_ARRAY_ELEMENT", base.copy(), cast(position.copy(), "INT")))))


def json_kind(sql: Sql, kind: str) -> Sql:
    return binary(exp.EQ, fn("JSONB_TYPEOF", sql), text(kind))


def json_is(r: Renderer, node: Call) -> Sql:
    return json_kind(r.node(node.args[0]), constant(node.args[1]))


def _json_text(sql: Sql) -> Sql:
    """The text of a JSON value, a string without its quotes."""
    return exp.JSONBExtractScalar(this=wrap(sql), expression=text("{}"))


def json_number(r: Renderer, node: Call) -> Sql:
    def build(sql: Sql) -> Sql:
        value = numeric(sql.copy())
        above, below = (cast(text(endless), "DOUBLE") for endless in ("Infinity", "-Infinity"))
        found = case(*nearest(value), (binary(exp.GT, value.copy(), number(0)), above), default=below)
        return case((json_kind(sql.copy(), "number"), found))

    return once(r, r.document(node.args[0]), build)


def json_scalar(kind: str, type_name: str) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        return once(
            r,
            r.document(node.args[0]),
            lambda sql: case((json_kind(sql, kind), cast(exp.Paren(this=_json_text(sql.copy())), type_name))),
        )

    return rule


def json_size(r: Renderer, node: Call) -> Sql:
    def build(sql: Sql) -> Sql:
        keys = exp.Table(this=fn("JSONB_OBJECT_KEYS", sql.copy()))
        count = exp.Select(expressions=[fn("COUNT", exp.Star())]).from_(keys).subquery()
        length = cast(fn("JSONB_ARRAY_LENGTH", sql.copy()), "BIGINT")
        return case((json_kind(sql, "array"), length), (json_kind(sql.copy(), "object"), count))

    return once(r, r.document(node.args[0]), build)


def json_items(r: Renderer, node: Call) -> Sql:
    return once(
        r,
        r.node(node.args[0]),
        lambda sql: case((json_kind(sql, "object"), _keys(sql.copy())), default=sql.copy()),
    )


def _keys(sql: Sql) -> Sql:
    """The keys of a JSON object as a JSON array."""
    rows = exp.Table(this=fn("JSONB_OBJECT_KEYS", sql))
    return fn("TO_JSONB", fn("ARRAY", exp.Select(expressions=[exp.Star()]).from_(rows)))


def elements(r: Renderer, source: Node) -> Sql:
    """What a macro ranges over: a JSON array, or the keys of an object, else NULL."""
    read = ranged_over(source)
    sql = r.document(read)
    array, keys = (json_kind(sql, "array"), sql.copy()), (json_kind(sql.copy(), "object"), _keys(sql.copy()))
    return case(array, keys) if read is not source else case(array)
