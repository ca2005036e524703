"""Columns narrower than their type: their values in proofs, example rows, candidates and the evaluator."""

import math
import random
import struct
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import product
from typing import Any

import pytest

import predicat
from predicat.ir.nodes import Node, fields_of
from predicat.ir.types import parse_type
from predicat.ir.widths import FLOAT_LEAST, FLOAT_MOST, RANGES, as_stored, fits, stored_width
from predicat.proof.candidate_rows import CandidateRows
from predicat.proof.compare import PROVED, SHOWN, Verdict, compare, compare_nodes
from predicat.proof.inputs import over_inputs
from predicat.values.domain import Domain, domain
from tests.review.test_compare import refutes
from tests.rounds import rounds

NARROW = ("tinyint", "smallint", "int")
FIELDS = {"q": "tinyint", "r": "smallint", "n": "int", "f": "float", "p": "decimal(4,2)", "s": "string"}


def parsed(text: str, kind: str) -> predicat.Predicate:
    return predicat.parse(text, "sql", {"q": kind, "f": kind})


# --- proofs


@pytest.mark.parametrize("kind", NARROW)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1 - q > 0", "q < 1"),
        ("q + 1 > q", "q IS NOT NULL"),
        ("q * 2 > 10", "q > 5"),
        ("abs(q) >= 0", "q IS NOT NULL"),
        ("-q <= 0", "q >= 0"),
        ("q < 3000000000", "q IS NOT NULL"),
        ("CAST(q AS STRING) = '5'", "q = 5"),
        ("NOT (q > 3000000000)", "q IS NOT NULL"),
    ],
)
def test_no_overflow_tells_two_spellings_apart(kind: str, before: str, after: str) -> None:
    verdict = compare(parsed(before, kind), parsed(after, kind))
    assert verdict.same_rows, verdict


def test_of_a_bigint_overflow_still_does() -> None:
    verdict = compare(parsed("1 - q > 0", "bigint"), parsed("q < 1", "bigint"))
    assert (verdict.kind, verdict.proof) == ("wider", PROVED)
    assert verdict.gained is not None
    assert verdict.gained.row["q"] < -(2**31)


def test_of_two_widths_the_wider_counts() -> None:
    narrow, wide = parsed("q > 0", "int"), parsed("q > 0 AND q < 3000000000", "bigint")
    verdict = compare(narrow, wide)
    assert (verdict.kind, verdict.lost and verdict.lost.row) == ("narrower", {"q": 3000000000})
    assert compare(narrow, parsed("q > 0 AND q < 3000000000", "smallint")).kind == "equivalent"


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("f = 0.1", "f > 1e39 AND f < 1e40", "equivalent as a filter"),
        ("f < 1e39", "f <= 3.5e38", "equivalent"),
        ("f * 2 < 1", "f < 0.5", "equivalent"),
        ("f > 16777216", "f >= 16777218", "equivalent"),
        ("f > 0.1", "f >= 0.10000000149011612", "equivalent"),
    ],
)
def test_a_float_has_32_bits(before: str, after: str, kind: str) -> None:
    before, after = (text.replace("1e39", "CAST('1e39' AS DOUBLE)") for text in (before, after))
    verdict = compare(parsed(before, "float"), parsed(after, "float"))
    assert verdict.kind in (kind, "equivalent"), verdict
    assert verdict.proof == PROVED
    assert compare(parsed(before, "double"), parsed(after, "double")).kind != verdict.kind or "0.5" in after


# --- every verdict about a tinyint against all of its values

VALUES = (None, *range(-128, 128))
OPERATORS = ("<", "<=", "=", "<>", ">=", ">")
LEAVES = (
    "q {o} {k}",
    "q + {c} {o} {k}",
    "{c} - q {o} {k}",
    "q * {c} {o} {k}",
    "div(q, {c}) {o} {k}",
    "q % {c} {o} {k}",
    "abs(q) {o} {k}",
    "-q {o} {k}",
    "q BETWEEN {k} AND {k} + 20",
    "q IN ({k}, {c}, 127)",
    "coalesce(q, {c}) {o} {k}",
    "CASE WHEN q > {c} THEN q ELSE 0 END {o} {k}",
    "CAST(q AS STRING) LIKE '{c}%'",
    "CAST(q AS DOUBLE) * 0.1 {o} {k}",
    "q + 0.5 {o} {k}",
    "q IS NULL",
    "q {o} {k} * 1000000000",
    "q * 9000000000000000 {o} {k} * 1000000000000000",
    "greatest(q, {c}) {o} {k}",
)


# The conditions that exist for all types of numbers.
ANY_NUMBER = tuple(
    leaf for leaf in LEAVES if not any(part in leaf for part in ("div", "%", "STRING", "00000"))
)


def condition(rng: random.Random, depth: int = 2, leaves: tuple[str, ...] = LEAVES) -> str:
    if depth and rng.random() < 0.5:
        if rng.random() < 0.2:
            return f"NOT ({condition(rng, depth - 1, leaves)})"
        parts = (condition(rng, depth - 1, leaves), condition(rng, depth - 1, leaves))
        return f"({rng.choice((' AND ', ' OR ')).join(parts)})"
    near = rng.choice((0, 1, -1, 5, 10, 100, 127, -128, 128, -129, 60))
    constants = {
        "o": rng.choice(OPERATORS),
        "k": near + rng.choice((0, 0, 1, -1)),
        "c": rng.choice((1, 2, 3, 7, -2)),
    }
    return rng.choice(leaves).format(**constants)


def expected(pairs: list[tuple[bool | None, bool | None]]) -> str:
    """The kind of a verdict, from the outcomes on all rows."""
    lost = any(a is True and b is not True for a, b in pairs)
    gained = any(b is True and a is not True for a, b in pairs)
    if not lost and not gained:
        return "equivalent" if all(a is b for a, b in pairs) else "equivalent as a filter"
    if lost and gained:
        return "changed" if any(a is b is True for a, b in pairs) else "disjoint"
    if lost:
        return "narrower" if any(b is True for _, b in pairs) else "never"
    return "wider" if any(b is not True for _, b in pairs) else "always"


def pair(texts: tuple[str, str], fields: Mapping[str, str]) -> tuple[Node, Node]:
    before, after = (predicat.parse(text, "sql", fields).node for text in texts)
    return before, after


def in_its_columns(verdict: Verdict, nodes: tuple[Node, Node]) -> bool:
    fields = {**fields_of(nodes[0]), **fields_of(nodes[1])}
    return all(
        as_stored(value, fields[name]) == value or value != value  # noqa: PLR0124  # NaN
        for witness in (verdict.lost, verdict.gained, verdict.unknown)
        if witness is not None
        for name, value in witness.row.items()
    )


@pytest.mark.long
@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 1_000), marks=pytest.mark.slow)])
def test_verdicts_about_a_tinyint_are_those_of_all_its_values(seeds: range) -> None:
    open_: list[object] = []
    for seed in seeds:
        rng = random.Random(seed)
        texts = condition(rng), condition(rng)
        nodes = pair(texts, {"q": "tinyint"})
        verdict = compare_nodes(*nodes, effort=5)
        before, after = map(over_inputs, nodes)
        outcomes = [(before({"q": value}), after({"q": value})) for value in VALUES]
        if verdict.proof not in (PROVED, SHOWN):
            open_.append((texts, verdict))
            continue
        assert verdict.kind == expected(outcomes), (texts, verdict)
        assert in_its_columns(verdict, nodes), (texts, verdict)
    assert len(open_) <= len(seeds) / 50, open_


def values_near(kind: str, rng: random.Random) -> list[Any]:
    """Values of a column: its ends, those around the constants of conditions, and any others."""
    column = the(kind)
    convert = Decimal if kind.startswith("decimal") else float if kind == "float" else int
    named = [convert(number) for number in (0, 1, -1, 5, 10, 33, 60, 100, 127, 128, -128, -129, 16777216)]
    near = [column.ordinal(value) for value in named] + [column.least, column.greatest]
    keys = {at + step for at in near for step in range(-4, 5)}
    keys |= {rng.randint(column.least, column.greatest) for _ in range(60)}
    return [None, *(column.value(at) for at in keys if column.least <= at <= column.greatest)]


@pytest.mark.parametrize("kind", ["smallint", "int", "float", "decimal(4,2)"])
def test_no_value_of_a_column_refutes_a_verdict(kind: str) -> None:
    rng = random.Random(kind)
    values = values_near(kind, rng)
    if kind == "float":
        values += [math.nan, -0.0]
    for _ in range(30):
        texts = tuple(condition(rng, leaves=ANY_NUMBER) for _ in range(2))
        nodes = pair((texts[0], texts[1]), {"q": kind})
        verdict = compare_nodes(*nodes)
        before, after = map(over_inputs, nodes)
        refuted = [
            value for value in values if refutes(verdict.kind, before({"q": value}), after({"q": value}))
        ]
        assert not refuted or verdict.proof not in (PROVED, SHOWN), (texts, verdict, refuted)
        assert in_its_columns(verdict, nodes), (texts, verdict)


# --- every row of a proof or a test fits its columns


def conditions() -> Iterator[str]:
    for name, op, constant in product("qrnfp", OPERATORS, ("0", "99", "40000", "3000000000", "0.1")):
        yield f"{name} {op} {constant}"
        yield f"{name} + 1 {op} {constant} OR length(s) = 3 AND {name} * 2 {op} 7"


def test_candidate_rows_fit_their_columns() -> None:
    for text in rounds(conditions(), 300):
        node = predicat.parse(text, "sql", FIELDS).node
        fields = fields_of(node)
        found = [(name, value) for row in CandidateRows([node]).rows(60) for name, value in row.items()]
        for name, value in rounds(found, 50):
            assert as_stored(value, fields[name]) == value or value != value, (text, name)  # noqa: PLR0124  # NaN


def test_witnesses_fit_their_columns() -> None:
    texts = list(conditions())
    rng = random.Random(1)
    for _ in range(80):
        nodes = pair((rng.choice(texts), rng.choice(texts)), FIELDS)
        verdict = compare_nodes(*nodes)
        assert in_its_columns(verdict, nodes), verdict


# --- the evaluator


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("tinyint", (-128, 127), (-129, 128)),
        ("smallint", (-(2**15), 2**15 - 1), (2**15, -(2**15) - 1)),
        ("int", (-(2**31), 2**31 - 1), (2**31, 2**40)),
        ("bigint", (-(2**63), 2**63 - 1), (2**63, 10**30)),
        ("float", (0.1, 3.4028234663852886e38, math.inf, 1e-45), (1e39, -1e39, 1e-50)),
        ("decimal(4,2)", (99.99, -99), (100, 0.001)),
    ],
)
def test_evaluate_refuses_what_the_column_cannot_hold(kind: str, good: Any, bad: Any) -> None:
    predicate = parsed("q IS NOT NULL AND (q > 0 OR q <= 0)", kind)
    assert all(predicate.evaluate({"q": value}) for value in good)
    for value in bad:
        with pytest.raises(predicat.PredicatError) as caught:
            predicate.evaluate({"q": value})
        (problem,) = caught.value.diagnostics
        assert problem.code == "bad-row"
        assert problem.message.startswith(f"the field 'q' has type {kind}")
        assert problem.hint or f"{kind} (" in problem.message
        assert str(value) in problem.message


def test_a_float_is_rounded_as_its_column_does() -> None:
    assert parsed("f = 0.1", "float").evaluate({"f": 0.1}) is False
    assert parsed("f = 0.1", "double").evaluate({"f": 0.1}) is True
    assert parsed("f <= 0.5", "float").evaluate({"f": 0.5}) is True


def test_a_value_beyond_min_and_max_is_no_error() -> None:
    bounded = predicat.parse("q > 0", "sql", {"q": {"type": "int", "min": 0, "max": 10}})
    assert bounded.evaluate({"q": 11}) is None


# --- the numbers of a column


def the(kind: str) -> Domain:
    result = domain(parse_type(kind), stored_width(kind))
    assert result is not None
    return result


@pytest.mark.parametrize("kind", [*NARROW, "bigint", "float", "double", "decimal(4,2)", "date", "timestamp"])
def test_ordinals_are_in_order_and_go_both_ways(kind: str) -> None:
    column, rng = the(kind), random.Random(kind)
    ends = {column.least, column.greatest, 0}
    ordinals = sorted(
        at
        for at in {end + step for end in ends for step in range(-3, 4)}
        | {rng.randint(column.least, column.greatest) for _ in range(500)}
        if column.least <= at <= column.greatest
    )
    values = list(map(column.value, ordinals))
    assert values == sorted(values)
    assert len(set(values)) == len(values)
    assert list(map(column.ordinal, values)) == ordinals


def test_a_number_that_no_float_is_has_the_place_of_the_next() -> None:
    floats, rng = the("float"), random.Random(3)
    numbers = [struct.unpack("<d", rng.randbytes(8))[0] for _ in range(500)]
    numbers += [rng.uniform(-1, 1) * 10 ** rng.randint(-50, 40) for _ in range(500)]
    for number in (*numbers, FLOAT_MOST * 2, -FLOAT_MOST * 2, FLOAT_LEAST / 2, -FLOAT_LEAST / 2):
        if not math.isnan(number):
            at = floats.ordinal(number)
            assert floats.value(at) >= number
            assert at == floats.least or floats.value(at - 1) < number


@pytest.mark.parametrize("kind", NARROW)
def test_a_narrow_column_has_the_values_of_its_width(kind: str) -> None:
    column = the(kind)
    assert (column.value(column.least), column.value(column.greatest)) == RANGES[kind]
    decl = next(iter(fields_of(parsed("q = 1", kind).node).values()))
    assert [fits(end, decl) for end in (*RANGES[kind], RANGES[kind][0] - 1, RANGES[kind][1] + 1)] == [
        True,
        True,
        False,
        False,
    ]
