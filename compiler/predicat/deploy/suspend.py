"""A table is altered while the views on it are away: PostgreSQL alters no column that a view has.

It is one transaction: the views and everything that depends on them are dropped, the statements of the user
run, and all comes back with owners, grants, comments, rules and indexes, our views with the columns that the
table has then. If anything fails, nothing has happened.
"""

from collections.abc import Mapping

import psycopg
from msgspec import Struct
from msgspec.structs import replace

from predicat.catalog.model import Catalog
from predicat.deploy import definitions, dependents, filter_functions, inventory, locks, policies, relations
from predicat.deploy.dependents import Saved
from predicat.deploy.deployment import Batch, Plan, compared, owned
from predicat.deploy.functions import Choice
from predicat.deploy.inventory import Existing
from predicat.deploy.names import VIEW_KINDS
from predicat.deploy.plan import Action, Rules, Step
from predicat.deploy.sessions import Limits, guard, guarded
from predicat.diagnostics import PredicatError, Reporter
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import deploy as say

# A row in it twice: no COMMIT succeeds before one is deleted.
_BARRIER = """
CREATE TEMPORARY TABLE predicat_suspended (number int UNIQUE DEFERRABLE INITIALLY DEFERRED) ON COMMIT DROP;
INSERT INTO pg_temp.predicat_suspended VALUES (1), (1)
"""
_OPENED = "DELETE FROM pg_temp.predicat_suspended"
_OWNER = "SELECT pg_get_userbyid(relowner), relkind::text FROM pg_class WHERE oid = %s"


class Suspension(Struct):
    """What is done for one table: the statements of the user in `sql`, from the file of this name."""

    catalog: Catalog
    connection: psycopg.Connection
    name: str
    table: str
    sql: str
    file: str
    schema: str | None = None
    rules: Rules = Rules()
    limits: Limits = Limits()
    search_path: str = ""
    relation: int = 0

    def run(self, *, dry: bool = False) -> list[str]:
        """Alter the table. Returns the views that were away, in the order in which they came back. With `dry`
        all is done and rolled back. Raises PredicatError.
        """
        shown: list[str] = []
        self.search_path = str(self.connection.execute(b"SHOW search_path").fetchall()[0][0])
        self.connection.rollback()
        with guarded(self.connection, self.limits):
            oid, table = self.find()
            plan, ours = self.read(oid)
            batch = Batch(self.connection, self.name, plan, self.limits)
            batch.lock_catalog()
            locked = {oid: table, **{oid: owned(one.kind, one) for oid, one in plan.saved.items()}}

            def change() -> None:
                shown[:] = self.altered(batch, ours)

            locks.with_locks(self.connection, locked, self.limits, batch.role, change)
            if dry:
                raise psycopg.Rollback
        return shown

    def find(self) -> tuple[int, str]:
        """The table, and how it is locked."""
        self.use_search_path()
        found = relations.find(self.connection, self.table)
        if found is None:
            known = relations.tables(self.connection)
            raise PredicatError.of(say.no_table(self.table, msg.did_you_mean(self.table, known)))
        self.relation = found.oid
        ((owner, kind),) = self.connection.execute(_OWNER.encode(), (found.oid,)).fetchall()
        word = _KINDS.get(kind, "TABLE")
        return found.oid, f"{word} {found.sql} OWNER TO {dependents.quoted(owner)}"

    def read(self, table: int) -> tuple[Plan, dict[int, Existing]]:
        """What is taken away, and which of it is ours."""
        closure = dependents.closure(self.connection, [table])
        above = closure.above([table]) - {table}
        saved = dependents.save(self.connection, above)
        reporter = Reporter()
        for oid in above:
            if fixed := [*closure.others.get(oid, []), *closure.fixed.get(oid, [])]:
                reporter.add(say.cannot_come_again(saved[oid].shown, fixed))
        reporter.raise_errors()
        places = [view.place for view in saved.values()]
        there = inventory.read(self.connection, "", places, [table])
        ours = {
            view.oid: view
            for view in there
            if view.trusted and view.mark is not None and view.mark.catalog == self.name
        }
        self.refuse_edited(ours)
        return Plan([], closure, saved, {}, Choice(None)), ours

    def refuse_edited(self, ours: Mapping[int, Existing]) -> None:
        """Raise PredicatError for views that were changed by hand: they would come back as in the catalog."""
        other = [oid for oid, view in ours.items() if view.mark is not None and view.mark.rule != view.rule]
        texts = definitions.of_views(self.connection, other)
        edited = [
            ours[oid]
            for oid, text in texts.items()
            if (mark := ours[oid].mark) is not None and mark.definition not in ("", text)
        ]
        if edited and not self.rules.force:
            how = "its query is different"
            raise PredicatError([say.view_edited(view.shown, how) for view in edited])

    def altered(self, batch: Batch, ours: Mapping[int, Existing]) -> list[str]:
        """Take everything away, alter the table, and bring everything back."""
        before = batch.plan
        batch.take_away()
        held = policies.on_table(self.connection, self.name, self.relation, force=self.rules.force)
        batch.execute_all((row.shown, row.dropped) for row in held)
        functions = filter_functions.on_relation(self.connection, self.name, self.relation)
        batch.execute_all((one.shown, f"DROP {one.target}") for one in functions.values())
        self.execute()
        self.use_search_path()
        known = {row.qualified for row in self.catalog.filters()}
        names = {f"{view.mark.dataset}.{view.mark.filter}" for view in ours.values() if view.mark is not None}
        asked = self.catalog.only(names & known)
        rules = replace(self.rules, force=True)  # what was changed by hand is refused before
        plan, planner = compared(asked, self.connection, self.name, self.schema, rules, list(ours.values()))
        planner.reporter.raise_errors()
        guard(self.connection, self.limits)
        again = [replace(step, action=Action.RECREATE) for step in plan.steps if step.view is not None]
        steps = {step.existing.oid: step for step in batch.settled(again) if step.existing is not None}
        batch.plan = replace(
            plan,
            closure=before.closure,
            saved={oid: _kept(one, steps.get(oid)) for oid, one in before.saved.items()},
        )
        try:
            if plan.functions.to_install:
                batch.install_functions()
            batch.fill_lists()
            batch.bring_back(steps, same=False)
            batch.write_marks(list(steps.values()))
            batch.make_functions()
            for shown, statement in filter_functions.restore(
                self.connection, self.name, functions, batch.role
            ):
                batch.execute(shown, [statement])
            for shown, statement in policies.again(self.connection, self.name, self.catalog, held):
                batch.execute(shown, [statement])
            batch.settle_lists()
        finally:
            batch.plan = before
        return [before.saved[oid].shown for oid in before.closure.order if oid in before.saved]

    def execute(self) -> None:
        """Run the statements of the user with the search path of the session."""
        self.connection.execute(_BARRIER.encode())
        self.use_search_path()
        try:
            self.connection.execute(self.sql.encode())
        except locks.TRY_AGAIN:
            raise
        except psycopg.Error as error:
            if error.diag.table_name == "predicat_suspended":
                raise PredicatError.of(say.ends_transaction(self.file)) from None
            raise PredicatError.of(say.file_fails(self.file, " ".join(str(error).split()))) from None
        there = self.connection.execute(b"SELECT to_regclass('pg_temp.predicat_suspended')").fetchall()
        if there[0][0] is None:
            raise PredicatError.of(say.ends_transaction(self.file))
        guard(self.connection, self.limits)
        self.connection.execute(_OPENED.encode())

    def use_search_path(self) -> None:
        """Find names as the session does."""
        self.connection.execute(b"SELECT set_config('search_path', %s, true)", (self.search_path,))


# What is altered by which statement.
_KINDS = {**VIEW_KINDS, "f": "FOREIGN TABLE"}


def _kept(saved: Saved, step: Step | None) -> Saved:
    """A view without the grants and comments of columns that the table lost."""
    if step is None or step.view is None or step.existing is None:
        return saved
    lost = {name for name, _ in step.existing.columns} - {column.name for column in step.view.columns}
    return replace(
        saved,
        grants=frozenset(grant for grant in saved.grants if grant[4] not in lost),
        comments=frozenset(one for one in saved.comments if one[0] != "COLUMN" or one[1] not in lost),
    )
