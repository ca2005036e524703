"""Comparisons of predicates: verdicts that are known, and generated pairs whose verdicts the evaluator
checks on many rows.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import predicat
from predicat.explain import show
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import Call, Node
from predicat.ir.operators import OPS
from predicat.ir.types import BOOLEAN
from predicat.proof.candidate_rows import CandidateRows
from predicat.proof.compare import EXACT, PROVED, Verdict, compare_nodes, example
from predicat.proof.inputs import over_inputs
from predicat.proof.smt.encode import encodable
from predicat.rewrite.simplify import simplify
from predicat.testing.mutants import mutants
from tests.engines.predicates import predicates, rows
from tests.fuzzing import REPEATABLE
from tests.rounds import rounds

FIELDS = {
    "a": "bigint",
    "b": "double",
    "x": "double",
    "s": "string",
    "u": "string",
    "t": "timestamp",
    "d": "date",
    "m": "map<string, string>",
    "xs": "array<string>",
    "dec": "decimal(10,2)",
    "j": "json",
    "p": "boolean",
    "st": "struct<x: bigint, y: string>",
}
EXAMPLES = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "150"))

PAIRS = [
    ("a > 3", "a >= 4", "equivalent"),
    ("a > 3", "a > 4", "narrower"),
    ("a > 4", "a > 3", "wider"),
    ("a > 1", "a < 0", "disjoint"),
    ("a > 1", "a < 5", "changed"),
    ("a > 1", "a > 1 AND a < 1", "never"),
    ("a > 1", "a > 1 OR TRUE", "always"),
    ("coalesce(a, 0) > 1", "a > 1", "equivalent as a filter"),
    ("NOT (b > 1)", "b <= 1", "equivalent"),  # NaN is above all numbers
    ("b * 2 > 4", "b > 2", "equivalent"),
    ("a + 1 > 5", "a > 4", "wider"),  # overflow
    ("NOT (a = 1 AND s = 'x')", "a <> 1 OR s <> 'x'", "equivalent"),
    ("lower(s) = 'ab'", "s IN ('ab', 'AB', 'aB', 'Ab')", "equivalent"),
    ("s RLIKE '^a+$'", "s RLIKE '^aa*$'", "equivalent"),
    ("s LIKE 'ab%'", "s >= 'ab' AND s < 'ac'", "equivalent"),
    # A replacement with the groups of the pattern is no pattern.
    (
        r"regexp_replace(s, '(a)(b)', '\2\1', 'g') = 'ba'",
        r"regexp_replace(s, '(a)(b)', '\2\1', 'g') = 'bax'",
        "disjoint",
    ),
    ("s LIKE '%a%b%'", "s LIKE '%a%' AND s LIKE '%b%'", "wider"),
    ("length(s) > 2", "s LIKE '___%'", "equivalent"),
    ("s = '\\u{41}'", "s = 'A'", "disjoint"),
    ("year(t) = 2013", "t >= TIMESTAMP '2013-01-01' AND t < TIMESTAMP '2014-01-01'", "equivalent"),
    ("m['k'] = 'x'", "m['k'] IN ('x', 'y')", "wider"),
    ("exists(xs, x -> x = 'a')", "array_contains(xs, 'a')", "equivalent"),
    ("dec > 1.5", "dec >= 1.51", "equivalent"),
    ("p", "p = TRUE", "equivalent"),
    ("div(a, 0) = 1", "FALSE", "equivalent as a filter"),
    ("st.x > 1", "st.x >= 2", "equivalent"),
    ("trim(s) = 'a'", "s = 'a'", "narrower"),
]


def parse(text: str) -> predicat.Predicate:
    return predicat.parse(text, "sql", FIELDS)


@pytest.mark.parametrize(("before", "after", "kind"), PAIRS)
def test_known_pairs(before: str, after: str, kind: str) -> None:
    verdict = predicat.compare(parse(before), parse(after), effort=20)
    assert verdict.kind == kind, verdict
    check_witnesses(parse(before).node, parse(after).node, verdict)


@pytest.mark.parametrize(
    ("before", "after", "row"),
    [
        ("n >= 6", "n - 1 > 2", {"n": 5}),
        ("n >= 6.0", "n - 1 > 2", {"n": 4}),
        ("n * 2 > 10", "n > 5.0", {"n": 5.5}),
        ("n / 2 > 2", "false", {"n": 6}),
        ("n % 2 == 0 && n > 0", "false", {"n": 2}),
        ("type(n) != double && n > 5", "n > 5", {"n": 10**400}),
    ],
)
@pytest.mark.parametrize("fields", [None, {"n": "json"}])
def test_arithmetic_on_a_number_without_a_declared_type(
    before: str, after: str, row: dict[str, Any], fields: dict[str, str] | None
) -> None:
    """It has a value on whole numbers alone. Proofs once took it to have one everywhere."""
    left, right = (predicat.parse(text, "cel", fields) for text in (before, after))
    assert left.evaluate(row) is not right.evaluate(row)
    verdict = predicat.compare(left, right, effort=20)
    assert verdict.kind not in ("equivalent", "equivalent as a filter"), verdict
    check_witnesses(left.node, right.node, verdict)


def test_zero_below_and_zero_above_are_two_constants() -> None:
    """One was taken for the other that had been seen before: in proofs, and in the bounds of SQL."""
    before, after = (
        predicat.parse(text, "cel", {"x": "double"}) for text in ("x / 0.0 > 5.0", "x / -0.0 > 5.0")
    )
    assert (before.sql("duckdb"), after.sql("duckdb")) == ("x > 0 AND NOT ISNAN(x)", "x < 0")
    assert predicat.compare(before, after).kind == "disjoint"


def test_witnesses_are_small() -> None:
    found = predicat.compare(parse("a > 100 OR s LIKE 'x%y%z'"), parse("a > 100"))
    assert found.lost is not None
    assert found.lost.row == {"s": "xyz"}
    assert (found.lost.before, found.lost.after) == (True, None)


def test_unknown_rows_count_where_a_filter_accepts_them() -> None:
    found = predicat.compare(parse("a > 1"), parse("a > 1"), on_unknown=("reject", "accept"))
    assert found.kind == "wider"
    assert found.gained is not None
    assert found.gained.row == {}


def test_a_row_that_the_evaluator_refuses_is_no_proof() -> None:
    """1/49 times 49 is 1 among numbers and not among doubles: Z3's row does not survive, and nothing is
    proved by that.
    """
    assert predicat.compare(parse("b * 49 = x + 0 AND x = 1"), parse("FALSE"), effort=1).proof == ""


def test_parameters_stand_for_every_value() -> None:
    before, after = (predicat.parse(text, "sql", FIELDS) for text in ("a > 1", "a >= 2"))
    assert predicat.compare(before, after).kind == "equivalent"
    catalog = predicat.load_catalog("catalog")
    own = catalog["flights.long_delay@2"]
    assert predicat.compare(own, own).kind == "equivalent"


def test_a_field_of_another_type_is_no_proof() -> None:
    found = predicat.compare(parse("a > 1"), predicat.parse("a > 1", "sql", {"a": "double"}))
    assert (found.kind, found.notes) == ("unsupported", ("a has another type",))


PROOFS = [
    ("a > 3", "a >= 4", "proved", "the same outcome on every row (proved)"),
    ("a > 3", "a > 4", "proved", "rows are lost, none is gained (proved)"),
    ("a > 1", "a < 5", "shown", "rows are lost and rows are gained (shown)"),
    ("b * 3 > 6", "b > 2", "proved", "the same outcome on every row (proved)"),
    (
        "b + x > x + b + 1",
        "FALSE",
        "holds for exact arithmetic",
        "the same rows (holds for exact arithmetic)",
    ),
    ("b + x - x > 2 AND a > 1", "b + x - x > 2", "proved", "rows are gained, none is lost (proved)"),
    (
        "b + x + 1 > 2",
        "b + x > 1",
        "holds for exact arithmetic",
        "the same outcome on every row (holds for exact arithmetic)",
    ),
    ("lower(s) = lower(u)", "upper(s) = upper(u)", "", "no proof, because of lower"),
]


@pytest.mark.parametrize(("before", "after", "proof", "sentence"), PROOFS)
def test_a_verdict_says_what_it_rests_on(before: str, after: str, proof: str, sentence: str) -> None:
    verdict = predicat.compare(parse(before), parse(after), effort=20)
    assert verdict.proof == proof
    assert show.sentence(verdict).startswith(sentence)
    assert show.verdict_data(verdict)["proof"] == proof
    assert show.title(verdict) == (verdict.kind if proof != EXACT else f"{verdict.kind} ({EXACT})")
    assert verdict.same_rows is (verdict.kind == "equivalent" and proof == PROVED)


def test_no_row_in_exact_arithmetic_is_no_proof_that_there_is_none() -> None:
    assert example(parse("b + x > x + b + 1").node, wanted=True) == (EXACT, None)
    assert example(parse("b * 3 > 6 AND b < 2").node, wanted=True) == ("none", None)
    assert example(parse("a > 6 AND a < 2").node, wanted=True) == ("none", None)


def test_operators_with_a_formula_exist() -> None:
    assert encodable() <= set(OPS)


def check_witnesses(before: Node, after: Node, verdict: Verdict) -> None:
    functions = over_inputs(before), over_inputs(after)
    for witness in (verdict.lost, verdict.gained, verdict.unknown):
        if witness is not None:
            row = {**witness.row, **{f":{name}": value for name, value in witness.params.items()}}
            assert tuple(function(row) for function in functions) == (witness.before, witness.after)
    if verdict.lost:
        assert verdict.lost.before is True
        assert verdict.lost.after is not True
    if verdict.gained:
        assert verdict.gained.after is True
        assert verdict.gained.before is not True


def refutes(kind: str, a: bool | None, b: bool | None) -> bool:
    """Whether the outcomes of a row contradict a verdict."""
    match kind:
        case "equivalent":
            return a is not b
        case "equivalent as a filter":
            return (a is True) != (b is True)
        case "narrower":
            return b is True and a is not True
        case "never":
            return b is True
        case "wider":
            return a is True and b is not True
        case "always":
            return b is not True
        case "disjoint":
            return a is True and b is True
        case _:
            return False


def rewritten(node: Node) -> Node:
    return simplify(Call(BOOLEAN, "not", (Call(BOOLEAN, "not", (node,)),)))


@settings(REPEATABLE, max_examples=EXAMPLES)
@given(pair=st.tuples(predicates(2), predicates(2), st.integers(0, 3), st.integers(0, 10**6)))
def test_no_verdict_is_wrong(pair: Any) -> None:
    before, after, mode, choice = pair
    if mode == 1:
        found = list(mutants(before))
        after = found[choice % len(found)].node if found else after
    elif mode == 2:
        after = rewritten(before)
    elif mode == 3:
        before = Call(BOOLEAN, "and", (before, after))
    verdict = compare_nodes(before, after, effort=0.5)
    check_witnesses(before, after, verdict)
    if verdict.proof == EXACT:
        return  # it holds for exact numbers, and says so: 1e-200 * 1e-200 is 0 in doubles
    functions = over_inputs(before), over_inputs(after)
    for row in rounds([*rows(50), *CandidateRows((before, after)).rows(150, seed=7)], 30):
        outcomes = tuple(function(row) for function in functions)
        assert not refutes(verdict.kind, *outcomes), (
            f"{verdict}: {canonical_text(before)} | {canonical_text(after)}: {row}"
        )
