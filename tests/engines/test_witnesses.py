"""Rows of verdicts and of generated tests can be stored in columns of exactly the declared types, and the
engines agree there with the evaluator.
"""

import random
from collections.abc import Iterator, Mapping
from typing import Any

import predicat
from predicat.ir.nodes import Node, fields_of
from predicat.proof.compare import Verdict, compare
from predicat.testing import coverage
from tests.engines.rows import Tables, check_outcomes

FIELDS = {
    "tiny": "tinyint",
    "small": "smallint",
    "n": "int",
    "big": "bigint",
    "f": "float",
    "d": "double",
    "p": "decimal(4,2)",
    "exact": "decimal(28,10)",
    "s": "string",
    "b": "boolean",
    "day": "date",
    "t": "timestamp",
    "list": "array<bigint>",
    "m": "map<string, string>",
}
NUMBERS = ("tiny", "small", "n", "big", "f", "d", "p", "exact")
OF_NUMBERS = (
    "{x} {o} {k}",
    "{x} + 1 {o} {k}",
    "{x} - {c} {o} {k}",
    "{x} * {c} {o} {k}",
    "abs({x}) {o} {k}",
    "-{x} {o} {k}",
    "{x} BETWEEN -{c} AND {k}",
    "{x} IN ({k}, {c})",
    "{x} * 2 {o} {y}",
    "coalesce({x}, {c}) {o} {k}",
)
OF_OTHERS = (
    "s {o} 'ab'",
    "s LIKE 'a%'",
    "length(s) {o} {c}",
    "b",
    "b IS NULL",
    "day {o} DATE '2024-02-29'",
    "year(day) {o} 2024",
    "day + INTERVAL '1' DAY {o} DATE '9999-12-31'",
    "t {o} TIMESTAMP '2024-02-29 12:00:00'",
    "t - INTERVAL '1' HOUR {o} TIMESTAMP '2024-02-29 12:00:00'",
    "exists(list, v -> v {o} {c})",
    "size(list) {o} {c}",
    "m['k'] {o} 'x'",
)
CONSTANTS = (0, 1, 5, 99, 127, 128, 32767, 40000, 2147483647, 3000000000, "0.1", "0.5", "16777217")
PAIRS = 40
# A constant that is no float of 32 bits; an engine may round it beside a column that is.
BESIDE_FLOATS = (
    ("f BETWEEN -3 AND 2147483647", "f < 2147483648"),
    ("f = 0.1", "f > 0.1 AND f < 0.11"),
    ("coalesce(f, 0.1) = 0.1", "f IN (0.1, 0.25)"),
    ("greatest(f, 0.1) > 0.1", "CASE WHEN f > 1 THEN f ELSE 0.1 END > 0.1"),
)


def condition(rng: random.Random, names: tuple[str, ...]) -> str:
    form = rng.choice(OF_NUMBERS if rng.random() < 0.7 else OF_OTHERS)
    own = {
        "x": rng.choice(names),
        "y": rng.choice(names),
        "o": rng.choice(("<", "<=", "=", "<>", ">=", ">")),
        "k": rng.choice(CONSTANTS),
        "c": rng.choice((2, 3, 7)),
    }
    return form.format(**own)


def pairs() -> Iterator[tuple[predicat.Predicate, predicat.Predicate]]:
    for before, after in BESIDE_FLOATS:
        yield predicat.parse(before, "sql", FIELDS), predicat.parse(after, "sql", FIELDS)
    rng = random.Random(1)
    for _ in range(PAIRS):
        names = (rng.choice(NUMBERS), rng.choice(NUMBERS))
        yield predicate(rng, names), predicate(rng, names)


def predicate(rng: random.Random, names: tuple[str, ...]) -> predicat.Predicate:
    parts = [condition(rng, names) for _ in range(rng.choice((1, 2)))]
    return predicat.parse(rng.choice((" AND ", " OR ")).join(parts), "sql", FIELDS)


def witnesses(verdict: Verdict) -> Iterator[Mapping[str, Any]]:
    yield from (one.row for one in (verdict.lost, verdict.gained, verdict.unknown) if one is not None)


def test_rows_of_verdicts_and_of_generated_tests_are_rows_of_every_engine(spark: Any, postgres: Any) -> None:
    asked, rows = [], []
    for before, after in pairs():
        rows += [*witnesses(compare(before, after)), *coverage.generate(before.surface)]
        asked += [before, after]
    distinct = list({repr(sorted(row.items())): row for row in rows}.values())
    assert len(distinct) > 2 * PAIRS
    nodes: list[Node] = [one.node for one in asked]
    fields = {name: decl for node in nodes for name, decl in fields_of(node).items()}
    assert fields.keys() == FIELDS.keys()
    check_outcomes(
        Tables(spark, postgres, fields, distinct), [("sql", str(one.text)) for one in asked], where=True
    )
