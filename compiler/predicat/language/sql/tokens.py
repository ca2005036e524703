"""Corrections of sqlglot's tokens."""

from __future__ import annotations

import re
from collections.abc import Container

from sqlglot import Token, TokenType


def called_div(tokens: list[Token]) -> list[Token]:
    """The tokens with `div(a, b)` as a function call. sqlglot supports DIV as an infix operator only."""
    return [
        renamed(token, TokenType.VAR, token.text)
        if token.token_type is TokenType.DIV and _is_called(tokens, index)
        else token
        for index, token in enumerate(tokens)
    ]


# A prefix that hides the name of a function from sqlglot.
MARK = "written as "


def as_written(tokens: list[Token], names: Container[str]) -> list[Token]:
    """The tokens with the function names in `names` hidden from sqlglot's parser, so that it keeps their
    arguments as written.
    """
    return [
        renamed(token, TokenType.VAR, MARK + token.text)
        if token.text.lower() in names
        and token.token_type not in (TokenType.IDENTIFIER, TokenType.STRING)
        and index + 1 < len(tokens)
        and tokens[index + 1].token_type is TokenType.L_PAREN
        else token
        for index, token in enumerate(tokens)
    ]


def renamed(token: Token, kind: TokenType, text: str) -> Token:
    """A token with another kind and text at the same position."""
    return Token(kind, text, token.line, token.col, token.start, token.end, token.comments)


# Tokens that end an operand: DIV after them is an infix operator.
_OPERANDS = frozenset(
    {
        TokenType.R_PAREN,
        TokenType.R_BRACKET,
        TokenType.VAR,
        TokenType.IDENTIFIER,
        TokenType.NUMBER,
        TokenType.STRING,
    }
)


def _is_called(tokens: list[Token], index: int) -> bool:
    called = index + 1 < len(tokens) and tokens[index + 1].token_type is TokenType.L_PAREN
    return called and (index == 0 or tokens[index - 1].token_type not in _OPERANDS)


_CLAUSES = frozenset(
    {
        TokenType.SELECT,
        TokenType.WHERE,
        TokenType.WITH,
        TokenType.HAVING,
        TokenType.DELETE,
        TokenType.UPDATE,
        TokenType.INSERT,
        TokenType.MERGE,
        TokenType.CREATE,
        TokenType.DROP,
    }
)


def clause_word(tokens: list[Token]) -> Token | None:
    """The keyword of a clause or statement at the start of a condition; None if there is none."""
    return tokens[0] if tokens and tokens[0].token_type in _CLAUSES else None


# The delimiter of a dollar-quoted string.
_DOLLARS = re.compile(r"\$(?:[A-Za-z_]\w*)?\$")


def unclosed(text: str, quotes: str) -> int | None:
    """The offset of the first quotation mark that is not closed; None if there is none. If `quotes` has a
    backslash, it escapes the next character.
    """
    at, escapes = 0, "\\" in quotes
    while at < len(text):
        if text.startswith("--", at):
            at = text.find("\n", at) % (len(text) + 1)
        elif (tag := _DOLLARS.match(text, at)) is not None:
            closing = text.find(tag[0], tag.end())
            if closing < 0:
                return at
            at = closing + len(tag[0]) - 1
        elif text[at] in quotes and text[at] != "\\":
            end = _closed(text, at, escapes=escapes)
            if end is None:
                return at
            at = end
        at += 1
    return None


def _closed(text: str, start: int, *, escapes: bool) -> int | None:
    """The offset of the quotation mark that closes the one at `start`; None if there is none. A doubled one
    is part of the string.
    """
    at, doubled = start + 1, text[start] * 2
    while at < len(text) and (text[at] != text[start] or text.startswith(doubled, at)):
        at += 2 if text.startswith(doubled, at) or (escapes and text[at] == "\\") else 1
    return at if at < len(text) else None
