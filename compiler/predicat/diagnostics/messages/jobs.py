"""Messages about jobs, their sources and sinks, in a catalog. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Problem, Text, Why
from predicat.diagnostics.messages import Reason
from predicat.diagnostics.source import Span

FILTER_OF_JOB = "a filter of a job"
TABLE_OR_PATH = "table or path"
PLACE_OF_A_SINK = "path, or table, or jdbc and table"

job = Text[str]("the job {name!r}")
source_with_two_places = Problem[()]("""bad-value: source: it has a table and a path
    hint: give one of the two""")
format_of_a_table = Problem[()]("""bad-value: source: a table has its own format
    hint: leave format out, or give a path""")
source_with_password = Problem[()]("""bad-value: source: it has a password in it
    hint: write password: $NAME for an environment variable""")
password_in_dsn = Problem[()]("""bad-value: a sink: the DSN has a password in it
    hint: remove it, and set PGPASSWORD or use ~/.pgpass""")
sink_with_two_places = Problem[()]("""bad-value: a sink: it has a table and a path
    hint: give one of the two""")
one_of = Problem[str, str, str, str | None]("""bad-value: {key}: it must be {others} or {last}
    hint: {hint:optional}""")
bad_option = Problem[str, str]("""wrong-kind: the option {name!r} must be a string, a number, true or
    false, not {given}""")
no_subscriptions = Problem[str]("""missing-key: the dataset {dataset!r} has no subscriptions
    hint: list them under subscriptions:, or run its filters with filters: all""")
filter_twice = Problem[str]("""bad-value: filters: {name} appears twice
    hint: give one of them another name:""")
no_quarantine = Problem[()]("""bad-value: bad_records: there is no sink for the rows with bad cells
    hint: add a sink with rows: bad""")
checkpoint_overwrites = Problem[()]("""bad-value: a job: with a checkpoint it reads only new rows, and they
    would overwrite all earlier rows
    hint: write mode: append""")
sinks_share_place = Problem[str]("""bad-value: a sink: another sink or filter writes to {path} too
    hint: the rows of one would replace those of the other""")
job_named_as_dataset = Problem[str]("""bad-value: a job: a dataset is named {name}
    hint: predicat run takes the name of a job or of a dataset""")
filter_of_another_dataset = Problem[str, str]("""bad-value: {filter_name}: a job of {dataset} cannot run a
    filter of another dataset""")
bad_sink = Problem[Reason]("""bad-value: a sink: {reason.text}
    hint: {reason.hint:optional}""")
filter_not_in_job = Why[str, Iterable[str]]("""the job has no filter {name!r}
    hint: {known:near name}""")
unknown_placeholder = Why[str, str]("""unknown placeholder {text}
    hint: write {placeholder} for the name of a filter""")
# `path`: the place is a path, and no table.
filters_share_place = Why[str, bool]("""several filters would write to the same place
    hint: write {placeholder} into {path:if the path|the name of the table}, or name one filter: filters:
    [...]""")
rows_of_no_filter = Why[str, str]("""{rows} rows do not belong to a single filter
    hint: remove {placeholder}""")
no_partitions = Why[bool]("""mode: overwrite_partitions needs partitions
    hint: {path:if add partition_by: to the sink|write mode: overwrite or append}""")
matched_among_others = Problem[()]("""bad-value: the job: rows: matched looks filters up in an index, which
    does not separate rejected rows from unknown ones
    hint: write accepted, rejected and unknown rows in another job; remove passes: many""")
bad_tries = Problem[int]("""bad-value: tries: it must be an integer from 1 to {most:,}
    hint: it is how often an entry filter gets a row that it reschedules""")
tries_without_checkpoint = Problem[()]("""bad-value: the job: tries needs a checkpoint, where rows wait for
    the next batch
    hint: add a checkpoint; without one, a job gives each row to the filter once""")
quarantine_needed = Why[()]("rows: bad needs bad_records: quarantine")


def field_does_not_fit(
    span: Span, name: str, dataset: str, field: str, wanted: tuple[str, str], own: tuple[str, str] | None
) -> Diagnostic:
    """`wanted` and `own` are a type and `nulls`; `own` is None where this dataset has no such field."""
    read = f"{name} reads the field {field!r}"
    if own is None:
        hint = "declare the field, or name a filter of this dataset"
        message = f"{read}, which the dataset {dataset!r} does not have"
        return Diagnostic("field-does-not-fit", message, span, hint)
    if own[0] != wanted[0]:
        message = f"{read} as {wanted[0]}, but here it is {own[0]}"
    else:
        message = f"{read} with nulls: {wanted[1]}, but here it has nulls: {own[1]}"
    return Diagnostic("field-does-not-fit", message, span, "declare the field as in the other dataset")
