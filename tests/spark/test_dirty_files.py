"""Dirty files on Spark: the counts of `match`, and the bad cells by name. All files are one query."""

from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat_spark.pipeline.source import Reading, read_relation
from predicat_spark.settings import READING, settings
from tests.files.dirty import FILES, FILTERS, write
from tests.files.test_dirty_files import matched


def outcome(reading: Reading, catalog: predicat.Catalog, name: str) -> Any:
    """One row: the rows, what each filter accepts, and the bad cells of each column."""
    there = {column.lower() for column in reading.columns}
    sums = []
    for filter_ in FILTERS:
        predicate = catalog.accepted(f"orders.{filter_}")
        known = all(field.lower() in there for field in predicate.fields)
        sums.append(f"count_if({predicate.sql('spark')})" if known else "0L")
    cells = ", ".join(f"'{cell.column}', count({cell.sql})" for cell in reading.cells)
    return reading.frame.selectExpr(
        f"'{name}' AS name", "count(*) AS rows", f"array({', '.join(sums)}) AS accepted", f"map({cells}) AS bad"
    )


@pytest.mark.filterwarnings("ignore::predicat.api.UnknownKeyWarning")
def test_spark_counts_as_match_does(spark: Any, tmp_path: Path) -> None:
    wanted: dict[str, Any] = {}
    frames = []
    with settings(spark, READING):
        for name, dirty in FILES.items():
            path = write(name, tmp_path / name)
            catalog = predicat.load_catalog(tmp_path / name / "catalog")
            rows, accepted, _ = matched(catalog, path)
            wanted[name] = (rows, [accepted[key] for key in FILTERS], dict(dirty.bad))
            frames.append(outcome(read_relation(spark, str(path), catalog.datasets["orders"]), catalog, name))
        whole = frames[0]
        for frame in frames[1:]:
            whole = whole.union(frame)
        found = {
            row.name: (row.rows, row.accepted, {key: count for key, count in row.bad.items() if count})
            for row in whole.collect()
        }
    assert {name: (found[name], wanted[name]) for name in FILES if found[name] != wanted[name]} == {}
