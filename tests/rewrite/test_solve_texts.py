"""Comparisons of calculations with a text: the same outcome on every text, and plain tests."""

import itertools

import pytest

import predicat
from predicat import backends
from predicat.ir.nodes import Call
from predicat.rewrite.solve_texts import solved_text
from predicat.semantics.evaluate import compile_node

TEXTS = [
    None,
    *map("".join, itertools.chain.from_iterable(itertools.product("ab😀%", repeat=n) for n in range(4))),
]
CONSTANTS = ["", "a", "ab", "abb", "😀a", "%"]
FORMS = [
    *(f"length(s) {op} {n}" for op in ("=", "<>", "<", "<=", ">", ">=") for n in (-1, 0, 1, 2)),
    *(f"{n} {op} length(s)" for op in ("=", "<", ">=") for n in (0, 1)),
    *(f"s || '{part}' {op} '{c}'" for op in ("=", "<>", "<") for part in ("b", "", "a") for c in CONSTANTS),
    *(f"'{part}' || s {op} '{c}'" for op in ("=", "<>") for part in ("a", "😀") for c in CONSTANTS),
    *(
        f"substring(s, {start}, {n}) {op} '{c}'"
        for op in ("=", "<>", ">")
        for start in (1, 2)
        for n in (0, 1, 2, 3)
        for c in CONSTANTS
    ),
    "(s || 'a') || 'b' = '😀ab'",
    "'ab' = left(s, 2)",
]


@pytest.mark.parametrize("text", FORMS)
def test_the_same_outcome(text: str) -> None:
    node = predicat.parse(text, "sql", {"s": "string"}).node
    found = solved_text(node) if isinstance(node, Call) else None
    if found is None:
        return
    before, after = compile_node(node), compile_node(found)
    for value in TEXTS:
        assert before({"s": value}) == after({"s": value}), value


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("length(s) = 0", "s = ''"),
        ("length(s) > 0", "s <> ''"),
        ("s || 'x' = 'yx'", "s = 'y'"),
        ("'a' || s <> 'ab'", "s <> 'b'"),
        ("substring(s, 1, 3) = 'abc'", "s LIKE 'abc%'"),
        ("substring(s, 1, 5) = 'abc'", "s = 'abc'"),
        ("(s || 'a') || 'b' = 'cab'", "s = 'c'"),
    ],
)
def test_texts(text: str, sql: str) -> None:
    node = predicat.parse(text, "sql", {"s": "string"}).node
    found = backends.dialect("postgres").render(node, condition=True)
    assert found == sql
