"""New columns of a relation, added to the file of its dataset: what `predicat init --update` does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import yaml
from msgspec import Struct

from predicat.backends.sql.expressions import columns_of
from predicat.catalog.model import DatasetHead
from predicat.deploy.columns import problems_of_fields
from predicat.deploy.describe import Column, Described
from predicat.deploy.field_names import field_names
from predicat.deploy.starter import field_text
from predicat.diagnostics import Diagnostic, Span
from predicat.diagnostics.messages import deploy as say
from predicat.ir.nodes import FieldDecl


class Update(Struct, frozen=True):
    """The file of a dataset with new fields: its path, its new text and the fields. `changed` has the columns
    that are gone, or have another type than their fields.
    """

    path: str
    text: str
    added: list[str]
    changed: list[Diagnostic]


def updated(dataset: DatasetHead, described: Described) -> Update | None:
    """A dataset with fields for the new columns of its relation; None if it has no fields yet."""
    engine, decls = described.engine, dataset.fields.values()
    place = _place(dataset)
    if place is None:
        return None
    known = {_folded(engine, column) for decl in decls for column in columns_of(decl, engine)}
    new = [
        column for column in described.columns if column.type and _folded(engine, column.name) not in known
    ]
    named = _named(dataset.fields, new)
    lines = [field_text(engine, name, column) for name, column in named.items()]
    kinds = {column.name: column.physical for column in described.columns}
    read = [(decl, [say.CATALOG]) for decl in decls if not decl.expression(engine)]
    changed = problems_of_fields(
        engine, described.relation, kinds, read, described.composites, dataset.places
    )
    text = _with_fields(place.source.text, lines) if lines else place.source.text
    return Update(place.source.name, text, list(named), changed)


def _folded(engine: str, column: str) -> str:
    return column if engine == "postgres" else column.lower()


def _place(dataset: DatasetHead) -> Span | None:
    """A field in the dataset's own file, or else in another one of its files; not one of a shared set."""
    home = dataset.place("dataset").source.name
    spans = [dataset.place(f"field {name}") for name in dataset.fields]
    spans.sort(key=lambda span: span.source.name != home)
    return next((span for span in spans if span.source.text and _fields(span.source.text) is not None), None)


def _named(fields: Mapping[str, FieldDecl], columns: Iterable[Column]) -> dict[str, Column]:
    """The names of the fields of new columns: none that there is."""
    used = {name.lower() for name in fields}
    result: dict[str, Column] = {}
    new = list(columns)
    for base, column in zip(field_names([column.name for column in new]), new, strict=True):
        name, count = base, 1
        while name.lower() in used:
            count += 1
            name = f"{base}_{count}"
        used.add(name.lower())
        result[name] = column
    return result


def _fields(text: str) -> Any:
    """The mapping of the fields in a file of a dataset; None in another file."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    mapping: list[tuple[Any, Any]] = root.value if isinstance(root, yaml.MappingNode) else []
    return next((value for key, value in mapping if key.value == "fields"), None)


def _with_fields(text: str, lines: list[str]) -> str:
    """A catalog file with fields behind the last one. Nothing else changes."""
    fields = _fields(text)
    if fields.flow_style:
        end = fields.end_mark.index - 1
        before = text[:end].rstrip()
        comma = "" if before.endswith((",", "{")) else ","
        return f"{before}{comma} {', '.join(lines)}{text[len(before) :]}"
    key, leaf = fields.value[-1]
    while not isinstance(leaf, yaml.ScalarNode) and not leaf.flow_style and leaf.value:
        leaf = leaf.value[-1][1] if isinstance(leaf, yaml.MappingNode) else leaf.value[-1]
    end = text.find("\n", max(leaf.end_mark.index - 1, key.end_mark.index))
    end = len(text) if end < 0 else end
    added = "".join(f"\n{' ' * key.start_mark.column}{line}" for line in lines)
    return f"{text[:end]}{added}{text[end:]}"
