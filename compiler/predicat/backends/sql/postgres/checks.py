"""PostgreSQL: the ranges of numeric columns that follow from CHECK constraints."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from predicat.backends.sql.builders import Sql

# The least and the greatest value; None for no end.
Range = tuple[Decimal | None, Decimal | None]

_INTEGERS = ("smallint", "integer", "bigint")


class _Bound(NamedTuple):
    """A comparison of a column with constants. If it is strict, the range excludes the constants."""

    column: str
    least: Decimal | None
    greatest: Decimal | None
    strict: bool = False

    @property
    def range(self) -> tuple[str, Decimal | None, Decimal | None]:
        """The column and the constants as ends of a range."""
        return self.column, self.least, self.greatest

    @property
    def within(self) -> tuple[str, Decimal | None, Decimal | None]:
        """The column and the last integers within the range."""
        low, high = self.least, self.greatest
        if low is not None:
            low = Decimal(math.floor(low) + 1 if self.strict else math.ceil(low))
        if high is not None:
            high = Decimal(math.ceil(high) - 1 if self.strict else math.floor(high))
        return self.column, low, high


_LOW, _HIGH = (exp.GTE, exp.GT), (exp.LTE, exp.LT)


def checked_ranges(conditions: Iterable[str], types: Mapping[str, str]) -> dict[str, Range]:
    """The ranges of columns in rows for which no constraint is FALSE, which is true for every row of a table.

    Only comparisons with constants count, also inside AND. For `n > 0` the range includes 0, except for
    integers.
    """
    ranges: dict[str, Range] = {}
    for condition in conditions:
        try:
            tree = parse_one(condition, dialect="postgres")
        except (SqlglotError, RecursionError):
            continue
        for bound in _bounds(tree):
            column, low, high = bound.within if types.get(bound.column) in _INTEGERS else bound.range
            known = ranges.get(column, (None, None))
            ranges[column] = _last(known[0], low, max), _last(known[1], high, min)
    return ranges


def _last(
    one: Decimal | None, other: Decimal | None, choose: Callable[[Decimal, Decimal], Decimal]
) -> Decimal | None:
    return other if one is None else one if other is None else choose(one, other)


def _bounds(tree: Sql) -> Iterator[_Bound]:
    tree = tree.unnest()
    if isinstance(tree, exp.And):
        yield from _bounds(tree.this)
        yield from _bounds(tree.expression)
        return
    if isinstance(tree, exp.Between):
        column, low, high = _column(tree.this), _number(tree.args["low"]), _number(tree.args["high"])
        if column is not None:
            yield _Bound(column, low, high)
        return
    if not isinstance(tree, (*_LOW, *_HIGH)):
        return
    is_low = isinstance(tree, _LOW)
    column, number = _column(tree.this), _number(tree.expression)
    if column is None:
        is_low, column, number = not is_low, _column(tree.expression), _number(tree.this)
    if column is not None and number is not None:
        least, greatest = (number, None) if is_low else (None, number)
        yield _Bound(column, least, greatest, strict=isinstance(tree, exp.GT | exp.LT))


def _column(sql: Sql) -> str | None:
    """The name of a column. PostgreSQL may show a cast around it, which only widens a number."""
    sql = sql.unnest()
    if isinstance(sql, exp.Cast):
        sql = sql.this.unnest()
    return sql.name if isinstance(sql, exp.Column) else None


def _number(sql: Sql) -> Decimal | None:
    sql = sql.unnest()
    if isinstance(sql, exp.Cast):
        sql = sql.this.unnest()
    if isinstance(sql, exp.Neg):
        inner = _number(sql.this)
        return None if inner is None else -inner
    try:
        number = Decimal(sql.name) if isinstance(sql, exp.Literal) else None
    except InvalidOperation:
        return None
    return number if number is not None and number.is_finite() else None
