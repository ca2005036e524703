"""Macros: quantifiers over arrays and JSON values. For a list or map literal the body is repeated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from predicat.check import collection_literals, json_nulls, lists
from predicat.check.protocol import Check
from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import check as say
from predicat.forms.conversions import (
    is_joined,
    is_union,
    underlying,
)
from predicat.forms.logic import all_of, any_of
from predicat.ir import syntax as t
from predicat.ir.column_forms import stored_element
from predicat.ir.labels import label
from predicat.ir.nodes import (
    Call,
    Items,
    Node,
    Quantifier,
    Variable,
)
from predicat.ir.types import (
    BOOLEAN,
    JSON,
    NULL,
    STRING,
    ArrayType,
    MapType,
    Type,
)
from predicat.ir.variables import fold_identifier, fresh_name


class Descends(Check, Protocol):
    """The check, as macros see it.

    Attributes:
        variables: The nodes for the variables of enclosing macros.
        bound_names: The case-folded names of these variables.
        count_sizes: Whether the sizes of typed nodes are counted.
    """

    variables: dict[str, Node]
    bound_names: frozenset[str]
    count_sizes: bool

    def node(self, tree: t.Tree, depth: int) -> Node:
        """The node of a tree."""
        ...

    def predicate(self, tree: t.Tree, depth: int = 0) -> Node:
        """A tree that must be boolean."""
        ...

    def all(self, trees: tuple[t.Tree, ...], depth: int) -> list[Node]:
        """The nodes of several trees."""
        ...

    def bounded(self, node: Node, span: Span) -> Node:
        """The node. Raises Stop if it is too large."""
        ...

    def one_type(self, node: Node) -> Node:
        """The node. Raises Stop if it is a choice between values of different types."""
        ...

    def map_union(self, choice: Node, build: Callable[[Node], Node], span: Span) -> Node:
        """A choice with a function applied to each of its values."""
        ...


def bind(check: Descends, tree: t.Macro, depth: int) -> Node:
    """A macro as a node, by the type of its source. Raises Stop."""
    parts = _summands(tree.source) if tree.kind != "let" else ()
    if len(parts) > 1:
        nodes = check.all(parts, depth)
        if any(underlying(node).type == JSON for node in nodes) and all(map(lists.may_be_list, nodes)):
            return check.bounded(_over(check, tree, lists.joined(tuple(nodes), tree.span), depth), tree.span)
    source = check.node(tree.source, depth + 1)
    if tree.kind == "let":
        check.count_sizes = True
        return check.bounded(_with_variable(check, tree, source, depth), tree.span)
    return _over(check, tree, source, depth)


def _over_each(check: Descends, tree: t.Macro, parts: tuple[Node, ...], depth: int) -> Node:
    """A macro over concatenated lists: over each of them, if all of them are lists."""
    check.count_sizes = True
    result = [_over(check, tree, part, depth) for part in parts]
    if tree.kind == "one":
        raise check.fail(say.exists_one_of_unknown(tree.span))
    if tree.kind in ("any", "all"):
        return check.where_lists(
            parts, check.call("and" if tree.kind == "all" else "or", result, tree.span), tree.span
        )
    joined = result[0]
    for node in result[1:]:
        joined = check.operator("add", [joined, node], tree.span)
    return joined


def _over(check: Descends, tree: t.Macro, source: Node, depth: int) -> Node:
    """A macro over the elements of a node."""
    if is_joined(source):
        return _over_each(check, tree, source.args, depth)
    if is_union(source):
        return check.map_union(source, lambda value: _over(check, tree, value, depth), tree.span)
    if collection_literals.is_list(source) or collection_literals.is_map(source):
        return _unrolled(check, tree, source, depth)
    if isinstance(source.type, MapType):
        source = Call(ArrayType(STRING), "keys", (source,), source.span)
    if not isinstance(source.type, ArrayType) and source.type != JSON:
        raise check.fail(
            msg.type_mismatch(
                tree.source.span,
                label(tree.kind, sql=check.rules.widens_numbers),
                [str(source.type)],
                "an array",
            )
        )
    element = source.type.element if isinstance(source.type, ArrayType) else JSON
    nulls = json_nulls.in_document(check, source)
    variable, result = _opened(check, tree, element, depth, nulls=nulls, stored=stored_element(source))
    body = check.one_type(result)
    kind: Type = BOOLEAN
    if tree.kind in ("filter", "map"):
        kind = ArrayType(element if tree.kind == "filter" else body.type)
    return Quantifier(kind, tree.kind, variable.name, source, body, tree.span)


def _opened(
    check: Descends, tree: t.Macro, element: Type, depth: int, *, nulls: bool = False, stored: str = ""
) -> tuple[Variable, Node]:
    """The variable of a macro, with a name that no enclosing macro uses, and the body. `nulls`: an element
    that is null is a value.
    """
    variable = Variable(element, fresh_name(tree.variable, check.bound_names), tree.span, stored)
    outer = check.bound_names, check.null_elements
    check.bound_names |= {fold_identifier(variable.name)}
    check.null_elements = (check.null_elements - {variable.name}) | ({variable.name} if nulls else set())
    try:
        return variable, _with_variable(check, tree, variable, depth)
    finally:
        check.bound_names, check.null_elements = outer


def _with_variable(check: Descends, tree: t.Macro, value: Node, depth: int) -> Node:
    """The body of a macro with a node for its variable."""
    outer = check.variables
    check.variables = {name: known for name, known in outer.items() if name != tree.variable} | {
        tree.variable: value
    }
    try:
        return (
            check.node(tree.body, depth + 1)
            if tree.kind in ("map", "let")
            else check.predicate(tree.body, depth + 1)
        )
    finally:
        check.variables = outer


def _unrolled(check: Descends, tree: t.Macro, source: Node, depth: int) -> Node:
    """A macro over a literal: its body once for each element of a list, or each key of a map."""
    assert isinstance(source, Items)  # noqa: S101  # bind() made sure
    elements = (
        source.items
        if collection_literals.is_list(source)
        else tuple(key for key, _ in collection_literals.entries(source))
    )
    bodies = [_with_variable(check, tree, element, depth) for element in elements]
    span = tree.span
    match tree.kind:
        case "any":
            return collection_literals.unknown_if_missing(any_of(bodies, span), [source], span)
        case "all":
            return collection_literals.unknown_if_missing(all_of(bodies, span), [source], span)
        case "one":
            return collection_literals.unknown_if_missing(
                collection_literals.exactly_one(bodies, span), [source], span
            )
        case "map":
            return Items(ArrayType(bodies[0].type if bodies else NULL), tuple(bodies), span)
        case _:
            return _filtered(check, tree, elements, depth)


def _filtered(check: Descends, tree: t.Macro, elements: tuple[Node, ...], depth: int) -> Node:
    """A `filter` over a list literal. The length of the result depends on the row, so the list becomes an
    array.
    """
    if not elements:
        return Items(ArrayType(NULL), (), tree.span)
    array = check.array(Items(ArrayType(elements[0].type), elements, tree.span))
    element = array.type.element if isinstance(array.type, ArrayType) else NULL
    variable, body = _opened(check, tree, element, depth)
    return Quantifier(array.type, "filter", variable.name, array, body, tree.span)


def _summands(tree: t.Tree) -> tuple[t.Tree, ...]:
    """The lists whose concatenation with `+` is the source of a macro."""
    if isinstance(tree, t.OperatorCall) and tree.op == "json_items":
        return _summands(tree.args[0])
    return (
        (*_summands(tree.args[0]), *_summands(tree.args[1]))
        if isinstance(tree, t.OperatorCall) and tree.op == "add"
        else (tree,)
    )
