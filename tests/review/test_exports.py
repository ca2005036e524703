"""`predicat diff` names the exported files whose rows change."""

import json
from pathlib import Path

import pytest

from tests.processes import git, in_process

CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: {spark: orders, postgres: orders}
fields: {status: string, amount: bigint}
filters:
  active: {sql: "status = 'active'"}
  large:
    latest: 2
    versions: {1: {sql: amount > 100}, 2: {sql: amount > 200}}
  small: {sql: amount < 5}
  open_large: {all: [active, large]}
policies:
  see: {command: select, roles: [sales], using: large}
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    git(tmp_path, "init", "-q", "-b", "main")
    for target, *names in (
        ("databricks", "active", "small", "large@1", "open_large"),
        ("databricks", "--of", "policies"),
        ("snowflake", "--as", "filters"),
        ("dbt",),
    ):
        out = f"deploy/{target}"
        done = in_process("export", target, *names, "--out", out, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    (tmp_path / "notes.md").write_text("It says: Written by `predicat export X`\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def affected(shop: Path) -> dict[str, set[str]]:
    done = in_process("diff", "main", "--format", "json", cwd=shop)
    return {
        f"{row['name']} {row['kind']}": set(row["affects"]["exports"])
        for row in json.loads(done.stdout)["entries"]
        if "exports" in row["affects"]
    }


def test_the_exports_of_a_filter_and_of_those_that_use_it(shop: Path) -> None:
    (shop / "catalog" / "orders.yml").write_text(CATALOG.replace("'active'", "'open'"))
    common = {"deploy/snowflake/orders.yml (snowflake)", "deploy/dbt/macros/predicat_sql.sql (dbt)"}
    assert affected(shop) == {
        "orders.active rows": {"deploy/databricks/orders.active.sql (databricks)", *common},
        "orders.open_large rows": {"deploy/databricks/orders.open_large.sql (databricks)", *common},
    }
    for form in ("text", "markdown"):
        shown = in_process("diff", "main", "--format", form, cwd=shop).stdout
        assert "affects exports: " in shown and "deploy/databricks/orders.active.sql (databricks)" in shown


def test_a_version_has_the_exports_that_name_it(shop: Path) -> None:
    (shop / "catalog" / "orders.yml").write_text(CATALOG.replace("100", "150"))
    assert affected(shop) == {"orders.large version": {"deploy/databricks/orders.large.v1.sql (databricks)"}}


def test_the_policies_of_a_dataset_have_their_exports(shop: Path) -> None:
    (shop / "catalog" / "orders.yml").write_text(CATALOG.replace("[sales], using", "[sales, it], using"))
    assert affected(shop) == {"orders.it permission": {"deploy/databricks/orders.policies.sql (databricks)"}}


def test_a_filter_that_is_gone_has_its_exports(shop: Path) -> None:
    (shop / "catalog" / "orders.yml").write_text(CATALOG.replace("  small: {sql: amount < 5}\n", ""))
    assert [name for name, files in affected(shop).items() if any("small" in one for one in files)] == [
        "orders.small filter"
    ]


@pytest.mark.parametrize(
    "change", [("'active'", "'active' AND TRUE"), ("all: [", "description: Both.\n    all: [")]
)
def test_what_keeps_its_rows_affects_no_export(shop: Path, change: tuple[str, str]) -> None:
    text = CATALOG.replace("{all: [active, large]}", "\n    all: [active, large]").replace(*change)
    (shop / "catalog" / "orders.yml").write_text(text)
    assert affected(shop) == {}


def test_without_a_repository_nothing_is_searched(shop: Path, tmp_path: Path) -> None:
    done = in_process("compile", cwd=shop)
    assert done.returncode == 0
    manifest = (shop / "target" / "manifest.json").read_text()
    alone = tmp_path.parent / f"{tmp_path.name}-alone"
    (alone / "catalog").mkdir(parents=True)
    (alone / "manifest.json").write_text(manifest)
    (alone / "catalog" / "orders.yml").write_text(CATALOG.replace("'active'", "'open'"))
    done = in_process("diff", "manifest.json", cwd=alone)
    assert done.returncode == 1 and "orders.active" in done.stdout and "exports" not in done.stdout
