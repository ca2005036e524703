"""Unique names for the variables of macros, so that no engine and no language confuses one with another, or
with a column.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import count

from msgspec.structs import replace

from predicat.ir.nodes import LEAVES, Node, Quantifier, Variable, children, rewrite_children, walk


def fold_identifier(name: str) -> str:
    """A name for comparisons that ignore case. Names that are the same in Java, DuckDB or Unicode have the
    same result.
    """
    return name.upper().casefold()


def _any(_name: str) -> bool:
    return True


def rename_bound_variables(node: Node, taken: Collection[str], fits: Callable[[str], bool] = _any) -> Node:
    """The node with new names for variables whose name is in `taken`, is the name of an enclosing variable,
    or does not pass `fits`.

    `taken` has case-folded names. Returns the same node if no name changes.
    """
    if not any(isinstance(part, Quantifier) for part in walk(node)):
        return node
    return _renamed(node, {}, frozenset(taken), fits)


def _renamed(
    node: Node, names: Mapping[str, str], taken: frozenset[str], fits: Callable[[str], bool]
) -> Node:
    """`names` has the new names of enclosing variables; `taken` contains these as well."""
    if isinstance(node, Variable):
        name = names.get(node.name, node.name)
        return node if name == node.name else replace(node, name=name)
    if isinstance(node, LEAVES):
        return node
    if not isinstance(node, Quantifier):
        return rewrite_children(node, lambda part: _renamed(part, names, taken, fits))
    name = fresh_name(node.variable if fits(node.variable) else "x", taken)
    source = _renamed(node.source, names, taken, fits)
    body = _renamed(node.body, {**names, node.variable: name}, taken | {fold_identifier(name)}, fits)
    if name == node.variable and source is node.source and body is node.body:
        return node
    return replace(node, variable=name, source=source, body=body)


def fresh_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number appended if it is taken."""
    if fold_identifier(name) not in taken:
        return name
    return next(
        candidate for number in count(2) if fold_identifier(candidate := f"{name}_{number}") not in taken
    )


def free(node: Node) -> frozenset[str]:
    """The names of the free variables: those whose macro is outside the node."""
    if isinstance(node, Variable):
        return frozenset({node.name})
    if isinstance(node, Quantifier):
        return free(node.source) | (free(node.body) - {node.variable})
    return frozenset[str]().union(*map(free, children(node)))
