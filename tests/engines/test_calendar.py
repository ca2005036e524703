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

FIELDS = {"ts": "timestamp", "other": "timestamp", "d": "date", "n": "bigint", "s": "string"}
BOTH = (
    "ts - INTERVAL '1 month' < TIMESTAMP '2024-02-29 12:00:00'",
    "ts + INTERVAL '14 months' > TIMESTAMP '2024-02-29'",
    "d + INTERVAL '13' MONTH >= DATE '2025-02-28'",
    "d - INTERVAL '1' YEAR = DATE '2023-02-28'",
    "d >= date_trunc('quarter', ts)",
    "date_trunc('month', d) = TIMESTAMP '2024-02-01'",
    "extract(second FROM ts) > 30.2",
    "make_date(year(d), 2, 29) = d",
    "make_date(2023, 1 + mod(n, 20), 31) IS NULL",
    "to_date(s, 'yyyy-MM-dd') > DATE '2024-01-01'",
    "to_date(s, 'yyyyMMdd') > DATE '2024-01-01'",
    "to_timestamp(s, 'dd/MM/yyyy') > TIMESTAMP '2024-01-01'",
)
SPARK = (
    "add_months(d, 1) > DATE '2024-03-29'",
    "add_months(d, n) > DATE '2024-03-29'",
    "add_months(ts, -1) >= DATE '2024-02-29'",
    "last_day(d) = d",
    "last_day(ts) = d",
    "trunc(d, 'MM') = DATE '2024-02-01'",
    "trunc(d, 'week') = DATE '2024-02-26'",
    "date_trunc('MM', ts) = TIMESTAMP '2024-03-01'",
    "datediff(ts, other) > 0",
    "datediff(MONTH, other, ts) > 0",
    "datediff(YEAR, other, ts) >= 1",
    "datediff(QUARTER, other, ts) <> 0",
    "datediff(DAY, other, ts) > 20",
    "datediff(HOUR, other, ts) < 1000",
    "timestampdiff(MONTH, ts, other) < 0",
    "timestampadd(MONTH, 1, ts) > TIMESTAMP '2024-04-30'",
    "dateadd(WEEK, 2, ts) > other",
    "date_format(ts, 'yyyy-MM') = '2024-03'",
    "date_format(ts, 'yyyyMMdd HH:mm:ss') > '20240301 00:00:00'",
    "date_format(d, 'EEE dd MMM') = 'Thu 29 Feb'",
    "date_format(ts, 'DDD') > '060'",
    "unix_timestamp(ts) > 0",
    "unix_millis(ts) % 1000 > 200",
    "unix_micros(ts) > 0",
    "unix_date(d) > 19000",
    "from_unixtime(n) > '1970-01-01 00:00:01'",
    "timestamp_seconds(n) > ts",
    "timestamp_millis(n) < ts",
    "timestamp_micros(n) < ts",
    "date_from_unix_date(CAST(n AS INT)) < d",
    "dayname(d) = 'Thu'",
    "monthname(d) = 'Feb'",
    "weekofyear(d) = 9",
    "extract(YEAROFWEEK FROM d) = 2024",
    "dayofweek(d) = 5",
    "extract(DOW FROM ts) = 1",
    "extract(DAY FROM ts - other) > 20",
    "extract(HOUR FROM ts - other) < -5",
    "extract(MINUTE FROM ts - other) <> 0",
    "extract(SECOND FROM ts - other) < 0",
    "to_timestamp(s, 'yyyy-MM-dd HH:mm:ss') > TIMESTAMP '2024-01-01'",
    "to_date(s, 'dd/MM/yyyy') > DATE '2024-01-01'",
    "ts > current_timestamp() - INTERVAL 3 MONTHS",
    "d <= add_months(current_date(), -2)",
)
POSTGRES = (
    "extract(isodow FROM d) = 4",
    "ts + INTERVAL '1 year 2 months 3 days 04:05:06' > TIMESTAMPTZ '2024-02-29'",
    "to_char(ts, 'YYYY-MM') = '2024-03'",
    "to_char(ts, 'YYYYMMDD HH24:MI:SS.MS US') > '20240301'",
    "to_char(d, 'Dy, DD Mon') = 'Thu, 29 Feb'",
    "to_char(d, 'FMDay \"of\" FMMonth') = 'Thursday of February'",
    "extract(epoch FROM ts) > 1709251200.25",
    "extract(epoch FROM (ts - other)) > 86400",
    "extract(day FROM ts - other) > 20",
    "extract(day FROM ts - other) < 0",
    "extract(hour FROM ts - other) > 5",
    "extract(hour FROM ts - other) < -5",
    "date_part('minute', ts - other) <> 0",
    "extract(second FROM ts - other) < 0",
    "extract(second FROM other - ts) > 29.5",
    "extract(dow FROM ts) = 0",
    "extract(isoyear FROM d) = 2024",
    "date_bin('15 minutes', ts, TIMESTAMPTZ '2001-01-01 00:05:00Z') = TIMESTAMPTZ '2024-03-31 10:20:00Z'",
    "ts > now() - INTERVAL '3 months'",
    "ts >= date_trunc('year', now() - INTERVAL '2 years')",
    "d > current_date - INTERVAL '1 year'",
    "to_timestamp(s, 'YYYY-MM-DD HH24:MI:SS') > TIMESTAMPTZ '2024-01-01'",
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
