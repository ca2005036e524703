"""Writes SQL filters of Azure Service Bus."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.types import DOUBLE
from predicat.language.common.key_tests import key_of, without_conversions
from predicat.language.common.precedence_writer import Form
from predicat.language.jms.spelling import SUM
from predicat.language.jms.writer import SelectorWriter, converted, promoted
from predicat.language.servicebus.spelling import SYSTEM, WORDS

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_SYSTEM = {column: "".join(part.capitalize() for part in column.split("_")) for column in SYSTEM.values()} | {
    "subject": "Label"
}


def write(node: Node) -> str:
    """The predicate as a SQL filter. Raises Unsupported."""
    return _Writer().condition(without_conversions(node), 0)


class _Writer(SelectorWriter):
    language = "servicebus"
    noun = "a SQL filter"
    keywords = WORDS | {"SYS", "USER", "PROPERTY", "P", "NEWID", "BETWEEN"}
    rules: ClassVar[Mapping[str, Callable[[Any, Call], Form]]] = {
        **SelectorWriter.rules,
        "mod": lambda writer, node: writer.calculation(node),
    }

    def field(self, node: Field) -> str:
        name = _SYSTEM.get(node.decl.name)
        return f"sys.{name}" if name else super().field(node)

    def identifier(self, node: Node, name: str) -> str:  # noqa: ARG002  # as the base class has it
        if _NAME.match(name) and name.upper() not in self.keywords:
            return name
        return f"[{name.replace(']', ']]')}]"

    def condition(self, node: Node, level: int) -> str:
        """A part of a condition. A boolean property alone is not accepted: it is compared with TRUE."""
        if isinstance(node, Literal) and isinstance(node.value, bool):
            return f"1 {'=' if node.value else '<>'} 1"
        if key_of(node) is not None:
            return f"{self.text(node, SUM)} = TRUE"
        return self.text(node, level)

    def within(self, node: Call) -> Form:
        if key_of(node.args[0]) is None:
            raise self.refuse(node, say.IN_OF_A_CALCULATION)
        return super().within(node)

    def item(self, node: Node, item: Node) -> str:
        if not isinstance(item, Literal) or item.value is None:
            raise self.refuse(node, say.IN_TAKES_CONSTANTS)
        return self.literal(item)

    def divided(self, node: Call) -> list[Node]:
        """The operands of a division. Service Bus divides integers as integers: for a double result, one
        operand must be a double. Raises Unsupported.
        """
        if node.type != DOUBLE:
            return list(node.args)
        self.by_zero(node)
        if not any(arg.type == DOUBLE and not converted(arg) for arg in node.args):
            raise self.refuse(node, say.WHOLE_DIVISION)
        return promoted(*node.args)
