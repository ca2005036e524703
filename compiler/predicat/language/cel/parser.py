"""The only module that uses the CEL parser (cel-expr-python, Google's C++ parser): text to a ParsedExpr
message.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from google.protobuf.message import DecodeError

from predicat.diagnostics import Diagnostic, PredicatError, Source, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import cel as say
from predicat.ir.limits import MAX_LENGTH
from predicat.language.cel import newcomers, quoted_names
from predicat.language.cel.syntax_proto import decode
from predicat.language.cel.tokens import BARE_NAME, PARENTHESIS

_PARSER_DEPTH = 32


_DOUBLING = re.compile("optMap|optFlatMap")
# The parser repeats the operand of each of these macros, so its output doubles with each.
_MOST_DOUBLINGS = 8
# What stands in every text with optional values, and hardly in another: their syntax is one more library
# to load.
_OPTIONAL = re.compile(rf"[.\[{{]\s*\?|{_DOUBLING.pattern}")


@cache
def _environment(*, optional: bool) -> Any:
    from cel_expr_python import cel  # noqa: PLC0415  # a C++ library: only loaded when a CEL filter is read

    if not optional:
        return cel.NewEnv()
    from cel_expr_python.ext.ext_optional import ExtOptional  # noqa: PLC0415  # only where a filter has optional values

    return cel.NewEnv(extensions=[ExtOptional()])


def parse(text: str, source: Source) -> tuple[Any, Mapping[int, int]]:
    """The message of the expression and the offset in the text of each expression id. Raises
    PredicatError.
    """
    if len(text) > MAX_LENGTH:
        raise PredicatError.of(msg.too_large(Span(source, 0, len(text)), len(text), MAX_LENGTH))
    if not text.strip():
        raise PredicatError.of(msg.empty_condition(Span(source, 0, len(text))))
    if len(_DOUBLING.findall(text)) > _MOST_DOUBLINGS:
        raise PredicatError.of(say.too_many_optional_macros(Span(source, 0, len(text)), _MOST_DOUBLINGS))
    unquoted, names = quoted_names.replaced(text)
    try:
        serialized = (
            _environment(optional=_OPTIONAL.search(text) is not None)
            .compile(unquoted, disable_check=True)
            .serialize()
        )
    except (RuntimeError, UnicodeError, ValueError) as error:
        plain = _without_doubled_parentheses(text) if "recursion limit" in str(error) else text
        if plain != text:
            return parse(plain, source)
        reason = str(error)
        for name, quoted in names.items():
            reason = reason.replace(name, quoted)
        raise PredicatError(_diagnostics(reason, text, source)) from None
    try:
        parsed = decode(serialized)
    except DecodeError:
        raise PredicatError.of(msg.too_deep(Span(source, 0, len(text)), _PARSER_DEPTH)) from None
    if names:
        quoted_names.put_back(parsed.expr, names)
    return parsed.expr, parsed.source_info.positions


def _without_doubled_parentheses(text: str) -> str:
    """`((x))` as ` (x) `, of the same length: the parser counts every pair of parentheses as a level."""
    stack: list[int] = []
    pairs: dict[int, int] = {}
    for match in PARENTHESIS.finditer(text):
        if match[0] == "(":
            stack.append(match.start())
        elif match[0] == ")" and stack:
            pairs[stack.pop()] = match.start()
    chars = list(text)
    for start, end in pairs.items():
        inner = start + 1
        if pairs.get(inner) == end - 1 and not text[:start].rstrip()[-1:].isalnum():
            chars[start] = chars[end] = " "
    return "".join(chars)


_ERROR = re.compile(r"ERROR: <input>:(\d+):(\d+): ([^\n]*)")


def _diagnostics(message: str, text: str, source: Source) -> list[Diagnostic]:
    names = [(match["name"], match.span()) for match in BARE_NAME.finditer(text) if match["name"]]
    if foreign := [(name, place) for name, place in names if not name.isascii()]:
        return [say.name_without_backticks(Span(source, *place), name) for name, place in foreign]
    if "recursion limit" in message or "recursion depth" in message:
        return [msg.too_deep(Span(source, 0, len(text)), _PARSER_DEPTH)]
    diagnostics: list[Diagnostic] = []
    starts = [0, *(i + 1 for i, char in enumerate(text) if char == "\n")]
    for line, column, reason in _ERROR.findall(message):
        if int(line) > len(starts):
            continue  # the parser's afterthought about the missing tree, without a place
        start = min(starts[int(line) - 1] + int(column) - 1, len(text))
        word = re.compile(r"\w+|\S").match(text, start)
        clean = reason.replace(" [INVALID_ARGUMENT]", "").removeprefix("Syntax error: ")
        clean = re.sub(r" expecting \{.*\}$", "", clean)
        diagnostics.append(
            say.invalid_cel(Span(source, start, word.end() if word else start + 1), clean, _hint(clean, text))
        )
    return diagnostics or [say.invalid_cel(Span(source, 0, len(text)), message.splitlines()[0])]


def _hint(reason: str, text: str) -> str | None:
    if "has() argument" in reason:
        return say.FIELD_OF_THE_ROW
    return newcomers.hint_for(text, reason)
