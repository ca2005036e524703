"""|| and CONCAT of values that are not strings: they are converted to strings, as in engines."""

from __future__ import annotations

from sqlglot import exp

from predicat.ir import syntax as t
from predicat.language.sql.arguments import arguments
from predicat.language.sql.node_reader import Reader


def concat(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """The concatenation; NULL if a part is NULL."""
    span = reader.span(node)
    tree, *rest = _texts(reader, node, depth)
    for part in rest:
        tree = t.OperatorCall("concat", (tree, part), span)
    return tree


def concat_present(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """The concatenation of the parts that are not NULL."""
    span = reader.span(node)
    texts, *rest = [
        part
        if isinstance(part, t.Constant) and part.value is not None
        else t.OperatorCall("coalesce", (part, t.Constant("", span)), span)
        for part in _texts(reader, node, depth)
    ]
    for part in rest:
        texts = t.OperatorCall("concat", (texts, part), span)
    return texts


def _texts(reader: Reader, node: exp.Expr, depth: int) -> list[t.Tree]:
    parts = reader.all(list(arguments(node)), depth)
    return [
        part
        if isinstance(part, t.Constant) and isinstance(part.value, str)
        else t.OperatorCall("sql.text", (part,), part.span)
        for part in parts
    ]
