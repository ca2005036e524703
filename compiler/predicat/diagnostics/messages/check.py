"""Messages about types and operators. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics.message import NotInFilter, Problem, Text

DECLARE_OR_CONVERT_ONE_SIDE = "declare the type of the field, or convert one side"
INTEGER_WITH_A_POINT = "write the integer with a point (2.0), or convert it with double()"
NUMBER_WITHOUT_QUOTES = "write the number without quotes"
ASK_FOR_AN_ELEMENT = "test an element: array_contains(xs, 'a'), or exists(xs, x -> x LIKE 'a%')"
JOIN_OR_CONVERT = (
    "write a || b to concatenate strings, or convert them: CAST(a AS DOUBLE) + CAST(b AS DOUBLE)"
)
SIZE = "write size(x)"
PARTS_OF_A_TIME = {
    "year": "write x.getFullYear()",
    "month": "write x.getMonth(), which begins with 0",
    "day": "write x.getDate()",
    "hour": "write x.getHours()",
}
IN_A_LIST = "write value in list"
PART_OF_A_STRING = "for a character of a string write x.substring(0, 1)"
A_CHAIN = "the first comparison is true or false: compare twice, and join both with AND"
BOOLEAN_ALONE = "write the boolean alone, or negate it"
NETWORK_IN_CEL = "for an address in a network write the filter in CEL: cidr('10.0.0.0/8').containsIP(ip)"
NUMBER_OF_DAYS = "write the unit of the number: INTERVAL '1' DAY"
SECONDS_OF_INTERVAL = "for the seconds of an interval write EXTRACT(EPOCH FROM end_ts - start_ts)"
QUOTE_OR_CONVERT = "put the constant in quotes, or convert one side"
# The longest text that a hint repeats.
_SHORT = 40

constant_is = Text[str]("the constant is {word}, in lower case")
declare_or_convert = Text[str, object]("declare the field ({name}: {kind}), or convert it: {kind}({name})")
sum_of_unknown_types = NotInFilter[()]("""+ of two values of unknown type
    hint: convert them: string(x) + string(y), or double(x) + double(y)""")
choice_of_types = NotInFilter[()]("""a choice between values of different types
    hint: choose between conditions: b ? x == 1 : y == "a"
""")
joined_list = NotInFilter[()]("""this use of concatenated lists whose type depends on the row
    hint: use them with a macro, with size(), or with the operator in""")
too_many_values = Problem[int, int]("""too-large: the expression has {size:,} alternative values; the limit is
    {limit:,}
    hint: use IN with a list, or split it into several filters""")
empty_separator = Problem[()]("""bad-constant: the string to split by must not be empty
    hint: write a string such as ','""")
bad_unit = Problem[str]("""bad-constant: {text!r} is not a unit of time
    hint: write a value such as 'day'""")
bad_zone = Problem[str, Iterable[str]]("""bad-constant: {text!r} is not a time zone
    hint: {known:near text}
    hint: write the name of a time zone, such as 'Europe/Paris'""")
list_here = NotInFilter[()]("a list or a map as a value here")
name_like_a_variable = NotInFilter[str]("""a name that differs from the variable {variable!r} only by case
    hint: engines treat them as the same name: rename the variable""")
items_of_types = Problem[str, str]("""type-mismatch: cannot compare {left} with {right}
    hint: the elements of a list must have the same type""")
key_twice = Problem[object]("bad-value: a map: duplicate key {key!r}")
bad_map_key = Problem[Iterable[str]]("""type-mismatch: a map does not take ({kinds:list}); it takes
    strings, integers and booleans as keys""")
exists_one_of_unknown = NotInFilter[()]("""exists_one() of concatenated lists of unknown types
    hint: write xs.filter(x, condition).size() == 1""")
in_without_list = Problem[str, Iterable[str]]("""type-mismatch: {op} does not take ({kinds:list}); it
    takes a list or an array on the right
    hint: a list has brackets: x in ['a', 'b']""")
arrays_of_types = Problem[str, str]("""type-mismatch: cannot compare {left} with {right}
    hint: arrays are compared element by element; their elements must have the same type""")
map_key_not_text = Problem[str]("""type-mismatch: cannot compare string with {kind}
    hint: the keys of a map in a column are strings""")
not_binds_first = Problem[()]("""syntax: NOT binds tighter than LIKE and IN in CESQL, so it negates the
    operand here
    hint: write x NOT LIKE ... or x NOT IN (...), or NOT (x LIKE ...)""")
no_order = Problem[str, str]("""type-mismatch: cannot compare {left} with {right}
    hint: these types have no order; convert them, as in CAST(x AS DOUBLE)""")
parameter_beside_now = Problem[()]("""parameter-now: a filter that reads the current time has no parameter
    named 'now'
    hint: give the parameter another name; evaluate(row, now=...) gives the current time""")
no_list = Problem[Iterable[str]]("""type-mismatch: a function of lists does not take ({kinds:list}); it
    takes a list""")
optional_part = NotInFilter[()]("an optional part of a computed value")
cast_to_text = NotInFilter[object]("""a cast of a {kind} to a string
    hint: {kind:is timestamp engines format it differently: compare the value itself, or write date_format
    or to_char|engines format it differently: compare the value itself}""")
int_of_truth = Problem[Iterable[str]]("""type-mismatch: int does not take ({kinds:list}); it takes a number, a
    string or a timestamp
    hint: write x ? 1 : 0""")
brackets = Problem[Iterable[str]]("""type-mismatch: [] does not take ({kinds:list}); it takes an integer
    in the brackets""")
look_up_among_types = NotInFilter[()]("a look-up by a key from the row among values of different types")
list_of_types = NotInFilter[()]("a list of values of different types, or an empty list, here")
other_table = Problem[str, str]("""unknown-field: {table!r} is not the table of this filter: it is neither the
    dataset nor its relation
    hint: for the field of this dataset write {field}; a filter reads one relation""")
convert_it = Text[str, str]("convert it: CAST({text:brief 40} AS {kind})")
# CEL has no constant of a date: its text has the same order.
text_beside_a_time = Text[str, str, str]("""(text, time, kind) {kind:is date convert the date to a string:
    string({time:brief 40})|convert it: timestamp({text:brief 40})}""")
