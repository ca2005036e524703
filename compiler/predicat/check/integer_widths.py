"""The widths of Spark's integer types, which decide what happens on overflow.

All integer nodes have the type `bigint`. While a condition is checked, their widths are kept in a table by
the identity of the nodes.
"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from predicat.analysis import facts
from predicat.ir.nodes import Call, Field, Literal, Node, Parameter
from predicat.ir.operators import CHOICES, OF_INT
from predicat.ir.surface import UNKNOWN_IF
from predicat.ir.types import NULL
from predicat.ir.widths import INT, LIMITS, LONG

_BITS = {"tinyint": 8, "smallint": 16, "int": INT}
# An upper bound for lengths of strings and arrays in Spark. Adding a small number does not overflow an INT.
_MOST_ELEMENTS = 2**31 - 16


class Exact(Struct, frozen=True):
    """An integer node with its least and its greatest value."""

    node: Node
    range: tuple[int, int]


class Known(Struct, frozen=True):
    """The width of an integer.

    Attributes:
        bits: The number of bits of its type; None if unknown.
        exact: The number before it wrapped around; None if it did not.
    """

    bits: int | None
    exact: Exact | None = None


class Knows(Protocol):
    """A check with a table of integer widths, by the identity of the nodes."""

    numbers: dict[int, tuple[Node, Known]]


def known(check: Knows, node: Node, fact: Known) -> Node:
    """A copy of the node with an entry in the table."""
    fresh = replace(node, span=node.span)
    check.numbers[id(fresh)] = fresh, fact
    return fresh


def before_turn(check: Knows, node: Node) -> Exact:
    """An integer before it wrapped around; the integer itself if it did not."""
    known = check.numbers.get(id(node))
    exact = known[1].exact if known is not None else None
    return exact or Exact(node, known_range(check, node))


def width(check: Knows, node: Node) -> int | None:
    """The number of bits of an integer; None if unknown."""
    known = check.numbers.get(id(node))
    if known is not None:
        return known[1].bits
    match node:
        case Field(decl=decl):
            return _BITS.get(decl.stored, LONG)
        case Parameter():
            return LONG
        case Literal(value=int() as value):
            return INT if LIMITS[INT][0] <= value <= LIMITS[INT][1] else LONG
        case Call(op=op) if op in OF_INT:
            return INT
        case Call(op=op, args=(value, *_)) if op == UNKNOWN_IF:
            return width(check, value)
        case Call(op=op, args=args) if op in CHOICES:
            return _widest([width(check, arg) for arg in args[CHOICES[op] :] if not _is_null(arg)])
        case _:
            return None


def known_range(check: Knows, node: Node) -> tuple[int, int]:
    """The least and the greatest value of an integer."""
    low, high = facts.integers(node)
    least, most = LIMITS[width(check, node) or LONG]
    if isinstance(node, Call) and node.op in OF_INT:
        most = _MOST_ELEMENTS
    return max(low, least), min(high, most)


def _widest(widths: list[int | None]) -> int | None:
    known = [bits for bits in widths if bits is not None]
    return max(known) if known and (len(known) == len(widths) or LONG in known) else None


def _is_null(node: Node) -> bool:
    return node.type == NULL or (isinstance(node, Literal) and node.value is None)
