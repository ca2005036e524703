"""Runs the tests of policies: whether a role sees a row, or may write it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from predicat.catalog.model import Catalog, Dataset
from predicat.catalog.policies import Policy, PolicyTest
from predicat.diagnostics import Diagnostic, PredicatError
from predicat.diagnostics.messages import catalog as say_catalog
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.messages import policy_runs as say
from predicat.explain.show import outcome as shown
from predicat.explain.users import qualified
from predicat.ir.nodes import NOW, Field, FieldDecl, reads_now
from predicat.policies.access import ACCESSES, PUBLIC, Access, Rule, allowed
from predicat.policies.bind import MARK, rules_of, table_of
from predicat.proof.inputs import over_inputs
from predicat.semantics.evaluate import compile_node

# The role of a test of `public`: one that no policy names.
NOBODY = "predicat_nobody"
# What an attribute is read from that is the role of the session.
_USER = ("current_user", "current_role", "user")


class Result(Struct, frozen=True):
    """The result of a test on an engine: whether the role may. `problem` tells what went wrong, `skipped` why
    it was not run.
    """

    dataset: str
    policy: str
    test: PolicyTest
    engine: str
    outcome: bool | None
    problem: Diagnostic | None = None
    skipped: str = ""

    @property
    def name(self) -> str:
        """The full name of the policy."""
        return f"{self.dataset}.{self.policy}"


class Case(Struct, frozen=True):
    """A test with the policies of its table."""

    dataset: Dataset
    policy: Policy
    test: PolicyTest
    rules: tuple[Rule, ...]
    session: Mapping[str, Any]
    """The attributes of the session: those of the test, and the role where one is read from it."""

    def uses(self, names: Collection[str]) -> bool:
        """Whether the policy has one of some filters (`dataset.filter`)."""
        return any(qualified(self.dataset.name, used.filter) in names for used in self.policy.filters)

    @property
    def role(self) -> str:
        """The role whose session it is."""
        return role_of(self.test)

    @property
    def access(self) -> Access:
        """What the test asks."""
        new = self.test.writes is not None
        return next(one for one in ACCESSES if (one.command, one.new) == (self.test.command, new))

    @property
    def expected(self) -> bool:
        """Whether the role may."""
        return bool(self.test.writes if self.test.sees is None else self.test.sees)

    def judged(self, engine: str, outcome: bool) -> Result:
        """The result of an outcome on an engine."""
        problem = None
        if outcome != self.expected:
            where = "" if engine == "evaluator" else engine
            words = say.MAY[self.access.command, self.access.new][not outcome]
            name = f"{self.dataset.name}.{self.policy.name}"
            problem = say.failed(self.test.span, name, self.test.role, words, where, list(self.reasons()))
        return Result(self.dataset.name, self.policy.name, self.test, engine, outcome, problem)

    def value(self, decl: FieldDecl) -> Any:
        """The value of a field in the row, which may be given nested."""
        return compile_node(Field(decl.type, decl))(self.test.row)

    def inputs(self) -> Mapping[str, Any]:
        """The row with the attributes of the session and the current time."""
        session = {f"{MARK}{name}": value for name, value in self.session.items()}
        now = {} if self.test.now is None else {f":{NOW.name}": self.test.now}
        return {**self.test.row, **session, **now}

    def reasons(self) -> Iterator[str]:
        """The outcome of each policy that decides, on the evaluator."""
        held = [rule for rule in self.rules if rule.holds((self.test.role,), self.access.command)]
        if not any(rule.permissive for rule in held):
            yield say.NO_PERMISSIVE
        for rule in held:
            condition = rule.condition(new=self.access.new)
            if condition is not None:
                kind = "the policy" if rule.permissive else "the restrictive policy"
                yield say.decided(kind, rule.name, shown(over_inputs(condition)(self.inputs())))


def role_of(test: PolicyTest) -> str:
    """The role of the session of a test."""
    return NOBODY if test.role == PUBLIC else test.role


def cases(catalog: Catalog) -> Iterator[Case]:
    """The tests of all policies."""
    users = [name for name, row in catalog.attributes.items() if row.postgres.strip().lower() in _USER]
    for dataset in catalog.datasets.values():
        tables = rules_of(catalog, dataset) if dataset.policies else {}
        for policy in dataset.policies.values():
            for test in policy.tests:
                session = {**dict.fromkeys(users, role_of(test)), **test.attributes}
                rules = tuple(tables[table_of(dataset, policy)])
                yield Case(dataset, policy, test, rules, session)


def checked(catalog: Catalog) -> int:
    """Run the tests of all policies on the reference evaluator, and count them. Raises PredicatError with the
    failures.
    """
    results = on_evaluator(cases(catalog))
    problems = [result.problem for result in results if result.problem is not None]
    if problems:
        raise PredicatError(problems)
    return len(results)


def on_evaluator(asked: Iterable[Case]) -> list[Result]:
    """Tests on the reference evaluator."""
    return [_evaluated(case) for case in asked]


def _evaluated(case: Case) -> Result:
    node = allowed(case.rules, (case.test.role,), case.access)
    engine = "evaluator"
    try:
        if case.test.now is None and reads_now(node):
            raise PredicatError.of(say_catalog.test_without_now(case.test.span))
        return case.judged(engine, over_inputs(node)(case.inputs()) is True)
    except PredicatError as error:
        (first, *_) = error.diagnostics
        problem = (
            first if first.span == case.test.span else say_keys.row_of_a_test(case.test.span, first.message)
        )
        return Result(case.dataset.name, case.policy.name, case.test, engine, None, problem)
