"""PostgreSQL: products and quotients of doubles that are only compared with a constant.

PostgreSQL raises an error if a product of finite numbers is infinite, or a product of nonzero numbers is
zero. In a comparison with a constant the exact size of such a product does not matter. So factors of extreme
size are replaced by others, for which PostgreSQL raises no error and the product is on the same side of the
constant.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.builders import Sql, and_, between, binary, call, case, cast, number_literal, wrap
from predicat.backends.sql.common.widths import as_double
from predicat.backends.sql.postgres import numbers, ranges
from predicat.backends.sql.renderer import Renderer
from predicat.ir.nodes import Call, Field, Node
from predicat.ir.types import BIGINT, DOUBLE

# Constants between 1e-100 and 1e100 are far from the products whose factors are replaced.
_MOST_POWER = 100


def beside_constant(r: Renderer, node: Node, limit: float) -> Sql | None:
    """A product or quotient of two columns, for a comparison with a constant. None if the usual SQL is as
    good, as with functions of the runtime, and for other expressions and constants.
    """
    if r.runtime is not None or r.parameterize or not 10.0**-_MOST_POWER < abs(limit) < 10.0**_MOST_POWER:
        return None
    if not isinstance(node, Call) or node.op not in ("mul", "div") or node.type != DOUBLE:
        return None
    if not all(map(_is_column, node.args)) or node.args[0] == node.args[1]:
        return None
    sizes = [_size(r, arg) for arg in node.args]
    bounds = ranges.operand_bounds(node.op, *sizes)
    columns = [_plain(as_double(r, arg)) for arg in node.args]
    match bounds:
        case (None, None), (None, None):
            return None
        case (low, high), (None, None) if sizes[1] is not None:
            factor = sizes[1] if node.op == "mul" else ranges.LogRange(-sizes[1].high, -sizes[1].low)
            return _beside(node.op, columns, 0, (low, high), factor)
        case (None, None), (low, high) if sizes[0] is not None and node.op == "mul":
            return _beside(node.op, columns, 1, (low, high), sizes[0])
        case _ if node.op == "mul":
            return _of_any_size(r, node, columns)
        case _:
            return None


def _size(r: Renderer, node: Node) -> ranges.LogRange | None:
    """The range of the size of a column. The size of a nonzero integer is at least 1."""
    log_range = ranges.log_range_of_operand(r, node)
    whole = isinstance(node, Call) and node.args[0].type == BIGINT
    return ranges.LogRange(0, log_range.high) if whole and log_range is not None else log_range


def _is_column(node: Node) -> bool:
    if isinstance(node, Call) and node.op == "to_double":
        (node,) = node.args
    return isinstance(node, Field)


def _plain(sql: Sql) -> Sql:
    """A column without its cast, which is not needed beside a double."""
    return sql.this if isinstance(sql, exp.Cast) else sql


def _beside(
    op: str, columns: list[Sql], place: int, bounds: ranges.Bounds, factor: ranges.LogRange
) -> Sql | None:
    """The operation, if the operand other than `place` multiplies by a factor of known size. None if the
    product of a replaced operand could be close to the constant.
    """
    low, high = bounds
    if low is not None and low + factor.high > -_MOST_POWER:
        return None
    if high is not None and high + factor.low < _MOST_POWER:
        return None
    value, parts = columns[place], list(columns)
    parts[place] = _resized_beside(value, low, high)
    if op == "div":
        parts[1] = call("NULLIF", parts[1], 0)
    return ranges.operation(ranges.OPERATORS[op], *parts)


def _resized_beside(value: Sql, low: int | None, high: int | None) -> Sql:
    """A column as an operand beside a factor of known size. An operand whose products underflow becomes zero
    or, with bounds on both sides, the lower bound: then the other operand may be infinite.
    """
    size, sign = call("ABS", value), call("SIGN", value)
    cases: list[tuple[Sql, Sql]] = []
    if low is not None:
        least = _double("0") if high is None else binary(exp.Mul, sign, _double(f"1e{low}"))
        cases.append((binary(exp.LT, size, number_literal(f"1e{low}")), least))
    if high is not None:
        huge = between(size, number_literal(f"1e{high}"), number_literal("1.7976931348623157e308"))
        cases.append((huge, binary(exp.Mul, sign, _double(f"1e{high}"))))
    return case(*cases, default=value)


def _resized(value: Sql, low: int, high: int) -> Sql:
    """A finite number with its size limited to the range between two powers of ten; zero is unchanged."""
    size = call("LEAST", call("GREATEST", call("ABS", value), _double(f"1e{low}")), _double(f"1e{high}"))
    return binary(exp.Mul, call("SIGN", value), size)


def _double(text: str) -> Sql:
    """A double constant, which makes the other values of a CASE, GREATEST or LEAST doubles as well."""
    return cast(text, "DOUBLE")


def _of_any_size(r: Renderer, node: Call, columns: list[Sql]) -> Sql:
    """The product of two numbers of unknown size. If one is at least 1 and the other one is below 1, it
    neither overflows nor underflows.
    """
    absolute = [call("ABS", value) for value in columns]
    exact = numbers.product(*(as_double(r, arg) for arg in node.args))
    usual = and_(*(between(size, number_literal("1e-150"), number_literal("1e150")) for size in absolute))
    one, other = (wrap(binary(exp.GTE, size, 1)) for size in absolute)
    alike = and_(_is_finite(call("GREATEST", *absolute)), binary(exp.EQ, one, other))
    resized = binary(exp.Mul, *(_resized(value, -150, 150) for value in columns))
    return case((usual, exact), (alike, resized), default=exact)


def _is_finite(size: Sql) -> Sql:
    """Whether a size is neither NaN nor infinite."""
    return binary(exp.LT, size, _double("Infinity"))
