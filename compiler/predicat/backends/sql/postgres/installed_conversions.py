"""PostgreSQL: functions of the runtime that convert a string.

PostgreSQL 16 tests whether it can convert a string to a type (`pg_input_is_valid`), for little more than the
cost of the cast. It accepts more strings than a filter does. So the string is also tested: by comparisons
that recognize common strings, and otherwise by a pattern.

The cast is around the CASE: PostgreSQL would evaluate a cast of a constant inside it at plan time, and fail.
"""

from __future__ import annotations

from collections.abc import Iterator

from predicat.backends.sql.functions import CONVERSIONS
from predicat.backends.sql.postgres import POSTGRES
from predicat.backends.sql.postgres.definition import Definition
from predicat.forms.text_casts import MOMENT
from predicat.ir.values import DOUBLE_LONGEST, DOUBLE_PATTERN, INT_PATTERN
from predicat.semantics import regex

# The first server that has `pg_input_is_valid`.
SINCE = 160_000

_BLANKS = r"E' \t\n\x0b\f\r'"
_STRIPPED = f"BTRIM(s, {_BLANKS})"
_FIRST_IS_DIGIT = "s COLLATE \"C\" BETWEEN '0' AND '9~'"


def _valid(kind: str, text: str = "s") -> str:
    return f"pg_input_is_valid({text}, '{kind}')"


def _cast(kind: str, *cases: tuple[str, str]) -> str:
    whens = " ".join(f"WHEN {test} THEN {text}" for test, text in cases)
    return f"CAST(CASE {whens} END AS {kind})"


def _number(name: str, returns: str, body: str, note: str) -> Definition:
    return Definition(name, "s text", returns, body, note, stable=True)


def definitions() -> Iterator[Definition]:
    """The conversions, each after those that it calls."""
    yield from _integers()
    yield from _doubles()
    yield _dates()
    yield from _timestamps()
    yield Definition(
        "to_boolean", "s text", "boolean", _standalone("to_boolean"), "CAST(s AS BOOLEAN), else NULL"
    )
    yield from _of_json()


def _standalone(name: str) -> str:
    """The SQL of a conversion of `s` without functions."""
    return POSTGRES.text(POSTGRES.tree(CONVERSIONS[name]))


def _exact(name: str, returns: str, note: str) -> Definition:
    """A conversion of any string, too long to be inlined."""
    return _number(f"exact_{name}", returns, _standalone(name), note)


def _integers() -> Iterator[Definition]:
    note = "NULL if s is not an integer or does not fit"
    # A valid string that begins with a digit above 0 has only digits and _. After a leading zero, a sign or
    # spaces there may be letters as well.
    common = "s COLLATE \"C\" >= '1' AND STRPOS(s, '_') = 0"
    tests = f"{_valid('bigint')} AND ({common} OR {_STRIPPED} ~ '{INT_PATTERN}')"
    yield _number("to_bigint", "bigint", _cast("bigint", (tests, "s")), f"CAST(s AS BIGINT), {note}")
    common = "s COLLATE \"C\" >= '1' AND s !~ '[^0-9]'"
    tests = f"{_valid('bigint')} AND ({common} OR s ~ '{INT_PATTERN}')"
    yield _number("int", "bigint", _cast("bigint", (tests, "s")), f"int(s) of CEL, {note}")


def _doubles() -> Iterator[Definition]:
    # A valid string that begins with a digit is a decimal number, unless it begins with 0x.
    digits = "(s COLLATE \"C\" BETWEEN '0' AND '0A' OR s COLLATE \"C\" BETWEEN '1' AND ':')"
    short = f"OCTET_LENGTH(s) <= {DOUBLE_LONGEST}"
    for name, text, common, meaning in (
        ("to_double", _STRIPPED, f"{digits} AND {short}", "CAST(s AS DOUBLE)"),
        (
            "double",
            "s",
            f"{digits} AND {short} AND RIGHT(s, 1) COLLATE \"C\" BETWEEN '.' AND '9'",
            "double(s) of CEL",
        ),
    ):
        note = f"{meaning}, NULL if s is not a number or too large"
        pattern = f"OCTET_LENGTH({text}) <= {DOUBLE_LONGEST} AND {text} ~ '{DOUBLE_PATTERN}'"
        words = f"{text} IN ('NaN', 'Infinity', '-Infinity')"
        read = _cast("float8", (f"{_valid('float8')} AND ({common} OR {pattern} OR {words})", "s"))
        # PostgreSQL rejects nonzero numbers that are closer to 0 than any double.
        tiny = f"CASE WHEN OCTET_LENGTH(s) > 300 OR s ~ '[eE]-' THEN predicat.exact_{name}(s) END"
        yield _exact(name, "float8", note)
        yield _number(name, "float8", f"COALESCE({read}, {tiny})", note)


def _pattern(text: str) -> str:
    emitted = regex.emit(regex.parse(text), regex.POSTGRES).replace("\\", "\\\\")
    return f"E'{emitted}'"


def _day(text: str) -> str:
    """SQL that tests whether a string is an existing day, with digits and hyphens in their places."""
    in_place = f"{text} LIKE '____-__-__' AND {text} !~ '[^-0-9]' AND {text} NOT LIKE '%-%-%-%'"
    return f"{in_place} AND {_valid('date', text)}"


def _dates() -> Definition:
    first = f"LEFT({_STRIPPED}, 10)"
    rest = f"(OCTET_LENGTH({_STRIPPED}) = 10 OR {_STRIPPED} ~ {_pattern(MOMENT)})"
    body = _cast("date", (_day("s"), "s"), (f"{_day(first)} AND {rest}", first))
    return _number(
        "to_date", "date", body, "CAST(s AS DATE), NULL if s is not a date, with or without a time"
    )


_CLOCK = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_SECONDS = ":[0-5][0-9](?:[.][0-9]{1,6})?"
_ZONE = "(?:0[0-9]|1[0-4])"


def _at(separator: str, end: str, text: str) -> str:
    """SQL that tests whether `s` is a timestamp in whole seconds with this separator and end, which
    PostgreSQL can convert from `text`.

    If PostgreSQL can, and `s` begins with a digit, a simple test for digits is enough: no two adjacent
    characters, and not the last one, are other characters than digits.
    """
    others = "[^0-9]{2}" if end else "[^0-9](?:[^0-9]|$)"
    return (
        f"s LIKE '____-__-__{separator}__:__:__{end}' AND {_FIRST_IS_DIGIT} AND s !~ '{others}' "
        f"AND s NOT LIKE '___________24%' AND s NOT LIKE '_________________60%' "
        f"AND {_valid('timestamptz', text)}"
    )


def _timestamps() -> Iterator[Definition]:
    day = "^[0-9]{4}-[0-9]{2}-[0-9]{2}"
    # An offset may leave the supported years.
    within = "s NOT LIKE '0001-01-01%' AND s NOT LIKE '9999-12-31%'"
    valid = _valid("timestamptz")
    rest = f"CASE WHEN s ~ '[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}' AND {valid} THEN predicat.exact_%s(s) END"
    yield _exact("timestamp", "timestamptz", "timestamp(s) of CEL")
    zoned = f"{day}[Tt]{_CLOCK}{_SECONDS}(?:[Zz]|[+-]{_ZONE}:[0-5][0-9])$"
    read = _cast("timestamptz", (_at("T", "Z", "s"), "s"), (f"{within} AND s ~ '{zoned}' AND {valid}", "s"))
    yield _number(
        "timestamp", "timestamptz", f"COALESCE({read}, {rest % 'timestamp'})", "timestamp(s) of CEL"
    )
    note = "CAST(s AS TIMESTAMP), in UTC unless s names a zone, NULL if s is no moment"
    yield _exact("to_timestamp", "timestamptz", note)
    zoned = f"{day}[ Tt]{_CLOCK}{_SECONDS}(?:[Zz]|[+-]{_ZONE}(?::[0-5][0-9])?)$"
    local = f"{day}[ Tt]{_CLOCK}(?:{_SECONDS})?$"
    in_utc = "s || 'Z'"
    read = _cast(
        "timestamptz",
        (_at("T", "Z", "s"), "s"),
        (_at(" ", "", in_utc), in_utc),
        (_day("s"), "s || ' 00:00Z'"),
        (f"s ~ '{local}' AND {_valid('timestamptz', in_utc)}", in_utc),
        (f"{within} AND s ~ '{zoned}' AND {valid}", "s"),
    )
    yield _number("to_timestamp", "timestamptz", f"COALESCE({read}, {rest % 'to_timestamp'})", note)


def _of_json() -> Iterator[Definition]:
    """The conversions of a JSON value that is a string or a number."""
    for arguments, given, value, text in (
        ("j jsonb", "j", "j", "(j #>> '{}')"),
        ("j jsonb, k text", "j, k", "j -> k", "j ->> k"),
    ):
        number = f"predicat.number({given})"
        for name, of_text, returns, of_number, meaning in (
            ("double", "double", "float8", number, "double(j) of CEL"),
            ("int", "int", "bigint", _whole(number, ">"), "int(j) of CEL"),
            ("to_bigint", "int", "bigint", _whole(number, ">="), "CAST(j AS BIGINT)"),
        ):
            given_text = f"JSONB_TYPEOF({value}) WHEN 'string' THEN predicat.{of_text}({text})"
            body = f"CASE {given_text} ELSE {of_number} END"
            yield Definition(
                name, arguments, returns, body, f"{meaning} of a text or a number, else NULL", stable=True
            )


def _whole(number: str, above: str) -> str:
    """A double truncated to an integer; NULL if it does not fit."""
    limit = "9223372036854775808::float8"
    return f"CASE WHEN {number} {above} -{limit} AND {number} < {limit} THEN TRUNC({number})::bigint END"
