"""All problems of a run are shown, and the exit code says whose they are."""

from pathlib import Path

import pytest

import predicat
from tests.processes import in_process

CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: {postgres: shop.orders}
fields: {id: bigint, status: string, amount: double}
filters:
  big: {sql: "amount > 100", tests: [{row: {amount: 101}, matches: true}]}
  named: {sql: "status = 'x'"}
  counted: {sql: "id > :n", params: {n: bigint}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    return tmp_path


def change(project: Path, before: str, after: str) -> None:
    file = project / "catalog" / "orders.yml"
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, after))


def test_a_failing_test_does_not_hide_a_changed_release(project: Path) -> None:
    assert in_process("release", cwd=project).returncode == 0
    change(project, "amount > 100", "amount > 200")
    done = in_process("check", cwd=project)
    assert done.returncode == 1 and done.stderr.rstrip().endswith("2 problems")
    assert "error[failed-test]" in done.stderr and "error[released-changed]" in done.stderr
    change(project, "status = 'x'", "statuz = 'x'")
    done = in_process("check", cwd=project)
    assert done.stderr.count("error[") == 2 and "unknown-field" in done.stderr


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("sql", "foo(id) > 1 and nope = 2 and nix = 3", ["foo", "nope", "nix"]),
        ("sql", "foo(nope) > 1 and exists(xs, x -> bar(x) > y)", ["foo", "nope", "bar", "y"]),
        ("postgres", "foo(nope) = 1 or nix = 2", ["foo", "nope", "nix"]),
        ("cel", "foo(nope) > 1 && xs.all(x, bar(x) > y) && nix == 3", ["foo", "nope", "bar", "y", "nix"]),
        ("cel", "id.foo(nope)", ["foo", "nope"]),
    ],
)
def test_unknown_functions_do_not_hide_unknown_fields(language: str, text: str, names: list[str]) -> None:
    with pytest.raises(predicat.PredicatError) as error:
        predicat.parse(text, language, {"id": "bigint", "xs": "array<bigint>"})
    assert [item.message.split(" is named ")[1] for item in error.value.diagnostics] == list(map(repr, names))


@pytest.mark.parametrize("table", ["orders", "ORDERS", "shop.orders", "ord", "o", "t"])
def test_the_name_of_the_table_may_stand_before_a_field(project: Path, table: str) -> None:
    change(project, "status = 'x'", f"{table}.status = 'x'")
    done = in_process("check", cwd=project)
    assert ("unknown-field" in done.stderr) is (table == "shop.orders"), done.stderr


@pytest.mark.parametrize("table", ["zzz", "customers", "statuss"])
def test_another_table_before_a_field_is_an_error(project: Path, table: str) -> None:
    change(project, "status = 'x'", f"{table}.status = 'x'")
    done = in_process("check", cwd=project)
    assert done.returncode == 1 and f"'{table}' is not the table of this filter" in done.stderr
    assert "for the field of this dataset write status" in done.stderr


def test_a_misspelt_key_of_a_test_is_one_problem_of_ours(project: Path) -> None:
    change(project, "{amount: 101}", "{amout: 101}")
    done = in_process("check", cwd=project)
    assert done.stderr.count("error[") == 1 and "did you mean 'amount'?" in done.stderr
    assert "Warning" not in done.stderr


def test_rows_of_a_review_can_be_pasted(project: Path) -> None:
    for row in ("{amount: 101.0}", '{"amount": 101.0}', "amount: 101.0", "{amount: .inf, status: x}"):
        done = in_process("explain", "big", "--row", row, cwd=project)
        assert done.returncode == 0 and done.stdout.startswith("orders.big@1 is TRUE"), (row, done.stderr)
    done = in_process("explain", "big", "--row", "[1]", cwd=project)
    assert done.returncode == 2 and "an object in JSON or YAML" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        "sql big --dialect postgresql",
        "sql big --param x=1",
        "sql counted --param n=abc",
        "sql nothing",
        "match orders --input nope.csv",
        "match nothing --input nope.csv",
        "seek big --input nope.parquet",
        "init --from nope.csv",
        "translate big --to nope",
        "explain big --row {amount:[}",
        "check --catalog nope",
        "compile --catalog nope",
    ],
)
def test_what_was_given_to_a_command_is_wrong_use(project: Path, command: str) -> None:
    done = in_process(*command.split(), cwd=project)
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr
