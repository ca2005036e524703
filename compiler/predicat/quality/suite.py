"""What a Great Expectations suite says of the declared bounds of a dataset, and which of them it cannot say.

Importing this module imports Great Expectations, which takes seconds, so only `project` does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from great_expectations.expectations.core.expect_table_row_count_to_be_between import (
    ExpectTableRowCountToBeBetween,
)
from great_expectations.expectations.metadata_types import FailureSeverity
from msgspec import Struct

from predicat.catalog.model import Catalog, Dataset
from predicat.diagnostics.messages import coverage as say
from predicat.quality import expectations as own
from predicat.quality.checks import Declared, declared
from predicat.quality.history import Entry
from predicat.quality.plan import members, plan

# Severities of the catalog as Great Expectations calls them.
SEVERITIES = {"error": FailureSeverity.CRITICAL, "warn": FailureSeverity.WARNING}
# The results of the stated baseline by filter, and by dataset for its rows.
Baseline = Mapping[str, Sequence[Entry]]


class Suite(Struct, frozen=True):
    """The declared bounds of a dataset: an expectation for each, or the reason why there is none.

    `left_out` has the reasons by bound (`flights.late drift`).
    """

    dataset: Dataset
    expectations: Sequence[Any]
    left_out: Mapping[str, str]


def suite(catalog: Catalog, dataset: Dataset, folder: str, engine: str, baseline: Baseline) -> Suite:
    """The suite of a dataset. `folder` is the catalog as expectations name it."""
    every = declared(dataset, [filter_.qualified for filter_ in dataset.filters.values()])
    if engine != "spark" and engine not in dataset.relation:
        return Suite(dataset, (), {item.label: say.no_relation(dataset.name, engine) for item in every})
    refused = plan(catalog, dataset.name, (), engine).refused if every else {}
    expectations: list[Any] = []
    left_out: dict[str, str] = {}
    for item in every:
        for limit in item.thresholds:
            found = _refused(dataset, item, refused) or _WRITERS[item.kind](item, limit.value, baseline)
            if isinstance(found, str):
                left_out[item.label] = found
            else:
                kind, arguments = found
                is_table = kind is ExpectTableRowCountToBeBetween
                where = {} if is_table else {"catalog": folder, "dataset": dataset.name}
                expectations.append(kind(severity=SEVERITIES[limit.severity], **where, **arguments))
    return Suite(dataset, expectations, left_out)


def _refused(dataset: Dataset, item: Declared, refused: Mapping[str, str]) -> str:
    """Why a filter that a bound needs cannot be measured; "" if it can."""
    if item.name in refused:
        return refused[item.name]
    needed = members(dataset, item.name.partition(".")[2]) if item.kind in {"exclusive", "exhaustive"} else []
    lost = next((name for name in needed if name in refused), None)
    return say.member_not_measured(lost, refused[lost]) if lost is not None else ""


# An expectation with its arguments, or the reason why there is none.
_Written = tuple[type[Any], dict[str, Any]] | str


def _coverage(item: Declared, limit: float, _: Baseline) -> _Written:
    unknown = item.kind == "unknown_at_most"
    kind = own.ExpectFilterUnknownRateToBeAtMost if unknown else own.ExpectFilterCoverageToBeBetween
    end = "min" if item.kind == "at_least" else "max"
    return kind, {"filter": _short(item), **_bound(end, item, limit)}


def _bound(end: str, item: Declared, limit: float) -> dict[str, Any]:
    return {f"{end}_share": limit} if item.share else {f"{end}_rows": int(limit)}


def _drift(item: Declared, limit: float, baseline: Baseline) -> _Written:
    last = baseline.get(item.name)
    if not last:
        return say.NO_BASELINE
    return own.ExpectFilterCoverageToBeStable, {
        "filter": _short(item),
        "baseline_accepted": last[-1]["accepted"],
        "baseline_rows": last[-1]["rows"],
        "min_change": limit,
    }


def _rows(item: Declared, limit: float, _: Baseline) -> _Written:
    end = "min_value" if item.kind == "rows_at_least" else "max_value"
    return ExpectTableRowCountToBeBetween, {end: int(limit)}


def _rows_drift(item: Declared, limit: float, baseline: Baseline) -> _Written:
    last = baseline.get(item.name)
    if not last:
        return say.NO_BASELINE
    rows = last[-1]["rows"]
    ends = {"min_value": math.ceil(rows * (1 - limit)), "max_value": math.floor(rows * (1 + limit))}
    return ExpectTableRowCountToBeBetween, ends


def _group(item: Declared, limit: float, _: Baseline) -> _Written:
    kind = (
        own.ExpectFiltersToBeMutuallyExclusive
        if item.kind == "exclusive"
        else own.ExpectFiltersToBeCollectivelyExhaustive
    )
    return kind, {"group": _short(item), **(_bound("max", item, limit) if limit else {})}


def _short(item: Declared) -> str:
    return item.name.partition(".")[2]


# How each kind of bound is written.
_WRITERS: Mapping[str, Callable[[Declared, float, Baseline], _Written]] = {
    "rows_at_least": _rows,
    "rows_at_most": _rows,
    "rows_drift": _rows_drift,
    "rows_anomaly": lambda *_: say.NEEDS_THE_HISTORY,
    "freshness": lambda *_: say.NEEDS_THE_TIME,
    "at_least": _coverage,
    "at_most": _coverage,
    "unknown_at_most": _coverage,
    "drift": _drift,
    "anomaly": lambda *_: say.NEEDS_THE_HISTORY,
    "exclusive": _group,
    "exhaustive": _group,
    "baseline": lambda *_: say.ABOUT_THE_BASELINE,
}
