"""Rows that do not match their fields: unknown keys (the field that was meant would silently be NULL), and
values of other types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from predicat.ir.nodes import FieldDecl
from predicat.ir.types import JSON, StructType, Type
from predicat.ir.widths import fits


def unknown_keys(row: Mapping[str, Any], fields: Mapping[str, FieldDecl]) -> Iterator[tuple[str, list[str]]]:
    """The keys of a row that are no fields, each with the names that may have been meant.

    A key in a nested mapping is prefixed with the keys of the enclosing mappings (`ce.typ`). Keys of maps and
    JSON documents are data, so they are not checked.
    """
    yield from _unknown(row, "", fields)


def misfit(row: Mapping[str, Any], fields: Mapping[str, FieldDecl]) -> str | None:
    """The first field of a row whose value does not fit its type, or None. Nested fields are not checked."""
    return next(
        (name for name, value in row.items() if name in fields and not fits(value, fields[name])), None
    )


def _unknown(
    row: Mapping[str, Any], prefix: str, fields: Mapping[str, FieldDecl]
) -> Iterator[tuple[str, list[str]]]:
    for key, value in row.items():
        name = f"{prefix}{key}"
        if name in fields:
            yield from _members(value, name, fields[name].type)
        elif any(known.startswith(f"{name}.") for known in fields):
            if isinstance(value, Mapping):
                yield from _unknown(value, f"{name}.", fields)
        elif not any(name.startswith(f"{known}.") and decl.type == JSON for known, decl in fields.items()):
            yield name, list(fields)


def _members(value: Any, name: str, kind: Type) -> Iterator[tuple[str, list[str]]]:
    """The keys of a struct value that are not declared, with the declared ones."""
    if isinstance(kind, StructType) and isinstance(value, Mapping):
        types = dict(kind.fields)
        for key, inner in value.items():
            if key in types:
                yield from _members(inner, f"{name}.{key}", types[key])
            else:
                yield f"{name}.{key}", [f"{name}.{known}" for known in types]


def absent_fields(row: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """The fields for which a row has no key, neither flat nor nested."""
    return [name for name in names if name not in row and not _held(row, name)]


def _held(row: Mapping[str, Any], name: str) -> bool:
    head, point, rest = name.partition(".")
    inner = row.get(head) if point else None
    if isinstance(inner, Mapping) and (rest in inner or _held(inner, rest)):
        return True
    return any(str(key).startswith(f"{name}.") for key in row)


def flat_keys(row: Mapping[str, Any]) -> list[str]:
    """The keys of a row, and the keys of its nested mappings as `key.inner`."""
    return [
        *map(str, row),
        *(f"{key}.{inner}" for key, value in row.items() if isinstance(value, Mapping) for inner in value),
    ]
