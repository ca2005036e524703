"""Columns that have another name where `matches_filter` stands, and rows within rows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import predicat
import predicat_spark
from predicat_spark.settings import settings

CATALOG = """\
apiVersion: predicat/v1
dataset: customers
relation: {spark: customers}
fields:
  country: string
  orders: bigint
  at: "struct<lat: double, lon: double, place: struct<city: string, zip: string>>"
  low: {type: bigint, expression: {spark: "length(code) + 1"}}
filters:
  dach: {description: Near., owner: me@example.com, sql: "country IN ('DE', 'AT', 'CH')"}
  many:
    description: Many.
    owner: me@example.com
    sql: "orders >= :least"
    params: {least: {type: bigint, default: 3}}
  north: {description: North., owner: me@example.com, sql: "at.lat > 50 AND at.place.city <> 'X'"}
  low: {description: Low., owner: me@example.com, sql: "low < 4"}
  inner: {description: A variable., owner: me@example.com, spark: "exists(array(1L, 5L), x -> x > orders)"}
"""


@pytest.fixture(scope="module")
def session(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("given")
    (folder / "customers.yml").write_text(CATALOG)
    predicat_spark.compile_manifest(folder, folder / "manifest.json")
    with settings(spark, {"spark.predicat.manifest": str(folder / "manifest.json")}):
        yield spark


ROWS = """VALUES
  ('DE', 5, array(named_struct('country', 'FR', 'orders', 1L), named_struct('country', 'AT', 'orders', 9L))),
  ('FR', 2, array(named_struct('country', 'FR', 'orders', 2L))), (NULL, NULL, NULL) AS t(land, n, xs)"""


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("matches_filter('dach', country => land)", [True, False, False]),
        ("matches_filter('dach', COUNTRY => land)", [True, False, False]),
        ("NOT matches_filter('dach', country => land)", [False, True, True]),
        ("matches_filter('dach', country => upper(concat('d', 'e')))", [True, True, True]),
        ("matches_filter('dach', country => NULL)", [False, False, False]),
        ("matches_filter('many', orders => n)", [True, False, False]),
        ("matches_filter('many', orders => n, least => 2)", [True, True, False]),
        ("matches_filter('many', orders => n * 2, least => n)", [True, True, False]),
        ("exists(xs, c -> matches_filter('dach', c))", [True, False, None]),
        ("exists(xs, c -> matches_filter('dach', c.country))", [True, False, None]),
        ("exists(xs, c -> matches_filter('dach', country => c.country))", [True, False, None]),
        ("size(filter(xs, c -> matches_filter('many', c, least => 2)))", [1, 1, None]),
        ("forall(xs, c -> matches_filter('many', c, orders => c.orders + n))", [True, True, None]),
        ("exists(array(3L, 9L), x -> matches_filter('inner', orders => x))", [True, True, True]),
        ("exists(array(9L), x -> matches_filter('inner', orders => x))", [False, False, False]),
    ],
)
def test_a_field_under_another_column(session: Any, condition: str, expected: list[Any]) -> None:
    assert [row[0] for row in session.sql(f"SELECT {condition} FROM {ROWS}").collect()] == expected


def test_the_condition_is_pushed_down(session: Any, tmp_path: Path) -> None:
    session.sql(f"SELECT * FROM {ROWS}").write.parquet(str(tmp_path / "t"))
    frame = session.read.parquet(str(tmp_path / "t"))
    by_hand = frame.where("land IN ('DE', 'AT', 'CH')")
    given = frame.where("matches_filter('dach', country => land)")
    assert given.count() == 1 and given.sameSemantics(by_hand)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        (
            "matches_filter('dach')",
            "if it has another name here: matches_filter('customers.dach', country => ...)",
        ),
        (
            "matches_filter('dach', t.*)",
            "if it has another name here: matches_filter('customers.dach', country",
        ),
        ("matches_filter('dach', country => n)", "reads the column 'country' as string, but"),
        (
            "matches_filter('dach', contry => land)",
            "did you mean 'country'?; it has no parameters; its columns: country",
        ),
        ("matches_filter('dach', country => land, country => land)", "given more than once"),
        ("matches_filter('dach', country => land, Country => land)", "given more than once"),
        ("matches_filter('many', orders => cast(rand() * 9 AS bigint))", "differs each time"),
        ("exists(xs, c -> matches_filter('north', c))", "reads the column 'at'"),
    ],
)
def test_what_is_given_wrongly(session: Any, condition: str, said: str) -> None:
    with pytest.raises(Exception, match="PREDICAT_") as caught:
        session.sql(f"SELECT {condition} FROM {ROWS}").collect()
    assert said in str(caught.value), str(caught.value)


def test_a_struct_may_lack_what_the_filter_does_not_read(session: Any) -> None:
    place = "named_struct('lat', 51D, 'place', named_struct('city', 'B'))"
    assert session.sql(f"SELECT matches_filter('north') FROM (SELECT {place} AS at)").head()[0] is True
    for lacks in ("named_struct('lat', 51D)", "named_struct('lat', '5', 'place', named_struct('city', 'B'))"):
        with pytest.raises(Exception, match="PREDICAT_COLUMN_TYPE"):
            session.sql(f"SELECT matches_filter('north') FROM (SELECT {lacks} AS at)").collect()


def test_an_expression_reads_its_columns(session: Any) -> None:
    rows = "VALUES ('ab'), ('abc'), (NULL) AS t(code)"
    found = session.sql(
        f"SELECT matches_filter('low'), matches_filter('low', code => 'a') FROM {rows}"
    ).collect()
    assert [tuple(row) for row in found] == [(True, True), (False, True), (False, True)]
    listed = session.sql(f"SELECT matching_filters('customers', names => array('low')) FROM {rows}").collect()
    assert [list(row[0]) for row in listed] == [["low"], [], []]


def test_expressions_are_counted_and_run(session: Any, tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "codes.yml").write_text(
        "apiVersion: predicat/v1\ndataset: codes\nrelation: {spark: codes}\n"
        "fields:\n  low: {type: bigint, expression: {spark: length(code) + 1}}\n"
        "filters: {low: {sql: low < 4, coverage: {at_least: 10%}}}\n"
        f"jobs:\n  hourly:\n    source: {{table: codes}}\n    filters: [low]\n"
        f"    sinks: [{{rows: accepted, path: '{tmp_path}/out'}}]\n"
    )
    catalog = predicat.load_catalog(tmp_path / "c")
    session.sql("SELECT * FROM VALUES ('ab'), ('abc'), (NULL) AS t(code)").createOrReplaceTempView("codes")
    (check, *_) = predicat_spark.check_coverage(catalog, "codes", "codes")
    assert check.status == "pass" and check.value == pytest.approx(1 / 3)
    predicat_spark.run_job(catalog, predicat_spark.job_of(catalog, "hourly"))
    assert [row.code for row in session.read.parquet(f"{tmp_path}/out").collect()] == ["ab"]


def test_columns_of_python(session: Any) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    frame = session.sql(f"SELECT * FROM {ROWS}")
    found = frame.select(predicat_spark.matches_filter("dach", country=F.col("land"))).collect()
    assert [row[0] for row in found] == [True, False, False]
