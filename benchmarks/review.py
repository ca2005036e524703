"""Times proofs and reviews: `python benchmarks/review.py [filters] [--pairs N]`.

Milliseconds of `predicat.compare` for every ordered pair of the reference catalog's filters of a dataset;
then, on a generated catalog in
a git repository, CPU seconds of `predicat diff` of one filter, of ten, and of a fifth of all, and seconds of
`predicat check` and
`predicat test` cold and again, and of `predicat docs build`; CPU seconds of `predicat release` and of a check
of all that is released.
"""

import argparse
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice, permutations
from pathlib import Path

from generated import TWO, write

import predicat

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = (sys.executable, "-m", "predicat")
# Filters that `predicat diff` finds changed, beside a fifth of all of them.
CHANGED = (1, 10)


def seconds(folder: Path, *args: str, code: int = 0) -> float:
    """Of a command that must end with an exit code."""
    start = time.perf_counter()
    done = subprocess.run([*PROGRAM, *args], cwd=folder, check=False, capture_output=True, text=True)
    took = time.perf_counter() - start
    if done.returncode != code:
        sys.exit(f"predicat {' '.join(args)} ended with exit code {done.returncode}:\n{done.stderr}")
    return took


def cpu(folder: Path, *args: str, code: int = 0) -> float:
    """CPU seconds of a command that must end with an exit code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds(folder, *args, code=code)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def change(folder: Path, wanted: Callable[[int], bool]) -> None:
    """Change the second version of some filters: a comparison, a constant, or an operand more, in turn."""

    def edited(found: re.Match[str]) -> str:
        number, line = int(found[1]), found[0]
        if not wanted(number):
            return line
        edits = (
            line.replace("a > ", "a >= "),
            line.replace("a > ", "a > 1"),
            line.replace("a > ", "b < 0.5 AND a > " if " AND " in line else "b < 0.5 && a > "),
        )
        return edits[number // 5 % len(edits)]

    for file in (folder / "catalog").glob("*.yml"):
        file.write_text(re.sub(r"(?:sql|cel): a > (\d+) (?:AND|&&) .*", edited, file.read_text()))


def proofs(most: int | None) -> None:
    catalog = predicat.load_catalog(ROOT / "catalog")
    predicat.compare(catalog["flights.late"], catalog["flights.early"])
    times = []
    for dataset in catalog.datasets.values():
        for one, other in islice(permutations(dataset.filters.values(), 2), most):
            start = time.perf_counter()
            predicat.compare(one.current.predicate, other.current.predicate, effort=1)
            times.append(1000 * (time.perf_counter() - start))
    times.sort()
    print(
        f"{len(times)} pairs: p50 {times[len(times) // 2]:.1f} ms, p90 "
        f"{times[len(times) * 9 // 10]:.1f} ms, p99 {times[len(times) * 99 // 100]:.1f} ms"
    )


def reviews(count: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "catalog").mkdir()
        write(folder / "catalog", count, TWO)
        git = ["git", "-c", "user.name=b", "-c", "user.email=b@example.com"]
        for step in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "all"]):
            subprocess.run([*git, *step], cwd=folder, check=True)
        print(
            f"check: {seconds(folder, 'check'):.2f} s, unchanged {seconds(folder, 'check'):.2f} s; "
            f"test: {seconds(folder, 'test'):.2f} s"
        )
        for changed in (*CHANGED, count // 5):
            change(
                folder,
                (lambda number: number % 5 == 0) if changed == count // 5 else range(changed).__contains__,
            )
            print(f"diff of {changed} filters among {count}: {cpu(folder, 'diff', code=1):.2f} s of CPU")
            subprocess.run([*git, "checkout", "-q", "."], cwd=folder, check=True)
        print(f"release of {2 * count} versions: {cpu(folder, 'release'):.2f} s of CPU", end="; ", flush=True)
        for step in (["add", "."], ["commit", "-qm", "released"]):
            subprocess.run([*git, *step], cwd=folder, check=True)
        print(
            f"check against the base: {cpu(folder, 'check'):.2f} s, unchanged "
            f"{cpu(folder, 'check'):.2f} s of CPU"
        )
        print(
            f"docs build: {seconds(folder, 'docs', 'build'):.1f} s; without proofs between versions: "
            f"{seconds(folder, 'docs', 'build', '--no-proofs'):.1f} s"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "filters", nargs="?", type=int, default=5000, help="filters of the generated catalog, at least 15"
    )
    parser.add_argument(
        "--pairs", type=int, help="pairs of each dataset that are compared; all of them unless it is given"
    )
    options = parser.parse_args()
    proofs(options.pairs)
    reviews(options.filters)
