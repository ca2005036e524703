"""`make demo`: one catalog, the same rows in Spark and in PostgreSQL."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq

import predicat
import predicat_spark
from examples.data import to_parquet, to_postgres
from predicat.catalog.manifest import build_manifest, write_manifest, write_text
from predicat.catalog.project import load_project
from predicat.deploy import deployment, server
from predicat.quality import report
from predicat.quality.bounds import judge
from predicat.quality.plan import plan
from predicat_spark.quality import on_spark

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target"


def main() -> int:
    """Print a table of filters with their rows on both engines; 1 if any two differ."""
    started = time.monotonic()
    catalog = predicat.load_catalog(ROOT / "catalog")
    write_manifest(build_manifest(catalog), TARGET / "manifest.json")
    _say(f"compiled {len(catalog.filters())} filters to target/manifest.json")
    files = to_parquet(TARGET / "data")
    reports = {
        name: predicat_spark.run(catalog, name, [], str(path), TARGET / "accepted" / name)
        for name, path in files.items()
    }
    _say(
        f"ran them on Spark over {sum(done.rows for done in reports.values()):,} rows; accepted rows "
        "are in target/accepted"
    )
    with server.connect(None, TARGET / "postgres") as connection:
        to_postgres(connection, TARGET / "data")
        done = deployment.apply(catalog, connection, load_project(ROOT / "catalog").catalog)
        _say(f"created {len(done.changes)} PostgreSQL views on the same rows\n")
        rows: list[tuple[str, ...]] = []
        wrong = 0
        for name, ran in reports.items():
            for found in ran.filters:
                query = f'SELECT row_id FROM public."{name}__{found.name}" ORDER BY row_id'
                there = [row[0] for row in connection.execute(query.encode()).fetchall()]
                here = sorted(
                    pq.read_table(TARGET / "accepted" / name / found.name, columns=["row_id"])[
                        "row_id"
                    ].to_pylist()
                )
                agree = here == there
                wrong += not agree
                rows.append(
                    (
                        f"{name}.{found.name}",
                        found.language,
                        f"{len(here):,}",
                        f"{len(there):,}",
                        f"{found.unknown:,}",
                        "yes" if agree else "NO",
                    )
                )
    _table(("filter", "language", "rows in Spark", "rows in PostgreSQL", "UNKNOWN", "agree"), rows)
    (TARGET / "report.json").write_text(
        json.dumps({name: done.data() for name, done in reports.items()}, indent=2) + "\n", encoding="utf-8"
    )
    _say(
        f"\n{len(rows) - wrong} of {len(rows)} filters select the same rows in both, row by row; "
        f"{time.monotonic() - started:.0f} s; report: target/report.json"
    )
    wrong_bounds = _coverage(catalog, files)
    _say(
        f"coverage: {TARGET / 'quality' / 'coverage.html'}; Great Expectations' Data Docs: "
        f"{_data_docs(catalog, files['flights'])}"
    )
    return 1 if wrong or wrong_bounds else 0


def _coverage(catalog: predicat.Catalog, files: dict[str, Path]) -> int:
    """Print how many rows each filter of the flights accepts, check every bound, and write the page; the
    number of broken bounds.
    """
    runs = []
    for name, path in files.items():
        found = on_spark(plan(catalog, name, (), "spark"), str(path))
        runs.append(report.Run(name, found, judge(catalog, found)))
    write_text(TARGET / "quality" / "coverage.html", report.html(runs))
    _say("\n" + report.text([run for run in runs if run.dataset == "flights"]))
    return sum(check.broken for run in runs for check in run.checks)


def _data_docs(catalog: predicat.Catalog, flights: Path) -> str:
    """Run the expectations of the flights in a Great Expectations project; the address of its documents."""
    from predicat.quality import project  # noqa: PLC0415  # Great Expectations takes seconds to import

    project.generate(catalog, ROOT / "catalog", TARGET / "quality", "spark")
    frame = predicat_spark.session(catalog=ROOT / "catalog").read.parquet(str(flights))
    _, errors, docs = project.run(TARGET / "quality", "predicat_flights", {"dataframe": frame})
    if errors:
        raise predicat.PredicatError(errors)
    return docs


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201  # it is a program


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, tuple("-" * width for width in widths), *rows):
        _say(
            "  ".join(
                cell.ljust(width) if index in (0, 1, 5) else cell.rjust(width)
                for index, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
        )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except predicat.PredicatError as error:
        sys.exit(str(error))
