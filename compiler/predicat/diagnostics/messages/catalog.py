"""Messages about catalog files, jobs and calls of the library. Each function is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.messages import Reason
from predicat.diagnostics.source import NOWHERE, Span

ENCRYPTED_KEY = "it is encrypted with a password"
NO_ED25519_KEY = "it is not an Ed25519 key"
NO_PEM_KEY = "it is not a private key in PEM format"
AN_AGE = "an age such as 90 minutes, 26 hours or 2 days"
A_SHARE = "a share such as 5%"
A_SHARE_OR_ROWS = "a share such as 5% or a number of rows"
CATALOG_FILE = "a catalog file"
FILTER_OF_GROUP = "a filter of a group"
FILTER_OF_JOB = "a filter of a job"
KEY_FIELD = "a field of the key"
PROJECT_FILE = "the project file"


def enumeration(name: str) -> str:
    return f"the enumeration {name!r}"


def the_filter(name: str) -> str:
    return f"the filter {name!r}"


def filter_as_text(span: Span, name: str, given: str) -> Diagnostic:
    return msg.wrong_kind(span, the_filter(name), "a mapping", given, f"write {name}: {{sql: ...}}")


def filter_with_versions(name: str) -> str:
    return f"the filter {name!r} with versions"


def unknown_outcome(on_unknown: str) -> str:
    return f"UNKNOWN, which {on_unknown}s it"


def no_variable(name: str) -> str:
    return f"no variable is named {name!r}"


def no_reference(language: str) -> str:
    return f"{language} has no way to refer to a filter; combine filters with all, any and not"


def no_filter_name(name: str) -> str:
    return f"{name!r} is not the name of a filter"


def missing_in_file(span: Span, key: str) -> Diagnostic:
    return msg.missing_key(span, key, "a catalog file")


def api_version(span: Span, known: str) -> Diagnostic:
    return msg.bad_value(
        span, "apiVersion", "this version of predicat does not know it", f"write apiVersion: {known}"
    )


def relation_of(dialect: str) -> str:
    return f"relation of {dialect}"


def bad_field_name(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(span, "a field", f"{name!r} is not a valid name of a field")


def field(name: str) -> str:
    return f"the field {name!r}"


def field_type_missing(span: Span, name: str) -> Diagnostic:
    return msg.missing_key(span, "type", f"the field {name!r}")


def absent_or_value(span: Span) -> Diagnostic:
    return msg.bad_value(span, "nulls", "it must be absent or value")


def bad_bound(span: Span, key: str, kind: object) -> Diagnostic:
    return msg.bad_value(span, key, f"it must be a value of the type {kind}")


def no_bounds(span: Span, key: str, kind: object) -> Diagnostic:
    return msg.bad_value(
        span,
        key,
        f"a field of the type {kind} has no range",
        "only numbers have a least and a greatest value",
    )


def no_values(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(span, "max", f"the range of the field {name!r} has no values", "swap min and max")


def bad_enumeration(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(
        span,
        "an enumeration",
        f"{name!r} is not a valid name of an enumeration",
        "write words of letters, digits and _, with dots between them",
    )


def bad_word(span: Span, word: str) -> Diagnostic:
    return msg.bad_value(span, "a word of an enumeration", f"{word!r} is not a word of letters, digits and _")


def bad_word_value(span: Span, name: str, word: str, given: str) -> Diagnostic:
    return msg.wrong_kind(span, f"{name}.{word}", "a whole number or a text", given)


def parameter(name: str) -> str:
    return f"the parameter {name!r}"


def parameter_type_missing(span: Span, name: str) -> Diagnostic:
    return msg.missing_key(span, "type", f"the parameter {name!r}")


def bad_default(span: Span, kind: object) -> Diagnostic:
    hint = msg.in_quotes(span.text) if str(kind) == "string" else None
    return msg.bad_value(span, "default", f"it is not of type {kind}", hint)


def reject_or_accept(span: Span) -> Diagnostic:
    return msg.bad_value(span, "on_unknown", "it must be reject or accept")


def not_rows(span: Span, key: str, given: str) -> Diagnostic:
    return msg.wrong_kind(span, key, "a number of rows", given)


def bounds_reversed(span: Span, low: object, high: object) -> Diagnostic:
    return msg.bad_value(span, "at_least", f"{low} is more than at_most, {high}")


def bad_max_age(span: Span, given: str) -> Diagnostic:
    return msg.wrong_kind(span, "max_age", "a number of days such as 30 days", given)


def not_truth(span: Span, key: str, given: str) -> Diagnostic:
    return msg.wrong_kind(span, key, "true or false", given)


def bad_index(span: Span, text: str) -> Diagnostic:
    return msg.bad_value(
        span,
        "indexes",
        f"{text!r} is no index",
        "write what stands behind the table in CREATE INDEX: (lower(name)), USING gin (headers)",
    )


def error_or_warn(span: Span) -> Diagnostic:
    return msg.bad_value(span, "severity", "it must be error or warn")


def no_latest(span: Span, number: str, known: str) -> Diagnostic:
    return msg.bad_value(span, "latest", f"there is no version {number}", f"versions: {known}")


def key_of_a_version(span: Span, where: str, key: str) -> Diagnostic:
    return msg.bad_value(span, where, f"{key!r} belongs in one of its versions")


def bad_version(span: Span, number: object) -> Diagnostic:
    return msg.bad_value(span, "a version", f"{number!r} is not a whole number of at least 1")


def version(number: str, name: str) -> str:
    return f"version {number} of {name!r}"


def body_not_text(span: Span, language: str, given: str) -> Diagnostic:
    return msg.wrong_kind(span, f"the {language} body", "a text", given)


def bad_date(span: Span, given: str) -> Diagnostic:
    return msg.wrong_kind(span, "deprecated", "a date such as 2026-12-31", given)


def bad_matches(span: Span, given: str) -> Diagnostic:
    return msg.wrong_kind(span, "matches", "true, false or unknown", given)


def test_without_now(span: Span) -> Diagnostic:
    return Diagnostic(
        "test-without-now",
        "the filter reads the current time, and the test does not say it",
        span,
        "add now: 2026-02-01 10:00:00 (UTC) to the test, or to the file for all of its tests",
    )


def bad_test_now(span: Span, given: object) -> Diagnostic:
    wanted = "a timestamp of the years 1970 to 2999, such as 2026-02-01 10:00:00"
    return msg.bad_value(span, "now", f"'{given}' is not {wanted}")


def row_not_mapping(span: Span, given: str) -> Diagnostic:
    return msg.wrong_kind(span, "the row of a test", "a mapping", given)


def tests_of_a_version(span: Span, name: str, version: str) -> Diagnostic:
    hint = f"write {name}: and in each of its tests version: {version}"
    return Diagnostic("bad-value", f"tests are of a filter, not of a version: {name}@{version}", span, hint)


def version_not_whole(span: Span, given: str) -> Diagnostic:
    return msg.wrong_kind(span, "version", "a whole number", given)


def group(name: str) -> str:
    return f"the group {name!r}"


def group_without_filters(span: Span, name: str) -> Diagnostic:
    return msg.missing_key(span, "filters", f"the group {name!r}")


def bad_subscription_name(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(span, "a subscription", f"{name!r} is not a valid name of a subscription")


def subscription(name: str) -> str:
    return f"the subscription {name!r}"


def subscription_without_filter(span: Span, name: str) -> Diagnostic:
    return msg.missing_key(span, "filter", f"the subscription {name!r}")


def job(name: str) -> str:
    return f"the job {name!r}"


def job_without_source(span: Span, name: str) -> Diagnostic:
    return msg.missing_key(span, "source", f"the job {name!r}")


def source_with_two_places(span: Span) -> Diagnostic:
    return msg.bad_value(span, "source", "it has a table and a path", "give one of the two")


def source_without_place(span: Span) -> Diagnostic:
    return msg.missing_key(span, "table or path", "source")


def format_of_a_table(span: Span) -> Diagnostic:
    return msg.bad_value(span, "source", "a table has its own format", "leave format out, or give a path")


def source_with_password(span: Span) -> Diagnostic:
    return msg.bad_value(
        span, "source", "it has a password in it", "write password: $NAME for a variable of the environment"
    )


def job_filter_missing(span: Span) -> Diagnostic:
    return msg.missing_key(span, "filter", "a filter of a job")


def password_in_dsn(span: Span) -> Diagnostic:
    return msg.bad_value(
        span, "a sink", "the DSN has a password in it", "leave it out, and set PGPASSWORD or use ~/.pgpass"
    )


def sink_without_place(span: Span, *, path: bool) -> Diagnostic:
    return msg.missing_key(span, "path, or table, or jdbc and table" if path else "table", "a sink")


def sink_with_two_places(span: Span) -> Diagnostic:
    return msg.bad_value(span, "a sink", "it has a table and a path", "give one of the two")


def one_of(span: Span, key: str, others: str, last: str, hint: str | None) -> Diagnostic:
    return msg.bad_value(span, key, f"it must be {others} or {last}", hint)


def bad_option(span: Span, name: str, given: str) -> Diagnostic:
    return msg.wrong_kind(span, f"the option {name!r}", "a text, a number, true or false", given)


def no_subscriptions(span: Span, dataset: str) -> Diagnostic:
    return Diagnostic(
        "missing-key",
        f"the dataset {dataset!r} has no subscriptions",
        span,
        "list them under subscriptions:, or take its filters with filters: all",
    )


def filter_twice(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(span, "filters", f"{name} appears twice", "give one of them another name:")


def no_quarantine(span: Span) -> Diagnostic:
    return msg.bad_value(
        span, "bad_records", "no sink takes the rows with bad cells", "add a sink with rows: bad"
    )


def checkpoint_overwrites(span: Span) -> Diagnostic:
    return msg.bad_value(
        span,
        "a job",
        "with a checkpoint it reads only new rows, which would overwrite all earlier ones",
        "write mode: append",
    )


def sinks_share_place(span: Span, path: str) -> Diagnostic:
    return msg.bad_value(
        span,
        "a sink",
        f"an earlier sink writes to {path} too",
        "the rows of one would replace those of the other",
    )


def no_file(path: str, *, link: bool) -> Diagnostic:
    return msg.unreadable(path, "the link leads nowhere" if link else "it is not a file")


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
        message = f"{read} as {wanted[0]}, and here it is {own[0]}"
    else:
        message = f"{read} with nulls: {wanted[1]}, and here it has nulls: {own[1]}"
    return Diagnostic("field-does-not-fit", message, span, "declare the field as in the other dataset")


def bad_argument(span: Span, parameter: str, name: str, given: object, kind: object) -> Diagnostic:
    return msg.bad_value(span, f"the parameter {parameter!r} of {name}", f"{given!r} is not of type {kind}")


def no_manifest(path: str) -> Diagnostic:
    return msg.manifest_damaged(path, "it is not a manifest, or it is incomplete")


def several_datasets(name: str, names: str) -> Diagnostic:
    return msg.usage(f"several datasets have a filter {name!r}", f"name one: {names}")


def folder_as_name(name: str, file: str) -> Diagnostic:
    message = f"the catalog would be called {name!r} after its folder, which is not a valid name of a catalog"
    return msg.usage(message, f"write catalog: NAME into a file {file} beside the catalog folder")


def profile(name: str) -> str:
    return f"the profile {name!r}"


def no_profile(name: str, known: Iterable[str], file: str, span: Span = NOWHERE) -> Diagnostic:
    names = list(known)
    hint = msg.did_you_mean(name, names) or (f"known are {', '.join(names)}" if names else None)
    return Diagnostic("usage", f"{file} has no profile {name!r}", span, hint)


def variable_not_set(span: Span, name: str, *, is_empty: bool = False) -> Diagnostic:
    problem = "is empty" if is_empty else "is not set"
    hint = f"set it: export {name}=..., or give the option itself"
    return Diagnostic("usage", f"the environment variable {name} {problem}", span, hint)


def other_variable(span: Span, key: str, text: str, name: str) -> Diagnostic:
    return msg.bad_value(
        span, key, f"{text} is not replaced", f"write ${{{name}}} for a variable of the environment"
    )


def no_catalog_folder(span: Span, path: str, known: Iterable[str]) -> Diagnostic:
    hint = msg.did_you_mean(path, known) or "the path is relative to the project file"
    return msg.bad_value(span, "catalog", f"there is no folder {path}", hint)


def no_engine(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    names = list(known)
    hint = msg.did_you_mean(name, names) or f"known are {', '.join(names)}"
    return msg.bad_value(span, "engine", f"no engine is named {name!r}", hint)


def bad_catalog_name(span: Span, name: str, most: int) -> Diagnostic:
    hint = f"letters, digits, '_', '-' and '.', with '/' between parts; at most {most} characters"
    return msg.bad_value(span, "catalog", f"{name!r} is not a valid name of a catalog", hint)


def key_not_text(span: Span, what: str) -> Diagnostic:
    return msg.wrong_kind(span, f"a key of {what}", "a text", "a collection")


def too_many_characters(span: Span, most: int) -> Diagnostic:
    return msg.yaml_limit(span, f"the file has more than {most:,} characters")


def values_too_deep(span: Span, most: int) -> Diagnostic:
    return msg.yaml_limit(span, f"values are nested deeper than {most} levels")


def brackets_too_deep(span: Span, most: int) -> Diagnostic:
    return msg.yaml_limit(span, f"brackets are nested deeper than {most} levels")


def alias_again(span: Span) -> Diagnostic:
    return msg.yaml_limit(span, "this value is used again through an alias (*name); write it out")


def nan_parameter(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(span, f"parameter {name!r}", "NaN is not supported as the value of a parameter")


def first_parameter(first: object) -> Diagnostic:
    return msg.usage(f"the number of the first parameter must be a whole number of at least 1, not {first!r}")


def unknown_field_key(span: Span, key: str, name: str, known: Iterable[str]) -> Diagnostic:
    return msg.unknown_key(span, key, f"the field {name!r}", known)


def absent_or_value_here(span: Span, nulls: object) -> Diagnostic:
    return msg.bad_value(span, "nulls", f"{nulls!r} is neither absent nor value")


def header_values(key: str, values: object) -> Diagnostic:
    return msg.usage(f"the header {key!r} is compared with a list of texts, not with {values!r}")


def rules_for_absent_keys() -> Diagnostic:
    return msg.usage("filters with different rules for absent keys cannot be combined")


def bad_sink(span: Span, reason: Reason) -> Diagnostic:
    return msg.bad_value(span, "a sink", reason.text, reason.hint)


def filter_not_in_job(name: str, known: Iterable[str]) -> Reason:
    return Reason(f"the job has no filter {name!r}", msg.did_you_mean(name, known))


def unknown_placeholder(text: str, placeholder: str) -> Reason:
    return Reason(f"{text} has no meaning here", f"{placeholder} stands for the name of a filter")


def filters_share_place(placeholder: str, *, path: bool) -> Reason:
    """`path`: the place is a path, and no table."""
    where = "the path" if path else "the name of the table"
    hint = f"write {placeholder} into {where}, or name the one filter: filters: [...]"
    return Reason("the rows of several filters would go to one place", hint)


def rows_of_no_filter(rows: str, placeholder: str) -> Reason:
    return Reason(f"{rows} rows do not belong to a single filter", f"leave {placeholder} out")


def no_partitions(*, path: bool) -> Reason:
    hint = "add partition_by: to the sink" if path else "write mode: overwrite or append"
    return Reason("mode: overwrite_partitions needs partitions", hint)


def matched_among_others(span: Span) -> Diagnostic:
    return msg.bad_value(
        span,
        "the job",
        "rows: matched finds filters through an index, which does not tell the rows apart that they reject",
        "give accepted, rejected and unknown rows a job of their own; leave passes: many out",
    )


def bad_tries(span: Span, most: int) -> Diagnostic:
    return msg.bad_value(
        span,
        "tries",
        f"it is a whole number from 1 to {most:,}",
        "it says how often an entry filter is offered a row that it puts off",
    )


def tries_without_checkpoint(span: Span) -> Diagnostic:
    return msg.bad_value(
        span,
        "the job",
        "tries needs a checkpoint, beside which rows wait for the next batch",
        "add a checkpoint; a job without one offers each row once",
    )


def quarantine_needed() -> Reason:
    return Reason("rows: bad needs bad_records: quarantine")


def freshness_of_no_time(span: Span, name: str, kind: str) -> Diagnostic:
    return msg.bad_value(
        span, "freshness", f"{name} is declared as {kind}", "name a field of type timestamp or date"
    )


def union_of_datasets(names: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        "several-datasets",
        f"a union has filters of one dataset, and these are of {', '.join(names)}"
        if names
        else "a union needs at least one filter",
        NOWHERE,
        "name the filters of one dataset, such as flights.late, or a pattern such as 'flights.*'",
    )


def no_signing_key(path: str, reason: str) -> Diagnostic:
    return Diagnostic(
        "usage",
        f"{path} cannot sign the manifest: {reason}",
        NOWHERE,
        "openssl genpkey -algorithm ed25519 -out predicat.key makes a key",
    )
