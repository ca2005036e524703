"""Advice on indexes: each one is created in a transaction that is rolled back, and is proposed only if the
planner then uses it for a query, at a lower cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from msgspec import Struct, field

from predicat.deploy import functions
from predicat.deploy.advice import candidates, explained, known
from predicat.deploy.advice.candidates import TRIGRAMS, Candidate, Way
from predicat.deploy.advice.explained import Explained
from predicat.deploy.advice.subjects import Subject, Views
from predicat.deploy.dependents import quoted
from predicat.deploy.failures import diagnostic
from predicat.deploy.functions import Choice
from predicat.deploy.relations import Relation
from predicat.deploy.sessions import Limits, find_citext, guarded
from predicat.diagnostics import Diagnostic, PredicatError
from predicat.diagnostics.messages import advice as say

# A cost that has fallen enough, and how near to the best way another one must be to be taken for it.
_FALLS, _NEAR = 0.8, 2.0
# By how much it must fall if an index serves the query already, and how much better an index of some rows,
# which serves few other queries, must be than one of all rows.
_FALLS_MORE, _FOR_ROWS = 0.2, 4.0
# A query of a larger part of the rows is best served by a sequential scan.
_PART = 0.5
_SELDOM = 0.1
_OFF = 10
_TRIAL = "predicat_advised_"
_EXTENSION = "pg_trgm"
_SCHEMA = (
    "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = %s"
)
_AVAILABLE = "SELECT 1 FROM pg_available_extensions WHERE name = %s"
_PARTS = """
SELECT c.relname FROM pg_partition_tree(%s::text::regclass) p JOIN pg_class c ON c.oid = p.relid
"""


class Rules(Struct, frozen=True):
    """What may be done: whether the queries run, the most bytes of a table on which indexes are tried, and
    from how many rows a sequential scan is told.
    """

    runs: bool = True
    most: int = 256 * 1024 * 1024
    rows: int = 10_000


class Use(Struct, frozen=True):
    """A query, with its plan before and after."""

    name: str
    filter_name: str
    before: Explained
    after: Explained

    @property
    def data(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"query": self.name, "before": self.before.data, "after": self.after.data}


class Proposal(Struct, frozen=True):
    """Statements that help queries, and whether the views change their form, so that `apply` must run."""

    kind: str
    table: str
    sql: tuple[str, ...]
    uses: tuple[Use, ...]
    reapply: bool = False

    @property
    def data(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "kind": self.kind,
            "table": self.table,
            "sql": list(self.sql),
            "apply": self.reapply,
            "queries": [use.data for use in self.uses],
        }


class Advice(Struct):
    """What was judged, and what is proposed."""

    queries: int = 0
    tables: int = 0
    tried: int = 0
    proposals: list[Proposal] = field(default_factory=list[Proposal])
    told: list[tuple[str, Diagnostic]] = field(default_factory=list[tuple[str, Diagnostic]])
    """Warnings, each with the query, table or index that it is about."""

    @property
    def warnings(self) -> list[Diagnostic]:
        """The warnings alone."""
        return [warning for _, warning in self.told]


class Case(Struct, frozen=True):
    """A table with the queries that read it, their plans as it is, and what is found."""

    table: Relation
    there: known.Table
    subjects: Sequence[Subject]
    before: Mapping[str, Explained]
    result: Advice

    @property
    def shown(self) -> str:
        """The table in messages."""
        return f"{self.table.schema}.{self.table.name}"


class Advisor(Struct):
    """Advice for queries on tables of a database."""

    connection: psycopg.Connection
    views: Views
    choice: Choice
    limits: Limits
    rules: Rules
    search_path: str
    trigrams: str = ""
    extension: str = ""

    def advise(self, subjects: Sequence[Subject], tables: Mapping[int, Relation]) -> Advice:
        """The advice. Raises PredicatError for errors of the server that are not those of one trial."""
        result = Advice()
        with self.trial():
            self.trigrams, self.extension = self.trigram_operators()
            there = known.tables(self.connection, tables)
            indexes, counted = known.indexes(self.connection, tables), known.since(self.connection)
            before = dict(self.plans(subjects, result))
        used = {name for plan in before.values() for name in plan.indexes}
        asked = [subject for subject in subjects if subject.name in before]
        result.queries, result.tables = len(asked), len(tables)
        for oid, table in tables.items():
            own = [subject for subject in asked if oid in subject.reads]
            self.table(Case(table, there[oid], own, before, result))
        result.told += known.problems(indexes, used, counted)
        return result

    @contextmanager
    def trial(self) -> Iterator[None]:
        """A transaction that is rolled back, with the functions that views call."""
        with guarded(self.connection, self.limits):
            if self.choice.to_install:
                for _, statement in functions.install(self.connection):
                    self.connection.execute(statement.encode())
            yield
            raise psycopg.Rollback

    def plans(self, subjects: Sequence[Subject], result: Advice) -> Iterator[tuple[str, Explained]]:
        """The plans of queries. Those without one are told."""
        for subject in subjects:
            try:
                yield subject.name, self.explain(subject, runs=self.rules.runs)
            except psycopg.Error as error:
                why = diagnostic(error).message
                result.told.append((subject.name, say.not_explained(subject.span, subject.name, why)))

    def explain(self, subject: Subject, *, runs: bool) -> Explained:
        """The plan of a query. A query that takes too long is not run."""
        try:
            return self.plan(subject, "ANALYZE, BUFFERS, TIMING OFF, " if runs and subject.runs else "")
        except psycopg.errors.QueryCanceled:
            return self.plan(subject, "")

    def plan(self, subject: Subject, how: str) -> Explained:
        """The plan of a query, which can write nothing meanwhile."""
        with self.connection.transaction(force_rollback=True):
            self.connection.execute(b"SET LOCAL transaction_read_only = on")
            if subject.filter_name:
                find_citext(self.connection, subject.sql)
            else:
                query = b"SELECT set_config('search_path', %s, TRUE)"
                self.connection.execute(query, (self.search_path,))
            query = f"EXPLAIN ({how}VERBOSE, FORMAT JSON) {subject.sql}".encode()
            return explained.read(self.connection.execute(query).fetchall()[0][0])

    def trigram_operators(self) -> tuple[str, str]:
        """The operator class of trigrams, and what installs it; empty if it is not to be had."""
        for found, install in (("", ""), (_AVAILABLE, f"CREATE EXTENSION IF NOT EXISTS {_EXTENSION}")):
            if found and self.connection.execute(found.encode(), (_EXTENSION,)).fetchone() is None:
                return "", ""
            row = self.connection.execute(_SCHEMA.encode(), (_EXTENSION,)).fetchone()
            if row is not None:
                return f"{quoted(str(row[0]))}.{TRIGRAMS}", install
        return f"public.{TRIGRAMS}", f"CREATE EXTENSION IF NOT EXISTS {_EXTENSION} SCHEMA public"

    # --- one table

    def table(self, case: Case) -> None:
        """Try indexes and statistics on a table."""
        shown = case.shown
        after: Mapping[str, Explained] = {}
        if not case.there.can_have_indexes:
            case.result.told.append((shown, say.no_index_possible(shown)))
        elif case.there.size > self.rules.most:
            case.result.told.append((shown, say.too_large(shown, case.there.size, self.rules.most)))
        else:
            try:
                chosen = self.chosen(case)
                after = self.together(case, chosen)
            except PredicatError as error:
                if self.connection.closed:
                    raise
                case.result.told += [(shown, problem) for problem in error.diagnostics]
        for subject in case.subjects:
            plan = after.get(subject.name, case.before[subject.name])
            found = self.problems(case, subject, plan)
            case.result.told += [(subject.name, problem) for problem in found]

    def chosen(self, case: Case) -> list[Candidate]:
        """The fewest indexes that serve each query about as well as the best."""
        asked: dict[Way, list[Subject]] = {}
        for subject in case.subjects:
            plan = case.before[subject.name]
            rows = plan.estimate if plan.rows is None else plan.rows
            if rows <= _PART * max(case.there.rows, 1):
                for way in subject.ways(case.table):
                    asked.setdefault(way, []).append(subject)
        costs: dict[str, dict[Way, float]] = {}
        for way, own in asked.items():
            case.result.tried += 1
            for name, cost in self.tried(case, way, own).items():
                costs.setdefault(name, {})[way] = cost
        return _cover(costs)

    def tried(self, case: Case, way: Way, subjects: Sequence[Subject]) -> dict[str, float]:
        """The costs of the queries that use all of these indexes, and cost less with them. Raises
        PredicatError if the table is locked: each further trial would make its writers wait.
        """
        with self.trial():
            try:
                with self.connection.transaction():
                    names = self.create(case.table, way)
            except psycopg.errors.LockNotAvailable:
                raise
            except psycopg.errors.QueryCanceled as error:
                why = diagnostic(error).message
                case.result.told.append(
                    (case.table.name, say.cancelled(" and ".join(one.text for one in way), why))
                )
                return {}
            except psycopg.Error:  # no index can have this, such as a function that reads the current time
                return {}
            costs: dict[str, float] = {}
            for subject in self.views.again(self.connection, subjects, case.table.oid):
                plan = self.explain(subject, runs=False)
                uses_all = all(plan.indexes & parts for parts in names.values())
                if uses_all and plan.cost <= _limit(case.before[subject.name], case.table):
                    costs[subject.name] = plan.cost
        return costs

    def create(self, table: Relation, way: Sequence[Candidate]) -> dict[Candidate, set[str]]:
        """Create indexes. Returns their names, and those of their parts for partitions."""
        result: dict[Candidate, set[str]] = {}
        for number, one in enumerate(way):
            name = f"{_TRIAL}{number}"
            for statement in self.statements(table, one, name):
                self.connection.execute(statement.encode())
            full = f"{quoted(table.schema)}.{name}"
            parts = self.connection.execute(_PARTS.encode(), (full,)).fetchall()
            result[one] = {name, *(str(part) for (part,) in parts)}
        if any(one.computes for one in way):
            self.connection.execute(f"ANALYZE {table.sql}".encode())
        return result

    def statements(self, table: Relation, one: Candidate, name: str = "", way: str = "") -> list[str]:
        """What creates an index, and before it the extension that it needs."""
        text = one.text.replace(TRIGRAMS, self.trigrams)
        needs = [self.extension] if self.extension and TRIGRAMS in one.text else []
        return [*needs, f"CREATE INDEX {way}{name}{' ' if name else ''}ON {table.sql} {text}"]

    def together(self, case: Case, chosen: Sequence[Candidate]) -> dict[str, Explained]:
        """Create all indexes at once, and propose those that are used. Returns the plans then."""
        after: dict[str, Explained] = {}
        with self.trial():
            names = self.create(case.table, chosen)
            kept = list(chosen)
            uses: dict[Candidate, list[Use]] = {}
            changed: set[str] = set()
            while True:
                again = self.views.again(self.connection, case.subjects, case.table.oid)
                after = {one.name: self.explain(one, runs=self.rules.runs) for one in again}
                changed = {
                    one.name for one, old in zip(again, case.subjects, strict=True) if one.sql != old.sql
                }
                uses = {
                    one: [
                        use
                        for subject in case.subjects
                        if (use := _use(subject, case.before, after, names[one])) is not None
                    ]
                    for one in kept
                }
                idle = [one for one in kept if not uses[one]]
                if not idle:
                    break
                for one in idle:
                    name = f"{_TRIAL}{list(chosen).index(one)}"
                    self.connection.execute(f"DROP INDEX {quoted(case.table.schema)}.{name}".encode())
                kept = [one for one in kept if uses[one]]
            for one in kept:
                sql = self.statements(case.table, one, way=case.there.way)
                sql += [f"ANALYZE {case.table.sql}"] if one.computes else []
                reapply = any(use.name in changed for use in uses[one])
                case.result.proposals.append(
                    Proposal("index", case.shown, tuple(sql), tuple(uses[one]), reapply)
                )
            self.statistics(case, again, after)
        return after

    def statistics(self, case: Case, subjects: Sequence[Subject], after: dict[str, Explained]) -> None:
        """Try ANALYZE and extended statistics for queries whose rows the planner does not expect."""
        for subject in subjects:
            if _off(after[subject.name], case.table) <= _OFF:
                continue
            for statements in _statistics(case.table, subject):
                with self.connection.transaction(force_rollback=True):
                    try:
                        for statement in statements:
                            self.connection.execute(statement.encode())
                    except psycopg.Error:
                        continue
                    plan = self.explain(subject, runs=self.rules.runs)
                if _off(plan, case.table) <= _OFF:
                    use = Use(subject.name, subject.filter_name, case.before[subject.name], plan)
                    case.result.proposals.append(Proposal("statistics", case.shown, statements, (use,)))
                    after[subject.name] = plan
                    break

    def problems(self, case: Case, subject: Subject, plan: Explained) -> Iterator[Diagnostic]:
        """What stays wrong with a query."""
        scan = plan.scan_of((case.table.schema, case.table.name))
        if scan is None:
            return
        found = scan.estimate if scan.rows is None else scan.rows
        if scan.whole and case.there.rows >= self.rules.rows and found < _SELDOM * case.there.rows:
            told = f"{found:,.0f}" if scan.rows is not None else f"about {found:,.0f}"
            yield say.scan(subject.span, subject.name, case.shown, case.there.rows, told)
        if scan.off > _OFF and _off(case.before[subject.name], case.table) > _OFF and scan.rows is not None:
            yield say.estimate(subject.span, subject.name, scan.off, scan.estimate, scan.rows)


def _limit(before: Explained, table: Relation) -> float:
    """The cost that a query may have with an index that is proposed for it."""
    scan = before.scan_of((table.schema, table.name))
    return before.cost * (_FALLS if scan is None or scan.whole else _FALLS_MORE)


def _off(plan: Explained, table: Relation) -> float:
    scan = plan.scan_of((table.schema, table.name))
    return 1 if scan is None else scan.off


def _statistics(table: Relation, subject: Subject) -> Iterator[tuple[str, ...]]:
    """ANALYZE alone, and with statistics of several columns or of expressions."""
    analyze = f"ANALYZE {table.sql}"
    yield (analyze,)
    columns = [column.name for column in table.columns]
    keys = [key for part in subject.reads[table.oid] for key in candidates.keys(part, columns)]
    keys = list(dict.fromkeys(keys))
    last = subject.name.replace(":", "_").rpartition(".")[2]
    name = f"{quoted(table.schema)}.{quoted(f'{table.name[:35]}_{last[:22]}_stat')}"
    if len(keys) > 1:
        yield f"CREATE STATISTICS {name} ON {', '.join(keys[:8])} FROM {table.sql}", analyze
    for key in keys:
        if key.startswith("("):
            yield f"CREATE STATISTICS {name} ON {key} FROM {table.sql}", analyze


def _use(
    subject: Subject, before: Mapping[str, Explained], after: Mapping[str, Explained], names: set[str]
) -> Use | None:
    """The use of an index by a query; None if it does not use it, or not at a lower cost."""
    old, new = before[subject.name], after[subject.name]
    read = new.buffers is None or old.buffers is None or new.buffers <= old.buffers
    if not new.indexes & names or new.cost > _FALLS * old.cost or not read:
        return None
    return Use(subject.name, subject.filter_name, old, new)


def _cover(costs: Mapping[str, Mapping[Way, float]]) -> list[Candidate]:
    """Ways that serve all queries, those first that serve the most for their number of indexes."""
    weighed = {
        name: {way: cost * (_FOR_ROWS if _narrow(way)[0] else 1) for way, cost in own.items()}
        for name, own in costs.items()
    }
    good = {
        name: {way for way, cost in own.items() if cost <= _NEAR * min(own.values())}
        for name, own in weighed.items()
    }
    chosen: dict[Candidate, None] = {}
    while good:
        counts: dict[Way, int] = {}
        for own in good.values():
            for way in own:
                counts[way] = counts.get(way, 0) + 1
        totals = {way: sum(own.get(way, 0) for own in costs.values()) / counts[way] for way in counts}
        best = min(counts, key=lambda way: (-counts[way] / len(way), _narrow(way), totals[way]))
        chosen |= dict.fromkeys(best)
        good = {name: own for name, own in good.items() if best not in own}
    return list(chosen)


def _narrow(way: Way) -> tuple[bool, int]:
    """An index of some rows serves few queries, and one of several keys is larger."""
    return any(one.where for one in way), sum(len(one.keys) for one in way)
