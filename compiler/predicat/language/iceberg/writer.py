"""Writes expressions of Apache Iceberg.

Iceberg's expressions have no UNKNOWN, but its libraries differ about NULL and NaN: `lt` and `not-eq` of NULL
are TRUE in Java, `not-eq` is in pyiceberg's evaluator, and neither is in its scans; `gt` of NaN is TRUE only
in Java. So NOT is written as the opposite test, and a test on which they differ stands beside `not-null`,
`is-null`, `is-nan` or `not-nan`: all of them accept the same rows.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.operators import EQUALITIES
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, JSON, STRING, TIMESTAMP, DecimalType, StructType
from predicat.language.common.key_tests import without_conversions
from predicat.language.common.outcomes import OutcomeWriter, stored, without_constants
from predicat.language.iceberg.spelling import COMPARED

# The tests that are FALSE for NULL in every library.
_FALSE_FOR_NULL = ("eq", "in", "gt", "gt-eq", "starts-with", "is-nan", "not-null")
_WIDTHS = ("", "int", "smallint", "tinyint", "float", "timestamp_ntz")
_OPPOSITES = {
    "in": ("in", "not-in"),
    "starts_with": ("starts-with", "not-starts-with"),
    "is_nan": ("is-nan", "not-nan"),
}
# Java's order has -0.0 below 0.0: how tests of both are joined, and those that have to be below both.
_ZEROS = {"eq": "or", "ne": "and"}
_BELOW_BOTH = ("lt", "ge")


def write(node: Node) -> str:
    """An expression, as JSON. Raises Unsupported."""
    return json.dumps(_ExpressionWriter().expression(without_conversions(node)), ensure_ascii=False)


class _ExpressionWriter(OutcomeWriter):
    language = "iceberg"

    def column(self, term: Node) -> str:
        match term:
            case Field(decl=decl) if not decl.expression("spark") and decl.stored in _WIDTHS:
                before, name = "", decl.column("spark")
            case Call(op="member", args=(base, Literal(value=str(name)))) if isinstance(
                base.type, StructType
            ):
                before = f"{self.column(base)}."
            case _:
                raise self.refuse(term, say.ICEBERG_COLUMNS)
        if "." in name:
            raise self.refuse(term, say.ICEBERG_COLUMNS)
        return before + name

    def nested(self, word: str, parts: Sequence[Any]) -> Any:
        """AND or OR, which have two sides."""
        tests = without_constants(word, parts)
        if isinstance(tests, bool) or len(tests) == 1:
            return tests if isinstance(tests, bool) else tests[0]
        half = (len(tests) + 1) // 2
        return {
            "type": word,
            "left": self.nested(word, tests[:half]),
            "right": self.nested(word, tests[half:]),
        }

    def null(self, term: Node, *, absent: bool) -> Any:
        return {"type": "is-null" if absent else "not-null", "term": self.column(term)}

    def rejects_null(self, form: Any) -> bool:
        """A value outside 32 bits decides alone, without a look at the column."""
        if "left" in form:
            return self.rejects_null(form["left"]) and self.rejects_null(form["right"])
        value = form.get("value")
        return form["type"] in _FALSE_FOR_NULL and not (
            isinstance(value, int) and not -(2**31) <= value < 2**31
        )

    def comparison(self, op: str, term: Node, value: Any, node: Node, *, nan: bool = False) -> Any:
        name = self.column(term)
        if value == 0 and term.type == DOUBLE and op in _ZEROS:
            zeros = [{"type": COMPARED[op], "term": name, "value": zero} for zero in (0.0, -0.0)]
            return self.nested(_ZEROS[op], zeros)
        op, value = self.value(op, term, value, node)
        form = {"type": COMPARED[op], "term": name, "value": value}
        if term.type != DOUBLE or (nan and op == "ne") or (not nan and op in ("eq", "lt", "le")):
            return form
        word, test = ("or", "is-nan") if nan else ("and", "not-nan")
        return self.nested(word, [form, {"type": test, "term": name}])

    def opposites(self, op: str, term: Node, values: Sequence[Any], node: Node) -> tuple[Any, Any]:
        given: dict[str, Any] = {"starts_with": {"value": values[0]} if values else {}}.get(op, {})
        if op == "in":
            shown = [self.value("eq", term, value, node)[1] for value in values]
            if 0.0 in shown and term.type == DOUBLE:
                yes = self.nested("or", [self.comparison("eq", term, value, node) for value in values])
                others = [self.comparison("ne", term, value, node, nan=True) for value in values]
                return yes, self.nested("and", others)
            given = {"values": shown}
        yes, no = ({"type": word, "term": self.column(term), **given} for word in _OPPOSITES[op])
        return yes, no

    def value(self, op: str, term: Node, value: Any, node: Node) -> tuple[str, Any]:
        """A constant as JSON of the type of a column, with the comparison that means the same with it."""
        match term.type, value:
            case (kind, bool()) if kind == BOOLEAN:
                return op, value
            case (kind, str()) if kind == STRING:
                return op, value
            case (kind, str() | bool()) if kind == JSON and op in EQUALITIES:  # an undeclared column
                return op, value
            case (kind, float()) if kind == DOUBLE and _fits(term, value):
                return op, value or (-0.0 if op in _BELOW_BOTH else 0.0)
            case (kind, int() | Decimal()) if kind == BIGINT:
                op, number = self.on_grid(op, Decimal(value), 0, node)
                return op, int(number)
            case (DecimalType(scale=scale), int() | Decimal()):
                op, number = self.on_grid(op, Decimal(value), scale, node)
                return op, f"{number:f}"
            case (kind, datetime()) if kind == TIMESTAMP:
                return op, (value.replace(tzinfo=None) if stored(term) else value).isoformat()
            case (kind, value) if kind == DATE and value is not None:
                return op, value.isoformat()
            case _:
                raise self.refuse(node, say.NO_VALUE_OF_COLUMN)


def _fits(term: Node, value: float) -> bool:
    """Whether a column can have a number: a float has 32 bits."""
    if not math.isfinite(value):
        return False
    try:
        return stored(term) != "float" or struct.unpack("f", struct.pack("f", value))[0] == value
    except OverflowError:
        return False
