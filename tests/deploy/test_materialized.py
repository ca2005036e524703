"""Materialized views of filters: made, changed, refreshed, and refused where they would be wrong."""

from pathlib import Path
from typing import Any

import psycopg
import pytest

from predicat.deploy import approval, deployment, materialized
from predicat.deploy.sessions import Limits
from predicat.diagnostics import PredicatError
from tests.deploy import servers
from tests.deploy.test_connections import dsn_of
from tests.deploy.test_suspend import alter, dumped
from tests.deploy.test_views import Apply, apply, catalog, db, value

__all__ = ["apply", "db"]
HEAD = """\
apiVersion: predicat/v1
dataset: people
relation: {postgres: shop.people}
key: [name]
fields: {name: string, age: bigint}
"""
STORED = (
    HEAD
    + "filters:\n  adult: {view: {materialized: true}, sql: age >= 18}\n  named: {sql: name IS NOT NULL}\n"
)
PLAIN = STORED.replace("materialized: true", "materialized: false")
EXTRAS = """
CREATE INDEX by_age ON shop.people__adult (age);
COMMENT ON INDEX shop.by_age IS 'an index';
COMMENT ON COLUMN shop.people__adult.age IS 'in years';
ALTER MATERIALIZED VIEW shop.people__adult SET (fillfactor = 90);
ALTER MATERIALIZED VIEW shop.people__adult CLUSTER ON people__adult_key;
GRANT SELECT ON shop.people__adult TO reader WITH GRANT OPTION;
CREATE VIEW shop.report AS SELECT name FROM shop.people__adult;
CREATE MATERIALIZED VIEW shop.kept AS SELECT name FROM shop.people__adult;
GRANT SELECT ON shop.people TO keeper; GRANT CREATE ON SCHEMA shop TO keeper;
GRANT keeper TO CURRENT_USER; ALTER MATERIALIZED VIEW shop.people__adult OWNER TO keeper;
SET ROLE reader; GRANT SELECT ON shop.people__adult TO analyst; RESET ROLE
"""


def kinds(db: Any) -> dict[str, str]:
    query = "SELECT relname, relkind::text FROM pg_class WHERE relname LIKE 'people\\_\\_%'"
    return dict(db.execute(query).fetchall())


def refreshed(db: Any) -> list[tuple[str, bool]]:
    views = materialized.ours(db, "shop", None)
    return [(view.name, materialized.refresh(db, view, Limits())) for view in views]


@pytest.mark.slow
def test_it_is_made_with_an_index_on_its_key_and_then_left_alone(db: Any, apply: Apply) -> None:
    assert apply(STORED) == ["create people__adult", "create people__named"]
    assert kinds(db) == {"people__adult": "m", "people__adult_key": "i", "people__named": "v"}
    assert value(db, "SELECT count(*) FROM shop.people__adult") == 2
    before = servers.program("pg_dump", db, "-n", "shop")
    assert apply(STORED) == [] and apply(STORED, force=True) == []
    without = [line for line in before.splitlines() if "restrict" not in line]
    after = servers.program("pg_dump", db, "-n", "shop").splitlines()
    assert [line for line in after if "restrict" not in line] == without
    db.execute("DROP SCHEMA shop CASCADE")
    before = before.replace("SET transaction_timeout = 0;\n", "")  # servers before 17 do not have it
    servers.program("psql", db, "-q", "-v", "ON_ERROR_STOP=1", text=before)
    assert apply(STORED) == [] and refreshed(db) == [("people__adult", True)]


@pytest.mark.slow
def test_a_condition_changes_and_everything_else_stays(db: Any, apply: Apply) -> None:
    apply(STORED)
    db.execute(EXTRAS)
    before = dumped(db)
    assert apply(STORED.replace("18", "20")) == ["recreate people__adult"]
    assert value(db, "SELECT count(*) FROM shop.people__adult") == 1
    after = dumped(db)
    changed = [
        *(line for line in before if line not in after),
        *(line for line in after if line not in before),
    ]
    assert [line.replace("people.", "") for line in changed] == ["  WHERE (age >= 18)", "  WHERE (age >= 20)"]
    assert apply(STORED.replace("18", "20")) == []


@pytest.mark.slow
def test_both_kinds_become_the_other_with_what_they_can_keep(db: Any, apply: Apply) -> None:
    apply(PLAIN)
    db.execute(
        "GRANT SELECT ON shop.people__adult TO reader; COMMENT ON COLUMN shop.people__adult.age IS 'years';"
        "CREATE VIEW shop.report AS SELECT name FROM shop.people__adult"
    )
    before = dumped(db)
    assert apply(STORED) == ["recreate people__adult"] and apply(STORED) == []
    assert kinds(db)["people__adult"] == "m"
    assert value(db, "SELECT has_table_privilege('reader', 'shop.people__adult', 'SELECT')")
    db.execute(
        "CREATE INDEX by_age ON shop.people__adult (age); COMMENT ON INDEX shop.people__adult_key IS 'k'"
    )
    with pytest.raises(PredicatError, match="becomes a view, which cannot have these: CREATE INDEX by_age"):
        apply(PLAIN)
    db.execute("DROP INDEX shop.by_age")
    assert apply(PLAIN) == ["recreate people__adult"] and apply(PLAIN) == []
    assert dumped(db) == before
    db.execute("ALTER VIEW shop.people__adult ALTER age SET DEFAULT 18")
    with pytest.raises(
        PredicatError, match="becomes a materialized view, which cannot have these: ALTER VIEW"
    ):
        apply(STORED)


def test_it_moves_with_its_relation(db: Any, apply: Apply) -> None:
    apply(STORED)
    db.execute(
        "GRANT SELECT ON shop.people__adult TO reader; CREATE INDEX by_age ON shop.people__adult (age)"
    )
    db.execute("CREATE VIEW shop.report AS SELECT name FROM shop.people__adult; CREATE SCHEMA other")
    db.execute("ALTER TABLE shop.people SET SCHEMA other")
    moved = STORED.replace("shop.people", "other.people")
    assert apply(moved) == ["recreate other.people__adult", "replace other.people__named"]
    assert apply(moved) == []
    assert value(db, "SELECT has_table_privilege('reader', 'other.people__adult', 'SELECT')")
    query = "SELECT count(*) FROM pg_indexes WHERE schemaname = 'other' AND tablename = 'people__adult'"
    assert value(db, query) == 2 and value(db, "SELECT count(*) FROM shop.report") == 2


def test_what_was_done_by_hand_is_found_or_stays(db: Any, apply: Apply) -> None:
    apply(STORED)
    db.execute("DROP INDEX shop.people__adult_key")
    assert apply(STORED) == ["recreate people__adult"] and apply(STORED) == []
    db.execute("REFRESH MATERIALIZED VIEW shop.people__adult WITH NO DATA")
    assert apply(STORED) == []
    assert apply(STORED.replace("18", "20")) == ["recreate people__adult"]
    assert not value(db, "SELECT relispopulated FROM pg_class WHERE relname = 'people__adult'")
    mark = value(db, "SELECT obj_description('shop.people__adult'::regclass)")
    db.execute("DROP MATERIALIZED VIEW shop.people__adult")
    db.execute("CREATE MATERIALIZED VIEW shop.people__adult AS SELECT * FROM shop.people")
    db.execute(f"COMMENT ON MATERIALIZED VIEW shop.people__adult IS '{mark}'")
    with pytest.raises(PredicatError, match="people__adult was changed by hand: its query is different"):
        apply(STORED.replace("18", "20"))
    assert apply(STORED, force=True) == ["recreate people__adult"]
    assert apply(HEAD + "filters:\n  named: {sql: name IS NOT NULL}\n") == ["drop people__adult"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"), [(PLAIN, STORED), (STORED, PLAIN), (STORED, STORED.replace("18", "20"))]
)
def test_scripts_and_undo_do_the_same(db: Any, apply: Apply, tmp_path: Path, old: str, new: str) -> None:
    apply(old)
    db.execute("GRANT SELECT ON shop.people__adult TO reader")
    before = dumped(db)
    plan = deployment.plan(catalog(tmp_path, new), db, "shop")
    document = approval.document(db, plan, {})
    (change,) = document["changes"]
    assert change["action"] == "recreate" and change["lock"].startswith("ACCESS EXCLUSIVE")
    assert ("kind" in change["causes"]) == ("false" in old + new)
    script = "\n".join(deployment.script(db, plan, Limits()))
    servers.program("psql", db, "-v", "ON_ERROR_STOP=1", text=script)
    assert apply(new) == []
    undo = "BEGIN;" + "".join(f"{part};\n" for part in document["undo"]) + "COMMIT;"
    servers.program("psql", db, "-v", "ON_ERROR_STOP=1", text=undo)
    assert dumped(db) == before and apply(old) == []


def test_a_new_one_is_undone_and_filled_alone(db: Any, apply: Apply, tmp_path: Path) -> None:
    plan = deployment.plan(catalog(tmp_path, STORED), db, "shop")
    assert [[step.shown for step in part] for part in plan.batches] == [
        ["shop.people__named"],
        ["shop.people__adult"],
    ]
    assert approval.undo(db, plan) == [
        'DROP VIEW "shop"."people__named"',
        'DROP MATERIALIZED VIEW "shop"."people__adult"',
    ]


@pytest.mark.slow
def test_it_comes_back_after_its_table_was_altered(db: Any, apply: Apply, tmp_path: Path) -> None:
    apply(STORED)
    db.execute(EXTRAS)
    before = dumped(db)
    assert len(alter(db, tmp_path, "ALTER TABLE shop.people ALTER COLUMN age TYPE bigint", STORED)) == 4
    after = dumped(db)
    assert [line for line in before if line not in after] == ["    age integer"]
    assert apply(STORED) == [] and value(db, "SELECT count(*) FROM shop.kept") == 2


def test_readers_go_on_while_it_is_refreshed_once_it_is_filled(db: Any, apply: Apply) -> None:
    apply(STORED)
    db.execute("INSERT INTO shop.people VALUES ('e', 50)")
    with psycopg.connect(dsn_of(db)) as reader:
        reader.execute("SELECT * FROM shop.people__adult")
        assert refreshed(db) == [("people__adult", True)]
    assert value(db, "SELECT count(*) FROM shop.people__adult") == 3
    db.execute("REFRESH MATERIALIZED VIEW shop.people__adult WITH NO DATA")
    assert refreshed(db) == [("people__adult", False)] and refreshed(db) == [("people__adult", True)]
    assert apply(STORED) == []


def test_only_what_predicat_made_is_refreshed_in_its_order(db: Any, apply: Apply, tmp_path: Path) -> None:
    apply(STORED)
    grown = STORED.replace("dataset: people", "dataset: above").replace(
        "postgres: shop.people", "postgres: shop.people__adult"
    )
    (tmp_path / "above.yml").write_text(grown)
    apply(STORED)
    db.execute("CREATE MATERIALIZED VIEW shop.other AS SELECT 1 AS n")
    assert [view.name for view in materialized.ours(db, "shop", None)] == ["people__adult", "above__adult"]
    assert materialized.ours(db, "crm", None) == [] and materialized.ours(db, "shop", "shop") == []
    db.execute("INSERT INTO shop.people VALUES ('e', 50)")
    assert refreshed(db) == [("people__adult", True), ("above__adult", True)]
    assert value(db, "SELECT count(*) FROM shop.above__adult") == 3
    (view, _) = materialized.ours(db, "shop", None)
    db.execute("COMMENT ON MATERIALIZED VIEW shop.people__adult IS NULL")
    with pytest.raises(PredicatError, match="another session changed"):
        materialized.refresh(db, view, Limits())


LATER = "CREATE VIEW shop.now AS SELECT * FROM shop.people WHERE {}"


@pytest.mark.parametrize(
    ("sql", "text", "problem"),
    [
        ("", STORED.replace("key: [name]\n", ""), "by the key of its dataset,? and people has none"),
        (
            "",
            STORED.replace("sql: age >= 18", "sql: now() > TIMESTAMP '2020-01-01 00:00:00Z'"),
            "current time",
        ),
        ("", STORED.replace("true}", "true, security_invoker: true}"), "the same rows to all of its readers"),
        ("", STORED.replace("true}", "true, columns: [age]}"), "columns are without 'name'"),
        (
            "",
            STORED.replace("name: string", "name: {type: string, expression: {postgres: upper(name)}}"),
            "the field 'name' of the key is an expression",
        ),
        (
            "",
            STORED.replace(
                "age: bigint", "age: {type: string, expression: {postgres: \"to_char(age, '99')\"}}"
            ).replace("age >= 18", "age <> 'x'"),
            r"the field 'age' .* is read from to_char\(age, '99'\), which may depend on the settings",
        ),
        ("", STORED.replace("adult:", f"{'a' * 55}:"), "index would be called people__a*_key: 67"),
        (
            "",
            STORED.replace("key: [name]", "key: [id]").replace("{name", "{id: bigint, name"),
            "no column 'id'",
        ),
        (
            "ALTER TABLE shop.people ENABLE ROW LEVEL SECURITY",
            STORED,
            "row-level security of shop.people may",
        ),
        (LATER.format("age < date_part('year', CURRENT_DATE)"), STORED, "shop.now has CURRENT_DATE"),
        (LATER.format("name = current_user"), STORED, "shop.now has CURRENT_DATE, CURRENT_USER or the like"),
        (LATER.format("age < date_part('year', now())"), STORED, r"shop.now has now\(\)"),
        (LATER.format("name = current_setting('x.y')"), STORED, r"shop.now has current_setting\(\)"),
        (LATER.format("age < random()"), STORED, r"shop.now has random\(\)"),
    ],
)
def test_what_would_be_wrong_is_refused(db: Any, apply: Apply, sql: str, text: str, problem: str) -> None:
    if sql:
        db.execute(sql)
    text = text.replace("shop.people", "shop.now") if "shop.now" in sql else text
    with pytest.raises(PredicatError, match=problem) as found:
        apply(text)
    assert all("c.yml:" in one.render() for one in found.value.diagnostics)
    assert kinds(db) == {}


def test_a_key_that_identifies_no_row_is_told(db: Any, apply: Apply) -> None:
    db.execute("INSERT INTO shop.people VALUES ('a', 19)")
    with pytest.raises(PredicatError, match=r'could not create unique index "people__adult_key"') as found:
        apply(STORED)
    assert "the key of its dataset does not identify a row" in str(found.value)
    assert kinds(db) == {"people__named": "v"}


def test_a_catalog_may_say_that_readers_see_the_rows_of_the_owner(db: Any, apply: Apply) -> None:
    db.execute("ALTER TABLE shop.people ENABLE ROW LEVEL SECURITY")
    options = "view: {security_invoker: false, security_barrier: false, reason: all may see them}\nfilters:"
    stated = STORED.replace("filters:", options)
    assert apply(stated) == ["create people__adult", "create people__named"] and apply(stated) == []
    steady = LATER.format("age < 99 AND jsonb_build_object('a', age) <> '{}' AND lower(name) <> 'x'")
    db.execute(steady)
    assert (
        apply(stated.replace("shop.people", "shop.now").replace("dataset: people", "dataset: steady")) != []
    )
