"""Messages about files of rows: CSV, JSON and Parquet. Each function is one: see the package."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.messages.files import unreadable
from predicat.diagnostics.source import NOWHERE, Span
from predicat.diagnostics.wording import quantity

RECORD = "(record)"
"""Stands for the column where a whole record is damaged."""
ENCODING = "encoding"
"""The code of `other_encoding`."""
NO_JSON = "it is not valid JSON"
NO_OBJECT = 'it is not a JSON object; each line holds one row, such as {"id": 1}'


def place(path: str) -> str:
    """A file as messages name it."""
    return "standard input" if path == "-" else path


def one_path(span: Span, kinds: Iterable[str]) -> Diagnostic:
    return msg.bad_value(
        span,
        "relation",
        f"files have one path, as the value of {' or '.join(kinds)}",
        'such as {csv: orders*.csv, delim: ";"}',
    )


def no_choice(span: Span, key: str, text: str, known: Collection[str]) -> Diagnostic:
    near = msg.did_you_mean(text, known)
    return msg.bad_value(span, key, f"{text!r} is not one of {', '.join(map(repr, known))}", near)


def length_of_key(span: Span, key: str, longest: int) -> Diagnostic:
    return msg.bad_value(
        span, key, f"it must have {'one character' if longest == 1 else f'1 to {longest} characters'}"
    )


def for_engine(engine: str) -> str:
    return f"relation of {engine}"


def no_files_there(span: Span, engine: str) -> Diagnostic:
    return msg.bad_value(span, f"relation of {engine}", "PostgreSQL reads tables, not files", "name a table")


def other_encoding(path: str, at: int, encoding: str, known: Iterable[str]) -> Diagnostic:
    """`at` is the offset of the byte."""
    others = " or ".join(name for name in known if name != encoding)
    said = f"it is not valid {encoding.upper()} at byte {at}"
    hint = f"name its encoding in the relation: {{csv: {path}, encoding: latin-1}} ({others})"
    return Diagnostic(ENCODING, f"cannot read {place(path)}: {said}", NOWHERE, hint)


def spreadsheet(path: str) -> Diagnostic:
    hint = "save the sheet as CSV (UTF-8), or write it as Parquet, and read that file"
    return Diagnostic("unreadable", f"cannot read {path}: it is a spreadsheet", NOWHERE, hint)


def remote(path: str) -> Diagnostic:
    hint = "copy it to this machine, write it as Parquet, or read it with Spark"
    return Diagnostic(
        "unreadable", f"cannot read {path}: CSV and JSON are read from local files", NOWHERE, hint
    )


def no_field(path: str, keys: Iterable[str], known: Iterable[str]) -> Diagnostic:
    """A row of another dataset, or a file without a header."""
    shown = ", ".join(list(keys)[:5])
    few = ", ".join(list(known)[:5])
    return Diagnostic(
        "unknown-field",
        f"no column of {place(path)} is a field of the dataset: {shown}",
        NOWHERE,
        f"its fields: {few}",
    )


def no_header(path: str) -> Diagnostic:
    return unreadable(place(path), "it is empty: it has no header")


def twice(path: str, column: str) -> Diagnostic:
    return unreadable(place(path), f"its header has the column {column!r} twice")


def columns_of_line(count: int, wanted: int) -> str:
    return f"it has {quantity(count, 'column')}, but the header has {wanted}"


def no_csv(error: object) -> str:
    """What the reader of CSV says of quotes."""
    if "unexpected end" in str(error):
        return "a quote is not closed"
    return "there is text behind a closing quote" if "expected after" in str(error) else str(error)


def bad_cells(field: str, kind: object, count: int, samples: Iterable[tuple[str, str]]) -> str:
    """Values that count as absent; each sample is a text and its place."""
    some = "value is" if count == 1 else "values are"
    shown = ", ".join(f"{text!r} ({where})" if where else repr(text) for text, where in samples)
    return f"warning: {count:,} {some} not of type {kind}, the type of {field}: {shown}"


def bad_records(count: int, samples: Iterable[tuple[str, str]]) -> str:
    """Records that are damaged; each sample is what is wrong and its place."""
    shown = ", ".join(f"{where}: {text}" for text, where in samples)
    return f"warning: {quantity(count, 'record')} of another form: {shown}"


def line(path: str, number: int) -> str:
    """A place in a file, as an editor opens it."""
    return f"{place(path)}:{number}"


def decimal_comma(field: str) -> str:
    return f'note: {field} looks like numbers with a decimal comma: write decimal: "," in the relation'
