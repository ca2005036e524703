"""Entry filters on Spark: the same rows as in Python, after a native filter that is pushed down."""

from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.diagnostics import PredicatError
from predicat.entry_filters import opened
from predicat_spark import entry_filters
from tests.test_entry_filters import CATALOG

ROWS = [
    {
        "id": number,
        "kind": "ab"[number % 3 == 0],
        "amount": float(number),
        "partition": 9 if number > 30 else 1,
    }
    for number in range(40)
]
SCHEMA = "id bigint, kind string, amount double, partition int"


@pytest.fixture
def catalog(tmp_path: Path) -> predicat.Catalog:
    (tmp_path / "events.yml").write_text(CATALOG)
    return predicat.load_catalog(tmp_path)


def in_python(catalog: predicat.Catalog, name: str) -> list[int]:
    with opened(catalog, name, subscription="desk") as run:
        return [row["id"] for row in ROWS if run.accepts(row, {"partition": row["partition"]})]


@pytest.mark.parametrize("name", ["tagged", "fragile", "lenient", "chain", "wrong"])
def test_the_same_rows_as_in_python(spark: Any, catalog: predicat.Catalog, name: str) -> None:
    frame = spark.createDataFrame([tuple(row.values()) for row in ROWS], SCHEMA)
    found = entry_filters.apply(frame, catalog, f"events.{name}", subscription="desk")
    assert found.schema == frame.schema
    assert sorted(row.id for row in found.collect()) == in_python(catalog, f"events.{name}")


def test_the_outcome_as_a_column(spark: Any, catalog: predicat.Catalog) -> None:
    frame = spark.createDataFrame([tuple(row.values()) for row in ROWS], SCHEMA)
    found = entry_filters.apply(frame, catalog, "events.fragile", outcome="said")
    assert {(row.id, row.said) for row in found.collect()} == {
        (row["id"], "UNKNOWN" if row["id"] % 2 else "RESCHEDULE" if row["partition"] == 9 else "ACCEPT")
        for row in ROWS
    }


def test_the_native_filter_is_pushed_down(spark: Any, catalog: predicat.Catalog, tmp_path: Path) -> None:
    frame = spark.createDataFrame([tuple(row.values()) for row in ROWS], SCHEMA)
    frame.write.parquet(str(tmp_path / "rows"))
    found = entry_filters.apply(spark.read.parquet(str(tmp_path / "rows")), catalog, "events.tagged")
    plan = found._jdf.queryExecution().executedPlan().toString()
    assert "GreaterThan(amount,10.0)" in plan.partition("PushedFilters")[2]


def test_maps_and_arrays_are_those_of_python(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "events.yml").write_text(
        "apiVersion: predicat/v1\ndataset: events\nfields:\n"
        "  headers: {type: 'map<string, string>', column: h}\n  tags: array<string>\n"
        "filters: {read: {python: tests.entry_classes.Reader}}\n"
    )
    frame = spark.sql(
        "SELECT map('k', v) AS h, array('a', 'b') AS tags, v FROM VALUES ('v'), ('w'), (NULL) AS t(v)"
    )
    found = entry_filters.apply(frame, predicat.load_catalog(tmp_path), "events.read")
    assert [row.v for row in found.collect()] == ["v"]


def test_values_are_those_of_python_where_some_are_absent(spark: Any, tmp_path: Path) -> None:
    """The class raises for a value of another type, and then its row is not accepted."""
    (tmp_path / "events.yml").write_text(
        "apiVersion: predicat/v1\ndataset: events\n"
        "fields: {i: bigint, n: int, d: double, s: string, b: boolean, t: timestamp}\n"
        "filters: {typed: {python: tests.entry_classes.Typed}}\n"
    )
    rows = "(1L, 2, 0.5D, 'x', true, timestamp '2024-01-01'), (1L, null, double('NaN'), null, null, null)"
    catalog = predicat.load_catalog(tmp_path)
    for chosen in (rows, rows.split("), ", maxsplit=1)[0] + ")"):
        frame = spark.sql(f"SELECT * FROM VALUES {chosen} AS t(i, n, d, s, b, t)")
        found = entry_filters.apply(frame, catalog, "events.typed")
        assert found.count() == frame.count()


def test_a_stream(spark: Any, catalog: predicat.Catalog, tmp_path: Path) -> None:
    frame = spark.createDataFrame([tuple(row.values()) for row in ROWS], SCHEMA)
    frame.write.parquet(str(tmp_path / "rows"))
    stream = spark.readStream.schema(SCHEMA).parquet(str(tmp_path / "rows"))
    query = (
        entry_filters.apply(stream, catalog, "events.chain", subscription="desk")
        .writeStream.format("memory")
        .queryName("entries")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    assert sorted(row.id for row in spark.table("entries").collect()) == in_python(catalog, "events.chain")


def test_a_class_that_is_not_there_is_an_error_before_the_query(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "events.yml").write_text(CATALOG.replace("tests.entry_classes.Wrong", "tests.absent.Wrong"))
    catalog = predicat.load_catalog(tmp_path)
    with pytest.raises(PredicatError, match=r"tests\.absent\.Wrong cannot be loaded: ModuleNotFoundError"):
        entry_filters.apply(spark.range(1), catalog, "events.wrong")
