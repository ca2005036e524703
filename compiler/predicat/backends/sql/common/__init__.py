"""Rules that the dialects share. `RULES` of a topic has the operators with the same SQL in most of them."""

from __future__ import annotations

from predicat.backends.sql.common import (
    collections,
    comparisons,
    conversions,
    documents,
    logic,
    numbers,
    texts,
    times,
)
from predicat.backends.sql.renderer import Rule
from predicat.backends.sql.rules import NotSupported

# The rules of most dialects. Those of a dialect override them.
COMMON: dict[str, Rule | NotSupported] = {
    **logic.RULES,
    **comparisons.RULES,
    **numbers.RULES,
    **texts.RULES,
    **conversions.RULES,
    **collections.RULES,
    **documents.RULES,
    **times.RULES,
}
