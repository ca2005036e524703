"""The current time on engines: that of the statement, with the bound beside the column."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import predicat
from predicat import backends
from tests.engines.rows import Tables, check_outcomes
from tests.rewrite.test_solve_clock import DIFFERENCES, NEAR, STEPS

FIELDS = {"ts": "timestamp", "d": "date"}
TEXTS = (
    "ts >= now() - INTERVAL '7 days'",
    "now() - ts < INTERVAL '36 hours'",
    "ts + INTERVAL '7 days' >= now()",
    "ts >= current_date - INTERVAL '7 days'",
    "ts < current_date",
    "d >= current_date - 7",
    "d > date_add(current_date, 1)",
    "datediff(current_date, d) < 7",
    "INTERVAL '36 hours' > now() - ts",
    "NOT ts - now() < INTERVAL '-36 hours'",
    "datediff(current_date, ts) <= 6",
    "date(ts) >= current_date - 6",
    "date(ts) <= current_date - 1",
    "date(ts) > current_date - 1",
    "date(ts) < current_date",
    "date(ts) <> current_date",
    "current_date = date(ts)",
    "date(ts) = date(now() - INTERVAL '1 hour')",
    "ts >= date_trunc('month', now())",
    "timestampdiff(HOUR, ts, now()) >= 24",
    "datediff(DAY, ts, now()) BETWEEN 1 AND 6",
    "extract(EPOCH FROM (now() - ts)) / 3600 < 24",
    "ts + INTERVAL '7 days' < now()",
    "ts - INTERVAL '2 days' <= now()",
    "date_add(d, 7) >= current_date",
    "date_add(d, -7) < current_date",
    "now() BETWEEN TIMESTAMP '2020-01-01' AND TIMESTAMP '2999-01-01'",
    "year(now()) > 2020 AND month(now()) <= 12 AND hour(now() AT TIME ZONE 'Asia/Tokyo') >= 0",
)


def rows() -> list[dict[str, Any]]:
    """Rows around the bounds, some minutes away from them."""
    now = datetime.now(UTC)
    ages = [timedelta(days=days, minutes=minutes) for days in (-2, 0, 1, 6, 7, 31) for minutes in (-10, 10)]
    moments = [now - age for age in ages] + [
        datetime.min.replace(tzinfo=UTC),
        datetime.max.replace(tzinfo=UTC),
    ]
    return [{"ts": moment, "d": moment.date()} for moment in moments] + [{"ts": None, "d": None}]


@pytest.mark.parametrize("engine", ["spark", "postgres", "duckdb"])
def test_engines_agree_with_the_evaluator(engine: str, request: pytest.FixtureRequest) -> None:
    found = [predicat.parse(text, "sql", FIELDS) for text in TEXTS]
    made = rows()
    session = request.getfixturevalue(engine) if engine != "duckdb" else None
    declared = predicat.api.declared(FIELDS)
    tables = Tables(session, session, declared, made, (engine,))
    now = datetime.now(UTC)
    ((_, run),) = tables.engines()
    for predicate, column in zip(found, run([one.sql(engine) for one in found]), strict=True):
        assert column == [predicate.evaluate(row, now=now) for row in made], predicate.text
    where = [backends.dialect(engine).render(one.node, condition=True) for one in found]
    for predicate, column in zip(found, run(where), strict=True):
        expected = [predicate.evaluate(row, now=now) is True for row in made]
        assert [value is True for value in column] == expected, predicate.text


def test_periods_and_days_beside_those_of_now(spark: Any, postgres: Any) -> None:
    """What the evaluator has at every bound in tests/rewrite holds on engines, minutes away from bounds."""
    now = datetime.now(UTC)
    starts = [now - timedelta(days=days) for days in (0, 6, 7, 14, 30, 61, 91, 365, 366, 730)]
    starts += [now.replace(month=1, day=1, hour=0, minute=0, second=0), now.replace(day=1, hour=0, minute=0)]
    moments = [start + timedelta(minutes=minutes) for start in starts for minutes in (-35, 35)]
    made = [{"ts": moment, "d": moment.date()} for moment in moments] + [{"ts": None, "d": None}]
    texts = [("postgres", text) for text in STEPS if " = " not in text or "hour" not in text]
    texts += [*(("sql", text) for text in DIFFERENCES), *NEAR]
    check_outcomes(Tables(spark, postgres, predicat.api.declared(FIELDS), made), texts, where=True)


@pytest.mark.parametrize("text", ["ts >= now() - INTERVAL '7 days'", "now() - ts <= INTERVAL '7 days'"])
def test_an_index_serves_the_bound(postgres: Any, text: str) -> None:
    """The bound is computed once, beside the column."""
    postgres.execute("DROP TABLE IF EXISTS now_events")
    postgres.execute(
        "CREATE TEMP TABLE now_events AS "
        "SELECT now() - n * INTERVAL '1 hour' AS ts FROM generate_series(1, 20000) n"
    )
    postgres.execute("CREATE INDEX ON now_events (ts)")
    postgres.execute("ANALYZE now_events")
    condition = predicat.parse(text, "sql", FIELDS).sql("postgres")
    plan = "\n".join(
        row[0] for row in postgres.execute(f"EXPLAIN SELECT * FROM now_events WHERE {condition}")
    )
    assert "Index Cond: (ts >= (CURRENT_TIMESTAMP - '168:00:00'::interval))" in plan


@pytest.mark.parametrize(
    "text",
    [
        "date_trunc('month', ts) = date_trunc('month', now())",
        "extract(year FROM ts) >= extract(year FROM now())",
        "date_trunc('day', ts) > current_date - 7",
    ],
)
def test_an_index_serves_the_bounds_of_periods(postgres: Any, text: str) -> None:
    postgres.execute("DROP TABLE IF EXISTS now_periods")
    postgres.execute(
        "CREATE TEMP TABLE now_periods AS "
        "SELECT now() - n * INTERVAL '1 day' AS ts FROM generate_series(1, 20000) n"
    )
    postgres.execute("CREATE INDEX ON now_periods (ts)")
    postgres.execute("ANALYZE now_periods")
    condition = backends.dialect("postgres").render(
        predicat.parse(text, "postgres", FIELDS).node, condition=True
    )
    plan = "\n".join(
        row[0] for row in postgres.execute(f"EXPLAIN SELECT * FROM now_periods WHERE {condition}")
    )
    assert "Index Cond: (" in plan and "Filter" not in plan


def test_partitions_are_pruned(postgres: Any) -> None:
    """At the start of the execution, when the time is known."""
    postgres.execute("CREATE TEMP TABLE now_parts (ts timestamptz) PARTITION BY RANGE (ts)")
    for year in (2001, 2002, 2003):
        bounds = f"FROM ('{year}-01-01 00:00+00') TO ('{year + 1}-01-01 00:00+00')"
        postgres.execute(f"CREATE TEMP TABLE now_parts_{year} PARTITION OF now_parts FOR VALUES {bounds}")
    condition = predicat.parse("ts >= now() - INTERVAL '7 days'", "sql", FIELDS).sql("postgres")
    plan = "\n".join(
        row[0]
        for row in postgres.execute(f"EXPLAIN (ANALYZE, COSTS OFF) SELECT * FROM now_parts WHERE {condition}")
    )
    assert "Subplans Removed: 3" in plan
