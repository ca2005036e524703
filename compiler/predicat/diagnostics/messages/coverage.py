"""Reasons why a bound on coverage is not checked. Each row is one: see the package."""

from __future__ import annotations

from predicat.diagnostics.message import Text

NO_EARLIER_RUN = (
    "there is no earlier run of the same catalog, dataset, engine and sample; the next run is compared with "
    "this one"
)
NO_HISTORY = "no earlier results and no baseline were given"
NO_BASELINE = "there is no baseline: predicat quality baseline writes it"
NEEDS_THE_TIME = "it depends on the time of the run, which an expectation does not have"
ABOUT_THE_BASELINE = "it is about the baseline, not about rows"

no_bounds = Text[str]("no bounds to check: predicat quality suggest{options} proposes them")

NOTHING_JUDGED = "no bound was checked, so this is no success"
NO_ROWS = "there are no rows, so there is no share of them"
BASELINE_ROWS = "baseline_rows is 0"

no_rows_then = Text[str]("there were no rows at the time of the baseline, {at}")
member_not_measured = Text[str, str]("{name} is not measured: {reason}")
no_relation = Text[str, str]("{dataset} names no relation for {engine}")
left_out = Text[str, str]("left out: {bounds}: {reason}")
not_checked = Text[str, str]("{label} is not checked, because {reason}")
could_not_check = Text[str, str]("{label} could not be checked: {reason}")


def no_earlier_success(name: str, runs: int) -> str:
    earlier = f"none of the {runs} earlier runs" if runs > 1 else "no earlier run"
    return f"{name} passed in {earlier}; to compare with the newest one: predicat quality baseline"
