"""How many rows a dataset has, and how new its newest one is: one query over all of it, if the catalog
bounds them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlglot import exp

from predicat import backends
from predicat.ir.nodes import Node
from predicat.ir.types import DATE, Type
from predicat.quality.fold import parts_of
from predicat.quality.measure import Measure
from predicat.quality.plan import Plan, time_of

# Gives the rows of a SELECT of aggregates over the rows that are counted, grouped by some keys: first the
# keys of each row. Without keys it is one row.
Select = Callable[[Sequence[str], Sequence[str]], Sequence[Sequence[Any]]]
# Seconds: values further ahead than the time zones of dates explain are mistakes, and hide no stale
# table.
_AHEAD = 86_400


def _on_spark(column: exp.Expr, type_: Type) -> exp.Expr:
    if type_ == DATE:  # a cast to a timestamp would take the time zone of the session
        days = exp.cast(exp.Anonymous(this="unix_date", expressions=[column]), "double")
        return exp.Mul(this=days, expression=exp.Literal.number(86_400))
    return exp.cast(exp.cast(column, "timestamptz"), "double")


# The first second of the year 1: PostgreSQL has minus infinity, too.
_FIRST = -62_135_596_800

# Seconds since 1970 of a date or timestamp in UTC.
_EPOCH: Mapping[str, Callable[[exp.Expr, Type], exp.Expr]] = {
    "spark": _on_spark,
    "postgres": lambda column, _: exp.Extract(this=exp.var("epoch"), expression=column),
    "duckdb": lambda column, _: exp.Anonymous(this="epoch", expressions=[column]),
}


def measure_extent(measure: Measure, plan: Plan, select: Select) -> None:
    """Fill in `total` and `newest`, of each partition; the relation is asked only for what a bound needs and
    the pass did not give.
    """
    measured = dict(enumerate(measure.parts)) if plan.parts is not None else {0: measure}
    for one in (measure, *measured.values()):
        one.total = one.rows if one.sample >= 1 else round(one.rows / one.sample)
    questions: dict[str, str] = {}
    if measure.sample < 1 and plan.dataset.rows:
        questions["total"] = "COUNT(*)"
    if plan.dataset.freshness is not None:
        read = time_of(plan.dataset, plan.dataset.freshness.field)
        questions["newest"] = newest_sql(read, plan.engine, plan.now or datetime.now(tz=UTC))
    if not questions:
        return
    keys = plan.part_keys()
    for row in select(list(questions.values()), keys):
        codes = [[int(code)] for code in row[: len(keys)]]
        number = next(parts_of(plan.program, codes)) if keys else 0
        answers = dict(zip(questions, row[len(keys) :], strict=True))
        if number in measured:
            one, newest = measured[number], answers.get("newest")
            one.total = int(answers.get("total", one.total))
            one.newest = None if newest is None else float(newest)


def newest_sql(read: Node, engine: str, now: datetime) -> str:
    """The newest value of a date or timestamp that is not ahead of the current time, in seconds since 1970,
    as SQL.
    """
    return exp.Max(this=_known(read, engine, now)).sql(dialect=backends.dialect(engine).sqlglot)


def oldest_sql(read: Node, engine: str, now: datetime) -> str:
    """The oldest value, too."""
    return exp.Min(this=_known(read, engine, now)).sql(dialect=backends.dialect(engine).sqlglot)


def _known(read: Node, engine: str, now: datetime) -> exp.Expr:
    limit = now.timestamp() + _AHEAD
    seconds = _EPOCH[engine](backends.dialect(engine).tree(read), read.type)
    between = exp.Between(this=seconds, low=exp.Literal.number(_FIRST), high=exp.Literal.number(repr(limit)))
    return exp.Case().when(between, seconds.copy())
