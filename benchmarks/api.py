"""The Python API against the same by hand: a table through `Predicate.filter`, rows through `evaluate_many`,
and the start of a process that parses one filter.

python benchmarks/api.py [ROWS] [--runs N]
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa

import predicat

TEXT = "country IN ('DE', 'FR') AND amount > 50 AND status <> 'closed'"
FIELDS = {"country": "string", "amount": "double", "status": "string"}
COUNTRIES, STATES = ("DE", "US", "FR", None), ("open", "closed", "held")
# A new process that only imports a library, and one that has an answer.
STARTS = {
    "sqlglot alone": "import sqlglot; sqlglot.parse_one('a = 1', 'spark')",
    "sql": "import predicat; predicat.parse('a = 1', 'sql', {'a': 'bigint'}).evaluate({'a': 1})",
    "cel": "import predicat; predicat.parse('a == 1', 'cel', {'a': 'bigint'}).evaluate({'a': 1})",
    "sns": "import predicat; predicat.parse({'a': ['x']}, 'sns').evaluate({'attributes': {'a': 'x'}})",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rows", type=int, nargs="?", default=5_000_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    predicate = predicat.parse(TEXT, "sql", FIELDS)
    tables(predicate, table_of(options.rows), options.runs)
    some = table_of(max(1, options.rows // 20)).to_pylist()
    ours, accepted = best(lambda: predicate.evaluate_many(some).count(True), options.runs)
    theirs, wanted = best(lambda: sum(map(by_hand, some)), options.runs)
    same(accepted, wanted)
    print(f"rows: {len(some) / ours:,.0f} a second, {ours / theirs:.2f} times a function of Python")
    starts = {name: min(started(code) for _ in range(options.runs)) for name, code in STARTS.items()}
    print("CPU of a start: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in starts.items()))


def by_hand(row: dict[str, Any]) -> bool:
    """What a service may write in place of the filter."""
    amount = row["amount"]
    return row["country"] in {"DE", "FR"} and amount is not None and amount > 50 and row["status"] != "closed"


def table_of(count: int) -> pa.Table:
    return pa.table(
        {
            "country": pa.array([COUNTRIES[number % 4] for number in range(count)]),
            "amount": pa.array([number * 7 % 1000 / 10 for number in range(count)]),
            "status": pa.array([STATES[number // 4 % 3] for number in range(count)]),
        }
    )


def tables(predicate: predicat.Predicate, table: pa.Table, runs: int) -> None:
    """One line for each kind of table."""
    frame = table.to_pandas()
    others: dict[str, tuple[Any, Callable[[], Any]]] = {
        "pyarrow": (table, lambda: duckdb.from_arrow(table).filter(TEXT).to_arrow_table()),
        "pandas": (frame, lambda: in_pandas(frame)),
    }
    for name, (rows, run) in others.items():
        ours, found = best(lambda rows=rows: predicate.filter(rows), runs)
        theirs, wanted = best(run, runs)
        same(len(found), len(wanted))
        print(f"{name}: {len(rows) / ours / 1e6:,.1f} M rows a second, {ours / theirs:.2f} times by hand")


def in_pandas(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame.country.isin(["DE", "FR"]) & (frame.amount > 50) & (frame.status != "closed")]


def started(code: str) -> float:
    """The processor's time of a process in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def best(run: Callable[[], Any], runs: int) -> tuple[float, Any]:
    """The shortest time in seconds, and the result."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        found = run()
        times.append(time.perf_counter() - start)
    return min(times), found


def same(ours: int, theirs: int) -> None:
    if ours != theirs:
        raise SystemExit(f"the filter accepts {ours} rows, by hand it is {theirs}")


if __name__ == "__main__":
    main()
