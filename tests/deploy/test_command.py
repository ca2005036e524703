"""`predicat apply` as a user has it: output and exit codes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_output import KEYS
from tests.deploy.test_connections import dsn_of, run

CATALOG = """\
apiVersion: predicat/v1
dataset: flights
relation: {postgres: cli.flights}
fields: {carrier: string, dep_delay: double}
filters:
  late: {sql: dep_delay >= 60}
  united: {sql: carrier = 'UA'}
"""


@pytest.fixture
def project(postgres: Any, tmp_path: Path) -> Iterator[tuple[Any, Path]]:
    postgres.execute("CREATE SCHEMA cli; CREATE TABLE cli.flights (carrier text, dep_delay double precision)")
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "flights.yml").write_text(CATALOG)
    (tmp_path / "predicat.yml").write_text("catalog: air\n")
    yield postgres, tmp_path
    postgres.execute("DROP SCHEMA cli CASCADE")


def test_apply_says_what_it_does(project: tuple[Any, Path]) -> None:
    db, folder = project
    dsn = dsn_of(db)
    script = run("apply", "--dry-run", "--dsn", dsn, cwd=folder).stdout.splitlines()
    assert script[0] == "BEGIN;" and script[-1] == "COMMIT;"
    assert (
        "-- create cli.flights__late: a new filter" in script
        and "SET LOCAL search_path = pg_catalog, pg_temp;" in script
    )
    assert (
        'CREATE VIEW "cli"."flights__united" WITH (security_invoker=true) AS SELECT * FROM '
        '"cli"."flights" WHERE carrier = \'UA\';'
    ) in script
    first = run("apply", "--dsn", dsn, cwd=folder)
    assert (first.returncode, first.stderr) == (0, "")
    assert (
        first.stdout
        == "create cli.flights__late: a new filter\ncreate cli.flights__united: a new filter\n2 created\n"
    )
    assert run("apply", "--dsn", dsn, cwd=folder).stdout == "2 unchanged\n"
    db.execute("CREATE OR REPLACE VIEW cli.flights__late AS SELECT * FROM cli.flights")
    refused = run("apply", "--dsn", dsn, cwd=folder)
    assert (refused.returncode, refused.stdout) == (
        1,
        "",
    ) and "error[view]: cli.flights__late was changed by hand" in refused.stderr
    assert run("apply", "--force", "--dsn", dsn, cwd=folder).stdout.endswith("\n1 replaced, 1 unchanged\n")


def test_apply_to_no_relation_says_so(project: tuple[Any, Path]) -> None:
    db, folder = project
    file = folder / "catalog" / "flights.yml"
    file.write_text(
        file.read_text().replace("relation: {postgres: cli.flights}", "relation: {spark: flights}")
    )
    asked = ("apply", "--dsn", dsn_of(db))
    done = run(*asked, cwd=folder)
    assert done.returncode == 2 and "no views: no dataset has a postgres relation" in done.stdout
    assert "no dataset has a postgres relation" in run(*asked, "--dry-run", cwd=folder).stderr


def test_apply_as_json(project: tuple[Any, Path]) -> None:
    db, folder = project
    asked = ("apply", "--format", "json", "--dsn", dsn_of(db))
    plan = json.loads(run(*asked, "--dry-run", cwd=folder).stdout)
    assert set(plan) == KEYS["apply"] and plan["done"] is False and plan["script"][0] == "BEGIN;"
    data = json.loads(run(*asked, cwd=folder).stdout)
    assert set(data) == KEYS["apply"] and data["done"] is True and data["script"] is None
    assert data["views"] == [
        {"name": f"cli.flights__{name}", "action": "create", "reason": "a new filter"}
        for name in ("late", "united")
    ]
    data = json.loads(run(*asked, cwd=folder).stdout)
    assert {row["action"] for row in data["views"]} == {"keep"}


def test_a_plan_is_applied_as_it_was_approved(project: tuple[Any, Path]) -> None:
    db, folder = project
    dsn = ("--dsn", dsn_of(db))
    checked = run("apply", "--check", *dsn, cwd=folder)
    assert checked.returncode == 1 and checked.stdout.endswith("\n2 created\n")
    shown = run("plan", "--out", "plan.json", *dsn, cwd=folder)
    assert shown.returncode == 0 and shown.stdout.splitlines()[-1] == "2 changes"
    assert '  DROP VIEW "cli"."flights__late";' in shown.stdout.partition("undo:")[2]
    assert run("apply", "--plan", "plan.json", *dsn, cwd=folder).stdout.endswith("2 created\n")
    assert run("apply", "--check", *dsn, cwd=folder).returncode == 0
    refused = run("apply", "--plan", "plan.json", *dsn, cwd=folder)
    assert (
        refused.returncode == 1 and "these differ: cli.flights__late, cli.flights__united" in refused.stderr
    )

    file = folder / "catalog" / "flights.yml"
    file.write_text(file.read_text().replace("60", "90"))
    data = json.loads(run("plan", "--out", "plan.json", "--format", "json", *dsn, cwd=folder).stdout)
    assert set(data) == KEYS["plan"]
    assert [(row["view"], row["causes"]) for row in data["changes"]] == [("cli.flights__late", ["query"])]
    comment = db.execute("SELECT obj_description('cli.flights__late'::regclass)").fetchone()[0]
    db.execute(f"COMMENT ON VIEW cli.flights__late IS 'mine\n{comment}'")
    refused = run("apply", "--plan", "plan.json", *dsn, cwd=folder)
    assert refused.returncode == 1 and "these differ: cli.flights__late\n" in refused.stderr
    (folder / "plan.json").write_text("[]")
    assert "plan.json is not a plan" in run("apply", "--plan", "plan.json", *dsn, cwd=folder).stderr


@pytest.mark.slow
def test_refresh_goes_on_after_a_failure(project: tuple[Any, Path]) -> None:
    db, folder = project
    asked = ("refresh", "--dsn", dsn_of(db))
    nothing = run(*asked, cwd=folder)
    assert nothing.returncode == 2 and "nothing to refresh" in nothing.stderr
    file = folder / "catalog" / "flights.yml"
    file.write_text(CATALOG.replace("fields:", "key: [carrier]\nview: {materialized: true}\nfields:"))
    refused = run(*asked, cwd=folder)
    assert refused.returncode == 1 and "flights.united has no materialized view" in refused.stderr
    assert run("apply", "--dsn", dsn_of(db), cwd=folder).returncode == 0
    db.execute("INSERT INTO cli.flights VALUES ('A', 90), ('A', 90), ('UA', 1)")
    done = run(*asked, cwd=folder)
    assert (done.returncode, done.stdout) == (3, "refreshed cli.flights__united\n")
    assert "error[engine]: PostgreSQL failed: cli.flights__late: " in done.stderr
    assert "the key of its dataset does not identify a row" in done.stderr
    data = json.loads(run(*asked, "late", "--format", "json", cwd=folder).stdout)
    assert set(data) == KEYS["refresh"] and data["views"] == [] and len(data["problems"]) == 1
    db.execute("DELETE FROM cli.flights WHERE carrier = 'A'")
    assert run(*asked, cwd=folder).stdout == "refreshed cli.flights__late\nrefreshed cli.flights__united\n"
    missing = run(*asked, "nothing", cwd=folder)
    assert missing.returncode == 2 and "nothing" in missing.stderr


def test_suspend_alters_a_table_with_views(project: tuple[Any, Path]) -> None:
    db, folder = project
    assert run("apply", "--dsn", dsn_of(db), cwd=folder).returncode == 0
    (folder / "alter.sql").write_text("ALTER TABLE cli.flights ADD COLUMN origin text;\n")
    asked = ("suspend", "cli.flights", "alter.sql", "--dsn", dsn_of(db))
    dry = run(*asked, "--dry-run", cwd=folder)
    assert (dry.returncode, dry.stdout.splitlines()[-1]) == (0, "2 views would be away and come back")
    data = json.loads(run(*asked, "--format", "json", cwd=folder).stdout)
    assert set(data) == KEYS["suspend"] and data["done"] is True
    assert sorted(data["views"]) == ["view cli.flights__late", "view cli.flights__united"]
    assert db.execute("SELECT origin FROM cli.flights__late").fetchall() == []
    assert run("apply", "--dsn", dsn_of(db), cwd=folder).stdout == "2 unchanged\n"
    again = run(*asked, cwd=folder)
    assert again.returncode == 1 and "alter.sql fails; everything was rolled back" in again.stderr
    assert run("suspend", "cli.flight", "alter.sql", "--dsn", dsn_of(db), cwd=folder).returncode == 2


@pytest.mark.parametrize(
    ("text", "code", "problem"),
    [
        ("catalogue: x\n", 1, "did you mean 'catalog'?"),
        ("catalog: other\n", 1, "belongs to the catalog 'air'"),
    ],
)
def test_the_project_file_counts(project: tuple[Any, Path], text: str, code: int, problem: str) -> None:
    db, folder = project
    assert run("apply", "--dsn", dsn_of(db), cwd=folder).returncode == 0
    (folder / "predicat.yml").write_text(text)
    done = run("apply", "--dsn", dsn_of(db), cwd=folder)
    assert done.returncode == code and problem in done.stderr and "Traceback" not in done.stderr
