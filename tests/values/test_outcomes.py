"""The sets of values that tests accept, against the evaluator; unions by them."""

import math
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

import predicat
from predicat.api import Predicate
from predicat.ir.nodes import Call, Field, FieldDecl, Items, Literal, walk
from predicat.ir.types import BOOLEAN, STRING, ArrayType, parse_type
from predicat.proof.inputs import over_inputs
from predicat.rewrite.acceptance import for_acceptance
from predicat.rewrite.union import union
from predicat.semantics.evaluate import compile_node
from predicat.values.outcomes import accepted
from predicat.values.partition import is_within, relabelled
from predicat.values.written import written
from tests.review.test_cases import TEXTS, near

CONDITIONS = {
    "bigint": [
        "x > 3", "x BETWEEN 3 AND 9", "x + 5 > 10", "x * 2 <= 7", "abs(x) > 3", "x IN (1, 2, 3)",
        "x NOT IN (1, 5)", "x <> 0", "x IS NULL", "NOT (x > 3 OR x = 1)", "x > 2.5",
        "coalesce(x, 0) > 3", "x IS DISTINCT FROM 3", "x = 9223372036854775807",
    ],
    "double": [
        "x > 5", "x <= 5", "x < 5 OR x > 9", "x = 0", "isnan(x)", "NOT isnan(x)", "x / 2.0 > 1.0",
        "x IN (1.5, 2.5)", "x BETWEEN 1 AND 2", "x IS NULL OR x > 1e300", "NOT (x >= 4.0)",
    ],
    "decimal(10,2)": ["x > 5", "x * 2 > 10", "x = 0.05", "x < 100000000", "x BETWEEN 1 AND 2"],
    "date": ["x >= DATE '2024-01-01'", "x < DATE '2024-02-29'", "x = DATE '9999-12-31'", "year(x) = 2024"],
    "timestamp": ["x >= TIMESTAMP '2024-01-01 00:00:00'", "year(x) >= 2024", "date(x) = DATE '2024-02-29'"],
    "string": [
        "x = 'a'", "x <> 'a'", "x LIKE 'a%'", "x LIKE '%a'", "x IN ('a', 'aB')", "x NOT IN ('a', '')",
        "x > 'a'", "x <= 'aB'", "lower(x) = 'ab'", "length(x) > 2", "x RLIKE '[0-9]'", "x IS NULL",
        "x LIKE 'a%' AND x <> 'ab'", "x BETWEEN 'a' AND 'b'", "coalesce(x, 'a') = 'a'",
    ],
    "boolean": ["x", "NOT x", "x IS NULL", "x IS NOT TRUE", "x = TRUE"],
}  # fmt: skip
CASES = [(kind, text) for kind, texts in CONDITIONS.items() for text in texts]


def values_of(kind: str) -> Iterator[Any]:
    yield None
    if kind == "boolean":
        yield from (False, True)
    elif kind == "string":
        yield from TEXTS
    else:
        yield from near(parse_type(kind), random.Random(kind))
        yield from [math.nan, -0.0] if kind == "double" else []


def parse(text: str, **fields: str) -> Predicate:
    return predicat.parse(text, "sql", fields)


@pytest.mark.parametrize(("kind", "text"), CASES)
def test_a_set_has_the_values_for_which_the_test_is_true(kind: str, text: str) -> None:
    test = parse(text, x=kind).node
    found, run = accepted(test), compile_node(test)
    assert found is not None and isinstance(found.operand, Field)
    for value in values_of(kind):
        if value is None or (isinstance(value, float) and math.isnan(value)):
            member = found.sure.others[0 if value is None else 1]
        else:
            member = found.sure.of(value)
        assert member is (run({"x": value}) is True), (text, value)


@pytest.mark.parametrize("kind", CONDITIONS)
def test_sets_are_within_each_other_if_and_only_if_their_values_are(kind: str) -> None:
    tests = [parse(text, x=kind).node for text in CONDITIONS[kind]]
    values = list(values_of(kind))
    rows = [[compile_node(test)({"x": value}) is True for value in values] for test in tests]
    sets = [found for found in map(accepted, tests) if found is not None]
    assert len(sets) == len(tests)
    both = 0
    for one, inside in zip(sets, rows, strict=True):
        for other, outside in zip(sets, rows, strict=True):
            missing = [value for value, a, b in zip(values, inside, outside, strict=True) if a and not b]
            within = is_within(one.near, other.sure)
            assert not (within and missing), (kind, missing[:1])
            both += within
    assert both > len(tests)


@pytest.mark.parametrize(("kind", "text"), CASES)
def test_a_written_set_is_the_set(kind: str, text: str) -> None:
    test = parse(text, x=kind).node
    found = accepted(test)
    assert found is not None
    for values in (found.sure, relabelled(found.sure, lambda label: not label)):
        result = written(found.operand, values, [test])
        if result is None:
            continue
        run, own = compile_node(result), compile_node(test)
        accepts = values == found.sure
        for value in values_of(kind):
            assert (run({"x": value}) is True) is ((own({"x": value}) is True) is accepts), (result, value)


# --- unions

FIELDS = {
    "n": "bigint",
    "d": "double",
    "p": "decimal(10,2)",
    "s": "string",
    "t": "string",
    "b": "boolean",
    "ts": "timestamp",
    "day": "date",
}


def joined(*texts: str) -> str:
    return Predicate(union(parse(text, **FIELDS).node for text in texts), "sql").sql("spark")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["n BETWEEN 3 AND 5", "n BETWEEN 1 AND 9"], "n BETWEEN 1 AND 9"),
        (["n BETWEEN 3 AND 5", "n BETWEEN 6 AND 9"], "n BETWEEN 3 AND 9"),
        (["n > 3", "n <= 3"], "n IS NOT NULL"),
        (["n > 3", "n <= 3", "n IS NULL"], "TRUE"),
        (["n + 5 > 10", "n > 4"], "n > 4"),
        (["n % 10 = 3", "n % 5 = 3"], "n % 5 = 3"),
        (["n % 4 = 1 AND n < 99", "n % 2 = 1"], "n % 2 = 1"),
        (["n > 5 AND n < 3", "n = 7"], "n = 7"),
        (["p * 2 > 10", "p > 4"], "p > 4"),
        (["d > 5", "d > 10"], "d > 5"),
        (["d > 5", "d <= 5"], "d IS NOT NULL"),
        (["exp(d) > 12", "n = 1"], "n = 1 OR d >= 2.484906649788001"),
        (["s <> 'a'", "s = 'a'"], "s IS NOT NULL"),
        (["s NOT IN ('a', 'b')", "s = 'b'"], "s <> 'a'"),
        (["s LIKE '%ab%'", "s LIKE '%a%'"], "s LIKE '%a%'"),
        (["trim(s) = ''", "s LIKE ' %'", "s = ''"], "s = '' OR s LIKE ' %'"),
        (["s = 'a' AND n > 5", "s = 'a' AND n > 7", "s = 'b' AND n > 5"], "n > 5 AND s IN ('a', 'b')"),
        (["b", "b IS NOT NULL"], "b IS NOT NULL"),
        (
            ["ts >= TIMESTAMP '2026-01-01' AND ts < TIMESTAMP '2026-01-02'",
             "ts >= TIMESTAMP '2026-01-02' AND ts < TIMESTAMP '2026-01-03'"],
            "ts >= TIMESTAMP '2026-01-01T00:00:00Z' AND ts < TIMESTAMP '2026-01-03T00:00:00Z'",
        ),
    ],
)  # fmt: skip
def test_a_union_by_sets(texts: list[str], expected: str) -> None:
    assert joined(*texts) == expected


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (["ts > now() - INTERVAL '1 day'", "ts > now() - INTERVAL '2 days'"], 1),
        (["ts > now() - INTERVAL '2 days' AND ts < now()", "now() - ts < INTERVAL '2 days'"], 1),
        (["n = 1 AND ts < now()", "ts < now() + INTERVAL '1 hour'"], 1),
        (["day = current_date", "day >= current_date - 7"], 1),
        (["ts >= now()", "ts <= now()", "n = 1"], None),
    ],
)
def test_a_union_of_times_since_now(texts: list[str], kept: int | None) -> None:
    parts = [parse(text, **FIELDS).node for text in texts]
    whole = union(parts)
    assert kept is None or whole == for_acceptance(parts[kept])
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    runs = [over_inputs(node) for node in (whole, *parts)]
    for hours in (-72, -48, -47, -24, -23, -1, 0, 1, 2, 72):
        for off in (-1, 0, 1):
            ts = now + timedelta(hours=hours, microseconds=off)
            row = {"ts": ts, "day": ts.date(), "n": hours % 2, ":now()": now}
            outcome, *each = [run(row) is True for run in runs]
            assert outcome is any(each), row


def test_what_lies_behind_the_calendar_is_not_lost() -> None:
    """PostgreSQL has dates behind the last one: they are no year, and not the last day."""
    assert joined("day = DATE '9999-12-31'", "day >= DATE '9999-12-31'").count("9999") == 2
    assert joined("day >= DATE '2026-01-01'", "year(day) >= 2020").count("2020") == 1
    assert joined("year(day) = 2026", "day >= DATE '2026-01-01'") == "day >= DATE '2026-01-01'"


def test_unions_of_many_ranges_are_short() -> None:
    chance = random.Random(1)
    starts = [chance.randrange(300) for _ in range(300)]
    assert len(joined(*(f"n BETWEEN {at} AND {at + chance.randrange(1, 40)}" for at in starts))) <= 60
    days = [date(2026, 1, 1) + timedelta(number) for number in chance.sample(range(365), 300)]
    ranges = (f"ts >= TIMESTAMP '{day}' AND ts < TIMESTAMP '{day + timedelta(1)}'" for day in days)
    assert len(joined(*ranges)) <= 15_000
    pairs = (f"s = 's{chance.randrange(9)}' AND n > {chance.randrange(20)}" for _ in range(60))
    assert len(joined(*pairs)) <= 300


@pytest.mark.long
def test_a_union_of_long_lists_is_one_list() -> None:
    """Lists too long for sets are joined all the same, and equal items are written once."""
    field = Field(STRING, FieldDecl("s", STRING))

    def listed(low: int, high: int) -> Call:
        items = tuple(Literal(STRING, f"v{number}") for number in range(low, high))
        return Call(BOOLEAN, "in", (field, Items(ArrayType(STRING), items)))

    whole = union([listed(0, 10_500), listed(10_000, 12_000)])
    assert [len(set(part.items)) for part in walk(whole) if isinstance(part, Items)] == [12_000]
