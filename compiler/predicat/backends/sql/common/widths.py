"""Casts of numbers to the full width of their type: columns and literals may be narrower than declared."""

from __future__ import annotations

from collections.abc import Mapping

from predicat.backends.sql.builders import Sql, cast
from predicat.backends.sql.renderer import Renderer
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.operators import ARITHMETIC
from predicat.ir.types import BIGINT, DOUBLE, DecimalType, Type

# The operators whose SQL has the full width of their type. Others choose or look up a value, which may be a
# narrower column or constant.
_FULL_WIDTH = frozenset({*ARITHMETIC, "neg", "abs", "floor", "ceil", "to_double", "to_int"} - {"mod"})


def as_double(r: Renderer, node: Node) -> Sql:
    """An operand as DOUBLE. A column may be narrower, and a constant may have another type. NULL stays
    NULL.
    """
    sql = r.node(node)
    return sql if is_full(r, node) else cast(sql, "DOUBLE")


def is_full(r: Renderer, node: Node) -> bool:
    """Whether the SQL of a number is known to have the full width of its type: a calculation, or a column of
    known type.
    """
    if isinstance(node, Field):
        return r.storage.types.get(node.decl.column(r.dialect.name)) == _FULL_TYPES.get(node.type, "")
    return isinstance(node, Call) and node.op in _FULL_WIDTH


_FULL_TYPES: Mapping[Type, str] = {BIGINT: "bigint", DOUBLE: "double precision"}


def operands(r: Renderer, node: Call) -> list[Sql]:
    """The operands of a calculation. At least one has the full width of its type, so that engines widen the
    others.
    """
    chosen = next((arg for arg in node.args if _is_wide(r, arg)), None)
    if chosen is None:
        chosen = next((arg for arg in node.args if not isinstance(arg, Literal)), node.args[0])
    return [as_wide(r, arg) if arg is chosen else bare(r, arg) for arg in node.args]


def as_wide(r: Renderer, node: Node) -> Sql:
    """A number in the full width of its type."""
    return as_double(r, node) if node.type == DOUBLE else as_bigint(r, node)


def _is_wide(r: Renderer, node: Node) -> bool:
    """Whether the SQL of a node has full width by itself."""
    return is_full(r, node) and _widened(node) is None


def is_column(node: Node) -> bool:
    """Whether the SQL of a number is a column, which may be narrower than its type."""
    return isinstance(inner if (inner := _widened(node)) is not None else node, Field)


def _widened(node: Node) -> Node | None:
    """The number that a node only converts to a double."""
    if isinstance(node, Call) and node.op == "to_double":
        (arg,) = node.args
        return arg if arg.type == BIGINT or isinstance(arg.type, DecimalType) else None
    return None


# Engines that read a number as a decimal convert so many digits to the same double.
EXACT_DIGITS = 15


def bare(r: Renderer, node: Node) -> Sql:
    """An operand without a cast: the engine widens it to the type of the other one."""
    if isinstance(node, Literal):
        sql = r.node(node)
        short = isinstance(node.value, int) or sum(map(str.isdigit, repr(node.value))) <= EXACT_DIGITS
        return sql if r.parameterize or (node.value is not None and short) else as_wide(r, node)
    if not is_column(node):
        return as_wide(r, node)
    inner = _widened(node)
    return r.node(node if inner is None else inner)


def as_bigint(r: Renderer, node: Node) -> Sql:
    """An integer operand as BIGINT, since a narrower column would overflow earlier. NULL stays NULL."""
    sql = r.node(node)
    return sql if is_full(r, node) else cast(sql, "BIGINT")
