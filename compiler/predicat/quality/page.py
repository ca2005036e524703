"""The report as a page: bars of outcomes, a heat map of overlaps, trends. One file that asks no server for
anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2

from predicat.quality.checks import STATUSES, lines, tally, words, worst
from predicat.quality.measure import Measure

if TYPE_CHECKING:
    from predicat.quality.checks import Check
    from predicat.quality.outcome import Run

_MAX_HEAT = 40
_TEMPLATE = Path(__file__).parent / "page.html"


def page(runs: Sequence[Run], site: str = "") -> str:
    """The page of some runs. `site` is where the catalog's site is, seen from the page; without it no
    filter is a link.
    """
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.globals.update(bars=bars, heat=heat, trend=trend, short=_short, rows=rows, columns=_columns)
    environment.globals.update(lines=lines, tally=tally, words=words)
    last = {run.dataset: run.title for run in runs}
    environment.globals.update(detailed=lambda run: run.title == last[run.dataset])
    about = next((run.about for run in runs if run.about is not None), None)
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    return template.render(runs=runs, about=about, site=site.rstrip("/"))


def rows(run: Run) -> list[dict[str, Any]]:
    """The measured filters of a run, those with broken bounds first: name, status ("" without bounds), owner
    and checks.
    """
    if run.measure is None:
        return []
    checks: dict[str, list[Check]] = {}
    for check in run.checks:
        checks.setdefault(check.name, []).append(check)
    result = []
    for name in run.measure.filters:
        own = checks.get(name, [])
        status = worst([check.status for check in own]) if own else ""
        result.append({"name": name, "status": status, "owner": run.owner(name), "checks": own})
    return sorted(result, key=lambda row: (*STATUSES, "").index(str(row["status"])))


def bars(measure: Measure, name: str) -> list[tuple[str, float, float]]:
    """The bar of a filter: outcome, start and width in percent."""
    count = measure.filters[name]
    out: list[tuple[str, float, float]] = []
    start = 0.0
    for outcome in ("true", "unknown", "false"):
        width = 100 * getattr(count, outcome) / max(count.total, 1)
        out.append((outcome, start, width))
        start += width
    return out


def heat(measure: Measure) -> dict[str, Any]:
    """The heat map: names, and for each pair the share of the row's filter that the column's accepts, with
    the figures as a text.
    """
    names = sorted(measure.filters, key=lambda name: -measure.accepted[name])[:_MAX_HEAT]
    cells = [
        {
            "x": column,
            "y": row,
            "share": measure.contained(one, other),
            "title": _overlap(measure, one, other),
        }
        for row, one in enumerate(names)
        for column, other in enumerate(names)
        if one != other and measure.accepted[one]
    ]
    return {"names": names, "cells": cells}


def _overlap(measure: Measure, one: str, other: str) -> str:
    both = measure.overlap(one, other)
    contained = measure.contained(one, other)
    share = f"{contained:.1%} of the rows of {_short(one)} are accepted by {_short(other)} too"
    return f"{share}: {both:,} of {measure.accepted[one]:,}; Jaccard index {measure.jaccard(one, other):.3f}"


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
    return " ".join(
        f"{place * 120 / (len(values) - 1):.1f},{22 - 20 * (value - low) / span:.1f}"
        for place, value in enumerate(values)
    )


def _columns(samples: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for sample in samples for name in sample))


def _short(name: str) -> str:
    return name.partition(".")[2]
