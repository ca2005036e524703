"""A function for each filter that asks for one: `schema.dataset__filter(relation) RETURNS boolean`.

With it, partial indexes, policies and queries of others can use a filter: the planner puts its SQL in the
place of the call. The body is what this server makes of the SQL of the filter, with every name resolved.
It is compared with that: in another version of PostgreSQL nothing seems to be changed.

An index keeps what its expression was when it was built. So a function with another meaning is refused while
something stored depends on it.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import psycopg
from msgspec import Struct, field
from msgspec.structs import replace

from predicat.deploy import dependents, marks
from predicat.deploy.definitions import made_of
from predicat.deploy.dependents import Granted, literal, quoted
from predicat.deploy.inventory import TRUSTED
from predicat.deploy.names import qualified
from predicat.deploy.views import View
from predicat.diagnostics import Reporter
from predicat.diagnostics.messages import deploy as say

# Schema, name, and the relation whose rows it takes.
Key = tuple[str, str, int]
_ROW = "predicat_row"
_MARK = re.compile(r"^(?:predicat: [^\n]*\n)?\[predicat-filter/1 [^\]\n]*\]", re.MULTILINE)


class Made(Struct, frozen=True):
    """What the server makes of the SQL of a filter, as text and as it stores a function; its properties are
    those of pg_proc.
    """

    body: str
    volatility: str
    parallel: str
    stored: str


class Existing(Granted, frozen=True):
    """A function with the name or the mark of one. `kept` are indexes and the like that store its values,
    `needed` all that depends on it.
    """

    relation: int
    argument: str
    comment: str
    trusted: bool
    body: str
    volatility: str
    parallel: str
    kept: tuple[str, ...]
    needed: tuple[str, ...]

    @property
    def sql(self) -> str:
        """The function in SQL, with the type of its argument."""
        return f"{qualified(self.schema, self.name)}({self.argument})"

    @property
    def target(self) -> str:
        """What is granted on, as SQL."""
        return f"FUNCTION {self.sql}"


class FunctionPlan(Struct):
    """What is to be done: statements with the name of their function, and a line for people."""

    steps: Sequence[tuple[str, str, Sequence[str]]] = field(default_factory=list[tuple[str, str, list[str]]])

    def lines(self) -> Iterator[str]:
        """The changes, one per line."""
        return (f"{action} function {name}" for action, name, _ in self.steps)

    def statements(self) -> Iterator[tuple[str, str]]:
        """The statements, each with the name of its function."""
        return ((name, statement) for _, name, made in self.steps for statement in made)


_THERE = f"""
WITH trusted AS ({TRUSTED})
SELECT n.nspname, p.proname, pg_get_userbyid(p.proowner), p.proacl IS NOT NULL,
  ARRAY(SELECT ARRAY[pg_get_userbyid(x.grantor)::text, CASE x.grantee WHEN 0 THEN ''
    ELSE pg_get_userbyid(x.grantee)::text END, x.privilege_type, x.is_grantable::text]
    FROM aclexplode(COALESCE(p.proacl, acldefault('f', p.proowner))) x),
  t.typrelid::bigint, format_type(t.oid, NULL),
  COALESCE(obj_description(p.oid, 'pg_proc'), ''), p.proowner IN (SELECT oid FROM trusted),
  COALESCE(pg_get_function_sqlbody(p.oid), p.prosrc), p.provolatile::text, p.proparallel::text,
  ARRAY(SELECT pg_describe_object(d.classid, d.objid, d.objsubid) FROM pg_depend d
    WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid AND d.classid IN
    ('pg_class'::regclass, 'pg_constraint'::regclass, 'pg_attrdef'::regclass, 'pg_statistic_ext'::regclass)),
  ARRAY(SELECT pg_describe_object(d.classid, d.objid, d.objsubid) FROM pg_depend d
    WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid AND d.deptype <> 'i')
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_type t ON t.oid = p.proargtypes[0]
WHERE p.pronargs = 1 AND p.prokind = 'f' AND t.typrelid <> 0
AND ((n.nspname::text, p.proname::text) IN (SELECT * FROM unnest(%(schemas)s::text[], %(names)s::text[]))
  OR strpos(COALESCE(obj_description(p.oid, 'pg_proc'), ''), %(mark)s::text) > 0)
"""

# The body of a function, and whether a parallel worker may evaluate it: every function in it, and those that
# read and write its types, are known to be safe, as PostgreSQL asks before it plans a query.
_STORED = r"""
SELECT pg_get_function_sqlbody(p.oid), strpos(p.prosqlbody::text, 'COERCETODOMAIN') = 0 AND NOT EXISTS (
  SELECT FROM pg_proc f WHERE f.proparallel <> 's' AND f.oid IN (
    SELECT m[1]::oid FROM regexp_matches(p.prosqlbody::text, ':(?:op|hash|neg)?funcid (\d+)', 'g') AS m
    UNION SELECT unnest(ARRAY[t.typinput, t.typoutput]::oid[]) FROM pg_type t
      JOIN regexp_matches(p.prosqlbody::text, ':\w*type (\d+)', 'g') AS m ON t.oid = m[1]::oid))
FROM pg_proc p WHERE p.oid = {}::regproc
"""


def mark(catalog: str) -> str:
    """The beginning of the mark in the comments of the functions of a catalog."""
    return f"[predicat-filter/1 catalog={catalog} "


def read(
    connection: psycopg.Connection, catalog: str, views: Sequence[View], relations: Collection[int]
) -> dict[Key, Existing]:
    """The functions of one row with the names of these views, or with the mark of the catalog."""
    arguments = {
        "schemas": [view.schema for view in views],
        "names": [view.name for view in views],
        "mark": mark(catalog),
        "relations": list(relations),
    }
    rows = connection.execute(_THERE.encode(), arguments).fetchall()
    found = [_existing(*row) for row in rows]
    return {(one.schema, one.name, one.relation): one for one in found}


def _existing(
    schema: str, name: str, owner: str, granted: bool, grants: Sequence[Sequence[str]], *row: Any
) -> Existing:
    relation, argument, comment, trusted, body, volatility, parallel, kept, needed = row
    given = frozenset((one, other, what, grantable == "true", "") for one, other, what, grantable in grants)
    more = int(relation), argument, comment, trusted, body, volatility, parallel, tuple(kept), tuple(needed)
    return Existing(schema, name, owner, granted, given, *more)


def plan(
    connection: psycopg.Connection,
    catalog: str,
    views: Sequence[View],
    relations: Mapping[int, str],
    schemas: Collection[str],
    *,
    force: bool = False,
) -> FunctionPlan:
    """What the functions of some views need. Raises PredicatError for functions of others, for changes by
    hand without `force`, and for what depends on a function that changes or goes.
    """
    reporter = Reporter()
    wanted = {(view.schema, view.name, view.relation): view for view in views if view.function}
    there = read(connection, catalog, list(wanted.values()), relations)
    steps: list[tuple[str, str, list[str]]] = []
    for key, view in wanted.items():
        present, row = there.get(key), relations[view.relation]
        made = make(connection, view, row)
        shown = f"{view.shown}({row})"
        if present is not None:
            if not present.trusted or mark(catalog) not in present.comment:
                reporter.add(say.function_of_others(shown))
                continue
            same = (present.body, present.volatility) == (made.stored, made.volatility)
            if same and present.parallel == made.parallel:
                continue
            if f"hash={view.function_hash}]" in present.comment and not (same or force):
                reporter.add(say.function_edited(shown))
            if present.kept and not same:
                reporter.add(say.function_is_stored(shown, present.kept))
        comment = "" if present is None else present.comment
        statements = create(connection, catalog, view, row, made, comment)
        steps.append(("create" if present is None else "replace", shown, statements))
    for key, present in there.items():
        if (
            key not in wanted
            and mark(catalog) in present.comment
            and present.trusted
            and present.schema in schemas
        ):
            if present.needed:
                reporter.add(say.function_needed(present.shown, present.needed))
            steps.append(("drop", present.shown, [f"DROP FUNCTION {present.sql}"]))
    reporter.raise_errors()
    return FunctionPlan(steps)


def make(connection: psycopg.Connection, view: View, relation: str) -> Made:
    """What the server makes of the function of a view. Nothing stays."""
    with connection.transaction(force_rollback=True):
        text = made_of(connection, view.function)
        body = text[text.index("SELECT ") + 7 : text.rindex(" AS predicat_value\n")]
        volatility = "i" if is_immutable(connection, relation, body) else "s"
        made = Made(body, volatility, "u", "")
        connection.execute(_function("pg_temp", view.name, relation, made).encode())
        function = literal(connection, f"pg_temp.{quoted(view.name)}")
        ((stored, is_safe),) = connection.execute(_STORED.format(function).encode()).fetchall()
    return replace(made, parallel="s" if is_safe else "u", stored=str(stored))


def is_immutable(connection: psycopg.Connection, relation: str, body: str) -> bool:
    """Whether the server lets an index use an expression."""
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(f"CREATE TEMPORARY TABLE {_ROW} (LIKE {relation})".encode())
            connection.execute(f"CREATE INDEX ON pg_temp.{_ROW} (({body}))".encode())
            return True
    except (psycopg.errors.InvalidObjectDefinition, psycopg.errors.FeatureNotSupported):
        return False


def _function(schema: str, name: str, relation: str, made: Made) -> str:
    words = {"i": "IMMUTABLE", "s": "STABLE"}[made.volatility], {"s": "SAFE", "u": "UNSAFE"}[made.parallel]
    head = f"CREATE OR REPLACE FUNCTION {qualified(schema, name)}({_ROW} {relation}) RETURNS boolean"
    return f"{head} LANGUAGE sql {words[0]} PARALLEL {words[1]} RETURN {made.body}"


def create(
    connection: psycopg.Connection, catalog: str, view: View, relation: str, made: Made, comment: str
) -> list[str]:
    """The statements that create or replace the function of a view; text of others in its comment stays."""
    made_of = f"filter={view.mark.dataset}.{view.mark.filter} hash={view.function_hash}]"
    text = marks.placed(comment, view.note, f"{mark(catalog)}{made_of}", _MARK)
    return [
        _function(view.schema, view.name, relation, made),
        f"COMMENT ON FUNCTION {view.sql}({relation}) IS {literal(connection, text)}",
    ]


def on_relation(connection: psycopg.Connection, catalog: str, relation: int) -> dict[Key, Existing]:
    """The functions of a catalog on one relation."""
    found = read(connection, catalog, [], [relation])
    return {key: one for key, one in found.items() if one.trusted and one.relation == relation}


def restore(
    connection: psycopg.Connection, catalog: str, before: Mapping[Key, Existing], role: str
) -> Iterator[tuple[str, str]]:
    """The statements that give functions that were dropped and created again their owners, grants and
    comments, each with the name of the function. Each is executed before the next one is asked for.
    """
    for was, now in _pairs(connection, catalog, before):
        if was.owner != now.owner:
            yield now.shown, f"ALTER {now.target} OWNER TO {quoted(was.owner)}"
    for was, now in _pairs(connection, catalog, before):
        if was.grants != now.grants:
            statements = [*dependents.revoke_statements(now), *dependents.grant_statements(was, role)]
            yield from ((now.shown, statement) for statement in statements)
        if (there := _MARK.search(was.comment)) and (new := _MARK.search(now.comment)):
            text = was.comment[: there.start()] + new[0] + was.comment[there.end() :]
            yield now.shown, f"COMMENT ON {now.target} IS {literal(connection, text)}"


def _pairs(
    connection: psycopg.Connection, catalog: str, before: Mapping[Key, Existing]
) -> list[tuple[Existing, Existing]]:
    now = read(connection, catalog, [], {key[2] for key in before})
    return [(was, now[key]) for key, was in before.items() if key in now]
