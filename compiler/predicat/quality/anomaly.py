"""Judge whether a share or a number of rows is usual for its weekday, by the runs of the days before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from predicat.diagnostics.messages import coverage as say
from predicat.quality.checks import STATUSES, Check, Declared, judged, not_checked
from predicat.quality.drift import Evidence, moved_atom
from predicat.quality.forecast import Day
from predicat.quality.history import MOST_DAYS, day_of, days, hour_of, is_month, same_meaning
from predicat.quality.usual import ROWS, SHARE, Scale, missing, usual

_Entries = Sequence[Mapping[str, Any]]


def anomaly(found: Evidence, item: Declared) -> Check:
    """Whether the share of a filter, and that of its UNKNOWN rows, is usual. Each is judged with half of the
    false alarm rate; that of UNKNOWN rows is told if it ended worse.
    """
    measure, filter_ = found.measure, found.catalog.known[item.name]
    if not measure.rows:
        return not_checked(item, say.NO_ROWS)
    past = [entry for entry in found.past(item.name) if entry["rows"] and same_meaning(filter_, entry)]
    counts = {"accepted": measure.accepted[item.name], "unknown": measure.filters[item.name].unknown}
    checks = [
        _check(found, item, past, _Figure(key, Day(found.day, "", count, measure.rows), 1 / len(counts)))
        for key, count in counts.items()
    ]
    return min(checks, key=lambda check: STATUSES.index(check.status))


def rows_anomaly(found: Evidence, item: Declared) -> Check:
    """Whether the number of rows of a dataset is usual. A day without rows is a day like others."""
    total = found.measure.total
    return _check(found, item, found.past(item.name), _Figure("rows", Day(found.day, "", total, total), 1))


class _Figure(Struct, frozen=True):
    """What is judged: the key of earlier results, the day, and its part of the false alarm rate."""

    key: str
    day: Day
    part: float

    @property
    def scale(self) -> Scale:
        """The scale on which it varies alike."""
        return ROWS if self.key == "rows" else SHARE

    def of(self, day: Day) -> float:
        """The figure of a day in its unit."""
        return float(day.rows) if self.key == "rows" else day.share

    def shown(self, value: float) -> str:
        """A figure for people."""
        return f"{value:,.0f}" if self.key == "rows" else f"{value:.2%}"


# What is said of each figure.
_WORDS = {
    "accepted": ("accepts", "of the rows"),
    "unknown": ("is UNKNOWN for", "of the rows"),
    "rows": ("has", "rows"),
}


def _check(found: Evidence, item: Declared, past: _Entries, figure: _Figure) -> Check:
    """The check of a figure, by the days before it."""
    today = figure.day
    if is_month(found.partition):
        return not_checked(item, say.MONTHS_HAVE_NO_WEEKDAY)
    hour = hour_of(found.partition)
    before = [
        entry
        for entry in past
        if day_of(str(entry["partition"]), entry["at"]) < today.day
        and hour_of(str(entry["partition"])) == hour
    ]
    known = days(before, figure.key)[-MOST_DAYS:]
    runs, needed = missing(known, today)
    if runs < needed:
        weekday = f"{today.day:%A}" if len(known) >= needed else ""
        return not_checked(item, say.not_judged_yet(runs, needed, weekday), waits=True)
    by_rate = {
        limit.value: usual(known, today, limit.value * figure.part, figure.scale) for limit in item.thresholds
    }
    result = by_rate[item.thresholds[-1].value]
    status = item.status(lambda rate: by_rate[rate].holds)
    verb, of = _WORDS[figure.key]
    shown = f"{verb} {figure.shown(figure.of(today))} {of}"
    ends = f"{figure.shown(result.low)} to {figure.shown(result.high)}"
    message = say.usual(item.name, shown, f"{today.day:%A}", ends, len(known))
    blamed = status != "pass" and figure.key != "rows"
    return judged(
        item,
        message + (say.AS_ON_ANOTHER_WEEKDAY if result.holiday else ""),
        figure.of(today),
        status,
        history=tuple(map(figure.of, known))[-10:],
        blame=moved_atom(found.measure, item.name, before[-1]) if blamed else "",
        unit="rows" if figure.key == "rows" else "share",
    )
