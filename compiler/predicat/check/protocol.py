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

    def fail(self, diagnostic: Diagnostic) -> Stop: ...
    def call(self, op: str, args: list[Node], span: Span) -> Call: ...
    def operator(self, op: str, args: list[Node], span: Span) -> Node: ...
    def cast(self, node: Node, target: Node, span: Span) -> Node: ...
