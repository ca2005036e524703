"""The quality of a filter's tests: conditions covered both ways (MC/DC), and mutants detected.

Sources: RTCA DO-178C for modified condition/decision coverage (a condition is covered if rows show that it
alone turns the decision); Offutt et al. 1996 for the mutants. Rows are found by the solver and confirmed by
the reference evaluator.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from predicat.catalog.model import Filter
from predicat.diagnostics.wording import quantity
from predicat.explain.explanation import atoms
from predicat.explain.prose import describe
from predicat.forms.total_order import without_nan_test
from predicat.ir.nodes import FALSE, TRUE, Call, Node, replaced, walk
from predicat.ir.operators import ORDERED
from predicat.ir.types import BOOLEAN
from predicat.lower import core
from predicat.proof.compare import compare_nodes, example
from predicat.proof.inputs import over_inputs
from predicat.rewrite.substitute import with_defaults
from predicat.testing.mutants import Mutant, mutants

_MAX_MUTANTS = 300
Row = Mapping[str, Any]


class Requirement(Struct, frozen=True):
    """An outcome that a condition must decide: `node` is TRUE for the rows that show it."""

    atom: Node
    outcome: bool
    node: Node

    @property
    def text(self) -> str:
        """The requirement as a sentence."""
        return f"{describe(self.atom)} is {str(self.outcome).upper()} and decides"


class Quality(Struct, frozen=True):
    """The quality of the tests of a filter's latest version."""

    tests: int
    covered: int
    needed: int
    killed: int
    mutants: int
    missing: tuple[str, ...] = ()
    alive: tuple[Mutant, ...] = ()
    undecided: int = 0
    beyond: bool = False

    def short(self) -> str:
        """The figures in one line."""
        mutation = f", {self.killed} of {self.mutants} small mistakes found" if self.mutants else ""
        rest = f", {self.undecided} not decided" if self.undecided else ""
        most = f", of the first {_MAX_MUTANTS}" if self.beyond else ""
        tests = quantity(self.tests, "test")
        return f"{tests}, {self.covered} of {self.needed} conditions decided both ways{mutation}{rest}{most}"


def requirements(node: Node) -> Iterator[Requirement]:
    """The requirements of a surface predicate: each condition is TRUE in a row, and FALSE in a row, and
    decides the outcome of the predicate there.
    """
    for atom in atoms(node):
        turns = _decided_by(node, atom)
        for outcome in (True, False):
            state = atom if outcome else Call(BOOLEAN, "not", (atom,))
            yield Requirement(atom, outcome, Call(BOOLEAN, "and", (state, turns)))


def _decided_by(node: Node, atom: Node) -> Node:
    """A predicate that is TRUE for the rows whose acceptance depends on this condition alone."""
    with_true, with_false = (
        Call(BOOLEAN, "is_true", (replaced(node, atom, constant),)) for constant in (TRUE, FALSE)
    )
    return Call(BOOLEAN, "ne", (with_true, with_false))


def boundaries(node: Node) -> Iterator[Node]:
    """For each comparison: both values are equal, and the comparison decides; and for each of its constants:
    a value for which the outcome is another if the constant is moved by one.
    """
    for atom in atoms(node):
        order = without_nan_test(atom)
        if not isinstance(order, Call) or order.op not in ORDERED:
            continue
        at = Call(BOOLEAN, "eq", order.args, order.span)
        yield Call(BOOLEAN, "and", (at, _decided_by(node, atom)))
        for mutant in mutants(order):
            if isinstance(mutant.node, Call) and mutant.node.op == order.op:
                moved = replaced(node, order, mutant.node)
                accepted = (Call(BOOLEAN, "is_true", (one,)) for one in (node, moved))
                yield Call(BOOLEAN, "ne", tuple(accepted))


def generate(
    node: Node, rows: Sequence[Row] = (), effort: float = 1.0, mutate: str | None = None
) -> list[dict[str, Any]]:
    """Rows that, with the given ones, cover every condition both ways, every boundary, and a row without
    values.

    With `mutate` (the `on_unknown` of the filter: "reject" or "accept") also rows that distinguish the
    predicate from its mutants.
    """
    result: list[dict[str, Any]] = []
    have = list(rows)
    for wanted in (
        *(need.node for need in requirements(node)),
        *boundaries(node),
        Call(BOOLEAN, "not", (Call(BOOLEAN, "is_true", (node,)),)),
    ):
        shows = over_inputs(core(wanted))
        if not any(shows(row) is True for row in have):
            _, witness = example(core(wanted), wanted=True, effort=effort)
            if witness is not None and witness.row not in have:
                result.append(dict(witness.row))
                have.append(witness.row)
    if mutate is not None:
        result += _deciding_rows(node, have, mutate, effort)
    if {} not in have and any(isinstance(part, Call) for part in walk(node)):
        result.append({})
    return result


def _deciding_rows(node: Node, have: list[Row], on_unknown: str, effort: float) -> Iterator[dict[str, Any]]:
    right = _accepted(on_unknown, node, have)
    for mutant in islice(mutants(node), _MAX_MUTANTS):
        if _accepted(on_unknown, mutant.node, have) != right:
            continue
        verdict = compare_nodes(core(node), core(mutant.node), (on_unknown, on_unknown), effort)
        witness = verdict.lost or verdict.gained
        if witness is not None:
            have.append(witness.row)
            right = _accepted(on_unknown, node, have)
            yield dict(witness.row)


def measure(filter_: Filter, *, mutate: bool = True, effort: float = 0.5) -> Quality | None:
    """The quality of the tests of a filter's latest version; None if a parameter has no default."""
    if any(decl.required for decl in filter_.current.params.values()):
        return None
    node = with_defaults(filter_.current.predicate.surface)
    rows = [test.inputs for test in filter_.tests if test.version in (None, filter_.latest)]
    missing: list[str] = []
    needed = covered = 0
    for need in requirements(node):
        shows = over_inputs(core(need.node))
        if any(shows(item) is True for item in rows):
            needed, covered = needed + 1, covered + 1
        elif example(core(need.node), wanted=True, effort=effort)[0] != "none":
            needed += 1
            missing.append(need.text)
    quality = Quality(len(filter_.tests), covered, needed, 0, 0, tuple(missing))
    return _with_mutants(quality, filter_, node, rows, effort) if mutate else quality


def _with_mutants(
    quality: Quality, filter_: Filter, node: Node, rows: Sequence[Row], effort: float
) -> Quality:
    """The quality with the mutants that the rows distinguish from the filter, and those that they do not.
    Mutants that are proved to accept the same rows do not count; those without a verdict count apart.
    """
    policy = filter_.on_unknown
    right = _accepted(policy, node, rows)
    killed = undecided = 0
    alive: list[Mutant] = []
    first = list(islice(mutants(node), _MAX_MUTANTS + 1))
    for mutant in first[:_MAX_MUTANTS]:
        if _accepted(policy, mutant.node, rows) != right:
            killed += 1
            continue
        verdict = compare_nodes(core(node), core(mutant.node), (policy, policy), effort)
        if verdict.gained is not None or verdict.lost is not None:
            alive.append(mutant)
        elif not verdict.same_rows:
            undecided += 1
    return replace(
        quality,
        killed=killed,
        mutants=killed + len(alive),
        alive=tuple(alive),
        undecided=undecided,
        beyond=len(first) > _MAX_MUTANTS,
    )


def _accepted(on_unknown: str, node: Node, rows: Sequence[Row]) -> list[bool]:
    function = over_inputs(core(node))
    unknown = on_unknown == "accept"
    return [unknown if (outcome := function(item)) is None else bool(outcome) for item in rows]
