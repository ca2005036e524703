"""The notebook: its cells run from the top, in a process of their own, as a user runs them."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.processes import completed, spark_environment

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "examples" / "filters.ipynb"
CHECKS = """
assert [late.evaluate({"dep_delay": minutes}) for minutes in (90, 10, None)] == [True, False, None]
assert sql["duckdb"] == "dep_delay >= 90"
assert [tuple(row) for row in rows] == [("UA", 95)]
assert verdict.kind == "wider"
"""


def test_the_notebook_has_no_outputs() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert all(not cell["outputs"] for cell in cells if cell["cell_type"] == "code")


@pytest.mark.slow
def test_the_cells_run(tmp_path: Path) -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    script = "\n".join(["import predicat_spark", "predicat_spark.ensure_java()", *code, CHECKS])
    for name in ("catalog", "macros"):
        shutil.copytree(ROOT / name, tmp_path / name)
    done = completed([sys.executable, "-c", script], cwd=tmp_path, timeout=300, env=spark_environment())
    assert done.returncode == 0, done.stderr[-3000:]
    assert "|     DL|       70|" in done.stdout
