"""The objects in a database with the names of a catalog's views, and the views with its mark."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import psycopg

from predicat.deploy import marks
from predicat.deploy.names import KEY_INDEX, VIEW_KINDS, InSchema
from predicat.deploy.relations import IDENTITY

TRUE = ("true", "on", "yes", "1")


class Existing(InSchema, frozen=True):
    """An object with the name or the mark of a view. `kind` is as in pg_class: v is a view, m a
    materialized one.

    `rule` is the fingerprint of the parsed query and the column names, `columns` are names with the
    identities of their types, `reads` the OIDs of what it reads, `key` the columns of the unique index that
    a materialized view has on its key.
    """

    oid: int
    kind: str
    owner: str
    trusted: bool
    comment: str
    options: Mapping[str, str]
    columns: tuple[tuple[str, str], ...]
    rule: str
    reads: frozenset[int]
    key: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        """The kind of view in SQL."""
        return VIEW_KINDS[self.kind]

    @property
    def mark(self) -> marks.Mark | None:
        """Predicat's mark in the comment; None if there is none."""
        return marks.read(self.comment)

    def switch(self, option: str) -> bool | None:
        """A security option; None if it is not set."""
        value = self.options.get(option)
        return None if value is None else value.lower() in TRUE


# This role, those that it is a member of, and superusers.
OWN_ROLES = """
WITH RECURSIVE mine (oid) AS (
  SELECT oid FROM pg_roles WHERE rolname = current_user UNION SELECT m.roleid FROM pg_auth_members m
    JOIN mine ON m.member = mine.oid)
SELECT oid FROM mine UNION SELECT oid FROM pg_roles WHERE rolsuper
"""
# The roles whose views may be ours: `OWN_ROLES`, and the owners of the relations and schemas.
#
# Any other role could have written a mark on a view of its own.
TRUSTED = f"""{OWN_ROLES}
UNION SELECT relowner FROM pg_class WHERE oid = ANY (%(relations)s::bigint[]::oid[])
UNION SELECT nspowner FROM pg_namespace WHERE nspname = ANY (%(schemas)s::text[])
"""
# A condition for objects with these names in these schemas.
AT_PLACES = (
    "(n.nspname::text, c.relname::text) IN (SELECT * FROM unnest(%(schemas)s::text[], %(names)s::text[]))"
)
_VIEWS = f"""
WITH trusted AS ({TRUSTED})
SELECT c.oid::bigint, n.nspname, c.relname, c.relkind::text, pg_get_userbyid(c.relowner),
  c.relowner IN (SELECT oid FROM trusted),
  COALESCE(d.description, ''), COALESCE(c.reloptions, '{{}}'),
  ARRAY(SELECT ARRAY[a.attname::text, {IDENTITY}] FROM pg_attribute a WHERE a.attrelid = c.oid
    AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum),
  (SELECT encode(sha256(convert_to(r.ev_action::text, 'UTF8')), 'hex') FROM pg_rewrite r
    WHERE r.ev_class = c.oid AND r.rulename = '_RETURN'),
  ARRAY(SELECT d.refobjid::bigint FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass
    AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass WHERE r.ev_class = c.oid),
  ARRAY(SELECT a.attname::text FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid,
      unnest(x.indkey) WITH ORDINALITY AS k (number, place)
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
    WHERE x.indrelid = c.oid AND c.relkind = 'm' AND i.relname = c.relname || '{KEY_INDEX}'
    AND x.indisunique AND x.indisvalid AND x.indpred IS NULL AND x.indexprs IS NULL ORDER BY k.place)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_description d ON d.classoid = 'pg_class'::regclass AND d.objoid = c.oid AND d.objsubid = 0
WHERE {AT_PLACES}
OR c.relkind IN ('v', 'm') AND %(mark)s::text IS NOT NULL AND (strpos(d.description, %(mark)s::text) > 0
  OR starts_with(d.description, 'predicat: '))
"""


def read(
    connection: psycopg.Connection,
    catalog: str,
    places: Collection[tuple[str, str]],
    relations: Iterable[int],
) -> list[Existing]:
    """The objects with the given names (schema and name) and, if a catalog is named, the views with its mark
    or with the comment of the edition before marks.
    """
    schemas, names = [place[0] for place in places], [place[1] for place in places]
    arguments = {
        "schemas": schemas,
        "names": names,
        "mark": marks.prefix(catalog) if catalog else None,
        "relations": list(relations),
    }
    return [_existing(row) for row in connection.execute(_VIEWS.encode(), arguments).fetchall()]


def _existing(row: tuple[Any, ...]) -> Existing:
    oid, schema, name, kind, owner, trusted, comment, options, columns, rule, reads, key = row
    known = tuple((str(column), str(identity)) for column, identity in columns)
    fingerprint = marks.digest(rule, [column for column, _ in known]) if rule else ""
    pairs: dict[str, str] = {
        key: value for key, _, value in (str(option).partition("=") for option in options)
    }
    return Existing(
        str(schema),
        str(name),
        int(oid),
        str(kind),
        str(owner),
        bool(trusted),
        str(comment),
        pairs,
        known,
        fingerprint,
        frozenset(map(int, reads)),
        tuple(map(str, key)),
    )
