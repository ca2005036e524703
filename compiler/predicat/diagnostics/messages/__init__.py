"""Every message, one row or function each. The modules have the messages of one part of the program.

A message is a row (see `predicat.diagnostics.message`), or a function where it computes more than a
placeholder says. It takes names, types and texts of the user, never English: sentences are in this package
only. It is a Diagnostic (its code is stable), a Reason within one, or a noun in one. How to read them: the
name says when it is used, the sentence what the user sees, so only a condition or an argument that neither
shows has a comment or a docstring. `span` is the place that the caret marks.
"""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Failure, NotInFilter, Problem, Text
from predicat.diagnostics.message import Reason as Reason
from predicat.diagnostics.source import NOWHERE, Span
from predicat.diagnostics.wording import article as article
from predicat.diagnostics.wording import cut as cut
from predicat.diagnostics.wording import did_you_mean as did_you_mean
from predicat.diagnostics.wording import listed as listed
from predicat.diagnostics.wording import nearest as nearest
from predicat.diagnostics.wording import shown as shown

# --- texts and syntax

too_deep = Problem[int]("""too-deep: the expression is nested deeper than {limit} levels
    hint: split it into several filters and refer to them by name""")
no_nul = Problem[str]("""unsupported: {dialect} cannot store the character NUL (U+0000), which is in a
    string constant""")
bad_regex = Problem[str, str]("""bad-regex: the regular expression cannot be used: {reason}
    hint: {hint}""")
bad_like = Problem[str]("bad-like: the LIKE pattern cannot be used: {reason}")


def syntax(span: Span, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("syntax", reason, span, hint)


def too_large(span: Span, size: int, limit: int, what: str = "characters") -> Diagnostic:
    return Diagnostic(
        "too-large",
        f"the expression has {size:,} {what}; the limit is {limit:,}",
        span,
        "use IN with a list, or split it into several filters",
    )


def unsupported_syntax(span: Span, what: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("unsupported", f"{what} is not supported in a filter", span, hint)


# --- names and types

# The field that a language reads its keys from is not declared.
no_key_field = Problem[str, list[str]]("""unknown-field: no field is named {name!r}, from which the keys are
    read
    hint: declare it, or name another field with on; {known:if declared fields: {known:listed}|the dataset
    declares no fields: add it under fields:}""")
_declared_fields = Text[list[str]]("""{known:if declared fields: {known:listed}|the dataset declares no
    fields: add it under fields:}""")
# A key of a row that is not a field: it would be ignored, and the intended field would count as absent.
unknown_row_key = Problem[str, Iterable[str]]("""unknown-field: the row has {name!r}, which is not a field of
    the dataset
    hint: {known:near name}
    hint: declared fields: {known:listed}""")
# The warning for a row without a key that a predicate reads.
absent_field = Text[str, str]("the row has no {name!r}, which the predicate reads: {near}")
# The warning for a row whose key is read from a field that the row does not have.
key_of_row = Text[str, str]("""the row has no {field!r}, from which the predicate reads {key!r}, and has
    {key!r} itself: write {{{field!r}: {{{key!r}: ...}}}}, or parse with on=None""")
unknown_member = Problem[str, str, Iterable[str]]("""(name, kind, known) unknown-member: {kind} has no member
    {name!r}
    hint: {known:near name}""")
no_members = Problem[str, str]("""(name, kind) unknown-member: {kind:a} has no member {name!r}
    hint: declare the field as struct<...>, map<string, ...> or json""")
unknown_function = Problem[str, Iterable[str]]("""unknown-function: no function is named {name!r}
    hint: {known:near name}""")
# A function or a member that the language writes otherwise.
function_elsewhere = Problem[str, str]("""unknown-function: no function is named {name!r}
    hint: {hint}""")
member_elsewhere = Problem[str, str, str]("""(name, kind, hint) unknown-member: {kind:a} has no member
    {name!r}
    hint: {hint}""")
function_refused = Problem[str, str, str]("""unsupported: {name}() is not supported in a filter: {reason}
    hint: {instead}""")
unknown_param = Problem[str, Iterable[str]]("""unknown-parameter: no parameter is named {name!r}
    hint: {known:near name}
    hint: {known:if declared parameters: {known:listed}|declare it under params:}""")
no_condition = Problem[str]("""type-mismatch: a condition is true or false, but this is of type {kind}
    hint: compare it with a value""")
not_before_in = Problem[str, str]("""(kind, text) type-mismatch: a condition is true or false, but this is of
    type {kind}
    hint: ! binds first: write !({text} in list)""")
not_boolean = Problem[str]("""not-boolean: a filter must be true or false, but this is of type {kind}
    hint: compare it with a value""")
too_many_digits = Problem[str, str]("""type-mismatch: comparing {left} with {right} needs more than 38 digits,
    which only PostgreSQL compares exactly
    hint: convert one side to a double, as in CAST(x AS DOUBLE) or CEL's double(x)""")
not_constant = Problem[str, str]("""(op, what) not-constant: the {what} of {op} must be a constant
    hint: write a constant: a {what} that changes from row to row cannot be translated exactly""")
bad_constant = Problem[str, str, str]("""(kind, text, example) bad-constant: {text!r} is not {kind:a}
    hint: write a value such as {example!r}""")
too_fine = NotInFilter[str]("""{kind} with nanoseconds
    hint: write at most six digits after the point: engines keep microseconds""")
number_range = Problem[str]("number-range: {text} does not fit in a 64-bit integer")
wrong_argument_count = Problem[str, int, str]("""(name, given, expected) argument-count: {name} takes
    {expected}, not {given}""")


def unknown_field(span: Span, name: str, known: Iterable[str], hint: str | None = None) -> Diagnostic:
    known = list(known)
    hint = hint or did_you_mean(name, known) or _declared_fields(known)
    if span.text.startswith('"'):
        hint = f"double quotes are for names; write a string in single quotes: '{name}'"
    return Diagnostic("unknown-field", f"no field is named {name!r}", span, hint)


def type_mismatch(
    span: Span, op: str, types: Iterable[str], expected: str, hint: str | None = None
) -> Diagnostic:
    given = ", ".join(types)
    return Diagnostic("type-mismatch", f"{op} does not take ({given}); it takes {expected}", span, hint)


def several_types(span: Span, what: str, kinds: Iterable[str], hint: str | None = None) -> Diagnostic:
    return Diagnostic(
        "type-mismatch",
        f"the values of {what} must have the same type, not {' and '.join(kinds)}",
        span,
        hint,
    )


def not_comparable(span: Span, left: str, right: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("type-mismatch", f"cannot compare {left} with {right}", span, hint)


def arguments(least: int, most: int | None) -> str:
    """How many arguments a function takes; `most` is None if it takes any number from `least` on."""
    if least == most:
        return f"{least} arguments"
    return f"{least} or more arguments" if most is None else f"{least} to {most} arguments"


# --- back ends

unknown_language = Failure[str, Iterable[str]]("""unknown-language: no language is named {name!r}
    hint: {known:near name}
    hint: languages: {known:listed}""")
unknown_dialect = Failure[str, Iterable[str]]("""unknown-dialect: no SQL dialect is named {name!r}
    hint: {known:near name}
    hint: dialects: {known:listed}""")
unknown_style = Failure[str, Iterable[str]]("""unknown-style: no style of parameters is named {name!r}
    hint: styles: {known:listed}""")
bad_now = Failure[object]("""bad-now: {value!r} is not a timestamp
    hint: give a datetime, or a string such as '2026-02-01 10:00:00', in the years 1970 to 2999""")
missing_extra = Failure[str, str]("""missing-extra: {what} is not installed
    hint: pip install 'predicat[{extra}]'""")
empty_condition = Problem[()]("""syntax: the condition is empty
    hint: write a condition, such as a > 1; in YAML, put one that begins with !, # or & in quotes""")
one_escape_character = Problem[()]("""bad-like: the LIKE pattern cannot be used: ESCAPE takes one character
    hint: write LIKE '10!%' ESCAPE '!'""")
half_a_pair = Problem[()]("""bad-character: a string constant cannot contain half of a surrogate pair: no
    database can store it""")


def unsupported(span: Span, backend: str, what: str, reason: str, hint: str | None = None) -> Diagnostic:
    """`what` is in the author's words: a spelling of the text, never the name of an operator of the
    compiler.
    """
    return Diagnostic("unsupported", f"{backend} does not support {what} here: {reason}", span, hint)


def bad_value(span: Span, what: object, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("bad-value", f"{what}: {reason}", span, hint)


def engine_error(engine: str, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("engine", f"{engine} failed: {reason}", NOWHERE, hint)


def usage(message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("usage", message, NOWHERE, hint)
