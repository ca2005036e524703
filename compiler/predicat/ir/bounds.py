"""Fields with a declared least or greatest value: `{type: bigint, min: 0, max: 100000}`.

A value outside the range counts as NULL: expressions of it are UNKNOWN. In the core such a field becomes the
choice `if n >= 0 and n <= 100000 then n`, so nothing else has to handle the range. If the engine guarantees
the range (a CHECK constraint), the guard is removed again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple, cast

from msgspec.structs import replace

from predicat.ir.nodes import LEAVES, Call, Field, Literal, Node, rewrite_children
from predicat.ir.python_values import RowError
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, DecimalType, Type
from predicat.ir.values import to_value

Bound = int | float | Decimal | None


class Bounded(NamedTuple):
    """A field with its least and its greatest value; None if there is no limit."""

    field: Field
    least: Bound
    greatest: Bound


def has_bounds(kind: Type) -> bool:
    """Whether fields of a type may have bounds: only numeric types."""
    return kind in (BIGINT, DOUBLE) or isinstance(kind, DecimalType)


def bound_of(value: Any, kind: Type) -> Bound:
    """A declared bound as a value of the type of its field. Raises RowError if it does not fit."""
    result = to_value(value, kind)
    if result is None or isinstance(result, bool) or (isinstance(result, float) and math.isnan(result)):
        raise RowError
    return cast("Bound", result)


def guarded(field: Field) -> Node:
    """A field as a choice that tests its declared range; the field itself if it has none."""
    decl = field.decl
    if decl.least is None and decl.greatest is None:
        return field
    plain = Field(field.type, replace(decl, least=None, greatest=None), field.span)
    tests = [
        Call(BOOLEAN, op, (plain, Literal(field.type, bound, field.span)), field.span)
        for op, bound in (("ge", decl.least), ("le", decl.greatest))
        if bound is not None
    ]
    test = tests[0] if len(tests) == 1 else Call(BOOLEAN, "and", tuple(tests), field.span)
    return Call(field.type, "cond", (test, plain, Literal(field.type, None, field.span)), field.span)


def bounded(node: Node) -> Bounded | None:
    """The field and the range of a `guarded` field; None for any other node."""
    match node:
        case Call(op="cond", args=(test, Field() as field, Literal(value=None))):
            tests = test.args if isinstance(test, Call) and test.op == "and" else (test,)
        case _:
            return None
    bounds: dict[str, Bound] = {}
    for part in tests:
        match part:
            case Call(op="ge" | "le" as op, args=(one, Literal(value=value))) if one == field:
                if not isinstance(value, int | float | Decimal) or isinstance(value, bool) or op in bounds:
                    return None
                bounds[op] = value
            case _:
                return None
    return Bounded(field, bounds.get("ge"), bounds.get("le"))


def without_guards(node: Node, is_sure: Callable[[Bounded], bool]) -> Node:
    """A predicate without the guards of fields for which `is_sure`. These fields keep the declared range."""
    if isinstance(node, LEAVES):
        return node
    bounds = bounded(node)
    if bounds is not None and is_sure(bounds):
        decl = replace(bounds.field.decl, least=bounds.least, greatest=bounds.greatest)
        return Field(node.type, decl, node.span)
    return rewrite_children(node, lambda part: without_guards(part, is_sure))
