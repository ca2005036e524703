"""The report as a page: bars of outcomes, a heat map of overlaps, trends; drawn as SVG, so that it needs no script."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2

from predicat.quality.measure import Measure

if TYPE_CHECKING:
    from predicat.quality.report import Run

MAX_HEAT = 40
_TEMPLATE = Path(__file__).parent / "page.html"


def page(runs: Sequence[Run]) -> str:
    """The page of some runs."""
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.globals.update(bars=bars, heat=heat, trend=trend, short=_short)
    return environment.from_string(_TEMPLATE.read_text(encoding="utf-8")).render(runs=runs)


def bars(found: Measure, name: str) -> list[tuple[str, float, float]]:
    """The bar of a filter: outcome, start and width in percent."""
    count = found.filters[name]
    out: list[tuple[str, float, float]] = []
    start = 0.0
    for outcome in ("true", "unknown", "false"):
        width = 100 * getattr(count, outcome) / max(count.total, 1)
        out.append((outcome, start, width))
        start += width
    return out


def heat(found: Measure) -> dict[str, Any]:
    """The heat map: names, and for each pair the share of the row's filter that the column's accepts."""
    names = sorted(found.filters, key=lambda name: -found.accepted[name])[:MAX_HEAT]
    cells = [
        {"x": column, "y": row, "share": found.contained(one, other), "title": f"{found.contained(one, other):.1%} of {one} is in {other}"}
        for row, one in enumerate(names)
        for column, other in enumerate(names)
        if one != other and found.accepted[one]
    ]
    return {"names": names, "cells": cells}


def trend(run: Run, name: str) -> str:
    """The points of a filter's trend line in a box of 120 by 24, this run last; empty with fewer than two."""
    earlier = (run.history or {}).get(name, [])
    values = [item["accepted"] / item["rows"] for item in earlier[-30:] if item["rows"]]
    if run.measure is not None:
        values.append(run.measure.share(name))
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    return " ".join(f"{place * 120 / (len(values) - 1):.1f},{22 - 20 * (value - low) / span:.1f}" for place, value in enumerate(values))


def _short(name: str) -> str:
    return name.partition(".")[2]
