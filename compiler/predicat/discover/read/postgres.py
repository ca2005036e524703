"""The conditions of a PostgreSQL server: of views, CHECK constraints, row security policies, and of the
statements that ran, if pg_stat_statements counts them.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlglot import exp

from predicat.api import declared
from predicat.backends.sql.builders import Sql
from predicat.backends.sql.expressions import BadExpression
from predicat.backends.sql.postgres.session_reading import Session, text_of
from predicat.deploy.server import connect
from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import SERVER, STATEMENTS, Clause, Condition, Refused
from predicat.discover.read.embedded import Ranges, condition
from predicat.discover.read.relations import is_known
from predicat.discover.read.residues import PARAMETER
from predicat.discover.read.sql import SqlText, plain_place, shown
from predicat.discover.read.types import TableTypes, kind_of
from predicat.ir.nodes import FieldDecl

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
# Where the extension is, and those statements of this database that ran most often, of all roles together.
_EXTENSION = """
SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'pg_stat_statements'
"""
_MOST_STATEMENTS = 500
_STATEMENTS = """
SELECT s.queryid, s.query, sum(s.calls)::bigint, count(*) FROM {schema}.pg_stat_statements s
WHERE s.dbid = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT %s
"""
# What a role sees in the place of the statements of others, without pg_read_all_stats.
_HIDDEN = "<insufficient privilege>"
# A statement of a tool on the catalog of the server.
_SYSTEM = re.compile(r"\b(?:from|join)\s+(?:pg_catalog\.|information_schema\.|pg_\w)", re.IGNORECASE)
# What the server writes in the place of long lists of constants, which it counts as one.
_AND_MORE = re.compile(r"/\*,? ?\.\.\. ?\*/")
_TIMEOUT = "SET statement_timeout = '60s'"


def columns(dsn: str) -> TableTypes:
    """The types of the columns of a server. Reads its catalog. Raises PredicatError if it is not reached."""
    with _reading(dsn) as connection:
        return _known(connection)[0]


@contextmanager
def _reading(dsn: str) -> Iterator[Any]:
    with connect(dsn, Path("target/postgres")) as connection:
        connection.execute("SET default_transaction_read_only = on")
        connection.execute(_TIMEOUT)
        yield connection


def conditions(dsn: str) -> Iterator[Condition | Refused]:
    """The conditions of a server. Reads its catalog and its statistics only. Raises PredicatError if
    it cannot be reached.
    """
    with _reading(dsn) as connection:
        columns, uuids = _known(connection)
        for schema, name, definition in connection.execute(_VIEWS).fetchall():
            place = plain_place(f"{SERVER}{schema}.{name}", definition)
            yield from SqlText(definition, "postgres", place, columns).read()
        for clause, schema, table, name, text in connection.execute(_CHECKS).fetchall():
            place = plain_place(f"{SERVER}{schema}.{table}.{name}", text)
            yield from condition(text, f"{schema}.{table}", clause, "postgres", place, columns)
        session = Session()
        for clause, schema, table, name, text in connection.execute(_POLICIES).fetchall():
            place = plain_place(f"{SERVER}{schema}.{table}.{name}", text)
            known = {
                name: kind
                for name, kind in (columns.get(f"{schema}.{table}") or {}).items()
                if is_known(kind)
            }
            fields = declared(known | dict.fromkeys(uuids[f"{schema}.{table}"], "uuid"))
            yield from _policy(text, f"{schema}.{table}", clause, place, columns, session, fields)
        yield from _statements(connection, columns)


def _statements(connection: Any, columns: TableTypes) -> Iterator[Condition | Refused]:
    """The conditions of the statements that ran, if the server counts them; not of those on its catalog."""
    import psycopg.sql  # noqa: PLC0415  # optional

    schema = connection.execute(_EXTENSION).fetchone()
    if schema is None:
        return
    try:
        with connection.transaction():
            query = psycopg.sql.SQL(_STATEMENTS).format(schema=psycopg.sql.Identifier(schema[0]))
            rows = connection.execute(query, (_MOST_STATEMENTS,)).fetchall()
    except psycopg.Error:
        yield Refused(plain_place(STATEMENTS, "")(0, 0)[0], say.NO_STATEMENTS, "")
        return
    for number, text, calls, times in rows:
        place = plain_place(f"{STATEMENTS}{number or ''}", text or "")
        if text is None or text == _HIDDEN:
            yield from [Refused(place(0, 0)[0], say.HIDDEN_STATEMENT, "")] * min(times, _MOST_STATEMENTS)
        elif not _SYSTEM.search(text):
            yield from _of_statement(text, calls, place, columns)


def _of_statement(text: str, calls: int, place: Ranges, columns: TableTypes) -> Iterator[Condition | Refused]:
    for row in SqlText(_AND_MORE.sub(_blank, text), "postgres", place, columns).read():
        yield replace(row, place=replace(row.place, calls=calls))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _policy(
    text: str,
    table: str,
    clause: Clause,
    place: Ranges,
    columns: TableTypes,
    session: Session,
    fields: Mapping[str, FieldDecl],
) -> Iterator[Condition | Refused]:
    """The condition of a policy, in which values of the session are parameters."""
    try:
        tree, used = session.without_values(text, fields, _marked)
    except BadExpression:
        tree, used = None, {}
    if tree is None or not used:
        yield from condition(text, table, clause, "postgres", place, columns)
        return
    whole = place(0, len(text))[0]
    for row in condition(text_of(tree), table, clause, "postgres", lambda *_: (whole, False), columns):
        if isinstance(row, Refused):
            yield replace(row, text=shown(text))
            continue
        given = {name: one for name, one in used.items() if name in row.params}
        params = {name: str(one.type) for name, one in given.items()}
        read = {name: (one.declared, one.postgres) for name, one in given.items()}
        yield replace(row, params=params, session=read)


def _marked(name: str) -> Sql:
    return exp.column(PARAMETER + name)


def _known(connection: Any) -> tuple[TableTypes, dict[str, list[str]]]:
    """The types of the columns of all relations, and the columns of the type uuid."""
    tables: dict[str, dict[str, str]] = {}
    uuids: dict[str, list[str]] = {}
    for schema, table, column, kind in connection.execute(_COLUMNS).fetchall():
        tables.setdefault(f"{schema}.{table}", {})[column] = kind_of(kind, "postgres")
        uuids.setdefault(f"{schema}.{table}", []).extend([column] if kind == "uuid" else [])
    result = TableTypes()
    for name, columns in tables.items():
        result.add(name, columns)
    return result, uuids
