"""How PostgreSQL stores relations: their indexes, and the collations of their columns and of the database.

A view that selects columns of one table has the indexes of the table on these columns, because the planner
inlines it. Columns of enums and of other types without a field need such views.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from predicat.backends.sql.postgres.checks import checked_ranges
from predicat.backends.sql.postgres.stored import read_index, text_order
from predicat.backends.sql.storage import Index, Storage, TextOrder

if TYPE_CHECKING:
    import psycopg

_INDEXES = """
SELECT i.indrelid::bigint, pg_get_indexdef(i.indexrelid) FROM pg_index i
WHERE i.indrelid = ANY (%s::bigint[]::oid[]) AND i.indisvalid ORDER BY i.indrelid, i.indexrelid
"""
# The column with the locale of a provider has different names in different versions of PostgreSQL.
_DATABASE = """
SELECT coalesce(d ->> 'datlocprovider', 'c'),
  coalesce(d ->> 'datlocale', d ->> 'daticulocale', d ->> 'datcollate')
    || coalesce('-u-' || (d ->> 'daticurules'), ''), d ->> 'datctype'
FROM (SELECT to_jsonb(b) AS d FROM pg_database b WHERE datname = current_database()) AS t
"""
_COLUMNS = """
SELECT a.attrelid::bigint, a.attname, format_type(a.atttypid, NULL), a.attcollation IN (0, 100),
  c ->> 'collprovider', coalesce(c ->> 'colllocale', c ->> 'colliculocale', c ->> 'collcollate'),
  c ->> 'collctype'
FROM pg_attribute a LEFT JOIN LATERAL (SELECT to_jsonb(k) AS c FROM pg_collation k
  WHERE k.oid = a.attcollation) AS t ON TRUE
WHERE a.attrelid = ANY (%s::bigint[]::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
"""
# A constraint that is not inherited does not hold for the rows of child tables.
_VIEWS = """
SELECT c.oid::bigint, pg_get_viewdef(c.oid) FROM pg_class c
WHERE c.oid = ANY (%s::bigint[]::oid[]) AND c.relkind = 'v'
"""
_CHECKS = """
SELECT conrelid::bigint, pg_get_expr(conbin, conrelid) FROM pg_constraint
WHERE conrelid = ANY (%s::bigint[]::oid[]) AND contype = 'c' AND convalidated AND NOT connoinherit
"""


def read(connection: psycopg.Connection, oids: Collection[int]) -> dict[int, Storage]:
    """The storage of relations, by OID."""
    arguments = (list(oids),)
    indexes: dict[int, list[Index]] = {oid: [] for oid in oids}
    for oid, definition in connection.execute(_INDEXES.encode(), arguments).fetchall():
        if (index := read_index(str(definition))) is not None:
            indexes[int(oid)].append(index)
    for oid, query in connection.execute(_VIEWS.encode(), arguments).fetchall():
        indexes[int(oid)] += _indexes_below(connection, str(query))
    row = connection.execute(_DATABASE.encode()).fetchone()
    order = _order(str(row[0]), str(row[1]), str(row[2])) if row is not None else TextOrder()
    orders: dict[int, dict[str, TextOrder]] = {oid: {} for oid in oids}
    types: dict[int, dict[str, str]] = {oid: {} for oid in oids}
    for oid, name, kind, usual, provider, locale, letters in connection.execute(
        _COLUMNS.encode(), arguments
    ).fetchall():
        types[int(oid)][str(name)] = str(kind)
        if not usual:
            orders[int(oid)][str(name)] = _order(str(provider), str(locale), str(letters))
    checks: dict[int, list[str]] = {oid: [] for oid in oids}
    for oid, condition in connection.execute(_CHECKS.encode(), arguments).fetchall():
        checks[int(oid)].append(str(condition))
    return {
        oid: Storage(
            tuple(indexes[oid]), order, orders[oid], types[oid], checked_ranges(checks[oid], types[oid])
        )
        for oid in oids
    }


def _indexes_below(connection: psycopg.Connection, query: str) -> list[Index]:
    """The indexes of the table below a view, on columns that the view selects under the same names."""
    try:
        select = parse_one(query, dialect="postgres")
    except (SqlglotError, RecursionError):
        return []
    parts = {name for name, part in select.args.items() if part}
    source = select.args.get("from_")
    if (
        not isinstance(select, exp.Select)
        or parts - _PLAIN
        or not source
        or type(source.this) is not exp.Table
    ):
        return []
    names = {
        part.alias_or_name
        for part in select.expressions
        if isinstance(part.unalias(), exp.Column) and part.alias_or_name == part.unalias().name
    }
    table = exp.table_(source.this.name, db=source.this.db or None, quoted=True).sql(dialect="postgres")
    found = connection.execute(_INDEXES_OF_TABLE, (table,)).fetchall()
    known = (read_index(str(definition)) for (definition,) in found)
    return [index for index in known if index is not None and index.columns <= names]


# The parts of a query that leave a condition on its columns to the indexes of its table.
_PLAIN = {"expressions", "from_", "where"}
_INDEXES_OF_TABLE = b"""
SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE i.indrelid = to_regclass(%s::text) AND i.indisvalid
ORDER BY i.indexrelid
"""


def _order(provider: str, locale: str, letters: str) -> TextOrder:
    """A collation by its provider and locale; libc has a separate locale for the case of letters."""
    order = text_order(provider, locale)
    if provider != "c" or letters == locale:
        return order
    case = text_order(provider, letters)
    return TextOrder(
        order.by_code_point, order.serves_prefixes, case.ascii_case, case.usual_case, order.digits
    )
