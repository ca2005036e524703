"""How long readers wait while `predicat apply` replaces views: `python benchmarks/locks.py [views] [dsn]`.

One process reads views all the time and keeps its slowest answer, while the queries of all views change: with
nobody else, and while another session has read one of the views in a transaction that stays open for 3 s.
Another process reads the table below in the same way, which nobody locks: that shows what the machine adds.
"""

import itertools
import multiprocessing
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

import psycopg

import predicat
from predicat.deploy import deployment, server

HEAD = (
    "apiVersion: predicat/v1\ndataset: benchmark_views\nrelation: {postgres: public.benchmark_views}\n"
    "fields: {name: string, age: bigint}\nfilters:\n"
)
OPEN = 3.0  # seconds that a reader keeps its transaction open


def catalog(folder: Path, count: int, sign: str) -> predicat.Catalog:
    filters = "".join(
        f"  f{number}: {{sql: \"age {sign} {number} AND name LIKE 'a{number}%'\"}}\n"
        for number in range(count)
    )
    (folder / "views.yml").write_text(HEAD + filters, encoding="utf-8")
    return predicat.load_catalog(folder)


def read(dsn: str, relations: Sequence[str], end: Connection) -> None:
    """Read one relation after the other until told to stop; send the slowest answers, in ms."""
    slowest: list[float] = []
    with psycopg.connect(dsn, autocommit=True, prepare_threshold=None) as connection:
        end.send("ready")
        for relation in itertools.cycle(relations):
            if end.poll():
                break
            start = time.monotonic()
            connection.execute(f"SELECT count(*) FROM public.{relation}".encode())
            slowest = sorted([*slowest, (time.monotonic() - start) * 1000])[-3:]
            time.sleep(0.001)
    end.send(slowest[::-1])


class Reader:
    """A process that reads relations."""

    def __init__(self, dsn: str, relations: Sequence[str]) -> None:
        context = multiprocessing.get_context("spawn")
        self.end, there = context.Pipe()
        self.process = context.Process(target=read, args=(dsn, relations, there))
        self.process.start()
        self.end.recv()

    def stop(self) -> str:
        """Its slowest answers in milliseconds."""
        self.end.send("stop")
        slowest = self.end.recv()
        self.process.join()
        return ", ".join(f"{one:.0f}" for one in slowest)


def measured(dsn: str, count: int, sign: str, folder: Path, *, held: bool) -> tuple[float, str, str]:
    """The seconds of a run that replaces all views; the slowest answers to readers of both kinds."""
    asked = catalog(folder, count, sign)
    reader = Reader(dsn, [f"benchmark_views__f{number}" for number in range(1, count)])
    beside = Reader(dsn, ["benchmark_views"])
    with psycopg.connect(dsn) as connection, psycopg.connect(dsn) as holder:
        if held:
            holder.execute(b"SELECT count(*) FROM public.benchmark_views__f0")
            threading.Timer(OPEN, holder.commit).start()
        start = time.monotonic()
        plan = deployment.apply(asked, connection, "benchmark")
        seconds = time.monotonic() - start
        assert len(plan.changes) == count
    return seconds, reader.stop(), beside.stop()


def main(count: int, dsn: str | None) -> None:
    with tempfile.TemporaryDirectory(prefix="predicat-locks-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # under root the embedded server runs as another user
        place = dsn or server.embedded(folder / "data")
        with psycopg.connect(place) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS public.benchmark_views (name text, age int)")
            connection.commit()
            deployment.apply(catalog(folder, count, ">="), connection, "benchmark")
        for sign, held in ((">", False), (">=", True), (">", False), (">=", True)):
            seconds, views, table = measured(place, count, sign, folder, held=held)
            label = "one of them being read" if held else "no other session"
            waits = f"a reader waits at most {views} ms; of the table {table} ms"
            print(f"{count} views replaced, {label:22}: {seconds:4.1f} s; {waits}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500, sys.argv[2] if len(sys.argv) > 2 else None)
