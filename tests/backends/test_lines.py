"""Line breaks in generated SQL: where they are, and that nothing else changes."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlglot.dialects.dialect import Dialect
from sqlglot.tokens import Token

import predicat
from benchmarks import conditions
from predicat.backends.sql.lines import WIDTH, broken
from predicat.cli.main import cli

LONG = "field_with_a_long_name"
WIDE = f"{LONG} > 100000"


def tokens(sql: str, dialect: str) -> list[tuple[object, str]]:
    found: list[Token] = Dialect.get_or_raise(dialect).tokenize(sql)
    return [(token.token_type, token.text) for token in found]


@pytest.mark.parametrize("where", [True, False])
def test_only_the_space_between_words_changes(where: bool) -> None:
    rows = [row for row in conditions.rendered(where=where) if len(row.sql) > WIDTH]
    assert len(rows) > 5
    for row in rows:
        text = broken(row.sql, row.dialect)
        assert tokens(text, row.dialect) == tokens(row.sql, row.dialect)
        assert all(" \n" not in text and len(line) > 0 for line in text.splitlines())


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("a > 1 AND b > 2", "a > 1 AND b > 2"),
        (" AND ".join([WIDE] * 4), "\nAND ".join([WIDE] * 4)),
        (
            f"{WIDE} AND n BETWEEN 1 AND 2 AND ({' OR '.join([WIDE] * 4)})",
            "\n".join(
                [
                    WIDE,
                    "AND n BETWEEN 1 AND 2",
                    "AND (",
                    f"  {WIDE}",
                    *[f"  OR {WIDE}"] * 3,
                    ")",
                ]
            ),
        ),
        (
            f"{WIDE} OR {' AND '.join([WIDE] * 4)}",
            "\n".join([WIDE, f"OR {WIDE}", *[f"  AND {WIDE}"] * 3]),
        ),
        (
            f"CASE WHEN {WIDE} THEN {WIDE} WHEN {WIDE} THEN {WIDE} ELSE FALSE END IS TRUE",
            "\n".join(
                ["CASE", *[f"  WHEN {WIDE} THEN {WIDE}"] * 2, "  ELSE FALSE", "END IS TRUE"],
            ),
        ),
        (
            f"s = 'a AND b OR (' AND {WIDE} AND {WIDE} AND {WIDE}",
            f"s = 'a AND b OR (' AND {WIDE} AND {WIDE} AND {WIDE}".replace(" AND f", "\nAND f"),
        ),
        (f"f({', '.join([LONG] * 6)}) > 1", f"f({', '.join([LONG] * 6)}) > 1"),
    ],
)
def test_operands_and_branches_have_lines(sql: str, expected: str) -> None:
    assert broken(sql, "postgres") == expected


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("spark", r"'it\'s AND \\'"),
        ("duckdb", r"'a\'"),
        ("postgres", r"E'a\\'' AND '"),
        ("spark", "`a AND b`"),
    ],
)
def test_texts_and_names_in_quotes_stay_whole(dialect: str, text: str) -> None:
    sql = f"s = {text} AND {' AND '.join([WIDE] * 4)}"
    assert broken(sql, dialect) == "\nAND ".join([f"s = {text}", *[WIDE] * 4])


def test_a_deep_condition_has_lines() -> None:
    text = "a > 1"
    for number in range(38):
        text = f"({text} OR {LONG} = {number}) AND {LONG} <> {number}"
    sql = predicat.parse(text, "sql", {"a": "bigint", LONG: "bigint"}).sql("duckdb")
    assert tokens(broken(sql, "duckdb"), "duckdb") == tokens(sql, "duckdb")


def test_sql_has_lines_where_they_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "d.yml").write_text(
        "apiVersion: predicat/v1\ndataset: d\nrelation: d\nfields: {n: bigint, s: string}\nfilters:\n  f:\n"
        "    sql: >-\n      n > 1000000000 AND n < 2000000000 AND s = 'a long text constant' AND "
        "s <> 'another long text constant' AND n <> 1500000000\n",
        encoding="utf-8",
    )

    def run(*options: str) -> str:
        result = CliRunner().invoke(cli, ["sql", "f", "--catalog", str(tmp_path), *options])
        assert result.exit_code == 0, result.output
        return result.stdout

    assert len(run().splitlines()) == 1
    lines = run("--pretty").splitlines()
    assert len(lines) > 2
    assert all(line.startswith("AND ") for line in lines[1:])
    assert " ".join(lines) == run("--one-line").strip()
    assert "\\n" not in run("--pretty", "--format", "json")
