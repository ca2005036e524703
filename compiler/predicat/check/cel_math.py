"""CEL's math extension in the surface. Integers beside doubles, and JSON numbers, are taken as doubles.

Source: cel-go, ext/math.
"""

from __future__ import annotations

from collections.abc import Sequence

from predicat.check.protocol import Check
from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.forms.conversions import dynamic_error, is_dynamic, underlying
from predicat.ir.nodes import Call, Node
from predicat.ir.surface import EXTREMES, MATH_OF_NUMBERS, MATH_TESTS
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, ArrayType, Type, is_numeric


def result(op: str, types: Sequence[Type]) -> Type | None:
    """The result type of a function for these argument types; None if they do not fit."""
    if op in MATH_OF_NUMBERS:
        fits = all(kind == JSON or is_numeric(kind) for kind in types)
        return (BIGINT if all(kind == BIGINT for kind in types) else DOUBLE) if fits else None
    if types[0] not in (DOUBLE, JSON):
        return None
    return BOOLEAN if op in MATH_TESTS else DOUBLE


def expected(op: str) -> str:
    """The arguments that a function supports, in words."""
    return "numbers" if op in MATH_OF_NUMBERS else "a double"


def function(check: Check, op: str, args: list[Node], span: Span) -> Node:
    """A function of CEL's math extension."""
    plain = [underlying(arg) for arg in args]
    if op in EXTREMES and len(plain) == 1 and (plain[0].type == JSON or isinstance(plain[0].type, ArrayType)):
        return _extreme(check, op, plain[0], span)
    kind = result(op, [arg.type for arg in plain])
    if kind is not None:
        return Call(kind, op, tuple(plain), span)
    if any(map(is_dynamic, args)):
        return dynamic_error(span)
    raise check.fail(msg.type_mismatch(span, op, [str(arg.type) for arg in plain], expected(op)))


def _extreme(check: Check, op: str, source: Node, span: Span) -> Node:
    """The greatest or least number of a list; for a JSON number, the number itself."""
    if source.type != JSON:
        return check.call(EXTREMES[op], [source], span)
    return Call(DOUBLE, EXTREMES[op], (source, check.element(JSON, span)), span)
