"""Writes CloudEvents SQL expressions, over attributes that are texts, 32-bit integers or truth values."""

from __future__ import annotations

import re

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Items, Literal, Node
from predicat.ir.ops import COMPARISONS, EQUALITIES, JUNCTIONS
from predicat.ir.types import BIGINT, BOOLEAN, JSON, STRING
from predicat.ir.values import WHITE_SPACE
from predicat.language.cesql.reader import INT_MAX, KEYWORDS, TEXT_TOKEN, unquoted
from predicat.language.common.key_tests import key_of, plain, refuse
from predicat.semantics import like

_NAME = re.compile(r"[a-z_][a-z0-9_]*\Z")
_LOGIC, _COMPARE, _SUM, _PRODUCT, _POSTFIX, _UNARY, _ATOM = range(1, 8)
_ARITHMETIC = {
    "add": ("+", _SUM),
    "sub": ("-", _SUM),
    "mul": ("*", _PRODUCT),
    "div": ("/", _PRODUCT),
    "mod": ("%", _PRODUCT),
}
_FUNCTIONS = {"lower": "LOWER", "upper": "UPPER", "length": "LENGTH", "concat": "CONCAT"}


def write(node: Node) -> str:
    """The predicate as an expression. Raises Unsupported."""
    return _write(plain(node), 0)


def _write(node: Node, level: int) -> str:
    key = key_of(node)
    if key is not None:
        if node.type == JSON:
            raise refuse("cesql", node, say.CESQL_CONVERTS)
        if node.type not in (STRING, BIGINT, BOOLEAN):
            raise refuse("cesql", node, say.CESQL_ATTRIBUTE_TYPES)
        return _name(node, key)
    match node:
        case Literal():
            text = _literal(node)
            return f"({text})" if text.startswith("-") and level > _UNARY else text
        case Call():
            text, own = _call(node)
            return f"({text})" if own < level else text
        case _:
            raise refuse("cesql", node, say.CESQL_HAS_NO_PARAMETERS)


def _name(node: Node, key: str) -> str:
    if not _NAME.match(key) or key.upper() in KEYWORDS:
        raise refuse("cesql", node, say.no_attribute_name(key))
    return key


def _call(node: Call) -> tuple[str, int]:
    op, args = node.op, node.args
    if op in JUNCTIONS:
        return f" {op.upper()} ".join(_write(arg, _LOGIC + 1) for arg in args), _LOGIC
    if op == "not":
        inner = args[0]
        if isinstance(inner, Call) and inner.op == "is_null" and (key := key_of(inner.args[0])) is not None:
            return f"EXISTS {_name(inner.args[0], key)}", _UNARY
        return f"NOT {_write(inner, _POSTFIX)}", _UNARY
    if op == "is_null" and (key := key_of(args[0])) is not None:
        return f"NOT EXISTS {_name(args[0], key)}", _UNARY
    if op in COMPARISONS:
        return _comparison(node), _COMPARE
    if op == "in" and isinstance(args[1], Items) and args[1].items:
        for item in args[1].items:
            _same_type(node, args[0], item)
        return (
            f"{_write(args[0], _UNARY)} IN ({', '.join(_write(item, 0) for item in args[1].items)})",
            _POSTFIX,
        )
    if op in like.PATTERNS and isinstance(args[1], Literal) and isinstance(args[1].value, str):
        return f"{_write(args[0], _UNARY)} LIKE {_quoted(node, like.PATTERNS[op](args[1].value))}", _POSTFIX
    if op in _FUNCTIONS:
        return f"{_FUNCTIONS[op]}({', '.join(_write(arg, 0) for arg in args)})", _ATOM
    if op == "strip" and args[1] == Literal(STRING, WHITE_SPACE):
        return f"TRIM({_write(args[0], 0)})", _ATOM
    if op == "int32":
        return _integer(args[0])
    if op == "cond" and (text := _truth_of(node)) is not None:
        return f"BOOL({_write(text, 0)})", _ATOM
    raise refuse("cesql", node, say.CESQL_LONGER if node.type == BIGINT else say.CESQL_HAS_NO_OPERATOR)


def _comparison(node: Call) -> str:
    left, right = node.args
    _same_type(node, left, right)
    if node.op not in EQUALITIES and left.type != BIGINT:
        raise refuse("cesql", node, say.CESQL_ORDERS_INTEGERS)
    return f"{_write(left, _COMPARE + 1)} {COMPARISONS[node.op].sign} {_write(right, _COMPARE + 1)}"


def _same_type(node: Call, left: Node, right: Node) -> None:
    """One side is cast to the type of the other: that must be the type it has."""
    if left.type != right.type or left.type not in (STRING, BIGINT, BOOLEAN):
        raise refuse("cesql", node, say.CESQL_COMPARES_KINDS)


def _integer(node: Node) -> tuple[str, int]:
    """What 32 bits bound: an operation, or a text read as an integer."""
    if isinstance(node, Call):
        if node.op in _ARITHMETIC:
            sign, own = _ARITHMETIC[node.op]
            return f"{_write(node.args[0], own)} {sign} {_write(node.args[1], own + 1)}", own
        if node.op == "neg":
            return f"-{_write(node.args[0], _ATOM)}", _UNARY
        if node.op == "abs":
            return f"ABS({_write(node.args[0], 0)})", _ATOM
        if node.op == "to_int" and node.args[0].type == STRING:
            return f"INT({_write(node.args[0], 0)})", _ATOM
    raise refuse("cesql", node, say.CESQL_HAS_NO_OPERATOR)


def _truth_of(node: Call) -> Node | None:
    """The text that a condition reads as a truth value, as CESQL does by itself."""
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
    """A text in the quotes that can hold it: a backslash escapes the quote and nothing else, itself
    included.
    """
    for quote in "'\"":
        shown = quote + text.replace(quote, "\\" + quote) + quote
        if TEXT_TOKEN.fullmatch(shown) and unquoted(shown) == text:
            return shown
    raise refuse("cesql", node, say.CESQL_QUOTES)
