"""Comparisons that are solved for their field: the same rows on every engine, around each bound."""

import math
import random
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

import pytest

import predicat
from predicat import backends
from predicat.api import declared
from predicat.ir.nodes import Call, Field, Literal, Node, walk
from predicat.rewrite.solve import exactly, for_rows
from predicat.semantics.evaluate import compile_node
from predicat.values.domain import domain_of
from tests.engines.rows import Tables
from tests.rounds import rounds
from tests.texts import tables_of

FIELDS = {"n": "bigint", "d": "double", "t": "timestamp", "dt": "date"}
FORMS = tables_of(__file__)["forms"]["sql"]
YEAR = "TIMESTAMPTZ '{}-01-01 00:00:00+00'"
OPERATORS = ["=", "<>", "<", "<=", ">", ">="]
NUMBERS = [0, 1, -1, 2, 3, -7, 1000, 2**31, 10**18, 2**62]


def texts() -> Iterator[str]:
    rng = random.Random(7)
    for form in FORMS:
        for op in OPERATORS if "{op}" in form else [""]:
            small = [1, -3, 10, 100_000] if "date" in form else NUMBERS
            yield form.format(op=op, k=rng.choice(small), c=rng.choice(NUMBERS[:8]))


def nodes() -> list[Node]:
    return [predicat.parse(text, "sql", FIELDS).node for text in texts()]


NODES = nodes()
SOLVED = [node for node in NODES if for_rows(node) != node]


def field_of(node: Node) -> Field:
    return next(part for part in walk(node) if isinstance(part, Field))


def near(node: Node) -> list[Any]:
    """Values of the field of a condition: around its bounds, at both ends, and anywhere."""
    field = field_of(node)
    domain, rng = domain_of(field), random.Random(1)
    assert domain is not None
    found = {domain.least, domain.least + 1, domain.greatest, domain.greatest - 1, 0, 1, -1}
    found |= {rng.randint(domain.least, domain.greatest) for _ in range(20)}
    bounds = [
        part.args[1].value
        for part in walk(for_rows(node))
        if isinstance(part, Call) and len(part.args) == 2 and isinstance(part.args[1], Literal)
    ]
    values: list[Any] = []
    for bound in bounds:
        if isinstance(bound, float):
            values += [bound, math.nextafter(bound, math.inf), math.nextafter(bound, -math.inf)]
        elif isinstance(bound, int):
            found |= {bound - 1, bound, bound + 1}
        else:
            step = timedelta(microseconds=1) if isinstance(bound, datetime) else timedelta(days=1)
            values += [bound + times * step for times in (-1, 0, 1) if inside(bound, times * step)]
    values += [domain.value(at) for at in found if domain.least <= at <= domain.greatest]
    return [*values, *domain.others, None]


def inside(bound: date, step: timedelta) -> bool:
    try:
        return bool(bound + step)
    except OverflowError:
        return False


@pytest.mark.parametrize("node", SOLVED, ids=lambda node: str(SOLVED.index(node)))
def test_the_same_rows_as_the_calculation(node: Node) -> None:
    name = field_of(node).decl.name
    before, rows = compile_node(node), compile_node(for_rows(node))
    same = compile_node(exactly(node, lambda _before, _after: True))
    for value in rounds(near(node), 1):
        outcome = before({name: value})
        assert (rows({name: value}) is True) == (outcome is True), value
        assert same({name: value}) == outcome, value


def test_most_calculations_are_solved() -> None:
    left = {text for text, node in zip(texts(), NODES, strict=True) if node not in SOLVED}
    unsolvable = ("n * n", "n % 7")
    assert len([text for text in left if not text.startswith(unsolvable)]) <= len(NODES) / 10, left


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n + 5 > 10", "n > 5 AND n <= 9223372036854775802"),
        (
            "year(t) = 2024",
            f"t >= {YEAR.format(2024)} AND t < {YEAR.format(2025)}",
        ),
        ("div(n, 10) = 3", "n BETWEEN 30 AND 39"),
        ("abs(n) < 20", "n > -20 AND n < 20"),
        ("d * 2 < 5", "d < 2.5"),
    ],
)
def test_a_condition_of_a_where_has_no_calculation(text: str, expected: str) -> None:
    node = predicat.parse(text, "sql", FIELDS).node
    assert backends.dialect("postgres").render(node, condition=True) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sqrt(d) > 3", "CASE WHEN d >= 0 THEN d > 9 END"),
        ("ln(d) >= 2", "CASE WHEN d > 0 THEN d > 7.389056098930649e0 END"),
        ("sqrt(n) > 3", "CASE WHEN n >= 0 THEN n > 9 END"),
        ("exp(n) > 5", "n > 1"),
    ],
)
def test_a_bound_has_no_test_for_nan(text: str, expected: str) -> None:
    assert predicat.parse(text, "sql", FIELDS).sql("duckdb") == expected


def test_engines_agree(spark: Any, postgres: Any) -> None:
    """Each engine, on the values around the bounds of each condition, in both forms."""
    fields = declared(FIELDS)
    by_field: dict[str, list[Node]] = {}
    for node in SOLVED:
        by_field.setdefault(field_of(node).decl.name, []).append(node)
    for name, group in rounds(by_field.items(), 1):
        values = {repr(value): value for node in group for value in near(node)}
        table = Tables(spark, postgres, {name: fields[name]}, [{name: value} for value in values.values()])
        for engine, run in rounds(table.engines(), 3):
            dialect = backends.dialect(engine)
            rows = run([dialect.render(node, condition=True) for node in group])
            exact = run([dialect.render(node) for node in group])
            for node, accepted, outcomes in rounds(zip(group, rows, exact, strict=True), 1):
                expected = table.reference(node)
                differing = [
                    (row, got, want)
                    for row, got, want in zip(table.rows, outcomes, expected, strict=True)
                    if got != want
                ]
                assert not differing, (engine, dialect.render(node), differing[:3])
                assert [got is True for got in accepted] == [want is True for want in expected], (
                    engine,
                    dialect.render(node, condition=True),
                )


INDEXED = [
    "n + 5 > 199000",
    "n * 2 = 4000",
    "div(n, 10) = 300",
    "abs(n - 1000) < 5",
    "d / 2.0 > 99000.0",
    "floor(d) = 2",
    "year(t) = 2024",
    "CAST(t AS date) = DATE '2024-02-29'",
    "date_trunc('hour', t) = TIMESTAMP '2024-03-01 00:00:00'",
    "date_add(dt, 7) > DATE '2074-10-01'",
]


def test_indexes_serve_what_is_solved(postgres: Any) -> None:
    """PostgreSQL searches a plain index where the calculation would scan the table."""
    postgres.execute(
        "CREATE TEMPORARY TABLE solved AS SELECT i AS n, i::double precision AS d,"
        " DATE '2000-01-01' + i / 7 AS dt,"
        " TIMESTAMPTZ '2023-06-01 00:00:00+00' + i * INTERVAL '10 minutes' AS t"
        " FROM generate_series(0, 199999) i"
    )
    try:
        for name in FIELDS:
            postgres.execute(f"CREATE INDEX ON solved ({name})".encode())
        postgres.execute("ANALYZE solved")
        for text in INDEXED:
            node = predicat.parse(text, "sql", FIELDS).node
            query = f"SELECT * FROM solved WHERE {backends.dialect('postgres').render(node, condition=True)}"
            plan = "\n".join(row[0] for row in postgres.execute(f"EXPLAIN {query}".encode()).fetchall())
            assert "Index Cond" in plan, (text, plan)
    finally:
        postgres.execute("DROP TABLE solved")
