"""Arithmetic where integers and doubles end: each result is that of the evaluator, whatever way an
engine's SQL takes to it.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import predicat
from predicat.api import declared
from predicat.ir.nodes import Node
from predicat.semantics.evaluate import compile_node
from tests.engines.rows import Tables
from tests.engines.test_generated import BATCH, EXAMPLES, check_batch, generated

WHOLE = [
    0,
    1,
    -1,
    3,
    10**9,
    2**31 - 1,
    -(2**31),
    2**31,
    3037000500,
    -3037000499,
    2**53,
    2**62 - 1,
    2**62,
    -(2**62),
    -(2**62) - 1,
    2**63 - 1,
    -(2**63),
]
DOUBLE = [
    0.0,
    5e-324,
    2.2250738585072014e-308,
    1e-160,
    1e-150,
    0.1,
    1.0,
    3.0,
    1e100,
    1e150,
    1.3407807929942596e154,
    1.4e154,
    1e290,
    8.98846567431158e307,
    8.98846567431157e307,
    1.7976931348623157e308,
    math.inf,
]
INTEGERS = [
    "a + b",
    "a - b",
    "a * b",
    "div(a, b)",
    "a % b",
    "-a",
    "abs(a)",
    "abs(a - b)",
    "(a + b) * 3",
    "a * b + 5",
    "div(a - b, 7)",
    "a % b * b",
    "-(a + b)",
    "div(a, -1)",
    "div(a, 1000) * 1000 + b % 1000",
    "a + b - a",
    "a * 2 - b * 2",
    "a % 10 + 5",
    "abs(-a)",
]
DOUBLES = [
    "d + e",
    "d - e",
    "d * e",
    "d / e",
    "-d + e",
    "d + 0.1",
    "d * 100",
    "100 / d",
    "d / 0.0",
    "(d + e) * 2.5",
    "d * e + 1.0",
    "d / e - 1.0",
    "(d - e) / 3.0",
    "d * d * e",
    "abs(d - e) * 0.5",
    "d / e * e",
    "1e300 / d",
    "d / 1e300",
    "1e-300 * d",
    "d * 1e300 * e",
    "d + 1e300",
    "-1e300 - d",
    "1e-300 / d - 1e300 * d",
]


def test_integers(spark: Any, postgres: Any) -> None:
    pairs = [*itertools.product(WHOLE, WHOLE), (None, 5), (5, None)]
    check("bigint", INTEGERS, "ab", pairs, ["{0} = {1}", "({0}) IS NULL", "{0} > 3"], spark, postgres)


def test_doubles(spark: Any, postgres: Any) -> None:
    signed = [*DOUBLE, *(-value for value in DOUBLE), math.nan]
    pairs = [*itertools.product(signed, signed), (None, 5.0), (math.inf, None), (None, math.inf)]
    asked = [
        "{0} = {1}",
        "({0}) IS NULL",
        "isnan({0})",
        "{0} > 0.5",
        "-1e300 >= {0}",
        "{0} <> 3.0",
        "CAST(floor({0}) AS bigint) < 3",
    ]
    check("double", DOUBLES, "de", pairs, asked, spark, postgres)


def check(
    kind: str,
    expressions: list[str],
    names: str,
    pairs: list[tuple[Any, Any]],
    asked: list[str],
    spark: Any,
    postgres: Any,
) -> None:
    """Whether each result is exactly the evaluator's, which a column holds, and what is asked of it beside
    a constant: that has its own SQL.
    """
    results = [f"r{place}" for place in range(len(expressions))]
    fields = dict.fromkeys([*names, *results], kind)
    of_result = [
        compile_node(predicat.parse(f"({expression}) = r0", "sql", fields).node.args[0])
        for expression in expressions
    ]
    rows = [dict(zip(names, pair, strict=True)) for pair in pairs]
    for row in rows:
        row.update({name: run(row) for name, run in zip(results, of_result, strict=True)})
    texts = [
        text.format(f"({expression})", name)
        for expression, name in zip(expressions, results, strict=True)
        for text in asked
    ]
    check_batch(
        [predicat.parse(text, "sql", fields).node for text in texts],
        Tables(spark, postgres, declared(fields), rows),
    )


PLACES = [
    0,
    1,
    2,
    3,
    5,
    6,
    -1,
    -2,
    2**31 - 1,
    2**31,
    -(2**31),
    -(2**31) - 1,
    2**62,
    2**63 - 1,
    2**63 - 2,
    -(2**63),
    -(2**63) + 1,
    -(2**62),
    None,
]
PARTS = [
    "substring(s, a, b)",
    "substring(s, 2, b)",
    "substring(s, a, 2)",
    "substring(s, a)",
    "left(s, a)",
    "right(s, a)",
    "substring(s, a + b, 2)",
    "substring(s, b, a - b)",
]
PARTS_CEL = ["s.substring(a, b)", "s.substring(1, b)", "s.substring(a)", "s.charAt(a)"]


def test_places_in_texts(spark: Any, postgres: Any) -> None:
    fields = {"s": "string", "a": "bigint", "b": "bigint", "xs": "array<bigint>"}
    asked = [
        (f"{part} {test}", language)
        for language, parts, tests in (
            ("sql", PARTS, ("= ''", "= 'é'", "= 'aéb😀c'", "= 'aé'", "IS NULL")),
            ("cel", PARTS_CEL, ('== ""', '== "é"', '== "aéb😀c"', "== null")),
        )
        for part in parts
        for test in tests
    ]
    asked += [
        (text, "cel")
        for text in (
            "xs[a] == 5",
            "xs[a - b] == 4",
            "xs[a] == null",
            's.indexOf("b", a) == 2',
            's.lastIndexOf("a", b) == 0',
        )
    ]
    rows = [
        {"s": text, "a": one, "b": other, "xs": [4, 5]}
        for text in ("aéb😀c", "")
        for one in PLACES
        for other in PLACES
    ]
    check_batch(
        [predicat.parse(text, language, fields).node for text, language in asked],
        Tables(spark, postgres, declared(fields), rows),
    )


SIZES = st.builds(
    "{}{}e{}".format,
    st.sampled_from(["", "-"]),
    st.sampled_from(["1", "1.7", "4.03", "9.9"]),
    st.integers(-323, 307),
)
LEAVES = st.one_of(
    st.sampled_from(["d", "e", "CAST(n AS double)"]),
    SIZES,
    st.sampled_from(["5e-324", "1.7976931348623157e308", "100", "0.01", "0.0"]),
)


@st.composite
def chains(draw: st.DrawFn) -> str:
    """A condition on doubles worked out in several steps, of which one may overflow or vanish and the next
    one come back.
    """
    signs = st.sampled_from(
        ["{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} * {1}", "{0} / {1}", "{0} / {1}", "- {0}", "abs({0})"]
    )
    asked = draw(
        st.recursive(
            LEAVES,
            lambda inner: st.builds("({})".format, st.builds(str.format, signs, inner, inner)),
            max_leaves=12,
        )
    )
    return draw(
        st.one_of(
            st.just(f"CAST(floor({asked}) AS bigint) > 3"),
            st.builds(f"{asked} {{}} {{}}".format, st.sampled_from(["<", "=", ">="]), SIZES),
        )
    )


@settings(generated, max_examples=max(EXAMPLES // 2, 1))
@given(texts=st.lists(chains(), min_size=BATCH, max_size=BATCH))
def test_chains_of_doubles(spark: Any, postgres: Any, texts: list[str]) -> None:
    fields = {"d": "double", "e": "double", "n": "bigint"}
    nodes = [node for text in texts if (node := parsed(text, fields)) is not None]
    values = [
        value * 10.0**power for power in (-322, -300, -150, -20, 0, 16, 150, 307) for value in (1.3, -7.7)
    ]
    rows = [
        {"d": one, "e": other, "n": n}
        for (one, other), n in zip(
            itertools.product(values, values), itertools.cycle([1, -7, 0, 2**63 - 1, None])
        )
    ]
    check_batch(nodes, Tables(spark, postgres, declared(fields), rows))


def parsed(text: str, fields: dict[str, str]) -> Node | None:
    try:
        return predicat.parse(text, "sql", fields).node
    except predicat.PredicatError as error:
        known = ("beyond", "38 digits", "two integers")  # what has constants alone
        assert any(reason in str(error) for reason in known), str(error)
        return None


COMPUTED = [
    "year(t) = 2020",
    "CAST(t AS bigint) > 4",
    "t - u > INTERVAL '1' DAY",
    "t - u > u - t",
    "t + INTERVAL '1' DAY > u",
    "t + (u - u) > u",
    "year(x) = 2020",
    "datediff(x, y) > 3",
    "date_add(x, 3) > y",
    "date_add(x, -3652058) > y",
    "CAST(x AS timestamp) > u",
    "week(t) = 4",
]
COMPUTED_CEL = [
    't.getHours("Europe/Paris") == 3',
    't.getFullYear("America/New_York") == 1',
    'string(t) == ""',
    "int(t) == 3",
    "(t - u).getHours() == 3",
    'string(x) == ""',
    't - duration("1s") < u',
]


@pytest.mark.parametrize("sign", ["", "-"])
def test_infinity_of_postgres(postgres: Any, sign: str) -> None:
    """A timestamp or date of PostgreSQL may be infinite, or beyond year 9999. It compares, and nothing is
    worked out from it.
    """
    fields = {"t": "timestamp", "u": "timestamp", "x": "date", "y": "date"}
    computed = [
        *(predicat.parse(text, "sql", fields) for text in COMPUTED),
        *(predicat.parse(text, "cel", fields) for text in COMPUTED_CEL),
    ]
    compared = [
        predicat.parse(text, "sql", fields)
        for text in ("t > u", "x > y", "u < '2030-01-01 00:00:00'", "t <> u")
    ]
    far = (
        ("4713-01-01 00:00:00+00 BC", "4713-01-01 BC")
        if sign
        else ("294276-12-31 23:59:59+00", "5874897-12-31")
    )
    asked = ", ".join(predicate.sql("postgres") for predicate in (*computed, *compared))
    near = "(VALUES ('2020-01-01Z'::timestamptz, '2020-01-01'::date)) AS b(u, y)"
    rows = [
        postgres.execute(
            f"SELECT {asked} FROM (VALUES ('{t}'::timestamptz, '{x}'::date)) AS a(t, x), {near}"
        ).fetchone()
        for t, x in ((f"{sign}infinity", f"{sign}infinity"), far)
    ]
    assert rows[0][: len(computed)] == (None,) * len(computed)
    for row in rows:
        assert row[len(computed) :] == ((False, False) if sign else (True, True)) + (True, True)
