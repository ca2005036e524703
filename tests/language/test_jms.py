"""JMS selectors: what the specification's grammar has, and the same rows when they are given back and on
every engine.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import predicat
from predicat.diagnostics import PredicatError, Unsupported
from tests.engines.rows import Tables
from tests.fuzzing import REPEATABLE
from tests.language.bodies import HOSTILE
from tests.language.test_translations import EXAMPLES

FIELDS = {
    "order": "bigint",
    "end": "bigint",
    "price": "double",
    "case": "string",
    "$s": "string",
    "if": "boolean",
}
_rows = itertools.zip_longest(
    [None, 0, 1, -3, 2**63 - 1, -(2**63), 2**53 + 1],
    [0, 7, None, -1, 2],
    [None, 0.0, -0.0, 1.5, float("nan"), float("inf"), -2.0, 1e300],
    [None, *HOSTILE],
    ["a", None, "b", ""],
    [True, False, None],
)
ROWS: list[dict[str, Any]] = [{}, *(dict(zip(FIELDS, values, strict=True)) for values in _rows)]

texts = st.sampled_from(HOSTILE).map(lambda text: "'" + text.replace("'", "''") + "'")
names = st.sampled_from(["case", "$s"])
numbers = st.recursive(
    st.sampled_from(
        [
            "order",
            "end",
            "price",
            "0",
            "7",
            "-3",
            "010",
            "0x1F",
            "2L",
            "1_000",
            "1.5",
            "7.",
            ".5",
            "1e3",
            "0.1f",
            "2d",
            "9223372036854775807",
            "-9223372036854775808",
        ]
    ),
    lambda inner: st.one_of(
        st.builds(
            lambda left, sign, right: f"({left} {sign} {right})", inner, st.sampled_from("+-*/"), inner
        ),
        inner.map(lambda text: f"-{text}"),
    ),
    max_leaves=3,
)
selectors = st.recursive(
    st.one_of(
        st.builds(
            lambda left, sign, right: f"{left} {sign} {right}",
            numbers,
            st.sampled_from(["=", "<>", "<", "<=", ">", ">="]),
            numbers,
        ),
        st.builds(
            lambda value, word, low, high: f"{value} {word} {low} AND {high}",
            numbers,
            st.sampled_from(["BETWEEN", "not between"]),
            numbers,
            numbers,
        ),
        st.builds(
            lambda name, sign, text: f"{name} {sign} {text}", names, st.sampled_from(["=", "<>"]), texts
        ),
        st.builds(
            lambda name, word, found: f"{name} {word} ({', '.join(found)})",
            names,
            st.sampled_from(["IN", "Not In"]),
            st.lists(texts, min_size=1, max_size=3),
        ),
        st.builds(
            lambda name, word, pattern: f"{name} {word} {pattern}",
            names,
            st.sampled_from(["LIKE", "NOT LIKE"]),
            st.sampled_from(["'a%'", "'%\\%'", "'_'", "'!%%' ESCAPE '!'", "'''%' escape '+'"]),
        ),
        st.builds(
            lambda name, word: f"{name} IS {word}",
            st.sampled_from(sorted(FIELDS)),
            st.sampled_from(["NULL", "NOT NULL"]),
        ),
        st.sampled_from(["if", "if = TRUE", "TRUE", "if <> false"]),
    ),
    lambda inner: st.one_of(
        inner.map(lambda text: f"NOT ({text})"),
        st.builds(
            lambda left, word, right: f"({left}) {word} ({right})",
            inner,
            st.sampled_from(["AND", "or"]),
            inner,
        ),
    ),
    max_leaves=3,
)


def test_selectors_agree_on_engines_and_are_given_back(spark: Any, postgres: Any) -> None:
    tables = Tables(spark, postgres, predicat.api.declared(FIELDS), ROWS)
    said: list[str] = []

    @settings(REPEATABLE, max_examples=EXAMPLES)
    @given(bodies=st.lists(selectors, min_size=60, max_size=60))
    def check(bodies: list[str]) -> None:
        predicates = [predicat.parse(body, "jms", FIELDS) for body in bodies]
        wanted = [[predicate.evaluate(row) for row in ROWS] for predicate in predicates]
        for name, run in tables.engines():
            for body, column, outcome in zip(
                bodies, run([predicate.sql(name) for predicate in predicates]), wanted, strict=True
            ):
                assert column == outcome, f"{name}: {body}"
        for body, predicate, outcome in zip(bodies, predicates, wanted, strict=True):
            try:
                text = predicate.to("jms")
            except Unsupported:
                continue
            said.append(text)
            back = predicat.parse(text, "jms", FIELDS)
            assert [back.evaluate(row) is True for row in ROWS] == [value is True for value in outcome], (
                f"{body}\n-> {text}"
            )

    check()
    assert len(said) > 40


ROW = {"order": 15, "end": 31, "price": 7.0, "case": "it's", "$s": "_foo", "if": True}


@pytest.mark.parametrize(
    "text",
    [
        "order = 017",
        "end = 0x1f AND end = 0X1FL AND end = 0b1_1111",
        "price = 7. AND price = 7D AND price = 70e-1",
        "price / 0 > 1 AND -price / 0 < 1",
        "price <> 7.1f",
        "order = 15.0",
        "order / 2 = 7.5",
        "case + '!' = 'it''s!'",
        "end--1 = 32",
        "end -1 = 30",
        "+order = 15",
        "order + 1 * 2 = 17",
        "case = 'it''s'",
        "case <> 'IT''S'",
        "$s LIKE '\\_%' ESCAPE '\\'",
        "$s LIKE '_f%'",
        "NOT $s LIKE '\\%'",
        "order BETWEEN 15 AND 15 AND end NOT BETWEEN 1 AND 2",
        "if",
        "if=tRuE",
        "(order = 15) = if",
        "NOT order = 1",
        "NOT if OR if AND if",
        "order\t=\n15",
        "case IN ('x', 'it''s')",
        "case IS NOT NULL AND NOT (case IS NULL)",
        "((((order)))) = 15",
        "TRUE",
        "",
    ],
)
def test_the_grammar_of_the_specification(text: str) -> None:
    assert predicat.parse(text, "jms", FIELDS).evaluate(ROW) is True


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("order == 1", "a selector compares with ="),
        ("order != 1", "a selector writes <> for it"),
        ("case || 'x' = 'y'", "a selector writes OR"),
        ("UPPER(case) = 'A'", "a selector has no functions"),
        ("order % 2 = 1", "unexpected '%'"),
        ('case = "x"', "put strings in single quotes"),
        ("order IN (1, 2)", "a value of IN must be a string in single quotes"),
        ("case IN ()", "a value of IN"),
        ("case LIKE NULL", "the pattern of LIKE"),
        ("case LIKE 'a' ESCAPE 'ab'", "ESCAPE takes one character"),
        ("case LIKE 'a!' ESCAPE '!'", "escape"),
        ("case LIKE 'a__' ESCAPE '_'", "use another character"),
        ("case > 'a'", "with = and <>"),
        ("case BETWEEN 'a' AND 'b'", "with = and <>"),
        ("if < TRUE", "with = and <>"),
        ("case + 1 = 'y'", "takes numbers or strings"),
        ("-case = 1", "takes a number"),
        ("(order = 1) + 1 = 2", "takes numbers"),
        ("'x' LIKE 'x'", "tests a property"),
        ("order + 1 IS NULL", "tests a property"),
        ("if IS TRUE", "expected 'NULL'"),
        ("NULL = NULL", "test it with IS NULL"),
        ("order = 08", "octal"),
        ("order = 9223372036854775808", "64-bit"),
        ("price = 1e999", "does not fit in a double"),
        ("price = 1e39f", "does not fit in a float"),
        ("order = 1 -- comment", "no field is named 'comment'"),
        ("order /* x */ = 1", "unexpected '*'"),
        ("order = 1;", "unexpected ';'"),
        ("order = 1 = if", "unexpected '='"),
        ("order = 1x", "unexpected"),
        ("order", "order"),
        ("(order = 1", "expected ')'"),
        ("case = 'x", "closing quote"),
        ("nosuch = 1", "no field is named 'nosuch'"),
        ("order = 'x'", "bigint"),
    ],
)
def test_what_a_selector_cannot_say(text: str, said: str) -> None:
    with pytest.raises(PredicatError) as caught:
        predicat.parse(text, "jms", FIELDS)
    assert said in "\n".join(item.render() for item in caught.value.diagnostics)


def test_properties_are_read_from_a_field() -> None:
    found = predicat.parse(
        "kind = 'x' AND kind IN ('x')", "jms", {"properties": "map<string, string>"}, on="properties"
    )
    assert found.evaluate({"properties": {"kind": "x"}}) is True
    with pytest.raises(PredicatError, match="with = and <>"):
        predicat.parse("kind > 'x'", "jms", {"properties": "map<string, string>"}, on="properties")


def test_a_declared_name_in_double_quotes_is_a_field_of_its_own() -> None:
    """A selector has a text in double quotes where no field has the name."""
    predicate = predicat.parse('"size" > 1', "jms", {"size": "bigint"}, on="properties")
    assert predicate.evaluate({"size": 2}) is True
    with pytest.raises(predicat.PredicatError, match="single quotes"):
        predicat.parse('"other" > 1', "jms", {"size": "bigint"}, on="properties")


@pytest.mark.parametrize("language", ["jms", "servicebus"])
def test_plus_joins_texts(language: str) -> None:
    predicate = predicat.parse("topic + '-x' = 'logs-x'", language, {"topic": "string"})
    assert predicate.evaluate({"topic": "logs"}) is True
