"""A command without a catalog fails, with the path and a hint: its job would always pass."""

from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from predicat.cli.main import cli
from tests.processes import git, in_process

# The arguments of the commands that need some.
CALLS = {
    "advise": "--dsn postgresql://localhost:1/none",
    "apply": "--dry-run --dsn postgresql://localhost:1/none",
    "compile": "--target out",
    "discover": ".",
    "docs build": "--out site",
    "explain": "late",
    "export dbt": "--out dbt",
    "export pipeline": "late --out pipeline",
    "match": "flights rows.json",
    "quality gx": "--out gx",
    "refresh": "--dsn postgresql://localhost:1/none",
    "release": "--dry-run",
    "run": "flights",
    "seek": "late",
    "split": "late --for spark",
    "sql": "late",
    "suspend": "flights - --dsn postgresql://localhost:1/none",
    "translate": "late --to cel",
    "union": "late early",
}
ELSEWHERE = {"docs serve": "it does not end", "fmt": "below", "lsp": "it does not end", "mcp": "as above"}
FOLDERS = {
    "empty": "empty contains no .yml or .yaml file",
    "missing": "there is no folder missing",
    "comments": "comments defines no dataset, so there is nothing to do",
    "csv": "csv/data.yml",
}


def commands() -> list[str]:
    """The commands that read a catalog: they have the option --catalog."""
    found = []
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        group = command.commands if isinstance(command, click.Group) else {"": command}
        found += [
            f"{name} {inner}".strip()
            for inner, one in group.items()
            if one is not None and any("--catalog" in option.opts for option in one.params)
        ]
    return sorted(set(found) - ELSEWHERE.keys())


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("nothing")
    (root / "empty").mkdir()
    (root / "comments").mkdir()
    (root / "comments" / "a.yml").write_text("# apiVersion: predicat/v1\n\n# dataset: flights\n")
    (root / "csv").mkdir()
    lines = "\n".join(f"{number},name {number},DE" for number in range(300))
    (root / "csv" / "data.yml").write_text(f"id,name,country\n{lines}\n")
    (root / "rows.json").write_text("{}\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    return root


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("command", commands())
def test_a_command_without_a_catalog_fails(command: str, folder: str, here: Path) -> None:
    if command == "quality gx" and find_spec("great_expectations") is None:
        pytest.skip("Great Expectations is not installed")
    arguments = CALLS.get(command, "")
    done = in_process(*f"{command} {arguments} --catalog {folder}".split(), cwd=here)
    assert done.returncode in ((1, 2) if folder == "csv" else (2,)), done.stdout
    assert FOLDERS[folder] in done.stderr
    assert "hint: " in done.stderr
    assert len(max(done.stderr.splitlines(), key=len)) <= 260
    assert "name 100" not in done.stderr


def test_what_is_committed_does_not_matter(here: Path) -> None:
    for form in ("text", "markdown", "json", "github", "sarif"):
        done = in_process("diff", "--format", form, "--catalog", "comments", cwd=here)
        assert done.returncode == 2
    for command in ("check", "lint"):
        done = in_process(command, "--changed", "HEAD", "--catalog", "comments", cwd=here)
        assert (done.returncode, "defines no dataset" in done.stderr) == (2, True)


def test_fmt_leaves_other_files_alone(here: Path) -> None:
    before = (here / "csv" / "data.yml").read_text()
    done = in_process("fmt", "--catalog", "csv", cwd=here)
    assert done.returncode == 1
    assert "it has neither keys nor a list" in done.stderr
    assert (here / "csv" / "data.yml").read_text() == before
    assert in_process("fmt", "--catalog", "missing", cwd=here).returncode == 2
    assert in_process("fmt", "--catalog", "empty", cwd=here).returncode == 2
