"""What depends on a view, read before the view is dropped and created again after: grants, comments and
objects built on it.

Everything is read with only pg_catalog in the search path, so that every name in a definition has its schema.
"""

from collections.abc import Collection
from graphlib import TopologicalSorter
from typing import Any

import psycopg
from msgspec import Struct
from psycopg.sql import Literal

from predicat.deploy.names import VIEW_KINDS, InSchema, qualified

# Grantor, grantee (empty for PUBLIC), privilege, whether with grant option, and column (empty for the
# whole view).
Grant = tuple[str, str, str, bool, str]


class Granted(InSchema, frozen=True):
    """Something with an owner and grants."""

    owner: str
    granted: bool
    """Whether privileges were ever granted or revoked on it."""
    grants: frozenset[Grant]

    @property
    def target(self) -> str:
        """What is granted on, as SQL."""
        return self.sql


class Saved(Granted, frozen=True):
    """A view or materialized view with its grants, comments and objects built on it."""

    materialized: bool
    populated: bool
    options: tuple[str, ...]
    tablespace: str
    definition: str
    comments: frozenset[tuple[str, str, str]]
    """The kind of what is commented on (empty for the view itself), its name, and the comment."""
    parts: tuple[str, ...]
    """Statements that make its rules, triggers, defaults and indexes."""

    @property
    def kind(self) -> str:
        """The kind of view in SQL."""
        return VIEW_KINDS["m" if self.materialized else "v"]

    @property
    def shown(self) -> str:
        """The name in messages."""
        return f"{self.kind.lower()} {self.schema}.{self.name}"


class Closure(Struct, frozen=True):
    """Views and all views that depend on them: for each the views that it reads and that read it, other
    dependent objects, and the objects that cannot be created again.
    """

    reads: dict[int, set[int]]
    readers: dict[int, set[int]]
    others: dict[int, list[str]]
    fixed: dict[int, list[str]]

    @property
    def order(self) -> list[int]:
        """The views in an order in which each one follows the views that it reads."""
        return list(TopologicalSorter(self.reads).static_order())

    @property
    def heights(self) -> dict[int, int]:
        """The height of each view above the views that read no view."""
        result: dict[int, int] = {}
        for oid in self.order:
            result[oid] = max((result[read] + 1 for read in self.reads[oid]), default=0)
        return result

    def above(self, oids: Collection[int]) -> set[int]:
        """Some of the views, and those that depend on them."""
        result, todo = set(oids), list(oids)
        while todo:
            for reader in self.readers.get(todo.pop(), set()) - result:
                result.add(reader)
                todo.append(reader)
        return result


_DEPENDENTS = """
WITH sources AS (
  SELECT c.oid, c.reltype, t.typarray FROM pg_class c JOIN pg_type t ON t.oid = c.reltype
    WHERE c.oid = ANY (%s::bigint[]::oid[]))
SELECT DISTINCT s.oid::bigint, COALESCE(r.ev_class, 0)::bigint, pg_describe_object(d.classid, d.objid, 0)
FROM sources s JOIN pg_depend d ON (d.refclassid = 'pg_class'::regclass AND d.refobjid = s.oid)
  OR (d.refclassid = 'pg_type'::regclass AND d.refobjid IN (s.reltype, s.typarray))
LEFT JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid AND r.rulename = '_RETURN'
WHERE COALESCE(r.ev_class, 0) <> s.oid
AND NOT (d.classid = 'pg_type'::regclass AND d.objid IN (s.reltype, s.typarray))
AND NOT EXISTS (SELECT FROM pg_rewrite own WHERE d.classid = 'pg_rewrite'::regclass AND own.oid = d.objid
  AND own.ev_class = s.oid)
AND NOT EXISTS (SELECT FROM pg_trigger own WHERE d.classid = 'pg_trigger'::regclass AND own.oid = d.objid
  AND own.tgrelid = s.oid)
AND NOT EXISTS (SELECT FROM pg_attrdef own WHERE d.classid = 'pg_attrdef'::regclass AND own.oid = d.objid
  AND own.adrelid = s.oid)
AND NOT EXISTS (SELECT FROM pg_index own WHERE d.classid = 'pg_class'::regclass
  AND own.indexrelid = d.objid AND own.indrelid = s.oid)
AND NOT (d.classid = 'pg_class'::regclass AND d.deptype = 'i')
ORDER BY 1, 2, 3
"""
_FIXED = """
SELECT c.oid::bigint, what FROM pg_class c, LATERAL (
  SELECT 'a security label of ' || pg_describe_object('pg_class'::regclass, c.oid, l.objsubid)
    FROM pg_seclabel l
  WHERE l.classoid = 'pg_class'::regclass AND l.objoid = c.oid
  UNION ALL SELECT pg_describe_object(d.refclassid, d.refobjid, 0) || ', of which it is a part'
    FROM pg_depend d
  WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
  UNION ALL SELECT 'extended statistics ' || x.stxname FROM pg_statistic_ext x WHERE x.stxrelid = c.oid
  UNION ALL SELECT 'the rule ' || r.rulename || ', which is not enabled as usual' FROM pg_rewrite r
    WHERE r.ev_class = c.oid AND r.ev_enabled <> 'O'
  UNION ALL SELECT 'the trigger ' || t.tgname || ', which is not enabled as usual' FROM pg_trigger t
    WHERE t.tgrelid = c.oid AND t.tgenabled <> 'O'
) AS found (what) WHERE c.oid = ANY (%s::bigint[]::oid[])
"""


def closure(connection: psycopg.Connection, oids: Collection[int]) -> Closure:
    """Views and everything that depends on them, directly or indirectly."""
    reads: dict[int, set[int]] = {oid: set() for oid in oids}
    others: dict[int, list[str]] = {}
    fixed: dict[int, list[str]] = {}
    todo = list(oids)
    while todo:
        rows = connection.execute(_DEPENDENTS.encode(), (todo,)).fetchall()
        todo = []
        for source, view, what in rows:
            if not view:
                others.setdefault(int(source), []).append(str(what))
                continue
            if int(view) not in reads:
                todo.append(int(view))
            reads.setdefault(int(view), set()).add(int(source))
    for oid, what in connection.execute(_FIXED.encode(), (list(reads),)).fetchall():
        fixed.setdefault(int(oid), []).append(str(what))
    readers: dict[int, set[int]] = {}
    for reader, sources in reads.items():
        for source in sources:
            readers.setdefault(source, set()).add(reader)
    return Closure(reads, readers, others, fixed)


_SAVED = """
SELECT c.oid::bigint, n.nspname, c.relname, c.relkind = 'm', c.relispopulated, pg_get_userbyid(c.relowner),
  COALESCE(c.reloptions, '{}'),
  COALESCE((SELECT spcname FROM pg_tablespace WHERE oid = c.reltablespace), ''), pg_get_viewdef(c.oid),
    c.relacl IS NOT NULL OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attacl IS NOT NULL)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = ANY (%s::bigint[]::oid[])
"""
_GRANTS = """
SELECT c.oid::bigint, pg_get_userbyid(x.grantor), CASE x.grantee WHEN 0 THEN ''
  ELSE pg_get_userbyid(x.grantee) END, x.privilege_type, x.is_grantable, ''
FROM pg_class c, aclexplode(COALESCE(c.relacl, acldefault('r', c.relowner))) x
  WHERE c.oid = ANY (%(oids)s::bigint[]::oid[])
UNION ALL
SELECT a.attrelid::bigint, pg_get_userbyid(x.grantor), CASE x.grantee WHEN 0 THEN ''
  ELSE pg_get_userbyid(x.grantee) END, x.privilege_type, x.is_grantable,
  a.attname FROM pg_attribute a, aclexplode(a.attacl) x WHERE a.attrelid = ANY (%(oids)s::bigint[]::oid[])
    AND NOT a.attisdropped
"""
_COMMENTS = """
WITH given AS (SELECT oid FROM unnest(%s::bigint[]::oid[]) AS oid)
SELECT v.oid::bigint, CASE d.objsubid WHEN 0 THEN '' ELSE 'COLUMN' END, COALESCE(a.attname, ''), d.description
FROM given v JOIN pg_description d ON d.classoid = 'pg_class'::regclass AND d.objoid = v.oid
LEFT JOIN pg_attribute a ON a.attrelid = v.oid AND a.attnum = d.objsubid
UNION ALL SELECT v.oid::bigint, 'RULE', r.rulename, d.description FROM given v
  JOIN pg_rewrite r ON r.ev_class = v.oid
  JOIN pg_description d ON d.classoid = 'pg_rewrite'::regclass AND d.objoid = r.oid
UNION ALL SELECT v.oid::bigint, 'TRIGGER', t.tgname, d.description FROM given v
  JOIN pg_trigger t ON t.tgrelid = v.oid
  JOIN pg_description d ON d.classoid = 'pg_trigger'::regclass AND d.objoid = t.oid
UNION ALL SELECT v.oid::bigint, 'INDEX', i.relname, d.description FROM given v
  JOIN pg_index x ON x.indrelid = v.oid
  JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_description d ON d.classoid = 'pg_class'::regclass
    AND d.objoid = i.oid
"""
_PARTS = """
WITH named AS (
  SELECT c.oid, c.relkind, format('%%I.%%I', n.nspname, c.relname) AS name FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.oid = ANY (%s::bigint[]::oid[]))
SELECT v.oid::bigint, 1, format('ALTER VIEW %%s ALTER COLUMN %%I SET DEFAULT %%s', v.name, a.attname,
  pg_get_expr(d.adbin, d.adrelid)) FROM named v
  JOIN pg_attrdef d ON d.adrelid = v.oid JOIN pg_attribute a ON a.attrelid = v.oid AND a.attnum = d.adnum
UNION ALL SELECT v.oid::bigint, 2, rtrim(pg_get_ruledef(r.oid), ';') FROM named v
  JOIN pg_rewrite r ON r.ev_class = v.oid AND r.rulename <> '_RETURN'
UNION ALL SELECT v.oid::bigint, 3, pg_get_triggerdef(t.oid) FROM named v
  JOIN pg_trigger t ON t.tgrelid = v.oid AND NOT t.tgisinternal
UNION ALL SELECT v.oid::bigint, 4, pg_get_indexdef(x.indexrelid) FROM named v
  JOIN pg_index x ON x.indrelid = v.oid
UNION ALL SELECT v.oid::bigint, 5, format('ALTER MATERIALIZED VIEW %%s CLUSTER ON %%I', v.name, i.relname)
  FROM named v
  JOIN pg_index x ON x.indrelid = v.oid AND x.indisclustered JOIN pg_class i ON i.oid = x.indexrelid
UNION ALL SELECT v.oid::bigint, 6, format('ALTER MATERIALIZED VIEW %%s ALTER COLUMN %%I SET STATISTICS %%s',
  v.name, a.attname, a.attstattarget) FROM named v
  JOIN pg_attribute a ON a.attrelid = v.oid AND a.attnum > 0 AND a.attstattarget >= 0 AND v.relkind = 'm'
ORDER BY 1, 2, 3
"""


def save(connection: psycopg.Connection, oids: Collection[int]) -> dict[int, Saved]:
    """Everything that has to be created again for views, by OID."""
    wanted = list(oids)
    grants, comments, parts = (
        _by_view(connection, query, arguments)
        for query, arguments in ((_GRANTS, {"oids": wanted}), (_COMMENTS, (wanted,)), (_PARTS, (wanted,)))
    )
    result: dict[int, Saved] = {}
    for row in connection.execute(_SAVED.encode(), (wanted,)).fetchall():
        oid, schema, name, materialized, populated, owner, options, tablespace, definition, granted = row
        result[int(oid)] = Saved(
            str(schema),
            str(name),
            str(owner),
            bool(granted),
            frozenset(grants.get(oid, ())),
            bool(materialized),
            bool(populated),
            tuple(map(str, options)),
            str(tablespace),
            str(definition).rstrip(";"),
            frozenset(comments.get(oid, ())),
            tuple(str(part) for _, part in parts.get(oid, ())),
        )
    return result


def _by_view(connection: psycopg.Connection, query: str, arguments: Any) -> dict[int, list[Any]]:
    result: dict[int, list[Any]] = {}
    for oid, *rest in connection.execute(query.encode(), arguments).fetchall():
        result.setdefault(int(oid), []).append(tuple(rest))
    return result


def create(saved: Saved, role: str) -> list[str]:
    """The statements that create a dependent view, with its owner and its content.

    A materialized view is filled as its owner, after it has one: its query is that owner's code.
    """
    options = f" WITH ({', '.join(saved.options)})" if saved.options else ""
    statement = (
        f"CREATE {saved.kind} {saved.sql}{options}{tablespace(saved)} AS "
        f"{saved.definition}{' WITH NO DATA' if saved.materialized else ''}"
    )
    filled = [f"REFRESH MATERIALIZED VIEW {saved.sql}"] if saved.materialized and saved.populated else []
    return [statement, *owner_statements(saved, role), *filled]


def owner_statements(saved: Saved, role: str) -> list[str]:
    """The statements that set the owner of a new view, if it is not the current role."""
    return [f"ALTER {saved.kind} {saved.sql} OWNER TO {quoted(saved.owner)}"] if saved.owner != role else []


def parts_statements(connection: psycopg.Connection, saved: Saved) -> list[str]:
    """The statements for the objects and comments of a view."""
    comments = [
        f"COMMENT ON {_named(saved, kind, name)} IS {literal(connection, text)}"
        for kind, name, text in sorted(saved.comments)
    ]
    return [*saved.parts, *comments]


def _named(saved: Saved, kind: str, name: str) -> str:
    match kind:
        case "":
            return f"{saved.kind} {saved.sql}"
        case "COLUMN":
            return f"COLUMN {saved.sql}.{quoted(name)}"
        case "INDEX":
            return f"INDEX {qualified(saved.schema, name)}"
        case _:
            return f"{kind} {quoted(name)} ON {saved.sql}"


def grant_statements(saved: Granted, role: str) -> list[str]:
    """GRANT statements in an order in which each grantor may grant. Grants of other grantors than the owner
    are made in their name.
    """
    out: list[str] = []
    todo = sorted(saved.grants)
    able = {(saved.owner, "", "")}
    while todo:
        ready = [
            grant
            for grant in todo
            if grant[0] == saved.owner or {(grant[0], grant[2], ""), (grant[0], grant[2], grant[4])} & able
        ]
        if not ready:
            break  # a chain that begins nowhere; what is missing afterwards is told
        for grant in ready:
            todo.remove(grant)
            out += _grant(saved, grant, role)
            able |= {(grant[1], grant[2], grant[4])} if grant[3] else set()
    return out


def _grant(saved: Granted, grant: Grant, role: str) -> list[str]:
    grantor, grantee, privilege, grantable, column = grant
    what = f"{privilege} ({quoted(column)})" if column else privilege
    option = " WITH GRANT OPTION" if grantable and grantee != saved.owner else ""
    statement = f"GRANT {what} ON {saved.target} TO {quoted(grantee) if grantee else 'PUBLIC'}{option}"
    return (
        [statement]
        if grantor == saved.owner
        else [f"SET LOCAL ROLE {quoted(grantor)}", statement, f"SET LOCAL ROLE {quoted(role)}"]
    )


def revoke_statements(saved: Granted) -> list[str]:
    """REVOKE statements for everything that something new was granted, as by default privileges."""
    grantees = sorted({grant[1] for grant in saved.grants})
    return [
        f"REVOKE ALL ON {saved.target} FROM {quoted(grantee) if grantee else 'PUBLIC'}"
        for grantee in grantees
    ]


def regrant_statements(saved: Saved, role: str) -> list[str]:
    """The statements that give a new view the grants that it had, and no others."""
    return [*revoke_statements(saved), *grant_statements(saved, role)] if saved.granted else []


def parts_besides(saved: Saved, index: str) -> tuple[str, ...]:
    """The statements that make the objects of a view, but for its index of this name."""
    ours = tuple(f"CREATE UNIQUE INDEX {name} ON " for name in (index, quoted(index)))
    return tuple(part for part in saved.parts if not part.startswith(ours))


def tablespace(saved: Saved) -> str:
    """Where a view is stored, as CREATE says it."""
    return f" TABLESPACE {quoted(saved.tablespace)}" if saved.tablespace else ""


def without(saved: Saved, columns: Collection[str]) -> list[str]:
    """The objects that depend on columns that a view loses."""
    lost = [
        f"{grant[2]} ({grant[4]}) of {grant[1] or 'PUBLIC'}" for grant in saved.grants if grant[4] in columns
    ]
    return sorted(
        {
            *lost,
            *(
                f"the comment on the column {name}"
                for kind, name, _ in saved.comments
                if kind == "COLUMN" and name in columns
            ),
        }
    )


def missing(before: Saved, after: Saved) -> list[str]:
    """What a dependent view had before and lacks now."""
    lost = missing_around(before, after)
    lost += [f"its query, which is now {after.definition}"] if before.definition != after.definition else []
    return lost + (["its options"] if before.options != after.options else [])


def missing_around(before: Saved, after: Saved) -> list[str]:
    """Grants, comments and objects of a view that are missing now."""
    lost = [
        f"{privilege}{f' ({column})' if column else ''} of {grantee or 'PUBLIC'}, granted by {grantor}"
        for grantor, grantee, privilege, _, column in sorted(before.grants ^ after.grants)
    ]
    lost += [
        f"the comment on {kind.lower()} {name}"
        for kind, name, _ in sorted(before.comments - after.comments)
        if kind
    ]
    lost += [part for part in before.parts if part not in after.parts]
    return lost + ([f"the owner {before.owner}"] if before.owner != after.owner else [])


def quoted(name: str) -> str:
    """A name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(connection: psycopg.Connection, text: str) -> str:
    """A string as a SQL literal."""
    return Literal(text).as_string(connection).strip()
