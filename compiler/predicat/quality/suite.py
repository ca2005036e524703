"""What a Great Expectations suite says of the declared bounds of a dataset, and which of them it cannot say.

Importing this module imports Great Expectations, which takes seconds, so only `project` does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from great_expectations.expectations.metadata_types import FailureSeverity
from msgspec import Struct

from predicat.catalog.model import Catalog, Dataset
from predicat.diagnostics.messages import coverage as say
from predicat.diagnostics.source import Span
from predicat.quality import expectations as own
from predicat.quality.checks import OF_ROWS, Declared, declared
from predicat.quality.history import Entry
from predicat.quality.plan import members, plan

# Severities of the catalog as Great Expectations calls them.
SEVERITIES = {"error": FailureSeverity.CRITICAL, "warn": FailureSeverity.WARNING}
# The results of the stated baseline by filter, and by dataset for its rows.
Baseline = Mapping[str, Sequence[Entry]]


class Suite(Struct, frozen=True):
    """The declared bounds of a dataset: an expectation for each, or the reason why there is none.

    `left_out` has the reasons by bound (`flights.late drift`), `places` where these are declared.
    """

    dataset: Dataset
    expectations: Sequence[Any]
    left_out: Mapping[str, str]
    places: Mapping[str, Span]


def suite(catalog: Catalog, dataset: Dataset, folder: str, engine: str, baseline: Baseline) -> Suite:
    """The suite of a dataset. `folder` is the catalog as expectations name it."""
    every = declared(dataset, [filter_.qualified for filter_ in dataset.filters.values()])
    places = {item.label: _place(dataset, item) for item in every}
    if engine != "spark" and engine not in dataset.relation:
        reason = say.no_relation(dataset.name, engine)
        return Suite(dataset, (), dict.fromkeys(places, reason), places)
    refused = plan(catalog, dataset.name, (), engine).refused if every else {}
    expectations: list[Any] = []
    left_out: dict[str, str] = {}
    for item in every:
        for limit in item.thresholds:
            found = _refused(dataset, item, refused) or _WRITERS[item.kind](
                dataset, item, limit.value, baseline
            )
            if isinstance(found, str):
                left_out[item.label] = found
            else:
                kind, arguments = found
                about = {
                    "catalog": folder,
                    "dataset": dataset.name,
                    "severity": SEVERITIES[limit.severity],
                    "meta": {"predicat": {"bound": item.label, "limit": limit.text}},
                }
                expectations.append(kind(**about, **arguments))
    return Suite(dataset, expectations, left_out, {label: places[label] for label in left_out})


def _place(dataset: Dataset, item: Declared) -> Span:
    """Where the filter, the group or the key of the dataset stands that declares a bound."""
    kind, name = item.kind, _short(item)
    if not name:
        return dataset.place("rows" if kind in OF_ROWS else kind)
    return dataset.place(f"group {name}" if kind in _GROUPS else f"filter {name}")


def _refused(dataset: Dataset, item: Declared, refused: Mapping[str, str]) -> str:
    """Why a filter that a bound needs cannot be measured; "" if it can."""
    if item.name in refused:
        return say.cannot_be_measured(refused[item.name])
    needed = members(dataset, _short(item)) if item.kind in _GROUPS else []
    lost = next((name for name in needed if name in refused), None)
    return say.cannot_be_measured(say.member_not_measured(lost, refused[lost])) if lost is not None else ""


# An expectation with its arguments, or the reason why there is none.
_Written = tuple[type[Any], dict[str, Any]] | str


def _coverage(_: Dataset, item: Declared, limit: float, __: Baseline) -> _Written:
    unknown = item.kind == "unknown_at_most"
    kind = own.ExpectFilterUnknownRateToBeAtMost if unknown else own.ExpectFilterCoverageToBeBetween
    end = "min" if item.kind == "at_least" else "max"
    return kind, {"filter": _short(item), **_bound(end, item, limit)}


def _bound(end: str, item: Declared, limit: float) -> dict[str, Any]:
    return {f"{end}_share": limit} if item.share else {f"{end}_rows": int(limit)}


def _drift(_: Dataset, item: Declared, limit: float, baseline: Baseline) -> _Written:
    last = baseline.get(item.name)
    if not last:
        return say.NO_BASELINE
    return own.ExpectFilterCoverageToBeStable, {
        "filter": _short(item),
        "baseline_accepted": last[-1]["accepted"],
        "baseline_rows": last[-1]["rows"],
        "min_change": limit,
    }


def _rows(_: Dataset, item: Declared, limit: float, __: Baseline) -> _Written:
    end = "min_rows" if item.kind == "rows_at_least" else "max_rows"
    return own.ExpectDatasetRowCountToBeBetween, {end: int(limit)}


def _rows_drift(_: Dataset, item: Declared, limit: float, baseline: Baseline) -> _Written:
    last = baseline.get(item.name)
    if not last:
        return say.NO_BASELINE
    rows = last[-1]["rows"]
    ends = {"min_rows": math.ceil(rows * (1 - limit)), "max_rows": math.floor(rows * (1 + limit))}
    return own.ExpectDatasetRowCountToBeBetween, ends


def _freshness(dataset: Dataset, _: Declared, limit: float, __: Baseline) -> _Written:
    if dataset.partition is not None:
        return say.FRESHNESS_OF_A_PARTITION
    return own.ExpectDatasetToBeFresh, {"max_age": int(limit)}


def _group(_: Dataset, item: Declared, limit: float, __: Baseline) -> _Written:
    kind = (
        own.ExpectFiltersToBeMutuallyExclusive
        if item.kind == "exclusive"
        else own.ExpectFiltersToBeCollectivelyExhaustive
    )
    return kind, {"group": _short(item), **(_bound("max", item, limit) if limit else {})}


def _short(item: Declared) -> str:
    return item.name.partition(".")[2]


_GROUPS = ("exclusive", "exhaustive")
# How each kind of bound is written.
_WRITERS: Mapping[str, Callable[[Dataset, Declared, float, Baseline], _Written]] = {
    "rows_at_least": _rows,
    "rows_at_most": _rows,
    "rows_drift": _rows_drift,
    "rows_anomaly": lambda *_: say.NEEDS_THE_HISTORY,
    "freshness": _freshness,
    "at_least": _coverage,
    "at_most": _coverage,
    "unknown_at_most": _coverage,
    "drift": _drift,
    "anomaly": lambda *_: say.NEEDS_THE_HISTORY,
    "exclusive": _group,
    "exhaustive": _group,
    "baseline": lambda *_: say.ABOUT_THE_BASELINE,
}
