"""Words that depend on a number, and names in a row."""

from __future__ import annotations

from collections.abc import Sequence


def either(names: Sequence[str]) -> str:
    """A choice of names: `spark, postgres or duckdb`."""
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def quantity(number: int, noun: str) -> str:
    """A number of things: `1 filter`, `1,200 filters`. The noun forms its plural with an s."""
    return f"{number:,} {noun}{'s' if number != 1 else ''}"
