"""Writes JMS message selectors."""

from __future__ import annotations

import math
import re
from decimal import Decimal

from predicat.backends.text.shapes import COMPARISONS, key_of, plain, refuse
from predicat.frontends.jms import KEYWORDS
from predicat.ir.nodes import Call, Field, Items, Literal, Node
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, STRING
from predicat.semantics import like

_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "div": "/", "fdiv": "/"}
_NUMBERS = (BIGINT, DOUBLE, JSON)
_VALUES = (*_NUMBERS, STRING, BOOLEAN)
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")


def write(node: Node) -> str:
    """The predicate as a selector. Raises Unsupported."""
    return _write(plain(node), 0)


def _write(node: Node, level: int) -> str:
    match node:
        case Literal():
            return _literal(node)
        case Field():
            return _identifier(node, node.decl.name)
        case Call() if (key := key_of(node)) is not None:
            return _identifier(node, key)
        case Call():
            text, own = _call(node)
            return f"({text})" if own < level else text
        case _:
            raise refuse("jms", node, "a selector has no parameters, lists or macros")


def _identifier(node: Node, name: str) -> str:
    if not _NAME.match(name) or name.upper() in KEYWORDS:
        raise refuse("jms", node, f"{name!r} is no identifier of a selector")
    return name


def _call(node: Call) -> tuple[str, int]:
    op, args = node.op, node.args
    if op in ("and", "or"):
        own = 2 if op == "and" else 1
        return f" {op.upper()} ".join(_write(arg, own + 1) for arg in args), own
    if op == "not":
        if isinstance(args[0], Call) and args[0].op == "is_null" and key_of(args[0].args[0]) is not None:
            return f"{_write(args[0].args[0], 5)} IS NOT NULL", 4
        return f"NOT {_write(args[0], 3)}", 3
    if op == "is_null" and key_of(args[0]) is not None:
        return f"{_write(args[0], 5)} IS NULL", 4
    if op in COMPARISONS:
        left, right = _compared(node)
        return f"{_write(left, 5)} {COMPARISONS[op]} {_write(right, 5)}", 4
    if op in _ARITHMETIC:
        return _calculation(node)
    if op == "neg":
        return f"-{_write(args[0], 7)}", 7
    if op in ("in", *like.PATTERNS) and key_of(args[0]) is None:
        raise refuse("jms", node, "IN and LIKE ask about a property")
    if op == "in" and isinstance(args[1], Items) and args[1].items:
        if not all(isinstance(item, Literal) and isinstance(item.value, str) for item in args[1].items):
            raise refuse("jms", node, "IN takes texts")
        return f"{_write(args[0], 5)} IN ({', '.join(_write(item, 0) for item in args[1].items)})", 4
    if op in like.PATTERNS and isinstance(args[1], Literal) and isinstance(args[1].value, str):
        pattern = like.PATTERNS[op](args[1].value)
        escape = " ESCAPE '\\'" if "\\" in pattern else ""
        return f"{_write(args[0], 5)} LIKE {_quoted(pattern)}{escape}", 4
    raise refuse("jms", node, "a selector has no operator for it")


def _compared(node: Call) -> list[Node]:
    """What is compared: a selector orders numbers only, and has no decimals."""
    allowed = _VALUES if node.op in ("eq", "ne") else _NUMBERS
    kinds = {arg.type for arg in node.args}
    for arg in node.args:
        plain = (
            isinstance(arg, Literal)
            and isinstance(arg.value, Decimal)
            and BIGINT in kinds
            and _between_the_same(arg.value)
        )
        if arg.type not in allowed and not plain:
            raise refuse(
                "jms",
                node,
                f"a selector does not {'compare' if allowed is _VALUES else 'order'} a {arg.type}",
            )
    return _promoted(*node.args)


def _between_the_same(value: Decimal) -> bool:
    """Whether no whole number tells a decimal from the double nearest to it."""
    nearest = float(value)
    return (
        abs(value) < 2**53
        and math.floor(value) == math.floor(nearest)
        and (value % 1 == 0) == nearest.is_integer()
    )


def _promoted(left: Node, right: Node) -> list[Node]:
    """Two operands, without the conversion of a whole number that goes without saying beside a double."""
    if right.type == DOUBLE and not _converted(right):
        left = left.args[0] if isinstance(left, Call) and _converted(left) else left
    elif left.type == DOUBLE and not _converted(left):
        right = right.args[0] if isinstance(right, Call) and _converted(right) else right
    return [left, right]


def _converted(node: Node) -> bool:
    return isinstance(node, Call) and node.op == "to_double" and node.args[0].type == BIGINT


def _calculation(node: Call) -> tuple[str, int]:
    own = 5 if node.op in ("add", "sub") else 6
    right = node.args[1]
    if any(arg.type not in _NUMBERS for arg in node.args):
        raise refuse("jms", node, "a selector calculates with numbers")
    if node.op in ("div", "fdiv") and node.type == DOUBLE and all(arg.type != DOUBLE for arg in node.args):
        raise refuse(
            "jms",
            node,
            "a selector divides whole numbers, if that is what the properties are, without a rest",
        )
    if node.op == "div" and node.type == DOUBLE and not (isinstance(right, Literal) and right.value):
        raise refuse("jms", node, "a selector's double divided by zero is infinite")
    left, right = _promoted(*node.args)
    return f"{_write(left, own)} {_ARITHMETIC[node.op]} {_write(right, own + 1)}", own


def _literal(node: Literal) -> str:
    match node.value:
        case bool():
            return "TRUE" if node.value else "FALSE"
        case int():
            return str(node.value)
        case float() if math.isfinite(node.value):
            return repr(node.value)
        case Decimal():
            return f"{node.value:f}"
        case str():
            return _quoted(node.value)
        case _:
            raise refuse("jms", node, "a selector has texts, numbers and truth values only")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
