"""Lists of a catalog: what they mean in each language, where their values come from, and what is wrong."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.catalog import lists
from predicat.deploy import rows
from predicat.diagnostics import PredicatError
from predicat.ir.canonical import meaning_hash
from predicat.testing import runs
from tests.processes import first_commit, in_process

CATALOG = """\
apiVersion: predicat/v1
dataset: flights
fields: {carrier: string, n: bigint, d: date, x: double, held: {type: string, nulls: value}}
lists:
  regional: [MQ, EV, OO, EV]
  blocked: {type: bigint, file: lists/blocked.csv, column: id, description: Blocked.}
  days: {type: date, versions: {1: [2024-01-01], 2: {file: lists/days.yml}}}
filters:
  by_sql:
    sql: carrier IN list('regional')
    tests:
      - {row: {carrier: EV}, matches: true}
      - {row: {carrier: UA}, matches: false}
      - {row: {carrier: null}, matches: unknown}
  by_cel: {cel: carrier in lists.regional}
  days_by_cel: {cel: d in lists.days.v1}
  other_days_by_cel: {cel: d in lists.flights.days.v2}
  by_spark: {spark: carrier IN (list('regional'))}
  by_postgres: {postgres: carrier IN list('flights.regional')}
  written: {sql: "carrier IN ('EV', 'MQ', 'OO')"}
  not_blocked:
    sql: n NOT IN list('blocked')
    tests: [{row: {n: 9}, matches: false}, {row: {n: 1}, matches: true}, {row: {}, matches: unknown}]
  first_days: {sql: d IN list('days@1')}
  days:
    sql: d IN list('days')
    tests: [{row: {d: 2024-06-01}, matches: true}, {row: {d: 2024-01-01}, matches: false}]
  in_doubles: {sql: x IN list('blocked'), tests: [{row: {x: 9.0}, matches: true}]}
  held: {cel: held in lists.regional, tests: [{row: {held: null}, matches: false}]}
"""
OTHER = """\
apiVersion: predicat/v1
dataset: other
fields: {c: string}
filters: {f: {sql: "c IN list('flights.regional')"}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog" / "lists").mkdir(parents=True)
    (tmp_path / "catalog" / "flights.yml").write_text(CATALOG)
    (tmp_path / "catalog" / "other.yml").write_text(OTHER)
    (tmp_path / "catalog" / "lists" / "blocked.csv").write_text('id,name\n7,"a\nb"\n9,c\n')
    (tmp_path / "catalog" / "lists" / "days.yml").write_text("- 2024-06-01\n- 2024-05-01\n")
    return tmp_path


def test_a_list_means_the_same_in_every_language(folder: Path) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    meanings = {
        meaning_hash(catalog[f"flights.{name}"].node, "reject")
        for name in ("by_sql", "by_cel", "by_spark", "by_postgres", "written")
    }
    assert len(meanings) == 1  # so one meaning in proofs and on engines as well
    assert catalog["not_blocked"].sql("postgres") == "n NOT IN (7, 9)"
    assert catalog["flights.days"].sql("duckdb") == "d IN (DATE '2024-05-01', DATE '2024-06-01')"
    for one, other in (("first_days", "days_by_cel"), ("flights.days", "other_days_by_cel")):
        assert catalog[one].node == catalog[other].node
    assert catalog["first_days"].sql("spark") == "d IN (DATE '2024-01-01')"
    assert catalog["other.f"].evaluate({"c": "MQ"}) is True
    assert catalog["held"].evaluate({"held": None}) is False


def test_engines_agree(folder: Path, postgres: Any) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    filters = catalog.filters()
    for name, engine in (("duckdb", rows.on_duckdb), ("postgres", partial(rows.on_postgres, postgres))):
        result = runs.on_engine(catalog, filters, name, engine)
        assert len(result) == 10
        assert [item.problem for item in result if item.problem or item.skipped] == []


def test_a_large_list(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "catalog" / "lists" / "blocked.csv").write_text(
        "id\n" + "".join(f"{n}\n" for n in range(10_000))
    )
    (folder / "catalog" / "flights.yml").write_text(
        CATALOG.replace("[MQ, EV, OO, EV]", "{type: string, file: lists/codes.csv}")
        .replace("n: 1}", "n: -1}")
        .replace("'EV'", "'c1'")
    )
    codes = folder / "catalog" / "lists" / "codes.csv"
    codes.write_text("code\nEV\n" + "".join(f"c{n}\n" for n in range(9_999)))
    catalog = predicat.load_catalog(folder / "catalog")
    assert catalog["held"].evaluate({"held": "c9998"}) is True
    assert catalog["held"].evaluate({"held": None}) is False
    assert catalog["by_cel"].evaluate({"carrier": None}) is None
    assert len(catalog["held"].sql("postgres")) < 100_000
    monkeypatch.setattr(lists, "MAX_VALUES", 10_000)
    codes.write_text("code\n" + "".join(f"c{n}\n" for n in range(10_001)))
    with pytest.raises(PredicatError, match="the list 'regional' has 10,001 values; the limit is 10,000"):
        predicat.load_catalog(folder / "catalog")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("lists.days.v1", "lists.days.v7", "no list is named 'days.v7'"),
        ("list('regional')", "list('regionale')", "no list is named 'regionale'.*did you mean 'regional'"),
        ("lists.regional", "lists.regionale", "no list is named 'regionale'"),
        ("n NOT IN list('blocked')", "n NOT IN list('regional')", "'EV' is not a bigint"),
        ("column: id", "column: idd", "has no column 'idd'.*did you mean 'id'"),
        (", column: id", "", "the file has 2 columns.*write column: one of id, name"),
        ("column: id", "column: name", r"'a\\nb' is not a value of type bigint"),
        ("lists/blocked.csv", "../blocked.csv", "is not in the folder of the catalog file"),
        ("lists/blocked.csv", "blocked.csv", "there is no file blocked.csv"),
        ("[MQ, EV", "[MQ, null", "null is not a value of type string"),
        ("[2024-01-01]", "[soon]", "'soon' is not a value of type date"),
        ("type: date", "type: double", "a list cannot have values of type 'double'"),
        ("days@1", "days@7", "no list is named 'days@7'"),
        ("list('regional')", "(SELECT c FROM t)", r"put the values below lists: in the catalog"),
        ("list('regional')", "list(carrier)", r"write x IN list\('name'\)"),
    ],
)
def test_a_wrong_list(folder: Path, old: str, new: str, said: str) -> None:
    (folder / "catalog" / "flights.yml").write_text(CATALOG.replace(old, new, 1))
    with pytest.raises(PredicatError, match=f"(?s){said}"):
        predicat.load_catalog(folder / "catalog")


def test_a_file_of_values_that_no_list_names(folder: Path) -> None:
    (folder / "catalog" / "more.yml").write_text("- a\n")
    with pytest.raises(PredicatError, match="a catalog file must be a mapping"):
        predicat.load_catalog(folder / "catalog")


def test_a_review_shows_a_changed_list(folder: Path) -> None:
    first_commit(folder)
    (folder / "catalog" / "lists" / "blocked.csv").write_text("id,name\n9,c\n11,d\n12,d\n")
    shown = in_process("diff", "main", cwd=folder).stdout
    assert "values of blocked" in shown
    assert "\n  2 added: 11, 12\n  1 removed: 7\n" in shown
    assert "flights.not_blocked" in shown and "{n: 11}" in shown
    assert in_process("list", "state:changed", "--names", cwd=folder).stdout.split() == [
        "flights.not_blocked",
        "flights.in_doubles",
    ]


def test_the_site_shows_lists_and_who_uses_them(folder: Path) -> None:
    done = in_process("docs", "build", "--no-proofs", "--out", "site", cwd=folder)
    assert done.returncode == 0, done.stderr
    page = (folder / "site" / "datasets" / "flights.html").read_text()
    lists = page[page.index('id="lists"') :]
    row = lists[lists.index('id="list-regional"') :].partition("</tr>")[0]
    assert "EV, MQ, OO" in row
    assert re.findall(r">(\w+\.\w+)</a>", row) == [
        *(f"flights.{name}" for name in ("by_sql", "by_cel", "by_spark", "by_postgres", "held")),
        "other.f",
    ]
