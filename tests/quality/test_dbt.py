"""The bounds of a catalog in a real dbt: they end as `quality run` says, and store the failing rows."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import predicat
from predicat.exporting.dbt_targets import TARGETS
from predicat.exporting.targets import DBT_ADAPTERS
from predicat.quality.bounds import judge
from predicat.quality.checks import declared
from predicat.quality.engines import on_duckdb
from predicat.quality.plan import plan
from tests.exporting.written import dbt_package
from tests.processes import completed
from tests.venvs import DBT_PACKAGES, environment

CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: {duckdb: main.orders, postgres: public.orders}
fields: {id: bigint, country: string, total: int, day: date, at: timestamp}
rows: {at_least: 5, at_most: {warn: 8, error: 100}, drift: 10%}
freshness: {column: at, at_most: {warn: 1 day, error: 3 days}}
filters:
  german:
    sql: country = 'DE'
    coverage: {at_least: 50%, at_most: 90%, unknown_at_most: {warn: 10%, error: 40%}}
  large:
    sql: total > :least
    params: {least: {type: bigint, default: 50}}
    coverage: {at_most: 3, at_least: 1}
  small: {sql: total < 90, coverage: {at_most: {value: 10%, severity: warn}, anomaly: 1%}}
  recent: {sql: "day >= DATE '2026-01-01'", coverage: {at_least: 100%}}
  open: {sql: country <> 'DE' OR total IS NULL, on_unknown: accept, coverage: {at_most: 30%}}
  from_day: {sql: "id > :k", params: {k: bigint}, coverage: {at_least: 1}}
groups:
  both: {filters: [large, small], exclusive: true, exhaustive: true, severity: warn}
  one: {filters: [german, open], exclusive: {warn: 0, error: 5}}
jobs:
  nightly:
    owner: data@example.com
    source: {table: orders}
    filters: [german]
    sinks: [{path: "out/{filter}"}]
"""
ROWS = [
    (number, ("DE", "FR", None)[number % 3], None if number == 7 else number * 10, "2026-02-01")
    for number in range(1, 11)
]
NOT_OF_DBT = {"drift", "anomaly", "rows_drift", "rows_anomaly", "freshness", "baseline"}


@pytest.fixture
def catalog(tmp_path: Path) -> predicat.Catalog:
    (tmp_path / "orders.yml").write_text(CATALOG)
    return predicat.load_catalog(tmp_path / "orders.yml")


def data_tests(package: Path) -> dict[str, Any]:
    """The data tests of the package by what they say they are."""
    data = yaml.safe_load((package / "models" / "predicat.yml").read_text())
    tests = [item for source in data["sources"] for item in source["tables"][0]["data_tests"]]
    return {spec["config"]["meta"]["predicat"]: (name, spec) for test in tests for name, spec in test.items()}


def test_every_bound_is_a_test_or_is_left_out_with_a_reason(
    catalog: predicat.Catalog, tmp_path: Path
) -> None:
    _, notes = dbt_package(catalog, tmp_path / "package")
    tests = data_tests(tmp_path / "package")
    name, spec = tests["orders.german unknown_at_most 10%"]
    assert (name, spec["arguments"], spec["config"]["severity"]) == (
        "predicat_filters.filter_unknown", {"filter": "orders.german", "at_most": 0.1}, "warn"
    )  # fmt: skip
    assert tests["orders.german unknown_at_most 40%"][1]["config"]["severity"] == "error"
    assert tests["orders.large at_most 3 rows"][1]["arguments"]["at_most_rows"] == 3
    left_out = {note.split(": ")[1] for note in notes if note.startswith("left out")}
    assert left_out == {"orders rows_drift", "orders.small anomaly", "orders.from_day at_least"}
    dataset = catalog.datasets["orders"]
    every = {item.label for item in declared(dataset, [row.qualified for row in dataset.filters.values()])}
    written = {" ".join(text.split(" ")[:2]) for text in tests}
    assert written == every - left_out - {"orders freshness"}  # which is a property of the source
    data = yaml.safe_load((tmp_path / "package" / "models" / "predicat.yml").read_text())
    (table,) = data["sources"][0]["tables"]
    assert table["config"]["freshness"]["error_after"] == {"count": 4320, "period": "minute"}
    (exposure,) = data["exposures"]
    assert exposure["owner"] == {"email": "data@example.com"}


def project(folder: Path, catalog: predicat.Catalog, profile: dict[str, Any], *targets: str) -> Path:
    """A project of dbt with the package."""
    dbt_package(catalog, folder / "package", targets)
    shop = folder / "shop"
    (shop / "models").mkdir(parents=True)
    (shop / "dbt_project.yml").write_text("name: shop\nversion: 1.0.0\nprofile: shop\n")
    (shop / "packages.yml").write_text(f"packages:\n  - local: {folder / 'package'}\n")
    outputs = {"target": "dev", "outputs": {"dev": profile}}
    (shop / "profiles.yml").write_text(yaml.safe_dump({"shop": outputs}))
    return shop


def dbt(program: Path, folder: Path, *args: str, fails: bool = False) -> str:
    done = completed([str(program / "dbt"), *args, "--profiles-dir", "."], cwd=folder)
    assert (done.returncode != 0) is fails, done.stdout[-3000:] + done.stderr[-2000:]
    return done.stdout


def values() -> str:
    def sql(value: object) -> str:
        return "NULL" if value is None else f"'{value}'" if isinstance(value, str) else str(value)

    rows = ", ".join(f"({', '.join(map(sql, row))})" for row in ROWS)
    return (
        "SELECT CAST(id AS bigint) AS id, CAST(country AS text) AS country, CAST(total AS int) AS total, "
        f"CAST(day AS date) AS day, now() AS at FROM (VALUES {rows}) AS t(id, country, total, day)"
    )


# How dbt says what a check says.
STATUS = {"pass": "pass", "warn": "warn", "fail": "error", "error": "error"}


@pytest.mark.slow
@pytest.mark.parametrize("adapter", ["duckdb", "postgres"])
def test_bounds_end_in_dbt_as_they_do_here(
    catalog: predicat.Catalog, tmp_path: Path, adapter: str, request: pytest.FixtureRequest
) -> None:
    program = environment("dbt", *DBT_PACKAGES)
    file = tmp_path / "rows.parquet"
    duckdb.sql(f"COPY ({values()}) TO '{file}' (FORMAT parquet)")
    if adapter == "duckdb":
        place = tmp_path / "shop.duckdb"
        with duckdb.connect(str(place)) as connection:
            connection.execute(f"CREATE TABLE orders AS {values()}")
        profile: dict[str, Any] = {"type": "duckdb", "path": str(place)}
    else:
        postgres = request.getfixturevalue("postgres")
        postgres.execute(f"DROP TABLE IF EXISTS public.orders; CREATE TABLE public.orders AS {values()}")
        info = postgres.info
        profile = {
            "type": "postgres", "host": info.host, "port": info.port, "user": info.user, "threads": 1,
            "password": info.password or "x", "dbname": info.dbname, "schema": "public",
        }  # fmt: skip
    shop = project(tmp_path, catalog, profile, "duckdb", "postgres")
    dbt(program, shop, "deps")
    dbt(program, shop, "test", "--store-failures", fails=True)
    dbt(program, shop, "source", "freshness")

    manifest = json.loads((shop / "target" / "manifest.json").read_text())
    results = json.loads((shop / "target" / "run_results.json").read_text())["results"] or []
    if not any("test." in item["unique_id"] for item in results):
        pytest.fail("dbt ran no test")
    checks = judge(catalog, on_duckdb(plan(catalog, "orders", (), "duckdb"), str(file)))
    expected = {check.label: check for check in checks}
    ended: dict[str, set[str]] = {}
    for item in results:
        node = manifest["nodes"][item["unique_id"]]
        label = " ".join(node["config"]["meta"]["predicat"].split(" ")[:2])
        ended.setdefault(label, set()).add({"fail": "error"}.get(item["status"], item["status"]))
    worst = {label: max(ends, key=["pass", "warn", "error"].index) for label, ends in ended.items()}
    assert worst == {label: STATUS[expected[label].status] for label in worst} and len(worst) == 13
    assert set(worst.values()) == {"pass", "warn", "error"}


@pytest.mark.slow
def test_the_failing_rows_are_stored(catalog: predicat.Catalog, tmp_path: Path) -> None:
    program = environment("dbt", *DBT_PACKAGES)
    place = tmp_path / "shop.duckdb"
    with duckdb.connect(str(place)) as connection:
        connection.execute(f"CREATE TABLE orders AS {values()}")
    shop = project(tmp_path, catalog, {"type": "duckdb", "path": str(place)}, "duckdb")
    dbt(program, shop, "deps")
    dbt(program, shop, "test", "--store-failures", fails=True)
    dump = tmp_path / "dump.json"
    manifest = json.loads((shop / "target" / "manifest.json").read_text())
    node = next(
        item
        for item in manifest["nodes"].values()
        if item["config"]["meta"].get("predicat") == "orders.large at_most 3 rows"
    )
    script = (
        "import duckdb, json, sys; c = duckdb.connect(sys.argv[1]); "
        "json.dump(sorted(c.sql('select id from ' + sys.argv[2]).fetchall()), open(sys.argv[3], 'w'))"
    )
    done = completed([str(program / "python"), "-c", script, str(place), node["relation_name"], str(dump)])
    assert done.returncode == 0, done.stderr
    assert json.loads(dump.read_text()) == [[6], [8], [9], [10]]


# What `dbt parse` asks of a profile; nothing is connected.
PROFILES: dict[str, dict[str, Any]] = {
    "snowflake": {"account": "a", "user": "u", "password": "p", "database": "d", "schema": "s"},
    "bigquery": {"method": "oauth", "project": "p", "dataset": "d"},
    "redshift": {"host": "h", "port": 5439, "user": "u", "password": "p", "dbname": "d", "schema": "s"},
    "trino": {"method": "none", "host": "h", "port": 8080, "user": "u", "database": "d", "schema": "s"},
    "databricks": {"host": "h", "http_path": "/p", "token": "t", "schema": "s", "catalog": "c"},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("adapter", PROFILES)
def test_dbt_parses_the_package_of_adapters_that_are_not_run(
    catalog: predicat.Catalog, tmp_path: Path, adapter: str
) -> None:
    packages = [f"dbt-{name}" for name in PROFILES]
    program = environment("dbt-parse", DBT_PACKAGES[0], *packages)
    shop = project(tmp_path, catalog, {"type": adapter, **PROFILES[adapter]}, adapter)
    dbt(program, shop, "deps")
    dbt(program, shop, "parse")
    manifest = json.loads((shop / "target" / "manifest.json").read_text())
    tests = [item for item in manifest["nodes"].values() if item["resource_type"] == "test"]
    assert len(tests) == len(data_tests(tmp_path / "package")) > 8
    (exposure,) = manifest["exposures"].values()
    assert exposure["depends_on"]["nodes"] == ["source.predicat_filters.predicat_orders.orders"]


@pytest.mark.slow
def test_the_semantic_layer_has_no_place_for_filters_of_sources(
    catalog: predicat.Catalog, tmp_path: Path
) -> None:
    """Saved queries filter dimensions of semantic models, and dbt takes no source as the model of one."""
    program = environment("dbt", *DBT_PACKAGES)
    profile = {"type": "duckdb", "path": str(tmp_path / "shop.duckdb")}
    shop = project(tmp_path, catalog, profile, "duckdb")
    semantic = {
        "name": "orders", "model": "source('predicat_orders', 'orders')",
        "defaults": {"agg_time_dimension": "day"},
        "entities": [{"name": "order", "type": "primary", "expr": "id"}],
        "dimensions": [{"name": "day", "type": "time", "type_params": {"time_granularity": "day"}}],
    }  # fmt: skip
    (shop / "models" / "semantic.yml").write_text(yaml.safe_dump({"semantic_models": [semantic]}))
    dbt(program, shop, "deps")
    assert "'source' is undefined" in dbt(program, shop, "parse", fails=True)


def test_other_adapters_get_what_means_the_same_there(catalog: predicat.Catalog, tmp_path: Path) -> None:
    assert tuple(TARGETS) == DBT_ADAPTERS
    _, notes = dbt_package(catalog, tmp_path / "a", ["snowflake", "redshift"])
    assert "snowflake is not run: its SQL is read by sqlglot only; read it before you rely on it" in notes
    assert "orders.german on redshift: comparisons of string on redshift were not tried" in " ".join(notes)
    assert not any(" on snowflake: " in note for note in notes)


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("s > 'a'", "the order of strings depends on the collation"),
        ("d > 0.5", "comparisons of double"),
        ("s LIKE 'a%'", "the meaning of"),
        ("length(s) > 3", "the meaning of"),
        ("at >= TIMESTAMP '2026-01-01 00:00:00Z'", "comparisons of timestamp"),
        ('"order" = 3', "order needs quotes"),
        ("own = 3", "the column of own differs by engine"),
        ("n + 1 > 3", "the meaning of"),
        ("day IS NOT NULL AND NOT (n IS NULL)", ""),
        ("NOT (n BETWEEN 1 AND 5 OR s IN ('a', 'it''s')) AND day <> DATE '2026-01-01' AND b", ""),
    ],
)
@pytest.mark.parametrize("adapter", [name for name, target in TARGETS.items() if target.types])
def test_what_may_differ_is_refused(tmp_path: Path, adapter: str, sql: str, reason: str) -> None:
    (tmp_path / "c.yml").write_text(
        yaml.safe_dump(
            {
                "apiVersion": "predicat/v1",
                "dataset": "t",
                "fields": {
                    "n": "bigint", "s": "string", "d": "double", "at": "timestamp", "day": "date",
                    "b": "boolean", "order": "bigint", "own": {"type": "bigint", "column": {"spark": "x"}},
                },
                "filters": {"f": {"sql": sql}},
            }
        )
    )  # fmt: skip
    count, notes = dbt_package(predicat.load_catalog(tmp_path / "c.yml"), tmp_path / "out", [adapter])
    if reason or (adapter == "redshift" and "s IN" in sql):
        assert count == 0 and (reason in notes[-1] or "comparisons of string" in notes[-1])
    else:
        assert (count, len(notes)) == (1, 1)
