"""|| and CONCAT of values that are not strings: they are converted to strings, as in engines."""

from __future__ import annotations

from sqlglot import exp

from predicat.ir import syntax as t
from predicat.language.common.trees import apply
from predicat.language.sql.arguments import arguments
from predicat.language.sql.node_reader import Reader


def concat(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """The concatenation; NULL if a part is NULL."""
    span = reader.span(node)
    tree, *rest = _texts(reader, node, depth)
    for part in rest:
        tree = apply("concat", span, tree, part)
    return tree


def concat_present(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """The concatenation of the parts that are not NULL."""
    span = reader.span(node)
    texts, *rest = [
        part
        if isinstance(part, t.Constant) and part.value is not None
        else apply("coalesce", span, part, t.Constant("", span))
        for part in _texts(reader, node, depth)
    ]
    for part in rest:
        texts = apply("concat", span, texts, part)
    return texts


def _texts(reader: Reader, node: exp.Expr, depth: int) -> list[t.Tree]:
    parts = reader.all(list(arguments(node)), depth)
    return [
        part
        if isinstance(part, t.Constant) and isinstance(part.value, str)
        else apply("sql.text", part.span, part)
        for part in parts
    ]
