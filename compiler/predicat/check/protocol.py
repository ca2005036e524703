"""The interface of the type check that the rules of functions and operators use."""

from __future__ import annotations

from typing import Protocol

from predicat.check.integer_widths import Knows
from predicat.check.scope import Rules, Stop
from predicat.diagnostics import Diagnostic, Span
from predicat.ir.nodes import Call, Node, Variable
from predicat.ir.types import Type


class Calls(Knows, Protocol):
    """The part of the check that resolves calls and reports problems."""

    rules: Rules

    def fail(self, diagnostic: Diagnostic) -> Stop:
        """Report a problem. The caller raises the returned exception."""
        ...

    def doubt(self, diagnostic: Diagnostic) -> None:
        """Report that engines differ. Raises Stop unless the scope collects doubts."""
        ...

    def call(self, op: str, args: list[Node], span: Span) -> Call:
        """A call of an operator of the table, with the conversions of its signature. Raises Stop."""
        ...


class Compares(Calls, Protocol):
    """The check, as the rules of comparisons see it.

    Attributes:
        null_elements: The variables of macros over JSON arrays whose null elements are values.
    """

    null_elements: frozenset[str]

    def comparison(self, op: str, args: list[Node], span: Span) -> Node:
        """A comparison, or IN, of values of any types. Raises Stop."""
        ...

    def split_union(self, args: list[Node], span: Span) -> tuple[Node, list[list[Node]]] | None:
        """The test of the first choice among the arguments, and these with each of its values."""
        ...

    def nullable_value(self, node: Node) -> bool:
        """Whether a node is a field whose NULL is a value, by the language's rules."""
        ...

    def element(self, kind: Type, span: Span) -> Variable:
        """The variable of a generated macro, with an unused name."""
        ...


class Check(Compares, Protocol):
    """The check, as the rules of operators see it."""

    def operator(self, op: str, args: list[Node], span: Span) -> Node:
        """The node for an operator of any language with these arguments. Raises Stop."""
        ...

    def cast(self, node: Node, target: Node, span: Span) -> Node:
        """A value as another type; `target` names the conversion (see casts.CASTS). Raises Stop."""
        ...

    def of_table(self, op: str, args: list[Node], span: Span) -> Node:
        """The call of an operator of the table that a sign or a name means for these arguments."""
        ...

    def where_lists(self, parts: tuple[Node, ...], found: Node, span: Span) -> Node:
        """`found` if all parts are lists, otherwise UNKNOWN."""
        ...

    def array(self, node: Node) -> Node:
        """A list literal as an array of the engine."""
        ...

    def no_joined(self, node: Node) -> Node:
        """The node. Raises Stop if it is a `joined` list, some of whose parts may not be lists."""
        ...
