"""The meaning of functions and operators of lists, for arrays, JSON arrays and list literals."""

from __future__ import annotations

from predicat.check import collection_literals, lists
from predicat.check.protocol import Check
from predicat.diagnostics import Span
from predicat.diagnostics.messages import check as say
from predicat.forms.conversions import (
    dynamic_error,
    is_dynamic,
    is_joined,
    underlying,
)
from predicat.forms.logic import any_of
from predicat.ir.nodes import Call, Items, Literal, Node, element_of
from predicat.ir.surface import ELEMENTS
from predicat.ir.types import (
    BIGINT,
    DOUBLE,
    JSON,
    STRING,
    ArrayType,
)


def in_joined(check: Check, _op: str, args: list[Node], span: Span) -> Node | None:
    """Whether one of several concatenated lists contains a value; None for other lists."""
    item, lists_ = args
    if not is_joined(lists_):
        return None
    tests = [check.operator("in", [item, part], span) for part in lists_.args]
    return check.where_lists(lists_.args, any_of(tests, span), span)


def joined(_check: Check, _op: str, args: list[Node], span: Span) -> Node | None:
    """`x + y` of lists, at least one of which may be a list only in some rows; None for others."""
    known = any(map(lists.is_list, args)) and all(map(lists.may_be_list, args))
    return lists.joined(tuple(args), span) if known and not lists.are_one_array(*args) else None


def places(check: Check, _op: str, args: list[Node], span: Span) -> Node:
    """The indexes of a list, from 0. Raises Stop for other values."""
    plain = underlying(args[0])
    found = lists.places(plain, span)
    if found is not None:
        return found
    if is_dynamic(args[0]):
        return dynamic_error(span)
    raise check.fail(say.no_list(span, [str(plain.type)]))


def elements(_check: Check, _op: str, args: list[Node], _span: Span) -> Node | None:
    """The source of a macro: the value itself; None for JSON."""
    return args[0] if args[0].type != JSON else None


def size(check: Check, _op: str, args: list[Node], span: Span) -> Node | None:
    """The size of concatenated lists or a list literal; None for other values."""
    node = args[0]
    if is_joined(node):
        sizes = tuple(check.operator("size", [part], span) for part in node.args)
        return check.where_lists(node.args, _total(check, Items(ArrayType(BIGINT), sizes, span), span), span)
    if isinstance(node, Items):
        return collection_literals.unknown_if_missing(Literal(BIGINT, len(node.items), span), [node], span)
    return None


def sum_of_arrays(check: Check, _op: str, args: list[Node], span: Span) -> Node | None:
    """`x + y` of two arrays; None for other operands."""
    left, right = args
    arrays = isinstance(left.type, ArrayType) and isinstance(right.type, ArrayType)
    return _joined_arrays(check, left, right, span) if arrays else None


def of_written_list(check: Check, op: str, args: list[Node], span: Span) -> Node | None:
    """`join` and `sum` of a list literal; None for other values."""
    items = args[0]
    if not isinstance(items, Items):
        return None
    return _joined_texts(check, items, args[1], span) if op == "join" else _total(check, items, span)


def of_json_list(check: Check, op: str, args: list[Node], span: Span) -> Node | None:
    """`join` and `sum` of a JSON array; None for other values."""
    if JSON not in (underlying(args[0]).type, element_of(args[0])):
        return None
    source = underlying(check.no_joined(args[0]))
    kind = STRING if op == "join" else DOUBLE
    items = Call(ArrayType(kind), ELEMENTS, (source, check.element(JSON, span)), span)
    return check.of_table(op, [items, *args[1:]], span)


def _joined_arrays(check: Check, left: Node, right: Node, span: Span) -> Node:
    """The concatenation of two lists; UNKNOWN if one is."""
    if isinstance(left, Items) and isinstance(right, Items):
        kind = left.type if left.items else right.type
        return Items(kind, (*left.items, *right.items), span)
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Items) and not one.items:
            return other
    left, right = check.array(left), check.array(right)
    return check.call("array_concat", [left, right], span)


def _joined_texts(check: Check, items: Items, by: Node, span: Span) -> Node:
    """The strings of a list literal, joined with a separator."""
    found: Node = Literal(STRING, "", span)
    for place, item in enumerate(items.items):
        if place:
            found = check.call("concat", [found, by], span)
        found = check.call("concat", [found, underlying(item)], span)
    return found


def _total(check: Check, items: Items, span: Span) -> Node:
    """The sum of a list literal."""
    found: Node = items.items[0] if items.items else Literal(BIGINT, 0, span)
    for item in items.items[1:]:
        found = check.operator("add", [found, item], span)
    return found
