"""PostgreSQL: queries within expressions."""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.builders import Sql, call, number_literal
from predicat.backends.sql.renderer import Renderer


def select(value: Sql, rows: Sql) -> exp.Select:
    """SELECT value FROM rows."""
    return exp.Select(expressions=[value]).from_(rows, copy=False)


def value_of(value: Sql, rows: Sql) -> Sql:
    """The value of a query for one row."""
    return select(value, rows).subquery(copy=False)


def array_of(value: Sql, rows: Sql) -> Sql:
    """The values of a query as an array."""
    return call("ARRAY", select(value, rows))


def exists(rows: Sql, condition: Sql) -> Sql:
    """Whether a row fulfils a condition."""
    result = select(number_literal(1), rows)
    result.set("where", exp.Where(this=condition))
    return exp.Exists(this=result)


def table(r: Renderer, source: Sql, *columns: exp.Identifier, numbered: bool = False) -> Sql:
    """The rows of a function, with names for its columns. Of `numbered` rows the last one is the number."""
    alias = exp.TableAlias(this=exp.to_identifier(r.fresh_name("t")), columns=list(columns))
    return exp.Table(this=source, alias=alias, ordinality=numbered)


def in_order(value: Sql, place: Sql | None) -> Sql:
    """An argument of an aggregate function, in the order of places."""
    return exp.Order(this=value, expressions=[exp.Ordered(this=place, nulls_first=False)])


def only_where(aggregate: Sql, condition: Sql) -> Sql:
    """An aggregate of the rows that fulfil a condition."""
    return exp.Filter(this=aggregate, expression=exp.Where(this=condition))


def count_all() -> Sql:
    """The number of rows."""
    return call("COUNT", exp.Star())


def count_keys(sql: Sql) -> Sql:
    """The number of keys of a JSON object."""
    return value_of(count_all(), exp.Table(this=call("JSONB_OBJECT_KEYS", sql)))
