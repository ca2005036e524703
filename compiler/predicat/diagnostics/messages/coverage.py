"""Reasons why a bound on coverage is not checked. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from predicat.diagnostics.message import Failure, Problem, Text

NO_EARLIER_RUN = (
    "there is no earlier run of the same catalog, dataset, engine and sample; the next run is compared with "
    "this one"
)
NO_HISTORY = "no earlier results and no baseline were given"
NO_BASELINE = "there is no baseline: predicat quality baseline writes it"
FRESHNESS_OF_A_PARTITION = (
    "of a partition it is the age at its end, which a batch does not know; predicat quality run judges it"
)
NEEDS_EARLIER_RUNS = "it is judged by earlier runs, which dbt does not keep: use predicat quality run"
NEEDS_ARGUMENTS = "a parameter of the filter has no default"
NO_TIMESTAMP = "the field is a date, and dbt measures the age of timestamps"
ON_NO_ADAPTER = "no adapter supports its filters"
NEEDS_THE_HISTORY = (
    "it is judged by the runs before, which an expectation does not have; predicat quality run judges it"
)
ABOUT_THE_BASELINE = "it is about the baseline, not about rows; predicat quality run judges it"

no_bounds = Text[str]("no bounds to check: predicat quality suggest{options} proposes them")

late = Text[int, str, int]("""late: it had {before:count row} when it was measured on {at}, and has {now:,}
    now""")
unplaced = Text[int, str, str]("""warning: {rows:count row} of {dataset} without {field}: they are in no
    partition""")
no_partition_declared = Failure[str]("""usage: {dataset} declares no partitions
    hint: write partition: {{column: ..., by: day, zone: ...}} into its file""")
one_way_to_partitions = Failure[()]("usage: give one of --partition, --partitions and --last")
where_needs_values = Failure[str, str]("""usage: {dataset}: where names {filter}, which has a parameter
    without a default""")
no_partitions = Failure[str]("usage: {text} has no partitions")
bad_partitions = Failure[str, str]("""usage: {text!r} is no range of partitions by {by}
    hint: write days (2026-01-01..2026-03-01), months (2026-01), weeks (2026-W05), or hours by hour""")

# Why a condition is UNKNOWN for a row.
missing = Text[str]("{name} is missing")
unusable = Text[str]("{name} is no value of its type")
UNUSABLE = "a value cannot be used"

rows_need_a_key = Problem[str]("""usage: {dataset} has no key, so nobody could find the rows again
    hint: write key: [FIELD, ...] into its file, or run it without --rows""")
rows_show_the_key = Problem[str, str]("""usage: {dataset}: the key {field} is sensitive, and rows show their
    key
    hint: name another field in key, or run it without --rows""")
one_dataset_for_rows = Failure[str]("""usage: {target} would get the rows of several datasets
    hint: write {{dataset}} where its name is to stand, or name one dataset""")
not_our_table = Failure[str]("""usage: the table {table} was not written by --rows, so it is not replaced
    hint: name another one""")
no_target_of_rows = Failure[str, str]("""usage: rows cannot be written to {target!r}: it is neither a file nor
    a table
    hint: name a file (.csv, .json, .jsonl or .parquet) or {table}""")
A_TABLE = "a table"
A_TABLE_OF_DUCKDB = "a table of a database: FILE.duckdb:TABLE"
rows_written = Text[str, int, int, str](
    "{target}: {rows:count row} of {bounds:count broken bound} of {dataset}"
)
without_rows = Text[Iterable[str]]("{bounds:list}: not about single rows, so none are written")

NOTHING_JUDGED = "no bound was checked, so this is no success"
NOTHING_TO_SUGGEST = "nothing to propose: there are too few rows, or all filters have bounds"
NO_ROWS = "there are no rows, so there is no share of them"
BASELINE_ROWS = "baseline_rows is 0"

no_rows_then = Text[str]("there were no rows at the time of the baseline, {at}")
member_not_measured = Text[str, str]("{name} is not measured: {reason}")
no_relation = Text[str, str]("""{dataset} names no relation for {engine}; name one in relation:, or give
    another --engine""")
cannot_be_measured = Text[str]("{reason}; give its parameters defaults, or choose another --engine")
no_exposure = Text[str]("left out: the exposure of {job}: dbt asks for an owner, and the job has none")
no_table_name = Text[str, str, str](
    "{dataset}: the relation {relation!r} is no table on {adapter}; name it in the source"
)
left_out = Text[str, str]("left out: {bounds}: {reason}")
not_all_judged = Text[str, int, int]("""{suite}: {found} of {written:count expectation} judged, so this is no
    success; predicat quality gx writes the suite again""")
not_checked = Text[str, str]("{label} is not checked: {reason}")
could_not_check = Text[str, str]("{label} could not be checked: {reason}")


def no_earlier_success(name: str, runs: int) -> str:
    earlier = f"none of the {runs} earlier runs" if runs > 1 else "no earlier run"
    return f"{name} passed in {earlier}; to compare with the newest one: predicat quality baseline"


MONTHS_HAVE_NO_WEEKDAY = "an anomaly is judged by hours, days or weeks, and the partition is a month"
AS_ON_ANOTHER_WEEKDAY = "; it is usual for another weekday, and the day before was usual: a holiday"
usual = Text[str, str, str, str, int]("{name} {figure}; on a {weekday} {ends} are usual ({runs:count run})")


def not_judged_yet(known: int, needed: int, weekday: str) -> str:
    runs = f"runs on a {weekday}" if weekday else "runs"
    return f"not judged yet: {known} of {needed} {runs}"


no_bound = Text[str]("no {key}")
few_days = Text[int, int]("there are results of {days:count day}; the spread of days needs {enough}")
counted_once = Text[str, int, str]("{what}{count:,} of {rows} in one run")
# `what` ends with a blank.
counted_shares = Text[str, str, str, int, str](
    "{what}{low} to {high} of the rows on {days:count day} ({rows})"
)
counted_rows = Text[str, str, int]("{low} to {high} on {days:count day}")
guessed = Text[str, float, float, int]("""{figures}; a {share:.2%} interval, wider as if odds may be
    {odds:g} times as high or low, because fewer than {enough} days do not show how days differ""")
rises = Text[str]("{figures}; the figures rise from day to day, so a limit would soon be wrong")
falls = Text[str]("{figures}; the figures fall from day to day, so a limit would soon be wrong")
steps = Text[int, float]("the steps from day to day on {days:count day} (confidence {share:.2%})")
guessed_steps = Text[int, float]("""the interval of {days:count day} of results, for the difference of two
    days (confidence {share:.2%})""")
unusual = Text[int, int, int]("""{days:count day} are known, and the last {tried} were usual for their
    weekdays; one usual day in {rate:,} is an alarm""")
age = Text[str, int, int, int]("""the newest {field} is {hours:count hour} old, and on {days:count day} rows
    came after {pause:count day} at the latest""")


def interval(figures: str, share: float, spread: float, method: str, left_out: Sequence[str]) -> str:
    varies = "vary as by chance" if spread < 1.05 else f"vary {spread:.1f} times as much as by chance"
    around = {
        "weekdays": "of each weekday",
        "trend": "around the last day, because days rise or fall",
        "spread": "of the next day",
    }[method]
    without = f"; without {', '.join(left_out)}, out of line" if left_out else ""
    return f"{figures}{without}; a {share:.2%} interval {around}; days {varies}"
