"""Copies and drifts of filters: findings, and the patch that puts filters in their place."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.processes import in_process

CATALOG = """
apiVersion: predicat/v1
dataset: orders
relation: {spark: shop.orders}
fields: {status: string, amount: bigint}
filters:
  large:
    sql: status = 'open' and amount > 3
"""
SQL = """-- spark
select * from shop.orders o where not o.amount <= 3 and o.status = 'open';
select * from shop.orders where status = 'open' and amount > 4;
select * from other.orders where status = 'open' and amount > 3;
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("catalog", "sql"):
        (tmp_path / name).mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    (tmp_path / "sql" / "a.sql").write_text(SQL)
    return tmp_path


def test_copies_and_drifts_of_filters_are_found(folder: Path) -> None:
    done = in_process("discover", "sql", "--dialect", "spark", "--check", "--format", "json", cwd=folder)
    assert done.returncode == 1, done.stderr
    found = [(row["code"], row["line"]) for row in json.loads(done.stdout)["findings"]]
    assert ("D301", 2) in found and ("D302", 3) in found


@pytest.mark.parametrize("dialect", ["spark", "postgres", "bigquery"])
@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("status = 'open'", "'open' = o.status"),
        ("status = 'open' and region = 'eu'", "o.region = 'eu' and o.status = 'open'"),
        ("status in ('open', 'new')", "o.status = 'new' or o.status = 'open'"),
        ("status is null", "not (status is not null)"),
    ],
)
def test_a_copy_is_found_whatever_its_tests_are(folder: Path, dialect: str, body: str, written: str) -> None:
    catalog = CATALOG.replace("status = 'open' and amount > 3", body).replace(
        "amount: bigint", "region: string"
    )
    (folder / "catalog" / "orders.yml").write_text(catalog)
    (folder / "sql" / "a.sql").write_text(f"select * from shop.orders o where {written};\n")
    done = in_process("discover", "sql", "--dialect", dialect, "--select", "D301", cwd=folder)
    assert "this is a copy of the filter orders.large" in done.stdout, done.stderr


def test_a_patch_applies_and_has_proofs(folder: Path) -> None:
    done = in_process("discover", "sql", "--dialect", "spark", "--patch", "p.diff", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (
        done.stdout == "wrote p.diff: 1 place, each proved to keep its rows; git apply p.diff replaces them\n"
    )
    text = (folder / "p.diff").read_text()
    assert "# sql/a.sql:2 is orders.large: equivalent" in text
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", "apply", "p.diff"], cwd=folder, check=True)
    assert (folder / "sql" / "a.sql").read_text() == SQL.replace(
        "not o.amount <= 3 and o.status = 'open'", "matches_filter('orders.large', 'o')"
    )


def test_a_patch_names_files_from_the_root_of_the_repository(folder: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    options = ("--dialect", "spark", "--patch", "../p.diff", "--catalog", "../catalog")
    done = in_process("discover", "a.sql", *options, cwd=folder / "sql")
    assert done.returncode == 0, done.stderr
    subprocess.run(["git", "apply", "../p.diff"], cwd=folder / "sql", check=True)
    assert "matches_filter('orders.large', 'o')" in (folder / "sql" / "a.sql").read_text()


def test_dbt_models_get_the_macro(folder: Path) -> None:
    (folder / "dbt_project.yml").write_text("name: p\nmodel-paths: [sql]\n")
    (folder / "sql" / "a.sql").write_text(
        "select * from {{ source('shop', 'orders') }} where amount > 3 and status = 'open'"
    )
    done = in_process("discover", "sql", "--dialect", "postgres", "--patch", "p.diff", cwd=folder)
    assert "\nthe models then need the package that `predicat export dbt --target ADAPTER`" in done.stdout
    assert (
        "+select * from {{ source('shop', 'orders') }} where {{ predicat_filters.matches_filter("
        in (folder / "p.diff").read_text()
    )
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", "apply", "p.diff"], cwd=folder, check=True)
    (folder / "sql" / "b.sql").write_text(
        "select 1 from {{ source('shop', 'orders') }} where lower(status) = 'new' and amount > 7"
    )
    (folder / "catalog" / "orders.yml").write_text(
        CATALOG + "  fresh: {sql: lower(status) = 'new' and amount > 7}\n"
    )
    done = in_process("discover", "sql", "--dialect", "snowflake", "--patch", "p.diff", cwd=folder)
    assert "sql/b.sql:1 stays: `predicat export dbt` has no SQL of it for snowflake: " in done.stderr
    (folder / "sql" / "b.sql").write_text("select 1 from t where matches_filter('orders.large')")
    done = in_process("discover", "sql", "--read-only", cwd=folder)
    assert "left out         2\n                 2  it uses a filter of a catalog" in done.stdout


def test_sql_that_dbt_does_not_render_gets_no_macro(folder: Path) -> None:
    (folder / "dbt_project.yml").write_text("name: p\n")
    done = in_process("discover", "sql", "--dialect", "duckdb", "--patch", "p.diff", cwd=folder)
    assert "sql/a.sql:2 stays: its dialect is duckdb, without matches_filter" in done.stderr
    assert (folder / "p.diff").read_text() == ""


RENAMING = """with x as (select status as st, amount, o.d from shop.orders o)
select 1 from x where st = 'open' and amount > 3;
select 1 from shop.orders s where s.device.os = 'a';
select 1 from shop.orders where d.e = 1 and amount = 1;
"""


def test_a_place_that_has_other_names_for_columns_stays(folder: Path) -> None:
    (folder / "sql" / "a.sql").write_text(RENAMING)
    (folder / "catalog" / "orders.yml").write_text(
        CATALOG.replace("{status:", "{d: 'struct<e: bigint>', device: 'struct<os: string>', status:")
        + "  mobile:\n    cel: device.os == 'a'\n  first:\n    sql: d.e = 1 and amount = 1\n"
    )
    done = in_process("discover", "sql", "--dialect", "spark", "--patch", "p.diff", cwd=folder)
    assert "sql/a.sql:2 stays: a query before it has given its columns other names" in done.stderr
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", "apply", "p.diff"], cwd=folder, check=True)
    lines = RENAMING.replace("s.device.os = 'a'", "matches_filter('orders.mobile', 's')")
    changed = lines.replace("d.e = 1 and amount = 1", "matches_filter('orders.first')")
    assert (folder / "sql" / "a.sql").read_text() == changed


def test_engines_without_matches_filter_stay(folder: Path) -> None:
    done = in_process("discover", "sql", "--dialect", "bigquery", "--patch", "p.diff", cwd=folder)
    assert "sql/a.sql:2 stays: its dialect is bigquery, without matches_filter" in done.stderr
    assert done.stdout == "wrote p.diff, which is empty: no place is replaced\n"
    assert (folder / "p.diff").read_text() == ""


def test_a_patch_needs_a_catalog(folder: Path) -> None:
    (folder / "catalog" / "orders.yml").unlink()
    (folder / "catalog").rmdir()
    done = in_process("discover", "sql", "--patch", "p.diff", cwd=folder)
    assert done.returncode == 2 and "--catalog" in done.stderr


PLACES = {
    "sql/a.sql": (
        "-- spark\nselect /*+ broadcast(o) */ 1 from shop.orders o where {o}",
        "matches_filter('orders.large', 'o')",
    ),
    "sql/b.py": (
        'import pyspark\nspark.table("shop.orders").where("{x}")',
        ".where(\"matches_filter('orders.large')\")",
    ),
    "sql/c.py": (
        (
            "import pyspark\n"
            'spark.table("shop.orders").filter((F.col("status") == "open") & (F.col("amount") > 3))'
        ),
        ".where(\"matches_filter('orders.large')\")",
    ),
    "sql/d.py": ('spark.sql("select 1 from shop.orders where {x}")', "matches_filter('orders.large')"),
    "sql/f.py": (
        "spark.sql('select 1 from shop.orders where amount > 3 and status = \"open\"')",
        "matches_filter('orders.large')",
    ),
}


@pytest.mark.parametrize("path", PLACES)
def test_a_hint_has_the_form_of_its_place(folder: Path, path: str) -> None:
    written, wanted = PLACES[path]
    x = "status = 'open' and amount > 3"
    text = written.replace("{x}", x).replace(
        "{o}", x.replace("status", "o.status").replace("amount", "o.amount")
    )
    (folder / "sql" / "a.sql").unlink()
    (folder / path).write_text(text)
    done = in_process("discover", "sql", "--dialect", "spark", "--check", cwd=folder)
    assert (
        done.returncode == 1
        and f"= hint: write {wanted}; it is proved that all rows stay the same\n" in done.stdout
    ), done.stdout + done.stderr


def test_a_patch_leaves_programs_readable(folder: Path) -> None:
    (folder / "sql" / "a.sql").unlink()
    for path in ("sql/c.py", "sql/d.py", "sql/f.py"):
        (folder / path).write_text(PLACES[path][0].replace("{x}", "status = 'open' and amount > 3"))
    done = in_process("discover", "sql", "--dialect", "spark", "--patch", "p.diff", cwd=folder)
    assert "2 places" in done.stdout and "sql/f.py:1 stays: " in done.stderr
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", "apply", "p.diff"], cwd=folder, check=True)
    assert (folder / "sql" / "c.py").read_text().endswith(".filter(\"matches_filter('orders.large')\")")
    assert "where matches_filter('orders.large')\")" in (folder / "sql" / "d.py").read_text()


POSTGRES = {
    "select id::text from shop.orders o where o.amount > 3 and o.status = 'open'": (
        "read the view shop.orders__large, which `predicat apply` creates, in place of shop.orders"
    ),
    "select id::text, case when amount > 3 and status = 'open' then 1 end from shop.orders": (
        "PostgreSQL has no matches_filter, and a view serves only a WHERE"
    ),
}


@pytest.mark.parametrize("sql", POSTGRES)
def test_in_postgres_the_view_has_the_rows(folder: Path, sql: str) -> None:
    (folder / "catalog" / "orders.yml").write_text(
        CATALOG.replace("{spark:", "{postgres: shop.orders, spark:")
    )
    (folder / "sql" / "a.sql").write_text(sql)
    done = in_process("discover", "sql", "--dialect", "postgres", "--check", cwd=folder)
    assert f"= hint: {POSTGRES[sql]}; it is proved" in done.stdout, done.stdout


def test_a_dataset_without_a_relation_in_postgres_is_told(folder: Path) -> None:
    (folder / "sql" / "a.sql").write_text(next(iter(POSTGRES)))
    done = in_process("discover", "sql", "--dialect", "postgres", "--check", cwd=folder)
    assert "= hint: the dataset orders has no relation on postgres; it is proved" in done.stdout, done.stdout


def test_a_copy_on_another_relation_stops_nothing(folder: Path) -> None:
    (folder / "sql" / "a.sql").write_text("select * from other.t where status = 'open' and amount > 3")
    done = in_process("discover", "sql", "--dialect", "spark", "--check", "--select", "D3", cwd=folder)
    assert done.returncode == 0 and "note[D301]" in done.stdout, done.stdout
    assert "= hint: it tests rows of other.t, the filter those of shop.orders\n" in done.stdout
    (folder / "catalog" / "other.yml").write_text(
        CATALOG.replace("dataset: orders", "dataset: others").replace("shop.orders", "orders")
    )
    (folder / "sql" / "a.sql").write_text("select * from orders where status = 'open' and amount > 3")
    done = in_process("discover", "sql", "--dialect", "spark", "--check", "--select", "D3", cwd=folder)
    assert done.returncode == 1 and "= hint: write matches_filter('others.large')" in done.stdout, done.stdout
    (folder / "sql" / "a.sql").write_text("select * from main.orders where status = 'open' and amount > 3")
    done = in_process("discover", "sql", "--dialect", "spark", "--check", "--select", "D3", cwd=folder)
    assert done.returncode == 1 and "= hint: write matches_filter('others.large')" in done.stdout, done.stdout
    (folder / "sql" / "a.sql").unlink()
    (folder / "sql" / "a.py").write_text("import pyspark\nf(df).where(\"status = 'open' and amount > 3\")")
    done = in_process("discover", "sql", "--check", cwd=folder)
    assert (
        done.returncode == 1
        and "= hint: nothing tells whether its rows are those of the dataset; it" in done.stdout
    ), done.stdout


def test_one_run_writes_the_catalog_and_the_patch(folder: Path) -> None:
    (folder / "catalog" / "orders.yml").unlink()
    (folder / "sql" / "b.sql").write_text(
        "create table shop.orders (status string, amount bigint);\n"
        "select 1 from shop.orders where amount > 3 and 'open' = status;\n"
    )
    options = ("--dialect", "spark", "--propose", "catalog", "--patch", "p.diff")
    done = in_process("discover", "sql", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    name = "orders.amount_above_3_and_open_status"
    assert f"{name} replaces sql/a.sql:2, sql/b.sql:2 (2 by --patch)" in done.stdout
    assert "p.diff: 2 places, each proved" in done.stdout
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", "apply", "p.diff"], cwd=folder, check=True)
    assert f"matches_filter('{name}', 'o')" in (folder / "sql" / "a.sql").read_text()
    assert f"where matches_filter('{name}');" in (folder / "sql" / "b.sql").read_text()
    assert in_process("check", cwd=folder).returncode == 0


def test_a_proposal_as_json_has_the_lines_and_what_is_left_out(folder: Path) -> None:
    (folder / "sql" / "b.sql").write_text("select 1 from t where a in (1, 2);\n" * 2)
    options = ("--dialect", "bigquery", "--propose", "new", "--format", "json")
    done = in_process("discover", "sql", *options, cwd=folder)
    data = json.loads(done.stdout)
    assert data["files"] == ["new/t.yml"] and data["kept"] == []
    ((rule),) = data["filters"]
    assert rule["name"] == "t.a_1_or_2" and rule["sql"] == "a IN (1, 2)"
    assert [(row["path"], row["line"], row["text"]) for row in rule["places"]] == [
        ("sql/b.sql", 1, None),
        ("sql/b.sql", 2, None),
    ]
    assert "bigquery" in rule["places"][0]["stays"]
    assert sum(data["left_out"].values()) == 3
