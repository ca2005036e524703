"""Loops of tests that must not be empty."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def rounds(items: Iterable[T], at_least: int) -> Iterator[T]:
    """The items, of which there must be so many: a loop without any would assert nothing, and pass."""
    count = 0
    for count, item in enumerate(items, 1):  # noqa: B007  # the last count is asked for
        yield item
    assert count >= at_least, f"{count} rounds, and at least {at_least} were expected"
