"""The arguments of a function in sqlglot's nodes."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from predicat.diagnostics import messages as msg
from predicat.language.sql.node_reader import Reader


def arguments(node: exp.Expr) -> Iterator[exp.Expr]:
    """The arguments of a call in order, whether or not sqlglot has a node for the function."""
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
    """The arguments of a function. Raises Stop unless their number is one of `counts`."""
    args = list(arguments(node))
    if len(args) not in counts:
        wanted = " or ".join(map(str, counts)) + (" argument" if counts == (1,) else " arguments")
        raise reader.fail(
            msg.wrong_argument_count(reader.span(node), reader.called_name(node), len(args), wanted)
        )
    return args


def only(reader: Reader, node: exp.Expr) -> exp.Expr:
    """The argument of a function with one argument. Raises Stop for another number of arguments."""
    return counted(reader, node, 1)[0]
