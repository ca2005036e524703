"""PostgreSQL: arithmetic that never raises."""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql import durations
from predicat.backends.sql.base import (
    Renderer,
    Rule,
    Sql,
    between,
    binary,
    both,
    case,
    cast,
    constant,
    either,
    floating,
    fn,
    number,
    once,
    over_zero,
    text,
    wrap,
)
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BIGINT, DOUBLE, DURATION
from predicat.ir.values import INT_MAX, INT_MIN, MAX_SECONDS, MIN_SECONDS, UNITS


def bind(value: Sql, name: str, body: Sql) -> Sql:
    """The value as the one column of a subquery, and its name as the column's."""
    inner = exp.select(exp.alias_(value, name, quoted=True, copy=False), copy=False).offset(0, copy=False).subquery(f"{name}t", copy=False)
    return exp.select(body, copy=False).from_(inner, copy=False).subquery(copy=False)


def _operate(kind: type[exp.Binary], left: Sql, right: Sql) -> Sql:
    """An arithmetic operation as it is: sqlglot turns an untyped division into one of doubles."""
    found = binary(kind, left, right)
    if kind is exp.Div:
        found.set("typed", True)
    return found


def numeric(sql: Sql) -> Sql:
    return cast(sql, "DECIMAL")


def in_range(r: Renderer, value: Sql) -> Sql:
    """A numeric as BIGINT, or NULL where it does not fit."""
    low, high = number(INT_MIN), number(INT_MAX)
    return once(r, value, lambda sql: case((between(sql, low, high), cast(sql.copy(), "BIGINT"))))


def _operand(r: Renderer, node: Node) -> Sql:
    sql = r.node(node)
    return sql if isinstance(node, Literal) else numeric(sql)


def arithmetic(operator: type[exp.Binary]) -> Rule:
    def rule(r: Renderer, node: Call) -> Sql:
        left, right = node.args
        if node.type == DURATION and left.type == DURATION:
            return once(r, durations.operation(operator, r.node(left), r.node(right)), durations.in_range)
        if node.type == BIGINT:
            return in_range(r, binary(operator, _operand(r, left), _operand(r, right)))
        if node.type == DOUBLE:
            return _float(r, operator, left, right)
        if node.type == DURATION:
            return cast(binary(exp.Sub, _micros(r.node(left)), _micros(r.node(right))), "BIGINT")
        return moment(r, binary(operator, _micros(r.node(left)), _operand(r, right)))

    return rule


def _micros(sql: Sql) -> Sql:
    """Microseconds since 1970 of a timestamp, as an exact numeric."""
    epoch = exp.Extract(this=exp.Var(this="EPOCH"), expression=sql)
    return binary(exp.Mul, epoch, number(1_000_000))


def moment(r: Renderer, micros: Sql) -> Sql:
    """A timestamp from microseconds since 1970, or NULL outside years 1 to 9999."""
    low, high = number(MIN_SECONDS * 1_000_000), number(MAX_SECONDS * 1_000_000 + 999_999)
    epoch = cast(text("1970-01-01 00:00:00"), "TIMESTAMP")

    def build(sql: Sql) -> Sql:
        # A product of an interval and a double loses microseconds far from 1970, so seconds and the rest are apart.
        seconds = fn("FLOOR", _operate(exp.Div, sql.copy(), number(1_000_000)))
        rest = fn("MOD", binary(exp.Add, fn("MOD", sql.copy(), number(1_000_000)), number(1_000_000)), number(1_000_000))
        days = fn("FLOOR", _operate(exp.Div, seconds, number(86400)))
        left = binary(exp.Sub, seconds.copy(), binary(exp.Mul, days.copy(), number(86400)))
        whole_days = fn("MAKE_INTERVAL", *(number(0) for _ in range(3)), cast(days, "INT"))
        clock = binary(exp.Add, binary(exp.Mul, cast(left, "INT"), _interval("1 second")),
                       binary(exp.Mul, cast(rest, "INT"), _interval("1 microsecond")))  # fmt: skip
        utc = binary(exp.Add, epoch, whole_days)
        return case((between(sql, low, high), exp.AtTimeZone(this=exp.Paren(this=binary(exp.Add, utc, clock)), zone=text("UTC"))))

    return once(r, micros, build)


def _interval(length: str) -> Sql:
    return cast(text(length), "INTERVAL")


_BIG, _TINY = cast(text("1e150"), "DOUBLE"), cast(text("1e-150"), "DOUBLE")


def _float(r: Renderer, operator: type[exp.Binary], left: Node, right: Node) -> Sql:
    """IEEE 754 without PostgreSQL's errors on overflow and underflow.

    Ordinary magnitudes are computed as they are; the others as exact numerics, and brought back to a double.
    """
    one, other = floating(r, left), floating(r, right)

    def build(a: Sql, b: Sql) -> Sql:
        checks = [_ordinary(part, operator) for part in (a, b)]
        plain = _operate(operator, a.copy(), b.copy())
        # A numeric zero has no sign: that of a product or quotient too small for it is the operands'.
        signs = [wrap(binary(exp.LT, part.copy(), number(0))) for part in (a, b)]
        negative = None if operator in (exp.Add, exp.Sub) else exp.NEQ(this=signs[0], expression=signs[1])
        exact = _from_numeric(r, operator, _exact(a.copy()), _exact(b.copy()), negative)
        # Nothing overflows beside a zero, and a numeric would lose its sign.
        zeros = [binary(exp.EQ, part.copy(), number(0)) for part in ((a,) if operator is exp.Div else (a, b))]
        return case((either(both(*checks), *zeros), plain), default=exact)

    return once(r, one, lambda a: once(r, other, lambda b: build(a, b)))


def _exact(sql: Sql) -> Sql:
    """A double as the numeric of its shortest text: a direct cast keeps only 15 digits."""
    return numeric(cast(sql, "TEXT"))


def _ordinary(sql: Sql, operator: type[exp.Binary]) -> Sql:
    size = fn("ABS", sql.copy())
    below = binary(exp.LT, size, _BIG.copy())
    if operator in (exp.Add, exp.Sub):
        return below
    return both(below, either(binary(exp.GT, size.copy(), _TINY.copy()), binary(exp.EQ, sql.copy(), number(0))))


def _from_numeric(r: Renderer, operator: type[exp.Binary], a: Sql, b: Sql, negative: Sql | None) -> Sql:
    """The double of an exact result; `negative` says whether one that is next to zero is -0.0, by default its own sign."""
    if operator is exp.Div:
        b = fn("NULLIF", b, number(0))
    limit = number("1.7976931348623158e308")
    tiny = number("2.4703282292062328e-324")
    infinity = cast(text("Infinity"), "DOUBLE")

    def build(sql: Sql) -> Sql:
        nan = exp.EQ(this=wrap(sql.copy()), expression=numeric(text("NaN")))
        return case(
            (nan, cast(text("NaN"), "DOUBLE")),
            (binary(exp.GTE, sql.copy(), limit), infinity),
            (binary(exp.LTE, sql.copy(), exp.Neg(this=limit.copy())), exp.Neg(this=exp.Paren(this=infinity.copy()))),
            (binary(exp.LTE, fn("ABS", sql.copy()), tiny), case((negative or binary(exp.LT, sql.copy(), number(0)), cast(text("-0"), "DOUBLE")),
                                                               default=cast(number(0), "DOUBLE"))),
            default=cast(sql.copy(), "DOUBLE"),
        )

    return once(r, _finite_ops(operator, a, b), build)


def _finite_ops(operator: type[exp.Binary], a: Sql, b: Sql) -> Sql:
    """The numeric result. Infinity times zero and Infinity by Infinity are NaN in numeric as well, and never raise."""
    if operator is exp.Div:
        # A numeric quotient keeps few digits of a tiny result: scale up, far enough for any double.
        return _operate(exp.Div, wrap(binary(exp.Mul, a, number("1." + "0" * 350))), b)
    return binary(operator, a, b)


def divide(r: Renderer, node: Call) -> Sql:
    left, right = node.args
    if node.type == DOUBLE:
        sql = floating(r, right)
        plain = _float(r, exp.Div, left, right)
        if isinstance(right, Literal) and right.value:
            return plain
        return case((binary(exp.NEQ, sql, number(0)), plain))
    divisor = fn("NULLIF", _operand(r, right), number(0))
    return in_range(r, fn("DIV", _operand(r, left), divisor))


def modulo(r: Renderer, node: Call) -> Sql:
    return cast(fn("MOD", _operand(r, node.args[0]), fn("NULLIF", _operand(r, node.args[1]), number(0))), "BIGINT")


def negate(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    if node.type == DOUBLE:
        return exp.Neg(this=wrap(floating(r, arg)))
    return in_range(r, exp.Neg(this=wrap(_operand(r, arg))))


def absolute(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    return fn("ABS", floating(r, arg)) if node.type == DOUBLE else in_range(r, fn("ABS", _operand(r, arg)))


def whole(name: str) -> Rule:
    """Zero has no sign here, whatever that of its argument."""
    return lambda r, node: binary(exp.Add, fn(name, floating(r, node.args[0])), cast(number(0), "DOUBLE"))


def ieee_div(r: Renderer, node: Call) -> Sql:
    a, b = (floating(r, arg) for arg in node.args)
    plain = _float(r, exp.Div, *node.args)
    if isinstance(node.args[1], Literal) and node.args[1].value:
        return plain
    negative = binary(exp.EQ, cast(b.copy(), "TEXT"), text("-0"))
    at_zero = over_zero(a.copy(), negative, not_nan=not_nan(a.copy()))
    return case((binary(exp.EQ, b.copy(), number(0)), at_zero), (binary(exp.NEQ, b.copy(), number(0)), plain))


def in_units(r: Renderer, node: Call) -> Sql:
    return _operate(exp.Div, cast(r.node(node.args[1]), "BIGINT"), number(UNITS[constant(node.args[0])]))


def not_nan(sql: Sql) -> Sql:
    return binary(exp.NEQ, sql, cast(text("NaN"), "DOUBLE"))
