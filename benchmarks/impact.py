"""CPU of the counts of a review beside one query by hand: `python benchmarks/impact.py [rows] [--filters N]
[--runs N] [--alone]`.

Every filter of a catalog changes: half of them by their own text, half by a variable. By hand it is one
query over the Parquet file: count(*) FILTER of each condition before, after, gained and lost; `--alone`
leaves it out. predicat counts the same out of groups of rows, finds examples, and with a partition splits the
counts by day. DuckDB runs all; CPU is that of this process, and the median of some runs counts, after one to
warm up.
"""

import argparse
import resource
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb

from predicat.catalog.load import read_definitions
from predicat.review.changes import review
from predicat.review.files import count_there
from predicat.review.questions import Questions, questions
from predicat.review.snapshot import Snapshot, of_files

COLUMNS = """
i AS id, (hash(i) % 2000)::BIGINT AS amount, (hash(i * 7) % 300)::INTEGER AS delay,
chr((65 + hash(i * 3) % 20)::INTEGER) || chr((65 + hash(i * 5) % 3)::INTEGER) AS carrier,
['DE', 'AT', 'FR', 'US', 'GB', 'IT'][1 + (hash(i * 11) % 6)::INTEGER] AS country,
TIMESTAMPTZ '2026-01-01 00:00:00+00' + (hash(i * 13) % 5184000)::INTEGER * INTERVAL 1 SECOND AS placed_at
"""
CATALOG = """apiVersion: predicat/v1
dataset: shop
relation: {duckdb: shop.parquet}
key: [id]
fields: {id: bigint, amount: bigint, delay: int, carrier: string, country: string, placed_at: timestamp}
"""
PARTITION = "partition: {column: placed_at, by: day}\n"
SHAPES = (
    "amount > {a}",
    "amount > {a} AND country = '{c}'",
    "delay < {d} AND country IN ('{c}', 'FR')",
    "amount > {a} AND (delay < {d} OR carrier = 'A{l}')",
)


def snapshot(folder: Path, filters: int, moved: int, partition: str) -> Snapshot:
    """Filters of one to three conditions; each constant of a side is moved by as much."""
    lines = []
    for place in range(filters):
        amount = (
            f"{place * 19 % 2000 + moved}" if place % 2 else f"{place * 19 % 2000} + {{{{ var('moved') }}}}"
        )
        text = SHAPES[place % 4].format(
            a=amount, d=place * 3 % 280 + moved, c=("DE", "AT", "US")[place % 3], l="ABC"[place % 3]
        )
        lines.append(f'  f{place}: {{sql: "{text}"}}')
    (folder / "shop.yml").write_text(
        f"{CATALOG}{partition}vars: {{moved: {moved}}}\nfilters:\n" + "\n".join(lines) + "\n"
    )
    return of_files(read_definitions(folder), str)


def by_hand(asked: Questions, file: Path) -> None:
    """The query that a person would write."""
    parts = ["count(*)"]
    for question in asked.asked:
        before, after = question.before[0], question.after[0]
        conditions = before, after, f"({after}) AND NOT ({before})", f"({before}) AND NOT ({after})"
        parts += [f"count(*) FILTER (WHERE {condition})" for condition in conditions]
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"SELECT {', '.join(parts)} FROM read_parquet('{file}')").fetchall()


def cpu(run: Callable[[], object]) -> float:
    """The CPU seconds of a run."""

    def used() -> float:
        found = resource.getrusage(resource.RUSAGE_SELF)
        return found.ru_utime + found.ru_stime

    start = used()
    run()
    return used() - start


def main(rows: int, filters: int, runs: int, *, alone: bool) -> None:
    """Print the seconds, and their ratios; `alone` without the query by hand."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "shop.parquet"
        duckdb.execute(f"COPY (SELECT {COLUMNS} FROM range({rows}) t(i)) TO '{file}' (FORMAT parquet)")
        asked = {}
        for partition in ("", PARTITION):
            sides = [snapshot(folder, filters, moved, partition) for moved in (0, 10)]
            asked[partition] = questions(review(*sides, effort=0.01), "duckdb")
        ways: dict[str, Callable[[], object]] = {
            **({} if alone else {"by hand": lambda: by_hand(asked[""], file)}),
            "predicat": lambda: count_there(asked[""], "shop", (str(file), str(file))),
            "predicat, by day": lambda: count_there(asked[PARTITION], "shop", (str(file), str(file))),
        }
        found = {}
        for way, run in ways.items():
            run()
            found[way] = statistics.median(cpu(run) for _ in range(runs))
            print(
                f"{way}: {found[way]:.2f} CPU s, {rows / found[way] / 1e6:.2f} M rows a CPU second",
                flush=True,
            )
        if alone:
            return
        hand = found["by hand"]
        print(
            f"{len(asked[''].asked)} changed filters: predicat took {found['predicat'] / hand:.2f} of the "
            f"query by hand, by day {found['predicat, by day'] / hand:.2f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--filters", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--alone", action="store_true")
    given = parser.parse_args()
    main(given.rows, given.filters, given.runs, alone=given.alone)
