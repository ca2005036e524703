"""Casts of strings in SQL, which accept what both Spark and PostgreSQL accept.

Surrounding whitespace is dropped. A timestamp is a date, or a date and a time with a space or a T between
them, with optional seconds, fraction and zone; UTC if it has no zone. The operators of the table accept only
RFC 3339, as CEL does.
"""

from __future__ import annotations

from predicat.diagnostics import Span
from predicat.ir.nodes import Call, Items, Literal, Node
from predicat.ir.surface import CONVERSIONS
from predicat.ir.types import BIGINT, BOOLEAN, DATE, STRING, TIMESTAMP, ArrayType, Type

# The characters that both engines drop around a string before a cast.
BLANKS = " \t\n\v\f\r"
TRUTHS = {
    **dict.fromkeys(("t", "true", "y", "yes", "1"), True),
    **dict.fromkeys(("f", "false", "n", "no", "0"), False),
}
_DAY = "^[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = f"{_DAY}[ Tt][0-9]{{2}}:[0-9]{{2}}"
_SECONDS = ":[0-9]{2}(?:[.][0-9]{1,9})?"
# The formats of a date with a time, and what to append to each for RFC 3339.
_ENDINGS = (
    (f"{_CLOCK}$", ":00Z"),
    (f"{_CLOCK}{_SECONDS}$", "Z"),
    (f"{_CLOCK}{_SECONDS}[+-][0-9]{{2}}$", ":00"),
    (f"{_CLOCK}{_SECONDS}(?:[Zz]|[+-][0-9]{{2}}:[0-9]{{2}})$", ""),
)
# One pattern for all these formats, with valid hours, minutes and seconds.
MOMENT = (
    f"{_DAY}[ Tt](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{{1,9}})?"
    "(?:[Zz]|[+-][0-9]{2}(?::[0-9]{2})?)?)?$"
)


def of_text(text: Node, kind: Type, span: Span) -> Node:
    """The cast of a string to one of these types; UNKNOWN if the string is not a value of the type."""
    plain = Call(STRING, "strip", (text, Literal(STRING, BLANKS, span)), span)
    if kind == BOOLEAN:
        word = Call(STRING, "lower", (plain,), span)
        no = Call(BOOLEAN, "cond", (_one_of(word, False, span), _truth(False), _truth(None)), span)
        return Call(BOOLEAN, "cond", (_one_of(word, True, span), _truth(True), no), span)
    if kind == TIMESTAMP:
        return Call(TIMESTAMP, "to_timestamp", (_rfc3339(plain, span),), span)
    if kind == DATE:  # of a moment, its day
        return Call(
            DATE, CONVERSIONS[kind], (_choice(plain, MOMENT, _part(plain, span, 1, 10), plain, span),), span
        )
    return Call(kind, CONVERSIONS[kind], (plain,), span)


def text_of(node: Call) -> Node | None:
    """The string that `of_text` cast; None for another conversion."""
    first: Node = node
    if node.type not in CONVERSIONS:
        return None
    for _ in range(_DEEPEST):
        if not isinstance(first, Call) or not first.args:
            return None
        if first.op == "strip":
            text = first.args[0]
            return text if of_text(text, node.type, node.span) == node else None
        first = first.args[0]
    return None


# The most levels of first arguments in a cast above the trimmed string.
_DEEPEST = 4


def _rfc3339(text: Node, span: Span) -> Node:
    """The string of a timestamp in the format of RFC 3339; UNKNOWN for another string."""
    day, clock = _part(text, span, 1, 10), _part(text, span, 12)
    result: Node = Literal(STRING, None, span)
    for pattern, ending in reversed(_ENDINGS):
        whole = _joined(day, Literal(STRING, "T", span), clock, span)
        if ending:
            whole = Call(STRING, "concat", (whole, Literal(STRING, ending, span)), span)
        result = _choice(text, pattern, whole, result, span)
    midnight = Call(STRING, "concat", (text, Literal(STRING, "T00:00:00Z", span)), span)
    return _choice(text, f"{_DAY}$", midnight, result, span)


def _choice(text: Node, pattern: str, yes: Node, no: Node, span: Span) -> Node:
    test = Call(BOOLEAN, "matches", (text, Literal(STRING, pattern, span)), span)
    return Call(STRING, "cond", (test, yes, no), span)


def _part(text: Node, span: Span, *bounds: int) -> Node:
    return Call(STRING, "substr", (text, *(Literal(BIGINT, bound, span) for bound in bounds)), span)


def _joined(one: Node, other: Node, last: Node, span: Span) -> Node:
    return Call(STRING, "concat", (Call(STRING, "concat", (one, other), span), last), span)


def _one_of(word: Node, value: bool, span: Span) -> Node:
    words = tuple(Literal(STRING, text, span) for text, truth in TRUTHS.items() if truth is value)
    return Call(BOOLEAN, "in", (word, Items(ArrayType(STRING), words, span)), span)


def _truth(value: bool | None) -> Node:
    return Literal(BOOLEAN, value)
