"""Two limits of a bound: behind the first it warns, behind the second it fails. Every kind has both."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import yaml

import predicat
from predicat.catalog.bounds import share_of
from predicat.catalog.model import Dataset
from predicat.diagnostics import PredicatError
from predicat.quality import bounds
from predicat.quality.checks import Check, declared
from predicat.quality.measure import Count, GroupCount, Measure
from predicat.quality.outcome import Run
from predicat.quality.report import FORMATS
from predicat.review.entries import loosened

ROOT = Path(__file__).parents[2]
CATALOG = """apiVersion: predicat/v1
dataset: shop
relation: {postgres: public.shop}
fields: {n: bigint, at: timestamp}
rows: {at_least: {warn: 900, error: 500}, at_most: {warn: 1500, error: 2000}, drift: {warn: 10%, error: 80%}}
freshness: {column: at, at_most: {warn: 2 hours, error: 2 days}}
baseline: {max_age: {warn: 10 days, error: 30 days}}
filters:
  low:
    sql: n < 30
    coverage:
      at_least: {warn: 30%, error: 10%}
      at_most: {warn: 700, error: 900}
      unknown_at_most: {warn: 1%, error: 5%}
      drift: {warn: 5%, error: 20%}
  high: {sql: n > 20}
groups:
  both: {filters: [low, high], exclusive: {warn: 1, error: 10}, exhaustive: {warn: 0%, error: 1%}}
"""
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
# Of each kind: figures that hold, warn and fail, and the limits as text.
FIGURES: dict[str, tuple[int, int, int, str]] = {
    "at_least": (300, 299, 99, "10% (warn: 30%)"),
    "at_most": (700, 701, 901, "900 rows (warn: 700 rows)"),
    "unknown_at_most": (10, 11, 51, "5% (warn: 1%)"),
    "drift": (510, 590, 800, "20% (warn: 5%)"),
    "rows_at_least": (900, 899, 499, "500 rows (warn: 900 rows)"),
    "rows_at_most": (1500, 1501, 2001, "2,000 rows (warn: 1,500 rows)"),
    "rows_drift": (1100, 1101, 1801, "80% (warn: 10%)"),
    "freshness": (7200, 7201, 172801, "2 days (warn: 2 hours)"),
    "baseline": (10, 11, 31, "30 days (warn: 10 days)"),
    "exclusive": (1, 2, 11, "10 rows (warn: 1 row)"),
    "exhaustive": (0, 1, 11, "1% (warn: 0%)"),
}
STATUSES = ("pass", "warn", "fail")


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> predicat.Catalog:
    folder = tmp_path_factory.mktemp("catalog")
    (folder / "shop.yml").write_text(CATALOG)
    return predicat.load_catalog(folder)


def judged(catalog: predicat.Catalog, kind: str, figure: int) -> Check:
    """The result of a bound for a figure of 1,000 rows."""
    of = {"accepted": 500, "unknown": 0, "rows": 1000, "freshness": 0, "baseline": 1}
    of |= {"exclusive": 0, "exhaustive": 0, _FIGURE_OF.get(kind, kind): figure}
    measure = Measure("shop", "duckdb", 1000, total=of["rows"], newest=NOW.timestamp() - of["freshness"])
    measure.filters = {"shop.low": Count(of["accepted"], 0, of["unknown"]), "shop.high": Count()}
    measure.accepted = {"shop.low": of["accepted"], "shop.high": 0}
    measure.groups = {"both": GroupCount(of["exhaustive"], of["exclusive"])}
    at = (NOW - timedelta(days=of["baseline"])).isoformat()
    before = {"at": at, "rows": 1000, "accepted": 500, "true": 500, "false": 500, "unknown": 0}
    found = bounds.judge(catalog, measure, {}, {name: [before] for name in ("shop", "shop.low")}, NOW)
    assert [check.kind for check in found] == [item.kind for item in declared(dataset(catalog), NAMES)]
    return next(check for check in found if check.kind == kind)


_FIGURE_OF = {
    **dict.fromkeys(("at_least", "at_most", "drift"), "accepted"),
    **dict.fromkeys(("rows_at_least", "rows_at_most", "rows_drift"), "rows"),
    "unknown_at_most": "unknown",
}
NAMES = ("shop.low", "shop.high")


def dataset(catalog: predicat.Catalog) -> Dataset:
    return catalog.datasets["shop"]


# Those need a history: tests/quality/test_anomalies.py.
ANOMALIES = {"anomaly", "rows_anomaly"}


@pytest.mark.parametrize("kind", sorted({*bounds.KINDS} - ANOMALIES))
def test_every_kind_of_bound_warns_and_fails(catalog: predicat.Catalog, kind: str) -> None:
    *figures, limit = FIGURES[kind]
    for figure, status in zip(figures, STATUSES, strict=True):
        check = judged(catalog, kind, int(figure))
        assert (check.status, check.bound) == (status, limit), figure
        assert limit in check.message
        run = Run("shop", None, [check])
        assert (run.status, run.code) == (status, int(status == "fail"))


def test_reports_tell_warnings_from_failures(catalog: predicat.Catalog) -> None:
    warned, failed = (judged(catalog, "at_most", figure) for figure in (701, 901))
    runs = [Run("shop", None, [warned]), Run("shop", None, [failed])]
    (one,), (other,) = (run["checks"] for run in json.loads(FORMATS["json"](runs)))
    assert (one["status"], other["status"], one["bound"]) == ("warn", "fail", "900 rows (warn: 700 rows)")
    cases = ET.fromstring(FORMATS["junit"](runs)).findall("testsuite/testcase")
    assert [[part.tag for part in case] for case in cases] == [["system-out"], ["failure"]]
    page = FORMATS["html"](runs)
    assert 'class="finding warn"' in page and 'class="finding fail"' in page


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        ("{warn: 700, error: 900}", "900 rows (warn: 700 rows)"),
        ("{error: 900}", "900 rows"),
        ("{warn: 700}", "700 rows"),
        ("{value: 700, severity: warn}", "700 rows"),
        ("700", "700 rows"),
    ],
)
def test_ways_to_write_limits(tmp_path: Path, limits: str, text: str) -> None:
    changed = CATALOG.replace("{warn: 700, error: 900}", limits)
    jsonschema.validate(yaml.safe_load(changed), json.loads((ROOT / "docs/catalog.schema.json").read_text()))
    (tmp_path / "shop.yml").write_text(changed)
    bound = predicat.load_catalog(tmp_path).known["shop.low"].coverage["at_most"]
    assert str(bound) == text
    assert bound.severity == (
        "warn" if "700" in limits and "{" in limits and "error" not in limits else "error"
    )


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("{warn: 700, error: 900}", "{warn: 900, error: 700}", "900 rows, must be stricter than that of the"),
        ("{warn: 30%, error: 10%}", "{warn: 10%, error: 30%}", "10%, must be stricter"),
        ("{warn: 2 hours, error: 2 days}", "{warn: 2 days, error: 2 hours}", "2 days, must be stricter"),
        ("{warn: 10 days, error: 30 days}", "{warn: 30 days, error: 30 days}", "must be stricter"),
        ("{warn: 700, error: 900}", "{warn: 70%, error: 900}", "must be two shares, or two numbers of rows"),
        ("{warn: 700, error: 900}", "{warn: 700, value: 900}", "value cannot stand beside warn and error"),
        ("{warn: 700, error: 900}", "{warn: 700, severity: warn}", "severity cannot stand beside"),
        (
            "{warn: 2 hours, error: 2 days}}",
            "{warn: 2 hours}, severity: warn}",
            "severity cannot stand beside",
        ),
        ("{warn: 1, error: 10}", "{value: 10}", "exclusive has no key 'value'"),
        ("{warn: 1, error: 10}", "{}", "'error'"),
        (
            "at_most: {warn: 700, error: 900}",
            "at_most: {warn: 20%, error: 90%}",
            "30%\\) is more than at_most",
        ),
    ],
)
def test_limits_that_are_refused(tmp_path: Path, before: str, after: str, message: str) -> None:
    assert before in CATALOG
    (tmp_path / "shop.yml").write_text(CATALOG.replace(before, after))
    with pytest.raises(PredicatError, match=message):
        predicat.load_catalog(tmp_path)


def test_a_share_is_the_nearest_number() -> None:
    """7 of 1,000 rows are at most 0.7%, though 0.7 / 100 is less than 0.007."""
    for tenths in range(1001):
        assert share_of(f"{tenths / 10}%") == tenths / 1000


LIMITS = {"1": (1, None), "5": (5, None), "warn 5": (None, 5), "1 5": (5, 1), "3 5": (5, 3), "1 9": (9, 1)}


@pytest.mark.parametrize("name", ["at_most", "at_least"])
@pytest.mark.parametrize("before", LIMITS)
@pytest.mark.parametrize("after", LIMITS)
def test_a_review_says_which_limits_are_looser(name: str, before: str, after: str) -> None:
    """By the figures: a bound is looser if no figure ends worse than before, and some end better."""
    sign = -1 if name == "at_least" else 1
    data = [_data(sign, *LIMITS[text]) for text in (before, after)]
    ends = [[_end(figure, *LIMITS[text]) for figure in range(12)] for text in (before, after)]
    if ends[0] == ends[1]:
        return
    better = all(new <= old for old, new in zip(*ends, strict=True))
    worse = all(new >= old for old, new in zip(*ends, strict=True))
    assert loosened(name, *data) == ("loosened" if better else "tightened" if worse else "changed")


def _data(sign: int, error: int | None, warn: int | None) -> dict[str, Any]:
    both = error is not None and warn is not None
    value = error if error is not None else warn
    severity = "warn" if error is None else "error"
    return {"value": sign * (value or 0), "share": False, "severity": severity} | (
        {"warn": sign * (warn or 0)} if both else {}
    )


def _end(figure: int, error: int | None, warn: int | None) -> int:
    """How the bound ends for a figure: 0 is a pass, 2 a failure."""
    if error is not None and figure > error:
        return 2
    return int(warn is not None and figure > warn)
