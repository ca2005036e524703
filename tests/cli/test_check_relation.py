"""`predicat check --relation`: what columns lack, with the place in the catalog."""

from pathlib import Path
from typing import Any

import duckdb

from tests.cli.test_commands import run
from tests.deploy.test_connections import dsn_of

CATALOG = """\
apiVersion: predicat/v1
dataset: orders
relation: {duckdb: data/orders.ENDING, postgres: public.checked_orders, spark: data/orders.ENDING}
fields:
  id: bigint
  size: {type: bigint, column: größe}
  state: string
  unread: string
filters:
  large: {description: Large., owner: me@example.com, sql: id > 1 AND size > 2 AND state = 'x'}
"""


def project(folder: Path, ending: str, columns: str) -> None:
    for name in ("catalog", "data"):
        (folder / name).mkdir()
    (folder / "catalog" / "orders.yml").write_text(CATALOG.replace("ENDING", ending), encoding="utf-8")
    (folder / "predicat.yml").write_text("catalog: orders\n")
    duckdb.sql(f"COPY (SELECT {columns}) TO '{folder / 'data' / 'orders'}.{ending}'")


def test_columns_of_parquet(tmp_path: Path) -> None:
    project(tmp_path, "parquet", "1::BIGINT AS id, 2::HUGEINT AS größe")
    done = run("check", "--relation", "duckdb", cwd=tmp_path)
    assert done.returncode == 1
    for said in (
        "has DOUBLE in its column 'größe', which the catalog declares as bigint",
        "catalog/orders.yml:6:3\n  |\n6 |   size: {type: bigint, column: größe}\n  |   ^^^^\n",
        "has no column 'state', which is read by orders.large",
        "catalog/orders.yml:7:3\n  |\n7 |   state: string\n  |   ^^^^^\n",
        "2 problems",
    ):
        assert said in done.stderr, done.stderr


def test_cells_of_csv_have_no_types(tmp_path: Path) -> None:
    project(tmp_path, "csv", "1 AS id, 'x' AS größe, 'x' AS state")
    (tmp_path / "sub").mkdir()
    for arguments, folder in ((["."], tmp_path), (["../catalog"], tmp_path / "sub")):
        done = run("check", "--catalog", *arguments, "--relation", "duckdb", cwd=folder)
        assert (done.returncode, done.stderr) == (0, "")
        assert "the relations on duckdb have the declared columns" in done.stdout


def test_files_that_are_not_there(tmp_path: Path) -> None:
    project(tmp_path, "parquet", "1::BIGINT AS id, 2::BIGINT AS größe, 'x' AS state")
    (tmp_path / "data" / "orders.parquet").rename(tmp_path / "moved.parquet")
    done = run("check", "--relation", "duckdb", cwd=tmp_path)
    assert done.returncode == 1 and "no such file or folder: data/orders.parquet" in done.stderr
    assert "catalog/orders.yml:3:11" in done.stderr
    (tmp_path / "data" / "orders.parquet").write_text("no parquet")
    done = run("check", "--relation", "duckdb", cwd=tmp_path)
    assert done.returncode == 1 and "DuckDB cannot read data/orders.parquet" in done.stderr
    done = run("check", "--relation", "duckdb", "--input", "orders=moved.parquet", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_columns_of_postgres(postgres: Any, tmp_path: Path) -> None:
    project(tmp_path, "csv", "1 AS id")
    postgres.execute('CREATE TABLE public.checked_orders (id bigint, "größe" numeric(30, 2))')
    try:
        done = run("check", "--relation", "postgres", "--dsn", dsn_of(postgres), cwd=tmp_path)
    finally:
        postgres.execute("DROP TABLE public.checked_orders")
    assert done.returncode == 1
    assert "catalog/orders.yml:6:3" in done.stderr and "catalog/orders.yml:7:3" in done.stderr
    done = run("check", "--relation", "postgres", "--dsn", dsn_of(postgres), cwd=tmp_path)
    assert done.returncode == 1 and "catalog/orders.yml:3:11" in done.stderr


PLACES = """\
apiVersion: predicat/v1
dataset: places
relation: {duckdb: places.parquet, postgres: public.checked_places}
fields: {at: "struct<lat: double, lon: double, of: struct<city: string, zip: string>>"}
filters:
  north: {description: North., owner: me@example.com, sql: at.lat > 50 AND at.of.city <> 'X'}
"""


def test_a_struct_may_lack_what_no_filter_reads(postgres: Any, tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "places.yml").write_text(PLACES)
    (tmp_path / "predicat.yml").write_text("catalog: places\n")
    duckdb.sql(
        f"COPY (SELECT {{'lat': 51.5::DOUBLE, 'of': {{'city': 'B'}}}} AS at) TO '{tmp_path}/places.parquet'"
    )
    postgres.execute(
        "CREATE TYPE public.checked_city AS (city text);"
        " CREATE TYPE public.checked_at AS (lat double precision, of public.checked_city);"
        " CREATE TABLE public.checked_places (at public.checked_at)"
    )
    try:
        for more in (("duckdb",), ("postgres", "--dsn", dsn_of(postgres))):
            done = run("check", "--relation", *more, cwd=tmp_path)
            assert (done.returncode, done.stderr) == (0, "")
        (tmp_path / "catalog" / "places.yml").write_text(PLACES.replace("at.lat > 50", "at.lon > 50"))
        for more in (("duckdb",), ("postgres", "--dsn", dsn_of(postgres))):
            done = run("check", "--relation", *more, cwd=tmp_path)
            assert done.returncode == 1 and "in its column 'at'" in done.stderr
    finally:
        postgres.execute("DROP TABLE public.checked_places; DROP TYPE public.checked_at, public.checked_city")
