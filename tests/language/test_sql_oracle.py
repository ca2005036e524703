"""PostgreSQL as the oracle of SQL: the text itself, run as it is, against what predicat makes of it. Where
it raises, nothing is asked.
"""

from __future__ import annotations

import os
from typing import Any

import psycopg
from hypothesis import given, settings
from hypothesis import strategies as st

import predicat
from tests.fuzzing import REPEATABLE
from tests.language import sql_texts
from tests.rounds import rounds


@settings(REPEATABLE, max_examples=500 * int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "1")))
@given(
    condition=st.integers(1, 3).flatmap(sql_texts.booleans),
    rows=st.lists(sql_texts.rows, min_size=4, max_size=4),
)
def test_same_answers_to_generated_conditions(
    postgres: Any, condition: str, rows: list[dict[str, Any]]
) -> None:
    try:
        ours = predicat.parse(condition, "sql", sql_texts.FIELDS)
    except predicat.PredicatError:
        return  # a comparison of two types, or of what belongs together only in brackets
    columns = ", ".join(
        f"%s::{sql_texts.POSTGRES[kind]} AS {name}" for name, kind in sql_texts.FIELDS.items()
    )
    raw = condition.replace("TIMESTAMP '", "TIMESTAMPTZ '").replace("%", "%%")
    postgres.execute("SET TIME ZONE 'UTC'")
    for row in rounds(rows, 4):
        try:
            (wanted,) = postgres.execute(
                f"SELECT {raw} FROM (SELECT {columns}) AS r", [row[name] for name in sql_texts.FIELDS]
            ).fetchone()
        except psycopg.Error:
            continue
        assert ours.evaluate({name: value for name, value in row.items() if value is not None}) is wanted, (
            condition,
            row,
        )
