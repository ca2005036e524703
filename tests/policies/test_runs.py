"""Tests of policies on the command line."""

import json
import re
from pathlib import Path

from tests.processes import first_commit, git
from tests.processes import in_process as run

CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: {postgres: app.orders}
fields: {id: bigint, tenant_id: uuid, owner: string, due: timestamp}
attributes:
  tenant: {type: uuid, postgres: "current_setting('app.tenant', true)::uuid"}
  who: {type: string, postgres: current_user}
filters:
  of_tenant: {sql: "tenant_id = :tenant", params: {tenant: string}}
  mine: {sql: "owner = :who", params: {who: string}}
  due: {sql: due > now()}
policies:
  reads:
    command: select
    roles: [reader]
    using: of_tenant
    tests:
      - {as: {role: reader}, row: {id: 1}, sees: true}
  mine_only:
    command: select
    permissive: false
    using: mine
    tests:
      - {as: {role: clerk}, row: {owner: clerk}, sees: true}
      - {as: {role: reader}, row: {owner: 7}, sees: false}
  later:
    command: all
    roles: [janitor]
    using: due
    tests:
      - {as: {role: janitor}, row: {due: 2026-01-01 00:00:00}, sees: false}
"""


def catalog(folder: Path, text: str = CATALOG) -> Path:
    (folder / "orders.yml").write_text(text)
    return folder


def test_check_tells_what_decides(tmp_path: Path) -> None:
    done = run("check", "--catalog", ".", cwd=catalog(tmp_path))
    said = re.findall(r"error\[([a-z-]+)\]: (.*)\n  --> orders.yml:(\d+):9", done.stderr)
    assert [(code, line) for code, _, line in said] == [
        ("failed-test", "18"),
        ("failed-test", "24"),
        ("bad-value", "25"),
        ("test-without-now", "31"),
    ]
    assert said[0][1] == "orders.reads: reader does not see this row"
    assert "hint: the policy reads is UNKNOWN; the restrictive policy mine_only is UNKNOWN" in done.stderr
    assert "hint: no permissive policy holds for it; the restrictive policy mine_only is TRUE" in done.stderr


def test_the_tests_of_policies_are_counted(tmp_path: Path) -> None:
    lines = [line for line in CATALOG.splitlines() if "sees: true" not in line and "owner: 7" not in line]
    text = "\n".join(lines).replace("row: {due", "now: 2026-02-01 10:00:00, row: {due")
    text = text.replace("    tests:\n  mine_only", "  mine_only").replace("    tests:\n  later", "  later")
    done = run("check", "--catalog", ".", cwd=catalog(tmp_path, text))
    assert (done.returncode, "1 test passed" in done.stdout) == (0, True), done


def test_attributes_may_stand_in_the_file_of_another_dataset(tmp_path: Path) -> None:
    head, rest = CATALOG.split("attributes:\n")
    attributes, rest = rest.split("filters:\n")
    (tmp_path / "catalog").mkdir()
    other = "apiVersion: predicat/v1\ndataset: others\nfields: {a: bigint}\nattributes:\n"
    (tmp_path / "catalog" / "others.yml").write_text(other + attributes)
    policies = re.sub(r"    tests:\n(      .*\n)+", "", f"{head}filters:\n{rest}")
    catalog(tmp_path / "catalog", policies)
    first_commit(tmp_path)
    git(tmp_path, "checkout", "-qb", "change")
    catalog(tmp_path / "catalog", policies.replace("tenant_id = :tenant", "tenant_id <> :tenant"))
    for command in (["check"], ["check", "--changed", "main"]):
        done = run(*command, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
    done = run("diff", "main", cwd=tmp_path)
    assert (done.returncode, "role orders.reader: " in done.stdout) == (1, True)
    assert "severity: breaking (policy-replaces)" in done.stdout


def test_what_a_test_of_a_policy_has(tmp_path: Path) -> None:
    done = run("test", "--catalog", ".", "--format", "json", cwd=catalog(tmp_path))
    data = json.loads(done.stdout)
    assert (done.returncode, data["passed"], data["failed"]) == (1, 0, 4)
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text()
    words = re.findall(r"`(\w+)`", page.split("A test of a policy has ")[1].split(" instead of ")[0])
    assert set(words) <= data["policies"][0].keys()
    assert data["policies"][0]["outcome"] is False and data["policies"][0]["status"] == "failed"


def test_a_selected_filter_has_the_tests_of_its_policies(tmp_path: Path) -> None:
    done = run("test", "mine", "--catalog", ".", "--format", "json", cwd=catalog(tmp_path))
    assert {row["policy"] for row in json.loads(done.stdout)["policies"]} == {"orders.mine_only"}


def test_the_policies_of_a_table_stand_in_one_dataset(tmp_path: Path) -> None:
    text = CATALOG.replace("app.orders", "public.orders").replace("dataset: orders", "dataset: others")
    (tmp_path / "others.yml").write_text(text.split("attributes:\n")[0] + "filters: {f: {sql: id = 1}}\n")
    catalog(tmp_path, CATALOG.replace("app.orders", "orders"))
    assert "has policies of the table" not in run("check", "--catalog", ".", cwd=tmp_path).stderr
    with (tmp_path / "others.yml").open("a") as file:
        file.write("policies: {p: {using: f}}\n")
    done = run("check", "--catalog", ".", cwd=tmp_path)
    assert "the dataset 'orders' has policies of the table public.orders, too" in done.stderr
