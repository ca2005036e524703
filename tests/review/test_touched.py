"""`--changed`: what a commit touches is judged, as it is staged, and nothing else. Real git, real hooks,
the real pre-commit.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.cli.test_commands import PROGRAM, ROOT
from tests.processes import completed, first_commit, git
from tests.processes import in_process as run

ORDERS = """apiVersion: predicat/v1
dataset: orders
relation: orders
fields: {amount: bigint, country: string}
filters:
  large: {sql: amount > 100, tests: [{row: {amount: 101}, matches: true}]}
"""
PARTS = """apiVersion: predicat/v1
dataset: orders
filters:
  large_domestic: {sql: "country = 'DE' AND {{ filter('large') }}"}
"""
USERS = """apiVersion: predicat/v1
dataset: users
relation: users
fields: {age: bigint}
filters:
  adult: {sql: "age >= 18 AND age > 3"}
"""
FILES = {"orders.yml": ORDERS, "parts.yml": PARTS, "users.yml": USERS}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with three files of two datasets; `users.yml` has an old finding."""
    (tmp_path / "catalog").mkdir()
    for name, text in FILES.items():
        (tmp_path / "catalog" / name).write_text(text)
    first_commit(tmp_path)
    return tmp_path


def edit(repository: Path, name: str, old: str, new: str, *, stage: bool = False) -> None:
    file = repository / "catalog" / name
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    if stage:
        git(repository, "add", f"catalog/{name}")


def test_what_is_staged_is_judged_and_not_the_working_tree(repository: Path) -> None:
    edit(repository, "orders.yml", "amount > 100", "amount > 99", stage=True)
    edit(repository, "orders.yml", "amount > 99", "amont > 99")
    (repository / "catalog" / "untracked.yml").write_text("no catalog file\n")
    (repository / "catalog" / "later.yml").write_text("no catalog file\n")
    git(repository, "add", "-N", "catalog/later.yml")
    done = run("check", "--changed", cwd=repository)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "what the change touches: 1 dataset, 2 filters in 2 versions, 1 test passed\n"
    assert run("check", cwd=repository).returncode == 1
    git(repository, "add", "catalog/orders.yml")
    edit(repository, "orders.yml", "amont", "amount")
    done = run("check", "--changed", cwd=repository)
    assert done.returncode == 1
    assert (
        "--> catalog/orders.yml:6:16" in done.stderr
        and "did you mean 'amount'" in done.stderr
        and done.stderr.endswith("\n1 problem\n")
    )


def test_what_a_staged_change_breaks_elsewhere_is_seen(repository: Path) -> None:
    edit(repository, "orders.yml", "  large:", "  big:", stage=True)
    done = run("check", "--changed", cwd=repository)
    assert done.returncode == 1 and "--> catalog/parts.yml:4" in done.stderr
    git(repository, "reset", "-q", "--hard")
    git(repository, "rm", "-q", "catalog/orders.yml")
    done = run("check", "--changed", cwd=repository)
    assert done.returncode == 1 and "--> catalog/parts.yml:4" in done.stderr


@pytest.mark.parametrize("place", [".", "catalog", "elsewhere"])
def test_names_are_those_that_the_user_sees(repository: Path, place: str) -> None:
    (repository / "elsewhere").mkdir()
    shown = os.path.relpath(repository / "catalog", repository / place)
    lint = ("lint", "--ignore", "P1", "--catalog", shown, "--baseline", "old.txt")
    assert run(*lint, "--write-baseline", cwd=repository / place).returncode == 0
    git(repository, "add", ".")
    edit(repository, "users.yml", "age > 3", "age > 4", stage=True)
    (repository / place / "old.txt").write_text("not a baseline")
    done = run(*lint, "--changed", cwd=repository / place)
    assert done.returncode == 1 and "users.yml:6:31" in done.stdout and "/predicat-" not in done.stdout
    edit(repository, "orders.yml", "amount > 100", "amont > 100", stage=True)
    done = run("check", "--changed", "--catalog", shown, cwd=repository / place)
    assert done.returncode == 1 and "/predicat-" not in done.stderr
    assert f"--> {'orders.yml' if place == 'catalog' else 'catalog/orders.yml'}:6:16" in done.stderr


def test_a_macro_or_a_variable_reaches_every_file(repository: Path) -> None:
    for text in ("vars: {least: 1}\n", ""):
        (repository / "catalog" / "vars.yml").write_text(f"apiVersion: predicat/v1\ndataset: more\n{text}")
        git(repository, "add", "catalog/vars.yml")
        done = run("check", "--changed", cwd=repository)
        assert (done.stdout.startswith("3 datasets, 3 filters"), done.returncode) == (bool(text), 0)
    (repository / "macros").mkdir()
    (repository / "macros" / "m.sql").write_text("{% macro one() %}1{% endmacro %}")
    git(repository, "add", "macros")
    assert "3 filters" in run("check", "--changed", cwd=repository).stdout
    assert "P204" in run("lint", "--ignore", "P1", "--changed", cwd=repository).stdout


def test_a_file_in_flow_style(repository: Path) -> None:
    for text in ('filters: {small: {sql: "amount < 5"}}', "vars: {least: 1}"):
        (repository / "catalog" / "flow.yml").write_text(
            f"{{apiVersion: predicat/v1, dataset: orders, {text}}}"
        )
        git(repository, "add", "catalog/flow.yml")
        done = run("check", "--changed", cwd=repository)
        assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("2 datasets, ")
    assert "P204" in run("lint", "--changed", cwd=repository).stdout


def test_the_lock_of_what_is_touched(repository: Path) -> None:
    assert run("release", cwd=repository).returncode == 0
    git(repository, "add", ".")
    assert "3 released" in run("check", "--changed", cwd=repository).stdout
    git(repository, "commit", "-qm", "release")
    edit(repository, "users.yml", "age >= 18 AND age > 3", "age >= 18", stage=True)
    assert "1 released" in run("check", "--changed", cwd=repository).stdout
    edit(repository, "users.yml", "age >= 18", "age >= 21", stage=True)
    done = run("check", "--changed", cwd=repository)
    assert done.returncode == 1 and "users.adult@1 was released" in done.stderr
    git(repository, "rm", "-qf", "catalog/users.yml")
    done = run("check", "--changed", cwd=repository)
    assert done.returncode == 1 and "users.adult@1" in done.stderr and "orders" not in done.stderr


def test_lint_judges_touched_files(repository: Path) -> None:
    edit(repository, "orders.yml", "amount > 100", "amount > 99 AND amount > 98", stage=True)
    done = run("lint", "--ignore", "P1", "--changed", cwd=repository)
    assert (
        done.returncode == 1
        and done.stdout.count("warning[") == 1
        and "orders.large: this operand" in done.stdout
    )
    git(repository, "commit", "-qm", "second")
    for revision in ("main~1", "main~1..."):
        again = run("lint", "--ignore", "P1", "--changed", revision, cwd=repository)
        assert (again.returncode, again.stdout) == (1, done.stdout)
    done = run("lint", "--ignore", "P1", "--changed", cwd=repository)
    assert (
        done.stderr == "nothing is staged: the whole catalog is checked\n"
        and done.stdout.count("warning[") == 2
    )
    (repository / "notes.txt").write_text("x")
    git(repository, "add", "notes.txt")
    done = run("lint", "--changed", cwd=repository)
    assert (done.returncode, done.stdout, done.stderr) == (0, "nothing found\n", "")
    assert run("check", "--changed", cwd=repository).stdout == "the change touches nothing in the catalog\n"


def test_answers_are_kept_for_the_catalog_and_not_for_what_is_staged(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREDICAT_CACHE", str(repository / ".git" / "cache"))
    for limit in ("98", "97"):
        edit(repository, "orders.yml", "amount > 100", f"amount > 99 AND amount > {limit}", stage=True)
        assert run("lint", "--changed", cwd=repository).returncode == 1
        git(repository, "reset", "-q", "--hard")
    run("lint", cwd=repository)
    assert len(list((repository / ".git" / "cache" / "lint").glob("answers-*.json"))) == 1


def test_a_field_that_nobody_reads_is_of_its_dataset(repository: Path) -> None:
    edit(repository, "orders.yml", "country: string", "country: string, note: string", stage=True)
    edit(repository, "users.yml", "age: bigint", "age: bigint, name: string")
    done = run("lint", "--select", "P101", "--changed", cwd=repository)
    assert "orders.note" in done.stdout and "users" not in done.stdout


def test_fixes_of_what_differs_from_a_revision(repository: Path) -> None:
    edit(repository, "orders.yml", "amount > 100", "amount > 99 AND amount > 98", stage=True)
    done = run("lint", "--select", "P204", "--changed", "HEAD", "--fix", cwd=repository)
    assert (done.returncode, done.stdout) == (
        0,
        "nothing found\n",
    ) and "fixed P204 orders.large" in done.stderr
    assert "{sql: amount > 99, " in (repository / "catalog" / "orders.yml").read_text()
    assert (repository / "catalog" / "users.yml").read_text() == USERS


def test_a_catalog_that_is_the_whole_repository(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "orders.yml", "parts.yml")
    git(tmp_path, "commit", "-qm", "first")
    (tmp_path / "orders.yml").write_text(ORDERS.replace("amount > 100", "amont > 100"))
    git(tmp_path, "add", "orders.yml")
    done = run("check", "--catalog", ".", "--changed", cwd=tmp_path)
    assert (
        done.returncode == 1 and "--> orders.yml:6" in done.stderr and done.stderr.endswith("\n1 problem\n")
    )


def test_a_catalog_that_is_nowhere_is_told(repository: Path) -> None:
    (repository / "notes.txt").write_text("x")
    git(repository, "add", "notes.txt")
    for args in (("--changed",), ("--changed", "HEAD")):
        done = run("check", "--catalog", "filters", *args, cwd=repository)
        assert done.returncode == 1 and "cannot read filters: there is no such folder" in done.stderr


def test_the_first_commit(tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(ORDERS)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    assert run("check", "--changed", cwd=tmp_path).stdout.startswith(
        "what the change touches: 1 dataset, 1 filter"
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("check", "--changed", "nowhere"), "git knows no revision 'nowhere'"),
        (("check", "--changed", "nowhere..."), "git knows no revision 'nowhere'"),
        (("lint", "--changed", "--fix"), "write --changed HEAD"),
        (("lint", "--update-baseline"), "needs --baseline FILE"),
        (("lint", "--changed", "--baseline", "b", "--write-baseline"), "leave --changed out"),
        (("lint", "--baseline", "b"), "there is no baseline file b"),
    ],
)
def test_wrong_use(repository: Path, args: tuple[str, ...], said: str) -> None:
    done = run(*args, cwd=repository)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_a_shallow_clone_says_so(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    edit(repository, "orders.yml", "amount > 100", "amount > 99", stage=True)
    git(repository, "commit", "-qm", "second")
    clone = tmp_path_factory.mktemp("clone") / "it"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{repository}", str(clone)], check=True)
    done = run("diff", "HEAD~1", cwd=clone)
    assert done.returncode == 2 and "this clone is shallow" in done.stderr and "fetch-depth: 0" in done.stderr


@pytest.mark.long
def test_a_hook_of_git_itself_and_a_commit_of_some_files(repository: Path) -> None:
    """`git commit FILE` has an index of its own, and a linked work tree tells hooks its GIT_DIR."""
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.write_text(f"#!/bin/sh\nexec {PROGRAM} check --changed\n")
    hook.chmod(0o755)
    linked = repository.parent / f"{repository.name}-linked"
    git(repository, "worktree", "add", "-q", "-b", "other", str(linked))
    for place in (repository, linked):
        edit(place, "users.yml", "age >= 18", "agge >= 18", stage=True)
        edit(place, "orders.yml", "amount > 100", "amount > 99")
        git(place, "commit", "-qm", "orders alone", "catalog/orders.yml")
        with pytest.raises(subprocess.CalledProcessError) as failed:
            git(place, "commit", "-qm", "users")
        assert "catalog/users.yml:6" in failed.value.stderr
        assert git(place, "status", "--short") == "M  catalog/users.yml\n"


@pytest.mark.long
def test_pre_commit(repository: Path) -> None:
    """The hooks as `.pre-commit-hooks.yaml` has them, run by the real pre-commit on staged and unstaged
    changes.
    """
    program = Path(sys.executable).parent / "pre-commit"
    subprocess.run([program, "validate-manifest", ROOT / ".pre-commit-hooks.yaml"], check=True)
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    for hook in hooks:  # installed here already, so not once more
        hook.pop("additional_dependencies")
        hook["language"] = "system"
        hook["args"] = ["--baseline", "lint-baseline.txt"] if hook["id"] == "predicat-lint" else []
    (repository / ".pre-commit-config.yaml").write_text(
        yaml.safe_dump({"repos": [{"repo": "local", "hooks": hooks}]})
    )
    assert (
        run(
            "lint", "--ignore", "P1", "--baseline", "lint-baseline.txt", "--write-baseline", cwd=repository
        ).returncode
        == 0
    )
    git(repository, "add", ".pre-commit-config.yaml", "lint-baseline.txt")
    git(repository, "commit", "-qm", "hooks")
    environment = {
        **os.environ,
        "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(repository / ".git" / "pre-commit"),
    }

    def hooks_say(*args: str) -> tuple[int, str]:
        done = completed([program, "run", "--color", "never", *args], cwd=repository, env=environment)
        return done.returncode, done.stdout

    edit(repository, "users.yml", "age >= 18", "age >= 21", stage=True)
    edit(repository, "orders.yml", "amount > 100", "amont > 100")  # not staged
    assert hooks_say()[0] == 0
    edit(repository, "users.yml", "age >= 21", "age >= 21 AND age <> 1", stage=True)
    code, said = hooks_say()
    assert (
        code == 1
        and "predicat check...." in said
        and "users.adult: this operand of AND has no effect" in said
        and "orders" not in said
    )
    git(repository, "reset", "-q", "--hard")
    git(repository, "rm", "-q", "catalog/orders.yml")
    code, said = hooks_say("predicat-check")
    assert code == 1 and "catalog/parts.yml:4" in said
    git(repository, "reset", "-q", "--hard")
    edit(repository, "orders.yml", "amount > 100", "amont > 100", stage=True)
    git(repository, "commit", "-qm", "broken")
    for args in (("--all-files",), ("--from-ref", "HEAD~1", "--to-ref", "HEAD")):
        code, said = hooks_say("predicat-check", *args)
        assert code == 1 and "catalog/orders.yml:6" in said
