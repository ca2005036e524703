"""Conditions in files of other tools: each tool counts the rows that the evaluator accepts."""

import json
import os
import random
import re
import shutil
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import predicat
from predicat.diagnostics import PredicatError
from tests.exporting.written import asked, texts, write
from tests.processes import completed
from tests.venvs import DBT_PACKAGES, environment

CATALOG = r"""apiVersion: predicat/v1
dataset: orders
relation: {postgres: shop.orders, duckdb: main.orders, spark: shop.orders}
fields:
  id: bigint
  status: string
  amount: double
  paid: boolean
  day: date
  note: {type: string, column: "Order Note"}
filters:
  active: {description: Active ones, sql: "status = 'active'"}
  other: {sql: "status <> 'active' OR amount > 10"}
  quoted: {description: "With {braces}", sql: "note LIKE '%it''s \"q\" 100\\%%' OR note = '${a}' AND id < 0"}
  unpaid: {sql: "paid IS NOT TRUE AND day >= '2024-01-15'", coverage: {at_least: 2, at_most: 190}}
  big: {sql: "amount > 50", on_unknown: accept}
  few: {sql: "id IN (1, 3, 5)", coverage: {at_most: 3}}
  old:
    latest: 2
    coverage: {at_least: {value: 1, severity: warn}}
    versions: {1: {sql: "amount < 5"}, 2: {sql: "amount < 5 AND NOT paid"}}
"""
# What a tool would take as its own, of no use in a count.
SAID = CATALOG.replace(" OR note = '${a}' AND id < 0", "")
NAMES = ("active", "other", "quoted", "unpaid", "big", "few", "old", "old@1")


def rows() -> list[dict[str, Any]]:
    source = random.Random(3)
    return [
        {
            "id": at,
            "status": source.choice(["active", "x", None]),
            "amount": source.choice([None, 1.0, 20.0, 80.0, float("nan")]),
            "paid": source.choice([True, False, None]),
            "day": source.choice([None, date(2024, 1, 1) + timedelta(days=at)]),
            "note": source.choice(['it\'s "q" 100% x', "plain", None, "{{ x }}"]),
        }
        for at in range(200)
    ]


ROWS = rows()


@pytest.fixture
def catalog(tmp_path: Path) -> predicat.Catalog:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(SAID)
    return predicat.load_catalog(tmp_path / "catalog")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A file of DuckDB, in the format that old releases read."""
    path = tmp_path / "shop.duckdb"
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{path}' AS shop (STORAGE_VERSION 'v1.0.0'); USE shop")
        connection.execute(
            "CREATE TABLE orders (id bigint, status varchar, amount double, paid boolean, day date, "
            '"Order Note" varchar)'
        )
        connection.executemany(
            "INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)", [list(row.values()) for row in ROWS]
        )
    return path


def expected(catalog: predicat.Catalog) -> dict[str, int]:
    """The number of accepted rows of each filter, by its name in SQL."""
    of = asked(catalog, *NAMES)
    accepted = {row.identifier: row for row in of.rows}
    return {
        name: sum(
            predicat.Predicate(row.node, "sql", written=row.written).evaluate(values) is True
            for values in ROWS
        )
        for name, row in accepted.items()
    }


def written(target: str, catalog: predicat.Catalog, *names: str, **settings: Any) -> dict[str, str]:
    made = texts(target, asked(catalog, *(names or NAMES), **{"dialect": "duckdb", **settings}))
    return {text.path: text.body for text in made}


def counted(database: Path, conditions: Mapping[str, str]) -> dict[str, int]:
    with duckdb.connect(str(database), read_only=True) as connection:
        return {
            name: connection.execute(f"SELECT count(*) FROM orders WHERE {sql}").fetchone()[0]  # type: ignore[index]
            for name, sql in conditions.items()
        }


def test_the_conditions_of_each_file_count_the_same_rows(catalog: predicat.Catalog, database: Path) -> None:
    wanted = expected(catalog)
    assert len(set(wanted.values())) == len(wanted) and all(wanted.values())
    soda = yaml.safe_load(written("soda", catalog)["orders.yml"])
    assert list(soda)[-2:] == ["filter main.orders [old]", "filter main.orders [old_v1]"]
    assert counted(database, {str(at): one["where"] for at, one in enumerate(soda.values())}) == {
        str(at): count for at, count in enumerate(wanted.values())
    }
    (cube,) = yaml.safe_load(written("cube", catalog)["orders.yml"])["cubes"]
    segments = {f"orders__{one['name']}".replace("old_v1", "old__v1"): one["sql"] for one in cube["segments"]}
    own = {name: sql.replace("{CUBE}", "orders") for name, sql in segments.items()}
    assert counted(database, own) == wanted and cube["sql_table"] == "main.orders"
    assert [one.get("description") for one in cube["segments"]][:3] == ["Active ones", None, None]
    assert counted(database, yaml.safe_load(written("dbt_where", catalog)["vars.yml"])["vars"]) == wanted
    (schema,) = yaml.safe_load(written("odcs", catalog)["orders.odcs.yaml"])["schema"]
    rules = {one["id"]: one for one in schema["quality"]}
    assert (
        counted(database, {name: one["query"].partition(" WHERE ")[2] for name, one in rules.items()})
        == wanted
    )
    assert rules["orders__unpaid"]["mustBeBetween"] == [2, 190]
    assert rules["orders__few"]["mustBeLessOrEqualTo"] == 3
    assert rules["orders__old"]["mustBeGreaterOrEqualTo"] == 0
    names = [name for name in NAMES if name not in ("quoted", "unpaid")]
    filters = written("metricflow", catalog, *names, entity="order")
    plain = {
        f"orders__{path.split('.')[1]}": re.sub(r"\{\{ Dimension\('order__(\w+)'\) \}\}", r"\1", text)
        for path, text in filters.items()
        if not path.endswith("v1.jinja")
    }
    assert len(plain) == 5 and counted(database, plain) == {name: wanted[name] for name in plain}


@pytest.mark.parametrize(
    ("target", "name", "reason"),
    [
        ("soda", "quoted", "has '${', which the tool would take as a template of its own"),
        ("cube", "quoted", "has '{', which the tool would take"),
        ("metricflow", "quoted", "reads 'Order Note', and a dimension of MetricFlow has"),
        ("metricflow", "unpaid", "reads 'day', and a dimension"),
        ("iceberg", "quoted", "iceberg does not support"),
    ],
)
def test_what_a_tool_would_change_is_refused(tmp_path: Path, target: str, name: str, reason: str) -> None:
    (tmp_path / "orders.yml").write_text(CATALOG)
    with pytest.raises(PredicatError, match=re.escape(reason)):
        written(target, predicat.load_catalog(tmp_path), name, entity="order")


@pytest.mark.parametrize("target", ["soda", "dbt_where", "cube", "odcs", "iceberg", "gx"])
def test_two_filters_of_one_name_are_refused(tmp_path: Path, target: str) -> None:
    twin = {"dbt_where": "old__v1"}.get(target, "old_v1")
    (tmp_path / "orders.yml").write_text(CATALOG + f"  {twin}: {{sql: id = 1}}\n")
    with pytest.raises(PredicatError, match=f"orders.old@1 and orders.{twin} would both be"):
        written(target, predicat.load_catalog(tmp_path), twin, "few", "old@1")


def test_a_table_is_needed(tmp_path: Path) -> None:
    (tmp_path / "orders.yml").write_text(CATALOG.replace("duckdb: main.orders, ", ""))
    with pytest.raises(PredicatError, match="'orders' names no table: it has no duckdb relation"):
        written("soda", predicat.load_catalog(tmp_path), "active")


def test_expressions_of_iceberg_by_name(catalog: predicat.Catalog) -> None:
    (body,) = written("iceberg", catalog, "active", "few", "old@1").values()
    forms = json.loads(body)["expressions"]
    assert forms["few"] == {"type": "in", "term": "id", "values": [1, 3, 5]}
    assert list(forms) == ["active", "few", "old_v1"]


def made(target: str, catalog: predicat.Catalog, out: Path) -> None:
    write(target, catalog, out, texts(target, asked(catalog, *NAMES, dialect="duckdb")))


@pytest.mark.slow
def test_soda_counts_the_same_rows(catalog: predicat.Catalog, database: Path, tmp_path: Path) -> None:
    soda = environment("soda", "soda-core-duckdb>=3.5.6,<4") / "soda"
    made("soda", catalog, tmp_path)
    names = [name.replace("@", "_v") for name in NAMES]
    checks = "".join(f"checks for main.orders [{name}]:\n  - row_count >= 0\n" for name in names)
    (tmp_path / "scan.yml").write_text((tmp_path / "orders.yml").read_text() + checks)
    (tmp_path / "configuration.yml").write_text(f"data_source duck:\n  type: duckdb\n  path: {database}\n")
    (tmp_path / ".soda").mkdir()
    (tmp_path / ".soda" / "config.yml").write_text("send_anonymous_usage_stats: false\n")
    call = [str(soda), "scan", "-d", "duck", "-c", "configuration.yml", "scan.yml", "-srf", "result.json"]
    done = completed(call, cwd=tmp_path, env={**os.environ, "HOME": str(tmp_path)})
    assert done.returncode == 0, done.stdout
    result = json.loads((tmp_path / "result.json").read_text())
    found = {
        re.findall(r"\[(\w+)\]", one["definition"])[0]: one["diagnostics"]["value"]
        for one in result["checks"]
    }
    assert found == dict(zip(names, expected(catalog).values(), strict=True))


@pytest.mark.slow
def test_datacontract_counts_the_same_rows(catalog: predicat.Catalog, database: Path, tmp_path: Path) -> None:
    datacontract = environment("datacontract", "datacontract-cli[duckdb]>=1.2") / "datacontract"
    made("odcs", catalog, tmp_path)
    server = f"servers:\n- {{server: local, type: duckdb, database: {database}, schema: main}}\n"
    contract = tmp_path / "orders.odcs.yaml"
    contract.write_text(contract.read_text() + server)
    call = [str(datacontract), "test", str(contract), "--output", "result.json", "--output-format", "json"]
    done = completed(call, cwd=tmp_path, env={**os.environ, "HOME": str(tmp_path)})
    assert done.returncode == 0, done.stdout
    result = json.loads((tmp_path / "result.json").read_text())
    found = {one["qualityId"]: one["diagnostics"]["value"] for one in result["checks"]}
    assert found == expected(catalog)


@pytest.mark.slow
def test_dbt_counts_the_same_rows(catalog: predicat.Catalog, database: Path, tmp_path: Path) -> None:
    dbt = environment("dbt", *DBT_PACKAGES) / "dbt"
    project = tmp_path / "project"
    (project / "tests" / "generic").mkdir(parents=True)
    (project / "models").mkdir()
    made("dbt_where", catalog, tmp_path)
    (project / "dbt_project.yml").write_text(
        "name: shop\nversion: 1.0.0\nprofile: shop\n" + (tmp_path / "vars.yml").read_text()
    )
    (project / "profiles.yml").write_text(
        f"shop: {{target: dev, outputs: {{dev: {{type: duckdb, path: '{database}', schema: main}}}}}}\n"
    )
    (project / "tests" / "generic" / "rows.sql").write_text(
        "{% test rows(model) %} select * from {{ model }} {% endtest %}\n"
    )
    wanted = expected(catalog)
    tests = [
        {"rows": {"name": name, "config": {"where": f"{{{{ var('{name}') }}}}", "severity": "warn"}}}
        for name in wanted
    ]
    source = {"name": "shop", "schema": "main", "tables": [{"name": "orders", "data_tests": tests}]}
    (project / "models" / "sources.yml").write_text(yaml.safe_dump({"version": 2, "sources": [source]}))
    done = completed([str(dbt), "test", "--profiles-dir", "."], cwd=project)
    assert done.returncode == 0, done.stdout
    results = json.loads((project / "target" / "run_results.json").read_text())["results"]
    assert {one["unique_id"].split(".")[2]: one["failures"] for one in results} == wanted


@pytest.mark.slow
def test_metricflow_reads_the_dimensions(catalog: predicat.Catalog) -> None:
    python = environment("dbt", *DBT_PACKAGES) / "python"
    read = (
        "import json, sys; from dbt_semantic_interfaces.implementations.filters.where_filter import "
        "PydanticWhereFilter as Filter; print(json.dumps([[one.dimension_reference.element_name for one in "
        "Filter(where_sql_template=text).call_parameter_sets([]).dimension_call_parameter_sets] "
        "for text in json.load(sys.stdin)]))"
    )
    filters = written("metricflow", catalog, "other", "big", "old", entity="order")
    done = completed([str(python), "-c", read], input=json.dumps(list(filters.values())))
    assert json.loads(done.stdout) == [["status", "amount"], ["amount"], ["amount", "paid"]], done.stderr


CUBE = """
const { prepareCompiler, PostgresQuery } = require('@cubejs-backend/schema-compiler');
const fs = require('fs');
const [names, ...paths] = process.argv.slice(2);
const files = paths.map(path => ({ fileName: path, content: fs.readFileSync(path, 'utf8') }));
const repository = { localPath: () => '/', dataSchemaFiles: async () => files };
const { compiler, joinGraph, cubeEvaluator } = prepareCompiler(repository, { adapter: 'postgres' });
compiler.compile().then(() => {
  const sql = segment => new PostgresQuery({ joinGraph, cubeEvaluator, compiler }, {
    measures: ['orders.count'], segments: [`orders.${segment}`], timezone: 'UTC',
  }).buildSqlAndParams();
  console.log(JSON.stringify(names.split(',').map(sql)));
}).catch(error => { console.error(error); process.exit(1); });
"""
# The last release that needs no program of its own for YAML.
CUBE_COMPILER = "@cubejs-backend/schema-compiler@0.33.65"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed: Cube is not run")
def test_cube_counts_the_same_rows(catalog: predicat.Catalog, database: Path, tmp_path: Path) -> None:
    made("cube", catalog, tmp_path)
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / "cube.js").write_text(CUBE)
    measures = [{"name": "count", "type": "count"}]
    own = {"cubes": [{"name": "orders", "extends": "orders_filters", "measures": measures}]}
    (tmp_path / "own.yml").write_text(yaml.safe_dump(own))
    install = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", CUBE_COMPILER]
    done = completed(install, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    names = ",".join(name.replace("@", "_v") for name in NAMES)
    done = completed(["node", "cube.js", names, "orders.yml", "own.yml"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with duckdb.connect(str(database), read_only=True) as connection:
        found = [connection.execute(sql, params).fetchall()[0][0] for sql, params in json.loads(done.stdout)]
    assert found == list(expected(catalog).values())
