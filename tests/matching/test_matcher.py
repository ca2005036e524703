"""The matcher finds the same filters as evaluating each of them: generated filters of all languages on
generated rows, and the parts of a catalog by name.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import predicat
from predicat.diagnostics import PredicatError
from predicat.ir.nodes import Node
from predicat.rewrite.simplify import simplify
from tests.engines import predicates as typed
from tests.fuzzing import REPEATABLE
from tests.language import bodies, cel_texts, sql_texts

EXAMPLES = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "4"))
# So many that nested buckets, intervals and gates of keys are all made.
FILTERS = 60
generated = settings(REPEATABLE, max_examples=EXAMPLES)


def agree(found: Sequence[predicat.Predicate], rows: Sequence[Mapping[str, Any]]) -> None:
    """Two matchers, in one of which every second filter accepts UNKNOWN, against one evaluation a filter."""
    named = {f"f{number}": predicate for number, predicate in enumerate(found)}
    tolerant = frozenset(list(named)[::2])
    strict, mixed = predicat.Matcher.of(named), predicat.Matcher.of(named, accept_unknown=tolerant)
    for row in rows:
        outcomes = {name: predicate.evaluate(row) for name, predicate in named.items()}
        true = sorted(name for name, outcome in outcomes.items() if outcome)
        accepted = sorted(
            name for name, outcome in outcomes.items() if outcome or (outcome is None and name in tolerant)
        )
        for matcher, wanted in ((strict, true), (mixed, accepted)):
            differing = set(matcher.match(row)) ^ set(wanted)
            assert not differing, [(row, outcomes[name], named[name].node) for name in differing]
            assert matcher.count(row) == len(wanted)
            assert [matcher.names[number] for number in matcher.match_ids(row)] == wanted


def parsed(text: str, language: str, fields: Mapping[str, str]) -> predicat.Predicate | None:
    try:
        return predicat.parse(text, language, fields)
    except PredicatError:
        return None  # a comparison of two types


@generated
@given(nodes=st.lists(typed.predicates(3), min_size=FILTERS, max_size=FILTERS))
def test_typed_predicates(nodes: list[Node]) -> None:
    agree([predicat.Predicate(simplify(node), "sql") for node in nodes], typed.rows(40))


@generated
@given(
    texts=st.lists(st.integers(1, 2).flatmap(cel_texts.booleans), min_size=FILTERS, max_size=FILTERS),
    rows=st.lists(cel_texts.rows, min_size=20, max_size=20),
)
def test_cel(texts: list[str], rows: list[dict[str, Any]]) -> None:
    agree([row for text in texts if (row := parsed(text, "cel", cel_texts.FIELDS)) is not None], rows)


@generated
@given(
    texts=st.lists(st.integers(1, 2).flatmap(sql_texts.booleans), min_size=FILTERS, max_size=FILTERS),
    rows=st.lists(sql_texts.rows, min_size=20, max_size=20),
)
def test_sql(texts: list[str], rows: list[dict[str, Any]]) -> None:
    agree([row for text in texts if (row := parsed(text, "sql", sql_texts.FIELDS)) is not None], rows)


@pytest.mark.parametrize("language", sorted(bodies.BODIES))
@pytest.mark.parametrize("dynamic", [False, True], ids=["declared", "dynamic"])
def test_every_language(language: str, dynamic: bool) -> None:
    """On hostile bodies, over a map of texts and over documents."""
    on = None if language in ("cel", "sql", "jms") else "m"
    fields = {**bodies.FIELDS, "m": "json"} if dynamic else bodies.FIELDS

    @settings(generated, max_examples=max(EXAMPLES // 4, 1))
    @given(found=st.lists(bodies.BODIES[language], min_size=FILTERS, max_size=FILTERS))
    def check(found: list[Any]) -> None:
        agree([predicat.parse(body, language, fields, on=on) for body in found], bodies.rows())

    check()


def test_rabbitmq_keys() -> None:
    keys = [f"{a}.{b}" for a in ("a", "b", "*", "#", "a.c") for b in ("x", "*", "#", "y.z")]
    rows = [{"routing_key": text} for text in ("", "a", "a.x", "b.y.z", "a.c.x", "c", ".x", None)]
    agree([predicat.parse(key, "rabbitmq", {"routing_key": "string"}) for key in keys], rows)


SHAPES = [
    "s = 'v{n}'",
    "s = 'v{n}' AND d > {n}",
    "d > {n} AND d <= {n} + 3.5",
    "d >= {n}",
    "d <> {n} AND NOT d < {n}",
    "a BETWEEN {n} AND {n} + 2",
    "a > {n} + 0.5",
    "s LIKE 'v{n}%' OR a = {n}",
    "s LIKE '%{n}%'",
    "s ILIKE 'V{n}'",
    "s LIKE '%{n}' AND a < 90",
    "s IN ('v{n}', 'v7', NULL)",
    "m['k{n}'] = 'x' AND a > 1",
    "m['k{n}'] IS NULL AND a = {n}",
    "p AND a = {n}",
    "NOT p AND a > {n}",
    "s IS NULL",
    "lower(s) = 'v{n}'",
    "CASE WHEN a > {n} THEN s = 'v{n}' ELSE p END",
    "NOT (s = 'v{n}' OR a <> {n})",
    "(s = 'v{n}' AND a > 3) OR (d = {n} AND p)",
    "s IS NOT DISTINCT FROM 'v{n}'",
]


def test_every_kind_of_access() -> None:
    fields = {"s": "string", "a": "bigint", "d": "double", "m": "map<string, string>", "p": "boolean"}
    rows: list[dict[str, Any]] = [
        {"s": text, "a": number, "d": double, "m": held, "p": truth}
        for text in (None, "v1", "V7", "v12x", "")
        for number in (None, 1, 7, 13)
        for double in (None, 0.0, 7.0, 9.5, float("nan"), float("inf"))
        for held, truth in (({"k1": "x", "k7": "y"}, True), ({}, False), (None, None))
    ]
    agree(
        [predicat.parse(shape.format(n=number), "sql", fields) for shape in SHAPES for number in range(16)],
        rows,
    )


CATALOG = """apiVersion: predicat/v1
dataset: events
fields: {kind: string, amount: double}
filters:
  big: {sql: "amount > :least", params: {least: {type: double, default: 10}}, tags: [money]}
  asked: {sql: "amount > :least", params: {least: double}}
  lenient: {sql: kind = 'a', on_unknown: accept}
  kinds:
    latest: 2
    versions:
      1: {sql: kind = 'a'}
      2: {sql: kind = 'b'}
subscriptions:
  desk-2: {filter: big, properties: {team: a}}
  desk-1: {filter: events.big}
  old: {filter: kinds@1}
"""


@pytest.fixture
def catalog(tmp_path: Path) -> predicat.Catalog:
    (tmp_path / "events.yml").write_text(CATALOG)
    return predicat.load_catalog(tmp_path)


def test_the_filters_of_a_dataset(catalog: predicat.Catalog) -> None:
    matcher = predicat.Matcher(catalog, "events")
    assert matcher.names == ("big", "kinds", "lenient")
    assert matcher.match({"kind": "b", "amount": 11}) == ["big", "kinds"]
    assert matcher.match({"amount": 10.0}) == ["lenient"]
    assert dict(matcher.left_out) == {"asked": "its parameter 'least' has no default"}


def test_names_tags_and_versions(catalog: predicat.Catalog) -> None:
    assert predicat.Matcher(catalog, "events", tag="money").names == ("big",)
    chosen = predicat.Matcher(catalog, "events", names=["kinds@1", "events.lenient"])
    assert chosen.match({"kind": "a"}) == ["kinds@1", "lenient"]
    with pytest.raises(PredicatError, match=r"no filter is named 'events.bigg'"):
        predicat.Matcher(catalog, "events", names=["bigg"])
    with pytest.raises(PredicatError, match="no dataset is named 'event'"):
        predicat.Matcher(catalog, "event")
    with pytest.raises(PredicatError, match="asked cannot be matched: its parameter 'least' has no default"):
        predicat.Matcher(catalog, "events", names=["asked"])


def test_subscriptions(catalog: predicat.Catalog) -> None:
    matcher = predicat.Matcher(catalog, "events", subscriptions=True)
    assert matcher.match({"kind": "a", "amount": 99}) == ["desk-1", "desk-2", "old"]
    assert predicat.Matcher(catalog, "events", subscriptions=True, tag="money").names == ("desk-1", "desk-2")


def test_a_row_of_a_wrong_type_is_an_error_and_a_mistyped_key_warns(catalog: predicat.Catalog) -> None:
    matcher = predicat.Matcher(catalog, "events")
    with pytest.raises(PredicatError, match="amount"):
        matcher.match({"amount": "ten"})
    with pytest.warns(predicat.UnknownKeyWarning, match="amuont") as caught:
        matcher.match({"amuont": 1.0, "kind": "a"})
    assert caught[0].filename == __file__


def test_no_filter_at_all() -> None:
    assert predicat.Matcher.of({}).match({"a": 1}) == []
