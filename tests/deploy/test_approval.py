"""What a plan says: its locks are those that are taken, and its undo leaves the database as it was."""

from pathlib import Path
from typing import Any

import pytest

from predicat.deploy import approval, deployment
from predicat.deploy.plan import Action, Cause, Rules
from tests.deploy.test_suspend import dumped
from tests.deploy.test_views import DEPENDENTS, FILTERS, HEAD, Apply, apply, catalog, db
from tests.rounds import rounds

__all__ = ["apply", "db"]
OTHER = "CREATE TABLE shop.persons (age int, name text)"
CHANGES = {
    "query": ((HEAD + FILTERS).replace("18", "21"), "", {Action.REPLACE}, {Cause.QUERY}),
    "columns": ((HEAD + FILTERS).replace("people}", "persons}"), OTHER, {Action.RECREATE}, {Cause.COLUMNS}),
    "wider": (HEAD + FILTERS, "ALTER TABLE shop.people ADD city text", {Action.REPLACE}, {Cause.COLUMNS}),
    "options": (
        HEAD + "view: {security_barrier: true}\n" + FILTERS,
        "",
        {Action.OPTIONS},
        {Cause.OPTIONS},
    ),
    "description": ((HEAD + FILTERS).replace("Of age", "Grown"), "", {Action.COMMENT}, {Cause.DESCRIPTION}),
    "new": (HEAD + FILTERS + "  old: {sql: age > 60}\n", "", {Action.CREATE}, {Cause.NEW}),
    "gone": (
        HEAD + FILTERS.partition("  named")[0],
        "GRANT SELECT (age) ON shop.people__named TO reader",
        {Action.DROP},
        {Cause.REMOVED},
    ),
    "by hand": (
        HEAD + FILTERS,
        "CREATE OR REPLACE VIEW shop.people__named AS SELECT * FROM shop.people",
        {Action.REPLACE},
        {Cause.BY_HAND},
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_undo_leaves_everything_as_it_was(db: Any, apply: Apply, tmp_path: Path, name: str) -> None:
    text, before, actions, causes = CHANGES[name]
    apply()
    db.execute(DEPENDENTS)
    db.execute(before)
    there = sorted(dumped(db))
    plan = deployment.plan(catalog(tmp_path, text), db, "shop", rules=Rules(force=True))
    assert {step.action for step in plan.changes} == actions
    assert {cause for step in plan.changes for cause in step.causes} == causes
    document = approval.document(db, plan, {})
    assert document == approval.document(db, plan, {}) and approval.differences(document, document) == []
    deployment.execute(db, "shop", plan)
    assert name in ("description", "by hand") or dumped(db) != there
    with db.transaction():
        db.execute("; ".join(document["undo"]))
    assert dumped(db) == there
    again = deployment.plan(catalog(tmp_path, text), db, "shop", rules=Rules(force=True))
    assert {(step.action, step.shown) for step in again.changes} == {
        (step.action, step.shown) for step in plan.changes
    }


MODES = "SELECT mode FROM pg_locks WHERE relation = %s::regclass AND pid = pg_backend_pid() AND granted"


@pytest.mark.parametrize("name", [name for name in CHANGES if name not in ("new", "gone")])
def test_locks_are_those_that_are_taken(db: Any, apply: Apply, tmp_path: Path, name: str) -> None:
    text, before, _, _ = CHANGES[name]
    apply()
    db.execute(before)
    plan = deployment.plan(catalog(tmp_path, text), db, "shop", rules=Rules(force=True))
    for row in rounds(approval.document(db, plan, {})["changes"], 1):
        number = db.execute("SELECT %s::regclass::oid", (row["view"],)).fetchone()[0]
        with db.transaction(force_rollback=True):
            db.execute("; ".join(row["sql"]))
            modes = {mode for (mode,) in db.execute(MODES, (number,)).fetchall()}
        wanted = row["lock"].partition(",")[0].title().replace(" ", "") + "Lock"
        assert wanted in modes and (wanted == "AccessExclusiveLock" or "AccessExclusiveLock" not in modes)
