"""Writes JMS message selectors."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from typing import Any, ClassVar

from predicat.diagnostics import Unsupported
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Field, Items, Literal, Node
from predicat.ir.operators import COMPARISONS, EQUALITIES, JUNCTIONS
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, STRING, Type, is_numeric
from predicat.language.common.key_tests import key_of, negated, refuse, without_conversions
from predicat.language.common.precedence_writer import Form, PrecedenceWriter
from predicat.language.jms.spelling import COMPARISON, INFIX, KEYWORDS, NOT, SIGN, SUM
from predicat.semantics import like

_NUMBERS = (BIGINT, DOUBLE, JSON)
_VALUES = (*_NUMBERS, STRING, BOOLEAN)
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
_ATOM = SIGN + 1


def write(node: Node) -> str:
    """The predicate as a selector. Raises Unsupported."""
    return SelectorWriter().text(without_conversions(node))


class SelectorWriter(PrecedenceWriter):
    """Writes a selector. Languages like it override its words and operators."""

    language = "jms"
    noun = "a selector"
    keywords: Collection[str] = KEYWORDS

    def refuse(self, node: Node, reason: str) -> Unsupported:
        """The problem of a node that a selector cannot express; to be raised."""
        return refuse(self.language, node, reason)

    def form(self, node: Node) -> Form:
        """The text of a node with its precedence. Raises Unsupported."""
        match node:
            case Literal():
                return self.literal(node), _ATOM
            case Field():
                return self.field(node), _ATOM
            case Call() if (key := key_of(node)) is not None:
                return self.identifier(node, key), _ATOM
            case Call() if (rule := self.rules.get(node.op)) is not None:
                return rule(self, node)
            case Call():
                raise self.refuse(node, say.selector_has_no_operator(self.noun))
            case _:
                raise self.refuse(node, say.selector_has_no_parameters(self.noun))

    def field(self, node: Field) -> str:
        """A property of the message."""
        return self.identifier(node, node.decl.name)

    def identifier(self, node: Node, name: str) -> str:
        """A name. Raises Unsupported if it is a keyword, or not an identifier."""
        if not _NAME.match(name) or name.upper() in self.keywords:
            raise self.refuse(node, say.no_identifier(name, self.noun))
        return name

    # --- logic

    def joined(self, node: Call) -> Form:
        """AND and OR."""
        operator = INFIX[node.op]
        parts = [self.condition(arg, operator.level + 1) for arg in node.args]
        return f" {operator.sign} ".join(parts), operator.level

    def negation(self, node: Call) -> Form:
        """NOT, or the opposite test: `<>`, IS NOT NULL, NOT IN."""
        (inner,) = node.args
        twice = negated(inner)
        if twice is not None:
            return (
                self.form(twice)
                if isinstance(twice, Call) and key_of(twice) is None
                else (self.condition(twice, COMPARISON), COMPARISON)
            )
        if isinstance(inner, Call) and inner.op == "is_null" and key_of(inner.args[0]) is not None:
            return f"{self.text(inner.args[0], SUM)} IS NOT NULL", COMPARISON
        return f"NOT {self.condition(inner, NOT)}", NOT

    def absence(self, node: Call) -> Form:
        """IS NULL, which selectors support only for properties."""
        if key_of(node.args[0]) is None:
            raise self.refuse(node, say.selector_has_no_operator(self.noun))
        return f"{self.text(node.args[0], SUM)} IS NULL", COMPARISON

    def condition(self, node: Node, level: int) -> str:
        """A part of a condition; a boolean property is a condition by itself."""
        return self.text(node, level)

    def compared(self, node: Call) -> Form:
        """A comparison: a selector orders numbers only, and has no decimals."""
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
                    node, say.no_comparison_of(self.noun, str(arg.type), allowed is not _VALUES)
                )
        return self.between(INFIX[node.op], promoted(*node.args))

    # --- IN and LIKE

    def within(self, node: Call) -> Form:
        """IN with constants."""
        value, wanted = node.args
        self.asked(node)
        if not isinstance(wanted, Items) or not wanted.items:
            raise self.refuse(node, say.IN_TAKES_CONSTANTS)
        if all(isinstance(item, Literal) and is_numeric(item.type) for item in wanted.items):
            tests = (Call(BOOLEAN, "eq", (value, item), node.span) for item in wanted.items)
            return self.form(Call(BOOLEAN, "or", tuple(tests), node.span))
        items = ", ".join(self.item(node, item) for item in wanted.items)
        return f"{self.text(value, SUM)} IN ({items})", COMPARISON

    def matched(self, node: Call) -> Form:
        """LIKE, also for operators that are patterns, such as starts_with."""
        value, wanted = node.args
        self.asked(node)
        if not isinstance(wanted, Literal) or not isinstance(wanted.value, str):
            raise self.refuse(node, say.LIKE_TAKES_A_CONSTANT)
        pattern = like.PATTERNS[node.op](wanted.value)
        escape = " ESCAPE '\\'" if "\\" in pattern else ""
        return f"{self.text(value, SUM)} LIKE {quoted(pattern)}{escape}", COMPARISON

    def asked(self, node: Call) -> None:
        """The operand of IN and LIKE: a property."""
        if key_of(node.args[0]) is None:
            raise self.refuse(node, say.ASKS_ABOUT_A_PROPERTY)

    def item(self, node: Node, item: Node) -> str:
        """An element of IN, which must be a string."""
        if not isinstance(item, Literal) or not isinstance(item.value, str):
            raise self.refuse(node, say.IN_TAKES_TEXTS)
        return quoted(item.value)

    # --- calculations

    def calculation(self, node: Call) -> Form:
        """Arithmetic, without the implicit conversions of selectors."""
        self.of_kinds(node, _NUMBERS)
        return self.between(INFIX[node.op], promoted(*node.args))

    def concatenation(self, node: Call) -> Form:
        """A concatenation with the operator of the language."""
        self.of_kinds(node, (STRING, JSON))
        return self.between(INFIX[node.op], node.args)

    def division(self, node: Call) -> Form:
        """A division. Brokers divide doubles, whatever the types of the operands."""
        self.of_kinds(node, _NUMBERS)
        return self.between(INFIX[node.op], self.divided(node))

    def of_kinds(self, node: Call, kinds: Collection[Type]) -> None:
        """Raise Unsupported for operands of other types."""
        if any(arg.type not in kinds for arg in node.args):
            raise self.refuse(node, say.calculates_with_numbers(self.noun))

    def divided(self, node: Call) -> list[Node]:
        """The operands of a division."""
        if node.type != DOUBLE:
            raise self.refuse(node, say.divides_as_doubles(self.noun))
        self.by_zero(node)
        return [arg.args[0] if isinstance(arg, Call) and converted(arg) else arg for arg in node.args]

    def by_zero(self, node: Call) -> None:
        """Raise Unsupported for a division that may be by zero: its quotient is infinite in a selector, and
        UNKNOWN here.
        """
        right = node.args[1]
        if node.op == "div" and not (isinstance(right, Literal) and right.value):
            raise self.refuse(node, say.infinite_quotient(self.noun))

    def literal(self, node: Literal) -> str:
        """A constant. Raises Unsupported for types that selectors do not have."""
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

    rules: ClassVar[Mapping[str, Callable[[Any, Call], Form]]] = {
        **dict.fromkeys(JUNCTIONS, lambda writer, node: writer.joined(node)),
        **dict.fromkeys(COMPARISONS, lambda writer, node: writer.compared(node)),
        **dict.fromkeys(like.PATTERNS, lambda writer, node: writer.matched(node)),
        **dict.fromkeys(("add", "sub", "mul"), lambda writer, node: writer.calculation(node)),
        **dict.fromkeys(("div", "fdiv"), lambda writer, node: writer.division(node)),
        "concat": lambda writer, node: writer.concatenation(node),
        "neg": lambda writer, node: (f"-{writer.text(node.args[0], SIGN)}", SIGN),
        "not": lambda writer, node: writer.negation(node),
        "is_null": lambda writer, node: writer.absence(node),
        "in": lambda writer, node: writer.within(node),
    }
    """How each operator is written. The others are not supported."""


def _between_the_same(value: Decimal) -> bool:
    """Whether there is no integer between a decimal and the nearest double."""
    nearest = float(value)
    return (
        abs(value) < 2**53
        and math.floor(value) == math.floor(nearest)
        and (value % 1 == 0) == nearest.is_integer()
    )


def promoted(left: Node, right: Node) -> list[Node]:
    """The operands without the bigint-to-double casts that JMS applies by itself."""
    if right.type == DOUBLE and not converted(right):
        left = left.args[0] if isinstance(left, Call) and converted(left) else left
    elif left.type == DOUBLE and not converted(left):
        right = right.args[0] if isinstance(right, Call) and converted(right) else right
    return [left, right]


def converted(node: Node) -> bool:
    """Whether a node is an integer cast to a double."""
    return isinstance(node, Call) and node.op == "to_double" and node.args[0].type == BIGINT


def quoted(text: str) -> str:
    """A text in single quotes."""
    return "'" + text.replace("'", "''") + "'"
