"""Every declared bound ends in every report of every run: as pass, warn, fail, error or not checked."""

import json
import re
import resource
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from xml.etree import ElementTree as ET

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

import predicat
from predicat.quality import bounds, history, notify, stores
from predicat.quality.checks import STATUSES, declared, words
from predicat.quality.engines import on_duckdb
from predicat.quality.outcome import Run
from predicat.quality.plan import plan
from predicat.quality.report import FORMATS
from tests.processes import in_process

CATALOG = """apiVersion: predicat/v1
dataset: shop
fields: {n: bigint, s: string, at: timestamp}
rows: {at_least: 2, at_most: {value: 5000, severity: warn}, drift: 20%, anomaly: 0.1%}
freshness: {column: at, at_most: 26 hours}
baseline: {max_age: 30 days, severity: warn}
filters:
  low: {sql: n < 30, coverage: {at_least: 1%, at_most: 90%, unknown_at_most: 5%, drift: 5%, anomaly: 1%}}
  few: {sql: n < 10, coverage: {at_least: 1, at_most: 2000, unknown_at_most: {value: 100, severity: warn}}}
  named: {sql: s = 'x', coverage: {drift: 50%}}
  asked: {sql: "n > :k", params: {k: bigint}, coverage: {at_most: 10%, drift: 1%}}
groups:
  both: {filters: [low, named], exclusive: true, exhaustive: true, severity: warn}
  open: {filters: [low, asked], exclusive: true}
"""
NOW = "2026-03-02T12:00:00Z"
DAY = datetime(2026, 3, 2, 12, tzinfo=UTC)


def written(text: str) -> list[tuple[str, str]]:
    """The bounds of a catalog, read from its YAML and from nothing of predicat's."""
    data = yaml.safe_load(text)
    name = data["dataset"]
    groups = [(f"{name}.{group}", spec) for group, spec in data.get("groups", {}).items()]
    return [
        *((name, f"rows_{kind}") for kind in data.get("rows", {})),
        *((name, kind) for kind in ("freshness", "baseline") if kind in data),
        *(
            (f"{name}.{key}", kind)
            for key, row in data["filters"].items()
            for kind in row.get("coverage", {})
        ),
        *((group, kind) for group, spec in groups for kind in ("exclusive", "exhaustive") if spec.get(kind)),
    ]


def rows(file: Path, count: int, high: int = 100, names: str = "s") -> None:
    """`count` rows whose numbers go round below `high`."""
    numbers = [number % high for number in range(count)]
    columns = {"n": pa.array(numbers, pa.int64()), "at": pa.array([DAY] * count, pa.timestamp("us", "UTC"))}
    columns[names] = pa.array(["xyz"[number % 3] for number in numbers], pa.string())
    pq.write_table(pa.table(columns), file)


def run(folder: Path, *more: str) -> CompletedProcess[str]:
    source = f"shop={folder / 'shop.parquet'}"
    return in_process(
        "quality", "run", "--engine", "duckdb", "--input", source, "--now", NOW, *more, cwd=folder
    )


def first(folder: Path) -> None:
    rows(folder / "shop.parquet", 1000)


def after_green(folder: Path) -> None:
    first(folder)
    run(folder)


def after_red(folder: Path) -> None:
    rows(folder / "shop.parquet", 1000, 20)
    run(folder)
    first(folder)


def moved(folder: Path) -> None:
    after_green(folder)
    rows(folder / "shop.parquet", 1300, 40)


def no_rows(folder: Path) -> None:
    after_green(folder)
    rows(folder / "shop.parquet", 0)


def after_no_rows(folder: Path) -> None:
    no_rows(folder)
    run(folder)
    first(folder)


def missing_table(folder: Path) -> None:
    after_green(folder)
    (folder / "shop.parquet").unlink()


def missing_column(folder: Path) -> None:
    after_green(folder)
    rows(folder / "shop.parquet", 1000, names="t")


STATES = (first, after_green, after_red, moved, no_rows, after_no_rows, missing_table, missing_column)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "shop.yml").write_text(CATALOG)
    return tmp_path


def junit(text: str) -> dict[tuple[str, str], str]:
    """The status of each case of a JUnit file."""
    tags = {"failure": "fail", "error": "error", "skipped": "not_checked", "system-out": "warn"}
    (suite,) = ET.fromstring(text).findall("testsuite")
    cases = suite.findall("testcase")
    counts = Counter(part.tag for case in cases for part in case)
    assert suite.attrib["tests"] == str(len(cases))
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert suite.attrib[key] == str(counts[tag])
    return {
        (case.attrib["classname"], case.attrib["name"]): next((tags[part.tag] for part in case), "pass")
        for case in cases
    }


def tallied(text: str) -> dict[str, int]:
    """The figures of a line such as `3 bounds: 1 fail, 2 pass`."""
    (line,) = set(re.findall(r"\d+ bounds: [0-9a-z, ]+\b", text))
    counts = {
        status: int(count)
        for count, status in re.findall(r"(\d+) ([a-z ]+?)(?:,|$)", line[len("3 bounds:") :])
    }
    assert int(line.split()[0]) == sum(counts.values())
    return counts


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_every_report_has_every_bound(folder: Path, state: Any) -> None:
    state(folder)
    kept = folder / "target" / "quality" / "history.jsonl"
    before = kept.read_bytes() if kept.exists() else b""
    wanted = written(CATALOG)
    statuses: dict[tuple[str, str], str] = {}
    for form in FORMATS:
        done = run(folder, "--format", form)
        shown = done.stdout
        kept.write_bytes(before) if before else kept.unlink(missing_ok=True)
        if form == "text":
            code = done.returncode
        assert done.returncode == code
        if form == "json":
            (data,) = json.loads(shown)
            statuses = {(item["name"], item["kind"]): item["status"] for item in data["checks"]}
            assert sorted(statuses) == sorted(wanted) and len(data["checks"]) == len(wanted)
            for item in data["checks"]:
                assert item["status"] in STATUSES
                assert (
                    bool(item["reason"])
                    == (item["value"] is None)
                    == (item["status"] in {"error", "not_checked"})
                )
        elif form == "junit":
            cases = junit(shown)
        else:
            texts = tallied(shown)
            for name, kind in wanted if form == "html" else ():
                assert f'<td class="mono">{name} {kind}</td>' in shown
    counts = {words(status): count for status, count in Counter(statuses.values()).items()}
    assert cases == statuses and texts == counts
    assert code == (
        3 if "error" in counts else 1 if "fail" in counts or set(counts) == {"not checked"} else 0
    )


EXPECTED = {
    first: {"shop.low drift": "not_checked", "shop.low at_most": "pass", "shop rows_drift": "not_checked"},
    after_green: {"shop.low drift": "pass", "shop rows_drift": "pass", "shop.asked drift": "not_checked"},
    after_red: {"shop.low drift": "not_checked", "shop.named drift": "pass", "shop rows_drift": "pass"},
    moved: {"shop.low drift": "fail", "shop rows_drift": "fail", "shop.named drift": "pass"},
    no_rows: {
        "shop.low drift": "not_checked",
        "shop.low at_least": "fail",
        "shop.low at_most": "not_checked",
    },
    after_no_rows: {"shop.low drift": "pass", "shop rows_drift": "pass"},
    missing_table: dict.fromkeys((" ".join(item) for item in written(CATALOG)), "error"),
    missing_column: {"shop.low drift": "pass", "shop.named drift": "error", "shop.both exclusive": "error"},
}


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_how_bounds_end(folder: Path, state: Any) -> None:
    state(folder)
    (data,) = json.loads(run(folder, "--format", "json").stdout)
    found = {f"{item['name']} {item['kind']}": item["status"] for item in data["checks"]}
    assert {key: found[key] for key in EXPECTED[state]} == EXPECTED[state]


def test_the_catalog_above_has_every_kind_of_bound(folder: Path) -> None:
    dataset = predicat.load_catalog(folder / "catalog").datasets["shop"]
    every = declared(dataset, [row.qualified for row in dataset.filters.values()])
    assert {item.kind for item in every} == set(bounds._JUDGES)
    assert [(item.name, item.kind) for item in every if item.kind != "baseline"] == [
        item for item in written(CATALOG) if item[1] != "baseline"
    ]
    assert {len(declared(dataset, ["shop.low", "shop.named"])) - len(declared(dataset, ["shop.low"]))} == {3}


def test_the_text_names_what_was_not_checked(folder: Path) -> None:
    first(folder)
    shown = run(folder).stdout
    assert (
        "NOT CHECKED shop rows_drift, shop.low drift, shop.named drift: there is no earlier run of the same "
        "catalog, dataset, engine and sample; the next run is compared with this one" in shown
    )
    assert "NOT CHECKED shop.asked at_most, shop.asked drift: a parameter has no default" in shown
    assert "NOT CHECKED shop.open exclusive: shop.asked is not measured: a parameter has no default" in shown
    assert "WARN shop has no baseline; at most 30 days" in shown
    (folder / "target" / "quality" / "history.jsonl").unlink()
    after_red(folder)
    assert "NOT CHECKED shop.low drift: shop.low passed in no earlier run; " in run(folder).stdout


def test_messages_have_every_bound(folder: Path) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    first(folder)
    found = on_duckdb(plan(catalog, "shop", (), "duckdb"), str(folder / "shop.parquet"))
    runs = [Run("shop", found, bounds.judge(catalog, found, {}))]
    total = len(written(CATALOG))
    assert len(notify.FORMATS["json"](runs)["runs"][0]["checks"]) == total
    text = json.dumps(notify.FORMATS["slack"](runs))
    assert sum(tallied(text).values()) == total
    for item in runs[0].checks:
        assert (item.label in text) == (item.status == "not_checked") or item.message in text


def test_a_run_that_judges_nothing_is_no_success(folder: Path) -> None:
    (folder / "catalog" / "shop.yml").write_text(
        "apiVersion: predicat/v1\ndataset: shop\nfields: {n: bigint}\n"
        "filters: {low: {sql: n < 30, coverage: {drift: 5%}}}\n"
    )
    first(folder)
    done = run(folder)
    assert done.returncode == 1
    assert done.stdout.endswith("1 bound: 1 not checked; no bound was checked, so this is no success\n")
    assert run(folder, "--format", "junit").returncode == 0  # compared with the first run
    (folder / "target" / "quality" / "history.jsonl").unlink()
    assert set(junit(run(folder, "--format", "junit").stdout).values()) == {"fail"}


def test_drift_needs_only_its_own_filter_to_pass(folder: Path) -> None:
    """Another filter's bound, the number of rows and freshness are red from the first run on."""
    (folder / "catalog" / "shop.yml").write_text(
        CATALOG.replace("rows: {at_least: 2,", "rows: {at_least: 2000,")
        .replace("at_most: 26 hours", "at_most: 1 minute")
        .replace("few: {sql: n < 10, coverage: {at_least: 1,", "few: {sql: n < 10, coverage: {at_least: 101,")
    )
    for _ in range(2):
        first(folder)
        (data,) = json.loads(run(folder, "--format", "json").stdout)
    found = {f"{item['name']} {item['kind']}": item for item in data["checks"]}
    assert found["shop.few at_least"]["status"] == found["shop rows_at_least"]["status"] == "fail"
    assert found["shop.low drift"]["status"] == "pass"
    rows(folder / "shop.parquet", 1000, 40)
    (data,) = json.loads(run(folder, "--format", "json").stdout)
    found = {f"{item['name']} {item['kind']}": item for item in data["checks"]}
    assert found["shop.low drift"]["status"] == "fail"
    assert found["shop rows_drift"]["status"] == "not_checked"
    assert found["shop rows_drift"]["reason"].startswith("shop passed in none of the 2 earlier runs")


def test_freshness_is_judged_at_the_given_time(folder: Path) -> None:
    first(folder)
    for now, status in (("2026-03-03T12:00:00Z", "pass"), ("2026-03-04T12:00:00Z", "fail")):
        (data,) = json.loads(run(folder, "--now", now, "--format", "json").stdout)
        (found,) = (item for item in data["checks"] if item["kind"] == "freshness")
        assert (found["status"], found["value"]) == (status, 86400 if status == "pass" else 172800)
    (data,) = json.loads(run(folder, "--now", "2020-01-01T00:00:00Z", "--format", "json").stdout)
    (found,) = (item for item in data["checks"] if item["kind"] == "freshness")
    assert found["message"].startswith("shop has no value in at")  # all of them are ahead of the clock


def test_results_of_an_earlier_predicat_are_compared_with(folder: Path) -> None:
    first(folder)
    catalog = predicat.load_catalog(folder / "catalog")
    found = on_duckdb(plan(catalog, "shop", (), "duckdb"), str(folder / "shop.parquet"))
    series = history.Series("", "shop", "duckdb", "", 1.0)
    for status, end in (("pass", "pass"), ("fail", "not_checked")):
        past = [{**entry, "status": status} for entry in history.entries(catalog, found, series)]
        checks = bounds.judge(catalog, found, history.by_filter(past))
        assert {check.status for check in checks if check.name == "shop.low" and check.kind == "drift"} == {
            end
        }


def test_a_full_disk_leaves_no_part_of_results(tmp_path: Path) -> None:
    """A limit on the size of files stops a writer as a full disk does: in the middle."""
    entry = dict.fromkeys(("at", "dataset", "partition", "filter", "version"), "x" * 500) | {"rows": 1}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            stores.append(tmp_path / "results.parquet", [entry])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list((tmp_path / "results.parquet").iterdir())
