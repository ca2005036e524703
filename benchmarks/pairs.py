"""Times proofs of pairs that look alike: `python benchmarks/pairs.py [pairs]`.

CPU milliseconds of `predicat.compare` with its default time limit, for each pair of tests/review/pairs.yml
(LIKE against regular expressions, text functions, conversions, NULL, arithmetic, time, arrays, JSON); and how
many of them are open. Parsing is not counted.
"""

import argparse
import time
from pathlib import Path

import yaml

import predicat
from predicat.review.compare import EXACT

TABLE = Path(__file__).resolve().parent.parent / "tests" / "review" / "pairs.yml"


def pairs(most: int | None) -> list[tuple[predicat.Predicate, predicat.Predicate]]:
    table = yaml.safe_load(TABLE.read_text())
    fields = table.pop("fields")
    rows = [(language, row) for language, rows in table.items() for row in rows]
    chosen = rows if most is None else rows[:: max(1, len(rows) // most)][:most]
    return [
        (predicat.parse(row[0], language, fields), predicat.parse(row[1], language, fields))
        for language, row in chosen
    ]


def main(most: int | None) -> None:
    read = pairs(most)
    predicat.compare(predicat.parse("a < c", "sql"), predicat.parse("a > c", "sql"))  # the solver is imported
    times = []
    still_open = exact = 0
    for before, after in read:
        start = time.process_time()
        verdict = predicat.compare(before, after)
        times.append(1000 * (time.process_time() - start))
        still_open += verdict.kind in ("undecided", "unsupported")
        exact += verdict.proof == EXACT
    times.sort()
    print(
        f"{len(times)} pairs: {still_open} open ({100 * still_open / len(times):.1f} %), "
        f"{exact} proved for exact arithmetic only"
    )
    at = {f"p{share}": times[len(times) * share // 100] for share in (50, 90, 99)} | {"most": times[-1]}
    print(", ".join(f"{name} {value:.1f} ms" for name, value in at.items()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "pairs", nargs="?", type=int, help="so many of the pairs; all of them unless it is given"
    )
    main(parser.parse_args().pairs)
