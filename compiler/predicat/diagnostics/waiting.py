"""Signs of life of long work where there is no terminal, such as the log of a CI job."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

# The time between two lines.
SECONDS = 30.0


@contextmanager
def reported(label: str, about: Callable[[], str] = str) -> Iterator[None]:
    """Write a line to standard error every 30 seconds while work goes on: its label, the seconds so far, and
    what `about` returns. Quick work writes nothing.
    """
    over = threading.Event()

    def tell() -> None:
        count = 0
        while not over.wait(SECONDS):
            count += 1
            text = ""
            with suppress(Exception):  # the work itself tells what is wrong
                text = about()
            line = f"{label}: {count * SECONDS:.0f} s" + (f", {text}" if text else "")
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
