"""What all exports have in common: marks, files of others, refusals, `--check`."""

from pathlib import Path

import pytest

import predicat
from predicat.exporting.asked import Text
from predicat.exporting.marks import FORMS, Mark, mark_of, marked
from predicat.exporting.targets import TARGETS
from predicat.exporting.writing import State, files
from tests.exporting.written import asked, write
from tests.processes import in_process

CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: {postgres: orders, duckdb: orders, spark: orders}
fields: {status: string, amount: bigint}
filters:
  active: {sql: "status = 'active'"}
  large:
    latest: 1
    versions: {1: {sql: amount > 100}, 2: {sql: amount > 200}}
  above: {sql: "amount > :least", params: {least: bigint}}
"""
BODIES = {"json": '{\n  "a": 1\n}\n'}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    return tmp_path


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("filters", [(), ("orders.active",), ("orders.active", "orders.large@2")])
def test_a_mark_is_read_back_and_knows_a_changed_file(form: str, filters: tuple[str, ...]) -> None:
    body = BODIES.get(form, f"{FORMS[form][0]}one line\nanother\n")
    whole = marked(Text("f", body, filters, form), "dbt")
    assert mark_of(whole) == Mark("dbt", filters, edited=False)
    assert mark_of(whole + "\n") == Mark("dbt", filters, edited=True)
    assert mark_of(f"\n{whole}") == Mark("dbt", filters, edited=True)
    assert mark_of(body) is None


def test_a_file_is_as_it_is(folder: Path) -> None:
    """Each state, and what is written in it."""
    catalog = predicat.load_catalog(folder / "catalog")
    names = [state.name.lower() for state in State if state is not State.GONE]
    old = [Text(f"{name}.sql", "SELECT 1\n", ("orders.active",)) for name in names]
    write("dbt", catalog, folder, [*old, Text("gone.sql", "SELECT 0\n", ("orders.no_more", "no.dataset@2"))])
    (folder / "new.sql").unlink()
    (folder / "edited.sql").write_text((folder / "edited.sql").read_text() + "-- mine\n")
    (folder / "other.sql").write_text("SELECT 1\n")
    body = {"same.sql": "SELECT 1\n"}
    new = [Text(text.path, body.get(text.path, "SELECT 2\n"), text.filters) for text in old]
    found = files(catalog, "dbt", folder, new)
    assert {file.path: file.state.name.lower() for file in found} == {
        f"{name}.sql": name for name in [*names, "gone"]
    }
    assert all(file.state is not State.GONE for file in files(catalog, "another", folder, new))
    write("dbt", catalog, folder, new)
    assert {file.state for file in files(catalog, "dbt", folder, new)} == {State.SAME, State.GONE}


def test_the_command_checks_what_it_wrote(folder: Path) -> None:
    run = ("export", "dbt", "--out", "out")
    assert in_process(*run, "--check", cwd=folder).returncode == 1
    assert not (folder / "out").exists()
    done = in_process(*run, cwd=folder)
    assert done.stdout == "out: 3 filters; add it to packages.yml as - local: out\n"
    (folder / "models").mkdir()
    (folder / "models" / "dbt_project.yml").write_text("name: shop\n")
    done = in_process("export", "dbt", "--out", "models/out", cwd=folder)
    assert done.stdout == "models/out: 3 filters; add it to packages.yml as - local: out\n"
    assert in_process(*run, "--check", cwd=folder).returncode == 0
    (folder / "catalog" / "orders.yml").write_text(CATALOG.replace("'active'", "'open'"))
    done = in_process(*run, "--check", cwd=folder)
    assert (done.returncode, done.stderr.splitlines()) == (
        1,
        ["out/macros/predicat_sql.sql is not up to date", "run predicat export dbt again"],
    )
    assert in_process(*run, cwd=folder).returncode == 0
    macro = folder / "out" / "macros" / "predicat_sql.sql"
    macro.write_text(macro.read_text().replace("open", "mine"))
    done = in_process(*run, cwd=folder)
    assert done.returncode == 1 and "predicat_sql.sql was changed by hand" in done.stderr
    assert "mine" in macro.read_text()
    assert in_process(*run, "--force", cwd=folder).returncode == 0
    assert "mine" not in macro.read_text()


def test_every_refusal_of_a_run_is_told(folder: Path) -> None:
    of = asked(predicat.load_catalog(folder / "catalog"))
    assert [row.name for row in of.rows] == ["orders.active", "orders.large"]
    (problem,) = of.reporter.errors
    assert problem.code == "missing-parameter" and problem.where().endswith("orders.yml:10:16")
    of = asked(predicat.load_catalog(folder / "catalog"), "large@2", "active")
    assert [(row.name, row.identifier, row.file) for row in of.rows] == [
        ("orders.large@2", "orders__large__v2", "orders.large.v2"),
        ("orders.active", "orders__active", "orders.active"),
    ]


def test_every_target_says_how_it_was_tested() -> None:
    assert all(target.what.endswith(".") and target.tested for target in TARGETS.values())
