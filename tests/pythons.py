"""`make test-pythons`: the tests that need no engine, each time in an environment of its own: on each other
Python from 3.11 to 3.13 that is on this machine, and with the lowest versions of all dependencies, extras
included, that pyproject.toml allows.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ("3.11", "3.12", "3.13")
LOWEST = "lowest"
# Extras of those who work on predicat: their tools are the newest.
TOOLS = ("dev", "docs")


def program(version: str) -> str | None:
    """A Python of a version: on the path, where it really runs, or of pyenv."""
    for place in (
        shutil.which(f"python{version}"),
        *sorted(map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))),
    ):
        if place is None:
            continue
        asked = subprocess.run(
            [place, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
            capture_output=True,
            text=True,
            check=False,
        )
        if asked.stdout.strip() == version:
            return place
    return None


def lowest_versions() -> dict[str, str]:
    """The lowest version that pyproject.toml allows of each dependency and of those of the extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    rows = [*project["dependencies"], *(row for name in extras if name not in TOOLS for row in extras[name])]
    return {
        requirement.name: bound.version
        for requirement in map(Requirement, rows)
        for bound in requirement.specifier
        if bound.operator == ">="
    }


def passes(row: str, python: str) -> tuple[bool, str]:
    """Whether the tests pass on a Python, in an environment of its own, and what they print. `row` is its
    version, and Spark is left out, or `lowest`.
    """
    folder = ROOT / f".venv-python-{row}"
    own = folder / "bin" / "python"
    if not own.exists():
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
    wanted = ["-e", ".[test]"]
    if row == LOWEST:
        constraints = folder / "constraints.txt"
        constraints.write_text("".join(f"{name}=={low}\n" for name, low in lowest_versions().items()))
        wanted = ["-e", ".[all,test]", "-c", str(constraints)]
    subprocess.run(
        [str(own), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted],
        cwd=ROOT,
        check=True,
    )
    warn = ["-o", "filterwarnings=ignore"] if row == LOWEST else []  # of old releases, which will not change
    done = subprocess.run(
        [str(own), "-m", "pytest", "-q", "-p", "no:cacheprovider", *warn],
        cwd=ROOT,
        env={**os.environ, "PREDICAT_FAST": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode == 0, f"Python {row}\n{done.stdout}{done.stderr}"


def main(rows: list[str]) -> int:
    own = f"{sys.version_info[0]}.{sys.version_info[1]}"
    found = {row: program(VERSIONS[0] if row == LOWEST else row) for row in rows if row != own}
    there = [(row, python) for row, python in found.items() if python is not None]
    with ThreadPoolExecutor() as pool:  # each takes one processor
        results = list(pool.map(lambda row: (row[0], *passes(*row)), there))
    for _, _, printed in results:
        print(printed)
    failed = [row for row, passed, _ in results if not passed]
    missing = [row for row, python in found.items() if python is None]
    print(
        f"tests without an engine: passed on {len(results) - len(failed)}; failed on "
        f"{', '.join(failed) or 'none'}; not on this machine: {', '.join(missing) or 'none'}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [*VERSIONS, LOWEST]))
