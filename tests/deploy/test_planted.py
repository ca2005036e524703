"""Functions and operators that others plant are never called by views: all that the back end can emit, for
all types.

Each planted one raises an error. They stand in `public` and in a schema that is first on the search path of
whoever applies and reads.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import predicat
from predicat import backends
from predicat.deploy import deployment
from predicat.deploy.rows import TABLE, fill_postgres
from predicat.deploy.sessions import guarded
from predicat.diagnostics import Unsupported
from predicat.ir.nodes import FieldDecl
from tests.engines.test_operators import EXAMPLES, build

_CALL = re.compile(r"\b([A-Za-z_][A-Za-z0-9_]*)\(")
_OPERATORS = (
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "||",
    "~",
    "~~",
    "->",
    "->>",
    "#>>",
    "?",
    "@>",
)
# Types that a column or a constant may have in the place of another: a function that takes it exactly is
# preferred.
_ALIKE = {
    "text": ("text", "varchar", "bpchar"),
    "float8": ("float8", "float4", "int4", "numeric"),
    "int8": ("int8", "int4", "int2", "numeric"),
    "numeric": ("numeric", "int4"),
    "int4": ("int4", "int2", "int8"),
}
_SCHEMAS = ("public", "evil")


def emitted() -> tuple[list[str], dict[str, FieldDecl], dict[str, Any]]:
    """The SQL of every example of every operator, with its fields and values."""
    fields: dict[str, FieldDecl] = {}
    values: dict[str, Any] = {}
    sql: list[str] = []
    for number, (row, args, _) in enumerate(EXAMPLES):
        node, more, data = build(row, args, f"c{number}", columns=True)
        try:
            sql.append(backends.dialect("postgres").render(node))
        except Unsupported:
            continue
        fields |= more
        values |= data
    return sql, fields, values


def plant(db: Any, names: set[str]) -> int:
    """Functions and operators with the names and signatures of PostgreSQL's own, and with similar types;
    how many.
    """
    own = db.execute(
        """SELECT p.proname, ARRAY(SELECT format_type(t, NULL)
          FROM unnest(p.proargtypes) AS t), format_type(p.prorettype, NULL), p.proretset
        FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname = ANY (%s)
          AND p.prokind = 'f' AND p.provariadic = 0""",
        (list(names),),
    ).fetchall()
    binary = db.execute(
        """SELECT oprname, format_type(oprleft, NULL), format_type(oprright, NULL), format_type(oprresult,
          NULL) FROM pg_operator
        WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprname = ANY (%s) AND oprkind = 'b'""",
        (list(_OPERATORS),),
    ).fetchall()
    statements: dict[str, None] = {}
    for schema in _SCHEMAS:
        for name, args, result, several in own:
            for kinds in _variants([_short(kind) for kind in args]):
                statements[_function(schema, name, kinds, _short(result), several)] = None
        for number, (name, left, right, result) in enumerate(binary):
            for kinds in _variants([_short(left), _short(right)]):
                function = f"op{number}"
                statements[_function(schema, function, kinds, _short(result), False)] = None
                statements[
                    (
                        f"CREATE OPERATOR {schema}.{name} (LEFTARG = {kinds[0]}, RIGHTARG = {kinds[1]}, "
                        f"FUNCTION = {schema}.{function})"
                    )
                ] = None
    wanted = [
        statement
        for statement in statements
        if not re.search(r"\b(internal|cstring|any|record|trigger)\b|any\w+", statement)
    ]
    db.execute(
        "DO $do$ DECLARE s text; BEGIN FOREACH s IN ARRAY current_setting('predicat.plants')::text[] LOOP "
        "BEGIN EXECUTE s; EXCEPTION WHEN duplicate_function OR undefined_function OR syntax_error THEN "
        "NULL; END; END LOOP; END $do$"
        if db.execute("SELECT set_config('predicat.plants', %s::text[]::text, false)", (wanted,))
        else ""
    )
    planted = (
        "SELECT count(*) FROM pg_proc WHERE pronamespace::regnamespace::text = ANY (%s) AND prosrc LIKE "
        "'%%planted%%'"
    )
    return int(db.execute(planted, (list(_SCHEMAS),)).fetchone()[0])


def _short(kind: str) -> str:
    return {
        "double precision": "float8",
        "bigint": "int8",
        "integer": "int4",
        "smallint": "int2",
        "real": "float4",
        "character varying": "varchar",
        "character": "bpchar",
        '"char"': '"char"',
    }.get(kind, kind)


def _variants(kinds: list[str]) -> list[list[str]]:
    """The signature, the one with each type in another form, and the ones with one of the types in another
    form.
    """
    out = [kinds]
    for place, kind in enumerate(kinds):
        out += [[*kinds[:place], other, *kinds[place + 1 :]] for other in _ALIKE.get(kind, ())]
    out += [[_ALIKE.get(kind, (kind, kind))[1] for kind in kinds]]
    return out


def _function(schema: str, name: str, kinds: list[str], result: str, several: bool) -> str:
    return (
        f'CREATE FUNCTION {schema}."{name}"({", ".join(kinds)}) RETURNS '
        f"{'SETOF ' if several else ''}{result} LANGUAGE plpgsql "
        "AS 'BEGIN RAISE EXCEPTION ''planted''; END'"
    )


@pytest.fixture(scope="module")
def planted(postgres: Any) -> Iterator[Any]:
    from predicat.deploy.server import connect  # a connection of its own: its search path is hostile

    postgres.execute("CREATE DATABASE planted")
    dsn = psycopg.conninfo.make_conninfo(
        postgres.info.dsn, dbname="planted", password=postgres.info.password or ""
    )
    with connect(dsn, Path("unused")) as db:
        db.autocommit = True
        sql, _, _ = emitted()
        names = {name.lower() for text in sql for name in _CALL.findall(text)}
        assert {"lower", "btrim", "jsonb_typeof", "regexp_replace", "to_timestamp"} <= names
        db.execute("CREATE SCHEMA evil")
        assert plant(db, names) > 1000
        db.execute("SET search_path = evil, public")
        with pytest.raises(psycopg.errors.RaiseException, match="planted"):
            db.execute("SELECT lower('A'::varchar)")
        with pytest.raises(psycopg.errors.RaiseException, match="planted"):
            db.execute("SELECT 1::float8 > 0")
        yield db
    postgres.execute("DROP DATABASE planted")


def test_a_view_of_every_operator_calls_none(planted: Any) -> None:
    sql, fields, values = emitted()
    planted.execute("SET search_path = pg_catalog")
    fill_postgres(planted, list(fields.values()), [values])
    for decl in fields.values():  # as columns often are
        if str(decl.type) == "string":
            planted.execute(f"ALTER TABLE pg_temp.{TABLE} ALTER COLUMN {decl.name} TYPE varchar(99)")
    planted.execute("SET search_path = evil, public")
    expressions = ", ".join(f"{text} AS x{number}" for number, text in enumerate(sql))
    with guarded(planted):
        planted.execute(
            f"CREATE TEMPORARY VIEW all_operators AS SELECT {expressions} FROM pg_temp.{TABLE}".encode()
        )
    assert len(planted.execute("SELECT * FROM all_operators").fetchone()) == len(sql) > 150
    planted.execute("DROP VIEW all_operators")


CATALOG = """\
apiVersion: predicat/v1
dataset: people
relation: {postgres: public.people}
fields: {name: string, age: bigint, weight: double, born: timestamp, tags: "array<string>",
  headers: "map<string, string>"}
filters:
  lower: {sql: lower(name) = 'ann' AND name LIKE 'A%' AND name || 'x' > 'A' AND name RLIKE 'n+'}
  numbers: {sql: "age + 1 > 2 AND weight > 3 AND abs(weight - 1) < 70 AND age IN (1, 30)"}
  times: {sql: "born > TIMESTAMP '2000-01-01 00:00:00' AND year(born) = 2001"}
  header: {headers: {headerEquals: {type: order}}}
  tag: {cel: '"a" in tags && tags.exists(t, t.startsWith("a"))'}
"""


@pytest.mark.parametrize("path", ["evil, public", "public", "evil, pg_catalog"])
def test_apply_and_readers_call_none(planted: Any, tmp_path: Path, path: str) -> None:
    (tmp_path / "c.yml").write_text(CATALOG)
    catalog = predicat.load_catalog(tmp_path)
    planted.execute(f"SET search_path = {path}")
    planted.execute(
        "CREATE TABLE public.people (name varchar(20), age int, weight real, born timestamptz, tags "
        "varchar[], headers jsonb)"
    )
    planted.execute(
        """INSERT INTO public.people
        VALUES ('Ann', 30, 60, '2001-01-01 12:00+00', '{a}', '{"type": "order"}')"""
    )
    try:
        deployment.apply(catalog, planted, "planted")
        for row in catalog.filters():
            assert planted.execute(
                f"SELECT count(*) OPERATOR(pg_catalog.=) 1 FROM public.{row.view}"
            ).fetchone()[0], row.name
        assert deployment.apply(catalog, planted, "planted").changes == []
    finally:
        planted.execute("DROP TABLE public.people CASCADE")


def test_sql_in_a_session_of_your_own_means_what_its_search_path_says(planted: Any) -> None:
    """The limit: where pg_catalog comes first and alone, nothing that is planted is found."""
    sql, fields, values = emitted()
    planted.execute("SET search_path = pg_catalog")
    fill_postgres(planted, list(fields.values()), [values])
    assert planted.execute(f"SELECT {', '.join(sql)} FROM pg_temp.{TABLE}").fetchone()
    planted.execute("SET search_path = evil, public")
    with pytest.raises(psycopg.errors.RaiseException, match="planted"):
        planted.execute(
            f"SELECT {predicat.parse('x > 1.5', 'sql', {'x': 'double'}).sql('postgres')} FROM (SELECT "
            "1::float4 AS x) AS t"
        )
