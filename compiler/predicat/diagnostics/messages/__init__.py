"""Every message, one function each. The modules have the messages of one part of the program.

A function takes names, types and texts of the user, never English: sentences are in this package only. A
message is a Diagnostic (its code is stable), a Reason within one, or a noun in one. How to read them: the
function's name says when it is used, its sentence what the user sees, so only a condition or an argument that
neither shows has a docstring. `span` is the place that the caret marks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import NamedTuple

from predicat.diagnostics.diagnostic import Diagnostic, Severity
from predicat.diagnostics.source import NOWHERE, Span
from predicat.diagnostics.wording import either


class Reason(NamedTuple):
    """Why a value or a part of a filter is refused, and what to do instead."""

    text: str
    hint: str | None = None


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint with the nearest known names, or None. A name that differs only by case is the nearest."""
    near = _near(name, list(known), 3)
    return f"did you mean {either([repr(item) for item in near])}?" if near else None


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that a name resembles most, if any does."""
    return next(iter(_near(name, list(known), 1)), None)


def _near(name: str, known: list[str], most: int) -> list[str]:
    same = [item for item in known if item.casefold() == name.casefold()]
    parent, dot, last = name.rpartition(".")
    parent = parent + dot if len(last) > 2 else ""  # of flights.late only `late` is compared, in flights
    beside = [item.removeprefix(parent) for item in known if item.startswith(parent)]
    elsewhere = [item for item in known if not item.startswith(parent)]
    close = get_close_matches(name.removeprefix(parent), beside, n=most, cutoff=0.6)
    return same or [parent + item for item in close] or get_close_matches(name, elsewhere, n=most, cutoff=0.6)


def article(noun: str) -> str:
    """A noun with its indefinite article, by its first letter; `unit` begins with a consonant."""
    return f"{'an' if noun[:1].lower() in 'aeiou' and not noun.startswith('uni') else 'a'} {noun}"


def _listed(names: Iterable[str], limit: int = 12) -> str:
    items = sorted(names)
    more = f", ... ({len(items)} in all)" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more


# --- texts and syntax


def syntax(span: Span, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("syntax", reason, span, hint)


def too_deep(span: Span, limit: int) -> Diagnostic:
    return Diagnostic(
        "too-deep",
        f"the expression is nested deeper than {limit} levels",
        span,
        "split it into several filters and refer to them by name",
    )


def too_large(span: Span, size: int, limit: int, what: str = "characters") -> Diagnostic:
    return Diagnostic(
        "too-large",
        f"the expression has {size:,} {what}; the limit is {limit:,}",
        span,
        "use IN with a list, or split it into several filters",
    )


def unsupported_syntax(span: Span, what: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("unsupported", f"{what} is not supported in a filter", span, hint)


def bad_character(span: Span, what: str) -> Diagnostic:
    return Diagnostic(
        "bad-character", f"a text constant cannot contain {what}: no database can store it", span
    )


def no_nul(span: Span, dialect: str) -> Diagnostic:
    return Diagnostic(
        "unsupported",
        f"{dialect} cannot store the character NUL (U+0000), which is in a text constant",
        span,
    )


def bad_regex(span: Span, reason: str, hint: str) -> Diagnostic:
    return Diagnostic("bad-regex", f"the regular expression cannot be used: {reason}", span, hint)


def bad_like(span: Span, reason: str) -> Diagnostic:
    return Diagnostic("bad-like", f"the LIKE pattern cannot be used: {reason}", span)


# --- names and types


def unknown_field(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    hint = did_you_mean(name, known) or _declared_fields(known)
    if span.text.startswith('"'):
        hint = f"double quotes are for names; write a text in single quotes: '{name}'"
    return Diagnostic("unknown-field", f"no field is named {name!r}", span, hint)


def _declared_fields(known: list[str]) -> str:
    return (
        f"declared fields: {_listed(known)}" if known else "the dataset declares no field: add it to fields:"
    )


def unknown_row_key(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A key of a row that is not a field: it would be ignored, and the intended field would count as
    absent.
    """
    known = list(known)
    hint = did_you_mean(name, known) or f"declared fields: {_listed(known)}"
    return Diagnostic(
        "unknown-field", f"the row has {name!r}, which is not a field of the dataset", span, hint
    )


def absent_field(name: str, near: str) -> str:
    """The warning for a row without a key that a predicate reads."""
    return f"the row has no {name!r}, which the predicate reads: {near}"


def unknown_member(span: Span, name: str, kind: str, known: Iterable[str]) -> Diagnostic:
    return Diagnostic("unknown-member", f"{kind} has no member {name!r}", span, did_you_mean(name, known))


def no_members(span: Span, name: str, kind: str) -> Diagnostic:
    hint = "declare the field as struct<...>, map<string, ...> or json"
    return Diagnostic("unknown-member", f"a {kind} has no member {name!r}", span, hint)


def unknown_function(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    return Diagnostic("unknown-function", f"no function is named {name!r}", span, did_you_mean(name, known))


def function_refused(span: Span, name: str, reason: str, instead: str) -> Diagnostic:
    return Diagnostic("unsupported", f"{name}() is not supported in a filter: {reason}", span, instead)


def unknown_param(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    hint = did_you_mean(name, known) or (
        f"declared parameters: {_listed(known)}" if known else "declare it under params:"
    )
    return Diagnostic("unknown-parameter", f"no parameter is named {name!r}", span, hint)


def type_mismatch(
    span: Span, op: str, types: Iterable[str], expected: str, hint: str | None = None
) -> Diagnostic:
    given = ", ".join(types)
    return Diagnostic("type-mismatch", f"{op} does not take ({given}); it takes {expected}", span, hint)


def no_condition(span: Span, kind: str) -> Diagnostic:
    return Diagnostic(
        "type-mismatch",
        f"a condition is true or false, but this is of type {kind}",
        span,
        "compare it with a value",
    )


def several_types(span: Span, what: str, kinds: Iterable[str], hint: str | None = None) -> Diagnostic:
    return Diagnostic(
        "type-mismatch", f"the values of {what} must have one type, not {' and '.join(kinds)}", span, hint
    )


def not_boolean(span: Span, kind: str) -> Diagnostic:
    return Diagnostic(
        "not-boolean",
        f"a filter must be true or false, but this is of type {kind}",
        span,
        "compare it with a value",
    )


def not_comparable(span: Span, left: str, right: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("type-mismatch", f"cannot compare {left} with {right}", span, hint)


def too_many_digits(span: Span, left: str, right: str) -> Diagnostic:
    return Diagnostic(
        "type-mismatch",
        f"comparing {left} with {right} needs more than 38 digits, which only PostgreSQL compares exactly",
        span,
        "convert one side to a double, as in CAST(x AS DOUBLE) or CEL's double(x)",
    )


def not_constant(span: Span, op: str, what: str) -> Diagnostic:
    return Diagnostic(
        "not-constant",
        f"the {what} of {op} must be a constant",
        span,
        f"a {what} that changes from row to row cannot be translated exactly",
    )


def bad_constant(span: Span, kind: str, text: str, example: str) -> Diagnostic:
    return Diagnostic("bad-constant", f"{text!r} is not {article(kind)}", span, f"write it as {example!r}")


def too_fine(span: Span, kind: str) -> Diagnostic:
    return unsupported_syntax(span, f"{kind} with nanoseconds", "engines keep microseconds")


def number_range(span: Span, text: str) -> Diagnostic:
    return Diagnostic("number-range", f"{text} does not fit in a 64-bit integer", span)


def arguments(least: int, most: int | None) -> str:
    """How many arguments a function takes; `most` is None if it takes any number from `least` on."""
    if least == most:
        return f"{least} arguments"
    return f"{least} or more arguments" if most is None else f"{least} to {most} arguments"


def wrong_argument_count(span: Span, name: str, given: int, expected: str) -> Diagnostic:
    return Diagnostic("argument-count", f"{name} takes {expected}, not {given}", span)


# --- references between filters


def unknown_filter(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    elsewhere = [other for other in known if other.rpartition(".")[2] == name]
    hint = f"did you mean {elsewhere[0]!r}?" if len(elsewhere) == 1 else did_you_mean(name, known)
    return Diagnostic("unknown-filter", f"no filter is named {name!r}", span, hint)


def unknown_version(span: Span, name: str, version: str, known: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "unknown-version", f"{name} has no version {version}", span, f"its versions: {', '.join(known)}"
    )


def reference_outside_catalog(span: Span) -> Diagnostic:
    return Diagnostic(
        "no-catalog",
        "a reference to another filter needs a catalog",
        span,
        "put the filter into a catalog, or write the condition out",
    )


def cycle(span: Span, path: Iterable[str]) -> Diagnostic:
    return Diagnostic("cycle", f"filters refer to each other in a circle: {' -> '.join(path)}", span)


def deprecated(span: Span, name: str, date: str, replacement: str | None) -> Diagnostic:
    hint = f"use {replacement}" if replacement else None
    return Diagnostic("deprecated", f"{name} is deprecated as of {date}", span, hint, Severity.WARNING)


def missing_param(span: Span, filter_name: str, name: str) -> Diagnostic:
    return Diagnostic("missing-parameter", f"{filter_name} needs a value for its parameter {name!r}", span)


def surplus_param(span: Span, filter_name: str, name: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    hint = did_you_mean(name, known) or (
        f"its parameters: {_listed(known)}" if known else "it takes no parameters"
    )
    return Diagnostic("unknown-parameter", f"{filter_name} has no parameter {name!r}", span, hint)


def param_type(span: Span, filter_name: str, name: str, expected: str, given: str) -> Diagnostic:
    return Diagnostic(
        "parameter-type", f"parameter {name!r} of {filter_name} is a {expected}, not {given}", span
    )


# --- back ends


def unsupported(span: Span, backend: str, what: str, reason: str, hint: str | None = None) -> Diagnostic:
    """`what` is in the author's words: a spelling of the text, never the name of an operator of the
    compiler.
    """
    return Diagnostic("unsupported", f"{backend} does not support {what} here: {reason}", span, hint)


def unknown_language(name: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    return Diagnostic(
        "unknown-language",
        f"no language is named {name!r}",
        NOWHERE,
        did_you_mean(name, known) or f"languages: {_listed(known)}",
    )


def unknown_dialect(name: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    return Diagnostic(
        "unknown-dialect",
        f"no SQL dialect is named {name!r}",
        NOWHERE,
        did_you_mean(name, known) or f"dialects: {_listed(known)}",
    )


def bad_row(name: object, kind: str, value: object) -> Diagnostic:
    return Diagnostic("bad-row", f"the field {name!r} is a {kind}, but the row has {value!r}")


def bad_now(value: object) -> Diagnostic:
    return Diagnostic(
        "bad-now",
        f"{value!r} is not a time",
        hint="give a datetime, or a text such as '2026-02-01 10:00:00', of the years 1970 to 2999",
    )


# --- catalog files


def unreadable(path: str, reason: str) -> Diagnostic:
    return Diagnostic("unreadable", f"cannot read {path}: {reason}")


def no_utf8(path: str, at: int) -> Diagnostic:
    """`at` is the offset of the byte."""
    return unreadable(path, f"byte {at} is not UTF-8")


def file_problem(path: str, reason: str) -> Diagnostic:
    return Diagnostic("file", f"cannot use {path}: {reason}" if path else reason)


def bad_yaml(span: Span, reason: str) -> Diagnostic:
    return Diagnostic("yaml", f"this is not valid YAML: {reason}", span)


def yaml_limit(span: Span, reason: str) -> Diagnostic:
    return Diagnostic("yaml-limit", reason, span)


def no_layout(span: Span, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("layout", f"the file is left as it is: {reason}", span, hint)


def import_target(span: Span, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("import", f"nothing can be imported into this file: {reason}", span, hint)


def import_conflict(span: Span, name: str, path: str, hint: str | None) -> Diagnostic:
    return Diagnostic(
        "import", f"{path} has another filter {name!r}, which is kept", span, hint or "rename it there"
    )


KEYS_BY_MEANING = {
    **dict.fromkeys(("where", "condition", "expression", "expr", "predicate", "query"), "sql"),
    **dict.fromkeys(("columns", "schema"), "fields"),
    **dict.fromkeys(("table", "source"), "relation"),
    **dict.fromkeys(("parameters", "args", "arguments"), "params"),
    **dict.fromkeys(("doc", "docs", "comment", "title"), "description"),
    **dict.fromkeys(("postgresql", "pg"), "postgres"),
    **dict.fromkeys(("sparksql", "spark_sql"), "spark"),
    **dict.fromkeys(("subscriptions", "selectors"), "filters"),
}
"""Keys that people write for those that there are."""


def unknown_key(span: Span, key: str, where: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    meant = KEYS_BY_MEANING.get(key.lower())
    hint = f"did you mean {meant!r}?" if meant in known else did_you_mean(key, known)
    hint = hint or f"known keys: {_listed(known, 30)}"
    return Diagnostic("unknown-key", f"{where} has no key {key!r}", span, hint)


def missing_key(span: Span, key: str, where: str) -> Diagnostic:
    return Diagnostic("missing-key", f"{where} needs the key {key!r}", span)


def duplicate_key(span: Span, key: str) -> Diagnostic:
    return Diagnostic(
        "duplicate-key", f"the key {key!r} appears twice", span, "give one another name, or take it out"
    )


def wrong_kind(span: Span, what: str, expected: str, given: str, hint: str | None = None) -> Diagnostic:
    if expected == "a list" and given.startswith("'"):
        hint = f"write [{given.strip(chr(39))}]"
    if hint is None and expected == "a text" and given.startswith("'"):
        hint = in_quotes(given.strip("'"))
    if hint is None and expected == "a mapping":
        hint = "write keys with values: name: {sql: a > 1}" if what == "filters" else "write {key: value}"
    return Diagnostic("wrong-kind", f"{what} must be {expected}, not {given}", span, hint)


def in_quotes(text: str) -> str:
    """What to write where YAML reads something else than a text, such as NO, 1.10 or 2024-05-01."""
    return f"write '{text}': without quotes YAML does not read it as a text"


def not_a_mapping(span: Span, what: str, given: str, known: Collection[str]) -> Diagnostic:
    """Something stands where keys are expected. The keys are named where they are few."""
    hint = f"write {{key: value}}; its keys: {', '.join(known)}" if len(known) <= FEW_KEYS else None
    return wrong_kind(span, what, "a mapping", given, hint)


FEW_KEYS = 12
"""That a hint lists."""


def bad_value(span: Span, what: object, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("bad-value", f"{what}: {reason}", span, hint)


def bad_name(span: Span, what: str, name: str) -> Diagnostic:
    return Diagnostic(
        "bad-name",
        f"{name!r} is not a valid name for a {what}",
        span,
        "names consist of lower-case letters, digits and underscores, start with a letter and have "
        "at most 63 characters",
    )


TYPES = "types are written as in Spark DDL: string, bigint, decimal(10,2), map<string, string>"
TYPES_BY_MEANING = {
    **dict.fromkeys(("array", "list", "set", "sequence", "repeated"), "array<string>"),
    **dict.fromkeys(("map", "dict"), "map<string, string>"),
    **dict.fromkeys(("object", "any", "super", "dynamic"), "json"),
    **dict.fromkeys(("str", "uuid", "enum", "nvarchar", "clob"), "string"),
    **dict.fromkeys(("datetime", "timestamp_ntz", "instant"), "timestamp"),
    **dict.fromkeys(("number", "money"), "decimal(18,2)"),
    **dict.fromkeys(("int64", "uint32", "uint64", "hugeint", "bigserial", "serial"), "bigint"),
    **dict.fromkeys(("int32", "uint16"), "int"),
    **dict.fromkeys(("int16", "uint8"), "smallint"),
    **dict.fromkeys(("float64",), "double"),
    **dict.fromkeys(("float32",), "float"),
}
"""Types of other systems, and what they are called here."""


TYPES_NOT_SUPPORTED = {
    **dict.fromkeys(("binary", "bytea", "bytes", "blob", "varbinary"), "values of bytes"),
    **dict.fromkeys(("interval", "time", "timetz"), "intervals and times of day"),
    **dict.fromkeys(("geography", "geometry", "point", "vector", "hstore", "inet"), "such values"),
}


def bad_type(span: Span, text: str, reason: str, known: Iterable[str]) -> Diagnostic:
    first = (text.lower().replace("(", " ").replace("<", " ").replace("[", " ").split() or [""])[0]
    if is_cut(text):
        hint = "write the whole type in quotes: between { and } a comma ends it"
    elif first in TYPES_NOT_SUPPORTED:
        hint = f"{TYPES_NOT_SUPPORTED[first]} are not supported; let a view give a text, or leave it out"
    elif first in TYPES_BY_MEANING:
        hint = f"did you mean {TYPES_BY_MEANING[first]!r}?"
    elif text.lower().startswith("timestamp without"):
        hint = "declare timestamp, and let a view convert the column: AT TIME ZONE 'UTC'"
    else:
        hint = did_you_mean(text, known) or TYPES
    return Diagnostic("bad-type", f"{text!r} is not a type: {reason}", span, hint)


def is_cut(text: str) -> bool:
    """Whether a text is the part of a type before a comma, such as `decimal(10`."""
    return text.count("(") > text.count(")") or text.count("<") > text.count(">")


def is_rest(text: str) -> bool:
    """Whether a text is the part of a type behind a comma, such as `2)`."""
    return text.count("(") < text.count(")") or text.count("<") < text.count(">")


def no_body(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    others = _listed((language for language in known if language != "sql"), 30)
    hint = f"write its condition under sql:, or under another language: {others}"
    return Diagnostic("no-body", f"{name} has no body", span, hint)


def two_bodies(span: Span, name: str, languages: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "two-bodies",
        f"{name} has more than one body: {', '.join(languages)}",
        span,
        "a filter has exactly one body",
    )


def duplicate_name(span: Span, what: str, name: str, first: str) -> Diagnostic:
    return Diagnostic(
        "duplicate-name", f"the {what} {name!r} is defined twice; the first is at {first}", span
    )


def template(span: Span, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("template", f"the template cannot be rendered: {reason}", span, hint)


def failed_test(span: Span, name: str, expected: str, actual: str, decided_by: str = "") -> Diagnostic:
    """`decided_by`: the conditions that decide, if they are known."""
    hint = f"it is decided by: {decided_by}" if decided_by else None
    return Diagnostic(
        "failed-test", f"{name}: the row should give {expected}, but gives {actual}", span, hint
    )


def row_of_a_test(span: Span, reason: str, *, text: bool = False) -> Diagnostic:
    """`text`: something else stands where a text is needed."""
    hint = "write texts such as NO, 1.10 and 2024-05-01 in quotes: YAML reads other values" if text else None
    return bad_value(span, "the row of a test", reason, hint)


def damaged_result(path: str) -> Diagnostic:
    return Diagnostic(
        "history",
        f"{path} is not the result of a run; it is skipped",
        NOWHERE,
        "delete it to remove this warning",
        Severity.WARNING,
    )


def no_folder(path: str, above: str | None = None) -> Diagnostic:
    """`above` is a folder of this name above the current one."""
    hint = (
        f"there is {above}: write --catalog {above}, or an empty predicat.yml beside it"
        if above
        else "predicat init writes a first catalog"
    )
    return Diagnostic("usage", f"there is no folder {path}", NOWHERE, hint)


def other_ending(path: str, name: str) -> Diagnostic:
    return Diagnostic("usage", f"the project file {path} has another name", NOWHERE, f"rename it: {name}")


def empty_catalog(path: str) -> Diagnostic:
    return Diagnostic(
        "empty-catalog",
        f"{path} contains no .yml or .yaml file",
        NOWHERE,
        "predicat init writes a first catalog",
    )


# --- releases and reviews


def baseline_line(span: Span) -> Diagnostic:
    return Diagnostic(
        "baseline",
        "this is not a line of a baseline; a line has a rule, a hash and a finding",
        span,
        "write the file again with --update-baseline",
    )


def deprecation_over(span: Span, name: str, day: str) -> Diagnostic:
    return Diagnostic(
        "deprecation-over", f"{name} is past its deprecation date {day}", span, "remove it", Severity.WARNING
    )


def deprecated_use(span: Span, name: str, day: str, replacement: str | None) -> Diagnostic:
    return Diagnostic(
        "deprecated",
        f"{name} was deprecated as of {day}, which is past",
        span,
        f"use {replacement}" if replacement else None,
    )


# --- manifest, deployment and jobs


def manifest_missing(path: str) -> Diagnostic:
    return Diagnostic("manifest", f"there is no manifest at {path}", NOWHERE, "predicat compile writes it")


def manifest_damaged(path: str, reason: str) -> Diagnostic:
    return Diagnostic(
        "manifest", f"the manifest {path} cannot be read: {reason}", NOWHERE, "run predicat compile again"
    )


def manifest_newer(path: str, version: int, known: int) -> Diagnostic:
    return Diagnostic(
        "manifest",
        f"the manifest {path} has format {version}; this predicat reads formats up to {known}",
        NOWHERE,
        "upgrade predicat, or compile again with this one",
    )


def missing_extra(what: str, extra: str) -> Diagnostic:
    return Diagnostic(
        "missing-extra", f"{what} is not installed", NOWHERE, f"pip install 'predicat[{extra}]'"
    )


def connection(dsn: str, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("connection", f"cannot connect to PostgreSQL at {dsn}: {reason}", NOWHERE, hint)


def relation_missing(engine: str, relation: str, dataset: str, known: Iterable[str] = ()) -> Diagnostic:
    return Diagnostic(
        "relation",
        f"{engine} has no relation {relation!r}, which dataset {dataset!r} names",
        NOWHERE,
        did_you_mean(relation, known) or "create it, or write the name of another one under relation:",
    )


def long_name(span: Span, kind: str, name: str, longest: int) -> Diagnostic:
    return Diagnostic(
        "long-name",
        f"the {kind} would be called {name}: {len(name)} characters; PostgreSQL keeps {longest}",
        span,
        "shorten the name of the filter or of its dataset",
    )


def same_view(span: Span, view: str, other: str) -> Diagnostic:
    return Diagnostic(
        "duplicate-name",
        f"the view of this filter is called {view}, as is that of {other}",
        span,
        "rename one of the two",
    )


def column_missing(
    engine: str, relation: str, column: str, filters: Iterable[str], known: Iterable[str]
) -> Diagnostic:
    return Diagnostic(
        "column",
        f"the {engine} relation {relation!r} has no column {column!r}, which is read by {_listed(filters)}",
        NOWHERE,
        did_you_mean(column, known),
    )


def column_type(
    engine: str, relation: str, column: str, kind: str, declared: str, filters: Iterable[str]
) -> Diagnostic:
    return Diagnostic(
        "column-type",
        f"the {engine} relation {relation!r} has {kind} in its column {column!r}, which the catalog "
        f"declares as {declared}; it is read by {_listed(filters)}",
        NOWHERE,
        "declare the field as it is, or convert the column in a view",
    )


def encoding(result: str) -> Diagnostic:
    return Diagnostic(
        "encoding",
        f"the PostgreSQL database has the encoding {result}; filters count and order the characters of UTF-8",
        NOWHERE,
        "use a database that was created with ENCODING 'UTF8'",
    )


def view_foreign(span: Span, view: str, why: str, hint: str) -> Diagnostic:
    return Diagnostic("view", f"{view} {why}; predicat does not change it", span, hint)


def view_former(view: str) -> Diagnostic:
    return Diagnostic(
        "view",
        f"{view} was created by an earlier version of predicat, which did not mark its views",
        NOWHERE,
        "predicat apply --adopt takes such views over; add --dry-run to see which",
    )


def view_edited(view: str, how: str) -> Diagnostic:
    return Diagnostic(
        "view",
        f"{view} was changed by hand: {how}",
        NOWHERE,
        "put the change into the catalog, then run predicat apply --force",
    )


def view_twice(view: str, other: str) -> Diagnostic:
    return Diagnostic(
        "view",
        f"{view} has the mark of the view {other} in its comment, but is another view",
        NOWHERE,
        f"write another comment: COMMENT ON VIEW {view} IS NULL",
    )


def view_option(span: Span, option: str, server: int) -> Diagnostic:
    return Diagnostic("view", f"PostgreSQL {server} has no {option}; it came with PostgreSQL 15", span)


def view_needed(view: str, what: str, dependents: Iterable[str], hint: str) -> Diagnostic:
    return Diagnostic("view", f"{view} {what}: {_listed(dependents, 30)}", NOWHERE, hint)


def partly_applied(done: int, of: int) -> Diagnostic:
    return Diagnostic(
        "view",
        f"{done} of {of} transactions were committed before this error, each with all of its views",
        NOWHERE,
        "predicat apply continues where it stopped",
    )


def view_changing(views: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "view",
        f"another session changed {_listed(views)} meanwhile",
        NOWHERE,
        "run predicat apply again",
    )


def engine_error(engine: str, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("engine", f"{engine} failed: {reason}", NOWHERE, hint)


def no_spark(folder: str) -> Diagnostic:
    return Diagnostic(
        "engine",
        f"{folder} is not the folder of a Spark 4: it has no jars/spark-core_2.13-4.*.jar",
        NOWHERE,
        "give the SPARK_HOME of the cluster's version",
    )


def usage(message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("usage", message, NOWHERE, hint)


def usage_warning(message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("usage", message, NOWHERE, hint, Severity.WARNING)


def empty_condition(span: Span) -> Diagnostic:
    return syntax(
        span,
        "the condition is empty",
        "write a condition, as in a > 1; in YAML a text that begins with !, # or & stands in quotes",
    )


def filter_name_in_call(span: Span) -> Diagnostic:
    return filter_name_not_constant(span, 'write filter("name")')


def one_escape_character(span: Span) -> Diagnostic:
    return Diagnostic(
        "bad-like",
        "the LIKE pattern cannot be used: ESCAPE takes one character",
        span,
        "write LIKE '10!%' ESCAPE '!'",
    )


def filter_name_not_constant(span: Span, hint: str) -> Diagnostic:
    return unsupported_syntax(span, "a filter name that is not a constant", hint)


def half_a_pair(span: Span) -> Diagnostic:
    return bad_character(span, "half of a surrogate pair")
