"""What PostgreSQL knows of a table beside its columns: comments, and keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from predicat.diagnostics.wording import one_line

if TYPE_CHECKING:
    import psycopg


class Comments(Struct, frozen=True):
    """The comment of a table, what its columns are about (a comment, or the table that they refer to), and
    the columns of its primary key.
    """

    table: str
    columns: Mapping[str, str]
    key: Sequence[str]


_COMMENTS = """
SELECT a.attname, pg_catalog.col_description(a.attrelid, a.attnum), (
  SELECT f.confrelid::pg_catalog.regclass::text || ', ' || r.attname FROM pg_catalog.pg_constraint f
  JOIN pg_catalog.pg_attribute r ON r.attrelid = f.confrelid AND r.attnum = f.confkey[1]
  WHERE f.conrelid = a.attrelid AND f.contype = 'f' AND f.conkey = ARRAY[a.attnum] ORDER BY f.oid LIMIT 1)
FROM pg_catalog.pg_attribute a WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped
"""
_KEY = """
SELECT a.attname FROM pg_catalog.pg_constraint c, unnest(c.conkey) WITH ORDINALITY AS k (attnum, place)
JOIN pg_catalog.pg_attribute a USING (attnum)
WHERE c.conrelid = %s AND c.contype = 'p' AND a.attrelid = c.conrelid ORDER BY k.place
"""


def read(connection: psycopg.Connection, oid: int) -> Comments:
    """The comments and keys of a table."""
    found = connection.execute(b"SELECT pg_catalog.obj_description(%s, 'pg_class')", (oid,)).fetchone()
    columns: dict[str, str] = {}
    for name, comment, target in connection.execute(_COMMENTS.encode(), (oid,)).fetchall():
        if comment or target:
            refers = "Refers to {}({}).".format(*target.split(", ")) if target else ""
            columns[str(name)] = one_line(comment) if comment else refers
    key = [str(row[0]) for row in connection.execute(_KEY.encode(), (oid,)).fetchall()]
    return Comments(one_line((found or ("",))[0] or ""), columns, key)
