"""Words that depend on a number."""

from __future__ import annotations


def quantity(number: int, noun: str) -> str:
    """A number of things: `1 filter`, `1,200 filters`. The noun forms its plural with an s."""
    return f"{number:,} {noun}{'s' if number != 1 else ''}"
