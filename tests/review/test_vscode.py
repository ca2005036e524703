"""The extension for Visual Studio Code: what it declares fits the server, its snippets load, and it can be
packaged.
"""

import json
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from predicat.catalog import load_catalog
from predicat.cli.main import COMMANDS
from predicat.editor.server import LENS_COMMANDS
from tests.processes import completed

FOLDER = Path(__file__).parents[2] / "examples" / "vscode"
MANIFEST = json.loads((FOLDER / "package.json").read_text())
CODE = (FOLDER / "src" / "extension.ts").read_text()
SNIPPETS: dict[str, dict[str, Any]] = json.loads((FOLDER / "snippets" / "predicat.json").read_text())
CATALOG = """apiVersion: predicat/v1
dataset: orders
relation: orders
fields: {amount: bigint}
filters:
  large: {sql: amount > 100}
"""


def filled(lines: list[str]) -> str:
    """A snippet with what an editor proposes in its places."""
    text = re.sub(r"\$\{\d+\|([^,|]+)[^}]*\}", r"\1", "\n".join(lines))
    return re.sub(r"\$\{\d+:([^}]*)\}", r"\1", text)


def indented(text: str, blanks: int) -> str:
    return "".join(f"{' ' * blanks}{line}\n" for line in text.split("\n"))


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippets(name: str, tmp_path: Path) -> None:
    text = filled(SNIPPETS[name]["body"])
    match SNIPPETS[name]["prefix"]:
        case "dataset":
            whole = text
        case "coverage":
            whole = CATALOG + "  other:\n    sql: amount > 1\n" + indented(text, 4)
        case "row":
            whole = CATALOG + "  other:\n    sql: amount > 1\n    tests:\n" + indented(text, 6)
        case _:
            whole = CATALOG + indented(text, 2)
    (tmp_path / "a.yml").write_text(whole)
    assert load_catalog(tmp_path).filters()


def test_what_is_declared_is_there() -> None:
    declared = {row["command"] for row in MANIFEST["contributes"]["commands"]}
    registered = set(re.findall(r'\["(predicat\.\w+)",', CODE))
    assert declared <= registered
    assert {command for command in LENS_COMMANDS.values() if command} <= registered
    assert set(re.findall(r'run\("(\w+)"', CODE)) | {"lsp"} <= set(COMMANDS)
    settings = MANIFEST["contributes"]["configuration"]["properties"]
    assert {name.removeprefix("predicat.") for name in settings} == set(
        re.findall(r'get<\w+>\("(\w+)"', CODE)
    )
    page = (FOLDER / "README.md").read_text()
    assert [name for name in settings if f"`{name}`" not in page] == []
    assert [row["prefix"] for row in SNIPPETS.values() if f"`{row['prefix']}`" not in page] == []


def test_the_lock_file_names_no_registry() -> None:
    packages = json.loads((FOLDER / "package-lock.json").read_text())["packages"]
    assert packages and not any("resolved" in row for row in packages.values())


@pytest.mark.slow
def test_it_can_be_packaged(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("node and npm are not installed")
    folder = tmp_path / "vscode"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("node_modules", "out", "*.vsix"))
    for command in (["ci", "--no-audit", "--no-fund"], ["run", "package", "--", "--out", "predicat.vsix"]):
        done = completed([npm, *command], cwd=folder, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
    names = set(zipfile.ZipFile(folder / "predicat.vsix").namelist())
    assert {
        "extension/package.json",
        "extension/out/extension.js",
        "extension/snippets/predicat.json",
    } <= names
    assert "extension/node_modules/vscode-languageclient/package.json" in names
    assert not any(name.endswith("extension.ts") or "/typescript/" in name for name in names)
