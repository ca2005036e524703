"""The recipes of examples/ci: their scripts as they stand there, run with bash in a real repository,
against a host on this machine.
"""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from predicat import __version__
from tests.cli.test_commands import PROGRAM, ROOT
from tests.processes import completed, git
from tests.processes import in_process as run
from tests.review.forge import Forge, forge
from tests.review.test_diff import CATALOG, edit

RECIPES = ROOT / "examples" / "ci"
# A name that git takes for a branch.
HOSTILE = "main;touch${IFS}pwned;$(touch${IFS}pwned)`touch${IFS}pwned`'\""


def load(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((RECIPES / f"{name}.yml").read_text())
    return found


@pytest.fixture
def branch(tmp_path: Path) -> Path:
    """A clone of a repository with a released catalog, on a branch `change`."""
    origin, clone = tmp_path / "origin", tmp_path / "clone"
    origin.mkdir()
    (origin / "catalog").mkdir()
    (origin / "catalog" / "orders.yml").write_text(CATALOG)
    git(origin, "init", "-q", "-b", "main")
    assert run("release", cwd=origin).returncode == 0
    git(origin, "add", ".")
    git(origin, "commit", "-qm", "first")
    git(origin, "branch", HOSTILE)
    subprocess.run(["git", "clone", "-q", str(origin), str(clone)], check=True)
    git(clone, "checkout", "-qb", "change")
    return clone


def push(clone: Path, *changes: tuple[str, str]) -> None:
    """A commit on the branch, merged with main in a detached commit, as both hosts check a pull request
    out.
    """
    git(clone, "checkout", "-q", "change")
    edit(clone, *changes)
    git(clone, "commit", "-qam", "change")
    git(clone, "checkout", "-q", "--detach", "origin/main")
    git(clone, "merge", "-q", "--no-ff", "-m", "merge", "change")


def environment(clone: Path, **more: str) -> dict[str, str]:
    known = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("GITHUB", "GITLAB", "CI_", "GH_"))
    }
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    return {
        **known,
        "PATH": path,
        "CI": "true",
        "NO_PROXY": "127.0.0.1",
        "PREDICAT_CACHE": str(clone.parent / "cache"),
        **more,
    }


def github_environment(clone: Path, host: Forge, base: str = "main") -> dict[str, str]:
    event = clone.parent / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7, "title": "$(touch pwned)"}}))
    return environment(
        clone,
        GITHUB_ACTIONS="true",
        GITHUB_REPOSITORY="o/r",
        GITHUB_EVENT_PATH=str(event),
        GITHUB_EVENT_NAME="pull_request",
        GITHUB_BASE_REF=base,
        GITHUB_HEAD_REF=HOSTILE,
        GITHUB_API_URL=host.url,
        GITHUB_SERVER_URL="https://github.example",
        GITHUB_RUN_ID="5",
        GITHUB_STEP_SUMMARY=str(clone.parent / "summary.md"),
    )


def steps_of(name: str) -> list[dict[str, Any]]:
    """The steps of a recipe, or those of the action."""
    if name != "action":
        (job, *_) = load(name)["jobs"].values()
        recipe: list[dict[str, Any]] = job["steps"]
        return recipe
    action: list[dict[str, Any]] = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    return action


def run_github(
    clone: Path, host: Forge, base: str = "main", name: str = "github", sarif: str = "", discover: str = ""
) -> tuple[bool, str]:
    """Whether the job passes, and its log. Steps run as GitHub runs them: `bash -e`, and after a failure
    only those that say so.
    """
    env, passed, log = github_environment(clone, host, base), True, ""
    for step in steps_of(name):
        if "uses" in step or step["run"].startswith("pip install"):
            continue
        if not passed and "!cancelled()" not in step.get("if", ""):
            continue
        given = {"inputs.sarif": sarif, "inputs.discover": discover, "github.token": host.token}
        if any(name_ in step.get("if", "") and not value for name_, value in given.items()):
            continue
        own = dict(step.get("env", {}))
        for name_, value in given.items():
            own = {key: text.replace(f"${{{{ {name_} }}}}", value) for key, text in own.items()}
        script = clone.parent / "step.sh"
        script.write_text(step["run"] + "\n")
        done = completed(["bash", "-e", script], cwd=clone, env={**env, **own})
        log += done.stdout + done.stderr
        passed = passed and (done.returncode == 0 or step.get("continue-on-error") is True)
    assert not list(clone.rglob("pwned"))
    return passed, log


def run_gitlab(clone: Path, host: Forge, name: str = "filters") -> tuple[bool, str]:
    """Whether the job passes, and its log: one script, each line of which must pass."""
    lines = [line for line in load("gitlab")[name]["script"] if not line.startswith("pip install")]
    base = git(clone, "merge-base", "origin/main", "change").strip()
    env = environment(
        clone,
        GITLAB_CI="true",
        CI_API_V4_URL=host.url,
        CI_PROJECT_ID="99",
        CI_MERGE_REQUEST_PROJECT_ID="11",
        CI_MERGE_REQUEST_IID="7",
        CI_MERGE_REQUEST_DIFF_BASE_SHA=base,
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main",
        CI_JOB_TOKEN="job",
        GITLAB_TOKEN=host.token,
        CI_JOB_URL="https://gitlab.example/job/5",
    )
    script = "\n".join(("set -eo pipefail", *lines))
    done = completed(["bash", "-c", script], cwd=clone, env=env)
    return done.returncode == 0, done.stdout + done.stderr


RUNS = {"github": run_github, "gitlab": run_gitlab}


@pytest.mark.long
@pytest.mark.parametrize("kind", RUNS)
def test_a_pull_request_has_one_comment_above_all_when_its_check_fails(branch: Path, kind: str) -> None:
    with forge(kind) as host:
        for number in range(130):
            host.add(f"comment {number}", "somebody")
        quoted = host.add("<!-- predicat diff -->\nquoted by somebody", "somebody")
        push(branch, ("amount > 100", "amount > 90"))
        passed, log = RUNS[kind](branch, host)
        assert not passed and "orders.large@1 was released" in log and "created the comment" in log
        (comment,) = host.ours()
        assert (
            comment.startswith("<!-- predicat diff -->\n<!-- predicat review of ")
            and "orders.large" in comment
            and "wider" in comment
        )
        push(branch, ("amount > 90", "amount >= 101"))
        passed, log = RUNS[kind](branch, host)
        assert passed and "updated the comment" in log, log
        (comment,) = host.ours()
        assert "equivalent" in comment and "wider" not in comment
        assert host.written() == ["POST", {"github": "PATCH", "gitlab": "PUT"}[kind]]
        assert (len(host.comments), quoted["body"]) == (132, "<!-- predicat diff -->\nquoted by somebody")


@pytest.mark.long
def test_a_catalog_that_cannot_be_compared_is_a_comment(branch: Path) -> None:
    with forge("github") as host:
        push(branch, ("sql: amount > 100", "sql: amuont > 100  # ``` </details>"))
        passed, log = run_github(branch, host)
        assert not passed and "no field is named 'amuont'" in log
        (comment,) = host.ours()
        assert (
            "\n### Filters: no review\n" in comment
            and "no field is named 'amuont'" in comment
            and "catalog/orders.yml:10:10" in comment
        )
        assert "\n````text\n" in comment and comment.count("````") == 2


@pytest.mark.long
def test_the_base_may_have_any_name_and_a_fork_has_the_summary(branch: Path) -> None:
    with forge("github") as host:
        host.read_only = True
        push(branch, ("description: Large orders.", "description: Very large orders."))
        passed, log = run_github(branch, host, HOSTILE)
        assert passed and host.ours() == []
        assert (
            "::warning title=predicat comment::the comment was not written: GitHub answers 403" in log
            and "from a fork only reads" in log
        )
        assert "orders.large" in (branch.parent / "summary.md").read_text()


@pytest.mark.long
def test_the_action_does_what_the_recipe_does(branch: Path) -> None:
    with forge("github") as host:
        push(branch, ("amount > 100", "amount > 90"))
        passed, log = run_github(branch, host, name="action", sarif="lint.sarif")
        assert not passed and "orders.large@1 was released" in log and "created the comment" in log
        assert "orders.large" in host.ours()[0]
        assert json.loads((branch / "lint.sarif").read_text())["version"] == "2.1.0"


def add_code(clone: Path, sql: str) -> None:
    """Code that a branch adds, to what main has: a mistake that is known."""
    git(clone, "checkout", "-q", "change")
    for name in ("models", "jobs"):
        (clone / name).mkdir(exist_ok=True)
        (clone / name / "a.sql").write_text(sql)
    git(clone, "add", ".")
    git(clone, "commit", "-qm", "code")
    git(clone, "checkout", "-q", "--detach", "origin/main")
    git(clone, "merge", "-q", "--no-ff", "-m", "merge", "change")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["action", "github-discover"])
def test_what_a_change_adds_to_the_code_is_a_comment_of_its_own(branch: Path, name: str) -> None:
    with forge("github") as host:
        add_code(branch, "select * from plans where kind = 1 and kind = 2;\n")
        passed, log = run_github(branch, host, name=name, discover="models jobs")
        assert not passed and "::error file=jobs/a.sql,line=1,title=D101::" in log, log
        comment = next(text for text in host.ours() if text.startswith("<!-- predicat diff discover -->\n"))
        # The copy in the other file is told with it.
        assert "1 finding in 2 files that origin/main... does not have" in comment and "D101" in comment
        assert "models/a.sql" in comment and "jobs/a.sql" in comment
        add_code(branch, "select * from plans where kind = 1;\n")
        passed, log = run_github(branch, host, name=name, discover="models jobs")
        assert passed, log
        comment = next(text for text in host.ours() if text.startswith("<!-- predicat diff discover -->\n"))
        assert "0 findings in 2 files" in comment
        assert len(host.ours()) == (2 if name == "action" else 1)
        add_code(branch, "select 1;\n")
        passed, log = run_github(branch, host, name=name, discover="models jobs")
        assert not passed and "no condition was checked" in log
        assert any("`predicat discover` stopped at 1 problem" in text for text in host.ours())


@pytest.mark.slow
def test_a_merge_request_has_a_note_about_its_code(branch: Path) -> None:
    with forge("gitlab") as host:
        add_code(branch, "select * from plans where kind = 1 and kind = 2;\n")
        passed, log = run_gitlab(branch, host, "conditions")
        assert not passed and "created the comment" in log, log
        (comment,) = host.ours()
        assert comment.startswith("<!-- predicat diff discover -->\n") and "D101" in comment
        add_code(branch, "select * from plans where kind = 1;\n")
        assert run_gitlab(branch, host, "conditions")[0]


def test_the_action_is_pinned_and_safe() -> None:
    steps = steps_of("action")
    scripts = [step["run"] for step in steps if "run" in step]
    assert len(scripts) >= 7 and not any("${{" in script for script in scripts)
    assert all(step.get("shell") == "bash" for step in steps if "run" in step)
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"]) for step in steps if "uses" in step)
    assert [step["name"] for step in steps if "github.token" in str(step)] == [
        "Comment",
        "Comment on the code",
    ]
    recipe = {step["run"] for step in steps_of("github") if step.get("run", "").startswith("predicat")}
    assert recipe <= set(scripts)


def test_every_copy_of_the_version_is_that_of_the_package() -> None:
    copies = {
        "action.yml": f'    default: "{__version__}"\n',
        "CITATION.cff": f"\nversion: {__version__}\n",
        "examples/vscode/package.json": f'"version": "{__version__}"',
        "examples/vscode/package-lock.json": f'"version": "{__version__}"',
        "examples/vscode/README.md": f"predicat-{__version__}.vsix",
        "CHANGELOG.md": f"\n## {__version__} (",
        "docs/releasing.md": f"predicat@v{__version__}",
        "docs/review.md": f"predicat@v{__version__}",
        **{f"examples/ci/{file.name}": f"]=={__version__}'" for file in RECIPES.glob("*.yml")},
    }
    assert len(copies) >= 11
    assert [name for name, text in copies.items() if text not in (ROOT / name).read_text()] == []


def test_recipes_are_pinned_and_safe() -> None:
    pin = f"pip install 'predicat[review]=={__version__}'"
    for name in ("github", "github-discover"):
        workflow = load(name)
        assert workflow["permissions"] == {} and workflow["concurrency"]["cancel-in-progress"] is True
        first = next(iter(workflow["jobs"].values()))
        assert first["permissions"] == {"contents": "read", "pull-requests": "write"}
        for job in workflow["jobs"].values():
            scripts = [step["run"] for step in job["steps"] if "run" in step]
            assert scripts[0] == pin
            assert not any("${{" in script for script in scripts), "what GitHub puts into a script is run"
            for step in job["steps"]:
                assert "uses" not in step or re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])
        assert first["steps"][0]["with"] == {"fetch-depth": 0, "persist-credentials": False}
        assert [step["name"] for step in first["steps"] if "env" in step] == ["Comment"], (
            "the token is known where it is needed"
        )
    for name in ("filters", "conditions"):
        pipeline = load("gitlab")[name]
        assert pipeline["script"][0] == pin and pipeline["variables"]["GIT_DEPTH"] == "0"
        assert re.fullmatch(r"[a-z]+:\d+\.\d+\.\d+-\w+", pipeline["image"])
    assert f"rev: v{__version__}\n" in (ROOT / "docs" / "review.md").read_text()


def test_recipes_and_hooks_name_real_commands() -> None:
    from predicat.cli.main import COMMANDS

    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    jobs = [job for name in ("github", "github-discover") for job in load(name)["jobs"].values()]
    steps = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    lines = [
        line
        for line in (
            *(hook["entry"] for hook in hooks),
            *steps,
            *load("gitlab")["filters"]["script"],
            *load("gitlab")["conditions"]["script"],
        )
        if line.startswith("predicat")
    ]
    assert len(lines) >= 12
    assert {line.split()[1] for line in lines} <= set(COMMANDS)
