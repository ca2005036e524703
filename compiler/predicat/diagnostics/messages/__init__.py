"""Every message, one function each. The modules have the messages of one part of the program.

A function takes names, types and texts of the user, never English: sentences are in this package only. A
message is a Diagnostic (its code is stable), a Reason within one, or a noun in one. How to read them: the
function's name says when it is used, its sentence what the user sees, so only a condition or an argument that
neither shows has a docstring. `span` is the place that the caret marks.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from difflib import get_close_matches
from typing import NamedTuple

from predicat.diagnostics.diagnostic import Diagnostic, Severity
from predicat.diagnostics.source import NOWHERE, Span
from predicat.diagnostics.wording import either


class Reason(NamedTuple):
    """Why a value or a part of a filter is refused, and what to do instead."""

    text: str
    hint: str | None = None


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint with the nearest known names, or None. A name that differs only by case is the nearest."""
    near = _near(name, list(known), 3)
    return f"did you mean {either([repr(item) for item in near])}?" if near else None


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that a name resembles most, if any does."""
    return next(iter(_near(name, list(known), 1)), None)


def _near(name: str, known: list[str], most: int) -> list[str]:
    same = [item for item in known if item.casefold() == name.casefold()]
    parent, dot, last = name.rpartition(".")
    parent = parent + dot if len(last) > 2 else ""  # of flights.late only `late` is compared, in flights
    beside = [item.removeprefix(parent) for item in known if item.startswith(parent)]
    elsewhere = [item for item in known if not item.startswith(parent)]
    close = get_close_matches(name.removeprefix(parent), beside, n=most, cutoff=0.6)
    return same or [parent + item for item in close] or get_close_matches(name, elsewhere, n=most, cutoff=0.6)


_SHOWN = 60
"""The longest value that a message shows as a whole."""


_WRITTEN_BITS = 4_096


def shown(value: object) -> str:
    """A value of a row as YAML and JSON have it, cut where it is long."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int) and value.bit_length() > _WRITTEN_BITS:
        return cut(hex(value), _SHOWN)  # Python refuses to write very long integers with decimal digits
    return cut(str(value) if isinstance(value, date) else repr(value), _SHOWN)


def cut(text: str, most: int = 160) -> str:
    """A text of the user, cut where it is long."""
    return text if len(text) <= most else f"{text[:most]}..."


def article(noun: str) -> str:
    """A noun with its indefinite article, by its first letter; `unit` begins with a consonant."""
    return f"{'an' if noun[:1].lower() in 'aeiou' and not noun.startswith('uni') else 'a'} {noun}"


def listed(names: Iterable[str], limit: int = 12) -> str:
    items = sorted(names)
    more = f", ... ({len(items)} in all)" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more


# --- texts and syntax


def syntax(span: Span, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("syntax", reason, span, hint)


def too_deep(span: Span, limit: int) -> Diagnostic:
    return Diagnostic(
        "too-deep",
        f"the expression is nested deeper than {limit} levels",
        span,
        "split it into several filters and refer to them by name",
    )


def too_large(span: Span, size: int, limit: int, what: str = "characters") -> Diagnostic:
    return Diagnostic(
        "too-large",
        f"the expression has {size:,} {what}; the limit is {limit:,}",
        span,
        "use IN with a list, or split it into several filters",
    )


def unsupported_syntax(span: Span, what: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("unsupported", f"{what} is not supported in a filter", span, hint)


def bad_character(span: Span, what: str) -> Diagnostic:
    return Diagnostic(
        "bad-character", f"a string constant cannot contain {what}: no database can store it", span
    )


def no_nul(span: Span, dialect: str) -> Diagnostic:
    return Diagnostic(
        "unsupported",
        f"{dialect} cannot store the character NUL (U+0000), which is in a string constant",
        span,
    )


def bad_regex(span: Span, reason: str, hint: str) -> Diagnostic:
    return Diagnostic("bad-regex", f"the regular expression cannot be used: {reason}", span, hint)


def bad_like(span: Span, reason: str) -> Diagnostic:
    return Diagnostic("bad-like", f"the LIKE pattern cannot be used: {reason}", span)


# --- names and types


def unknown_field(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    hint = did_you_mean(name, known) or _declared_fields(known)
    if span.text.startswith('"'):
        hint = f"double quotes are for names; write a string in single quotes: '{name}'"
    return Diagnostic("unknown-field", f"no field is named {name!r}", span, hint)


def no_key_field(span: Span, name: str, known: list[str]) -> Diagnostic:
    """The field that a language reads its keys from is not declared."""
    hint = f"declare it, or name another field with on; {_declared_fields(known)}"
    return Diagnostic(
        "unknown-field", f"no field is named {name!r}, from which the keys are read", span, hint
    )


def _declared_fields(known: list[str]) -> str:
    return (
        f"declared fields: {listed(known)}"
        if known
        else "the dataset declares no fields: add it under fields:"
    )


def unknown_row_key(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A key of a row that is not a field: it would be ignored, and the intended field would count as
    absent.
    """
    known = list(known)
    hint = did_you_mean(name, known) or f"declared fields: {listed(known)}"
    return Diagnostic(
        "unknown-field", f"the row has {name!r}, which is not a field of the dataset", span, hint
    )


def absent_field(name: str, near: str) -> str:
    """The warning for a row without a key that a predicate reads."""
    return f"the row has no {name!r}, which the predicate reads: {near}"


def key_of_row(field: str, key: str) -> str:
    """The warning for a row whose key is read from a field that the row does not have."""
    return (
        f"the row has no {field!r}, from which the predicate reads {key!r}, and has {key!r} itself: write "
        f"{{{field!r}: {{{key!r}: ...}}}}, or parse with on=None"
    )


def unknown_member(span: Span, name: str, kind: str, known: Iterable[str]) -> Diagnostic:
    return Diagnostic("unknown-member", f"{kind} has no member {name!r}", span, did_you_mean(name, known))


def no_members(span: Span, name: str, kind: str) -> Diagnostic:
    hint = "declare the field as struct<...>, map<string, ...> or json"
    return Diagnostic("unknown-member", f"a {kind} has no member {name!r}", span, hint)


def unknown_function(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    return Diagnostic("unknown-function", f"no function is named {name!r}", span, did_you_mean(name, known))


def function_refused(span: Span, name: str, reason: str, instead: str) -> Diagnostic:
    return Diagnostic("unsupported", f"{name}() is not supported in a filter: {reason}", span, instead)


def unknown_param(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    hint = did_you_mean(name, known) or (
        f"declared parameters: {listed(known)}" if known else "declare it under params:"
    )
    return Diagnostic("unknown-parameter", f"no parameter is named {name!r}", span, hint)


def type_mismatch(
    span: Span, op: str, types: Iterable[str], expected: str, hint: str | None = None
) -> Diagnostic:
    given = ", ".join(types)
    return Diagnostic("type-mismatch", f"{op} does not take ({given}); it takes {expected}", span, hint)


def no_condition(span: Span, kind: str) -> Diagnostic:
    return Diagnostic(
        "type-mismatch",
        f"a condition is true or false, but this is of type {kind}",
        span,
        "compare it with a value",
    )


def several_types(span: Span, what: str, kinds: Iterable[str], hint: str | None = None) -> Diagnostic:
    return Diagnostic(
        "type-mismatch",
        f"the values of {what} must have the same type, not {' and '.join(kinds)}",
        span,
        hint,
    )


def not_boolean(span: Span, kind: str) -> Diagnostic:
    return Diagnostic(
        "not-boolean",
        f"a filter must be true or false, but this is of type {kind}",
        span,
        "compare it with a value",
    )


def not_comparable(span: Span, left: str, right: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("type-mismatch", f"cannot compare {left} with {right}", span, hint)


def too_many_digits(span: Span, left: str, right: str) -> Diagnostic:
    return Diagnostic(
        "type-mismatch",
        f"comparing {left} with {right} needs more than 38 digits, which only PostgreSQL compares exactly",
        span,
        "convert one side to a double, as in CAST(x AS DOUBLE) or CEL's double(x)",
    )


def not_constant(span: Span, op: str, what: str) -> Diagnostic:
    return Diagnostic(
        "not-constant",
        f"the {what} of {op} must be a constant",
        span,
        f"write a constant: a {what} that changes from row to row cannot be translated exactly",
    )


def bad_constant(span: Span, kind: str, text: str, example: str) -> Diagnostic:
    return Diagnostic(
        "bad-constant", f"{text!r} is not {article(kind)}", span, f"write a value such as {example!r}"
    )


def too_fine(span: Span, kind: str) -> Diagnostic:
    return unsupported_syntax(
        span,
        f"{kind} with nanoseconds",
        "write at most six digits after the point: engines keep microseconds",
    )


def number_range(span: Span, text: str) -> Diagnostic:
    return Diagnostic("number-range", f"{text} does not fit in a 64-bit integer", span)


def arguments(least: int, most: int | None) -> str:
    """How many arguments a function takes; `most` is None if it takes any number from `least` on."""
    if least == most:
        return f"{least} arguments"
    return f"{least} or more arguments" if most is None else f"{least} to {most} arguments"


def wrong_argument_count(span: Span, name: str, given: int, expected: str) -> Diagnostic:
    return Diagnostic("argument-count", f"{name} takes {expected}, not {given}", span)


# --- back ends


def unsupported(span: Span, backend: str, what: str, reason: str, hint: str | None = None) -> Diagnostic:
    """`what` is in the author's words: a spelling of the text, never the name of an operator of the
    compiler.
    """
    return Diagnostic("unsupported", f"{backend} does not support {what} here: {reason}", span, hint)


def unknown_language(name: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    return Diagnostic(
        "unknown-language",
        f"no language is named {name!r}",
        NOWHERE,
        did_you_mean(name, known) or f"languages: {listed(known)}",
    )


def unknown_dialect(name: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    return Diagnostic(
        "unknown-dialect",
        f"no SQL dialect is named {name!r}",
        NOWHERE,
        did_you_mean(name, known) or f"dialects: {listed(known)}",
    )


def bad_now(value: object) -> Diagnostic:
    return Diagnostic(
        "bad-now",
        f"{value!r} is not a timestamp",
        hint="give a datetime, or a string such as '2026-02-01 10:00:00', in the years 1970 to 2999",
    )


def bad_value(span: Span, what: object, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("bad-value", f"{what}: {reason}", span, hint)


def missing_extra(what: str, extra: str) -> Diagnostic:
    return Diagnostic(
        "missing-extra", f"{what} is not installed", NOWHERE, f"pip install 'predicat[{extra}]'"
    )


def engine_error(engine: str, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("engine", f"{engine} failed: {reason}", NOWHERE, hint)


def usage(message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("usage", message, NOWHERE, hint)


def usage_warning(message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("usage", message, NOWHERE, hint, Severity.WARNING)


def empty_condition(span: Span) -> Diagnostic:
    return syntax(
        span,
        "the condition is empty",
        "write a condition, such as a > 1; in YAML, put one that begins with !, # or & in quotes",
    )


def one_escape_character(span: Span) -> Diagnostic:
    return Diagnostic(
        "bad-like",
        "the LIKE pattern cannot be used: ESCAPE takes one character",
        span,
        "write LIKE '10!%' ESCAPE '!'",
    )


def half_a_pair(span: Span) -> Diagnostic:
    return bad_character(span, "half of a surrogate pair")
