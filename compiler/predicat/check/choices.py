"""Choices between values of different types, and conversions of such choices to one type."""

from __future__ import annotations

from collections.abc import Callable

from predicat.check import collection_literals, json_constants, lists
from predicat.check.comparisons import Comparisons
from predicat.diagnostics import Span
from predicat.diagnostics.messages import check as say
from predicat.forms.conversions import (
    convert,
    dynamic,
    is_dynamic,
    is_joined,
    is_union,
    underlying,
)
from predicat.forms.logic import all_of
from predicat.ir.nodes import Call, Items, Literal, Node
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    JSON,
    NULL,
    ArrayType,
    Scalar,
)


class Choices(Comparisons):
    """Choices, booleans and arrays."""

    def choice(self, op: str, args: list[Node], span: Span) -> Node:
        """A choice by a condition (`cond`), or the first value that is not NULL (`coalesce`). Values of
        different types are allowed if one of them is dynamically typed. Raises Stop.
        """
        test, values = (
            (args[0], args[1:]) if op == "cond" else (None, [*map(self.array, args[:-1]), args[-1]])
        )
        if self.rules.json_constants or self.rules.json_scalars:
            values = json_constants.choice(self, values)
        kinds = {underlying(value).type for value in values} - {NULL}
        if op == "coalesce" and len(kinds) == 1 and json_constants.has_documents(self, values):
            return json_constants.first_present(values, span)
        if (
            self.rules.absorbs_constants
            and isinstance(test, Literal)
            and isinstance(test.value, bool)
            and len(kinds) > 1
        ):
            return values[0 if test.value else 1]
        tests = [self.truth(test)] if test else []
        mixed = any(isinstance(value, Items) or is_union(value) or is_joined(value) for value in values)
        mixed = mixed or (len(kinds) > 1 and any(value.type == JSON or is_dynamic(value) for value in values))
        mixed = mixed or (self.rules.absorbs_constants and kinds == {BIGINT, DOUBLE})
        if not mixed or any(one.type != BOOLEAN for one in tests):
            one = self.call(op, [*tests, *map(underlying, values)], span)
            return dynamic(one) if any(map(is_dynamic, values)) else one
        if self.rules.absorbs_constants:
            values = [value if value.type == JSON else dynamic(value) for value in values]
        if tests:
            found: Node = Call(JSON, "cond", (*tests, *values), span)
            self.check_union_width([found], span)
            return found
        *others, found = values
        for value in reversed(others):
            absent = (
                json_constants.missing(value, span)
                if self.rules.json_scalars
                else collection_literals.absent(value, span)
            )
            found = Call(JSON, "cond", (absent, found, value), span)
            self.check_union_width([found], span)
        return found

    def map_union(self, choice: Node, build: Callable[[Node], Node], span: Span) -> Node:
        """A choice with `build` applied to each of its values."""
        assert isinstance(choice, Call)  # noqa: S101  # callers made sure
        test, *values = choice.args
        return self.choice("cond", [test, *map(build, values)], span)

    def truth(self, node: Node) -> Node:
        """A node as a condition. A dynamically typed node that is not a boolean becomes UNKNOWN."""
        if is_union(node):
            return self.map_union(node, self.truth, node.span)
        plain = underlying(node)
        if is_dynamic(node) and plain.type not in (BOOLEAN, JSON):
            return Literal(BOOLEAN, None, node.span)
        return convert(self.documents([plain], [BOOLEAN])[0], BOOLEAN)

    def where_lists(self, parts: tuple[Node, ...], found: Node, span: Span) -> Node:
        """`found` if all parts are lists, otherwise UNKNOWN."""
        listed = all_of([self.listed(part, span) for part in parts], span)
        return self.choice("cond", [listed, found, Literal(found.type, None, span)], span)

    def listed(self, node: Node, span: Span) -> Node:
        """Whether a node is a list; UNKNOWN if it is NULL."""
        return (
            self.map_union(node, lambda value: self.listed(value, span), span)
            if is_union(node)
            else lists.has_type(node, "list", span)
        )

    def array(self, node: Node) -> Node:
        """A list literal as an array of the engine. Raises Stop if its items do not have one scalar type."""
        if not isinstance(node, Items):
            return node
        items = tuple(underlying(item) for item in node.items)
        kinds = {item.type for item in items}
        if (
            collection_literals.is_map(node)
            or any(map(is_union, items))
            or len(kinds) != 1
            or not isinstance(items[0].type, Scalar)
            or NULL in kinds
        ):
            raise self.fail(say.list_of_types(node.span))
        return Call(ArrayType(items[0].type), "array", items, node.span)
