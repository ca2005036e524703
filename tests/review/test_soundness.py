"""No wrong verdict: hostile pairs against the evaluator by brute force, and what the proofs rest on."""

import os

import pytest

import predicat
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import Field, Node, ParamDecl, Parameter, rewrite_children
from predicat.proof.candidate_rows import CandidateRows
from predicat.proof.compare import EXACT, compare_nodes
from predicat.proof.inputs import over_inputs
from tests.review import generated, hostile
from tests.review.test_compare import check_witnesses, refutes
from tests.rounds import rounds

OPEN = ("undecided", "unsupported")


def parse(language: str, text: str) -> Node:
    node = predicat.parse(text, language.removesuffix(" :k"), hostile.DECLARED).node
    return with_parameter(node) if language.endswith(":k") else node


def with_parameter(node: Node) -> Node:
    if isinstance(node, Field) and node.decl.name == "k":
        return Parameter(node.type, ParamDecl("k", node.type))
    return rewrite_children(node, with_parameter)


@pytest.mark.parametrize(
    ("language", "before", "after", "kind", "decided"), hostile.PAIRS, ids=lambda value: str(value)[:60]
)
def test_hostile_pairs(language: str, before: str, after: str, kind: str, decided: bool) -> None:
    nodes = parse(language, before), parse(language, after)
    verdict = compare_nodes(*nodes, effort=10)
    check_witnesses(*nodes, verdict)
    functions = tuple(map(over_inputs, nodes))
    refuted = [
        row
        for row in hostile.rows(*nodes)
        if refutes(verdict.kind, *(function(row) for function in functions))
    ]
    assert not refuted or verdict.proof == EXACT, f"{verdict} refuted by {str(refuted[0])[:300]}"
    assert verdict.kind == kind or (not decided and (verdict.kind in OPEN or verdict.proof == EXACT)), verdict


EXAMPLES = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "150"))
FIRST = int(os.environ.get("PREDICAT_FUZZ_FIRST", "0"))


@pytest.mark.long
def test_no_verdict_on_generated_pairs_is_wrong() -> None:
    for seed in range(FIRST, FIRST + EXAMPLES):
        maker = generated.Maker(seed)
        before, after = maker.pair()
        verdict = compare_nodes(before, after, effort=0.5)
        check_witnesses(before, after, verdict)
        functions = over_inputs(before), over_inputs(after)
        rows = [
            *generated.rows((before, after), maker.fields, 25, seed),
            *CandidateRows((before, after)).rows(25, seed=7),
        ]
        for row in rounds(rows if verdict.proof != EXACT else (), 50):
            outcomes = tuple(function(row) for function in functions)
            assert not refutes(verdict.kind, *outcomes), (
                f"pair {seed}: {verdict}: {canonical_text(before)} | {canonical_text(after)}: "
                f"{str(row)[:500]}"
            )
