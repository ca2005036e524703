"""Updates the views of a database to match a catalog, in transactions that are each consistent.

Everything is compared and checked before the first change. Unchanged views are not touched, and not
locked.
"""

import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

import psycopg
from msgspec import Struct, field
from msgspec.structs import replace

from predicat.catalog.model import Catalog
from predicat.deploy import (
    definitions,
    dependents,
    failures,
    filter_functions,
    functions,
    inventory,
    list_tables,
    locks,
    materialized,
    policies,
)
from predicat.deploy.dependents import Closure, Saved
from predicat.deploy.filter_functions import FunctionPlan
from predicat.deploy.functions import Choice
from predicat.deploy.inventory import Existing
from predicat.deploy.list_tables import ListPlan
from predicat.deploy.names import qualified
from predicat.deploy.plan import Action, Cause, Planner, Rules, Step, comment
from predicat.deploy.policies import PolicyPlan
from predicat.deploy.relations import Relation, check_relations
from predicat.deploy.sessions import Limits, guarded, statements
from predicat.deploy.views import View, views_of
from predicat.diagnostics import PredicatError, Reporter
from predicat.diagnostics.messages import deploy as say

# The most views that one transaction changes: their readers wait until it ends, some tenths of a
# millisecond for each view.
BATCH = 50


class Plan(Struct):
    """The steps of a deployment, and the objects to create again for views that are dropped and created."""

    steps: list[Step]
    closure: Closure
    saved: dict[int, Saved]
    relations: Mapping[str, Relation]
    functions: Choice
    lists: ListPlan = field(default_factory=ListPlan)
    filters: FunctionPlan = field(default_factory=FunctionPlan)
    """The functions of filters."""
    policies: PolicyPlan = field(default_factory=PolicyPlan)
    """The row policies of tables."""

    @property
    def changes(self) -> list[Step]:
        """The steps that change something."""
        return [step for step in self.steps if step.action != Action.KEEP]

    @property
    def changes_around(self) -> bool:
        """Whether something beside the views changes."""
        plans = self.functions.to_install, self.lists.changes, self.filters.steps, self.policies.steps
        return any(plans)

    @property
    def renewed(self) -> list[Step]:
        """The views that stay, and that the server stores in another way than when they were marked: after
        a dump and restore, in another version, or by a script. Their marks get new fingerprints.
        """
        return [step for step in self.steps if step.is_renewed]

    @property
    def batches(self) -> list[list[Step]]:
        """The changes of each transaction. All views that are dropped and created again are in the first one,
        with the dropped views that depend on them. New materialized views are filled while nothing else is
        locked.
        """
        above = self.closure.above(_numbers(self.steps, Action.RECREATE))
        again = [
            step
            for step in self.changes
            if step.action == Action.RECREATE or (step.existing is not None and step.existing.oid in above)
        ]
        others = [step for step in self.changes if step not in again and not step.is_filled]
        filled = [[step] for step in self.changes if step.is_filled]
        room = max(BATCH - len(again), 0)
        first = [*again, *others[:room]]
        return [
            *([first] if first or self.changes_around else []),
            *(list(part) for part in _batched(others[room:])),
            *filled,
        ]


def _batched(steps: Sequence[Step]) -> Iterator[Sequence[Step]]:
    for start in range(0, len(steps), BATCH):
        yield steps[start : start + BATCH]


def plan(
    catalog: Catalog,
    connection: psycopg.Connection,
    name: str,
    schema: str | None = None,
    rules: Rules | None = None,
) -> Plan:
    """The plan for `apply`. Raises PredicatError with everything that prevents it: columns, views of others,
    changes by hand.
    """
    result, planner = compared(catalog, connection, name, schema, rules)
    result = _with_dependents(connection, result, planner.reporter)
    try:
        given = rules or Rules()
        result.policies = policies.plan(connection, name, catalog, result.relations, given)
    except PredicatError as error:
        planner.reporter.extend(error.diagnostics)
    planner.reporter.raise_errors()
    return result


def compared(
    catalog: Catalog,
    connection: psycopg.Connection,
    name: str,
    schema: str | None,
    rules: Rules | None,
    suspended: Sequence[Existing] | None = None,
) -> tuple[Plan, Planner]:
    """The steps without dependent objects, and the planner with its problems. `suspended` are views as they
    were before somebody dropped them.
    """
    relations = check_relations(catalog, connection)
    if rules is not None and rules.standalone:
        chosen = Choice(None)
    else:
        with guarded(connection):
            chosen = functions.choose(functions.read(connection))
    views = views_of(catalog, name, relations, schema, chosen.runtime)
    oids = [relation.oid for relation in relations.values()]
    with guarded(connection):
        views = definitions.in_full(connection, views)
        existing = suspended
        if existing is None:
            existing = inventory.read(connection, name, [view.place for view in views], oids)
        in_schemas = _schemas(views, existing, schema)
        lists = list_tables.plan(
            connection, name, views, oids, in_schemas, force=rules is not None and rules.force
        )
        tables = {relation.oid: relation.sql for relation in relations.values()}
        mine = in_schemas if suspended is None else ()
        filters = filter_functions.plan(
            connection, name, views, tables, mine, force=rules is not None and rules.force
        )
    place = "relation" if schema is None else "schema"
    planner = Planner(
        catalog,
        name,
        rules or Rules(),
        connection.info.server_version,
        partial(definitions.read, connection),
        partial(definitions.made_here, connection),
        place,
        schema,
    )
    steps = planner.steps(views, existing)
    with guarded(connection):
        planner.reporter.extend(list(materialized.problems(connection, catalog, views, tables)))
    return Plan(steps, Closure({}, {}, {}, {}), {}, relations, chosen, lists, filters), planner


def _schemas(views: Sequence[View], existing: Sequence[Existing], schema: str | None) -> set[str]:
    """The schemas of a deployment. Unused tables of lists in them are dropped."""
    if schema is not None:
        return {schema}
    return {view.schema for view in views} | {present.schema for present in existing}


def _with_dependents(connection: psycopg.Connection, plan: Plan, reporter: Reporter) -> Plan:
    """The plan, with the objects that depend on dropped views: they are created again, or reported."""
    dropped = _numbers(plan.steps, Action.DROP)
    again = _numbers(plan.steps, Action.RECREATE)
    if not dropped and not again:
        return plan
    with guarded(connection):
        closure = dependents.closure(connection, [*dropped, *again])
        above = closure.above(again) - dropped.keys()
        saved = dependents.save(connection, [*above, *(closure.above(dropped) - dropped.keys() - above)])
    for oid, step in dropped.items():
        needed = [saved[other].shown for other in closure.above([oid]) - dropped.keys()] + closure.others.get(
            oid, []
        )
        if needed:
            reporter.add(say.needed_by_others(step.shown, step.reason, needed))
    heights = closure.heights
    remaining = [step for step in plan.steps if step.action != Action.DROP]
    steps = [
        *remaining,
        *(dropped[oid] for oid in sorted(dropped, key=lambda oid: (-heights[oid], dropped[oid].shown))),
    ]
    steps = [
        replace(
            step,
            action=Action.RECREATE,
            causes=[Cause.BELOW],
            reason="it reads a view that is created again",
        )
        if _is_above(step, above)
        else step
        for step in steps
    ]
    for oid in above:
        fixed = [*closure.others.get(oid, []), *closure.fixed.get(oid, [])]
        if fixed:
            reporter.add(say.cannot_come_again(saved[oid].shown, fixed))
    saved |= _as_moved(connection, above, steps)
    for step in steps:
        if step.action == Action.RECREATE and step.existing is not None and step.view is not None:
            kept = dependents.parts_besides(saved[step.existing.oid], step.view.key_index)
            if kept and step.view.kind != step.existing.kind:
                reporter.add(say.becomes_another_kind(step.shown, step.view.word.lower(), kept))
            columns = {column for column, _ in step.existing.columns} - {
                column.name for column in step.view.columns
            }
            if lost := dependents.without(saved[step.existing.oid], columns):
                reporter.add(say.loses_columns(step.shown, lost))
    return replace(plan, steps=steps, closure=closure, saved={oid: saved[oid] for oid in above})


def _as_moved(
    connection: psycopg.Connection, oids: Collection[int], steps: Sequence[Step]
) -> dict[int, Saved]:
    """What is created again, with the new places of views that move in all of its texts."""
    moves = [move for step in steps if step.action == Action.RECREATE for move in _moves(step)]
    if not moves:
        return {}
    with guarded(connection), connection.transaction(force_rollback=True):
        connection.execute("; ".join(moves).encode())
        return dependents.save(connection, oids)


def _numbers(steps: Iterable[Step], action: Action) -> dict[int, Step]:
    return {step.existing.oid: step for step in steps if step.action == action and step.existing is not None}


def _is_above(step: Step, above: Collection[int]) -> bool:
    return (
        step.existing is not None
        and step.view is not None
        and step.existing.oid in above
        and step.action != Action.RECREATE
    )


def apply(
    catalog: Catalog,
    connection: psycopg.Connection,
    name: str,
    schema: str | None = None,
    *,
    rules: Rules | None = None,
    limits: Limits | None = None,
) -> Plan:
    """Create, replace and drop views to match the catalog `name`. Returns the steps that were done.

    The functions that views call are installed in the first transaction.

    Up to 50 changes are one transaction. More changes are several transactions, each of them consistent.
    Raises PredicatError before any change for everything that prevents the changes, and for errors of the
    server with the number of transactions that were committed before.
    """
    return execute(connection, name, plan(catalog, connection, name, schema, rules), limits)


def execute(connection: psycopg.Connection, name: str, result: Plan, limits: Limits | None = None) -> Plan:
    """Make the changes of a plan, as `apply` does."""
    batches = result.batches
    for number, steps in enumerate(batches):
        try:
            with guarded(connection, limits):
                enforced = result.policies if number == 0 else PolicyPlan()
                batch = Batch(connection, name, result, limits or Limits(), policies=enforced)
                if number == 0 and result.functions.to_install:
                    batch.install_functions()
                if number == 0:
                    batch.fill_lists()
                batch.run(steps)
                if number == 0:
                    batch.make_functions()
                if number == len(batches) - 1:
                    batch.settle_lists()
        except PredicatError as error:
            partly = [say.partly_applied(number, len(batches))] if number else []
            raise PredicatError([*error.diagnostics, *partly]) from None
    for part in _batched(result.renewed):
        with guarded(connection, limits):
            Batch(connection, name, result).renew(part)
    return result


class Batch(Struct):
    """The changes of one transaction."""

    connection: psycopg.Connection
    name: str
    plan: Plan
    limits: Limits = Limits()
    role: str = ""
    policies: PolicyPlan = field(default_factory=PolicyPlan)
    """The row policies that change in this transaction."""

    def run(self, steps: Sequence[Step]) -> None:
        """Make the changes as soon as the locks of all views can be had at once."""
        self.lock_catalog()
        steps = self.settled(steps)
        present = [step.existing for step in steps if step.action in _LOCKED and step.existing is not None]
        again = self.plan.saved if any(step.action == Action.RECREATE for step in steps) else {}
        locked = {oid: owned(saved.kind, saved) for oid, saved in again.items()}
        locked |= {view.oid: owned(view.word, view) for view in present} | self.policies.locked
        locks.with_locks(self.connection, locked, self.limits, self.role, partial(self.change, steps))

    def change(self, steps: Sequence[Step]) -> None:
        """Check that the views are as they were, and change them."""
        self.check_unchanged(steps)
        self.policies.check_unchanged(self.connection)
        first = [step for step in steps if step.action == Action.DROP]
        others = [step for step in steps if step.action not in (Action.RECREATE, Action.DROP)]
        self.execute_all((step.shown, statement) for step in first for statement in changes(step))
        self.recreate([step for step in steps if step.action == Action.RECREATE])
        self.execute_all((step.shown, statement) for step in others for statement in changes(step))
        self.execute_all(self.policies.statements())
        self.write_marks(steps)

    def lock_catalog(self) -> None:
        """Wait for other runs for the same catalog."""
        self.connection.execute(
            b"SELECT pg_advisory_xact_lock(%s, %s)", (_SPACE, zlib.crc32(self.name.encode()) - 2**31)
        )
        self.role = str(self.connection.execute(b"SELECT current_user").fetchall()[0][0])

    def install_functions(self) -> None:
        """Install the functions that views call. Concurrent deployments wait for each other."""
        self.connection.execute(b"SELECT pg_advisory_xact_lock(%s, %s)", (_SPACE, _OF_FUNCTIONS))
        self.role = str(self.connection.execute(b"SELECT current_user").fetchall()[0][0])
        for shown, statement in functions.install(self.connection):
            self.execute(shown, [statement])

    def fill_lists(self) -> None:
        """Create and fill the tables of long lists, before the views that read them."""
        for shown, statement in list_tables.fill(self.connection, self.plan.lists):
            self.execute(shown, [statement])

    def make_functions(self) -> None:
        """Create, replace and drop the functions of filters."""
        for shown, statement in self.plan.filters.statements():
            self.execute(shown, [statement])

    def settle_lists(self) -> None:
        """Grant the readers of views SELECT on the tables of their lists, and drop unused tables."""
        lists = self.plan.lists
        roles = {place: list_tables.missing(self.connection, table) for place, table in lists.wanted.items()}
        for shown, statement in list_tables.grants(lists, roles):
            self.execute(shown, [statement])
        for place in lists.drop:
            if not list_tables.is_used(self.connection, place):
                self.execute(".".join(place), [list_tables.drop(place)])

    def execute_all(self, statements: Iterable[tuple[str, str]]) -> None:
        """Execute statements without a way to the server for each, and one by one if that fails: for the
        name of the view in the error.
        """
        pairs = list(statements)
        try:
            with self.connection.transaction():
                self.connection.execute("; ".join(statement for _, statement in pairs).encode())
        except psycopg.Error as error:
            if isinstance(error, locks.TRY_AGAIN):
                raise
            for shown, statement in pairs:
                self.execute(shown, [statement])

    def execute(self, shown: str, sql: Iterable[str]) -> None:
        """Execute statements. Raises PredicatError with the name of their object."""
        for statement in sql:
            try:
                self.connection.execute(statement.encode())
            except locks.TRY_AGAIN:
                raise
            except psycopg.Error as error:
                raise PredicatError.of(failures.diagnostic(error, self.role, shown)) from None

    def check_unchanged(self, steps: Sequence[Step]) -> None:
        """Check that nobody changed these views since the plan was made."""
        places = {
            place
            for step in steps
            for view in (step.view, step.existing)
            if view is not None
            for place in [view.place]
        }
        now = {view.place: view for view in self.read(places)}
        before = {step.existing.place: step.existing for step in steps if step.existing is not None}
        other = [".".join(place) for place in places if now.get(place) != before.get(place)]
        if other:
            raise PredicatError.of(say.view_changing(other))

    def read(self, places: Collection[tuple[str, str]]) -> list[Existing]:
        """The objects at these places as they are now."""
        oids = [relation.oid for relation in self.plan.relations.values()]
        return inventory.read(self.connection, "", places, oids)

    def recreate(self, steps: Sequence[Step]) -> None:
        """Drop and create views, with their grants and comments, and everything that depends on them."""
        if not steps:
            return
        self.execute_all((step.shown, move) for step in steps for move in _moves(step))
        self.take_away()
        self.bring_back(_numbers(steps, Action.RECREATE))

    def take_away(self) -> None:
        """Drop the saved views."""
        order = [oid for oid in self.plan.closure.order if oid in self.plan.saved]
        dropped = [self.plan.saved[oid] for oid in reversed(order)]
        self.execute_all((saved.shown, f"DROP {saved.kind} {saved.sql}") for saved in dropped)

    def bring_back(self, ours: Mapping[int, Step], *, same: bool = True) -> None:
        """Create the saved views again, ours by their steps. With `same` the others must keep their text."""
        for oid in [oid for oid in self.plan.closure.order if oid in self.plan.saved]:
            saved, step = self.plan.saved[oid], ours.get(oid)
            recreated = created_again(saved, step)
            try:
                self.execute(
                    recreated.shown,
                    [
                        *recreate_statements(recreated, step, self.role),
                        *dependents.parts_statements(self.connection, recreated),
                    ],
                )
            except PredicatError as error:
                reasons = [item.message for item in error.diagnostics]
                raise PredicatError.of(say.fails_again(saved.shown, reasons)) from None
            self.restore_grants(recreated, same and step is None)

    def restore_grants(self, saved: Saved, whole: bool) -> None:
        """Restore the grants of a view, and check that nothing is missing."""
        place = saved.schema, saved.name
        (now,) = dependents.save(self.connection, [view.oid for view in self.read([place])]).values()
        if now.grants != saved.grants:
            self.execute(
                saved.shown,
                [*dependents.revoke_statements(now), *dependents.grant_statements(saved, self.role)],
            )
            (now,) = dependents.save(self.connection, [view.oid for view in self.read([place])]).values()
        lost = (dependents.missing if whole else dependents.missing_around)(saved, now)
        if lost:
            raise PredicatError.of(say.came_again_incomplete(saved.shown, lost))

    def settled(self, steps: Sequence[Step]) -> list[Step]:
        """The steps, with queries in the form that they have after a dump and restore."""
        new = [step.view for step in steps if step.view is not None and step.action in _WITH_QUERY]
        queries = definitions.settled(self.connection, new)
        return [
            replace(step, view=replace(step.view, query=queries[step.view.place]))
            if step.view is not None and step.view.place in queries
            else step
            for step in steps
        ]

    def renew(self, steps: Sequence[Step]) -> None:
        """Write the marks of views that stay."""
        self.lock_catalog()
        self.check_unchanged(steps)
        self.write_marks(steps)

    def write_marks(self, steps: Sequence[Step]) -> None:
        """The comments, with the fingerprints of what the server stores."""
        there = {
            view.place: view
            for view in self.read([step.view.place for step in steps if step.view is not None])
        }
        texts = definitions.of_views(self.connection, [view.oid for view in there.values()])
        self.execute_all(
            (step.shown, _comment(self.connection, step, view.rule, texts[view.oid]))
            for step in steps
            if step.view is not None
            for view in [there[step.view.place]]
        )


# The actions that store a query.
_WITH_QUERY = (Action.CREATE, Action.REPLACE, Action.RECREATE)
# The actions for which the readers of a view wait.
_LOCKED = (Action.REPLACE, Action.RECREATE, Action.OPTIONS, Action.DROP)
# Which of the advisory locks are predicat's.
_SPACE = 0x70726564
# The lock of the functions.
_OF_FUNCTIONS = 2**31 - 1


def owned(kind: str, view: Existing | Saved) -> str:
    """What is locked: kind, name and owner of a view."""
    return f"{kind} {view.sql} OWNER TO {dependents.quoted(view.owner)}"


def _comment(connection: psycopg.Connection, step: Step, rule: str, definition: str) -> str:
    return (
        f"COMMENT ON {f'{step.view.word} {step.view.sql}' if step.view else ''} IS "
        f"{dependents.literal(connection, comment(step, rule, definition))}"
    )


def changes(step: Step) -> list[str]:
    """The statements of a step, without its comment."""
    view, row = step.view, step.existing
    match step.action:
        case Action.CREATE if view is not None:
            return _create(view, step.options)
        case Action.REPLACE if view is not None and row is not None:
            return [*_moves(step), _replace(view, step.options)]
        case Action.OPTIONS if view is not None and row is not None:
            return [f"ALTER VIEW {view.sql} {one}" for one in changed_options(step.options, row.options)]
        case Action.DROP if row is not None:
            return [f"DROP {row.word} {row.sql}"]
        case _:
            return []


def recreate_statements(saved: Saved, step: Step | None, role: str) -> list[str]:
    """The statements that create a view that was dropped, ours or another."""
    if step is None or step.view is None:
        return dependents.create(saved, role)
    return _create(step.view, step.options, saved, dependents.owner_statements(saved, role))


def created_again(saved: Saved, step: Step | None) -> Saved:
    """What a view is when it was created again, ours or another; without what it is created with."""
    if step is None or step.view is None:
        return saved
    return replace(
        saved,
        schema=step.view.schema,
        name=step.view.name,
        materialized=step.view.materialized,
        parts=dependents.parts_besides(saved, step.view.key_index),
        comments=frozenset(one for one in saved.comments if step.view.materialized or one[0] != "INDEX"),
    )


def _create(
    view: View, options: Mapping[str, str], before: Saved | None = None, owner: Sequence[str] = ()
) -> list[str]:
    """The statements that create a view; a materialized one is filled as its owner, if it was `before`."""
    shown = f" WITH ({', '.join(f'{key}={value}' for key, value in options.items())})" if options else ""
    place = dependents.tablespace(before) if before is not None else ""
    statement = f"CREATE {view.word} {view.sql}{shown}{place} AS {view.query}"
    if not view.materialized:
        return [statement, *owner]
    key = ", ".join(map(dependents.quoted, view.key))
    index = f"CREATE UNIQUE INDEX {dependents.quoted(view.key_index)} ON {view.sql} ({key})"
    filled = [f"REFRESH MATERIALIZED VIEW {view.sql}"] if before is None or before.populated else []
    return [f"{statement} WITH NO DATA", *owner, index, *filled]


def _replace(view: View, options: Mapping[str, str]) -> str:
    return _create(view, options)[0].replace("CREATE VIEW", "CREATE OR REPLACE VIEW", 1)


def _moves(step: Step) -> list[str]:
    view, existing = step.view, step.existing
    if view is None or existing is None:
        return []
    moves: list[str] = []
    if existing.schema != view.schema:
        moves.append(f"ALTER {existing.word} {existing.sql} SET SCHEMA {dependents.quoted(view.schema)}")
    if existing.name != view.name:
        named = qualified(view.schema, existing.name)
        moves.append(f"ALTER {existing.word} {named} RENAME TO {dependents.quoted(view.name)}")
    return moves


def changed_options(wanted: Mapping[str, str], there: Mapping[str, str]) -> list[str]:
    """What ALTER VIEW says to change options."""
    new = [f"{key}={value}" for key, value in wanted.items() if there.get(key) != value]
    old = [key for key in there if key not in wanted]
    return [*([f"SET ({', '.join(new)})"] if new else []), *([f"RESET ({', '.join(old)})"] if old else [])]


def script(connection: psycopg.Connection, plan: Plan, limits: Limits) -> Iterator[str]:
    """The plan as a SQL script: each step with its reason as a comment, including kept views."""
    if plan.functions.note is not None:
        yield f"-- {plan.functions.note.severity.value}: {plan.functions.note.message}"
    for step in plan.steps:
        if step.action == Action.KEEP:
            yield f"-- keep {step.shown}: {step.reason}"
    for number, steps in enumerate(plan.batches):
        yield "BEGIN;"
        yield from (f"{line};" for line in statements(limits))
        if number == 0:
            yield from (f"{line};" for line in functions.script(connection, plan.functions))
            yield from (f"{line};" for _, line in list_tables.fill(connection, plan.lists))
        yield from _script(connection, [step for step in steps if step.action == Action.DROP])
        yield from _recreate_script(
            connection, plan, [step for step in steps if step.action == Action.RECREATE]
        )
        yield from _script(
            connection, [step for step in steps if step.action not in (Action.RECREATE, Action.DROP)]
        )
        if number == 0:
            yield from (f"{line};" for _, line in plan.filters.statements())
            for one in plan.policies.steps:
                yield f"-- {one.action} {one.shown}: {one.reason}"
                yield from (f"{line};" for line in one.sql)
        if number == len(plan.batches) - 1:
            yield from (f"{line};" for _, line in list_tables.grants(plan.lists, plan.lists.grants))
            yield from (f"{list_tables.drop(place)};" for place in plan.lists.drop)
        yield "COMMIT;"


def _script(connection: psycopg.Connection, steps: Sequence[Step]) -> Iterator[str]:
    for step in steps:
        yield f"-- {step.action} {step.shown}: {step.reason}"
        yield from (f"{line};" for line in [*changes(step), *comment_statements(connection, step)])


def comment_statements(connection: psycopg.Connection, step: Step) -> list[str]:
    """The comment of a script has no fingerprints of what the server will store; the next apply adds them."""
    return [_comment(connection, step, "", "")] if step.view is not None else []


def _recreate_script(connection: psycopg.Connection, plan: Plan, steps: Sequence[Step]) -> Iterator[str]:
    if not steps:
        return
    ours = _numbers(steps, Action.RECREATE)
    role = connection.info.user
    order = [oid for oid in plan.closure.order if oid in plan.saved]
    yield from (f"{move};" for step in steps for move in _moves(step))
    for oid in reversed(order):
        yield f"DROP {plan.saved[oid].kind} {plan.saved[oid].sql};"
    for oid in order:
        step = ours.get(oid)
        saved = created_again(plan.saved[oid], step)
        yield (
            f"-- recreate {saved.shown}: "
            f"{step.reason if step else 'it depends on a view that is created again'}"
        )
        lines = [
            *recreate_statements(saved, step, role),
            *dependents.parts_statements(connection, saved),
            *dependents.regrant_statements(saved, role),
        ]
        yield from (f"{line};" for line in [*lines, *(comment_statements(connection, step) if step else [])])
