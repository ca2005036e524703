"""Nested SQL never ends the process, and never takes two seconds: sqlglot's compiled parser recurses, and its
overflow cannot be caught.
"""

import subprocess
import sys
from pathlib import Path

import pytest

import predicat
from predicat.diagnostics import PredicatError
from predicat.language.sql.languages import SqlLanguage
from tests.language.nesting import NESTED
from tests.language.test_reader_fuzz import FIELDS

ROOT = Path(__file__).parent.parent.parent


FEW = (10, 39, 1_000)
ALL = (10, 20, 39, 50, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)


@pytest.mark.parametrize(
    ("language", "depths"),
    [
        ("sql", FEW),
        *(pytest.param(one, ALL, marks=pytest.mark.slow) for one in ("sql", "spark", "postgres", "duckdb")),
    ],
)
def test_no_nesting_ends_the_process(language: str, depths: tuple[int, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.language.nesting", language, *map(str, depths)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    cases = done.stdout.splitlines()
    assert done.returncode == 0, (done.returncode, cases[-1:], done.stderr)
    assert len(cases) > 45 * len(depths)


@pytest.mark.parametrize(
    ("language", "body"),
    [
        ("cel", "s == \\ || " * 60),
        ("duckdb", "b / " * 60 + "2 = 3"),
        ("sql", "n = zz OR " * 60 + "TRUE"),
    ],
)
def test_the_problems_of_a_long_line_are_counted(language: str, body: str) -> None:
    with pytest.raises(PredicatError) as caught:
        predicat.parse(body, language, {"s": "string", "b": "boolean", "n": "bigint"})
    text = str(caught.value)
    assert len(caught.value.diagnostics) > 10
    assert text.count("error[") == 10
    assert f"... and {len(caught.value.diagnostics) - 10} more in line 1 of <predicate>" in text


@pytest.mark.parametrize("language", ["sql", "spark", "postgres", "duckdb"])
@pytest.mark.parametrize(
    "name", ["( )", "open (", "[ ]", "lower()", "CASE", "CASE value", "ELSE", "open CASE"]
)
def test_sqlglot_does_not_read_what_is_nested_too_deeply(
    language: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under Python 3.13 its compiled parser ends the process with 4,700 CASE in each other."""

    def parse(*_: object) -> None:
        pytest.fail("sqlglot was asked")

    monkeypatch.setattr(SqlLanguage, "parse", parse)
    before, inner, after = NESTED[name]
    with pytest.raises(predicat.PredicatError, match="nested deeper than"):
        predicat.parse(before * 101 + inner + after * 101, language, FIELDS)


@pytest.mark.parametrize("dialect", ["postgres", "duckdb", "spark"])
def test_look_ups_in_look_ups_of_json_do_not_double(dialect: str) -> None:
    sql = predicat.parse("xs" + "[0]" * 30 + " = 1", "spark").sql(dialect)
    assert len(sql) < 5_000
    computed = predicat.parse("xs" + "[i]" * 10 + " = 1", "spark")
    with pytest.raises(PredicatError, match="nested so deeply that its SQL would have"):
        computed.sql(dialect)
