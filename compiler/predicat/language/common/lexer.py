"""Tokens with spans, for languages with their own grammar."""

from __future__ import annotations

import re

from predicat.diagnostics import Source, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import Reason
from predicat.diagnostics.messages import selectors as say
from predicat.ir.limits import MAX_LENGTH
from predicat.language.common.body import Body
from predicat.language.common.data import DataReader, Stop


class TokenReader(DataReader):
    """Reads a text token by token. `tokens` are (kind, text, span); the last one is of the kind "end"."""

    pattern: re.Pattern[str]
    """One word after white space, in a group named after its kind; texts in quotes are of the kind "text"."""
    language: str
    any_case: bool = False
    """Whether keywords may be in any case."""

    def __init__(self, body: Body) -> None:
        super().__init__(body)
        self.source: Source = body.source
        self.tokens: list[tuple[str, str, Span]] = []
        self.position = 0

    def scan(self, text: str) -> None:
        """Split a text into tokens, which `peek` and `take` read. Raises Stop for a character that starts no
        token, and for a text that is too long.
        """
        if len(text) > MAX_LENGTH:
            raise self.fail(msg.too_large(self.whole, len(text), MAX_LENGTH))
        at, end = 0, len(text.rstrip())
        while at < end:
            match = self.pattern.match(text, at)
            if not match:
                start = at + len(text[at:]) - len(text[at:].lstrip())
                reason = say.open_quote() if text[start] in "'\"" else say.unexpected(text[start])
                raise self.invalid(Span(self.source, start, start + 1), reason)
            kind = str(match.lastgroup)
            self.tokens.append((kind, match[kind], Span(self.source, match.start(kind), match.end())))
            at = match.end()
        self.tokens.append(("end", "", Span(self.source, len(text), len(text))))

    def invalid(self, span: Span, reason: Reason) -> Stop:
        """Report a syntax error. Returns the exception to raise."""
        return self.fail(say.invalid_text(span, self.language, reason))

    def unexpected(self, wanted: str | None = None, hint: str | None = None) -> Stop:
        """The error for the current token."""
        _, word, span = self.tokens[self.position]
        return self.invalid(span, say.unexpected(word, wanted, hint))

    def peek(self, ahead: int = 0) -> str:
        """The current token, or a later one: a quote for a string, uppercase for a word in any case."""
        kind, word, _ = self.tokens[min(self.position + ahead, len(self.tokens) - 1)]
        if kind == "word":
            return word.upper() if self.any_case else word
        return "'" if kind == "text" else word

    def take(self, wanted: str | None = None) -> tuple[str, str, Span]:
        """Consumes the current token: its kind, text and span."""
        kind, word, span = self.tokens[self.position]
        if kind == "end" or (wanted is not None and self.peek() != wanted):
            raise self.unexpected(wanted)
        self.position += 1
        return kind, word, span

    def accept(self, wanted: str) -> bool:
        """Consumes the current token if it is the wanted one."""
        accepted = self.peek() == wanted
        self.position += accepted
        return accepted
