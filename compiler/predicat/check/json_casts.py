"""JSON values beside values of other types in DuckDB, which casts the JSON value.

A number is cast from a number, a boolean and a string, and a boolean likewise: `doc.n = 5` is
`doc.n::INTEGER = 5`, and so it is TRUE for 4.6, for "5" and, beside 1, for `true`. Source: DuckDB
documentation, "JSON Processing Functions", and its cast of JSON.
"""

from __future__ import annotations

from predicat.check.integer_widths import width
from predicat.check.json_constants import spelled
from predicat.check.protocol import Compares
from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql_json as say
from predicat.forms.conversions import convert
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Parameter, walk
from predicat.ir.surface import CONVERSIONS, HALF_EVEN, TEXT_CASTS
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    JSON,
    NULL,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    Type,
)
from predicat.ir.widths import LONG

_TYPED = (BIGINT, DOUBLE, BOOLEAN, DATE, TIMESTAMP, STRING)


def cast(node: Node, to: Type, span: Span) -> Node:
    """A JSON value as a number, a boolean, a date or a timestamp; UNKNOWN if DuckDB raises an error."""
    number, truth, text = (convert(node, kind) for kind in (DOUBLE, BOOLEAN, STRING))
    rank = Call(BIGINT, "to_int", (truth,), span)
    reads: tuple[Node, ...] = ()
    if to == BIGINT:
        reads = Call(BIGINT, HALF_EVEN, (number,), span), rank
    elif to == DOUBLE:
        reads = number, Call(DOUBLE, "to_double", (rank,), span)
    elif to == BOOLEAN:
        reads = truth, Call(BOOLEAN, "ne", (number, Literal(DOUBLE, 0.0, span)), span)
        return Call(to, "coalesce", (*reads, _truth(text, span)), span)
    read = Call(to, CONVERSIONS[to] if to == DOUBLE else TEXT_CASTS[to], (text,), span)
    return Call(to, "coalesce", (*reads, read), span) if reads else read


def _truth(text: Node, span: Span) -> Node:
    """A JSON string as a boolean: fewer words than in a cast of a string, without blanks around them."""
    word = Call(STRING, "lower", (text,), span)
    result: Node = Literal(BOOLEAN, None, span)
    for value, words in ((False, ("f", "false", "no")), (True, ("t", "true", "yes"))):
        items = tuple(Literal(STRING, one, span) for one in words)
        test = Call(BOOLEAN, "in", (word, Items(ArrayType(STRING), items, span)), span)
        result = Call(BOOLEAN, "cond", (test, Literal(BOOLEAN, value, span), result), span)
    return result


def is_typed(_check: Compares, node: Node) -> bool:
    """Whether a value has one of the types that are compared, or is a list with such a value."""
    parts = node.items if isinstance(node, Items) else (node,)
    return any(part.type in _TYPED or isinstance(part.type, DecimalType) for part in parts)


def comparison(check: Compares, op: str, left: Node, right: Node, span: Span) -> Node:
    """A comparison, or IN, of a JSON value with values of other types. Raises Stop for decimals, to which
    DuckDB rounds the value, and for strings, which it parses.
    """
    document, other = (left, right) if left.type == JSON else (right, left)
    parts = other.items if isinstance(other, Items) else (other,)
    kinds = {part.type for part in parts if part.type != NULL}
    text = spelled(document, "->>")
    if JSON in kinds or STRING in kinds:
        raise check.fail(say.beside_string(span, text))
    if len(kinds) != 1 or any(map(_is_decimal, parts)):
        raise check.fail(say.beside_decimal(span, text))
    kind = next(iter(kinds))
    value = cast(document, kind, document.span)
    if kind == BIGINT and all(width(check, part) not in (None, LONG) for part in parts):
        value = Call(BIGINT, "int32", (value,), document.span)
    args = [value, right] if document is left else [left, value]
    return check.comparison(op, args, span)


def _is_decimal(node: Node) -> bool:
    """Whether a number is a decimal in DuckDB: a constant without an exponent is."""
    if node.type != DOUBLE or any(isinstance(part, Field | Parameter) for part in walk(node)):
        return isinstance(node.type, DecimalType)
    return "e" not in node.span.text.lower()
