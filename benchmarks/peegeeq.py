"""Header filters of an outbox, in the client and in the server: `python benchmarks/peegeeq.py [dsn]`.

Consumers poll a table of messages with jsonb headers, as PeeGeeQ's outbox does: a poll is a transaction that
takes the next 100 messages after the consumer's last one, `ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED`.
After the last message a consumer begins anew, so that every cell meets the same table; marking messages as
done, which costs the same in every cell, is left out. Consumers are threads of one process with connections
of their own, and start at places that are evenly apart.

In the client, a poll takes all messages and the evaluator decides; by hand it is `headers.get('type') == x`.
In the server, the condition is in the query: without an index, with a B-tree on `(headers ->> 'type')`, with
GIN on headers. Each is measured beside the same by hand, in turn. For 1, 4 and 16 consumers: rows and kB
(payloads and headers) that come to the client for a message that is delivered, p50 and p99 of a poll in ms,
messages delivered per second, and the time of a message over by hand.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

import psycopg

from predicat.deploy.server import embedded
from predicat.diagnostics import PredicatError
from predicat.headers import header_equals

# The types of messages, and how many of 1,000 messages have each.
RATES = {"refund": 1, "cancel": 10, "order": 100, "view": 500}
CONSUMERS = (1, 4, 16)
BATCH = 100
TURNS = 4  # of each of the two in a cell
TABLE = """
DROP TABLE IF EXISTS public.benchmark_outbox;
CREATE TABLE public.benchmark_outbox AS SELECT i AS id, jsonb_build_object(
    'type', CASE WHEN n < 1 THEN 'refund' WHEN n < 11 THEN 'cancel' WHEN n < 111 THEN 'order'
                 WHEN n < 611 THEN 'view' ELSE 'other' || i % 50 END,
    'region', 'r' || i % 7, 'trace', md5(i::text)) AS headers, repeat(md5(i::text), 8) AS payload
FROM (SELECT i, i * 7919 % 1000 AS n FROM generate_series(1, {rows}::bigint) AS i) AS numbers;
ALTER TABLE public.benchmark_outbox ADD PRIMARY KEY (id)
"""
INDEX = "CREATE INDEX benchmark_outbox_by_header ON public.benchmark_outbox "
POLL = (
    "SELECT id, headers::text, payload FROM public.benchmark_outbox WHERE id > $1 AND {condition} "
    f"ORDER BY id LIMIT {BATCH} FOR UPDATE SKIP LOCKED"
)

SAMPLE = "SELECT id, headers FROM public.benchmark_outbox WHERE id > $1 AND {condition} AND id <= 20000"


class Way(NamedTuple):
    """How messages are chosen: a condition of the query with its values, and what the client decides."""

    condition: str
    values: list[Any]
    accepts: Callable[[dict[str, str]], bool | None] = lambda _: True


class Place(NamedTuple):
    """Where messages are chosen: the index that is there, and for a type the way of predicat and by hand."""

    name: str
    indexed: str
    predicat: Callable[[str], Way]
    by_hand: Callable[[str], Way]


def in_client(wanted: str) -> Way:
    evaluate = header_equals("type", wanted).predicate.evaluate
    return Way("true", [], lambda headers: evaluate({"headers": headers}))


def in_server(*indexes: str) -> Callable[[str], Way]:
    def way(wanted: str) -> Way:
        predicate = header_equals("type", wanted).predicate
        return Way(*predicate.condition("postgres", 2, indexes=indexes))

    return way


def by_key(wanted: str) -> Way:
    return Way("headers ->> 'type' = $2", [wanted])


PLACES = (
    Place("client", "", in_client, lambda x: Way("true", [], lambda headers: headers.get("type") == x)),
    Place("server, no index", "", in_server(), by_key),
    Place("server, B-tree", "((headers ->> 'type'))", in_server("((headers ->> 'type'))"), by_key),
    Place(
        "server, GIN",
        "USING gin (headers)",
        in_server("USING gin (headers)"),
        lambda x: Way("headers @> $2::jsonb", [json.dumps({"type": x})]),
    ),
)


class Poll(NamedTuple):
    seconds: float
    rows: int
    size: int
    delivered: int


class Consumer:
    def __init__(self, dsn: str, way: Way, position: int) -> None:
        self.connection = psycopg.connect(dsn)
        self.cursor = psycopg.RawCursor(self.connection)
        self.query = POLL.format(condition=f"({way.condition})").encode()
        self.way = way
        self.position = position

    def poll(self) -> Poll:
        start = time.perf_counter()
        rows = self.cursor.execute(self.query, [self.position, *self.way.values]).fetchall()
        delivered = sum(self.way.accepts(json.loads(headers)) is True for _, headers, _ in rows)
        self.connection.commit()
        self.position = rows[-1][0] if len(rows) == BATCH else 0
        size = sum(len(headers) + len(payload) for _, headers, payload in rows)
        return Poll(time.perf_counter() - start, len(rows), size, delivered)

    def work(self, seconds: float) -> list[Poll]:
        end = time.perf_counter() + seconds
        polls = [self.poll()]
        while time.perf_counter() < end:
            polls.append(self.poll())
        return polls


class Team:
    """Consumers that work at the same time, what they did and how long."""

    def __init__(self, dsn: str, way: Way, count: int, rows: int) -> None:
        self.consumers = [Consumer(dsn, way, rows * number // count) for number in range(count)]
        self.polls: list[Poll] = []
        self.seconds = 0.0

    def work(self, seconds: float) -> None:
        start = time.perf_counter()
        with ThreadPoolExecutor(len(self.consumers)) as pool:
            for polls in pool.map(lambda one: one.work(seconds), self.consumers):
                self.polls += polls
        self.seconds += time.perf_counter() - start

    def close(self) -> None:
        for one in self.consumers:
            one.connection.close()

    @property
    def delivered(self) -> int:
        return sum(one.delivered for one in self.polls)

    @property
    def rate(self) -> float:
        return self.delivered / self.seconds

    def figures(self) -> list[str]:
        times = [one.seconds * 1000 for one in self.polls]
        messages = max(self.delivered, 1)
        return [
            f"{sum(one.rows for one in self.polls) / messages:,.0f}",
            f"{sum(one.size for one in self.polls) / messages / 1000:,.1f}",
            f"{median(times):.1f}",
            f"{quantiles(times, n=100, method='inclusive')[-1]:.1f}",
            f"{self.rate:,.0f}",
        ]


def cell(dsn: str, ways: tuple[Way, Way], count: int, given: argparse.Namespace) -> tuple[list[str], float]:
    """The figures of the first way, and the time of a message over that of the second."""
    with ExitStack() as stack:
        teams = [Team(dsn, way, count, given.rows) for way in ways]
        for team in teams:
            stack.callback(team.close)
            team.work(0)  # to warm up
            team.polls, team.seconds = [], 0.0
        for turn in range(TURNS):
            for team in teams[:: 1 if turn % 2 else -1]:
                team.work(given.seconds / TURNS)
        ours, by_hand = teams
        ratio = by_hand.rate / ours.rate if ours.delivered else float("nan")
        return [*ours.figures(), f"{ratio:.2f}"], ratio


def same(connection: psycopg.Connection, ways: tuple[Way, Way]) -> bool:
    """Whether both ways choose the same messages."""
    found = []
    for way in ways:
        query = SAMPLE.format(condition=f"({way.condition})")
        rows = psycopg.RawCursor(connection).execute(query.encode(), [0, *way.values]).fetchall()
        found.append({number for number, headers in rows if way.accepts(headers)})
    return found[0] == found[1]


def lines(dsn: str, connection: psycopg.Connection, given: argparse.Namespace) -> Iterator[list[float]]:
    """Print the lines of the table; the ratios of the cells of each that is chosen in the server."""
    for place in PLACES:
        connection.execute(b"DROP INDEX IF EXISTS public.benchmark_outbox_by_header")
        if place.indexed:
            connection.execute(f"{INDEX}{place.indexed}".encode())
        connection.execute(b"VACUUM ANALYZE public.benchmark_outbox")
        for wanted, share in RATES.items():
            ways = place.predicat(wanted), place.by_hand(wanted)
            cells = [cell(dsn, ways, count, given) for count in CONSUMERS]
            columns = ["; ".join(column) for column in zip(*(figures for figures, _ in cells), strict=True)]
            mark = "" if same(connection, ways) else " NOT THE SAME ROWS"
            print(f"| {share / 10:g} %, {place.name}{mark} | {' | '.join(columns)} |", flush=True)
            yield [ratio for _, ratio in cells] if place.name != "client" else []


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    arguments.add_argument("dsn", nargs="?", help="The server. Default: the embedded one.")
    arguments.add_argument("--rows", type=int, default=1_000_000, help="Messages of the table.")
    arguments.add_argument("--seconds", type=float, default=2.0, help="Seconds of each cell and way.")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="predicat-peegeeq-") as name:
        Path(name).chmod(0o755)  # under root the embedded server runs as another user
        dsn = given.dsn or embedded(Path(name) / "data")
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(TABLE.format(rows=given.rows).encode())
            consumers = ", ".join(map(str, CONSUMERS))
            print(f"| matches; {consumers} consumers | rows | kB | p50 | p99 | per second | ratio |")
            print("|---" * 7 + "|")
            ratios = [ratio for line in lines(dsn, connection, given) for ratio in line]
            connection.execute(b"DROP TABLE public.benchmark_outbox")
            print(
                f"PostgreSQL {connection.info.server_version // 10000}, {given.rows:,} rows, {len(ratios)} "
                f"cells in the server: median {median(ratios):.2f}, most {max(ratios):.2f} times by hand; "
                f"above 1.2: {sum(ratio > 1.2 for ratio in ratios)}"
            )


if __name__ == "__main__":
    try:
        main()
    except PredicatError as error:
        raise SystemExit(str(error)) from None
