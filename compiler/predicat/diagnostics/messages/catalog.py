"""Messages about catalog files, jobs and calls of the library. Each function is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.messages import files as say_files
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.source import NOWHERE, Span

ENCRYPTED_KEY = "it is encrypted with a password"
NO_ED25519_KEY = "it is not an Ed25519 key"
NO_PEM_KEY = "it is not a private key in PEM format"
AN_AGE = "an age such as 90 minutes, 26 hours or 2 days"
A_SHARE = "a share such as 5%"
A_SHARE_OR_ROWS = "a share such as 5% or a number of rows"
CATALOG_FILE = "a catalog file"
FILTER_OF_GROUP = "a filter of a group"
KEY_FIELD = "a field of the key"
PROJECT_FILE = "the project file"


def enumeration(name: str) -> str:
    return f"the enumeration {name!r}"


def the_filter(name: str) -> str:
    return f"the filter {name!r}"


def filter_as_text(span: Span, name: str, given: str) -> Diagnostic:
    return say_keys.wrong_kind(span, the_filter(name), "a mapping", given, f"write {name}: {{sql: ...}}")


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
    return say_keys.missing_key(span, key, "a catalog file")


def api_version(span: Span, known: str) -> Diagnostic:
    return msg.bad_value(
        span, "apiVersion", "this version of predicat does not support it", f"write apiVersion: {known}"
    )


def relation_of(dialect: str) -> str:
    return f"relation of {dialect}"


def bad_field_name(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(span, "a field", f"{name!r} is not a valid name of a field")


def field(name: str) -> str:
    return f"the field {name!r}"


def field_type_missing(span: Span, name: str) -> Diagnostic:
    return say_keys.missing_key(span, "type", f"the field {name!r}")


def absent_or_value(span: Span) -> Diagnostic:
    return msg.bad_value(span, "nulls", "it must be absent or value")


def bad_bound(span: Span, key: str, kind: object) -> Diagnostic:
    return msg.bad_value(span, key, f"it must be a value of type {kind}")


def no_bounds(span: Span, key: str, kind: object) -> Diagnostic:
    return msg.bad_value(
        span,
        key,
        f"a field of type {kind} has no range",
        "only numbers have a minimum and a maximum",
    )


def no_values(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(span, "max", f"the range of the field {name!r} is empty", "swap min and max")


def bad_enumeration(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(
        span,
        "an enumeration",
        f"{name!r} is not a valid name of an enumeration",
        "write letters, digits and _, with dots between words",
    )


def bad_word(span: Span, word: str) -> Diagnostic:
    return msg.bad_value(
        span, "a name in an enumeration", f"{word!r} is not a valid name: write letters, digits and _"
    )


def bad_word_value(span: Span, name: str, word: str, given: str) -> Diagnostic:
    return say_keys.wrong_kind(span, f"{name}.{word}", "an integer or a string", given)


def parameter(name: str) -> str:
    return f"the parameter {name!r}"


def parameter_type_missing(span: Span, name: str) -> Diagnostic:
    return say_keys.missing_key(span, "type", f"the parameter {name!r}")


def bad_default(span: Span, kind: object) -> Diagnostic:
    hint = say_keys.in_quotes(span.text) if str(kind) == "string" else None
    return msg.bad_value(span, "default", f"it is not of type {kind}", hint)


def reject_or_accept(span: Span) -> Diagnostic:
    return msg.bad_value(span, "on_unknown", "it must be reject or accept")


def not_rows(span: Span, key: str, given: str) -> Diagnostic:
    return say_keys.wrong_kind(span, key, "a number of rows", given)


def bounds_reversed(span: Span, low: object, high: object) -> Diagnostic:
    return msg.bad_value(span, "at_least", f"{low} is more than at_most, {high}")


def bad_max_age(span: Span, given: str) -> Diagnostic:
    return say_keys.wrong_kind(span, "max_age", "a number of days such as 30 days", given)


def not_truth(span: Span, key: str, given: str) -> Diagnostic:
    return say_keys.wrong_kind(span, key, "true or false", given)


def bad_index(span: Span, text: str) -> Diagnostic:
    return msg.bad_value(
        span,
        "indexes",
        f"{text!r} is not an index",
        "write what follows the table in CREATE INDEX: (lower(name)), USING gin (headers)",
    )


def error_or_warn(span: Span) -> Diagnostic:
    return msg.bad_value(span, "severity", "it must be error or warn")


def no_latest(span: Span, number: str, known: str) -> Diagnostic:
    return msg.bad_value(span, "latest", f"there is no version {number}", f"versions: {known}")


def key_of_a_version(span: Span, where: str, key: str) -> Diagnostic:
    return msg.bad_value(span, where, f"{key!r} must be in one of its versions")


def bad_version(span: Span, number: object) -> Diagnostic:
    return msg.bad_value(span, "a version", f"{number!r} is not an integer of at least 1")


def version(number: str, name: str) -> str:
    return f"version {number} of {name!r}"


def body_not_text(span: Span, language: str, given: str) -> Diagnostic:
    return say_keys.wrong_kind(span, f"the {language} condition", "a string", given)


def bad_date(span: Span, given: str) -> Diagnostic:
    return say_keys.wrong_kind(span, "deprecated", "a date such as 2026-12-31", given)


def bad_matches(span: Span, given: str) -> Diagnostic:
    return say_keys.wrong_kind(span, "matches", "true, false or unknown", given)


def test_without_now(span: Span) -> Diagnostic:
    return Diagnostic(
        "test-without-now",
        "the filter reads the current time, which the test must set",
        span,
        "add now: 2026-02-01 10:00:00 (UTC) to the test, or to the file for all of its tests",
    )


def bad_test_now(span: Span, given: object) -> Diagnostic:
    wanted = "a timestamp in the years 1970 to 2999, such as 2026-02-01 10:00:00"
    return msg.bad_value(span, "now", f"'{given}' is not {wanted}")


def row_not_mapping(span: Span, given: str) -> Diagnostic:
    return say_keys.wrong_kind(span, "the row of a test", "a mapping", given)


def tests_of_a_version(span: Span, name: str, version: str) -> Diagnostic:
    hint = f"write {name}:, and version: {version} in each of its tests"
    return Diagnostic(
        "bad-value", f"tests are listed under a filter, not under a version: {name}@{version}", span, hint
    )


def version_not_whole(span: Span, given: str) -> Diagnostic:
    return say_keys.wrong_kind(span, "version", "an integer", given)


def group(name: str) -> str:
    return f"the group {name!r}"


def group_without_filters(span: Span, name: str) -> Diagnostic:
    return say_keys.missing_key(span, "filters", f"the group {name!r}")


def bad_subscription_name(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(span, "a subscription", f"{name!r} is not a valid name of a subscription")


def subscription(name: str) -> str:
    return f"the subscription {name!r}"


def subscription_without_filter(span: Span, name: str) -> Diagnostic:
    return say_keys.missing_key(span, "filter", f"the subscription {name!r}")


def no_file(path: str, *, link: bool) -> Diagnostic:
    return say_files.unreadable(path, "it is a broken link" if link else "it is not a file")


def bad_argument(span: Span, parameter: str, name: str, given: object, kind: object) -> Diagnostic:
    return msg.bad_value(span, f"the parameter {parameter!r} of {name}", f"{given!r} is not of type {kind}")


def no_manifest(path: str) -> Diagnostic:
    return say_files.manifest_damaged(path, "it is not a manifest, or it is incomplete")


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


def variable_not_read(span: Span, name: str) -> Diagnostic:
    """A variable that somebody may have written who must not see it."""
    return Diagnostic(
        "usage",
        f"the environment variable {name} is not read: nobody has reviewed this file yet",
        span,
        f"--env {name} allows it, if its value may be seen in the output",
    )


def other_variable(span: Span, key: str, text: str, name: str) -> Diagnostic:
    return msg.bad_value(
        span, key, f"{text} is not replaced", f"write ${{{name}}} for an environment variable"
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
    return say_keys.wrong_kind(span, f"a key of {what}", "a string", "a list or a mapping")


def too_many_characters(span: Span, most: int) -> Diagnostic:
    return say_keys.yaml_limit(span, f"the file has more than {most:,} characters")


def values_too_deep(span: Span, most: int) -> Diagnostic:
    return say_keys.yaml_limit(span, f"values are nested deeper than {most} levels")


def brackets_too_deep(span: Span, most: int) -> Diagnostic:
    return say_keys.yaml_limit(span, f"brackets are nested deeper than {most} levels")


def alias_again(span: Span) -> Diagnostic:
    return say_keys.yaml_limit(span, "YAML aliases (*name) are not supported", "write the value again")


def nan_parameter(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(span, f"parameter {name!r}", "NaN is not supported as the value of a parameter")


def first_parameter(first: object) -> Diagnostic:
    return msg.usage(f"the number of the first parameter must be an integer of at least 1, not {first!r}")


def unknown_field_key(span: Span, key: str, name: str, known: Iterable[str]) -> Diagnostic:
    return say_keys.unknown_key(span, key, f"the field {name!r}", known)


def absent_or_value_here(span: Span, nulls: object) -> Diagnostic:
    return msg.bad_value(span, "nulls", f"{nulls!r} is neither absent nor value")


def header_values(key: str, values: object) -> Diagnostic:
    return msg.usage(f"the header {key!r} is compared with a list of strings, not with {values!r}")


def rules_for_absent_keys() -> Diagnostic:
    return msg.usage("filters with different rules for missing keys cannot be combined")


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
        "openssl genpkey -algorithm ed25519 -out predicat.key creates a key",
    )
