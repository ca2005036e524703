"""The catalog of the tests of appends, and its sources: rows that have the number of a run."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import predicat

CATALOG = """\
apiVersion: predicat/v1
dataset: numbers
fields: {n: bigint, run: bigint}
filters:
  even: {sql: n % 2 = 0}
"""


def catalog_in(folder: Path) -> predicat.Catalog:
    """The catalog, written to a folder."""
    (folder / "c.yml").write_text(CATALOG)
    return predicat.load_catalog(folder / "c.yml")


def source_in(folder: Path, run: int, rows: int) -> str:
    """A file with the rows of a run."""
    columns = {"n": pa.array(range(rows), pa.int64()), "run": pa.array([run] * rows, pa.int64())}
    pq.write_table(pa.table(columns), folder / f"{run}.parquet")
    return str(folder / f"{run}.parquet")
