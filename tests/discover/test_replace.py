"""Copies and drifts of filters: findings, and the patch that puts filters in their place."""

from __future__ import annotations

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


def test_a_patch_applies_and_has_proofs(folder: Path) -> None:
    done = in_process("discover", "sql", "--dialect", "spark", "--patch", "p.diff", cwd=folder)
    assert done.returncode == 0 and "1 place," in done.stdout, done.stderr
    text = (folder / "p.diff").read_text()
    assert "# sql/a.sql:2 is orders.large: equivalent" in text
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", "apply", "p.diff"], cwd=folder, check=True)
    assert (folder / "sql" / "a.sql").read_text() == SQL.replace(
        "not o.amount <= 3 and o.status = 'open'", "matches_filter('orders.large', 'o')"
    )


def test_dbt_models_get_the_macro(folder: Path) -> None:
    (folder / "dbt_project.yml").write_text("name: p\n")
    (folder / "sql" / "a.sql").write_text(
        "select * from {{ source('shop', 'orders') }} where amount > 3 and status = 'open'"
    )
    in_process("discover", "sql", "--dialect", "postgres", "--patch", "p.diff", cwd=folder)
    assert (
        "+select * from {{ source('shop', 'orders') }} where {{ predicat_filters.matches_filter("
        in (folder / "p.diff").read_text()
    )


def test_engines_without_matches_filter_stay(folder: Path) -> None:
    done = in_process("discover", "sql", "--dialect", "bigquery", "--patch", "p.diff", cwd=folder)
    assert "sql/a.sql:2 stays: its engine has no matches_filter" in done.stderr
    assert (folder / "p.diff").read_text() == ""


def test_a_patch_needs_a_catalog(folder: Path) -> None:
    (folder / "catalog" / "orders.yml").unlink()
    (folder / "catalog").rmdir()
    done = in_process("discover", "sql", "--patch", "p.diff", cwd=folder)
    assert done.returncode == 2 and "--catalog" in done.stderr
