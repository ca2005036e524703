"""The tables of long lists: `predicat apply` makes them, keeps them in step with the catalog, and lets the
readers of views read them.
"""

import csv
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.deploy import deployment
from predicat.deploy.deployment import Plan
from predicat.deploy.plan import Rules
from predicat.deploy.sessions import Limits
from predicat.diagnostics import PredicatError

CATALOG = """\
apiVersion: predicat/v1
dataset: orders
relation: {postgres: listed.orders}
fields: {id: bigint, code: string}
lists:
  blocked: {type: bigint, file: blocked.csv}
  codes: {type: string, file: codes.csv}
filters:
  blocked: {sql: id IN list('blocked')}
  allowed: {sql: id NOT IN list('blocked')}
  either: {sql: id IN list('blocked') OR code IN list('codes')}
"""
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'listed' AND tablename <> 'orders' ORDER BY 1"
Apply = Callable[..., Plan]


@pytest.fixture
def db(postgres: Any) -> Iterator[Any]:
    postgres.execute("CREATE SCHEMA listed; CREATE TABLE listed.orders (id int, code text)")
    postgres.execute(
        "INSERT INTO listed.orders SELECT n, 'c' || n FROM generate_series(0, 30000) n; "
        "INSERT INTO listed.orders VALUES (NULL, 'c1'), (NULL, NULL), (-1, NULL), (-1, 'it''s \\ \"x\"')"
    )
    postgres.execute("CREATE ROLE list_reader; GRANT USAGE ON SCHEMA listed TO list_reader")
    yield postgres
    postgres.execute(
        "RESET ROLE; RESET ALL; DROP SCHEMA listed CASCADE; DROP OWNED BY list_reader; DROP ROLE list_reader"
    )


@pytest.fixture
def apply(db: Any, tmp_path: Path) -> Apply:
    (tmp_path / "codes.csv").write_text(
        'code\nc29999\n"it\'s \\ ""x"""\n' + "".join(f"x{n}\n" for n in range(10_000))
    )

    def run(most: int = 10_001, text: str = CATALOG, name: str = "shop", *, force: bool = False) -> Plan:
        (tmp_path / "blocked.csv").write_text("id\n" + "".join(f"{n}\n" for n in range(0, most * 2, 2)))
        (tmp_path / "c.yml").write_text(text)
        return deployment.apply(predicat.load_catalog(tmp_path), db, name, rules=Rules(force=force))

    return run


def one(db: Any, query: str) -> Any:
    return db.execute(query).fetchone()[0]


def test_tables_are_filled_and_views_look_into_them(db: Any, apply: Apply, tmp_path: Path) -> None:
    plan = apply()
    assert [line.partition(":")[0].rpartition("_")[0] for line in plan.lists.lines()] == [
        "fill listed.predicat_blocked",
        "fill listed.predicat_codes",
    ]
    rows = db.execute("SELECT id, code FROM listed.orders").fetchall()
    catalog = predicat.load_catalog(tmp_path)
    for name in ("blocked", "allowed", "either"):
        count = sum(catalog[name].evaluate({"id": i, "code": code}) is True for i, code in rows)
        assert one(db, f"SELECT count(*) FROM listed.orders__{name}") == count > 0
    shown = "\n".join(row[0] for row in db.execute("EXPLAIN SELECT * FROM listed.orders__blocked").fetchall())
    assert "Hash Join" in shown  # the values are unique: not even a semi-join is needed
    shown = "\n".join(row[0] for row in db.execute("EXPLAIN SELECT * FROM listed.orders__allowed").fetchall())
    assert "Anti Join" in shown
    again = apply()
    assert not again.changes and not again.batches and not again.lists.changes


def test_other_values_are_another_table(db: Any, apply: Apply) -> None:
    apply()
    before = [row[0] for row in db.execute(TABLES).fetchall()]
    db.execute("CREATE VIEW listed.mine AS SELECT count(*) FROM listed.orders__blocked")
    plan = apply(10_002)
    assert [str(step.action) for step in plan.changes] == ["replace"] * 3
    after = [row[0] for row in db.execute(TABLES).fetchall()]
    assert len(before) == len(after) == len({*before, *after}) - 1 == 2
    assert one(db, "SELECT count FROM listed.mine") == 10_002
    apply(10, CATALOG)  # short enough to be written out
    assert [row[0] for row in db.execute(TABLES).fetchall()] == [name for name in after if "codes" in name]
    apply(10, CATALOG.partition("  either")[0])
    assert db.execute(TABLES).fetchall() == []


def test_readers_of_views_read_their_lists(db: Any, apply: Apply) -> None:
    apply()
    db.execute("GRANT SELECT ON listed.orders, listed.orders__blocked TO list_reader")
    assert [line.partition(" ")[0] for line in apply().lists.lines()] == ["grant"]
    db.execute("SET ROLE list_reader")
    assert one(db, "SELECT count(*) FROM listed.orders__blocked") == 10_001
    db.execute("RESET ROLE")
    apply(10_002)  # a new table
    db.execute("SET ROLE list_reader")
    assert one(db, "SELECT count(*) FROM listed.orders__blocked") == 10_002
    db.execute("RESET ROLE")
    codes = one(db, "SELECT tablename FROM pg_tables WHERE tablename LIKE 'predicat_codes%'")
    assert not one(db, f"SELECT has_table_privilege('list_reader', 'listed.{codes}', 'SELECT')")


def test_what_others_use_or_made_stays(db: Any, apply: Apply) -> None:
    apply()
    old = one(db, "SELECT tablename FROM pg_tables WHERE tablename LIKE 'predicat_blocked%'")
    db.execute(f"CREATE VIEW listed.mine AS SELECT count(*) FROM listed.{old}")
    plan = apply(10_002)
    assert one(db, "SELECT count FROM listed.mine") == 10_001
    new = next(table.name for table in plan.lists.wanted.values() if "blocked" in table.name)
    db.execute(f"DROP VIEW listed.mine; DROP TABLE listed.{new} CASCADE; CREATE TABLE listed.{new} (n int)")
    with pytest.raises(PredicatError, match="is not the table of a list that predicat made"):
        apply(10_002)


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM {} WHERE value = (SELECT min(value) FROM {})",
        "INSERT INTO {} VALUES (-7)",
        "UPDATE {} SET value = -7 WHERE value = (SELECT max(value) FROM {})",
        "TRUNCATE {}",
    ],
)
def test_rows_that_were_changed_by_hand(db: Any, apply: Apply, change: str) -> None:
    table = next(one.sql for one in apply().lists.wanted.values() if "blocked" in one.name)
    wanted = one(db, "SELECT count(*) FROM listed.orders__blocked")
    db.execute(change.replace("{}", table))
    with pytest.raises(
        PredicatError, match="were changed by hand: they are not the values of the list block"
    ):
        apply()
    assert [line.partition(" ")[0] for line in apply(force=True).lists.lines()] == ["restore"]
    assert one(db, "SELECT count(*) FROM listed.orders__blocked") == wanted
    assert not apply().lists.changes


def test_rows_of_each_type_have_a_checksum(db: Any, tmp_path: Path) -> None:
    kinds = {
        "string": [f"it's {n} %L \\" for n in range(10_001)],
        "date": [date(1990, 1, 1) + timedelta(n) for n in range(10_001)],
        "timestamp": [datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=n / 8) for n in range(10_001)],
        "decimal(10,2)": [Decimal(n) / 100 for n in range(10_001)],
    }
    fields = ", ".join(f"'f{n}': '{kind}'" for n, kind in enumerate(kinds))
    lists = "".join(f"  l{n}: {{type: '{kind}', file: l{n}.csv}}\n" for n, kind in enumerate(kinds))
    filters = "".join(f"  l{n}: {{sql: \"f{n} IN list('l{n}')\"}}\n" for n in range(len(kinds)))
    columns = ("text", "date", "timestamptz", "numeric(10,2)")
    db.execute(f"CREATE TABLE listed.kinds ({', '.join(f'f{n} {kind}' for n, kind in enumerate(columns))})")
    (tmp_path / "c.yml").write_text(
        "apiVersion: predicat/v1\ndataset: kinds\nrelation: {postgres: listed.kinds}\n"
        f"fields: {{{fields}}}\nlists:\n{lists}filters:\n{filters}"
    )
    for n, values in enumerate(kinds.values()):
        with (tmp_path / f"l{n}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["v"], *([value] for value in values)])
    catalog = predicat.load_catalog(tmp_path)
    assert len(deployment.apply(catalog, db, "kinds").lists.create) == len(kinds)
    db.execute("SET DateStyle = 'German'; SET TimeZone = 'Asia/Tokyo'")
    assert not deployment.plan(catalog, db, "kinds").lists.changes


def test_the_script_does_the_same(db: Any, apply: Apply, tmp_path: Path) -> None:
    apply()
    (tmp_path / "blocked.csv").write_text("id\n" + "".join(f"{n}\n" for n in range(-10_100, 0)))
    catalog = predicat.load_catalog(tmp_path)
    plan = deployment.plan(catalog, db, "shop")
    script = "\n".join(deployment.script(db, plan, Limits()))
    db.execute(script)
    assert one(db, "SELECT count(*) FROM listed.orders__blocked") == 2
    assert not deployment.plan(catalog, db, "shop").lists.changes
    (new,) = (table.sql for table in plan.lists.create)
    db.execute(f"DELETE FROM {new} WHERE value = -1")
    with pytest.raises(PredicatError, match="were changed by hand"):
        deployment.plan(catalog, db, "shop")
