"""Times an entry filter on Spark beside a Python UDF: `python benchmarks/entry_filters.py [rows] [--runs N]`.

The class and the function decide the same, on the same Parquet file, alternately, the best of some runs: on
all rows, and on the rows that a native filter accepts (one of ten).
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import predicat
import predicat_spark
from predicat.entry_filters import FilterContext, FilterResult
from predicat_spark import entry_filters

CATALOG = """apiVersion: predicat/v1
dataset: bench
fields: {id: bigint, a: bigint, s: string}
filters:
  tenth: {sql: a < 100}
  every_row: {python: entry_filters.Wanted}
  thinned: {python: entry_filters.Wanted, after: tenth}
"""


class Wanted:
    """Rows whose text begins with x1 and whose number is even."""

    def filter_entry(self, entry: Mapping[str, Any], _context: FilterContext) -> FilterResult:
        wanted = entry["s"].startswith("x1") and entry["a"] % 2 == 0
        return FilterResult.ACCEPT if wanted else FilterResult.REJECT

    def close(self) -> None: ...


def main(rows: int, runs: int) -> None:
    from spark import best

    os.environ["PYTHONPATH"] = os.pathsep.join(
        [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "catalog"
        folder.mkdir()
        (folder / "bench.yml").write_text(CATALOG)
        catalog = predicat.load_catalog(folder)
        session = predicat_spark.session(
            catalog=folder,
            config={
                "spark.master": "local[2]",
                "spark.ui.enabled": "false",
                "spark.log.level": "ERROR",
                "spark.ui.showConsoleProgress": "false",
            },
        )
        from pyspark.sql.functions import udf

        session.range(rows).selectExpr(
            "id", "pmod(hash(id), 1000) * 1L AS a", "concat('x', pmod(hash(id, 7), 100)) AS s"
        ).write.parquet(f"{place}/rows")
        frame = session.read.parquet(f"{place}/rows")
        wanted = udf(lambda a, s: s.startswith("x1") and a % 2 == 0, "boolean")
        ways = {
            "all rows": (frame, "bench.every_row"),
            "after a native filter": (frame.where("a < 100"), "bench.thinned"),
        }
        for label, (thinned, name) in ways.items():
            by_hand = thinned.where(wanted("a", "s"))
            filtered = entry_filters.apply(frame, catalog, name)
            if filtered.count() != by_hand.count():
                raise SystemExit("the two differ")
            plain = best(runs, by_hand.count)
            entries = best(runs, filtered.count)
            print(
                f"{label}, {rows:,} rows: plain Python UDF {plain:.2f} s, "
                f"entry filter {entries:.2f} s, ratio {entries / plain:.2f}"
            )
        session.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=int, nargs="?", default=2_000_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    sys.exit(main(options.rows, options.runs))
