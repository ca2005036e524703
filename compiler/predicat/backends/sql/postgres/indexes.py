"""PostgreSQL: forms of a WHERE condition that can use an index.

An exact form replaces the test. Another form is TRUE whenever the test is, and is added to it: the index
narrows the rows, the test decides. The indexes of the relation determine the form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from predicat.backends.sql.builders import Sql, and_, call, cast, or_, string_literal
from predicat.backends.sql.postgres import (
    index_arrays,
    index_documents,
    index_numbers,
    index_texts,
    index_values,
)
from predicat.backends.sql.postgres.index_documents import document, is_text_only
from predicat.backends.sql.postgres.stored import spelling
from predicat.backends.sql.renderer import Renderer
from predicat.backends.sql.rules import Served
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Quantifier
from predicat.ir.operators import STRICT
from predicat.ir.types import STRING, MapType

# An index does not help a test that reads more keys than this.
_MOST = 4


def served(r: Renderer, node: Node, sql: Sql) -> Served | None:
    """The form of a test that uses an index; None if the usual form, `sql`, is better."""
    if r.parameterize:
        return _with_parameters(r, node, sql)
    if r.storage.indexes is None and not isinstance(node, Quantifier):
        return None
    for rule in _RULES:
        if (result := rule(r, node, sql)) is not None:
            return result
    return None


_RULES = (
    index_arrays.served,
    index_values.served,
    index_documents.served,
    index_texts.served,
    index_numbers.served,
    index_values.by_first_letters,
)


# --- with parameters


def _with_parameters(r: Renderer, node: Node, sql: Sql) -> Served | None:
    """A form for a GIN index on a map: it contains a key with its value, or has the key. The first is the
    whole test: the planner would multiply what it knows of both.
    """
    keys = list(dict.fromkeys(_required_keys(node)))
    if not 0 < len(keys) <= _MOST or not all(_has_gin(r, field) for field, _ in keys):
        return None
    if index_documents.has_tree(r, sql):
        return None
    field, key = keys[0]
    values = _equal_to(node, sql) if len(keys) == 1 else ()
    if values:
        column = r.column(field)
        return Served(
            or_(
                *(exp.ArrayContainsAll(this=column.copy(), expression=_document(key, one)) for one in values)
            ),
            exact=True,
        )
    if not all(_has_gin(r, field, "", "jsonb_ops") for field, _ in keys):
        return None
    return Served(
        and_(
            *(
                exp.JSONBContainsTopKey(this=r.column(field), expression=string_literal(key))
                for field, key in keys
            )
        )
    )


def _has_gin(r: Renderer, field: Field, *operators: str) -> bool:
    wanted = operators or ("", "jsonb_ops", "jsonb_path_ops")
    return r.storage.index_on(spelling(r.column(field)), ("gin",), wanted, whole=True) is not None


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


def _equal_to(node: Node, sql: Sql) -> Sequence[Sql]:
    """The SQL of the values of which a key must have one; empty if `@>` would not find every such value."""
    match node:
        case Call(op="eq", args=(Call(op="get", type=kind), Literal() as wanted)):
            items: Sequence[Node] = [wanted]
            values = [sql.expression] if isinstance(sql, exp.EQ) else []
        case Call(op="eq", args=(Literal() as wanted, Call(op="get", type=kind))):
            items, values = [wanted], [sql.this] if isinstance(sql, exp.EQ) else []
        case Call(op="in", args=(Call(op="get", type=kind), Items(items=items))):
            values = sql.expressions if isinstance(sql, exp.In) else []
        case _:
            return ()
    texts = [item.value for item in items if isinstance(item, Literal)]
    known = kind == STRING and all(isinstance(text, str) and is_text_only(text) for text in texts)
    return values if known and len(texts) == len(values) <= _MOST else ()


def _document(key: str, value: Sql) -> Sql:
    """A JSON object with one key. For a parameter PostgreSQL's own function builds the object: an immutable
    one, so that the planner has a constant, and does not build it for each row.
    """
    if isinstance(value, exp.Literal):
        return string_literal(document({key: value.name}))
    pair = exp.Array(expressions=[string_literal(key), cast(value, "TEXT")])
    return call("PG_CATALOG.JSONB_OBJECT", pair)
