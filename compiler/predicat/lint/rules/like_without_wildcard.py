"""P506: LIKE with a pattern that matches only one string."""

from __future__ import annotations

import re
from collections.abc import Iterator

from predicat.diagnostics import Span
from predicat.ir.syntax import Constant, OperatorCall, Tree
from predicat.lint.rule import Context, Finding, Fix, Rule
from predicat.lint.written import bodies, shown, walk
from predicat.semantics import like

_WORD = re.compile(r"(?i)\s+(NOT\s+)?LIKE\s+")


def check(context: Context) -> Iterator[Finding]:
    for filter_, tree in bodies(context):
        for part in walk(tree):
            if (
                not isinstance(part, OperatorCall)
                or part.op != "like"
                or not isinstance(part.args[1], Constant)
            ):
                continue
            value, pattern = part.args[0], part.args[1]
            result = like.simple(pattern.value) if isinstance(pattern.value, str) else None
            if result is not None and result[0] == "eq":
                yield Finding(
                    RULE.code,
                    filter_.qualified,
                    f"{pattern.span.text or shown(result[1])} has no wildcard, so LIKE means =",
                    part.span,
                    "write =, or add the missing %",
                    _fix(value, pattern, result[1]),
                )


def _fix(value: Tree, pattern: Constant, text: str) -> Fix | None:
    """A fix that replaces LIKE by `=`, if the pattern is written like the string."""
    if (
        pattern.span.source is not value.span.source
        or pattern.span.text != "'" + text.replace("'", "''") + "'"
    ):
        return None
    gap = Span(pattern.span.source, value.span.end, pattern.span.start)
    word = _WORD.fullmatch(gap.text)
    return Fix(gap, " <> " if word[1] else " = ") if word else None


RULE = Rule("P506", "like-without-wildcard", "LIKE with a pattern that has no wildcard.", check)
