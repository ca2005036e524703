"""Messages of the matching of many filters at once. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics.message import Failure, Text

RUNS_CODE = "it is an entry filter: Python code, which only its own runner runs"

no_dataset = Failure[str, Iterable[str]]("""unknown-dataset: no dataset is named {name!r}
    hint: {known:near name}""")
of_another_dataset = Failure[str, str]("wrong-dataset: {name} is a filter of another dataset than {dataset}")
needs_parameter = Text[str]("its parameter {name!r} has no default")
left_out = Failure[str, str]("not-matched: {name} cannot be matched: {reason}")

NO_JSON = "it is not valid JSON"
NO_OBJECT = 'it is not a JSON object; each line holds one row, such as {"id": 1}'

unknown_ending = Failure[str, Iterable[str]]("""unreadable: the name of {path} does not show its format
    hint: give --input-format: {formats:list}""")
columns_of_line = Text[int, int]("it has {count:count column}, but the header has {wanted}")
# Values that count as absent.
bad_values = Text[str, object, int, Iterable[str]]("""(field, kind, count, samples) warning: {count:,}
    {count:is 1 value is|values are} not of type {kind}, the type of {field}: {samples:reprs}""")
not_asked = Text[str, str]("note: {name} is left out: {reason}")
rows_told = Text[int, int]("{rows:count row}, {accepted:,} accepted by at least one filter")
no_tag = Failure[str, Iterable[str]]("""unknown-tag: no filter of the dataset has the tag {tag!r}
    hint: {known:near tag}""")
bad_line = Failure[str, int, str]("""unreadable: {path:is - standard input|{path}}, line {number}:
    {reason}""")
# A row of another dataset, or a file without a header.
no_field = Failure[str, Iterable[str], Iterable[str]]("""unknown-field: no column of
    {path:is - standard input|{path}} is a field of the dataset: {keys:first 5}
    hint: its fields: {known:first 5}""")


def place(path: str) -> str:
    """A file as messages name it."""
    return "standard input" if path == "-" else path
