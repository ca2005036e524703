"""The examples of pipelines and the dbt package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jinja2
import pytest

import predicat
from predicat.deploy.dbt import export
from tests.quality.test_measure import CATALOG, ROWS

ROOT = Path(__file__).parent.parent.parent


def test_the_pyspark_job(tmp_path: Path, spark: Any) -> None:
    from examples.data import to_parquet

    source = to_parquet(tmp_path / "data")["flights"]
    spark.read.parquet(str(source)).where("dep_delay IS NULL").write.parquet(str(tmp_path / "broken"))
    both = "import sys; from examples.pipelines.pyspark_job import main; print(main(*sys.argv[1:3])); sys.exit(main(*sys.argv[3:5]))"  # in one session
    folders = [str(folder) for folder in (source, tmp_path / "out", tmp_path / "broken", tmp_path / "never")]
    done = subprocess.run([sys.executable, "-c", both, *folders], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "0", done.stderr
    assert spark.read.parquet(str(tmp_path / "out")).count() == 27059
    assert done.returncode == 1 and "flights.long_delay accepts 0.00% of the rows; at least 1%" in done.stderr
    assert not (tmp_path / "never").exists()


def test_the_dagster_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("dagster")
    from examples.data import to_parquet

    monkeypatch.setenv("FLIGHTS", str(to_parquet(tmp_path)["flights"]))
    monkeypatch.chdir(ROOT)
    from examples.pipelines import dagster_assets

    found = dagster_assets.definitions.resolve_implicit_global_asset_job_def().execute_in_process()
    assert [check.passed for check in found.get_asset_check_evaluations()] == [True]


def test_the_airflow_example(tmp_path: Path, postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole DAG, as `airflow dags test` runs it: coverage is measured, then the views are there."""
    pytest.importorskip("airflow")
    from examples.data import to_parquet, to_postgres

    to_parquet(tmp_path / "data")
    to_postgres(postgres, tmp_path / "data")
    info = postgres.info
    environment = {**os.environ, "AIRFLOW_HOME": str(tmp_path), "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "examples" / "pipelines"),
                   "AIRFLOW__CORE__LOAD_EXAMPLES": "False", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                   "PREDICAT_DSN": f"host={info.host} port={info.port} user={info.user} dbname={info.dbname} password={info.password or 'x'}"}  # fmt: skip
    for command in (["db", "migrate"], ["dags", "test", "filters", "2026-01-02"]):
        done = subprocess.run([sys.executable, "-m", "airflow", *command], env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert postgres.execute("SELECT count(*) FROM information_schema.views WHERE table_name LIKE 'flights%'").fetchone() != (0,)


def test_the_macro_of_the_dbt_package_gives_the_sql_of_each_adapter(tmp_path: Path) -> None:
    """Every filter through Jinja as dbt calls it: what comes out is the SQL, whatever characters it holds."""
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "c.yml").write_text(CATALOG)
    (tmp_path / "catalog" / "d.yml").write_text(
        "apiVersion: predicat/v1\ndataset: odd\nfields: {s: string}\nfilters:\n  f: {sql: \"s = '{{ x }} {% y %} {# z #} é \U0001f600 \\\\ '\"}\n  low: {sql: s = 'x'}\n".replace("{{ x }}", "{{ '{{ x }}' }}").replace("{% y %}", "{{ '{% y %}' }}").replace("{# z #}", "{{ '{# z #}' }}"))  # fmt: skip
    catalog = predicat.load_catalog(tmp_path / "catalog")
    count, notes = export(catalog, tmp_path / "out")
    assert count == 6 and notes == ["shop.asked: a parameter has no default"]

    class Returned(Exception):
        pass

    def give(value: Any) -> None:
        raise Returned(value)

    module = jinja2.Environment().from_string((tmp_path / "out/macros/predicat_sql.sql").read_text(), globals={"return": give}).module
    for row in catalog.filters():
        if not row.current.params:
            for adapter in ("postgres", "spark", "duckdb"):
                with pytest.raises(Returned) as caught:
                    module.predicat_sql(row.qualified, adapter)
                wanted = row.current.predicate.sql(adapter)
                assert caught.value.args[0] == (wanted if row.on_unknown == "reject" else caught.value.args[0])
    with pytest.raises(Returned) as caught:
        module.predicat_sql("low", "postgres")  # two datasets have it
    assert caught.value.args[0] is None


@pytest.mark.skipif(shutil.which("dbt") is None, reason="dbt is not installed")
def test_a_real_dbt(tmp_path: Path, postgres: Any) -> None:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "c.yml").write_text(CATALOG)
    export(predicat.load_catalog(tmp_path / "catalog"), tmp_path / "package")
    with postgres.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS public.shop CASCADE")
        cursor.execute("CREATE TABLE public.shop (n bigint, s text)")
        cursor.executemany("INSERT INTO public.shop VALUES (%s, %s)", ROWS)
    info = postgres.info
    project = tmp_path / "project"
    (project / "models").mkdir(parents=True)
    (project / "dbt_project.yml").write_text("name: shop\nversion: 1.0.0\nprofile: shop\nmodel-paths: [models]\n")
    (project / "packages.yml").write_text(f"packages:\n  - local: {tmp_path / 'package'}\n")
    (project / "profiles.yml").write_text(
        f"shop: {{target: dev, outputs: {{dev: {{type: postgres, host: '{info.host}', port: {info.port}, user: '{info.user}', password: '{info.password or 'x'}', dbname: '{info.dbname}', schema: public, threads: 1}}}}}}\n")  # fmt: skip
    (project / "models" / "low_rows.sql").write_text("select * from public.shop where {{ predicat_filters.matches_filter('low') }}\n")
    (project / "models" / "schema.yml").write_text(
        "version: 2\nmodels:\n  - name: low_rows\n    tests:\n      - predicat_filters.filter_coverage: {filter: low, at_least: 1}\n      - predicat_filters.filter_unknown: {filter: low}\n")
    for step in ("deps", "run", "test"):
        done = subprocess.run(["dbt", step, "--profiles-dir", "."], cwd=project, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
    expected = sum(n is not None and n < 3 for n, _ in ROWS)
    assert postgres.execute("SELECT count(*) FROM public.low_rows").fetchone() == (expected,)
