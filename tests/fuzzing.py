"""How tests generate examples: the same ones in each run, unless PREDICAT_FUZZ_EXAMPLES asks for more."""

import os

from hypothesis import HealthCheck, Phase, settings

REPEATABLE = settings(
    deadline=None,
    derandomize="PREDICAT_FUZZ_EXAMPLES" not in os.environ,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    database=None,
)
