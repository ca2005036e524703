"""Functions of dates and times: the same on all engines for hostile values, and as engines have them."""

from datetime import UTC, datetime
from typing import Any

import pytest

import predicat
from predicat import backends
from predicat.deploy.rows import on_postgres
from predicat.ir.types import TIMESTAMP
from predicat.ir.values import to_value
from predicat_spark.rows import on_spark
from predicat_spark.settings import settings
from tests.engines.rows import Tables, check_outcomes
from tests.texts import tables_of

FIELDS = {"ts": "timestamp", "other": "timestamp", "d": "date", "n": "bigint", "s": "string"}
BOTH, SPARK, POSTGRES = (
    tables_of(__file__)["conditions"][language] for language in ("both", "spark", "postgres")
)
MOMENTS = [
    "2024-03-31 10:20:30.25",
    "2024-03-01 06:00:00",
    "2024-02-29 23:59:59.999999",
    "2024-01-31 12:00:00",
    "2023-02-28 00:00:00",
    "1969-12-31 23:59:59.5",
    "1900-02-28 01:00:00",
    "2024-12-30 05:00:00",
    "2026-01-01 00:00:00",
]
ENDS = ["0001-01-01 00:00:00", "9999-12-31 23:59:59.999999", "0001-01-31 00:00:00", "9999-12-01 00:00:00"]
TEXTS = ["2024-05-06", "20240506", "06/05/2024", "2024-05-06 10:11:12", "31/02/2024"]


def rows(*, hostile: bool) -> list[dict[str, Any]]:
    moments = [to_value(text, TIMESTAMP) for text in (*MOMENTS, *(ENDS if hostile else []))]
    counts = [0, 1, -1, 13, 19_000, *([2**63 - 1, -(2**63), 119_000, 1_700_000_000] if hostile else [])]
    texts = [*TEXTS, *(["2024-5-6", " 2024-05-06", "x", "", "2024-05-06 24:00:00"] if hostile else [])]
    made = [
        {
            "ts": one,
            "other": moments[(place * 5 + 3) % len(moments)],
            "d": one.date(),
            "n": counts[place % len(counts)],
            "s": texts[place % len(texts)],
        }
        for place, one in enumerate(moments)
    ]
    return [*made, *([dict.fromkeys(FIELDS)] if hostile else [])]


@pytest.mark.parametrize("engine", ["spark", "postgres", "duckdb"])
def test_engines_agree_on_hostile_values(engine: str, request: pytest.FixtureRequest) -> None:
    texts = [
        *(("sql", one) for one in BOTH),
        *(("spark", one) for one in SPARK),
        *(("postgres", one) for one in POSTGRES),
    ]
    session = request.getfixturevalue(engine) if engine != "duckdb" else None
    fields = predicat.api.declared(FIELDS)
    check_outcomes(Tables(session, session, fields, rows(hostile=True), (engine,)), texts)


def test_spark_says_the_same_of_its_own_functions(spark: Any) -> None:
    made, now = rows(hostile=False), datetime.now(UTC)
    fields = list(predicat.api.declared(FIELDS).values())
    with settings(spark, {"spark.sql.session.timeZone": "UTC", "spark.sql.ansi.enabled": "false"}):
        texts = (*BOTH, *SPARK)
        texts = tuple(text for text in texts if "yyyyMMdd'" not in text)
        got = on_spark(fields, made, texts, spark)
    check("spark", texts, got, made, now)


def test_postgres_says_the_same_of_its_own_functions(postgres: Any) -> None:
    made, now = [{**row, "s": "2024-05-06 10:11:12"} for row in rows(hostile=False)], datetime.now(UTC)
    fields = list(predicat.api.declared(FIELDS).values())
    postgres.execute("SET TIME ZONE 'UTC'")
    texts = (
        *[text for text in BOTH if "to_" not in text and "make_date" not in text and "year(" not in text],
        *POSTGRES,
    )
    check("postgres", texts, on_postgres(postgres, fields, made, texts), made, now)


def check(
    language: str, texts: tuple[str, ...], got: list[list[Any]], made: list[dict[str, Any]], now: datetime
) -> None:
    wrong = []
    for text, column in zip(texts, got, strict=True):
        predicate = predicat.parse(text, language, FIELDS)
        wrong += [
            f"{text}: {row}: {value} on the engine, {predicate.evaluate(row, now=now)} here"
            for row, value in zip(made, column, strict=True)
            if value != predicate.evaluate(row, now=now)
        ]
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        (
            "date_format(ts, 'yyyy-MM') = '2024-03'",
            "ts >= {ts}2024-03-01 00:00:00+00'",
            "ts < {ts}2024-04-01 ",
        ),
        ("last_day(d) = DATE '2024-02-29'", "d BETWEEN {d}2024-02-01'", "{d}2024-02-29'"),
        ("d + INTERVAL '1 month' > DATE '2024-02-29'", "d > {d}2024-01-31'", "d <= {d}9999-11-30'"),
    ],
)
def test_formats_and_months_become_bounds(text: str, low: str, high: str) -> None:
    sql = backends.dialect("postgres").render(predicat.parse(text, "sql", FIELDS).node, condition=True)
    for bound in (low, high):
        assert bound.format(ts="TIMESTAMPTZ '", d="DATE '") in sql, sql


def test_a_moment_of_the_clock_needs_no_guard() -> None:
    found = predicat.parse("ts >= now() - INTERVAL '3 months'", "sql", FIELDS)
    assert found.sql("postgres") == (
        "ts >= (((CURRENT_TIMESTAMP AT TIME ZONE 'UTC') + INTERVAL '-3 months') AT TIME ZONE 'UTC')"
    )
    assert found.evaluate({"ts": "2026-02-28 00:00:00"}, now="2026-05-31") is True
    assert found.evaluate({"ts": "2026-02-27 23:59:59"}, now="2026-05-31") is False
