"""Owners of files, by CODEOWNERS."""

from __future__ import annotations

from pathlib import Path

import pytest

from predicat.discover.read import folder
from predicat.discover.read.owners import Owners

RULES = """
# comment
* @all
*.sql @sql   # behind a pattern
/models/ @models
docs/* @docs
models/**/raw @raw @more
/models/free.sql
"""


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("a.py", "@all"),
        ("x/a.sql", "@sql"),
        ("models/a.sql", "@models"),
        ("x/models/a.sql", "@sql"),
        ("docs/a.md", "@docs"),
        ("docs/more/a.md", "@all"),
        ("models/a/b/raw/c.sql", "@raw @more"),
        ("models/free.sql", None),
    ],
)
def test_the_last_pattern_counts(tmp_path: Path, name: str, owner: str | None) -> None:
    (tmp_path / "CODEOWNERS").write_text(RULES)
    assert Owners().of(tmp_path / name) == owner


def test_conditions_have_owners(tmp_path: Path) -> None:
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github" / "CODEOWNERS").write_text(RULES)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "a.sql").write_text("select 1 from t where a = 1")
    (row,) = folder.read([tmp_path]).conditions
    assert row.owner == "@models"
    (row,) = folder.read([tmp_path / "models"]).conditions
    assert row.owner == "@models"


def test_a_repository_without_owners(tmp_path: Path) -> None:
    (tmp_path / "CODEOWNERS").write_text("* @above")
    (tmp_path / "inner" / ".git").mkdir(parents=True)
    assert Owners().of(tmp_path / "inner" / "a.sql") is None
