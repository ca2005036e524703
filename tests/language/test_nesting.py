"""Nested SQL never ends the process, and never takes two seconds: sqlglot's compiled parser recurses, and its
overflow cannot be caught.
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


FEW = (10, 39, 1_000)
ALL = (10, 20, 39, 50, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)


@pytest.mark.parametrize(
    ("language", "depths"),
    [
        ("sql", FEW),
        *(pytest.param(one, ALL, marks=pytest.mark.slow) for one in ("sql", "spark", "postgres", "duckdb")),
    ],
)
def test_no_nesting_ends_the_process(language: str, depths: tuple[int, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.language.nesting", language, *map(str, depths)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    cases = done.stdout.splitlines()
    assert done.returncode == 0, (done.returncode, cases[-1:], done.stderr)
    assert len(cases) > 45 * len(depths)
