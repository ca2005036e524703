"""Casts of texts to dates and timestamps as SQL has them (`predicat.forms.text_casts`), in one pattern.

The pattern finds what is between the blanks if it is a date or a moment, and else gives the empty text, which
no cast takes. The engine then tells which days there are.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    between,
    binary,
    call,
    case,
    concatenated,
    number_literal,
    string_literal,
    try_cast,
)
from predicat.backends.sql.renderer import Renderer, let_always
from predicat.ir.values import FIRST_MOMENT, LAST_MOMENT

_BLANKS = r"[ \t\n\x0B\f\r]*"
_DAY = "-[0-9]{2}-[0-9]{2}"
_YEAR = "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
_CLOCK = "[ Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]"
_SECONDS = ":[0-5][0-9](?:[.][0-9]{1,9})?"
_ANY_ZONE = "(?:[Zz]|[+-][0-9]{2}(?::[0-9]{2})?)"
_DATE = rf"\A{_BLANKS}({_YEAR}{_DAY})(?:{_CLOCK}(?:{_SECONDS}{_ANY_ZONE}?)?)?{_BLANKS}\z"
_ZONE = "(?:[Zz]|[+-](?:0[0-9]|1[0-4])(?::[0-5][0-9])?)"
_MOMENT = rf"\A{_BLANKS}([0-9]{{4}}{_DAY}(?:{_CLOCK}(?:{_SECONDS}{_ZONE}?)?)?){_BLANKS}\z"


def _found(text: Sql, pattern: str) -> Sql:
    return call("REGEXP_EXTRACT", text, string_literal(pattern), number_literal(1))


def date(text: Sql) -> Sql:
    """The date that a text is or begins with."""
    return try_cast(_found(text, _DATE), "DATE")


def timestamp(r: Renderer, text: Sql, matches: Callable[[Sql, str], Sql]) -> Sql:
    """The moment that a text is, between years 1 and 9999: what it lacks of a time in UTC is added.

    `matches` tests for a pattern.
    """

    def read(found: Sql) -> Sql:
        length = binary(exp.Add, call("LENGTH", found), number_literal(1))
        rest = call("SUBSTRING", string_literal("0000-00-00T00:00:00Z"), length)
        ending = case((matches(found, r"[.][0-9]+\z"), string_literal("Z")), default=rest)
        return try_cast(concatenated(found, ending), "TIMESTAMPTZ")

    def known(moment: Sql) -> Sql:
        first, last = (r.dialect.timestamp(end) for end in (FIRST_MOMENT, LAST_MOMENT))
        return case((between(moment, first, last), moment))

    found = call("UPPER", _found(text, _MOMENT))
    return let_always(r, let_always(r, found, read), known)
