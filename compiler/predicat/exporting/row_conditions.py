"""Row conditions of Great Expectations: an OR of ANDs of comparisons and tests for NULL.

Its engines evaluate them in SQL, where NaN is above every number, or with pandas, where `!=` and NOT_IN of
NULL are TRUE: these stand beside a test for NULL. Source: Great Expectations 1.24, `row_conditions`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import product
from typing import Any

from predicat.diagnostics import NOWHERE, PredicatError, Unsupported
from predicat.diagnostics.messages import backends as say
from predicat.diagnostics.messages import exports
from predicat.exporting.asked import Asked, Row, Text
from predicat.ir.nodes import Field, Node
from predicat.ir.operators import COMPARISONS, EQUALITIES
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, STRING, DecimalType
from predicat.language.common.outcomes import OutcomeWriter, without_constants
from predicat.lower import for_writers

# The most conditions in a row condition.
MAX_CONDITIONS = 100
_SIGNS = {op: {"=": "==", "<>": "!="}.get(row.sign, row.sign) for op, row in COMPARISONS.items()}
_TRUE_FOR_NULL = ("!=", "NOT_IN")
_WIDTHS = ("", "int", "smallint", "tinyint", "float")
# What Spark reads in a text as Python writes it.
_ESCAPED = "\n\r\t"
_Form = list[list[dict[str, Any]]]


def texts(asked: Asked) -> Iterator[Text]:
    """A file for each dataset: the row conditions of its filters, by name."""
    for dataset, found in asked.by_dataset(lambda row: condition(row, asked.settings["dialect"])).items():
        forms = {row.filter_name: form for row, form in found}
        body = json.dumps({"dataset": dataset, "row_conditions": forms}, ensure_ascii=False, indent=2)
        yield Text(f"{dataset}.json", f"{body}\n", tuple(row.name for row, _ in found), "json")


def condition(row: Row, engine: str) -> dict[str, Any]:
    """The row condition of a filter, as the data that Great Expectations keeps. Raises PredicatError."""
    form = _ConditionWriter(engine).expression(for_writers(row.written, cel=False, nan=True))
    if isinstance(form, bool):
        raise PredicatError.of(exports.every_row(row.span, row.name))
    if sum(map(len, form)) > MAX_CONDITIONS:
        raise PredicatError.of(exports.too_many_conditions(row.span, MAX_CONDITIONS))
    return _joined("or", [_joined("and", group) for group in form])


def _joined(kind: str, conditions: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return conditions[0] if len(conditions) == 1 else {"type": kind, "conditions": list(conditions)}


class _ConditionWriter(OutcomeWriter):
    """Writes the OR of ANDs, as lists."""

    language = "gx"

    def __init__(self, engine: str) -> None:
        self.engine = engine

    def column(self, term: Node) -> dict[str, str]:
        if isinstance(term, Field) and not term.decl.expression(self.engine) and term.decl.stored in _WIDTHS:
            return {"name": term.decl.column(self.engine)}
        raise self.refuse(term, say.COLUMNS_WITH_CONSTANTS)

    def nested(self, word: str, parts: Sequence[Any]) -> Any:
        """An AND of ORs becomes the OR of all ANDs of their parts."""
        forms = without_constants(word, parts)
        if isinstance(forms, bool):
            return forms
        if word == "or":
            return [group for form in forms for group in form]
        if math.prod(map(len, forms)) > MAX_CONDITIONS:
            raise Unsupported.of(exports.too_many_conditions(NOWHERE, MAX_CONDITIONS))
        return [_once([one for group in choice for one in group]) for choice in product(*forms)]

    def null(self, term: Node, *, absent: bool) -> _Form:
        return [[{"type": "nullity", "column": self.column(term), "is_null": absent}]]

    def rejects_null(self, form: _Form) -> bool:
        return all(any(one.get("operator", "!=") not in _TRUE_FOR_NULL for one in group) for group in form)

    def comparison(self, op: str, term: Node, value: Any, node: Node, *, nan: bool = False) -> _Form:
        if term.type == DOUBLE and nan is not bool(COMPARISONS[op].holds(float("inf"), 0.0)):
            raise self.refuse(node, say.NO_TEST_FOR_NAN)
        op, value = self.value(op, term, value, node)
        return [[self._leaf(term, _SIGNS[op], value)]]

    def opposites(self, op: str, term: Node, values: Sequence[Any], node: Node) -> tuple[_Form, _Form]:
        if op != "in" or term.type == BOOLEAN:
            raise self.refuse(node, say.COLUMNS_WITH_CONSTANTS)
        shown = [self.value("eq", term, value, node)[1] for value in values]
        return [[self._leaf(term, "IN", shown)]], [[self._leaf(term, "NOT_IN", shown)]]

    def _leaf(self, term: Node, operator: str, value: Any) -> dict[str, Any]:
        return {"type": "comparison", "column": self.column(term), "operator": operator, "parameter": value}

    def value(self, op: str, term: Node, value: Any, node: Node) -> tuple[str, Any]:
        """A constant as JSON, if every engine compares it alike: not the order of texts, which a collation
        decides.
        """
        match term.type, value:
            case (kind, bool()) if kind == BOOLEAN:
                return op, value
            case (kind, str()) if kind == STRING and op in EQUALITIES and _is_plain(value):
                return op, value
            case (kind, float()) if kind == DOUBLE and abs(value) < float("inf"):
                return op, value
            case (kind, int() | Decimal()) if kind == BIGINT:
                op, number = self.on_grid(op, Decimal(value), 0, node)
            case (DecimalType(), int() | Decimal()) if value == int(value):
                number = Decimal(value)
            case _:
                raise self.refuse(node, say.NOT_COMPARED_ALIKE)
        if not -(2**31) <= number < 2**31:  # which SQLAlchemy takes for an integer of 32 bits
            raise self.refuse(node, say.NOT_COMPARED_ALIKE)
        return op, int(number)


def _once(conditions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for place, one in enumerate(conditions) if one not in conditions[:place]]


def _is_plain(text: str) -> bool:
    return all(char.isprintable() or char in _ESCAPED for char in text)
