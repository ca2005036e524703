"""What `explain` and `lint` say of the indexes that a catalog declares, and `predicat sql --where`."""

from pathlib import Path

import pytest

import predicat
from predicat.diagnostics import PredicatError
from predicat.explain.text import explain
from predicat.lint import Context
from predicat.lint.rules import unserved
from tests.cli.test_commands import run

CATALOG = """\
apiVersion: predicat/v1
dataset: people
relation: {postgres: public.people}
indexes: [(n), (lower(name)), USING gin (h), (name)]
collation: en_US.UTF-8
fields: {n: bigint, name: string, h: "map<string,string>", free: string}
filters:
  solved: {sql: n + 5 > 10}
  both: {sql: "lower(name) = 'abc' AND name LIKE '%x'"}
  either: {sql: "name = 'x' OR name LIKE '%x'"}
  ordered: {sql: name > 'm'}
  key: {sql: "h['k'] = 'v'"}
  nothing: {sql: free = 'a'}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.yml").write_text(CATALOG)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("solved", "yes / yes  (n + 5) is more than 10  (index (n))"),
        ("either", "yes / yes  name is 'x'  (index (name))"),
        ("either", "yes / no   name ends with 'x'  (index (name) cannot be used for this form)"),
        ("ordered", "yes / no   name is more than 'm'  (index (name) is not ordered by code point)"),
        ("key", "no  / yes  h.k is 'v'  (it compares h.k, not a column)  (index USING gin (h))"),
        ("nothing", "yes / no   free is 'a'  (no index on the fields that it reads)"),
    ],
)
def test_explain_names_the_index(folder: Path, name: str, line: str) -> None:
    catalog = predicat.load_catalog(folder)
    found, number = catalog.find(name)
    assert f"  {line}" in explain(catalog, found, found.versions[number])


def test_lint_finds_what_no_index_serves(folder: Path) -> None:
    found = list(unserved.check(Context(predicat.load_catalog(folder))))
    assert [(one.name, one.span.text, one.hint) for one in found] == [
        ("people.either", "name LIKE '%x'", "index (name) cannot be used for this form"),
        ("people.ordered", "name > 'm'", "index (name) is not ordered by code point"),
    ]


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        ("solved", "n > 5 AND n <= 9223372036854775802"),
        ("key", 'h @> \'{"k": "v"}\''),
        ("ordered", "(name COLLATE \"C\") > 'm'"),
    ],
)
def test_a_condition_for_where(folder: Path, name: str, sql: str) -> None:
    done = run("sql", name, "--where", "--dialect", "postgres", "--catalog", str(folder))
    assert done.stdout.strip() == sql


def test_the_collation_decides_on_the_order(folder: Path) -> None:
    (folder / "people.yml").write_text(CATALOG.replace("en_US.UTF-8", "C"))
    done = run("sql", "ordered", "--where", "--dialect", "postgres", "--catalog", str(folder))
    assert done.stdout.strip() == "name > 'm'"


def test_a_text_that_is_no_index_is_an_error(folder: Path) -> None:
    (folder / "people.yml").write_text(CATALOG.replace("(n),", '"(n", '))
    with pytest.raises(PredicatError, match=r"indexes: '\(n' is not an index"):
        predicat.load_catalog(folder)
