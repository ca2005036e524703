"""A catalog of a stranger with links to files of the machine: no command shows a byte of them."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from predicat.cli.main import COMMANDS as ALL
from tests.processes import in_process

SECRET = "root:x:0:0:topsecret"
GOOD = """apiVersion: predicat/v1
dataset: d
relation: {postgres: d, duckdb: d}
fields: {n: bigint, s: string}
filters:
  one: {sql: n > 1, tests: [{row: {n: 3}, matches: true}]}
"""
LISTED = GOOD + "  two: {sql: \"s IN list('names')\"}\nlists:\n  names: {type: string, file: names.csv}\n"
INCLUDED = GOOD.replace("{n: bigint, s: string}", "{include: fields.yml}")
LINKS = {
    "a catalog file": ("catalog/x.yml", GOOD),
    "a catalog file in a folder": ("catalog/deep/x.yml", GOOD),
    "macros": ("macros/z.sql", GOOD.replace("n > 1", '"{{ z() }}"')),
    "a list": ("catalog/names.csv", LISTED),
    "a list as YAML": ("catalog/names.yml", LISTED.replace("names.csv", "names.yml")),
    "shared fields": ("catalog/fields.yml", INCLUDED),
    "the project file": ("predicat.yml", GOOD),
    "the lock file": ("catalog/catalog.lock", GOOD),
    "a baseline": ("lint-baseline.txt", GOOD),
    "rows": ("rows.json", GOOD),
    "the review": ("review.md", GOOD),
    "a manifest": ("target/manifest.json", GOOD),
    "git attributes": ("catalog/.gitattributes", GOOD),
    "a body of a dbt model": ("models/m.sql", GOOD),
}
COMMANDS = (
    "check",
    "check --base main",
    "list",
    "test",
    "test --generate",
    "lint",
    "lint --baseline lint-baseline.txt",
    "fmt --check",
    "diff main",
    "diff main --format markdown",
    "diff main --format json",
    "diff main --format sarif",
    "diff target/manifest.json",
    "release --dry-run",
    "explain d.one",
    "explain d.one --row @rows.json",
    "compile",
    "sql d.one",
    "translate d.one --to cel",
    "union d.one --to sql",
    "owners",
    "docs build --no-proofs",
    "export dbt --out out",
    "export databricks --out out",
    "export snowflake --as filters --check --out out",
    "import .",
    "discover .",
    "comment github review.md",
    "init",
    "split d.one --for cel",
    "match d --input rows.json",
    "seek d.one --input rows.json",
    "apply --dsn postgresql://127.0.0.1:9/x",
    "plan --dsn postgresql://127.0.0.1:9/x --out plan.json",
    "refresh --dsn postgresql://127.0.0.1:9/x",
    "advise --dsn postgresql://127.0.0.1:9/x",
    "suspend d predicat.yml --dsn postgresql://127.0.0.1:9/x",
    "quality run d --engine duckdb --input d=rows.json",
    "filters providers",
    "schema --project",
    "completion bash",
)
ELSEWHERE = {
    "run": "starts Spark; it reads the catalog as `match` does",
    "spark": "builds the jar, and reads no catalog",
    "lsp": "a server; it reads the catalog as `check` does",
    "mcp": "as above",
}


def repository(tmp_path: Path, name: str, text: str, target: str) -> Path:
    root = tmp_path / "repository"
    (root / "catalog").mkdir(parents=True)
    (root / "macros").mkdir()

    def git(*args: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *who, *args], cwd=root, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    (root / "catalog" / "d.yml").write_text(GOOD)
    git("add", "-A")
    git("commit", "-q", "-m", "base")
    git("checkout", "-q", "-b", "change")
    (root / "catalog" / "d.yml").write_text(text.replace("n > 1", "n > 2") if "n > 1" in text else text)
    link = root / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target)
    git("add", "-A")
    git("commit", "-q", "-m", "change")
    return root


# The links that `make test` tries; `make test-all` tries all.
FIRST = ("a catalog file", "macros", "a list", "the review")


def test_every_command_is_tried() -> None:
    assert {command.split()[0] for command in COMMANDS} | ELSEWHERE.keys() == ALL.keys()
    assert not {command.split()[0] for command in COMMANDS} & ELSEWHERE.keys()


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=() if what in FIRST else pytest.mark.slow) for what in LINKS]
)
def test_no_command_shows_what_a_link_leads_to(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "outside" / "secret"
    secret.parent.mkdir()
    secret.write_text(f"{SECRET}\nsecond\n")
    root = repository(tmp_path, LINKS[what][0], LINKS[what][1], str(secret))
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 1, "head": {"sha": "1" * 40}}}))
    summary = tmp_path / "summary.md"
    for name, value in {
        "PREDICAT_CACHE": str(tmp_path / "cache"),
        "GITHUB_REPOSITORY": "a/b",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_API_URL": "http://127.0.0.1:9",
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_TOKEN": "t",
    }.items():
        monkeypatch.setenv(name, value)
    for command in COMMANDS:
        arguments = [*command.split(), *(["--timeout", "0"] if command.startswith("comment") else [])]
        done = in_process(*arguments, cwd=root)
        assert SECRET[:8] not in done.stdout + done.stderr, command
        assert "Traceback" not in done.stderr, command
        link = root / LINKS[what][0]
        link.unlink(missing_ok=True)  # a command may have written a file in its place
        link.symlink_to(secret)
        for file in root.rglob("*"):
            if file.is_file() and not file.is_symlink() and ".git" not in file.parts:
                assert SECRET[:8] not in file.read_text(errors="replace"), (command, file)
    assert not summary.exists() or SECRET[:8] not in summary.read_text()
    assert secret.read_text() == f"{SECRET}\nsecond\n"


@pytest.mark.parametrize("name", ["catalog/x.yml", "macros/z.sql", "catalog/names.csv"])
@pytest.mark.parametrize("target", ["/dev/zero", "/proc/self/environ", "pipe"])
def test_devices_and_pipes_are_no_files_of_a_project(name: str, target: str, tmp_path: Path) -> None:
    if target == "pipe":
        target = str(tmp_path / "pipe")
        os.mkfifo(target)
    body = GOOD.replace("n > 1", '"{{ z() }}"') if name.endswith(".sql") else LISTED
    root = repository(tmp_path, name, body, target)
    done = in_process("check", cwd=root)
    assert done.returncode == 1
    assert Path(name).name in done.stderr


def test_a_link_within_the_project_is_followed_on_both_sides(tmp_path: Path) -> None:
    root = repository(tmp_path, "catalog/teams/x.yml", GOOD, "../../shared/x.yml")
    (root / "shared").mkdir()
    (root / "shared" / "x.yml").write_text(GOOD.replace("dataset: d", "dataset: e"))
    done = in_process("check", cwd=root)
    assert done.stdout.startswith("2 datasets"), done.stderr
