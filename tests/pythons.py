"""`make test-pythons`: the tests that need no engine on each other Python from 3.11 to 3.13 that is on
this machine.
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ("3.11", "3.12", "3.13")


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


def passes(version: str, python: str) -> tuple[bool, str]:
    """Whether the tests pass on a Python, in an environment of its own without Spark, and what they print."""
    folder = ROOT / f".venv-python-{version}"
    own = folder / "bin" / "python"
    if not own.exists():
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
    subprocess.run(
        [str(own), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-e", ".[test]"],
        cwd=ROOT,
        check=True,
    )
    done = subprocess.run(
        [str(own), "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=ROOT,
        env={**os.environ, "PREDICAT_FAST": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode == 0, f"Python {version}\n{done.stdout}{done.stderr}"


def main(versions: list[str]) -> int:
    own = f"{sys.version_info[0]}.{sys.version_info[1]}"
    found = {version: program(version) for version in versions if version != own}
    there = [(version, python) for version, python in found.items() if python is not None]
    with ThreadPoolExecutor() as pool:  # each takes one processor
        results = list(pool.map(lambda row: (row[0], *passes(*row)), there))
    for _, _, printed in results:
        print(printed)
    failed = [version for version, passed, _ in results if not passed]
    missing = [version for version, python in found.items() if python is None]
    print(
        f"tests without an engine: failed on {', '.join(failed) or 'none'}; not on this machine: "
        f"{', '.join(missing) or 'none'}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(VERSIONS)))
