"""A PySpark job that checks the coverage of filters before it writes: `python -m
examples.pipelines.pyspark_job INPUT OUTPUT`.
"""

from __future__ import annotations

import sys

import predicat
import predicat_spark


def main(source: str, out: str) -> int:
    """Write the late flights of a file, unless the filters of the catalog accept too many or too few of
    its rows.
    """
    catalog = predicat.load_catalog("catalog")
    spark = predicat_spark.session(catalog="catalog", config={"spark.master": "local[2]"})
    flights = spark.read.parquet(source)
    broken = [check for check in predicat_spark.check_coverage(catalog, "flights", flights) if check.broken]
    if broken:
        sys.stderr.write("".join(f"{check.message}; {check.blame}\n" for check in broken))
        return 1
    flights.where(predicat_spark.matches_filter("flights.long_delay")).write.mode("overwrite").parquet(out)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
