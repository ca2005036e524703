"""Runs that are killed at a chosen step: from there on nothing is done that a dead process would not do."""

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest

from predicat_spark.pipeline import lease, postgres, tables
from predicat_spark.pipeline.files import Files

T = TypeVar("T")


def writers(out: Path) -> set[int]:
    """The processes that have a lease on a folder. One that was killed leaves its own behind."""
    found: set[int] = set()
    for file in (out / "_predicat").glob("lease-*.json"):
        with suppress(OSError, ValueError):  # it was given back, or is being written
            found.add(json.loads(file.read_text())["pid"])
    return found


def kill_while_writing(process: subprocess.Popen[Any], out: Path, seconds: float, runs: int = 0) -> None:
    """Kill a process and its JVM some seconds after it has its first lease on a folder, or has committed so
    many runs.
    """

    def committed() -> int:
        return len(list((out / "_predicat").glob("run-*.json")))

    deadline, before = time.monotonic() + 600, committed()
    while (committed() < before + runs) if runs else process.pid not in writers(out):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()  # ends when the JVM is gone, too: it may be in the middle of a change


class Killed(BaseException):
    """The process is gone: nothing that comes after it is done."""


class Kills:
    """Counts the steps of runs: changes of the file system, and the moments before and after the rows of a
    table are put into it.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._left = 10**9
        patch.setattr(Files, "delete", self._file_by_file(Files.delete))
        for name in ("rename", "delete", "write", "create", "folder"):
            patch.setattr(Files, name, self._dying(getattr(Files, name)))
        for module, name in ((tables, "settle_table"), (postgres, "settle_tables"), (postgres, "_mark")):
            patch.setattr(module, name, self._dying(getattr(module, name), after=True))
        patch.setattr(lease, "_dead", lambda holder: True)

    def result(self, step: int, work: Callable[[], T]) -> T | None:
        """What the work returns; None if it was killed at its n-th step."""
        self._left = step
        try:
            return work()
        except Killed:
            return None
        finally:
            self._left = 10**9

    def _file_by_file(self, delete: Callable[[Files, str], None]) -> Callable[[Files, str], None]:
        """A folder of staged rows is not removed at once. Its record is forgotten last: the worst order."""

        def call(files: Files, path: str) -> None:
            if path.rpartition("/")[2].startswith("run-") and files.is_folder(path):
                for name in files.names(path):
                    if name != "owner.json":
                        delete(files, f"{path}/{name}")
                self._step()
            delete(files, path)

        return call

    def _dying(self, method: Callable[..., Any], *, after: bool = False) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            if threading.current_thread() is not threading.main_thread():
                return None
            self._step()
            result = method(*args)
            if after:
                self._step()
            return result

        return call

    def _step(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise Killed
