"""Messages about sets of fields that datasets share. Each function is one: see the package."""

from __future__ import annotations

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import Span

SET_OF_FIELDS = "a set of fields"


def another_type(span: Span, name: str, own: str, other: str, file: str) -> Diagnostic:
    return msg.bad_value(
        span, f"field {name}", f"it is {own} here, but {other} in {file}", "give it one type, or rename it"
    )


def file_elsewhere(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(
        span,
        "include",
        f"{name!r} is not in the folder of the catalog",
        "move it there; the path is relative to this file",
    )


def no_file(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(span, "include", f"there is no file {name}", "the path is relative to this file")


def has_definitions(span: Span) -> Diagnostic:
    return msg.bad_value(
        span,
        "include",
        "the file has definitions of a dataset",
        "write the fields that datasets share into a file of their own, as under fields:",
    )


def no_yaml(span: Span, name: str) -> Diagnostic:
    return msg.bad_value(span, "include", f"{name} is not a .yml file", "write the fields into a .yml file")


def no_fields(span: Span) -> Diagnostic:
    return msg.bad_value(span, "include", "the file has no fields", "write fields into it, as name: type")


def fields_below_a_key(span: Span, key: str) -> Diagnostic:
    return msg.bad_value(
        span, "include", f"the fields are below the key {key!r}", f"remove {key}: the file has only fields"
    )


def nested(span: Span) -> Diagnostic:
    return msg.bad_value(
        span, "include", "a set of fields cannot include another one", "include both: [common.yml, more.yml]"
    )
