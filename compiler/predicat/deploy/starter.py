"""The dataset that `predicat init --from` writes for a file or a table, as the text of a catalog file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import yaml

from predicat.catalog.file_formats import ANY, KEYS
from predicat.deploy.describe import Column, Described, decls_of, fields_of
from predicat.deploy.field_names import in_ascii
from predicat.deploy.first_filter import first_filter
from predicat.diagnostics.messages import deploy as say

if TYPE_CHECKING:
    from predicat.deploy.policies_read import Policies

_OWNER = "you@example.com"
_OF_LOCAL_TIMES = (
    "  # A timestamp_ntz is a local time. If its time zone is known: {type: timestamp, zone: Europe/Berlin}"
)


def dataset_name(described: Described) -> str:
    """A name for a dataset: `orders_2026` for the file `data/Orders 2026.csv`, `orders` for the table
    `public.orders`.
    """
    is_file = described.engine == "duckdb"
    return in_ascii(
        PurePath(described.relation).name.split(".")[0] if is_file else described.relation.rsplit(".", 1)[-1],
        "dataset",
    )


def dataset_text(name: str, described: Described) -> str:
    """The catalog file: the relation, a field for each column that has a type, and a first filter with
    tests.
    """
    fields = fields_of(described.columns)
    names = {column.name: field for field, column in fields.items()}
    key = [names[column] for column in described.key if column in names]
    lines = [
        "apiVersion: predicat/v1",
        f"dataset: {name}",
        *([f"description: {_scalar(described.about)}"] if described.about else []),
        f"relation: {{{described.engine}: {_relation(described)}}}",
        *([f"key: [{', '.join(map(_inside, key))}]"] if key and len(key) == len(described.key) else []),
        "fields:",
    ]
    lines += [
        f"  # not supported: {column.name!r} of type {column.physical}"
        for column in described.columns
        if column.type is None
    ]
    if any(column.type == "timestamp_ntz" for column in fields.values()):
        lines.append(_OF_LOCAL_TIMES)
    lines += [f"  {field_text(described.engine, field, column)}" for field, column in fields.items()]
    return "\n".join([*lines, *_first_filter(described, key), *_policies(described.policies)]) + "\n"


def _policies(found: Policies | None) -> list[str]:
    """The filters of the row policies that the table has, which end the section of filters; the attributes of
    the session that they read, and the policies.
    """
    if found is None:
        return []
    sections = {"attributes": found.attributes, "policies": found.policies}
    return [
        *_entries(found.filters),
        *(line for name, section in sections.items() if section for line in (f"{name}:", *_entries(section))),
        *(say.policy_not_read(name, reason) for name, reason in found.left.items()),
    ]


def _entries(section: Mapping[str, Any]) -> list[str]:
    return [f"  {name}: {_flow(row)}" for name, row in section.items()]


def _flow(value: object) -> str:
    return yaml.safe_dump(
        value, default_flow_style=True, width=10_000, allow_unicode=True, sort_keys=False
    ).strip()


def _relation(described: Described) -> str:
    """The table or the path of files; with the keys of their format, if they are not the usual ones."""
    said = {key: value for key in KEYS if (value := getattr(described.form, key)) != getattr(ANY, key)}
    if not said:
        return _inside(described.relation)
    pairs = {"csv": described.relation, **said}
    return f"{{{', '.join(f'{key}: {_inside(value)}' for key, value in pairs.items())}}}"


def field_text(engine: str, field: str, column: Column) -> str:
    """A field as the catalog declares it."""
    parts = {"type": str(column.type)}
    if column.expression:
        parts["expression"] = f"{{{engine}: {_inside(column.expression)}}}"
    elif field != column.name:
        parts["column"] = _inside(column.name)
    if column.about:
        parts["description"] = _inside(column.about)
    if len(parts) == 1:
        return f"{_scalar(field)}: {_scalar(parts['type'])}"
    parts["type"] = _inside(parts["type"])
    return f"{_scalar(field)}: {{{', '.join(f'{key}: {value}' for key, value in parts.items())}}}"


def _first_filter(described: Described, key: list[str]) -> list[str]:
    """A filter with tests, from the values of the data."""
    found = first_filter(decls_of(described), described.values, key)
    if found is None:
        others = described.policies.filters if described.policies is not None else {}
        return ["filters:" if others else "filters: {}"]
    field = _inside(found.field)
    rows = [(_data(value), "true" if accepted else "false") for value, accepted in found.tests]
    unknown = "unknown" if rows else "false"
    return [
        "filters:",
        "  # A first filter. Change it, add others, then run: predicat check",
        f"  {found.name}:",
        f"    description: {_scalar(found.description)}",
        f"    owner: {_OWNER}",
        f"    sql: {_scalar(found.sql)}",
        "    tests:",
        *(
            f"      - {{row: {{{field}: {value}}}, matches: {matches}}}"
            for value, matches in [*rows, ("null", unknown)]
        ),
    ]


def _data(value: object) -> str:
    """A value in YAML, inside of braces."""
    return yaml.safe_dump([value], default_flow_style=True, width=10_000, allow_unicode=True).strip()[1:-1]


def _scalar(text: str) -> str:
    """A string as a YAML scalar, in quotes if it needs them."""
    return yaml.safe_dump(text, width=10_000, allow_unicode=True).removesuffix("...\n").strip()


def _inside(text: str) -> str:
    """A string inside of braces in YAML, where a comma needs quotes as well."""
    return yaml.safe_dump([text], default_flow_style=True, width=10_000, allow_unicode=True).strip()[1:-1]
