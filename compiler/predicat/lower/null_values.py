"""Comparisons in which NULL is a value: null equals null, and differs from all other values."""

from __future__ import annotations

from predicat.diagnostics import Span
from predicat.forms.logic import any_of, negated_if, unknown_if
from predicat.ir.nodes import Call, Field, Items, Literal, Node
from predicat.ir.types import BOOLEAN

# A longer list becomes one IN.
_LONG = 100


def null_is_value(call: Call) -> Node:
    """A comparison with a field whose NULL is a value. If the field is NULL, the outcome is UNKNOWN unless
    the other arguments, tests for missing operands, are FALSE.
    """
    comparison, *absent = call.args
    assert isinstance(comparison, Call)  # noqa: S101  # the check makes it
    op, (left, right), span = comparison.op, comparison.args, comparison.span
    if isinstance(right, Items) and len(right.items) <= _LONG:
        return any_of([_decided("eq", (left, item), span) for item in right.items], span)
    if op not in ("eq", "ne"):
        return _decided(op, (left, right), span)
    value, other = (left, right) if _is_nullable(left) else (right, left)
    if absent:
        missing = unknown_if(Literal(BOOLEAN, False), absent, span)
        no_value = Call(BOOLEAN, "is_null", (value,), span)
        plain = Call(BOOLEAN, "eq", (left, right), span)
        equal: Node = Call(BOOLEAN, "cond", (no_value, missing, plain), span)
    elif _is_nullable(other):
        equal = Call(BOOLEAN, "same", (left, right), span)
    else:
        equal = _decided("eq", (left, right), span)
    return negated_if(op == "ne", equal, span)


def null_cases(call: Call) -> Node:
    """A comparison, or the outcome of the first test that is TRUE. The tests are never UNKNOWN."""
    result, *cases = call.args
    for test, outcome in reversed(list(zip(cases[::2], cases[1::2], strict=True))):
        result = Call(BOOLEAN, "cond", (test, outcome, result), call.span)
    return result


def _is_nullable(node: Node) -> bool:
    return isinstance(node, Field) and node.decl.nulls == "value"


def _decided(op: str, args: tuple[Node, Node], span: Span) -> Node:
    return Call(BOOLEAN, "is_true", (Call(BOOLEAN, op, args, span),), span)
