"""Tests of one key against constants, for writers of languages that support little more."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from msgspec import Struct

from predicat.diagnostics import Unsupported
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import backends as say
from predicat.ir.labels import written
from predicat.ir.nodes import Call, Field, Items, Literal, Node, children, rewrite_children
from predicat.ir.operators import BY_KEY, COMPARISONS, EQUALITIES, FLIPPED, JSON_READS, JUNCTIONS, OF_INTEGERS
from predicat.ir.surface import CHECKED_MOD, CHECKED_TO_INT, ELEMENTS
from predicat.ir.types import BOOLEAN, DATE, DOUBLE, JSON, TIMESTAMP


class KeyTest(Struct, frozen=True):
    """A test of one key against constants; `convert` is the conversion of the key ("to_int", "to_double") or
    empty.

    `of_row`: the key is a field of the row, not a key of one of its maps or documents.
    """

    key: str
    op: str
    values: tuple[Any, ...]
    node: Node
    convert: str = ""
    of_row: bool = False


def refuse(language: str, node: Node, reason: str) -> Unsupported:
    """The error for what a language does not support."""
    return Unsupported.of(msg.unsupported(node.span, language, written(node), reason))


def without_conversions(node: Node) -> Node:
    """The node without the conversions that the check adds, for languages with implicit conversions: `x ==
    "a"` converts to a string, `x + 1` to an integer.
    """
    if isinstance(node, Call) and node.op in COMPARISONS and all(map(_is_read, node.args)):
        return node  # two values without a type would be compared as what they are
    if isinstance(node, Call) and node.op in _OF_INTEGERS:
        node = _without_whole(node)
    node = rewrite_children(node, without_conversions)
    if not isinstance(node, Call):
        return node
    if node.op in JSON_READS or node.op == ELEMENTS:
        return node.args[0]
    if len(node.args) == _WITH_VARIABLE.get(node.op):
        return Call(node.type, node.op, node.args[:-1], node.span)
    return node


# Operators of the surface whose last argument is the variable for an element of a JSON array, and how many
# arguments they have then.
_WITH_VARIABLE = {"in": 3, "array_max": 2, "array_min": 2}


_OF_INTEGERS = OF_INTEGERS | {CHECKED_MOD}


def _is_read(node: Node) -> bool:
    return isinstance(node, Call) and node.op in JSON_READS


def _without_whole(node: Call) -> Call:
    """Arithmetic without conversions to integers, if an operand or the operator implies them."""
    whole = [isinstance(arg, Call) and arg.op == "to_whole" for arg in node.args]
    if not any(whole) or (all(whole) and node.op not in ("mod", CHECKED_MOD)):
        return node
    args = (_sum(arg.args[0]) if isinstance(arg, Call) and arg.op == "to_whole" else arg for arg in node.args)
    return Call(node.type, node.op, tuple(args), node.span)


def _sum(node: Node) -> Node:
    """A sum as a + of JSON values, if its context already requires a number."""
    if not isinstance(node, Call) or node.op != "add":
        return node
    return Call(JSON, "add", tuple(map(_sum, node.args)), node.span)


def key_of(node: Node) -> str | None:
    """The key that a node reads: a field of the row, or a member of a map, a struct or a document that is
    a field.
    """
    if isinstance(node, Field):
        return node.decl.name
    if isinstance(node, Call) and node.op in BY_KEY and isinstance(node.args[0], Field):
        key = node.args[1]
        return str(key.value) if isinstance(key, Literal) else None
    return None


def refuse_shared_keys(language: str, node: Node) -> None:
    """For languages with a single set of keys per message: raise an error if a key is read from two places,
    as in `a = 1 AND m['a'] = 'x'`.
    """
    converted: dict[str, Node | None] = {}
    stack = [node]
    while stack:
        part = stack.pop()
        key = key_of(part)
        if key is None:
            stack += children(part)
            continue
        place = part.args[0] if isinstance(part, Call) else None
        if converted.setdefault(key, place) != place:
            raise refuse(language, part, say.two_values_of_one_key(key))


def test_of(node: Node) -> KeyTest | None:
    """A node as a test of one key; None for any other node."""
    if not isinstance(node, Call) or not node.args:
        return None
    if node.op == "is_null":
        key = key_of(node.args[0])
        return (
            KeyTest(key, "is_null", (), node, of_row=isinstance(node.args[0], Field))
            if key is not None
            else None
        )
    if len(node.args) != 2:
        return None
    left, right = node.args
    op = node.op
    if isinstance(left, Literal) and op in FLIPPED:
        left, right, op = right, left, FLIPPED[op]
    convert = ""
    if isinstance(left, Call) and left.op in _CONVERSIONS:
        convert, left = _CONVERSIONS[left.op], left.args[0]
        if left.type in (DOUBLE, BOOLEAN, TIMESTAMP, DATE):
            return None  # the languages convert texts
    key = key_of(left)
    if key is None:
        return None
    if isinstance(right, Items) and op == "in":
        if not right.items or not all(isinstance(item, Literal) for item in right.items):
            return None
        return KeyTest(
            key,
            op,
            tuple(item.value for item in right.items if isinstance(item, Literal)),
            node,
            convert,
            isinstance(left, Field),
        )
    if isinstance(right, Literal) and right.value is not None:
        return KeyTest(key, op, (right.value,), node, convert, isinstance(left, Field))
    return None


_CONVERSIONS = {"to_int": "to_int", CHECKED_TO_INT: "to_int", "to_double": "to_double"}


def is_json_equality(node: Node | None) -> bool:
    """Whether a JSON value of any kind is compared with a typed one."""
    return isinstance(node, Call) and node.op in EQUALITIES and any(arg.type == JSON for arg in node.args)


def negated(node: Node) -> Node | None:
    """The operand of NOT; None for any other node."""
    return node.args[0] if isinstance(node, Call) and node.op == "not" else None


def operand_of_is_true(node: Node) -> Node | None:
    """The operand of `is_true`; None for any other node."""
    return node.args[0] if isinstance(node, Call) and node.op == "is_true" else None


def denied_test(node: Node) -> KeyTest | None:
    """The test T of `NOT T` or `key <> value`, if it is UNKNOWN for a missing key: such a condition is TRUE
    only for keys that are there. None for any other node. A conversion that fails would be UNKNOWN as well.
    """
    node = operand_of_is_true(node) or node
    inner = negated(node)
    if inner is None and isinstance(node, Call) and node.op == "ne":
        inner = Call(node.type, "eq", node.args, node.span)
    test = test_of(inner) if inner is not None else None
    if test is None or test.op not in _DENIED or not compares_texts(test):
        return None
    return test


_DENIED = frozenset({"eq", "in", "starts_with", "ends_with", "contains", "equals_ci"})


def with_missing_keys(node: Node) -> Node:
    """The node with `NOT T OR key IS NULL` for `NOT (T IS TRUE)`, where T tests one key: for languages that
    have no IS TRUE.
    """
    node = rewrite_children(node, with_missing_keys)
    decided = negated(node)
    inner = operand_of_is_true(decided) if decided is not None else None
    if isinstance(inner, Call) and inner.op in JUNCTIONS:
        other = "or" if inner.op == "and" else "and"
        parts = (Call(BOOLEAN, "is_true", (arg,), arg.span) for arg in inner.args)
        return Call(
            BOOLEAN,
            other,
            tuple(with_missing_keys(Call(BOOLEAN, "not", (part,), part.span)) for part in parts),
            node.span,
        )
    test = test_of(inner) if inner is not None else None
    if (
        not isinstance(inner, Call)
        or test is None
        or test.convert
        or test.op not in _DENIED | set(COMPARISONS)
    ):
        return node
    key = next(arg for arg in inner.args if not isinstance(arg, Literal | Items))
    if key.type == JSON:
        return node
    refused = Call(BOOLEAN, "not", (inner,), node.span)
    return Call(BOOLEAN, "or", (refused, Call(BOOLEAN, "is_null", (key,), node.span)), node.span)


def iso(value: date) -> str:
    """RFC 3339 text of a timestamp, or the text of a date."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
    return value.isoformat()


def parts_of(node: Node, op: str) -> tuple[Node, ...]:
    """The operands of an operator, or the node alone."""
    return node.args if isinstance(node, Call) and node.op == op else (node,)


def compares_texts(test: KeyTest) -> bool:
    """Whether a key is compared with strings, without a conversion."""
    return not test.convert and all(isinstance(value, str) for value in test.values)


def decided_test(node: Node, language: str) -> KeyTest:
    """The test that a two-valued language makes of one key. Raises Unsupported."""
    inner = operand_of_is_true(node)
    test = test_of(inner) if inner is not None else None
    if test is None:
        raise refuse(
            language,
            inner or node,
            say.TESTS_ARE_TWO_VALUED if test_of(node) is not None else say.ONE_KEY_AGAINST_CONSTANTS,
        )
    return test
