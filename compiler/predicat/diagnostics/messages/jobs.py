"""Messages about jobs, their sources and sinks, in a catalog. Each function is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.messages import Reason
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.source import Span

FILTER_OF_JOB = "a filter of a job"


def job(name: str) -> str:
    return f"the job {name!r}"


def job_without_source(span: Span, name: str) -> Diagnostic:
    return say_keys.missing_key(span, "source", f"the job {name!r}")


def source_with_two_places(span: Span) -> Diagnostic:
    return msg.bad_value(span, "source", "it has a table and a path", "give one of the two")


def source_without_place(span: Span) -> Diagnostic:
    return say_keys.missing_key(span, "table or path", "source")


def format_of_a_table(span: Span) -> Diagnostic:
    return msg.bad_value(span, "source", "a table has its own format", "leave format out, or give a path")


def source_with_password(span: Span) -> Diagnostic:
    return msg.bad_value(
        span, "source", "it has a password in it", "write password: $NAME for an environment variable"
    )


def job_filter_missing(span: Span) -> Diagnostic:
    return say_keys.missing_key(span, "filter", "a filter of a job")


def password_in_dsn(span: Span) -> Diagnostic:
    return msg.bad_value(
        span, "a sink", "the DSN has a password in it", "remove it, and set PGPASSWORD or use ~/.pgpass"
    )


def sink_without_place(span: Span, *, path: bool) -> Diagnostic:
    return say_keys.missing_key(span, "path, or table, or jdbc and table" if path else "table", "a sink")


def sink_with_two_places(span: Span) -> Diagnostic:
    return msg.bad_value(span, "a sink", "it has a table and a path", "give one of the two")


def one_of(span: Span, key: str, others: str, last: str, hint: str | None) -> Diagnostic:
    return msg.bad_value(span, key, f"it must be {others} or {last}", hint)


def bad_option(span: Span, name: str, given: str) -> Diagnostic:
    return say_keys.wrong_kind(span, f"the option {name!r}", "a string, a number, true or false", given)


def no_subscriptions(span: Span, dataset: str) -> Diagnostic:
    return Diagnostic(
        "missing-key",
        f"the dataset {dataset!r} has no subscriptions",
        span,
        "list them under subscriptions:, or run its filters with filters: all",
    )


def filter_twice(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(span, "filters", f"{name} appears twice", "give one of them another name:")


def no_quarantine(span: Span) -> Diagnostic:
    return msg.bad_value(
        span, "bad_records", "there is no sink for the rows with bad cells", "add a sink with rows: bad"
    )


def checkpoint_overwrites(span: Span) -> Diagnostic:
    return msg.bad_value(
        span,
        "a job",
        "with a checkpoint it reads only new rows, and they would overwrite all earlier rows",
        "write mode: append",
    )


def sinks_share_place(span: Span, path: str) -> Diagnostic:
    return msg.bad_value(
        span,
        "a sink",
        f"another sink writes to {path} too",
        "the rows of one would replace those of the other",
    )


def job_named_as_dataset(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(
        span, "a job", f"a dataset is named {name}", "predicat run takes the name of a job or of a dataset"
    )


def filter_of_another_dataset(span: Span, filter_name: str, dataset: str) -> Diagnostic:
    return msg.bad_value(span, filter_name, f"a job of {dataset} cannot run a filter of another dataset")


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


def bad_sink(span: Span, reason: Reason) -> Diagnostic:
    return msg.bad_value(span, "a sink", reason.text, reason.hint)


def filter_not_in_job(name: str, known: Iterable[str]) -> Reason:
    return Reason(f"the job has no filter {name!r}", msg.did_you_mean(name, known))


def unknown_placeholder(text: str, placeholder: str) -> Reason:
    return Reason(f"unknown placeholder {text}", f"write {placeholder} for the name of a filter")


def filters_share_place(placeholder: str, *, path: bool) -> Reason:
    """`path`: the place is a path, and no table."""
    where = "the path" if path else "the name of the table"
    hint = f"write {placeholder} into {where}, or name one filter: filters: [...]"
    return Reason("several filters would write to the same place", hint)


def rows_of_no_filter(rows: str, placeholder: str) -> Reason:
    return Reason(f"{rows} rows do not belong to a single filter", f"remove {placeholder}")


def no_partitions(*, path: bool) -> Reason:
    hint = "add partition_by: to the sink" if path else "write mode: overwrite or append"
    return Reason("mode: overwrite_partitions needs partitions", hint)


def matched_among_others(span: Span) -> Diagnostic:
    return msg.bad_value(
        span,
        "the job",
        "rows: matched looks filters up in an index, which does not separate rejected rows from unknown ones",
        "write accepted, rejected and unknown rows in another job; remove passes: many",
    )


def bad_tries(span: Span, most: int) -> Diagnostic:
    return msg.bad_value(
        span,
        "tries",
        f"it must be an integer from 1 to {most:,}",
        "it is how often an entry filter gets a row that it reschedules",
    )


def tries_without_checkpoint(span: Span) -> Diagnostic:
    return msg.bad_value(
        span,
        "the job",
        "tries needs a checkpoint, where rows wait for the next batch",
        "add a checkpoint; without one, a job gives each row to the filter once",
    )


def quarantine_needed() -> Reason:
    return Reason("rows: bad needs bad_records: quarantine")
