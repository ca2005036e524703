"""Tests of texts without case against constants, by the engines' own LOWER, UPPER and ILIKE.

A filter's `lower` changes letters of ASCII only; ILIKE uses simple case folding. What the engines' functions
do beyond ASCII depends on the engine, its locale and the collation. That is no matter beside a constant of
ASCII, except for the few letters that another character becomes: of `K` (Kelvin) LOWER makes `k`.
"""

from __future__ import annotations

from predicat.ir.nodes import Call, Literal, Node

_MADE = {"lower": frozenset("ik"), "upper": frozenset("AFHIJLNSTWY")}
"""The letters of ASCII that LOWER and UPPER make of others, or of ASCII letters in some languages only.

Of U+212A and U+0130; of U+0131, U+017F, U+00DF, U+0149, U+01F0, U+1E96 to U+1E9A, and ligatures. In Turkish,
Azeri and Lithuanian the other case of `i` is not `I`.
"""
_ALSO_FOLDED = frozenset("s")
"""What case folding makes of U+017F, and LOWER does not."""


def has_usual_case(node: Node, *constants: Node) -> bool:
    """Whether LOWER or UPPER of an engine decides a test of `lower(x)` or `upper(x)` against constants."""
    if not isinstance(node, Call) or node.op not in _MADE:
        return False
    texts = [part.value for part in constants if isinstance(part, Literal) and isinstance(part.value, str)]
    return len(texts) == len(constants) and all(
        text.isascii() and not _MADE[node.op] & {*text} for text in texts
    )


def is_usually_folded(folded: str, *, kelvin: bool) -> bool:
    """Whether LOWER of an engine decides a test against a constant, which is folded, under case folding.

    Args:
        folded: The constant.
        kelvin: Whether LOWER surely makes `k` of U+212A, as case folding does.
    """
    unusual = _MADE["lower"] | _ALSO_FOLDED
    return folded.isascii() and not (unusual - {"k"} if kelvin else unusual) & {*folded}
