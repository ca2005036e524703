"""Case-insensitive tests of strings against constants, with the engines' own LOWER, UPPER and ILIKE.

A filter's `lower` changes ASCII letters only; ILIKE uses simple case folding. Beyond ASCII the engines'
functions depend on the engine, its locale and the collation. That does not matter for an ASCII constant,
except for the few other characters that become ASCII letters: LOWER turns U+212A (Kelvin) into `k`.
"""

from __future__ import annotations

from predicat.ir.nodes import Call, Literal, Node

# The letters of ASCII that LOWER and UPPER make of others, or of ASCII letters in some languages only.
#
# Of U+212A and U+0130; of U+0131, U+017F, U+00DF, U+0149, U+01F0, U+1E96 to U+1E9A, and ligatures. In
# Turkish, Azeri and Lithuanian the other case of `i` is not `I`.
_MADE = {"lower": frozenset("ik"), "upper": frozenset("AFHIJLNSTWY")}
# What case folding makes of U+017F, and LOWER does not.
_ALSO_FOLDED = frozenset("s")


def has_usual_case(node: Node, *constants: Node) -> bool:
    """Whether the engine's LOWER or UPPER gives the same result for a test of `lower(x)` or `upper(x)`
    against constants.
    """
    if not isinstance(node, Call) or node.op not in _MADE:
        return False
    texts = [part.value for part in constants if isinstance(part, Literal) and isinstance(part.value, str)]
    return len(texts) == len(constants) and all(
        text.isascii() and not _MADE[node.op] & {*text} for text in texts
    )


def is_usually_folded(folded: str, *, kelvin: bool) -> bool:
    """Whether the engine's LOWER gives the same result as case folding for a test against a constant.

    Args:
        folded: The folded constant.
        kelvin: Whether LOWER is known to turn U+212A into `k`, as case folding does.
    """
    unusual = _MADE["lower"] | _ALSO_FOLDED
    return folded.isascii() and not (unusual - {"k"} if kelvin else unusual) & {*folded}
