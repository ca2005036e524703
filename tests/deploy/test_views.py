"""`predicat apply` loses nothing of the user's, touches only what is its own, and says what it does."""

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.deploy import deployment
from predicat.deploy.deployment import Plan
from predicat.deploy.plan import Planner, Rules
from predicat.deploy.relations import Column, Relation
from predicat.deploy.sessions import Limits
from predicat.deploy.views import views_of
from predicat.diagnostics import PredicatError
from predicat.explain.text import lineage

HEAD = """\
apiVersion: predicat/v1
dataset: people
relation: {postgres: shop.people}
fields: {name: string, age: bigint}
"""
FILTERS = """\
filters:
  adult: {description: Of age, sql: "age >= 18"}
  named: {sql: name IS NOT NULL}
"""
Apply = Callable[..., list[str]]


@pytest.fixture
def db(postgres: Any) -> Iterator[Any]:
    postgres.execute("CREATE SCHEMA shop; CREATE TABLE shop.people (name text, age int)")
    postgres.execute("INSERT INTO shop.people VALUES ('a', 18), ('b', 17), (NULL, NULL), ('d', 40)")
    for role in ("reader", "analyst", "keeper"):
        postgres.execute(f"CREATE ROLE {role}; GRANT USAGE ON SCHEMA shop TO {role}")
    yield postgres
    postgres.execute(
        "RESET ROLE; RESET ALL; DROP SCHEMA IF EXISTS shop CASCADE; DROP SCHEMA IF EXISTS other CASCADE"
    )
    postgres.execute("DROP OWNED BY reader, analyst, keeper; DROP ROLE reader, analyst, keeper")


@pytest.fixture
def apply(db: Any, tmp_path: Path) -> Apply:
    def run(
        text: str = HEAD + FILTERS, *, name: str = "shop", schema: str | None = None, **rules: bool
    ) -> list[str]:
        return done(deployment.apply(catalog(tmp_path, text), db, name, schema, rules=Rules(**rules)))

    return run


def catalog(folder: Path, text: str) -> predicat.Catalog:
    (folder / "c.yml").write_text(text)
    return predicat.load_catalog(folder)


def done(plan: Plan) -> list[str]:
    return [f"{step.action} {step.shown.removeprefix('shop.')}" for step in plan.changes]


def value(db: Any, query: str) -> Any:
    return db.execute(query).fetchone()[0]


def names(
    db: Any, query: str = "SELECT viewname FROM pg_views WHERE schemaname IN ('shop', 'other') ORDER BY 1"
) -> list[str]:
    return [row[0] for row in db.execute(query).fetchall()]


WIDER = HEAD + FILTERS.replace(">= 18", ">= 21")
DEPENDENTS = """
CREATE VIEW shop.report AS SELECT name FROM shop.people__adult;
CREATE VIEW shop.summary WITH (security_barrier = true) AS SELECT count(*) AS n FROM shop.report;
CREATE MATERIALIZED VIEW shop.kept AS SELECT name, age FROM shop.people__adult;
CREATE INDEX kept_name ON shop.kept (lower(name));
COMMENT ON VIEW shop.summary IS 'how many';
COMMENT ON COLUMN shop.report.name IS 'their name';
COMMENT ON INDEX shop.kept_name IS 'an index';
COMMENT ON COLUMN shop.people__adult.age IS 'in years';
ALTER VIEW shop.people__adult ALTER COLUMN age SET DEFAULT 18;
CREATE RULE fresh AS ON INSERT TO shop.people__adult DO INSTEAD INSERT INTO shop.people
  VALUES (new.name, new.age);
COMMENT ON RULE fresh ON shop.people__adult IS 'a rule';
GRANT SELECT ON shop.people__adult TO reader WITH GRANT OPTION;
GRANT UPDATE (age) ON shop.people__adult TO analyst;
GRANT SELECT ON shop.summary, shop.kept TO PUBLIC;
GRANT CREATE ON SCHEMA shop TO keeper; GRANT SELECT ON shop.people, shop.people__adult TO keeper;
ALTER VIEW shop.report OWNER TO keeper;
SET ROLE reader; GRANT SELECT ON shop.people__adult TO analyst; RESET ROLE;
SET ROLE keeper; GRANT SELECT ON shop.report TO analyst; REVOKE DELETE ON shop.report FROM keeper; RESET ROLE
"""
STATE = """
SELECT 'relation', c.relname, pg_get_userbyid(c.relowner), (
  SELECT string_agg(x::text, ' ' ORDER BY x) FROM aclexplode(COALESCE(c.relacl, acldefault('r',
    c.relowner))) x), c.reloptions::text
  FROM pg_class c WHERE relnamespace = 'shop'::regnamespace AND relkind IN ('v', 'm')
UNION ALL SELECT 'column', attrelid::regclass::text, attname, attacl::text, '' FROM pg_attribute
  WHERE attacl IS NOT NULL AND attrelid > 16384
UNION ALL SELECT 'comment', c.relname, a.attname, d.description, '' FROM pg_description d
  JOIN pg_class c ON c.oid = d.objoid
  LEFT JOIN pg_attribute a ON attrelid = c.oid AND attnum = d.objsubid
  WHERE c.relnamespace = 'shop'::regnamespace AND NOT (d.objsubid = 0 AND d.description LIKE '%predicat%')
UNION ALL SELECT 'rule', r.rulename, pg_get_ruledef(r.oid), obj_description(r.oid, 'pg_rewrite'), ''
  FROM pg_rewrite r WHERE rulename = 'fresh'
UNION ALL SELECT 'default', adrelid::regclass::text, pg_get_expr(adbin, adrelid), '', '' FROM pg_attrdef
  WHERE adrelid IN (
  SELECT oid FROM pg_class WHERE relnamespace = 'shop'::regnamespace)
UNION ALL SELECT 'definition', viewname, definition, '', '' FROM pg_views WHERE schemaname = 'shop'
  AND viewname NOT LIKE 'people%'
UNION ALL SELECT 'index', indexname, indexdef, '', '' FROM pg_indexes WHERE schemaname = 'shop'
ORDER BY 1, 2, 3, 4
"""


def state(db: Any) -> set[Any]:
    return set(db.execute(STATE).fetchall())


# --- nothing is lost


def test_an_unchanged_catalog_does_nothing(db: Any, apply: Apply) -> None:
    assert apply() == ["create people__adult", "create people__named"]
    rows = (
        "SELECT c.xmin, c.oid, d.xmin FROM pg_class c JOIN pg_description d ON d.objoid = c.oid WHERE "
        "relname LIKE 'people__%' ORDER BY 2"
    )
    before = db.execute(rows).fetchall()
    assert apply() == []
    assert db.execute(rows).fetchall() == before and len(before) == 2


def test_a_reader_is_no_obstacle_to_an_unchanged_catalog_nor_to_another_view(db: Any, apply: Apply) -> None:
    import psycopg

    apply()
    with psycopg.connect(db.info.dsn, password=db.info.password) as other:
        other.execute("ALTER VIEW shop.people__adult ALTER COLUMN age SET DEFAULT 1")  # an exclusive lock
        assert apply() == []
        assert apply(HEAD + FILTERS.replace("IS NOT NULL", "= 'a'")) == ["replace people__named"]


def test_what_was_granted_said_and_built_on_a_view_survives_a_new_meaning(db: Any, apply: Apply) -> None:
    apply()
    db.execute(DEPENDENTS)
    before = state(db)
    assert apply(WIDER) == ["replace people__adult"]
    assert state(db) == before
    assert value(db, "SELECT n FROM shop.summary") == 1


@pytest.mark.parametrize("default", [False, True], ids=["", "with default privileges"])
def test_what_was_granted_said_and_built_on_a_view_survives_other_columns(
    db: Any, apply: Apply, default: bool
) -> None:
    apply()
    db.execute(DEPENDENTS)
    before = state(db)
    if default:
        db.execute("ALTER DEFAULT PRIVILEGES IN SCHEMA shop GRANT ALL ON TABLES TO analyst")
    db.execute("CREATE TABLE shop.persons (age int, name text)")
    assert apply((HEAD + FILTERS).replace("shop.people", "shop.persons")) == [
        "recreate people__adult",
        "recreate people__named",
    ]
    assert state(db) == before
    assert value(db, "SELECT n FROM shop.summary") == 0
    assert value(db, "SELECT relispopulated FROM pg_class WHERE relname = 'kept'")
    assert apply((HEAD + FILTERS).replace("shop.people", "shop.persons")) == []


def test_columns_that_are_added_come_behind(db: Any, apply: Apply) -> None:
    apply()
    db.execute(
        "CREATE VIEW shop.report AS SELECT * FROM shop.people__adult; ALTER TABLE shop.people ADD "
        "COLUMN city text"
    )
    assert apply() == ["replace people__adult", "replace people__named"]
    assert names(
        db,
        (
            "SELECT attname FROM pg_attribute WHERE attrelid = 'shop.people__adult'::regclass AND attnum > "
            "0 ORDER BY attnum"
        ),
    ) == ["name", "age", "city"]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (
            (
                "CREATE FUNCTION shop.f() RETURNS bigint BEGIN ATOMIC SELECT count(*) FROM "
                "shop.people__adult; END"
            ),
            r"cannot be created again: function shop\.f\(\)",
        ),
        (
            "CREATE FUNCTION shop.g(shop.people__adult) RETURNS int LANGUAGE sql RETURN 1",
            r"cannot be created again: function shop\.g\(shop\.people__adult\)",
        ),
        ("CREATE TABLE shop.rows (p shop.people__adult)", "cannot be created again: table shop.rows"),
        (
            (
                "CREATE VIEW shop.v AS SELECT 1; CREATE RULE r AS ON UPDATE TO shop.v DO INSTEAD SELECT * "
                "FROM shop.people__adult"
            ),
            "cannot be created again: rule r on view shop.v",
        ),
        (
            "CREATE VIEW shop.v AS SELECT city FROM shop.people__adult",
            "view shop.v would be dropped and created again, which would fail: .*city.* does not exist",
        ),
        (
            "GRANT SELECT (city) ON shop.people__adult TO reader",
            r"loses columns that these depend on: SELECT \(city\) of reader",
        ),
        (
            "COMMENT ON COLUMN shop.people__adult.city IS 'where'",
            "loses columns that these depend on: the comment on the column city",
        ),
    ],
)
def test_what_cannot_be_made_again_is_told_and_nothing_changes(
    db: Any, apply: Apply, more: str, problem: str
) -> None:
    db.execute("ALTER TABLE shop.people ADD COLUMN city text")
    apply()
    db.execute(more)
    before = state(db)
    db.execute("CREATE TABLE shop.persons (age int, name text)")
    with pytest.raises(PredicatError, match=problem):
        apply((HEAD + FILTERS).replace("shop.people", "shop.persons"))
    assert state(db) == before


def test_a_view_that_is_needed_is_not_dropped(db: Any, apply: Apply) -> None:
    apply()
    db.execute("CREATE VIEW shop.report AS SELECT * FROM shop.people__named")
    with pytest.raises(
        PredicatError,
        match=(
            r"people__named should be dropped \(there is no filter named\), but these depend on it: view "
            r"shop.report"
        ),
    ):
        apply(HEAD + FILTERS.replace("named:", "called:"))
    assert names(db) == ["people__adult", "people__named", "report"]


def test_a_view_moves_with_its_relation_and_keeps_its_grants(db: Any, apply: Apply) -> None:
    apply()
    db.execute(
        "GRANT SELECT ON shop.people__adult TO reader; CREATE SCHEMA other; ALTER TABLE shop.people "
        "SET SCHEMA other"
    )
    moved = (HEAD + FILTERS).replace("shop.people", "other.people")
    assert apply(moved) == ["replace other.people__adult", "replace other.people__named"]
    assert value(db, "SELECT has_table_privilege('reader', 'other.people__adult', 'SELECT')")
    assert apply(moved) == []


def test_comments_of_others_stay(db: Any, apply: Apply) -> None:
    apply()
    ours = value(db, "SELECT obj_description('shop.people__adult'::regclass)")
    note = f"Ask Ann.\n{ours}\nReviewed in May."
    db.execute(f"COMMENT ON VIEW shop.people__adult IS '{note}'")
    assert apply() == []
    assert apply(WIDER.replace("Of age", "Grown up")) == ["replace people__adult"]
    comment = value(db, "SELECT obj_description('shop.people__adult'::regclass)")
    assert comment.startswith("Ask Ann.\npredicat: Grown up. Version 1.\n[predicat/1 ") and comment.endswith(
        "]\nReviewed in May."
    )
    assert apply((HEAD + FILTERS).replace("18", "21")) == ["comment people__adult"]


# --- only what is ours


@pytest.mark.parametrize(
    ("planted", "problem"),
    [
        (
            "CREATE VIEW shop.people__adult AS SELECT 1",
            "shop.people__adult was not made by predicat; predicat does not change it",
        ),
        ("CREATE TABLE shop.people__adult ()", "shop.people__adult is a table"),
        (
            "CREATE MATERIALIZED VIEW shop.people__adult AS SELECT 1",
            "shop.people__adult is a materialized view",
        ),
        (
            (
                "CREATE VIEW shop.people__adult AS SELECT 1; COMMENT ON VIEW shop.people__adult IS "
                "'predicat: mine'"
            ),
            "an earlier version of predicat.*\n.*--adopt",
        ),
    ],
)
@pytest.mark.parametrize("force", [False, True])
def test_what_others_made_is_left_alone(
    db: Any, apply: Apply, planted: str, problem: str, force: bool
) -> None:
    db.execute(planted)
    with pytest.raises(PredicatError, match=problem):
        apply(force=force)
    assert value(db, "SELECT count(*) FROM pg_class WHERE relname = 'people__named'") == 0


def test_views_of_another_catalog_are_left_alone(db: Any, apply: Apply) -> None:
    apply()
    with pytest.raises(PredicatError, match="people__adult belongs to the catalog 'shop'; this one is 'crm'"):
        apply(WIDER, name="crm", force=True)
    other = (HEAD + FILTERS).replace("dataset: people", "dataset: persons")
    assert apply(other, name="crm") == ["create persons__adult", "create persons__named"]
    assert apply(HEAD.replace("people\n", "nobody\n", 1), name="crm") == [
        "drop persons__adult",
        "drop persons__named",
    ]
    assert names(db) == ["people__adult", "people__named"]


def test_a_mark_on_a_view_of_a_stranger_is_not_believed(db: Any, apply: Apply) -> None:
    apply()
    mark = value(db, "SELECT obj_description('shop.people__adult'::regclass)").replace("'", "''")
    db.execute("DROP VIEW shop.people__adult; GRANT CREATE ON SCHEMA shop TO reader; SET ROLE reader")
    db.execute("CREATE VIEW shop.people__adult AS SELECT 'x'::text AS name, 1 AS age")
    db.execute(f"COMMENT ON VIEW shop.people__adult IS '{mark}'")
    db.execute(
        "CREATE VIEW shop.people__gone AS SELECT 1; COMMENT ON VIEW shop.people__gone IS "
        f"'{mark.replace('adult', 'gone')}'; RESET ROLE"
    )
    for force in (False, True):
        with pytest.raises(
            PredicatError,
            match="people__adult belongs to the role 'reader', which is not a role of this user",
        ):
            apply(force=force)
    db.execute("DROP VIEW shop.people__adult")
    assert apply() == ["create people__adult"]
    assert "people__gone" in names(db)


def test_views_of_removed_filters_and_datasets_go(db: Any, apply: Apply) -> None:
    apply()
    assert apply(HEAD + FILTERS.partition("  named")[0]) == ["drop people__named"]
    apply()
    assert apply("apiVersion: predicat/v1\ndataset: other\n") == ["drop people__adult", "drop people__named"]
    apply()
    assert apply(HEAD.replace("relation: {postgres: shop.people}\n", "") + FILTERS) == [
        "drop people__adult",
        "drop people__named",
    ]
    apply()
    params = HEAD + FILTERS.replace('sql: "age >= 18"', 'sql: "age >= :x", params: {x: bigint}')
    assert apply(params) == ["drop people__adult"]


def test_a_deployment_in_a_schema_of_its_own_is_another_one(db: Any, apply: Apply) -> None:
    db.execute("CREATE SCHEMA other")
    apply()
    assert apply(schema="other") == ["create other.people__adult", "create other.people__named"]
    assert apply() == [] and apply(schema="other") == []
    fewer = HEAD + FILTERS.partition("  named")[0]
    assert apply(fewer) == ["drop people__named"]
    assert apply(fewer, schema="other") == ["drop other.people__named"]


BY_HAND = [
    (
        "CREATE OR REPLACE VIEW shop.people__adult AS SELECT * FROM shop.people WHERE age > 99",
        "its query is different",
        "replace people__adult",
    ),
    (
        "ALTER VIEW shop.people__adult RENAME COLUMN age TO years",
        "its query is different",
        "recreate people__adult",
    ),
    ("ALTER VIEW shop.people__adult RENAME TO grown", "it was people__adult", "replace people__adult"),
]


@pytest.mark.parametrize(("change", "problem", "step"), BY_HAND, ids=["query", "column", "name"])
@pytest.mark.parametrize("text", [HEAD + FILTERS, WIDER], ids=["same", "changed"])
def test_a_view_that_was_changed_by_hand_is_named(
    db: Any, apply: Apply, change: str, problem: str, step: str, text: str
) -> None:
    apply()
    db.execute(change)
    with pytest.raises(PredicatError, match=f"was changed by hand: {problem}\n.*--force"):
        apply(text)
    assert apply(text, force=True) == [step]
    assert apply(text) == []


def test_a_filter_that_is_gone_keeps_its_view_while_that_was_changed_by_hand(db: Any, apply: Apply) -> None:
    apply()
    db.execute(BY_HAND[0][0])
    fewer = HEAD + "filters: {named: {sql: name IS NOT NULL}}\n"
    with pytest.raises(
        PredicatError, match="changed by hand: its query is different, and there is no filter adult"
    ):
        apply(fewer)
    assert apply(fewer, force=True) == ["drop people__adult"]


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE shop.people RENAME TO persons",
        "ALTER SCHEMA shop RENAME TO shop2; CREATE SCHEMA other; ALTER SCHEMA shop2 RENAME TO shop",
        "GRANT SELECT ON shop.people__adult TO reader",
        "ALTER VIEW shop.people__adult SET (security_barrier = true)",
        "ALTER VIEW shop.people__adult OWNER TO CURRENT_USER",
        (
            "ALTER TABLE shop.people RENAME COLUMN age TO years; ALTER TABLE shop.people RENAME COLUMN "
            "years TO age"
        ),
    ],
)
def test_what_is_no_change_of_a_view_by_hand(db: Any, apply: Apply, change: str) -> None:
    apply()
    db.execute(change)
    text = (HEAD + FILTERS).replace("shop.people", "shop.persons") if "persons" in change else HEAD + FILTERS
    assert "recreate" not in str(apply(text)) and apply(text) == []


@pytest.mark.parametrize("age", ["int", "bigint"])
def test_a_table_that_took_the_name_of_another_is_read(db: Any, apply: Apply, age: str) -> None:
    """A view stays with the table that it was created on, whatever its name."""
    apply()
    db.execute(f"CREATE TABLE shop.newer (name text, age {age}); INSERT INTO shop.newer VALUES ('new', 50)")
    db.execute("ALTER TABLE shop.people RENAME TO older; ALTER TABLE shop.newer RENAME TO people")
    word = "replace" if age == "int" else "recreate"
    assert apply() == [f"{word} people__adult", f"{word} people__named"]
    assert names(db, "SELECT name FROM shop.people__adult") == ["new"] and apply() == []


def test_a_renamed_column_is_no_change_by_hand(db: Any, apply: Apply) -> None:
    apply()
    db.execute("ALTER TABLE shop.people RENAME COLUMN age TO years")
    assert apply((HEAD + FILTERS).replace("age", "years")) == [
        "recreate people__adult",
        "recreate people__named",
    ]


@pytest.mark.parametrize("adult", ["age >= 18", "age BETWEEN 18 AND 99 AND name <> 'a'"])
def test_a_view_that_was_dumped_and_restored_is_as_it_was(db: Any, apply: Apply, adult: str) -> None:
    """The server parses the text of the view anew, with other numbers of relations in it, and without some
    parentheses of a BETWEEN.
    """
    text_of_catalog = (HEAD + FILTERS).replace("age >= 18", adult)
    apply(text_of_catalog)
    text, comment = (
        value(db, "SELECT pg_get_viewdef('shop.people__adult'::regclass)"),
        value(db, "SELECT obj_description('shop.people__adult'::regclass)"),
    )
    db.execute(
        "DROP VIEW shop.people__named, shop.people__adult; ALTER TABLE shop.people RENAME TO old; "
        "CREATE TABLE shop.people (name text, age int)"
    )
    db.execute(f"CREATE VIEW shop.people__adult WITH (security_invoker = true) AS {text}")
    db.execute(f"COMMENT ON VIEW shop.people__adult IS '{comment}'")
    assert apply(text_of_catalog) == ["create people__named"]
    assert apply(text_of_catalog) == []
    db.execute("CREATE OR REPLACE VIEW shop.people__adult AS SELECT * FROM shop.people WHERE age > 5")
    with pytest.raises(PredicatError, match="was changed by hand: its query is different"):
        apply(text_of_catalog)


# --- the edition before marks


def test_views_of_the_former_edition_are_adopted(db: Any, apply: Apply) -> None:
    for name in ("adult", "named", "gone"):
        db.execute(f"CREATE VIEW shop.people__{name} AS SELECT * FROM shop.people WHERE age >= 18")
        db.execute(f"COMMENT ON VIEW shop.people__{name} IS 'predicat: Of age. Version 1. Owner me.'")
    db.execute("CREATE VIEW shop.people__mine AS SELECT 1; GRANT SELECT ON shop.people__adult TO reader")
    with pytest.raises(PredicatError) as caught:
        apply()
    assert len(caught.value.diagnostics) == 2 and "--adopt" in str(caught.value)
    assert apply(adopt=True) == ["replace people__adult", "replace people__named", "drop people__gone"]
    assert value(db, "SELECT has_table_privilege('reader', 'shop.people__adult', 'SELECT')")
    assert value(db, "SELECT reloptions FROM pg_class WHERE relname = 'people__adult'") == [
        "security_barrier=true"
    ], "who could read it, still can"
    assert apply() == [] and names(db) == ["people__adult", "people__mine", "people__named"]


# --- security options


def options(db: Any, view: str = "people__adult") -> list[str] | None:
    return value(db, f"SELECT reloptions FROM pg_class WHERE oid = 'shop.{view}'::regclass")


@pytest.mark.parametrize(
    ("dataset", "own", "expected"),
    [
        ("", "", ["security_invoker=true"]),
        ("view: {security_invoker: false}\n", "", ["security_invoker=false", "security_barrier=true"]),
        (
            "view: {security_invoker: false, security_barrier: false, reason: the sums are public}\n",
            "",
            ["security_invoker=false", "security_barrier=false"],
        ),
        ("view: {security_barrier: true}\n", "", ["security_invoker=true", "security_barrier=true"]),
        ("view: {security_invoker: false}\n", "view: {security_invoker: true}, ", ["security_invoker=true"]),
    ],
)
def test_security_options(db: Any, apply: Apply, dataset: str, own: str, expected: list[str]) -> None:
    text = HEAD + dataset + FILTERS.replace("adult: {", f"adult: {{{own}")
    apply()
    apply(text)
    assert sorted(options(db) or []) == sorted(expected)
    assert apply(text) == []
    apply()
    assert options(db) == ["security_invoker=true"]


def test_an_invoker_view_shows_what_its_reader_may_see(db: Any, apply: Apply) -> None:
    import psycopg

    apply(HEAD + FILTERS.replace("named: {", "named: {view: {security_invoker: false}, "))
    db.execute("GRANT SELECT ON shop.people__adult, shop.people__named TO reader; SET ROLE reader")
    assert value(db, "SELECT count(*) FROM shop.people__named") == 3
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        db.execute("SELECT count(*) FROM shop.people__adult")
    db.execute(
        "RESET ROLE; GRANT SELECT ON shop.people TO reader; ALTER TABLE shop.people ENABLE ROW LEVEL SECURITY"
    )
    db.execute("CREATE POLICY young ON shop.people TO reader USING (age < 30); SET ROLE reader")
    assert names(db, "SELECT name FROM shop.people__adult") == ["a"]


def test_options_that_somebody_set_stay(db: Any, apply: Apply) -> None:
    apply()
    db.execute("ALTER VIEW shop.people__adult SET (security_invoker = off, check_option = local)")
    assert apply() == ["options people__adult"]  # it shows the rows of its owner, so it gets a barrier
    assert apply() == [] and apply(WIDER) == ["replace people__adult"]
    assert options(db) == ["security_invoker=off", "check_option=local", "security_barrier=true"]


@pytest.mark.parametrize(
    ("server", "stated", "expected"),
    [
        (140_012, {}, {"security_barrier": "true"}),
        (150_000, {}, {"security_invoker": "true"}),
        (140_012, {"security_barrier": True}, {"security_barrier": "true"}),
        (140_012, {"security_invoker": False}, {"security_barrier": "true"}),
        (140_012, {"security_barrier": False, "reason": "public"}, {"security_barrier": "false"}),
        (140_012, {"security_barrier": False}, "a function in the WHERE of a reader sees rows"),
        (140_012, {"security_invoker": True}, "PostgreSQL 14 has no security_invoker"),
    ],
)
def test_servers_without_security_invoker(
    tmp_path: Path, server: int, stated: dict[str, bool | str], expected: dict[str, str] | str
) -> None:
    relation = Relation(
        1, "shop", "people", (Column("name", "text", "25 -1 100"), Column("age", "integer", "23 -1 0"))
    )
    rows = catalog(tmp_path, f"{HEAD}view: {json.dumps(stated)}\n{FILTERS}")
    planner = Planner(rows, "shop", Rules(), server, lambda _: {}, lambda _: {})
    step = planner.steps(views_of(rows, "shop", {"people": relation}), [])[0]
    if isinstance(expected, str):
        assert expected in planner.reporter.errors[0].message
    else:
        assert step.options == expected and not planner.reporter.errors


LEAK = """
CREATE FUNCTION pg_temp.seen(name text) RETURNS boolean LANGUAGE plpgsql COST 0.0001
AS $$ BEGIN RAISE NOTICE 'seen %', name; RETURN TRUE; END $$
"""


@pytest.mark.parametrize(
    ("options", "leaked"),
    [("", {"a", "d"}), (", security_barrier: false, reason: they may see all", {"a", "b", "d", "<NULL>"})],
)
def test_a_function_of_a_reader_sees_no_row_that_the_filter_rejects(
    db: Any, apply: Apply, options: str, leaked: set[str]
) -> None:
    apply(HEAD + f"view: {{security_invoker: false{options}}}\n" + FILTERS)
    db.execute("GRANT SELECT ON shop.people__adult TO reader; SET ROLE reader")
    db.execute(LEAK)
    seen: set[str] = set()
    keep = lambda notice: seen.add(notice.message_primary.removeprefix("seen "))  # noqa: E731
    db.add_notice_handler(keep)
    try:
        assert names(db, "SELECT name FROM shop.people__adult WHERE pg_temp.seen(name)") == ["a", "d"]
    finally:
        db.remove_notice_handler(keep)
        db.execute("RESET ROLE; DISCARD TEMP")
    assert seen == leaked


def test_a_view_of_an_earlier_version_gets_its_barrier(db: Any, apply: Apply) -> None:
    text = HEAD + "view: {security_invoker: false}\n" + FILTERS
    apply(text)
    comment = value(db, "SELECT obj_description('shop.people__adult'::regclass)")
    db.execute("ALTER VIEW shop.people__adult RESET (security_barrier)")
    former = comment.replace(" security_barrier=true", "")
    assert former != comment
    db.execute(f"COMMENT ON VIEW shop.people__adult IS '{former}'")
    assert apply(text) == ["options people__adult"] and apply(text) == []
    assert sorted(options(db) or []) == ["security_barrier=true", "security_invoker=false"]


POLICY = """
ALTER TABLE shop.people ENABLE ROW LEVEL SECURITY;
CREATE POLICY young ON shop.people TO reader USING (age < 30);
GRANT SELECT ON ALL TABLES IN SCHEMA shop TO reader
"""
INVOKER = "WITH (security_invoker = true)"
COLUMNS = "AS SELECT name, age::bigint AS age FROM"


@pytest.mark.parametrize(
    ("bridge", "blamed"),
    [
        (f"CREATE VIEW shop.bridge {COLUMNS} shop.people", "shop.bridge"),
        (f"CREATE VIEW shop.bridge WITH (security_invoker = off) {COLUMNS} shop.people", "shop.bridge"),
        (f"CREATE VIEW shop.bridge {INVOKER} {COLUMNS} shop.people", None),
        (
            (
                f"CREATE VIEW shop.low {COLUMNS} shop.people; "
                f"CREATE VIEW shop.bridge {INVOKER} AS SELECT * FROM shop.low"
            ),
            "shop.low",
        ),
        # The view that names the table decides, whatever is above it.
        (
            (
                f"CREATE VIEW shop.low WITH (security_invoker = 1) {COLUMNS} shop.people; "
                "CREATE VIEW shop.bridge AS SELECT * FROM shop.low"
            ),
            None,
        ),
        (
            (
                f"CREATE VIEW shop.bridge {INVOKER} AS SELECT 'z' AS name, 20::bigint AS age WHERE EXISTS "
                "(SELECT FROM shop.people)"
            ),
            None,
        ),
    ],
)
def test_no_view_is_built_past_row_level_security(
    db: Any, apply: Apply, bridge: str, blamed: str | None
) -> None:
    text = (HEAD + FILTERS).replace("shop.people", "shop.bridge")
    db.execute(bridge)
    assert apply(text)  # no policy yet
    db.execute(POLICY + "; SET ROLE reader")
    old = names(db, "SELECT name FROM shop.bridge WHERE age >= 30")
    assert (old == ["d"]) == (blamed is not None)  # what the reader must not see
    db.execute("RESET ROLE")
    if blamed is None:
        assert apply(text) == []
        return
    hint = rf"ALTER VIEW {blamed} SET \(security_invoker = true\)"
    with pytest.raises(PredicatError, match=rf"row-level security of shop.people .* {blamed} .*\n.*{hint}"):
        apply(text)
    shared = HEAD + "view: {security_invoker: false}\n" + FILTERS
    assert apply(shared.replace("shop.people", "shop.bridge"))  # readers may see these rows
    db.execute(f"ALTER VIEW {blamed} SET (security_invoker = true)")
    assert apply(text) and apply(text) == []
    db.execute("SET ROLE reader")
    assert names(db, "SELECT name FROM shop.people__adult") == ["a"]


# --- locks, transactions, output


def test_a_dataset_on_a_view_of_ours(db: Any, apply: Apply) -> None:
    apply()
    both = HEAD + FILTERS
    (more,) = [
        both.replace("dataset: people", "dataset: adults").replace("shop.people", "shop.people__adult")
    ]
    one = both.replace("filters:", "filters:\n  old: {sql: age > 30}")
    assert apply(one) == ["create people__old"]
    deployment.apply(catalog_of(one, more), db, "shop")
    db.execute("CREATE TABLE shop.persons (age int, name text)")
    moved = catalog_of(one.replace("shop.people", "shop.persons"), more)
    steps = done(deployment.apply(moved, db, "shop"))
    assert sorted(steps) == [
        "recreate adults__adult",
        "recreate adults__named",
        "recreate people__adult",
        "recreate people__named",
        "recreate people__old",
    ]
    # What reads a view that was made anew has its columns in their old order, until the next run.
    assert done(deployment.apply(moved, db, "shop")) != steps
    assert done(deployment.apply(moved, db, "shop")) == []


def catalog_of(*files: str) -> predicat.Catalog:
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(files):
            (Path(folder) / f"{number}.yml").write_text(text)
        return predicat.load_catalog(folder)


def test_a_lock_is_not_waited_for_without_end(db: Any, apply: Apply, tmp_path: Path) -> None:
    import psycopg

    apply()
    with psycopg.connect(db.info.dsn, password=db.info.password) as other:
        other.execute("SELECT * FROM shop.people__adult")
        with pytest.raises(
            PredicatError,
            match=r"holds a lock for too long: shop.people__adult \(process \d+\)\n.*--lock-timeout",
        ):
            deployment.apply(catalog(tmp_path, WIDER), db, "shop", limits=Limits(lock=0.05))
    assert value(db, "SHOW lock_timeout") == "0" and value(db, "SHOW search_path") == '"$user", public'


def test_readers_of_other_views_do_not_wait_behind_one_reader(db: Any, apply: Apply, tmp_path: Path) -> None:
    """A run that waits for one view has no lock on the others in the meantime."""
    import psycopg

    text = HEAD + "filters:\n" + "".join(f"  f{number}: {{sql: age > {number}}}\n" for number in range(5))
    apply(text)
    changed = catalog(tmp_path, text.replace("age > ", "age >= "))
    place = {"conninfo": db.info.dsn, "password": db.info.password, "autocommit": True}
    with psycopg.connect(**place) as holder, psycopg.connect(**place) as other:
        holder.execute("BEGIN; SELECT * FROM shop.people__f4")
        other.execute("SET lock_timeout = '500ms'")
        with ThreadPoolExecutor() as pool:
            run = pool.submit(deployment.apply, changed, db, "shop", limits=Limits(lock=30))
            end, answers = time.monotonic() + 1.5, 0
            while time.monotonic() < end:
                other.execute(f"SELECT * FROM shop.people__f{answers % 4}".encode())
                answers += 1
            assert not run.done() and answers > 10
            holder.execute("COMMIT")
            assert len(run.result().changes) == 5


def test_many_views_are_made_in_several_transactions(
    db: Any, apply: Apply, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    monkeypatch.setattr(deployment, "BATCH", 4)
    text = HEAD + "filters:\n" + "".join(f"  f{number}: {{sql: age > {number}}}\n" for number in range(10))
    plan = deployment.apply(catalog(tmp_path, text), db, "shop")
    assert [len(batch) for batch in plan.batches] == [4, 4, 2]
    assert apply(text) == []
    with psycopg.connect(db.info.dsn, password=db.info.password) as other:
        other.execute("SELECT * FROM shop.people__f5")
        with pytest.raises(PredicatError, match="1 of 3 transactions were committed before this"):
            deployment.apply(
                catalog(tmp_path, text.replace("age > ", "age >= ")), db, "shop", limits=Limits(lock=0.05)
            )
    assert len(apply(text.replace("age > ", "age >= "))) == 6


def test_a_dry_run_prints_a_script_and_changes_nothing(db: Any, apply: Apply, tmp_path: Path) -> None:
    apply()
    db.execute("DROP VIEW shop.people__named; GRANT SELECT ON shop.people__adult TO reader")
    before = state(db)
    new = catalog(tmp_path, HEAD + FILTERS.replace("18", "21") + "  old: {sql: age > 60}\n")
    lines = list(deployment.script(db, deployment.plan(new, db, "shop"), Limits()))
    assert state(db) == before
    assert [line for line in lines if line.startswith("--")] == [
        "-- replace shop.people__adult: its SQL changed",
        "-- create shop.people__named: a new filter",
        "-- create shop.people__old: a new filter",
    ]
    db.execute("\n".join(lines))
    assert deployment.plan(new, db, "shop").changes == []
    db.execute("CREATE OR REPLACE VIEW shop.people__old AS SELECT * FROM shop.people WHERE age > 5")
    with pytest.raises(PredicatError, match="people__old was changed by hand: its query is different"):
        deployment.plan(new, db, "shop")
    deployment.apply(new, db, "shop", rules=Rules(force=True))
    renewed = deployment.apply(new, db, "shop")
    assert renewed.changes == renewed.renewed == []


def test_a_dry_run_of_other_columns_is_a_script_too(db: Any, apply: Apply, tmp_path: Path) -> None:
    apply()
    db.execute(DEPENDENTS)
    before = state(db)
    db.execute("CREATE TABLE shop.persons (age int, name text)")
    text = (HEAD + FILTERS).replace("shop.people", "shop.persons")
    lines = list(deployment.script(db, deployment.plan(catalog(tmp_path, text), db, "shop"), Limits()))
    db.execute("\n".join(lines))
    assert state(db) == before


def test_what_changes_between_the_plan_and_its_execution_is_noticed(
    db: Any, apply: Apply, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply()
    make = deployment.plan

    def plan(*args: Any) -> Plan:
        found = make(*args)
        db.execute("COMMENT ON VIEW shop.people__adult IS 'mine now'")
        return found

    monkeypatch.setattr(deployment, "plan", plan)
    with pytest.raises(PredicatError, match=r"another session changed shop.people__adult meanwhile"):
        deployment.apply(catalog(tmp_path, WIDER), db, "shop")
    assert value(db, "SELECT obj_description('shop.people__adult'::regclass)") == "mine now"


def test_two_runs_for_a_catalog_wait_for_each_other(db: Any, apply: Apply, tmp_path: Path) -> None:
    import psycopg

    apply()
    with psycopg.connect(db.info.dsn, password=db.info.password) as other:
        other.execute("SELECT 1")
        other.commit()
        step = deployment.plan(catalog(tmp_path, WIDER), other, "shop").changes
        with other.transaction():
            deployment.Batch(other, "shop", deployment.plan(catalog(tmp_path, WIDER), db, "shop")).run(step)
            with pytest.raises(PredicatError, match="another session holds a lock for too long"):
                deployment.apply(catalog(tmp_path, WIDER), db, "shop", limits=Limits(lock=0.05))
    assert apply(WIDER) == []


def test_an_open_transaction_is_refused(db: Any, tmp_path: Path) -> None:
    with db.transaction(), pytest.raises(PredicatError, match="the connection has an open transaction"):
        deployment.apply(catalog(tmp_path, HEAD + FILTERS), db, "shop")


def test_a_role_without_rights_gets_a_sentence(db: Any, apply: Apply) -> None:
    apply()
    db.execute("GRANT CREATE ON SCHEMA shop TO reader; SET ROLE reader")
    with pytest.raises(
        PredicatError,
        match="the role 'reader' lacks a privilege: must be owner of view people__adult",
    ):
        apply(WIDER)
    db.execute("RESET ROLE")


def test_an_entry_filter_has_no_view(db: Any, apply: Apply) -> None:
    before = apply()
    code = "  called: {python: shop.Called, after: adult}\n  needs: {sql: 'age > :a', params: {a: bigint}}\n"
    assert before and apply(HEAD + FILTERS + code) == []
    assert names(db) == ["people__adult", "people__named"]


def test_explain_names_the_views_that_there_are(tmp_path: Path) -> None:
    code = "  called: {python: shop.Called, after: adult}\n"
    found = catalog(tmp_path, HEAD + FILTERS + code)
    rows = {name: found.known[f"people.{name}"] for name in ("adult", "called")}
    told = {name: list(lineage(found, row, row.current)) for name, row in rows.items()}
    assert "used by views: people__adult" in told["adult"]
    assert not any("used by" in line for line in told["called"])


NAMED = HEAD + "view: {columns: [name]}\n" + FILTERS


def test_a_view_with_named_columns_shows_no_others(db: Any, apply: Apply) -> None:
    assert apply(NAMED) == ["create people__adult", "create people__named"]
    db.execute("ALTER TABLE shop.people ADD COLUMN secret text DEFAULT 's', ADD COLUMN other int")
    assert apply(NAMED) == []
    cursor = db.execute("SELECT * FROM shop.people__adult ORDER BY 1")
    assert [column.name for column in cursor.description] == ["name"]
    assert cursor.fetchall() == [("a",), ("d",)]
    db.execute(
        "GRANT SELECT (name, age) ON shop.people TO reader; GRANT SELECT ON shop.people__adult TO reader"
    )
    db.execute("SET ROLE reader")
    assert value(db, "SELECT count(*) FROM shop.people__adult") == 2
    db.execute("RESET ROLE")
    db.execute("ALTER TABLE shop.people DROP COLUMN other")
    assert apply(NAMED) == []


def test_other_named_columns_of_a_view(db: Any, apply: Apply) -> None:
    own = NAMED.replace('sql: "age >= 18"', 'view: {columns: [age, name]}, sql: "age >= 18"')
    assert apply(HEAD + FILTERS) == ["create people__adult", "create people__named"]
    assert apply(own) == ["recreate people__adult", "recreate people__named"]
    assert db.execute("SELECT * FROM shop.people__adult ORDER BY 1").fetchall() == [(18, "a"), (40, "d")]
    assert apply(HEAD + FILTERS) == ["recreate people__adult", "replace people__named"]


def test_a_column_that_a_view_cannot_show(db: Any, apply: Apply, tmp_path: Path) -> None:
    with pytest.raises(PredicatError, match="has no column 'nam' for the view"):
        apply(NAMED.replace("[name]", "[nam]"))
    for columns in ("[]", "[name, name]"):
        with pytest.raises(PredicatError) as caught:
            catalog(tmp_path, NAMED.replace("[name]", columns))
        assert [item.span.text for item in caught.value.diagnostics] == [columns]


CITEXT = """\
apiVersion: predicat/v1
dataset: people
relation: {postgres: shop.people}
fields: {name: citext, age: bigint}
filters:
  ann: {sql: "name = 'aNN'", view: {function: true}}
  some: {sql: "name IN ('Ann', 'x') AND age > 1"}
"""


@pytest.fixture
def citext(db: Any) -> Any:
    db.execute(
        "CREATE SCHEMA ext; CREATE EXTENSION IF NOT EXISTS citext; ALTER EXTENSION citext SET SCHEMA ext"
    )
    db.execute(
        "ALTER TABLE shop.people ALTER name TYPE ext.citext; INSERT INTO shop.people VALUES ('Ann', 5)"
    )
    yield db
    db.execute("DROP TABLE shop.people CASCADE; ALTER EXTENSION citext SET SCHEMA public; DROP SCHEMA ext")


def test_views_compare_citext_wherever_its_operators_are(citext: Any, apply: Apply) -> None:
    apply(CITEXT)
    found = "SELECT array_agg(name::text) FROM shop.people"
    for path in ("SET search_path = pg_catalog", "RESET search_path"):
        citext.execute(path)
        assert value(citext, f"{found}__ann") == value(citext, f"{found}__some") == ["Ann"]
        assert value(citext, f"{found} AS p WHERE shop.people__ann(p)") == ["Ann"]
    assert apply(CITEXT) == []
    stored = value(citext, "SELECT pg_get_viewdef('shop.people__ann'::regclass)")
    assert "OPERATOR(ext.=) 'ann'::ext.citext" in stored


def test_operators_that_others_may_create_are_not_used(citext: Any, apply: Apply) -> None:
    citext.execute("GRANT CREATE ON SCHEMA ext TO reader")
    with pytest.raises(PredicatError, match="others may create operators in the schema ext"):
        apply(CITEXT)
    citext.execute("REVOKE CREATE ON SCHEMA ext FROM reader")
