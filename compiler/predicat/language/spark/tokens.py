"""Corrections of sqlglot's tokens for Spark."""

from __future__ import annotations

from sqlglot import Token, TokenType


def joined_quotes(tokens: list[Token]) -> list[Token]:
    """The tokens with `'it''s'` as one string: a doubled quote is part of the string (Spark 4)."""
    result: list[Token] = []
    for token in tokens:
        last = result[-1] if result else None
        if (
            last is not None
            and last.token_type is token.token_type is TokenType.STRING
            and last.end + 1 == token.start
        ):
            # sqlglot's tokens do not tell which quotation mark delimits a string.
            result[-1] = Token(
                TokenType.STRING,
                f"{last.text}'{token.text}",
                last.line,
                last.col,
                last.start,
                token.end,
                last.comments,
            )
        else:
            result.append(token)
    return result
