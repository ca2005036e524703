"""Proposes bounds from what was measured, now and in earlier runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import pairwise
from textwrap import wrap
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from predicat.catalog.model import Catalog, Dataset, Freshness
from predicat.diagnostics.messages import coverage as say
from predicat.diagnostics.wording import quantity
from predicat.ir.types import DATE, TIMESTAMP
from predicat.quality import forecast
from predicat.quality.drift import History
from predicat.quality.forecast import CONFIDENCE, ENOUGH, ODDS, Day, Forecast
from predicat.quality.history import MOST_DAYS, day_of, days, same_meaning
from predicat.quality.measure import Measure
from predicat.quality.plan import Plan
from predicat.quality.usual import ROWS, SHARE, Scale, missing, usual


class Proposed(Struct, frozen=True):
    """A bound as the catalog writes it, and why. Without a `value` it is left out for this reason."""

    key: str
    value: str
    reason: str


class Suggestion(Struct, frozen=True):
    """The bounds of a filter (`coverage`) or of a dataset (`rows`, `freshness`).

    Attributes:
        name: The filter or dataset.
        key: `coverage`, `rows` or `freshness`.
        proposed: The bounds, and those that are left out for a reason.
        days: How many days they rest on.
        rows: How many rows these have.
        method: `once`, `few`, `spread`, `weekdays` or `trend` (`forecast.Forecast`); `pauses` for an age.
        confidence: Of each bound, from 0 to 1; None for an age.
    """

    name: str
    key: str
    proposed: Sequence[Proposed]
    days: int
    rows: int
    method: str
    confidence: float | None = CONFIDENCE

    @property
    def of_dataset(self) -> bool:
        """Whether they are bounds of a dataset."""
        return self.key != "coverage"

    @property
    def bounds(self) -> dict[str, str]:
        """The bounds by key."""
        return {item.key: item.value for item in self.proposed if item.value}

    @property
    def line(self) -> str:
        """The bounds as a line of YAML; "" if there are none."""
        bounds = ", ".join(f"{key}: {value}" for key, value in self.bounds.items())
        return f"{self.key}: {{{bounds}}}" if bounds else ""

    def lines(self, *, explain: bool = False) -> list[str]:
        """What is printed of it: YAML, with the reasons as comments before it."""
        place = "" if self.of_dataset else "  "
        named = [f"  {self.name.partition('.')[2]}:"] if place and self.line else []
        inner = place * 2 if self.line else place
        return [
            *named,
            *(f"{inner}# {line}" for reason in self.reasons() if explain for line in wrap(reason, 96)),
            *([f"{place * 2}{self.line}"] if self.line else []),
        ]

    def reasons(self) -> list[str]:
        """A sentence for all bounds with the same reason."""
        same: dict[str, list[str]] = {}
        for item in self.proposed:
            same.setdefault(item.reason, []).append(item.key if item.value else say.no_bound(item.key))
        return [f"{', '.join(keys)}: {reason}" for reason, keys in same.items()]


def suggest(
    catalog: Catalog, measure: Measure, history: History | None = None, now: datetime | None = None
) -> list[Suggestion]:
    """Bounds for the rows of a dataset and for each measured filter, where the catalog has none.

    Args:
        catalog: The catalog.
        measure: The measured counts: those of the last day.
        history: Earlier comparable runs (`history.Series`). Failed ones are not used.
        now: The time of the measurement. Default: now.
    """
    if not measure.rows:
        return []
    now = now or datetime.now(tz=UTC)
    past, dataset, part = history or {}, catalog.datasets[measure.dataset], measure.part
    today = now.date() if part is None else day_of(part.name, part.start.isoformat())
    sizes = _days(past.get(dataset.name, ()), "rows", Day(today, "", measure.total, measure.total))
    result: list[Suggestion] = []
    if not dataset.rows:
        result.append(_of_rows(dataset.name, sizes))
    if dataset.freshness is None and measure.newest is not None and part is None:
        result += _of_freshness(dataset, sizes, now.timestamp() - measure.newest)
    for name, count in measure.filters.items():
        filter_ = catalog.known[name]
        if not filter_.coverage:
            same = [entry for entry in past.get(name, ()) if same_meaning(filter_, entry)]
            accepted = _days(same, "accepted", Day(today, "", measure.accepted[name], measure.rows))
            unknown = _days(same, "unknown", Day(today, "", count.unknown, measure.rows))
            unusual = _anomaly([accepted, unknown], SHARE)
            result.append(_of_filter(name, forecast.share(accepted), forecast.share(unknown), unusual))
    return result


def with_age(plan: Plan) -> Plan:
    """A plan that also asks for the newest value of the only date or timestamp of its dataset, if a filter
    reads it and the catalog bounds no age.
    """
    name = _moment(plan.dataset)
    read = {field for item in plan.filters for field in item.current.predicate.fields}
    if plan.dataset.freshness is not None or name not in read:
        return plan
    return replace(plan, dataset=replace(plan.dataset, freshness=Freshness(name, ())))


def _moment(dataset: Dataset) -> str:
    """The only field of type date or timestamp; "" if there is none, or are several."""
    names = [name for name, decl in dataset.fields.items() if decl.type in (DATE, TIMESTAMP)]
    return names[0] if len(names) == 1 else ""


def _days(entries: Sequence[Mapping[str, Any]], key: str, today: Day) -> list[Day]:
    """The days that passed with rows, the oldest first; the last is today's."""
    passed = [entry for entry in entries if entry["rows"] and entry.get("status") != "fail"]
    label = str(today.day)
    known = [day for day in days(passed, key) if (day.day, day.label) != (today.day, label)]
    return sorted([*known, replace(today, label=label)], key=lambda day: (day.day, day.label))[-MOST_DAYS:]


def _of_rows(name: str, days: Sequence[Day]) -> Suggestion:
    found = forecast.rows(days)
    total = sum(day.rows for day in days)
    if found is None:
        reason = say.few_days(len(days), ENOUGH)
        return Suggestion(name, "rows", [Proposed("rows", "", reason)], len(days), total, "few")
    proposed = [
        *_ends(found, ("at_least", "at_most"), "rows", _whole),
        *_drift(found, 1.0),
        *_anomaly([days], ROWS),
    ]
    return Suggestion(name, "rows", proposed, len(found.days), total, found.method)


def _of_freshness(dataset: Dataset, days: Sequence[Day], age: float) -> list[Suggestion]:
    """The age of the newest value now, and the longest time in which no rows came: it is never older, as long
    as rows come as they did. Nothing is proposed if rows do not come, or the field is not about that.
    """
    came = [days[0].day, *(later.day for earlier, later in pairwise(days) if later.rows != earlier.rows)]
    if len(came) < ENOUGH:
        return []
    pause = max((later - earlier).days for earlier, later in pairwise(came))
    if not 0 <= age <= 2 * pause * _SECONDS:
        return []
    hours = math.ceil((age + pause * _SECONDS) / 3600)
    reason = say.age(_moment(dataset), math.ceil(age / 3600), len(days), pause)
    proposed = [Proposed("column", _moment(dataset), reason), Proposed("at_most", f"{hours} hours", reason)]
    total = sum(day.rows for day in days)
    return [Suggestion(dataset.name, "freshness", proposed, len(days), total, "pauses", None)]


_SECONDS = 86_400


def _of_filter(name: str, accepted: Forecast, unknown: Forecast, unusual: Iterable[Proposed]) -> Suggestion:
    proposed = [
        *_ends(accepted, ("at_least", "at_most"), "accepted", _percent),
        *_ends(unknown, ("", "unknown_at_most"), "unknown", _percent),
        *_drift(accepted, min(accepted.high - accepted.low, _COARSE)),
        *unusual,
    ]
    total = sum(day.rows for day in accepted.days)
    return Suggestion(name, "coverage", proposed, len(accepted.days), total, accepted.method)


# A step of half of all rows is no bound: there are too few rows.
_COARSE = 0.5


def _ends(
    found: Forecast, keys: tuple[str, str], what: str, text: Callable[[float, float], str]
) -> Iterator[Proposed]:
    """The bounds of the two ends of an interval. None on the side to which the figures move from day to day,
    and none that nothing can break.
    """
    for key, value, side in zip(keys, (found.low, found.high), (-1, 1), strict=True):
        if key and found.trend == side:
            yield Proposed(key, "", (say.rises if side > 0 else say.falls)(_counted(found, what)))
        elif key and text(value, found.center) not in ("0%", "100%"):
            yield Proposed(key, text(value, found.center), _why(found, what))


def _drift(found: Forecast, most: float) -> Iterator[Proposed]:
    """The bound on the step from one day to the next, unless the other bounds hold it already."""
    if found.drift < most:
        words = say.guessed_steps if found.method in _GUESSED else say.steps
        yield Proposed("drift", _percent(found.drift, 0), words(len(found.days), CONFIDENCE))


def _anomaly(figures: Sequence[Sequence[Day]], scale: Scale) -> Iterator[Proposed]:
    """The bound on unusual days: of the figures that it judges, if their last two weeks could be judged and
    were usual.
    """
    rate = (1 - CONFIDENCE) / len(figures)
    tried = [(days[:place], days[place]) for days in figures for place in range(len(days))[-_TRIED:]]
    runs = [missing(before, today) for before, today in tried]
    if all(known >= needed for known, needed in runs) and all(
        usual(before, today, rate, scale).holds for before, today in tried
    ):
        yield Proposed("anomaly", _RATE, say.unusual(len(figures[0]), _TRIED, round(1 / (1 - CONFIDENCE))))


# Days that are judged before it is proposed that later ones are.
_TRIED = 14
_RATE = f"{round((1 - CONFIDENCE) * 100, 9):g}%"
_GUESSED = ("once", "few")


def _why(found: Forecast, what: str) -> str:
    counted = _counted(found, what)
    if found.method in _GUESSED:
        return say.guessed(counted, CONFIDENCE, ODDS, ENOUGH)
    left_out = [f"{day.label} ({_shown(day, what)})" for day in found.left_out]
    return say.interval(counted, CONFIDENCE, found.spread, found.method, left_out)


def _counted(found: Forecast, what: str) -> str:
    """The figures of the days in words."""
    days = sorted(found.days, key=lambda day: day.rows if what == "rows" else day.share)
    low, high = _shown(days[0], what), _shown(days[-1], what)
    if what == "rows":
        return say.counted_rows(low, high, len(days))
    total = quantity(sum(day.rows for day in days), "row")
    if len(days) == 1:
        return say.counted_once(_WORDS[what], days[0].count, total)
    return say.counted_shares(_WORDS[what], low, high, len(days), total)


_WORDS = {"accepted": "accepted ", "unknown": "UNKNOWN for "}


def _shown(day: Day, what: str) -> str:
    return quantity(day.rows, "row") if what == "rows" else f"{day.share:.2%}"


def _percent(share: float, center: float) -> str:
    """A share, rounded away from the center: two digits of the distance remain."""
    return f"{_outward(min(max(share, 0.0), 1.0) * 100, center * 100):f}%"


def _whole(number: float, center: float) -> str:
    """A number of rows, rounded in the same way."""
    return str(int(_outward(number, center)))


def _outward(value: float, center: float) -> Decimal:
    digits = math.floor(math.log10(max(abs(value - center), 1e-4))) - 1
    step = Decimal(1).scaleb(digits)
    mode = ROUND_FLOOR if value < center else ROUND_CEILING
    result = (Decimal(repr(value)) / step).to_integral_value(mode) * step
    return result.normalize() if result == result.to_integral_value() else result
