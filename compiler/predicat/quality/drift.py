"""Compare a run with an earlier state: of filters, of the number of rows, and the age of that state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from predicat.catalog.model import Catalog, Dataset, Filter
from predicat.diagnostics.messages import coverage as say
from predicat.diagnostics.wording import quantity
from predicat.ir.canonical import meaning_hash
from predicat.quality.checks import Check, Declared, judged, not_checked
from predicat.quality.history import day_of, last_accepted
from predicat.quality.measure import Measure
from predicat.quality.statistics import drifted, psi

# Earlier results per filter, the oldest first: `true`, `false`, `unknown`, `accepted`, `rows`.
History = Mapping[str, Sequence[Mapping[str, Any]]]


class Evidence(Struct, frozen=True):
    """What bounds are judged by: the counts, earlier comparable runs, the stated baseline, the time,
    and the name of the measured partition.
    """

    catalog: Catalog
    measure: Measure
    history: History | None
    baseline: History | None
    now: datetime
    partition: str = ""

    @property
    def day(self) -> date:
        """The day that the counts are of."""
        return day_of(self.partition, self.now)

    @property
    def dataset(self) -> Dataset:
        """The measured dataset."""
        return self.catalog.datasets[self.measure.dataset]

    def past(self, name: str) -> Sequence[Mapping[str, Any]]:
        """The earlier results of a filter or dataset, the oldest first."""
        return (self.history or {}).get(name, ())

    def before(self, name: str) -> Mapping[str, Any] | str:
        """The earlier state of a filter or dataset; the reason if there is none to compare with."""
        stated, past = (self.baseline or {}).get(name), self.past(name)
        before = stated[-1] if stated else last_accepted(past)
        if before is None and self.history is None:
            return say.NO_HISTORY
        if before is None:
            return say.no_earlier_success(name, len(past)) if past else say.NO_EARLIER_RUN
        return before if before["rows"] else say.no_rows_then(_moment(before))


def _moment(before: Mapping[str, Any]) -> str:
    return str(before["partition"] if before.get("start") else before.get("at", "the baseline"))


def drift(found: Evidence, item: Declared) -> Check:
    """Whether the share of a filter stayed near the earlier one."""
    before, measure = found.before(item.name), found.measure
    if isinstance(before, str) or not measure.rows:
        return not_checked(item, before if isinstance(before, str) else say.NO_ROWS)
    count, accepted = measure.filters[item.name], measure.accepted[item.name]
    moved = measure.share(item.name) - before["accepted"] / before["rows"]
    index = psi(
        (before["true"], before["false"], before["unknown"]), (count.true, count.false, count.unknown)
    )
    status = item.status(
        lambda limit: not drifted((before["accepted"], before["rows"]), (accepted, measure.rows), limit)
    )
    since = f"since {_moment(before)}{_by_version(found.catalog.known[item.name], measure, before, moved)}"
    message = (
        f"the share of {item.name} changed by {moved * 100:+.2f} percentage points {since} "
        f"(PSI {index:.3f}); at most {item.text}"
    )
    blame = "" if status == "pass" else moved_atom(measure, item.name, before)
    return judged(item, message, moved, status, blame=blame)


def _by_version(filter_: Filter, measure: Measure, before: Mapping[str, Any], moved: float) -> str:
    """How much of a move is the filter's and how much the data's, where an earlier version was measured
    then.
    """
    name, number = filter_.qualified, before.get("version", filter_.latest)
    if number == filter_.latest:
        same = before.get("hash") in (None, meaning_hash(filter_.current.predicate.node, filter_.on_unknown))
        return "" if same else ", when the filter had another meaning"
    earlier = measure.versions.get(f"{name}@{number}")
    if earlier is None:
        return f", when it was version {number}"
    by_filter = measure.share(name) - earlier / measure.rows
    return (
        f", {by_filter * 100:+.2f} of them from version {number} to {filter_.latest} and "
        f"{(moved - by_filter) * 100:+.2f} in the data"
    )


def moved_atom(measure: Measure, name: str, before: Mapping[str, Any]) -> str:
    """The condition whose share of TRUE moved most since an earlier result."""
    earlier = {item["text"]: item for item in before.get("atoms", ())}
    moves = [
        (abs(count.true / measure.rows - earlier[text]["true"] / before["rows"]), text)
        for text, count in measure.atoms.get(name, ())
        if text in earlier
    ]
    return f"{max(moves)[1]} changed by {max(moves)[0] * 100:.2f} percentage points" if moves else ""


def rows_drift(found: Evidence, item: Declared) -> Check:
    """Whether the number of rows stayed near the earlier one."""
    before, total = found.before(item.name), found.measure.total
    if isinstance(before, str):
        return not_checked(item, before)
    moved = (total - before["rows"]) / before["rows"]
    message = (
        f"{item.name} has {quantity(total, 'row')}, {moved:+.2%} since {_moment(before)}; "
        f"at most {item.text} either way"
    )
    return judged(item, message, moved, item.status(lambda limit: abs(moved) <= limit))


def baseline_age(found: Evidence, item: Declared) -> Check:
    """Whether the baseline of the dataset is young enough; a dataset that asks for one and has none fails."""
    moments = [
        datetime.fromisoformat(str(items[-1]["at"]))
        for name, items in (found.baseline or {}).items()
        if name in found.measure.filters and items
    ]
    age = (found.now - min(moments)).total_seconds() / 86400 if moments else float("inf")
    message = (
        f"the baseline of {item.name} is {age:.0f} days old" if moments else f"{item.name} has no baseline"
    )
    status = item.status(lambda limit: age <= limit)
    return judged(item, f"{message}; at most {item.text}", min(age, 99999.0), status)
