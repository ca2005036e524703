"""Sixty simulated days in twenty scenarios, on three engines: every result is compared with what the rows of
the day say, worked out beside predicat.
"""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import predicat
from predicat.cli import quality_command
from predicat.quality.checks import declared
from predicat.quality.engines import on_duckdb, on_postgres
from predicat.quality.history import Entry, Series
from predicat.quality.measure import Measure
from predicat.quality.partitions import newest
from predicat.quality.plan import Plan, plan
from predicat.quality.statistics import drifted
from predicat_spark.quality import on_spark
from tests.rounds import rounds

CATALOG = """apiVersion: predicat/v1
dataset: shop
relation: {spark: shop, postgres: public.simulated, duckdb: shop.parquet}
fields: {n: bigint, s: string, at: timestamp}
partition: {column: at, by: day, zone: Europe/Berlin}
rows: {at_least: 120, at_most: 400, drift: {warn: 40%, error: 90%}}
freshness: {column: at, at_most: 2 hours}
filters:
  low: {sql: n < 30, coverage: {at_least: 20%, at_most: {warn: 45%, error: 60%}, drift: 25%}}
  high: {sql: n >= 60 OR n < 0}
  known: {sql: s = 'x', coverage: {unknown_at_most: 5%}}
groups:
  both: {filters: [low, high], exclusive: true}
"""
BERLIN = ZoneInfo("Europe/Berlin")
FIRST, DAYS, COUNT = date(2026, 2, 14), 60, 200


class Row(NamedTuple):
    """A row, and when it arrives."""

    n: int
    s: str | None
    at: datetime | None
    arrives: datetime


def start_of(day: int) -> datetime:
    return datetime.combine(FIRST + timedelta(days=day), datetime.min.time(), BERLIN).astimezone(UTC)


def usual(day: int) -> list[Row]:
    """The rows of a day, spread over its hours; 30 % of them are low."""
    start, end = start_of(day), start_of(day + 1)
    moments = [start + (end - start) * (row + 1) / (COUNT + 1) for row in range(COUNT)]
    return [Row(row % 100, "xy"[row % 2], at, at) for row, at in enumerate(moments)]


# --- what happens to the rows of a day

Change = Callable[[list[Row]], list[Row]]


def share(percent: int) -> Change:
    """So many percent of the rows are low."""
    return lambda rows: [
        row._replace(n=row.n % 30 if place % 100 < percent else 30 + row.n % 30)
        for place, row in enumerate(rows)
    ]


def unknown(percent: int) -> Change:
    return lambda rows: [
        row._replace(s=None if place % 100 < percent else row.s) for place, row in enumerate(rows)
    ]


def times(factor: float) -> Change:
    """So many times the rows, at the same moments."""
    return lambda rows: [rows[int(place / factor)] for place in range(int(len(rows) * factor))]


def without_end(hours: int) -> Change:
    def change(rows: list[Row]) -> list[Row]:
        last = max(row.at for row in rows if row.at is not None)
        return [row for row in rows if row.at is not None and row.at < last - timedelta(hours=hours)]

    return change


def late(days: int, of: Change = lambda rows: rows) -> Change:
    """Half of the rows arrive later, and are changed."""

    def change(rows: list[Row]) -> list[Row]:
        half = len(rows) // 2
        kept = [row for place, row in enumerate(rows) if place % 2]
        later = [row._replace(arrives=row.arrives + timedelta(days=days)) for row in of(rows)[:half]]
        return [*kept, *later]

    return change


def overlapping(rows: list[Row]) -> list[Row]:
    return [rows[0]._replace(n=-1), *rows[1:]]


def timeless(rows: list[Row]) -> list[Row]:
    return [*rows, *(Row(1, "x", None, row.arrives) for row in rows[:50])]


def behind_midnight(rows: list[Row]) -> list[Row]:
    """Many low rows just before and just behind the end of the day in Berlin: the first are of the day."""
    end = max(row.at for row in rows if row.at is not None)
    midnight = datetime.combine(
        end.astimezone(BERLIN).date() + timedelta(days=1), datetime.min.time(), BERLIN
    )
    moment = midnight.astimezone(UTC)
    return [
        *rows,
        *(Row(1, "x", moment - timedelta(microseconds=1), moment) for _ in range(190)),
        *(Row(99, "x", moment, moment) for _ in range(20)),
    ]


def both(*changes: Change) -> Change:
    def change(rows: list[Row]) -> list[Row]:
        for one in changes:
            rows = one(rows)
        return rows

    return change


class Scenario(NamedTuple):
    """What happens on which days, the bounds that are broken then, on which days nothing is measured, and on
    which the column `s` is missing.
    """

    changes: dict[int, Change]
    planted: dict[int, tuple[str, ...]]
    silent: range = range(0)
    renamed: range = range(0)


DST = (date(2026, 3, 29) - FIRST).days
SCENARIOS = {
    "clean": Scenario({}, {}),
    "one red check": Scenario({30: share(70)}, {30: ("at_most", "drift")}),
    "one warning": Scenario({20: share(50)}, {20: ("at_most",)}),
    "few accepted": Scenario({25: share(5)}, {25: ("at_least",)}),
    "missing values": Scenario({33: unknown(20)}, {33: ("unknown_at_most",)}),
    "empty day": Scenario({40: lambda _: []}, {40: ("rows_at_least", "rows_drift", "freshness")}),
    "few rows": Scenario({12: times(0.5)}, {12: ("rows_at_least", "rows_drift")}),
    "loaded twice": Scenario({18: times(2.5)}, {18: ("rows_at_most", "rows_drift")}),
    "late rows": Scenario({22: late(2)}, {22: ("rows_at_least",)}),
    "late rows that break a bound": Scenario(
        {27: late(2, share(100))}, {27: ("rows_at_least", "at_most", "drift")}
    ),
    "the day ends early": Scenario({15: without_end(6)}, {15: ("freshness",)}),
    "a change that stays": Scenario(
        dict.fromkeys(range(35, 60), share(70)), dict.fromkeys(range(35, 60), ("at_most", "drift"))
    ),
    "a slow change": Scenario(
        {day: share(min(30 + day, 80)) for day in range(10, 60)},
        dict.fromkeys(range(16, 60), ("at_most",)),
    ),
    "a column is renamed": Scenario({44: share(70)}, {44: ("at_most",)}, renamed=range(43, 48)),
    "overlap": Scenario({28: overlapping}, {28: ("exclusive",)}),
    "backfill": Scenario(
        {31: share(70), 32: lambda _: []}, {31: ("at_most",), 32: ("rows_at_least",)}, range(57)
    ),
    "an outage": Scenario({22: share(70)}, {22: ("at_most", "drift")}, range(20, 25)),
    "the day of 23 hours": Scenario({DST: behind_midnight}, {DST: ("at_most", "drift")}),
    "rows without a time": Scenario(
        dict.fromkeys(range(60), timeless) | {50: both(share(70), timeless)}, {50: ("at_most",)}
    ),
    "red, then empty": Scenario(
        {30: share(70), 31: lambda _: []}, {30: ("at_most", "drift"), 31: ("rows_at_least", "freshness")}
    ),
}


# --- what the rows of a day say

_LIMITS = {"fail": 2, "warn": 1, "pass": 0}


def worst(*ends: tuple[bool, str]) -> str:
    return max((status for broken, status in ends if broken), key=_LIMITS.__getitem__, default="pass")


class Oracle:
    """The results that are right, by the days as they are known."""

    def __init__(self) -> None:
        self.known: dict[int, dict[str, Any]] = {}

    def results(self, day: int, rows: list[Row], *, has_s: bool) -> dict[str, str]:
        low, count = sum(row.n < 30 for row in rows), len(rows)
        values = {"rows": count, "low": low, "of_rows": False, "of_low": False}
        found = {
            "rows_at_least": worst((count < 120, "fail")),
            "rows_at_most": worst((count > 400, "fail")),
            "rows_drift": self._rows(day, count),
            "freshness": self._fresh(day, rows),
            "at_least": worst((not count or low / count < 0.2, "fail")),
            "at_most": self._high(low, count),
            "drift": self._drift(day, low, count),
            "unknown_at_most": self._unknown(rows) if has_s else "error",
            "exclusive": worst((any(row.n < 0 for row in rows), "fail")),
        }
        values["of_rows"] = "fail" in [status for kind, status in found.items() if kind.startswith("rows")]
        values["of_low"] = "fail" in [found[kind] for kind in ("at_least", "at_most", "drift")]
        self.known[day] = values
        return found

    def _before(self, day: int, failed: str) -> dict[str, Any] | None:
        fine = [at for at, value in self.known.items() if at < day and value["rows"] and not value[failed]]
        return self.known[max(fine)] if fine else None

    def _rows(self, day: int, count: int) -> str:
        before = self._before(day, "of_rows")
        if before is None:
            return "not_checked"
        moved = abs(count - before["rows"]) / before["rows"]
        return worst((moved > 0.9, "fail"), (moved > 0.4, "warn"))

    def _fresh(self, day: int, rows: list[Row]) -> str:
        last = max((row.at for row in rows if row.at is not None), default=None)
        return worst((last is None or start_of(day + 1) - last > timedelta(hours=2), "fail"))

    def _high(self, low: int, count: int) -> str:
        return worst((low / count > 0.6, "fail"), (low / count > 0.45, "warn")) if count else "not_checked"

    def _drift(self, day: int, low: int, count: int) -> str:
        before = self._before(day, "of_low")
        if before is None or not count:
            return "not_checked"
        return worst((drifted((before["low"], before["rows"]), (low, count), 0.25), "fail"))

    def _unknown(self, rows: list[Row]) -> str:
        missing = sum(row.s is None for row in rows)
        return worst((missing / len(rows) > 0.05, "fail")) if rows else "not_checked"


# --- the runs

# Writes the rows that an engine reads.
Fill = Callable[[pa.Table], None]
Run = Callable[[Plan], Measure]


class Engine(NamedTuple):
    """An engine: its name, how rows get there, how it counts, and after how many days it runs."""

    name: str
    fill: Fill
    run: Run
    every: int


def simulate(catalog: predicat.Catalog, engine: Engine, scenario: Scenario, until: int = DAYS) -> None:
    """Run every day (or less often), each time for the days since the last run and two more, and compare all
    results.
    """
    days = {day: scenario.changes.get(day, lambda rows: rows)(usual(day)) for day in range(until)}
    of, wanted = (
        catalog.datasets["shop"].partition,
        len(declared(catalog.datasets["shop"], list(catalog.known))),
    )
    assert of is not None
    oracle, history, last = Oracle(), list[Entry](), -1
    reported: dict[int, set[str]] = {}
    for day in range(until):
        if day in scenario.silent or (day % engine.every != engine.every - 1 and day != until - 1):
            continue
        now, count = start_of(day + 1) + timedelta(hours=3), min(day - last + 2, day + 1)
        near = range(day - count - 1, day + 2)
        there = [row for at in near for row in days.get(at, ()) if row.arrives <= now]
        renamed = day in scenario.renamed
        engine.fill(table(there, "other" if renamed else "s"))
        parts = newest(of, count, now)
        measured = partial(engine.run, plan(catalog, "shop", (), engine.name, now, parts))
        series = partial(Series, "simulated", "shop", engine.name, sample=1.0, by=parts.text)
        runs, added = quality_command._run_parts(catalog, "shop", (), measured, series, history, (), now)
        history += json.loads(json.dumps(added))
        own = by_day(there)
        assert [run.part.name for run in runs if run.part is not None] == [
            str(FIRST + timedelta(days=at)) for at in range(day - count + 1, day + 1)
        ]
        for at, run in enumerate(runs, day - count + 1):
            before = oracle.known.get(at, {}).get("rows")
            expected = oracle.results(at, own.get(at, []), has_s=not renamed)
            found = {check.kind: check.status for check in run.checks}
            assert len(run.checks) == wanted and found == expected, (day, at)
            assert bool(run.late) == (before is not None and before != len(own.get(at, []))), (day, at)
            reported.setdefault(at, set()).update(
                kind for kind, status in found.items() if status in ("warn", "fail")
            )
        last = day
    for at, kinds in scenario.planted.items():
        if engine.every == 1 or at not in LATE.get(id(scenario), ()):
            assert set(kinds) <= reported[at], (at, kinds)


# Days whose first, incomplete state a weekly run does not see.
LATE = {
    id(SCENARIOS[name]): SCENARIOS[name].planted for name in ("late rows", "late rows that break a bound")
}


def by_day(rows: list[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in rows:
        if row.at is not None:
            found.setdefault((row.at.astimezone(BERLIN).date() - FIRST).days, []).append(row)
    return found


def table(rows: list[Row], name: str) -> pa.Table:
    schema = pa.schema({"n": pa.int64(), name: pa.string(), "at": pa.timestamp("us", "UTC")})
    columns = zip(*(row[:3] for row in rows), strict=True) if rows else ((), (), ())
    return pa.table(
        [pa.array(column, kind) for column, kind in zip(columns, schema.types, strict=True)], schema
    )


@pytest.fixture
def catalog(tmp_path: Path) -> predicat.Catalog:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "shop.yml").write_text(CATALOG)
    return predicat.load_catalog(tmp_path / "catalog")


def duckdb_engine(folder: Path) -> Engine:
    file = folder / "shop.parquet"
    return Engine(
        "duckdb", lambda rows: pq.write_table(rows, file), lambda plan_: on_duckdb(plan_, str(file)), 1
    )


def postgres_engine(postgres: Any) -> Engine:
    def fill(rows: pa.Table) -> None:
        postgres.execute("DROP TABLE IF EXISTS public.simulated")
        n, s, at = rows.column_names
        postgres.execute(f"CREATE TABLE public.simulated ({n} bigint, {s} text, {at} timestamptz)")
        with postgres.cursor() as cursor, cursor.copy("COPY public.simulated FROM STDIN") as copy:
            for row in rows.to_pylist():
                copy.write_row(tuple(row.values()))

    return Engine("postgres", fill, lambda plan_: on_postgres(plan_, postgres), 1)


def spark_engine(spark: Any, folder: Path) -> Engine:
    """It runs every eighth day: a job takes longer than a day's rows."""
    numbers: Iterator[int] = iter(range(10_000))
    files: list[Path] = []

    def fill(rows: pa.Table) -> None:
        files.append(folder / f"{next(numbers)}.parquet")
        pq.write_table(rows, files[-1])

    return Engine("spark", fill, lambda plan_: on_spark(plan_, spark.read.parquet(str(files[-1]))), 8)


def test_two_weeks(catalog: predicat.Catalog, tmp_path: Path) -> None:
    simulate(catalog, duckdb_engine(tmp_path), SCENARIOS["few rows"], 14)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_sixty_days_on_duckdb(catalog: predicat.Catalog, tmp_path: Path, name: str) -> None:
    simulate(catalog, duckdb_engine(tmp_path), SCENARIOS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_sixty_days_on_postgres(catalog: predicat.Catalog, postgres: Any, name: str) -> None:
    simulate(catalog, postgres_engine(postgres), SCENARIOS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_sixty_days_on_spark(catalog: predicat.Catalog, spark: Any, tmp_path: Path, name: str) -> None:
    simulate(catalog, spark_engine(spark, tmp_path), SCENARIOS[name])


def test_there_are_twenty_scenarios_of_sixty_days() -> None:
    assert (len(SCENARIOS), DAYS) == (20, 60)
    for _, scenario in rounds(SCENARIOS.items(), 20):
        assert set(scenario.planted) <= {*scenario.changes} and max(scenario.changes, default=0) < DAYS
