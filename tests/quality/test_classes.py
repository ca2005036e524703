"""Classes of rows tell apart all that filters tell apart: outcomes worked out for classes are those of the
reference evaluator.
"""

from __future__ import annotations

import math
import os
import random
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import predicat
from predicat import backends
from predicat.api import declared as api_declared
from predicat.backends.column_types import duckdb_type
from predicat.backends.sql.builders import Sql, number_literal
from predicat.backends.sql.column_forms import stored_type
from predicat.backends.sql.dialect import Dialect
from predicat.diagnostics import Unsupported
from predicat.explain.explanation import atoms
from predicat.ir.nodes import Call, Field, FieldDecl, Items, Literal, Node
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, STRING, TIMESTAMP, ArrayType, parse_type
from predicat.quality import classes as keys
from predicat.quality.classes import Leaf, classes
from predicat.quality.fold import lanes, outcomes
from predicat.quality.grouping import codes
from predicat.quality.program import program
from predicat.rewrite.simplify import simplify
from predicat.semantics.evaluate import compile_node
from predicat.values.domain import Domain
from tests.engines.predicates import FIELDS, literals, predicates, rows
from tests.engines.rows import Tables
from tests.fuzzing import REPEATABLE
from tests.review.test_cases import near

EXAMPLES = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "2"))
_tables: dict[str, Tables] = {}


def comparisons() -> st.SearchStrategy[Node]:
    """Fields compared with constants, again and again: what becomes a search."""
    found: list[st.SearchStrategy[Node]] = []
    for kind in (BIGINT, DOUBLE, STRING, DATE, TIMESTAMP):
        field = st.sampled_from([Field(kind, decl) for decl in FIELDS.values() if decl.type == kind])
        ops = ["eq", "ne", "lt", "le", "gt", "ge", *(["starts_with"] if kind == STRING else [])]
        found.append(
            st.builds(
                lambda op, one, other: Call(BOOLEAN, op, (one, other)),
                st.sampled_from(ops),
                field,
                literals(kind),
            )
        )
        found.append(
            st.builds(
                lambda one, items, kind=kind: Call(
                    BOOLEAN, "in", (one, Items(ArrayType(kind), tuple(items)))
                ),
                field,
                st.lists(literals(kind), min_size=1, max_size=4),
            )
        )
        found.append(st.builds(lambda one: Call(BOOLEAN, "is_null", (one,)), field))
    return st.one_of(found)


CONDITIONS = {
    "bigint": ["x + 5 > 10", "abs(x) < 7", "div(12, x) > 2", "x IN (1, 5, 90, NULL)", "x IS NULL"],
    "double": ["x * 2 > 5", "isnan(x)", "x <> 3.5", "x IS NULL", "x IN (1.5, -7.0, 9.0)"],
    "date": ["x IN (DATE '2024-02-29', DATE '2024-11-30')", "x <> DATE '2024-03-01'", "x IS NULL"],
    "decimal(10,2)": ["x * 2 > 1.03", "x > 1.005", "x IN (0.14, 7.01, 99999999999.5)", "x <> 0.70"],
}


@pytest.mark.parametrize("cuts", [96, 5, 3])
@pytest.mark.parametrize("kind", CONDITIONS)
def test_classes_of_values(kind: str, cuts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What leaves say of the class of a value is its outcome, in however many keys the cuts are."""
    chance = random.Random(kind)
    texts = CONDITIONS[kind] + [
        f"x {chance.choice(['=', '<>', '<', '<=', '>', '>='])} {constant}"
        for number in chance.sample(range(-20, 28), 24)
        for constant in [f"DATE '2024-01-{number:02}'" if kind == "date" else f"{number}"]
        if kind != "date" or number > 0
    ]
    nodes = [predicat.parse(text, "sql", {"x": kind}).node for text in texts]
    conditions = dict.fromkeys(part for node in nodes for part in atoms(node))
    searches: list[tuple[Domain, Sequence[Any]]] = []

    def search(_subject: Node, values: Domain, cuts: Sequence[Any], _dialect: Dialect) -> Sql:
        searches.append((values, cuts))
        return number_literal(0)

    monkeypatch.setattr(keys, "_CUTS", cuts)
    monkeypatch.setattr(keys, "_search", search)
    leaves = classes(conditions, backends.dialect("spark")).leaves
    assert (len(searches) > 1) is (cuts < 96)
    values = [None, *near(parse_type(kind), chance), *([math.nan, -0.0] if kind == "double" else [])]
    for condition in conditions:
        run = compile_node(condition)
        for value in values:
            seen = [_seen(leaf, value, *searches[leaf.key]) for leaf in leaves[condition]]
            outcome = True if True in seen else None if None in seen else False
            assert outcome is run({"x": value}), (condition, value)


def _seen(leaf: Leaf, value: Any, values: Domain, cuts: Sequence[Any]) -> bool | None:
    if value is None:
        place = len(cuts) + 1 + bool(values.others)
    elif isinstance(value, float) and math.isnan(value):
        place = len(cuts) + 1
    else:
        place = bisect_right(cuts, values.ordinal(value))
    return True if place in leaf.true else None if place in leaf.unknown else False


def check(nodes: list[Node], tables: Tables) -> None:
    for engine, run in tables.engines():
        dialect = backends.dialect(engine)
        kept: list[Node] = []
        for node in (simplify(node) for node in nodes):
            try:
                dialect.render(node)
            except Unsupported:
                continue
            kept.append(node)
        found = classes((part for node in kept for part in atoms(node)), dialect)
        made, size = program(found, kept), len(tables.rows)
        keys_of_rows, keys_of_lanes = found.packed_keys(), found.packed_keys(lanes=True)
        got_keys = run([*keys_of_rows, *keys_of_lanes])  # in one query, which compiles once what both share
        packed = codes(found, got_keys[: len(keys_of_rows)])
        streamed = lanes(made, [array("q", column).tobytes() for column in got_keys[len(keys_of_rows) :]])
        assert packed == streamed
        worked = outcomes(made, packed, size)
        for node, step in zip(kept, made.items, strict=True):
            true, false = worked[step]
            got = [
                True if true >> place & 1 else False if false >> place & 1 else None
                for place in reversed(range(size))
            ]
            assert got == tables.reference(node), f"{engine}: {node}"


@settings(REPEATABLE, max_examples=EXAMPLES)
@given(
    nodes=st.lists(st.one_of(comparisons(), predicates(3)), min_size=60, max_size=60),
    many=st.lists(comparisons(), min_size=150, max_size=150),
)
def test_outcomes_by_class(spark: Any, postgres: Any, nodes: list[Node], many: list[Node]) -> None:
    tables = _tables.setdefault("rows", Tables(spark, postgres, FIELDS, rows(50)))
    check(nodes + many, tables)


def test_an_in_without_items_is_a_condition_of_its_own(spark: Any, postgres: Any) -> None:
    tables = Tables(spark, postgres, {"n": FieldDecl("n", BIGINT)}, [{"n": 1}, {"n": 5}, {}])
    check(
        [
            predicat.parse(text, "cel", {"n": "bigint"}).node
            for text in ["n in []", "n > 3 || n in []", "!(n in [])"]
        ],
        tables,
    )


def test_decimals_and_many_constants(spark: Any, postgres: Any) -> None:
    amount = FieldDecl("amount", parse_type("decimal(10,2)"))
    number = FieldDecl("n", BIGINT)
    values = [None, *(Decimal(cents) / 100 for cents in range(-300, 300, 7))]
    tables = Tables(
        spark,
        postgres,
        {"amount": amount, "n": number},
        [{"amount": value, "n": place} for place, value in enumerate(values)],
    )
    nodes = [
        predicat.parse(text, "sql", {"amount": "decimal(10,2)", "n": "bigint"}).node
        for text in [
            "amount > 1.005",
            "amount = -0.05",
            "amount IN (0.14, 0.21, 99999999999.5)",
            "amount <> 0.70",
            *(f"n = {place} OR n >= {place + 40}" for place in range(60)),
        ]
    ]
    check(nodes, tables)


@pytest.mark.parametrize("prefix", ["", "a", "a\U0010ffff", "\U0010ffff", "\ud7ff", "\U0001f600"])
def test_prefixes_at_the_ends_of_the_alphabet(spark: Any, postgres: Any, prefix: str) -> None:
    field = FieldDecl("s", STRING)
    texts = [
        None,
        "",
        "a",
        "b",
        "a\U0010ffff",
        "a\U0010ffffb",
        "\U0010ffff",
        "\ud7ff",
        "\ud7ffz",
        "\ue000",
        "\U0001f600!",
        "\U0001f601",
    ]
    nodes: list[Node] = [Call(BOOLEAN, "starts_with", (Field(STRING, field), Literal(STRING, prefix)))]
    check(
        [*nodes, Call(BOOLEAN, "eq", (Field(STRING, field), Literal(STRING, "b")))],
        Tables(spark, postgres, {"s": field}, [{"s": text} for text in texts]),
    )


def test_a_sum_that_two_filters_share_is_not_worked_out_apart(spark: Any, postgres: Any) -> None:
    fields = {"s": FieldDecl("s", STRING), "n": FieldDecl("n", BIGINT)}
    tables = Tables(spark, postgres, fields, [{"s": "abc", "n": 2**63 - 1}, {"s": "abc", "n": 2}, {}])
    check(
        [
            predicat.parse(text, "sql", {"s": "string", "n": "bigint"}).node
            for text in ["substring(s, n, n) = 'bc'", "n + n > 3"]
        ],
        tables,
    )


# Columns whose classes DuckDB takes from a list: the type, conditions, and values of the column.
LISTED = {
    "tinyint": (["x > {0}" for _ in range(3)], ["-128", "127", "-120", "0", "1", "NULL"]),
    "int": (["x > {0}000000"], ["-2147483648", "2147483647", "0", "99999999", "NULL"]),
    "bigint": (["x > {0}", "x <> {0}7"], ["-9223372036854775808", "9223372036854775807", "7", "NULL"]),
    "date": (["x >= DATE '2024-02-{1:02}'"], ["'-infinity'", "'infinity'", "'2024-02-10'", "NULL"]),
    "timestamp": (
        ["x > TIMESTAMP '2024-03-31 {1:02}:00:00'"],
        ["'-infinity'", "'infinity'", "'2024-03-31 09:00:00Z'", "'2024-03-31 09:00:00.000001Z'", "NULL"],
    ),
    "timestamp_ntz": (["x > TIMESTAMP_NTZ '2024-03-31 {1:02}:00:00'"], ["'2024-03-31 02:30:00'", "NULL"]),
    "timestamp_in(Europe/Berlin)": (
        ["x > TIMESTAMP '2024-03-31 {1:02}:00:00'"],
        ["'2024-03-31 02:30:00'", "'2024-03-31 03:30:00'", "'-infinity'", "NULL"],
    ),
}
LISTED["bigint at the ends"] = (
    ["x > {2}", "x < {2}"],
    ["-9223372036854775808", "9223372036854775807", "0", "NULL"],
)


@pytest.mark.parametrize("kind", LISTED)
def test_a_list_has_the_classes_of_a_search(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb  # only here: other engines are fixtures

    texts, values = LISTED[kind]
    declared = kind.partition(" ")[0]
    nodes = [
        predicat.parse(text.format(at * 9 - 99, at + 1, (at - 11) * 2**59), "sql", {"x": declared}).node
        for text in texts
        for at in range(23)
    ]
    conditions = [part for node in nodes for part in atoms(node)]
    listed = classes(conditions, backends.dialect("duckdb")).numbers()
    monkeypatch.setattr(keys, "_LEAST_LISTED", math.inf)
    searched = classes(conditions, backends.dialect("duckdb")).numbers()
    stored = stored_type("duckdb", api_declared({"x": declared})["x"], duckdb_type)
    rows = ", ".join(f"({value})" for value in [*values, *(values[0] for _ in range(3))])
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"CREATE TABLE t (x {stored})")
        connection.execute(f"INSERT INTO t VALUES {rows}")
        one, other = (
            connection.execute(f"SELECT {', '.join(numbers)} FROM t").fetchall()
            for numbers in (listed, searched)
        )
    assert one == other and len(set(one)) > 1
    assert kind in ("timestamp_ntz", "bigint at the ends") or "LIST_EXTRACT" in listed[0]
