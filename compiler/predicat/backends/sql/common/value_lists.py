"""Long lists of a catalog in SQL.

`x IN (1, 2, ...)` takes longer to read than to answer. The values are one constant, which the engine turns
into a hash table: an array in PostgreSQL, the rows of a split text in DuckDB. In Spark a function of the
extension looks into the values, which are in a file beside the manifest and come to each executor once. Views
in PostgreSQL look into a table, which `predicat apply` fills.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from predicat.backends.sql.builders import (
    Sql,
    and_,
    binary,
    call,
    case,
    cast,
    comparison_operand,
    is_null,
    not_,
    wrap,
)
from predicat.backends.sql.names import identifier
from predicat.backends.sql.renderer import Renderer
from predicat.diagnostics import Unsupported
from predicat.diagnostics import messages as msg
from predicat.ir.nodes import Call, Literal, Variable, walk
from predicat.ir.types import STRING, ArrayType, DecimalType, Type
from predicat.ir.value_sets import ValueSet, as_text

FUNCTION = "predicat_in_list"
"""The function of the Spark extension: a value, and the hash of the list."""


def values_of(node: Call) -> tuple[Type, ValueSet]:
    """The list of a call of `in_list`, with the type of its values."""
    listed = node.args[1]
    assert isinstance(listed, Literal) and isinstance(listed.value, ValueSet)  # noqa: S101, PT018  # the check
    assert isinstance(listed.type, ArrayType)  # noqa: S101  # as above
    return listed.type.element, listed.value


def type_name(r: Renderer, kind: Type) -> str:
    """The type of the values in a dialect."""
    return str(kind).upper() if isinstance(kind, DecimalType) else r.dialect.types[kind]


# --- PostgreSQL


def in_array(r: Renderer, node: Call) -> Sql:
    """`x = ANY ('{...}')`, or, where the values are in a table, whether it has the value."""
    kind, listed = values_of(node)
    if listed.table is not None:
        return _three_valued(r, node, listed)
    if kind == STRING and any("\0" in text for text in listed.values):
        raise Unsupported.of(msg.no_nul(node.span, r.dialect.name))
    array = cast(array_text(listed), f"{type_name(r, kind)}[]")
    return exp.EQ(
        this=comparison_operand(r.node(node.args[0])), expression=exp.Any(this=exp.Paren(this=array))
    )


def array_text(listed: ValueSet) -> str:
    """The values as PostgreSQL's text of an array."""
    return "{" + ",".join(_element(as_text(one)) for one in listed.values) + "}"


def _element(text: str) -> str:
    """An element of PostgreSQL's array constants."""
    if text.replace("-", "").replace(".", "").isalnum() and text.isascii() and text.lower() != "null":
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _three_valued(r: Renderer, node: Call, listed: ValueSet) -> Sql:
    value = r.node(node.args[0])
    return case((not_(is_null(value)), _in_table(r, value, listed)))


def _in_table(r: Renderer, value: Sql, listed: ValueSet) -> Sql:
    """Whether a table has a value. Its column gets a name that no column of the relation has."""
    assert listed.table is not None  # noqa: S101  # the caller asks for it
    column = exp.to_identifier(r.fresh_name("v"), quoted=True)
    schema, name = (identifier(part, r.dialect.sqlglot) if part else None for part in listed.table)
    alias = exp.TableAlias(this=exp.to_identifier("__l", quoted=True), columns=[column])
    source = exp.Table(this=name, db=schema, alias=alias)
    equal = binary(exp.EQ, exp.Column(this=column.copy()), wrap(value))
    return exp.Exists(this=exp.select(exp.Literal.number(1)).from_(source).where(equal))


def in_table_where(r: Renderer, node: Call) -> Sql | None:
    """A test of a WHERE, which may be FALSE instead of NULL: a join, for the planner."""
    _, listed = values_of(node)
    return _in_table(r, r.node(node.args[0]), listed) if listed.table is not None else None


def not_in_table_where(r: Renderer, node: Call) -> Sql | None:
    """`NOT` of such a test in a WHERE: an anti-join."""
    (inner,) = node.args
    if not isinstance(inner, Call) or inner.op != "in_list":
        return None
    _, listed = values_of(inner)
    if listed.table is None:
        return None
    value = r.node(inner.args[0])
    return and_(not_(is_null(value)), not_(_in_table(r, value, listed)))


# --- DuckDB


def in_rows(r: Renderer, node: Call) -> Sql:
    """`x IN (SELECT UNNEST(...))`. DuckDB has no subqueries in lambda functions: the list is searched."""
    kind, listed = values_of(node)
    if listed.table is not None:
        return _three_valued(r, node, listed)
    texts = [as_text(one) for one in listed.values]
    separator = next(sign for sign in _SEPARATORS if not any(sign in text for text in texts))
    parts = call("STRING_SPLIT", separator.join(texts), separator)
    name, value = type_name(r, kind), r.node(node.args[0])
    if any(isinstance(part, Variable) for part in walk(node.args[0])):
        return call("LIST_CONTAINS", cast(parts, f"{name}[]"), value)
    rows = exp.Explode(this=parts)  # faster than a cast of the list
    query = exp.select(rows if kind == STRING else cast(rows, name))
    return exp.In(this=comparison_operand(value), query=exp.Subquery(this=query))


_SEPARATORS = (" ", ",", "|", "\n", "\t", "\x1f", "\x1e", *map(chr, range(0xE000, 0xF8FF)))
"""What may stand between the values: the first that none of them has. A million values cannot have all."""


# --- Spark


def in_broadcast(r: Renderer, node: Call) -> Sql:
    """`predicat_in_list(x, 'HASH')`."""
    _, listed = values_of(node)
    return call(FUNCTION, r.node(node.args[0]), listed.digest)


ROWS: dict[str, Callable[[Renderer, Call], Sql | None]] = {
    "in_list": in_table_where,
    "not": not_in_table_where,
}
"""PostgreSQL's shorter rules for tests of a WHERE."""
