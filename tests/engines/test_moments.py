"""Casts of texts to dates and timestamps in SQL: all forms, and what is nearly one, on all engines."""

from itertools import product
from typing import Any

import predicat
from predicat.api import declared
from tests.engines.rows import Tables
from tests.engines.test_generated import check_batch

FIELDS = {"s": "string"}
DAYS = [
    "2026-02-01",
    "2026-02-30",
    "2024-02-29",
    "0000-01-01",
    "0001-01-01",
    "9999-12-31",
    "2026-2-01",
    "2026-13-01",
]
CLOCKS = ["", " 10:00", "T10:00", "t10:00:05", " 24:00", " 23:59:59", "T10:00:60", " 10", "  10:00", " 10:60"]
ENDS = [
    "",
    ".5",
    ".123456789",
    ".1234567891",
    ".",
    "Z",
    "z",
    "+05",
    "-05:30",
    "+15:00",
    "+14:59",
    "+05:60",
    "+0530",
]
BEFORE, BEHIND = ["", " ", "\t\n", "x", "\u00a0"], ["", " \r\n", "x", "\n\n"]
CONDITIONS = [
    "CAST(s AS TIMESTAMP) > TIMESTAMP '2024-06-01 00:00:00Z'",
    "CAST(s AS TIMESTAMP) IS NULL",
    "CAST(s AS TIMESTAMP) = TIMESTAMP '2026-02-01 10:00:00Z'",
    "CAST(s AS TIMESTAMP) IN (TIMESTAMP '2026-02-01 00:00:00Z', TIMESTAMP '2026-02-01 10:00:05.5Z')",
    "CAST(s AS DATE) > DATE '2024-06-01'",
    "CAST(s AS DATE) IS NULL",
    "CAST(s AS DATE) = DATE '2026-02-01'",
    "CAST(trim(s) || '' AS DATE) = DATE '2026-02-01'",
    "hour(CAST(s AS TIMESTAMP)) = 10",
]


def texts() -> list[str | None]:
    forms = [
        day + clock + end for day, clock, end in product(DAYS, CLOCKS, ENDS) if clock or end in ("", "Z")
    ]
    around = [before + "2026-02-01 10:00" + behind for before, behind in product(BEFORE, BEHIND)]
    return [None, "", "now", "2026", "2026-02-01T", *forms, *around]


def test_texts_are_read_alike(spark: Any, postgres: Any) -> None:
    tables = Tables(spark, postgres, declared(FIELDS), [{"s": text} for text in texts()])
    nodes = [predicat.parse(text, "sql", FIELDS).node for text in CONDITIONS]
    check_batch(nodes, tables)


def test_casts_of_texts_are_short() -> None:
    for text, longest in ((CONDITIONS[0], 700), (CONDITIONS[4], 310)):
        node = predicat.parse(text, "sql", FIELDS)
        assert len(node.sql("spark")) < longest
        assert len(node.sql("duckdb")) < longest
