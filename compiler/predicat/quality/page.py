"""The report as a page: bars of outcomes, a heat map of overlaps, trends. One file that asks no server for
anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from msgspec import Struct

from predicat.diagnostics.wording import quantity
from predicat.quality.checks import OF_ROWS, STATUSES, lines, outcome, tally, words, worst
from predicat.quality.measure import Measure

if TYPE_CHECKING:
    from predicat.quality.checks import Check
    from predicat.quality.outcome import Run

_MAX_HEAT = 40
# The results in a trend before the last one.
_MAX_POINTS = 90
_TEMPLATE = Path(__file__).parent / "page.html"


def page(runs: Sequence[Run], site: str = "") -> str:
    """The page of some runs. `site` is where the catalog's site is, seen from the page; without it no
    filter is a link.
    """
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.globals.update(bars=bars, heat=heat, short=_short, rows=rows, columns=_columns)
    environment.globals.update(lines=lines, tally=tally, words=words, trends=trends)
    environment.globals.update(statuses=_statuses)
    about = next((run.about for run in runs if run.about is not None), None)
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    datasets: dict[str, list[Run]] = {}
    for run in runs:
        datasets.setdefault(run.dataset, []).append(run)
    return template.render(datasets=datasets, about=about, site=site.rstrip("/"))


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
    for kind in ("true", "unknown", "false"):
        width = 100 * getattr(count, kind) / max(count.total, 1)
        out.append((kind, start, width))
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
    return {"names": names, "cells": cells, "longest": max((len(_short(name)) for name in names), default=0)}


def _overlap(measure: Measure, one: str, other: str) -> str:
    both = measure.overlap(one, other)
    contained = measure.contained(one, other)
    share = f"{contained:.1%} of the rows of {_short(one)} are accepted by {_short(other)} too"
    return f"{share}: {both:,} of {measure.accepted[one]:,}; Jaccard index {measure.jaccard(one, other):.3f}"


def _statuses(runs: Sequence[Run]) -> str:
    """How many runs ended in which way: `2 fail, 38 pass`."""
    counts = [(sum(run.status == status for run in runs), status) for status in STATUSES]
    return ", ".join(f"{count:,} {words(status)}" for count, status in counts if count)


class Point(Struct, frozen=True):
    """A result of a filter, or of the rows of a dataset: where it is from, its status ("" without a bound),
    the figure as text, and how high it is in percent of the greatest of its trend.
    """

    when: str
    status: str
    figure: str
    height: float


def trends(run: Run) -> dict[str, list[Point]]:
    """The results of the last 91 partitions, or runs, of the rows of a dataset and of each measured filter,
    this run last. Empty with fewer than two.
    """
    if run.measure is None:
        return {}
    own: dict[str, list[str]] = {}
    for check in run.checks:
        if check.name != run.dataset or check.kind in OF_ROWS:
            own.setdefault(check.name, []).append(check.status)
    at = run.part.name if run.part is not None else run.about.at if run.about is not None else "now"
    counted = {run.dataset: run.measure.total, **run.measure.accepted}
    result: dict[str, list[Point]] = {}
    for name, accepted in counted.items():
        rows = run.measure.total if name == run.dataset else run.measure.rows
        last = {"partition": at, "status": outcome(own.get(name, ())), "accepted": accepted, "rows": rows}
        entries = [*(run.history or {}).get(name, ())[-_MAX_POINTS:], last]
        if len(entries) > 1:
            result[name] = _points(entries, share=name != run.dataset, bounded=name in own)
    return result


def _points(entries: Sequence[Mapping[str, Any]], *, share: bool, bounded: bool) -> list[Point]:
    values = [
        item["accepted"] / item["rows"] if share and item["rows"] else 0 if share else item["accepted"]
        for item in entries
    ]
    greatest = max(values) or 1
    return [
        Point(
            item["partition"] or str(item["at"])[:16].replace("T", " "),
            item.get("status", "pass") if bounded else "",
            _figure(item, value, share=share),
            round(100 * value / greatest, 1),
        )
        for item, value in zip(entries, values, strict=True)
    ]


def _figure(item: Mapping[str, Any], value: float, *, share: bool) -> str:
    if not item["rows"]:
        return "no rows"
    return f"{value:.2%}" if share else quantity(int(value), "row")


def _columns(samples: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for sample in samples for name in sample))


def _short(name: str) -> str:
    return name.partition(".")[2]
