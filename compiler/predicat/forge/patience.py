"""How long git may take for several looks into a repository: what it does not tell in time is left out."""

import time

from msgspec import Struct, field


class Patience(Struct):
    """Seconds for all looks together, from now on."""

    seconds: float
    started: float = field(default_factory=time.monotonic)

    def left(self, most: float) -> float:
        """The seconds for the next look, at most; 0 if none are left."""
        return max(min(most, self.started + self.seconds - time.monotonic()), 0.0)
