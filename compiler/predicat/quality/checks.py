"""The bounds that a catalog declares and how each ended: one list, which every report shows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct, field

from predicat.catalog.model import Bound, Dataset, Thresholds, limit_text
from predicat.diagnostics.messages import coverage as say
from predicat.diagnostics.wording import quantity
from predicat.quality.plan import members

# How a bound can end, the worst first.
STATUSES = ("error", "fail", "warn", "not_checked", "pass")
# The bounds on the number of rows of a dataset.
OF_ROWS = ("rows_at_least", "rows_at_most", "rows_drift", "rows_anomaly")


class Declared(Struct, frozen=True):
    """A bound of a filter, a group or a dataset.

    Attributes:
        name: The filter, group or dataset.
        kind: The bound: `at_least`, `at_most`, `unknown_at_most`, `drift`, ...
        thresholds: Its limit; or two, that of an error and a stricter one of a warning.
        share: Whether the limit is a share (0 to 1) and not a number.
    """

    name: str
    kind: str
    thresholds: Thresholds
    share: bool = False

    @property
    def text(self) -> str:
        """The limits as text."""
        return limit_text(self.thresholds)

    @property
    def severity(self) -> str:
        """What it is if the limit, or the less strict one of two, is broken: `error` or `warn`."""
        return self.thresholds[0].severity

    @property
    def label(self) -> str:
        """The bound, as messages name it."""
        return f"{self.name} {self.kind}"

    def status(self, holds: Callable[[float], bool]) -> str:
        """How it ended, given whether a limit holds: `pass`, `warn` or `fail`."""
        return next((_BROKEN[item.severity] for item in self.thresholds if not holds(item.value)), "pass")


# The status of a broken limit by its severity.
_BROKEN = {"error": "fail", "warn": "warn"}


def declared(dataset: Dataset, filters: Collection[str]) -> list[Declared]:
    """The bounds of a dataset, of some of its filters (qualified names), and of the groups that have no
    other filters.
    """
    return [
        *_bounds(dataset.name, dataset.rows, "rows_"),
        *(
            [Declared(dataset.name, "freshness", dataset.freshness.thresholds)]
            if dataset.freshness is not None
            else []
        ),
        *(
            item
            for filter_ in dataset.filters.values()
            if filter_.qualified in filters
            for item in _bounds(filter_.qualified, filter_.coverage)
        ),
        *(item for name in dataset.groups for item in _group(dataset, name, filters)),
        *(
            [Declared(dataset.name, "baseline", dataset.baseline.thresholds)]
            if dataset.baseline is not None
            else []
        ),
    ]


def _bounds(name: str, bounds: Mapping[str, Bound], prefix: str = "") -> list[Declared]:
    return [
        Declared(name, f"{prefix}{kind}", bound.thresholds, bound.share) for kind, bound in bounds.items()
    ]


def _group(dataset: Dataset, name: str, filters: Collection[str]) -> Iterator[Declared]:
    group = dataset.groups[name]
    if set(members(dataset, name)) <= set(filters):
        yield from _bounds(f"{dataset.name}.{name}", group.bounds)


class Check(Struct, frozen=True):
    """A bound of a run, and how it ended.

    Attributes:
        name: The filter, group or dataset.
        kind: The bound: `at_least`, `at_most`, `unknown_at_most`, `drift`, ...
        status: One of STATUSES: `error` if an engine failed, `not_checked` if there is nothing to judge.
        message: One sentence with the figures.
        value: The measured value, in `unit`. None if the bound was not judged.
        bound: The bound as text.
        severity: `error` or `warn`.
        reason: Why it was not judged.
        history: Earlier values, in `unit`, the oldest first.
        blame: The condition that decides most rows.
        rows: Example rows of a broken group.
        unit: `share` (0 to 1), `rows` or `seconds`.
        waits: Whether it is not judged yet, and later runs will.
    """

    name: str
    kind: str
    status: str
    message: str
    value: float | None
    bound: str
    severity: str = "error"
    reason: str = ""
    history: tuple[float, ...] = ()
    blame: str = ""
    rows: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    unit: str = "share"
    waits: bool = False

    @property
    def label(self) -> str:
        """The bound, as messages name it."""
        return f"{self.name} {self.kind}"

    @property
    def broken(self) -> bool:
        """Whether a run with it fails: the bound does not hold, or an engine could not tell."""
        return self.status in ("error", "fail")

    def figure(self, value: float) -> str:
        """A value in the unit of the bound, formatted for people."""
        return f"{value:,.0f} {self.unit}" if self.unit != "share" else f"{value:.2%}"


def judged(item: Declared, message: str, value: float, status: str, **more: Any) -> Check:
    """The result of a bound that was judged: `status` is that of `Declared.status`."""
    return Check(item.name, item.kind, status, message, value, item.text, item.severity, **more)


def not_checked(item: Declared, reason: str, *, waits: bool = False) -> Check:
    """The result of a bound for which there is nothing to judge."""
    message = say.not_checked(item.label, reason)
    return Check(
        item.name, item.kind, "not_checked", message, None, item.text, item.severity, reason, waits=waits
    )


def failed(item: Declared, reason: str) -> Check:
    """The result of a bound that an engine could not measure."""
    message = say.could_not_check(item.label, reason)
    return Check(item.name, item.kind, "error", message, None, item.text, item.severity, reason)


def worst(statuses: Collection[str]) -> str:
    """The worst of some statuses; `pass` if there are none."""
    return min(statuses, key=STATUSES.index, default="pass")


def outcome(statuses: Collection[str]) -> str:
    """The worst of those that were judged; `not_checked` if none was, `pass` if there are none."""
    return worst([status for status in statuses if status != "not_checked"] or statuses)


def tally(checks: Sequence[Check]) -> str:
    """How many bounds ended in which way: `3 bounds: 1 fail, 2 pass`."""
    counts = [(sum(check.status == status for check in checks), status) for status in STATUSES]
    parts = ", ".join(f"{count:,} {words(status)}" for count, status in counts if count)
    return f"{quantity(len(checks), 'bound')}: {parts}" if checks else "no bounds"


def words(status: str) -> str:
    """A status for people."""
    return status.replace("_", " ")


class Line(Struct, frozen=True):
    """What a report shows of a check that was judged, or of all that were not judged for one reason."""

    status: str
    message: str
    checks: Sequence[Check]


def lines(checks: Sequence[Check]) -> list[Line]:
    """All checks as lines of a report, the worst first."""
    ordered = sorted(checks, key=lambda check: (STATUSES.index(check.status), check.reason))
    result: list[Line] = []
    for (status, reason), same in groupby(ordered, key=lambda check: (check.status, check.reason)):
        alike = list(same)
        if reason:
            labels = ", ".join(check.label for check in alike)
            result.append(Line(status, f"{labels}: {reason}", alike))
        else:
            result += [Line(status, check.message, [check]) for check in alike]
    return result
