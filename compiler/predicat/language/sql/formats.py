"""Formats of dates and times: Java's (Spark), PostgreSQL's and strftime's.

Each is translated to the format of the operator `format_time`. Sources: java.time.format.DateTimeFormatter,
PostgreSQL "Data Type Formatting Functions", strftime of C.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from predicat.diagnostics.messages import sql_times
from predicat.ir import syntax as t
from predicat.language.common.trees import apply, cast_to
from predicat.semantics.calendar import DIGITS, pieces

if TYPE_CHECKING:
    from predicat.diagnostics import Span
    from predicat.language.sql.node_reader import Reader

_JAVA = {
    "yyyy": "%Y",
    "uuuu": "%Y",
    "MM": "%m",
    "dd": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
    "SSS": "%L",
    "SSSSSS": "%f",
    "DDD": "%j",
    "E": "%a",
    "EE": "%a",
    "EEE": "%a",
    "EEEE": "%A",
    "MMM": "%b",
    "MMMM": "%B",
}
_POSTGRES = {
    "YYYY": "%Y",
    "MM": "%m",
    "DD": "%d",
    "HH24": "%H",
    "MI": "%M",
    "SS": "%S",
    "MS": "%L",
    "US": "%f",
    "DDD": "%j",
}
_POSTGRES_NAMES = {"Dy": "%a", "FMDay": "%A", "Mon": "%b", "FMMonth": "%B"}
_STRFTIME = {**{f"%{letter}": f"%{letter}" for letter in "YmdHMSfjaAbB%"}, "%F": "%Y-%m-%d", "%T": "%H:%M:%S"}
_JAVA_PIECE = re.compile(r"'((?:[^']|'')*)'|(([A-Za-z])\3*)|([^A-Za-z'\[\]{}#]+)")
_POSTGRES_PIECE = re.compile(
    r'"([^"\\]*)"|(FMMonth|FMDay|Mon|Dy)|((?i:YYYY|HH24|DDD|MM|DD|MI|SS|MS|US))|([^A-Za-z"\\]+)'
)
_STRFTIME_PIECE = re.compile(r"(%.)|([^%]+)", re.DOTALL)
# The parts that formats may have, for messages.
EXAMPLES = {
    "spark": "yyyy, MM, dd, HH, mm, ss, SSS, DDD, EEE, EEEE, MMM, MMMM and 'text'",
    "postgres": 'YYYY, MM, DD, HH24, MI, SS, MS, US, DDD, Dy, FMDay, Mon, FMMonth and "text"',
    "strftime": "%Y, %m, %d, %H, %M, %S, %f, %j, %a, %A, %b and %B",
}


def _escaped(text: str) -> str:
    return text.replace("%", "%%")


def _translated(
    text: str, piece: re.Pattern[str], write: Callable[[re.Match[str]], str | None]
) -> str | None:
    """A format, translated piece by piece; None if a piece is not supported."""
    pattern, at = "", 0
    while at < len(text):
        match = piece.match(text, at)
        part = write(match) if match is not None else None
        if match is None or part is None:
            return None
        pattern, at = pattern + part, match.end()
    return pattern


def java(text: str) -> str | None:
    """The translation of a Java format; None if a letter means something else or nothing in other engines."""
    return _translated(text, _JAVA_PIECE, _of_java)


def _of_java(piece: re.Match[str]) -> str | None:
    quoted, letters, _, rest = piece.groups()
    if letters is not None:
        return _JAVA.get(letters)
    return _escaped(rest if rest is not None else quoted.replace("''", "'") or "'")


def postgres(text: str) -> str | None:
    """The translation of a PostgreSQL format; None if a part means something else or nothing elsewhere."""
    return _translated(text, _POSTGRES_PIECE, _of_postgres)


def _of_postgres(piece: re.Match[str]) -> str:
    quoted, name, part, rest = piece.groups()
    if name or part:
        return _POSTGRES_NAMES[name] if name else _POSTGRES[part.upper()]
    return _escaped(rest if rest is not None else quoted)


def strftime(text: str) -> str | None:
    """The translation of a strftime format; None if a part is not supported."""
    return _translated(text, _STRFTIME_PIECE, _of_strftime)


def _of_strftime(piece: re.Match[str]) -> str | None:
    part, rest = piece.groups()
    return _STRFTIME.get(part) if part is not None else rest


def format_of(reader: Reader, node: t.Tree, style: str, *, read: bool = False) -> str:
    """The translation of a constant format. Raises Stop if it is not a constant or not supported.

    `style` is `spark`, `postgres`, `strftime` or `sql`: a format that means the same on Spark and PostgreSQL,
    or that only one of them accepts. `read`: strings are parsed by the format. PostgreSQL then rejects Java's
    `mm`, which it takes for a second month.
    """
    if not isinstance(node, t.Constant) or not isinstance(node.value, str) or not node.value:
        raise reader.fail(sql_times.format_not_constant(node.span))
    text = node.value
    if style == "sql":
        one, other = java(text), postgres(text)
        if one != other and not _is_of_one(one, other, text, read=read):
            raise reader.fail(sql_times.format_of_two_meanings(node.span))
        format_ = one if one is not None else other
    else:
        format_ = {"spark": java, "postgres": postgres, "strftime": strftime}[style](text)
    if format_ is None:
        raise reader.fail(sql_times.format_letters(node.span, EXAMPLES.get(style, EXAMPLES["spark"])))
    return format_


def written(pattern: str, moment: t.Tree, span: Span) -> t.Tree:
    """A time (or a date) as a string in a format."""
    stamp = cast_to("to_timestamp", moment, span)
    return apply("format_time", span, t.Constant(pattern, span), stamp)


def _is_of_one(one: str | None, other: str | None, text: str, *, read: bool) -> bool:
    """Whether only one engine accepts a format: Spark has no Y and no I; PostgreSQL writes any format."""
    if other is None:
        return read
    return one is None and bool(set("YI") & set(text))


_CLOCK = "HMSLf"


def read(reader: Reader, text: t.Tree, pattern: str, kind: str, span: Span) -> t.Tree:
    """The date or timestamp (`kind`) that a string has in a format, with all of its digits; NULL for any
    other string. Raises Stop for a format that engines read differently.
    """
    pieces_ = pieces(pattern)
    letters = [letter for letter, _ in pieces_ if letter]
    if not _is_whole(letters):
        raise reader.fail(sql_times.format_not_read(span))
    places: dict[str, int] = {}
    shape, at = "", 1
    for letter, literal in pieces_:
        places[letter] = at
        shape += "_" * DIGITS[letter] if letter else re.sub(r"([\\%_])", r"\\\1", literal)
        at += DIGITS[letter] if letter else len(literal)

    def part(letter: str, default: str, length: int = 0) -> t.Tree:
        if letter not in letters:
            return t.Constant(default, span)
        start = t.Constant(places[letter], span)
        return apply("substr", span, text, start, t.Constant(length or DIGITS[letter], span))

    dash, colon = t.Constant("-", span), t.Constant(":", span)
    day = (
        [part("Y", "", 10)]
        if "%Y-%m-%d" in pattern
        else [part("Y", ""), dash, part("m", "01"), dash, part("d", "01")]
    )
    if kind == "date" and not set(letters) & set(_CLOCK):
        whole = text if pattern == "%Y-%m-%d" else _joined(day, span)
        value: t.Tree = apply("to_date", span, whole)
        return value if whole is text else _if_like(text, shape, value, span)
    clock = (
        [part("H", "", 8)]
        if "%H:%M:%S" in pattern
        else [part("H", "00"), colon, part("M", "00"), colon, part("S", "00")]
    )
    fraction = next((letter for letter in "Lf" if letter in letters), None)
    clock += [t.Constant(".", span), part(fraction, "")] if fraction is not None else []
    moment = apply(
        "to_timestamp", span, _joined([*day, t.Constant("T", span), *clock, t.Constant("Z", span)], span)
    )
    value = cast_to("to_date", moment, span) if kind == "date" else moment
    return _if_like(text, shape, value, span)


def _is_whole(letters: list[str]) -> bool:
    """Whether the parts of a format make a time: each occurs once, together with all larger units."""
    if len(set(letters)) < len(letters) or set(letters) - set("YmdHMSLf") or {"L", "f"} <= set(letters):
        return False
    order = [letter for letter in "YmdHMS" if letter in letters]
    return order == list("YmdHMS"[: len(order)]) and (not set(letters) & {"L", "f"} or "S" in order)


def _joined(parts: list[t.Tree], span: Span) -> t.Tree:
    """The concatenation of parts. Adjacent constants are merged."""
    merged: list[t.Tree] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(last, t.Constant) and isinstance(part, t.Constant):
            merged[-1] = t.Constant(f"{last.value}{part.value}", span)
        else:
            merged.append(part)
    result = merged[0]
    for part in merged[1:]:
        result = apply("concat", span, result, part)
    return result


def _if_like(text: t.Tree, shape: str, value: t.Tree, span: Span) -> t.Tree:
    test = apply("like", span, text, t.Constant(shape, span))
    return apply("cond", span, test, value, t.Constant(None, span))
