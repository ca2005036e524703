"""The share of accepted rows over time, as a picture and as its last numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

RUNS, WIDTH, HEIGHT = 60, 600, 80
_SHOWN = 10


class Trend(Struct, frozen=True):
    """The last runs of a filter. `points` are the corners of a line in a picture of WIDTH x HEIGHT, `broken`
    those of the runs that did not pass. `rows` are the last runs, the newest first: time, share, numbers,
    status.
    """

    points: str
    broken: Sequence[tuple[float, float]]
    least: str
    greatest: str
    rows: Sequence[tuple[str, str, str, str]]


def trend(runs: Sequence[Mapping[str, Any]]) -> Trend | None:
    """The trend of the runs on the engine of the newest one; None without two runs that counted rows."""
    counted = [run for run in runs if run.get("rows")]
    last = [run for run in counted if run.get("engine") == counted[-1].get("engine")][-RUNS:]
    if len(last) < 2:  # a line has two ends
        return None
    shares = [run["accepted"] / run["rows"] for run in last]
    low, high = min(shares), max(shares)
    corners = [
        (
            round(number * WIDTH / (len(shares) - 1), 1),
            round(HEIGHT - (share - low) / ((high - low) or 1) * HEIGHT, 1),
        )
        for number, share in enumerate(shares)
    ]
    return Trend(
        " ".join(f"{x},{y}" for x, y in corners),
        [corner for corner, run in zip(corners, last, strict=True) if run.get("status") == "fail"],
        f"{low:.2%}",
        f"{high:.2%}",
        [
            (
                str(run["at"])[:16].replace("T", " "),
                f"{run['accepted'] / run['rows']:.2%}",
                f"{run['accepted']:,} of {run['rows']:,}",
                str(run.get("status", "")),
            )
            for run in last[: -_SHOWN - 1 : -1]
        ],
    )
