"""Generated comparisons of decimals with each other, with integers and with doubles, in columns, arrays,
maps and structs.
"""

from __future__ import annotations

import math
import operator
import os
import random
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import predicat
from predicat.api import declared
from predicat.ir.canonical import canonical_text
from tests.engines.rows import Tables
from tests.fuzzing import REPEATABLE
from tests.language.cel_texts import written

EXAMPLES = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "1"))
FIELDS = {
    "dc": "decimal(10,2)",
    "dz": "decimal(5,0)",
    "de": "decimal(38,10)",
    "dw": "decimal(38,0)",
    "a": "bigint",
    "d": "double",
    "s": "string",
    "da": "array<decimal(10,2)>",
    "dd": "array<double>",
    "aa": "array<bigint>",
    "md": "map<string, decimal(10,2)>",
    "mf": "map<string, double>",
    "st": "struct<x: decimal(10,2), y: double>",
}
_POOLS: dict[str, list[Any]] = {
    "decimal(10,2)": [
        Decimal(text)
        for text in ("1.50", "0.00", "-3.00", "12.10", "0.10", "0.30", "99999999.99", "-99999999.99", "2.00")
    ],
    "decimal(5,0)": [Decimal(text) for text in ("0", "1", "-3", "2", "99999")],
    "decimal(38,10)": [
        Decimal(text)
        for text in (
            "0.1",
            "1.5",
            "9" * 28 + ".9999999999",
            "-" + "9" * 28 + ".9999999999",
            "0.0000000001",
            "9007199254740993",
            "9223372036854775808",
        )
    ],
    "decimal(38,0)": [
        Decimal(text)
        for text in (
            "9" * 38,
            "-" + "9" * 38,
            "9223372036854775807",
            "-9223372036854775809",
            "2",
            "9007199254740993",
        )
    ],
    "bigint": [0, 1, -1, 2, -3, 12, 2**63 - 1, -(2**63), 2**53, 2**53 + 1],
    "string": ["1.5", "x", "0.10", "1e2"],
    "double": [
        0.0,
        -0.0,
        0.1,
        0.3,
        1.5,
        2.0,
        -3.0,
        1e300,
        2.0**53,
        2.0**63,
        float("inf"),
        float("nan"),
        1e38,
    ],
}


def _rows(count: int) -> list[dict[str, Any]]:
    rng = random.Random(7)  # test data

    def pick(kind: str, *, absent: bool = True) -> Any:
        return rng.choice([*_POOLS[kind], *([None] if absent else [])])

    found: list[dict[str, Any]] = [{}]
    while len(found) < count:
        given_row = {name: pick(kind) for name, kind in FIELDS.items() if kind in _POOLS}
        given_row |= {
            name: rng.choice([None, [], [pick(kind), pick(kind)], [pick(kind)]])
            for name, kind in (("da", "decimal(10,2)"), ("dd", "double"), ("aa", "bigint"))
        }
        given_row |= {
            name: rng.choice([None, {}, {"x": pick(kind, absent=False), "y": pick(kind, absent=False)}])
            for name, kind in (("md", "decimal(10,2)"), ("mf", "double"))
        }
        given_row["st"] = rng.choice([None, {"x": pick("decimal(10,2)"), "y": pick("double")}])
        found.append({name: value for name, value in given_row.items() if value is not None})
    return found


ROWS = _rows(40)
_constants = [
    "0",
    "2",
    "-3",
    "1.5",
    "0.1",
    "0.10",
    "2.0",
    "0.30",
    "9007199254740993",
    "9223372036854775807",
    "0.0000000001",
    "99999999.99",
]
_columns = ["dc", "dz", "de", "dw", "a", "d", "st.x", "st.y", "da[0]", "dd[1]"]
_arrays = st.sampled_from(["da", "dd", "aa"])
REFUSALS = ("type-mismatch", "unsupported", "ambiguous-sql")
_signs = ["<", "<=", ">", ">="]


@cache
def cel(depth: int) -> st.SearchStrategy[str]:
    x, again = _numbers("cel", depth), cel(depth - 1) if depth else st.just("a == 2")
    return written(
        ("{} {} {}", x, st.sampled_from(["==", "!=", *_signs]), x),
        ("{} in [{}, {}]", x, x, x),
        ("{} in {}", x, _arrays),
        ("!({})", again),
        ("({} {} {})", again, st.sampled_from(["&&", "||"]), again),
        (
            "{}.{}(y, y {} {})",
            _arrays,
            st.sampled_from(["exists", "all", "exists_one"]),
            st.sampled_from(["==", "<"]),
            x,
        ),
        ("{} in da.map(y, y)", x),
        "da == [0.1]",
        "md == mf",
        "md == {'x': 0.1}",
        "[dc] == [d]",
        "da == [dc, d]",
    )


@cache
def sql(depth: int) -> st.SearchStrategy[str]:
    x, again = _numbers("sql", depth), sql(depth - 1) if depth else st.just("a = 2")
    return written(
        ("{} {} {}", x, st.sampled_from(["=", "<>", *_signs]), x),
        ("{} IN ({}, {})", x, x, x),
        ("{} BETWEEN {} AND {}", x, x, x),
        ("{} = ANY({})", x, _arrays),
        ("NOT ({})", again),
        ("{} IS {} DISTINCT FROM {}", x, st.sampled_from(["", "NOT"]), x),
        ("exists({}, y -> y > {})", _arrays, x),
        ("({} {} {})", again, st.sampled_from(["AND", "OR"]), again),
    )


@cache
def _numbers(language: str, depth: int) -> st.SearchStrategy[str]:
    keys = ["md.x", "mf.y"] if language == "cel" else ["md['x']", "mf['y']"]
    columns = st.sampled_from(_columns + keys)
    leaves = (
        columns | columns | st.sampled_from(_constants + ([] if language == "cel" else ["1e-1", "1.5e0"]))
    )
    if not depth:
        return leaves
    x = _numbers(language, depth - 1)
    if language == "cel":
        return leaves | written(
            ("({} {} {})", x, st.sampled_from("+-*/"), x),
            ("(a > 0 ? {} : {})", x, x),
            ("double({})", x),
            ("int({})", x),
            "double(s)",
        )
    return leaves | written(
        ("({} {} {})", x, st.sampled_from("+-*/"), x),
        ("CASE WHEN a > 0 THEN {} ELSE {} END", x, x),
        ("CAST({} AS {})", x, st.sampled_from(["double", "bigint"])),
        ("abs({})", x),
        ("coalesce({}, {})", x, x),
        ("nullif({}, {})", x, x),
        ("greatest({}, {})", x, x),
        ("least({}, {})", x, x),
        ("floor({})", x),
    )


def rendered(one: predicat.Predicate, dialect: str) -> str | None:
    """The SQL; None where a dialect has none for results of more than 38 digits."""
    try:
        return one.sql(dialect)
    except predicat.PredicatError:
        return None


@settings(REPEATABLE, max_examples=EXAMPLES)
@given(data=st.data())
def _check(tables: Tables, data: st.DataObject) -> None:
    predicates: list[predicat.Predicate] = []
    for language, texts in (
        ("cel", cel(1)),
        ("sql", sql(1)),
        ("cel", cel(2)),
        ("sql", sql(2)),
        ("postgres", sql(2)),
    ):
        for text in data.draw(st.lists(texts, min_size=40, max_size=40)):
            try:
                predicates.append(predicat.parse(text, language, FIELDS))
            except predicat.PredicatError as error:
                assert error.diagnostics[0].code in REFUSALS, str(error)
    assert len(predicates) > 60
    for name, run in tables.engines():
        asked = [(one, text) for one in predicates if (text := rendered(one, name)) is not None]
        assert len(asked) > len(predicates) * 0.8
        for (one, _), column in zip(asked, run([text for _, text in asked]), strict=True):
            assert column == [one.evaluate(row) for row in ROWS], (
                f"{name}: {canonical_text(one.node)}\n{one.sql(name)}"
            )


def test_engines_agree(spark: Any, postgres: Any) -> None:
    _check(Tables(spark, postgres, declared(FIELDS), ROWS))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dw < 1.5", [True, False, False]),
        ("dw > 1.5", [False, True, True]),
        ("dw >= 1.5", [False, True, True]),
        ("dw = 1.5", [False] * 3),
        ("dw <= -1.5", [False] * 3),
        ("1.5 > dw", [True, False, False]),
        ("dw IN (2, 1.5)", [False, True, False]),
        ("dp < 100000000000", [True] * 3),
        ("dp > -100000000000", [True] * 3),
        ("dp <> 100000000000", [True] * 3),
        ("dp = 100000000000", [False] * 3),
        ("dw > 99999999999999999999", [False, False, True]),
        ("dw IN (99999999999999999999999999999999999999, 2)", [False, True, True]),
        ("dw > -99999999999999999999999999999999999999", [True] * 3),
        ("dw <> -12345678901234567890123456789012345.5", [True] * 3),
        ("dw > -99999999999999999999999999999999999999.5", [True] * 3),
        ("dw <= 99999999999999999999999999999999999999.5", [True] * 3),
        ("dp >= 100000000000", [False] * 3),
        ("dw IS NOT DISTINCT FROM 1.5", [False] * 3),
    ],
)
def test_constants_that_no_column_holds(text: str, expected: list[bool], spark: Any, postgres: Any) -> None:
    """A constant beside a column never makes more digits than the 38 that engines compare."""
    fields = {"dw": "decimal(38,0)", "dp": "decimal(38,30)"}
    found = predicat.parse(text, "sql", fields)
    rows = [
        {"dw": Decimal(1), "dp": Decimal("1.5")},
        {"dw": Decimal(2), "dp": Decimal("-99999999.999")},
        {"dw": Decimal("9" * 38), "dp": Decimal(7)},
        {},
    ]
    want = [*expected, False if "DISTINCT" in text else None]
    assert [found.evaluate(row) for row in rows] == want
    for name, run in Tables(spark, postgres, declared(fields), rows).engines():
        assert run([found.sql(name)]) == [want], name


@settings(max_examples=300 * EXAMPLES, deadline=None, derandomize=True, database=None)
@given(
    unscaled=st.integers(-(10**15) + 1, 10**15 - 1),
    scale=st.integers(0, 15),
    constant=st.floats(allow_nan=False),
    near=st.integers(-2, 2),
    sign=st.sampled_from(["==", "!=", *_signs]),
)
def test_a_double_beside_a_decimal_of_few_digits(
    unscaled: int, scale: int, constant: float, near: int, sign: str
) -> None:
    """It becomes a decimal, and decides as the doubles of both do."""
    value = Decimal(unscaled).scaleb(-scale)
    for _ in range(abs(near)):
        constant = math.nextafter(float(value), math.inf if near > 0 else -math.inf)
    for beside in (constant, float(value)):
        found = predicat.parse(
            f"x {sign} {beside!r}"
            if math.isfinite(beside)
            else f'x {sign} double("{"Infinity" if beside > 0 else "-Infinity"}")',
            "cel",
            {"x": f"decimal(15,{scale})"},
        )
        assert found.evaluate({"x": value}) is {
            "==": operator.eq,
            "!=": operator.ne,
            "<": operator.lt,
            "<=": operator.le,
            ">": operator.gt,
            ">=": operator.ge,
        }[sign](float(value), beside)


def test_a_double_beside_a_decimal_is_pushed_down() -> None:
    assert (
        predicat.parse("dc in [0.1, 12.5] && dc < 1e300", "cel", FIELDS).sql("spark")
        == "dc IN (0.1, 12.5) AND CASE WHEN dc IS NOT NULL THEN TRUE END"
    )
    assert predicat.parse("de == 0.1", "cel", FIELDS).sql("spark") == "de = 0.1"


def test_more_digits_than_engines_have() -> None:
    with pytest.raises(
        predicat.PredicatError, match=r"decimal\(38,0\) with decimal\(10,2\) needs more than 38 digits"
    ):
        predicat.parse("dw > dc", "sql", FIELDS)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("de > 1234567890123456789012345678", "de >= 1234567890123456789012345678"),
        ("de < -1234567890123456789012345678.5", "de < -1234567890123456789012345678.25"),
        ("dc >= 99999999.99", "dc > 99999999.99"),
        ("dw = 99999999999999999999999999999999999999", "dw > 99999999999999999999999999999999999998"),
    ],
)
def test_rows_of_a_comparison_are_rows_that_columns_hold(text: str, other: str) -> None:
    verdict = predicat.compare(*(predicat.parse(one, "sql", FIELDS) for one in (text, other)))
    different = text.split(maxsplit=1)[0] != "dw"  # of whole numbers there is none between
    assert verdict.same_rows is not different
    for witness in (verdict.lost, verdict.gained):
        if witness is not None:
            assert [predicat.parse(one, "sql", FIELDS).evaluate(witness.row) for one in (text, other)] == [
                witness.before,
                witness.after,
            ]
