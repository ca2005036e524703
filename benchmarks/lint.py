"""Times lint: `python benchmarks/lint.py [filters]`.

CPU seconds of `predicat lint` on generated catalogs: with an empty cache, again, and after an edit of one
filter. The catalogs are filters of one kind (SQL and CEL in turn), filters of twenty kinds in datasets of
500, and those in one dataset, where every filter could say the same as every other.
"""

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from compile import cpu
from generated import ONE, write, write_mixed

CATALOGS: dict[str, Callable[[Path, int], None]] = {
    "of one kind": lambda folder, count: write(folder, count, ONE),
    "of twenty kinds": lambda folder, count: write_mixed(folder, count, 500),
    "of twenty kinds in one dataset": lambda folder, count: write_mixed(folder, count, count),
}


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as cache:
        cpu("lint", cache=cache, codes=(0, 1))  # once for the byte code
    for name, generate in CATALOGS.items():
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "catalog"
            folder.mkdir()
            generate(folder, count)
            cold, again = (_lint(folder) for _ in range(2))
            file = min(folder.glob("*.yml"))
            file.write_text(file.read_text().replace("x2", "y2", 1))
            edited = _lint(folder)
            shown = f"{cold:.1f} s CPU, unchanged {again:.2f} s, after an edit {edited:.1f} s"
            print(f"lint of {count} filters {name}: {shown}")


def _lint(folder: Path) -> float:
    return cpu("lint", cwd=folder.parent, cache=str(folder.parent / "cache"), codes=(0, 1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "filters", nargs="?", type=int, default=5000, help="filters of each generated catalog"
    )
    main(parser.parse_args().filters)
