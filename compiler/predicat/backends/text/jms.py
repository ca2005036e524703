"""Writes SQL-92 conditions: JMS message selectors."""

from __future__ import annotations

import math
import re
from decimal import Decimal

from predicat.backends.text.shapes import COMPARISONS, key_of, plain, refuse
from predicat.ir.nodes import Call, Field, Items, Literal, Node
from predicat.semantics import like

_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
_RESERVED = frozenset({"NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE"})


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
    if not _NAME.match(name) or name.upper() in _RESERVED:
        raise refuse("jms", node, f"{name!r} is no identifier of a selector")
    return name


def _call(node: Call) -> tuple[str, int]:
    op, args = node.op, node.args
    if op in ("and", "or"):
        own = 2 if op == "and" else 1
        return f" {op.upper()} ".join(_write(arg, own + 1) for arg in args), own
    if op == "not":
        if isinstance(args[0], Call) and args[0].op == "is_null":
            return f"{_write(args[0].args[0], 5)} IS NOT NULL", 4
        return f"NOT {_write(args[0], 3)}", 3
    if op == "is_null" and key_of(args[0]) is not None:
        return f"{_write(args[0], 5)} IS NULL", 4
    if op in COMPARISONS:
        return f"{_write(args[0], 5)} {COMPARISONS[op]} {_write(args[1], 5)}", 4
    if op in _ARITHMETIC:
        own = 5 if op in ("add", "sub") else 6
        return f"{_write(args[0], own)} {_ARITHMETIC[op]} {_write(args[1], own + 1)}", own
    if op == "neg":
        return f"-{_write(args[0], 7)}", 7
    if op == "in" and isinstance(args[1], Items) and args[1].items:
        if not all(isinstance(item, Literal) and isinstance(item.value, str) for item in args[1].items):
            raise refuse("jms", node, "IN takes texts")
        return f"{_write(args[0], 5)} IN ({', '.join(_write(item, 0) for item in args[1].items)})", 4
    if op in like.PATTERNS and isinstance(args[1], Literal) and isinstance(args[1].value, str):
        pattern = like.PATTERNS[op](args[1].value)
        escape = " ESCAPE '\\'" if "\\" in pattern else ""
        return f"{_write(args[0], 5)} LIKE {_quoted(pattern)}{escape}", 4
    raise refuse("jms", node, "a selector has no operator for it")


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
