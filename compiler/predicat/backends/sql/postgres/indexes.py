"""PostgreSQL: conditions that indexes on a map can serve, in addition to the tests that they cannot serve.

A map is jsonb. A GIN index on it serves `@>` (it contains a key with a value) and `?` (it has a key). A
B-tree on `(headers ->> 'key')` serves comparisons of that expression.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from sqlglot import exp

from predicat.backends.sql.base import Renderer, Sql, and_, call, cast, string_literal
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.ops import STRICT
from predicat.ir.types import STRING, MapType

_MOST = 4
"""An index does not help a test that reads more keys than this."""


def index_condition(r: Renderer, node: Node, sql: Sql) -> Sql | None:
    """A condition that is TRUE whenever a test of the keys of a map is: the map contains a key with its
    value, or has the key. None if there is none.
    """
    keys = list(dict.fromkeys(_required_keys(node)))
    if not 0 < len(keys) <= _MOST:
        return None
    value = _equal_to(node, sql)
    if value is not None:
        ((field, key),) = keys
        return exp.ArrayContainsAll(this=r.column(field), expression=_document(key, value))
    return and_(
        *(
            exp.JSONBContainsTopKey(this=r.column(field), expression=string_literal(key))
            for field, key in keys
        )
    )


def _required_keys(node: Node) -> Iterator[tuple[Field, str]]:
    """The maps and keys without which a test cannot be TRUE."""
    match node:
        case Call(op="not", args=(Call(op="is_null", args=(inner,)),)):
            yield from _keys_of_value(inner)
        case _:
            yield from _keys_of_value(node)


def _keys_of_value(node: Node) -> Iterator[tuple[Field, str]]:
    """The maps and keys without which an expression is NULL."""
    match node:
        case Call(op="get", args=(Field() as field, Literal(value=str() as key))) if isinstance(
            field.type, MapType
        ):
            yield field, key
        case Call(op="in", args=(value, _)):
            yield from _keys_of_value(value)
        case Call(op=op, args=args) if op in STRICT:
            for arg in args:
                yield from _keys_of_value(arg)
        case _:
            return


def _equal_to(node: Node, sql: Sql) -> Sql | None:
    """The value that a key is compared with, as SQL. None if `@>` would not find every such value."""
    match node:
        case Call(op="eq", args=(Call(op="get", type=kind), Literal(value=str() as value))) if (
            kind == STRING and _is_only_text(value)
        ):
            return sql.expression if isinstance(sql, exp.EQ) else None
        case Call(op="eq", args=(Literal(value=str() as value), Call(op="get", type=kind))) if (
            kind == STRING and _is_only_text(value)
        ):
            return sql.this if isinstance(sql, exp.EQ) else None
        case _:
            return None


def _is_only_text(value: str) -> bool:
    """Whether no JSON value but a text is read as this text: not a number, a truth value, a list or an
    object.
    """
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return not value.startswith(("{", "["))
    return False


def _document(key: str, value: Sql) -> Sql:
    """A JSON object with one key. Where the value is a parameter, it is made of that, by PostgreSQL's own
    function.
    """
    if isinstance(value, exp.Literal):
        return string_literal(json.dumps({key: value.name}, ensure_ascii=False))
    return call("PG_CATALOG.JSONB_BUILD_OBJECT", string_literal(key), cast(value, "TEXT"))
