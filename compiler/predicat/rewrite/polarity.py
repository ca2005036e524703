"""The form of a predicate for a WHERE, where only the rows on which it is TRUE count (below a NOT: FALSE).

A WHERE does not distinguish FALSE from UNKNOWN. So an `if` becomes AND and OR, a NOT moves down to the tests,
and a test for a missing value is dropped beside a test that implies it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeGuard

from predicat.analysis.facts import may_be_nan
from predicat.forms.json_values import looked_up
from predicat.forms.total_order import rewrite_parts, with_nan_tests
from predicat.ir.nodes import FALSE, TRUE, Call, Field, Items, Literal, Node, Quantifier, walk
from predicat.ir.operators import COMPARISONS, JSON_LOOK_UPS, JUNCTIONS, NEGATED, ORDERED, SOLVED_ONLY, STRICT
from predicat.ir.types import BIGINT, BOOLEAN
from predicat.rewrite.solve import exactly, for_rows, without_nan_tests

_OTHER = {"and": "or", "or": "and"}
# The texts of whole numbers, and some more.
_INTEGER = re.compile("-?[0-9]{1,19}")


# What is done with a comparison: as it stands it is TRUE for the same rows.
Solve = Callable[[Node], Node]


def true_rows(node: Node, solve: Solve = for_rows) -> Node:
    """A predicate that is TRUE for the same rows."""
    node = without_nan_tests(node)
    match node:
        case Call(op=op, args=args) if op in JUNCTIONS:
            parts = rewrite_parts(node, lambda part: true_rows(part, solve))
            return _all(node, parts, args) if op == "and" else _any(node, parts)
        case Call(op="is_true", args=(part,)):
            return true_rows(part, solve)
        case Call(op="not", args=(part,)):
            negated = false_rows(part, solve)
            return negated or Call(BOOLEAN, "not", (exactly(part, _needs_solving),), node.span)
        case Call(op="cond", type=kind) if kind == BOOLEAN:
            return _choice(node, solve)
        case Call(op="eq" | "in", args=(Call(op="coalesce") as first, other)) if texts := _texts(other):
            return _equal(solve(Call(BOOLEAN, node.op, (_that_may_be(first, texts), other), node.span)))
        case Literal(value=None):
            return FALSE
        case _:
            return solve(node)


def _equal(node: Node) -> Node:
    """An equality. For a JSON value compared with a string, other kinds of values count as FALSE."""
    match node:
        case Call(op="eq" | "in", args=(Call(op="json_string"), _)):
            return Call(BOOLEAN, "is_true", (node,), node.span)
        case _:
            return node


def _texts(node: Node) -> list[str]:
    """The constant strings of a comparison; empty if it has other operands as well."""
    parts = node.items if isinstance(node, Items) else (node,)
    texts = [part.value for part in parts if isinstance(part, Literal) and isinstance(part.value, str)]
    return texts if len(texts) == len(parts) else []


def _that_may_be(choice: Call, texts: list[str]) -> Node:
    """`coalesce` without its last arguments that can never equal one of some strings.

    `->>` of a JSON value is a `coalesce`: the string, else the boolean or the number as a string.
    """
    parts = list(choice.args)
    while len(parts) > 1 and not any(_may_be(parts[-1], text) for text in texts):
        parts.pop()
    return parts[0] if len(parts) == 1 else Call(choice.type, "coalesce", tuple(parts), choice.span)


def _may_be(node: Node, text: str) -> bool:
    match node:
        case Call(op="to_string", args=(part,)) if part.type == BOOLEAN:
            return text in ("true", "false")
        case Call(op="to_string", args=(part,)) if part.type == BIGINT:
            return _INTEGER.fullmatch(text) is not None
        case _:
            return True


def false_rows(node: Node, solve: Solve = for_rows) -> Node | None:
    """A predicate that is TRUE for the rows on which this one is FALSE; None if NOT is as good."""
    match node:
        case Literal(value=value):
            return TRUE if value is False else FALSE
        case Call(op="not", args=(part,)):
            return true_rows(part, solve)
        case Call(op="or", args=args) if len(with_nan_tests(args)) < len(args):
            return None
        case Call(op=op, args=args) if op in JUNCTIONS:
            parts = [false_rows(part, solve) for part in args]
            known = tuple(part for part in parts if part is not None)
            if len(known) < len(parts):
                return None
            return _any(node, known) if op == "and" else _all(node, known, known)
        case Call(op=op, args=args) if op in COMPARISONS:
            if any(map(may_be_nan, args)):  # which is neither below nor above another number
                return _beside_nan(node)
            return solve(Call(BOOLEAN, NEGATED[op], args, node.span))
        case Call(op="cond", type=kind, args=(test, Literal(value=False), no)) if kind == BOOLEAN:
            return _false_choice(node, test, no, solve)
        case Call(op="is_null" | "is_true" | "in" | "same" | "json_null") | Field():
            return Call(BOOLEAN, "not", (node,), node.span)
        case _:
            return None


def _false_choice(node: Call, test: Node, no: Node, solve: Solve) -> Node | None:
    """The rows on which an `if` is FALSE whose first branch is."""
    otherwise, other = false_rows(test, solve), false_rows(no, solve)
    if not _is_short(test) or otherwise is None:
        return None
    other = other or Call(BOOLEAN, "not", (exactly(no, _needs_solving),), node.span)
    return _any(node, (true_rows(test, solve), _all(node, (otherwise, other))))


def _beside_nan(node: Call) -> Node | None:
    """The rows on which `x > constant` (or the like) is FALSE: those of the opposite comparison, and NaN."""
    field, limit = node.args
    if isinstance(field, Literal):
        field, limit = limit, field
    if node.op not in ORDERED or not isinstance(field, Field) or not isinstance(limit, Literal):
        return None
    if limit.value is None or may_be_nan(limit):
        return None
    other = Call(BOOLEAN, NEGATED[node.op], node.args, node.span)
    return Call(BOOLEAN, "or", (other, Call(BOOLEAN, "ne", (field, field), node.span)), node.span)


def _needs_solving(before: Node, _after: Node) -> bool:
    """Whether a comparison must be written as bounds of a field, as engines round it differently (`ln`)."""
    return any(isinstance(part, Call) and part.op in SOLVED_ONLY for part in walk(before))


def _choice(node: Call, solve: Solve) -> Node:
    """An `if` between two conditions."""
    test, yes, no = node.args
    if _never(no):
        return _all(node, (true_rows(test, solve), true_rows(yes, solve)))
    otherwise = false_rows(test, solve)
    if otherwise is None:
        return node
    if _never(yes):
        return _all(node, (otherwise, true_rows(no, solve)))
    if not _is_short(test):
        return node
    branches = (
        _all(node, (true_rows(test, solve), true_rows(yes, solve))),
        _all(node, (otherwise, true_rows(no, solve))),
    )
    return Call(BOOLEAN, "or", branches, node.span)


def _never(node: Node) -> bool:
    """Whether a branch is never TRUE."""
    return isinstance(node, Literal) and node.value is not True


def _is_short(test: Node) -> bool:
    """Whether a test is short enough to be repeated."""
    if isinstance(test, Call) and test.op in ("is_true", "is_null", "not", "json_null", *JSON_LOOK_UPS):
        return _is_short(test.args[0]) and all(isinstance(step, Literal) for step in test.args[1:])
    return isinstance(test, Field)


def _all(node: Call, parts: tuple[Node, ...], written: tuple[Node, ...] = ()) -> Node:
    """AND without IS NOT NULL of a value beside a part that is TRUE only if the value is not NULL.

    Tests that the author has `written` stay: they are short, and the author meant them.
    """
    left = list(dict.fromkeys(part for each in parts for part in (each.args if _is_and(each) else (each,))))
    left = [_possible(part, left) for part in left if part != TRUE] or [TRUE]
    if FALSE in left:
        return FALSE
    for part in list(left):
        rest = [other for other in left if other is not part]
        if part not in written and _implied(part, rest):
            left = rest
    return left[0] if len(left) == 1 else Call(BOOLEAN, "and", tuple(left), node.span)


def _possible(part: Node, beside: list[Node]) -> Node:
    """OR without tests for a value that another part of an AND already requires."""
    if not isinstance(part, Call) or part.op != "or":
        return part
    others = [other for other in beside if other is not part]
    left = tuple(
        one
        for one in part.args
        if not (isinstance(one, Call) and one.op == "is_null")
        or not any(_needs(other, one.args[0]) for other in others)
    )
    return part if len(left) == len(part.args) else _any(part, left)


def _any(node: Call, parts: tuple[Node, ...]) -> Node:
    """OR without parts that are never TRUE."""
    left = tuple(part for part in parts if part != FALSE) or (FALSE,)
    return left[0] if len(left) == 1 else Call(BOOLEAN, "or", left, node.span)


def _is_and(node: Node) -> TypeGuard[Call]:
    return isinstance(node, Call) and node.op == "and"


def _implied(part: Node, beside: list[Node]) -> bool:
    value = _tested(part)
    if value is not None:
        return any(_needs(other, value) for other in beside)
    return any(_is_tighter(other, part) for other in beside)


def _is_tighter(one: Node, other: Node) -> bool:
    """Whether a bound of a field by a constant implies another one, as `n < 5` implies `n <= 9`."""
    match one, other:
        case (
            Call(op=sign, args=(Field() as field, Literal(value=value, type=kind))),
            Call(op=looser, args=(again, Literal(value=limit, type=same))),
        ) if field == again and kind == same and sign in ORDERED and looser in ORDERED:
            if value is None or limit is None or any(map(may_be_nan, (one.args[1], other.args[1]))):
                return False
            if sign in _LOWER and looser in _LOWER:
                return _beyond(value, limit) or (value == limit and looser == "ge")
            if sign not in _LOWER and looser not in _LOWER:
                return _beyond(limit, value) or (value == limit and looser == "le")
    return False


# Bounds from below; the others of the ordered comparisons are from above.
_LOWER = frozenset(op for op in ORDERED if COMPARISONS[op].holds(1, 0))


def _beyond(one: Any, other: Any) -> bool:
    return bool(one > other)


def _tested(node: Node) -> Node | None:
    """The value that is not NULL if this test of it is TRUE: IS NOT NULL, or that it is not JSON null."""
    match node:
        case Call(op="not", args=(Call(op="is_null", args=(value,)),)):
            return value
        case Call(op="not", args=(Call(op="json_null", args=(base, step)),)):
            return looked_up(base, step)
        case _:
            return None


def _needs(node: Node, value: Node) -> bool:
    """Whether a node is TRUE, or not NULL, only if another one is not NULL."""
    if node == value:
        return True
    tested = _tested(node)
    if tested is not None:
        return _needs(tested, value)
    if isinstance(node, Quantifier):
        return _needs(node.source, value)
    if isinstance(node, Call) and node.op == "or":
        return all(_needs(arg, value) for arg in node.args)
    if isinstance(node, Call) and node.op in ("and", "is_true", "not"):
        return any(_needs(arg, value) for arg in node.args)
    if not isinstance(node, Call) or (node.op not in STRICT and node.op != "in"):
        return False
    return any(_needs(arg, value) for arg in node.args)
