"""Partitions: boundaries in a zone, the same on every engine, in one scan; backfills and late rows."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import predicat
from predicat.catalog.model import Partition
from predicat.diagnostics import PredicatError
from predicat.quality import engines, partitions
from predicat.quality.measure import Measure
from predicat.quality.plan import Plan, plan
from predicat_spark import quality as on_spark
from tests.processes import in_process
from tests.review.test_site import CHROMIUM
from tests.rounds import rounds

# Zones with changes of an hour and of half of one, at midnight, just behind it, and over a whole day.
ZONES = {
    "Europe/Berlin": 2026,
    "America/St_Johns": 2005,
    "America/Sao_Paulo": 2018,
    "America/Havana": 2026,
    "Australia/Lord_Howe": 2026,
    "Pacific/Apia": 2011,
    "Asia/Kathmandu": 2026,
    "UTC": 2026,
}


def local_name(by: str, moment: datetime, zone: str) -> str:
    """The partition of a moment, by what its local clock shows."""
    local = moment.astimezone(ZoneInfo(zone))
    if by == "hour":
        return f"{local:%Y-%m-%dT%H}{local:%z}"
    return f"{local:{ {'day': '%Y-%m-%d', 'week': '%G-W%V', 'month': '%Y-%m'}[by] }}"


@pytest.mark.parametrize("by", [pytest.param("hour", marks=pytest.mark.slow), "day", "week", "month"])
@pytest.mark.parametrize("zone", ZONES)
def test_boundaries_are_those_of_the_clocks_of_the_zone(zone: str, by: str) -> None:
    year = ZONES[zone]
    found = partitions.in_range(Partition("at", by, zone), f"{year}-01-01..{year}-12-31")
    names = [part.name for part in found.parts]
    assert len(names) == len(set(names)) and names == [part.name for part in sorted(found.parts, key=_start)]
    random_ = random.Random(45)
    first, last = found.cuts[0][0], found.cuts[-1][0]
    moments = [first + (last - first) * random_.random() for _ in range(500)]
    moments += [moment + timedelta(microseconds=step) for moment, _ in found.cuts[:-1] for step in (-1, 0)][
        1:
    ]
    cuts = iter(
        sorted([*((moment, 0, place) for moment, place in found.cuts), *((at, 1, 0) for at in moments)])
    )
    now = -1
    for moment, kind, place in cuts:
        if kind == 0:
            now = place
        else:
            name = names[now].replace(":", "") if by == "hour" else names[now]
            assert name == local_name(by, moment, zone), moment


def _start(part: partitions.Part) -> datetime:
    return part.start


def test_ranges_and_the_last_partitions() -> None:
    day = Partition("at", "day", "Europe/Berlin")
    assert [part.name for part in partitions.in_range(day, "2026-02-27..2026-03-02").parts] == [
        "2026-02-27",
        "2026-02-28",
        "2026-03-01",
        "2026-03-02",
    ]
    assert len(partitions.in_range(day, "2026-02").parts) == 28
    assert partitions.in_range(day, "2026-W01").parts[0].name == "2025-12-29"
    hour = Partition("at", "hour", "Europe/Berlin")
    assert len(partitions.in_range(hour, "2026-10-25").parts) == 25
    assert [part.name for part in partitions.in_range(hour, "2026-10-25T02+02:00..2026-10-25T03").parts] == [
        "2026-10-25T02+02:00",
        "2026-10-25T02+01:00",
        "2026-10-25T03+01:00",
    ]
    midnight = datetime(2026, 3, 1, 23, tzinfo=UTC)  # in Berlin
    for moment, last in ((midnight, "2026-03-01"), (midnight - timedelta(microseconds=1), "2026-02-28")):
        assert partitions.newest(day, 2, moment).parts[-1].name == last
    week = Partition("at", "week", "UTC")
    assert [part.name for part in partitions.newest(week, 2, midnight).parts] == ["2026-W07", "2026-W08"]
    for text in ("yesterday", "2026-13-01", "2026-01-01..", "2026-01-01T05", ""):
        if text != "2026-01-01..":
            with pytest.raises(PredicatError, match="is no range of partitions by day"):
                partitions.in_range(day, text)
    with pytest.raises(PredicatError, match="has no partitions"):
        partitions.in_range(day, "2026-03-02..2026-03-01")
    with pytest.raises(PredicatError, match="has no partitions"):
        partitions.in_range(Partition("at", "day", "Pacific/Apia"), "2011-12-30")  # which was left out


CATALOG = """apiVersion: predicat/v1
dataset: shop
relation: {spark: shop, postgres: public.parted, duckdb: shop.parquet}
fields: {n: bigint, at: timestamp, d: date}
partition: {column: at, by: day, zone: Europe/Berlin}
filters:
  low: {sql: n < 3}
  odd: {sql: n % 2 = 1}
  real: {sql: n <> 6}
groups:
  both: {filters: [low, odd], exclusive: true}
"""
BERLIN = ZoneInfo("Europe/Berlin")


def moments() -> list[datetime]:
    """Moments beside the boundaries of days in Berlin and in UTC, and of the days when clocks change."""
    result: list[datetime] = []
    for month, day in ((3, 28), (3, 29), (3, 30), (10, 24), (10, 25), (10, 26)):
        for zone in (UTC, BERLIN):
            start = datetime(2026, month, day, tzinfo=zone).astimezone(UTC)
            result += [start + timedelta(microseconds=step) for step in (-1, 0, 1)]
        result += [datetime(2026, month, day, hour, 30, tzinfo=UTC) for hour in range(24)]
    return result


def shop(folder: Path, text: str = CATALOG) -> predicat.Catalog:
    (folder / "shop.yml").write_text(text)
    return predicat.load_catalog(folder)


ROWS: list[tuple[int | None, datetime | None, date | None]] = [
    (place % 7, moment, moment.astimezone(BERLIN).date()) for place, moment in enumerate(moments())
] + [(1, None, None)] * 2


@pytest.fixture(scope="module")
def sources(
    spark: Any, postgres: Any, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Callable[[Plan], Measure]]:
    file = tmp_path_factory.mktemp("files") / "shop.parquet"
    types = {"n": pa.int64(), "at": pa.timestamp("us", "UTC"), "d": pa.date32()}
    columns = {
        name: pa.array([row[place] for row in ROWS], kind) for place, (name, kind) in enumerate(types.items())
    }
    local = [at and at.astimezone(BERLIN).replace(tzinfo=None) for _, at, _ in ROWS]
    columns["local"] = pa.array(local, pa.timestamp("us"))
    pq.write_table(pa.table(columns), file)
    postgres.execute("DROP TABLE IF EXISTS public.parted CASCADE")
    postgres.execute("CREATE TABLE public.parted (n bigint, at timestamptz, d date, local timestamp)")
    with postgres.cursor() as cursor:
        rows = [(*row, clock) for row, clock in zip(ROWS, local, strict=True)]
        cursor.executemany("INSERT INTO public.parted VALUES (%s, %s, %s, %s)", rows)
    frame = spark.read.parquet(str(file))
    return {
        "duckdb": lambda plan_: engines.on_duckdb(plan_, str(file)),
        "postgres": lambda plan_: engines.on_postgres(plan_, postgres),
        "spark": lambda plan_: on_spark.on_spark(plan_, frame),
    }


def by_hand(name: Callable[[datetime], str], counted: Callable[[int], bool] = lambda _: True) -> Counter[str]:
    return Counter(name(at) for n, at, _ in ROWS if at is not None and n is not None and counted(n))


# Zones and lengths; whether rows are streamed; whether it is one of the fast tests.
SPLITS = [
    ("day", "Europe/Berlin", "2026-03-27..2026-03-31", False, True),
    ("hour", "Europe/Berlin", "2026-10-24..2026-10-28", True, True),  # 121: more than one key has cuts
    ("day", "Europe/Berlin", "2026-03-27..2026-03-31", True, False),
    ("hour", "Europe/Berlin", "2026-10-24..2026-10-28", False, False),
    ("day", "America/St_Johns", "2026-10-23..2026-10-26", False, False),
    ("month", "Asia/Tokyo", "2026-02..2026-10", True, False),
]


@pytest.mark.parametrize(
    ("by", "zone", "asked", "streams"),
    [pytest.param(*row, marks=[pytest.mark.slow] * (not fast)) for *row, fast in SPLITS],
)
def test_engines_split_at_the_same_moments(
    sources: dict[str, Callable[[Plan], Measure]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    by: str,
    zone: str,
    asked: str,
    streams: bool,
) -> None:
    catalog = shop(tmp_path, CATALOG.replace("by: day, zone: Europe/Berlin", f"by: {by}, zone: {zone}"))
    of = catalog.datasets["shop"].partition
    assert of is not None
    parts = partitions.in_range(of, asked)
    if streams:
        for module in (engines, on_spark):
            monkeypatch.setattr(module, "few_groups", lambda *_: False)
    name = lambda at: local_name(by, at, zone)  # noqa: E731
    rows, low = by_hand(name), by_hand(name, lambda n: n < 3)
    both = by_hand(name, lambda n: n == 1)
    for engine, run in rounds(sources.items(), 3):
        found = run(plan(catalog, "shop", (), engine, None, parts))
        assert [one.part for one in found.parts] == list(parts.parts)
        for one in found.parts:
            assert one.part is not None
            key = one.part.name.replace(":", "") if by == "hour" else one.part.name
            counts = one.rows, one.total, one.accepted["shop.low"], one.groups["both"].overlap
            assert counts == (rows[key], rows[key], low[key], both[key]), (engine, key)
        assert found.rows == sum(one.rows for one in found.parts) and found.unplaced == 2
        broken = [one for one in found.parts if one.groups["both"].overlap]
        assert [bool(one.groups["both"].overlap_rows) for one in broken] == [
            place >= len(broken) - 3 for place in range(len(broken))
        ]


def test_local_times_split_by_the_clock_of_their_zone(
    sources: dict[str, Callable[[Plan], Measure]], tmp_path: Path
) -> None:
    text = CATALOG.replace("d: date", "local: {type: timestamp, zone: Europe/Berlin}").replace(
        "{column: at", "{column: local"
    )
    catalog = shop(
        tmp_path, text.replace("filters:", "freshness: {column: local, at_most: 1 day}\nfilters:", 1)
    )
    of = catalog.datasets["shop"].partition
    assert of is not None
    parts = partitions.in_range(of, "2026-03-28..2026-03-29")
    rows = by_hand(lambda at: local_name("day", at, "Europe/Berlin"))
    for engine, run in sources.items():
        found = run(plan(catalog, "shop", (), engine, datetime(2026, 4, 1, tzinfo=UTC), parts))
        assert [one.rows for one in found.parts] == [rows["2026-03-28"], rows["2026-03-29"]], engine
        newest = max(at for _, at, _ in ROWS if at is not None and at < parts.parts[-1].end)
        assert found.parts[-1].newest == pytest.approx(newest.timestamp()), engine


def test_dates_where_and_freshness_of_partitions(
    sources: dict[str, Callable[[Plan], Measure]], tmp_path: Path
) -> None:
    text = CATALOG.replace("{column: at, by: day, zone: Europe/Berlin}", "{column: d, by: day}\nwhere: real")
    catalog = shop(tmp_path, text + "freshness: {column: at, at_most: 2 hours}\n")
    of = catalog.datasets["shop"].partition
    assert of is not None
    parts = partitions.in_range(of, "2026-03-28..2026-03-30")
    rows = by_hand(lambda at: str(at.astimezone(BERLIN).date()), lambda n: n != 6)
    for engine, run in rounds(sources.items(), 3):
        found = run(plan(catalog, "shop", (), engine, None, parts))
        for one in found.parts:
            assert one.part is not None
            newest = max(at for n, at, d in ROWS if at is not None and str(d) == one.part.name and n != 6)
            assert (one.rows, one.newest) == (rows[one.part.name], newest.timestamp()), engine
            assert one.accepted["shop.real"] == one.rows
        assert found.unplaced == 2
        whole = run(plan(catalog, "shop", (), engine))
        assert (whole.rows, whole.parts) == (sum(n != 6 for n, _, _ in ROWS), [])


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("column: at, by: day", "column: when, by: day", "no field is named 'when'"),
        ("column: at, by: day", "column: n, by: day", "partition: n is declared as bigint"),
        ("column: at, by: day", "column: at, by: year", "by must be"),
        ("Europe/Berlin", "Berlin", "is not a time zone"),
        ("day, zone: Europe/Berlin", "year, zone: Berlin", "(?s)by must be.*is not a time zone"),
        (
            "{column: at, by: day, zone: Europe/Berlin}",
            "{column: d, by: hour}",
            "d is a date, whose days have no",
        ),
        ("column: at, by", "column: d, by", "d is a date, whose days have no"),
        ("column: at, ", "", "partition needs the key 'column'"),
        ("partition:", "where: reel\npartition:", "reel"),
    ],
)
def test_partitions_that_are_refused(tmp_path: Path, before: str, after: str, message: str) -> None:
    assert before in CATALOG
    with pytest.raises(PredicatError, match=message):
        shop(tmp_path, CATALOG.replace(before, after))


def test_a_column_of_another_type_is_refused(postgres: Any, tmp_path: Path) -> None:
    """The days of local times without a zone depend on the session."""
    postgres.execute("DROP TABLE IF EXISTS public.parted_text CASCADE")
    postgres.execute("CREATE TABLE public.parted_text (n bigint, at timestamp, d date)")
    catalog = shop(tmp_path, CATALOG.replace("public.parted", "public.parted_text"))
    of = catalog.datasets["shop"].partition
    assert of is not None
    with pytest.raises(PredicatError, match="timestamp"):
        engines.on_postgres(
            plan(catalog, "shop", (), "postgres", None, partitions.in_range(of, "2026-03")), postgres
        )


# --- the command

BOUNDS = """apiVersion: predicat/v1
dataset: shop
relation: {duckdb: shop.parquet}
fields: {n: bigint, at: timestamp}
partition: {column: at, by: day, zone: Europe/Berlin}
rows: {at_least: 50, drift: 60%}
freshness: {column: at, at_most: 2 hours}
filters:
  low: {sql: n < 30, coverage: {at_most: {warn: 40%, error: 60%}, drift: 10%}}
"""
NAMES = ["rows_at_least", "rows_drift", "freshness", "at_most", "drift"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.yml").write_text(BOUNDS)
    (tmp_path / "predicat.yml").write_text("catalog: shops\n")
    fill(tmp_path, dict.fromkeys(range(1, 11), 100))
    return tmp_path


def fill(folder: Path, days: dict[int, int], high: dict[int, int] | None = None) -> None:
    """Rows of days in March, spread over the day; the numbers of a day go round below 100, or `high`."""
    table: dict[str, list[Any]] = {"n": [], "at": []}
    for day, count in days.items():
        start = datetime(2026, 3, day, tzinfo=BERLIN).astimezone(UTC)
        for row in range(count):
            table["n"].append(row * 100 // count * (high or {}).get(day, 100) // 100)
            table["at"].append(start + timedelta(minutes=1440 * (row + 1) / (count + 1)))
    schema = pa.schema({"n": pa.int64(), "at": pa.timestamp("us", "UTC")})
    pq.write_table(pa.table(table, schema=schema), folder / "shop.parquet")


def run(folder: Path, *more: str, now: str = "2026-03-11T00:00:00Z") -> CompletedProcess[str]:
    return in_process("quality", "run", "--catalog", "shop.yml", "--now", now, *more, cwd=folder)


def statuses(folder: Path, *more: str, code: int = 0, **kwargs: str) -> dict[str, dict[str, str]]:
    done = run(folder, "--format", "json", *more, **kwargs)
    assert done.returncode == code, done.stdout + done.stderr
    return {
        one["partition"]["name"]: {check["kind"]: check["status"] for check in one["checks"]}
        | ({"late": one["late"]} if one["late"] else {})
        for one in json.loads(done.stdout)
    }


def test_a_backfill_judges_each_partition_by_those_before(folder: Path) -> None:
    fill(folder, {**dict.fromkeys(range(1, 11), 100), 4: 0, 6: 100}, {7: 50})
    found = statuses(folder, "--partitions", "2026-03-01..2026-03-10", code=1)
    assert list(found) == [f"2026-03-{day:02}" for day in range(1, 11)]
    fine = dict.fromkeys(NAMES, "pass")
    assert found["2026-03-01"] == fine | {"rows_drift": "not_checked", "drift": "not_checked"}
    empty = {"rows_at_least": "fail", "rows_drift": "fail", "freshness": "fail"}
    assert found["2026-03-04"] == empty | dict.fromkeys(("at_most", "drift"), "not_checked")
    assert found["2026-03-07"] == fine | {"at_most": "warn", "drift": "fail"}
    others = {day: found[f"2026-03-{day:02}"] for day in (2, 3, 5, 6, 8, 9, 10)}
    assert all(one == fine for one in others.values()), others  # what failed is nobody's measure


def test_late_rows_are_measured_again_and_told(folder: Path) -> None:
    statuses(folder, "--last", "9")
    history = folder / "target/quality/history.jsonl"
    known = history.read_text()
    assert "late" not in statuses(folder, "--last", "9")["2026-03-09"]
    assert history.read_text() == known  # nothing new
    fill(folder, {**dict.fromkeys(range(1, 11), 100), 8: 150}, {8: 100})
    found = statuses(folder, "--last", "3")
    assert [("late" in one) for one in found.values()] == [True, False, False]
    assert found["2026-03-08"]["late"].startswith("late: it had 100 rows when it was measured on ")
    assert found["2026-03-08"]["late"].endswith(" has 150 now")
    added = [json.loads(line) for line in history.read_text()[len(known) :].splitlines()]
    assert {entry["partition"] for entry in added} == {"2026-03-08"}
    assert "late" not in statuses(folder, "--last", "3")["2026-03-08"]


def test_the_newest_partition_that_has_ended_is_the_default(folder: Path) -> None:
    assert list(statuses(folder, now="2026-03-09T22:59:59Z")) == ["2026-03-08"]
    assert list(statuses(folder, now="2026-03-09T23:00:00Z")) == ["2026-03-09"]
    assert list(statuses(folder, "--partition", "2026-03-04")) == ["2026-03-04"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--partition", "run 1"), "'run 1' is no range of partitions by day"),
        (("--last", "2", "--partition", "2026-03-04"), "give one of --partition, --partitions and --last"),
        (("--partitions", "2026-03-04..2026-03-01"), "has no partitions"),
    ],
)
def test_options_that_are_refused(folder: Path, options: tuple[str, ...], message: str) -> None:
    done = run(folder, *options)
    assert done.returncode == 2 and message in done.stderr


def test_a_dataset_without_partitions_takes_only_a_name(folder: Path) -> None:
    (folder / "shop.yml").write_text(
        "".join(BOUNDS.splitlines(keepends=True)[:4]) + "filters: {low: {sql: n < 3}}\n"
    )
    done = run(folder, "--last", "2")
    assert done.returncode == 2 and "shop declares no partitions" in done.stderr
    assert run(folder, "--partition", "anything").returncode == 0


def test_reports_name_the_partition(folder: Path) -> None:
    fill(folder, dict.fromkeys(range(1, 11), 100), {9: 40})
    for form in ("text", "markdown", "junit", "html"):
        shown = run(folder, "--last", "3", "--format", form)
        assert all(f"shop 2026-03-{day:02}" in shown.stdout for day in (8, 9, 10)), form
        assert shown.returncode == 1
    assert shown.stdout.count('class="filters"') == 2  # the figures of the newest, and the trends


def trends(page: str) -> dict[str, list[tuple[str, str]]]:
    """The bars of each trend of a page: status, and text."""
    strips = re.findall(r'aria-label="trend of (\S+);.*?>(.*?)</svg>', page)
    bar = re.compile(r'<rect class="(\w*)"[^>]*><title>(.*?)</title>')
    return {name: bar.findall(bars) for name, bars in strips}


def test_the_page_has_the_trend_of_each_filter_over_all_partitions(folder: Path) -> None:
    fill(folder, dict.fromkeys(range(1, 11), 100) | {4: 40}, {6: 50})
    run(folder, "--partitions", "2026-03-01..2026-03-08")
    page = run(folder, "--last", "2", "--format", "html").stdout  # the days before are in the history
    found = trends(page)
    assert [text.split(":")[0] for _, text in found["shop.low"]] == [
        f"low 2026-03-{day:02}" for day in range(1, 11)
    ]
    assert [status for status, _ in found["shop.low"]] == ["pass"] * 5 + ["fail"] + ["pass"] * 4
    assert found["shop.low"][5] == ("fail", "low 2026-03-06: 60.00%, fail")
    assert found["shop"][3] == ("fail", "rows 2026-03-04: 40 rows, fail")
    assert "1 earlier partition: 1 pass" in page and page.count('<details class="part">') == 1


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_a_screen(folder: Path, width: int) -> None:
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    run(folder, "--last", "9", "--html", "page.html")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 900})
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto((folder / "page.html").as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(item => { item.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") == width
        strip = page.locator("svg.strip").nth(1)
        strip.focus()
        page.keyboard.press("ArrowLeft")
        assert page.locator("output").first.inner_text() == "low 2026-03-09: 30.00%, pass"
        page.fill("#search", "nothing has this name")
        assert page.locator("tbody.filters tr:visible").count() == 0 and not problems
        browser.close()


def test_bounds_are_suggested_from_one_scan(folder: Path) -> None:
    (folder / "shop.yml").write_text(BOUNDS.replace("rows: {at_least: 50, drift: 60%}\n", ""))
    options = ("--catalog", "shop.yml", "--now", "2026-03-11T00:00:00Z", "--last", "9", "--format", "json")
    done = in_process("quality", "suggest", *options, cwd=folder)
    (found,) = json.loads(done.stdout)
    assert (found["bounds"][0]["days"], found["bounds"][0]["rows"]) == (9, 900), found
