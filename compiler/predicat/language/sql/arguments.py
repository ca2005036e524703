"""The arguments of a function in sqlglot's nodes."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from predicat.diagnostics import messages as msg
from predicat.language.sql.node_reader import Reader


def arguments(node: exp.Expr) -> Iterator[exp.Expr]:
    """The operands of a call in their order, whether sqlglot knows the function or not."""
    if isinstance(node, exp.Anonymous):
        yield from node.expressions
        return
    for key in node.arg_types:
        value = node.args.get(key)
        if isinstance(value, list):
            yield from value
        elif isinstance(value, exp.Expr):
            yield value


def counted(reader: Reader, node: exp.Expr, *counts: int) -> list[exp.Expr]:
    """The arguments of a function. Raises Stop unless there are as many as one of `counts`."""
    args = list(arguments(node))
    if len(args) not in counts:
        wanted = " or ".join(map(str, counts)) + (" argument" if counts == (1,) else " arguments")
        raise reader.fail(
            msg.wrong_argument_count(reader.span(node), reader.called_name(node), len(args), wanted)
        )
    return args


def only(reader: Reader, node: exp.Expr) -> exp.Expr:
    """The argument of a function that takes one. Raises Stop for another number."""
    return counted(reader, node, 1)[0]
