"""Suggested bounds: what they rest on, and how they get into the catalog."""

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import predicat
from predicat.diagnostics import PredicatError
from predicat.quality import forecast, stores
from predicat.quality.bounds import judge
from predicat.quality.forecast import Day
from predicat.quality.history import Series, entries
from predicat.quality.measure import Count, Measure
from predicat.quality.suggest import Proposed, Suggestion, suggest
from predicat.quality.writing import write
from tests.processes import in_process

CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: {duckdb: orders.csv}
fields: {id: bigint, country: string}
filters:
  positive_id: {sql: id > 0}
  german: {sql: country = 'DE'}
"""
FIRST = date(2026, 1, 5)
SERIES = Series("c", "orders", "duckdb", "", 1.0)


@pytest.fixture
def catalog(tmp_path: Path) -> predicat.Catalog:
    (tmp_path / "orders.yml").write_text(CATALOG)
    return predicat.load_catalog(tmp_path / "orders.yml")


def measured(rows: int, positive: int, german: int, unknown: int = 0) -> Measure:
    counts = {"orders.positive_id": positive, "orders.german": german}
    found = Measure("orders", "duckdb", rows, accepted=counts, total=rows)
    found.filters = {name: Count(count, rows - count - unknown, unknown) for name, count in counts.items()}
    return found


def moment(number: int) -> datetime:
    return datetime(2026, 1, 5, 12, tzinfo=UTC) + timedelta(days=number)


def proposed(
    catalog: predicat.Catalog, days: Sequence[Measure], status: dict[int, str] | None = None
) -> dict[str, Suggestion]:
    """What is suggested on the last of some days."""
    past = [
        {**entry, "status": (status or {}).get(number, "pass")}
        for number, found in enumerate(days[:-1])
        for entry in entries(catalog, found, SERIES, (), moment(number))
    ]
    result = suggest(catalog, days[-1], SERIES.of(past), moment(len(days) - 1))
    return {item.name: item for item in result}


def share(text: str) -> float:
    return float(text.removesuffix("%")) / 100


def good_days(count: int, german: Any = lambda _: 0.4, rows: Any = lambda _: 2000) -> list[Measure]:
    rng = np.random.default_rng(3)
    sizes = [int(rng.poisson(rows(number))) for number in range(count)]
    return [
        measured(size, size - int(rng.poisson(1)), int(rng.binomial(size, german(number))))
        for number, size in enumerate(sizes)
    ]


@pytest.mark.parametrize("days", [1, 5, 14, 56])
def test_few_bad_rows_are_found_after_any_number_of_days(catalog: predicat.Catalog, days: int) -> None:
    found = proposed(catalog, [measured(2000, 1999, 800)] * days)["orders.positive_id"]
    assert "at_most" not in found.bounds and share(found.bounds["unknown_at_most"]) < 0.01
    assert 0.98 < share(found.bounds["at_least"]) < 0.9985
    assert (found.days, found.rows) == (days, 2000 * days)


def test_more_days_make_narrower_bounds(catalog: predicat.Catalog) -> None:
    ends = [proposed(catalog, good_days(days))["orders.german"].bounds for days in (1, 14, 28)]
    widths = [share(bounds["at_most"]) - share(bounds["at_least"]) for bounds in ends]
    assert widths == sorted(widths, reverse=True) and widths[-1] < 0.12
    assert all(share(bounds["drift"]) < width for bounds, width in zip(ends, widths, strict=True))


def test_days_that_differ_by_more_than_chance_make_wider_bounds(catalog: predicat.Catalog) -> None:
    calm = proposed(catalog, good_days(28))["orders.german"].bounds
    moody = proposed(catalog, good_days(28, lambda day: 0.4 + 0.05 * (day % 3)))["orders.german"]
    assert share(moody.bounds["at_most"]) > share(calm["at_most"]) + 0.1
    assert "times as much as by chance" in " ".join(moody.reasons())


def test_a_day_out_of_line_is_left_out_and_named(catalog: predicat.Catalog) -> None:
    days = good_days(28)
    bad = [*days[:9], measured(2000, 1900, 800), *days[10:]]
    found = proposed(catalog, bad)["orders.positive_id"]
    assert share(found.bounds["at_least"]) > 0.99 and found.days == 27
    assert "without 2026-01-14 (95.00%), out of line" in " ".join(found.reasons())


def test_a_failed_day_and_another_meaning_are_not_used(catalog: predicat.Catalog, tmp_path: Path) -> None:
    days = [measured(2000, 1500, 800)] * 10 + good_days(12)
    found = proposed(catalog, days, dict.fromkeys(range(10), "fail"))["orders.positive_id"]
    assert found.days == 12 and share(found.bounds["at_least"]) > 0.99
    past = [entry for number in range(20) for entry in entries(catalog, days[0], SERIES, (), moment(number))]
    (tmp_path / "orders.yml").write_text(CATALOG.replace("id > 0", "id >= 0"))
    changed = predicat.load_catalog(tmp_path / "orders.yml")
    result = {item.name: item.days for item in suggest(changed, days[-1], SERIES.of(past), moment(20))}
    assert result == {"orders": 21, "orders.positive_id": 1, "orders.german": 21}


def weekly(number: int) -> float:
    return 0.2 if number % 7 >= 5 else 0.4


@pytest.mark.parametrize(("days", "method"), [(42, "spread"), (56, "weekdays")])
def test_weekdays_count_after_eight_weeks(catalog: predicat.Catalog, days: int, method: str) -> None:
    found = proposed(catalog, good_days(days, weekly, lambda day: 5000 * weekly(day)))
    german = found["orders.german"]
    assert german.method == found["orders"].method == method
    low, high = share(german.bounds.get("at_least", "0%")), share(german.bounds["at_most"])
    assert low < 0.2 and high > 0.4
    assert (high - low < 0.45) is (method == "weekdays")


def test_shares_that_rise_get_no_limit_above(catalog: predicat.Catalog) -> None:
    days = good_days(28, lambda day: 0.2 + day * 0.01, lambda day: 2000 + 300 * day)
    found = proposed(catalog, days)
    for name in ("orders", "orders.german"):
        assert found[name].method == "trend" and set(found[name].bounds) - {"unknown_at_most"} == {
            "at_least",
            "drift",
            "anomaly",
        }
        assert "no at_most: " in " ".join(found[name].reasons())
    assert 0.3 < share(found["orders.german"].bounds["at_least"]) < 0.47


def test_anomalies_are_bounded_after_four_weeks_that_were_usual(
    catalog: predicat.Catalog, tmp_path: Path
) -> None:
    days = good_days(56)
    assert not any("anomaly" in item.bounds for item in proposed(catalog, days[:27]).values())
    found = proposed(catalog, days[:28])
    assert {item.bounds.get("anomaly") for item in found.values()} == {"0.01%"}
    assert "28 days are known, and the last 14 were usual" in " ".join(found["orders.german"].reasons())
    # Not where the figure was unusual of late, on one day or on the last.
    for place in (20, 27):
        bad = [measured(2000, 2000, 800 if number != place else 1200) for number in range(28)]
        few = proposed(catalog, bad)
        assert "anomaly" in few["orders.positive_id"].bounds and "anomaly" not in few["orders.german"].bounds
    # They are written, and judge the days that follow.
    write(tmp_path, list(found.values()))
    bounded = predicat.load_catalog(tmp_path / "orders.yml")
    past = [
        entry
        for number, one in enumerate(days[:-1])
        for entry in entries(bounded, one, SERIES, (), moment(number))
    ]

    def unusual(day: Measure) -> set[str]:
        checks = judge(bounded, day, SERIES.of(past), now=moment(55))
        return {check.label for check in checks if "anomaly" in check.kind and check.status != "pass"}

    assert unusual(days[-1]) == set()
    assert unusual(measured(2000, 2000, 1000)) == {"orders.german anomaly"}
    assert unusual(measured(3000, 3000, 1200)) == {"orders rows_anomaly"}


def test_one_row_of_twenty_is_found_and_good_days_pass(catalog: predicat.Catalog, tmp_path: Path) -> None:
    days = good_days(88)
    write(tmp_path, list(proposed(catalog, days[:28]).values()))
    bounded = predicat.load_catalog(tmp_path / "orders.yml")

    def broken(found: Measure, before: Measure) -> set[str]:
        past = SERIES.of(entries(bounded, before, SERIES))
        return {check.label for check in judge(bounded, found, past) if check.broken}

    assert not any(broken(day, before) for before, day in pairwise(days[27:]))
    bad_ids = broken(measured(2000, 1900, 800), days[-1])
    assert {"orders.positive_id at_least", "orders.positive_id drift"} <= bad_ids
    missing = broken(measured(2000, 1900, 760, unknown=100), days[-1])
    assert {"orders.positive_id unknown_at_most", "orders.german unknown_at_most"} <= missing
    assert "orders rows_at_least" in broken(measured(1000, 1000, 400), days[-1])


def test_rows_need_days(catalog: predicat.Catalog) -> None:
    assert proposed(catalog, good_days(7))["orders"].reasons() == [
        "no rows: there are results of 7 days; the spread of days needs 8"
    ]
    bounds = proposed(catalog, good_days(28))["orders"].bounds
    low, high = int(bounds["at_least"]), int(bounds["at_most"])
    assert 1600 < low < 1900 and 2100 < high < 2500 and share(bounds["drift"]) < 0.2


def test_the_interval_holds_what_it_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast, "CONFIDENCE", 0.95)
    rng = np.random.default_rng(5)
    outside = 0
    for _ in range(200):
        shares = 0.3 + rng.normal(0, 0.02, 29)
        counts = rng.binomial(3000, shares)
        days = [
            Day(FIRST + timedelta(days=place), str(place), int(count), 3000)
            for place, count in enumerate(counts)
        ]
        found = forecast.share(days[:-1])
        outside += not found.low <= days[-1].share <= found.high
    assert 2 <= outside <= 22  # 10 are expected


LAYOUTS = {
    "flow": "  positive_id: {sql: id > 0}  # good\n",
    "flow in lines": "  positive_id: {\n    sql: id > 0,  # good\n  }\n",
    "block": "  positive_id:\n    sql: id > 0  # good\n    # after\n\n  # before the next\n",
    "text": "  positive_id:\n    owner: a\n    sql: |\n      id\n      > 0\n\n\n  # before the next\n",
    "nested": "  positive_id:\n    sql: id > 0\n    tags:\n      - a\n      - b  # good\n",
    "tests": "  positive_id:\n    sql: id > 0\n    tests:\n      - {row: {id: 1}, matches: true}\n",
    "quoted": "  'positive_id':\n      'sql': 'id > 0'\n",
}


@pytest.mark.parametrize(("mark", "end"), [("", "\n"), ("\ufeff", "\r\n")], ids=["plain", "windows"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_bounds_are_added_and_nothing_else_changes(
    catalog: predicat.Catalog, tmp_path: Path, layout: str, mark: str, end: str
) -> None:
    file = tmp_path / "orders.yml"
    before = CATALOG.replace("relation:", "# where\nrelation:").replace(
        "  positive_id: {sql: id > 0}\n", LAYOUTS[layout]
    )
    before = before.replace("string}\n", "string}  # fields\n\n# filters\n")
    file.write_bytes((mark + before.replace("\n", end)).encode())
    found = proposed(catalog, good_days(28))
    added = write(tmp_path, list(found.values()))
    assert {file: {item.name for item in items} for file, items in added.items()} == {file: set(found)}
    text = file.read_bytes().decode()
    again = predicat.load_catalog(file)
    for item in found.values():
        assert text.count(item.line) == 1
        for piece in (
            f", {item.line}",
            f"{end}      {item.line}",
            f"{end}    {item.line}",
            f"{end}{item.line}",
        ):
            text = text.replace(piece, "")
    assert text == mark + before.replace("\n", end)
    assert set(again.known["orders.positive_id"].coverage) == set(found["orders.positive_id"].bounds)
    assert {check.status for check in judge(again, good_days(1)[0])} == {"pass", "not_checked"}
    assert write(tmp_path, list(found.values())) == {}


def test_existing_bounds_stay(catalog: predicat.Catalog, tmp_path: Path) -> None:
    file = tmp_path / "orders.yml"
    text = CATALOG.replace("id > 0}", "id > 0, coverage: {at_least: 1%}}").replace(
        "fields", "rows: {at_least: 3}\nfields"
    )
    file.write_text(text)
    days = good_days(28)
    assert list(proposed(predicat.load_catalog(file), days)) == ["orders.german"]
    write(tmp_path, list(proposed(catalog, days).values()))
    after = predicat.load_catalog(file)
    assert str(after.known["orders.positive_id"].coverage["at_least"]) == "1%"
    assert list(after.datasets["orders"].rows) == ["at_least"]
    assert len(after.known["orders.german"].coverage) == 5


def test_no_file_changes_if_the_catalog_would_not_load(catalog: predicat.Catalog, tmp_path: Path) -> None:
    found = proposed(catalog, good_days(28))
    ends = [Proposed("at_least", "9%", ""), Proposed("at_most", "8%", "")]
    wrong = [found["orders.german"], replace(found["orders.positive_id"], proposed=ends)]
    with pytest.raises(PredicatError, match="no file is changed, because with the bounds at_least"):
        write(tmp_path, wrong)
    assert (tmp_path / "orders.yml").read_text() == CATALOG


def test_the_command(catalog: predicat.Catalog, tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text(
        "id,country\n" + "".join(f"{number},{'DE' if number % 3 else 'FR'}\n" for number in range(1, 3001))
    )
    (tmp_path / "predicat.yml").write_text("catalog: c\n")
    history = tmp_path / "target" / "quality" / "history.jsonl"
    for number in range(12):
        kept = entries(catalog, good_days(12)[number], SERIES, (), moment(number))
        stores.append(history, kept)
    explained = in_process("quality", "suggest", "--catalog", "orders.yml", "--explain", cwd=tmp_path)
    assert explained.returncode == 0, explained.stderr
    assert "    # at_least, at_most: accepted " in explained.stdout and "13 days" in explained.stdout
    assert (tmp_path / "orders.yml").read_text() == CATALOG
    done = in_process(
        "quality", "suggest", "--catalog", "orders.yml", "--write", "--format", "json", cwd=tmp_path
    )
    (row,) = json.loads(done.stdout)
    assert {item["file"] for item in row["bounds"]} == {"orders.yml"}
    assert {item["confidence"] for item in row["bounds"]} == {forecast.CONFIDENCE}
    written = (tmp_path / "orders.yml").read_text()
    for item in row["bounds"]:
        assert item["reason"] and (item["value"] is None or f"{item['bound']}: {item['value']}" in written)
    again = in_process("quality", "suggest", "--catalog", "orders.yml", "--write", cwd=tmp_path)
    assert again.stdout.startswith("nothing to propose") and (tmp_path / "orders.yml").read_text() == written


@pytest.mark.parametrize(
    ("newest", "changes", "limit"),
    [
        ("2026-01-16T21:00:00Z", True, "39 hours"),  # 15 hours old, and rows come every day
        ("2026-01-16T21:00:00Z", False, ""),  # no rows came
        ("2021-01-16T21:00:00Z", True, ""),  # the field is not about when rows come
    ],
)
def test_the_age_of_the_newest_row(
    newest: str, changes: bool, limit: str, catalog: predicat.Catalog, tmp_path: Path
) -> None:
    (tmp_path / "orders.csv").write_text(
        "id,country,at\n" + "1,DE,2021-01-01T00:00:00Z\n" * 9 + f"2,DE,{newest}\n"
    )
    text = CATALOG.replace("string}", "string, at: timestamp}")
    (tmp_path / "orders.yml").write_text(f"{text}  fresh: {{sql: at < now()}}\n")
    (tmp_path / "predicat.yml").write_text("catalog: c\n")
    for number in range(12):
        found = measured(2000 + number * changes, 1000, 500)
        kept = entries(catalog, found, SERIES, (), moment(number))
        stores.append(tmp_path / "target" / "quality" / "history.jsonl", kept)
    now = ("--catalog", "orders.yml", "--now", "2026-01-17 12:00:00")
    done = in_process("quality", "suggest", *now, "--write", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    spec = predicat.load_catalog(tmp_path / "orders.yml").datasets["orders"].freshness
    assert (spec.thresholds[0].text if spec else "") == limit
    if limit:
        done = in_process("quality", "run", *now, "--format", "json", cwd=tmp_path)
        ends = {item["kind"]: item["status"] for run in json.loads(done.stdout) for item in run["checks"]}
        assert ends["freshness"] == "pass"


def test_a_history_in_postgres(catalog: predicat.Catalog, postgres: Any, tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text("id,country\n" + "1,DE\n" * 2000)
    (tmp_path / "predicat.yml").write_text("catalog: c\n")
    postgres.execute("DROP TABLE IF EXISTS predicat_quality")
    for number, found in enumerate(good_days(12)):
        stores.append_postgres(postgres, entries(catalog, found, SERIES, (), moment(number)))
    stored = ("--history-in-postgres", "--dsn", postgres.info.dsn)
    done = in_process("quality", "suggest", "--catalog", "orders.yml", *stored, "--explain", cwd=tmp_path)
    assert done.returncode == 0 and "on 13 days" in done.stdout, (done.stdout, done.stderr)
    postgres.execute("DROP TABLE predicat_quality")
