"""PostgreSQL: arithmetic that never raises an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
    variable,
    wrap,
)
from predicat.backends.sql.common import decimals, durations
from predicat.backends.sql.common.numbers import divided_by_zero, round_by_text
from predicat.backends.sql.common.widths import EXACT_DIGITS, as_double
from predicat.backends.sql.postgres import ranges, runtime, times
from predicat.backends.sql.postgres.queries import value_of
from predicat.backends.sql.postgres.ranges import numeric
from predicat.backends.sql.renderer import Renderer, Rule, constant_int, let
from predicat.forms.decimals import exact_type, may_have_more_digits, may_not_fit
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BIGINT, DOUBLE, DURATION, DecimalType, Type
from predicat.ir.values import INT_MAX, INT_MIN


def bind(values: Mapping[str, Sql], body: Sql) -> Sql:
    """Names for values: the values as columns of a subquery, with these names."""
    columns = [exp.alias_(_own(value), name, quoted=True, copy=False) for name, value in values.items()]
    inner = (
        exp.select(*columns, copy=False).offset(0, copy=False).subquery(f"{next(iter(values))}t", copy=False)
    )
    return value_of(body, inner)


def _own(value: Sql) -> Sql:
    """The value as a new node if an alias is set in it: the node may occur elsewhere too."""
    return type(value)(**value.args) if "alias" in value.arg_types else value


def bigint_or_null(r: Renderer, value: Sql) -> Sql:
    """A numeric as BIGINT, or NULL if it does not fit."""
    low, high = number_literal(INT_MIN), number_literal(INT_MAX)
    return let(r, value, lambda sql: case((between(sql, low, high), cast(sql, "BIGINT"))))


# Numbers closer to zero than this are zero as doubles.
TINY = "2.4703282292062328e-324"


def nearest(value: Sql) -> tuple[tuple[Sql, Sql], tuple[Sql, Sql]]:
    """The branches of a CASE that converts a numeric to a double: for numbers that become zero, and for all
    others that fit. The remaining ones are infinite.
    """
    size = call("ABS", value)
    tiny = binary(exp.LT, size, number_literal(TINY)), cast(0, "DOUBLE")
    fits = binary(exp.LT, size, number_literal("1.7976931348623158e308")), cast(value, "DOUBLE")
    return tiny, fits


def _remainder(r: Renderer, node: Call) -> Sql:
    """A remainder. With a constant divisor it fits in an integer type of any width."""
    value, by = node.args
    if isinstance(by, Literal) and by.value not in (0, None) and not isinstance(value, Call):
        return binary(exp.Mod, r.node(value), r.node(by))
    return _integer_arithmetic(r, node)


def _integer_arithmetic(r: Renderer, node: Call) -> Sql:
    """Arithmetic of integers; NULL if the result of a step does not fit."""
    return ranges.integers(r, node, lambda leaves: _whole(r, node, leaves))


def _whole(r: Renderer, node: Node, leaves: dict[int, Sql]) -> Sql:
    if not ranges.is_part(node, BIGINT):
        known = leaves.get(r.numbering.number(node))
        return ranges.widened(r, node) if known is None else known
    parts = [r.node(arg) if isinstance(arg, Literal) else _whole(r, arg, leaves) for arg in node.args]
    exact = [
        sql if isinstance(arg, Literal) else numeric(_column(sql))
        for sql, arg in zip(parts, node.args, strict=True)
    ]
    if r.runtime is not None and node.op in runtime.INTEGERS:
        return runtime.called(runtime.INTEGERS[node.op], *parts)
    match node.op:
        case "neg":
            return bigint_or_null(r, exp.Neg(this=wrap(exact[0])))
        case "abs":
            return bigint_or_null(r, call("ABS", exact[0]))
        case "div":
            return bigint_or_null(r, call("DIV", exact[0], call("NULLIF", exact[1], 0)))
        case "mod":
            return binary(exp.Mod, parts[0], call("NULLIF", parts[1], 0))
        case op:
            return bigint_or_null(r, binary(ranges.OPERATORS[op], *exact))


def _column(sql: Sql) -> Sql:
    """A column without its cast to a wider type, which numerics and arguments of functions do not need."""
    return sql.this if isinstance(sql, exp.Cast) and isinstance(sql.this, exp.Column) else sql


def _double_arithmetic(r: Renderer, node: Call) -> Sql:
    """Arithmetic of doubles by IEEE 754, without PostgreSQL's errors on overflow and underflow."""
    return ranges.doubles(r, node, lambda leaves: ieee(r, node, leaves))


def ieee(r: Renderer, node: Node, leaves: dict[int, Sql]) -> Sql:
    """An expression of doubles that is right for operands of any size."""
    if not ranges.is_part(node, DOUBLE):
        known = leaves.get(r.numbering.number(node))
        return as_double(r, node) if known is None else known
    parts = [(arg, ieee(r, arg, leaves)) for arg in node.args]
    match node.op:
        case "neg":
            return exp.Neg(this=wrap(parts[0][1]))
        case "abs":
            return call("ABS", parts[0][1])
        case op if r.runtime is not None and leaves:  # behind a guard: few rows need this branch
            return runtime.called(runtime.DOUBLES[op], *(_column(sql) for _, sql in parts))
        case op:
            return _ieee_operation(r, op, *parts)


def _arithmetic(operator: type[exp.Binary]) -> Rule:
    """A sum or a difference of numbers, durations, or a timestamp and a duration."""

    def rule(r: Renderer, node: Call) -> Sql:
        left, right = node.args
        if node.type == DURATION and left.type == DURATION:
            return let(r, durations.operation(operator, r.node(left), r.node(right)), durations.in_range)
        if node.type == BIGINT:
            return _integer_arithmetic(r, node)
        if node.type == DOUBLE:
            return _double_arithmetic(r, node)
        return (
            times.difference(r, left, right)
            if node.type == DURATION
            else times.shifted(r, operator, left, right)
        )

    return rule


_ENDLESS = ("Infinity", "-Infinity", "NaN")


def _ieee_operation(r: Renderer, op: str, one: tuple[Node, Sql], other: tuple[Node, Sql]) -> Sql:
    """One operation by IEEE 754. PostgreSQL raises an error if finite numbers give infinity, or numbers other
    than zero give zero. Operands of normal size are handled first; the SQL for the others gives the operands
    names.
    """

    def body(a: Sql, b: Sql) -> Sql:
        result = _result(op, a, b)
        ordinary = _ordinary(op, a, b, [ranges.range_of_operand(r, node) for node, _ in (one, other)])
        if ordinary is None:
            return result
        if r.runtime is not None and runtime.is_cheap(a) and runtime.is_cheap(b):
            return runtime.called(runtime.DOUBLES[op], *map(_column, (a, b)))
        return ranges.guard(ordinary, exact(a, b), result)

    def exact(a: Sql, b: Sql) -> Sql:
        if r.runtime is not None:
            return runtime.called(f"exact_{runtime.DOUBLES[op]}", a, b)
        if op in ("add", "sub"):
            return let_unless_column(r, a, lambda a: let_unless_column(r, b, lambda b: _ieee_sum(op, a, b)))
        return let_unless_column(
            r, a, lambda a: let_unless_column(r, b, lambda b: _ieee_product(r, op, a, b))
        )

    return let(r, one[1], lambda a: let(r, other[1], lambda b: body(a, b)))


def _ordinary(op: str, a: Sql, b: Sql, sizes: list[facts.Doubles | None]) -> Sql | None:
    """Whether PostgreSQL computes an operation of two doubles without an error; None if it always does."""
    if op in ("add", "sub"):
        if any(size is not None and size.most < 1e290 for size in sizes):
            return None  # a sum overflows only if both operands are close to the limit
        return or_(*(binary(exp.LT, call("ABS", sql), _double("1e290")) for sql in (a, b)))
    bounds = ranges.operand_bounds(op, sizes[0], sizes[1])
    operands = [(a, bounds[0])] if a == b else [(a, bounds[0]), (b, bounds[1])]
    ordinary = [ranges.in_normal_range(sql, *bound) for sql, bound in operands if bound != (None, None)]
    return and_(*ordinary) if ordinary else None


def operation_of_any(op: str, a: Sql, b: Sql, exact: Sql) -> Sql:
    """An operation of two doubles of unknown size, with `exact` for those that are not of normal size."""
    plain, divides = ("div", True) if op == "fdiv" else (op, False)
    ordinary = _ordinary(plain, a, b, [None, None])
    if divides and ordinary is not None:
        ordinary = and_(ordinary, binary(exp.NEQ, b, 0))
    result = _result(plain, a, b)
    return result if ordinary is None else ranges.guard(ordinary, exact, result)


def _result(op: str, a: Sql, b: Sql) -> Sql:
    """The operation itself; NULL for a division by zero."""
    a, b = _once_widened(a, b)
    constant = isinstance(b, exp.Literal) and float(b.name) != 0
    by = call("NULLIF", b, 0) if op == "div" and not constant else b
    return ranges.operation(ranges.OPERATORS[op], a, by)


def _once_widened(a: Sql, b: Sql) -> tuple[Sql, Sql]:
    """Two doubles. If both are conversions of a column or a short constant, one of these is left out:
    PostgreSQL widens that operand itself.
    """
    if _is_conversion(a) and _is_conversion(b):
        return (a.this, b) if isinstance(a.this, exp.Literal) else (a, b.this)
    return a, b


def _is_conversion(sql: Sql) -> bool:
    if not isinstance(sql, exp.Cast) or sql.to.this != exp.DType.DOUBLE:
        return False
    value = sql.this
    short = isinstance(value, exp.Literal) and not value.is_string and len(value.name) <= EXACT_DIGITS
    return short or isinstance(value, exp.Column)


def let_unless_column(r: Renderer, sql: Sql, body: Callable[[Sql], Sql]) -> Sql:
    """`body(sql)` with a name for an expression that is not a column."""
    if isinstance(sql, exp.Column):
        return body(sql)  # a constant gets a name: PostgreSQL would evaluate it in every branch, and fail
    name = r.fresh_name("v")
    return r.dialect.bind({name: sql}, body(variable(name)))


def _ieee_sum(op: str, a: Sql, b: Sql) -> Sql:
    """A sum or a difference. It is infinite if the sum of the halves exceeds half of the largest double."""
    result = ranges.operation(ranges.OPERATORS[op], a, b)
    halves = ranges.operation(
        ranges.OPERATORS[op], *(ranges.operation(exp.Div, sql, number_literal(2)) for sql in (a, b))
    )
    fits = binary(exp.LT, call("ABS", halves), _double(repr(2.0**1023)))
    up, down = (
        (binary(kind, halves, 0), _double(value))
        for kind, value in ((exp.GT, "Infinity"), (exp.LT, "-Infinity"))
    )
    return case((or_(_is_one_of(a, _ENDLESS), _is_one_of(b, _ENDLESS), fits), result), up, down)


def _ieee_product(r: Renderer, op: str, a: Sql, b: Sql) -> Sql:
    """A product or a quotient. Its logarithm shows whether it overflows or underflows. Near the limits of
    doubles it is first computed with one operand scaled by a power of two.
    """
    divides = op == "div"
    result = _result(op, a, b)
    zeros = ("0", *_ENDLESS)
    opposite = exp.NEQ(this=wrap(binary(exp.LT, a, 0)), expression=wrap(binary(exp.LT, b, 0)))
    nothing, endless = (
        case((opposite, _double("-" + size)), (not_(opposite), _double(size))) for size in ("0", "Infinity")
    )

    def sized(log: Sql) -> Sql:
        def within(low: str, high: str) -> Sql:
            return between(log, number_literal(low), number_literal(high))

        def if_(factor: float, kind: type[exp.Binary], bound: float, otherwise: Sql) -> Sql:
            moved = ranges.operation(ranges.OPERATORS[op], binary(exp.Mul, a, _double(repr(factor))), b)
            return case((binary(kind, call("ABS", moved), _double(repr(bound))), result), default=otherwise)

        return case(
            (within("-744.4", "709.7"), result),
            (within("709.7", "710"), if_(2.0**-64, exp.LT, 2.0**960, endless)),
            (within("-745.2", "-744.4"), if_(2.0**100, exp.GT, 2.0**-975, nothing)),
            (binary(exp.GT, log, 0), endless),
            (binary(exp.LT, log, 0), nothing),
        )

    logs = (call("LN", call("ABS", sql)) for sql in (a, b))
    return case(
        (or_(_is_one_of(a, zeros), _is_one_of(b, ("0", "NaN") if divides else zeros)), result),
        *([(_is_one_of(b, _ENDLESS[:2]), nothing)] if divides else []),
        default=let_unless_column(r, binary(exp.Sub if divides else exp.Add, *logs), sized),
    )


def _is_one_of(sql: Sql, values: tuple[str, ...]) -> Sql:
    return exp.In(this=wrap(sql), expressions=[_double(value) for value in values])


def _double(value: str) -> Sql:
    return cast(value, "DOUBLE")


def _divide(r: Renderer, node: Call) -> Sql:
    return _double_arithmetic(r, node) if node.type == DOUBLE else _integer_arithmetic(r, node)


def _negate(r: Renderer, node: Call) -> Sql:
    return (
        exp.Neg(this=wrap(as_double(r, node.args[0])))
        if node.type == DOUBLE
        else _integer_arithmetic(r, node)
    )


def _absolute(r: Renderer, node: Call) -> Sql:
    return call("ABS", as_double(r, node.args[0])) if node.type == DOUBLE else _integer_arithmetic(r, node)


def _exact_operation(r: Renderer, node: Call) -> Sql:
    """Arithmetic of decimals; NULL if the result has more digits than its type."""
    sql = binary(decimals.SIGNS[node.op], *decimals.operands(r, node))
    return _below(r, sql, node.type) if may_have_more_digits(node) else sql


def exact_of_number(r: Renderer, node: Call) -> Sql:
    """A number as a decimal type, rounded to its scale; NULL if it does not fit."""
    (arg,), kind = node.args, node.type
    if arg.type == DOUBLE:
        return _exact_of_double(r, arg, kind)
    value = numeric(r.node(arg)) if arg.type == BIGINT else r.node(arg)
    if isinstance(kind, DecimalType) and exact_type(arg).scale > kind.scale:
        value = call("ROUND", value, kind.scale)
    return _below(r, value, kind) if may_not_fit(node) else value


def _exact_of_double(r: Renderer, arg: Node, kind: Type) -> Sql:
    """A double as a decimal, through its string, which is its shortest decimal; NULL if it does not fit."""
    scale = kind.scale if isinstance(kind, DecimalType) else 0

    def build(value: Sql) -> Sql:
        small = binary(exp.LT, call("ABS", value), cast("1e38", "DOUBLE"))
        return case((small, _below(r, call("ROUND", numeric(cast(value, "TEXT")), scale), kind)))

    return let(r, as_double(r, arg), build)


def _below(r: Renderer, value: Sql, kind: Type) -> Sql:
    """A decimal; NULL if it has more digits before the point than the type."""
    whole = kind.precision - kind.scale if isinstance(kind, DecimalType) else 0
    limit = number_literal(f"1{'0' * whole}")
    return let(r, value, lambda sql: case((binary(exp.LT, call("ABS", sql), limit), sql)))


def _decimal_of(double: Sql, _digits: int) -> Sql:
    """The shortest decimal of a double, through its string."""
    return numeric(cast(double, "TEXT"))


def _double_of(decimal: Sql) -> Sql:
    return cast(decimal, "DOUBLE")


def _shift(kind: type[exp.Binary]) -> Rule:
    """A bitwise shift. The number of places is a constant INTEGER."""
    return lambda r, node: binary(kind, cast(r.node(node.args[0]), "BIGINT"), constant_int(node.args[1]))


def _ieee_div(r: Renderer, node: Call) -> Sql:
    a, b = (as_double(r, arg) for arg in node.args)
    quotient = _ieee_operation(r, "div", (node.args[0], a), (node.args[1], b))
    if isinstance(node.args[1], Literal) and node.args[1].value:
        return quotient
    negative = binary(exp.EQ, cast(b, "TEXT"), "-0")
    at_zero = divided_by_zero(a, negative, not_nan=not_nan(a))
    return case((binary(exp.EQ, b, 0), at_zero), (binary(exp.NEQ, b, 0), quotient))


def not_nan(sql: Sql) -> Sql:
    """Whether a double is not NaN; NULL for NULL."""
    return binary(exp.NEQ, sql, cast("NaN", "DOUBLE"))


RULES: dict[str, Rule] = {
    "add": decimals.where_exact(_exact_operation, _arithmetic(exp.Add)),
    "sub": decimals.where_exact(_exact_operation, _arithmetic(exp.Sub)),
    "mul": decimals.where_exact(_exact_operation, _arithmetic(exp.Mul)),
    "div": _divide,
    "mod": _remainder,
    "fdiv": _ieee_div,
    "int32": lambda r, node: let(
        r, r.node(node.args[0]), lambda sql: case((between(sql, -(2**31), 2**31 - 1), sql))
    ),
    "neg": decimals.where_exact(decimals.signed, _negate),
    "abs": decimals.where_exact(decimals.signed, _absolute),
    **dict.fromkeys(("round", "bround"), round_by_text(_decimal_of, _double_of)),
    "shift_left": _shift(exp.BitwiseLeftShift),
    "shift_right": _shift(exp.BitwiseRightShift),
}
