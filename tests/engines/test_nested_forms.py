"""Columns whose elements and members have types that are no types of expressions."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import predicat
from predicat import backends
from predicat.api import declared
from predicat.ir.nodes import Call, Field, Literal, Node, rewrite_children
from predicat.ir.types import STRING
from tests.engines.predicates import predicates
from tests.engines.rows import Tables
from tests.engines.test_column_forms import FORMED, UUIDS, formed_rows, over_forms
from tests.engines.test_generated import BATCH, check_batch, generated

# The name of the struct, and what its members are called.
MEMBERS = {"s": "Zip Code", "u": "größe", "t": "a-b", "a": "a", "p": "Order"}
_KINDS = ", ".join(f"`{MEMBERS[name]}`: {FORMED[name].shown_type}" for name in MEMBERS)
NESTED = declared({"n": f"struct<{_KINDS}>"}) | {
    name: decl for name, decl in FORMED.items() if name not in MEMBERS
}
_tables: dict[str, Tables] = {}


def in_struct(node: Node) -> Node:
    """A predicate that reads some of its fields from a struct."""
    match node:
        case Field() if node.decl.name in MEMBERS:
            base = Field(NESTED["n"].type, NESTED["n"])
            return Call(node.type, "member", (base, Literal(STRING, MEMBERS[node.decl.name])))
        case _:
            return rewrite_children(node, in_struct)


def nested_rows(count: int) -> list[dict[str, Any]]:
    """Rows with these members; the struct of some is NULL."""
    return [
        {**row, "n": {member: row.get(name) for name, member in MEMBERS.items()} if number % 9 else None}
        for number, row in enumerate(formed_rows(count))
    ]


@settings(generated, max_examples=max(generated.max_examples // 2, 1))
@given(nodes=st.lists(predicates(3), min_size=BATCH, max_size=BATCH))
def test_engines_agree_about_members(spark: Any, postgres: Any, nodes: list[Node]) -> None:
    tables = _tables.setdefault("rows", Tables(spark, postgres, NESTED, nested_rows(50)))
    check_batch([in_struct(over_forms(node)) for node in nodes], tables)


PROOF_FIELDS = {
    "n": "struct<id: uuid, st: enum(new, paid), t: timestamp_ntz, c: char(2), ip: inet, m: citext>",
    "ids": "array<uuid>",
    "sts": "enum(new, paid)[]",
    "ss": "array<struct<st: enum(new, paid), k: int>>",
}


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("n.st <> 'new'", "n.st = 'paid'", "equivalent"),
        (f"n.id > '{UUIDS[0]}'", f"n.id <> '{UUIDS[0]}'", "equivalent"),
        ("length(n.c) <= 2", "n.c IS NOT NULL", "equivalent as a filter"),
        ("n.ip = '10.0.0.1/32'", "n.ip IN ('10.0.0.1')", "equivalent"),
        ("n.m = 'ABC'", "n.m IN ('abc')", "equivalent"),
        ("year(n.t) = 2025", "n.t >= '2025-01-01' AND n.t < '2026-01-01'", "equivalent"),
        ("n.id LIKE 'a%'", "n.id LIKE 'ab%'", "narrower"),
        ("exists(sts, x -> x <> 'new')", "exists(sts, x -> x = 'paid')", "equivalent"),
        ("sts[0] <> 'new'", "sts[0] = 'paid'", "equivalent"),
        (
            "exists(ss, s -> s.st <> 'new' AND s.k > 1)",
            "exists(ss, s -> s.st = 'paid' AND s.k >= 2)",
            "equivalent",
        ),
        (f"exists(ids, x -> x < '{UUIDS[1]}')", "exists(ids, x -> x LIKE '0%')", "narrower"),
    ],
)
def test_proofs_know_the_values(one: str, other: str, verdict: str) -> None:
    found = predicat.compare(*(predicat.parse(text, "spark", PROOF_FIELDS) for text in (one, other)))
    assert (found.kind, found.proof) == (verdict, "proved")
    if found.lost is not None:
        assert predicat.parse(one, "spark", PROOF_FIELDS).evaluate(found.lost.row) is True


REFUSED = {
    "n.st = 'lost'": "'lost' is no value of a column of enum(new, paid)",
    "exists(ids, x -> x = 'abc')": "'abc' is no value of a column of uuid",
    "array_contains(ids, 'abc')": "'abc' is no value of a column of uuid",
    "ss[0].st = 'lost'": "'lost' is no value",
    "exists(filter(ss, s -> s.k > 1), s -> s.st = 'lost')": "'lost' is no value",
    "exists(sts, x -> x > 'new')": "the order of x, an enum(new, paid) column",
    "n.t > now()": "n.t is a local time",
    "array_contains(ms, 'a')": "ms is an array of citext, read element by element",
    "coalesce(n, n) IS NULL": "n has members that its column holds in a type of its own",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_has_no_meaning_is_refused(text: str) -> None:
    with pytest.raises(predicat.PredicatError) as caught:
        predicat.parse(text, "spark", {**PROOF_FIELDS, "ms": "array<citext>"})
    assert REFUSED[text] in str(caught.value)


def test_a_gin_index_of_uuids_serves() -> None:
    storage = backends.stored("postgres", "", ["USING gin (ids)"])
    node = predicat.parse(f"array_contains(ids, '{UUIDS[2].upper()}')", "spark", PROOF_FIELDS).node
    sql = backends.dialect("postgres").render(node, condition=True, storage=storage)
    assert sql == f"ids @> '{{\"{UUIDS[2]}\"}}'"


VALUES: Mapping[str, list[Any]] = {
    "uuid": [*UUIDS[:3], None],
    "enum(new, 'in progress')": ["new", "in progress", None],
    "timestamp_ntz": ["2026-03-29 02:30:00", "1970-01-01 00:00:00", None],
    "char(3)": ["ab", "", "abc", None],
    "citext": ["Ab", "x", None],
    "inet": ["10.0.0.1", "10.0.0.0/8", "::1", None],
    "binary": ["\\x", "\\xff00", None],
}


def of_arrays(kind: str) -> list[str]:
    """Conditions of arrays, and of arrays of structs, whose elements have a type."""
    one = VALUES[kind][0] if kind != "citext" else "AB"
    constant = f"TIMESTAMP '{one}'" if kind == "timestamp_ntz" else f"'{one.removeprefix(chr(92) + 'x')}'"
    texts = [
        f"exists(xs, x -> x = {constant})",
        "exists(xs, x -> x IS NULL)",
        f"forall(xs, x -> x <> {constant})",
        f"xs[0] = {constant}",
        f"size(filter(xs, x -> x = {constant})) = 1",
        f"exists(ss, s -> s.`Zip Code` = {constant} AND s.n >= 0)",
        f"ss[0].`Zip Code` = {constant}",
        f"exists(filter(ss, s -> s.n >= 0), s -> s.`Zip Code` IN ({constant}))",
        f"o.inner.`Zip Code` = {constant}",
        "o.inner.`Zip Code` IS NULL",
        f"exists(o.xs, x -> x = {constant})",
        "exists(xs, x -> x = o.inner.`Zip Code`)",
        "o.inner.`Zip Code` = ss[0].`Zip Code`",
        "size(o.xs) = 2",
    ]
    return texts + ([] if kind == "citext" else [f"array_contains(xs, {constant})"])


@pytest.mark.parametrize("kind", VALUES)
def test_engines_agree_about_elements(spark: Any, postgres: Any, kind: str) -> None:
    member = f"struct<`Zip Code`: {kind}, n: int>"
    fields = declared(
        {"xs": f"array<{kind}>", "ss": f"array<{member}>", "o": f"struct<inner: {member}, xs: {kind}[]>"}
    )
    values = VALUES[kind]
    found: list[dict[str, Any]] = [{}, {"xs": [], "ss": [], "o": {}}]
    for number, value in enumerate(values):
        structs = [{"Zip Code": value, "n": number}, {"Zip Code": values[0], "n": None}]
        found.append(
            {"xs": values[number:], "ss": structs, "o": {"inner": structs[0], "xs": values[:number]}}
        )
    nodes = [predicat.parse(text, "spark", fields).node for text in of_arrays(kind)]
    tables = Tables(spark, postgres, fields, found)
    check_batch(nodes, tables)
    outcomes = [tables.reference(node) for node in nodes]
    assert all(True in one for one in outcomes), outcomes
