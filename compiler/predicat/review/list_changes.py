"""The values that a change of a list adds and removes."""

from collections.abc import Collection, Iterable
from itertools import islice
from typing import Any

from predicat.catalog.lists import Items
from predicat.ir.value_sets import ValueSet, as_text

_SHOWN = 5


def moved(before: Items | None, after: Items | None) -> tuple[str, ...]:
    """The numbers of added and removed values, with the first of them; empty if the values of one side are
    not available.
    """
    if before is None or after is None:
        return ()
    old, new = _members(before), _members(after)
    added, removed = len(new - old), len(old - new)
    if not added and not removed:
        return ()
    return tuple(
        f"{count:,} {word}: {_some((one for one in values if one not in others), count)}"
        for count, word, values, others in (
            (added, "added", _values(after), old),
            (removed, "removed", _values(before), new),
        )
        if count
    )


def _some(values: Iterable[Any], count: int) -> str:
    shown = ", ".join(as_text(one) for one in islice(values, _SHOWN))
    return shown + (", ..." if count > _SHOWN else "")


def _values(items: Items) -> Collection[Any]:
    return items.values if isinstance(items, ValueSet) else items


def _members(items: Items) -> frozenset[Any]:
    return items.members if isinstance(items, ValueSet) else frozenset(items)
