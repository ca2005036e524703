"""When two rules parted, by the history of their files."""

from pathlib import Path

import pytest

from predicat.discover.findings import findings
from predicat.discover.history import parted
from predicat.discover.judging import judge
from tests.discover.test_comparing import condition
from tests.processes import git

OLD = "kind IN ('a', 'b') AND live"
NEW = "kind IN ('a', 'b', 'c') AND live"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    git(tmp_path, "init", "-q")
    for name in ("one.sql", "two.sql"):
        (tmp_path / name).write_text(f"SELECT 1 FROM t WHERE {OLD}")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "Two reports")
    (tmp_path / "two.sql").write_text(f"SELECT 1 FROM t WHERE {NEW}")
    git(tmp_path, "commit", "-qam", "A third kind")
    (tmp_path / "two.sql").write_text(f"SELECT 2 FROM t WHERE {NEW}")
    git(tmp_path, "commit", "-qam", "Another column")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_commit_in_which_two_rules_parted(repository: Path) -> None:
    short = git(repository, "rev-parse", "--short", "HEAD~1").strip()
    for one, other in ((OLD, NEW), (NEW, OLD)):
        files = ("one.sql", "two.sql") if one == OLD else ("two.sql", "one.sql")
        found = parted(condition(one, files[0]), condition(other, files[1]))
        assert found is not None
        assert (found.commit, found.subject, found.path) == (short, "A third kind", "two.sql")


def test_the_finding_names_the_commit(repository: Path) -> None:
    short = git(repository, "rev-parse", "--short", "HEAD~1").strip()
    conditions = [condition(OLD, "one.sql"), condition(NEW, "two.sql")]
    (found,) = findings(conditions, judge(conditions), {})
    assert found.hint == f"they were the same until {short} (A third kind) changed two.sql"


def test_rules_that_never_were_alike(repository: Path) -> None:
    assert parted(condition("k = 1", "one.sql"), condition("k = 2", "two.sql")) is None
    assert parted(condition(OLD, "one.sql"), condition(NEW, "gone.sql")) is None


def test_files_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (("one.sql", OLD), ("two.sql", NEW)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert parted(condition(OLD, "one.sql"), condition(NEW, "two.sql")) is None
