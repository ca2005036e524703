"""Messages for text that is not YAML. Each function is one: see the package."""

from __future__ import annotations

from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import Span

_QUOTED = "put the whole value in quotes"


def _yaml(span: Span, reason: str, hint: str) -> Diagnostic:
    return Diagnostic("yaml", f"this is not valid YAML: {reason}", span, hint)


def conflict(span: Span) -> Diagnostic:
    return _yaml(span, "it has the conflict markers of a merge", "keep one side, and remove the markers")


def unclosed_quote(span: Span) -> Diagnostic:
    return _yaml(
        span,
        f"the quote {span.text} that opens here is not closed",
        "close it; inside the quotes, write " + ("''" if span.text == "'" else '\\"') + " for a quote",
    )


def escape(span: Span) -> Diagnostic:
    return _yaml(
        span,
        "unknown escape after a backslash in double quotes",
        "write the backslash twice: \\\\, or put the value in single quotes",
    )


def tab(span: Span) -> Diagnostic:
    return _yaml(span, "the line is indented with a tab", "indent with spaces")


def sign(span: Span, char: str) -> Diagnostic:
    return _yaml(
        span,
        f"a value without quotes cannot begin with {char}",
        f'{_QUOTED}: sql: "{"> 1" if char == ">" else char + "..."}"',
    )


def unclosed_brace(span: Span, brace: str) -> Diagnostic:
    closing = {"{": "}", "[": "]"}.get(brace, "}")
    return _yaml(
        span,
        f"the {brace} that opens here is not closed, or a value in it needs quotes",
        f"write {closing} after the last value; put a value that contains , : # {{ }} [ or ] in quotes",
    )


def brace_too_many(span: Span, brace: str) -> Diagnostic:
    return _yaml(span, f"unmatched {brace}", "remove it, or put the value that it is a part of in quotes")


def colon(span: Span) -> Diagnostic:
    return _yaml(
        span, "a value without quotes contains a colon", f"{_QUOTED}, or move the key to a line of its own"
    )


def text_behind_quote(span: Span) -> Diagnostic:
    return _yaml(
        span,
        "unexpected characters after the closing quote",
        f"{_QUOTED}, as in sql: '\"name\" = 1', or begin the condition on the line after sql: >-",
    )


def columns(span: Span) -> Diagnostic:
    return _yaml(
        span, "the indentation of this line matches no line above", "indent all keys of one level equally"
    )


def missing(span: Span) -> Diagnostic:
    return _yaml(span, f"a value is missing before {span.text}", f"write one, or remove {span.text}")
