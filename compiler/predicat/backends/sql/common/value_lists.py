"""Long lists of a catalog in SQL: what dialects share.

A long `x IN (1, 2, ...)` takes longer to parse than to run. So the values are one constant, which the engine
turns into a hash table, or they are in a table.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.builders import Sql, binary, case, is_null, not_, wrap
from predicat.backends.sql.names import identifier
from predicat.backends.sql.renderer import Renderer
from predicat.ir.nodes import Call, Literal
from predicat.ir.types import ArrayType, DecimalType, Type
from predicat.ir.value_sets import ValueSet


def values_of(node: Call) -> tuple[Type, ValueSet]:
    """The list of an `in_list` call, with the type of its values."""
    listed = node.args[1]
    assert isinstance(listed, Literal) and isinstance(listed.value, ValueSet)  # noqa: S101, PT018  # the check
    assert isinstance(listed.type, ArrayType)  # noqa: S101  # as above
    return listed.type.element, listed.value


def type_name(r: Renderer, kind: Type) -> str:
    """The type of the values in a dialect."""
    return str(kind).upper() if isinstance(kind, DecimalType) else r.dialect.types[kind]


def three_valued(r: Renderer, node: Call, listed: ValueSet) -> Sql:
    """Whether a table contains a value; NULL for NULL."""
    value = r.node(node.args[0])
    return case((not_(is_null(value)), in_table(r, value, listed)))


def in_table(r: Renderer, value: Sql, listed: ValueSet) -> Sql:
    """Whether a table contains a value. Its column gets a name that no column of the relation has."""
    assert listed.table is not None  # noqa: S101  # the caller asks for it
    column = exp.to_identifier(r.fresh_name("v"), quoted=True)
    schema, name = (identifier(part, r.dialect.sqlglot) if part else None for part in listed.table)
    alias = exp.TableAlias(this=exp.to_identifier("__l", quoted=True), columns=[column])
    source = exp.Table(this=name, db=schema, alias=alias)
    equal = binary(exp.EQ, exp.Column(this=column.copy()), wrap(value))
    return exp.Exists(this=exp.select(exp.Literal.number(1)).from_(source).where(equal))
