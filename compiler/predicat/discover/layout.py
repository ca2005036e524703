"""AND mixed with OR where the line breaks suggest another grouping than the precedence of AND.

    WHERE a = 1
      AND b = 2 OR b = 3

reads as `a = 1 AND (b = 2 OR b = 3)` and means `(a = 1 AND b = 2) OR b = 3`. An operator at the start or the
end of a line separates more than one within a line, and of two at the starts of lines the one that is further
left does. The reading of the lines is a text with parentheses; whether it accepts other rows is proved.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from sqlglot import Dialect, Token, TokenType
from sqlglot.errors import SqlglotError

_OPENING = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE)
_CLOSING = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END)
# Words that separate conditions of different chains.
_APART = (TokenType.COMMA, TokenType.WHEN, TokenType.THEN, TokenType.ELSE)
# How far right an operator counts that has no line of its own.
_WITHIN_A_LINE = 1_000


class Operator(Struct, frozen=True):
    """An AND or OR: its place in the text, and its column: the further left, the more it separates."""

    start: int
    end: int
    is_or: bool
    column: int


def as_laid_out(text: str, dialect: str) -> str | None:
    """The text with parentheses as its lines group it; None where they group it as it means, or tell
    nothing.
    """
    if "\n" not in text:
        return None
    try:
        tokens = Dialect.get_or_raise(dialect or None).tokenize(text)
    except SqlglotError:
        return None
    for first, last, chain in _chains(text, tokens):
        change = _grouped(text, first, last, chain)
        if change is not None:
            return change
    return None


def _grouped(text: str, first: int, last: int, chain: Sequence[Operator]) -> str | None:
    """The text with the parts between the separating ANDs of a chain in parentheses."""
    least = min(operator.column for operator in chain)
    separating = [operator for operator in chain if operator.column == least]
    within = [operator for operator in chain if operator.column > least]
    if any(operator.is_or for operator in separating) or not any(operator.is_or for operator in within):
        return None
    ends = [(operator.start, operator.end) for operator in separating]
    starts = [first, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), last]
    result, done = "", 0
    for start, stop in zip(starts, stops, strict=True):
        part = text[start:stop]
        result += text[done:start]
        if any(start <= operator.start < stop and operator.is_or for operator in within):
            inner = part.strip()
            at = part.index(inner)
            part = f"{part[:at]}({inner}){part[at + len(inner) :]}"
        result += part
        done = stop
    return result + text[done:]


def _chains(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int, list[Operator]]]:
    """The chains of AND and OR between two brackets, with where they start and end: those that have both."""
    stack: list[tuple[int, list[Operator]]] = [(0, [])]
    between = [0]
    for number, token in enumerate(tokens):
        kind = token.token_type
        if kind in _OPENING:
            stack.append((token.end + 1, []))
            between.append(0)
        elif kind in _CLOSING or kind in _APART:
            start, chain = stack.pop() if stack else (0, [])
            yield from _mixed(start, token.start, chain)
            between.pop()
            if kind in _APART or not stack:
                stack.append((token.end + 1, []))
                between.append(0)
        elif kind is TokenType.BETWEEN:
            between[-1] += 1
        elif kind is TokenType.AND and between[-1]:
            between[-1] -= 1
        elif kind in (TokenType.AND, TokenType.OR):
            stack[-1][1].append(_operator(text, tokens, number))
    for start, chain in stack:
        yield from _mixed(start, len(text), chain)


def _mixed(start: int, end: int, chain: list[Operator]) -> Iterator[tuple[int, int, list[Operator]]]:
    if len({operator.is_or for operator in chain}) == 2:
        yield start, end, chain


def _operator(text: str, tokens: Sequence[Token], number: int) -> Operator:
    token = tokens[number]
    start = text.rfind("\n", 0, token.start) + 1
    leads = not text[start : token.start].strip() and start > 0
    following = tokens[number + 1] if number + 1 < len(tokens) else token
    trails = "\n" in text[token.end + 1 : following.start]
    column = _WITHIN_A_LINE
    if leads:
        column = token.start - start
    elif trails:
        begin = following.start - text.rfind("\n", 0, following.start) - 1
        column = begin
    return Operator(token.start, token.end + 1, token.token_type is TokenType.OR, column)
