"""Each rewriting of SQL left out in turn: the same outcome on every row, and the same rows in a WHERE."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import reduce
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import fields

import predicat
from predicat import backends
from predicat.api import declared
from predicat.backends.sql.rewritings import ALL, Rewritings
from predicat.diagnostics import PredicatError, Unsupported
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import Node
from predicat.rewrite.fold import fold
from predicat.rewrite.simplify import simplify
from tests.engines.predicates import FIELDS, conditions, predicates, rows
from tests.engines.rows import Tables
from tests.engines.test_generated import BATCH, generated
from tests.engines.test_json_texts import BODIES, DOCUMENTS, filters
from tests.language import cel_texts, sql_texts

EXAMPLES = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "2"))
NONE = Rewritings(**{one.name: False for one in fields(Rewritings)})
ONE_LESS = {one.name: Rewritings(**{one.name: False}) for one in fields(Rewritings)}
WAYS = {"all": ALL, **ONE_LESS, "none": NONE}
_tables: dict[str, Tables] = {}


def check(nodes: Sequence[Node], tables: Tables) -> None:
    """Each predicate, simplified and only folded, with each rewriting left out, on each engine."""
    expected = [tables.reference(node) for node in nodes]
    for engine, run in tables.engines():
        asked: dict[tuple[int, bool, str], str] = {}
        for number, node in enumerate(nodes):
            for way, rewritings in WAYS.items():
                # Engines may raise an error for constants that are not folded.
                for shown, form in ((way, simplify(node)), (f"{way}, only folded", fold(node))):
                    for condition in (False, True):
                        try:
                            sql = backends.dialect(engine).render(
                                form, condition=condition, rewritings=rewritings
                            )
                        except Unsupported:
                            continue
                        asked.setdefault((number, condition, sql), shown)
        keys = list(asked)
        for key, column in zip(keys, run([sql for _, _, sql in keys]), strict=True):
            number, condition, sql = key
            differing = [
                (row, have, want)
                for row, have, want in zip(tables.rows, column, expected[number], strict=True)
                if ((have is True) != (want is True) if condition else have != want)
            ]
            assert not differing, (
                f"{engine}, rewritings: {asked[key]}, {condition=}\n{canonical_text(nodes[number])}\n{sql}\n"
                f"(row, got, expected): {differing[0]}"
            )


few = settings(generated, max_examples=EXAMPLES)


@few
@given(nodes=st.lists(st.one_of(conditions(2), predicates(3)), min_size=BATCH, max_size=BATCH))
def test_each_rewriting_left_out(spark: Any, postgres: Any, nodes: list[Node]) -> None:
    check(nodes, _tables.setdefault("rows", Tables(spark, postgres, FIELDS, rows(50))))


@few
@given(
    texts=st.lists(st.integers(0, 2).flatmap(sql_texts.over_json), min_size=BATCH, max_size=BATCH),
    given_rows=st.lists(cel_texts.rows, min_size=10, max_size=10),
)
def test_each_rewriting_left_out_over_json(
    spark: Any, postgres: Any, texts: list[str], given_rows: list[dict[str, Any]]
) -> None:
    nodes = [node for text in texts if (node := _parsed(text)) is not None]
    check(nodes, Tables(spark, postgres, declared(cel_texts.FIELDS), given_rows))


@pytest.mark.slow
def test_each_rewriting_left_out_over_json_in_texts(spark: Any, postgres: Any) -> None:
    known = [{"s": text, "n": number} for text in DOCUMENTS if "\0" not in text for number in (2, 5)]
    columns = declared({"s": "string", "n": "bigint"})
    for one in filters(BODIES):
        check([one.node], Tables(spark, postgres, columns, [*known, {}]))


def _parsed(text: str) -> Node | None:
    try:
        return predicat.parse(text, "sql", cel_texts.FIELDS).node
    except PredicatError:
        return None  # a comparison of two types


def test_rewritings_are_tried() -> None:
    """Each rewriting changes the SQL of some predicate, or else the tests above try nothing."""
    texts = {
        "decide_once": "(a > 1) IS TRUE AND (b > 1) IS TRUE",
        "accept": "get_json_object(j, '$.k') = 'x'",
        "idioms": "a / NULLIF(b, 0) > 1",
        "polarity": "NOT (a > 1 OR b > 2)",
        "solve": "a + 5 > 10",
        "fuse_json": "j ->> 'k' = 'x'",
        "key_tests": "j ? 'k'",
        "own_texts": "j ->> 'k' LIKE 'x%'",
        "parse_once": "s::json ->> 'x' = 'a' AND s::json ->> 'y' = 'b'",
        "short_tests": "a = ANY(xs)",
        "between": "a >= 1 AND a <= 5",
        "total_order": "d > e",
        "facts": "year(t) + 1 > 2000",
        "share": reduce(lambda text, _: f"a % ({text})", range(6), "0") + " = 0",
    }
    assert texts.keys() == ONE_LESS.keys()
    names = {decl.name: str(decl.type) for decl in FIELDS.values()}
    for name, text in texts.items():
        language = "sql" if name == "accept" else "postgres"
        node = predicat.parse(text, language, {**names, "j": "json"}).node
        assert any(
            dialect.render(node, condition=condition)
            != dialect.render(node, condition=condition, rewritings=ONE_LESS[name])
            for dialect in map(backends.dialect, backends.DIALECTS)
            for condition in (False, True)
        ), name
