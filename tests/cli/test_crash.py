"""A crash of predicat is never a verdict: not by its exit code, nor by what a stranger left in its place."""

import json
from pathlib import Path

import pytest

from predicat.cli.exit_codes import ExitCode
from tests.processes import git
from tests.processes import in_process as run
from tests.review.forge import forge
from tests.review.test_diff import CATALOG, edit

CRASHES = [
    RecursionError("maximum recursion depth exceeded"),
    MemoryError(),
    KeyError("x"),
    ValueError("y" * 9_000),
]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    git(tmp_path, "checkout", "-qb", "change")
    edit(tmp_path, ("amount > 100", "amount > 0"))
    return tmp_path


@pytest.mark.parametrize("error", CRASHES, ids=lambda error: type(error).__name__)
def test_a_crash_has_its_own_exit_code_and_one_sentence(
    repository: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    from predicat.review import changes

    def crash(*_args: object, **_options: object) -> None:
        raise error

    monkeypatch.setattr(changes, "review", crash)
    (repository / "review.md").write_text("no rows change")
    done = run("diff", "main", "--format", "markdown", "--out", "review.md", cwd=repository)
    assert (done.returncode, done.stdout) == (ExitCode.INTERNAL, "")
    assert done.stderr.startswith(f"error[internal]: predicat itself failed ({type(error).__name__}")
    assert "Traceback" not in done.stderr and len(done.stderr) < 700
    assert not (repository / "review.md").exists()
    debug = run("diff", "main", "--debug", cwd=repository)
    assert debug.returncode == ExitCode.INTERNAL and "Traceback" in debug.stderr
    assert debug.stderr.count("error[internal]") == 1


def test_an_option_for_debugging_changes_nothing_else(repository: Path) -> None:
    assert run("list", "--debug", cwd=repository).stdout == run("list", cwd=repository).stdout


def test_the_pull_request_of_a_stranger_gets_its_review(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It changes rows, brings a macro that is nested deeply, and a review that says that no rows change."""
    (repository / "macros").mkdir()
    (repository / "macros" / "z.sql").write_text(
        "{% macro z() %}{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}{% endmacro %}"
    )
    (repository / "review.md").write_text("<!-- predicat diff -->\n### Filters: no rows change\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "change")
    head = git(repository, "rev-parse", "HEAD").strip()
    done = run("diff", "main", "--format", "markdown", "--out", "review.md", cwd=repository)
    assert done.returncode == 1, done.stderr
    review = (repository / "review.md").read_text()
    assert f"<!-- predicat review of {head}: " in review and "no rows change" not in review
    git(repository, "checkout", "-q", "review.md")  # the stranger's own, as after a failed step
    with forge("github") as host:
        event = repository.parent / "event.json"
        event.write_text(json.dumps({"pull_request": {"number": 7, "head": {"sha": head}}}))
        for name, value in {
            "NO_PROXY": "127.0.0.1",
            "GITHUB_REPOSITORY": "o/r",
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_API_URL": host.url,
            "GITHUB_TOKEN": host.token,
        }.items():
            monkeypatch.setenv(name, value)
        posted = run("comment", "github", "review.md", cwd=repository)
        assert posted.returncode == 2 and f"the review is not of {head}" in posted.stderr
        assert "no rows change" not in host.ours()[0]
        (repository / "review.md").write_text(review)
        assert run("comment", "github", "review.md", cwd=repository).returncode == 0
        assert "1 wider" in host.ours()[0]
