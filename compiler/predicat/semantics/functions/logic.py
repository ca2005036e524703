"""AND, OR, choices and comparisons: most have rules of their own for UNKNOWN."""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from typing import Any

from predicat.ir.nodes import Call, Items, Literal, Node
from predicat.ir.operators import COMPARISONS
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, STRING, TIMESTAMP, Type
from predicat.semantics.closures import NONE, Choose, Eval, Function, Names, NotStrict, Row


def _junction(*, decides: bool) -> NotStrict:
    """AND, which is FALSE if one part is, or OR, which is TRUE if one part is."""

    def of_parts(_node: Call, args: list[Eval]) -> Eval:
        def run(row: Row, names: Names = NONE, params: Names = NONE) -> bool | None:
            unknown = False
            for arg in args:
                result: bool | None = arg(row, names, params)
                if result is decides:
                    return decides
                unknown = unknown or result is None
            return None if unknown else not decides

        return run

    return of_parts


def _cond(_node: Call, args: list[Eval]) -> Eval:
    test, yes, no = args

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> Any:
        value = test(row, names, params)
        return None if value is None else yes(row, names, params) if value else no(row, names, params)

    return run


def _coalesce(_node: Call, args: list[Eval]) -> Eval:
    return lambda row, names=NONE, params=NONE: next(
        (value for arg in args if (value := arg(row, names, params)) is not None), None
    )


def _extreme(node: Call, args: list[Eval]) -> Eval:
    choose = larger if node.op == "greatest" else smaller

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> Any:
        result = None
        for arg in args:
            value = arg(row, names, params)
            if value is not None:
                result = value if result is None else choose(result, value)
        return result

    return run


def larger(one: Any, other: Any) -> Any:
    """The larger of two values; NaN is larger than all others."""
    return other if _is_above(other, one) else one


def smaller(one: Any, other: Any) -> Any:
    """The smaller of two values; NaN is larger than all others."""
    return other if _is_above(one, other) else one


def _is_above(one: Any, other: Any) -> bool:
    if one != one or other != other:  # noqa: PLR0124  # only NaN is not itself; a decimal has no order with it
        return bool(other == other)  # noqa: PLR0124  # as above
    return bool(one > other)


def _same(node: Call, args: list[Eval]) -> Eval:
    left, right = args
    equal = _equality({arg.type for arg in node.args} == {BIGINT, DOUBLE})

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> bool:
        a, b = left(row, names, params), right(row, names, params)
        return equal(a, b) if a is not None and b is not None else a is b

    return run


def _equality(mixed: bool) -> Callable[[Any, Any], bool]:
    """The equality of two values. `mixed`: one is an integer and one a double, compared as doubles."""
    return (lambda a, b: float(a) == float(b)) if mixed else (lambda a, b: bool(a == b))


# Types whose values are equal if they are the same key of a set; NaN is none of them.
_HASHED = frozenset((STRING, BIGINT, BOOLEAN, TIMESTAMP, DATE))


def _is_constant(node: Node, kind: Type) -> bool:
    """Whether a node is a constant of a type, other than NULL."""
    return isinstance(node, Literal) and node.type == kind and node.value is not None


def _one_of(left: Eval, constants: frozenset[Any]) -> Eval:
    def run(row: Row, names: Names = NONE, params: Names = NONE) -> bool | None:
        value = left(row, names, params)
        return None if value is None else value in constants

    return run


def _in(node: Call, args: list[Eval]) -> Eval:
    left, right = args
    kind, items = node.args[0].type, node.args[1]
    if kind in _HASHED and isinstance(items, Items) and all(_is_constant(item, kind) for item in items.items):
        return _one_of(left, frozenset(right({})))
    each = (
        [_equality({kind, item.type} == {BIGINT, DOUBLE}) for item in items.items]
        if isinstance(items, Items)
        else None
    )
    equal = _equality(mixed=False)

    def run(row: Row, names: Names = NONE, params: Names = NONE) -> bool | None:
        value, operand = left(row, names, params), right(row, names, params)
        if value is None or operand is None:
            return None
        if any(
            item is not None and same(value, item)
            for same, item in zip(each or repeat(equal), operand, strict=False)
        ):
            return True
        return None if any(item is None for item in operand) else False

    return run


def _compare(op: Callable[[Any, Any], bool]) -> Choose:
    """A comparison. Another number and a double are compared as doubles, as engines do; Python is exact, and
    has no order between a decimal and NaN.
    """

    def build(node: Call) -> Function:
        one, other = node.args[0].type, node.args[1].type
        if one != other and DOUBLE in (one, other):
            return lambda a, b: op(float(a), float(b))
        return op

    return build


FUNCTIONS: dict[str, Function] = {
    "not": lambda value: not value,
    "in_list": lambda value, listed: value in listed,
}
CHOSEN: dict[str, Choose] = {op: _compare(row.holds) for op, row in COMPARISONS.items()}
NOT_STRICT: dict[str, NotStrict] = {
    "and": _junction(decides=False),
    "or": _junction(decides=True),
    "is_true": lambda _node, args: lambda row, names=NONE, params=NONE: args[0](row, names, params) is True,
    "is_null": lambda _node, args: lambda row, names=NONE, params=NONE: args[0](row, names, params) is None,
    "cond": _cond,
    "coalesce": _coalesce,
    "greatest": _extreme,
    "least": _extreme,
    "same": _same,
    "in": _in,
}
