"""Messages about the values of a row, in Python or in a file."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Text
from predicat.diagnostics.messages import shown

# What to pass for a type, by its first word.
ACCEPTED = {
    "string": "pass a str",
    "bigint": "pass an int of at most 64 bits",
    "double": "pass a float or an int",
    "boolean": "pass True or False",
    "timestamp": "pass a datetime, or a str such as '2026-02-01 10:00:00'",
    "inet": "pass an ipaddress.IPv4Address, or a str such as '10.0.0.1' or '10.0.0.0/8'",
    "cidr": "pass an ipaddress.IPv4Network, or a str such as '10.0.0.0/8'",
    "time": "pass a datetime.time without a zone, or a str such as '10:30' or '10:30:00.25'",
    "ubigint": "pass an int from 0 to 18446744073709551615",
    "binary": "pass bytes, or a str of hexadecimal digits such as '\\xdeadbeef'",
    "uuid": "pass a uuid.UUID, or a str such as 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",
    "date": "pass a date, or a str such as '2026-02-01'; of a datetime it is value.date()",
    "duration": "pass a timedelta",
    "decimal": "pass a Decimal with no more digits than the type",
    "array": "pass a list",
    "map": "pass a dict whose keys are strings",
    "struct": "pass a dict",
    "json": "pass what json.loads returns: a dict, list, str, int, float, bool or None",
}
BYTES = "pass a str, such as value.decode() or base64.b64encode(value).decode()"
UNORDERED = "a set has no order: pass a list, such as sorted(value)"
NAMED_TUPLE = "pass value._asdict() for a JSON object, or list(value) for an array"
NAN = "JSON has no NaN: pass None for a missing value, or declare the type of the field"
MOMENT = "JSON has no such value: declare the type of the field, or pass a str such as value.isoformat()"
LENGTH = "JSON has no such value: declare the type of the field, or pass value.total_seconds()"
ROW = "pass a dict whose keys are the names of fields"
KEY = "the keys of a JSON object and of a map are strings"

at_most = Text[int]("it has at most {most:count character}")
labels = Text[Iterable[str]]("its labels: {labels:list}")
ENUM_WORDS = (
    "write the labels of an enum with commas, in quotes if they are no words: enum(new, 'in progress')"
)
no_parentheses = Text[str]("{name} has no parentheses: write {name}")
at_most_six = Text[str]("{name} has at most 6 digits of a second: write {name}")
LOCAL = "a local time has no offset from UTC: pass a datetime without a zone, or a str without an offset"
no_zone = Text[str]("{name!r} is not a time zone: write its name, such as 'Europe/Berlin'")
ENUM_TWICE = "a label of an enum is written twice"
ranged = Text[str, object, object]("{kind} ({least} to {greatest})")


def bad_row(name: object, kind: str, value: object, hint: str | None) -> Diagnostic:
    read = "is read as JSON" if kind == "json" else f"has type {kind}"
    return Diagnostic("bad-row", f"the field {name!r} {read}, but the row has {_python(value)}", hint=hint)


def no_row(value: object) -> Diagnostic:
    return Diagnostic("bad-row", f"a row is a mapping of names to values, not {_python(value)}", hint=ROW)


def _python(value: object) -> str:
    """A value, with its Python type where the value alone does not show it."""
    kind = type(value)
    if kind.__module__ in ("builtins", "datetime"):
        return shown(value)
    return f"{shown(value)} ({kind.__module__.partition('.')[0]}.{kind.__qualname__})"
