"""Why a column of an engine does not hold a declared type, and what to write."""

from __future__ import annotations

from predicat.diagnostics.message import NotInFilter, Problem

WIDER = "it holds values that {declared} does not, and the SQL relies on those of {declared}"
DIGITS = "it may have more digits than {declared}, and the SQL relies on that number of digits"
OTHER_DIGITS = "DuckDB calculates with the digits of the column, which must be those of the field"
FIFTEEN = "a double is exact to 15 digits only"
ANY_DIGITS = "without a precision it holds any number of digits, infinity and NaN"
INTEGER = "calculations with integers overflow where those with decimals do not"
INEXACT = "its numbers are rounded to binary fractions, and decimals are exact"
FRACTIONS = "calculations with it have fractions, and those with integers have none"
PADDED = "it is filled with blanks, which count in some operators of an engine and not in others"
OWN_EQUALITY = "its collation finds different strings equal"
NO_ZONE = "it has no time zone: give the field the one it is meant in, such as zone: UTC"
DAY = "the moment of a day depends on a time zone"
MOMENT = "the day of a moment depends on a time zone"
IS_MOMENT = "it holds moments, and local times have none"
A_DAY = "it has no time of day"
NANOSECONDS = "it has nanoseconds, and timestamps have microseconds"
TEXT_OF_JSON = "its documents are text"
OWN_TYPE = "it has a type of its own, whose index a cast would not use"
LABELS = "its labels are not those of {declared}"
OTHER_TYPE = "values of another type are not converted"
IN_UTC = "read as times in UTC"
DECLARE = "declare the field as {natural}, or "
VIEW = "read a view that selects {cast} AS {column}"


no_value = Problem[str, str, str | None]("""bad-constant: {text} is no value of a column of {kind}
    hint: {hint:optional}""")
two_times = Problem[str, str]("""not-comparable: {local} is a local time, and {moment} is a moment
    hint: the local time of a moment: now() AT TIME ZONE 'Europe/Berlin', or 'UTC'""")
in_no_zone = Problem[str]("""not-comparable: {local} is a local time, which is not shown in another zone
    hint: leave the time zone out""")
local_as_text = Problem[str]("""not-comparable: {local} is a local time, which engines write in different ways
    hint: compare it as a time: {local} >= TIMESTAMP '2026-02-01 10:00:00'""")
only_compared = Problem[str, str]("""not-comparable: {field}, {kind:a} column, is only compared (=, <, IN)
    hint: compare all of its bytes, or their number: octet_length(b) = 32; for
    more, read what you need of it from an expression of the field""")
bytes_of_text = NotInFilter[()]("""the number of bytes of a value that is no binary column
    hint: for the characters of a string write length(s)""")
typed_constant = Problem[str]("""not-comparable: a constant of {kind} is only beside fields of this type
    hint: declare the field so, or leave the cast out""")
each_element = Problem[str, str]("""not-comparable: {name} is an array of {kind}, read element by element
    hint: test the elements: exists({name}, x -> x = 'a')""")
only_members = Problem[str]("""not-comparable: {name} has members that its column holds in a type of its own
    hint: read its members one by one""")
in_lower_case = Problem[str]("""bad-constant: {field} is read in lower case: capital letters never match
    hint: write the constant in lower case""")
capitals_beside = Problem[str]("""bad-constant: {field} is read in lower case, and the constant has
    capital letters
    hint: compare in lower case: lower(...) = 'abc'""")
cast_of_citext = Problem[str]("""type-mismatch: {field} is read in lower case, but its text in PostgreSQL
    has capital letters
    hint: write {field} without the cast: its comparisons tell no capitals from small letters""")
list_in_form = Problem[str, str]("""bad-constant: the list has values that {field} cannot have as {kind}
    hint: write them in lower case""")
no_order = Problem[str, str]("""not-comparable: the order of {field}, {kind:a} column, differs between engines
    hint: name the labels: {field} IN ('a', 'b')""")


def instead(natural: str | None, cast: str, declared: str, column: str) -> str:
    """What to write: the type to declare, or the expression of a view."""
    view = VIEW.replace("{cast}", cast).replace("{declared}", declared).replace("{column}", column)
    return (DECLARE.replace("{natural}", natural) if natural else "") + view
