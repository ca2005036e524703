"""Messages for invalid YAML in terms of what its author wrote.

libyaml reports what its parser expected; the characters at the place show what was meant.
"""

from __future__ import annotations

import re

import yaml

from predicat.diagnostics import Diagnostic, Source, Span
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.messages import yaml as say

_CONFLICT = re.compile(r"^(?:<{7} |={7}$|>{7} )", re.MULTILINE)
# Signs that a text without quotes does not begin with.
_MARKS = "@`%*&!>|"


def described(error: yaml.MarkedYAMLError, source: Source, shift: int = 0) -> Diagnostic:
    """The message for an error. `shift` is added to its offsets to get offsets in the source."""
    text = source.text
    at = _index(error.problem_mark or error.context_mark, text, shift)
    opened = _index(error.context_mark, text, shift)
    conflict = _CONFLICT.search(text)
    if conflict is not None:
        return say.conflict(_sign(source, conflict.start()))
    if "quoted scalar" in (error.context or "") and "end of stream" in (error.problem or ""):
        return say.unclosed_quote(_sign(source, opened))
    if "unknown escape" in (error.problem or ""):
        return say.escape(_sign(source, at))
    for rule in (_of_sign, _of_flow, _of_block):
        problem = rule(error, source, at, opened)
        if problem is not None:
            return problem
    reason = " ".join(f"{error.context or ''} {error.problem or 'it cannot be read'}".split())
    return say_keys.bad_yaml(_sign(source, at), reason)


def _of_sign(error: yaml.MarkedYAMLError, source: Source, at: int, _opened: int) -> Diagnostic | None:
    """A value that begins with a YAML indicator."""
    problem = error.problem or ""
    if "cannot start any token" in problem:
        char = source.text[at : at + 1]
        return say.tab(_sign(source, at)) if char == "\t" else say.sign(_sign(source, at), char)
    if "undefined alias" in problem or "comment or line break" in problem:
        start = _value_start(source.text, at)
        char = source.text[start : start + 1]
        if char in _MARKS or source.text.startswith("{{", start):
            return say.sign(_sign(source, start), char)
    return None


def _of_flow(error: yaml.MarkedYAMLError, source: Source, at: int, opened: int) -> Diagnostic | None:
    """Braces and brackets without a counterpart."""
    if "flow" in (error.context or ""):
        brace = source.text[opened : opened + 1]
        if brace not in ("{", "["):
            return say.missing(_sign(source, at))
        return say.unclosed_brace(_sign(source, opened), brace)
    if source.text[at : at + 1] in ("}", "]"):
        return say.brace_too_many(_sign(source, at), source.text[at])
    return None


def _of_block(error: yaml.MarkedYAMLError, source: Source, at: int, _opened: int) -> Diagnostic | None:
    """Keys that are not aligned, and strings that need quotes."""
    problem = error.problem or ""
    start = _value_start(source.text, at)
    if "mapping values are not allowed" in problem:
        return say.colon(_sign(source, at))
    if "did not find expected key" in problem:
        if source.text[start : start + 1] in "\"'":
            return say.text_behind_quote(_sign(source, at))
        return say.columns(_sign(source, at))
    return None


def _value_start(text: str, at: int) -> int:
    """The offset of the value of the key on a line."""
    line = text.rfind("\n", 0, at) + 1
    colon = text.find(": ", line, max(at, line) + 1)
    return colon + 2 if colon >= 0 else at


def _sign(source: Source, at: int) -> Span:
    return Span(source, at, min(at + 1, len(source.text)) if at < len(source.text) else at)


def _index(mark: yaml.Mark | None, text: str, shift: int) -> int:
    index = mark.index + shift if mark is not None else 0
    return min(max(index, 0), max(len(text) - 1, 0))
