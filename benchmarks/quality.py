"""Times coverage on Spark beside other ways: `python benchmarks/quality.py [rows] [filters] [--runs N]
[--wide]`.

On one Parquet file, in one run, in turn: a count(*) with one filter; one pass of predicat over all filters,
conditions, missing values
and overlaps; an aggregate of count_if in chunks of 25 (without overlaps). Each is run once to warm up and
then five times; the median
counts. Then Great Expectations' UnexpectedRowsExpectation, one a filter, for three filters, as seconds for
each.

With --wide the filters read 38 columns of random numbers, so that grouping would not pay: coverage beside the
aggregates that a person
would write (count_if of each filter, and of each filter IS NULL, in chunks of 25), and the memory of this
process.
"""

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import predicat
import predicat_spark
from predicat.quality.plan import plan
from predicat_spark.quality import on_spark


def catalog(folder: Path, filters: int) -> predicat.Catalog:
    lines = [
        f"  f{number}: {{sql: \"a > {number % 90} AND b < {100 - number % 50} OR s = 'x{number % 7}'\"}}"
        for number in range(filters)
    ]
    text = (
        (
            "apiVersion: predicat/v1\ndataset: d\nrelation: d\nfields: {a: bigint, b: bigint, s: string}\n"
            "filters:\n"
        )
        + "\n".join(lines)
        + "\n"
    )
    (folder / "d.yml").write_text(text)
    return predicat.load_catalog(folder)


def seconds(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def medians(ways: dict[str, Callable[[], Any]], times: int) -> dict[str, float]:
    """The ways in turn, so that a slow moment of the machine meets all of them."""
    for name, run in ways.items():
        print(f"{name}: {seconds(run):.2f} s the first time", flush=True)
    runs = [{name: seconds(run) for name, run in ways.items()} for _ in range(times)]
    found = {name: statistics.median(times[name] for times in runs) for name in ways}
    for name, time_taken in found.items():
        print(f"{name}: {time_taken:.2f} s", flush=True)
    return found


def main(rows: int, filters: int, runs: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = catalog(folder, filters)
        spark = predicat_spark.session(
            catalog=folder, config={"spark.master": "local[2]", "spark.ui.enabled": "false"}
        )
        spark.range(rows).selectExpr(
            "id % 100 AS a", "id * 7 % 100 AS b", "concat('x', id % 11) AS s"
        ).write.parquet(str(folder / "rows"))
        frame = spark.read.parquet(str(folder / "rows"))
        conditions = [found[f"d.f{number}"].sql("spark") for number in range(filters)]
        chunks = [conditions[start : start + 25] for start in range(0, filters, 25)]
        took = medians(
            {
                "count(*) with one filter": lambda: frame.where(conditions[0]).count(),
                f"coverage and overlaps of {filters} filters in one pass": lambda: on_spark(
                    plan(found, "d", (), "spark"), frame
                ),
                "count_if in chunks of 25": lambda: [
                    frame.selectExpr(*(f"count_if({condition})" for condition in chunk)).collect()
                    for chunk in chunks
                ],
            },
            runs,
        )
        one, ours, chunked = took.values()
        each = great_expectations(frame, conditions[:3], min(2, runs)) / 3
        print(
            f"one pass: {ours / one:.1f} times one count; {chunked / ours:.1f} times faster than "
            f"chunks; {each * filters / ours:.0f} times faster than "
            f"UnexpectedRowsExpectation ({each:.2f} s each)"
        )


COLUMNS = 38


def wide_catalog(folder: Path, filters: int) -> predicat.Catalog:
    """Filters of three conditions, each on a column of its own."""
    fields = ", ".join(f"c{number}: bigint" for number in range(COLUMNS))
    lines = [
        f'  f{number}: {{sql: "c{number % 38} > {number * 37 % 900} AND c{number * 5 % 38} < '
        f"{1000 - number * 11 % 700} "
        f'OR c{number * 7 % 38} = {number}"}}'
        for number in range(filters)
    ]
    head = f"apiVersion: predicat/v1\ndataset: d\nrelation: d\nfields: {{{fields}}}\nfilters:\n"
    (folder / "d.yml").write_text(head + "\n".join(lines) + "\n")
    return predicat.load_catalog(folder)


def wide(rows: int, filters: int, runs: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = wide_catalog(folder, filters)
        spark = predicat_spark.session(
            catalog=folder, config={"spark.master": "local[2]", "spark.ui.enabled": "false"}
        )
        columns = (f"pmod(hash(id, {number}), 1000) AS c{number}" for number in range(COLUMNS))
        spark.range(rows).selectExpr(*columns).selectExpr(
            *(f"CAST(c{number} AS BIGINT) AS c{number}" for number in range(COLUMNS))
        ).write.parquet(str(folder / "rows"))
        frame = spark.read.parquet(str(folder / "rows"))
        conditions = [found[f"d.f{number}"].sql("spark") for number in range(filters)]
        chunks = [conditions[start : start + 25] for start in range(0, filters, 25)]
        aggregates = [
            [
                *(f"count_if({condition})" for condition in chunk),
                *(f"count_if(({condition}) IS NULL)" for condition in chunk),
            ]
            for chunk in chunks
        ]
        took = medians(
            {
                "one count(*)": lambda: frame.where(conditions[0]).count(),
                f"coverage, conditions and overlaps of {filters} filters": lambda: on_spark(
                    plan(found, "d", (), "spark"), frame
                ),
                "count_if of each filter, and of IS NULL, in chunks of 25": lambda: [
                    frame.selectExpr(*chunk).collect() for chunk in aggregates
                ],
            },
            runs,
        )
        _, ours, written = took.values()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{ours / written:.2f} times the aggregates; this process took {memory} MB at most")


def great_expectations(frame: Any, conditions: list[str], times: int) -> float:
    import great_expectations as gx

    context = gx.get_context(mode="ephemeral")
    batch = (
        context.data_sources.add_spark("s")
        .add_dataframe_asset("d")
        .add_batch_definition_whole_dataframe("all")
    )
    suite = context.suites.add(gx.ExpectationSuite("d"))
    for condition in conditions:
        suite.add_expectation(
            gx.expectations.UnexpectedRowsExpectation(
                unexpected_rows_query=f"SELECT * FROM {{batch}} WHERE NOT ({condition})"
            )
        )
    validation = context.validation_definitions.add(
        gx.ValidationDefinition(name="d", data=batch, suite=suite)
    )
    return min(seconds(lambda: validation.run(batch_parameters={"dataframe": frame})) for _ in range(times))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=5_000_000)
    parser.add_argument("filters", nargs="?", type=int, default=100, help="at least 3")
    parser.add_argument(
        "--runs", type=int, default=5, help="runs of each way after the first; the median counts"
    )
    parser.add_argument("--wide", action="store_true", help="filters over 38 columns")
    options = parser.parse_args()
    (wide if options.wide else main)(options.rows, options.filters, options.runs)
