"""Rewrites of predicates over JSON to operators that exist in SQL only, each with one look-up of a value.

A comparison tests the kind of a JSON value and then its value. The text of a value often implies its kind, so
one look-up is enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from predicat.backends.sql import json_order
from predicat.forms.json_values import document_of
from predicat.ir.nodes import (
    LEAVES,
    Call,
    Items,
    Literal,
    Node,
    Quantifier,
    Variable,
    rewrite_children,
    substituted,
    walk,
)
from predicat.ir.operators import JSON_LOOK_UPS, JSON_READS, JUNCTIONS
from predicat.ir.types import BOOLEAN, JSON, STRING, ArrayType
from predicat.ir.variables import free
from predicat.values.json_kinds import kinds_that_pass

Step = str | int
# The look-ups in JSON values, in SQL.
JSON_STEPS = JSON_LOOK_UPS | {"json_element"}
# The operators that `fuse_kind_tests` makes, and `json_let` of `parsed_once`.
#
# `json_text`: the string of a JSON value that is known to be a string. `json_equals`: whether a JSON value
# equals a constant; FALSE for a value of another kind. `json_in`: whether it is one of several strings.
# `json_other`: whether it is of none of several kinds, in a WHERE.
# `json_element`: a look-up with a JSON value as the key, of a member by its name or an element by its
# position.
# `json_has`: PostgreSQL's `?`: a member of this name, an element that is this string, or this string itself.
# `json_order`: a comparison in the order of PostgreSQL's jsonb. `json_length`: the length of an array.
ONLY_IN_SQL: Sequence[str] = (
    "json_text",
    "json_equals",
    "json_in",
    "json_other",
    "json_element",
    "json_has",
    "json_order",
    "json_length",
    "json_let",
)


def with_key_tests(node: Node, *, where: bool) -> Node:
    """The predicate with `json_has`, `json_order` and `json_length` for what these mean. `where`: FALSE and
    UNKNOWN mean the same.
    """
    if isinstance(node, LEAVES):
        return node
    if isinstance(node, Call):
        found = _key_test(node, where=where) or json_order.order_test(node) or json_order.array_length(node)
        if found is not None:
            return found
    inside = where and isinstance(node, Call) and node.op in JUNCTIONS
    if inside:
        node = json_order.order_in_rows(node)
    return rewrite_children(node, lambda part: with_key_tests(part, where=inside))


def _key_test(node: Call, *, where: bool) -> Node | None:
    """`json_has` for one test, or a test around it; None for anything else."""
    last: Node = node
    while isinstance(last, Call) and last.op == "cond":
        last = last.args[2]
    match last:
        case Call(op="or", args=(_, test, each)):
            found, array = _inside(test), _inside(each)
        case _:
            return None
    match found, array:
        case (
            Call(op="and", args=(_, Call(op="eq", args=(Call(args=(value,)), Literal(value=str()) as key)))),
            Quantifier(variable=variable),
        ):
            has = Call(BOOLEAN, "json_has", (value, key), node.span)
        case _:
            return None
    if where and node == has_key(value, key, variable, where=True):
        return has
    guarded = _choice("is_null", (value,), None, has_key(value, key, variable, where=False))
    if node == guarded:  # of JSON null `?` is FALSE
        return Call(BOOLEAN, "cond", (*guarded.args[:2], has), node.span)
    looked_up = value.args if isinstance(value, Call) and value.op in JSON_LOOK_UPS else None
    return has if looked_up and node == _choice("json_null", looked_up, False, guarded) else None


def _inside(node: Node) -> Node:
    return node.args[0] if isinstance(node, Call) and node.op == "is_true" else node


def _choice(test: str, of: tuple[Node, ...], then: bool | None, otherwise: Node) -> Call:
    return _test("cond", _test(test, *of), Literal(BOOLEAN, then), otherwise)


def _test(op: str, *args: Node) -> Call:
    return Call(BOOLEAN, op, args)


def has_key(value: Node, key: Literal, variable: str, *, where: bool) -> Call:
    """What `json_has` means for a value that is not absent; `where`: as a WHERE has it."""

    def is_key(value: Node) -> Call:
        text = _test("eq", Call(STRING, "json_string", (value,)), key)
        return _test("and", _test("json_is", value, Literal(STRING, "string")), text)

    absent, null = _test("is_null", Call(JSON, "json_get", (value, key))), _test("json_null", value, key)
    element = _test("is_true", is_key(Variable(JSON, variable)))
    each = Quantifier(BOOLEAN, "any", variable, value, element)
    if where:
        return _test("or", _test("or", _test("not", absent), null), is_key(value), each)
    member = _test("not", _test("and", absent, _test("not", _test("is_true", null))))
    return _test("or", member, _test("is_true", is_key(value)), _test("is_true", each))


def fuse_kind_tests(node: Node) -> Node:
    """The predicate with tests of the kind of a JSON value merged into the operators that need them, so that
    SQL looks a value up once.
    """
    if isinstance(node, LEAVES):
        return node
    node = rewrite_children(node, fuse_kind_tests)
    if not isinstance(node, Call):
        return node
    if node.op == "and":
        return _conjunction(node)
    if node.op == "or":
        return _disjunction(node)
    if node.op == "is_true":
        return Call(node.type, "is_true", (_fuse_equality(node.args[0]),), node.span)
    if node.op == "coalesce" and (result := _element(node)) is not None:
        return result
    test = node.args[0] if node.op == "cond" else None
    if isinstance(test, Call) and test.op == "json_is" and _kind(test) == "string":
        return Call(node.type, "cond", (test, _text_of(node.args[1], test.args[0]), node.args[2]), node.span)
    return node


def _fuse_equality(node: Node) -> Node:
    """An equality with strings as `json_equals` or `json_in`, if UNKNOWN counts as FALSE: a value of another
    kind is then unequal. Other nodes are unchanged.
    """
    match node:
        case Call(op="eq", args=(Call(op="json_string", args=(value,)), Literal(value=str()) as wanted)):
            return Call(BOOLEAN, "json_equals", (value, wanted), node.span)
        case Call(op="in", args=(Call(op="json_string", args=(value,)), Items(items=items) as wanted)) if (
            items and all(isinstance(item, Literal) and isinstance(item.value, str) for item in items)
        ):
            return Call(BOOLEAN, "json_in", (value, wanted), node.span)
        case _:
            return node


def _element(node: Call) -> Node | None:
    """`json_element` for "the member of this name, or else the element at this position" with the same JSON
    value as the key; None for anything else.
    """
    match node.args:
        case (
            Call(op="json_get", args=(base, Call(op="json_string", args=(name,)))),
            Call(
                op="json_at", args=(other, Call(op="to_whole", args=(Call(op="json_number", args=(place,)),)))
            ),
        ) if base == other and name == place:
            return Call(node.type, "json_element", (base, name), node.span)
        case _:
            return None


def _kind(test: Call) -> object:
    return test.args[1].value if isinstance(test.args[1], Literal) else None


def _conjunction(node: Call) -> Node:
    """`x is a string AND x = 'a'` becomes `json_equals`. Other conditions on the string need no further test
    of the kind.
    """
    parts: list[Node] = []
    for part in node.args:
        before = parts[-1] if parts else None
        if isinstance(before, Call) and before.op == "json_is":
            equal = _equality(before, part)
            if equal is not None:
                parts[-1] = equal
                continue
            if _kind(before) == "string":
                part = _text_of(part, before.args[0])  # noqa: PLW2901  # the same part in other words
        parts.append(part)
    return parts[0] if len(parts) == 1 else Call(node.type, "and", tuple(parts), node.span)


def _equality(test: Call, part: Node) -> Node | None:
    if not isinstance(part, Call) or part.op != "eq":
        return None
    for read, other in (part.args, part.args[::-1]):
        if (
            isinstance(read, Call)
            and read.op in JSON_READS
            and JSON_READS[read.op] == _kind(test)
            and read.args[0] == test.args[0]
            and isinstance(other, Literal)
            and other.value is not None
        ):
            return Call(BOOLEAN, "json_equals", (test.args[0], other), part.span)
    return None


def _disjunction(node: Call) -> Node:
    """Several equalities of a JSON value with strings become one `json_in`."""
    values: dict[Node, list[Literal]] = {}
    for part in node.args:
        if (text := _equal_text(part)) is not None:
            values.setdefault(text[0], []).append(text[1])
    parts: list[Node] = []
    for part in node.args:
        result = _equal_text(part)
        if result is None or len(values[result[0]]) == 1:
            parts.append(part)
        elif values[result[0]][0] is result[1]:
            items = Items(ArrayType(STRING), tuple(values[result[0]]), part.span)
            parts.append(Call(BOOLEAN, "json_in", (result[0], items), node.span))
    return parts[0] if len(parts) == 1 else Call(node.type, "or", tuple(parts), node.span)


def _equal_text(node: Node) -> tuple[Node, Literal] | None:
    if not isinstance(node, Call) or node.op != "json_equals":
        return None
    value, wanted = node.args
    return (value, wanted) if isinstance(wanted, Literal) and wanted.type == STRING else None


def _text_of(node: Node, value: Node) -> Node:
    """A node in which a JSON value is known to be a string, which is then read without a test of the kind."""
    if isinstance(node, Call) and node.op == "json_string" and node.args[0] == value:
        return Call(STRING, "json_text", (value,), node.span)
    if isinstance(node, Quantifier) and node.variable in free(value):
        return node
    return rewrite_children(node, lambda part: _text_of(part, value))


def with_own_texts(node: Node, *, has_nan: bool) -> Node:
    """A condition of a WHERE that reads the engine's own text of a JSON value in place of the text that a
    filter defines, where the same rows pass: no number, array or object begins as `j ->> 'k' LIKE 'a%'`.
    """
    if not isinstance(node, Call):
        return node
    if node.op == "or" and (equal := _equal_to_word(node)) is not None:
        return equal
    if node.op in JUNCTIONS:
        parts = [part for arg in node.args for part in _parts(with_own_texts(arg, has_nan=has_nan), node.op)]
        return Call(node.type, node.op, tuple(parts), node.span)
    return _with_own_text(node, has_nan)


def _parts(node: Node, op: str) -> tuple[Node, ...]:
    return node.args if isinstance(node, Call) and node.op == op else (node,)


def _with_own_text(test: Call, has_nan: bool) -> Node:
    texts = {part for part in walk(test) if document_of(part) is not None}
    if len(texts) != 1:
        return test
    (text,) = texts
    value = document_of(text)
    passing = None if value is None else kinds_that_pass(test, text, has_nan=has_nan)
    if value is None or passing is None or "integer" in passing:
        return test
    own = substituted(test, text, Call(STRING, "json_text", (value,), test.span))
    others = [kind for kind in ("array", "object", "number") if kind in passing]
    if not others:
        return own
    kinds = Items(ArrayType(STRING), tuple(Literal(STRING, kind, test.span) for kind in others), test.span)
    return Call(BOOLEAN, "and", (own, Call(BOOLEAN, "json_other", (value, kinds), test.span)), test.span)


def _equal_to_word(node: Call) -> Node | None:
    """`j ->> 'k' = 'true'` for a value that is this string or boolean; None for another condition."""
    match node.args:
        case (
            Call(op="json_equals", args=(value, Literal(value=str() as text) as wanted)),
            Call(op="json_equals", args=(other, Literal(value=bool() as truth))),
        ) if value == other and text == str(truth).lower():
            return Call(BOOLEAN, "eq", (Call(STRING, "json_text", (value,), node.span), wanted), node.span)
        case _:
            return None


def path(node: Node, fits: Callable[[Step], bool]) -> tuple[Node, list[Step]]:
    """Consecutive look-ups with constant keys: the value in which they look up, and their keys and positions.
    The first look-up whose key does not fit becomes part of the value.
    """
    steps: list[Step] = []
    while (
        isinstance(node, Call)
        and node.op in JSON_STEPS
        and (step := constant_step(node.args[1])) is not None
        and fits(step)
    ):
        steps.insert(0, step)
        node = node.args[0]
    return node, steps


def constant_step(key: Node) -> Step | None:
    """A constant key or position that engines support; None otherwise."""
    value = key.value if isinstance(key, Literal) else None
    if isinstance(value, str):
        return value
    return value if isinstance(value, int) and 0 <= value < 2**31 - 1 else None


def is_only_text(value: str) -> bool:
    """Whether only a JSON string can have this text: it is not the text of a number, a boolean, an array or
    an object.
    """
    return not value.startswith(("[", "{")) and not _NUMBER.fullmatch(value) and value.lower() not in _WORDS


# The texts of numbers, and some more.
_NUMBER = re.compile(r"[-+]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][-+]?[0-9]*)?")
_WORDS = ("true", "false", "null", "nan", "infinity", "inf")
