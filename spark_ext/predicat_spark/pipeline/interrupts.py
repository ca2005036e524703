"""Ctrl-C ends a run before its rows count, wherever it strikes."""

from __future__ import annotations

import signal
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Interrupts:
    """Remembers an interrupt: Python loses the exception of one that strikes in the callback of an import
    or of the collector.
    """

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        self.struck = False
        self.before: Any = None

    def __enter__(self) -> Interrupts:  # noqa: PYI034  # no subclasses
        if threading.current_thread() is threading.main_thread():
            self.before = signal.signal(signal.SIGINT, self._strike)
        return self

    def __exit__(self, *_: object) -> None:
        if self.before is not None:
            signal.signal(signal.SIGINT, self.before)

    def check(self) -> None:
        """Raise KeyboardInterrupt if there was one."""
        if self.struck:
            raise KeyboardInterrupt

    def _strike(self, *_: object) -> None:
        self.struck = True
        with suppress(Exception):  # the session may be gone
            self.session.sparkContext.cancelAllJobs()
        raise KeyboardInterrupt
