"""Times `matching_filters`: `python benchmarks/matching.py [rows] [--filters N ...] [--naive N ...]`.

Rows of Parquet (12 columns) to a sum over the result, on `local[2]`; CPU time is that of the JVM, the garbage
collector and the compilers included. Beside it an array of CASE WHEN, with Spark's defaults and without
whole-stage code generation, and Google's CEL in a Python UDF on one core. At four times the rows, what stays
in memory. Of a hundred filters, by what they say:

- 30 tenant = and amount > and region IN (three)
- 20 kind = and size BETWEEN
- 10 (kind = or kind =) and amount >
- 10 tenant IN (three) and NOT region =
- 10 a key of headers = and amount >
- 10 an element of tags, and kind <>
- 10 without an equality: 5 source LIKE 'x%', 3 amount BETWEEN (narrow), 2 source LIKE '%x%'

`--mixes` measures others (`matching_mixes.py`) side by side with it, each as a share of its rows per
CPU second.
"""

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import matching_mixes
from chart import chart
from matching_mixes import FIELDS

import predicat
import predicat_spark
from predicat_spark.settings import settings

OWN = "bench"
COLUMNS = (
    f"hash({', '.join(name for name in FIELDS if name != 'headers')}, map_keys(headers), map_values(headers))"
)
ROWS = """
SELECT id, concat('k', cast(rand(1) * 600 AS int)) AS kind,
  concat('t', cast(rand(2) * 5000 AS int)) AS tenant,
  concat('r', cast(rand(3) * 20 AS int)) AS region,
  concat('svc-', cast(1000 + rand(4) * 1000 AS int), '-',
    cast(rand(5) * 10 AS int)) AS source,
  round(exp(3 + 1.2 * randn(6)), 2) AS amount, cast(rand(7) * 1000 AS bigint) AS size,
  map(concat('h', cast(rand(8) * 5 AS int)), concat('v', cast(rand(9) * 200 AS int)),
    concat('g', cast(rand(10) * 5 AS int)), concat('v', cast(rand(11) * 200 AS int))) AS headers,
  array(concat('x', cast(rand(12) * 2000 AS int)), concat('y', cast(rand(13) * 2000 AS int))) AS tags,
  rand(14) AS a, rand(15) AS b
FROM range(0, {rows}, 1, 4)
"""


def sql_of(place: int, rng: random.Random) -> str:
    """One filter of the mix, as the compiler writes it."""
    kind, other = (f"'k{rng.randrange(600)}'" for _ in range(2))
    tenants = [f"'t{rng.randrange(5000)}'" for _ in range(3)]
    regions = ", ".join(f"'r{number}'" for number in rng.sample(range(20), 3))
    amount, size = round(rng.uniform(20, 200), 1), rng.randrange(900)
    above = f"amount > {amount} AND NOT ISNAN(amount)"
    match place * 37 % 100:
        case part if part < 30:
            return f"tenant = {tenants[0]} AND ({above}) AND region IN ({regions})"
        case part if part < 50:
            return f"kind = {kind} AND size >= {size} AND size <= {size + 100}"
        case part if part < 60:
            return f"(kind = {kind} OR kind = {other}) AND ({above})"
        case part if part < 70:
            return f"tenant IN ({', '.join(tenants)}) AND NOT (region = 'r{rng.randrange(20)}')"
        case part if part < 80:
            key = f"'{rng.choice('hg')}{rng.randrange(5)}'"
            return f"TRY_ELEMENT_AT(headers, {key}) = 'v{rng.randrange(200)}' AND ({above})"
        case part if part < 90:
            return f"ARRAY_CONTAINS(tags, '{rng.choice('xy')}{rng.randrange(2000)}') AND kind <> {kind}"
        case part if part < 95:
            return f"STARTSWITH(source, 'svc-{rng.randrange(1000, 2000)}')"
        case part if part < 98:
            return f"(amount >= {amount} AND NOT ISNAN(amount)) AND amount <= {amount + 0.05}"
        case _:
            return f"CONTAINS(source, '-{rng.randrange(1000, 2000)}-')"


def manifest(path: Path, count: int, changed: int = 0, seed: int = 8, mix: str = OWN) -> list[str]:
    """Write a manifest of a mix; the first `changed` filters have other constants. Returns their SQL."""
    rng, again = random.Random(7), random.Random(seed)
    one = sql_of if mix == OWN else partial(matching_mixes.sql_of, mix)
    found = [one(place, rng) for place in range(count)]
    found[:changed] = [one(place, again) for place in range(changed)]
    rows = [
        {
            "name": f"bench.f{place}",
            "dataset": "bench",
            "version": 1,
            "latest": True,
            "tags": [],
            "on_unknown": "reject",
            "params": [],
            "sql": {"spark": sql},
            "columns": {"spark": [name for name in FIELDS if name in sql]},
            "types": [kind for name, kind in FIELDS.items() if name in sql],
        }
        for place, sql in enumerate(found)
    ]
    head = {"format": 1, "datasets": {"bench": {"subscriptions": {}}}}
    path.write_text(
        json.dumps(head)[:-1] + ', "filters": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]}\n"
    )
    return found


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = run()
    return time.perf_counter() - start, found


class Bench:
    def __init__(self, folder: Path, rows: int, runs: int) -> None:
        self.folder, self.rows, self.runs = folder, rows, runs
        manifest(folder / "10.json", 10)
        self.spark = predicat_spark.session(
            manifest=folder / "10.json",
            config={
                "spark.master": "local[2]",
                "spark.ui.enabled": "false",
                "spark.driver.memory": "6g",
                "spark.predicat.manifest.sessions": "true",
            },
        )
        self.spark.sparkContext.setLogLevel("OFF")
        self.spark.sql(ROWS.format(rows=rows)).write.parquet(str(folder / "rows"))
        self.spark.read.parquet(str(folder / "rows")).createOrReplaceTempView("bench")
        self.jvm: Any = self.spark.sparkContext._jvm
        self.lines: dict[str, list[tuple[float, float]]] = {}

    def cpu(self) -> float:
        """Seconds of the JVM so far, as Linux counts them."""
        process = self.jvm.java.lang.ProcessHandle.current().pid()
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Bytes that are in use after a collection."""
        for _ in range(3):
            self.jvm.java.lang.System.gc()
        runtime = self.jvm.java.lang.Runtime.getRuntime()
        return float(runtime.totalMemory() - runtime.freeMemory())

    def query(self, sql: str, runs: int | None = None) -> tuple[float, float, Any]:
        """Best seconds, CPU seconds of that run, and the result."""
        found = []
        for _ in range(runs or self.runs):
            before = self.cpu()
            seconds, value = timed(lambda: self.spark.sql(sql).first()[0])
            found.append((seconds, self.cpu() - before, value))
        return min(found, key=lambda one: one[1])

    def matching(self, count: int) -> None:
        path = self.folder / f"{count}.json"
        manifest(path, count)
        with settings(
            self.spark, {"spark.predicat.manifest": str(path), "spark.predicat.manifest.checkSeconds": "3600"}
        ):
            loading, _ = timed(lambda: predicat_spark.refresh(self.spark))
            before = self.memory()
            building, _ = timed(
                lambda: self.spark.sql("SELECT count_matching_filters('bench') FROM bench LIMIT 1").collect()
            )
            size = (self.memory() - before) / count
            plain = statistics.median(
                timed(lambda: self.spark.sql(f"SELECT {COLUMNS} FROM bench LIMIT 1").collect())[0]
                for _ in range(5)
            )
            again = statistics.median(
                timed(
                    lambda: self.spark.sql(
                        "SELECT count_matching_filters('bench') FROM bench LIMIT 1"
                    ).collect()
                )[0]
                for _ in range(5)
            )
            ids = self.query("SELECT sum(size(matching_filter_ids('bench'))) FROM bench")
            names = self.query("SELECT sum(size(matching_filters('bench'))) FROM bench")
        self.lines.setdefault("matching_filter_ids", []).append((count, self.rows / ids[1]))
        self.lines.setdefault("matching_filters", []).append((count, self.rows / names[1]))
        print(
            f"{count:>7} filters: {ids[2] / self.rows:6.2f} matches a row; "
            f"ids {self.rows / ids[1]:>10,.0f} rows per CPU second ({self.rows / ids[0]:,.0f} a second, "
            f"{1e6 * ids[1] / self.rows:.2f} µs of CPU a row); "
            f"names {self.rows / names[1]:>10,.0f}; manifest {loading:.2f} s, index {building:.2f} s; "
            f"{f'{size:,.0f} bytes a filter; ' if count >= 10_000 else ''}"
            f"another query {1000 * again:.0f} ms, a plain one {1000 * plain:.0f} ms",
            flush=True,
        )

    def mixes(self, count: int, names: list[str]) -> None:
        """Each mix, and the own one, in turn: the first query of its manifest, then the best of the runs."""
        speeds: dict[str, float] = {}
        for turn in range(self.runs):
            for mix in [OWN, *names]:
                path = self.folder / f"{mix}-{count}.json"
                if not turn:
                    manifest(path, count, mix=mix)
                loaded = {
                    "spark.predicat.manifest": str(path),
                    "spark.predicat.manifest.checkSeconds": "3600",
                }
                with settings(self.spark, loaded):
                    predicat_spark.refresh(self.spark)
                    before = self.cpu()
                    first, _ = timed(
                        lambda: self.spark.sql(
                            "SELECT count_matching_filters('bench') FROM bench LIMIT 1"
                        ).collect()
                    )
                    building = self.cpu() - before
                    sql = "SELECT sum(size(matching_filter_ids('bench'))) FROM bench"
                    _, cpu, matches = self.query(sql, 1)
                speeds[mix] = max(speeds.get(mix, 0), self.rows / cpu)
                share = speeds[mix] / speeds[OWN]
                found = f"first query {first:.1f} s ({building:.1f} s of CPU)" if not turn else ""
                print(
                    f"{count:>7} filters, {mix:9}: {matches / self.rows:6.2f} matches a row; "
                    f"{speeds[mix]:>10,.0f} rows per CPU second, {share:.2f} of the own mix; "
                    f"{found}",
                    flush=True,
                )

    def changed(self, count: int, turns: int = 5) -> None:
        """Each time one filter of many changes; the first time Java has not compiled the way there."""
        path = self.folder / f"{count}.json"
        manifest(path, count)
        one = "SELECT count_matching_filters('bench') FROM bench LIMIT 1"
        found = []
        with settings(
            self.spark, {"spark.predicat.manifest": str(path), "spark.predicat.manifest.checkSeconds": "3600"}
        ):
            predicat_spark.refresh(self.spark)
            self.spark.sql(one).collect()
            for turn in range(turns):
                manifest(path, count, changed=1, seed=20 + turn)
                reading, _ = timed(lambda: predicat_spark.refresh(self.spark))
                seconds, _ = timed(lambda: self.spark.sql(one).collect())
                plain, _ = timed(lambda: self.spark.sql(f"SELECT {COLUMNS} FROM bench LIMIT 1").collect())
                found.append((reading, seconds, plain))
        reading, seconds, plain = (statistics.median(column) for column in zip(*found[1:], strict=True))
        print(
            f"{count:>7} filters, one of them changed: manifest {reading:.2f} s, first query {seconds:.2f} s "
            f"(a plain one {plain:.2f} s); the first time {found[0][0]:.2f} s and {found[0][1]:.2f} s",
            flush=True,
        )

    def flat(self, count: int, times: int = 4) -> None:
        """What the heap holds before, at most within, and after a query of many rows."""
        path = self.folder / f"{count}.json"
        manifest(path, count)
        pools = self.jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
        old = next(pool for pool in pools if "Old" in pool.getName() or "Tenured" in pool.getName())
        rows = " UNION ALL ".join(["SELECT * FROM bench"] * times)
        with settings(self.spark, {"spark.predicat.manifest": str(path)}):
            self.spark.sql("SELECT count_matching_filters('bench') FROM bench LIMIT 1").collect()
            before = self.memory()
            old.resetPeakUsage()
            seconds, _ = timed(
                lambda: self.spark.sql(
                    f"SELECT sum(size(matching_filters('bench'))) FROM ({rows}) AS bench"
                ).collect()
            )
            most = old.getPeakUsage().getUsed()
            after = self.memory()
        print(
            f"{count:>7} filters, {times * self.rows:,} rows in {seconds:.1f} s: "
            f"{before / 1e6:,.0f} MB before, {after / 1e6:,.0f} MB after, "
            f"old generation {most / 1e6:,.0f} MB at most",
            flush=True,
        )

    def cel(self, count: int, rows: int) -> None:
        """A Python UDF that asks Google's CEL for each filter, on one core."""
        rng = random.Random(7)
        # The rows have no NaN; CEL needs no guard.
        plain = [sql_of(place, rng).replace(" AND NOT ISNAN(amount)", "") for place in range(count)]
        texts = [
            str(predicat.parse(sql, "spark", FIELDS).to("cel")).replace(" || amount != amount", "")
            for sql in plain
        ]
        programs: list[Any] = []

        def found(row: Any) -> int:
            from cel_expr_python import cel  # in the worker

            if not programs:
                text, whole = cel.Type.STRING, cel.Type.INT
                kinds = {"string": text, "double": cel.Type.DOUBLE, "bigint": whole}
                kinds |= {
                    "map<string, string>": cel.Type.Map(text, text),
                    "array<string>": cel.Type.List(text),
                }
                env = cel.NewEnv(variables={name: kinds[kind] for name, kind in FIELDS.items()})
                programs.extend(env.compile(text) for text in texts)
            data = row.asDict()
            return sum(one.eval(data=data).value() is True for one in programs)

        self.spark.udf.register("cel_matches", found, "int")
        some = self.spark.sql(f"SELECT * FROM bench WHERE id < {rows}").coalesce(1)
        query = some.selectExpr(f"sum(cel_matches(struct({', '.join(FIELDS)})))")
        seconds = min(timed(query.collect)[0] for _ in range(self.runs + 1))
        self.lines.setdefault("CEL in a Python UDF", []).append((count, rows / seconds))
        print(f"{count:>7} filters, CEL in a Python UDF: {rows / seconds:,.0f} rows a second", flush=True)

    def naive(self, count: int, rows: int) -> None:
        cases = ", ".join(
            f"CASE WHEN {sql} THEN {place} END"
            for place, sql in enumerate(manifest(self.folder / "naive.json", count))
        )
        sql = f"SELECT sum(size(array_compact(array({cases})))) FROM (SELECT * FROM bench WHERE id < {rows})"
        for name, value in (("as by default", "true"), ("not whole-stage", "false")):
            with settings(self.spark, {"spark.sql.codegen.wholeStage": value}):
                try:
                    _, cpu, _ = self.query(sql)
                    self.lines.setdefault(f"CASE, {name}", []).append((count, rows / cpu))
                    print(f"{count:>7} cases, {name}: {rows / cpu:,.0f} rows per CPU second", flush=True)
                except Exception as error:  # noqa: BLE001  # that it fails is a result
                    print(f"{count:>7} cases, {name}: {str(error).splitlines()[0][:100]}", flush=True)


def main(
    rows: int,
    filters: list[int],
    mixes: list[str],
    naive: list[int],
    naive_rows: int,
    runs: int,
    picture: Path | None,
) -> None:
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), rows, runs)
        if mixes:
            for count in filters:
                bench.mixes(count, mixes)
            bench.spark.stop()
            return
        _, cpu, _ = bench.query(f"SELECT max({COLUMNS}) FROM bench")
        print(f"reading the columns: {rows / cpu:,.0f} rows per CPU second", flush=True)
        for count in filters:
            bench.matching(count)
        bench.changed(max(filters))
        bench.flat(min(10_000, max(filters)))
        for count in naive:
            bench.cel(count, naive_rows // count)
            bench.naive(count, min(rows, naive_rows * 100 // count))
        bench.spark.stop()
    if picture is not None:
        title = "Rows a CPU second by the number of filters"
        picture.write_text(chart(title, "filters", "rows a CPU second", bench.lines), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=int, nargs="?", default=5_000_000)
    parser.add_argument("--filters", type=int, nargs="*", default=[5, 10, 100, 1000, 10_000, 100_000])
    parser.add_argument(
        "--mixes", nargs="*", default=[], choices=[*matching_mixes.MIXES, "together"], help="only these mixes"
    )
    parser.add_argument("--naive", type=int, nargs="*", default=[5, 100])
    parser.add_argument(
        "--naive-rows", type=int, default=200_000, help="rows for 100 cases, and more for fewer"
    )
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--chart", type=Path, help="write the figures to this file as a chart (SVG)")
    given = parser.parse_args()
    main(given.rows, given.filters, given.mixes, given.naive, given.naive_rows, given.runs, given.chart)
