"""Checks and compiles generated catalogs: `python benchmarks/compile.py [filters] [--runs N]`.

Prints CPU seconds of `predicat compile` on a catalog of generated filters (25 lines of YAML each, SQL and CEL
in turn), and on one
of as many filters with two versions each, cold and unchanged, with the ratio to reading the same files with
PyYAML's C loader alone;
and of `predicat --help` and `predicat check` on the reference catalog.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import yaml
from generated import ONE, TWO, write

PROGRAM = (sys.executable, "-m", "predicat")
BYTE_CODE = tempfile.TemporaryDirectory()
ROOT = Path(__file__).resolve().parent.parent


def cpu(*command: str, cwd: Path = ROOT, cache: str | None = None, codes: Sequence[int] = (0,)) -> float:
    """CPU seconds of a command, which must end with one of some exit codes, with Python's byte code kept
    as an installed program has it; `cache` is the user's cache folder.
    """
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPYCACHEPREFIX": BYTE_CODE.name} | ({"PREDICAT_CACHE": cache} if cache else {})
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*PROGRAM, *command], cwd=cwd, check=False, capture_output=True, text=True, env=environment
    )
    if done.returncode not in codes:
        sys.exit(f"predicat {' '.join(command)} ended with exit code {done.returncode}:\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(count: int, runs: int) -> None:
    print(f"predicat --help: {min(cpu('--help') for _ in range(runs)):.2f} s CPU")
    with tempfile.TemporaryDirectory() as name:
        changed = min(cpu("check", cache=f"{name}/{run}") for run in range(runs))
        unchanged = min(cpu("check", cache=f"{name}/0") for _ in range(runs))
        print(
            f"predicat check on the reference catalog: changed {changed:.2f} s CPU, unchanged "
            f"{unchanged:.2f} s CPU"
        )
    for what, body in ((f"{count} filters", ONE), (f"{count} filters of two versions", TWO)):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "catalog"
            folder.mkdir()
            write(folder, count, body)
            start = time.process_time()
            for file in folder.iterdir():
                yaml.compose(file.read_text(), Loader=yaml.CSafeLoader)
            plain = time.process_time() - start
            cold = cpu("compile", cwd=Path(name))
            unchanged = cpu("compile", cwd=Path(name))
            print(
                f"{what}: cold {cold:.1f} s, unchanged {unchanged:.2f} s; YAML alone {plain:.1f} s; "
                f"ratio {cold / plain:.1f}"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "filters", nargs="?", type=int, default=10_000, help="filters of each generated catalog"
    )
    parser.add_argument("--runs", type=int, default=5, help="runs of each small command; the fastest counts")
    options = parser.parse_args()
    main(options.filters, options.runs)
