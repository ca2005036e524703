"""Predicates for languages whose NOT is not that of three values, or that have none: what is written is TRUE
where a predicate has one of some outcomes, so NOT becomes the opposite test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_FLOOR, Decimal
from typing import Any, ClassVar

from predicat.diagnostics import Unsupported
from predicat.diagnostics.messages import backends as say
from predicat.forms.total_order import is_nan_test, with_nan_tests
from predicat.ir.nodes import Call, Field, Items, Literal, Node
from predicat.ir.operators import COMPARISONS, FLIPPED, NEGATED
from predicat.ir.types import BOOLEAN
from predicat.language.common.key_tests import refuse

# The outcomes of a predicate for which what is written has to be TRUE.
Outcomes = frozenset[bool | None]
TRUE: Outcomes = frozenset([True])
# The outcome of a part that decides AND, or OR, alone.
DECIDES = {"and": False, "or": True}


class OutcomeWriter:
    """Writes predicates that combine tests of one column each. The subclass of a language has the tests."""

    language: ClassVar[str]

    def refuse(self, node: Node, reason: str) -> Unsupported:
        """The problem of a node that the language cannot express; to be raised."""
        return refuse(self.language, node, reason)

    def column(self, term: Node) -> Any:
        """The column of a test. Raises Unsupported for what is none."""
        raise NotImplementedError

    def nested(self, word: str, parts: Sequence[Any]) -> Any:
        """AND or OR. A part may be True or False."""
        raise NotImplementedError

    def null(self, term: Node, *, absent: bool) -> Any:
        """IS NULL, or IS NOT NULL."""
        raise NotImplementedError

    def comparison(self, op: str, term: Node, value: Any, node: Node, *, nan: bool = False) -> Any:
        """A test of a value that is not NULL. `nan`: whether it is to be TRUE for NaN."""
        raise NotImplementedError

    def opposites(self, op: str, term: Node, values: Sequence[Any], node: Node) -> tuple[Any, Any]:
        """A test `in`, `starts_with` or `is_nan` of a value that is not NULL, and its opposite."""
        raise NotImplementedError

    def rejects_null(self, form: Any) -> bool:
        """Whether a test is never TRUE for NULL, wherever it is evaluated."""
        raise NotImplementedError

    def expression(self, node: Node, wanted: Outcomes = TRUE) -> Any:
        """What is TRUE where a predicate has one of the outcomes."""
        match node:
            case Literal():
                return node.value in wanted
            case Call() if (rule := self.rules.get(node.op)) is not None:
                return rule(self, node, wanted)
            case _ if node.type == BOOLEAN:
                yes, no = (self.comparison("eq", node, value, node) for value in (True, False))
                return self.test(node, yes, no, wanted)
            case _:
                raise self.refuse(node, say.COLUMNS_WITH_CONSTANTS)

    def joined(self, node: Call, wanted: Outcomes) -> Any:
        """AND and OR."""
        decided = wanted - {None}
        if len(decided) != 1:
            raise self.refuse(node, say.COLUMNS_WITH_CONSTANTS)
        word = ("and", "or")[DECIDES[node.op] in decided]
        pairs = with_nan_tests(node.args) if DECIDES[node.op] else [(arg,) for arg in node.args]
        return self.nested(
            word,
            [
                self.compared(first, wanted, in_total_order=True) if rest else self.expression(first, wanted)
                for first, *rest in pairs
            ],
        )

    def negation(self, node: Call, wanted: Outcomes) -> Any:
        """NOT."""
        return self.expression(node.args[0], frozenset(None if one is None else not one for one in wanted))

    def decision(self, node: Call, wanted: Outcomes) -> Any:
        """IS TRUE, or COALESCE with a constant: UNKNOWN is that constant."""
        inner, *rest = node.args
        constant = rest[0] if rest else Literal(BOOLEAN, False)
        if node.type != BOOLEAN or len(rest) > 1 or not isinstance(constant, Literal):
            raise self.refuse(node, say.COLUMNS_WITH_CONSTANTS)
        unknown: Outcomes = frozenset([None]) if constant.value in wanted else frozenset()
        return self.expression(inner, (wanted - {None}) | unknown)

    def absence(self, node: Call, wanted: Outcomes) -> Any:
        """IS NULL."""
        (term,) = node.args
        forms = [
            form(term) for outcome, form in ((True, self.absent), (False, self.present)) if outcome in wanted
        ]
        return forms[0] if len(forms) == 1 else bool(forms)

    def compared(self, node: Node, wanted: Outcomes, *, in_total_order: bool = False) -> Any:
        """A comparison with a constant. NaN is above every number in the total order."""
        if not isinstance(node, Call):
            raise self.refuse(node, say.COLUMNS_WITH_CONSTANTS)
        if is_nan_test(node):
            return self.test(node.args[0], *self.opposites("is_nan", node.args[0], (), node), wanted)
        op, term, value = node.op, *node.args
        if isinstance(term, Literal):
            op, term, value = FLIPPED[op], value, term
        if not isinstance(value, Literal) or value.value is None:
            raise self.refuse(node, say.COLUMNS_WITH_CONSTANTS)
        nan = bool(COMPARISONS[op].holds(math.inf if in_total_order else math.nan, 0.0))
        yes = self.comparison(op, term, value.value, node, nan=nan)
        no = self.comparison(NEGATED[op], term, value.value, node, nan=not nan)
        return self.test(term, yes, no, wanted)

    def sameness(self, node: Call, wanted: Outcomes) -> Any:
        """IS NOT DISTINCT FROM a constant: FALSE for NULL."""
        equal = Call(BOOLEAN, "eq", node.args, node.span)
        return self.decision(Call(BOOLEAN, "is_true", (equal,), node.span), wanted)

    def listed(self, node: Call, wanted: Outcomes) -> Any:
        """A test of constants: IN, or that a text starts with one."""
        term, given = node.args
        items = given.items if isinstance(given, Items) else (given,)
        values = [item.value for item in items if isinstance(item, Literal)]
        if not values or None in values or len(values) < len(items):
            raise self.refuse(node, say.COLUMNS_WITH_CONSTANTS)
        return self.test(term, *self.opposites(node.op, term, values, node), wanted)

    def test(self, term: Node, yes: Any, no: Any, wanted: Outcomes) -> Any:
        """What is TRUE where a test that is UNKNOWN only for NULL has one of the outcomes."""
        accepted = [form for outcome, form in ((True, yes), (False, no)) if outcome in wanted]
        form = self.present(term) if len(accepted) == 2 else accepted[0] if accepted else False
        if None in wanted:
            return self.nested("or", [self.absent(term), form])
        if isinstance(form, bool) or len(accepted) == 2:
            return form
        there = [] if self.rejects_null(form) else [self.null(term, absent=False)]
        return self.nested("and", [*there, *self._inside(term), form])

    def absent(self, term: Node) -> Any:
        """Whether there is no value, or one outside of the declared range of the column."""
        outside = [self.comparison(NEGATED[op], term, bound, term, nan=True) for op, bound in _range(term)]
        return self.nested("or", [self.null(term, absent=True), *outside])

    def present(self, term: Node) -> Any:
        """Whether there is a value, inside of the declared range."""
        return self.nested("and", [self.null(term, absent=False), *self._inside(term)])

    def _inside(self, term: Node) -> list[Any]:
        return [self.comparison(op, term, bound, term) for op, bound in _range(term)]

    def on_grid(self, op: str, value: Decimal, scale: int, node: Node) -> tuple[str, Decimal]:
        """A comparison with a number of this many decimals: `x > 1.5` of an integer is `x > 1`."""
        floor = value.quantize(Decimal(1).scaleb(-scale), ROUND_FLOOR)
        if floor == value:
            return op, floor
        if op not in _WITH_FLOOR:
            raise self.refuse(node, say.NO_VALUE_OF_COLUMN)
        return _WITH_FLOOR[op], floor

    rules: ClassVar[Mapping[str, Callable[[Any, Call, Outcomes], Any]]] = {
        **dict.fromkeys(DECIDES, joined),
        **dict.fromkeys(COMPARISONS, compared),
        **dict.fromkeys(("is_true", "coalesce"), decision),
        **dict.fromkeys(("in", "starts_with"), listed),
        "not": negation,
        "is_null": absence,
        "same": sameness,
    }
    """How each operator is written. The others are not supported."""


_WITH_FLOOR = {"gt": "gt", "ge": "gt", "lt": "le", "le": "le"}


def without_constants(word: str, parts: Sequence[Any]) -> list[Any] | bool:
    """The parts of AND or OR that are not constant, or the constant that they are together."""
    decides = DECIDES[word]
    if any(part is decides for part in parts):
        return decides
    return [part for part in parts if not isinstance(part, bool)] or not decides


def _range(term: Node) -> list[tuple[str, Any]]:
    """The declared range of a column, outside of which a value counts as NULL."""
    bounds = (("ge", term.decl.least), ("le", term.decl.greatest)) if isinstance(term, Field) else ()
    return [(op, bound) for op, bound in bounds if bound is not None]


def stored(term: Node) -> str:
    """The declared width of a column, if it is narrower than its type."""
    return term.decl.stored if isinstance(term, Field) else ""
