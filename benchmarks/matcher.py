"""The matcher in Python: rows a second through the index, against evaluating every filter.

python benchmarks/matcher.py [FILTERS ...] [--rows N] [--runs N]
"""

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

from mix import FIELDS, filters, messages

import predicat
from predicat.api import declared


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("filters", type=int, nargs="*", default=[10, 100, 1_000, 10_000, 100_000])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    rows = messages(options.rows)
    for count in options.filters:
        measure(count, rows, options.runs)


def measure(count: int, rows: Sequence[dict[str, Any]], runs: int) -> None:
    """One line for a number of filters; the best of some runs, in CPU time of this process."""
    fields = declared(FIELDS)
    predicates = {
        f"f{number}": predicat.parse(text, "sql", fields) for number, text in enumerate(filters(count))
    }
    build, matcher = timed(lambda: predicat.Matcher.of(predicates))
    some = rows[: max(1, min(len(rows), 200_000 // count))]

    def all_rows() -> int:
        return sum(len(matcher.match(row)) for row in rows)

    def one_by_one() -> list[list[str]]:
        return [sorted(name for name, row in predicates.items() if row.evaluate(item)) for item in some]

    expected = one_by_one()
    if [matcher.match(row) for row in some] != expected:
        raise SystemExit("the matcher differs from the evaluator")
    indexed, matches = min(timed(all_rows) for _ in range(runs))
    naive, _ = min(timed(one_by_one) for _ in range(runs))
    ratio = (naive / len(some)) / (indexed / len(rows))
    print(
        f"{count:,} filters: {len(rows) / indexed:,.0f} rows/s through the index, "
        f"{len(some) / naive:,.0f} one by one "
        f"(ratio {ratio:,.1f}), {matches / len(rows):.2f} matches a row, built in {build:.2f} s"
    )


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = run()
    return time.process_time() - start, found


if __name__ == "__main__":
    main()
