"""Conditions in programs in Scala that use Spark: texts in `where` and `filter`, the statements of
`spark.sql`.
"""

import re
from collections.abc import Iterator

from predicat.diagnostics import Source, Span
from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Condition, Refused
from predicat.discover.read.embedded import Ranges, condition
from predicat.discover.read.python import is_condition
from predicat.discover.read.relations import Columns
from predicat.discover.read.residues import PARAMETER
from predicat.discover.read.sql import MAX_SHOWN, SqlText
from predicat.discover.read.written import place_of, ranges_of

_CALL = re.compile(
    r"""(?:\bspark\s*\.\s*(?P<sql>sql)|\.\s*(?P<name>where|filter))\s*\(\s*
    (?:(?P<put>[sf]?)(?:\"\"\"(?P<long>.*?)\"\"\"|"(?P<short>(?:[^"\\\n]|\\.)*)")|(?P<columns>(?:not\()?(?:\$"|col\()[^\n]*))""",
    re.DOTALL | re.VERBOSE,
)
_PUT_IN = re.compile(r"\$(?:\{([^}]*)\}|(\w+))")
_MARGIN = re.compile(r"(?<=\n)([ \t]*)\|")


def conditions(source: Source, columns: Columns) -> Iterator[Condition | Refused]:
    """The conditions of a program that uses Spark."""
    for call in _CALL.finditer(source.text):
        if call["columns"]:
            place = place_of(Span(source, *call.span("columns")))
            yield Refused(place, say.NOT_LITERAL, call["columns"][:MAX_SHOWN])
            continue
        part = "short" if call["long"] is None else "long"
        text = _text(call[part], put_in=bool(call["put"]))
        whole = Span(source, *call.span(part))
        ranges = ranges_of(_part(whole)) if text == call[part] else _anywhere(whole)
        if call["sql"]:
            yield from SqlText(text, "spark", ranges, columns).read()
        elif is_condition(text):
            yield from condition(text, None, "where", "spark", ranges, columns)


def _text(written: str, *, put_in: bool) -> str:
    """A text without the margin that `stripMargin` takes off; what is put in is a parameter."""
    text = _MARGIN.sub(r"\1 ", written)
    return _PUT_IN.sub(_parameter, text) if put_in else text


def _parameter(put_in: re.Match[str]) -> str:
    return PARAMETER + (re.sub(r"\W+", "_", put_in[1] or put_in[2]).strip("_").lower()[:40] or "value")


def _part(span: Span) -> Source:
    return Source(span.source.name, span.text, span.source, range(span.start, span.end))


def _anywhere(span: Span) -> Ranges:
    return lambda *_: (place_of(span), False)
