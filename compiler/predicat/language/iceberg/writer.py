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
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import ROUND_FLOOR, Decimal
from typing import Any

from predicat.diagnostics.messages import backends as say
from predicat.forms.total_order import is_nan_test, with_nan_tests
from predicat.ir.nodes import Call, Field, Items, Literal, Node
from predicat.ir.operators import COMPARISONS, EQUALITIES, FLIPPED, NEGATED
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, JSON, STRING, TIMESTAMP, DecimalType, StructType
from predicat.language.common.key_tests import refuse, without_conversions
from predicat.language.iceberg.spelling import COMPARED

# The outcomes of a predicate for which an expression has to be TRUE.
Outcomes = frozenset[bool | None]
_TRUE: Outcomes = frozenset([True])
# The outcome of a part that decides AND, or OR, alone.
_DECIDES = {"and": False, "or": True}
# The tests that are FALSE for NULL in every library.
_FALSE_FOR_NULL = ("eq", "in", "gt", "gt-eq", "starts-with", "is-nan", "not-null")
_WIDTHS = ("", "int", "smallint", "tinyint", "float", "timestamp_ntz")


def write(node: Node) -> str:
    """An expression, as JSON. Raises Unsupported."""
    return json.dumps(_expression(without_conversions(node), _TRUE), ensure_ascii=False)


def _expression(node: Node, wanted: Outcomes) -> Any:
    """What is TRUE where a predicate has one of the outcomes."""
    match node:
        case Literal():
            return node.value in wanted
        case Call() if (rule := _RULES.get(node.op)) is not None:
            return rule(node, wanted)
        case _ if node.type == BOOLEAN:
            return _test(node, _comparison("eq", node, True), _comparison("eq", node, False), wanted)
        case _:
            raise refuse("iceberg", node, say.ICEBERG_TESTS)


def _joined(node: Call, wanted: Outcomes) -> Any:
    """AND and OR."""
    decided = wanted - {None}
    if len(decided) != 1:
        raise refuse("iceberg", node, say.ICEBERG_TESTS)
    word = ("and", "or")[_DECIDES[node.op] in decided]
    pairs = with_nan_tests(node.args) if _DECIDES[node.op] else [(arg,) for arg in node.args]
    return _nested(
        word,
        [
            _compared(first, wanted, in_total_order=True) if rest else _expression(first, wanted)
            for first, *rest in pairs
        ],
    )


def _negation(node: Call, wanted: Outcomes) -> Any:
    return _expression(node.args[0], frozenset(None if one is None else not one for one in wanted))


def _decision(node: Call, wanted: Outcomes) -> Any:
    """IS TRUE, or COALESCE with a constant: UNKNOWN is that constant."""
    inner, *rest = node.args
    constant = rest[0] if rest else Literal(BOOLEAN, False)
    if node.type != BOOLEAN or len(rest) > 1 or not isinstance(constant, Literal):
        raise refuse("iceberg", node, say.ICEBERG_TESTS)
    unknown: Outcomes = frozenset([None]) if constant.value in wanted else frozenset()
    return _expression(inner, (wanted - {None}) | unknown)


def _absence(node: Call, wanted: Outcomes) -> Any:
    (term,) = node.args
    forms = [form(term) for outcome, form in ((True, _absent), (False, _present)) if outcome in wanted]
    return forms[0] if len(forms) == 1 else bool(forms)


def _absent(term: Node) -> Any:
    """Whether there is no value, or one outside of the declared range of the column."""
    outside = [_comparison(NEGATED[op], term, bound, nan=True) for op, bound in _range(term)]
    return _nested("or", [{"type": "is-null", "term": _column(term)}, *outside])


def _present(term: Node) -> Any:
    return _nested("and", [{"type": "not-null", "term": _column(term)}, *_inside(term)])


def _inside(term: Node) -> list[Any]:
    return [_comparison(op, term, bound) for op, bound in _range(term)]


def _range(term: Node) -> list[tuple[str, Any]]:
    """The declared range of a column, outside of which a value counts as NULL."""
    bounds = (("ge", term.decl.least), ("le", term.decl.greatest)) if isinstance(term, Field) else ()
    return [(op, bound) for op, bound in bounds if bound is not None]


def _compared(node: Node, wanted: Outcomes, *, in_total_order: bool = False) -> Any:
    """A comparison with a constant. NaN is above every number in the total order."""
    if not isinstance(node, Call):
        raise refuse("iceberg", node, say.ICEBERG_TESTS)
    if is_nan_test(node):
        name = _column(node.args[0])
        return _test(
            node.args[0], {"type": "is-nan", "term": name}, {"type": "not-nan", "term": name}, wanted
        )
    op, term, value = node.op, *node.args
    if isinstance(term, Literal):
        op, term, value = FLIPPED[op], value, term
    if not isinstance(value, Literal) or value.value is None:
        raise refuse("iceberg", node, say.ICEBERG_TESTS)
    nan = bool(COMPARISONS[op].holds(math.inf if in_total_order else math.nan, 0.0))
    yes = _comparison(op, term, value.value, node, nan=nan)
    no = _comparison(NEGATED[op], term, value.value, node, nan=not nan)
    return _test(term, yes, no, wanted)


def _sameness(node: Call, wanted: Outcomes) -> Any:
    """IS NOT DISTINCT FROM a constant: FALSE for NULL."""
    equal = Call(BOOLEAN, "eq", node.args, node.span)
    return _decision(Call(BOOLEAN, "is_true", (equal,), node.span), wanted)


def _within(node: Call, wanted: Outcomes) -> Any:
    """IN with constants."""
    term, items = node.args
    values = (
        [item.value for item in items.items if isinstance(item, Literal)] if isinstance(items, Items) else []
    )
    if not values or None in values or not isinstance(items, Items) or len(values) < len(items.items):
        raise refuse("iceberg", node, say.IN_TAKES_CONSTANTS)
    shown = [_value("eq", term, value, node)[1] for value in values]
    if 0.0 in shown and term.type == DOUBLE:
        yes = _nested("or", [_comparison("eq", term, value, node) for value in values])
        no = _nested("and", [_comparison("ne", term, value, node, nan=True) for value in values])
    else:
        yes, no = ({"type": word, "term": _column(term), "values": shown} for word in ("in", "not-in"))
    return _test(term, yes, no, wanted)


def _prefixed(node: Call, wanted: Outcomes) -> Any:
    term, prefix = node.args
    if not isinstance(prefix, Literal) or prefix.value is None:
        raise refuse("iceberg", node, say.LIKE_TAKES_A_CONSTANT)
    yes, no = (
        {"type": word, "term": _column(term), "value": prefix.value}
        for word in ("starts-with", "not-starts-with")
    )
    return _test(term, yes, no, wanted)


_RULES: Mapping[str, Callable[[Call, Outcomes], Any]] = {
    **dict.fromkeys(_DECIDES, _joined),
    **dict.fromkeys(COMPARISONS, _compared),
    **dict.fromkeys(("is_true", "coalesce"), _decision),
    "not": _negation,
    "is_null": _absence,
    "same": _sameness,
    "in": _within,
    "starts_with": _prefixed,
}


def _test(term: Node, yes: Any, no: Any, wanted: Outcomes) -> Any:
    """What is TRUE where a test that is UNKNOWN only for NULL has one of the outcomes."""
    accepted = [form for outcome, form in ((True, yes), (False, no)) if outcome in wanted]
    form = _present(term) if len(accepted) == 2 else accepted[0] if accepted else False
    if None in wanted:
        return _nested("or", [_absent(term), form])
    if isinstance(form, bool) or len(accepted) == 2:
        return form
    there = [] if _rejects_null(form) else [{"type": "not-null", "term": _column(term)}]
    return _nested("and", [*there, *_inside(term), form])


def _rejects_null(form: dict[str, Any]) -> bool:
    """Whether a test is FALSE for NULL in every library: a value outside 32 bits decides alone."""
    if "left" in form:
        return _rejects_null(form["left"]) and _rejects_null(form["right"])
    value = form.get("value")
    return form["type"] in _FALSE_FOR_NULL and not (isinstance(value, int) and not -(2**31) <= value < 2**31)


def _comparison(op: str, term: Node, value: Any, node: Node | None = None, *, nan: bool = False) -> Any:
    """A test of a value that is not NULL. `nan`: whether it is to be TRUE for NaN."""
    name = _column(term)
    if value == 0 and term.type == DOUBLE and op in _ZEROS:
        zeros = [{"type": COMPARED[op], "term": name, "value": zero} for zero in (0.0, -0.0)]
        return _nested(_ZEROS[op], zeros)
    op, value = _value(op, term, value, node or term)
    form = {"type": COMPARED[op], "term": name, "value": value}
    if term.type != DOUBLE:
        return form
    if nan and op != "ne":
        return _nested("or", [form, {"type": "is-nan", "term": name}])
    return (
        form if nan or op in ("eq", "lt", "le") else _nested("and", [form, {"type": "not-nan", "term": name}])
    )


# Java's order has -0.0 below 0.0: how tests of both are joined.
_ZEROS = {"eq": "or", "ne": "and"}
_BELOW_BOTH = ("lt", "ge")


def _value(op: str, term: Node, value: Any, node: Node) -> tuple[str, Any]:
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
            op, number = _on_grid(op, Decimal(value), 0, node)
            return op, int(number)
        case (DecimalType(scale=scale), int() | Decimal()):
            op, number = _on_grid(op, Decimal(value), scale, node)
            return op, f"{number:f}"
        case (kind, datetime()) if kind == TIMESTAMP:
            return op, (value.replace(tzinfo=None) if _stored(term) else value).isoformat()
        case (kind, value) if kind == DATE and value is not None:
            return op, value.isoformat()
        case _:
            raise refuse("iceberg", node, say.ICEBERG_CONSTANTS)


def _on_grid(op: str, value: Decimal, scale: int, node: Node) -> tuple[str, Decimal]:
    """A comparison with a number of this many decimals: `x > 1.5` of an integer is `x > 1`."""
    floor = value.quantize(Decimal(1).scaleb(-scale), ROUND_FLOOR)
    if floor == value:
        return op, floor
    if op not in _WITH_FLOOR:
        raise refuse("iceberg", node, say.ICEBERG_CONSTANTS)
    return _WITH_FLOOR[op], floor


_WITH_FLOOR = {"gt": "gt", "ge": "gt", "lt": "le", "le": "le"}


def _fits(term: Node, value: float) -> bool:
    """Whether a column can have a number: a float has 32 bits."""
    if not math.isfinite(value):
        return False
    try:
        return _stored(term) != "float" or struct.unpack("f", struct.pack("f", value))[0] == value
    except OverflowError:
        return False


def _stored(term: Node) -> str:
    return term.decl.stored if isinstance(term, Field) else ""


def _column(term: Node) -> str:
    """The name of a column, or of one inside of a struct. Raises Unsupported."""
    match term:
        case Field(decl=decl) if not decl.expression("spark") and decl.stored in _WIDTHS:
            name = decl.column("spark")
        case Call(op="member", args=(base, Literal(value=str() as member))) if isinstance(
            base.type, StructType
        ):
            _refuse_dots(term, member)
            return f"{_column(base)}.{member}"
        case _:
            raise refuse("iceberg", term, say.ICEBERG_COLUMNS)
    _refuse_dots(term, name)
    return name


def _refuse_dots(term: Node, name: str) -> None:
    if "." in name:
        raise refuse("iceberg", term, say.ICEBERG_COLUMNS)


def _nested(word: str, parts: Sequence[Any]) -> Any:
    """AND or OR, which have two sides."""
    decides = _DECIDES[word]
    if any(part is decides for part in parts):
        return decides
    tests = [part for part in parts if not isinstance(part, bool)]
    if len(tests) < 2:
        return tests[0] if tests else not decides
    half = (len(tests) + 1) // 2
    return {"type": word, "left": _nested(word, tests[:half]), "right": _nested(word, tests[half:])}
