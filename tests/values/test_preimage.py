"""Labels of partitions against the evaluator: calculations, remainders, the calendar, choices, samples."""

import math
import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

import predicat
from predicat.ir.nodes import Call, Field, FieldDecl, Literal, Node
from predicat.ir.types import BOOLEAN, DOUBLE, parse_type
from predicat.semantics.evaluate import compile_node
from predicat.values.automaton import Opaque
from predicat.values.domain import domain
from predicat.values.outcomes import outcomes
from predicat.values.partition import Cycle, Line, Partition, Some, choices
from predicat.values.preimage import connected, x_of
from predicat.values.samples import samples
from tests.review.test_cases import TABLES, TEXTS, near
from tests.rounds import rounds

# Beside those of test_cases.yml.
MORE = {
    "bigint": [
        "div(100, x) > 20", "x % 7 = -3", "x % 6 = 0 AND x % 4 = 2", "x % -5 IN (1, 2)", "x = x",
        "greatest(x, x + 5, 3) > 7", "coalesce(nullif(x, 3), 9) > 4", "x > 1e300", "x IN (1.5, 2, NULL)",
        "CASE WHEN x % 3 = 0 THEN x + 1 ELSE 0 END > 5", "(x > 3) = (x > 5)", "NOT (x IN (2, NULL))",
    ],
    "double": [
        "1.0 / x > 2.0", "sqrt(x) > 2", "greatest(x, 1.5) > 1", "x IS NOT DISTINCT FROM 1", "exp(x) > 12",
        "ln(x) <= 0", "x * 0 < 2", "coalesce(x, 2.5) > 2", "bround(x, 0) = 2", "x > 9223372036854775807",
        "NOT (x <> x)",
    ],
    "decimal(10,2)": ["coalesce(x, 1.234) > 1.23", "1 - x > 0.005", "x > 1.005 OR x < -1"],
    "date": [
        "dayofyear(x) = 366", "dayofweek(x) IN (1, 7) AND day(x) = 13", "month(x) <> 2 OR day(x) > 28",
        "last_day(x) = DATE '2024-02-29'", "month(x) = 2 AND x < DATE '1960-06-01'",
    ],
    "timestamp": [
        "dayofyear(x) >= 60", "second(x) = 59 AND minute(x) = 59", "day(x) = 31 AND hour(x) < 3",
        "hour(x) = 0 AND dayofweek(x) = 1 AND month(x) = 2",
        "month(x) = 1 AND x < TIMESTAMP '1969-06-01 00:00:00'",
        "date_format(x, 'yyyy-MM') IN ('2024-02', '')",
    ],
}  # fmt: skip
TESTS = [
    (kind, text)
    for table in (TABLES["ordered"], MORE)
    for kind, texts in table.items()
    for text in texts
    if text != "x = x + 1 OR x > 2"
]


def node_of(kind: str, text: str, language: str = "sql") -> Node:
    return predicat.parse(text, language, {"x": kind}).node


def values_of(kind: str, part: Partition) -> Iterator[Any]:
    """NULL, values near the ends and named ones, and those on both sides of each cut."""
    yield None
    if kind == "string":
        yield from TEXTS
        return
    yield from [math.nan, -0.0] if kind == "double" else []
    chance = random.Random(kind)
    yield from near(parse_type(kind), chance)
    assert isinstance(part.cells, Line)
    for ordinal in cuts(part.cells, chance):
        if part.domain.least <= ordinal <= part.domain.greatest:
            yield part.domain.value(ordinal)


def cuts(cells: Line | Cycle, chance: random.Random, base: int = 0) -> Iterator[int]:
    for start in chance.sample(cells.starts, min(len(cells.starts), 40)):
        yield from (base + start + step for step in (-1, 0, 1))
    for start, label in zip(cells.starts, cells.labels, strict=True):
        if isinstance(label, Cycle) and chance.random() < 20 / len(cells.starts):
            first = base + start if isinstance(cells, Cycle) else start
            turn = max(first, 0) // label.period * label.period
            yield from cuts(label, chance, turn + label.period * chance.choice((0, 1, 3)))


@pytest.mark.parametrize(("kind", "text"), TESTS)
def test_a_label_is_the_outcome_of_the_evaluator(kind: str, text: str) -> None:
    test = node_of(kind, text)
    part, run = outcomes(test, x_of(parse_type(kind))), compile_node(test)
    tried = list(values_of(kind, part))
    assert len(tried) > 100
    for value in tried:
        assert run({"x": value}) in choices(part.of(value)), (text, value)
        assert not isinstance(part.of(value), Some)


@pytest.mark.parametrize(("kind", "text"), TESTS)
def test_each_label_has_a_sample_and_each_value_one(kind: str, text: str) -> None:
    test = node_of(kind, text)
    part, run = outcomes(test, x_of(parse_type(kind))), compile_node(test)
    found = dict(samples([part]))
    assert all(run({"x": value}) is label for (label,), value in found.items())
    assert {label for (label,) in found} == {
        run({"x": value}) for value in (*values_of(kind, part), *found.values())
    }


@pytest.mark.parametrize("kind", ["bigint", "date", "timestamp", "double", "decimal(10,2)"])
def test_samples_of_several_tests_are_all_combinations_that_occur(kind: str) -> None:
    tests = [node_of(own, text) for own, text in TESTS if own == kind]
    chance, rounds = random.Random(kind), 0
    for _ in range(12):
        chosen = chance.sample(tests, 3)
        parts = [outcomes(test, x_of(parse_type(kind))) for test in chosen]
        try:
            found = dict(samples(parts))
        except Opaque:
            continue
        rounds += 1
        runs = [compile_node(test) for test in chosen]
        for labels, value in found.items():
            assert labels == tuple(run({"x": value}) for run in runs)
        for part in parts:
            for value in values_of(kind, part):
                assert tuple(run({"x": value}) for run in runs) in found
    assert rounds >= 8


@pytest.mark.parametrize(("kind", "text"), TESTS)
def test_intervals_begin_at_the_least_value_and_differ_from_their_neighbours(kind: str, text: str) -> None:
    cells = outcomes(node_of(kind, text), x_of(parse_type(kind))).cells
    assert isinstance(cells, Line)
    values = domain(parse_type(kind))
    assert values is not None and cells.starts[0] == values.least
    assert list(cells.starts) == sorted(set(cells.starts))
    assert all(one != other for one, other in zip(cells.labels, cells.labels[1:], strict=False))


@pytest.mark.parametrize("op", ["and", "or", "eq", "ne", "same", "coalesce"])
def test_connectives_are_those_of_the_evaluator(op: str) -> None:
    names = ("x", "y")
    run = compile_node(Call(BOOLEAN, op, tuple(Field(BOOLEAN, FieldDecl(name, BOOLEAN)) for name in names)))
    for labels in product((True, False, None), repeat=2):
        assert connected(op, *labels) is run(dict(zip(names, labels, strict=True)))


def test_what_is_no_test_of_one_value_is_opaque() -> None:
    opaque = {
        "double": ["CAST(x AS DOUBLE) / 0 > 1", "x * x > 2"],
        "bigint": ["x = x + 1", "x * x > 2", "x % 5000000 = 1"],
        "timestamp": ["date_format(x, 'MM') = '02'", "month(x + INTERVAL 1 DAY) = 2"],
    }
    for kind, texts in opaque.items():
        for text in texts:
            with pytest.raises(Opaque):
                outcomes(node_of(kind, text), x_of(parse_type(kind)))
    assert set(outcomes(Literal(BOOLEAN, None), x_of(parse_type("bigint"))).labels()) == {None}


@pytest.mark.parametrize(
    "text",
    [
        "x AT TIME ZONE 'Europe/Berlin' >= '2024-02-29'",
        "(x AT TIME ZONE 'Asia/Kolkata')::date = '2024-01-01'",
        "(x AT TIME ZONE 'America/New_York') < '0001-01-04'",
        "NOT (x AT TIME ZONE 'Pacific/Apia' > '9999-12-30')",
    ],
)
def test_of_a_time_in_a_zone_some_labels_are_unknown(text: str) -> None:
    test = predicat.parse(text, "postgres", {"x": "timestamp"}).node
    part, run = outcomes(test, x_of(parse_type("timestamp"))), compile_node(test)
    unknown = 0
    for value in values_of("timestamp", part):
        assert run({"x": value}) in choices(part.of(value)), value
        unknown += isinstance(part.of(value), Some)
    assert 0 < unknown < len(list(values_of("timestamp", part))) / 2


@pytest.mark.parametrize("text", ["x / 0.0 > 1.0", "-(x / 0.0) < -1.0", "x / -0.0 >= 0.0", "x * 0.0 != 1.0"])
def test_a_quotient_by_zero_has_a_gap(text: str) -> None:
    test = predicat.parse(text, "cel", {"x": "double"}).node
    part, run = outcomes(test, x_of(DOUBLE)), compile_node(test)
    for value in rounds(values_of("double", part), 5):
        assert run({"x": value}) is part.of(value), value
