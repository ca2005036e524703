"""Functions that sqlglot reads as an expression of its own: `DIV0(a, b)` of Snowflake becomes an IF.

Nobody wrote that expression, and whether it has the whole meaning of the function is not known. So the call
is put back: it is a function like any other that is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from sqlglot import Dialect, exp

_MOST_ARGUMENTS = 4
# The way from a node to a part: the names of arguments, with the number in a list.
Path = tuple[tuple[str, int | None], ...]


def with_calls(root: exp.Expr, text: str, dialect: str) -> exp.Expr:
    """A parsed tree with the calls of its text, where sqlglot has put something else.

    Args:
        root: The tree, which is changed.
        text: The text that the places of the tree are in.
        dialect: The dialect that read it, by sqlglot's name.
    """
    functions = _functions(dialect)
    for node in reversed(list(root.walk())):  # the inner ones first
        start, end = node.meta.get("start"), node.meta.get("end")
        is_function = isinstance(node, exp.Func) and not isinstance(node, exp.If | exp.Case)
        if start is None or end is None or is_function or isinstance(node, exp.Identifier):
            continue
        name = text[start : end + 1]
        # Most names are those of columns and tables: they are not kept as functions are.
        if (called := name.upper()) not in functions:
            continue
        ways = _arguments(dialect, called, type(node).__name__)
        if not ways:
            continue
        found = [[part for path in way if (part := _at(node, path)) is not None] for way in ways]
        arguments = next(
            (parts for parts, way in zip(found, ways, strict=True) if len(parts) == len(way)), found[-1]
        )
        call = exp.Anonymous(this=name, expressions=[part.copy() for part in arguments])
        call.meta.update(node.meta)
        if node is root:
            return call
        node.replace(call)
    return root


def _functions(dialect: str) -> Mapping[str, Callable[..., exp.Expr]]:
    """How a dialect reads functions, by their names."""
    return Dialect.get_or_raise(dialect or None).parser_class.FUNCTIONS


@cache
def _arguments(dialect: str, name: str, kind: str) -> tuple[tuple[Path, ...], ...]:
    """Where the arguments of a function are in the node of a kind that sqlglot makes of it, for each number
    of arguments, the most first. Empty if it keeps the function.
    """
    build = _functions(dialect)[name]
    result: list[tuple[Path, ...]] = []
    for count in range(_MOST_ARGUMENTS, 0, -1):
        arguments = [exp.column(f"x{number}") for number in range(count)]
        try:
            made = build(list(arguments))
        except Exception:  # noqa: BLE001  # it takes another number of arguments, or a dialect
            made = None
        if made is None or type(made).__name__ != kind:
            continue
        paths = [path for argument in arguments if (path := _path(made, argument)) is not None]
        kept = all(any(part is argument for argument in arguments) for part in made.iter_expressions())
        if len(paths) == count and not kept:
            result.append(tuple(paths))
    return tuple(result)


def _path(root: exp.Expr, part: exp.Expr) -> Path | None:
    """The way to a part, found by identity; None if it is not there."""
    path: list[tuple[str, int | None]] = []
    node = next((node for node in root.walk() if node is part), None)
    while node is not None and node is not root:
        path.append((str(node.arg_key), node.index))
        node = node.parent
    return tuple(reversed(path)) if node is not None else None


def _at(node: exp.Expr, path: Path) -> exp.Expr | None:
    """The part at the end of a way; None if the node has no such part."""
    found: Any = node
    for key, number in path:
        found = found.args.get(key) if isinstance(found, exp.Expr) else None
        if number is not None:
            found = found[number] if isinstance(found, list) and number < len(found) else None
    return found if isinstance(found, exp.Expr) else None
