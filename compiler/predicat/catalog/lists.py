"""Lists: sets of values that a catalog names, for `carrier IN list('regional')` in SQL and `carrier in
lists.regional` in CEL.

The values are in the catalog file, or in a CSV or YAML file next to it. Like constants, they are a part of
the meaning of the filters that use them.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from predicat.catalog.keys import DESCRIPTION, Keys, Schema, about, mapping, named, part
from predicat.catalog.versions import version_number
from predicat.catalog.yaml_nodes import YamlNode, compose
from predicat.diagnostics import PredicatError, Reporter, Source, Span
from predicat.diagnostics.messages import lists as say
from predicat.diagnostics.reading import text_of
from predicat.ir.python_values import RowError
from predicat.ir.types import BIGINT, DATE, STRING, TIMESTAMP, DecimalType, Type, TypeSyntaxError, parse_type
from predicat.ir.value_sets import MAX_WRITTEN, ValueSet
from predicat.ir.values import to_value

VALUES: Schema = {"type": "array", "items": {"type": ["string", "integer", "number"]}}
_VERSION: Keys = {
    "values": VALUES,
    "file": about("string", "A CSV or YAML file in the folder of this file, or below."),
    "column": about("string", "The column of a CSV file."),
}
LIST: Keys = {
    "description": DESCRIPTION,
    "type": part("type"),
    **_VERSION,
    "versions": named({"anyOf": [VALUES, mapping(_VERSION)]}, "^[1-9]"),
    "latest": {"type": "integer", "minimum": 1},
}
# Values of a list.
MAX_VALUES = 1_000_000
# What stands before the name of a list in a body.
PREFIX = "lists."

_WHOLE = re.compile(r"[+-]?[0-9]{1,19}\Z")
# Values in their order, each once; those of a long list as a set.
Items = tuple[Any, ...] | ValueSet
# The type of the values of a list, and the values.
Values = tuple[Type, Items]


class ValueList(Struct, frozen=True):
    """A list. `versions` has the values of each version, sorted and without duplicates."""

    name: str
    type: Type
    description: str
    latest: int
    versions: Mapping[int, Items]
    span: Span

    def about(self) -> str:
        """The data of a list that are compared: its type, the number of its values, and their hash."""
        values = self.versions[self.latest]
        known = json.dumps(
            {
                key: row.digest if isinstance(row, ValueSet) else list(map(str, row))
                for key, row in self.versions.items()
            },
            ensure_ascii=True,
        )
        digest = hashlib.sha256(f"{self.type} {known}".encode()).hexdigest()[:12]
        return f"{self.type}, {len(values):,} values, {digest}"


def names_in(dataset: str, lists: Mapping[str, Mapping[str, ValueList]]) -> dict[str, Values]:
    """The lists that bodies of a dataset can use, by name: `lists.NAME`, with a version `lists.NAME@VERSION`
    in SQL and `lists.NAME.vVERSION` in CEL. Lists of another dataset have its name as a prefix.
    """
    result: dict[str, Values] = {}
    for owner, rows in lists.items():
        for row in rows.values():
            for prefix in (PREFIX, f"{PREFIX}{owner}.") if owner == dataset else (f"{PREFIX}{owner}.",):
                result[f"{prefix}{row.name}"] = row.type, row.versions[row.latest]
                for number, values in row.versions.items():
                    result[f"{prefix}{row.name}@{number}"] = row.type, values
                    result.setdefault(f"{prefix}{row.name}.v{number}", (row.type, values))  # as CEL writes it
    return result


class Written(Struct, frozen=True):
    """Values as written, and the place of each."""

    values: Sequence[Any]
    place: Callable[[int], Span]


class ListReader(Struct):
    """Reads lists. `files` has the files with their values."""

    reporter: Reporter
    files: set[Path] = field(default_factory=set[Path])

    def list(self, name: str, item: YamlNode, span: Span) -> ValueList | None:
        """A list; None if it has problems, which are reported."""
        if not item.is_mapping:
            values = list(item.items(say.the_list(name)))
            kind: Type = BIGINT if values and all(type(value.value) is int for value in values) else STRING
            values_ = self.checked(_of_nodes(values), kind, span, name)
            return ValueList(name, kind, "", 1, {1: values_}, span) if values_ is not None else None
        keys = item.keys(say.the_list(name), LIST)
        stated = self.type(keys, name, span)
        versions = self.versions(name, keys, item, stated)
        if stated is None or not versions:
            return None
        latest = keys["latest"].value if "latest" in keys else max(versions)
        if latest not in versions:
            self.reporter.add(say.no_latest(keys["latest"].span, latest, versions))
            latest = max(versions)
        description = keys["description"].text("description") if "description" in keys else ""
        return ValueList(name, stated, description, latest, versions, span)

    def type(self, keys: Mapping[str, YamlNode], name: str, span: Span) -> Type | None:
        """The type of the values; None if lists do not support it, which is reported."""
        if "type" not in keys:
            self.reporter.add(say.type_missing(span, name))
            return None
        text = keys["type"].text("type")
        try:
            kind = parse_type(text)
        except TypeSyntaxError:
            kind = None
        if kind in (STRING, BIGINT, DATE, TIMESTAMP) or isinstance(kind, DecimalType):
            return kind
        self.reporter.add(say.bad_type(keys["type"].span, text))
        return None

    def versions(
        self, name: str, keys: dict[str, YamlNode], item: YamlNode, kind: Type | None
    ) -> dict[int, Items]:
        """The values of each version without a problem. A list without `versions` has one version."""
        result: dict[int, Items] = {}
        if kind is None:
            return result
        if "versions" not in keys:
            values = self.values(name, keys, item, kind)
            return {1: values} if values is not None else {}
        for number, value, place in keys["versions"].entries("versions"):
            whole = version_number(number)
            if whole is None:
                self.reporter.add(say.bad_version(place, number))
                continue
            inner = value.keys(say.version(name, number), _VERSION) if value.is_mapping else {"values": value}
            values = self.values(name, inner, value, kind)
            if values is not None:
                result[whole] = values
        return result

    def values(self, name: str, keys: Mapping[str, YamlNode], item: YamlNode, kind: Type) -> Items | None:
        """The values in `values` or `file`; None if they have problems, which are reported."""
        if ("values" in keys) == ("file" in keys):
            self.reporter.add(say.values_or_file(item.span, name))
            return None
        if "values" in keys:
            written = _of_nodes(list(keys["values"].items("values")))
            return self.checked(written, kind, keys["values"].span, name)
        try:
            rows = self.of_file(keys["file"], keys.get("column"), kind)
        except PredicatError as error:
            self.reporter.extend(error.diagnostics)
            return None
        return self.checked(rows, kind, keys["file"].span, name)

    def checked(self, rows: Written, kind: Type, span: Span, name: str) -> Items | None:
        """The values converted to the type, sorted and without duplicates; None if one has another type."""
        values: set[Any] = set()
        for number, value in enumerate(rows.values):
            read = _read(value, kind)
            if read is None:
                self.reporter.add(say.bad_value(rows.place(number), value, str(kind)))
                return None
            values.add(read)
        if len(values) > MAX_VALUES:
            self.reporter.add(say.too_many(span, name, len(values), MAX_VALUES))
            return None
        return tuple(sorted(values)) if len(values) <= MAX_WRITTEN else ValueSet.of(kind, values, name)

    def of_file(self, item: YamlNode, column: YamlNode | None, kind: Type) -> Written:
        """The values of a file next to the catalog file. Raises PredicatError."""
        text = item.text("file")
        path = Path(item.span.outermost().source.name).parent / text
        if Path(text).is_absolute() or ".." in Path(text).parts:
            raise PredicatError.of(say.file_elsewhere(item.span, text))
        if not path.is_file():
            raise PredicatError.of(say.no_file(item.span, text))
        self.files.add(path.resolve())
        source = Source(str(path), text_of(path))
        if path.suffix.lower() == ".csv":
            return _of_csv(source, column, kind)
        root = compose(source, self.reporter)
        return _of_nodes(list(root.items(say.A_LIST_FILE)) if root is not None else [])


def _read(value: Any, kind: Type) -> Any:
    """A value converted to a type; None if it is not a value of the type."""
    if type(value) is str and kind == STRING:
        return value  # most of a long list
    try:
        return to_value(value, kind)
    except RowError:
        return None


def _of_nodes(nodes: Sequence[YamlNode]) -> Written:
    return Written([node.value for node in nodes], lambda number: nodes[number].span)


def _of_csv(source: Source, column: YamlNode | None, kind: Type) -> Written:
    """The values of a column. Raises PredicatError if there is no such column."""
    rows = csv.reader(io.StringIO(source.text, newline=""))
    head = next(rows, [])
    whole = Span(source, 0, min(1, len(source.text)))
    name = column.text("column") if column is not None else head[0] if len(head) == 1 else None
    if name is None or name not in head:
        raise PredicatError.of(say.no_column(column.span if column is not None else whole, name, head))
    place = head.index(name)
    values: list[Any] = []
    lines: list[int] = []
    for row in rows:
        if row:
            text = row[place] if place < len(row) else None
            whole_number = kind == BIGINT and text is not None and _WHOLE.match(text) is not None
            values.append(int(text or "") if whole_number else text)
            lines.append(rows.line_num)

    def span(number: int) -> Span:
        starts = [0]
        for line in source.text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        start = starts[min(lines[number], len(starts) - 1) - 1]
        return Span(source, start, start + 1)

    return Written(values, span)
