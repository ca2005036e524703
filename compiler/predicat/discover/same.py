"""Finds the rules that may be equivalent: no row that is tried distinguishes them."""

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from predicat.discover.infer import Unclear
from predicat.discover.typed import Subject, typed
from predicat.lint.trials import Trial, classes

# Rules over the same fields that are tried together, at most.
_MOST_TOGETHER = 400


class Group(Struct, frozen=True):
    """Rules that read the same fields, of the same types."""

    items: tuple[Subject, ...]

    @property
    def key(self) -> str:
        """The question as a text."""
        return json.dumps([item.key for item in self.items])


class Alike(Struct, frozen=True):
    """Pairs of rules of a group, by their places in it, that no row told apart."""

    pairs: tuple[tuple[int, int], ...] = ()


def alike(group: Group) -> Alike:
    """The rules of a group that may be the same."""
    trials: list[Trial] = []
    places: list[int] = []
    for place, item in enumerate(group.items[:_MOST_TOGETHER]):
        try:
            trials.append(Trial(typed(item).narrow))
        except Unclear:
            continue
        places.append(place)
    classes_ = classes(trials, accept=False)
    return Alike(tuple((places[one], places[other]) for same in classes_ for one, other in _chain(same)))


def _chain(same: Sequence[int]) -> Iterator[tuple[int, int]]:
    return pairwise(sorted(same))
