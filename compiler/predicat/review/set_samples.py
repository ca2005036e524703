"""A few values of long lists that tell them apart: for rows that are tried on two predicates."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

from predicat.ir.nodes import Literal, Node, walk
from predicat.ir.value_sets import ValueSet

_EACH = 2
"""Values for each difference between two lists."""


def sets_of(nodes: Iterable[Node]) -> tuple[ValueSet, ...]:
    """The long lists of some predicates whose values are at hand, each once."""
    return tuple(
        dict.fromkeys(
            part.value
            for node in nodes
            for part in walk(node)
            if isinstance(part, Literal) and isinstance(part.value, ValueSet) and part.value.is_known
        )
    )


def samples(values: ValueSet, others: Iterable[ValueSet]) -> list[Any]:
    """Values of a list: what others lack first, then what they have as well, and the ends."""
    if not values.is_known or not values.values:
        return []
    result: list[Any] = []
    for other in others:
        if other != values and type(other.values[0]) is type(values.values[0]):
            result += islice((one for one in values.values if one not in other), _EACH)
            result += islice((one for one in values.values if one in other), 1)
    return list(dict.fromkeys([*result, values.values[0], values.values[-1]]))
