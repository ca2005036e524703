"""Writes JMS message selectors."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from decimal import Decimal

from predicat.diagnostics import Unsupported
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Field, Items, Literal, Node
from predicat.ir.ops import ARITHMETIC, COMPARISONS, EQUALITIES, JUNCTIONS
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, STRING
from predicat.language.common.key_tests import key_of, plain, refuse
from predicat.language.jms.reader import KEYWORDS
from predicat.semantics import like

_SIGNS = {**ARITHMETIC, "concat": "+"}
_NUMBERS = (BIGINT, DOUBLE, JSON)
_VALUES = (*_NUMBERS, STRING, BOOLEAN)
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")


def write(node: Node) -> str:
    """The predicate as a selector. Raises Unsupported."""
    return SelectorWriter().written(plain(node), 0)


class SelectorWriter:
    """Writes a selector. Precedence: 1 OR, 2 AND, 3 NOT, 4 a comparison, 5 a sum, 6 a product, 7 a sign."""

    language = "jms"
    noun = "a selector"
    keywords: Collection[str] = KEYWORDS
    calculations: Collection[str] = ("add", "sub", "mul", "div", "fdiv", "concat")

    def refuse(self, node: Node, reason: str) -> Unsupported:
        return refuse(self.language, node, reason)

    def written(self, node: Node, level: int) -> str:
        match node:
            case Literal():
                return self.literal(node)
            case Field():
                return self.field(node)
            case Call() if (key := key_of(node)) is not None:
                return self.identifier(node, key)
            case Call():
                text, own = self.call(node)
                return f"({text})" if own < level else text
            case _:
                raise self.refuse(node, say.selector_has_no_parameters(self.noun))

    def field(self, node: Field) -> str:
        return self.identifier(node, node.decl.name)

    def identifier(self, node: Node, name: str) -> str:
        if not _NAME.match(name) or name.upper() in self.keywords:
            raise self.refuse(node, say.no_identifier(name, self.noun))
        return name

    def call(self, node: Call) -> tuple[str, int]:
        """A call and its precedence."""
        op, args = node.op, node.args
        if op in JUNCTIONS:
            own = 2 if op == "and" else 1
            return f" {op.upper()} ".join(self.condition(arg, own + 1) for arg in args), own
        if op == "not":
            if isinstance(args[0], Call) and args[0].op == "not":
                return (
                    self.call(args[0].args[0])
                    if isinstance(args[0].args[0], Call) and key_of(args[0].args[0]) is None
                    else (self.condition(args[0].args[0], 4), 4)
                )
            if isinstance(args[0], Call) and args[0].op == "is_null" and key_of(args[0].args[0]) is not None:
                return f"{self.written(args[0].args[0], 5)} IS NOT NULL", 4
            return f"NOT {self.condition(args[0], 3)}", 3
        if op == "is_null" and key_of(args[0]) is not None:
            return f"{self.written(args[0], 5)} IS NULL", 4
        if op in COMPARISONS:
            left, right = self.compared(node)
            return f"{self.written(left, 5)} {COMPARISONS[op].sign} {self.written(right, 5)}", 4
        if op in self.calculations:
            return self.calculation(node)
        if op == "neg":
            return f"-{self.written(args[0], 7)}", 7
        if op in ("in", *like.PATTERNS):
            return self.searched(node), 4
        raise self.refuse(node, say.selector_has_no_operator(self.noun))

    def condition(self, node: Node, level: int) -> str:
        """A part of a condition; a property that is a truth value may stand alone."""
        return self.written(node, level)

    def searched(self, node: Call) -> str:
        """IN and LIKE."""
        value, wanted = node.args
        if key_of(value) is None:
            raise self.refuse(node, say.ASKS_ABOUT_A_PROPERTY)
        if node.op == "in":
            if not isinstance(wanted, Items) or not wanted.items:
                raise self.refuse(node, say.IN_TAKES_CONSTANTS)
            return (
                f"{self.written(value, 5)} IN ({', '.join(self.item(node, item) for item in wanted.items)})"
            )
        if not isinstance(wanted, Literal) or not isinstance(wanted.value, str):
            raise self.refuse(node, say.LIKE_TAKES_A_CONSTANT)
        pattern = like.PATTERNS[node.op](wanted.value)
        escape = " ESCAPE '\\'" if "\\" in pattern else ""
        return f"{self.written(value, 5)} LIKE {quoted(pattern)}{escape}"

    def item(self, node: Node, item: Node) -> str:
        if not isinstance(item, Literal) or not isinstance(item.value, str):
            raise self.refuse(node, say.IN_TAKES_TEXTS)
        return quoted(item.value)

    def compared(self, node: Call) -> list[Node]:
        """What is compared: a selector orders numbers only, and has no decimals."""
        allowed = _VALUES if node.op in EQUALITIES else _NUMBERS
        kinds = {arg.type for arg in node.args}
        for arg in node.args:
            same = (
                isinstance(arg, Literal)
                and isinstance(arg.value, Decimal)
                and BIGINT in kinds
                and _between_the_same(arg.value)
            )
            if arg.type not in allowed and not same:
                raise self.refuse(
                    node, say.no_comparison_of(self.noun, str(arg.type), order=allowed is not _VALUES)
                )
        return promoted(*node.args)

    def calculation(self, node: Call) -> tuple[str, int]:
        own = 5 if node.op in ("add", "sub", "concat") else 6
        wanted = (STRING, JSON) if node.op == "concat" else _NUMBERS
        if any(arg.type not in wanted for arg in node.args):
            raise self.refuse(node, say.calculates_with_numbers(self.noun))
        left, right = self.divided(node) if node.op in ("div", "fdiv") else promoted(*node.args)
        return f"{self.written(left, own)} {_SIGNS[node.op]} {self.written(right, own + 1)}", own

    def divided(self, node: Call) -> list[Node]:
        """The operands of a division, which is one of doubles for brokers, whatever the operands are."""
        if node.type != DOUBLE:
            raise self.refuse(node, say.divides_as_doubles(self.noun))
        self.by_zero(node)
        return [arg.args[0] if isinstance(arg, Call) and converted(arg) else arg for arg in node.args]

    def by_zero(self, node: Call) -> None:
        right = node.args[1]
        if node.op == "div" and not (isinstance(right, Literal) and right.value):
            raise self.refuse(node, say.infinite_quotient(self.noun))

    def literal(self, node: Literal) -> str:
        match node.value:
            case bool():
                return "TRUE" if node.value else "FALSE"
            case int():
                return str(node.value)
            case float() if math.isfinite(node.value):
                return repr(node.value)
            case Decimal():
                return f"{node.value:f}"
            case str():
                return quoted(node.value)
            case _:
                raise self.refuse(node, say.selector_constants(self.noun))


def _between_the_same(value: Decimal) -> bool:
    """Whether no whole number tells a decimal from the double nearest to it."""
    nearest = float(value)
    return (
        abs(value) < 2**53
        and math.floor(value) == math.floor(nearest)
        and (value % 1 == 0) == nearest.is_integer()
    )


def promoted(left: Node, right: Node) -> list[Node]:
    """Two operands, without the conversion of a whole number that goes without saying beside a double."""
    if right.type == DOUBLE and not converted(right):
        left = left.args[0] if isinstance(left, Call) and converted(left) else left
    elif left.type == DOUBLE and not converted(left):
        right = right.args[0] if isinstance(right, Call) and converted(right) else right
    return [left, right]


def converted(node: Node) -> bool:
    return isinstance(node, Call) and node.op == "to_double" and node.args[0].type == BIGINT


def quoted(text: str) -> str:
    """A text in single quotes."""
    return "'" + text.replace("'", "''") + "'"
