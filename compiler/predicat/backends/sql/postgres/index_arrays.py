"""PostgreSQL: tests of the elements of an array that use a GIN index on it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from predicat.backends.sql.builders import Sql, string_literal
from predicat.backends.sql.postgres.stored import spelling
from predicat.backends.sql.renderer import Renderer
from predicat.backends.sql.rules import Served
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Quantifier, Variable
from predicat.ir.types import BIGINT, STRING, ArrayType

# What the elements of a column can hold, by its type.
_LIMITS = {"smallint[]": 2**15, "integer[]": 2**31, "bigint[]": 2**63}


def served(r: Renderer, node: Node, _: Sql) -> Served | None:
    """`tags @> '{a}'` for a value in an array, `tags && '{a,b}'` for one of several: TRUE for the same rows
    as the test.
    """
    elements = _elements(node)
    if elements is None or r.parameterize:
        return None
    field, values = elements
    column = r.column(field)
    is_subquery = isinstance(node, Quantifier)  # the operators are faster also where no index is known
    has_index = is_subquery or r.storage.index_on(spelling(column), ("gin",)) is not None
    if not has_index or not _fit(r, field, values):
        return None
    # An untyped constant gets the type of the column, which may be another string or integer type.
    items = string_literal("{" + ",".join(map(_element, values)) + "}")
    kind: type[exp.Binary] = exp.ArrayContainsAll if len(values) == 1 else exp.ArrayOverlaps
    return Served(kind(this=column, expression=items), exact=True)


def _elements(node: Node) -> tuple[Field, Sequence[object]] | None:
    """The array, and the values of which it must contain one."""
    match node:
        case Call(op="in", args=(Literal(value=value), Field(type=ArrayType()) as field)):
            return (field, [value]) if value is not None else None
        case Quantifier(kind="any", source=Field(type=ArrayType()) as field, variable=name, body=body):
            values = _compared(body, name)
            return (field, values) if values else None
        case _:
            return None


def _compared(body: Node, name: str) -> list[object]:
    """The constants with which the variable of a macro is compared."""
    match body:
        case (
            Call(op="eq", args=(Variable(name=said), Literal(value=value)))
            | Call(op="eq", args=(Literal(value=value), Variable(name=said)))
        ) if said == name and value is not None:
            return [value]
        case Call(op="in", args=(Variable(name=said), Items(items=items))) if said == name:
            values = [item.value for item in items if isinstance(item, Literal) and item.value is not None]
            return list(values) if len(values) == len(items) else []
        case Call(op="or" | "is_true", args=args):
            parts = [_compared(arg, name) for arg in args]
            return [value for part in parts for value in part] if all(parts) else []
        case _:
            return []


def _fit(r: Renderer, field: Field, values: Sequence[object]) -> bool:
    """Whether the column's type accepts all of the values; PostgreSQL raises an error for others."""
    element = field.type.element if isinstance(field.type, ArrayType) else None
    if element == STRING:
        return all(isinstance(value, str) and "\0" not in value for value in values)
    kind = r.storage.types.get(field.decl.column(r.dialect.name), "smallint[]")
    limit = _LIMITS.get(kind, 0) if element == BIGINT else 0
    return all(type(value) is int and -limit <= value < limit for value in values)


def _element(value: object) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)
