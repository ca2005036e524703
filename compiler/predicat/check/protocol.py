"""What rules of functions and operators ask of the check of types, which calls them."""

from __future__ import annotations

from typing import Protocol

from predicat.check.integer_widths import Knows
from predicat.check.scope import Rules, Stop
from predicat.diagnostics import Diagnostic, Span
from predicat.ir.nodes import Call, Node


class Check(Knows, Protocol):
    """The check, as these rules see it."""

    rules: Rules

    def fail(self, diagnostic: Diagnostic) -> Stop:
        """Report a problem. The caller raises what is given."""
        ...

    def call(self, op: str, args: list[Node], span: Span) -> Call:
        """A call of an operator of the table, with the conversions of its signature. Raises Stop."""
        ...

    def operator(self, op: str, args: list[Node], span: Span) -> Node:
        """What an operator of any language means for these arguments. Raises Stop."""
        ...

    def cast(self, node: Node, target: Node, span: Span) -> Node:
        """A value as another type; `target` names the conversion (see casts.CASTS). Raises Stop."""
        ...
