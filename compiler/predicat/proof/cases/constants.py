"""Tests that compare one value with constants. Long lists have many constants, but few kinds of values."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from predicat.ir.nodes import Call, Items, Literal, Node
from predicat.ir.operators import COMPARISONS, FLIPPED
from predicat.ir.types import BIGINT, BOOLEAN, DATE, STRING, TIMESTAMP, Type
from predicat.values.ordered import domain_in_cases

# A comparison: its operator and its constant, or `in` and a set of constants.
Leaf = tuple[str, Any]
_KINDS = (STRING, BIGINT, TIMESTAMP, DATE)
# What makes a text the next one behind another; character 0 the very next.
_BEHIND = ("a", "0", " ", "\0")


def values(variable: Node, nodes: Sequence[Node]) -> list[Any] | None:
    """Representative values; None if the tests do more than compare with constants."""
    if variable.type not in _KINDS:
        return None
    leaves: list[Leaf] = []
    for node in nodes:
        result = list(_leaves(node, variable))
        if None in result:
            return None
        leaves += [leaf for leaf in result if leaf is not None]
    constants = {value for op, own in leaves for value in (own if op == "in" else (own,))}
    tests = list(dict.fromkeys(leaves))
    chosen: dict[tuple[bool, ...], Any] = {}
    for value in _between(constants, variable):
        chosen.setdefault(tuple([_holds(op, value, own) for op, own in tests]), value)
    return list(chosen.values())


def _leaves(node: Node, variable: Node) -> Iterator[Leaf | None]:
    """The comparisons of a test; None for anything else."""
    match node:
        case Literal():
            return
        case Call(op="and" | "or" | "not" | "is_true" | "is_null" | "cond" | "coalesce", args=args) if (
            args[-1].type == BOOLEAN
        ):
            for arg in args:
                yield from _leaves(arg, variable)
        case Call(op="is_null", args=(inner,)) if inner == variable:
            return
        case Call(op=op, args=(left, Literal(value=value) as right)) if (
            op in COMPARISONS and left == variable
        ):
            yield from _comparison(op, value, right.type, variable.type)
        case Call(op=op, args=(Literal(value=value) as left, right)) if (
            op in COMPARISONS and right == variable
        ):
            yield from _comparison(FLIPPED[op], value, left.type, variable.type)
        case Call(op="in", args=(left, Items(items=items))) if left == variable:
            constants = [
                item.value for item in items if isinstance(item, Literal) and item.type == variable.type
            ]
            yield ("in", frozenset(constants) - {None}) if len(constants) == len(items) else None
        case _:
            yield None


def _comparison(op: str, value: Any, constant: Type, kind: Type) -> Iterator[Leaf | None]:
    if value is not None:
        yield (op, value) if constant == kind else None


def _holds(op: str, value: Any, constant: Any) -> bool:
    match op:
        case "in":
            return value in constant
        case "eq" | "ne":
            return bool(value == constant)
        case "lt" | "ge":
            return bool(value < constant)
        case _:
            return bool(value > constant)


def _between(constants: Iterable[Any], variable: Node) -> Iterator[Any]:
    """The constants that a column can hold, and a value in each gap before, between and after them."""
    if variable.type == STRING:
        yield from _texts(sorted(constants))
        return
    column = domain_in_cases(variable)
    low, high = column.least, column.greatest
    keys = sorted(key for key in map(column.ordinal, constants) if low <= key <= high)
    for before, after in zip([low - 1, *keys], [*keys, high + 1], strict=True):
        if before + 1 < after:
            yield column.value(min(max(0, before + 1), after - 1))
        if after <= high:
            yield column.value(after)


def _texts(constants: list[str]) -> Iterator[str]:
    if not constants or constants[0]:
        yield ""
    for index, constant in enumerate(constants):
        yield constant
        following = constants[index + 1] if index + 1 < len(constants) else None
        for char in _BEHIND:
            if following is None or constant + char < following:
                yield constant + char
                break
