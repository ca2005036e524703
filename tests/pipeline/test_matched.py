"""One sink for the rows of many filters: each row once for every filter that accepts it."""

import random
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat_spark.pipeline import Job, Options, Report, Sink, Source, run_job
from predicat_spark.pipeline.events import prometheus
from predicat_spark.pipeline.report import table

COUNT = 230
FIELDS = "id bigint, country string, amount double"
COUNTRIES = ["DE", "FR", "US", "IT", None]


def conditions() -> list[str]:
    """An equality and a range, a range, an OR, texts, UNKNOWN that is accepted."""
    rng = random.Random(5)
    found: list[str] = []
    for number in range(COUNT):
        country, low = rng.choice(COUNTRIES[:-1]), rng.randrange(900)
        shapes = [
            f"country = '{country}' AND amount > {low}",
            f"amount BETWEEN {low} AND {low + 5}",
            f"country = '{country}' OR amount < {low / 50}",
            f"NOT country = '{country}' AND id % 7 = {number % 7}",
        ]
        found.append(shapes[number % 4])
    return found


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> predicat.Catalog:
    folder = tmp_path_factory.mktemp("catalog")
    filters = [
        f"  f{number}: {{sql: {text!r}{', on_unknown: accept' if number % 5 == 0 else ''}}}"
        for number, text in enumerate(conditions())
    ]
    lines = [
        "apiVersion: predicat/v1",
        "dataset: orders",
        "fields: {id: bigint, country: string, amount: double}",
        "subscriptions:",
        *(f"  s{number}: {{filter: f{number}}}" for number in range(COUNT)),
        "filters:",
        *filters,
    ]
    (folder / "c.yml").write_text("\n".join(lines) + "\n")
    return predicat.load_catalog(folder)


def rows() -> list[tuple[int, str | None, float | None]]:
    rng = random.Random(9)
    return [
        (number, rng.choice(COUNTRIES), None if number % 11 == 0 else float(rng.randrange(1000)))
        for number in range(400)
    ]


@pytest.fixture(scope="module")
def source(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source") / "in"
    spark.createDataFrame(rows(), FIELDS).repartition(3).write.parquet(str(folder))
    return folder


@pytest.fixture(scope="module")
def expected(catalog: predicat.Catalog) -> set[tuple[str, int]]:
    """The reference: each subscription asked for each row."""
    matcher = predicat.Matcher(catalog, "orders", subscriptions=True)
    names = ("id", "country", "amount")
    return {(name, row[0]) for row in rows() for name in matcher.match(dict(zip(names, row, strict=True)))}


def dispatch(catalog: predicat.Catalog, source: Path, *sinks: Sink, **more: Any) -> Report:
    job = Job("", "orders", Source(paths=(str(source),)), (), sinks, every="subscriptions", **more)
    return run_job(catalog, job, Options(master="local[2]"))


def pairs(frame: Any) -> list[tuple[str, int]]:
    return [(row["filter"], row["id"]) for row in frame.select("filter", "id").collect()]


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param((), id="flat"),
        pytest.param(("filter",), id="filter"),
        pytest.param(("country", "filter"), id="both", marks=pytest.mark.slow),  # a thousand folders
    ],
)
def test_the_rows_are_those_of_the_evaluator(
    spark: Any,
    catalog: predicat.Catalog,
    source: Path,
    tmp_path: Path,
    expected: set[tuple[str, int]],
    parts: tuple[str, ...],
) -> None:
    """Also with more folders than a task has open files; then each folder has one file of a task."""
    report = dispatch(
        catalog,
        source,
        Sink("path", str(tmp_path / "out"), partition_by=parts, rows="matched"),
        Sink("path", str(tmp_path / "rest"), rows="unmatched"),
    )
    found = pairs(spark.read.parquet(str(tmp_path / "out")))
    assert len(found) == len(expected)
    assert set(found) == expected
    taken = {number for _, number in expected}
    rest = {row["id"] for row in spark.read.parquet(str(tmp_path / "rest")).collect()}
    assert rest == {number for number, *_ in rows()} - taken
    assert report.rows == report.rows_read == len(rows())
    assert {row.name: row.counts for row in report.filters} == {
        f"s{number}": {"accepted": sum(name == f"s{number}" for name, _ in expected)}
        for number in range(COUNT)
    }
    if parts:
        folders = {file.parent for file in (tmp_path / "out").rglob("*.parquet")}
        assert len(folders) > 200
        assert all(len(list(folder.glob("part-00000-*.parquet"))) <= 1 for folder in folders)


def test_a_table_and_the_report(
    spark: Any, catalog: predicat.Catalog, source: Path, tmp_path: Path, expected: set[tuple[str, int]]
) -> None:
    name = "dispatched_orders"
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    try:
        report = dispatch(catalog, source, Sink("table", name, rows="matched"), state=str(tmp_path / "state"))
        assert set(pairs(spark.table(name))) == expected
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {name}")
    shown = table(report)
    assert f"... and {COUNT - 200} more, which accept fewer rows" in shown
    assert 'filter="s1",version="1",outcome="accepted"' in prometheus(report)
    assert 'outcome="rejected"' not in prometheus(report)


def test_what_is_refused(spark: Any, catalog: predicat.Catalog, source: Path, tmp_path: Path) -> None:
    out = Sink("path", str(tmp_path / "out"), rows="matched")
    with pytest.raises(predicat.PredicatError, match="rows: matched looks filters up in an index"):
        dispatch(catalog, source, out, Sink("path", str(tmp_path / "{filter}")))
    with pytest.raises(predicat.PredicatError, match="rows: matched looks filters up in an index"):
        dispatch(catalog, source, out, passes="many")
    with pytest.raises(predicat.PredicatError, match="matched rows do not belong to a single filter"):
        dispatch(catalog, source, Sink("path", str(tmp_path / "{filter}"), rows="matched"))
    named = tmp_path / "named"
    spark.createDataFrame(rows(), FIELDS).selectExpr("*", "'x' AS filter").write.parquet(str(named))
    with pytest.raises(predicat.PredicatError, match="get a column 'filter', but the source already has one"):
        dispatch(catalog, named, out)
