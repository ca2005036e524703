"""Hypothesis strategies for typed predicates and rows with hostile values."""

from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any

from hypothesis import strategies as st

from predicat.ir.nodes import Call, Field, FieldDecl, Items, Literal, Node, Quantifier, Variable
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    STRING,
    TIMESTAMP,
    ArrayType,
    Type,
    parse_type,
)
from predicat.ir.values import FIRST_MOMENT, LAST_MOMENT, LONGEST

FIELDS = {
    name: FieldDecl(name, parse_type(kind))
    for name, kind in {
        "a": "bigint",
        "b": "bigint",
        "d": "double",
        "e": "double",
        "s": "string",
        "u": "string",
        "p": "boolean",
        "q": "boolean",
        "t": "timestamp",
        "v": "timestamp",
        "dt": "date",
        "m": "map<string, string>",
        "xs": "array<bigint>",
    }.items()
}
INTS = [
    0,
    1,
    -1,
    2,
    3,
    7,
    46_341,
    2_000_000_000,
    2**31,
    -(2**31) - 1,
    2**53,
    2**53 + 1,
    2**63 - 1,
    -(2**63) + 1,
    -(2**63),
]
FLOATS = [
    0.0,
    -0.0,
    0.5,
    0.1,
    0.2,
    -2.5,
    3.0,
    1e15,
    1e300,
    -1e300,
    1e-200,
    1.7976931348623157e308,
    5e-324,
    1e160,
    float(2**53),
    float(2**63),
    float("nan"),
    float("inf"),
    float("-inf"),
]
TEXTS = [
    "",
    "a",
    "A",
    "abc",
    "%",
    "_",
    "\\",
    "'",
    '"',
    "a%b_c\\d",
    "ß",
    "É",
    "e\u0301",
    "😀",
    "1",
    "-7",
    "2.5",
    "true",
    " x ",
    "a\nb",
    "2013-07-04",
    "2013-07-04T10:30:15.123456789Z",
    "9223372036854775808",
    "NaN",
    "1e400",
    "$1",
    "{x}",
    "${2}",
    ":y",
    "--",
    "1h30m",
    "-.5us.5us",
    "999999999999999h1ns",
]
TIMES = [
    datetime(2013, 7, 4, 10, 30, 15, 123456, tzinfo=UTC),
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(2013, 11, 3, 5, 30, tzinfo=UTC),
    datetime(2024, 2, 29, 23, 59, 59, tzinfo=UTC),
    datetime(1900, 3, 1, 1, 2, 3, tzinfo=UTC),
    FIRST_MOMENT,
    LAST_MOMENT,
]
DATES = [date(2013, 7, 4), date(1970, 1, 1), date(2024, 2, 29), date(1899, 12, 31), date.min, date.max]
SPANS = [
    timedelta(0),
    timedelta(hours=1),
    timedelta(days=-400),
    timedelta(microseconds=1),
    timedelta(seconds=-1.5),
    timedelta(seconds=200_000_000_000),
    LAST_MOMENT - FIRST_MOMENT,
    *(sign * timedelta(microseconds=LONGEST) for sign in (1, -1)),
]
POOLS: dict[Type, list[Any]] = {
    BIGINT: INTS,
    DOUBLE: FLOATS,
    STRING: TEXTS,
    BOOLEAN: [True, False],
    TIMESTAMP: TIMES,
    DATE: DATES,
    DURATION: SPANS,
}
ZONES = ["America/New_York", "Asia/Kolkata", "Pacific/Auckland", "UTC"]
PATTERNS = [
    "a",
    "^a.c$",
    "[^a]",
    "\\d+",
    "(?i)e|É",
    "\\bx\\b",
    "%|_",
    "^$",
    ".",
    "a{2}|b?c",
    "[[:upper:]]",
    "\\\\",
    "\\${2}|b",
    "(?i)[\\Wk]",
]
LIKES = ["%", "a%", "%c", "_", "a\\%b\\_c%", "%\\\\%", "", "%b%", "__"]


def literals(kind: Type) -> st.SearchStrategy[Node]:
    return st.sampled_from(POOLS[kind]).map(lambda value: Literal(kind, value))


@cache
def leaves(kind: Type) -> st.SearchStrategy[Node]:
    fields = [Field(kind, decl) for decl in FIELDS.values() if decl.type == kind]
    if not fields:
        return literals(kind)
    return st.one_of(st.sampled_from(fields), st.sampled_from(fields), literals(kind))


def call(kind: Type, op: str, *args: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.tuples(*args).map(lambda parts: Call(kind, op, parts))


LENGTHS = [timedelta(days=1), timedelta(microseconds=-1), timedelta(0), timedelta(hours=7)]


def constant(values: list[str]) -> st.SearchStrategy[Node]:
    return st.sampled_from(values).map(lambda value: Literal(STRING, value))


@cache
def values(kind: Type, depth: int) -> st.SearchStrategy[Node]:
    """Expressions of a type."""
    if depth <= 0:
        return leaves(kind)
    less = {item: st.deferred(lambda item=item: values(item, depth - 1)) for item in POOLS}
    n, f, s, t, d, span = (
        less[BIGINT],
        less[DOUBLE],
        less[STRING],
        less[TIMESTAMP],
        less[DATE],
        less[DURATION],
    )
    parts = ["year", "month", "day", "day_of_week", "day_of_year", "hour", "minute", "second", "millisecond"]
    options: dict[Type, list[st.SearchStrategy[Node]]] = {
        BIGINT: [
            *(call(BIGINT, op, n, n) for op in ("add", "sub", "mul", "div", "mod")),
            call(BIGINT, "neg", n),
            call(BIGINT, "abs", n),
            call(BIGINT, "length", s),
            call(BIGINT, "byte_count", s),
            call(BIGINT, "to_int", s),
            call(BIGINT, "to_int", f),
            call(BIGINT, "position", s, s),
            call(BIGINT, "in_units", constant(["hour", "minute", "second", "millisecond"]), span),
            call(BIGINT, "to_int", t),
            call(BIGINT, "days_between", d, d),
            call(BIGINT, "to_micros", t),
            call(BIGINT, "int32", n),
            call(BIGINT, "size", collected(less)),
            *(call(BIGINT, op, t) for op in parts),
            *(call(BIGINT, op, t, constant(ZONES)) for op in parts),
            call(BIGINT, "index", st.just(Field(FIELDS["xs"].type, FIELDS["xs"])), n),
            call(BIGINT, "size", st.just(Field(FIELDS["xs"].type, FIELDS["xs"]))),
        ],
        DOUBLE: [
            *(call(DOUBLE, op, f, f) for op in ("add", "sub", "mul", "div", "fdiv")),
            call(DOUBLE, "neg", f),
            call(DOUBLE, "abs", f),
            call(DOUBLE, "to_double", s),
            call(DOUBLE, "to_double", n),
            call(DOUBLE, "floor", f),
            call(DOUBLE, "ceil", f),
        ],
        STRING: [
            call(STRING, "concat", s, s),
            call(STRING, "reverse", s),
            call(STRING, "strip", s, constant([" ", " \na", "%_"])),
            call(STRING, "join", call(ArrayType(STRING), "split", s, constant(["a", "%", ","])), s),
            call(
                STRING,
                "join",
                call(ArrayType(STRING), "split", s, constant(["a", "b"]), constant([1, 2, 3])),
                s,
            ),
            *(call(STRING, op, s) for op in ("lower", "upper", "fold_case", "trim", "ltrim", "rtrim")),
            call(STRING, "substr", s, n),
            call(STRING, "substr", s, n, n),
            call(STRING, "replace", s, s, s),
            call(STRING, "replace_each", s, s, s),
            *(call(STRING, "to_string", part) for part in (n, t, d, span)),
            call(STRING, "get", st.just(Field(FIELDS["m"].type, FIELDS["m"])), s),
        ],
        BOOLEAN: [predicates(depth - 1)],
        TIMESTAMP: [
            call(TIMESTAMP, "to_timestamp", s),
            call(TIMESTAMP, "to_timestamp", n),
            call(TIMESTAMP, "to_timestamp", d),
            call(TIMESTAMP, "add_months", t, n),
            call(TIMESTAMP, "from_micros", n),
            call(TIMESTAMP, "date_trunc", constant(["day", "week", "month", "year", "hour"]), t),
            call(TIMESTAMP, "in_zone", t, constant(ZONES)),
            *(call(TIMESTAMP, op, t, span) for op in ("add", "sub")),
        ],
        DURATION: [
            call(DURATION, "to_duration", s),
            call(DURATION, "sub", t, t),
            call(DURATION, "multiple", st.sampled_from(LENGTHS).map(lambda one: Literal(DURATION, one)), n),
            call(DURATION, "time_of_day", t),
            *(call(DURATION, op, span, span) for op in ("add", "sub")),
        ],
        DATE: [
            call(DATE, "to_date", s),
            call(DATE, "to_date", t),
            call(DATE, "add_days", d, n),
            call(DATE, "add_months", d, n),
            call(DATE, "last_day", d),
        ],
    }
    mixed = [
        call(kind, "cond", less[BOOLEAN], less[kind], less[kind]),
        call(kind, "coalesce", less[kind], less[kind]),
    ]
    if kind != BOOLEAN:
        mixed += [call(kind, op, less[kind], less[kind]) for op in ("greatest", "least")]
    return st.one_of(leaves(kind), *options[kind], *mixed)


def collected(less: dict[Type, st.SearchStrategy[Node]]) -> st.SearchStrategy[Node]:
    """Arrays that filter() and map() make of the one array field."""
    over, element = Field(FIELDS["xs"].type, FIELDS["xs"]), Variable(BIGINT, "x")
    return st.one_of(
        st.tuples(st.sampled_from(["eq", "gt"]), less[BIGINT]).map(
            lambda parts: Quantifier(
                over.type, "filter", "x", over, Call(BOOLEAN, parts[0], (element, parts[1]))
            )
        ),
        less[BIGINT].map(
            lambda part: Quantifier(over.type, "map", "x", over, Call(BIGINT, "div", (part, element)))
        ),
        st.tuples(less[BIGINT], less[BIGINT]).map(
            lambda parts: Call(over.type, "array_concat", (over, Call(over.type, "array", parts)))
        ),
    )


@cache
def predicates(depth: int) -> st.SearchStrategy[Node]:
    """Boolean expressions."""
    if depth <= 0:
        return leaves(BOOLEAN)
    inner = st.deferred(lambda: predicates(depth - 1))
    scalars = [BIGINT, DOUBLE, STRING, TIMESTAMP, DATE, DURATION]
    compare = [
        call(BOOLEAN, op, values(kind, depth - 1), values(kind, depth - 1))
        for kind in scalars
        for op in ("eq", "ne", "lt", "le", "gt", "ge")
    ]
    mixed = [
        call(BOOLEAN, op, values(BIGINT, depth - 1), values(DOUBLE, depth - 1))
        for op in ("eq", "ne", "lt", "le", "gt", "ge")
    ]
    text = values(STRING, depth - 1)
    member = [
        st.tuples(values(kind, depth - 1), st.lists(literals(kind), min_size=1, max_size=3)).map(
            lambda pair: Call(BOOLEAN, "in", (pair[0], Items(ArrayType(pair[0].type), tuple(pair[1]))))
        )
        for kind in (BIGINT, STRING, TIMESTAMP)
    ]
    over = Field(FIELDS["xs"].type, FIELDS["xs"])
    element = Variable(BIGINT, "x")
    loops = [
        st.tuples(
            st.sampled_from(["any", "all", "one"]), st.sampled_from(["eq", "gt", "lt"]), values(BIGINT, 0)
        ).map(
            lambda parts: Quantifier(
                BOOLEAN,
                parts[0],
                "x",
                over,
                Call(BOOLEAN, parts[1], (Call(BIGINT, "add", (element, Literal(BIGINT, 1))), parts[2])),
            )
        ),
        st.tuples(
            st.sampled_from(["any", "all", "one"]),
            st.sampled_from(["eq", "ne", "gt", "le"]),
            values(BIGINT, depth - 1),
            st.booleans(),
        ).map(
            lambda parts: Quantifier(
                BOOLEAN,
                parts[0],
                "x",
                over,
                Call(BOOLEAN, parts[1], (element, parts[2]) if parts[3] else (parts[2], element)),
            )
        ),
    ]
    return st.one_of(
        call(BOOLEAN, "and", inner, inner),
        call(BOOLEAN, "or", inner, inner),
        call(BOOLEAN, "not", inner),
        call(BOOLEAN, "is_true", inner),
        st.sampled_from(list(POOLS)).flatmap(lambda kind: call(BOOLEAN, "is_null", values(kind, depth - 1))),
        st.sampled_from([BIGINT, STRING, TIMESTAMP]).flatmap(
            lambda kind: call(BOOLEAN, "same", values(kind, depth - 1), values(kind, depth - 1))
        ),
        *compare,
        *mixed,
        *member,
        *loops,
        *(call(BOOLEAN, op, text, text) for op in ("starts_with", "ends_with", "contains")),
        *(call(BOOLEAN, op, text, constant(TEXTS)) for op in ("equals_ci", "starts_with_ci", "contains_ci")),
        call(BOOLEAN, "like", text, constant(LIKES)),
        call(BOOLEAN, "like_ci", text, constant(LIKES)),
        call(BOOLEAN, "matches", text, constant(PATTERNS)),
        call(BOOLEAN, "to_boolean", text),
    )


@cache
def calculations(kind: Type, depth: int) -> st.SearchStrategy[Node]:
    """Calculations of one field with constants, which are often solved for the field."""
    fields = [Field(kind, decl) for decl in FIELDS.values() if decl.type == kind]
    if depth <= 0:
        return st.sampled_from(fields)
    inner = {
        item: st.deferred(lambda item=item: calculations(item, depth - 1))
        for item in (BIGINT, DOUBLE, STRING, TIMESTAMP, DATE)
    }
    n, f, s, t, d = (inner[item] for item in (BIGINT, DOUBLE, STRING, TIMESTAMP, DATE))
    small = st.sampled_from([0, 1, -1, 2, 3, 4, 12, -400]).map(lambda value: Literal(BIGINT, value))
    units = constant(["day", "week", "month", "year", "hour"])
    options: dict[Type, list[st.SearchStrategy[Node]]] = {
        BIGINT: [
            *(call(BIGINT, op, n, literals(BIGINT)) for op in ("add", "sub", "mul", "div", "mod")),
            *(call(BIGINT, op, literals(BIGINT), n) for op in ("add", "sub", "mul", "div")),
            *(call(BIGINT, op, n) for op in ("neg", "abs", "int32")),
            *(call(BIGINT, op, part) for op in ("year", "month", "hour") for part in (t,)),
            call(BIGINT, "to_int", f),
            call(BIGINT, "to_int", t),
            call(BIGINT, "length", s),
            call(BIGINT, "days_between", d, literals(DATE)),
        ],
        DOUBLE: [
            *(call(DOUBLE, op, f, literals(DOUBLE)) for op in ("add", "sub", "mul", "div", "fdiv")),
            *(call(DOUBLE, op, literals(DOUBLE), f) for op in ("add", "sub", "mul", "div")),
            *(call(DOUBLE, op, f) for op in ("neg", "abs", "floor", "ceil")),
            call(DOUBLE, "to_double", n),
        ],
        STRING: [
            call(STRING, "concat", s, literals(STRING)),
            call(STRING, "concat", literals(STRING), s),
            call(STRING, "substr", s, small, small),
            *(call(STRING, op, s) for op in ("lower", "upper", "trim")),
            call(STRING, "to_string", n),
        ],
        TIMESTAMP: [
            call(TIMESTAMP, "date_trunc", units, t),
            call(TIMESTAMP, "to_timestamp", n),
            call(TIMESTAMP, "to_timestamp", d),
            *(call(TIMESTAMP, op, t, literals(DURATION)) for op in ("add", "sub")),
        ],
        DATE: [
            call(DATE, "to_date", t),
            call(DATE, "add_days", d, literals(BIGINT)),
            call(DATE, "add_months", d, small),
            call(DATE, "last_day", d),
        ],
    }
    return st.one_of(st.sampled_from(fields), *options[kind])


@cache
def conditions(depth: int) -> st.SearchStrategy[Node]:
    """What people write in a WHERE: comparisons of calculations with constants, and logic around them."""
    kinds = (BIGINT, DOUBLE, STRING, TIMESTAMP, DATE)
    leaf = st.sampled_from(kinds).flatmap(_tests)
    if depth <= 0:
        return leaf
    inner = st.deferred(lambda: conditions(depth - 1))
    missing = st.just(Literal(BOOLEAN, None))
    return st.one_of(
        leaf,
        call(BOOLEAN, "and", inner, inner),
        call(BOOLEAN, "or", inner, inner),
        call(BOOLEAN, "not", inner),
        call(BOOLEAN, "is_true", inner),
        call(BOOLEAN, "cond", inner, inner, st.one_of(inner, missing)),
        call(BOOLEAN, "cond", inner, missing, inner),
    )


def _tests(kind: Type) -> st.SearchStrategy[Node]:
    """Tests of calculations of one field."""
    value = st.integers(0, 2).flatmap(lambda depth: calculations(kind, depth))
    items = st.lists(literals(kind), min_size=1, max_size=3)
    ops = st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"])
    compared = st.tuples(ops, value, literals(kind), st.booleans())
    return st.one_of(
        compared.map(lambda part: Call(BOOLEAN, part[0], (part[1:3])[:: -1 if part[3] else 1])),
        st.tuples(value, items).map(
            lambda part: Call(BOOLEAN, "in", (part[0], Items(ArrayType(kind), tuple(part[1]))))
        ),
        value.map(lambda part: Call(BOOLEAN, "is_null", (part,))),
        value.map(lambda part: Call(BOOLEAN, "not", (Call(BOOLEAN, "is_null", (part,)),))),
    )


def rows(count: int) -> list[dict[str, Any]]:
    """Rows that pair hostile values with each other and with NULL."""
    import random  # only here

    rng = random.Random(20)  # test data
    found: list[dict[str, Any]] = [{}]
    while len(found) < count:
        row = {
            name: rng.choice([*POOLS[decl.type], None]) for name, decl in FIELDS.items() if decl.type in POOLS
        }
        row["m"] = rng.choice([None, {}, {"a": "x", "": "y"}, {rng.choice(TEXTS): rng.choice(TEXTS)}])
        row["xs"] = rng.choice([None, [], [1, None], [2**63 - 1, 3], [0]])
        found.append(row)
    return found
