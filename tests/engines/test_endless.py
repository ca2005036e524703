"""Infinity and NaN in constant strings: a cast has the value that the engine of the language gives it."""

import math
from typing import Any

import duckdb
import psycopg
import pytest

import predicat
from predicat.check.text_constants import endless

WORDS = [
    *("inf", "INF", "Inf", "+inf", "-inf", " inf ", "\tinf", "-INF "),
    *("infinity", "Infinity", "INFINITY", "+infinity", "-infinity", "-Infinity"),
    *("nan", "NaN", "NAN", " NaN "),
]
OTHERS = ["infin", "in f", "inff", "+ inf", "--inf", "1.#INF", ""]


def same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return one == other or (math.isnan(one) and math.isnan(other))


def of_engine(run: Any, word: str) -> float | None:
    try:
        return float(run(f"SELECT CAST('{word}' AS FLOAT8)"))
    except (duckdb.Error, psycopg.Error):
        return None


def test_constants_have_the_values_of_the_engines(postgres: Any) -> None:
    engines = {
        "postgres": lambda text: postgres.execute(text).fetchone()[0],
        "duckdb": lambda text: duckdb.execute(text).fetchall()[0][0],
    }
    for word in (*WORDS, *OTHERS):
        for name, run in engines.items():
            assert same(endless(word), of_engine(run, word)), (name, word)


def test_constants_have_the_values_of_spark(spark: Any) -> None:
    casts = ", ".join(f"TRY_CAST('{word}' AS DOUBLE)" for word in (*WORDS, *OTHERS))
    for word, value in zip((*WORDS, *OTHERS), spark.sql(f"SELECT {casts}").collect()[0], strict=True):
        assert same(endless(word), value), word


@pytest.mark.parametrize("language", ["sql", "spark", "postgres", "duckdb"])
def test_a_cast_is_that_value(language: str) -> None:
    for word in WORDS:
        found = predicat.parse(f"x < CAST('{word}' AS DOUBLE PRECISION)", language, {"x": "double"})
        wanted = [value < endless(word) or math.isnan(endless(word) or 0) for value in (1.0, -1e300)]
        assert [found.evaluate({"x": value}) for value in (1.0, -1e300)] == wanted, word
