"""The dataset that `predicat init --from` writes for a file or a table, as the text of a catalog file."""

from collections.abc import Iterable
from pathlib import PurePath

import yaml

from predicat.api import Predicate, parse
from predicat.catalog.file_formats import ANY, KEYS
from predicat.deploy.describe import Column, Described
from predicat.deploy.field_names import field_names, in_ascii
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages.deploy import INVOKER, with_cast, with_zone

_NUMBERS = ("bigint", "int", "smallint", "tinyint", "double", "float", "decimal")
_OWNER = "you@example.com"


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
    fields = _fields(described.columns)
    lines = [
        "apiVersion: predicat/v1",
        f"dataset: {name}",
        f"relation: {{{described.engine}: {_relation(described)}}}",
        "fields:",
    ]
    lines += [
        f"  # not supported: {column.name!r} of type {column.physical}{_in_a_view(described.engine, column)}"
        for column in described.columns
        if column.type is None
    ]
    lines += _view(described)
    lines += [f"  {_scalar(field)}: {_declared(field, column)}" for field, column in fields.items()]
    return "\n".join([*lines, *_first_filter(fields)]) + "\n"


def _relation(described: Described) -> str:
    """The table or the path of files; with the keys of their format, if they are not the usual ones."""
    said = {key: value for key in KEYS if (value := getattr(described.form, key)) != getattr(ANY, key)}
    if not said:
        return _inside(described.relation)
    pairs = {"csv": described.relation, **said}
    return f"{{{', '.join(f'{key}: {_inside(value)}' for key, value in pairs.items())}}}"


def _in_a_view(engine: str, column: Column) -> str:
    converted = _converted(engine, column)
    return f"; in a view: {converted}" if converted else ""


def _converted(engine: str, column: Column) -> str:
    """The expression with which a view converts a column, if there is one."""
    if column.lacks_zone:
        return with_zone(engine, column.name)
    return with_cast(column.name, column.cast) if column.cast else ""


def _view(described: Described) -> list[str]:
    """A comment with the view that converts columns, if PostgreSQL needs one."""
    converted = [_converted(described.engine, column) for column in described.columns]
    if described.engine != "postgres" or not any(converted):
        return []
    selected = [
        told or '"{}"'.format(column.name.replace('"', '""'))
        for column, told in zip(described.columns, converted, strict=True)
        if told or column.type is not None
    ]
    name = described.relation
    query = f"SELECT {', '.join(selected)} FROM {name}"
    return [f"  # the view: CREATE VIEW {name}_converted WITH ({INVOKER}) AS {query}"]


def _fields(columns: Iterable[Column]) -> dict[str, Column]:
    """The columns that have a type, by the names of their fields."""
    declared = [column for column in columns if column.type is not None]
    names = field_names([column.name for column in declared])
    return dict(zip(names, declared, strict=True))


def _declared(field: str, column: Column) -> str:
    kind = str(column.type)
    return (
        _scalar(kind)
        if field == column.name
        else f"{{type: {_inside(kind)}, column: {_inside(column.name)}}}"
    )


def _first_filter(fields: dict[str, Column]) -> list[str]:
    """A filter on a numeric column, or else on any column whose name needs no quotes in SQL."""
    numbers = [(name, column) for name, column in fields.items() if str(column.type).startswith(_NUMBERS)]
    for (name, column), test in [
        *((row, " > 0") for row in numbers),
        *((row, " IS NOT NULL") for row in fields.items()),
    ]:
        if _parses(f"{name}{test}", name, str(column.type)):
            positive = test == " > 0"
            label = in_ascii(f"{'positive' if positive else 'has'}_{name}", "first")[:63]
            rows = [
                "{row: {%s: 1}, matches: true}",
                "{row: {%s: 0}, matches: false}",
                "{row: {%s: null}, matches: unknown}",
            ]
            field = _inside(name)
            return [
                "filters:",
                "  # A first filter. Change it, add others, then run: predicat check",
                f"  {label}:",
                f"    description: {'A positive number' if positive else 'A value'} in {field}.",
                f"    owner: {_OWNER}",
                f"    sql: {_scalar(name + test)}",
                "    tests:",
                *(
                    f"      - {row % field}"
                    for row in (rows if positive else ["{row: {%s: null}, matches: false}"])
                ),
            ]
    return ["filters: {}"]


def _parses(sql: str, name: str, kind: str) -> Predicate | None:
    try:
        return parse(sql, "sql", {name: kind})
    except PredicatError:
        return None


def _scalar(text: str) -> str:
    """A string as a YAML scalar, in quotes if it needs them."""
    return yaml.safe_dump(text, width=10_000, allow_unicode=True).removesuffix("...\n").strip()


def _inside(text: str) -> str:
    """A string inside of braces in YAML, where a comma needs quotes as well."""
    return yaml.safe_dump([text], default_flow_style=True, width=10_000, allow_unicode=True).strip()[1:-1]
