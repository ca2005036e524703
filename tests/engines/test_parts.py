"""SUBSTRING_INDEX, and the greatest and least element of an array: the same on all engines, and as Spark has
them.
"""

from typing import Any

import pytest

import predicat
from predicat.api import declared
from predicat_spark.rows import on_spark
from tests.engines.rows import Tables
from tests.engines.test_generated import check_batch

FIELDS = {"s": "string", "xs": "array<bigint>", "ds": "array<double>", "n": "bigint"}
SEPARATORS = [".", "^", "]", "-", "\\\\", "é", " "]
CONDITIONS = (
    *(
        f"substring_index(s, '{sign}', {place}) = '{part}'"
        for sign in SEPARATORS
        for place in (1, 2, 3, -1, -2, 0)
        for part in ("", "a", f"a{sign}b", f"b{sign}", "a\\nb")
    ),
    "substring_index(s, '::', 1) = 'a'",
    "substring_index(s, '', 1) = ''",
    "array_max(xs) > 2",
    "array_min(xs) <= 0",
    "array_max(ds) > 2",
    "array_min(ds) < 0.5",
    "array_max(ds) IS NULL",
    "array_min(ds) = double('NaN')",
    "array_max(array(n, 3)) > 3",
    "NOT array_min(xs) > 0",
)
_NUMBERS = [None, [], [None], [3, None, -1], [0], [2**63 - 1, -(2**63)]]
_DOUBLES = [None, [], [None], [float("nan"), 0.25, None], [float("nan")], [float("-inf"), -0.0, 3.5]]


def rows() -> list[dict[str, Any]]:
    shapes = ["", "{}", "a{}b", "a{}b{}c", "{}{}", "{}b{}", "a{}b{}c{}d", "a\nb{}c", "::a{}::b"]
    texts = [shape.replace("{}", sign.replace("\\\\", "\\")) for sign in SEPARATORS for shape in shapes]
    return [
        {
            "s": text,
            "xs": _NUMBERS[place % len(_NUMBERS)],
            "ds": _DOUBLES[place % len(_DOUBLES)],
            "n": [None, 1, 7][place % 3],
        }
        for place, text in enumerate([None, *dict.fromkeys(texts)])
    ]


def test_engines_agree(spark: Any, postgres: Any) -> None:
    nodes = [predicat.parse(text, "spark", FIELDS).node for text in CONDITIONS]
    check_batch(nodes, Tables(spark, postgres, declared(FIELDS), rows()))


def test_spark_says_the_same(spark: Any) -> None:
    made = rows()
    got = on_spark(list(declared(FIELDS).values()), made, CONDITIONS, spark)
    parsed = [predicat.parse(text, "spark", FIELDS) for text in CONDITIONS]
    wrong = [
        (text, row, value)
        for text, predicate, column in zip(CONDITIONS, parsed, got, strict=True)
        for row, value in zip(made, column, strict=True)
        if value is not predicate.evaluate(row)
    ]
    assert not wrong, wrong[:5]


@pytest.mark.parametrize("call", ["substring_index(s, 'aa', -1)", "substring_index(s, '.', 21)"])
def test_other_places_are_refused(call: str) -> None:
    with pytest.raises(predicat.PredicatError, match=r"substring_index\(s, '\.', -1\)"):
        predicat.parse(f"{call} = 'a'", "spark", FIELDS)
