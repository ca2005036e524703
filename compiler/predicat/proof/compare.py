"""Compare two predicates: which rows the second gains and loses, with a proof or an example row."""

import logging
from collections.abc import Callable, Iterator, Mapping
from ctypes import ArgumentError
from functools import cached_property
from typing import Any

from msgspec import Struct

from predicat.api import Predicate
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import review as say
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import Call, FieldDecl, Node, fields_of, inputs_of, walk
from predicat.ir.operators import OF_DOUBLES
from predicat.ir.types import DOUBLE, DecimalType
from predicat.proof.candidate_rows import CandidateRows
from predicat.proof.cases.proof import Cases, cases
from predicat.proof.inputs import Inputs, is_affordable, over_inputs, with_widest
from predicat.proof.second_opinion import SecondOpinion
from predicat.proof.shrink import shrink
from predicat.proof.smt import rows as models
from predicat.proof.smt.encode import Formulas
from predicat.proof.smt.encoder import Encoder, OutOfWork
from predicat.proof.smt.functions import is_of_texts
from predicat.proof.smt.terms import Bool, Double, Truth, all_of, any_of, as_term, forget, negated, z3
from predicat.proof.work import QUESTION, STATE, Work, work_of
from predicat.rewrite.list_tables import long_lists

Outcome = bool | None
Row = Mapping[str, Any]
_PROBES = 60
_MORE_PROBES = 400
# Seconds for one question to the solver, whatever its steps. Only a defect needs them.
_PATIENCE = 600.0
# The most that the solver can count.
_MOST_STEPS = 2**32 - 1
# The solver is stopped by its steps a little before their limit.
_NEARLY = 0.9
_LOG = logging.getLogger(__name__)
PROVED = "proved"
EXACT = "holds for exact arithmetic"
# What a verdict rests on, in the words that every output uses (see `Verdict.proof`).
SHOWN = "shown"


class Witness(Struct, frozen=True):
    """A row that shows a difference.

    Attributes:
        row: The row, as `Predicate.evaluate` takes it.
        before: The outcome of the first predicate: True, False or None (UNKNOWN).
        after: The outcome of the second predicate.
        params: Values of parameters for both.
    """

    row: Row
    before: Outcome
    after: Outcome
    params: Row


class Verdict(Struct, frozen=True):
    """How the second predicate differs from the first. Every witness was checked with the reference
    evaluator.

    Attributes:
        kind: One of

            - `equivalent`: the same outcome on every row;
            - `equivalent as a filter`: the same rows are accepted, but one is FALSE where the other is
              UNKNOWN, so their negations differ (see `unknown`);
            - `narrower`: rows are lost (see `lost`); `wider`: rows are gained (see `gained`); `changed`:
              both;
            - `disjoint`: no row is accepted by both;
            - `always`, `never`: the second accepts every row, or none, and the first does not;
            - `undecided`: no proof within the limit of work; `unsupported`: no proof because of `operators`.
        proof: One of

            - `proved`: it holds for every row;
            - `holds for exact arithmetic`: it is proved for numbers that are never rounded, and the
              predicates round doubles;
            - `shown`: the witnesses are the whole evidence (`changed`);
            - an empty string: nothing is proved (`undecided`, `unsupported`).

            Each proof was confronted with rows that owe nothing to the prover (see `second_opinion`).
        lost: A row that only the first accepts.
        gained: A row that only the second accepts.
        unknown: A row for which one is FALSE and the other UNKNOWN.
        operators: The operators that prevented a proof.
        notes: Why nothing is proved.
    """

    kind: str
    proof: str = ""
    lost: Witness | None = None
    gained: Witness | None = None
    unknown: Witness | None = None
    operators: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def same_rows(self) -> bool:
        """Whether both are proved to accept the same rows. A proof for exact arithmetic is not enough."""
        return self.proof == PROVED and self.kind.startswith("equivalent")


def compare(
    before: Predicate,
    after: Predicate,
    *,
    on_unknown: tuple[str, str] = ("reject", "reject"),
    effort: float = 1.0,
) -> Verdict:
    """Prove what changes for rows when `after` replaces `before`. Needs the extra `review` (the solver Z3).

    Args:
        before: The old predicate.
        after: The new predicate. Fields of the same name must have the same type; otherwise the verdict is
            `unsupported`.
        on_unknown: For each predicate, whether an UNKNOWN row counts as accepted: `reject` or `accept`.
        effort: How much work the comparison may take. It is counted in steps, so that the verdict is the same
            on every machine; 1 is about a second.

    Returns:
        The verdict.
    """
    return compare_nodes(before.node, after.node, on_unknown, effort)


def compare_nodes(
    before: Node, after: Node, on_unknown: tuple[str, str] = ("reject", "reject"), effort: float | Work = 1.0
) -> Verdict:
    """`compare` for typed trees."""
    clash = _retyped(before, after)
    if clash:
        return Verdict("unsupported", notes=tuple(f"{name} has another type" for name in clash))
    if on_unknown[0] == on_unknown[1] and canonical_text(before) == canonical_text(after):
        return Verdict("equivalent", PROVED)
    unread = [listed for _, listed in long_lists((before, after)) if not listed.is_known]
    if unread:
        return Verdict("unsupported", notes=(f"the {unread[0].count:,} values of a list are not available",))
    return _Comparison(before, after, on_unknown, work_of(effort)).verdict()


def search(
    left: Node,
    right: Node,
    test: Callable[[Outcome, Outcome], bool],
    formula: Callable[[Truth, Truth], Bool],
    effort: float | Work = 1.0,
) -> tuple[str, Witness | None]:
    """A row for which two predicates have given outcomes.

    `test` is the condition on outcomes, `formula` the same condition on formulas.

    Returns ("found", row); ("none", None) if there is provably no such row; (EXACT, None) if there is none in
    exact arithmetic, which is no proof for doubles; ("open", None) if it is unknown.
    """
    asked = _Comparison(left, right, ("reject", "reject"), work_of(effort))
    result = asked.find(test, formula)
    if result is not None:
        return "found", result
    return "open" if asked.inconclusive else EXACT if asked.exact else "none", None


def example(node: Node, wanted: Outcome, effort: float | Work = 1.0) -> tuple[str, Witness | None]:
    """A row for which a predicate is TRUE, FALSE or UNKNOWN, as `search` gives it."""
    formulas: dict[Outcome, Callable[[Truth, Truth], Bool]] = {
        True: lambda truth, _: truth.true,
        False: lambda truth, _: truth.false,
        None: lambda truth, _: truth.null,
    }
    return search(node, node, lambda outcome, _: outcome is wanted, formulas[wanted], effort)


def _retyped(before: Node, after: Node) -> list[str]:
    old, new = (
        {
            **{name: decl.type for name, decl in fields_of(node).items()},
            **{f":{name}": decl.type for name, decl in inputs_of(node).items()},
        }
        for node in (before, after)
    )
    return [name for name in old if name in new and old[name] != new[name]]


class _Attempt(Struct, frozen=True):
    """One configuration of the solver (see Encoder), and its share of the remaining work. The solver answers
    most questions at once, but some only in one way.
    """

    share: float
    regular: bool = False
    exact: bool = False
    opaque_texts: bool = False


_ATTEMPTS = (
    _Attempt(0.05, opaque_texts=True),
    _Attempt(0.1),
    _Attempt(0.3, regular=True),
    _Attempt(0.6),
    _Attempt(1.0, regular=True),
)
# The same for predicates that round doubles. A proof for every row is tried first; a proof for exact
# arithmetic is better than none.
_ROUNDED = (
    _Attempt(0.05, opaque_texts=True),
    _Attempt(0.1),
    _Attempt(0.2, exact=True),
    _Attempt(0.3, regular=True),
    _Attempt(0.6, regular=True, exact=True),
    _Attempt(1.0, exact=True),
)


class _Comparison:
    """One comparison. A question is answered by cases if there are finitely many, otherwise by candidate
    rows, and by the solver if no candidate is found.
    """

    def __init__(self, before: Node, after: Node, on_unknown: tuple[str, str], work: Work) -> None:
        self.nodes = with_widest(before, after)
        self.accept = tuple(rule == "accept" for rule in on_unknown)
        self.work = work
        work.spend(QUESTION)
        self.functions: tuple[Callable[[Inputs], Any], Callable[[Inputs], Any]] = (
            over_inputs(self.nodes[0]),
            over_inputs(self.nodes[1]),
        )
        self.fields: dict[str, FieldDecl] = {**fields_of(self.nodes[0]), **fields_of(self.nodes[1])}
        self.params = {name: decl.type for node in self.nodes for name, decl in inputs_of(node).items()}
        self.untried: Iterator[Row] | None = None
        self.tried_rows: list[tuple[Row, Outcome, Outcome]] = []
        self.inconclusive = False
        self.operators: dict[str, None] = {}
        self.exact = False
        self.opinion = SecondOpinion(self.nodes, self.functions)
        self.doubted = False
        self.solvers: dict[tuple[bool, bool, bool], tuple[Encoder, Any, tuple[Truth, Truth]]] = {}
        parts = [part for node in self.nodes for part in walk(node)]
        self.rounds = any(map(_rounds, parts))
        self.texts = any(map(is_of_texts, parts))

    @cached_property
    def cases(self) -> Cases | None:
        """The possible pairs of outcomes, if there are finitely many cases."""
        return cases(*self.nodes)

    # --- rows

    def outcomes(self, row: Row) -> tuple[Outcome, Outcome]:
        """The outcomes of both predicates. Raises PredicatError for values of wrong types."""
        return self.functions[0](row), self.functions[1](row)

    def trials(self) -> Iterator[tuple[Row, Outcome, Outcome]]:
        """Candidate rows with their outcomes, computed lazily and once."""
        yield from self.tried_rows
        if self.untried is None:
            self.untried = CandidateRows(self.nodes).rows(_PROBES)
        for row in self.untried:
            try:
                result = (row, *self.outcomes(row))
            except PredicatError:  # a value that does not fit the type of its field
                continue
            self.tried_rows.append(result)
            yield result

    def accepted(self, side: int, outcome: Outcome) -> bool:
        """Whether a filter accepts a row with an outcome."""
        return self.accept[side] if outcome is None else outcome

    def split_params(self, values: Row) -> tuple[Row, Row]:
        """The fields and the parameters of a row that has both."""
        params = {name: values[f":{name}"] for name in self.params if f":{name}" in values}
        return {
            name: value
            for name, value in values.items()
            if name[1:] not in params or not name.startswith(":")
        }, params

    # --- questions

    def verdict(self) -> Verdict:
        """The answer to the whole comparison."""
        lost = self.find(
            lambda a, b: self.accepted(0, a) and not self.accepted(1, b),
            lambda a, b: all_of(self.accepts(0, a), negated(self.accepts(1, b))),
            known=self.implies(0, 1),
        )
        gained = self.find(
            lambda a, b: self.accepted(1, b) and not self.accepted(0, a),
            lambda a, b: all_of(self.accepts(1, b), negated(self.accepts(0, a))),
            known=self.implies(1, 0),
        )
        if self.inconclusive:
            return self._inconclusive(lost, gained)
        unknown = None
        if lost is None and gained is None:
            unknown = self.find(
                lambda a, b: a is not b,
                lambda a, b: any_of(_differs(a.true, b.true), _differs(a.false, b.false)),
            )
            if self.inconclusive:
                return self._inconclusive(None, None)
            return self._verdict(
                "equivalent" if unknown is None else "equivalent as a filter", self.proof, unknown=unknown
            )
        return self._verdict(*self._kind(lost, gained), lost=lost, gained=gained)

    def implies(self, one: int, other: int) -> bool:
        """Whether the operands alone show that every row accepted by one is accepted by the other: `a AND b`
        and `a`, `a` and `a OR b`.
        """
        if any(self.accept):
            return False
        stronger, weaker = self.nodes[one], self.nodes[other]
        return _operands("and", weaker) <= _operands("and", stronger) or _operands(
            "or", stronger
        ) <= _operands("or", weaker)

    def _kind(self, lost: Witness | None, gained: Witness | None) -> tuple[str, str]:
        """The kind of a difference, and its evidence."""
        if (
            lost
            and not gained
            and self.provably_none(lambda _, b: self.accepted(1, b), lambda _, b: self.accepts(1, b))
        ):
            return "never", self.proof
        if (
            gained
            and not lost
            and self.provably_none(
                lambda _, b: not self.accepted(1, b), lambda _, b: negated(self.accepts(1, b))
            )
        ):
            return "always", self.proof
        if lost and gained:
            both = self.provably_none(
                lambda a, b: self.accepted(0, a) and self.accepted(1, b),
                lambda a, b: all_of(self.accepts(0, a), self.accepts(1, b)),
            )
            return ("disjoint", PROVED) if both else ("changed", SHOWN)
        return "narrower" if lost else "wider", self.proof

    @property
    def proof(self) -> str:
        """The evidence of the searches that found no row."""
        return EXACT if self.exact else PROVED

    def _inconclusive(self, lost: Witness | None, gained: Witness | None) -> Verdict:
        if lost and gained:
            return self._verdict("changed", SHOWN, lost=lost, gained=gained)
        kind = "unsupported" if self.operators and not self.doubted else "undecided"
        return self._verdict(kind, "", lost=lost, gained=gained)

    def _verdict(
        self,
        kind: str,
        proof: str,
        *,
        lost: Witness | None = None,
        gained: Witness | None = None,
        unknown: Witness | None = None,
    ) -> Verdict:
        return Verdict(
            kind,
            proof,
            lost,
            gained,
            unknown,
            tuple(self.operators) if kind == "unsupported" else (),
            (say.PROOF_DOUBTED,) if self.doubted else (),
        )

    def accepts(self, side: int, truth: Truth) -> Bool:
        """Like `accepted`, for formulas."""
        return negated(truth.false) if self.accept[side] else truth.true

    def provably_none(
        self, test: Callable[[Outcome, Outcome], bool], formula: Callable[[Truth, Truth], Bool]
    ) -> bool:
        """Whether there is provably no row with these outcomes. A proof for exact arithmetic counts only if
        the verdict is one for exact arithmetic already.
        """
        before = self.inconclusive, self.exact
        self.inconclusive = self.exact = False
        result = self.find(test, formula)
        proved = result is None and not self.inconclusive and (before[1] or not self.exact)
        self.inconclusive, self.exact = before
        return proved

    def find(
        self,
        test: Callable[[Outcome, Outcome], bool],
        formula: Callable[[Truth, Truth], Bool],
        *,
        known: bool = False,
    ) -> Witness | None:
        """A row with these outcomes. None if there is none, or, with `inconclusive` set, if it is unknown.

        That there is none is `known`, or it is proved; a second opinion is asked about both.
        """
        answer = "none" if known else self.proved_or_found(test, formula)
        if isinstance(answer, Witness):
            return answer
        if answer == "none" and not self.exact and self.opinion.refutes(test):
            self.inconclusive = self.doubted = True
        return None if answer == "none" else self.try_more_rows(test)

    def proved_or_found(
        self, test: Callable[[Outcome, Outcome], bool], formula: Callable[[Truth, Truth], Bool]
    ) -> Witness | str:
        """A row with these outcomes; "none" if there is provably none; "open" otherwise."""
        if self.cases is not None:
            if not any(test(*pair) for pair in self.cases.possible):
                return "none"
            for pair, values in self.cases.rows.items():
                if test(*pair) and (seen := self.witness(*self.split_params(values), test)) is not None:
                    return seen
        for row, a, b in self.trials():
            if test(a, b) and (seen := self.witness(*self.split_params(row), test)) is not None:
                return seen
        for attempt in _ROUNDED if self.rounds else _ATTEMPTS:
            answer = self.solve(formula, test, attempt) if self.texts or not attempt.opaque_texts else "open"
            if answer != "open":
                return answer
        return "open"

    def try_more_rows(self, test: Callable[[Outcome, Outcome], bool]) -> Witness | None:
        """Try more candidate rows if the solver found none: the difference may still be simple."""
        partial = (
            [row for pair, row in self.cases.partial.items() if test(*pair)] if self.cases is not None else []
        )
        for number, row in enumerate(CandidateRows(self.nodes).rows(_MORE_PROBES, seed=1)):
            tried = _merge_rows(partial[number % len(partial)], row) if partial else row
            if (seen := self.witness(*self.split_params(tried), test)) is not None:
                return seen
        self.inconclusive = True
        return None

    def solve(
        self,
        formula: Callable[[Truth, Truth], Bool],
        test: Callable[[Outcome, Outcome], bool],
        attempt: _Attempt,
    ) -> Witness | str:
        """A witness; "none" if there is provably none; "open" otherwise."""
        if self.work.is_done:
            return "open"
        try:
            encoder, solver, truths = self.solver(attempt)
        except (RecursionError, ArgumentError, OutOfWork):
            # Nested too deeply. Inside of Z3's calls ctypes turns a RecursionError into an ArgumentError.
            return "open"
        wanted = formula(*truths)
        if wanted is False and encoder.needs.bounded:
            return "none"
        limit = min(max(1, round(self.work.left * attempt.share)), _MOST_STEPS)
        if encoder.states * STATE > limit:
            return "open"
        solver.set("rlimit", limit)
        solver.push()
        solver.add(as_term(wanted))
        try:
            return self.ask(encoder, solver, test, attempt, limit)
        except z3.Z3Exception:
            return "open"
        finally:
            solver.pop()

    def ask(
        self,
        encoder: Encoder,
        solver: Any,
        test: Callable[[Outcome, Outcome], bool],
        attempt: _Attempt,
        limit: int,
    ) -> Witness | str:
        """Ask the solver for a model, and for further models if the evaluator does not confirm its row."""
        for narrowed in range(3):
            answer = self.check(solver, limit)
            if answer == z3.unsat:
                if narrowed or not encoder.needs.bounded:
                    return "open"  # there is none among some of the rows
                self.exact = self.exact or encoder.inexact
                return "none"
            if answer != z3.sat:
                return "open"
            try:
                row, params = self.inputs_of(solver.model(), encoder)
            except models.TooLong:
                solver.add(*(length <= models.MAX_LENGTH for length in encoder.lengths))
                continue
            except (ValueError, OverflowError, AttributeError):
                return "open"
            if not is_affordable(row, self.nodes):
                return "open"
            result = self.witness(row, params, test)
            if result is not None:
                return result
            if attempt.opaque_texts:
                return "open"
            if attempt.exact or not self.rounds:  # otherwise rounding is the reason, not a missing formula
                self.operators.update(encoder.opaque)
            self._prefer_exact_doubles(encoder, solver)
        return "open"

    def check(self, solver: Any, limit: int) -> Any:
        """The solver's answer. Its steps are counted; its time is not, up to a limit that only a defect
        reaches.
        """
        start = _steps(solver)
        answer = solver.check()
        self.work.spend(_steps(solver) - start)
        if answer == z3.unknown and _steps(solver) - start < _NEARLY * limit and _was_stopped(solver):
            before, after = map(canonical_text, self.nodes)
            _LOG.error(say.solver_too_slow(before, after, _PATIENCE))
        return answer

    def inputs_of(self, model: Any, encoder: Encoder) -> tuple[Row, Row]:
        """The fields and the parameters of a model."""
        row = models.row_of(model, encoder, self.fields.values())
        return row, models.params_of(model, encoder, self.params.items())

    def solver(self, attempt: _Attempt) -> tuple[Encoder, Any, tuple[Truth, Truth]]:
        """The encoder and the solver of an attempt, and the formulas of both predicates."""
        key = attempt.regular, attempt.exact, attempt.opaque_texts
        result = self.solvers.get(key)
        if result is None:
            if not self.solvers:
                forget()
            encoder = Formulas(self.nodes, regular=key[0], exact=key[1], opaque_texts=key[2], work=self.work)
            truths = (encoder.predicate(self.nodes[0]), encoder.predicate(self.nodes[1]))
            solver = z3.Solver()
            solver.set("timeout", round(1000 * _PATIENCE))
            solver.add(*encoder.constraints)
            result = self.solvers[key] = (encoder, solver, truths)
        return result

    def _prefer_exact_doubles(self, encoder: Encoder, solver: Any) -> None:
        """Constrain doubles to short binary fractions and exclude approximated cases, so that the evaluator
        may confirm the next model.
        """
        solver.add(*map(z3.Not, encoder.approximated))
        for path, term in encoder.variables.items():
            if isinstance(term, Double) and path[0][0] != "opaque":
                solver.add(term.term == z3.ToReal(encoder.fresh(z3.Int)) / 1024)

    # --- witnesses

    def witness(self, row: Row, params: Row, test: Callable[[Outcome, Outcome], bool]) -> Witness | None:
        """The row, made small, if the evaluator confirms it; otherwise None."""
        bound = {f":{name}": value for name, value in params.items()}

        def holds(candidate: Row) -> bool:
            try:
                return test(*self.outcomes({**candidate, **bound}))
            except PredicatError:  # a value that does not fit the type of its field
                return False

        if not holds(row):
            return None
        small = shrink(row, holds, self.fields)
        return Witness(small, *self.outcomes({**small, **bound}), params)


def _was_stopped(solver: Any) -> bool:
    """Whether the solver was stopped, by its time or by its steps, and did not give up."""
    return solver.reason_unknown() in ("timeout", "canceled")


def _steps(solver: Any) -> int:
    """The steps that the solver has made (in its words, resources)."""
    counts = solver.statistics()
    return int(counts.get_key_value("rlimit count")) if "rlimit count" in counts.keys() else 0  # noqa: SIM118


def _rounds(node: Node) -> bool:
    """Whether an operator rounds its result to the nearest double."""
    if not isinstance(node, Call) or node.type != DOUBLE:
        return False
    return node.op in OF_DOUBLES or (node.op == "to_double" and isinstance(node.args[0].type, DecimalType))


def _merge_rows(row: Any, other: Any) -> Any:
    """A row with the missing values taken from another one."""
    if not isinstance(row, Mapping) or not isinstance(other, Mapping):
        return row
    return {**other, **{name: _merge_rows(value, other.get(name)) for name, value in row.items()}}


def _operands(op: str, node: Node) -> set[str]:
    return (
        {canonical_text(arg) for arg in node.args}
        if isinstance(node, Call) and node.op == op
        else {canonical_text(node)}
    )


def _differs(a: Bool, b: Bool) -> Bool:
    return any_of(all_of(a, negated(b)), all_of(b, negated(a)))
