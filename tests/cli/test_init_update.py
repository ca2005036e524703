"""`predicat init` takes the comments and keys of a table, and `--update` its new columns."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import predicat
from tests.cli.test_commands import run
from tests.deploy.test_connections import dsn_of

TABLE = """
CREATE SCHEMA kept; CREATE TABLE kept.regions (code text PRIMARY KEY);
CREATE TABLE kept.orders (region text REFERENCES kept.regions, nr bigint, line int, state text,
  at timestamptz, PRIMARY KEY (nr, line));
COMMENT ON TABLE kept.orders IS E'Lines of orders: one\\n each.';
COMMENT ON COLUMN kept.orders.state IS 'new, "paid", gone';
INSERT INTO kept.regions VALUES ('eu'), ('us');
INSERT INTO kept.orders SELECT CASE WHEN i % 3 = 0 THEN 'us' ELSE 'eu' END, i, 1,
  CASE WHEN i % 2 = 0 THEN 'paid' ELSE 'new' END, '2026-01-01'::timestamptz + i * interval '1 day'
  FROM generate_series(1, 60) AS i;
"""


@pytest.fixture
def project(postgres: Any, tmp_path: Path) -> Iterator[Path]:
    postgres.execute(TABLE)
    done = run("init", "--from", "kept.orders", "--dsn", dsn_of(postgres), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    yield tmp_path
    postgres.execute("DROP SCHEMA kept CASCADE")


def test_comments_and_keys(project: Path) -> None:
    text = (project / "catalog" / "orders.yml").read_text()
    assert "description: 'Lines of orders: one each.'\n" in text and "key: [nr, line]\n" in text
    dataset = predicat.load_catalog(project / "catalog").datasets["orders"]
    assert dataset.key == ("nr", "line")
    assert dataset.fields["state"].description == 'new, "paid", gone'
    assert dataset.fields["region"].description == "Refers to kept.regions(code)."
    assert "sql: region = 'eu'\n" in text
    assert run("fmt", "--check", cwd=project).returncode == 0


LAYOUTS = {
    "as written": lambda text: text,
    "with comments": lambda text: text.replace("  region:", "  # a comment\n  region:").replace(
        "  at: timestamp\n", "  at: timestamp  # the last\n\n# filters\n"
    ),
    "in one line": lambda text: (
        "apiVersion: predicat/v1\ndataset: orders\nrelation: {postgres: kept.orders}\n"
        "fields: {region: string, nr: bigint, line: int, state: string, at: timestamp}  # all\nfilters: {}\n"
    ),
    "nested": lambda text: text.replace(
        "  at: timestamp\n", "  at:\n    type: timestamp\n    description: >\n      When,\n      in UTC.\n"
    ),
    "at the end": lambda text: (
        "apiVersion: predicat/v1\ndataset: orders\nrelation: {postgres: kept.orders}\n"
        "fields:\n    region: string\n    nr: bigint\n    line: int\n    state: string\n    at: timestamp"
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_new_columns_are_added_and_the_rest_stays(project: Path, postgres: Any, layout: str) -> None:
    file, dsn = project / "catalog" / "orders.yml", dsn_of(postgres)
    before = LAYOUTS[layout](file.read_text())
    file.write_text(before)
    done = run("init", "--update", "--dsn", dsn, cwd=project)
    assert (done.returncode, done.stdout) == (0, "catalog/orders.yml: no new columns\n"), done.stderr
    assert file.read_text() == before
    postgres.execute('ALTER TABLE kept.orders ADD "Größe" int, ADD "State" uuid, ADD ip inet')
    done = run("init", "--update", "--from", "kept.orders", "--dsn", dsn, "--format", "json", cwd=project)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["orders"]["added"] == ["Größe", "State_2", "ip"]
    after = file.read_text()
    rest = iter(after)
    assert all(char in rest for char in before)  # nothing is lost
    dataset = predicat.load_catalog(project / "catalog").datasets["orders"]
    assert list(dataset.fields)[-3:] == ["Größe", "State_2", "ip"]
    assert (
        dataset.fields["State_2"].column("postgres") == "State"
        and str(dataset.fields["Größe"].stored) == "int"
    )
    assert run("init", "--update", "--dsn", dsn, cwd=project).stdout == "catalog/orders.yml: no new columns\n"
    assert run("check", "--relation", "postgres", "--dsn", dsn, cwd=project).returncode in (0, 2)


def test_changed_columns_are_reported_where_they_are_declared(project: Path, postgres: Any) -> None:
    postgres.execute("ALTER TABLE kept.orders ALTER state TYPE bigint USING 1, DROP region, ADD more date")
    done = run("init", "--update", "--dsn", dsn_of(postgres), cwd=project)
    assert (done.returncode, done.stdout) == (1, "catalog/orders.yml: new: more\n")
    for said in (
        "has no column 'region', which is read by the catalog",
        "has bigint in its column 'state', which the catalog declares as string",
        "orders.yml:7:3",
        "orders.yml:10:3",
        "2 problems",
    ):
        assert said in done.stderr, done.stderr


def test_columns_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "o.csv").write_text("id,a\n1,x\n")
    assert run("init", "--from", "o.csv", cwd=tmp_path).returncode == 0
    (tmp_path / "o.csv").write_text("id,a,b\n1,x,2026-01-01\n")
    done = run("init", "--update", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "catalog/o.yml: new: b\n"), done.stderr
    assert "  a: string\n  b: date\nfilters:" in (tmp_path / "catalog" / "o.yml").read_text()
    none = run("init", "--update", "--dataset", "nope", cwd=tmp_path)
    assert none.returncode == 2
