"""Reasons why a language or a dialect does not support a part of a filter.

Each function is a message: see the package.
"""

from __future__ import annotations

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import Span

ARRAY_IN_JSONB = "an array of arrays or of structs in jsonb has no type in PostgreSQL"
ASKS_ABOUT_A_PROPERTY = "IN and LIKE test a property"
ATTRIBUTE_COMPARED_ONCE = "each attribute is compared once, with one text"
CEL_ERRORS = "CEL cannot turn an error into false, and this may fail not only for an absent key"
CEL_FINDS_EMPTY_TEXT = "in CEL every text contains the empty text, here none does"
CEL_HAS_NO_FUNCTION = "CEL has no function for it"
CEL_HAS_NO_PARAMETERS = "CEL has no parameters"
CEL_HAS_NO_UNKNOWN = "CEL has no literal for UNKNOWN"
CEL_PRESENCE = "CEL asks for the presence of fields and members only"
CEL_TESTS_LISTS = "CEL tests either a value or the elements of a list, a policy tests both, and nested lists"
CESQL_ATTRIBUTE_TYPES = "an attribute is a text, an integer or a truth value"
CESQL_COMPARES_KINDS = (
    "a text is compared with a text, an integer with an integer, a truth value with a truth value"
)
CESQL_CONSTANTS = "an expression has texts, 32-bit integers and truth values only"
CESQL_CONVERTS = "CESQL converts values of other types; declare the type of the field"
CESQL_HAS_NO_OPERATOR = "an expression has no operator for it"
CESQL_HAS_NO_PARAMETERS = "an expression has no parameters, lists or macros"
CESQL_LONGER = "an integer of CESQL has 32 bits, and this value may have more"
CESQL_ORDERS_INTEGERS = "only integers can be ordered"
CESQL_QUOTES = "this text cannot be quoted: a backslash at its end, or before a quote, is an escape"
CLOUDEVENTS_TESTS = "a filter tests an attribute for a text, a prefix or a suffix, none of them empty"
CONTROL_CHARACTERS = "the text has control characters"
DOUBLES_AS_TEXT = "the engines write a double differently"
GLOB_WITH_WILDCARDS = "a glob does not support * or ? as plain characters"
HEADER_COMPARISONS = "a header is compared by equality, IN or LIKE"
HEADER_WITH_TEXTS = "a header is compared with texts"
INFINITE_IN_CEL = "a double divided by zero is infinite in CEL"
IN_OF_A_CALCULATION = "IN of a calculation is not supported"
IN_TAKES_CONSTANTS = "IN takes constants"
IN_TAKES_TEXTS = "IN takes texts"
KAFKA_PREDICATES = "a predicate asks for a header, a pattern of the topic's name, or a record without a value"
LABEL_REQUIREMENT = "a requirement compares a label with label values"
LIKE_TAKES_A_CONSTANT = "the pattern of LIKE is a constant"
COMPARE_WITH_CONSTANT = "compare it with a constant"
ROUNDED_BY_ENGINES = "engines round it differently"
ROUNDED_DECIMAL = "it has more than 38 digits there, and is rounded"
OPERAND_OF_SUM = "with the other's digits behind the point an operand has more than 38 digits"
FEWER_DIGITS = "give an operand fewer digits, as in CAST(x AS DECIMAL(12, 2))"
NOT_A_WORD_BOUNDARY = "its \\B is true between the bytes of one character as well"
NO_TEST_OF_ONE_KEY = "it is not a test of one key"
ONE_KEY_AGAINST_CONSTANTS = "a condition tests one key against constants"
POLICY_ASKS_FOR_ONE = "a policy asks whether one of the values of a key matches"
POLICY_HAS_NO_CONDITION = "a policy has no condition for it"
TESTS_ARE_TWO_VALUED = (
    "the language does not distinguish an absent key from another value; this test may be UNKNOWN"
)
POLICY_IS_TWO_VALUED = (
    "a policy does not distinguish an absent key from another value; this test may be UNKNOWN"
)
POLICY_JOINS = "a policy joins the conditions of one key by OR, and the keys by AND"
POLICY_TESTS_KEYS = "a policy tests the values of a key"
PROPERTY_IS_A_TEXT = "a property is a text: convert it, as in int(x) > 5"
PUBSUB_COMPARISONS = "an attribute is compared by =, != and hasPrefix with texts"
PULSAR_COMPARES = "a predicate compares a property, the event time or the publish time with constants"
PULSAR_CONVERSION = "the values are of another type than the conversion of the property"
PULSAR_HAS_NO_OPERATOR = "the proposal has no operator for it"
RUNS_AS_PYTHON = "an entry filter is Python code, which runs on the rows that its native filter accepts"
RUN_ENTRY_FILTER = (
    "select rows with the filter of `after:` here, and run the entry filter on them: "
    "predicat_spark.entry_filters.apply on Spark, predicat.entry_filters.opened in Python"
)
STRUCTS_OF_TWO_KINDS = "one struct is a composite value, the other is in jsonb"
WHOLE_DIVISION = (
    "whole numbers divide without a remainder, and a property without a declared type may hold whole numbers"
)


def automaton_states(reason: str, most: int) -> str:
    return f"{reason}, and its automaton has more than {most} states"


def no_attribute_name(name: str) -> str:
    return f"{name!r} is not a valid name of an attribute"


def one_binding_key(field: str, most: int) -> str:
    return f"a binding key is one pattern of words for {field}, of at most {most} bytes"


def selector_has_no_parameters(noun: str) -> str:
    return f"{noun} has no parameters, lists or macros"


def no_identifier(name: str, noun: str) -> str:
    return f"{name!r} is not a valid identifier of {noun}"


def selector_has_no_operator(noun: str) -> str:
    return f"{noun} has no operator for it"


def calculates_with_numbers(noun: str) -> str:
    return f"{noun} calculates with numbers"


def divides_as_doubles(noun: str) -> str:
    return f"{noun} divides as doubles, with a fraction"


def infinite_quotient(noun: str) -> str:
    return f"a double of {noun} divided by zero is infinite"


def selector_constants(noun: str) -> str:
    return f"{noun} has texts, numbers and truth values only"


def no_label_key(key: str) -> str:
    return f"{key!r} is not a valid label key"


def two_values_of_one_key(key: str) -> str:
    return f"two values of a row are called {key!r}, but a message has only one"


def no_name_in_cel(name: str) -> str:
    return f"{name!r} is not a valid name in CEL"


def cel_has_no_type(kind: object) -> str:
    return f"CEL has no {kind}"


def finer_than_milliseconds(key: str) -> str:
    return f"{key} is a number of milliseconds, and the constant has microseconds"


def a_number_of_milliseconds(key: str) -> str:
    return f"{key} is a number of milliseconds"


def read_only(span: Span, language: str, names: str) -> Diagnostic:
    return msg.unsupported(
        span, language, "this condition", f"predicat can read but not write this language; use one of {names}"
    )


def too_deep_to_write(span: Span, dialect: str, depth: int) -> Diagnostic:
    return msg.unsupported(
        span,
        dialect,
        "this condition",
        f"it is nested so deep that its SQL would have {depth} nested functions",
    )


def one_column(span: Span, dialect: str, other: object, one: object) -> Diagnostic:
    return msg.unsupported(
        span, dialect, f"the column {other!r}", f"it treats the columns {one!r} and {other!r} as one"
    )


def too_many_parts(span: Span, dialect: str, written: str, parts: int) -> Diagnostic:
    return msg.unsupported(
        span, dialect, written, f"it is nested so deep that its SQL would have {parts:,} parts"
    )


def variable_in_column(span: Span, dialect: str, name: object) -> Diagnostic:
    return msg.unsupported(
        span, dialect, f"the column {name!r}", "Spark would replace it with the value of a variable"
    )


def array_worked_out(span: Span) -> Diagnostic:
    return msg.unsupported(
        span, "postgres", "map over it", "a computed array of arrays or of structs has no type"
    )


def no_comparison_of(noun: str, kind: str, *, order: bool) -> str:
    return f"{noun} does not {'order' if order else 'compare'} a {kind}"
