"""A lease on a folder of sinks: two runs that write into one place do not mix."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import pipeline as say
from predicat_spark.pipeline.files import Files

# How long a lease holds without being renewed.
SECONDS = 60.0
# The folder of predicat next to a sink: leases, records of runs, and staged rows.
# Spark reads no folder of such a name.
FOLDER = "_predicat"


class Lease:
    """The right to write below a folder, renewed in the background until it is given back. Raises
    PredicatError where another run has it.
    """

    def __init__(self, files: Files, root: str, run: str, seconds: float = SECONDS) -> None:
        self.files, self.folder, self.run, self.seconds = files, f"{root}/{FOLDER}", run, seconds
        self.root = root
        self.number = self._take()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._renew, daemon=True)
        self.thread.start()

    @property
    def path(self) -> str:
        """The file of the lease."""
        return f"{self.folder}/lease-{self.number:06d}.json"

    def check(self) -> None:
        """Raise PredicatError if the lease ran out and another run took it."""
        if self._newest() != self.number:
            raise PredicatError.of(say.lease_lost(self.root))

    def give_back(self) -> None:
        """Stop renewing the lease, and delete its file."""
        self.over.set()
        self.thread.join()
        with suppress(Exception):  # a lease that stays runs out by itself
            self.files.delete(self.path)

    def _take(self) -> int:
        newest = self._newest()
        if newest is not None:
            holder = self._holder(newest)
            if holder is not None and holder["until"] > time.time() and not _dead(holder):
                self._refuse(holder)
        number = (newest or 0) + 1
        if not self.files.create(f"{self.folder}/lease-{number:06d}.json", self._text()):
            self._refuse(self._holder(number) or {})
        if newest is not None:
            self.files.delete(f"{self.folder}/lease-{newest:06d}.json")
        return number

    def _refuse(self, holder: dict[str, Any]) -> None:
        until = time.strftime("%H:%M:%S", time.gmtime(holder.get("until", time.time() + self.seconds)))
        who = (
            f"run {holder['run']} (process {holder['pid']} on {holder['host']})"
            if "run" in holder
            else "another run"
        )
        raise PredicatError.of(say.lease_held(who, self.root, until))

    def _newest(self) -> int | None:
        numbers = [
            int(name[6:-5])
            for name in self.files.names(self.folder)
            if name.startswith("lease-") and name.endswith(".json")
        ]
        return max(numbers, default=None)

    def _holder(self, number: int) -> dict[str, Any] | None:
        try:
            holder = json.loads(self.files.read(f"{self.folder}/lease-{number:06d}.json"))
        except Exception:  # noqa: BLE001  # it was given back, or is being written
            return None
        return holder if isinstance(holder, dict) else None

    def _text(self) -> str:
        return json.dumps(
            {
                "run": self.run,
                "host": socket.gethostname(),
                "pid": os.getpid(),
                "started": _started(os.getpid()),
                "home": _home(),
                "until": time.time() + self.seconds,
            }
        )

    def _renew(self) -> None:
        while not self.over.wait(self.seconds / 3):
            with suppress(Exception):  # the next time may do; check() says if it was too late
                if self._newest() == self.number:
                    self.files.write(self.path, self._text())


def _home() -> str:
    """What process numbers belong to: the start of the machine and the container."""
    with suppress(OSError):
        return (
            f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} "
            f"{Path('/proc/self/ns/pid').readlink()}"
        )
    return ""


def _dead(holder: dict[str, Any]) -> bool:
    """Whether the process that has a lease is surely no more: it ran here, and its number is free, or that of
    a process that started at another time.
    """
    if not holder.get("home") or holder["home"] != _home() or holder["host"] != socket.gethostname():
        return False
    now = _started(holder["pid"])
    return not now or now != holder.get("started", now)


def _started(process: int) -> str:
    """When a process started, in ticks since the machine did; "" if it does not exist."""
    with suppress(OSError):
        # Fields follow the name of the program, which may hold anything; the start is the 20th of them.
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    return ""
