"""Filters as written: the syntax trees, before `n IN (1, 1)` becomes `n = 1`."""

from __future__ import annotations

from collections.abc import Iterator

from predicat.catalog.model import Filter
from predicat.ir.syntax import Constant, ListLiteral, Macro, MapLiteral, Member, OperatorCall, Ref, Tree
from predicat.language import LANGUAGES
from predicat.lint.rule import Context


def bodies(context: Context) -> Iterator[tuple[Filter, Tree]]:
    """Every filter whose body is a string, with the syntax tree of its latest version."""
    for filter_, _ in context.filters():
        tree = filter_.current.tree
        if tree is not None and LANGUAGES[filter_.current.language].shape == "text":
            yield filter_, tree


def has_sql_nulls(filter_: Filter) -> bool:
    """Whether a comparison with NULL is UNKNOWN in the language of a filter. In other languages `== null`
    tests for a missing value.
    """
    return not LANGUAGES[filter_.current.language].rules.null_is_value


def walk(tree: Tree) -> Iterator[Tree]:
    """A tree and all its parts in the order of the text, without referenced filters."""
    stack = [tree]
    while stack:
        part = stack.pop()
        yield part
        stack += parts(part)[::-1]


def parts(tree: Tree) -> tuple[Tree, ...]:
    """The direct parts of a tree."""
    match tree:
        case OperatorCall():
            return tree.args
        case ListLiteral():
            return tree.items
        case MapLiteral():
            return tuple(part for entry in tree.entries for part in entry)
        case Member():
            return (tree.base,)
        case Macro():
            return (tree.source, tree.body)
        case Ref():
            return tuple(value for _, value in tree.args)
        case _:
            return ()


def text_constants(tree: Tree) -> list[Constant]:
    """The strings in a constant or in the items of a list."""
    items = tree.items if isinstance(tree, ListLiteral) else (tree,)
    return [item for item in items if isinstance(item, Constant) and isinstance(item.value, str)]


def shown(text: str) -> str:
    """A string as a SQL literal, cut if it is long."""
    quoted = text.replace("'", "''")
    return f"'{quoted if len(quoted) <= 40 else quoted[:37] + '...'}'"
