"""Programs that cannot share the environment of the tests: each is installed into one of its own, once."""

import subprocess
import sys
from pathlib import Path

# dbt 2 is another program, which pip does not install everywhere.
DBT_PACKAGES = ("dbt-core>=1.10.8,<1.12", "dbt-duckdb", "dbt-postgres")
ROOT = Path(__file__).resolve().parent.parent


def environment(name: str, *requirements: str) -> Path:
    """The folder of the programs of some packages: `.venv-NAME/bin`, made where there is none."""
    folder = ROOT / f".venv-{name}"
    done = folder / "installed"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
        subprocess.run([str(folder / "bin" / "python"), *install, *requirements], check=True)
        done.write_text("\n".join(requirements))
    return folder / "bin"
