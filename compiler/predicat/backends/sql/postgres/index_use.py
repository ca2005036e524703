"""PostgreSQL: which index serves a condition of a WHERE, by the rules of its operator classes.

The planner decides whether to use it: an index that finds most of the rows does not help.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.builders import Sql
from predicat.backends.sql.postgres.stored import spelling
from predicat.backends.sql.storage import Index, Storage, TextOrder

_ORDERED = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between)
_PATTERNS = ("text_pattern_ops", "varchar_pattern_ops")
_TRIGRAMS = ("gin_trgm_ops", "gist_trgm_ops")


def index_of(sql: Sql, storage: Storage) -> Index | None:
    """An index that finds the rows of a condition; None if there is none."""
    match sql:
        case exp.Paren():
            return index_of(sql.this, storage)
        case exp.And():
            return index_of(sql.this, storage) or index_of(sql.expression, storage)
        case exp.Or():
            first, second = index_of(sql.this, storage), index_of(sql.expression, storage)
            return first if second is not None else None
        case exp.Not():
            inner = sql.this.unnest()
            plain = isinstance(inner, exp.Is | exp.Column | exp.LT | exp.LTE | exp.GT | exp.GTE)
            return index_of(inner, storage) if plain else None
        case exp.Column():
            return storage.index_on(spelling(sql), ("btree",))
        case exp.ArrayContainsAll() | exp.ArrayOverlaps() | exp.JSONBContainsTopKey():
            return storage.index_on(spelling(sql.this.unnest()), ("gin",))
        case exp.EQ() | exp.In():
            return storage.index_on(_compared(sql)[0], ("btree", "hash"))
        case exp.Is():
            return storage.index_on(_compared(sql)[0], ("btree",))
        case exp.Like() | exp.ILike() | exp.RegexpLike():
            return _pattern(sql, storage)
        case _ if isinstance(sql, _ORDERED):
            on, collation = _compared(sql)
            return storage.index_on(on, ("btree",), ("",), collation)
        case _:
            return None


def _compared(sql: Sql) -> tuple[str, str]:
    """What a comparison compares, and the collation that it states."""
    value = sql.this.unnest()
    collation = ""
    if isinstance(value, exp.Collate):
        collation, value = value.expression.name, value.this.unnest()
    return spelling(value), collation


def _pattern(sql: Sql, storage: Storage) -> Index | None:
    on, _ = _compared(sql)
    index = storage.index_on(on, ("gin", "gist"), _TRIGRAMS)
    if index is not None or not isinstance(sql, exp.Like):
        return index
    pattern = sql.expression
    if not isinstance(pattern, exp.Literal) or not pattern.name or pattern.name[0] in "%_":
        return None
    order = _order(sql.this, storage)
    return (
        storage.index_on(on, ("btree",), _PATTERNS)
        or storage.index_on(on, ("btree",), collation="C")
        or (storage.index_on(on, ("btree",)) if order.serves_prefixes else None)
    )


def _order(value: Sql, storage: Storage) -> TextOrder:
    columns = {column.name for column in value.find_all(exp.Column)}
    return storage.order_of(columns.pop()) if len(columns) == 1 else storage.order
