"""A table is altered while its views are away; all else comes back as it was."""

import re
from pathlib import Path
from typing import Any

import pytest

from predicat.deploy import deployment
from predicat.deploy.plan import Rules
from predicat.deploy.suspend import Suspension
from predicat.diagnostics import PredicatError
from tests.deploy import servers
from tests.deploy.test_views import DEPENDENTS, FILTERS, HEAD, Apply, apply, catalog, db, state

__all__ = ["apply", "db"]
DIRECT = "CREATE VIEW shop.direct AS SELECT age, count(*) AS n FROM shop.people GROUP BY age"
# The mark has a hash of the columns, and fingerprints of what the server stores.
MARK = re.compile(r"^\[predicat/1 .*|^\\(?:un)?restrict .*", re.MULTILINE)


def dumped(db: Any) -> list[str]:
    return sorted(MARK.sub("", servers.program("pg_dump", db, "-n", "shop", "-s")).splitlines())


def alter(db: Any, folder: Path, sql: str, text: str = HEAD + FILTERS, **more: Any) -> list[str]:
    dry = more.pop("dry", False)
    return Suspension(catalog(folder, text), db, "shop", "shop.people", sql, "alter.sql", **more).run(dry=dry)


@pytest.mark.parametrize(
    ("sql", "old", "new"),
    [
        ("ALTER TABLE shop.people ALTER COLUMN age TYPE bigint", ["    age integer"], ["    age bigint"]),
        ("ALTER TABLE shop.people ADD COLUMN city text", ["    age integer"], None),
    ],
)
def test_everything_comes_back_but_for_the_column(
    db: Any, apply: Apply, tmp_path: Path, sql: str, old: list[str], new: list[str] | None
) -> None:
    apply()
    db.execute(DEPENDENTS + ";" + DIRECT)
    before, stored = dumped(db), state(db)
    assert alter(db, tmp_path, sql, dry=True) and dumped(db) == before
    shown = alter(db, tmp_path, sql)
    assert set(shown) == {
        "view shop.people__adult",
        "view shop.people__named",
        "view shop.report",
        "view shop.summary",
        "view shop.direct",
        "materialized view shop.kept",
    }
    after = dumped(db)
    if new is not None:
        assert [line for line in before if line not in after] == old
        assert [line for line in after if line not in before] == new
    else:
        new_lines = {line.replace(" people.", " ") for line in after if line not in before}
        assert new_lines == {
            "    city text",
            "    age integer,",
            "    age,",
            "    city",
        }
    assert [row for row in state(db) if row[0] != "default"] == [row for row in stored if row[0] != "default"]
    assert apply() == [] and db.execute("SELECT count(*) FROM shop.kept").fetchone()[0] == 2


def test_long_conditions_have_the_same_text(db: Any, apply: Apply, tmp_path: Path) -> None:
    """PostgreSQL drops parentheses of such a text when it is created from a dump."""
    text = HEAD + "filters: {numeric: {sql: CAST(name AS bigint) > 3}}\n"
    apply(text, standalone=True)
    before = dumped(db)
    alter(
        db,
        tmp_path,
        "ALTER TABLE shop.people ALTER COLUMN age TYPE bigint",
        text,
        rules=Rules(standalone=True),
    )
    after = dumped(db)
    assert [line for line in after if line not in before] == ["    age bigint"]


def test_a_column_is_dropped_with_its_grants_and_comments(db: Any, apply: Apply, tmp_path: Path) -> None:
    db.execute("ALTER TABLE shop.people ADD COLUMN city text")
    apply()
    db.execute("GRANT SELECT (city, name) ON shop.people__adult TO reader")
    db.execute("COMMENT ON COLUMN shop.people__adult.city IS 'where'")
    db.execute("SET search_path = shop")
    assert len(alter(db, tmp_path, "ALTER TABLE people DROP COLUMN city")) == 2
    db.execute("RESET search_path")
    granted = db.execute(
        "SELECT column_name FROM information_schema.column_privileges WHERE grantee = 'reader'"
    ).fetchall()
    assert granted == [("name",)] and apply() == []


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("ALTER TABLE shop.people DROP COLUMN age", "no column 'age'|age"),
        ("ALTER TABLE shop.people DROP COLUMN city", "alter.sql fails; everything was rolled back: .*city"),
        ("ALTER TABLE shop.people ALTER age TYPE bigint; COMMIT; SELECT 1", "leave out BEGIN, COMMIT"),
        ("ROLLBACK", "leave out BEGIN, COMMIT"),
    ],
)
def test_nothing_happens_if_anything_fails(
    db: Any, apply: Apply, tmp_path: Path, sql: str, problem: str
) -> None:
    apply()
    db.execute(DEPENDENTS)
    before = dumped(db)
    with pytest.raises(PredicatError, match=problem):
        alter(db, tmp_path, sql)
    assert dumped(db) == before


def test_what_cannot_come_back_is_told(db: Any, apply: Apply, tmp_path: Path) -> None:
    apply()
    db.execute("CREATE FUNCTION shop.f(shop.people__adult) RETURNS int LANGUAGE sql AS 'SELECT 1'")
    before = dumped(db)
    with pytest.raises(PredicatError, match="these cannot be created again: function"):
        alter(db, tmp_path, "ALTER TABLE shop.people ADD COLUMN city text")
    db.execute("DROP FUNCTION shop.f(shop.people__adult)")
    db.execute("CREATE OR REPLACE VIEW shop.people__adult AS SELECT * FROM shop.people WHERE age > 5")
    with pytest.raises(PredicatError, match="was changed by hand"):
        alter(db, tmp_path, "ALTER TABLE shop.people ADD COLUMN city text")
    assert before != dumped(db)
    alter(db, tmp_path, "ALTER TABLE shop.people ADD COLUMN city text", rules=Rules(force=True))
    assert deployment.plan(catalog(tmp_path, HEAD + FILTERS), db, "shop").changes == []
