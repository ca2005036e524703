"""A function of a filter, for indexes, policies and queries of others."""

from pathlib import Path
from typing import Any

import pytest

from predicat.deploy import deployment
from predicat.diagnostics import PredicatError
from tests.deploy.test_suspend import alter, dumped
from tests.deploy.test_views import Apply, apply, catalog, db, names

__all__ = ["apply", "db"]
TEXT = """\
apiVersion: predicat/v1
dataset: people
relation: {postgres: shop.people}
fields: {name: string, age: bigint}
view: {function: true}
filters:
  adult: {sql: "age >= 18"}
  named: {sql: name IS NOT NULL AND length(name) > 0}
  listed: {sql: "name IN ('a', 'd') OR age = 17"}
  numeric: {sql: CAST(name AS bigint) > 3}
  recent: {sql: CAST(name AS timestamp) > now()}
"""
KINDS = """
SELECT proname || ' ' || provolatile::text || proparallel::text FROM pg_proc
WHERE pronamespace = 'shop'::regnamespace AND proname LIKE 'people%' ORDER BY 1
"""


def function_steps(db: Any, folder: Path, text: str) -> list[str]:
    return list(deployment.plan(catalog(folder, text), db, "shop").filters.lines())


def test_a_function_is_its_filter(db: Any, apply: Apply, tmp_path: Path) -> None:
    apply(TEXT)
    assert names(db, KINDS) == [
        "people__adult is",
        "people__listed is",
        "people__named is",
        "people__numeric is",
        "people__recent ss",
    ]
    for name in ("adult", "named", "listed", "numeric", "recent"):
        rows = "SELECT count(*) FROM shop.people WHERE shop.people__"
        assert db.execute(f"{rows}{name}(people)").fetchone() == (
            db.execute(f"SELECT count(*) FROM shop.people__{name}").fetchone()
        )
    assert db.execute("SELECT shop.people__adult(people) FROM shop.people WHERE age IS NULL").fetchone() == (
        None,
    )
    assert apply(TEXT) == [] and function_steps(db, tmp_path, TEXT) == []


def test_an_index_uses_a_function_and_keeps_its_meaning(db: Any, apply: Apply, tmp_path: Path) -> None:
    apply(TEXT)
    db.execute("INSERT INTO shop.people SELECT 'x' || i, i % 19 FROM generate_series(1, 5000) i")
    db.execute(
        "CREATE INDEX adults ON shop.people (name) WHERE shop.people__adult(people); ANALYZE shop.people"
    )
    plan = db.execute("EXPLAIN SELECT * FROM shop.people WHERE shop.people__adult(people) AND name = 'x18'")
    assert "Index Scan using adults" in plan.fetchone()[0]
    changed = TEXT.replace("18", "17")
    with pytest.raises(PredicatError, match=r"have stored values of the old one: index shop\.adults"):
        function_steps(db, tmp_path, changed)
    db.execute("DROP INDEX shop.adults")
    assert function_steps(db, tmp_path, changed) == ['replace function shop.people__adult("shop"."people")']
    apply(changed)
    assert db.execute("SELECT shop.people__adult(ROW('a', 17)::shop.people)").fetchone() == (True,)


PARALLEL = "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0"


def test_a_query_that_calls_a_function_has_a_parallel_plan(db: Any, apply: Apply, tmp_path: Path) -> None:
    apply(TEXT)
    db.execute("INSERT INTO shop.people SELECT 'x' || i, i % 19 FROM generate_series(1, 5000) i")
    db.execute(f"ANALYZE shop.people; {PARALLEL}")
    # One with a subquery is called, and in parallel.
    for name in ("adult", "named", "listed", "numeric", "recent"):
        query = f"SELECT count(*) FROM shop.people WHERE shop.people__{name}(people)"
        plan = "\n".join(line for (line,) in db.execute(f"EXPLAIN {query}").fetchall())
        assert "Parallel Seq Scan" in plan and ("people__" in plan) == (name == "recent"), plan
    db.execute("ALTER FUNCTION shop.people__adult PARALLEL UNSAFE")
    assert function_steps(db, tmp_path, TEXT) == ['replace function shop.people__adult("shop"."people")']
    apply(TEXT)
    assert function_steps(db, tmp_path, TEXT) == []


def test_a_function_is_no_safer_than_what_it_calls(db: Any, apply: Apply) -> None:
    """A cast that is somebody's function runs where that function may run."""
    db.execute("""
    CREATE TYPE shop.note AS (body text);
    CREATE FUNCTION shop.said(shop.note) RETURNS text LANGUAGE plpgsql IMMUTABLE
    AS 'BEGIN RETURN $1.body; END';
    CREATE CAST (shop.note AS text) WITH FUNCTION shop.said;
    ALTER TABLE shop.people ADD COLUMN note shop.note""")
    text = TEXT.partition("filters:")[0] + "filters: {noted: {sql: said = 'a'}}\n"
    text = text.replace("age: bigint", 'said: {type: string, expression: {postgres: "note::text"}}')
    apply(text)
    assert names(db, KINDS) == ["people__noted iu"]
    db.execute("ALTER FUNCTION shop.said PARALLEL SAFE")
    apply(text)
    assert names(db, KINDS) == ["people__noted is"]


def test_functions_go_with_their_filters(db: Any, apply: Apply, tmp_path: Path) -> None:
    apply(TEXT)
    db.execute("CREATE POLICY adults ON shop.people USING (shop.people__adult(people))")
    fewer = TEXT.replace("view: {function: true}\n", "")
    with pytest.raises(PredicatError, match=r"policy adults on table shop\.people"):
        apply(fewer)
    db.execute("DROP POLICY adults ON shop.people")
    assert len(function_steps(db, tmp_path, fewer)) == 5
    apply(fewer)
    assert names(db, KINDS) == []


def test_functions_of_others_and_changes_by_hand_are_told(db: Any, apply: Apply, tmp_path: Path) -> None:
    db.execute("CREATE FUNCTION shop.people__adult(shop.people) RETURNS boolean RETURN true")
    with pytest.raises(PredicatError, match="was not created by predicat for this catalog"):
        apply(TEXT)
    db.execute("DROP FUNCTION shop.people__adult")
    apply(TEXT)
    db.execute(
        "CREATE OR REPLACE FUNCTION shop.people__adult(predicat_row shop.people) RETURNS boolean RETURN true"
    )
    with pytest.raises(PredicatError, match="was changed by hand: its body is different"):
        apply(TEXT)
    apply(TEXT, force=True)
    assert function_steps(db, tmp_path, TEXT) == []


def test_functions_come_back_after_a_column_changed(db: Any, apply: Apply, tmp_path: Path) -> None:
    apply(TEXT)
    alter(db, tmp_path, "ALTER TABLE shop.people ALTER COLUMN age TYPE bigint", TEXT)
    assert len(names(db, KINDS)) == 5 and function_steps(db, tmp_path, TEXT) == []


def test_grants_owners_and_comments_of_functions_stay(db: Any, apply: Apply, tmp_path: Path) -> None:
    apply(TEXT)
    db.execute("""
    GRANT CREATE ON SCHEMA shop TO keeper; GRANT keeper TO CURRENT_USER;
    REVOKE EXECUTE ON FUNCTION shop.people__adult FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION shop.people__adult TO reader WITH GRANT OPTION;
    SET ROLE reader; GRANT EXECUTE ON FUNCTION shop.people__adult TO analyst; RESET ROLE;
    ALTER FUNCTION shop.people__named OWNER TO keeper;
    ALTER DEFAULT PRIVILEGES IN SCHEMA shop GRANT EXECUTE ON FUNCTIONS TO analyst""")
    comment = "SELECT obj_description('shop.people__adult'::regproc)"
    db.execute(
        f"DO $$BEGIN EXECUTE format('COMMENT ON FUNCTION shop.people__adult IS %L', 'mine\n' || ({comment})"
        " || '\nmore'); END$$"
    )
    before = dumped(db)
    alter(db, tmp_path, "ALTER TABLE shop.people ALTER COLUMN age TYPE bigint", TEXT)
    after = dumped(db)
    assert [line for line in before if line not in after] == ["    age integer"]
    assert [line for line in after if line not in before] == ["    age bigint"]
    kept = "SELECT proname, proacl::text, proowner FROM pg_proc WHERE pronamespace = 'shop'::regnamespace"
    granted = db.execute(kept).fetchall()
    apply(TEXT.replace(">= 18", ">= 17"))
    assert db.execute(kept).fetchall() == granted
    text = db.execute(comment).fetchone()[0]
    assert text.startswith("mine\npredicat: ") and text.endswith("]\nmore") and text.count("predicat: ") == 1


def test_the_script_of_a_plan_makes_functions(db: Any, apply: Apply, tmp_path: Path) -> None:
    from predicat.deploy.sessions import Limits

    plan = deployment.plan(catalog(tmp_path, TEXT), db, "shop")
    db.execute("\n".join(deployment.script(db, plan, Limits())))
    again = deployment.plan(catalog(tmp_path, TEXT), db, "shop")
    assert again.batches == [] and len(names(db, KINDS)) == 5
