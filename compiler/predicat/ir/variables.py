"""Variables of macros under names that nothing else has: no engine and no language may take one for
another, or for a column.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import count

from msgspec.structs import replace

from predicat.ir.nodes import LEAVES, Node, Quantifier, Variable, children, rewrite_children, walk


def fold_identifier(name: str) -> str:
    """A name without the difference between capital and small letters, as Java, DuckDB and Unicode have
    it: one letter for all that either joins.
    """
    return name.upper().casefold()


def _any(_name: str) -> bool:
    return True


def rename_bound_variables(node: Node, taken: Collection[str], fits: Callable[[str], bool] = _any) -> Node:
    """The node with other names for those variables that are called as a name of `taken` or as a variable
    around them, or whose name does not fit.

    `taken` holds caseless names. The same node where every name can stay.
    """
    if not any(isinstance(part, Quantifier) for part in walk(node)):
        return node
    return _renamed(node, {}, frozenset(taken), fits)


def _renamed(
    node: Node, names: Mapping[str, str], taken: frozenset[str], fits: Callable[[str], bool]
) -> Node:
    """`names`: what the variables around are called now; `taken` has those names too."""
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
    """The name, with a number behind it if it is taken."""
    if fold_identifier(name) not in taken:
        return name
    return next(
        candidate for number in count(2) if fold_identifier(candidate := f"{name}_{number}") not in taken
    )


def free(node: Node) -> frozenset[str]:
    """The names of the variables whose macro is not in the node."""
    if isinstance(node, Variable):
        return frozenset({node.name})
    if isinstance(node, Quantifier):
        return free(node.source) | (free(node.body) - {node.variable})
    return frozenset[str]().union(*map(free, children(node)))
