"""How tests generate examples: the same ones in each run, unless PREDICAT_FUZZ_EXAMPLES asks for more."""

import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import HealthCheck, Phase, settings

REPEATABLE = settings(
    deadline=None,
    derandomize="PREDICAT_FUZZ_EXAMPLES" not in os.environ,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    database=None,
)


class Costs:
    """The most that one input took, for the figures of docs/security.md: `pytest -s` prints it."""

    def __init__(self, what: str) -> None:
        self.what, self.inputs, self.seconds = what, 0, 0.0

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Counts an input, and the processor time that it takes."""
        began = time.process_time()
        try:
            yield
        finally:
            self.inputs += 1
            self.seconds = max(self.seconds, time.process_time() - began)

    def show(self) -> None:
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(
            f"\n{self.what}: {self.inputs} inputs, at most {self.seconds:.2f} CPU s each, {memory} MB in all"
        )
