"""The examples of pipelines and the dbt package."""

import json
import os
import re
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jinja2
import pyarrow.parquet as pq
import pytest

import predicat
from predicat import backends
from tests.exporting.written import dbt_package
from tests.processes import completed, spark_environment
from tests.quality.test_measure import CATALOG, ROWS
from tests.rounds import rounds
from tests.venvs import DBT_PACKAGES, environment

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.slow
def test_the_pyspark_job(tmp_path: Path, spark: Any) -> None:
    from examples.data import to_parquet

    source = to_parquet(tmp_path / "data")["flights"]
    spark.read.parquet(str(source)).where("dep_delay IS NULL").write.parquet(str(tmp_path / "broken"))
    # in one session
    both = (
        "import sys; from examples.pipelines.pyspark_job import main; print(main(*sys.argv[1:3])); "
        "sys.exit(main(*sys.argv[3:5]))"
    )
    folders = [str(folder) for folder in (source, tmp_path / "out", tmp_path / "broken", tmp_path / "never")]
    done = completed([sys.executable, "-c", both, *folders], cwd=ROOT, env=spark_environment())
    assert done.stdout.splitlines()[-1] == "0", done.stderr
    assert spark.read.parquet(str(tmp_path / "out")).count() == 27059
    assert done.returncode == 1 and "flights.long_delay accepts 0.00% of the rows; at least 1%" in done.stderr
    assert not (tmp_path / "never").exists()


# What the examples need beside their orchestrator.
OWN = ("click", "jinja2", "msgspec", "pyyaml", "rich", "ruamel.yaml<0.20", "sqlglot[c]>=30.30,<31", "duckdb")
MORE = ("cel-expr-python<0.2", "protobuf>=5.26.1", "psycopg[binary]")


def orchestrator(name: str, *packages: str) -> tuple[str, dict[str, str]]:
    """The Python of an environment with an orchestrator, and variables for it to find predicat's sources."""
    programs = environment(name, *packages, *OWN, *MORE)
    sources = os.pathsep.join(str(ROOT / part) for part in ("compiler", "spark_ext", "."))
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return str(programs / "python"), {**os.environ, "PYTHONPATH": sources, "PATH": path}


@pytest.mark.slow
def test_the_dagster_example(tmp_path: Path) -> None:
    """Each filter with bounds is an asset check; one that is broken fails, the others pass."""
    from examples.data import to_parquet

    python, variables = orchestrator("dagster", "dagster")
    file = to_parquet(tmp_path)["flights"]
    late = tmp_path / "late.parquet"
    pq.write_table(pq.read_table(file, filters=[("dep_delay", ">", 120)]), late)
    code = (
        "import json; from examples.pipelines import dagster_assets as a; "
        "job = a.definitions.resolve_implicit_global_asset_job_def(); "
        "done = job.execute_in_process(raise_on_error=False).get_asset_check_evaluations(); "
        "print(json.dumps({item.check_name: item.passed for item in done}))"
    )
    found = []
    for flights in (file, late):
        done = completed(
            [python, "-c", code], cwd=ROOT, env={**variables, "FLIGHTS": str(flights), "DAGSTER_HOME": ""}
        )
        found.append(json.loads((done.stdout.splitlines() or [done.stderr])[-1]))
    assert found[0].keys() == found[1].keys() and set(found[0].values()) == {True}
    assert found[1]["long_delay"] is False


@pytest.mark.slow
def test_the_prefect_example(tmp_path: Path) -> None:
    from examples.data import to_parquet

    python, variables = orchestrator("prefect", "prefect")
    file = to_parquet(tmp_path)["flights"]
    late = tmp_path / "late.parquet"
    pq.write_table(pq.read_table(file, filters=[("dep_delay", ">", 120)]), late)
    home = {**variables, "PREFECT_HOME": str(tmp_path / "prefect")}
    flow = ["-m", "examples.pipelines.prefect_flow"]
    done, failed = (completed([python, *flow, str(each)], cwd=ROOT, env=home) for each in (file, late))
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == str(pq.read_metadata(file).num_rows)
    assert failed.returncode != 0 and "flights.long_delay accepts 100.00% of the rows" in failed.stderr


@pytest.mark.slow
def test_the_airflow_example(tmp_path: Path, postgres: Any) -> None:
    """The whole DAG, as `airflow dags test` runs it: coverage is measured, then the views are there."""
    from examples.data import to_parquet, to_postgres

    python, variables = orchestrator("airflow", "apache-airflow>=3")
    to_parquet(tmp_path / "data")
    to_postgres(postgres, tmp_path / "data")
    info = postgres.info
    dsn = f"host={info.host} port={info.port} user={info.user} dbname={info.dbname}"
    program = tmp_path / "bin" / "predicat"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {python} -m predicat "$@"\n')
    program.chmod(0o755)
    airflow = {
        **variables,
        "AIRFLOW_HOME": str(tmp_path),
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "examples" / "pipelines"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "PATH": f"{program.parent}{os.pathsep}{variables['PATH']}",
        "PREDICAT_DSN": f"{dsn} password={info.password or 'x'}",
    }
    for command in (["db", "migrate"], ["dags", "test", "filters", "2026-01-02"]):
        done = completed([python, "-m", "airflow", *command], env=airflow, cwd=ROOT)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert postgres.execute(
        "SELECT count(*) FROM information_schema.views WHERE table_name LIKE 'flights%'"
    ).fetchone() != (0,)


def test_the_macro_of_the_dbt_package_gives_the_sql_of_each_adapter(tmp_path: Path) -> None:
    """Every filter through Jinja as dbt calls it: what comes out is the SQL, whatever characters it holds."""
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "c.yml").write_text(CATALOG)
    (tmp_path / "catalog" / "d.yml").write_text(
        (
            "apiVersion: predicat/v1\ndataset: odd\nfields: {s: string}\nfilters:\n  f: {sql: \"s = '{{ x "
            "}} {% y %} {# z #} é \U0001f600 \\\\ '\"}\n  low: {sql: s = 'x'}\n"
        )
        .replace("{{ x }}", "{{ '{{ x }}' }}")
        .replace("{% y %}", "{{ '{% y %}' }}")
        .replace("{# z #}", "{{ '{# z #}' }}")
    )
    catalog = predicat.load_catalog(tmp_path / "catalog")
    count, notes = dbt_package(catalog, tmp_path / "out")
    assert count == 7 and [note for note in notes if " on " in note] == []

    macros = Macros(tmp_path / "out", "postgres")
    for row in catalog.filters():
        if not row.current.params:
            for adapter in ("postgres", "spark", "duckdb"):
                sql = Macros(tmp_path / "out", adapter).call("matches_filter", row.qualified)
                assert sql == f"({row.current.predicate.sql(adapter)})" or row.on_unknown == "accept"
                where = backends.dialect(adapter).render(row.row_filter(), condition=True)
                assert Macros(tmp_path / "out", adapter).call("where_filter", row.qualified) == f"({where})"
    with pytest.raises(CompilerError, match="there is no filter 'low' for postgres"):
        macros.call("matches_filter", "low")  # two datasets have it
    assert macros.call("matches_filter", "kind") == "(COALESCE(s = 'x', TRUE))"
    assert macros.call("where_filter", "kind") == "(COALESCE(s = 'x', TRUE))"
    assert macros.call("filter_predicate", "kind") == "(s = 'x')"


class CompilerError(Exception):
    pass


class Returned(Exception):
    pass


class Macros:
    """The macros of the package as dbt calls them: `return` ends a macro with a value."""

    def __init__(self, package: Path, adapter: str) -> None:
        def give(value: Any) -> None:
            raise Returned(value)

        def refuse(message: str) -> None:
            raise CompilerError(message)

        functions = {
            "return": give,
            "exceptions": SimpleNamespace(raise_compiler_error=refuse),
            "target": SimpleNamespace(type=adapter),
            "modules": SimpleNamespace(re=re),
            "predicat_filters": self,
        }
        environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
        self.macros: dict[str, Any] = {}
        for file in (package / "macros").glob("*.sql"):
            self.macros |= vars(environment.from_string(file.read_text(), globals=functions).module)

    def call(self, name: str, *args: Any) -> Any:
        try:
            return self.macros[name](*args)
        except Returned as returned:
            return returned.args[0]

    def __getattr__(self, name: str) -> Any:
        return partial(self.call, name)


DBT = """apiVersion: predicat/v1
dataset: shop
fields: {n: bigint, s: string, d: double, at: timestamp, day: date,
  m: "map<string, string>", xs: "array<bigint>"}
filters:
  least:
    sql: "n >= :k AND d < :limit"
    params: {k: {type: bigint, default: 2}, limit: {type: double, default: 0.5}}
  named: {sql: "s = :s OR s = 'n >= 2'", params: {s: string}}
  since: {sql: "at >= :t AND day = :d", params: {t: timestamp, d: {type: date, default: 2026-01-01}}}
  deep: {cel: 'xs.exists(x, x > n) && m["n"] == s'}
  recent: {sql: "at >= now() - INTERVAL '1' DAY"}
  in_2026: {sql: "year(at) = 2026 AND n + 1 > :k", params: {k: {type: bigint, default: 2}}}
  not_in_2026: {sql: "year(at) <> 2026", on_unknown: accept}
"""


@pytest.mark.parametrize(
    ("name", "alias", "params", "expected"),
    [
        ("least", None, {}, "(n >= 2 AND d < 0.5)"),
        ("recent", "o", {}, "(o.\"at\" >= CURRENT_TIMESTAMP - INTERVAL '24:00:00')"),
        ("least", "o", {"k": -5}, "(o.n >= CAST(-5 AS BIGINT) AND o.d < 0.5)"),
        ("least", "o", {"k": "5"}, "the parameter k takes a value of type BIGINT, not 5"),
        ("least", "o", {"k": True}, "takes a value of type BIGINT, not True"),
        ("least", "o", {"kk": 1}, "shop.least has no parameter 'kk'"),
        ("least", "o; DROP TABLE x", {}, "is not the alias of a table"),
        ("named", "o", {"s": "it's {{ x }} \\"}, "(o.s = 'it''s {{ x }} \\' OR o.s = 'n >= 2')"),
        ("named", "o", {}, "the parameter s takes a value of type TEXT, not None"),
        ("nosuch", None, {}, "there is no filter 'nosuch' for postgres"),
    ],
)
def test_the_dbt_macro_takes_an_alias_and_parameters(
    tmp_path: Path, name: str, alias: str | None, params: dict[str, Any], expected: str
) -> None:
    (tmp_path / "c.yml").write_text(DBT)
    assert dbt_package(predicat.load_catalog(tmp_path / "c.yml"), tmp_path / "out") == (7, [])
    macros = Macros(tmp_path / "out", "postgres")
    if expected.startswith("("):
        assert macros.call("matches_filter", name, alias, params) == expected
    else:
        with pytest.raises(CompilerError, match=re.escape(expected)):
            macros.call("matches_filter", name, alias, params)


def test_an_index_serves_the_macro_for_a_where(tmp_path: Path, postgres: Any) -> None:
    """`where_filter` accepts the same rows as `matches_filter`, and has bounds of the bare column."""
    (tmp_path / "c.yml").write_text(DBT)
    dbt_package(predicat.load_catalog(tmp_path / "c.yml"), tmp_path / "out")
    macros = Macros(tmp_path / "out", "postgres")
    with postgres.transaction(force_rollback=True):
        postgres.execute("CREATE TABLE dbt_rows (n bigint, at timestamptz)")
        postgres.execute(
            "INSERT INTO dbt_rows SELECT n, TIMESTAMPTZ '2020-01-01 00:00:00+00' + n * INTERVAL '1 day' "
            "FROM generate_series(0, 4000) AS n UNION ALL VALUES (NULL, NULL), (5, NULL), "
            "(NULL, TIMESTAMPTZ '2026-07-01 00:00:00+00'), (9223372036854775807, '2026-07-01 00:00:00+00')"
        )
        postgres.execute("CREATE INDEX ON dbt_rows (at); ANALYZE dbt_rows")
        for name, count in (("in_2026", 365), ("not_in_2026", 3638)):
            plans = []
            for macro in ("matches_filter", "where_filter"):
                query = f"SELECT count(*) FROM dbt_rows AS o WHERE {macros.call(macro, name, 'o')}"
                assert postgres.execute(query).fetchone() == (count,)
                plans.append("\n".join(line for (line,) in postgres.execute(f"EXPLAIN {query}")))
            assert ["Index Cond" in plan for plan in plans] == [False, name == "in_2026"]
        where = macros.call("where_filter", "in_2026", "o", {"k": 2**62})
        assert "Index Cond" in "\n".join(
            line for (line,) in postgres.execute(f"EXPLAIN SELECT * FROM dbt_rows AS o WHERE {where}")
        )


def test_columns_of_every_filter_belong_to_the_alias(tmp_path: Path) -> None:
    """The reference catalog: without the alias's prefix, the SQL is that without an alias."""
    dbt_package(predicat.load_catalog(ROOT / "catalog"), tmp_path)
    for adapter in ("postgres", "spark", "duckdb"):
        macros = Macros(tmp_path, adapter)
        for row in rounds(predicat.load_catalog(ROOT / "catalog").filters(), 50):
            if not any(decl.required for decl in row.current.params.values()):
                for macro in ("matches_filter", "where_filter"):
                    sql = macros.call(macro, row.qualified, "_a_")
                    assert sql.count("_a_.") > 0
                    assert sql.replace("_a_.", "") == macros.call(macro, row.qualified)


@pytest.mark.slow
def test_a_real_dbt(tmp_path: Path, postgres: Any) -> None:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "c.yml").write_text(CATALOG)
    dbt_package(predicat.load_catalog(tmp_path / "catalog"), tmp_path / "package")
    dbt = str(environment("dbt", *DBT_PACKAGES) / "dbt")
    with postgres.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS public.shop CASCADE")
        cursor.execute("CREATE TABLE public.shop (n bigint, s text)")
        cursor.executemany("INSERT INTO public.shop VALUES (%s, %s)", ROWS)
    info = postgres.info
    project = tmp_path / "project"
    (project / "models").mkdir(parents=True)
    (project / "dbt_project.yml").write_text(
        "name: shop\nversion: 1.0.0\nprofile: shop\nmodel-paths: [models]\n"
    )
    (project / "packages.yml").write_text(f"packages:\n  - local: {tmp_path / 'package'}\n")
    (project / "profiles.yml").write_text(
        f"shop: {{target: dev, outputs: {{dev: {{type: postgres, host: '{info.host}', port: "
        f"{info.port}, user: '{info.user}', password: '{info.password or 'x'}', dbname: "
        f"'{info.dbname}', schema: public, threads: 1}}}}}}\n"
    )
    (project / "models" / "low_rows.sql").write_text(
        "select o.* from public.shop o where {{ predicat_filters.matches_filter('low', alias='o') }}\n"
    )
    (project / "models" / "low_where.sql").write_text(
        "select o.* from public.shop o where {{ predicat_filters.where_filter('low', alias='o') }}\n"
    )
    (project / "models" / "schema.yml").write_text(
        "version: 2\nmodels:\n  - name: low_rows\n    tests:\n      - "
        "predicat_filters.filter_coverage: {filter: low, at_least: 1}\n      - "
        "predicat_filters.filter_unknown: {filter: low}\n"
        "      - predicat_filters.filter_coverage: {filter: asked, params: {k: 0}}\n"
    )
    (project / "models" / "none.sql").write_text("select * from public.shop where n > 1000\n")
    (project / "models" / "none.yml").write_text(
        "version: 2\nmodels:\n  - name: none\n    tests:\n      - predicat_filters.filter_coverage: "
        "{filter: low, at_least: 0.1}\n"
    )
    for step in (["deps"], ["run"], ["test", "--exclude", "none", "package:predicat_filters"]):
        done = completed([dbt, *step, "--profiles-dir", "."], cwd=project)
        assert done.returncode == 0, done.stdout
    empty = completed([dbt, "test", "--select", "none", "--profiles-dir", "."], cwd=project)
    assert empty.returncode == 1 and "FAIL 1" in empty.stdout, empty.stdout
    expected = sum(n is not None and n < 3 for n, _ in ROWS)
    for model in ("low_rows", "low_where"):
        assert postgres.execute(f"SELECT count(*) FROM public.{model}").fetchone() == (expected,)
