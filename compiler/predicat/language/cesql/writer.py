"""Writes CloudEvents SQL expressions, over attributes that are strings, 32-bit integers or booleans."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from predicat.diagnostics import Unsupported
from predicat.diagnostics.messages import backends as say
from predicat.forms import failing
from predicat.forms.logic import present
from predicat.ir.nodes import Call, Items, Literal, Node, walk
from predicat.ir.operators import COMPARISONS, CONNECTIVES, EQUALITIES, JUNCTIONS, OF_INTEGERS
from predicat.ir.types import BIGINT, BOOLEAN, JSON, STRING
from predicat.ir.values import WHITE_SPACE
from predicat.language.cesql.spelling import (
    ATOM,
    FUNCTIONS,
    INFIX,
    INT_MAX,
    KEYWORDS,
    POSTFIX,
    TEXT_TOKEN,
    UNARY,
    unquoted,
    written_pattern,
)
from predicat.language.common.key_tests import key_of, refuse, without_conversions
from predicat.language.common.precedence_writer import Form, PrecedenceWriter
from predicat.semantics import like

_NAME = re.compile(r"[a-z_][a-z0-9_]*\Z")


def write(node: Node) -> str:
    """The predicate as an expression. Raises Unsupported."""
    return _Writer().text(without_conversions(node))


class _Writer(PrecedenceWriter):
    def form(self, node: Node) -> Form:
        key = key_of(node)
        if key is not None:
            if node.type == JSON:
                raise refuse("cesql", node, say.CESQL_CONVERTS)
            if node.type not in (STRING, BIGINT, BOOLEAN):
                raise refuse("cesql", node, say.CESQL_ATTRIBUTE_TYPES)
            return _name(node, key), ATOM
        match node:
            case Literal():
                text = _literal(node)
                return text, UNARY if text.startswith("-") else ATOM
            case Call() if (rule := _RULES.get(node.op)) is not None:
                return rule(self, node)
            case Call():
                raise _no_operator(node)
            case _:
                raise refuse("cesql", node, say.CESQL_HAS_NO_PARAMETERS)

    def negation(self, node: Call) -> Form:
        (inner,) = node.args
        if isinstance(inner, Call) and inner.op == "is_null" and (key := key_of(inner.args[0])) is not None:
            return f"EXISTS {_name(inner.args[0], key)}", UNARY
        if isinstance(inner, Call) and inner.op == "not":
            return self.form(inner.args[0])
        if isinstance(inner, Call) and inner.op in JUNCTIONS:
            return self.form(_turned(inner))
        return f"NOT {self.text(inner, UNARY)}", UNARY

    def junction(self, op: str, parts: Sequence[Node]) -> Form:
        """AND or OR. An error of a part rejects the event, unless a part before it decides: conditions of OR
        test their attributes first.
        """
        if op == "or":
            parts = _without_errors(parts)
        return self.between(INFIX[op], parts)

    def absence(self, node: Call) -> Form:
        key = key_of(node.args[0])
        if key is None:
            raise _no_operator(node)
        return f"NOT EXISTS {_name(node.args[0], key)}", UNARY

    def comparison(self, node: Call) -> Form:
        left, right = node.args
        _same_type(node, left, right)
        _same_from_left(node)
        if node.op not in EQUALITIES and left.type != BIGINT:
            raise refuse("cesql", node, say.CESQL_ORDERS_INTEGERS)
        return self.between(INFIX[node.op], node.args)

    def within(self, node: Call) -> Form:
        value, items = node.args
        if not isinstance(items, Items) or not items.items:
            raise _no_operator(node)
        _same_from_left(node)
        for item in items.items:
            _same_type(node, value, item)
        return f"{self.text(value, UNARY)} IN ({self.listed(items.items)})", POSTFIX

    def matched(self, node: Call) -> Form:
        value, wanted = node.args
        if not isinstance(wanted, Literal) or not isinstance(wanted.value, str):
            raise _no_operator(node)
        text = written_pattern(like.PATTERNS[node.op](wanted.value))
        if text is None:
            raise refuse("cesql", node, say.CESQL_BACKSLASH)
        pattern = _quoted(node, text)
        return f"{self.text(value, UNARY)} LIKE {pattern}", POSTFIX

    def trimmed(self, node: Call) -> Form:
        if node.args[1] != Literal(STRING, WHITE_SPACE):
            raise _no_operator(node)
        return f"TRIM({self.text(node.args[0])})", ATOM

    def truth(self, node: Call) -> Form:
        """A string as a boolean."""
        text = _truth_of(node)
        if text is None:
            raise _no_operator(node)
        return f"BOOL({self.text(text)})", ATOM

    def integer(self, node: Call) -> Form:
        """An operation with a 32-bit result, or a string converted to an integer."""
        (inner,) = node.args
        rule = _INTEGERS.get(inner.op) if isinstance(inner, Call) else None
        if rule is None or not isinstance(inner, Call):
            raise refuse("cesql", inner, say.CESQL_HAS_NO_OPERATOR)
        return rule(self, inner)

    def number_of_text(self, node: Call) -> Form:
        if node.args[0].type != STRING:
            raise refuse("cesql", node, say.CESQL_HAS_NO_OPERATOR)
        return f"INT({self.text(node.args[0])})", ATOM


Rule = Callable[[_Writer, Call], Form]
# How each operator is written. The others are not supported.
_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(JUNCTIONS, lambda writer, node: writer.junction(node.op, node.args)),
    **dict.fromkeys(COMPARISONS, _Writer.comparison),
    **dict.fromkeys(like.PATTERNS, _Writer.matched),
    **dict.fromkeys(
        FUNCTIONS, lambda writer, node: (f"{FUNCTIONS[node.op]}({writer.listed(node.args)})", ATOM)
    ),
    "not": _Writer.negation,
    "is_null": _Writer.absence,
    "in": _Writer.within,
    "strip": _Writer.trimmed,
    "int32": _Writer.integer,
    "cond": _Writer.truth,
}
# How each operation is written whose result has 32 bits.
_INTEGERS: Mapping[str, Rule] = {
    **dict.fromkeys(OF_INTEGERS, lambda writer, node: writer.between(INFIX[node.op], node.args)),
    "neg": lambda writer, node: (f"-{writer.text(node.args[0], ATOM)}", UNARY),
    "abs": lambda writer, node: (f"ABS({writer.text(node.args[0])})", ATOM),
    "to_int": _Writer.number_of_text,
}


def _turned(node: Call) -> Call:
    """NOT of AND or OR, as OR or AND of the opposites."""
    op = "or" if node.op == "and" else "and"
    return Call(BOOLEAN, op, tuple(map(_opposite, node.args)), node.span)


def _opposite(node: Node) -> Node:
    """NOT of a node."""
    inner = node.args[0] if isinstance(node, Call) and node.op == "not" else None
    return inner if inner is not None else Call(BOOLEAN, "not", (node,), node.span)


def _without_errors(parts: Sequence[Node]) -> list[Node]:
    """Operands of OR of which none but the last may be an error, in an order that allows it.

    Raises Unsupported if several may fail for another reason than a missing attribute.
    """
    if failing.agrees(parts, failing.EVERY_EVENT):
        return list(parts)
    failing_last = sorted(parts, key=lambda part: failing.read_keys(part) is None)
    *first, last = failing_last
    return [*map(_guarded, first), last]


def _same_from_left(node: Node) -> None:
    """Raise Unsupported if AND or OR in an operand would be an error where it has a value."""
    junctions = [part for part in walk(node) if isinstance(part, Call) and part.op in JUNCTIONS]
    if not all(failing.agrees(part.args, failing.EVERY_EVENT) for part in junctions):
        raise refuse("cesql", node, say.CESQL_ERRORS_REJECT)


def _guarded(part: Node) -> Node:
    """A condition that is TRUE for the same events, and FALSE where it would be an error."""
    keys = failing.read_keys(part, failing.EVERY_EVENT)
    if keys == frozenset():
        return part
    inner = part.args[0] if isinstance(part, Call) and part.op == "not" else None
    if isinstance(inner, Call) and inner.op in CONNECTIVES:
        return _guarded(inner.args[0] if inner.op == "not" else _turned(inner))
    if isinstance(part, Call) and part.op in JUNCTIONS:
        return Call(BOOLEAN, part.op, tuple(map(_guarded, part.args)), part.span)
    if keys is None:
        raise refuse("cesql", part, say.CESQL_ERRORS_REJECT)
    places = {key: read for read in walk(part) if (key := key_of(read)) in keys}
    tests = [present(places[key], part.span) for key in sorted(keys)]
    return Call(BOOLEAN, "and", (*tests, part), part.span)


def _no_operator(node: Call) -> Unsupported:
    reason = say.CESQL_LONGER if node.type == BIGINT else say.CESQL_HAS_NO_OPERATOR
    return refuse("cesql", node, reason)


def _name(node: Node, key: str) -> str:
    if not _NAME.match(key) or key.upper() in KEYWORDS:
        raise refuse("cesql", node, say.no_attribute_name(key))
    return key


def _same_type(node: Call, left: Node, right: Node) -> None:
    """Raises Unsupported for operands of different types: CESQL casts one to the type of the other."""
    if left.type != right.type or left.type not in (STRING, BIGINT, BOOLEAN):
        raise refuse("cesql", node, say.CESQL_COMPARES_KINDS)


def _truth_of(node: Call) -> Node | None:
    """The string that a condition converts to a boolean. CESQL converts implicitly."""
    test, value, other = node.args
    if not (
        isinstance(test, Call)
        and test.op == "in"
        and isinstance(test.args[0], Call)
        and test.args[0].op == "lower"
    ):
        return None
    lower = test.args[0]
    words = (
        {item.value for item in test.args[1].items if isinstance(item, Literal)}
        if isinstance(test.args[1], Items)
        else set()
    )
    reads = (
        words == {"true", "false"}
        and value == Call(BOOLEAN, "eq", (lower, Literal(STRING, "true")))
        and isinstance(other, Literal)
        and other.value is None
    )
    return lower.args[0] if reads else None


def _literal(node: Literal) -> str:
    match node.value:
        case bool():
            return "TRUE" if node.value else "FALSE"
        case int() if abs(node.value) <= INT_MAX:
            return str(node.value)
        case str():
            return _quoted(node, node.value)
        case _:
            raise refuse("cesql", node, say.CESQL_CONSTANTS)


def _quoted(node: Node, text: str) -> str:
    """A string in single or double quotes. A backslash escapes only the quote, not even itself."""
    for quote in "'\"":
        shown = quote + text.replace(quote, "\\" + quote) + quote
        if TEXT_TOKEN.fullmatch(shown) and unquoted(shown) == text:
            return shown
    raise refuse("cesql", node, say.CESQL_QUOTES)
