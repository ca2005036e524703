"""Times `predicat apply` of many views, in CPU seconds of the client and seconds in all: `python
benchmarks/views.py [views] [dsn]`.
"""

import sys
import tempfile
import time
from pathlib import Path

import predicat
from predicat.deploy import deployment, server

HEAD = (
    "apiVersion: predicat/v1\ndataset: benchmark_views\nrelation: {postgres: public.benchmark_views}\n"
    "fields: {name: string, age: bigint}\nfilters:\n"
)


def catalog(folder: Path, count: int, sign: str) -> predicat.Catalog:
    filters = "".join(
        f"  f{number}: {{sql: \"age {sign} {number} AND name LIKE 'a{number}%'\"}}\n"
        for number in range(count)
    )
    (folder / "views.yml").write_text(HEAD + filters, encoding="utf-8")
    return predicat.load_catalog(folder)


def main(count: int, dsn: str | None) -> None:
    with tempfile.TemporaryDirectory(prefix="predicat-views-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # under root the embedded server runs as another user
        with server.connect(dsn, folder / "data") as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS public.benchmark_views (name text, age int)")
            connection.commit()
            for label, sign, views in (
                ("created", ">=", count),
                ("unchanged", ">=", count),
                ("replaced", ">", count),
                ("dropped", ">", 1),
            ):
                asked = catalog(folder, views, sign)
                cpu, wall = time.process_time(), time.monotonic()
                plan = deployment.apply(asked, connection, "benchmark")
                print(
                    f"{label:10} {len(plan.changes):6,} changes in {len(plan.batches):2} transactions: "
                    f"{time.process_time() - cpu:5.1f} s CPU, {time.monotonic() - wall:5.1f} s in all"
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6000, sys.argv[2] if len(sys.argv) > 2 else None)
