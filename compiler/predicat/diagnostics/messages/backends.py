"""Reasons why a language or a dialect does not support a part of a filter.

Each row is one: see the package.
"""

from __future__ import annotations

from predicat.diagnostics.message import Problem, Text

AIP160_HAS_NO_OPERATOR = "a filter compares a field with constants, and has no operator for it"
AIP160_STAR = "`*` stands for any characters and cannot be escaped"
AIP160_TESTS_FIELDS = "a filter tests a field or a member of a declared type"
ARRAY_IN_JSONB = "PostgreSQL has no type for an array of arrays or of structs in jsonb"
ASKS_ABOUT_A_PROPERTY = "IN and LIKE test a property"
ATTRIBUTE_COMPARED_ONCE = "each attribute is compared once, with one string"
CEL_ERRORS = "CEL cannot turn an error into false, and this may fail for other reasons than a missing key"
CEL_FINDS_EMPTY_TEXT = "in CEL every string contains the empty string; in this language none does"
CEL_HAS_NO_FUNCTION = "CEL has no function for it"
CEL_HAS_NO_PARAMETERS = "CEL has no parameters"
CEL_HAS_NO_UNKNOWN = "CEL has no literal for UNKNOWN"
CEL_PRESENCE = "has() of CEL tests only fields and members"
CEL_TESTS_LISTS = (
    "a policy tests a value, the elements of a list and nested lists; CEL tests only one of these"
)
CESQL_ATTRIBUTE_TYPES = "an attribute is a string, an integer or a boolean"
CESQL_COMPARES_KINDS = "strings, integers and booleans are compared only with values of the same type"
CESQL_CONSTANTS = "an expression has only strings, 32-bit integers and booleans"
CESQL_CONVERTS = "CESQL converts values of other types implicitly; declare the type of the field"
CESQL_HAS_NO_OPERATOR = "an expression has no operator for it"
CESQL_BACKSLASH = "LIKE cannot have a backslash before % or _"
CESQL_ERRORS_REJECT = "its errors reject the event, also where another condition of the OR is TRUE"
CESQL_HAS_NO_PARAMETERS = "an expression has no parameters, lists or macros"
CESQL_LONGER = "integers of CESQL have 32 bits, and this value may need more"
CESQL_ORDERS_INTEGERS = "only integers can be ordered"
CESQL_QUOTES = "this string cannot be quoted: a backslash at its end, or before a quote, is an escape"
CLOUDEVENTS_TESTS = (
    "a filter tests that an attribute equals, starts with or ends with a string that is not empty"
)
COLUMNS_WITH_CONSTANTS = "a condition compares a column with constants"
CONTROL_CHARACTERS = "the string has control characters"
DOUBLES_AS_TEXT = "engines write doubles as strings differently"
GLOB_WITH_WILDCARDS = "a glob does not support * or ? as plain characters"
HEADER_COMPARISONS = "a header is compared by equality, IN or LIKE"
HEADER_WITH_TEXTS = "a header is compared only with strings"
ICEBERG_COLUMNS = "an expression reads columns, and members of structs, of the types of Iceberg"
INFINITE_IN_CEL = "a double divided by zero is infinite in CEL"
IN_OF_A_CALCULATION = "IN is not supported for a computed value"
IN_TAKES_CONSTANTS = "IN takes only constants"
IN_TAKES_TEXTS = "IN takes only strings"
JSONLOGIC_CONSTANTS = "a rule has only strings, booleans, null and numbers that a double holds exactly"
JSONLOGIC_CONVERTS = "JavaScript compares values of other types in its own way; declare the type of the field"
JSONLOGIC_HAS_NO_OPERATOR = "JsonLogic has no operator for it"
KAFKA_PREDICATES = "a predicate tests a header, the pattern of the topic's name, or a record without a value"
LABEL_REQUIREMENT = "a requirement compares a label with label values"
LIKE_TAKES_A_CONSTANT = "the pattern of LIKE must be a constant"
COMPARE_WITH_CONSTANT = "compare it with a constant"
ROUNDED_BY_ENGINES = "engines round it differently"
ROUNDED_DECIMAL = "it has more than 38 digits there, and is rounded"
OPERAND_OF_SUM = "with as many digits after the point as the other, an operand has more than 38 digits"
FEWER_DIGITS = "give an operand fewer digits, as in CAST(x AS DECIMAL(12, 2))"
MONGODB_HAS_NO_OPERATOR = "a query compares a field with constants, and has no operator for it"
MONGODB_TESTS_FIELDS = "a query tests a field or a member, which may be an array if it has no declared type"
NOT_A_WORD_BOUNDARY = "its \\B also matches between the bytes of one character"
NO_VALUE_OF_COLUMN = "its column cannot have this value"
NOT_COMPARED_ALIKE = "not every engine compares the column with this value alike"
NO_TEST_FOR_NAN = "it has no test for NaN, which SQL engines order above every number"
NO_TEST_OF_ONE_KEY = "it is not a test of one key"
ONE_KEY_AGAINST_CONSTANTS = "a condition tests one key against constants"
POLICY_ASKS_FOR_ONE = "a policy tests whether one of the values of a key matches"
POLICY_EXISTS = "`exists` is not true for an object or an empty array; declare the type of the field"
POLICY_HAS_NO_CONDITION = "a policy has no operator for it"
TESTS_ARE_TWO_VALUED = (
    "the language does not distinguish a missing key from another value; this test may be UNKNOWN"
)
POLICY_IS_TWO_VALUED = (
    "a policy does not distinguish a missing key from another value; this test may be UNKNOWN"
)
POLICY_JOINS = "a policy combines the conditions of one key by OR, and the keys by AND"
POLICY_TESTS_KEYS = "a policy tests the values of a key"
PROPERTY_IS_A_TEXT = "a property is a string: convert it, as in int(x) > 5"
PUBSUB_COMPARISONS = "compare an attribute with strings by =, != and hasPrefix"
PULSAR_COMPARES = "a predicate compares a property, the event time or the publish time with constants"
PULSAR_CONVERSION = "the values have another type than the conversion of the property"
PULSAR_HAS_NO_OPERATOR = "the proposal has no operator for it"
RUNS_AS_PYTHON = "an entry filter is Python code, which runs on the rows that its native filter accepts"
RUN_ENTRY_FILTER = (
    "select rows with the filter of `after:` here, and run the entry filter on them: "
    "predicat_spark.entry_filters.apply on Spark, predicat.entry_filters.opened in Python"
)
STRUCTS_OF_TWO_KINDS = "one struct is a composite value, the other is a jsonb value"
WHOLE_DIVISION = (
    "integers divide without a fraction, and a property without a declared type may hold integers"
)

hidden_error = Text[str](
    "an error of values ({kind}); the dataset has sensitive fields, so its text is not shown"
)
automaton_states = Text[str, int]("{reason}, and its automaton has more than {most} states")
no_attribute_name = Text[str]("{name!r} is not a valid name of an attribute")
one_binding_key = Text[str, int]("a binding key is one pattern of words for {field}, of at most {most} bytes")
selector_has_no_parameters = Text[str]("{noun} has no parameters, lists or macros")
no_identifier = Text[str, str]("{name!r} is not a valid identifier in {noun}")
selector_has_no_operator = Text[str]("{noun} has no operator for it")
calculates_with_numbers = Text[str]("{noun} calculates only with numbers")
divides_as_doubles = Text[str]("{noun} divides as doubles, with a fraction")
infinite_quotient = Text[str]("a double of {noun} divided by zero is infinite")
selector_constants = Text[str]("{noun} has only strings, numbers and booleans")
no_label_key = Text[str]("{key!r} is not a valid label key")
two_values_of_one_key = Text[str]("two values of a row are named {key!r}, but a message has only one")
no_name_in_cel = Text[str]("{name!r} is not a valid name in CEL")
cel_has_no_type = Text[object]("CEL has no {kind}")
finer_than_milliseconds = Text[str]("{key} is a number of milliseconds, and the constant has microseconds")
a_number_of_milliseconds = Text[str]("{key} is a number of milliseconds")
read_only = Problem[str, str]("""unsupported: {language} does not support this condition here: predicat
    can read but not write this language; use one of {names}""")
too_deep_to_write = Problem[str, int]("""unsupported: {dialect} does not support this condition here: it
    is nested so deeply that its SQL would have {depth} nested functions""")
one_column = Problem[str, object, object]("""unsupported: {dialect} does not support the column {other!r}
    here: it treats the columns {one!r} and {other!r} as the same""")
too_many_parts = Problem[str, str, int]("""unsupported: {dialect} does not support {written} here: it is
    nested so deeply that its SQL would have {parts:,} parts""")
variable_in_column = Problem[str, object]("""unsupported: {dialect} does not support the column {name!r}
    here: Spark would replace it with the value of a variable""")
array_worked_out = Problem[()]("""unsupported: postgres does not support map over it here: PostgreSQL has
    no type for a computed array of arrays or of structs""")
no_comparison_of = Text[str, str, bool]("""(noun, kind, order) {noun} does not {order:if order|compare} a
    {kind}""")
not_run = Text[str]("{target} is not run: its SQL is read by sqlglot only; read it before you rely on it")
own_columns = Text[str, str]("the column of {name} differs by engine, and none is declared for {target}")
not_known_there = Text[str, str](
    "the meaning of {op} on {target} was not tried: it is not run by predicat's tests"
)
order_of_texts = Text[str]("the order of strings depends on the collation on {target}")
type_not_known_there = Text[str, str](
    "comparisons of {type} on {target} were not tried: it is not run by predicat's tests"
)
quoted_there = Text[str, str]("{name} needs quotes, and a quoted name may be another column on {target}")
not_read_alike = Text[str]("sqlglot reads the SQL of {target} in another way")
