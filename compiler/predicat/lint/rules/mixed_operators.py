"""P509: AND and OR mixed without parentheses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from predicat.diagnostics import Source, Span
from predicat.lint.rule import Context, Finding, Rule
from predicat.lint.written import bodies

_TOKEN = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"\\]|""|\\.)*" | `[^`]*`
    | --[^\n]* | /\*.*?\*/ | -> | && | \|\| | \w+ | [^\w\s]""",
    re.VERBOSE | re.DOTALL,
)
_CEL_TOKEN = re.compile(
    r"""[rR]?(?:\"\"\".*?\"\"\"|'''.*?''') | [rR]?"(?:[^"\\]|\\.)*" | [rR]?'(?:[^'\\]|\\.)*'
    | //[^\n]* | && | \|\| | \w+ | [^\w\s]""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"AND": "and", "OR": "or", "BETWEEN": "between"}
_SYMBOLS = {"&&": "and", "||": "or"}
# Words that separate conditions of different chains.
_APART = ("CASE", "WHEN", "THEN", "ELSE", "END", ",", "->", "?", ":")
_LANGUAGES = {
    **dict.fromkeys(("sql", "spark", "postgres", "duckdb", "jms", "cesql"), (_TOKEN, _WORDS)),
    "cel": (_CEL_TOKEN, _SYMBOLS),
}


class _Chain(Struct):
    """The operators found between two brackets so far: the first AND, whether there was an OR, and the number
    of BETWEENs without their AND.
    """

    both: Span | None = None
    either: bool = False
    between: int = 0


def check(context: Context) -> Iterator[Finding]:
    for filter_, tree in bodies(context):
        if filter_.current.language in _LANGUAGES:
            for place in _mixed(tree.span.source, *_LANGUAGES[filter_.current.language]):
                yield Finding(
                    RULE.code,
                    filter_.qualified,
                    f"{place.text.upper()} binds tighter than the {_OTHER[place.text.upper()]} next to it",
                    place,
                    "use parentheses to show what belongs together",
                )


_OTHER = {"AND": "OR", "&&": "||"}


def _mixed(source: Source, tokens: re.Pattern[str], words: dict[str, str]) -> Iterator[Span]:
    """The first AND of each chain that has an OR as well."""
    stack = [_Chain()]
    for token in tokens.finditer(source.text):
        word = token[0].upper()
        kind = words.get(word)
        chain = stack[-1]
        if word in "([{":
            stack.append(_Chain())
        elif word in ")]}" or word in _APART:
            yield from _judged(chain)
            stack = stack[:-1] if word in ")]}" and len(stack) > 1 else [*stack[:-1], _Chain()]
        elif kind == "between":
            chain.between += 1
        elif kind == "and" and chain.between:
            chain.between -= 1
        elif kind == "and":
            chain.both = chain.both or Span(source, *token.span())
        elif kind == "or":
            chain.either = True
    for chain in stack:
        yield from _judged(chain)


def _judged(chain: _Chain) -> Iterator[Span]:
    if chain.both is not None and chain.either:
        yield chain.both


RULE = Rule("P509", "mixed-operators", "AND and OR mixed without parentheses.", check)
