"""What a SQL condition has and a filter does not: each refusal says what to write."""

from contextlib import suppress

import pytest
from sqlglot.expressions import FUNCTION_BY_NAME

import predicat
from predicat.diagnostics import PredicatError
from predicat.language.sql.others import as_sql
from predicat.language.sql.refused_functions import REFUSED as WITH_A_REASON
from predicat.language.sql.rules import FUNCTIONS

FIELDS = {
    "a": "bigint",
    "b": "bigint",
    "s": "string",
    "tags": "array<string>",
    "address": "struct<zip: string>",
    "city": "string",
    "doc": "json",
}
REFUSED = [
    ("sql", "s = 'abc and a > 1", "the quote ' that opens here is not closed", None, 5),
    ("sql", 'a > 1 and "s = 3', 'the quote " that opens here is not closed', None, 11),
    ("spark", "a = 1 and `s = 3", "the quote ` that opens here is not closed", None, 11),
    ("spark", "s = 'it\\'s", "the quote ' that opens here is not closed", None, 5),
    ("sql", "WHERE a > 1", "begins with WHERE", "only what follows WHERE", 1),
    ("postgres", "select a", "begins with SELECT", "only what follows WHERE", 1),
    ("sql", "a = 1 AND count(*) > 1", "count is not supported", "one row", 11),
    ("sql", "stddev(a) > 1", "stddev is not supported", "one row", 1),
    ("sql", "int(s) > 3", "int is not supported", "CAST(s AS INT)", 1),
    ("sql", "s + s = 'xx'", "+ does not take (string, string)", "write a || b", 1),
    ("sql", "s || a = 'x1'", "|| does not take (string, bigint)", "CAST(a AS STRING)", 1),
    ("sql", "now() - 1 > now()", "- does not take (timestamp, bigint)", "INTERVAL '1' DAY", 1),
    (
        "sql",
        "a = 1 AND current_user = 'me'",
        "current_user is not supported",
        "the same result for every user",
        11,
    ),
    ("postgres", "session_user = 'me'", "session_user is not supported", None, 1),
    ("sql", "(a = 1", "a parenthesis is not closed", "add the missing )", 6),
    ("spark", "cast(s as foo) = 1", "this is not a type", "write a type of SQL", 11),
    ("sql", "CASE WHEN a = 1 THEN 2", "CASE has no END", "CASE WHEN test", 22),
    ("sql", "levenshtein(s, s) > 3", "levenshtein is not supported", None, 1),
    ("sql", "a IN (SELECT 1)", "a subquery", "list(", 7),
    ("sql", "rand() < 0.1", "a random number", "same result", 1),
    ("sql", "row_number() OVER (ORDER BY a) = 1", "a window function", "one row", 1),
    ("sql", "adress.city = 'x'", "no field is named 'adress.city'", "'address'", 1),
    ("sql", "t.city = 'x' AND u.s = 'y'", "no field is named 'u.s'", None, 18),
    ("sql", "tags[0] = 'a'", "count from 1 on PostgreSQL and from 0 on Spark", "element_at(tags, 1)", 1),
    ("spark", "s ~ 'a'", "the operator ~", "RLIKE", 3),
    ("spark", "doc ->> 'a' = 'x'", "the operator ->>", "j['key']", 5),
    ("postgres", "a == 1", "the operator ==", "write =", 3),
    ("postgres", "s RLIKE 'a'", "the operator RLIKE", "write ~", 3),
    ("postgres", "a <=> b", "the operator <=>", "IS NOT DISTINCT FROM", 3),
    ("postgres", "doc @> 'x'", "'x' is not", "a JSON string", 8),
    ("postgres", "doc -> -1 = 1", "a negative index", None, 1),
    ("sql", "a = 'x'", "'x' is not a bigint", "42", 5),
    ("sql", "a = 1 AND abs(a, b) = 1", "does not have this number of arguments", None, 19),
    ("spark", "a = 1 AND abs(a, b) = 1", "does not have this number of arguments", None, 11),
    ("postgres", "concat() = 'a'", "does not have this number of arguments", None, 1),
    ("duckdb", "to_char(now(), 'YYYY') = 'a'", "no function is named 'to_char'", None, 1),
    ("duckdb", "to_date(s, 'yyyy') = now()", "to_date takes 1 argument, not 2", None, 1),
]


@pytest.mark.parametrize(("language", "text", "message", "hint", "column"), REFUSED)
def test_refusals_have_a_place_and_an_alternative(
    language: str, text: str, message: str, hint: str | None, column: int
) -> None:
    with pytest.raises(PredicatError) as error:
        predicat.parse(text, language, FIELDS)
    (found,) = error.value.diagnostics
    assert message in found.message
    assert hint is None or hint in (found.hint or "")
    assert found.where().endswith(f":1:{column}")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a >", "both sides"),
        ("(a = 1", "add the missing )"),
        ("a = 1)", "add the missing ("),
        ("a IN 1", "IN (1, 2)"),
        ("'a' IN tags", "array_contains"),
        ("CASE WHEN a = 1 THEN true", "ELSE b END"),
        ("s = 'x", "write '' for a quote"),
        ("a = 1; a = 2", "AND"),
        ("a IS", "IS NOT NULL"),
        ("a => 1", ">="),
        ("a NOT 1", "NOT IN"),
        ("s CONTAINS 'x'", "contains(s, 'x')"),
        ("a", "compare it"),
        ("s COLLATE de = 'x'", "leave it out"),
        ("s SIMILAR TO 'x'", "RLIKE"),
        ("a = 1 LIMIT 5", "leave this clause out"),
        ("a = 1 ORDER BY a", "leave this clause out"),
        ("a = @x", ":name"),
        ("a = 1 /* x", "*/"),
        ("s:a = 1", "j['key']"),
    ],
)
def test_a_syntax_error_says_what_to_write(text: str, hint: str) -> None:
    with pytest.raises(PredicatError) as error:
        predicat.parse(text, "sql", FIELDS)
    assert hint in (error.value.diagnostics[0].hint or ""), error.value


@pytest.mark.parametrize("language", ["sql", "spark", "postgres", "duckdb"])
def test_any_number_of_arguments_has_a_message(language: str) -> None:
    for name in {*FUNCTION_BY_NAME, *FUNCTIONS}:
        for arguments in ("", "s", "s, s, s", "s, s, s, s, s, s, s"):
            with suppress(PredicatError):
                predicat.parse(f"{name}({arguments}) = 'a'", language, FIELDS)


def test_no_function_is_read_and_refused() -> None:
    assert not WITH_A_REASON.keys() & set(FUNCTIONS), "remove it from language/sql/refused_functions.py"


@pytest.mark.parametrize("name", ["pow", "array_position"])
def test_no_function_is_called_an_operator(name: str) -> None:
    try:
        predicat.parse(f"{name}(tags, 'x') = 1", "sql", FIELDS)
    except PredicatError as error:
        assert "operator ," not in str(error)
        assert name in str(error)


@pytest.mark.parametrize(
    ("dialect", "text", "found"),
    [
        ("bigquery", '`a` > 1 AND s = "x"', "\"a\" > 1 AND s = 'x'"),
        ("snowflake", "IFF(a > 1, s, 'x') = 'y'", "CASE WHEN a > 1 THEN s ELSE 'x' END = 'y'"),
        ("trino", "a BETWEEN 1 AND 2", "a BETWEEN 1 AND 2"),
    ],
)
def test_other_dialects_become_sql(dialect: str, text: str, found: str) -> None:
    assert as_sql(text, dialect) == found
    predicat.parse(found, "sql", FIELDS)


def test_a_text_of_another_dialect_has_a_place() -> None:
    with pytest.raises(PredicatError, match="cannot be read as a condition of BigQuery"):
        as_sql("a > ) 1", "bigquery")
