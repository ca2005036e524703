"""A wider filter that a language supports.

A source that evaluates it sends every row that the filter accepts, and possibly more. Each step drops a
condition of an AND, or takes one condition of each arm of an OR, so that the result is wider by construction;
Z3 proves it again on the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from predicat import backends
from predicat.api import Predicate, check_target
from predicat.diagnostics import Unsupported
from predicat.forms.total_order import bare_comparison, with_nan_above, without_nan_test
from predicat.ir.nodes import TRUE, Call, Items, Literal, Node
from predicat.ir.operators import STRICT
from predicat.ir.types import BOOLEAN
from predicat.language import writer
from predicat.lower import core
from predicat.proof.compare import compare_nodes
from predicat.rewrite.acceptance import for_acceptance
from predicat.rewrite.junctions import conjunction
from predicat.rewrite.union import arms_of, union

# The verdicts that mean that no row is lost.
_WIDER = ("equivalent", "equivalent as a filter", "wider", "always")


class Weakening(Struct, frozen=True):
    """What a language supports of a filter.

    Attributes:
        predicate: TRUE for every row for which the filter is; None if the language supports no part of it.
        exact: Whether it accepts the same rows.
        proof: `proved`, `holds for exact arithmetic`, or `by construction` if the solver gave no answer.
    """

    predicate: Predicate | None
    exact: bool
    proof: str


def weaken(predicate: Predicate, language: str, *, effort: float = 1.0) -> Weakening:
    """The narrowest condition found that a language or dialect supports and that loses no row.

    Rows for which the filter is UNKNOWN are not accepted, and may be lost.

    Args:
        predicate: The filter, without parameters.
        language: One of `languages()` or `dialects()`.
        effort: How much work the proof of each arm of the filter may take, as in `compare`.

    Raises:
        PredicatError: There is no such language.
    """
    check_target(language)
    node = for_acceptance(predicate.surface)
    weakened = _weakened(node, _support(language))
    if weakened is None:
        return Weakening(None, exact=False, proof="proved")
    result = Predicate(core(weakened), predicate.language, written=weakened)
    if weakened == node:
        return Weakening(result, exact=True, proof="proved")
    proof = _proof(for_acceptance(predicate.node), result.node, effort)
    # A lost row would be a bug of this module. Then nothing is pushed, which loses no row.
    return Weakening(result if proof else None, exact=False, proof=proof or "proved")


def _support(language: str) -> Callable[[Node], bool]:
    """Whether a language supports a condition, decided by writing it."""

    def supported(node: Node) -> bool:
        try:
            if language in backends.DIALECTS:
                backends.dialect(language).render(core(node))
            else:
                writer(language)(node)
        except Unsupported:
            return False
        return True

    return supported


def _weakened(node: Node, supported: Callable[[Node], bool]) -> Node | None:
    """A wider condition that is supported; None if only TRUE is."""
    if isinstance(node, Literal):
        return node if node.value is not True and supported(node) else None
    if supported(node):
        return node
    if isinstance(node, Call) and node.op == "and":
        parts = [part for part in (_weakened(arg, supported) for arg in node.args) if part is not None]
        return _together(parts, supported)
    if isinstance(node, Call) and node.op == "or" and bare_comparison(node) is None:
        return _of_arms(node, supported)
    return next(filter(supported, _looser(node)), None)


def _looser(node: Node) -> Iterator[Node]:
    """Wider conditions in place of a single one."""
    if not isinstance(node, Call):
        return
    negated = _negated(node)
    if negated is not None:
        # Rows with NULL are let through: most languages of brokers have only two-valued negation.
        yield Call(BOOLEAN, "not", (Call(BOOLEAN, "is_true", (negated,), node.span),), node.span)
    strict = without_nan_test(negated or node)
    if isinstance(strict, Call) and strict.op in STRICT:
        for part in strict.args:
            if not isinstance(part, Literal | Items):
                present = Call(BOOLEAN, "is_null", (part,), node.span)
                yield Call(BOOLEAN, "not", (present,), node.span)


def _negated(node: Call) -> Node | None:
    """The condition that a condition negates."""
    if node.op == "not":
        return node.args[0]
    plain = without_nan_test(node)
    if not isinstance(plain, Call) or plain.op != "ne":
        return None
    return with_nan_above(Call(BOOLEAN, "eq", plain.args, node.span))


def _together(parts: list[Node], supported: Callable[[Node], bool]) -> Node | None:
    """The AND of as many conditions as are supported together, from the first one on."""
    whole = conjunction(parts)
    if not parts or supported(whole):
        return whole if parts else None
    supported_parts: list[Node] = []
    for part in parts:
        if supported(conjunction([*supported_parts, part])):
            supported_parts.append(part)
    return conjunction(supported_parts) if supported_parts else None


def _of_arms(node: Call, supported: Callable[[Node], bool]) -> Node | None:
    """The OR of wider arms; if that is not supported, the conditions on the operands that all arms test."""
    arms = list(map(conjunction, arms_of(node)))
    wider = [_weakened(arm, supported) for arm in arms]
    known = [arm for arm in wider if arm is not None]
    if len(known) < len(wider):
        return None
    whole = union(known)
    if supported(whole):
        return whole
    tests = [_tests(arm) for arm in arms]
    shared = [operand for operand in tests[0] if all(operand in test for test in tests)]
    parts = [union(conjunction(test[operand]) for test in tests) for operand in shared]
    return _together([part for part in parts if part != TRUE and supported(part)], supported)


def _tests(arm: Node) -> dict[Node, list[Node]]:
    """The conditions of an arm by their first operand."""
    tests: dict[Node, list[Node]] = {}
    for part in arm.args if isinstance(arm, Call) and arm.op == "and" else (arm,):
        test = without_nan_test(part)
        if isinstance(test, Call) and test.args and not isinstance(test.args[0], Literal):
            tests.setdefault(test.args[0], []).append(part)
    return tests


def _proof(node: Node, wider: Node, effort: float) -> str:
    """The proof that no row is lost: the weakest proof of the arms. Empty if a row is lost."""
    proofs = set[str]()
    for arm in arms_of(node):
        verdict = compare_nodes(conjunction(arm), wider, effort=effort)
        if verdict.lost is not None:
            return ""
        proofs.add(verdict.proof if verdict.kind in _WIDER else "by construction")
    return max(proofs, key=_STRENGTH.index, default="proved")


# From the strongest proof to the weakest.
_STRENGTH = ("proved", "holds for exact arithmetic", "by construction")
