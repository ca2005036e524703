"""PostgreSQL: interval analysis. Arithmetic is plain if the operands are so small that nothing can overflow
or underflow.

The bounds of an expression follow from the bounds of its leaves (interval arithmetic). Comparing a leaf with
constants costs a tenth of an exact sum, which PostgreSQL can compute only as NUMERIC.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TypeGuard, TypeVar

from msgspec import Struct, field
from sqlglot import exp

from predicat.analysis import facts
from predicat.backends.sql.builders import (
    Sql,
    and_,
    between,
    binary,
    call,
    case,
    cast,
    not_,
    number_literal,
    or_,
    wrap,
)
from predicat.backends.sql.common.widths import as_double, is_column, is_full
from predicat.backends.sql.renderer import Renderer, let
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BIGINT, DOUBLE, Type
from predicat.ir.values import INT_MAX, INT_MIN

# The SQL of an expression that is exact for all operands. The argument has the SQL of leaves by their value
# numbers.
Exact = Callable[[dict[int, Sql]], Sql]

_PARTS: dict[Type, frozenset[str]] = {
    BIGINT: frozenset({"add", "sub", "mul", "div", "mod", "neg", "abs"}),
    DOUBLE: frozenset({"add", "sub", "mul", "div", "neg", "abs"}),
}
_MOST_LEAVES = 30


def is_part(node: Node, kind: Type) -> TypeGuard[Call]:
    """Whether a node is arithmetic of a type, and so a part of the expression of the operator around it."""
    return isinstance(node, Call) and node.type == kind and node.op in _PARTS[kind]


def operation(kind: type[exp.Binary], left: Sql, right: Sql) -> Sql:
    """An arithmetic operation. A division is marked as typed: sqlglot would turn it into one of doubles."""
    result = binary(kind, left, right)
    if kind is exp.Div:
        result.set("typed", True)
    return result


def numeric(sql: Sql) -> Sql:
    """A number as NUMERIC, which is exact for any size."""
    return cast(sql, "DECIMAL")


class _Leaves(Struct):
    """The leaves of an expression by their value numbers, and those whose size matters."""

    r: Renderer
    all: dict[int, Node] = field(default_factory=dict[int, Node])
    bounded: set[int] = field(default_factory=set[int])

    def add_leaf(self, node: Node, *, bounded: bool) -> None:
        number = self.r.numbering.number(node)
        self.all[number] = node
        if bounded:
            self.bounded.add(number)


OPERATORS: dict[str, type[exp.Binary]] = {
    "add": exp.Add,
    "sub": exp.Sub,
    "mul": exp.Mul,
    "div": exp.Div,
    "mod": exp.Mod,
}


def _plain_expression(r: Renderer, node: Node, kind: Type, leaf: Callable[[Node], Sql]) -> Sql:
    """The expression with PostgreSQL's own operators; NULL for a division by zero."""
    if isinstance(node, Literal) and node.value is not None:
        return r.node(node)
    if not is_part(node, kind):
        return leaf(node)
    parts = [_plain_expression(r, arg, kind, leaf) for arg in node.args]
    if all(isinstance(arg, Literal) or is_column(arg) for arg in node.args) and not any(
        is_full(r, arg) for arg in node.args if is_column(arg)
    ):
        widest = next((place for place, arg in enumerate(node.args) if is_column(arg)), 0)
        parts[widest] = _widened_sql(parts[widest], kind)
    if node.op == "neg":
        return exp.Neg(this=wrap(parts[0]))
    if node.op == "abs":
        return call("ABS", parts[0])
    divisor = node.args[1]
    if node.op in ("div", "mod") and not (isinstance(divisor, Literal) and divisor.value):
        parts[1] = call("NULLIF", parts[1], 0)
    return operation(OPERATORS[node.op], *parts)


_Limit = TypeVar("_Limit")


def _guarded(
    r: Renderer,
    limits: Iterable[_Limit],
    fits: Callable[[_Leaves, _Limit], bool],
    leaf: Callable[[Renderer, Node], Sql],
    within: Callable[[Sql, _Limit], Sql],
    exact: Exact,
    plain: Exact,
) -> Sql:
    """The plain expression if its leaves are within limits, otherwise the exact one. The first limits are
    used that `fits` accepts, because nothing can overflow or underflow within them.
    """
    for limit in limits:
        leaves = _Leaves(r)
        if fits(leaves, limit):
            break
    else:
        return exact({})
    if len(leaves.bounded) > _MOST_LEAVES:
        return exact({})

    def finish(values: dict[int, Sql]) -> Sql:
        tests = [within(values[place], limit) for place in leaves.all if place in leaves.bounded]
        return guard(and_(*tests), exact(values), plain(values)) if tests else plain(values)

    return _let_leaves(r, leaves, leaf, finish)


def guard(ordinary: Sql, exact: Sql, plain: Sql) -> Sql:
    """CASE WHEN NOT ordinary THEN exact ELSE plain END. NULL operands take the plain branch."""
    return case((not_(ordinary), exact), default=plain)


def _let_leaves(
    r: Renderer, leaves: _Leaves, leaf: Callable[[Renderer, Node], Sql], body: Callable[[dict[int, Sql]], Sql]
) -> Sql:
    """`body` with the SQL of each leaf; large ones are computed once."""
    remaining = list(leaves.all.items())

    def step(values: dict[int, Sql]) -> Sql:
        if not remaining:
            return body(values)
        place, node = remaining.pop(0)
        return let(r, leaf(r, node), lambda sql: step({**values, place: sql}))

    return step({})


# --- integers

# The ranges tried for the leaves, from all integers to ranges that allow many factors.
_RANGES = [
    (INT_MIN, INT_MAX),
    (INT_MIN + 1, INT_MAX),
    *((-(2**bits), 2**bits - 1) for bits in (62, 61, 60, 53, 47, 40, 31, 27, 23, 20, 15, 12)),
]


def integers(r: Renderer, node: Call, exact: Exact) -> Sql:
    """An expression of integers: plain if its leaves are small, otherwise `exact`."""

    def fits(leaves: _Leaves, each: tuple[int, int]) -> bool:
        result = _range(leaves, node, each)
        if each == _RANGES[0]:
            leaves.bounded.clear()  # every integer is within
        return result is not None

    def plain(values: dict[int, Sql]) -> Sql:
        return _plain_expression(r, node, BIGINT, lambda leaf: values[r.numbering.number(leaf)])

    return _guarded(r, _RANGES, fits, _leaf, _within, exact, plain)


def _leaf(r: Renderer, node: Node) -> Sql:
    """A leaf as BIGINT, but a column unchanged: `_plain_expression` widens it if no other operand does."""
    return r.node(node) if is_column(node) else widened(r, node)


def widened(r: Renderer, node: Node) -> Sql:
    """An operand as BIGINT: a narrower type would overflow earlier."""
    sql = r.node(node)
    return sql if is_full(r, node) else _widened_sql(sql, BIGINT)


def _widened_sql(sql: Sql, kind: Type) -> Sql:
    """An operand in the full width of a type."""
    name, known = ("BIGINT", exp.DType.BIGINT) if kind == BIGINT else ("DOUBLE", exp.DType.DOUBLE)
    return sql if isinstance(sql, exp.Cast) and sql.to.this == known else cast(sql, name)


def _within(sql: Sql, each: tuple[int, int]) -> Sql:
    low, high = each
    return (
        between(sql, number_literal(low), number_literal(high))
        if high < INT_MAX
        else binary(exp.GTE, sql, number_literal(low))
    )


def _range(
    leaves: _Leaves, node: Node, each: tuple[int, int], *, bounded: bool = True
) -> tuple[int, int] | None:
    """The least and the greatest value if every leaf is in the range `each`; None if a step may overflow.

    `bounded` is False for a divisor, whose size does not matter.
    """
    if isinstance(node, Literal) and isinstance(node.value, int):
        return node.value, node.value
    if not is_part(node, BIGINT):
        own = leaves.r.integers(node)
        narrow = own != facts.ANY_INTEGER
        leaves.add_leaf(node, bounded=bounded and not narrow)
        return own if narrow else each if bounded else (INT_MIN, INT_MAX)
    divides = node.op in ("div", "mod")
    parts = [
        _range(leaves, arg, each, bounded=not (divides and index == 1)) for index, arg in enumerate(node.args)
    ]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    low, high = facts.combined(node.op, known)
    return (low, high) if low >= INT_MIN and high <= INT_MAX else None


# --- doubles

# Powers of ten tried for the leaves: as the largest size and, if a product or a quotient could underflow,
# also as the smallest one.
_POWERS = (300, 150, 100, 75, 50, 37, 25, 18, 15)
# The sizes of results must be below the first and not below the second, with room for rounding.
_MOST, _LEAST = 1e307, 1e-322
_BIGINT = facts.Doubles(-1e19, 1e19, nan=False, least=1.0)


def doubles(
    r: Renderer,
    node: Call,
    exact: Exact,
    most: float = _MOST,
    *,
    then: Callable[[Sql], Sql] = lambda sql: sql,
) -> Sql:
    """An expression of doubles: plain if its leaves are of normal size and the result is below `most`,
    otherwise `exact`.

    `then` is applied to the plain result, which is neither NaN nor infinite.
    """
    if most == _MOST and not any(is_part(arg, DOUBLE) for arg in node.args):
        return exact({})  # has a guard of its own

    def fits(leaves: _Leaves, powers: tuple[int | None, int]) -> bool:
        low, high = powers
        size = 10.0**high
        each = facts.Doubles(
            -size, size, nan=False, least=facts.ANY_DOUBLE.least if low is None else 10.0**low
        )
        result = _double_range(leaves, node, each)
        return result is not None and result.most <= most

    def within(sql: Sql, powers: tuple[int | None, int]) -> Sql:
        return in_normal_range(sql, *powers)

    def plain(values: dict[int, Sql]) -> Sql:
        return then(_plain_expression(r, node, DOUBLE, lambda leaf: values[r.numbering.number(leaf)]))

    limits = [*((None, power) for power in _POWERS), *((-power, power) for power in _POWERS)]
    return _guarded(r, limits, fits, as_double, within, exact, plain)


def in_normal_range(sql: Sql, low: int | None, high: int | None) -> Sql:
    """Whether a double is zero, or its size is between two powers of ten. Either may be None. Positive
    numbers are tested first, with two comparisons.
    """
    ends = {power: cast(f"1e{power}", "DOUBLE") for power in (low, high) if power is not None}
    if low is None:
        return and_(*(binary(exp.LT, call("ABS", sql), end) for end in ends.values()))
    least, zero = ends[low], binary(exp.EQ, sql, 0)
    if high is None:
        return or_(binary(exp.GT, sql, least), binary(exp.LT, sql, exp.Neg(this=least)), zero)
    most = ends[high]
    return or_(between(sql, least, most), between(sql, exp.Neg(this=most), exp.Neg(this=least)), zero)


def known_range(r: Renderer, node: Node) -> facts.Doubles | None:
    """The range of an operand if it is known for all rows; None otherwise."""
    if isinstance(node, Literal) and isinstance(node.value, int | float):
        size = abs(float(node.value)) or 1.0  # with zero every operation is exact
        return facts.Doubles(-size, size, nan=False, least=size) if math.isfinite(size) else None
    known = _BIGINT if node.type == BIGINT else r.doubles(node)
    return known if known.finite else None


def range_of_operand(r: Renderer, node: Node) -> facts.Doubles | None:
    """The range of the finite values of an operand; None if it is unknown. NaN and infinities do not matter:
    no calculation with them raises an error.
    """
    return facts.finite_floats(node) or known_range(r, node)


# The powers of ten between which the size of a double must be, unless it is zero; None for no bound.
Bounds = tuple[int | None, int | None]
_FREE: Bounds = None, None
_BOTH: Bounds = -150, 150


def operand_bounds(op: str, one: facts.Doubles | None, other: facts.Doubles | None) -> tuple[Bounds, Bounds]:
    """The bounds of the operands within which a product or a quotient neither overflows nor underflows."""
    match one, other:
        case None, facts.Doubles() as factor:
            low, high = _LEAST * factor.most, _MOST * factor.least
            return (
                _bounds(_LEAST / factor.least, _MOST / factor.most) if op == "mul" else _bounds(low, high)
            ), _FREE
        case facts.Doubles() as factor, None if op == "mul":
            return _FREE, _bounds(_LEAST / factor.least, _MOST / factor.most)
        case facts.Doubles() as dividend, None:
            return _FREE, _bounds(dividend.most / _MOST, dividend.least / _LEAST)
        case facts.Doubles(), facts.Doubles() if _is_normal(op, facts.calculated(op, one, other)):
            return _FREE, _FREE
    return _BOTH, _BOTH


def _bounds(low: float, high: float) -> Bounds:
    """The powers of ten within two sizes. There is no bound where every double is within."""
    return (
        None if low <= _LEAST else math.ceil(math.log10(low)),
        None if high >= _MOST else math.floor(math.log10(high)),
    )


def _is_normal(op: str, result: facts.Doubles) -> bool:
    """Whether an operation neither overflows nor underflows."""
    return result.most <= _MOST and (op not in ("mul", "div") or result.least >= _LEAST)


def _double_range(leaves: _Leaves, node: Node, each: facts.Doubles) -> facts.Doubles | None:
    """The range of a double if every leaf of unknown size is in the range `each`; None if a step may overflow
    or underflow, or a constant is not finite.
    """
    if not is_part(node, DOUBLE):
        known = known_range(leaves.r, node)
        if isinstance(node, Literal) and node.value is not None:
            return known
        leaves.add_leaf(node, bounded=known is None)
        return known or each
    parts = [_double_range(leaves, arg, each) for arg in node.args]
    operands = [part for part in parts if part is not None]
    if len(operands) < len(parts):
        return None
    result = facts.calculated(node.op, *operands)
    return result if _is_normal(node.op, result) else None
