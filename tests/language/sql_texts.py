"""Generated SQL conditions over declared names, and rows for them: what PostgreSQL and predicat must answer
alike.

docs/languages_sql.md lists what is left out: `lower` and `upper` change ASCII letters only, NaN compares
with nothing. PostgreSQL's parts
of times are decimals, so nothing is divided by them.
"""

from datetime import UTC, date, datetime
from functools import cache
from typing import Any

from hypothesis import strategies as st

from tests.language.cel_texts import SPELLINGS, written

FIELDS = {
    "a": "bigint",
    "c": "bigint",
    "d": "double",
    "f": "double",
    "s": "string",
    "o": "string",
    "b": "boolean",
    "g": "boolean",
    "t": "timestamp",
    "day": "date",
    "xs": "array<bigint>",
}
POSTGRES = {
    "bigint": "bigint",
    "double": "double precision",
    "string": "text",
    "boolean": "boolean",
    "timestamp": "timestamptz",
    "date": "date",
    "array<bigint>": "bigint[]",
}

_moments = [
    datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 500000, tzinfo=UTC),
    datetime(2024, 2, 29, tzinfo=UTC),
]
_known: dict[str, list[Any]] = {
    "a": [0, 1, 2, 3, -1, 7, 12],
    "c": [0, 1, 2, -3, 5],
    "d": [0.0, 1.5, -2.5, 2.0, 1e10],
    "f": [1.0, 0.5, -1.0],
    "b": [True, False],
    "g": [True, False],
    "s": ["", "a", "abc", "12", "A b", " a ", "éa", "a%c", "a\\", "x'y", "-3"],
    "o": ["b", "", "a", "12", "é"],
    "t": _moments,
    "day": [date(2020, 2, 29), date(1999, 12, 31), date(2024, 1, 1)],
    "xs": [[], [1, 2], [7, None], [3]],
}
rows: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {name: st.sampled_from([None, *values]) for name, values in _known.items()}
)

_signs = st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "!="])
_not = st.sampled_from(["", "NOT "])
_patterns = st.sampled_from(
    ["'a%'", "'%b'", "'%b%'", "'_b_'", "'a\\%c'", "'%'", "''", "'a_c'", "'%\\\\%'", "'é%'"]
)
_escaped = st.sampled_from(["'a!%c'", "'!_%'", "'%!!%'"])
_spans = st.sampled_from(["1 hour", "90 minutes", "1 day", "30 seconds"])


@cache
def integers(depth: int) -> st.SearchStrategy[str]:
    leaves = st.sampled_from(["0", "1", "2", "3", "-1", "7", "100", "a", "c"])
    if not depth:
        return leaves
    n, s, b = integers(depth - 1), texts(depth - 1), booleans(depth - 1)
    return leaves | written(
        ("({} {} {})", n, st.sampled_from("+-*/%"), n),
        ("{} {} {}", leaves, st.sampled_from("+-*/%"), leaves),
        ("abs({})", n),
        ("-({})", n),
        ("length({})", s),
        ("strpos({}, {})", s, s),
        ("position({} IN {})", texts(0), s),
        ("coalesce({}, {})", n, n),
        ("nullif({}, {})", n, n),
        ("CAST({} AS bigint)", s),
        ("CASE WHEN {} THEN {} ELSE {} END", b, n, n),
        ("CASE {} WHEN 1 THEN {} WHEN {} THEN 5 END", n, n, leaves),
        ("CAST({} AS int)", b),
        ("mod({}, {})", n, n),
        ("greatest({}, {}, {})", n, n, n),
        ("least({}, {})", n, n),
        (
            "CAST(extract({} FROM {}) AS bigint)",
            st.sampled_from(["year", "month", "day", "hour", "minute", "doy", "isodow"]),
            moments(depth - 1),
        ),
        (
            "extract({} FROM day)",
            st.sampled_from(["year", "month", "day", "doy", "quarter", "week", "isodow"]),
        ),
        ("({} - {})", days(depth - 1), days(depth - 1)),
    )


@cache
def doubles(depth: int) -> st.SearchStrategy[str]:
    leaves = st.sampled_from(["d", "f", "1.5", "0.5", "2.0", "-2.5", "100.0"])
    if not depth:
        return leaves
    x = doubles(depth - 1)
    return leaves | written(
        ("({} {} {})", x, st.sampled_from("+-*/"), x),
        ("abs({})", x),
        ("greatest({}, {})", x, x),
        ("least({}, {})", x, x),
        ("floor({})", x),
        ("ceil({})", x),
        ("-({})", x),
        ("coalesce({}, {})", x, x),
        ("CAST({} AS double precision)", integers(depth - 1)),
        ("CASE WHEN {} THEN {} ELSE {} END", booleans(depth - 1), x, x),
    )


@cache
def texts(depth: int) -> st.SearchStrategy[str]:
    leaves = st.sampled_from(
        ["s", "o", "''", "'a'", "'abc'", "'b'", "'A b'", "'12'", "'x''y'", "'%'", "'a_c'", "' a '"]
    )
    if not depth:
        return leaves
    x, n = texts(depth - 1), written(("CAST({} AS int)", integers(depth - 1)), "1", "2")
    return leaves | written(
        ("({} || {})", x, x),
        ("{} || {}", leaves, leaves),
        ("lower(replace({}, 'é', 'e'))", x),
        ("upper(replace({}, 'é', 'e'))", x),
        ("substring({}, {}, {})", x, n, n),
        ("substring({} FROM {} FOR {})", x, n, n),
        ("substring({}, {})", x, n),
        ("trim({})", x),
        ("ltrim({})", x),
        ("rtrim({})", x),
        ("trim(BOTH FROM {})", x),
        ("trim({} FROM {})", st.sampled_from(["'a'", "' x'", "'%c'"]), x),
        ("btrim({}, 'ab')", x),
        ("replace({}, {}, {})", x, x, x),
        ("left({}, 2)", x),
        ("right({}, {})", x, st.sampled_from(["0", "1", "2", "7"])),
        ("reverse({})", x),
        (
            "split_part({}, {}, {})",
            x,
            st.sampled_from(["'a'", "' '", "'bc'"]),
            st.sampled_from(["1", "2", "3"]),
        ),
        ("greatest({}, {})", x, x),
        ("least({}, {}, {})", x, x, x),
        ("CAST({} AS text)", integers(depth - 1)),
        ("CAST({} AS text)", booleans(depth - 1)),
        ("coalesce({}, {})", x, x),
        ("nullif({}, {})", x, x),
        ("CASE WHEN {} THEN {} ELSE {} END", booleans(depth - 1), x, x),
    )


@cache
def moments(depth: int) -> st.SearchStrategy[str]:
    leaves = st.sampled_from(["t", "TIMESTAMP '2020-01-02 03:04:05'", "TIMESTAMP '1969-12-31 23:59:59.5'"])
    if not depth:
        return leaves
    x, units = (
        moments(depth - 1),
        st.sampled_from(["hour", "day", "month", "year", "minute", "week", "quarter"]),
    )
    return leaves | written(
        ("date_trunc('{}', {})", units, x),
        ("({} {} INTERVAL '{}')", x, st.sampled_from("+-"), _spans),
        ("coalesce({}, {})", x, x),
    )


@cache
def days(depth: int) -> st.SearchStrategy[str]:
    leaves = st.sampled_from(["day", "DATE '2020-02-29'", "DATE '1999-12-31'"])
    if not depth:
        return leaves
    return leaves | written(
        ("({} {} {})", days(depth - 1), st.sampled_from("+-"), st.sampled_from(["0", "1", "31"])),
        ("CAST({} AS date)", moments(depth - 1)),
    )


@cache
def booleans(depth: int) -> st.SearchStrategy[str]:
    if not depth:
        return written(
            "b",
            "g",
            "TRUE",
            "FALSE",
            ("{} {} {}", integers(0), _signs, integers(0)),
            ("{} {} {}", texts(0), _signs, texts(0)),
        )
    x, n, s, d = booleans(depth - 1), integers(depth - 1), texts(depth - 1), doubles(depth - 1)
    kinds = n | s | d | moments(depth - 1) | days(depth - 1)
    return written(
        ("({} AND {})", x, x),
        ("({} OR {})", x, x),
        ("(NOT {})", x),
        ("{} AND {}", x, x),
        ("{} OR {}", x, x),
        ("NOT {}", x),
        ("{} {} {}", n, _signs, n),
        ("{} {} {}", s, _signs, s),
        ("{} {} {}", d, _signs, d),
        ("{} {} {}", n, _signs, d),
        ("{} {} {}", moments(depth - 1), _signs, moments(depth - 1)),
        ("{} {} {}", days(depth - 1), _signs, days(depth - 1)),
        ("{} {}BETWEEN {} AND {}", n, _not, n, n),
        ("{} {}IN ({}, {})", s, _not, texts(0), texts(0)),
        ("{} {}IN ({}, {}, NULL)", n, _not, integers(0), integers(0)),
        ("{} {}{} {}", s, _not, st.sampled_from(["LIKE", "ILIKE"]), _patterns),
        ("{} {}LIKE {} ESCAPE '!'", s, _not, _escaped),
        (
            "{} {}{} {} (ARRAY[{}, {}])",
            s,
            _not,
            st.sampled_from(["LIKE", "ILIKE"]),
            st.sampled_from(["ANY", "ALL"]),
            _patterns,
            _patterns,
        ),
        ("{} IS {}NULL", kinds | x, _not),
        ("{} = {}", x, x),
        ("({}) IS {}{}", x, _not, st.sampled_from(["TRUE", "FALSE"])),
        ("{} IS {}DISTINCT FROM {}", n, _not, n),
        ("{} IS {}DISTINCT FROM {}", s, _not, s),
        ("({}) = ({})", x, x),
        ("starts_with({}, {})", s, s),
        ("coalesce({}, {})", x, x),
        ("CASE WHEN {} THEN {} WHEN {} THEN {} END", x, x, x, x),
        ("{} = ANY(xs)", n),
        ("{} <> ALL(xs)", n),
        ("{} = SOME(xs)", n),
        ("({}, {}) = ({}, {})", n, s, n, s),
        ("({}, {}) {}IN ((1, {}), ({}, 'a'))", n, s, _not, s, n),
    )


_paths = st.sampled_from(SPELLINGS["sql"]["paths"])
_constants = st.sampled_from(["'a'", "'v'", "2", "1.5", "TRUE", "''", "s", "a", "d", "b", "NULL"])
_simple = st.sampled_from(["b", "g", "a > 1", "s = 'a'", "j.b", "j.k IS NULL"])


@cache
def _values(depth: int) -> st.SearchStrategy[str]:
    """Values of JSON, beside such of other types."""
    if not depth:
        return _paths | _constants
    x = _values(depth - 1)
    return _paths | written(
        ("coalesce({}, {})", _paths, x),
        ("coalesce({}, {}, {})", _paths, x, _constants),
        ("nullif({}, {})", x, _constants),
        ("CASE WHEN {} THEN {} ELSE {} END", _simple, x, x),
        ("CASE WHEN {} THEN {} END", _simple, _paths),
    )


@cache
def over_json(depth: int) -> st.SearchStrategy[str]:
    """Conditions over the fields of `cel_texts`, of which `j` is JSON."""
    x = _values(depth)
    one = written(
        ("{} {} {}", x, _signs, _constants),
        ("{} {} {}", _constants, _signs, x),
        ("{} {} {}", x, _signs, x),
        ("{} IS NULL", x),
        ("{} IS NOT DISTINCT FROM {}", x, _constants),
        ("{} {}IN ({}, {})", x, _not, _constants, _constants),
        ("{} BETWEEN {} AND {}", x, _constants, _constants),
        ("{} LIKE 'a%'", x),
        ("CAST({} AS bigint) > 1", x),
        ("CAST({} AS double) = 1.5", x),
        ("CAST({} AS boolean)", x),
        ("CAST({} AS string) = 'a'", x),
        ("length({}) = 1", x),
        ("lower({}) = 'a'", x),
        ("{} || 'x' = 'ax'", x),
        ("{}", x),
        ("({}, a) = ({}, 2)", x, _constants),
        ("exists({}, x -> x = {})", _paths, _constants),
        ("size({}) > 1", x),
        ("starts_with({}, 'a')", x),
        ("{} = ANY(ss)", x),
    )
    return one | written(
        ("({} AND {})", one, one), ("({} OR {})", one, one), ("(NOT {})", one), ("({}) IS NOT TRUE", one)
    )
