"""No proof is refuted by rows that owe nothing to the prover: see `tests.review.independent`."""

import os
import sys

import pytest

import predicat
from predicat.proof.compare import PROVED, compare_nodes
from predicat.proof.inputs import over_inputs
from tests.review.independent import CelPair, Pair, SqlPair
from tests.review.test_compare import check_witnesses, refutes

EXAMPLES = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "150"))
FIRST = int(os.environ.get("PREDICAT_FUZZ_FIRST", "0"))
_ROWS = 100


FOUND = [
    # What a proof by cases did wrong until it was confronted with these rows.
    ("cel", None, "spec.at.n > 3 && has(spec.at)", "spec.at.n > 3", "equivalent as a filter"),
    ("cel", None, "true", "int(spec.at.n) >= 10 || has(spec.at)", "narrower"),
    ("sql", {"z": "decimal(4,0)"}, "coalesce(z, 0.1) <= 3", "coalesce(z, 0.1) <= 2", "narrower"),
    ("sql", {"z": "decimal(4,0)"}, "nullif(z, 0.5) <= 3", "nullif(z, 0.5) <= 2", "narrower"),
    ("sql", {"z": "decimal(4,0)"}, "greatest(z, 0.1) < 4", "greatest(z, 0.1) < 5", "wider"),
]


@pytest.mark.parametrize(("language", "fields", "before", "after", "kind"), FOUND)
def test_pairs_that_were_wrong(
    language: str, fields: dict[str, str] | None, before: str, after: str, kind: str
) -> None:
    nodes = [predicat.parse(text, language, fields).node for text in (before, after)]
    assert compare_nodes(nodes[0], nodes[1]).kind == kind


@pytest.mark.long
@pytest.mark.parametrize("kind", [CelPair, SqlPair], ids=["cel", "sql"])
def test_no_proof_is_refuted(kind: type[Pair]) -> None:
    proved = tried = 0
    for number in range(FIRST, FIRST + EXAMPLES):
        pair, before, after = kind.readable(number)
        verdict = compare_nodes(before, after, effort=0.05)
        check_witnesses(before, after, verdict)
        if verdict.proof != PROVED:
            continue
        proved += 1
        functions = over_inputs(before), over_inputs(after)
        for row in pair.rows(_ROWS):
            outcomes = tuple(function(row) for function in functions)
            assert not refutes(verdict.kind, *outcomes), (
                f"pair {number}: {verdict.kind}: {' | '.join(pair.written)}: {row}: {outcomes}"
            )
            tried += 1
    assert proved > EXAMPLES // 2
    sys.stdout.write(f"{EXAMPLES} pairs, {proved} proved, {tried} rows\n")  # for `make fuzz`
