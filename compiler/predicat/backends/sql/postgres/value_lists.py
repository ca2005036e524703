"""PostgreSQL: long lists of a catalog, as an array or as a table, which `predicat apply` fills."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from predicat.backends.sql.builders import Sql, and_, cast, comparison_operand, is_null, not_
from predicat.backends.sql.common.value_lists import in_table, three_valued, type_name, values_of
from predicat.backends.sql.renderer import Renderer
from predicat.diagnostics import Unsupported
from predicat.diagnostics import messages as msg
from predicat.ir.nodes import Call
from predicat.ir.types import STRING
from predicat.ir.value_sets import ValueSet, as_text


def in_array(r: Renderer, node: Call) -> Sql:
    """`x = ANY ('{...}')`, or a look-up in the table if the values are in a table; NULL for NULL. Raises
    Unsupported if a value contains the character NUL.
    """
    kind, listed = values_of(node)
    if listed.table is not None:
        return three_valued(r, node, listed)
    if kind == STRING and any("\0" in text for text in listed.values):
        raise Unsupported.of(msg.no_nul(node.span, r.dialect.name))
    array = cast(array_text(listed), f"{type_name(r, kind)}[]")
    return exp.EQ(
        this=comparison_operand(r.node(node.args[0])), expression=exp.Any(this=exp.Paren(this=array))
    )


def array_text(listed: ValueSet) -> str:
    """The values as the string of a PostgreSQL array."""
    return "{" + ",".join(_element(as_text(one)) for one in listed.values) + "}"


def _element(text: str) -> str:
    """An element of such a string, in quotes if it needs them."""
    if text.replace("-", "").replace(".", "").isalnum() and text.isascii() and text.lower() != "null":
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _in_table_where(r: Renderer, node: Call) -> Sql | None:
    """A test in a WHERE, FALSE instead of NULL, which the planner turns into a join; None without a table."""
    _, listed = values_of(node)
    return in_table(r, r.node(node.args[0]), listed) if listed.table is not None else None


def _not_in_table_where(r: Renderer, node: Call) -> Sql | None:
    """NOT of such a test in a WHERE, which the planner turns into an anti-join; None for other conditions."""
    (inner,) = node.args
    if not isinstance(inner, Call) or inner.op != "in_list":
        return None
    _, listed = values_of(inner)
    if listed.table is None:
        return None
    value = r.node(inner.args[0])
    return and_(not_(is_null(value)), not_(in_table(r, value, listed)))


# PostgreSQL's shorter rules for tests of a WHERE.
ROWS: dict[str, Callable[[Renderer, Call], Sql | None]] = {
    "in_list": _in_table_where,
    "not": _not_in_table_where,
}
