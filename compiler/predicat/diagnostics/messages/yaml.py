"""Messages for text that is no YAML. Each function is one: see the package."""

from __future__ import annotations

from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import Span

_QUOTED = "put the whole text in quotes"


def _yaml(span: Span, reason: str, hint: str) -> Diagnostic:
    return Diagnostic("yaml", f"this is not valid YAML: {reason}", span, hint)


def conflict(span: Span) -> Diagnostic:
    return _yaml(span, "a conflict of a merge is left in it", "keep one side, and take the marks out")


def unclosed_quote(span: Span) -> Diagnostic:
    return _yaml(
        span,
        f"the quote {span.text} that opens here is not closed",
        f"close it; within {span.text}...{span.text} the sign itself is "
        + ("''" if span.text == "'" else '\\"'),
    )


def escape(span: Span) -> Diagnostic:
    return _yaml(
        span,
        "a backslash within double quotes begins an escape that there is not",
        "write it twice: \\\\, or put the text in single quotes, where it is plain",
    )


def tab(span: Span) -> Diagnostic:
    return _yaml(span, "a tab stands where the line begins", "indent with spaces")


def sign(span: Span, char: str) -> Diagnostic:
    return _yaml(
        span,
        f"a text without quotes does not begin with {char}",
        f'{_QUOTED}: sql: "{"> 1" if char == ">" else char + "..."}"',
    )


def unclosed_brace(span: Span, brace: str) -> Diagnostic:
    closing = {"{": "}", "[": "]"}.get(brace, "}")
    return _yaml(
        span,
        f"the {brace} that opens here is not closed, or a text in it needs quotes",
        f"write {closing} behind the last value; a text with , : # {{ }} [ ] in it stands in quotes",
    )


def brace_too_many(span: Span, brace: str) -> Diagnostic:
    return _yaml(span, f"{brace} closes nothing", "take it out, or put the text that it is part of in quotes")


def colon(span: Span) -> Diagnostic:
    return _yaml(
        span, "a colon stands within a text without quotes", f"{_QUOTED}, or indent the key below another"
    )


def text_behind_quote(span: Span) -> Diagnostic:
    return _yaml(
        span,
        "something stands behind the quote that closes",
        f"{_QUOTED}, as in sql: '\"name\" = 1', or begin the condition on the next line behind sql: >-",
    )


def columns(span: Span) -> Diagnostic:
    return _yaml(
        span, "this line begins in no column of the keys above", "keys of one level begin in one column"
    )


def missing(span: Span) -> Diagnostic:
    return _yaml(span, f"a value is missing before {span.text}", f"write one, or take {span.text} out")
