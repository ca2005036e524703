"""Times proofs of pairs that look alike: `python benchmarks/pairs.py [pairs] [--columns COUNT]`.

CPU milliseconds of `predicat.compare` with its default time limit, for each pair of tests/review/pairs.yml
(LIKE against regular expressions, text functions, conversions, NULL, arithmetic, time, arrays, JSON); how
many of them are open; and the share of the second opinion, the rows that each proof is confronted with.
Parsing is not counted.

With `--columns`, so many pairs of each group of benchmarks/pairs.yml (conditions on one column), chosen at
random with one seed: how many of each group are open, and because of which operators.
"""

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import yaml

import predicat
from predicat.proof.compare import EXACT
from predicat.proof.second_opinion import SecondOpinion

Pair = tuple[predicat.Predicate, predicat.Predicate]
OPEN = ("undecided", "unsupported")
COLUMNS = Path(__file__).resolve().parent / "pairs.yml"
TABLE = Path(__file__).resolve().parent.parent / "tests" / "review" / "pairs.yml"


def pairs(most: int | None) -> list[Pair]:
    table = yaml.safe_load(TABLE.read_text())
    fields = table.pop("fields")
    rows = [(language, row) for language, rows in table.items() for row in rows]
    chosen = rows if most is None else rows[:: max(1, len(rows) // most)][:most]
    return [
        (predicat.parse(row[0], language, fields), predicat.parse(row[1], language, fields))
        for language, row in chosen
    ]


def of_columns(count: int) -> Iterator[tuple[str, list[Pair]]]:
    """Some pairs of each group of conditions on one column."""
    table = yaml.safe_load(COLUMNS.read_text())
    fields, chance = table.pop("fields"), random.Random(1)
    for group, texts in table.items():
        read = [predicat.parse(text, "spark", fields) for text in texts]
        every = list(combinations(read, 2))
        yield group, chance.sample(every, min(count, len(every)))


def open_columns(count: int) -> None:
    """Print which pairs of conditions on one column are open."""
    asked = still_open = 0
    for group, chosen in of_columns(count):
        verdicts = [predicat.compare(before, after) for before, after in chosen]
        reasons = Counter(
            " ".join(verdict.operators) or verdict.kind for verdict in verdicts if verdict.kind in OPEN
        )
        asked, still_open = asked + len(chosen), still_open + reasons.total()
        most = ", ".join(f"{name} ({number})" for name, number in reasons.most_common(6))
        print(f"{group}: {reasons.total()} of {len(chosen)} open{': ' if most else ''}{most}")
    print(f"of one column: {still_open} of {asked} open ({100 * still_open / asked:.1f} %)")


class Timed:
    """A method that counts the CPU milliseconds of its calls."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        self.milliseconds = 0.0

    def __call__(self, *args: Any) -> Any:
        start = time.process_time()
        try:
            return self.method(*args)
        finally:
            self.milliseconds += 1000 * (time.process_time() - start)


def main(most: int | None) -> None:
    read = pairs(most)
    predicat.compare(predicat.parse("a < c", "sql"), predicat.parse("a > c", "sql"))  # the solver is imported
    opinion = Timed(SecondOpinion.contradiction)
    SecondOpinion.contradiction = (  # type: ignore[method-assign]  # to measure it
        lambda self, test: opinion(self, test)  # noqa: PLW0108  # a function becomes a method
    )
    times, opinions = [], []
    still_open = exact = 0
    for before, after in read:
        start, opinion.milliseconds = time.process_time(), 0.0
        verdict = predicat.compare(before, after)
        times.append(1000 * (time.process_time() - start))
        opinions.append(opinion.milliseconds)
        still_open += verdict.kind in OPEN
        exact += verdict.proof == EXACT
    share = sum(opinions) / sum(times)
    print(
        f"{len(times)} pairs: {still_open} open ({100 * still_open / len(times):.1f} %), "
        f"{exact} proved for exact arithmetic only"
    )
    print(spread(times))
    print(f"second opinion: {100 * share:.1f} % of the time, {spread(opinions)}")


def spread(times: list[float]) -> str:
    times = sorted(times)
    at = {f"p{part}": times[len(times) * part // 100] for part in (50, 90, 99)} | {"most": times[-1]}
    return ", ".join(f"{name} {value:.1f} ms" for name, value in at.items())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "pairs", nargs="?", type=int, help="so many of the pairs; all of them unless it is given"
    )
    parser.add_argument("--columns", type=int, help="so many pairs of each column instead", metavar="COUNT")
    arguments = parser.parse_args()
    if arguments.columns is None:
        main(arguments.pairs)
    else:
        open_columns(arguments.columns)
