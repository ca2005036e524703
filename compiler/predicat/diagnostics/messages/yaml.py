"""Messages for text that is not YAML. Each row is one: see the package."""

from __future__ import annotations

from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Arguments, Problem
from predicat.diagnostics.source import Span


class _Invalid(Problem[*Arguments]):
    """A text that is not YAML."""

    frame = "yaml: this is not valid YAML: {}"


_QUOTED = "put the whole value in quotes"

_yaml = _Invalid[str, str]("""{reason}
    hint: {hint}""")
conflict = _Invalid[()]("""it has the conflict markers of a merge
    hint: keep one side, and remove the markers""")
escape = _Invalid[()](r"""unknown escape after a backslash in double quotes
    hint: write the backslash twice: \\, or put the value in single quotes""")
tab = _Invalid[()]("""the line is indented with a tab
    hint: indent with spaces""")
brace_too_many = _Invalid[str]("""unmatched {brace}
    hint: remove it, or put the value that it is a part of in quotes""")
columns = _Invalid[()]("""the indentation of this line matches no line above
    hint: indent all keys of one level equally""")
missing = _Invalid[()]("""a value is missing before {span.text}
    hint: write one, or remove {span.text}""")
unclosed_quote = _Invalid[()](r"""the quote {span.text} that opens here is not closed
    hint: close it; inside the quotes, write {span.text:is ' ''|\"} for a quote""")
sign = _Invalid[str]("""a value without quotes cannot begin with {char}
    hint: put the whole value in quotes: sql: "{char:is > > 1|{char}...}\"""")


def unclosed_brace(span: Span, brace: str) -> Diagnostic:
    closing = {"{": "}", "[": "]"}.get(brace, "}")
    return _yaml(
        span,
        f"the {brace} that opens here is not closed, or a value in it needs quotes",
        f"write {closing} after the last value; put a value that contains , : # {{ }} [ or ] in quotes",
    )


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
