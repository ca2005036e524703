"""Of how many bits the whole numbers of Spark are, which matters where they leave the range of their type.

Nodes say `bigint` of all of them. What is known beside that is kept by the identity of nodes while a
condition is checked.
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
_MOST_ELEMENTS = 2**31 - 16
"""The longest text or array of Spark: what a few are added to does not overflow."""


class Exact(Struct, frozen=True):
    """A whole number, with its least and its greatest value."""

    node: Node
    range: tuple[int, int]


class Known(Struct, frozen=True):
    """What is known of a whole number.

    Attributes:
        bits: The bits of its type; None: not known.
        exact: The number before it began again at the other end of its range. Default: it did not.
    """

    bits: int | None
    exact: Exact | None = None


class Knows(Protocol):
    """A check that keeps what is known of whole numbers, by the identity of their nodes."""

    numbers: dict[int, tuple[Node, Known]]


def known(check: Knows, node: Node, fact: Known) -> Node:
    """The same node as another object, of which something is known."""
    fresh = replace(node, span=node.span)
    check.numbers[id(fresh)] = fresh, fact
    return fresh


def before_turn(check: Knows, node: Node) -> Exact:
    """A whole number before it began again at the other end of its range."""
    known = check.numbers.get(id(node))
    exact = known[1].exact if known is not None else None
    return exact or Exact(node, known_range(check, node))


def width(check: Knows, node: Node) -> int | None:
    """The bits of a whole number; None where they are not known."""
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
    """The least and the greatest value of a whole number."""
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
