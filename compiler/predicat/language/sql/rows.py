"""Rows of values, compared member by member: `(a, b) = (1, 2)`, `struct(a, b) IN (struct(1, 2))`.

In standard SQL and PostgreSQL a NULL makes the comparison UNKNOWN. Spark's rows are structs, in which NULL
equals NULL. Sources: PostgreSQL, "Row and Array Comparisons"; Spark SQL, "NULL Semantics".
"""

from __future__ import annotations

from sqlglot import exp

from predicat.diagnostics.messages import sql as say
from predicat.ir import syntax as t
from predicat.language.common.trees import apply
from predicat.language.sql.arguments import arguments
from predicat.language.sql.node_reader import Reader


def parts(reader: Reader, node: exp.Expr | None) -> list[exp.Expr] | None:
    """The members of a row; None if the node is not a row."""
    if isinstance(node, exp.Tuple):
        return list(node.expressions)
    if not isinstance(node, exp.Func):
        return None
    name = reader.called_name(node)
    if name not in reader.language.rows:
        return None
    values = list(arguments(node))
    if name == "named_struct":
        return values[1::2] if len(values) % 2 == 0 else None
    return [value.expression if isinstance(value, exp.PropertyEQ) else value for value in values]


def equal(reader: Reader, node: exp.Expr, left: exp.Expr, right: exp.Expr, depth: int) -> t.Tree | None:
    """Whether two rows are equal; None if the left side is not a row. Raises Stop if the right side does not
    match.
    """
    return _compared(reader, node, left, right, reader.language.row_equality, depth)


def same(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`x <=> y` and `x IS NOT DISTINCT FROM y`, of values or of rows."""
    tree = _compared(reader, node, node.this, node.expression, "same", depth)
    return tree or reader.apply("same", node, node.this, node.expression, depth=depth)


def distinct(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`x IS DISTINCT FROM y`."""
    return apply("not", reader.span(node), same(reader, node, depth))


def _compared(
    reader: Reader, node: exp.Expr, left: exp.Expr, right: exp.Expr, op: str, depth: int
) -> t.Tree | None:
    ones, others = parts(reader, left), parts(reader, right)
    if ones is None:
        return None
    span = reader.span(node)
    if not ones:
        raise reader.fail(say.empty_row(span))
    if others is None or len(others) != len(ones):
        raise reader.fail(say.row_compared(span, len(ones)))
    pairs = zip(reader.all(ones, depth), reader.all(others, depth), strict=True)
    return apply("and", span, *tuple(apply(op, span, *pair) for pair in pairs))
