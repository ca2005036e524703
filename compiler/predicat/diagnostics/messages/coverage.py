"""Reasons why a bound on coverage is not checked. Each function is one: see the package."""

from __future__ import annotations

NO_EARLIER_RUN = (
    "there is no earlier run of the same catalog, dataset, engine and sample; the next run is compared with "
    "this one"
)
NO_HISTORY = "no earlier results and no baseline were given"
NO_BASELINE = "there is no baseline: predicat quality baseline writes it"
NEEDS_THE_TIME = "it depends on the time of the run, which an expectation does not have"
ABOUT_THE_BASELINE = "it is about the baseline, not about rows"


def no_bounds(options: str) -> str:
    return f"no bounds to check: predicat quality suggest{options} proposes them"


NOTHING_JUDGED = "no bound was checked, so this is no success"
NO_ROWS = "there are no rows, so there is no share of them"


def no_earlier_success(name: str, runs: int) -> str:
    earlier = f"none of the {runs} earlier runs" if runs > 1 else "no earlier run"
    return f"{name} passed in {earlier}; to compare with the newest one: predicat quality baseline"


BASELINE_ROWS = "baseline_rows is 0"


def no_rows_then(at: str) -> str:
    return f"there were no rows at the time of the baseline, {at}"


def member_not_measured(name: str, reason: str) -> str:
    return f"{name} is not measured: {reason}"


def no_relation(dataset: str, engine: str) -> str:
    return f"{dataset} names no relation for {engine}"


def left_out(bounds: str, reason: str) -> str:
    return f"left out: {bounds}: {reason}"


def not_checked(label: str, reason: str) -> str:
    return f"{label} is not checked, because {reason}"


def could_not_check(label: str, reason: str) -> str:
    return f"{label} could not be checked: {reason}"
