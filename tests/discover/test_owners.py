"""Owners of conditions, by CODEOWNERS and by git."""

import json
import subprocess
from pathlib import Path

import pytest

from predicat.discover.authors import with_authors
from predicat.discover.read import folder
from predicat.forge.owners import Owners
from tests.processes import in_process

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


def commit(root: Path, author: str, text: str) -> None:
    """A file as an author leaves it."""
    (root / "a.sql").write_text(text)
    name = ("-c", f"user.name={author}", "-c", f"user.email={author}@example.com")
    for args in (("add", "-A"), (*name, "commit", "-q", "--no-gpg-sign", "-m", "a change")):
        subprocess.run(["git", "-C", str(root), *args], check=True)


ONE = "select 1 from t where a = 1\n  and b = 2\n  and c = 3;\n"
TWO = "select 1 from t where d = 4;\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    commit(tmp_path, "ann", ONE)
    commit(tmp_path, "bob", ONE.replace("c = 3", "c = 5") + TWO)
    (tmp_path / "a.sql").write_text(ONE.replace("c = 3", "c = 5") + TWO + "select 1 from t where e = 5;\n")
    return tmp_path


def test_without_owners_git_tells_the_author_of_most_lines(repository: Path) -> None:
    rows = with_authors(folder.read([repository]).conditions)
    assert [(row.sql, row.owner) for row in rows] == [
        ("a = 1 AND b = 2 AND c = 5", "ann@example.com"),
        ("d = 4", "bob@example.com"),
        ("e = 5", None),  # not committed yet
    ]
    assert [row.owner for row in with_authors(folder.read([repository]).conditions, 0)] == [None] * 3


def test_owners_are_before_authors(repository: Path) -> None:
    (repository / "CODEOWNERS").write_text("*.sql @sql")
    assert {row.owner for row in with_authors(folder.read([repository]).conditions)} == {"@sql"}


def test_files_outside_of_git_have_no_author(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text(ONE)
    assert [row.owner for row in with_authors(folder.read([tmp_path]).conditions)] == [None]


def test_authors_are_in_json_and_not_in_a_proposal(repository: Path) -> None:
    done = in_process("discover", ".", "--read-only", "--format", "json", cwd=repository)
    owners = [row["owner"] for row in json.loads(done.stdout)["conditions"]]
    assert owners == ["ann@example.com", "bob@example.com", None]
    assert (
        in_process("discover", ".", "--min-places", "1", "--propose", "out", cwd=repository).returncode == 0
    )
    assert "owner" not in (repository / "out" / "t.yml").read_text()
