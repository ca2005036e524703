"""Conditions on jsonb as a person writes them, and as the views of `predicat apply` have them:
`python benchmarks/jsonb.py [dsn ...]`.

For each condition of `jsonb.yml`, on an analysed table: the length of the view's condition over that of the
text, its time over that of the condition by hand (without indexes, the best of runs in turn, the processor's
time of the server's process if that is here), whether an index that serves the condition by hand serves the
view, and how far the planner's estimate of the rows is from their number (with the index, so with statistics
of its expression). Both give the same rows, or it says so. Without a DSN it starts the embedded server.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import psycopg
import yaml
from indexes import database, uses_index

import predicat
from predicat.deploy import functions
from predicat.deploy.relations import check_relations
from predicat.deploy.server import embedded
from predicat.deploy.views import views_of
from predicat.diagnostics import PredicatError

CONDITIONS = yaml.safe_load(Path(__file__).with_suffix(".yml").read_text(encoding="utf-8"))
FIELDS = {"id": "bigint", "profile": "json", "headers": "map<string, string>"}
TABLE = """
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE TABLE public.records AS SELECT i AS id, jsonb_build_object('seats', i * 7919 % 1000,
  'score', (i * 7907 % 10000)::numeric / 100, 'vip', i % 20 = 0, 'city', 'c' || i * 31 % 1000,
  'tags', jsonb_build_array('t' || i % 1000, 't' || i % 999, 'all'),
  'address', jsonb_build_object('zip', 'z' || i * 7 % 1000, 'street', 'Street ' || i))
    || CASE WHEN i % 3 = 0 THEN jsonb_build_object('nick', 'n' || i % 500) ELSE '{{}}' END
    || CASE WHEN i % 1000 = 0 THEN jsonb_build_object('rare', i) ELSE '{{}}' END AS profile,
  jsonb_build_object('type', 'e' || i % 100, 'region', 'r' || i % 7) AS headers
FROM generate_series(1, {rows}::bigint) AS i
"""
PLAIN = "SET max_parallel_workers_per_gather = 0; SET jit = off"


class Figures(NamedTuple):
    """A condition in a view beside the one by hand. An estimate is how many times it is above or below."""

    text: str
    sql: str
    length: float
    time: float
    served: bool | None
    lost: bool
    estimate: float
    by_hand: float
    rows: int
    same: bool

    @property
    def off(self) -> bool:
        """Whether the estimate is off by more than 4 times, and not by hand as well."""
        return self.estimate > max(4, 1.05 * self.by_hand)


def catalog(conditions: list[dict[str, Any]]) -> predicat.Catalog:
    data = {
        "apiVersion": "predicat/v1",
        "dataset": "records",
        "relation": {"postgres": "public.records"},
        "fields": FIELDS,
        "filters": {f"f{number:02}": {"postgres": one["postgres"]} for number, one in enumerate(conditions)},
    }
    with tempfile.TemporaryDirectory(prefix="predicat-jsonb-") as name:
        (Path(name) / "records.yml").write_text(yaml.safe_dump(data), encoding="utf-8")
        return predicat.load_catalog(Path(name))


def query(connection: psycopg.Connection, condition: dict[str, Any]) -> str:
    """The query of the view of a condition, for the indexes that are there."""
    asked = catalog([condition])
    runtime = functions.choose(functions.read(connection)).runtime
    (view,) = views_of(asked, "jsonb", check_relations(asked, connection), runtime=runtime)
    return view.query


def clock(connection: psycopg.Connection) -> Callable[[], float]:
    """The seconds that the process of a session has run; of another machine, those that went by."""
    used = Path(f"/proc/{connection.info.backend_pid}/schedstat")
    if not connection.info.host.startswith("/") or not used.exists():
        return time.perf_counter
    return lambda: int(used.read_text().split()[0]) / 1e9


def seconds(connection: psycopg.Connection, queries: tuple[str, ...], runs: int) -> list[float]:
    """The best time of each query, the queries in turn."""
    best, now = [float("inf")] * len(queries), clock(connection)
    for _ in range(runs):
        for place, one in enumerate(queries):
            started = now()
            connection.execute(f"SELECT count(*) FROM ({one}) AS x".encode()).fetchall()
            best[place] = min(best[place], now() - started)
    return best


def count(connection: psycopg.Connection, given: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM ({given}) AS x".encode()).fetchall()[0][0])


def distance(connection: psycopg.Connection, given: str, rows: int) -> float:
    """How many times the planner's estimate of the rows is above or below their number."""
    (plan,) = connection.execute(b"EXPLAIN (FORMAT JSON) " + given.encode()).fetchall()[0][0]
    estimate, actual = max(plan["Plan"]["Plan Rows"], 1), max(rows, 1)
    return float(max(estimate / actual, actual / estimate))


def figures(connection: psycopg.Connection, runs: int) -> Iterator[Figures]:
    for condition in CONDITIONS:
        text = condition["postgres"]
        hand = f"SELECT * FROM public.records WHERE {condition.get('hand', text)}"
        by_hand, generated = seconds(connection, (hand, query(connection, condition)), runs)
        if "index" in condition:
            connection.execute(f"CREATE INDEX records_by_0 ON public.records {condition['index']}".encode())
        connection.execute("ANALYZE public.records")
        view = query(connection, condition)
        sql = view.partition("WHERE ")[2]
        rows = count(connection, hand)
        served = uses_index(connection, view) if "index" in condition else None
        yield Figures(
            text,
            sql,
            len("".join(sql.split())) / len("".join(text.split())),
            generated / by_hand,
            served,
            not served and "index" in condition and uses_index(connection, hand),
            distance(connection, view, rows),
            distance(connection, hand, rows),
            rows,
            rows == count(connection, view),
        )
        connection.execute("DROP INDEX IF EXISTS public.records_by_0")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    arguments.add_argument("dsn", nargs="*", help="Servers. Default: the embedded one.")
    arguments.add_argument("--rows", type=int, default=300_000, help="Rows of the table.")
    arguments.add_argument("--runs", type=int, default=3, help="Runs of each query.")
    arguments.add_argument("--order", default="C", help="Order of texts of the database.")
    arguments.add_argument("--only", default="", help="Conditions with this text.")
    arguments.add_argument("--sql", action="store_true", help="Print the generated SQL.")
    given = arguments.parse_args()
    CONDITIONS[:] = [one for one in CONDITIONS if given.only in one["postgres"]]
    with tempfile.TemporaryDirectory(prefix="predicat-jsonb-") as name:
        Path(name).chmod(0o755)  # under root the embedded server runs as another user
        for dsn in given.dsn or [embedded(Path(name) / "data")]:
            with database(dsn, given.order) as connection:
                if connection is not None:
                    _measure(connection, given.rows, given.runs, sql=given.sql)


def _measure(connection: psycopg.Connection, rows: int, runs: int, *, sql: bool) -> None:
    connection.execute(PLAIN.encode())
    connection.execute(TABLE.format(rows=rows).encode())
    connection.execute("VACUUM ANALYZE public.records")
    for _, statement in functions.install(connection):
        connection.execute(statement.encode())
    print("text  time  index  estimate (by hand)  condition")
    found: list[Figures] = []
    for one in figures(connection, runs):
        found.append(one)
        index = "lost" if one.lost else {True: "yes", False: "none", None: "-"}[one.served]
        mark = "" if one.same else "   NOT THE SAME ROWS"
        print(
            f"{one.length:4.1f}  {one.time:4.1f}  {index:5}  {one.estimate:6.1f} ({one.by_hand:.1f})"
            f"{'  off' if one.off else ''}  {one.text}{mark}"
        )
        if sql:
            print(f"        {one.sql}")
    lengths, times = [one.length for one in found], [one.time for one in found]
    print(
        f"PostgreSQL {connection.info.server_version // 10000}, {rows:,} rows, {len(found)} conditions: "
        f"text median {median(lengths):.1f}, most {max(lengths):.1f}, above 4: "
        f"{sum(x > 4 for x in lengths)}; time median {median(times):.2f}, most {max(times):.1f}, "
        f"above 1.5: {sum(x > 1.5 for x in times)}; "
        f"indexes lost: {sum(one.lost for one in found)}; estimates off: {sum(one.off for one in found)}"
    )


if __name__ == "__main__":
    try:
        main()
    except PredicatError as error:
        raise SystemExit(str(error)) from None
