"""Messages about catalog files, jobs and calls of the library. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Failure, Problem, Text
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.source import NOWHERE, Span

ENCRYPTED_KEY = "it is encrypted with a password"
NO_ED25519_KEY = "it is not an Ed25519 key"
NO_PEM_KEY = "it is not a private key in PEM format"
AN_AGE = "an age such as 90 minutes, 26 hours or 2 days"
A_SHARE = "a share such as 5%"
A_RATE = "the share of false alarms, such as 0.5%, above 0% and at most 10%"
A_SHARE_OR_ROWS = "a share such as 5% or a number of rows"
CATALOG_FILE = "a catalog file"
FILTER_OF_GROUP = "a filter of a group"
KEY_FIELD = "a field of the key"
PROJECT_FILE = "the project file"
RULE_OF_REVIEW = "a rule of review"
WAIVER = "a waiver"

enumeration = Text[str]("the enumeration {name!r}")
the_filter = Text[str]("the filter {name!r}")
filter_as_text = Problem[str, str]("""wrong-kind: the filter {name!r} must be a mapping, not {given}
    hint: write {name}: {{sql: ...}}""")
filter_with_versions = Text[str]("the filter {name!r} with versions")
unknown_outcome = Text[str]("UNKNOWN, which {on_unknown}s it")
no_variable = Text[str]("no variable is named {name!r}")
no_reference = Text[str]("{language} has no way to refer to a filter; combine filters with all, any and not")
no_filter_name = Text[str]("{name!r} is not the name of a filter")
api_version = Problem[str]("""bad-value: apiVersion: this version of predicat does not support it
    hint: write apiVersion: {known}""")
relation_of = Text[str]("relation of {dialect}")
view_columns = Problem[()]("bad-value: columns: it must be columns of the relation, each once")
bad_field_name = Problem[str]("bad-value: a field: {name!r} is not a valid name of a field")
field = Text[str]("the field {name!r}")
absent_or_value = Problem[()]("bad-value: nulls: it must be absent or value")
bad_bound = Problem[str, object]("bad-value: {key}: it must be a value of type {kind}")
no_bounds = Problem[str, object]("""bad-value: {key}: a field of type {kind} has no range
    hint: only numbers have a minimum and a maximum""")
zone_of_timestamp = Problem[object]("""bad-value: zone: a field of type {kind} has no time zone
    hint: write type: timestamp""")
no_values = Problem[str]("""bad-value: max: the range of the field {name!r} is empty
    hint: swap min and max""")
bad_enumeration = Problem[str]("""bad-value: an enumeration: {name!r} is not a valid name of an enumeration
    hint: write letters, digits and _, with dots between words""")
bad_word = Problem[str]("""bad-value: a name in an enumeration: {word!r} is not a valid name: write
    letters, digits and _""")
bad_word_value = Problem[str, str, str]("""wrong-kind: {name}.{word} must be an integer or a string, not
    {given}""")
parameter = Text[str]("the parameter {name!r}")
bad_default = Problem[object]("""bad-value: default: it is not of type {kind}
    hint: {kind:is string write "{span.text}": without quotes, it is not read as a string|}""")
reject_or_accept = Problem[()]("bad-value: on_unknown: it must be reject or accept")
not_rows = Problem[str, str]("wrong-kind: {key} must be a number of rows, not {given}")
bounds_reversed = Problem[object, object]("bad-value: at_least: {low} is more than at_most, {high}")
bad_max_age = Problem[str]("wrong-kind: max_age must be a number of days such as 30 days, not {given}")
not_truth = Problem[str, str]("wrong-kind: {key} must be true or false, not {given}")
bad_index = Problem[str]("""bad-value: indexes: {text!r} is not an index
    hint: write what follows the table in CREATE INDEX: (lower(name)), USING gin (headers)""")
value_and_limits = Problem[str, str]("""bad-value: {key}: {other} cannot stand beside warn and error
    hint: write {key}: {{warn: ..., error: ...}}""")
unlike_limits = Problem[str]("bad-value: {key}: warn and error must be two shares, or two numbers of rows")
warning_not_stricter = Problem[str, str, str]("""bad-value: {key}: the limit of the warning, {warning}, must
    be stricter than that of the error, {error}""")
error_or_warn = Problem[()]("bad-value: severity: it must be error or warn")
no_latest = Problem[str, str]("""bad-value: latest: there is no version {number}
    hint: versions: {known}""")
key_of_a_version = Problem[str, str]("bad-value: {where}: {key!r} must be in one of its versions")
bad_version = Problem[object]("bad-value: a version: {number!r} is not an integer of at least 1")
version = Text[str, str]("version {number} of {name!r}")
bad_date = Problem[str]("wrong-kind: deprecated must be a date such as 2026-12-31, not {given}")
bad_matches = Problem[str]("wrong-kind: matches must be true, false or unknown, not {given}")
test_without_now = Problem[()]("""test-without-now: the filter reads the current time, which the test must set
    hint: add now: 2026-02-01 10:00:00 (UTC) to the test, or to the file for all of its tests""")
bad_test_now = Problem[object]("""bad-value: now: '{given}' is not a timestamp in the years 1970 to 2999,
    such as 2026-02-01 10:00:00""")
row_not_mapping = Problem[str]("""wrong-kind: the row of a test must be a mapping, not {given}
    hint: write {{key: value}}""")
tests_of_a_version = Problem[str, str]("""bad-value: tests are listed under a filter, not under a version:
    {name}@{version}
    hint: write {name}:, and version: {version} in each of its tests""")
version_not_whole = Problem[str]("wrong-kind: version must be an integer, not {given}")
group = Text[str]("the group {name!r}")
bad_subscription_name = Problem[str]("""bad-value: a subscription: {name!r} is not a valid name of a
    subscription""")
subscription = Text[str]("the subscription {name!r}")
no_file = Failure[str, bool]("unreadable: cannot read {path}: {link:if it is a broken link|it is not a file}")
bad_argument = Problem[str, str, object, object]("""bad-value: the parameter {parameter!r} of {name}:
    {given!r} is not of type {kind}""")
no_manifest = Failure[str]("""manifest: the manifest {path} cannot be read: it is not a manifest, or it is
    incomplete
    hint: run predicat compile again""")
several_datasets = Failure[str, str]("""usage: several datasets have a filter {name!r}
    hint: name one: {names}""")
folder_as_name = Failure[str, str]("""usage: the catalog would be called {name!r} after its folder, which is
    not a valid name of a catalog
    hint: write catalog: NAME into a file {file} beside the catalog folder""")
profile = Text[str]("the profile {name!r}")
# A variable that somebody may have written who must not see it.
variable_not_read = Problem[str]("""usage: the environment variable {name} is not read: nobody has reviewed
    this file yet
    hint: --env {name} allows it, if its value may be seen in the output""")
other_variable = Problem[str, str, str]("""bad-value: {key}: {text} is not replaced
    hint: write ${{{name}}} for an environment variable""")
no_catalog_folder = Problem[str, Iterable[str]]("""bad-value: catalog: there is no folder {path}
    hint: {known:near path}
    hint: the path is relative to the project file""")
no_engine = Problem[str, Iterable[str]]("""bad-value: engine: no engine is named {name!r}
    hint: {known:near name}
    hint: known are {known:list}""")
bad_when = Problem[str, Iterable[str]]("""bad-value: when: {name!r} is nothing that a review says
    hint: {known:near name}
    hint: known are {known:list}""")
bad_until = Problem[str]("wrong-kind: until must be a date such as 2026-12-31, not {given}")
bad_catalog_name = Problem[str, int]("""bad-value: catalog: {name!r} is not a valid name of a catalog
    hint: letters, digits, '_', '-' and '.', with '/' between parts; at most {most} characters""")
too_many_characters = Problem[int]("yaml-limit: the file has more than {most:,} characters")
values_too_deep = Problem[int]("yaml-limit: values are nested deeper than {most} levels")
brackets_too_deep = Problem[int]("yaml-limit: brackets are nested deeper than {most} levels")
alias_again = Problem[()]("""yaml-limit: YAML aliases (*name) are not supported
    hint: write the value again""")
nan_parameter = Problem[str]("""bad-value: parameter {name!r}: NaN is not supported as the value of a
    parameter""")
first_parameter = Failure[object]("""usage: the number of the first parameter must be an integer of at
    least 1, not {first!r}""")
absent_or_value_here = Problem[object]("bad-value: nulls: {nulls!r} is neither absent nor value")
header_values = Failure[str, object]("""usage: the header {key!r} is compared with a list of strings, not
    with {values!r}""")
rules_for_absent_keys = Failure[()]("usage: filters with different rules for missing keys cannot be combined")
partition_of_dates = Problem[str]("""bad-value: partition: {name} is a date, whose days have no hours and no
    zone
    hint: write by: day, week or month, without zone""")
field_of_no_time = Problem[str, str, str]("""bad-value: {what}: {name} is declared as {kind}
    hint: name a field of type timestamp or date""")
union_of_datasets = Failure[Sequence[str]]("""several-datasets: {names:if a union has filters of one dataset,
    and these are of {names:list}|a union needs at least one filter}
    hint: name the filters of one dataset, such as flights.late, or a pattern such as 'flights.*'""")
no_signing_key = Failure[str, str]("""usage: {path} cannot sign the manifest: {reason}
    hint: openssl genpkey -algorithm ed25519 -out predicat.key creates a key""")


def body_not_text(span: Span, language: str, given: str) -> Diagnostic:
    return say_keys.wrong_kind(span, f"the {language} condition", "a string", given)


def no_profile(name: str, known: Iterable[str], file: str, span: Span = NOWHERE) -> Diagnostic:
    names = list(known)
    hint = msg.did_you_mean(name, names) or (f"known are {', '.join(names)}" if names else None)
    return Diagnostic("usage", f"{file} has no profile {name!r}", span, hint)


def variable_not_set(span: Span, name: str, *, is_empty: bool = False) -> Diagnostic:
    problem = "is empty" if is_empty else "is not set"
    hint = f"set it: export {name}=..., or give the option itself"
    return Diagnostic("usage", f"the environment variable {name} {problem}", span, hint)


def key_not_text(span: Span, what: str) -> Diagnostic:
    return say_keys.wrong_kind(span, f"a key of {what}", "a string", "a list or a mapping")


def unknown_field_key(span: Span, key: str, name: str, known: Iterable[str]) -> Diagnostic:
    return say_keys.unknown_key(span, key, f"the field {name!r}", known)
