"""JSON null as CEL's null: what is inside of a `json` field with `nulls: value`.

The core has one NULL for a missing member and for JSON null. The tests here tell them apart: they are TRUE
for JSON null, FALSE for everything else, and never UNKNOWN. `NULL_CASES` gives a comparison its outcome where
such a test is TRUE. Without `nulls: value`, JSON null stays a missing value.
"""

from __future__ import annotations

from collections.abc import Sequence

from predicat.check import collection_literals
from predicat.check.protocol import Compares
from predicat.diagnostics import Span
from predicat.forms.conversions import convert, underlying
from predicat.forms.json_values import is_kind, whole
from predicat.forms.logic import all_of, any_of, is_maybe_missing, present
from predicat.ir.nodes import Call, Field, Literal, Node, Quantifier, Variable
from predicat.ir.surface import NULL_CASES, UNKNOWN_IF
from predicat.ir.types import BIGINT, BOOLEAN, JSON, NULL, STRING, ArrayType

# A test that is never UNKNOWN, and the outcome where it is TRUE.
Case = tuple[Node, Node]


def in_document(check: Compares, node: Node) -> bool:
    """Whether a value is one of a `json` field with `nulls: value`, or inside of it."""
    node = underlying(node)
    if not check.rules.json_null_is_value:
        return False
    match node:
        case Field():
            return node.type == JSON and node.decl.nulls == "value"
        case Variable():
            return node.name in check.null_elements
        case Call(_, "json_get" | "json_at" | "json_items", (base, *_)):
            return in_document(check, base)
        case Call(_, "cond", (_, *values)):
            return any(in_document(check, value) for value in values)
        case Quantifier(kind="filter"):
            return in_document(check, node.source)
        case _:
            return False


def null(check: Compares, node: Node) -> Node | None:
    """Whether a value is JSON null; None for a value that never is, or whose null is a missing value."""
    node = underlying(node)
    if node.type != JSON or not in_document(check, node):
        return None
    span = node.span
    match node:
        case Field() | Variable():
            return Call(BOOLEAN, "is_null", (node,), span)
        case Call(_, "json_get" | "json_at", (base, key)):
            return _null_member(base, key, span)
        case Call(_, "cond", (test, *values)):
            ways = [null(check, value) or _is_written(value) for value in values]
            return Call(BOOLEAN, "is_true", (Call(BOOLEAN, "cond", (test, *ways), span),), span)
        case _:
            return None


def _is_written(node: Node) -> Node:
    """Whether a value is the constant null."""
    return Literal(BOOLEAN, isinstance(node, Literal) and node.value is None and node.type == JSON, node.span)


def _null_member(base: Node, key: Node, span: Span) -> Node:
    """Whether a member or an element is JSON null. A key whose type depends on the row has two tests."""
    key = underlying(key)
    keys = [convert(key, STRING), whole(key, span)] if key.type == JSON else [key]
    tests: list[Node] = [
        Call(BOOLEAN, "json_null", (base, one), span) for one in keys if one.type in (STRING, BIGINT)
    ]
    return _true([any_of(tests, span)], span)


def cases(node: Node, span: Span, *found: Case) -> Node:
    """A predicate, with the outcome of the first case whose test is TRUE."""
    return Call(BOOLEAN, NULL_CASES, (node, *(part for case in found for part in case)), span)


def compared(check: Compares, op: str, found: Node, left: Node, right: Node, span: Span) -> Node:
    """An equality: null equals null, and differs from every other value. A missing value makes it UNKNOWN."""
    one, other = null(check, left), null(check, right)
    differs = Literal(BOOLEAN, op == "ne", span)
    result: list[Case] = []
    if one is not None and other is not None:
        result.append((all_of([one, other], span), Literal(BOOLEAN, op != "ne", span)))
    for test, opposite in ((one, right), (other, left)):
        if test is not None:
            result.append((test, collection_literals.unknown_if_missing(differs, [opposite], span)))
    return cases(found, span, *result) if result else found


def equals_null(check: Compares, node: Node, span: Span) -> Node | None:
    """`x == null`: UNKNOWN if the value is missing. None for a value whose null is a missing value."""
    test = null(check, node)
    if test is None or isinstance(underlying(node), Field | Variable):
        return None
    absent = Call(BOOLEAN, "is_null", (underlying(node),), span)
    yes, unknown = Literal(BOOLEAN, True, span), Literal(BOOLEAN, None, span)
    return cases(absent, span, (test, yes), (absent, unknown))


def has(check: Compares, node: Node, span: Span) -> Node | None:
    """Whether a value is there, be it null. None for a value whose null is a missing value."""
    test = null(check, node)
    if test is None:
        return None
    return cases(present(underlying(node), span), span, (test, Literal(BOOLEAN, True, span)))


def contains(check: Compares, found: Node, key: Node, base: Node, span: Span) -> Node:
    """`key in base`: an element that is null equals null alone, and a member may be null."""
    if not in_document(check, base):
        return of_no_element(check, found, key, span)
    array, thing = is_kind(base, "array", span), is_kind(base, "object", span)
    yes, no = Literal(BOOLEAN, True, span), Literal(BOOLEAN, False, span)
    result: list[Case] = []
    test = null(check, key)
    if test is not None:
        item = check.element(JSON, span)
        is_null = Call(BOOLEAN, "is_null", (item,), span)
        result.append(
            (_true([test, array], span), Quantifier(BOOLEAN, "any", item.name, base, is_null, span))
        )
    if key.type in (STRING, JSON):
        result.append((_true([thing, present(key, span), _null_member(base, key, span)], span), yes))
    if is_maybe_missing(key):
        absent = Call(BOOLEAN, "is_null", (key,), span)
        result.append((_true([array, absent], span), Literal(BOOLEAN, None, span)))
    if key.type != NULL:
        unknown = Call(BOOLEAN, "is_null", (found,), span)
        result.append((_true([array, present(key, span), unknown], span), no))
    return cases(found, span, *result)


def _true(tests: list[Node], span: Span) -> Node:
    return Call(BOOLEAN, "is_true", (all_of(tests, span),), span)


def of_type(check: Compares, found: Node, node: Node, name: str, span: Span) -> Node:
    """`type(x) == name`: the type of null is null_type."""
    if name == "null_type":
        return equals_null(check, node, span) or found
    test = null(check, node)
    return found if test is None else cases(found, span, (test, Literal(BOOLEAN, False, span)))


def of_no_element(check: Compares, found: Node, key: Node, span: Span) -> Node:
    """`x in values`, none of which is null."""
    test = null(check, key)
    return found if test is None else cases(found, span, (test, Literal(BOOLEAN, False, span)))


def unless_missing(check: Compares, found: Node, parts: Sequence[Node], span: Span) -> Node:
    """A predicate, or UNKNOWN if one of the parts is missing, which JSON null is not."""
    nodes = collection_literals.maybe_missing(parts)
    inside = {node: there for node in nodes if (there := has(check, node, span)) is not None}
    if not inside:
        return collection_literals.unknown_if_missing(found, parts, span)
    result = collection_literals.unknown_if_missing(found, [one for one in nodes if one not in inside], span)
    absent = [Call(BOOLEAN, "not", (there,), span) for there in inside.values()]
    return Call(BOOLEAN, UNKNOWN_IF, (result, *absent), span)


def in_array(check: Compares, found: Node, left: Node, right: Node, span: Span) -> Node:
    """`x in array` of a type: null is no element of it."""
    test = null(check, left)
    if test is None or not isinstance(right.type, ArrayType):
        return found
    outcome = collection_literals.unknown_if_missing(Literal(BOOLEAN, False, span), [right], span)
    return cases(found, span, (test, outcome))
