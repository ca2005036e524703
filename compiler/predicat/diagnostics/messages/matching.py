"""Messages of the matching of many filters at once. Each function is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import NOWHERE
from predicat.diagnostics.wording import quantity

RUNS_CODE = "it is an entry filter: Python code, which only its own runner runs"


def no_dataset(name: str, known: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "unknown-dataset", f"no dataset is named {name!r}", NOWHERE, msg.did_you_mean(name, known)
    )


def of_another_dataset(name: str, dataset: str) -> Diagnostic:
    return Diagnostic("wrong-dataset", f"{name} is a filter of another dataset than {dataset}", NOWHERE)


def needs_parameter(name: str) -> str:
    return f"its parameter {name!r} has no default"


def left_out(name: str, reason: str) -> Diagnostic:
    return Diagnostic("not-matched", f"{name} cannot be matched: {reason}", NOWHERE)


NO_JSON = "it is not valid JSON"
NO_OBJECT = 'it is not a JSON object; each line holds one row, such as {"id": 1}'


def place(path: str) -> str:
    """A file as messages name it."""
    return "standard input" if path == "-" else path


def unknown_ending(path: str, formats: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "unreadable",
        f"the name of {path} does not show its format",
        NOWHERE,
        f"give --input-format: {', '.join(formats)}",
    )


def bad_line(path: str, number: int, reason: str) -> Diagnostic:
    return Diagnostic("unreadable", f"{place(path)}, line {number}: {reason}")


def columns_of_line(count: int, wanted: int) -> str:
    return f"it has {quantity(count, 'column')}, but the header has {wanted}"


def bad_values(field: str, kind: object, count: int, samples: Iterable[str]) -> str:
    """Values that count as absent."""
    some = "value is" if count == 1 else "values are"
    return (
        f"warning: {count:,} {some} not of type {kind}, the type of {field}: {', '.join(map(repr, samples))}"
    )


def not_asked(name: str, reason: str) -> str:
    return f"note: {name} is left out: {reason}"


def rows_told(rows: int, accepted: int) -> str:
    return f"{quantity(rows, 'row')}, {accepted:,} accepted by at least one filter"


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


def no_tag(tag: str, known: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "unknown-tag", f"no filter of the dataset has the tag {tag!r}", NOWHERE, msg.did_you_mean(tag, known)
    )
