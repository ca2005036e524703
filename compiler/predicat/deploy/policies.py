"""Row policies of tables: the plan that makes those of a database match the catalog.

All changes of policies are one transaction, so no moment has fewer of them than before or after. What
predicat did not create, it does not change or drop. Row-level security is turned off again only for a table
for which predicat turned it on, and that has no policy left.
"""

from collections.abc import Iterator, Mapping, Sequence

import psycopg
from msgspec import Struct, field
from msgspec.structs import replace

from predicat.catalog.model import Catalog, Dataset
from predicat.deploy import policies_there as there
from predicat.deploy.dependents import quoted
from predicat.deploy.plan import Action, Cause, Rules
from predicat.deploy.policies_there import ENABLED, FORCED, Present, Rule, Table, Wanted
from predicat.deploy.relations import Relation, check_relations
from predicat.deploy.sessions import guarded
from predicat.diagnostics import PredicatError, Reporter
from predicat.diagnostics.messages import deploy as say
from predicat.diagnostics.messages.row_policies import two_datasets

# The kinds of pg_class that can have policies: tables, also partitioned ones.
_TABLES = ("r", "p")
# How the security of rows of a table is turned on, and off again.
_SWITCHES = {
    ENABLED: ("ENABLE ROW LEVEL SECURITY", "DISABLE ROW LEVEL SECURITY"),
    FORCED: ("FORCE ROW LEVEL SECURITY", "NO FORCE ROW LEVEL SECURITY"),
}
# The lock that a change takes on its table; a comment locks out no reader.
_LOCK, _LOCK_OF_COMMENT = "ACCESS EXCLUSIVE on its table", "SHARE UPDATE EXCLUSIVE on its table"


class PolicyStep(Struct, frozen=True):
    """A change of a policy, or of the row-level security of a table: its statements, and those that undo
    them.
    """

    action: str
    shown: str
    causes: Sequence[Cause]
    reason: str
    sql: Sequence[str]
    undo: Sequence[str]
    table: Table

    @property
    def lock(self) -> str:
        """The lock that it takes."""
        return _LOCK_OF_COMMENT if self.action == Action.COMMENT else _LOCK


class PolicyPlan(Struct):
    """The changes of policies, what should be known about them, and the policies as they were."""

    steps: Sequence[PolicyStep] = field(default_factory=list[PolicyStep])
    notes: Sequence[str] = ()
    catalog: str = ""
    before: Sequence[Present] = ()

    def lines(self) -> Iterator[str]:
        """The changes and the notes, one per line."""
        yield from (f"{step.action} {step.shown}: {step.reason}" for step in self.steps)
        yield from (f"note: {note}" for note in self.notes)

    def statements(self) -> Iterator[tuple[str, str]]:
        """The statements, each with the name of what it changes."""
        return ((step.shown, statement) for step in self.steps for statement in step.sql)

    def undo(self) -> Iterator[str]:
        """The statements that undo all changes."""
        return (statement for step in reversed(self.steps) for statement in step.undo)

    @property
    def locked(self) -> dict[int, str]:
        """What is locked: the tables, with their owners, as SQL."""
        found = {step.table.oid: step.table for step in self.steps if step.lock == _LOCK}
        return {oid: f"TABLE {table.sql} OWNER TO {quoted(table.owner)}" for oid, table in found.items()}

    def check_unchanged(self, connection: psycopg.Connection) -> None:
        """Raise PredicatError if another session changed policies since the plan was made."""
        touched = {step.table.oid: step.table for step in self.steps}
        now = there.read(connection, "", touched, touched)
        before = [replace(row, trusted=True) for row in self.before if row.table.oid in touched]
        if now != before or there.tables(connection, touched) != touched:
            raise PredicatError.of(say.policies_changing(table.shown for table in touched.values()))


def tables_of(
    catalog: Catalog, connection: psycopg.Connection, relations: Mapping[str, Relation]
) -> dict[tuple[str, str], Relation]:
    """The table of each policy, by dataset and policy. Raises PredicatError for columns that do not fit."""
    result: dict[tuple[str, str], Relation] = {}
    for dataset in catalog.datasets.values():
        others: dict[str, Relation] = {}
        for policy in dataset.policies.values():
            if policy.table and policy.table not in others:
                others[policy.table] = check_relations(_on(dataset, policy.table), connection)[dataset.name]
            result[dataset.name, policy.name] = (
                others[policy.table] if policy.table else relations[dataset.name]
            )
    return result


def _on(dataset: Dataset, table: str) -> Catalog:
    """A catalog with the filters of the policies on one table, which is the relation of the dataset."""
    names = {
        used.filter.partition("@")[0].rpartition(".")[2]
        for policy in dataset.policies.values()
        for used in policy.filters
        if policy.table == table
    }
    filters = {name: dataset.filters[name] for name in names}
    return Catalog({dataset.name: replace(dataset, relation={"postgres": table}, filters=filters)})


def plan(
    connection: psycopg.Connection,
    name: str,
    catalog: Catalog,
    relations: Mapping[str, Relation],
    rules: Rules,
) -> PolicyPlan:
    """What the policies of a catalog of this name need. Raises PredicatError for everything that prevents it:
    policies of others, changes by hand without `force`, what the server does not take.
    """
    rows = in_sql(catalog, connection, relations)
    reporter = Reporter()
    with guarded(connection):
        asked_for = {row.table.oid for row in rows}
        marked = {row.table.oid for row in there.read(connection, name, asked_for)}
        present = there.read(connection, name, asked_for | marked, asked_for)
        found = there.tables(connection, asked_for)
        found |= {row.table.oid: row.table for row in present}
        planner = _Planner(connection, name, rules, found, present, reporter)
        steps, notes = planner.steps(rows), planner.notes(rows)
    reporter.raise_errors()
    return PolicyPlan(steps, notes, name, present)


def in_sql(
    catalog: Catalog, connection: psycopg.Connection, relations: Mapping[str, Relation]
) -> list[Wanted]:
    """The policies of a catalog in SQL. Raises PredicatError with those that PostgreSQL cannot express, and
    two of one name on a table.
    """
    asked = tables_of(catalog, connection, relations)
    given = there.values(connection, catalog)
    rows: dict[tuple[int, str], Wanted] = {}
    reporter = Reporter()
    for dataset in catalog.datasets.values():
        for policy in dataset.policies.values():
            table = asked[dataset.name, policy.name]
            try:
                row = there.wanted(catalog, dataset, policy, table, given)
            except PredicatError as error:
                reporter.extend(error.diagnostics)
                continue
            if (other := rows.setdefault((table.oid, policy.name), row)) is not row:
                owner = other.identity.partition(".")[0]
                reporter.add(two_datasets(policy.span, table.name, owner))
    reporter.raise_errors()
    return list(rows.values())


def on_table(connection: psycopg.Connection, name: str, table: int, *, force: bool) -> list[Present]:
    """The policies of a table. Raises PredicatError for those of a catalog that were changed by hand, unless
    `force`.
    """
    found = there.read(connection, "", [table], [table])
    edited = [row for row in found if row.mark.get("catalog") == name and _is_edited(connection, row)]
    if edited and not force:
        raise PredicatError([say.policy_edited(row.shown) for row in edited])
    return found


def again(
    connection: psycopg.Connection, name: str, catalog: Catalog, before: Sequence[Present]
) -> Iterator[tuple[str, str]]:
    """The statements that create policies that were dropped, each with the name of its policy: those of a
    catalog as it has them, others as they were.
    """
    datasets = {key: row for key, row in catalog.datasets.items() if row.policies}
    asked = replace(catalog, datasets=datasets)
    rows = in_sql(asked, connection, check_relations(asked, connection)) if before and datasets else []
    by_place = {(row.table.oid, row.name): row for row in rows}
    turned = [key for key in _SWITCHES if any(key in row.mark for row in before)]
    for row in before:
        sql, wanted = row.table.sql, by_place.get((row.table.oid, row.name))
        rule, text = row.rule, row.comment
        if wanted is not None and row.mark.get("catalog") == name:
            made = there.stored(connection, wanted)
            rule = wanted.rule
            text = there.comment(connection, name, wanted, row.comment, made, turned)
        yield f"policy {row.shown}", rule.created(sql, row.name)
        yield f"policy {row.shown}", there.commented(connection, sql, row.name, text)


def _is_edited(connection: psycopg.Connection, row: Present) -> bool:
    """Whether a policy is another than its mark says; in another version of the server it is not known."""
    same_server = row.mark.get("server") == str(connection.info.server_version // 10_000)
    return same_server and row.mark.get("definition") != there.definition(row.rule)


class _Planner(Struct):
    connection: psycopg.Connection
    name: str
    rules: Rules
    tables: Mapping[int, Table]
    present: Sequence[Present]
    reporter: Reporter

    def is_ours(self, row: Present) -> bool:
        """Whether a policy has our mark, on a table of a trusted owner."""
        return row.trusted and row.mark.get("catalog") == self.name

    def steps(self, wanted: Sequence[Wanted]) -> list[PolicyStep]:
        """The steps for all tables: new and changed policies, row-level security, then what goes."""
        result: list[PolicyStep] = []
        by_place = {(row.table.oid, row.name): row for row in self.present}
        kept = {(row.table.oid, row.name) for row in wanted}
        for oid, table in self.tables.items():
            rows = [row for row in wanted if row.table.oid == oid]
            if rows and table.kind not in _TABLES:
                self.reporter.add(say.policy_of_no_table(rows[0].span, rows[0].name, table.shown))
                continue
            ours = [row for row in self.present if row.table.oid == oid and self.is_ours(row)]
            turned = [key for key in _SWITCHES if any(key in row.mark for row in ours)]
            on = {ENABLED: table.enabled, FORCED: table.forced}
            missing = [key for key in _SWITCHES if rows and not on[key]]
            turned += [key for key in missing if key not in turned]
            for row in rows:
                result += self.step(row, by_place.get((oid, row.name)), table, turned)
            result += [self.switched_on(table, key, ours) for key in missing]
            gone = [row for row in ours if (oid, row.name) not in kept]
            result += [self.dropped(row) for row in gone]
            left = any(row.table.oid == oid and row not in gone for row in self.present)
            if gone and not rows and not left:
                result += [self.switched_off(table, key) for key in reversed(turned) if on[key]]
        return result

    def step(
        self, row: Wanted, present: Present | None, table: Table, turned: Sequence[str]
    ) -> Iterator[PolicyStep]:
        """The step for a policy of the catalog, if it changes."""
        try:
            made = there.stored(self.connection, row)
        except PredicatError as error:
            self.reporter.extend(error.diagnostics)
            return
        shown, sql, name = f"policy {row.name} on {table.shown}", table.sql, row.name
        text = there.comment(
            self.connection, self.name, row, present.comment if present else "", made, turned
        )
        noted = there.commented(self.connection, sql, name, text)
        if present is None:
            new = [row.rule.created(sql, name), noted]
            undo = [f"DROP POLICY {quoted(name)} ON {sql}"]
            yield PolicyStep(Action.CREATE, shown, [Cause.NEW], "a new policy", new, undo, table)
            return
        reasons = self.changes(row, present, made)
        if reasons is None:
            return
        again = there.commented(self.connection, sql, name, present.comment)
        if present.rule != made:
            action = Action.REPLACE if present.rule.can_become(made) else Action.RECREATE
            statements = [*_become(present.rule, row.rule, made, sql, name), noted]
            undo = [*_become(made, present.rule, present.rule, sql, name), again]
            why = "; ".join(reasons.values())
            yield PolicyStep(action, shown, list(reasons), why, statements, undo, table)
        elif text != present.comment:
            causes, why = [Cause.DESCRIPTION], "its comment changed"
            yield PolicyStep(Action.COMMENT, shown, causes, why, [noted], [again], table)

    def changes(self, row: Wanted, present: Present, made: Rule) -> dict[Cause, str] | None:
        """Why a policy that is there changes; None if it must not be changed, which is reported."""
        mark, known = present.mark, there.definition(present.rule)
        if not self.is_ours(present):
            if not self.rules.adopt or mark.get("catalog", self.name) != self.name:
                self.reporter.add(say.policy_of_others(row.span, present.shown))
                return None
            return {Cause.FORMER: "taken over"}
        edited = known != mark.get("definition") and mark.get("hash") == row.hash
        edited = edited or _is_edited(self.connection, present)
        if present.rule != made and edited:
            if not self.rules.force:
                self.reporter.add(say.policy_edited(present.shown))
                return None
            return {Cause.BY_HAND: "changed by hand"}
        before = present.rule
        kinds = (before.command, before.permissive) != (made.command, made.permissive)
        causes = {
            Cause.KIND: ("its command or kind changed", kinds),
            Cause.ROLES: ("its roles changed", before.roles != made.roles),
            Cause.QUERY: ("its SQL changed", (before.using, before.check) != (made.using, made.check)),
        }
        return {cause: reason for cause, (reason, differs) in causes.items() if differs}

    def switched_on(self, table: Table, key: str, ours: Sequence[Present]) -> PolicyStep:
        """The step that turns a switch of row-level security on. Turned off by hand, it needs `force`."""
        on, off = _SWITCHES[key]
        by_hand = any(key in row.mark for row in ours)
        if by_hand and not self.rules.force:
            self.reporter.add(say.security_turned_off(table.shown, off))
        reason = say.TURNED_OFF if by_hand else say.HAS_POLICIES
        cause = Cause.BY_HAND if by_hand else Cause.NEW
        return self.switched(table, on, off, [cause], reason)

    def switched_off(self, table: Table, key: str) -> PolicyStep:
        """The step that turns off what predicat turned on, as no policy is left."""
        on, off = _SWITCHES[key]
        return self.switched(table, off, on, [Cause.REMOVED], say.NO_POLICY_LEFT)

    def switched(
        self, table: Table, done: str, undone: str, causes: Sequence[Cause], reason: str
    ) -> PolicyStep:
        """A step of the row-level security of a table."""
        shown, action = f"row-level security of {table.shown}", done.removesuffix(" ROW LEVEL SECURITY")
        sql, undo = (f"ALTER TABLE {table.sql} {words}" for words in (done, undone))
        return PolicyStep(action.lower(), shown, causes, reason, [sql], [undo], table)

    def dropped(self, present: Present) -> PolicyStep:
        """The step for a policy of ours that is no longer in the catalog."""
        reason = say.without_policy(present.mark.get("policy", present.name))
        if _is_edited(self.connection, present) and not self.rules.force:
            self.reporter.add(say.policy_edited(present.shown))
        sql, name = present.table.sql, present.name
        return PolicyStep(
            Action.DROP,
            f"policy {present.shown}",
            [Cause.REMOVED],
            reason,
            [f"DROP POLICY {quoted(name)} ON {sql}"],
            [present.rule.created(sql, name), there.commented(self.connection, sql, name, present.comment)],
            present.table,
        )

    def notes(self, wanted: Sequence[Wanted]) -> list[str]:
        """Policies that the catalog does not have, and that let rows through beside those of the catalog."""
        places = {(row.table.oid, row.name) for row in wanted}
        oids = {row.table.oid for row in wanted}
        return [
            say.policy_beside(row.shown)
            for row in self.present
            if row.table.oid in oids
            and (row.table.oid, row.name) not in places
            and row.rule.permissive
            and not self.is_ours(row)
        ]


def _become(before: Rule, written: Rule, after: Rule, table: str, name: str) -> list[str]:
    """The statements that make one policy of another: `after` is what the server stores of `written`."""
    if before.can_become(after):
        return [written.changed(table, name)]
    return [f"DROP POLICY {quoted(name)} ON {table}", written.created(table, name)]
