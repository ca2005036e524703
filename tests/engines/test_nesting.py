"""Operators within operators: the SQL stays small, because what guards say again gets a name, and means
the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

import predicat
from predicat.api import declared
from predicat.backends.sql import dialect as of_dialects
from predicat.backends.sql import renderer
from predicat.diagnostics import PredicatError, Unsupported
from predicat.ir.nodes import Node
from tests.engines.predicates import FIELDS, predicates, rows
from tests.engines.rows import Tables
from tests.engines.test_generated import BATCH, EXAMPLES, check_batch
from tests.fuzzing import REPEATABLE
from tests.rounds import rounds

DEEP = {"a": "array<bigint>", "i": "bigint", "d": "double", "s": "string", "b": "boolean", "j": "json"}
ROWS: list[dict[str, Any]] = [
    {"a": [1, 2, 3, 0], "i": 0, "d": 2.5, "s": "a,b,ab", "b": True, "j": {"a": [1, 2, 0]}},
    {"a": [3, 0, 1, 2], "i": 7, "d": -0.0, "s": "7", "b": False, "j": {"a": [0, "1"]}},
    {"a": [0, -1, 4], "i": -3, "d": float("nan"), "s": "", "b": None, "j": {"a": 5}},
    {"a": None, "i": None, "d": None, "s": None, "b": None, "j": None},
]
NESTED = {
    "a[X]": ("i", "0", 12),
    "X % i": ("i", "0", 6),
    "100 / X": ("i", "100", 6),
    "(X > 0 ? i : 1)": ("i", "1", 7),
    "int(string(X))": ("i", "7", 4),
    "(X == s ? 'a' : s)": ("s", "'7'", 7),
    "X.substring(1)": ("s", "'b'", 5),
    "X.replace('a', 'b', 1)": ("s", "'7'", 5),
    "X.charAt(0)": ("s", "'7'", 4),
    "d / X": ("d", "1.0", 5),
    "(X ? b : true)": ("b", "true", 7),
    "s.indexOf('a', X)": ("i", "0", 2),
    "int(j.a[X])": ("i", "0", 2),
    "(a.exists(e, e == X) ? 1 : 2)": ("i", "2", 4),
    "size(a.filter(e, e > X))": ("i", "3", 4),
}


def nested(template: str, inner: str, wanted: str, depth: int) -> predicat.Predicate:
    text = inner
    for _ in range(depth):
        text = template.replace("X", text)
    return predicat.parse(f"{text} == {wanted}", "cel", DEEP)


def test_deep_predicates_on_engines(spark: Any, postgres: Any) -> None:
    asked = [nested(template, *rest) for template, rest in NESTED.items()]
    tables = Tables(spark, postgres, declared(DEEP), ROWS)
    expected = [tables.reference(one.node) for one in asked]
    assert all({True, False} & {*column} for column in expected)
    for engine, run in tables.engines():
        for template, want, have in zip(
            NESTED, expected, run([one.sql(engine) for one in asked]), strict=True
        ):
            assert have == want, f"{engine}: {template}"


@pytest.mark.parametrize(
    "text",
    ["i in {}", "{}.exists(e, e > i)", "{}.all(e, e != 7)", "{}.all(e, e != i)", "{}.exists(e, e == 5)"],
)
def test_an_array_that_gets_a_name_is_looked_through(text: str, spark: Any, postgres: Any) -> None:
    """A subquery alone in the parentheses of PostgreSQL's ANY would be the rows to compare with."""
    array = "a"
    for each in range(12):
        array = f"({array} + (b ? a : [i, {each}]))"
    one = predicat.parse(text.format(array), "cel", DEEP)
    tables = Tables(spark, postgres, declared(DEEP), ROWS)
    for engine, run in rounds(tables.engines(), 3):
        assert run([one.sql(engine)]) == [tables.reference(one.node)], engine


@pytest.mark.parametrize("dialect", predicat.dialects())
@pytest.mark.parametrize(
    "template", ["a[X]", "X % i", "d / X", "X.replace('a', 'b', 1)", "(X ? b : true)", "(X == s ? 'a' : s)"]
)
def test_size_grows_by_the_level(template: str, dialect: str) -> None:
    inner, wanted, _ = NESTED[template]
    sizes = [len(nested(template, inner, wanted, depth).sql(dialect)) for depth in (5, 7, 9)]
    assert sizes[2] - sizes[1] < 1.5 * (sizes[1] - sizes[0]) + 300


@pytest.mark.parametrize("dialect", predicat.dialects())
def test_what_grows_beyond_measure_is_refused(dialect: str) -> None:
    with pytest.raises(Unsupported, match="nested so deeply"):
        nested("int(j.a[X])", "i", "0", 8).sql(dialect)


@pytest.mark.parametrize("template", ["X % i", "int(double(X))", "int(j.a[X])"])
def test_what_the_check_takes_apart_is_bounded(template: str) -> None:
    """Each level says its operand several times: 20 of them would be millions of parts."""
    with pytest.raises(PredicatError, match="the limit is 100,000"):
        nested(template, "i", "0", 20 if template == "X % i" else 14)


@settings(REPEATABLE, max_examples=max(EXAMPLES // 4, 1), derandomize=True)
@given(nodes=st.lists(predicates(3), min_size=BATCH, max_size=BATCH))
def test_names_change_no_answer(spark: Any, postgres: Any, nodes: list[Node]) -> None:
    """Generated predicates, in which all that comes again has a name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(renderer, "_MIN_HEIGHT", 0)
        for module in (renderer, of_dialects):
            patch.setattr(module, "LARGE_PARTS", 30)
        check_batch(nodes, Tables(spark, postgres, FIELDS, rows(30)))


def within_each_other(sql: str, dialect: str) -> int:
    """The most functions of functions on a way from the root of some SQL to a leaf."""
    found = [part for part in sqlglot.parse_one(sql, dialect=dialect).walk() if isinstance(part, exp.Lambda)]
    return max(
        (sum(isinstance(above, exp.Lambda) for above in chain([part], ancestors(part))) for part in found),
        default=0,
    )


def ancestors(part: exp.Expr) -> Iterator[exp.Expr]:
    while (parent := part.parent) is not None:
        yield parent
        part = parent


@pytest.mark.parametrize("dialect", ["spark", "duckdb"])
def test_what_has_a_name_stands_side_by_side(dialect: str) -> None:
    """DuckDB plans twice as long for each function within another, and Spark beyond sixteen: names for ten
    parts took it 15 GB.
    """
    text = (
        "CASE WHEN b THEN coalesce(j.a[0], j.o.k, 1.5) ELSE j.k END <> coalesce(j.k, coalesce(j.a[0], "
        "j.o.k, 1.5))"
    )
    said = predicat.parse(text, "sql", DEEP).sql(dialect)
    assert said.count("__v") > 10 or dialect == "spark"  # there it is short without names
    assert 0 <= within_each_other(said, dialect) <= 6


def test_macros_within_each_other_are_bounded_where_planning_them_is_not() -> None:
    def macros(depth: int) -> predicat.Predicate:
        return predicat.parse(
            "".join(f"a.exists(x{place}, " for place in range(depth)) + "x0 == i" + ")" * depth, "cel", DEEP
        )

    assert within_each_other(macros(14).sql("spark"), "spark") == 14
    with pytest.raises(Unsupported, match="its SQL would have 15 nested functions"):
        macros(15).sql("spark")
    assert macros(15).sql("postgres")
