"""Whether the columns of a relation can hold what the catalog declares."""

import re
from collections.abc import Iterable, Mapping

from predicat.catalog.model import Filter
from predicat.diagnostics import Diagnostic
from predicat.diagnostics.messages import deploy as say
from predicat.ir import widths
from predicat.ir.nodes import FieldDecl, fields_of
from predicat.ir.types import (
    BIGINT,
    DOUBLE,
    JSON,
    ArrayType,
    DecimalType,
    MapType,
    StructType,
    Type,
    TypeSyntaxError,
    is_numeric,
    parse_type,
)

_PADDED = re.compile(r"(?:character|char)\((?!1\))\d+\)|bpchar")
"""Texts with blanks up to their length, which count in some operators of an engine and not in others."""
_PLAIN_TIMESTAMP = ("timestamp without time zone", "timestamp_ntz")


Composites = Mapping[str, Mapping[str, str]]
"""Composite types of PostgreSQL by name: their members, and the types of these."""


def problems(
    engine: str,
    relation: str,
    columns: Mapping[str, str],
    filters: Iterable[Filter],
    composites: Composites | None = None,
) -> list[Diagnostic]:
    """The problems of running filters on a relation: missing columns, and columns of another type.

    `columns` maps the relation's columns to the engine's names of their types (`engine` is spark or
    postgres).
    """
    spark = engine == "spark"
    known = {(name.lower() if spark else name): kind for name, kind in columns.items()}
    shown = "Spark" if spark else "PostgreSQL"
    diagnostics: list[Diagnostic] = []
    for column, (decl, readers) in _readers(engine, filters).items():
        kind = known.get(column.lower() if spark else column)
        if kind is None:
            diagnostics.append(say.column_missing(shown, relation, column, readers, columns))
        elif not widths.holds(decl.stored, kind) or not (
            _spark_holds(kind, decl.type) if spark else _postgres_holds(kind, decl.type, composites or {})
        ):
            diagnostics.append(say.column_type(shown, relation, column, kind, decl.shown_type, readers))
    return diagnostics


def _readers(engine: str, filters: Iterable[Filter]) -> dict[str, tuple[FieldDecl, list[str]]]:
    """The fields that filters read, by their columns, and the names of those filters."""
    result: dict[str, tuple[FieldDecl, list[str]]] = {}
    for filter_ in filters:
        for decl in fields_of(filter_.current.predicate.node).values():
            result.setdefault(decl.column(engine), (decl, []))[1].append(filter_.qualified)
    return result


def _spark_holds(physical: str, declared: Type) -> bool:
    return not _other_meaning(physical.lower()) and _fits_text(physical.lower(), declared)


def _other_meaning(physical: str) -> bool:
    """Whether columns of a type compare in another way than filters do."""
    return physical in _PLAIN_TIMESTAMP or _PADDED.match(physical) is not None


def _postgres_holds(physical: str, declared: Type, composites: Composites) -> bool:
    if isinstance(declared, ArrayType):
        return physical.endswith("[]") and _postgres_holds(physical[:-2], declared.element, composites)
    if isinstance(declared, StructType):
        members = composites.get(physical, {})
        return all(
            name in members and _postgres_holds(members[name], kind, composites)
            for name, kind in declared.fields
        )
    if isinstance(declared, MapType) or declared == JSON:
        return physical == "jsonb"
    return not _other_meaning(physical) and _fits_text(physical, declared)


def _fits_text(text: str, declared: Type) -> bool:
    try:
        return _fits(parse_type(text), declared)
    except TypeSyntaxError:
        return False


def _fits(actual: Type, declared: Type) -> bool:
    match actual, declared:
        case DecimalType(), DecimalType():
            return True
        case ArrayType(), ArrayType():
            return _fits(actual.element, declared.element)
        case MapType(), MapType():
            return _fits(actual.value, declared.value)
        case StructType(), StructType():
            members = {name.lower(): kind for name, kind in actual.fields}
            return all(
                (part := members.get(name.lower())) is not None and _fits(part, kind)
                for name, kind in declared.fields
            )
        case _ if declared == DOUBLE:
            return is_numeric(actual)
        case _ if isinstance(declared, DecimalType):
            return actual == BIGINT
        case _:
            return actual == declared
