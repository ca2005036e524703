"""Compare measured counts with the bounds of the catalog and with a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct, field

from predicat.catalog.model import Bound, Catalog, Dataset, Filter, Freshness
from predicat.diagnostics.wording import quantity
from predicat.ir.canonical import meaning_hash
from predicat.quality.history import last_accepted
from predicat.quality.measure import Measure
from predicat.quality.statistics import drifted, psi, wilson


class Check(Struct, frozen=True):
    """One bound and whether it holds.

    Attributes:
        name: The filter, group or dataset.
        kind: The bound: `at_least`, `at_most`, `unknown_at_most`, `drift`, ...
        status: `pass`, `warn` or `fail`.
        message: One sentence with the figures.
        value: The measured value, in `unit`.
        bound: The bound as text.
        history: Earlier values, in `unit`, the oldest first.
        blame: The condition that decides most rows.
        rows: Example rows of a broken group.
        unit: `share` (0 to 1), `rows` or `seconds`.
    """

    name: str
    kind: str
    status: str
    message: str
    value: float
    bound: str
    history: tuple[float, ...] = ()
    blame: str = ""
    rows: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    unit: str = "share"

    def figure(self, value: float) -> str:
        """A value in the unit of the bound, formatted for people."""
        return f"{value:,.0f} {self.unit}" if self.unit != "share" else f"{value:.2%}"


History = Mapping[str, Sequence[Mapping[str, Any]]]
"""Earlier results per filter, the oldest first: `true`, `false`, `unknown`, `accepted`, `rows`."""


def judge(
    catalog: Catalog,
    measure: Measure,
    history: History | None = None,
    baseline: History | None = None,
    now: datetime | None = None,
) -> list[Check]:
    """Check every bound of a dataset, its measured filters and its groups.

    Args:
        catalog: The catalog with the bounds.
        measure: The measured counts.
        history: Earlier comparable runs (`history.Series`).
        baseline: What drift is measured from. Default: the last run of the history that did not fail.
        now: The time of the run, for freshness. Default: now.
    """
    checks: list[Check] = []
    past = history or {}
    for name in measure.filters:
        filter_ = catalog.known[name]
        checks += _coverage(filter_, measure, past.get(name, ()))
        before = _compared(name, past, baseline or {})
        if "drift" in filter_.coverage and before is not None:
            checks.append(_drift(filter_, filter_.coverage["drift"], measure, before))
    moment = now or datetime.now(tz=UTC)
    return [
        *dataset_checks(catalog.datasets[measure.dataset], measure, past, baseline or {}, moment),
        *checks,
        *_groups(catalog, measure),
        *_baseline_age(catalog, measure, baseline or {}, moment),
    ]


def _compared(name: str, past: History, baseline: History) -> Mapping[str, Any] | None:
    """The earlier state that drift is judged against."""
    stated = baseline.get(name)
    return stated[-1] if stated else last_accepted(past.get(name, ()))


def _earlier(entries: Sequence[Mapping[str, Any]], key: str, bound: Bound) -> tuple[float, ...]:
    """The last ten earlier figures in the unit of a bound."""
    if bound.share:
        return tuple(item[key] / item["rows"] for item in entries if item["rows"])[-10:]
    return tuple(item[key] / item.get("sample", 1.0) for item in entries)[-10:]


def _coverage(filter_: Filter, measure: Measure, entries: Sequence[Mapping[str, Any]]) -> Iterator[Check]:
    name = filter_.qualified
    accepted, unknown = measure.accepted[name], measure.filters[name].unknown
    for kind, count, high in (
        ("at_least", accepted, False),
        ("at_most", accepted, True),
        ("unknown_at_most", unknown, True),
    ):
        bound = filter_.coverage.get(kind)
        if bound is None:
            continue
        value = (
            count / measure.rows
            if bound.share and measure.rows
            else count / measure.sample
            if not bound.share
            else 0.0
        )
        edge = _edge(count, measure, bound, high)
        holds = edge <= bound.value if high else edge >= bound.value
        what = "UNKNOWN for" if kind == "unknown_at_most" else "accepts"
        shown = f"{value:.2%} of the rows" if bound.share else quantity(round(value), "row")
        limit = "at most" if high else "at least"
        blame = (
            ""
            if holds
            else _blame(
                measure, name, "unknown" if kind == "unknown_at_most" else "true" if high else "false"
            )
        )
        history = _earlier(entries, "unknown" if kind == "unknown_at_most" else "accepted", bound)
        yield Check(
            name,
            kind,
            _status(holds, bound.severity),
            f"{name} {'is ' if what[0] == 'U' else ''}{what} {shown}; {limit} {bound}",
            value,
            str(bound),
            history,
            blame,
            unit="share" if bound.share else "rows",
        )


def _edge(count: int, measure: Measure, bound: Bound, high: bool) -> float:
    """The figure to judge: of a sample the end of its interval that favours the filter."""
    if measure.sample >= 1:
        return (
            count / measure.rows if bound.share and measure.rows else float(count) if not bound.share else 0.0
        )
    low_end, high_end = wilson(count, measure.rows)
    share = low_end if high else high_end
    return share if bound.share else share * measure.rows / measure.sample


def _status(holds: bool, severity: str) -> str:
    return "pass" if holds else "warn" if severity == "warn" else "fail"


def _blame(measure: Measure, name: str, outcome: str) -> str:
    """The condition that is most often what the filter is too often."""
    atoms = measure.atoms.get(name)
    if not atoms or not measure.rows:
        return ""
    text, count = max(atoms, key=lambda item: int(getattr(item[1], outcome)))
    return f"{text} is {outcome.upper()} for {getattr(count, outcome) / measure.rows:.2%}"


def _drift(filter_: Filter, bound: Bound, measure: Measure, before: Mapping[str, Any]) -> Check:
    name = filter_.qualified
    count = measure.filters[name]
    moved = measure.share(name) - (before["accepted"] / before["rows"] if before["rows"] else 0.0)
    index = psi(
        (before["true"], before["false"], before["unknown"]), (count.true, count.false, count.unknown)
    )
    far = drifted((before["accepted"], before["rows"]), (measure.accepted[name], measure.rows), bound.value)
    since = f"since {before.get('at', 'the baseline')}{_by_version(filter_, measure, before, moved)}"
    message = (
        f"the share of {name} changed by {moved * 100:+.2f} percentage points {since} (PSI {index:.3f}); "
        f"at most {bound}"
    )
    return Check(
        name,
        "drift",
        _status(not far, bound.severity),
        message,
        moved,
        str(bound),
        blame=_moved_atom(measure, name, before) if far else "",
    )


def _by_version(filter_: Filter, measure: Measure, before: Mapping[str, Any], moved: float) -> str:
    """How much of a move is the filter's and how much the data's, where an earlier version was measured
    then.
    """
    name, number = filter_.qualified, before.get("version", filter_.latest)
    if number == filter_.latest:
        same = before.get("hash") in (None, meaning_hash(filter_.current.predicate.node, filter_.on_unknown))
        return "" if same else ", when the filter had another meaning"
    earlier = measure.versions.get(f"{name}@{number}")
    if earlier is None or not measure.rows:
        return f", when it was version {number}"
    by_filter = measure.share(name) - earlier / measure.rows
    return (
        f", {by_filter * 100:+.2f} of them from version {number} to {filter_.latest} and "
        f"{(moved - by_filter) * 100:+.2f} in the data"
    )


def _moved_atom(measure: Measure, name: str, before: Mapping[str, Any]) -> str:
    """The condition whose share of TRUE moved most since an earlier result."""
    earlier = {item["text"]: item for item in before.get("atoms", ())}
    moves = [
        (abs(count.true / measure.rows - earlier[text]["true"] / before["rows"]), text)
        for text, count in measure.atoms.get(name, ())
        if text in earlier and measure.rows and before["rows"]
    ]
    return f"{max(moves)[1]} changed by {max(moves)[0] * 100:.2f} percentage points" if moves else ""


def _baseline_age(catalog: Catalog, measure: Measure, baseline: History, now: datetime) -> Iterator[Check]:
    """Whether the baseline of the dataset is young enough; a dataset that asks for one and has none fails."""
    spec = catalog.datasets[measure.dataset].baseline
    if spec is None:
        return
    moments = [
        datetime.fromisoformat(str(items[-1]["at"]))
        for name, items in baseline.items()
        if name in measure.filters and items
    ]
    age = (now - min(moments)).total_seconds() / 86400 if moments else float("inf")
    message = (
        f"the baseline of {measure.dataset} is {age:.0f} days old"
        if moments
        else f"{measure.dataset} has no baseline"
    )
    status = _status(age <= spec.max_age, spec.severity)
    yield Check(
        measure.dataset,
        "baseline",
        status,
        f"{message}; at most {spec.max_age} days",
        min(age, 99999.0),
        f"{spec.max_age} days",
    )


def dataset_checks(
    dataset: Dataset, measure: Measure, past: History, baseline: History, now: datetime
) -> Iterator[Check]:
    """The bounds on the number of rows of a dataset and on its newest one."""
    rows = float(measure.total)
    totals = tuple(float(entry["rows"]) for entry in past.get(dataset.name, ()))[-10:]
    for kind, holds in (("at_least", rows.__ge__), ("at_most", rows.__le__)):
        bound = dataset.rows.get(kind)
        if bound is not None:
            limit = "at least" if kind == "at_least" else "at most"
            message = f"{dataset.name} has {quantity(measure.total, 'row')}; {limit} {bound.value:,.0f}"
            status = _status(bool(holds(bound.value)), bound.severity)
            yield Check(dataset.name, f"rows_{kind}", status, message, rows, str(bound), totals, unit="rows")
    before, bound = _compared(dataset.name, past, baseline), dataset.rows.get("drift")
    if bound is not None and before is not None and before["rows"]:
        moved = rows / before["rows"] - 1
        since = before.get("at", "the baseline")
        message = (
            f"{dataset.name} has {quantity(measure.total, 'row')}, {moved:+.2%} since {since}; "
            f"at most {bound} either way"
        )
        yield Check(
            dataset.name,
            "rows_drift",
            _status(abs(moved) <= bound.value, bound.severity),
            message,
            moved,
            str(bound),
        )
    if dataset.freshness is not None:
        yield _freshness(dataset.name, dataset.freshness, measure.newest, now)


def _freshness(name: str, spec: Freshness, newest: float | None, now: datetime) -> Check:
    if newest is None:
        return Check(
            name,
            "freshness",
            _status(False, spec.severity),
            f"{name} has no value in {spec.field}, so its age is unknown; at most {spec.text}",
            0.0,
            spec.text,
            unit="seconds",
        )
    age = now.timestamp() - newest
    moment = datetime.fromtimestamp(newest, tz=UTC).isoformat(sep=" ", timespec="seconds")
    message = f"the newest {spec.field} of {name} is {moment}, {_duration(age)} ago; at most {spec.text}"
    return Check(
        name,
        "freshness",
        _status(age <= spec.seconds, spec.severity),
        message,
        age,
        spec.text,
        unit="seconds",
    )


def _duration(seconds: float) -> str:
    """An age in the largest unit that it fills."""
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{max(seconds, 0.0):,.0f} seconds"


def _groups(catalog: Catalog, measure: Measure) -> Iterator[Check]:
    for group, count in measure.groups.items():
        spec = catalog.datasets[measure.dataset].groups[group]
        name, severity = f"{measure.dataset}.{group}", spec.severity
        for kind, wanted, rows, acceptors, samples in (
            ("exclusive", spec.exclusive, count.overlap, "more than one filter", count.overlap_rows),
            ("exhaustive", spec.exhaustive, count.gap, "no filter", count.gap_rows),
        ):
            if wanted:
                message = f"{quantity(rows, 'row')} accepted by {acceptors} of {name}"
                yield Check(name, kind, _status(not rows, severity), message, rows, "0 rows", rows=samples)
