"""PostgreSQL: forms of a WHERE condition that can use an index.

An exact form replaces the test. Another form is TRUE whenever the test is, and is added to it: the index
narrows the rows, the test decides. The indexes of the relation determine the form. If they are not known,
conditions on keys of maps get a form for a GIN index on the map.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from predicat.backends.sql.builders import Sql, and_, call, cast, string_literal
from predicat.backends.sql.postgres import index_arrays, index_documents, index_numbers, index_texts
from predicat.backends.sql.postgres.index_documents import document, is_text_only
from predicat.backends.sql.renderer import Renderer
from predicat.backends.sql.rules import Served
from predicat.ir.nodes import Call, Field, Literal, Node, Quantifier
from predicat.ir.operators import STRICT
from predicat.ir.types import STRING, MapType

# An index does not help a test that reads more keys than this.
_MOST = 4


def served(r: Renderer, node: Node, sql: Sql) -> Served | None:
    """The form of a test that uses an index; None if the usual form, `sql`, is better."""
    if r.storage.indexes is None and not isinstance(node, Quantifier):
        beside = _index_condition(r, node, sql)
        return None if beside is None else Served(beside)
    for rule in (index_arrays.served, index_documents.served, index_texts.served, index_numbers.served):
        if (result := rule(r, node, sql)) is not None:
            return result
    return None


# --- where the indexes are not known


def _index_condition(r: Renderer, node: Node, sql: Sql) -> Sql | None:
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
    """The SQL of the value that a key is compared with. None if `@>` would not find every such value."""
    match node:
        case Call(op="eq", args=(Call(op="get", type=kind), Literal(value=str() as value))) if (
            kind == STRING and is_text_only(value)
        ):
            return sql.expression if isinstance(sql, exp.EQ) else None
        case Call(op="eq", args=(Literal(value=str() as value), Call(op="get", type=kind))) if (
            kind == STRING and is_text_only(value)
        ):
            return sql.this if isinstance(sql, exp.EQ) else None
        case _:
            return None


def _document(key: str, value: Sql) -> Sql:
    """A JSON object with one key. For a parameter PostgreSQL's own function builds the object."""
    if isinstance(value, exp.Literal):
        return string_literal(document({key: value.name}))
    return call("PG_CATALOG.JSONB_BUILD_OBJECT", key, cast(value, "TEXT"))
