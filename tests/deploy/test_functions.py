"""`predicat apply` installs the functions that views call, and takes nobody else's."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.backends.sql.postgres import POSTGRES, installed
from predicat.deploy import deployment
from predicat.deploy.deployment import Plan
from predicat.deploy.plan import Rules
from predicat.deploy.sessions import Limits

CATALOG = """\
apiVersion: predicat/v1
dataset: orders
relation: {postgres: shop.orders}
fields: {id: bigint, amount: bigint, code: string}
filters:
  large: {sql: id + amount > 100}
  first: {sql: id < 3}
"""
PLAIN = CATALOG.replace("id + amount > 100", "id > 1")
CODED = CATALOG.replace("id + amount > 100", "CAST(code AS bigint) > 100")
LARGE = "SELECT array_agg(id ORDER BY id) FROM shop.orders__large"
Apply = Callable[..., Plan]


@pytest.fixture
def db(postgres: Any) -> Iterator[Any]:
    postgres.execute("DROP SCHEMA IF EXISTS predicat CASCADE")  # other tests install functions, too
    postgres.execute("CREATE SCHEMA shop; CREATE TABLE shop.orders (id bigint, amount bigint, code text)")
    postgres.execute(
        "INSERT INTO shop.orders VALUES (1, 100, '101'), (2, 200, ' 0200 '), (3, NULL, '1_000'), "
        "(4, 9223372036854775807, '0x1FF'), (5, -9223372036854775808, 'many'), (6, 0, NULL), (7, 93, '99'), "
        "(8, 92, '99999999999999999999')"
    )
    postgres.execute("CREATE ROLE limited; GRANT ALL ON SCHEMA shop TO limited")
    postgres.execute("ALTER TABLE shop.orders OWNER TO limited")
    yield postgres
    postgres.execute(
        "RESET ROLE; RESET ALL; DROP SCHEMA shop CASCADE; DROP SCHEMA IF EXISTS predicat CASCADE"
    )
    postgres.execute("DROP OWNED BY limited; DROP ROLE limited")


@pytest.fixture
def apply(db: Any, tmp_path: Path) -> Apply:
    def run(text: str = CATALOG, **options: bool) -> Plan:
        (tmp_path / "c.yml").write_text(text)
        return deployment.apply(predicat.load_catalog(tmp_path), db, "shop", rules=Rules(**options))

    return run


def value(db: Any, query: str) -> Any:
    return db.execute(query).fetchone()[0]


def has_schema(db: Any) -> bool:
    return bool(value(db, "SELECT count(*) FROM pg_namespace WHERE nspname = 'predicat'"))


def calls(db: Any, call: str = "predicat.plus(") -> bool:
    return call in value(db, "SELECT pg_get_viewdef('shop.orders__large'::regclass)")


def test_views_call_functions_that_apply_installs(db: Any, apply: Apply) -> None:
    plan = apply()
    assert plan.functions.note is None
    assert len(plan.functions.to_install) == len(installed.definitions(db.info.server_version))
    assert calls(db)
    assert value(db, "SELECT predicat.version()") == installed.VERSION
    assert value(db, LARGE) == [1, 2]
    again = apply()
    assert again.changes == []
    assert again.functions.to_install == ()


def test_functions_are_inlined(db: Any, apply: Apply) -> None:
    apply()
    shown = "\n".join(
        row[0] for row in db.execute("EXPLAIN (VERBOSE) SELECT * FROM shop.orders__large").fetchall()
    )
    assert "predicat." not in shown


def test_nothing_is_installed_that_no_view_calls(db: Any, apply: Apply) -> None:
    assert apply(PLAIN).functions.to_install == ()
    assert not has_schema(db)


def test_standalone_views_call_no_function(db: Any, apply: Apply) -> None:
    apply(standalone=True)
    assert not has_schema(db)
    assert value(db, LARGE) == [1, 2]


def test_without_the_right_to_create_a_schema_views_are_standalone(db: Any, apply: Apply) -> None:
    db.execute("SET ROLE limited")
    plan = apply()
    assert plan.functions.note is not None
    assert "may not create the schema" in plan.functions.note.message
    assert 'CREATE SCHEMA predicat AUTHORIZATION "limited"' in str(plan.functions.note.hint)
    assert not calls(db)
    assert value(db, LARGE) == [1, 2]
    db.execute("RESET ROLE; CREATE SCHEMA predicat AUTHORIZATION limited; SET ROLE limited")
    apply()
    assert calls(db)
    assert value(db, LARGE) == [1, 2]


def test_what_others_made_stays(db: Any, apply: Apply) -> None:
    db.execute(
        "CREATE SCHEMA predicat; CREATE FUNCTION predicat.plus(a bigint, b bigint) RETURNS bigint RETURN 7"
    )
    plan = apply()
    assert plan.functions.note is not None
    assert "was not made by predicat" in plan.functions.note.message
    assert value(db, "SELECT predicat.plus(1, 1)") == 7
    assert value(db, LARGE) == [1, 2]


def test_a_schema_of_a_role_that_is_not_trusted_is_not_used(db: Any, apply: Apply) -> None:
    db.execute(
        "CREATE SCHEMA predicat AUTHORIZATION limited; CREATE ROLE keeper; GRANT ALL ON SCHEMA shop TO keeper"
    )
    db.execute("ALTER TABLE shop.orders OWNER TO keeper; SET ROLE keeper")
    plan = apply()
    assert plan.functions.note is not None
    assert "belongs to the role 'limited'" in plan.functions.note.message
    assert not calls(db)
    db.execute(
        "RESET ROLE; ALTER TABLE shop.orders OWNER TO limited; DROP OWNED BY keeper CASCADE; DROP ROLE keeper"
    )


def test_a_changed_or_older_function_is_restored(db: Any, apply: Apply) -> None:
    apply()
    db.execute("CREATE OR REPLACE FUNCTION predicat.plus(a bigint, b bigint) RETURNS bigint RETURN 7")
    plan = apply()
    assert [row.name for row in plan.functions.to_install] == ["plus"]
    assert plan.changes == []
    assert value(db, LARGE) == [1, 2]
    comment = value(db, "SELECT obj_description('predicat.plus(bigint, bigint)'::regprocedure, 'pg_proc')")
    assert comment.startswith("predicat: a + b")


def test_newer_functions_stay(db: Any, apply: Apply, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as later:
        later.setattr(installed, "VERSION", installed.VERSION + 1)
        installed.definitions.cache_clear()
        apply()
    installed.definitions.cache_clear()
    plan = apply()
    assert plan.functions.to_install == ()
    assert value(db, "SELECT predicat.version()") == installed.VERSION + 1
    assert calls(db)


def test_readers_need_no_rights_of_their_own(db: Any, apply: Apply) -> None:
    db.execute("ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC")
    try:
        apply()
        db.execute("CREATE ROLE reader; GRANT USAGE ON SCHEMA shop TO reader")
        db.execute("GRANT SELECT ON shop.orders, shop.orders__large TO reader; SET ROLE reader")
        assert value(db, LARGE) == [1, 2]
    finally:
        db.execute("RESET ROLE; ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO PUBLIC")
        db.execute("DROP OWNED BY reader; DROP ROLE reader")


def test_the_script_of_a_dry_run_installs_them(db: Any, apply: Apply, tmp_path: Path) -> None:
    (tmp_path / "c.yml").write_text(CATALOG)
    plan = deployment.plan(predicat.load_catalog(tmp_path), db, "shop")
    script = list(deployment.script(db, plan, Limits()))
    assert not has_schema(db)
    assert "CREATE SCHEMA predicat;" in script
    db.execute("\n".join(script))
    assert calls(db)
    assert value(db, LARGE) == [1, 2]
    after = apply()
    assert after.functions.note is None and len(after.functions.to_install) > 0, "they get their fingerprints"
    assert calls(db)
    assert not apply().functions.to_install


def test_a_conversion_is_a_call_on_a_server_that_has_one(db: Any, apply: Apply) -> None:
    apply(CODED)
    assert calls(db, "predicat.to_bigint(") == (db.info.server_version >= 160_000)
    assert value(db, LARGE) == [1, 2]
    assert bool(apply(CODED).functions.to_install) is False


def test_servers_before_16_have_no_conversions() -> None:
    conversion = predicat.parse("CAST(s AS bigint) > 3", "sql", {"s": "string"}).node
    total = predicat.parse("a + b > 3", "sql", {"a": "bigint", "b": "bigint"}).node
    older = installed.available(150_000)
    assert not any("pg_input_is_valid" in row.sql for row in installed.definitions(150_000))
    assert "predicat." not in POSTGRES.render(conversion, runtime=older)
    assert POSTGRES.render(total, runtime=older) == "predicat.plus(a, b) > 3"
