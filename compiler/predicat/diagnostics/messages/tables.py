"""Messages about files of rows: CSV, JSON and Parquet. Each row or function is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Failure, Problem, Text
from predicat.diagnostics.messages.files import unreadable
from predicat.diagnostics.source import NOWHERE
from predicat.diagnostics.wording import quantity

# Stands for the column where a whole record is damaged.
RECORD = "(record)"
# The code of `other_encoding`.
ENCODING = "encoding"
NO_JSON = "it is not valid JSON"
NO_OBJECT = 'it is not a JSON object; each line holds one row, such as {"id": 1}'


def place(path: str) -> str:
    """A file as messages name it."""
    return "standard input" if path == "-" else path


no_table = Failure[str]("""bad-value: {kind} is not a table
    hint: give a pandas DataFrame, or a pyarrow Table (Polars: df.to_arrow()); rows: evaluate_many""")
no_column = Failure[str, Iterable[str]]("""column: the table has no column {column!r}
    hint: {known:near column}""")
columns_alike = Failure[str, Iterable[str]]("""column: several columns could be {column!r}: {names:list}
    hint: rename one: DuckDB tells no capitals from small letters""")
# `column` has its name, its type and the declared type.
column_of_table = Failure[tuple[str, str, str], str, str | None]("""column-type: the table has {column[1]} in
    its column {column[0]!r}, which is declared as {column[2]}: {why}
    hint: convert the column{natural:is None  first|, or declare the field as {natural}}""")
unreadable_table = Failure[str]("unreadable: DuckDB cannot read the table: {reason}")
one_path = Problem[Iterable[str]]("""bad-value: relation: files have one path, as the value of {kinds:by or}
    hint: such as {{csv: orders*.csv, delim: ";"}}""")
no_choice = Problem[str, str, Iterable[str]]("""bad-value: {key}: {text!r} is not one of {known:reprs}
    hint: {known:near text}""")
same_marks = Problem[str]("""bad-value: thousands: {mark!r} is also the decimal mark
    hint: name both, such as decimal: "," and thousands: "." here""")
length_of_key = Problem[str]("bad-value: {key}: it must be one character")
no_files_there = Problem[str]("""bad-value: relation of {engine}: PostgreSQL reads tables, not files
    hint: name a table""")
spreadsheet = Failure[str]("""unreadable: cannot read {path}: it is a spreadsheet
    hint: save the sheet as CSV (UTF-8), or write it as Parquet, and read that file""")
remote = Failure[str]("""unreadable: cannot read {path}: CSV and JSON are read from local files
    hint: copy it to this machine, write it as Parquet, or read it with Spark""")
# A row of another dataset, or a file without a header.
no_field = Failure[str, Iterable[str], Iterable[str]]("""unknown-field: no column of
    {path:is - standard input|{path}} is a field of the dataset: {keys:first 5}
    hint: its fields: {known:first 5}""")
columns_of_line = Text[int, int]("it has {count:count column}, but the header has {wanted}")
decimal_comma = Text[str]("""note: {field} looks like numbers with a decimal comma: write decimal: "," in the
    relation""")
thousands = Text[str]("""note: {field} looks like numbers with marks between thousands: write decimal: "," and
    thousands: "." in the relation""")


def other_encoding(path: str, at: int, encoding: str, known: Iterable[str]) -> Diagnostic:
    """`at` is the offset of the byte."""
    others = " or ".join(name for name in known if name != encoding)
    said = f"it is not valid {encoding.upper()} at byte {at}"
    hint = f"name its encoding in the relation: {{csv: {path}, encoding: latin-1}} ({others})"
    return Diagnostic(ENCODING, f"cannot read {place(path)}: {said}", NOWHERE, hint)


def no_header(path: str) -> Diagnostic:
    return unreadable(place(path), "it is empty: it has no header")


def twice(path: str, column: str) -> Diagnostic:
    return unreadable(place(path), f"its header has the column {column!r} twice")


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
