"""Sample values of long lists that distinguish them, for candidate rows."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

from predicat.ir.nodes import Literal, Node, walk
from predicat.ir.value_sets import ValueSet

# Values for each difference between two lists.
_EACH = 2


def sets_of(nodes: Iterable[Node]) -> tuple[ValueSet, ...]:
    """The long lists in some predicates whose values are available, each once."""
    return tuple(
        dict.fromkeys(
            part.value
            for node in nodes
            for part in walk(node)
            if isinstance(part, Literal) and isinstance(part.value, ValueSet) and part.value.is_known
        )
    )


def samples(values: ValueSet, others: Iterable[ValueSet]) -> list[Any]:
    """Values of a list: first values that others lack, then common values, and the ends."""
    if not values.is_known or not values.values:
        return []
    result: list[Any] = []
    for other in others:
        if other != values and type(other.values[0]) is type(values.values[0]):
            result += islice((one for one in values.values if one not in other), _EACH)
            result += islice((one for one in values.values if one in other), 1)
    return list(dict.fromkeys([*result, values.values[0], values.values[-1]]))
