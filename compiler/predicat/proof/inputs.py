"""The inputs of a predicate in proofs: the values of its fields and parameters in one mapping."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from predicat.ir.nodes import (
    Field,
    FieldDecl,
    Node,
    Quantifier,
    children,
    fields_of,
    inputs_of,
    rewrite_children,
)
from predicat.ir.widths import widest
from predicat.semantics.closures import NONE
from predicat.semantics.evaluate import compile_node

# Values of fields by their names, and of parameters by theirs after a colon (`:minutes`), as SQL writes
# them; the current time is `:now()`.
Inputs = Mapping[str, Any]


def over_inputs(node: Node) -> Callable[[Inputs], Any]:
    """A function from inputs to the value of a node; None is UNKNOWN. A parameter without a value has its
    default. Raises PredicatError for values of wrong types.
    """
    run = compile_node(node)
    keys = {f":{name}": name for name in inputs_of(node)}
    if not keys:
        return run

    def bound(inputs: Inputs) -> Any:
        return run(inputs, NONE, {name: inputs[key] for key, name in keys.items() if key in inputs})

    return bound


def with_widest(before: Node, after: Node) -> tuple[Node, Node]:
    """Two predicates with one width for each column: the wider one, if they declare two."""
    fields = fields_of(before)
    wide = {
        name: replace(decl, stored=widest(decl.stored, fields[name].stored))
        for name, decl in fields_of(after).items()
        if name in fields and decl.stored != fields[name].stored
    }
    return (with_widths(before, wide), with_widths(after, wide)) if wide else (before, after)


def with_widths(node: Node, fields: Mapping[str, FieldDecl]) -> Node:
    """A predicate whose fields have the widths of these declarations, if these have their types."""
    if isinstance(node, Field):
        declared = fields.get(node.decl.name, node.decl)
        if declared.type != node.type or declared.stored == node.decl.stored:
            return node
        return replace(node, decl=replace(node.decl, stored=declared.stored))
    return rewrite_children(node, lambda part: with_widths(part, fields))


_MOST_STEPS = 250_000


def is_affordable(row: Mapping[str, Any], nodes: Iterable[Node]) -> bool:
    """Whether a row can be evaluated quickly: nested macros read the elements of a long array many times."""
    longest = max(map(_longest, row.values()), default=0)
    return longest < 100 or all(longest ** _nesting(node) <= _MOST_STEPS for node in nodes)


def _longest(value: Any) -> int:
    return max([len(value), *map(_longest, value)]) if isinstance(value, list) else 0


def _nesting(node: Node) -> int:
    """The depth of nested macros."""
    return (1 if isinstance(node, Quantifier) else 0) + max(map(_nesting, children(node)), default=0)
