"""Times proofs and reviews: `python benchmarks/review.py [filters]`.

Milliseconds of `predicat.compare` for every ordered pair of the reference catalog's filters of a dataset; then, on a generated catalog in
a git repository, seconds of `predicat diff` of a ten-filter change, `predicat check` and `predicat test` cold and again, and
`predicat docs build`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from itertools import permutations
from pathlib import Path

import predicat
from benchmarks.compile import TWO, write

PROGRAM = str(Path(sys.executable).parent / "predicat")


def seconds(folder: Path, *args: str) -> float:
    start = time.perf_counter()
    subprocess.run([PROGRAM, *args], cwd=folder, check=False, capture_output=True)
    return time.perf_counter() - start


def proofs() -> None:
    catalog = predicat.load_catalog("catalog")
    predicat.compare(catalog["flights.late"], catalog["flights.early"])
    times = []
    for dataset in catalog.datasets.values():
        for one, other in permutations(dataset.filters.values(), 2):
            start = time.perf_counter()
            predicat.compare(one.current.predicate, other.current.predicate, timeout=1)
            times.append(1000 * (time.perf_counter() - start))
    times.sort()
    print(f"{len(times)} pairs: p50 {times[len(times) // 2]:.1f} ms, p90 {times[len(times) * 9 // 10]:.1f} ms, p99 {times[len(times) * 99 // 100]:.1f} ms")


def reviews(count: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "catalog").mkdir()
        write(folder / "catalog", count, TWO)
        git = ["git", "-c", "user.name=b", "-c", "user.email=b@example.com"]
        for step in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "all"]):
            subprocess.run([*git, *step], cwd=folder, check=True)
        print(f"check: {seconds(folder, 'check'):.2f} s, unchanged {seconds(folder, 'check'):.2f} s; test: {seconds(folder, 'test'):.2f} s")
        file = folder / "catalog" / "generated1.yml"
        text = file.read_text()
        for number in range(500, 510):
            text = text.replace(f"'x{number}'", f"'y{number}'").replace(f'"x{number}"', f'"y{number}"')
        file.write_text(text)
        print(f"diff of ten filters among {count}: {seconds(folder, 'diff'):.2f} s")
        print(f"docs build: {seconds(folder, 'docs', 'build'):.1f} s; without proofs between versions: {seconds(folder, 'docs', 'build', '--no-proofs'):.1f} s")


if __name__ == "__main__":
    proofs()
    reviews(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
