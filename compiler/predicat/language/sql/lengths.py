"""Intervals whose number is computed: `n * INTERVAL '1 day'`, `INTERVAL (n) DAY`, `make_interval(days => n)`.

Sources: PostgreSQL, "Date/Time Functions and Operators" (make_interval); Spark SQL, "Interval Operations",
`make_interval`, `make_dt_interval`; DuckDB, "Interval Functions" (to_days and others).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

from msgspec import Struct
from sqlglot import exp

from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql_times
from predicat.ir import syntax as t
from predicat.language.common.trees import apply
from predicat.language.sql import times
from predicat.language.sql.arguments import arguments
from predicat.language.sql.node_reader import Build, Reader

_MICROSECOND = timedelta(microseconds=1)
# The units of computed numbers: a length, or a number of months.
UNITS: dict[str, timedelta | int] = {
    "MICROSECOND": _MICROSECOND,
    "MILLISECOND": timedelta(milliseconds=1),
    "SECOND": timedelta(seconds=1),
    "MINUTE": timedelta(minutes=1),
    "HOUR": timedelta(hours=1),
    "DAY": timedelta(days=1),
    "WEEK": timedelta(weeks=1),
    "MONTH": 1,
    "QUARTER": 3,
    "YEAR": 12,
}


class Length(Struct, frozen=True):
    """An interval: its months, which have no fixed length, and the rest. None stands for zero."""

    months: t.Tree | None
    rest: t.Tree | None


def times_whole(count: t.Tree, factor: int) -> t.Tree:
    """An integer times a constant one."""
    if isinstance(count, t.Constant) and isinstance(count.value, int):
        return t.Constant(count.value * factor, count.span)
    if factor == 1:
        return count
    if factor == -1:
        return apply("neg", count.span, count)
    return apply("mul", count.span, count, t.Constant(factor, count.span))


def multiple(reader: Reader, count: t.Tree, size: timedelta, span: Span) -> t.Tree:
    """A number times a constant length. Raises Stop for a constant with a fraction of a microsecond."""
    number = count.value if isinstance(count, t.Constant) else None
    if isinstance(number, int | float | Decimal) and not isinstance(number, bool):
        micros = Fraction(str(number)) * (size // _MICROSECOND)
        if micros.denominator != 1 or abs(micros) >= 2**60:
            raise reader.fail(sql_times.multiple_of_interval(span))
        return t.Constant(timedelta(microseconds=int(micros)), span)
    return apply("multiple", span, t.Constant(size, span), count)


def of_unit(reader: Reader, count: t.Tree, unit: str, span: Span) -> Length:
    """A computed number of a unit, which is a key of UNITS."""
    size = UNITS[unit]
    if isinstance(size, int):
        return Length(times_whole(count, size), None)
    return Length(None, multiple(reader, count, size, span))


def read(reader: Reader, node: exp.Expr, depth: int) -> Length | None:
    """The interval that a node writes; None if it is no interval but, for example, a difference of times."""
    node, span = node.unnest(), reader.span(node)
    if isinstance(node, exp.Interval) and not isinstance(node.this, exp.Literal):
        unit = node.args.get("unit")
        name = unit.name.upper().removesuffix("S") if isinstance(unit, exp.Var) else ""
        if name not in UNITS:
            raise reader.fail(sql_times.interval_of_parts(span))
        return of_unit(reader, reader.read(node.this.unnest(), depth), name, span)
    if isinstance(node, exp.Interval):
        months, rest = times.length(reader, node)
        return Length(
            t.Constant(months, span) if months else None,
            t.Constant(rest, span) if rest or not months else None,
        )
    if isinstance(node, exp.Mul):
        return _product(reader, node, depth)
    parts = _MAKERS.get(reader.called_name(node)) if isinstance(node, exp.Func) else None
    return None if parts is None else _sum(reader, node, parts, depth)


def _product(reader: Reader, node: exp.Mul, depth: int) -> Length | None:
    for count, length in ((node.this, node.expression), (node.expression, node.this)):
        if isinstance(length.unnest(), exp.Interval):
            size, number = times.length(reader, length.unnest()), reader.read(count.unnest(), depth)
            months = times_whole(number, size[0]) if size[0] else None
            rest = size[1] or not months
            return Length(months, multiple(reader, number, size[1], reader.span(node)) if rest else None)
    return None


def _sum(reader: Reader, node: exp.Expr, units: tuple[str, ...], depth: int) -> Length:
    span, parts = reader.span(node), list[Length]()
    for unit, value in _arguments(reader, node, units):
        number = reader.read(value, depth)
        if not (isinstance(number, t.Constant) and number.value == 0):
            parts.append(of_unit(reader, number, unit, span))
    months = _added([part.months for part in parts if part.months], span)
    rest = _added([part.rest for part in parts if part.rest], span)
    return Length(months, rest if rest or months else t.Constant(timedelta(), span))


def _arguments(reader: Reader, node: exp.Expr, units: tuple[str, ...]) -> Iterator[tuple[str, exp.Expr]]:
    """The units and values of a function, by position or by name (`days => n`)."""
    args = list(arguments(node))
    if len(args) > len(units):
        raise reader.fail(sql_times.interval_arguments(reader.span(node), _names(units)))
    for unit, arg in zip(units, args, strict=False):
        if not isinstance(arg, exp.Kwarg):
            yield unit, arg
            continue
        named = next((one for one in units if arg.this.name.lower() == _ARGUMENTS.get(one)), None)
        if named is None:
            raise reader.fail(sql_times.interval_arguments(reader.span(node), _names(units)))
        yield named, arg.expression


def _names(units: tuple[str, ...]) -> str:
    return ", ".join(_ARGUMENTS.get(unit, f"{unit.lower()}s") for unit in units)


def _added(trees: list[t.Tree], span: Span) -> t.Tree | None:
    total = trees[0] if trees else None
    for tree in trees[1:]:
        total = apply("add", span, total, tree) if total else tree
    return total


def moved(moment: t.Tree, length: Length, sign: int, span: Span) -> t.Tree:
    """A time plus (`sign` -1: minus) an interval: the months first, then the rest, as in engines."""
    if length.months is not None:
        moment = apply("add_months", span, moment, times_whole(length.months, sign))
    if length.rest is not None:
        moment = apply("add" if sign > 0 else "sub", span, moment, length.rest)
    return moment


def alone(otherwise: Build | None = None) -> Build:
    """An interval that is not added to a time. Raises Stop if it has months."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        length = read(reader, node, depth)
        if length is None and otherwise is not None:
            return otherwise(reader, node, depth)
        if length is None or length.months is not None or length.rest is None:
            raise reader.fail(sql_times.months_as_length(reader.span(node)))
        return length.rest

    return build


_ARGUMENTS = {
    "YEAR": "years",
    "MONTH": "months",
    "WEEK": "weeks",
    "DAY": "days",
    "HOUR": "hours",
    "MINUTE": "mins",
    "SECOND": "secs",
}
# The functions that make intervals, with the units of their arguments.
_MAKERS: dict[str, tuple[str, ...]] = {
    "make_interval": tuple(_ARGUMENTS),
    "make_dt_interval": ("DAY", "HOUR", "MINUTE", "SECOND"),
    "make_ym_interval": ("YEAR", "MONTH"),
    **{f"to_{unit.lower()}s": (unit,) for unit in UNITS},
}
AS_WRITTEN: dict[str, Callable[[Reader, exp.Expr, int], t.Tree]] = dict.fromkeys(_MAKERS, alone())
