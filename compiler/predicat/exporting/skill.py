"""The skill for agents: when and how to use the catalog instead of a condition of their own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from predicat.catalog.model import Filter

_FILE = Path(__file__).parent / "SKILL.md"
_FENCE = "---\n"


def skill() -> str:
    """The text of SKILL.md."""
    return _FILE.read_text(encoding="utf-8")


def instructions() -> str:
    """What a server says of itself: the first part of the skill, without its head."""
    _, _, body = skill().split(_FENCE, 2)
    return body.partition("\n## ")[0].strip()


def with_filters(filters: Iterable[Filter]) -> str:
    """The skill with the names of the filters that an agent has at hand."""
    lines = (f"- `{row.qualified}`: {_line(row.description)}".removesuffix(": ") for row in filters)
    return "\n".join([skill(), "## The filters of this package", "", *lines, ""])


def _line(text: str) -> str:
    return text.strip().partition("\n")[0]
