"""Rooms that know no engine do not name one."""

import ast
from pathlib import Path

import pytest

from predicat.backends import DIALECTS

PACKAGE = Path(__file__).parent.parent / "compiler" / "predicat"
ROOMS = (
    "analysis",
    "check",
    "forms",
    "ir",
    "lower",
    "rewrite",
    "semantics",
    "language",
    "matching",
    "catalog",
    "quality/classes.py",
    "quality/measure.py",
)
KNOWN = {
    # Languages that have the names of their engines.
    "language/__init__.py",
    "language/spark/reader.py",
    "language/postgres/reader.py",
    "language/duckdb/reader.py",
    # Iceberg tables have the columns that Spark reads.
    "language/iceberg/reader.py",
    "language/iceberg/writer.py",
    # The key `spark` of a dataset: the mode of Spark in which its bodies of that language are read.
    "catalog/definitions.py",
    "catalog/json_schema.py",
    "catalog/keys.py",
    "catalog/manifest.py",
    # Row policies, and what PostgreSQL reads attributes of the session from.
    "catalog/policies.py",
    "catalog/policy_conditions.py",
    "matching/rows.py",  # `match` reads the files of a DuckDB relation, and refuses its expressions
    # Functions that not all engines have, or not all alike.
    "language/sql/calendars.py",
    "language/sql/formats.py",
    "language/sql/times.py",  # names of types of users, as sqlglot writes them
    "semantics/regex.py",  # how patterns are written for an engine, by its name
}


def named(file: Path) -> set[str]:
    """The dialects that a file names in quotes."""
    constants = (
        node.value for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Constant)
    )
    return {value for value in constants if isinstance(value, str) and value in DIALECTS}


@pytest.mark.parametrize("room", ROOMS)
def test_no_dialect_is_named(room: str) -> None:
    path = PACKAGE / room
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    assert files
    naming = {str(file.relative_to(PACKAGE)) for file in files if named(file)}
    assert naming == {name for name in KNOWN if name.startswith(room)}
