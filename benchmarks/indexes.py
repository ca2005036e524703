"""Which conditions indexes of PostgreSQL serve, as a person writes them and as a view has them:
`python benchmarks/indexes.py [dsn ...]`.

For each condition of `indexes.yml` and each order of texts of a database: whether the plan of the condition
by hand and of the one in the view uses an index, on a table of 100,000 analysed rows with the default
settings of the planner. Without a DSN it starts the embedded server.
"""

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import yaml

import predicat
from predicat.deploy.relations import check_relations
from predicat.deploy.server import embedded
from predicat.deploy.views import views_of
from predicat.diagnostics import PredicatError

GROUPS = yaml.safe_load(Path(__file__).with_name("indexes.yml").read_text(encoding="utf-8"))
FIELDS = {
    "id": "bigint",
    "n": "bigint",
    "x": "double",
    "ts": "timestamp",
    "d": "date",
    "name": "string",
    "status": "string",
    "flag": "boolean",
    "deleted_at": "timestamp",
    "h": "map<string, string>",
    "doc": "json",
    "tags": "array<string>",
    "nums": "array<bigint>",
    "ref": "uuid",
    "local": "timestamp_ntz",
    "moment": {"type": "timestamp", "zone": "Europe/Berlin", "column": "local"},
    "email": "citext",
    "code": "char(8)",
    "ip": "inet",
    "digest": "binary",
    "net": "cidr",
    "opens": "time",
    "title": "name",
    "state": "enum(open, closed, new, done, lost)",
}
TABLE = """
CREATE EXTENSION IF NOT EXISTS citext; DROP TYPE IF EXISTS public.state;
CREATE TYPE public.state AS ENUM ('open', 'closed', 'new', 'done', 'lost');
CREATE TABLE public.records AS SELECT i::bigint AS id, (i * 7919 % {rows})::bigint AS n,
  (i * 7907 % {rows})::double precision AS x,
  timestamptz '2024-01-01 00:00:00+00' + (i * 7919 % {rows}) * interval '5 minutes' AS ts,
  date '2024-01-01' + (i % 3000)::int AS d, 'Name ' || i * 7919 % {rows} AS name,
  (ARRAY['open', 'closed', 'new', 'done', 'lost'])[(1 + i % 97 % 5)::int] AS status, i % 200 = 0 AS flag,
  CASE WHEN i % 50 = 0 THEN NULL ELSE now() END AS deleted_at,
  jsonb_build_object('cust', 'c' || i % 2000, 'num', (i % 5000)::text)
    || CASE WHEN i % 1000 = 0 THEN jsonb_build_object('rare', 'r' || i) ELSE '{{}}' END AS h,
  jsonb_build_object('a', 'a' || i % 2000, 'b', jsonb_build_object('c', 'c' || i % 2000, 'd', i),
    'list', jsonb_build_array('l' || i % 2000, 'l' || i % 1999),
    'items', jsonb_build_array(jsonb_build_object('sku', 's' || i % 2000, 'price', i)))
    || CASE WHEN i % 1000 = 0 THEN jsonb_build_object('rare', i) ELSE '{{}}' END AS doc,
  ARRAY['t' || i % 2000, 't' || (i + 1) % 2000] AS tags, ARRAY[i % 2000, i % 1999]::bigint[] AS nums,
  md5((i * 7919 % {rows})::text)::uuid AS ref,
  CASE WHEN i % 1000 = 0 THEN 'lost' WHEN i % 2 = 0 THEN 'open' ELSE 'closed' END::public.state AS state,
  timestamp '2024-01-01 00:00:00' + (i * 7919 % {rows}) * interval '5 minutes' AS local,
  ('User' || i * 7919 % {rows} || '@EX.com')::citext AS email, (i * 7919 % {rows})::char(8) AS code,
  ('10.0.0.0'::inet + i * 7919 % {rows}) AS ip, sha256((i * 7919 % {rows})::text::bytea) AS digest,
  ('10.0.0.0'::inet + i * 7919 % {rows})::cidr AS net, ('Name ' || i * 7919 % {rows})::name AS title,
  time '00:00' + (i * 7919 % {rows}) * interval '0.8 seconds' AS opens
FROM generate_series(1, {rows}::bigint) AS i
"""
# Orders of texts, with the ways to make a database of each: the first that the server takes.
ORDERS = {
    "C": ["LOCALE 'C'"],
    "C.UTF-8": ["LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C'", "LOCALE 'C.utf8'"],
    "en_US": ["LOCALE 'en_US.UTF-8'"],
    "ICU": ["LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'"],
}


# An index of a call has values of its own.
_OF_CALLS = (
    "SELECT 1 FROM pg_index WHERE indrelid = 'public.records'::regclass AND indexprs IS NOT NULL LIMIT 1"
)


class Outcome(NamedTuple):
    """A condition, and whether an index serves it as it is written by hand and as a view has it."""

    text: str
    order: str
    hand: bool
    generated: bool
    by_hand: str
    sql: str

    @property
    def lost(self) -> bool:
        return self.hand and not self.generated

    @property
    def gained(self) -> bool:
        return self.generated and not self.hand


def body(condition: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in condition.items() if key not in ("hand", "elsewhere")}


def text(condition: dict[str, Any]) -> str:
    return str(next(iter(condition.values())))


def by_hand(condition: dict[str, Any], *, by_code_point: bool) -> str:
    """The condition of a person, whose order of texts is by code point as well."""
    if not by_code_point and "elsewhere" in condition:
        return str(condition["elsewhere"])
    return str(condition.get("hand", text(condition)))


def catalog(conditions: list[dict[str, Any]]) -> predicat.Catalog:
    filters = {f"f{number:02}": body(condition) for number, condition in enumerate(conditions)}
    data = {
        "apiVersion": "predicat/v1",
        "dataset": "records",
        "relation": {"postgres": "public.records"},
        "fields": FIELDS,
        "filters": filters,
    }
    with tempfile.TemporaryDirectory(prefix="predicat-indexes-") as name:
        (Path(name) / "records.yml").write_text(yaml.safe_dump(data), encoding="utf-8")
        return predicat.load_catalog(Path(name))


def uses_index(connection: psycopg.Connection, query: str) -> bool:
    """Whether the plan of a query uses an index of the table. False also for SQL that raises as it is
    planned.
    """
    rows = connection.execute(b"EXPLAIN (FORMAT JSON) " + query.encode()).fetchall()
    found: list[Any] = [rows[0][0]]
    while found:
        part = found.pop()
        if isinstance(part, dict):
            if str(part.get("Index Name", "")).startswith("records_by_"):
                return True
            found += part.values()
        elif isinstance(part, list):
            found += part
    return False


def outcomes(connection: psycopg.Connection, order: str, rows: int) -> Iterator[Outcome]:
    """The conditions of each group, with the indexes of the group on the table."""
    connection.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    connection.execute("DROP TABLE IF EXISTS public.records CASCADE")
    connection.execute(TABLE.format(rows=rows).encode())
    connection.execute("VACUUM ANALYZE public.records")
    for group in GROUPS:
        for number, index in enumerate(group["indexes"]):
            connection.execute(f"CREATE INDEX records_by_{number} ON public.records {index}".encode())
        if connection.execute(_OF_CALLS).fetchone():  # the planner knows the columns already
            connection.execute("ANALYZE public.records")
        asked = catalog(group["conditions"])
        views = views_of(asked, "indexes", check_relations(asked, connection))
        for condition, view in zip(group["conditions"], views, strict=True):
            hand = by_hand(condition, by_code_point=order.startswith("C"))
            query = f"SELECT * FROM public.records WHERE {hand}"
            yield Outcome(
                f"{text(condition)}   {', '.join(group['indexes'])}",
                order,
                uses_index(connection, query),
                uses_index(connection, view.query),
                hand,
                view.query.partition("WHERE ")[2],
            )
        for number, _ in enumerate(group["indexes"]):
            connection.execute(f"DROP INDEX public.records_by_{number}".encode())


@contextmanager
def database(dsn: str, order: str) -> Iterator[psycopg.Connection | None]:
    """A new database with an order of texts; None if the server has none such."""
    name = "predicat_indexes"
    with psycopg.connect(dsn, autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name}".encode())
        for way in ORDERS[order]:
            try:
                server.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0 {way}".encode())
            except psycopg.Error:
                continue
            break
        else:
            yield None
            return
        try:
            with psycopg.connect(dsn, dbname=name, autocommit=True) as connection:
                yield connection
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    arguments.add_argument("dsn", nargs="*", help="Servers. Default: the embedded one.")
    arguments.add_argument("--rows", type=int, default=100_000, help="Rows of the table.")
    arguments.add_argument(
        "--order", action="append", choices=list(ORDERS), help="Orders of texts. Default: all."
    )
    arguments.add_argument("--sql", action="store_true", help="Print the generated SQL of what is lost.")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="predicat-indexes-") as name:
        Path(name).chmod(0o755)  # under root the embedded server runs as another user
        for dsn in given.dsn or [embedded(Path(name) / "data")]:
            _measure(dsn, given.order or list(ORDERS), given.rows, sql=given.sql)


def _measure(dsn: str, orders: list[str], rows: int, *, sql: bool) -> None:
    found: dict[int, list[Outcome]] = {}
    version = ""
    for order in orders:
        with database(dsn, order) as connection:
            if connection is None:
                print(f"{order}: this server has no such order of texts")
                continue
            version = str(connection.info.server_version // 10000)
            for number, outcome in enumerate(outcomes(connection, order, rows)):
                found.setdefault(number, []).append(outcome)
                if sql and outcome.lost:
                    print(f"lost in {order}: {outcome.by_hand}\n   {outcome.sql}")
    print(f"\nPostgreSQL {version}; each order of texts: by hand > in the view (i: an index, -: none)")
    for group in found.values():
        shown = "  ".join(f"{'i' if one.hand else '-'}>{'i' if one.generated else '-'}" for one in group)
        print(f"{shown}   {group[0].text}")
    lost, gained = (
        {one.text for group in found.values() for one in group if wanted(one)}
        for wanted in (lambda one: one.lost, lambda one: one.gained)
    )
    tried = max(map(len, found.values()))
    print(
        f"PostgreSQL {version}, {len(found)} conditions in {tried} orders of texts: "
        f"{len(lost)} lose an index, {len(gained)} gain one"
    )


if __name__ == "__main__":
    try:
        main()
    except PredicatError as error:
        raise SystemExit(str(error)) from None
