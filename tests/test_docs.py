"""The documents: Python is run, YAML is checked, console sessions of predicat are replayed, links lead somewhere."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import predicat
from tests.processes import spark_environment

ROOT = Path(__file__).parent.parent
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "catalog", tmp_path / "catalog")
    shutil.copytree(ROOT / "macros", tmp_path / "macros")
    return tmp_path


@pytest.mark.parametrize(
    "path", [path for path in DOCS if blocks(path, "python")], ids=lambda path: path.name
)
def test_python_runs(path: Path, workplace: Path) -> None:
    script = "import predicat_spark\npredicat_spark.ensure_java()\n" + "\n".join(blocks(path, "python"))
    done = subprocess.run([sys.executable, "-W", "error::SyntaxWarning", "-c", script], cwd=workplace, capture_output=True, text=True, timeout=300, check=False,
                          env=spark_environment())  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    if path.name == "README.md":
        assert (
            done.stdout.splitlines()[0] == "True"
            and "['a', 3.5]" in done.stdout
            and "events@example.com" in done.stdout
        )


def test_the_catalog_of_the_readme(tmp_path: Path) -> None:
    (example,) = blocks(ROOT / "README.md", "yaml")
    (tmp_path / "flights.yml").write_text(example)
    assert predicat.load_catalog(tmp_path)["late_united"].sql("spark") in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_yaml_can_be_read(path: Path) -> None:
    for block in blocks(path, "yaml"):
        assert isinstance(yaml.safe_load(block), dict)


def test_the_review_of_the_readme(workplace: Path) -> None:
    def git(*args: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *args],
            cwd=workplace,
            check=True,
            capture_output=True,
        )

    for step in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-qm", "first")):
        git(*step)
    file = workplace / "catalog" / "flights.yml"
    file.write_text(file.read_text().replace("sql: dep_delay < 0\n", "sql: dep_delay <= 0\n"))
    (shown,) = [block for block in blocks(ROOT / "README.md", "console") if "predicat diff" in block]
    done = subprocess.run(
        [Path(sys.executable).parent / "predicat", "diff", "main"],
        cwd=workplace,
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown == f"$ predicat diff main\n{done.stdout}"


def test_the_console_of_the_review_guide(workplace: Path) -> None:
    count = 0
    for block in blocks(ROOT / "docs" / "review.md", "console"):
        command, _, output = block.partition("\n")
        done = subprocess.run([Path(sys.executable).parent / "predicat", *shlex.split(command.removeprefix("$ predicat "))], cwd=workplace,
                              capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
        assert done.stdout == output, command
        count += 1
    assert count == 2


def test_the_console_of_the_tutorial(tmp_path: Path) -> None:
    """Each `$ predicat` command with the output that the tutorial shows."""
    program = Path(sys.executable).parent
    count = 0
    for block in blocks(ROOT / "docs" / "tutorial.md", "console"):
        for step in re.findall(r"^\$ (predicat .*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            done = subprocess.run(
                [str(program / "predicat"), *shlex.split(step[0])[1:]],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.stdout == step[1], step[0]
            count += 1
    assert count == 4
    file = tmp_path / "catalog" / "customers.yml"
    file.write_text(file.read_text().replace("cel: country in", "cel: contry in"))
    done = subprocess.run(
        [str(program / "predicat"), "check"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    (shown,) = blocks(ROOT / "docs" / "tutorial.md", "text")
    assert shown.strip() in done.stderr


def test_the_pip_example_of_the_languages_page() -> None:
    (block,) = blocks(ROOT / "docs" / "languages.md", "yaml")
    f = predicat.parse(
        yaml.safe_load(block)["pip"],
        "pip",
        {"properties": "map<string, string>", "event_time": "timestamp"},
        on="properties",
    )
    assert f.evaluate({"properties": {"region": "EU", "trace": "job"}, "event_time": "2025-06-01"}) is True


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_links(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


def test_every_folder_of_the_architecture_exists() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for folder in re.findall(r"`((?:compiler|spark_ext)/[\w/]+)`", text):
        assert (ROOT / folder).is_dir(), folder


def test_the_support_matrix_is_up_to_date() -> None:
    from tests import support

    assert support.FILE.read_text(encoding="utf-8") == support.document(), "run: python -m tests.support"
