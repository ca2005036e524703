"""A lease on a folder of sinks: two runs that write into one place do not mix."""

from __future__ import annotations

import json
import logging
import os
import random
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import pipeline as say
from predicat_spark.pipeline.files import Files

_LOG = logging.getLogger(__name__)
# How long a lease holds without being renewed.
SECONDS = 60.0
# The folder of predicat next to a sink: leases, records of runs, and staged rows.
# Spark reads no folder of such a name.
FOLDER = "_predicat"
# Seconds after which a run that waits for another one says so.
_PATIENCE = 10.0


class Lease:
    """The right to write below a folder, renewed in the background until it is given back. Raises
    PredicatError where another run has it, unless it `waits`: that is asked again and again.
    """

    def __init__(
        self,
        files: Files,
        root: str,
        run: str,
        seconds: float = SECONDS,
        waits: Callable[[], bool] | None = None,
    ) -> None:
        self.files, self.folder, self.run, self.seconds = files, f"{root}/{FOLDER}", run, seconds
        self.root, self.id = root, uuid4().hex
        self.number = self._wait(waits) if waits is not None else self._take()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._renew, daemon=True)
        self.thread.start()

    @property
    def path(self) -> str:
        """The file of the lease."""
        return self._path(self.number)

    def check(self) -> None:
        """Raise PredicatError if the lease ran out and another run took it."""
        if not self._is_held():
            raise PredicatError.of(say.lease_lost(self.root))

    def give_back(self) -> None:
        """Stop renewing the lease, and delete its file."""
        self.over.set()
        self.thread.join()
        with suppress(Exception):  # a lease that stays runs out by itself
            if self._is_held():
                self.files.delete(self.path)

    def _wait(self, waits: Callable[[], bool]) -> int:
        since, told = time.monotonic(), False
        while True:
            try:
                return self._take()
            except PredicatError as held:
                if not waits():
                    raise
                if not told and time.monotonic() - since > _PATIENCE:
                    _LOG.warning("%s", held)
                    told = True
                time.sleep(random.uniform(0.02, 0.2))  # noqa: S311  # two that wait do not keep step

    def _take(self) -> int:
        newest = self._newest()
        if newest is not None and (holder := self._living(newest)) is not None:
            self._refuse(holder)
        number = (newest or 0) + 1
        if not self.files.create(self._path(number), self._text()):
            self._refuse(self._holder(number) or {})
        # Another run may have looked at another moment, and taken another number.
        numbers = self._numbers()
        living = next((found for other in numbers if other != number and (found := self._living(other))), {})
        if number not in numbers:
            self._refuse(living)
        if living:
            self.files.delete(self._path(number))
            self._refuse(living)
        for other in numbers:
            if other != number:
                self.files.delete(self._path(other))
        return number

    def _refuse(self, holder: dict[str, Any]) -> None:
        until = time.strftime("%H:%M:%S", time.gmtime(holder.get("until", time.time() + self.seconds)))
        who = (
            f"run {holder['run']} (process {holder['pid']} on {holder['host']})"
            if "run" in holder
            else "another run"
        )
        raise PredicatError.of(say.lease_held(who, self.root, until))

    def _numbers(self) -> list[int]:
        return [
            int(name[6:-5])
            for name in self.files.names(self.folder)
            if name.startswith("lease-") and name.endswith(".json")
        ]

    def _newest(self) -> int | None:
        return max(self._numbers(), default=None)

    def _is_held(self) -> bool:
        """Whether this is the newest lease: its number may have been given again."""
        return self._newest() == self.number and (self._holder(self.number) or {}).get("id") == self.id

    def _living(self, number: int) -> dict[str, Any] | None:
        """The holder of a lease that has not run out."""
        holder = self._holder(number)
        return holder if holder and holder["until"] > time.time() and not _dead(holder) else None

    def _path(self, number: int) -> str:
        return f"{self.folder}/lease-{number:06d}.json"

    def _holder(self, number: int) -> dict[str, Any] | None:
        try:
            holder = json.loads(self.files.read(self._path(number)))
        except Exception:  # noqa: BLE001  # it was given back, or is being written
            return None
        return holder if isinstance(holder, dict) else None

    def _text(self) -> str:
        return json.dumps(
            {
                "id": self.id,
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
                if self._is_held():
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
