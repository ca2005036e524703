"""The tests of filters: failures that say why, generated rows, mutants, and explanations."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.deploy.rows import on_duckdb, on_postgres
from predicat.ir.nodes import Node
from predicat.lower import core
from predicat.proof.candidate_rows import CandidateRows
from predicat.proof.compare import compare_nodes, example
from predicat.proof.inputs import over_inputs
from predicat.rewrite.substitute import at
from predicat.testing import coverage, runs
from predicat.testing.mutants import mutants
from predicat_spark.rows import on_spark
from tests.cli.test_commands import run
from tests.rounds import rounds

CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: {spark: orders, postgres: orders}
fields: {n: bigint, status: string, tags: "map<string, string>", doc: json, at: timestamp}
filters:
  good:
    sql: n > 3 AND NOT status = 'gone'
    tests:
      - {row: {n: 5, status: new}, matches: true}
  tagged: {cel: 'tags["a"] == "x"'}
tests:
  good:
    - {row: {n: 5, status: gone}, matches: false, description: Gone is gone.}
  tagged:
    - {row: {tags: {a: x}}, matches: true}
    - {row: {tags: {b: x}}, matches: unknown}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    return tmp_path


def test_tests_beside_and_apart(folder: Path) -> None:
    done = run("test", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "4 passed, 0 failed on evaluator\n")


def test_a_failure_says_what_decided_it(folder: Path) -> None:
    file = folder / "catalog" / "orders.yml"
    file.write_text(
        CATALOG.replace("{n: 5, status: new}, matches: true", "{n: 5, status: gone}, matches: true")
    )
    done = run("test", cwd=folder)
    assert done.returncode == 1
    assert "error[failed-test]: orders.good: expected true, but this row gives false" in done.stderr
    assert "it is decided by: status is 'gone' is TRUE with {status: \"gone\"}" in done.stderr


def test_wrong_tests_are_reported(folder: Path) -> None:
    file = folder / "catalog" / "orders.yml"
    file.write_text(CATALOG + "  nosuch: []\n")
    done = run("test", cwd=folder)
    assert done.returncode == 2 and "no filter is named 'nosuch'" in done.stderr
    file.write_text(CATALOG.replace("matches: unknown", "matches: unknown, version: 7"))
    assert "orders.tagged has no version 7" in run("test", cwd=folder).stderr


def test_engines_agree_on_the_reference_catalog(spark: Any, postgres: Any) -> None:
    catalog = predicat.load_catalog("catalog")
    rows = catalog.filters()
    expected = runs.on_evaluator(rows)
    assert len(expected) > 200 and not [item for item in expected if item.problem]
    for name, engine in (
        ("spark", lambda *args: on_spark(*args, spark)),
        ("postgres", lambda *args: on_postgres(postgres, *args)),
        ("duckdb", on_duckdb),
    ):
        found = runs.on_engine(catalog, rows, name, engine)
        assert len(found) == len(expected)
        assert [item.problem for item in found if item.problem] == []


def test_an_engine_that_differs_is_a_failure(folder: Path) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    found = runs.on_engine(
        catalog, catalog.filters(), "duckdb", lambda _fields, rows, sql: [[None] * len(rows) for _ in sql]
    )
    assert [item.problem is not None for item in found] == [True, False, True, False]


def cover(node: Node, rows: list[dict[str, Any]]) -> bool:
    """Whether rows show every condition decide both ways, where some row can."""
    return all(
        any(over_inputs(need.node)(row) is True for row in rows)
        or example(need.node, wanted=True)[0] == "none"
        for need in coverage.requirements(node)
    )


@pytest.mark.parametrize(
    "text",
    [
        "n > 3 AND status = 'x'",
        "n > 3 OR status LIKE 'a%' AND n < 10",
        "NOT (n = 1 OR status IS NULL)",
        "n BETWEEN 2 AND 5",
    ],
)
def test_generated_rows_cover_every_condition_both_ways(text: str) -> None:
    node = predicat.parse(text, "sql", {"n": "bigint", "status": "string"}).node
    rows = coverage.generate(node, mutate="reject")
    assert cover(node, rows)
    function = over_inputs(node)
    for mutant in mutants(node):
        other = over_inputs(mutant.node)
        differs = any((function(row) is True) != (other(row) is True) for row in rows)
        verdict = predicat.compare(predicat.Predicate(node, "sql"), predicat.Predicate(mutant.node, "sql"))
        assert differs or verdict.same_rows, mutant.change


FIELDS = {"s": "string", "at": "timestamp", "from_day": "date", "to_day": "date", "n": "bigint"}
# Each condition, with mistakes that people make in it.
MISTAKES = {
    "s = 'x' AND NOT n = 5": [
        "a missing value makes it TRUE",
        "a missing value makes it FALSE",
        "case is ignored",
        "spaces around it are ignored",
    ],
    "s LIKE 'x_%'": ["'x_%' becomes 'x_'", r"'x_%' becomes 'x\\_%'", "case is ignored"],
    "s ILIKE '%x'": ["'%x' becomes 'x'"],
    "s RLIKE '^x.y$'": [
        "'^x.y$' becomes 'x.y$'",
        "'^x.y$' becomes '^x.y'",
        r"'^x.y$' becomes '^x\\.y$'",
    ],
    "lower(s) = 'x'": ["lower is removed"],
    "trim(s) = 'x'": ["trim is removed"],
    "date_trunc('day', at) = TIMESTAMP '2024-01-01 00:00:00Z'": ["'day' becomes 'month'"],
    "CAST(at AT TIME ZONE 'Europe/Berlin' AS date) = DATE '2024-03-31'": ["'Europe/Berlin' becomes 'UTC'"],
    "at > now() - INTERVAL '2' DAY": ["2 days, 0:00:00 becomes 3 days, 0:00:00"],
    "to_day > date_add(from_day, 3)": ["3 becomes 4", "3 becomes 2", "gt becomes ge"],
}


@pytest.mark.parametrize("text", MISTAKES)
def test_rows_are_generated_for_the_mistakes_that_people_make(text: str) -> None:
    node = at(predicat.parse(text, "sql", FIELDS).surface, datetime(2024, 3, 11, tzinfo=UTC))
    rows = coverage.generate(node, mutate="reject")
    found = {mutant.change: mutant.node for mutant in mutants(node)}
    assert found.keys() >= set(MISTAKES[text])
    for change, mutant in found.items():
        verdict = compare_nodes(core(node), core(mutant), ("reject", "reject"))
        told_apart = coverage._accepted("reject", node, rows) != coverage._accepted("reject", mutant, rows)
        assert told_apart is not verdict.same_rows, change


def test_generated_rows_alone_meet_the_bounds_of_calculations() -> None:
    node = predicat.parse("to_day > date_add(from_day, 3)", "sql", FIELDS).surface
    rows = coverage.generate(node)
    for mutant in rounds(mutants(node), 7):
        told_apart = coverage._accepted("reject", node, rows) != coverage._accepted(
            "reject", mutant.node, rows
        )
        assert told_apart or mutant.change == "a missing value makes it FALSE", mutant.change


def test_the_figures_say_what_they_are_not_of(folder: Path) -> None:
    file = folder / "catalog" / "orders.yml"
    file.write_text(
        CATALOG.replace(
            "  tagged: {", "  above: {sql: 'n > :least', params: {least: bigint}}\n  tagged: {"
        ).replace("sql: n > 3 AND", "sql: md5(status) <> 'x' AND n > 3 AND")
    )
    lines = run("test", "--mutate", cwd=folder).stdout.splitlines()
    assert "orders.above: not measured, as a parameter has no default" in lines
    assert any(line.startswith("orders.good: ") and line.endswith(" not decided") for line in lines), lines


@pytest.mark.parametrize("kind", ["bigint", "double"])
def test_generated_rows_have_the_bounds(kind: str) -> None:
    node = predicat.parse("n > 3 AND n <= 9", "sql", {"n": kind}).surface
    assert {3, 9} <= {row.get("n") for row in coverage.generate(node)}


def test_generated_tests_pass_and_complete_the_figures(folder: Path) -> None:
    done = run("test", "--generate", "--mutate", "--out", "catalog/generated.yml", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert run("test", "--engine", "duckdb", cwd=folder).returncode == 0
    figures = run("test", "--mutate", cwd=folder).stdout.splitlines()[-1]
    assert figures.startswith("6 of 6 conditions decided both ways; mutation score 100%")


def test_mutation_finds_a_weak_test(folder: Path) -> None:
    out = run("test", "--mutate", "good", cwd=folder).stdout
    assert (
        "no test: n is more than 3 is FALSE and decides" in out
        and "not found: operand 1 of and is removed" in out
    )


def test_explain(folder: Path) -> None:
    out = run("explain", "good", cwd=folder).stdout
    assert "  all of:\n    n is more than 3\n    not:\n      status is 'gone'\n" in out
    assert "yes / yes  n is more than 3" in out and "reads orders on spark: n, status" in out
    out = run("explain", "good", "--row", '{"n": 2, "status": "gone"}', cwd=folder).stdout
    assert (
        out.startswith("orders.good@1 is FALSE: the row is not accepted\n")
        and ">   n is more than 3: FALSE   {n: 2}" in out
    )
    done = run("explain", "good", "--row", '{"n": 2, "statis": "gone"}', cwd=folder)
    assert (
        "warning: the row has 'statis', which is not a field of the dataset: did you mean 'status'"
        in done.stderr
        and done.returncode == 0
    )
    done = run("explain", "good", "--row", "[1]", cwd=folder)
    assert done.returncode == 2 and "an object in JSON or YAML" in done.stderr
    assert "did you mean 'good'" in run("explain", "goood", cwd=folder).stderr


@pytest.mark.parametrize(
    "text",
    [
        'j.x == "a"',
        'j.x > 5.0 && j.y == "b"',
        'j.exists(k, k == "a")',
        "j.xs.exists(k, k.n > 3.0)",
        'm[s] == "v"',
        'j[s] == "v"',
        "j.xs[n] == 2",
        "size(j.x) > 3",
        "timestamp(j.at) > t",
        'duration(s) > duration("1h30m")',
        't - timestamp(s) > duration("1h")',
        "int(s) > n",
    ],
)
def test_rows_worth_trying_reach_into_documents_and_texts(text: str) -> None:
    node = predicat.parse(
        text, "cel", {"j": "json", "m": "map<string, string>", "s": "string", "n": "bigint", "t": "timestamp"}
    )
    assert {True, False} <= {node.evaluate(row) for row in CandidateRows([node.node]).rows(60)}
