"""The types of columns in dbt's YAML: `data_type` of models, sources, seeds and snapshots, `column_types`."""

from collections.abc import Iterator
from typing import Any

import yaml

from predicat.discover.read.types import kind_of

MARKS = ("data_type", "column_types")
_RESOURCES = ("models", "seeds", "snapshots")
_MAX_NESTING = 30
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Types = Iterator[tuple[str, dict[str, str]]]


def types_of(text: str, dialect: str) -> Types:
    """The relations of a file, as `ref` and `source` name them, with the types of columns that have one."""
    try:
        data: Any = yaml.load(text, _Loader)  # noqa: S506  # a safe loader, the fast one where it is there
    except (yaml.YAMLError, ValueError, RecursionError):
        return
    for kind in _RESOURCES:
        for resource in _rows(data, kind):
            yield from _of(resource, (str(resource.get("name") or ""),), dialect)
    for source in _rows(data, "sources"):
        for table in _rows(source, "tables"):
            name = str(table.get("name") or "")
            stored = f"{source.get('schema') or source.get('name')}.{table.get('identifier') or name}"
            yield from _of(table, dict.fromkeys((f"{source.get('name')}.{name}", stored)), dialect)
    for kind in ("seeds", "snapshots"):  # of dbt_project.yml
        yield from _configured(data.get(kind) if isinstance(data, dict) else None, "", dialect)


def _rows(data: Any, key: str) -> Iterator[dict[str, Any]]:
    rows = data.get(key) if isinstance(data, dict) else None
    return (row for row in rows if isinstance(row, dict)) if isinstance(rows, list) else iter(())


def _of(resource: dict[str, Any], names: Any, dialect: str) -> Types:
    columns = {
        str(column.get("name") or "").lower(): kind_of(column["data_type"], dialect)
        for column in _rows(resource, "columns")
        if isinstance(column.get("data_type"), str)
    }
    config = resource.get("config")
    columns |= _types(config.get("column_types") if isinstance(config, dict) else None, dialect)
    for name in names if columns else ():
        yield name, columns


def _configured(data: Any, name: str, dialect: str, depth: int = 0) -> Types:
    """`column_types` of dbt_project.yml, which stands below the name of its seed."""
    for key, inner in data.items() if isinstance(data, dict) and depth < _MAX_NESTING else ():
        if str(key).removeprefix("+") == "column_types":
            columns = _types(inner, dialect)
            if columns and name:
                yield name, columns
        else:
            yield from _configured(inner, str(key), dialect, depth + 1)


def _types(data: Any, dialect: str) -> dict[str, str]:
    rows = data.items() if isinstance(data, dict) else ()
    return {str(name).lower(): kind_of(kind, dialect) for name, kind in rows if isinstance(kind, str)}
