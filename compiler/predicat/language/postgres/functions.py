"""Operators and functions that only PostgreSQL has."""

from __future__ import annotations

from sqlglot import exp

from predicat.diagnostics.messages import sql as say
from predicat.ir import syntax as t
from predicat.language.common.trees import apply
from predicat.language.sql import array_functions, constants
from predicat.language.sql.arguments import counted
from predicat.language.sql.node_reader import Reader

# Collations that order strings by code points, as filters do.
_BY_CHARACTERS = frozenset({"c", "posix", "ucs_basic", "c.utf-8", "c.utf8"})


def exists(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`jsonb_exists(j, 'k')`, the function of the operator `?`. sqlglot parses the key as a path, which it is
    not: a key that is another text than it wrote is refused.
    """
    span, path = reader.span(node), node.args["path"]
    last = path.expressions[-1] if isinstance(path, exp.JSONPath) else path
    key = getattr(last, "this", None)
    if f"'{key}'" not in span.text:
        raise reader.fail(say.key_not_plain(span))
    return apply("jsonb.has_key", span, reader.read(node.this, depth), t.Constant(key, span))


def collate(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`s COLLATE "C"`: the string itself. Raises Stop for a collation with another order."""
    if node.expression.name.lower() not in _BY_CHARACTERS:
        raise reader.fail(reader.unsupported(node))
    return reader.read(node.this, depth)


def array_length(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`array_length(xs, 1)`: NULL for an empty array. Raises Stop for another dimension."""
    span = reader.span(node)
    items, dimension = reader.all(counted(reader, node, 2), depth)
    if constants.whole(reader, dimension, "array_length") != 1:
        raise reader.fail(reader.unsupported(node))
    return array_functions.null_of_zero(apply("size", span, items), span)
