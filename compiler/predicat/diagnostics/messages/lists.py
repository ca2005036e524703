"""Messages about the lists of a catalog. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import NotInFilter, Problem, Text
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.source import Span

A_LIST_FILE = "a file of a list"

the_list = Text[str]("the list {name!r}")
version = Text[str, str]("(name, number) version {number} of the list {name!r}")
type_missing = Problem[str]("""missing-key: the list {name!r} has no type
    hint: write the values alone, or {{type: string, values: [...]}}""")
bad_type = Problem[str]("""bad-value: type: a list cannot have values of type {text!r}
    hint: string, bigint, date, timestamp and decimal(p,s) are possible""")
bad_version = Problem[str]("""bad-value: versions: {number!r} is not the number of a version
    hint: versions are 1, 2, ...""")
no_latest = Problem[object, Iterable[int]]("""bad-value: latest: there is no version {latest}
    hint: its versions: {known:list}""")
values_or_file = Problem[str]("""missing-key: the list {name!r} must have either values or a file
    hint: write values: [...], or file: NAME for a CSV or YAML file beside this one""")
too_many = Problem[str, int, int]("""too-large: the list {name!r} has {count:,} values; the limit is {most:,}
    hint: join a table with these values instead""")
other_type = Problem[str, str, int]("""(kind, values, most) type-mismatch: a {kind} cannot be looked up in a
    list with more than {most:,} values of type {values}
    hint: compare a value of the list's type: CAST(x AS {values:upper}) in SQL""")
only_in = NotInFilter[int]("""a list with more than {most:,} values outside of IN
    hint: write x IN list('name') in SQL, x in lists.name in CEL""")
file_elsewhere = Problem[str]("""bad-value: file: {name!r} is not in the folder of the catalog file
    hint: move it into the folder of this file, or below""")
no_file = Problem[str]("""bad-value: file: there is no file {name}
    hint: the path is relative to this file""")
bad_list_name = NotInFilter[()]("""list() without the name of a list in quotes
    hint: write x IN list('name')""")
unknown_list = Problem[str, Iterable[str]]("""unknown-list: no list is named {name!r}
    hint: {known:near name}
    hint: {known:if known are {known:first 12}|define it below lists: in a file of the catalog}""")

INSTEAD_OF_SUBQUERY = "put the values below lists: in the catalog and write x IN list('name')"
IN_FILES = "predicat compile writes them into target/lists, for the extension of Spark"
IN_TABLE = "a table of one column"
IN_TABLES = {
    "postgres": f"{IN_TABLE}, which predicat apply creates (--dry-run prints the statements)",
    "duckdb": f"{IN_TABLE}: CREATE TABLE ... AS SELECT of the list's file",
}

# Where the SQL of a filter finds the values of a long list.
long_list = Text[str, int, str, str]("""(name, count, table, where) note: the {count:,} values of the list
    {name} are not in the SQL: {table}, {where}""")


def bad_value(span: Span, value: object, kind: str) -> Diagnostic:
    is_plain = value is not None and not isinstance(value, str)
    shown = "null" if value is None else span.text if is_plain else repr(value)
    hint = say_keys.in_quotes(span.text) if kind == "string" and is_plain else None
    return msg.bad_value(span, "values", f"{shown} is not a value of type {kind}", hint)


def no_column(span: Span, name: str | None, known: Iterable[str]) -> Diagnostic:
    names = list(known)
    shown = ", ".join(names)
    if name is None:
        return msg.bad_value(
            span, "column", f"the file has {len(names)} columns", f"write column: one of {shown}"
        )
    hint = msg.did_you_mean(name, names) or f"its columns: {shown}"
    return msg.bad_value(span, "column", f"the file has no column {name!r}", hint)
