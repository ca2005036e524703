"""Bounds on a sample: they fail only where the interval of the true figure is beyond them."""

from pathlib import Path

import pytest

import predicat
from predicat.quality.bounds import judge
from predicat.quality.measure import Count, Measure
from predicat.quality.statistics import wilson

# 30 of 100 rows of the sample: 21.9 % to 39.6 % of all.
LOW, HIGH = wilson(30, 100)
BOUNDS = [
    ("at_most: 25%", "pass"),
    ("at_most: 21%", "fail"),
    ("at_most: 35%", "pass"),
    ("at_least: 35%", "pass"),
    ("at_least: 40%", "fail"),
    ("at_least: 25%", "pass"),
    ("at_most: 250", "pass"),
    ("at_most: 210", "fail"),
    ("at_least: 350", "pass"),
    ("at_least: 400", "fail"),
    ("unknown_at_most: 25%", "pass"),
    ("unknown_at_most: 21%", "fail"),
]


@pytest.mark.parametrize(("bound", "status"), BOUNDS)
def test_a_bound_on_a_sample(tmp_path: Path, bound: str, status: str) -> None:
    assert (round(LOW, 3), round(HIGH, 3)) == (0.219, 0.396)
    (tmp_path / "d.yml").write_text(
        "apiVersion: predicat/v1\ndataset: d\nfields: {n: bigint}\nfilters:\n  f:\n    sql: n > 1\n "
        f"   coverage: {{{bound}}}\n"
    )
    counts = Count(30, 40, 30)
    found = Measure(
        "d", "duckdb", rows=100, sample=0.1, filters={"d.f": counts}, accepted={"d.f": 30}, total=1000
    )
    assert [check.status for check in judge(predicat.load_catalog(tmp_path), found)] == [status]
