"""P511: equality of doubles after arithmetic, which depends on rounding."""

from __future__ import annotations

from collections.abc import Iterator
from math import frexp

from predicat.ir.nodes import Call, Items, Literal, Node, walk
from predicat.ir.operators import EQUALITIES, OF_DOUBLES
from predicat.ir.types import DOUBLE
from predicat.lint.rule import Context, Finding, Rule

_EQUAL = EQUALITIES | {"in", "same"}


def check(context: Context) -> Iterator[Finding]:
    for filter_, node in context.surfaces():
        if filter_.current.references:
            continue
        for part in walk(node):
            if isinstance(part, Call) and part.op in _EQUAL and not _is_exact(part):
                inexact = next((side for arg in part.args for side in _sides(arg) if _rounds(side)), None)
                if inexact is not None:
                    yield Finding(
                        RULE.code,
                        filter_.qualified,
                        f"the result of {inexact.span.text or 'arithmetic'} is rounded, "
                        "so equality is unreliable",
                        part.span,
                        "allow a difference, as in abs(a - b) < 1e-9, or declare the field as decimal",
                    )


def _sides(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, Items) else (node,)


def _is_exact(part: Call) -> bool:
    """Whether rounding does not matter: `a - b = 0` is exact, and a value differs from itself only if it is
    NaN.
    """
    match part.args:
        case (Call(op="sub", args=args), Literal(value=value)) if value == 0:
            return not any(map(_rounds, args))
        case (one, other):
            return one == other
        case _:
            return False


def _rounds(node: Node) -> bool:
    """Whether a double is the result of arithmetic that may round."""
    match node:
        case Call(op="neg" | "abs", args=(inner,)):
            return _rounds(inner)
        case Call(op=op, args=(one, other)) if op in OF_DOUBLES and node.type == DOUBLE:
            if any(map(_rounds, node.args)):
                return True
            if op in ("mul", "div", "fdiv") and (
                _power_of_two(other) or (op == "mul" and _power_of_two(one))
            ):
                return False
            return any(map(_measured, node.args))
        case _:
            return False


def _power_of_two(node: Node) -> bool:
    return (
        isinstance(node, Literal)
        and isinstance(node.value, float | int)
        and node.value != 0
        and abs(frexp(node.value)[0]) == 0.5
    )


def _measured(node: Node) -> bool:
    """Whether a double may have a fraction: it is not a whole number converted to a double."""
    if isinstance(node, Literal):
        return isinstance(node.value, float) and not node.value.is_integer()
    if isinstance(node, Call) and node.op == "to_double" and str(node.args[0].type) == "bigint":
        return False
    return any(part.type == DOUBLE for part in walk(node) if not isinstance(part, Literal))


RULE = Rule(
    "P511", "inexact-equality", "Equality of doubles after arithmetic.", check, over=("P201", "P202", "P302")
)
