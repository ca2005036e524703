"""Texts with control characters: SQL has escapes for them, and the engines read the same text."""

from typing import Any

import pytest

import predicat
from predicat.backends.sql.escapes import with_escapes

CONTROL = "a\t\n\x0b\f\r\x01\x1f\x7f1'\\n"


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
def test_a_text_with_control_characters_is_in_one_line(dialect: str) -> None:
    sql = predicat.parse(f"s == {CONTROL!r}", language="cel", fields={"s": "string"}).sql(dialect)
    assert sql == r"s = E'a\t\n\x0b\f\r\x01\x1f\x7f1''\\n'"


def test_postgres_reads_the_text(postgres: Any) -> None:
    predicate = predicat.parse(f"s == {CONTROL!r}", language="cel", fields={"s": "string"})
    query = f"SELECT {predicate.sql('postgres')} FROM (SELECT %s::text AS s) AS t"
    assert postgres.execute(query, [CONTROL]).fetchone() == (True,)


def test_duckdb_reads_the_text() -> None:
    import duckdb

    predicate = predicat.parse(f"s == {CONTROL!r}", language="cel", fields={"s": "string"})
    query = f"SELECT {predicate.sql('duckdb')} FROM (SELECT ?::text AS s) AS t"
    assert duckdb.execute(query, [CONTROL]).fetchone() == (True,)


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        ("s = 'a\\d'", "s = 'a\\d'"),
        ("s = 'a\t'", r"s = E'a\t'"),
        ("\"a\tb\" = 'it''s'", "\"a\tb\" = 'it''s'"),
        (r"s = E'a\'b\t' OR s = 'c'", r"s = E'a\'b\t' OR s = 'c'"),
        ("s = 'a\\d\n'", r"s = E'a\\d\n'"),
    ],
)
def test_only_texts_that_need_escapes_have_them(sql: str, wanted: str) -> None:
    assert with_escapes(of_backslashes=False)(sql) == wanted


def test_a_backslash_needs_one_on_postgres() -> None:
    assert with_escapes(of_backslashes=True)("s ~ '\\d'") == r"s ~ E'\\d'"
