"""A plan as data: what somebody approves, and what is compared with the plan of the day it is applied."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg

from predicat.deploy import dependents
from predicat.deploy.dependents import Saved
from predicat.deploy.deployment import Plan, changed_options, changes, comment_statements
from predicat.deploy.names import qualified
from predicat.deploy.plan import Action, Step
from predicat.deploy.sessions import guarded
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import deploy as say
from predicat.diagnostics.reading import text_of

# The kind of the document, and its version.
_KIND = "plan/1"
# The strongest lock that a change takes on a view. Readers wait only behind the last one.
LOCKS = {
    Action.CREATE: "ACCESS SHARE on its relation",
    Action.COMMENT: "SHARE UPDATE EXCLUSIVE",
    Action.OPTIONS: "ACCESS EXCLUSIVE",
    Action.REPLACE: "ACCESS EXCLUSIVE",
    Action.RECREATE: "ACCESS EXCLUSIVE, also on what depends on it",
    Action.DROP: "ACCESS EXCLUSIVE",
}


def document(connection: psycopg.Connection, plan: Plan, options: Mapping[str, Any]) -> dict[str, Any]:
    """The changes of a plan with causes, SQL and locks, and the statements that undo them, made of the state
    of the database. Two plans do the same to the same state if their documents are equal.
    """
    rows = [
        {
            "view": step.shown,
            "action": str(step.action),
            "causes": [str(cause) for cause in step.causes],
            "reason": step.reason,
            "lock": LOCKS[step.action],
            "sql": _sql(connection, step),
            "readers": [plan.saved[oid].shown for oid in _readers(plan, step)],
        }
        for step in plan.changes
    ]
    functions = [definition.signature for definition in plan.functions.to_install]
    return {
        "predicat": _KIND,
        "options": dict(options),
        "functions": functions,
        "lists": list(plan.lists.lines()),
        "filter_functions": [f"{statement};" for _, statement in plan.filters.statements()],
        "changes": rows,
        "policies": [
            {
                "policy": step.shown,
                "action": step.action,
                "causes": [str(cause) for cause in step.causes],
                "reason": step.reason,
                "lock": step.lock,
                "sql": list(step.sql),
            }
            for step in plan.policies.steps
        ],
        "notes": list(plan.policies.notes),
        "undo": [*plan.policies.undo(), *undo(connection, plan)],
    }


def _sql(connection: psycopg.Connection, step: Step) -> list[str]:
    made = changes(step)
    if step.action == Action.RECREATE and step.existing is not None and step.view is not None:
        new = Step(Action.CREATE, [], "", step.view, None, step.options)
        made = [f"DROP {step.existing.word} {step.existing.sql}", *changes(new)]
    return [*made, *comment_statements(connection, step)]


def _readers(plan: Plan, step: Step) -> list[int]:
    if step.action != Action.RECREATE or step.existing is None:
        return []
    ours = {one.existing.oid for one in plan.changes if one.existing is not None}
    above = plan.closure.above([step.existing.oid])
    return [oid for oid in plan.closure.order if oid in above - ours and oid in plan.saved]


def read(file: Path) -> dict[str, Any]:
    """The document in a file. Raises PredicatError."""
    try:
        found = json.loads(text_of(file))
    except ValueError:
        found = None
    if not isinstance(found, dict) or found.get("predicat") != _KIND:
        raise PredicatError.of(say.no_plan(str(file)))
    return found


def differences(approved: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The views that two documents change in different ways, otherwise the names of the parts that differ."""
    before, after = ({row["view"]: row for row in one.get("changes", [])} for one in (approved, now))
    views = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return views or [key for key in now if approved.get(key) != now[key]]


def undo(connection: psycopg.Connection, plan: Plan) -> list[str]:
    """The statements that undo the changes of views. Functions and tables of lists stay as they are."""
    touched = {step.existing.oid: step for step in plan.changes if step.existing is not None}
    wider = [oid for oid, step in touched.items() if _is_wider(step)]
    with guarded(connection):
        closure = dependents.closure(connection, [*wider, *plan.saved]) if wider else plan.closure
        saved = dependents.save(connection, [*{*touched, *closure.reads}])
        role = str(connection.execute(b"SELECT current_user").fetchall()[0][0])
        again = {*wider, *plan.saved} | closure.above(wider)
        return list(
            _undo(connection, plan, {oid: saved[oid] for oid in closure.order if oid in again}, saved, role)
        )


def _undo(
    connection: psycopg.Connection,
    plan: Plan,
    again: Mapping[int, Saved],
    saved: Mapping[int, Saved],
    role: str,
) -> Iterator[str]:
    now = {
        step.existing.oid: step.view
        for step in plan.changes
        if step.existing is not None and step.view is not None
    }
    for step in reversed(plan.changes):
        there = step.existing
        if there is None and step.view is not None:
            yield f"DROP {step.view.word} {step.view.sql}"
        elif there is not None and step.view is not None and there.oid not in again:
            yield from _in_place(connection, step, saved[there.oid])
    for oid, view in reversed(list(again.items())):
        new = now.get(oid)
        yield f"DROP {new.word} {new.sql}" if new is not None else f"DROP {view.kind} {view.sql}"
    gone = [saved[oid] for oid, step in _dropped(plan) if oid not in again]
    for view in (*again.values(), *gone):
        yield from _whole(connection, view, role)


def _dropped(plan: Plan) -> list[tuple[int, Step]]:
    """The views that are dropped, in the order in which they can be created."""
    steps = [(step.existing.oid, step) for step in plan.changes if step.existing is not None]
    return [(oid, step) for oid, step in reversed(steps) if step.action == Action.DROP]


def _whole(connection: psycopg.Connection, view: Saved, role: str) -> Iterator[str]:
    yield from dependents.create(view, role)
    yield from dependents.parts_statements(connection, view)
    yield from dependents.regrant_statements(view, role)


def _in_place(connection: psycopg.Connection, step: Step, view: Saved) -> Iterator[str]:
    """The statements that give a view its query, place, options and comment again."""
    if step.existing is None or step.view is None:
        return
    if step.action == Action.REPLACE:
        options = f" WITH ({', '.join(view.options)})" if view.options else ""
        yield f"CREATE OR REPLACE VIEW {step.view.sql}{options} AS {view.definition}"
    else:
        yield from (
            f"ALTER VIEW {step.view.sql} {one}"
            for one in changed_options(step.existing.options, step.options)
        )
    if step.view.name != view.name:
        yield f"ALTER VIEW {step.view.sql} RENAME TO {dependents.quoted(view.name)}"
    if step.view.schema != view.schema:
        named = qualified(step.view.schema, view.name)
        yield f"ALTER VIEW {named} SET SCHEMA {dependents.quoted(view.schema)}"
    yield f"COMMENT ON {view.kind} {view.sql} IS {dependents.literal(connection, step.existing.comment)}"


def _is_wider(step: Step) -> bool:
    """Whether a view gets more columns in place, which CREATE OR REPLACE cannot take back."""
    return (
        step.action == Action.REPLACE
        and step.existing is not None
        and step.view is not None
        and len(step.view.columns) != len(step.existing.columns)
    )
