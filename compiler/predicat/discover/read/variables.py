"""Names that SQL declares itself: arguments of functions and procedures, and variables of scripts.

They are written like columns, and are values of a program.
"""

from collections.abc import Iterator, Sequence

from sqlglot import Token, TokenType

_ROUTINES = frozenset(("FUNCTION", "PROCEDURE", "MACRO"))
# What may stand before a name.
_MODES = frozenset(("IN", "OUT", "INOUT", "VARIABLE", "OR", "REPLACE"))
# Brackets, also those of types such as ARRAY<INT64>.
_OPENING, _CLOSING = (TokenType.L_PAREN, TokenType.LT), (TokenType.R_PAREN, TokenType.GT)


def arguments(tokens: Sequence[Token]) -> frozenset[str]:
    """The arguments of the function or procedure that a statement creates, in small letters."""
    first = next((i for i, token in enumerate(tokens) if token.token_type is TokenType.L_PAREN), 0)
    head = [token.text.upper() for token in tokens[:first]]
    if head[:1] != ["CREATE"] or _ROUTINES.isdisjoint(head):
        return frozenset()
    return frozenset(_names(tokens[first + 1 :]))


def variables(tokens: Sequence[Token]) -> frozenset[str]:
    """The variables that a statement declares, in small letters."""
    behind = (tokens[i + 1 :] for i, token in enumerate(tokens) if token.text.upper() == "DECLARE")
    return frozenset(name for rest in behind for name in _names(rest, typed=False))


def _names(tokens: Sequence[Token], *, typed: bool = True) -> Iterator[str]:
    """The first name, and those behind commas, up to what ends the list: a bracket that closes or, where no
    type is behind each name, what is no comma.
    """
    depth, expected = 0, True
    for token in tokens:
        if expected and token.text.upper() not in _MODES:
            yield token.text.lower()
            expected = False
        elif not depth and token.token_type is TokenType.COMMA:
            expected = True
        elif not expected and not typed:
            return
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if depth < 0:
            return
