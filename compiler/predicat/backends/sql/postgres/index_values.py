"""PostgreSQL: equalities of JSON values that use an index on the value, `j -> 'k'`, or its text, `j ->> 'k'`.

jsonb compares strings and booleans as the core does. The text of a number in jsonb has all its digits, so
that many texts are those of one double: they are in a range that an index finds, and the test decides.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    and_,
    between,
    binary,
    call,
    is_null,
    not_,
    or_,
    string_literal,
)
from predicat.backends.sql.postgres import documents
from predicat.backends.sql.postgres.stored import TREES, spelling
from predicat.backends.sql.renderer import Renderer
from predicat.backends.sql.rules import Served
from predicat.ir.nodes import Call, Items, Literal, Node


def served(r: Renderer, node: Node, sql: Sql) -> Served | None:
    """The form of an equality that uses an index on the value or on its text; None for other tests."""
    if r.parameterize or not isinstance(node, Call):
        return None
    match node:
        case Call(op="or") if documents.called_text(r, node) is not None:
            return _near(r, node, sql, indexed=True)
        case Call(op="json_equals", args=(value, Literal(value=str() | bool()) as wanted)):
            return _equal(r, value, [wanted])
        case Call(op="json_in", args=(value, Items(items=items))):
            return _equal(r, value, items)
        case _:
            return None


def by_first_letters(r: Renderer, node: Node, sql: Sql) -> Served | None:
    """`j ->> 'n' = '5'` for texts that begin as such a number, without an index."""
    if not isinstance(node, Call) or documents.called_text(r, node) is None:
        return None
    return _near(r, node, sql, indexed=False)


def _equal(r: Renderer, value: Node, wanted: Sequence[Node]) -> Served | None:
    if r.storage.index_on(spelling(documents.text_of(r, value)), TREES) is not None:
        return None  # the usual form has it
    sql = r.document(value)
    if r.storage.index_on(spelling(sql), TREES) is None:
        return None
    values = [
        string_literal(json.dumps(one.value, ensure_ascii=False))
        for one in wanted
        if isinstance(one, Literal)
    ]
    if len(values) == 1:
        return Served(binary(exp.EQ, sql, values[0]), exact=True)
    return Served(exp.In(this=exp.Paren(this=sql), expressions=values), exact=True)


def _near(r: Renderer, node: Call, sql: Sql, *, indexed: bool) -> Served | None:
    """A condition on the text that is TRUE whenever the test is. The planner expects as many rows of it as of
    the author's alone.
    """
    found = documents.text_of_number(node)
    if found is None:
        return None
    value, number = found
    text = documents.text_of(r, value)
    pieces = _texts_near(number)
    if indexed:
        if not r.storage.order.digits or r.storage.index_on(spelling(text), ("btree",), ("",), "") is None:
            return None
        beside = or_(*(between(text.copy(), low, high) for low, high in pieces))
    else:
        width = len(str(number))
        heads = [
            string_literal(one) for one in dict.fromkeys(end[:width] for piece in pieces for end in piece)
        ]
        beside = exp.In(this=call("LEFT", text, width), expressions=heads)
    return Served(and_(beside, not_(is_null(call("NULLIF", sql, exp.false())))), exact=True)


def _texts_near(number: int) -> list[tuple[str, str]]:
    """Ranges of texts that have the text of an integer, and those of all numbers of which it is the double:
    they are less than 0.1 away. A range ends with a letter where nothing but digits may follow.
    """
    sign, size = "-" if number < 0 else "", abs(number)
    if not size:
        return [("0", "0.1"), ("-0", "-0.1")]
    below, above = f"{sign}{size - 1}.9", f"{sign}{size}.1"
    if len(str(size - 1)) == len(str(size)) or size == 1:
        return [(below, above)]
    return [(below, f"{sign}{size - 1}.a"), (f"{sign}{size}", above)]
