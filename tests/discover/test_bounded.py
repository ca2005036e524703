"""`predicat discover` on large repositories: what was read is kept, Ctrl-C, and files since a revision."""

import json
import os
import pickle
import subprocess
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import msgspec
import pytest

from predicat.diagnostics.messages import discover as say
from predicat.discover import answer_cache, processes
from predicat.discover.judging import judge
from predicat.discover.read import folder
from predicat.discover.read.folder import Scan
from tests.processes import in_process


class Counted:
    """How many files each search has read."""

    def __init__(self) -> None:
        self.totals: list[int] = []

    def __call__(self, done: int, total: int) -> None:
        if done == 1:
            self.totals.append(total)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A dbt project with a macro, two models and a table."""
    root = tmp_path / "project"
    (root / "macros").mkdir(parents=True)
    (root / "models").mkdir()
    (root / "dbt_project.yml").write_text("name: p\n")
    (root / "macros" / "open.sql").write_text("{% macro open() %}status = 'open'{% endmacro %}\n")
    (root / "models" / "a.sql").write_text("select * from orders where {{ open() }}\n")
    (root / "models" / "b.sql").write_text("select * from orders where total > 5\n")
    (root / "tables.sql").write_text("create table orders (total bigint, status text);\n")
    return root


def searched(project: Path, cache: Path, jobs: int = 1) -> tuple[Scan, list[int]]:
    counted = Counted()
    scan = folder.read([project], "postgres", cache=cache, progress=counted, jobs=jobs)
    return scan, counted.totals


def test_a_second_search_reads_nothing(project: Path, tmp_path: Path) -> None:
    first, totals = searched(project, tmp_path / "kept")
    assert totals == [5] and len(first.conditions) == 2
    second, totals = searched(project, tmp_path / "kept")
    assert (second, totals) == (first, [])
    assert second == folder.read([project], "postgres")


@pytest.mark.parametrize(
    ("file", "text", "read"),
    [
        ("models/b.sql", "select * from orders where total > 6\n", 1),
        # the model that may call it, and the file itself
        ("macros/open.sql", "{% macro open() %}status = 'shut'{% endmacro %}\n", 2),
        # the types of columns are those of all conditions
        ("tables.sql", "create table orders (total int, status text, kind text);\n", 5),
    ],
)
def test_what_a_change_concerns_is_read_again(
    project: Path, tmp_path: Path, file: str, text: str, read: int
) -> None:
    searched(project, tmp_path / "kept")
    (project / file).write_text(text)
    again, totals = searched(project, tmp_path / "kept")
    assert totals == [read]
    assert again == folder.read([project], "postgres")


def test_a_file_of_the_cache_that_says_something_else_is_ignored(project: Path, tmp_path: Path) -> None:
    first, _ = searched(project, tmp_path / "kept")
    (file,) = (tmp_path / "kept" / "files").glob("*.json")
    rows = msgspec.json.decode(file.read_bytes())
    other = {key: {"conditions": 1} for key in rows}
    for hostile in (b"\xff", b"[]", json.dumps(other).encode(), b"[" * 9999):
        file.write_bytes(hostile)
        again, totals = searched(project, tmp_path / "kept")
        assert (again, totals) == (first, [5])


def test_the_cache_keeps_a_few_searches(project: Path, tmp_path: Path) -> None:
    for number in range(15):
        folder.read([project], "postgres", cache=tmp_path / "kept", search=f"search{number}")
    names = {file.name.partition("-")[0] for file in (tmp_path / "kept" / "files").iterdir()}
    assert len(names) == 10 and "search14" in names


def test_ctrl_c_while_reading_keeps_what_was_read(project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "kept"

    def stop(done: int, total: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    first = folder.read([project], "postgres", cache=cache, progress=stop)
    assert first.unread == 1 and len(first.conditions) == 1 and first.files.total() == 3
    judged = judge(first.conditions, cache=cache, stopped=True)
    assert not judged.judgements and judged.unanswered
    second, totals = searched(project, cache)
    assert totals == [1] and second == folder.read([project], "postgres")


@pytest.mark.slow
def test_several_processes_find_the_same_in_the_same_order(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        (project / "models" / f"c{number}.sql").write_text(f"select * from orders where total > {number}")
    first, totals = searched(project, tmp_path / "one")
    monkeypatch.setattr(folder, "MUCH", 0)
    assert searched(project, tmp_path / "two", jobs=2) == (first, totals)
    (one, two) = (next((tmp_path / name / "files").iterdir()) for name in ("one", "two"))
    assert (one.name, one.read_bytes()) == (two.name, two.read_bytes())


@pytest.mark.parametrize("size", [folder.MUCH, 10])
def test_a_few_files_are_read_by_one_process(
    project: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(processes, "ProcessPoolExecutor")
    (project / "models" / "a.sql").write_text("select * from orders where total > 5" + " " * size)
    for number in range(0 if size > 10 else 40):
        (project / "models" / f"c{number}.sql").write_text("select * from orders where total > 5")
    assert folder.read([project], "postgres", jobs=2) == folder.read([project], "postgres")


def test_what_a_file_has_depends_on_no_file_that_was_read_before(project: Path) -> None:
    looker = project.parent / "looker"
    looker.mkdir()
    (looker / "a.yml").write_text("tests:\n  - expression_is_true: {expression: x ilike 'a'}\n")
    (looker / "b.lkml").write_text(
        "view: t { derived_table: { sql: select * from `a-b.t` where x = r'a' ;; } }"
    )
    state = folder._Reading([project, looker], None, None)
    state.learn()
    found = [state.found(file) for file in state.files]
    assert {row.dialect for row in found[-1].conditions} == {"bigquery"}
    # as a process has it that begins anew
    assert [pickle.loads(pickle.dumps(state)).found(file) for file in state.files] == found
    state = folder._Reading([project, looker], None, None)
    state.learn()
    assert [state.found(file) for file in reversed(state.files)] == found[::-1]


def ends_at_20(number: int) -> int:
    """The square of a number; it ends its process at 20."""
    return os._exit(1) if number == 20 else number * number


@pytest.mark.slow
def test_a_process_that_ends_loses_one_answer() -> None:
    squares = [-1 if number == 20 else number * number for number in range(40)]
    assert list(processes.mapped(ends_at_20, range(40), 2, lambda _: -1)) == squares
    with pytest.raises(BrokenProcessPool):
        list(processes.mapped(ends_at_20, range(40), 2))


def test_a_file_whose_process_ended_is_named_and_read_again(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(folder, "mapped", lambda _, files, jobs, lost: map(lost, files))
        scan, totals = searched(project, tmp_path / "kept")
        assert totals == [5] and not scan.conditions
        assert {(row.place.path, row.reason) for row in scan.refused} == {
            (str(file), say.lost(str(file))) for file in project.rglob("*.*")
        }
    assert searched(project, tmp_path / "kept") == (folder.read([project], "postgres"), [5])


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "models").mkdir(parents=True)
    (root / "models" / "old.sql").write_text("select 1 from t where a = 1 and a = 2 and b = 3\n")
    (root / "models" / "same.sql").write_text("select * from orders where total > 5 and kind = 'a'\n")
    (root / "models" / "far.sql").write_text("select * from people where age > 5 and name = 'a'\n")
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "all")
    return root


def git(root: Path, *args: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(root), *identity, *args], check=True, capture_output=True)


def found(root: Path, *args: str) -> tuple[list[tuple[str, str]], list[str]]:
    """The codes and files of the findings since a revision, and the files of the conditions."""
    done = in_process("discover", "models", "--format", "json", "--since", *args, cwd=root)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    findings = [(row["code"], Path(row["file"]).name) for row in data["findings"]]
    return findings, [Path(row["file"]).name for row in data["conditions"]]


@pytest.mark.slow
def test_since_a_revision_only_what_has_changed_is_reported(repository: Path) -> None:
    assert found(repository, "HEAD") == ([], [])
    # new and not known to git; it says the same as a file that has not changed
    (repository / "models" / "new.sql").write_text("select * from orders where total > 5 and kind = 'a'\n")
    assert found(repository, "HEAD") == ([("D201", "new.sql")], ["new.sql"])
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "new")
    assert found(repository, "HEAD") == ([], [])
    assert found(repository, "HEAD~1") == ([("D201", "new.sql")], ["new.sql"])
    # changed and not committed
    (repository / "models" / "far.sql").write_text("select * from people where age > 5 and age < 4\n")
    assert found(repository, "HEAD") == ([("D101", "far.sql")], ["far.sql"])


def test_since_and_check(repository: Path) -> None:
    done = in_process("discover", "models", "--check", "--since", "HEAD", cwd=repository)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "changed          0  with conditions have changed since HEAD" in done.stdout
    (repository / "models" / "old.sql").write_text("select 1 from t where a = 1 and a = 2 and b = 4\n")
    done = in_process("discover", "models", "--check", "--since", "HEAD", cwd=repository)
    assert done.returncode == 1 and "D101" in done.stdout


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--since", "nowhere"), 2, "git knows no revision 'nowhere'"),
        (("--since=-x",), 2, "-x"),
        (("--since", "HEAD", "--propose", "catalog"), 2, "--since and --propose cannot be combined"),
    ],
)
def test_since_what_git_does_not_know(
    repository: Path, args: tuple[str, ...], code: int, message: str
) -> None:
    done = in_process("discover", "models", *args, cwd=repository)
    assert done.returncode == code and message in done.stderr


def test_the_name_of_a_search_is_that_of_its_paths() -> None:
    assert answer_cache.search_name([Path("a")]) == answer_cache.search_name([Path("a").absolute()])
    assert answer_cache.search_name([Path("a"), Path("b")]) != answer_cache.search_name([Path("ab")])
