"""Coverage on every engine: the same figures, equal to those of the reference evaluator row by row."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.diagnostics import PredicatError, Reporter
from predicat.quality import history, stores
from predicat.quality.bounds import judge
from predicat.quality.engines import on_duckdb, on_postgres
from predicat.quality.measure import Measure
from predicat.quality.outcome import Run
from predicat.quality.plan import plan
from predicat.quality.report import FORMATS
from predicat.quality.suggest import suggest
from predicat.quality.writing import write
from predicat_spark.quality import check_coverage, on_spark
from tests.cli.test_commands import run as command
from tests.processes import completed
from tests.rounds import rounds

CATALOG = """apiVersion: predicat/v1
dataset: shop
relation: {spark: shop, postgres: public.shop}
fields: {n: bigint, s: string}
filters:
  low:
    sql: n < 3
    coverage: {at_least: 10%, at_most: {value: 20%, severity: warn}}
  high: {sql: n >= 3 AND s = 'x', coverage: {unknown_at_most: 5%, drift: 5%}}
  never: {sql: n < 3 AND n > 90, coverage: {at_least: 1}}
  kind: {sql: s = 'x', on_unknown: accept}
  asked: {sql: "n > :k", params: {k: bigint}}
groups:
  both: {filters: [low, high], exclusive: true, exhaustive: true}
  clash: {filters: [low, kind], exclusive: true, severity: warn}
"""


def series(engine: str = "duckdb", partition: str = "", sample: float = 1.0) -> history.Series:
    return history.Series("shops", "shop", engine, partition, sample)


ROWS = [
    (number % 7 if number % 5 else None, "xyz"[number % 3] if number % 4 else None) for number in range(100)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "shop.yml").write_text(CATALOG)
    return tmp_path


def parquet(folder: Path) -> str:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = folder / "shop.parquet"
    pq.write_table(
        pa.table(
            {
                "n": pa.array([row[0] for row in ROWS], pa.int64()),
                "s": pa.array([row[1] for row in ROWS], pa.string()),
            }
        ),
        file,
    )
    return str(file)


def on_each(folder: Path, spark: Any, postgres: Any) -> dict[str, Measure]:
    catalog = predicat.load_catalog(folder / "catalog")
    with postgres.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS public.shop CASCADE")
        cursor.execute("CREATE TABLE public.shop (n bigint, s text)")
        cursor.executemany("INSERT INTO public.shop VALUES (%s, %s)", ROWS)
    frame = spark.createDataFrame(ROWS, "n bigint, s string")
    return {
        "spark": on_spark(plan(catalog, "shop", (), "spark"), frame),
        "postgres": on_postgres(plan(catalog, "shop", (), "postgres"), postgres),
        "duckdb": on_duckdb(plan(catalog, "shop", (), "duckdb"), parquet(folder)),
    }


def test_engines_count_what_the_evaluator_counts(folder: Path, spark: Any, postgres: Any) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    rows = [{"n": n, "s": s} for n, s in ROWS]
    for engine, found in rounds(on_each(folder, spark, postgres).items(), 3):
        assert (found.rows, found.engine) == (100, engine)
        assert found.refused == {"shop.asked": "a parameter has no default"}
        assert found.nulls == {
            "n": sum(row["n"] is None for row in rows),
            "s": sum(row["s"] is None for row in rows),
        }
        taken: dict[str, set[int]] = {}
        for name, count in rounds(found.filters.items(), 1):
            outcomes = [catalog[name].evaluate(row) for row in rows]
            assert (count.true, count.false, count.unknown) == (
                outcomes.count(True),
                outcomes.count(False),
                outcomes.count(None),
            )
            accepts = catalog.known[name].on_unknown == "accept"
            taken[name] = {
                place for place, outcome in enumerate(outcomes) if outcome or (outcome is None and accepts)
            }
            assert found.accepted[name] == len(taken[name])
        for (one, mine), (other, others) in rounds(permutations(taken.items(), 2), 1):
            assert found.overlap(one, other) == len(mine & others)
            assert found.jaccard(one, other) == pytest.approx(len(mine & others) / max(len(mine | others), 1))
        union = taken["shop.low"] | taken["shop.high"]
        assert (found.groups["both"].gap, found.groups["both"].overlap) == (100 - len(union), 0)
        assert found.groups["clash"].overlap == len(taken["shop.low"] & taken["shop.kind"])
        assert len(found.groups["both"].gap_rows) == 3
        assert [text for text, _ in found.atoms["shop.high"]] == ["n is at least 3", "s is 'x'"]


def test_many_filters_are_one_pass(tmp_path: Path, spark: Any) -> None:
    (tmp_path / "c.yml").write_text(
        "apiVersion: predicat/v1\ndataset: d\nfields: {n: bigint}\nfilters:\n"
        + "".join(f"  f{number}: {{sql: n > {number} AND n < {number + 50}}}\n" for number in range(120))
    )
    catalog = predicat.load_catalog(tmp_path)
    asked = plan(catalog, "d", (), "spark")
    assert [key.classes for key in asked.classes.keys] == [98, 76]  # where n lies among 170 constants
    found = on_spark(asked, spark.range(200).selectExpr("id AS n"))
    assert {found.accepted[f"d.f{number}"] for number in range(120)} == {49}


def test_bounds_severities_and_blame(folder: Path, spark: Any, postgres: Any) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    found = on_each(folder, spark, postgres)["duckdb"]
    checks = {(check.name, check.kind): check for check in judge(catalog, found)}
    assert checks["shop.low", "at_least"].status == "pass"
    assert checks["shop.low", "at_most"].status == "warn"
    assert checks["shop.high", "unknown_at_most"].status == "fail"
    assert checks["shop.high", "unknown_at_most"].blame == "s is 'x' is UNKNOWN for 25.00%"
    assert checks["shop.never", "at_least"].message == "shop.never accepts 0 rows; at least 1 row"
    assert checks["shop.never", "at_least"].blame.endswith("is FALSE for 80.00%")
    assert (
        checks["shop.both", "exhaustive"].status == "fail"
        and len(checks["shop.both", "exhaustive"].rows) == 3
    )
    assert checks["shop.both", "exclusive"].status == "pass"
    assert checks["shop.clash", "exclusive"].status == "warn"


def test_drift_names_the_condition(folder: Path, spark: Any, postgres: Any) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    found = on_each(folder, spark, postgres)["duckdb"]
    kept = history.entries(
        catalog, found, series(partition="2026-01-01"), at=datetime(2026, 1, 1, tzinfo=UTC)
    )
    past = history.by_filter(kept)
    assert [check.status for check in judge(catalog, found, past) if check.kind == "drift"] == ["pass"]
    before = {
        name: [
            {
                **items[-1],
                "rows": 1000,
                "accepted": 900,
                "true": 900,
                "false": 50,
                "unknown": 50,
                "atoms": [
                    {"text": "n is at least 3", "true": 950, "false": 50, "unknown": 0},
                    {"text": "s is 'x'", "true": 250, "false": 500, "unknown": 250},
                ],
            }
        ]
        for name, items in past.items()
    }
    (check,) = [check for check in judge(catalog, found, past, before) if check.kind == "drift"]
    assert (
        check.status == "fail"
        and check.blame.startswith("n is at least 3 changed by")
        and "since 2026-01-01" in check.message
    )


def test_drift_tells_a_new_version_from_new_data(tmp_path: Path) -> None:
    file = tmp_path / "c.yml"
    head = (
        "apiVersion: predicat/v1\ndataset: shop\nrelation: shop\nfields: {n: bigint, s: string}\nfilters:\n"
        "  low:\n    coverage: {drift: 5%}\n"
    )
    file.write_text(head + "    sql: n < 3\n")
    catalog = predicat.load_catalog(tmp_path)
    source = parquet(tmp_path)
    before = history.by_filter(
        history.entries(
            catalog,
            on_duckdb(plan(catalog, "shop", (), "duckdb"), source),
            series(),
            at=datetime(2026, 1, 1, tzinfo=UTC),
        )
    )
    before["shop.low"][0] |= {
        "accepted": 26,
        "true": 26,
        "false": 54,
    }  # the data had ten rows less that are low

    file.write_text(head + "    versions: {1: {sql: n < 3}, 2: {sql: n < 5}}\n")
    catalog = predicat.load_catalog(tmp_path)
    found = on_duckdb(plan(catalog, "shop", (), "duckdb"), source)
    assert (found.versions, found.accepted) == ({"shop.low@1": 36}, {"shop.low": 58})
    (check,) = judge(catalog, found, before)
    assert check.message == (
        "the share of shop.low changed by +32.00 percentage points since 2026-01-01T00:00:00+00:00, "
        "+22.00 of them from version 1 to 2 and +10.00 in the data "
        "(PSI 0.544); at most 5%"
    )
    file.write_text(head + "    sql: n < 4\n")
    catalog = predicat.load_catalog(tmp_path)
    (check,) = judge(catalog, on_duckdb(plan(catalog, "shop", (), "duckdb"), source), before)
    assert "when the filter had another meaning" in check.message


def test_results_are_kept_as_parquet(folder: Path) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    found = on_duckdb(plan(catalog, "shop", (), "duckdb"), parquet(folder))
    kept = folder / "history.parquet"
    assert stores.read(kept) == []
    added = history.entries(catalog, found, series(partition="2026-01-01"))
    stores.append(kept, added)
    stores.append(kept, added)
    assert [entry["filter"] for entry in stores.read(kept)] == [
        entry["filter"] for entry in added
    ] * 2 and len(list(kept.iterdir())) == 2
    (kept / "x.parquet").write_text("no")
    reporter = Reporter()
    assert len(stores.read(kept, reporter)) == 2 * len(added)
    assert [warning.message for warning in reporter.warnings] == [
        f"{kept / 'x.parquet'} is not the result of a run; it is skipped"
    ]
    with pytest.raises(PredicatError, match=r"x.parquet is a file; results are kept as Parquet in a folder"):
        stores.read(kept / "x.parquet")


def test_a_baseline_grows_old(folder: Path, spark: Any, postgres: Any) -> None:
    file = folder / "catalog" / "shop.yml"
    file.write_text(CATALOG + "baseline: {max_age: 30 days, severity: warn}\n")
    catalog = predicat.load_catalog(folder / "catalog")
    found = on_each(folder, spark, postgres)["duckdb"]
    base = history.by_filter(history.entries(catalog, found, series(), at=datetime(2026, 1, 1, tzinfo=UTC)))

    def status(baseline: Any, day: int) -> list[tuple[str, str]]:
        checks = judge(catalog, found, None, baseline, datetime(2026, 1, day, tzinfo=UTC))
        return [(check.status, check.message) for check in checks if check.kind == "baseline"]

    assert status(base, 31) == [("pass", "the baseline of shop is 30 days old; at most 30 days")]
    assert judge(catalog, found, None, base, datetime(2026, 3, 1, tzinfo=UTC))[-1].status == "warn"
    assert status(None, 2) == [("warn", "shop has no baseline; at most 30 days")]
    file.write_text(CATALOG + "baseline: {max_age: soon}\n")
    with pytest.raises(PredicatError, match="a number of days such as 30 days, not 'soon'"):
        predicat.load_catalog(folder / "catalog")


def test_history_in_files_and_tables(folder: Path, spark: Any, postgres: Any) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    found = on_each(folder, spark, postgres)["postgres"]
    file = folder / "history.jsonl"
    assert stores.read(file) == []
    for day in ("2026-01-02", "2026-01-01"):
        at = datetime.fromisoformat(f"{day}T00:00:00+00:00")
        stores.append(file, history.entries(catalog, found, series("postgres", day), at=at))
    kept = stores.read(file)
    assert [entry["partition"] for entry in history.by_filter(kept)["shop.low"]] == [
        "2026-01-01",
        "2026-01-02",
    ]
    assert [entry["partition"] for entry in history.by_filter(kept, "2026-01-02")["shop.low"]] == [
        "2026-01-02"
    ]
    postgres.execute("DROP TABLE IF EXISTS predicat_quality")
    assert stores.read_postgres(postgres, "shop") == []
    postgres.execute(
        "CREATE TABLE predicat_quality (at timestamptz, dataset text, partition text, filter text, "
        "entry jsonb)"
    )  # of 0.1
    stores.append_postgres(postgres, kept)
    stores.append_postgres(postgres, kept)
    assert sorted(stores.read_postgres(postgres, "shop"), key=str) == sorted(kept, key=str)
    assert len(stores.merged(kept, stores.read_postgres(postgres, "shop"))) == len(kept)


def test_a_torn_line_is_skipped_and_spoils_no_other(folder: Path) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    added = history.entries(
        catalog, on_duckdb(plan(catalog, "shop", (), "duckdb"), parquet(folder)), series()
    )
    file = folder / "history.jsonl"
    stores.append(file, added)
    file.write_bytes(file.read_bytes()[:-40])
    stores.append(file, added)
    reporter = Reporter()
    assert len(stores.read(file, reporter)) == 2 * len(added) - 1
    assert [warning.message for warning in reporter.warnings] == [
        f"line {len(added)} of {file} is not the result of a run; it is skipped"
    ]
    with pytest.raises(PredicatError, match="is not the result of a run"):
        stores.read(file)


def test_writers_do_not_race(tmp_path: Path) -> None:
    import subprocess
    import sys

    program = """
import pathlib, sys
from predicat.quality import stores
entry = {"at": "x", "dataset": "d", "partition": "", "filter": "d.f" * 3000, "version": 1,
         "rows": 1, "accepted": 1, "true": 1, "false": 0, "unknown": 0}
for number in range(50):
    stores.append(pathlib.Path(sys.argv[1]), [{**entry, "run": f"{sys.argv[2]}-{number}"}])
"""
    file = tmp_path / "history.jsonl"
    writers = [
        subprocess.Popen([sys.executable, "-c", program, str(file), str(number)]) for number in range(4)
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    assert len({entry["run"] for entry in stores.read(file)}) == 200


def test_runs_are_compared_with_comparable_accepted_ones() -> None:
    def entry(day: int, **changes: Any) -> history.Entry:
        return {
            "at": f"2026-01-0{day}",
            "catalog": "shops",
            "dataset": "shop",
            "engine": "duckdb",
            "partition": "",
            "sample": 1.0,
            "filter": "shop.low",
            "status": "pass",
            **changes,
        }

    others = [
        entry(5, catalog="other"),
        entry(5, engine="spark"),
        entry(5, sample=0.1),
        entry(5, partition="p"),
        entry(5, dataset="shop2"),
    ]
    kept = [entry(1), entry(2), entry(3, status="fail"), *others]
    past = series().of(kept)
    assert [item["at"] for item in past["shop.low"]] == ["2026-01-01", "2026-01-02", "2026-01-03"]
    assert history.last_accepted(past["shop.low"]) == kept[1]
    assert history.last_accepted([kept[2]]) is None
    assert history.last_accepted([{"at": "2025"}]) == {"at": "2025"}  # of 0.1, which kept no status
    days = [entry(1, partition="1"), entry(2, partition="2"), entry(3, partition="2")]
    assert [item["at"] for item in series(partition="2").of([*days, *kept])["shop.low"]] == [
        "2026-01-01",
        "2026-01-05",
    ]


def test_a_second_try_is_as_red_as_the_first(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (folder / "catalog" / "shop.yml").write_text("""apiVersion: predicat/v1
dataset: shop
fields: {n: bigint}
filters: {low: {sql: n < 30, coverage: {drift: 5%}}}
""")
    source = folder / "shop.parquet"

    def attempt(high: int) -> tuple[int, str]:
        pq.write_table(pa.table({"n": pa.array(range(high), pa.int64())}), source)
        done = command("quality", "run", "--engine", "duckdb", "--input", f"shop={source}", cwd=folder)
        return done.returncode, done.stdout

    assert attempt(1000)[0] == 1  # there is nothing to compare with, so nothing is judged
    for _ in range(2):
        code, shown = attempt(100)
        assert code == 1 and "FAIL the share of shop.low changed by +27.00 percentage points" in shown
    assert attempt(1000)[0] == 0
    assert attempt(100)[0] == 1
    assert (
        command("quality", "baseline", cwd=folder).stdout
        == "target/quality/baseline.jsonl: 1 filter; 1 of them did not pass\n"
    )
    assert attempt(100)[0] == 0


def test_rows_and_freshness_of_a_dataset(folder: Path, spark: Any, postgres: Any) -> None:
    (folder / "catalog" / "shop.yml").write_text("""apiVersion: predicat/v1
dataset: shop
relation: {spark: shop, postgres: public.shop}
fields: {at: {type: timestamp, column: loaded}, day: date}
rows: {at_least: 2, at_most: {value: 3, severity: warn}, drift: 20%}
freshness: {column: at, at_most: 26 hours}
filters: {some: {sql: day IS NOT NULL}}
""")
    now = datetime(2026, 3, 2, 12, tzinfo=UTC)

    def moments(*days: int, year: int = 2026) -> list[tuple[Any, Any]]:
        times = [datetime(year, 3, day, 12, tzinfo=UTC) if day else None for day in days]
        return [(moment, moment and moment.date()) for moment in times]

    def measured(rows: list[tuple[Any, Any]], field: str = "at") -> dict[str, Measure]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = folder / "catalog" / "shop.yml"
        file.write_text(
            file.read_text()
            .replace("column: at,", f"column: {field},")
            .replace("column: day,", f"column: {field},")
        )
        catalog = predicat.load_catalog(folder / "catalog")
        postgres.execute("DROP TABLE IF EXISTS public.shop CASCADE")
        postgres.execute("CREATE TABLE public.shop (loaded timestamptz, day date)")
        with postgres.cursor() as cursor:
            cursor.executemany("INSERT INTO public.shop VALUES (%s, %s)", rows)
        frame = spark.createDataFrame(rows, "loaded timestamp, day date")
        source = folder / "shop.parquet"
        columns = {
            "loaded": pa.array([row[0] for row in rows], pa.timestamp("us", "UTC")),
            "day": pa.array([row[1] for row in rows], pa.date32()),
        }
        pq.write_table(pa.table(columns), source)
        return {
            "spark": on_spark(plan(catalog, "shop", (), "spark"), frame),
            "postgres": on_postgres(plan(catalog, "shop", (), "postgres"), postgres),
            "duckdb": on_duckdb(plan(catalog, "shop", (), "duckdb"), str(source)),
        }

    def checks(found: Measure, past: Any = None) -> list[tuple[str, str, str]]:
        catalog = predicat.load_catalog(folder / "catalog")
        return [(check.kind, check.status, check.message) for check in judge(catalog, found, past, now=now)]

    for found in rounds(measured(moments(1, 2, 0)).values(), 1):
        assert (found.total, found.newest) == (3, now.timestamp())
    for found in rounds(
        measured([*moments(1, 1), *moments(1, year=2999)], "day").values(), 1
    ):  # the last is ahead of any clock: a mistake
        assert (found.total, found.newest) == (3, datetime(2026, 3, 1, tzinfo=UTC).timestamp())
    past = {"shop": [{"at": "2026-03-01", "rows": 10, "status": "pass"}]}
    for found in rounds(measured(moments(0), "at").values(), 1):
        assert checks(found, past) == [
            ("rows_at_least", "fail", "shop has 1 row; at least 2 rows"),
            ("rows_at_most", "pass", "shop has 1 row; at most 3 rows"),
            ("rows_drift", "fail", "shop has 1 row, -90.00% since 2026-03-01; at most 20% either way"),
            ("freshness", "fail", "shop has no value in at, so its age is unknown; at most 26 hours"),
        ]
    for found in rounds(measured(moments(1, 1, 1, 1)).values(), 1):
        assert [item[:2] for item in checks(found)] == [
            ("rows_at_least", "pass"),
            ("rows_at_most", "warn"),
            ("rows_drift", "not_checked"),
            ("freshness", "pass"),
        ]
        assert (
            checks(found)[-1][2]
            == "the newest at of shop is 2026-03-01 12:00:00+00:00, 24 hours ago; at most 26 hours"
        )


def test_earlier_figures_are_of_the_kind_of_the_bound(folder: Path) -> None:
    (folder / "catalog" / "shop.yml").write_text("""apiVersion: predicat/v1
dataset: shop
fields: {n: bigint, s: string}
filters: {high: {sql: n >= 3 AND s = 'x', coverage: {unknown_at_most: 1%, at_least: 90, at_most: 1%}}}
""")
    catalog = predicat.load_catalog(folder / "catalog")
    found = on_duckdb(plan(catalog, "shop", (), "duckdb"), parquet(folder))
    past = history.by_filter(
        [
            {
                "at": "x",
                "filter": "shop.high",
                "partition": "",
                "rows": 200,
                "accepted": 20,
                "unknown": 50,
                "sample": 0.5,
            }
        ]
    )
    figures = {
        check.kind: [check.figure(value) for value in check.history] for check in judge(catalog, found, past)
    }
    assert figures == {"at_least": ["40 rows"], "at_most": ["10.00%"], "unknown_at_most": ["25.00%"]}


def test_samples_have_intervals(folder: Path, spark: Any) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    frame = spark.range(20000).selectExpr("id % 10 AS n", "'x' AS s")
    found = on_spark(plan(catalog, "shop", ["low"], "spark"), frame, sample=0.1)
    assert 1500 < found.rows < 2500 and found.sample == 0.1
    assert abs(found.share("shop.low") - 0.3) < 0.05
    statuses = {check.kind: check.status for check in judge(catalog, found)}
    assert statuses == {"at_least": "pass", "at_most": "warn"}
    assert "a sample of 10.00%" in FORMATS["text"]([Run("shop", found, ())])


def test_every_form_of_report(folder: Path, spark: Any, postgres: Any) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    found = on_each(folder, spark, postgres)["duckdb"]
    run = Run(
        "shop", found, judge(catalog, found), (), history.by_filter(history.entries(catalog, found, series()))
    )
    assert run.code == 1
    shown = {name: form([run]) for name, form in FORMATS.items()}
    assert "FAIL shop.high is UNKNOWN for" in shown["text"] and "{n: null" in shown["text"]
    assert (
        json.loads(shown["json"])[0]["measure"]["filters"]["shop.low"]["accepted"]
        == found.accepted["shop.low"]
    )
    assert '<testcase classname="shop.high" name="unknown_at_most"><failure' in shown["junit"]
    assert "| `shop.low` |" in shown["markdown"]
    assert (
        "http://" not in shown["html"]
        and "https://" not in shown["html"]
        and "<script src" not in shown["html"]
    )
    assert shown["html"].count('class="bar"') == 4 and 'class="strip"' in shown["html"]


def test_suggested_bounds_hold(folder: Path, spark: Any, postgres: Any) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    found = on_each(folder, spark, postgres)["duckdb"]
    rows, kind = suggest(catalog, found)
    assert rows.key == "rows" and not rows.bounds and kind.lines()[0] == "  kind:"
    write(folder / "catalog", [rows, kind])
    file = folder / "catalog" / "shop.yml"
    assert file.read_text() == CATALOG.replace("on_unknown: accept}", f"on_unknown: accept, {kind.line}}}")
    again = predicat.load_catalog(folder / "catalog")
    ends = {check.kind: check.status for check in judge(again, found) if check.name == "shop.kind"}
    assert ends == dict.fromkeys(("at_least", "at_most", "unknown_at_most"), "pass") | {
        "drift": "not_checked"
    }


def test_the_function_for_pipelines(folder: Path, spark: Any) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    checks = check_coverage(catalog, "shop", spark.createDataFrame(ROWS, "n bigint, s string"), ["low"])
    assert [(check.kind, check.status) for check in checks] == [("at_least", "pass"), ("at_most", "warn")]
    with pytest.raises(PredicatError, match="has no column 'n'"):
        check_coverage(catalog, "shop", spark.range(3), ["low"])


def test_a_filter_that_cannot_run_loses_only_itself(folder: Path, spark: Any, postgres: Any) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    catalog = predicat.load_catalog(folder / "catalog")
    postgres.execute("DROP TABLE IF EXISTS public.shop CASCADE")
    postgres.execute("CREATE TABLE public.shop (n bigint)")
    with postgres.cursor() as cursor:
        cursor.executemany("INSERT INTO public.shop VALUES (%s)", [(n,) for n, _ in ROWS])
    source = folder / "shop.parquet"
    pq.write_table(pa.table({"n": pa.array([row[0] for row in ROWS], pa.int64())}), source)
    frame = spark.createDataFrame(ROWS, "n bigint, s string").select("n")
    for found in (
        on_spark(plan(catalog, "shop", (), "spark"), frame),
        on_postgres(plan(catalog, "shop", (), "postgres"), postgres),
        on_duckdb(plan(catalog, "shop", (), "duckdb"), str(source)),
    ):
        assert (list(found.filters), found.accepted["shop.low"]) == (["shop.low", "shop.never"], 36)
        assert list(found.errors) == ["shop.high", "shop.kind"]
        run = Run("shop", found, judge(catalog, found))
        assert (run.code, run.status) == (3, "error")
        assert len(run.failures) == 1 and run.failures[0].startswith("shop.kind: ")  # it has no bounds
        for form in FORMATS.values():
            assert "shop.high is not measured: " in form([run]) and "shop.kind: " in form([run])


def test_parquet_files_with_more_columns_are_read_by_name(folder: Path, spark: Any) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (folder / "shop").mkdir()
    pq.write_table(pa.table({"n": pa.array([1, 5], pa.int64())}), folder / "shop" / "a.parquet")
    pq.write_table(
        pa.table({"s": pa.array(["x"]), "n": pa.array([5], pa.int64())}), folder / "shop" / "b.parquet"
    )
    catalog = predicat.load_catalog(folder / "catalog")
    for found in (
        on_spark(plan(catalog, "shop", (), "spark"), str(folder / "shop"), master="local[2]"),
        on_duckdb(plan(catalog, "shop", (), "duckdb"), str(folder / "shop")),
    ):
        assert (found.rows, found.accepted["shop.low"], found.accepted["shop.high"]) == (3, 1, 1)


def test_samples_of_views(folder: Path, postgres: Any) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    postgres.execute("DROP TABLE IF EXISTS public.shop, public.shop_rows CASCADE")
    postgres.execute(
        "CREATE TABLE public.shop_rows AS SELECT n % 10 AS n, 'x' AS s FROM generate_series(1, 20000) AS n"
    )
    postgres.execute("CREATE VIEW public.shop AS SELECT n::bigint, s FROM public.shop_rows")
    found = [on_postgres(plan(catalog, "shop", (), "postgres"), postgres, 0.1) for _ in range(2)]
    assert 1500 < found[0].rows < 2500 and found[0] == found[1]
    postgres.execute("DROP VIEW public.shop")


def test_figures_are_the_same_where_rows_are_streamed(
    folder: Path, spark: Any, postgres: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from predicat.quality import engines, fold, grouping
    from predicat_spark import quality

    by_groups = on_each(folder, spark, postgres)
    monkeypatch.setattr(grouping, "FEW", 0)
    monkeypatch.setattr(grouping, "_REPEATS", 1000)
    for module in (engines, grouping):
        monkeypatch.setattr(module, "ROWS", 16)  # several batches
    assert on_each(folder, spark, postgres) == by_groups
    monkeypatch.undo()
    monkeypatch.setattr(quality, "MOST_GROUPS", 3)  # more groups than a sample told
    assert on_each(folder, spark, postgres) == by_groups
    assert fold.ROWS == 1 << 16


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda text: text.replace("at_least: 10%", "at_least: ten"),
            "at_least must be a share such as 5% or a number of rows, not 'ten'",
        ),
        (lambda text: text.replace("at_least: 10%", "at_least: 110%"), "not '110%'"),
        (lambda text: text.replace("drift: 5%", "drift: 5"), "drift must be a share such as 5%, not 5"),
        (lambda text: text.replace("severity: warn}}", "severity: loud}}"), "it must be error or warn"),
        (lambda text: text.replace("value: 20%, ", ""), "'value'"),
        (
            lambda text: text.replace("at_least: 10%", "at_least: 30%").replace(
                "value: 20%, severity: warn", "value: 20%"
            ),
            "30% is more than at_most, 20%",
        ),
        (lambda text: text + "rows: {at_least: 5%}", "at_least must be a number of rows, not 5%"),
        (lambda text: text + "rows: {atleast: 5}", "did you mean 'at_least'"),
        (lambda text: text + "freshness: {column: n, at_most: 2 days}", "n is declared as bigint"),
        (lambda text: text + "freshness: {column: nn, at_most: 2 days}", "no field is named 'nn'"),
        (
            lambda text: text + "freshness: {column: n, at_most: 2}",
            "an age such as 90 minutes, 26 hours or 2 days",
        ),
        (lambda text: text + "freshness: {column: n}", "'at_most'"),
    ],
)
def test_bounds_that_are_none(folder: Path, change: Callable[[str], str], message: str) -> None:
    file = folder / "catalog" / "shop.yml"
    file.write_text(change(CATALOG))
    with pytest.raises(PredicatError, match=message.replace("(", "\\(")):
        predicat.load_catalog(folder / "catalog")


def test_the_command(folder: Path) -> None:
    source = parquet(folder)
    args = ("quality", "run", "--engine", "duckdb", "--input", f"shop={source}")
    done = command(*args, "--html", "page.html", cwd=folder)
    assert done.returncode == 1 and "FAIL shop.high is UNKNOWN for" in done.stdout, done.stderr
    assert done.stderr == "page: page.html\n"
    assert (
        command("quality", "baseline", cwd=folder).stdout
        == "target/quality/baseline.jsonl: 4 filters; 2 of them did not pass\n"
    )
    assert (
        "PASS the share of shop.high changed by +0.00 percentage points" in command(*args, cwd=folder).stdout
    )
    assert (
        "kind:"
        in command("quality", "suggest", "--engine", "duckdb", "--input", f"shop={source}", cwd=folder).stdout
    )
    done = command(
        "quality",
        "run",
        "--engine",
        "duckdb",
        "--input",
        "shop=/nosuch.parquet",
        "--format",
        "junit",
        cwd=folder,
    )
    assert done.returncode == 3 and '<error message="DuckDB failed' in done.stdout
    done = command("quality", "run", "shpo", "--engine", "duckdb", cwd=folder)
    assert done.returncode == 2 and "did you mean 'shop'" in done.stderr
    for engine, name, problem in (("postgres", "shop", "by the engines"), ("duckdb", "shpo", "names 'shpo'")):
        for action in ("run", "suggest"):
            wrong = ("quality", action, "--engine", engine, "--input", f"{name}={source}")
            done = command(*wrong, cwd=folder)
            assert done.returncode == 2 and problem in done.stderr, wrong
    done = command("quality", "baseline", "--history", "none.jsonl", cwd=folder)
    assert done.returncode == 2 and "has no results" in done.stderr


def test_columns_are_compared_before_anything_runs(folder: Path, spark: Any, tmp_path: Path) -> None:
    from predicat_spark.relations import check_relations

    catalog = predicat.load_catalog(folder / "catalog")
    spark.range(3).selectExpr("CAST(id AS STRING) AS n").write.parquet(str(tmp_path / "other"))
    with pytest.raises(PredicatError) as caught:
        check_relations(catalog, {"shop": str(tmp_path / "other")})
    messages = [item.message for item in caught.value.diagnostics]
    assert any("has no column 's'" in message and "high" in message for message in messages)
    assert any("declares as bigint" in message and "low" in message for message in messages)


def test_members_of_structs_are_found_in_any_case(spark: Any, tmp_path: Path) -> None:
    from predicat_spark.relations import check_relations

    text = "dataset: d\nrelation: {spark: t}\nfields: {a: 'struct<Geo: struct<lat: double>>'}\n"
    (tmp_path / "d.yml").write_text(
        f"apiVersion: predicat/v1\n{text}filters: {{north: {{sql: a.Geo.lat > 0}}}}"
    )
    rows = spark.sql("SELECT named_struct('geo', named_struct('Lat', 1.0D)) AS a")
    rows.write.parquet(str(tmp_path / "rows"))
    check_relations(predicat.load_catalog(tmp_path / "d.yml"), {"d": str(tmp_path / "rows")})


def test_importing_predicat_imports_no_great_expectations() -> None:
    import subprocess
    import sys

    code = (
        "import sys, predicat; predicat.load_catalog('catalog'); assert not "
        "any(name.startswith('great_expectations') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_page_tells_the_run_and_shows_failures_first(folder: Path) -> None:
    from predicat.quality.outcome import About
    from predicat.quality.page import page

    file = folder / "catalog" / "shop.yml"
    file.write_text(
        CATALOG.replace("coverage: {at_least: 1}", "coverage: {at_least: 1}, owner: ops@example.com")
    )
    catalog = predicat.load_catalog(folder / "catalog")
    found = on_duckdb(plan(catalog, "shop", (), "duckdb"), parquet(folder))
    run = Run(
        "shop",
        found,
        judge(catalog, found),
        (),
        {},
        catalog.datasets["shop"],
        About("2026-03-02T12:00:00+00:00", "shops", "abc123+"),
    )
    shown = page([run], "../site")
    assert "2026-03-02 12:00:00 UTC</time>, catalog shops, revision <code>abc123+</code>" in shown
    assert '<a href="../site/filters/shop.never.html">' in shown and "ops@example.com" in shown
    order = [shown.index(f'<summary class="mono">{name}</summary>') for name in ("never", "low", "kind")]
    assert order == sorted(order)
    assert (
        '<span class="bound warn">at most 20% (warn)</span>' in shown
        and '<span class="bound fail">at least 1 row</span>' in shown
    )
    assert "rows of low are accepted by kind too: " in shown
    assert '<td class="mono">NULL</td>' in shown  # a row that no filter of a group accepts
    assert "filters/shop" not in page([run])


class Webhook:
    """A server on this machine that keeps what it is sent."""

    def __init__(self, status: int = 200, kind: str = "text/plain") -> None:
        from http.server import BaseHTTPRequestHandler, HTTPServer
        from threading import Thread

        sent: list[Any] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                sent.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(b"ok")

            def log_message(self, *_: Any) -> None:
                pass

        self.sent = sent
        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/secret"


def test_a_run_tells_a_webhook(folder: Path) -> None:
    hook = Webhook()
    args = (
        "quality",
        "run",
        "--engine",
        "duckdb",
        "--input",
        f"shop={parquet(folder)}",
        "--notify",
        hook.url,
    )
    assert command(*args, cwd=folder).returncode == 1
    (sent,) = hook.sent
    assert (sent["status"], sent["summary"]) == (
        "fail",
        "Filter coverage of shop: 8 bounds: 3 fail, 2 warn, 1 not checked, 2 pass",
    )
    assert sent["runs"][0]["dataset"] == "shop" and sent["runs"][0]["at"].endswith("+00:00")
    assert command(*args, "--notify-format", "slack", cwd=folder).returncode == 1
    assert hook.sent[1]["blocks"][1]["text"]["text"].startswith("*fail* shop.high is UNKNOWN")
    (folder / "catalog" / "shop.yml").write_text(
        "apiVersion: predicat/v1\ndataset: shop\nfields: {n: bigint}\nfilters: {low: {sql: n < 3}}\n"
    )
    assert command(*args, cwd=folder).returncode == 0 and len(hook.sent) == 2
    assert command(*args, "--notify-on", "always", cwd=folder).returncode == 0 and len(hook.sent) == 3


def test_a_webhook_that_refuses_is_told_without_its_address(folder: Path) -> None:
    hook = Webhook(404)
    done = command(
        "quality",
        "run",
        "--engine",
        "duckdb",
        "--input",
        f"shop={parquet(folder)}",
        "--notify",
        hook.url,
        cwd=folder,
    )
    assert (
        done.returncode == 1
        and "the webhook of --notify refused the result: 127.0.0.1 answers 404" in done.stderr
    )
    assert "secret" not in done.stderr


def recipes() -> dict[str, str]:
    """The commands of the CI examples that measure coverage."""
    import yaml

    examples = Path(__file__).parent.parent.parent / "examples" / "ci"
    github = yaml.safe_load((examples / "github-quality.yml").read_text())["jobs"]["coverage"]["steps"]
    gitlab = yaml.safe_load((examples / "gitlab.yml").read_text())["filter-coverage"]["script"]
    return {
        "github": next(step["run"] for step in github if "quality" in step.get("run", "")),
        "gitlab": next(line for line in gitlab if "quality" in line),
    }


@pytest.mark.parametrize("host", ["github", "gitlab"])
def test_the_ci_examples_measure_and_tell(folder: Path, postgres: Any, host: str) -> None:
    import os
    import sys

    postgres.execute("DROP TABLE IF EXISTS public.shop CASCADE")
    postgres.execute("DROP TABLE IF EXISTS predicat_quality")
    postgres.execute("CREATE TABLE public.shop (n bigint, s text)")
    with postgres.cursor() as cursor:
        cursor.executemany("INSERT INTO public.shop VALUES (%s, %s)", ROWS)
    info, hook = postgres.info, Webhook()
    dsn = (
        f"host={info.host} port={info.port} user={info.user} dbname={info.dbname} "
        f"password={info.password or 'x'}"
    )
    environment = {
        **os.environ,
        "DSN": dsn,
        "WAREHOUSE_DSN": dsn,
        "PREDICAT_NOTIFY": hook.url,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    done = completed(["bash", "-e", "-c", recipes()[host]], cwd=folder, env=environment)
    assert done.returncode == 1, done.stderr
    assert (
        hook.sent[0]["text"].startswith("Filter coverage of shop: ")
        and (folder / "target/quality/page.html").exists()
    )
    assert postgres.execute("SELECT count(DISTINCT run) FROM predicat_quality").fetchone() == (1,)


def test_duckdb_says_that_it_reads_files(folder: Path) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    with pytest.raises(PredicatError) as error:
        on_duckdb(plan(catalog, "shop", (), "duckdb"), "orders")
    (told,) = error.value.diagnostics
    assert "no such file or folder: orders" in told.message and "--input DATASET=FILE" in told.message
    assert "LINE" not in told.message
