"""Writes filters of AIP-160. `!=` and NOT accept a field that is not set, so `field:*` stands beside them."""

from __future__ import annotations

import math
import re
from datetime import date
from decimal import Decimal

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Quantifier, Variable
from predicat.ir.operators import BY_KEY, COMPARISONS, FLIPPED, JSON_READS, JUNCTIONS
from predicat.ir.types import BOOLEAN, JSON, ArrayType
from predicat.language.common.key_tests import iso, operand_of_is_true, refuse

NAME = "aip160"
_WORD = re.compile(r"[^\W\d][\w-]*\Z")
_KEYWORDS = ("AND", "OR", "NOT")
# Where `*` stands in a string.
_AFFIXES = {"starts_with": ("", "*"), "ends_with": ("*", ""), "contains": ("*", "*")}
_SIGNS = {"eq": "=", "ne": "!=", **{op: COMPARISONS[op].sign for op in ("lt", "le", "gt", "ge")}}


def write(node: Node) -> str:
    """The predicate as a filter. Raises Unsupported."""
    return _filter(node, "")


def _refused(node: Node, reason: str = say.AIP160_HAS_NO_OPERATOR) -> Exception:
    return refuse(NAME, node, reason)


def _filter(node: Node, around: str) -> str:
    """A predicate that is never UNKNOWN, inside of the operator `around`; "" at the top."""
    inner = operand_of_is_true(node)
    if inner is not None:
        return _decided(inner, around, holds=True)
    match node:
        case Call(_, op, args) if op in JUNCTIONS:
            return _joined(op.upper(), [_filter(arg, op.upper()) for arg in args], around)
        case Call(_, "not", (Call(_, "is_null", (arg,)),)):
            return f"{_path(arg)}:*"
        case Call(_, "is_null", (arg,)):
            return f"NOT {_path(arg)}:*"
        case Call(_, "not", (arg,)):
            return f"NOT {_filter(arg, 'NOT')}"
        case Quantifier():
            return _element(node)
        case _:
            raise _refused(node)


def _joined(word: str, parts: list[str], around: str) -> str:
    """Parts joined by AND or OR, in parentheses inside of the other one."""
    text = f" {word} ".join(parts)
    return text if around in ("", word) else f"({text})"


def _decided(node: Node, around: str, *, holds: bool) -> str:
    """Whether a predicate is TRUE, or whether it is FALSE; neither if it is UNKNOWN."""
    match node:
        case Call(_, "not", (arg,)):
            return _decided(arg, around, holds=not holds)
        case Call(_, op, args) if op in JUNCTIONS:
            word = "AND" if (op == "and") == holds else "OR"
            return _joined(word, [_decided(arg, word, holds=holds) for arg in args], around)
        case Quantifier() if holds:
            return _element(node)
        case Field() | Call() if node.type == BOOLEAN and _is_path(node):
            return f"{_path(node)} = {'true' if holds else 'false'}"
        case Call():
            return _test(node, around, holds=holds)
        case _:
            raise _refused(node)


def _test(node: Call, around: str, *, holds: bool) -> str:
    """A comparison of a field with constants, or its negation for fields that are set."""
    op, args = node.op, node.args
    if op in FLIPPED and isinstance(args[0], Literal):
        op, args = FLIPPED[op], args[::-1]
    if len(args) != 2:
        raise _refused(node)
    first = args[0]
    typed = not (isinstance(first, Call) and first.op in JSON_READS)
    field = first.args[0] if isinstance(first, Call) and first.op in JSON_READS else first
    if not _is_path(field) or isinstance(field.type, ArrayType) or (typed and field.type == JSON):
        raise _refused(node, say.AIP160_TESTS_FIELDS)
    if not holds and not typed:
        raise _refused(node, say.AIP160_TESTS_FIELDS)
    path = _path(field)
    if op in _AFFIXES:
        before, after = _AFFIXES[op]
        test = f'{path} = "{before}{_starless(node, args[1])}{after}"'
    elif op == "in" and isinstance(args[1], Items) and args[1].items:
        values = [f"{path} = {_constant(node, item)}" for item in args[1].items]
        test = _joined("OR", values, around if holds else "NOT")
        test = test if len(values) > 1 else values[0]
    elif op in _SIGNS:
        test = f"{path} {_SIGNS[op]} {_constant(node, args[1])}"
    else:
        raise _refused(node)
    if holds and op != "ne":
        return test
    rest = test if holds else f"NOT {test}"
    return _joined("AND", [f"{path}:*", rest], around)


def _element(node: Quantifier) -> str:
    """Whether a list has an element that equals a constant."""
    body = operand_of_is_true(node.body) or node.body
    if node.kind == "any" and isinstance(node.source.type, ArrayType):
        match body:
            case Call(_, "eq", (Variable(_, name), Literal() as value)) if name == node.variable:
                return f"{_path(node.source)}:{_constant(node, value)}"
    raise _refused(node)


def _is_path(node: Node) -> bool:
    return isinstance(node, Field) or (
        isinstance(node, Call) and node.op in BY_KEY and _is_path(node.args[0])
    )


def _path(node: Node) -> str:
    """The dotted path to a field or a member. Raises Unsupported for a name that it cannot have."""
    match node:
        case Field(_, decl) if all(map(_is_word, decl.name.split("."))):
            return decl.name
        case Call(_, op, (base, Literal(_, str() as key))) if op in BY_KEY:
            return f"{_path(base)}.{key if _is_word(key) else _quoted(key)}"
        case _:
            raise _refused(node, say.AIP160_TESTS_FIELDS)


def _is_word(name: str) -> bool:
    return _WORD.match(name) is not None and name not in _KEYWORDS


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _starless(node: Node, value: Node) -> str:
    """A string without quotes around it. Raises Unsupported for a `*`, which cannot be escaped."""
    text = value.value if isinstance(value, Literal) else None
    if not isinstance(text, str) or not text or "*" in text:
        raise _refused(node, say.AIP160_STAR)
    return _quoted(text)[1:-1]


def _constant(node: Node, value: Node) -> str:
    constant = value.value if isinstance(value, Literal) else None
    match constant:
        case bool():
            return "true" if constant else "false"
        case str() if "*" in constant:
            raise _refused(node, say.AIP160_STAR)
        case str():
            return _quoted(constant)
        case int():
            return str(constant)
        case float() if math.isfinite(constant):
            return repr(constant)
        case Decimal():
            return f"{constant:f}"
        case date():
            return _quoted(iso(constant))
        case _:
            raise _refused(node)
