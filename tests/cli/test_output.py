"""`--format json` as docs/commands.md has it, and colours."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from predicat.cli.colour import painted
from predicat.cli.main import cli
from tests.processes import in_process

ROOT = Path(__file__).parent.parent.parent
SECTION = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8").split("## JSON")[1].split("\n## ")[0]
# The keys of the result of each command, as documented.
KEYS = {
    cells[1].strip().strip("`"): set(re.findall(r"`(\w+)`", cells[3]))
    for cells in (line.split("|") for line in SECTION.splitlines() if line.startswith("| `"))
}
COMMANDS = {
    "list": "list tag:ops",
    "check": "check",
    "test": "test late",
    "sql": "sql late long_delay --dialect postgres",
    "explain": "explain late",
    "explain --row": """explain late --row '{"dep_delay": null}'""",
    "translate": "translate late --to cel",
    "union": "union late long_delay --to spark",
    "split": "split late --for spark",
    "compile": "compile --target {out}",
    "filters providers": "filters providers",
    "release": "release --dry-run",
    "import": "import tests/importing/manifests/connector.properties",
    "init": "init {out}",
    "fmt": "fmt --diff",
    "owners": "owners",
    "export": "export dbt --out {out}",
    "docs build": "docs build late --no-proofs --out {out}",
}
# Commands that need a server, or data: where they are tried.
ELSEWHERE = {
    "advise": "tests/deploy/test_advice.py",
    "apply": "tests/deploy/test_command.py",
    "plan": "tests/deploy/test_command.py",
    "refresh": "tests/deploy/test_command.py",
    "suspend": "tests/deploy/test_command.py",
    "comment": "tests/review/test_comment.py",
    "quality baseline": "below",
    "quality export": "below",
    "quality suggest": "below",
}
# Commands without `--format json`, and why.
WITHOUT = {
    "completion": "its result is a script for a shell",
    "docs serve": "it does not end",
    "export pipeline": "--format is that of the path",
    "lsp": "it does not end",
    "mcp": "it does not end",
    "quality gx": "its result is a project",
    "run": "--format is that of the path; --report has the result",
    "schema": "its result is JSON",
    "spark home": "its result is a path",
    "spark jar": "its result is a path",
}


def result(command: str, out: Path) -> Any:
    args = shlex.split(command.replace("{out}", str(out)))
    done = in_process(*args, "--format", "json", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_command_of_the_table_is_tried() -> None:
    assert COMMANDS.keys() | ELSEWHERE.keys() == KEYS.keys(), (
        "COMMANDS is the table under JSON in docs/commands.md"
    )


def every_command() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        found = cli.get_command(context, name)
        assert found is not None
        if isinstance(found, click.Group):
            for inner in found.list_commands(context):
                one = found.get_command(context, inner)
                assert one is not None
                yield f"{name} {inner}", one
        else:
            yield name, found


def test_every_command_that_prints_a_result_has_json() -> None:
    without = set()
    for name, found in every_command():
        kinds = [one.type for one in found.params if "--format" in one.opts]
        if not any(isinstance(kind, click.Choice) and "json" in kind.choices for kind in kinds):
            without.add(name)
    assert without == WITHOUT.keys(), "give it format_option and show of cli/output.py"


def test_bounds(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("a\n" + "1\n2\n" * 100)
    (tmp_path / "d.yml").write_text(
        "apiVersion: predicat/v1\ndataset: d\nrelation: {duckdb: d.csv}\nfields: {a: bigint}\n"
        "filters: {f: {sql: a > 1}}\n"
    )
    engine = ("--catalog", "d.yml", "--engine", "duckdb")
    done = in_process("quality", "suggest", *engine, "--format", "json", cwd=tmp_path)
    (row,) = json.loads(done.stdout)
    assert set(row) == KEYS["quality suggest"] and row["dataset"] == "d" and row["lines"]
    done = in_process("quality", "run", *engine, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.endswith(
        "\n\nno bounds to check: predicat quality suggest --catalog d.yml --engine duckdb proposes them\n"
    )
    data = json.loads(in_process("quality", "baseline", "--format", "json", cwd=tmp_path).stdout)
    assert set(data) == KEYS["quality baseline"] and data["filters"] == 1
    data = json.loads(in_process("quality", "export", "--format", "json", cwd=tmp_path).stdout)
    assert set(data) == KEYS["quality export"] and {row["filter"] for row in data["results"]} >= {"d"}


def test_few_rows_are_some_and_most_rows_are_not_all(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("a\n" + "".join(f"{number}\n" for number in range(30_000)))
    (tmp_path / "d.yml").write_text(
        "apiVersion: predicat/v1\ndataset: d\nrelation: {duckdb: d.csv}\nfields: {a: bigint}\n"
        "filters: {one: {sql: a = 1}, most: {sql: a > 0}, all: {sql: a >= 0}, none: {sql: a < 0}}\n"
    )
    done = in_process("quality", "run", "--catalog", "d.yml", "--engine", "duckdb", cwd=tmp_path)
    shares = {line.split()[0]: line.split()[2] for line in done.stdout.splitlines() if line.startswith("d.")}
    assert shares == {"d.one": "<0.01%", "d.most": ">99.99%", "d.all": "100.00%", "d.none": "0.00%"}


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "d.yml").write_text(
        "apiVersion: predicat/v1\ndataset: d\nrelation: {duckdb: d.csv}\nfields: {a: bigint}\n"
        "filters: {f: {sql: a > 1}}\n"
    )
    done = in_process("quality", "run", "--catalog", "d.yml", "--engine", "duckdb", cwd=tmp_path)
    assert done.returncode == 3 and "from the working directory on" in done.stdout
    assert "to check" not in done.stdout and "passed" not in done.stdout


@pytest.mark.parametrize("engine", ["spark", "postgres"])
def test_relations_that_the_catalog_does_not_name(tmp_path: Path, engine: str) -> None:
    """Nothing is compared, and no engine starts."""
    (tmp_path / "d.yml").write_text(
        "apiVersion: predicat/v1\ndataset: d\nrelation: {duckdb: d.csv}\nfields: {a: bigint}\n"
        "filters: {f: {sql: a > 1}}\n"
    )
    done = in_process("check", "--catalog", "d.yml", "--relation", engine, cwd=tmp_path)
    assert done.returncode == 2 and f"no dataset has a {engine} relation to compare with" in done.stderr


def test_what_fmt_and_owners_say(tmp_path: Path) -> None:
    place = tmp_path / "d.yml"
    place.write_text(
        'apiVersion: predicat/v1\ndataset: "d"\nfields: {a: bigint}\nfilters: {f: {sql: a > 1}}\n'
    )
    done = in_process("fmt", "--check", "--catalog", ".", "--format", "json", cwd=tmp_path)
    data = json.loads(done.stdout)
    assert (done.returncode, data["changed"], data["written"]) == (1, 1, False)
    assert data["files"] == [{"file": "d.yml", "changes": True}]
    done = in_process("fmt", "--catalog", ".", "--format", "json", cwd=tmp_path)
    assert (json.loads(done.stdout)["written"], 'dataset: "d"' in place.read_text()) == (True, False)
    assert "1 file changed" not in in_process("fmt", "--catalog", ".", cwd=tmp_path).stdout
    out = ("--catalog", ".", "--out", "CODEOWNERS", "--format", "json")
    done = in_process("owners", *out, "--check", cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["up_to_date"]) == (1, False)
    assert in_process("owners", *out, cwd=tmp_path).returncode == 0
    done = in_process("owners", *out, "--check", cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["up_to_date"]) == (0, True)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_keys_are_those_of_the_documentation(name: str, tmp_path: Path) -> None:
    data = result(COMMANDS[name], tmp_path)
    if isinstance(data, list):
        assert all(set(row) == KEYS[name] for row in data)
        assert data or name == "filters providers"
    else:
        assert set(data) == KEYS[name]


def test_what_a_test_and_a_problem_have(tmp_path: Path) -> None:
    (tmp_path / "d.yml").write_text(
        "apiVersion: predicat/v1\ndataset: d\nfields: {a: bigint}\nfilters:\n"
        "  f: {sql: a > 1, tests: [{row: {a: 1}, matches: true}, {row: {}, matches: unknown}]}\n"
    )
    done = in_process("test", "--catalog", ".", "--format", "json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    data = json.loads(done.stdout)
    assert (data["passed"], data["failed"]) == (1, 1)
    failed, passed = data["tests"]
    words = re.findall(r"`(\w+)`", SECTION.split("A test has")[1].split("A problem has")[0])
    assert list(failed) == words
    assert (failed["outcome"], failed["status"], failed["matches"]) == (False, "failed", True)
    assert (passed["outcome"], passed["status"], passed["matches"]) == (None, "passed", "unknown")
    words = re.findall(r"`(\w+)`", SECTION.split("A problem has")[1].split("(null without")[0])
    assert list(failed["problem"]) == words
    assert (failed["problem"]["file"], failed["problem"]["line"]) == ("d.yml", 5)
    done = in_process("list", "tag:x", "--catalog", ".", "--format", "json", cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["problems"][0]["line"]) == (2, None)


def test_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = in_process("list", "tag:opz", cwd=ROOT).stderr
    assert "\x1b[" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = in_process("list", "tag:opz", cwd=ROOT).stderr
    assert coloured.startswith("\x1b[31m\x1b[1merror[usage]\x1b[0m")
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert in_process("list", "tag:opz", cwd=ROOT).stderr == plain


def test_a_caret_is_coloured_and_the_line_is_not() -> None:
    shown = painted("error[x]: m\n  --> a.yml:5:3\n  |\n5 | a: b\n  |    ^\n  = hint: h").split("\n")
    assert shown[3] == "\x1b[34m5 |\x1b[0m a: b"
    assert shown[4] == "\x1b[34m  |\x1b[0m\x1b[31m\x1b[1m    ^\x1b[0m"
