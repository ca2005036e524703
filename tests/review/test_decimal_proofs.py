"""Proofs about exact arithmetic of decimals: what they say, and no verdict that a row refutes."""

import os
import random

import pytest

import predicat
from predicat.ir.nodes import Call
from predicat.proof.compare import compare_nodes
from predicat.proof.inputs import over_inputs
from tests.engines.test_decimal_arithmetic import FIELDS, PREDICATES, ROWS
from tests.review.test_compare import check_witnesses, refutes

PAIRS = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "10"))


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("p * 2 > 25", "p > 12.5", "equivalent"),
        ("n + m > 0.1", "m > 0.1 - n", "equivalent"),
        ("n - m = 0", "n = m", "equivalent"),
        ("p * h >= 0.01", "p * h > 0", "equivalent"),
        ("-(p) < 3 AND abs(p) > 1", "p > -3 AND (p < -1 OR p > 1)", "equivalent"),
        ("p + 0.1 = 0.3", "p = 0.2", "equivalent"),
        ("p * 1.1 >= 1", "p >= 0.92", "narrower"),
        ("round(p, 1) > 0.1", "p >= 0.15", "equivalent"),
        ("CAST(n AS DECIMAL(12, 1)) > 0.1", "n >= 0.15", "wider"),
        ("p + n > 1", "p + n > 2", "narrower"),
    ],
)
def test_verdicts(before: str, after: str, kind: str) -> None:
    nodes = [predicat.parse(text, "sql", FIELDS).node for text in (before, after)]
    assert compare_nodes(*nodes, effort=10).kind == kind


def test_no_verdict_is_refuted() -> None:
    rng = random.Random(5)  # test data
    for _ in range(PAIRS):
        before, other = (one.node for one in rng.sample(PREDICATES, 2))
        after = rng.choice([other, Call(before.type, "and", (before, other))])
        verdict = compare_nodes(before, after, effort=0.5)
        check_witnesses(before, after, verdict)
        functions = over_inputs(before), over_inputs(after)
        refuted = [row for row in ROWS if refutes(verdict.kind, *(function(row) for function in functions))]
        assert not refuted, (before.span.text, after.span.text, verdict, refuted[0])
