"""Judge every declared bound by the measured counts and a baseline."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from operator import ge, le
from typing import Any

from predicat.backends.sql.shown import value as as_seen
from predicat.catalog.model import Catalog, Dataset
from predicat.diagnostics.messages import coverage as say
from predicat.diagnostics.wording import quantity
from predicat.quality.anomaly import anomaly, rows_anomaly
from predicat.quality.checks import Check, Declared, declared, failed, judged, not_checked
from predicat.quality.drift import Evidence, History, baseline_age, drift, rows_drift
from predicat.quality.measure import Measure
from predicat.quality.plan import members
from predicat.quality.statistics import wilson


def judge(
    catalog: Catalog,
    measure: Measure,
    history: History | None = None,
    baseline: History | None = None,
    now: datetime | None = None,
    partition: str = "",
) -> list[Check]:
    """Judge every bound of a dataset, its filters and its groups: one check for each declared bound.

    Args:
        catalog: The catalog with the bounds.
        measure: The measured counts.
        history: Earlier comparable runs (`history.Series`).
        baseline: What drift is measured from. Default: of each filter the last run of the history in which
            it did not fail.
        now: The time of the run, for freshness and the weekday. Default: now.
        partition: The name of the measured partition. A day with which it begins is the day of its rows.
    """
    found = Evidence(catalog, measure, history, baseline, now or datetime.now(tz=UTC), partition)
    names = {*measure.filters, *measure.refused, *measure.errors}
    return [_check(found, item) for item in declared(found.dataset, names)]


def unmeasured(dataset: Dataset, filters: Collection[str], reason: str) -> list[Check]:
    """The checks of a dataset and of filters of it (qualified names) that an engine could not measure."""
    return [failed(item, reason) for item in declared(dataset, filters)]


def _check(found: Evidence, item: Declared) -> Check:
    """The result of one bound: an error or a reason if a filter that it needs was not measured."""
    for problems, end in ((found.measure.errors, failed), (found.measure.refused, not_checked)):
        if item.name in problems:
            return end(item, problems[item.name])
        for member in _members(found.dataset, item):
            if member in problems:
                return end(item, say.member_not_measured(member, problems[member]))
    return _JUDGES[item.kind](found, item)


def _members(dataset: Dataset, item: Declared) -> list[str]:
    """The filters of the group that a bound is of; none for another bound."""
    return members(dataset, item.name.partition(".")[2]) if item.kind in _GROUPS else []


def _coverage(found: Evidence, item: Declared) -> Check:
    """Whether a filter accepts few or many enough rows, or is UNKNOWN for few enough."""
    outcome, key, high, what = _COUNTED[item.kind]
    measure = found.measure
    unknown = key == "unknown"
    count = measure.filters[item.name].unknown if unknown else measure.accepted[item.name]
    if item.share and not measure.rows and high:
        return not_checked(item, say.NO_ROWS)
    value = _figure(count, measure, share=item.share)
    edge = _edge(count, measure, share=item.share, high=high)
    status = item.status(lambda limit: edge <= limit if high else edge >= limit)
    shown = f"{value:.2%} of the rows" if item.share else quantity(round(value), "row")
    limit = "at most" if high else "at least"
    return judged(
        item,
        f"{item.name} {what} {shown}; {limit} {item.text}",
        value,
        status,
        history=_earlier(found.past(item.name), key, share=item.share),
        blame="" if status == "pass" else _blame(measure, item.name, outcome),
        unit="share" if item.share else "rows",
    )


# Of bounds on the rows of a filter: the outcome to blame, the key of earlier results, whether it is an upper
# bound, the words.
_COUNTED = {
    "at_least": ("false", "accepted", False, "accepts"),
    "at_most": ("true", "accepted", True, "accepts"),
    "unknown_at_most": ("unknown", "unknown", True, "is UNKNOWN for"),
}


def _figure(count: int, measure: Measure, *, share: bool) -> float:
    """A count in the unit of a bound. Of no rows the share is 0, so that none is not enough."""
    if share:
        return count / measure.rows if measure.rows else 0.0
    return count / measure.sample


def _edge(count: int, measure: Measure, *, share: bool, high: bool) -> float:
    """The figure to judge: of a sample the end of its interval that favours the filter."""
    if measure.sample >= 1:
        return _figure(count, measure, share=share)
    low_end, high_end = wilson(count, measure.rows)
    end = low_end if high else high_end
    return end if share else end * measure.rows / measure.sample


def _earlier(entries: Sequence[Mapping[str, Any]], key: str, *, share: bool) -> tuple[float, ...]:
    """The last ten earlier figures in the unit of a bound."""
    if share:
        return tuple(item[key] / item["rows"] for item in entries if item["rows"])[-10:]
    return tuple(item[key] / item.get("sample", 1.0) for item in entries)[-10:]


def _blame(measure: Measure, name: str, outcome: str) -> str:
    """The condition that is most often what the filter is too often."""
    atoms = measure.atoms.get(name)
    if not atoms or not measure.rows:
        return ""
    text, count = max(atoms, key=lambda item: int(getattr(item[1], outcome)))
    return f"{text} is {outcome.upper()} for {getattr(count, outcome) / measure.rows:.2%}"


def _rows(found: Evidence, item: Declared) -> Check:
    """Whether a dataset has few or many enough rows."""
    total = found.measure.total
    low = item.kind == "rows_at_least"
    compare = ge if low else le
    return judged(
        item,
        f"{item.name} has {quantity(total, 'row')}; {'at least' if low else 'at most'} {item.text}",
        float(total),
        item.status(lambda limit: compare(total, limit)),
        history=tuple(float(entry["rows"]) for entry in found.past(item.name))[-10:],
        unit="rows",
    )


def _freshness(found: Evidence, item: Declared) -> Check:
    """Whether the newest value of the field is young enough. Without a value the age is unknown: it fails."""
    spec, newest = found.dataset.freshness, found.measure.newest
    assert spec is not None  # noqa: S101  # it is declared
    if newest is None:
        message = f"{item.name} has no value in {spec.field}, so its age is unknown; at most {item.text}"
        return judged(item, message, 0.0, item.status(lambda _: False), unit="seconds")
    part = found.measure.part
    moment_ = found.now if part is None else min(found.now, part.end)
    age = moment_.timestamp() - newest
    moment = as_seen(
        found.dataset.fields[spec.field],
        datetime.fromtimestamp(newest, tz=UTC).isoformat(sep=" ", timespec="seconds"),
    )
    message = f"the newest {spec.field} of {item.name} is {moment}, {duration(age)} ago; at most {item.text}"
    return judged(item, message, age, item.status(lambda limit: age <= limit), unit="seconds")


def duration(seconds: float) -> str:
    """An age in the largest unit that it fills."""
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{max(seconds, 0.0):,.0f} seconds"


def _group(found: Evidence, item: Declared) -> Check:
    """Whether no row is accepted by several filters of a group, or by none."""
    count = found.measure.groups[item.name.partition(".")[2]]
    rows, acceptors, samples = (
        (count.overlap, "more than one filter", count.overlap_rows)
        if item.kind == "exclusive"
        else (count.gap, "no filter", count.gap_rows)
    )
    message = f"{quantity(rows, 'row')} accepted by {acceptors} of {item.name}"
    allowed = "" if item.thresholds[0].value == 0 else f"; at most {item.text}"
    figure = _figure(rows, found.measure, share=True) if item.share else rows
    status = item.status(lambda limit: figure <= limit)
    return judged(item, message + allowed, rows, status, rows=samples, unit="rows")


_GROUPS = ("exclusive", "exhaustive")
# How each kind of bound is judged.
_JUDGES: Mapping[str, Callable[[Evidence, Declared], Check]] = {
    "rows_at_least": _rows,
    "rows_at_most": _rows,
    "rows_drift": rows_drift,
    "rows_anomaly": rows_anomaly,
    "freshness": _freshness,
    "at_least": _coverage,
    "at_most": _coverage,
    "unknown_at_most": _coverage,
    "drift": drift,
    "anomaly": anomaly,
    "exclusive": _group,
    "exhaustive": _group,
    "baseline": baseline_age,
}
KINDS = tuple(_JUDGES)
