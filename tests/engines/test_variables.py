"""A variable of a macro is no other variable and no column, whatever all of them are called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cel_expr_python import cel
from hypothesis import given, settings
from hypothesis import strategies as st

import predicat
from predicat.api import declared
from predicat.diagnostics import PredicatError
from predicat.language import writer
from tests.engines.rows import Tables
from tests.engines.test_generated import BATCH, EXAMPLES, check_batch, generated

NUMBERS = ("x", "y", "__v1", "x_2", "item1", "element", "K")
LISTS = ("xs", "ys", "__item", "X_3")
FIELDS = {**dict.fromkeys(NUMBERS, "bigint"), **dict.fromkeys(LISTS, "array<bigint>")}
VARIABLES = ("x", "X", "y", "xs", "x_2", "__v1", "__is1", "__t2", "item1", "element", "v" * 70, "v" * 71, "k")
ROWS: list[dict[str, Any]] = [
    {
        "x": 1,
        "y": 2,
        "__v1": 3,
        "x_2": 4,
        "item1": 5,
        "element": 0,
        "K": 2,
        "xs": [1, 2],
        "ys": [3, 4],
        "__item": [0],
        "X_3": [2, 5],
    },
    {
        "x": 4,
        "y": 0,
        "__v1": -1,
        "x_2": 1,
        "item1": 2,
        "element": 3,
        "K": 1,
        "xs": [4, 0, 3],
        "ys": [1],
        "__item": [2, 2],
        "X_3": [],
    },
    {
        "x": 2,
        "y": 3,
        "__v1": 1,
        "x_2": 0,
        "item1": 0,
        "element": 5,
        "K": 4,
        "xs": [],
        "ys": [5, 3],
        "__item": [4, 1],
        "X_3": [0],
    },
]
ORACLE = cel.NewEnv(
    variables={**dict.fromkeys(NUMBERS, cel.Type.INT), **dict.fromkeys(LISTS, cel.Type.List(cel.Type.INT))}
)


@st.composite
def macros(draw: st.DrawFn, depth: int = 3, bound: tuple[str, ...] = ()) -> str:
    """A condition of CEL: macros within each other, over arrays and lists that are written out, under
    names that collide.
    """
    if not depth:
        return f"{draw(numbers(bound))} {draw(st.sampled_from(['<', '==', '!=']))} {draw(numbers(bound))}"
    here, inner = st.just(bound), depth - 1
    match draw(st.sampled_from(["macro", "macro", "macro", "and", "or", "size"])):
        case "macro":
            name, source = draw(st.sampled_from(VARIABLES)), draw(here.flatmap(sources))
            body = draw(macros(inner, (*bound, name)))
            return f"{source}.{draw(st.sampled_from(['exists', 'all', 'exists_one']))}({name}, {body})"
        case "size":
            name, source = draw(st.sampled_from(VARIABLES)), draw(here.flatmap(sources))
            return (
                f"{source}.filter({name}, {draw(macros(inner, (*bound, name)))}).size() == "
                f"{draw(st.integers(0, 2))}"
            )
        case sign:
            return (
                f"({draw(macros(inner, bound))} {'&&' if sign == 'and' else '||'} "
                f"{draw(macros(inner, bound))})"
            )


@st.composite
def numbers(draw: st.DrawFn, bound: tuple[str, ...]) -> str:
    free = [name for name in NUMBERS if name not in bound]
    one = draw(st.sampled_from([*bound, *bound, *bound, *(f".{name}" for name in NUMBERS), *free, "2"]))
    return f"({one} + 1)" if draw(st.integers(0, 3)) == 0 else one


@st.composite
def sources(draw: st.DrawFn, bound: tuple[str, ...]) -> str:
    arrays = st.sampled_from([name if name not in bound else f".{name}" for name in LISTS])
    match draw(st.sampled_from(["array", "array", "list", "map"])):
        case "array":
            return draw(arrays)
        case "list":
            return f"[{draw(numbers(bound))}, {draw(numbers(bound))}]"
        case _:
            name = draw(st.sampled_from(VARIABLES))
            return f"{draw(arrays)}.map({name}, {draw(numbers((*bound, name)))})"


@pytest.mark.long
@settings(generated, max_examples=60 * EXAMPLES)
@given(text=macros())
def test_one_meaning_in_cel(text: str) -> None:
    ours, theirs = predicat.parse(text, "cel", FIELDS), ORACLE.compile(text)
    expected = [theirs.eval(data=row).plain_value() for row in ROWS]
    assert [ours.evaluate(row) for row in ROWS] == expected
    back = said(ours)
    assert back is None or [predicat.parse(back, "cel", FIELDS).evaluate(row) for row in ROWS] == expected, (
        back
    )


def said(predicate: predicat.Predicate) -> str | None:
    try:
        return writer("cel")(predicate.node)
    except predicat.Unsupported:
        return None  # an operator that CEL has no word for


@settings(generated, max_examples=EXAMPLES)
@given(texts=st.lists(macros(2), min_size=BATCH, max_size=BATCH))
def test_one_meaning_on_engines(spark: Any, postgres: Any, texts: list[str]) -> None:
    nodes = [predicat.parse(text, "cel", FIELDS).node for text in texts]
    check_batch(nodes, Tables(spark, postgres, declared(FIELDS), ROWS))


CATALOG = """
apiVersion: predicat/v1
dataset: t
relation: t
fields: {xs: array<bigint>, x: bigint, y: bigint}
filters:
  late: {cel: x > 5}
  above: {params: {n: bigint}, sql: 'exists(xs, x -> x > :n)'}
  nested: {params: {n: bigint}, sql: 'exists(xs, x_2 -> exists(xs, x -> x > :n + x_2))'}
  in_macro: {cel: 'xs.exists(x, x < 3 && filter("late"))'}
  higher: {sql: "exists(xs, x -> matches_filter('above', n => x + 1))"}
  far: {sql: "exists(xs, x -> exists(xs, x_2 -> x_2 > x AND matches_filter('nested', n => x + x_2)))"}
"""
MEANT = {
    "in_macro": lambda row: any(item < 3 and row["x"] > 5 for item in row["xs"]),
    "higher": lambda row: any(other > item + 1 for item in row["xs"] for other in row["xs"]),
    "far": lambda row: any(
        b > a and any(d > a + b + c for c in row["xs"] for d in row["xs"])
        for a in row["xs"]
        for b in row["xs"]
    ),
}


@pytest.mark.parametrize("name", MEANT)
def test_filters_that_are_referred_to(name: str, tmp_path: Path, spark: Any, postgres: Any) -> None:
    (tmp_path / "t.yml").write_text(CATALOG)
    found = predicat.load_catalog(tmp_path)[name]
    rows = [
        {"xs": xs, "x": x, "y": 0} for xs in ([1, 2], [2, 0, 9], [1, 3], [-4, 1, 2], [7], []) for x in (0, 7)
    ]
    expected = [MEANT[name](row) for row in rows]
    assert {*expected} == {True, False}
    assert [found.evaluate(row) for row in rows] == expected
    assert [
        predicat.parse(found.to("cel"), "cel", {"xs": "array<bigint>", "x": "bigint"}).evaluate(row)
        for row in rows
    ] == expected
    tables = Tables(spark, postgres, declared({"xs": "array<bigint>", "x": "bigint", "y": "bigint"}), rows)
    for engine, run in tables.engines():
        assert run([found.sql(engine)]) == [expected], engine


@pytest.mark.parametrize(
    "text",
    [
        "exists(xs, X -> x > 5)",
        'exists(xs, x -> "X" > 5)',
        "exists(xs, x -> exists(ys, X -> x > 1))",
        "exists(xs, ı -> I > 1)",
    ],
)
def test_names_that_engines_take_for_one(text: str) -> None:
    with pytest.raises(PredicatError, match=r"differs from the variable '.' only by case"):
        predicat.parse(text, "sql", {**FIELDS, "I": "bigint"})


@pytest.mark.parametrize("name", ["in", "a b", "${spark.app.name}", "é", "select", "v" * 80, "__v1"])
def test_any_name_is_one_of_a_variable(name: str, spark: Any, postgres: Any) -> None:
    found = predicat.parse(
        f'exists(xs, "{name}" -> "{name}" > x AND exists(ys, y -> y > "{name}"))', "sql", FIELDS
    )
    back = predicat.parse(found.to("cel"), "cel", FIELDS)
    assert (
        [back.evaluate(row) for row in ROWS] == [found.evaluate(row) for row in ROWS] == [True, False, False]
    )
    for engine, run in Tables(spark, postgres, declared(FIELDS), ROWS).engines():
        assert run([found.sql(engine)]) == [[True, False, False]], engine
