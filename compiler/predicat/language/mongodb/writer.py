"""Writes query documents of MongoDB.

Comparisons are false for null and for absent fields, and their negations are true. So what must not be is
`$nin` with null in it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Quantifier, Variable
from predicat.ir.operators import BY_KEY, FLIPPED, JSON_READS, JUNCTIONS
from predicat.ir.types import BOOLEAN, JSON, STRING, ArrayType
from predicat.language.common.key_tests import iso, operand_of_is_true, refuse
from predicat.language.mongodb.spelling import ORDERS
from predicat.semantics import regex

NAME = "mongodb"


def write(node: Node) -> str:
    """The predicate as a query document. Raises Unsupported."""
    return json.dumps(_query(node), ensure_ascii=False)


def _refused(node: Node, reason: str = say.MONGODB_HAS_NO_OPERATOR) -> Exception:
    return refuse(NAME, node, reason)


def _query(node: Node) -> dict[str, Any]:
    """A predicate that is never UNKNOWN, as a query document."""
    inner, whole = operand_of_is_true(node), _spread(node)
    if inner is not None:
        return _decided(inner, holds=True)
    if whole is not None:
        path, test = _test(whole)
        return {path: test}
    match node:
        case Literal(_, True):
            return {}
        case Literal(_, False):
            return {"$nor": [{}]}
        case Call(_, op, args) if op in JUNCTIONS:
            return {f"${op}": [_query(arg) for arg in args]}
        case Call(_, "not", (Call(_, "is_null", (arg,)),)):
            return {_single(arg): {"$ne": None}}
        case Call(_, "is_null", (arg,)):
            return {_single(arg): None}
        case Call(_, "not", (arg,)):
            return {"$nor": [_query(arg)]}
        case Quantifier():
            return _some_element(node)
        case _:
            raise _refused(node)


def _spread(node: Node) -> Call | None:
    """The test of a JSON value, if a node is that test of the value or of an element of it, as in a query."""
    match node:
        case Call(_, "or", (whole, Call(_, "and", (listed, found)))):
            test, kind, some = (operand_of_is_true(part) or part for part in (whole, listed, found))
        case _:
            return None
    if not isinstance(some, Quantifier) or not isinstance(test, Call) or not test.args:
        return None
    element, body = Variable(JSON, some.variable), operand_of_is_true(some.body) or some.body
    read = test.args[0]
    if not isinstance(read, Call) or read.op not in JSON_READS or read.args != (some.source,):
        return None
    own = Call(read.type, read.op, (element,))
    same = body == Call(test.type, test.op, (own, *test.args[1:]))
    array = kind == Call(BOOLEAN, "json_is", (some.source, Literal(STRING, "array")))
    return Call(test.type, test.op, (some.source, *test.args[1:]), test.span) if same and array else None


def _decided(node: Node, *, holds: bool) -> dict[str, Any]:
    """Whether a predicate is TRUE, or whether it is FALSE; neither if it is UNKNOWN."""
    match node:
        case Call(_, "not", (arg,)):
            return _decided(arg, holds=not holds)
        case Call(_, op, args) if op in JUNCTIONS:
            joint = "$and" if (op == "and") == holds else "$or"
            return {joint: [_decided(arg, holds=holds) for arg in args]}
        case Quantifier() if holds:
            return _some_element(node)
        case Field() | Call() if node.type == BOOLEAN and _is_path(node):
            return {_path(node): holds}
        case Call() if node.args and node.args[0].type != JSON:  # it may be an array
            path, test = _test(node)
            if holds:
                return {path: test}
            return {path: _without(test)}
        case _:
            raise _refused(node)


def _without(test: Any) -> dict[str, Any]:
    """The negation of a test, for values that are there."""
    if not isinstance(test, dict):
        return {"$nin": [test, None]}
    if list(test) == ["$in"]:
        return {"$nin": [*test["$in"], None]}
    return {"$not": test, "$ne": None}


def _some_element(node: Quantifier) -> dict[str, Any]:
    """Whether an element of an array passes a test."""
    if node.kind != "any" or not isinstance(node.source.type, ArrayType):
        raise _refused(node)
    body = operand_of_is_true(node.body) or node.body
    if isinstance(body, Call) and isinstance(body.args[0], Variable) and body.args[0].name == node.variable:
        _, test = _test(body)
        return {_path(node.source): {"$elemMatch": test if isinstance(test, dict) else {"$eq": test}}}
    raise _refused(node)


def _test(node: Call) -> tuple[str, Any]:
    """The path and the test of a comparison with constants."""
    op, args = node.op, node.args
    if op in FLIPPED and isinstance(args[0], Literal):
        op, args = FLIPPED[op], args[::-1]
    build = _TESTS.get(op)
    if build is None or len(args) != 2:
        raise _refused(node)
    if not _is_path(args[0]) or isinstance(args[0].type, ArrayType):
        raise _refused(node, say.MONGODB_TESTS_FIELDS)
    return _path(args[0]), build(node, args[1])


def _member_of(node: Call, items: Node) -> Any:
    if not isinstance(items, Items) or not items.items:
        raise _refused(node)
    return {"$in": [_constant(item) for item in items.items]}


def _ordered(sign: str) -> Callable[[Call, Node], Any]:
    return lambda _node, value: {sign: _constant(value)}


def _pattern(before: str, after: str) -> Callable[[Call, Node], Any]:
    def build(node: Call, part: Node) -> Any:
        value = part.value if isinstance(part, Literal) else None
        if not isinstance(value, str) or not value:
            raise _refused(node)
        return {"$regex": f"{before}{regex.escaped(value)}{after}"}

    return build


def _end(node: Call, part: Node) -> Any:
    """In MongoDB `$` is also before a line break at the end, so such strings are left out."""
    test = _pattern("", "$")(node, part)
    if test["$regex"].endswith("\n$"):
        raise _refused(node)
    return {**test, "$not": {"$regex": "\n$"}}


_TESTS: Mapping[str, Callable[[Call, Node], Any]] = {
    "eq": lambda _node, value: _constant(value),
    "ne": lambda _node, value: {"$nin": [_constant(value), None]},
    **{op: _ordered(sign) for op, sign in ORDERS.items()},
    "in": _member_of,
    "starts_with": _pattern("^", ""),
    "contains": _pattern("", ""),
    "ends_with": _end,
}


def _is_path(node: Node) -> bool:
    match node:
        case Field() | Variable():
            return True
        case Call(_, op, (base, Literal(_, str()))) if op in BY_KEY:
            return _is_path(base)
        case _:
            return False


def _single(node: Node) -> str:
    """The path to a value that is no array: of an array null is asked of each element, too."""
    if node.type == JSON or isinstance(node.type, ArrayType):
        raise _refused(node, say.MONGODB_TESTS_FIELDS)
    return _path(node)


def _path(node: Node) -> str:
    """The dotted path to a field or a member. Raises Unsupported for a name that it cannot have."""
    match node:
        case Field(_, decl) if not decl.name.startswith("$"):
            return decl.name
        case Variable():
            return ""
        case Call(_, op, (base, Literal(_, str() as key))) if op in BY_KEY and key and "." not in key:
            if key.startswith("$") or base.type == JSON or isinstance(base, Variable):
                raise _refused(node, say.MONGODB_TESTS_FIELDS)
            return f"{_path(base)}.{key}"
        case _:
            raise _refused(node, say.MONGODB_TESTS_FIELDS)


def _constant(node: Node) -> Any:
    value = node.value if isinstance(node, Literal) else None
    match value:
        case bool() | str():
            return value
        case int() if abs(value) < 2**63:
            return value
        case float() if math.isfinite(value):
            return value
        case Decimal():
            return {"$numberDecimal": str(value)}
        case date():
            return {"$date": iso(value)}
        case _:
            raise _refused(node)
