"""Messages about the lists of a catalog. Each function is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.source import Span

A_LIST_FILE = "a file of a list"


def the_list(name: str) -> str:
    return f"the list {name!r}"


def version(name: str, number: str) -> str:
    return f"version {number} of the list {name!r}"


def type_missing(span: Span, name: str) -> Diagnostic:
    hint = "write the values alone, or {type: string, values: [...]}"
    return Diagnostic("missing-key", f"the list {name!r} has no type", span, hint)


def bad_type(span: Span, text: str) -> Diagnostic:
    hint = "string, bigint, date, timestamp and decimal(p,s) are possible"
    return msg.bad_value(span, "type", f"a list cannot have values of type {text!r}", hint)


def bad_version(span: Span, number: str) -> Diagnostic:
    return msg.bad_value(
        span, "versions", f"{number!r} is not the number of a version", "versions are 1, 2, ..."
    )


def no_latest(span: Span, latest: object, known: Iterable[int]) -> Diagnostic:
    return msg.bad_value(
        span, "latest", f"there is no version {latest}", f"its versions: {', '.join(map(str, known))}"
    )


def values_or_file(span: Span, name: str) -> Diagnostic:
    hint = "write values: [...], or file: NAME for a CSV or YAML file beside this one"
    return Diagnostic("missing-key", f"the list {name!r} must have either values or a file", span, hint)


def bad_value(span: Span, value: object, kind: str) -> Diagnostic:
    is_plain = value is not None and not isinstance(value, str)
    shown = "null" if value is None else span.text if is_plain else repr(value)
    hint = say_keys.in_quotes(span.text) if kind == "string" and is_plain else None
    return msg.bad_value(span, "values", f"{shown} is not a value of type {kind}", hint)


def too_many(span: Span, name: str, count: int, most: int) -> Diagnostic:
    hint = "join a table with these values instead"
    return Diagnostic(
        "too-large", f"the list {name!r} has {count:,} values; the limit is {most:,}", span, hint
    )


def other_type(span: Span, kind: str, values: str, most: int) -> Diagnostic:
    hint = f"compare a value of the list's type: CAST(x AS {values.upper()}) in SQL"
    problem = f"a {kind} cannot be looked up in a list with more than {most:,} values of type {values}"
    return Diagnostic("type-mismatch", problem, span, hint)


def only_in(span: Span, most: int) -> Diagnostic:
    hint = "write x IN list('name') in SQL, x in lists.name in CEL"
    return msg.unsupported_syntax(span, f"a list with more than {most:,} values outside of IN", hint)


def file_elsewhere(span: Span, name: str) -> Diagnostic:
    hint = "move it into the folder of this file, or below"
    return msg.bad_value(span, "file", f"{name!r} is not in the folder of the catalog file", hint)


def no_file(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(span, "file", f"there is no file {name}", "the path is relative to this file")


def no_column(span: Span, name: str | None, known: Iterable[str]) -> Diagnostic:
    names = list(known)
    shown = ", ".join(names)
    if name is None:
        return msg.bad_value(
            span, "column", f"the file has {len(names)} columns", f"write column: one of {shown}"
        )
    hint = msg.did_you_mean(name, names) or f"its columns: {shown}"
    return msg.bad_value(span, "column", f"the file has no column {name!r}", hint)


def bad_list_name(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "list() without the name of a list in quotes", "write x IN list('name')"
    )


def unknown_list(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    names = list(known)
    hint = msg.did_you_mean(name, names) or (
        f"known are {', '.join(names[:12])}" if names else "define it below lists: in a file of the catalog"
    )
    return Diagnostic("unknown-list", f"no list is named {name!r}", span, hint)


INSTEAD_OF_SUBQUERY = "put the values below lists: in the catalog and write x IN list('name')"


IN_FILES = "predicat compile writes them into target/lists, for the extension of Spark"
IN_TABLE = "a table of one column"
IN_TABLES = {
    "postgres": f"{IN_TABLE}, which predicat apply creates (--dry-run prints the statements)",
    "duckdb": f"{IN_TABLE}: CREATE TABLE ... AS SELECT of the list's file",
}


def long_list(name: str, count: int, table: str, where: str) -> str:
    """Where the SQL of a filter finds the values of a long list."""
    return f"note: the {count:,} values of the list {name} are not in the SQL: {table}, {where}"
