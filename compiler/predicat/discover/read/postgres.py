"""The conditions of a PostgreSQL server: of views, CHECK constraints and row security policies."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from predicat.deploy.server import connect
from predicat.discover.conditions import Condition, Refused
from predicat.discover.read.embedded import condition
from predicat.discover.read.sql import SqlText, plain_place
from predicat.discover.read.types import TableTypes, kind_of

_OURS = "n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'"
_COLUMNS = f"""
SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND {_OURS}
ORDER BY n.nspname, c.relname, a.attnum
"""
# Those that `predicat apply` made are the filters of a catalog.
_VIEWS = f"""
SELECT n.nspname, c.relname, pg_get_viewdef(c.oid)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('v', 'm') AND {_OURS}
  AND coalesce(obj_description(c.oid, 'pg_class'), '') NOT LIKE '%[predicat/1 %' ORDER BY 1, 2
"""
_CHECKS = f"""
SELECT 'check', n.nspname, c.relname, k.conname, pg_get_expr(k.conbin, k.conrelid)
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE k.contype = 'c' AND {_OURS} ORDER BY 2, 3, 4
"""
_POLICIES = f"""
SELECT part.clause, n.nspname, c.relname, p.polname, pg_get_expr(part.tree, p.polrelid)
FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid JOIN pg_namespace n ON n.oid = c.relnamespace,
     LATERAL (VALUES ('policy', p.polqual), ('with check', p.polwithcheck)) AS part (clause, tree)
WHERE part.tree IS NOT NULL AND {_OURS} ORDER BY 2, 3, 4, 1
"""
_TIMEOUT = "SET statement_timeout = '60s'"


def conditions(dsn: str) -> Iterator[Condition | Refused]:
    """The conditions of a server. Reads its catalog only. Raises PredicatError if it cannot be reached."""
    with connect(dsn, Path("target/postgres")) as connection:
        connection.execute("SET default_transaction_read_only = on")
        connection.execute(_TIMEOUT)
        columns = _known(connection)
        for schema, name, definition in connection.execute(_VIEWS).fetchall():
            place = plain_place(f"postgresql:{schema}.{name}", definition)
            yield from SqlText(definition, "postgres", place, columns).read()
        for query in (_CHECKS, _POLICIES):
            for clause, schema, table, name, text in connection.execute(query).fetchall():
                place = plain_place(f"postgresql:{schema}.{table}.{name}", text)
                yield from condition(text, f"{schema}.{table}", clause, "postgres", place, columns)


def _known(connection: Any) -> TableTypes:
    """The types of the columns of all relations."""
    tables: dict[str, dict[str, str]] = {}
    for schema, table, column, kind in connection.execute(_COLUMNS).fetchall():
        tables.setdefault(f"{schema}.{table}", {})[column] = kind_of(kind, "postgres")
    result = TableTypes()
    for name, columns in tables.items():
        result.add(name, columns)
    return result
