"""Fields that change their type: verdicts on the values that both types hold, beside converted rows."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

import predicat
from predicat.proof.retyped import compare_retyped
from tests.review.test_compare import refutes

NUMBERS = (
    "{} > 100.5",
    "{} * 2 < 10 AND qty > 1",
    "{} - 2.5 > 0.25",
    "round({}, 1) = 2.5",
    "{} IN (1.5, 2, 3)",
    "{} BETWEEN -1 AND 3.3",
    "abs({}) >= 7 OR {} IS NULL",
    "{} * {} <= 49",
    "NOT ({} <> 8)",
    "coalesce({}, 0) < 1",
    "CASE WHEN {} > 5 THEN qty ELSE 0 END > 1",
)
TIMES = (
    "CAST({} AS date) = DATE '2024-03-01'",
    "year({}) = 2024 AND month({}) < 4",
    "{} < now() - INTERVAL '3' DAY",
    "{} >= TIMESTAMP '2024-03-01 00:00:00'",
    "{} BETWEEN TIMESTAMP '2024-02-28 12:00:00' AND TIMESTAMP '2024-03-01 00:00:00'",
    "date_trunc('month', {}) = TIMESTAMP '2024-03-01 00:00:00'",
    "{} IS NULL",
)
TEXTS = ("{} IS NOT NULL", "coalesce({}, {}) IS NULL")
DECIMALS = [
    Decimal(text) for text in ("0", "-1", "0.1", "1.5", "2.45", "2.5", "7", "8", "10.1", "100.5", "999.99")
]
WHOLE = [Decimal(value) for value in (-8, 0, 1, 2, 3, 7, 8, 100, 101)]
DATES = [date(2023, 12, 31), date(2024, 1, 1), date(2024, 2, 28), date(2024, 2, 29), date(2024, 3, 1)]
VALUES: dict[str, Callable[[Any], Any]] = {
    "string": str,
    "double": float,
    "bigint": int,
    "int": int,
    "date": lambda value: value,
    "timestamp": lambda value: datetime(value.year, value.month, value.day, tzinfo=UTC),
    "timestamp_ntz": lambda value: datetime(value.year, value.month, value.day, tzinfo=UTC),
}
CHANGES = [
    ("decimal(12,2)", "decimal(14,2)", NUMBERS, DECIMALS),
    ("decimal(12,2)", "decimal(14,4)", NUMBERS, DECIMALS),
    ("decimal(14,1)", "decimal(12,2)", NUMBERS, WHOLE),
    ("decimal(12,2)", "double", NUMBERS, DECIMALS),
    ("bigint", "decimal(20,0)", NUMBERS, WHOLE),
    ("int", "decimal(5,2)", NUMBERS, WHOLE),
    ("bigint", "double", NUMBERS, WHOLE),
    ("date", "timestamp", TIMES, DATES),
    ("timestamp_ntz", "date", [text for text in TIMES if "now()" not in text], DATES),
    ("bigint", "string", TEXTS, WHOLE),
    ("string", "date", TEXTS, DATES),
]
OPEN = ("undecided", "unsupported")


def predicate(text: str, kind: str) -> predicat.Predicate:
    return predicat.parse(text.replace("{}", "v"), "sql", {"v": kind, "qty": "bigint"})


def written(value: Any, kind: str) -> Any:
    return None if value is None else VALUES.get(kind, Decimal)(value)


@pytest.mark.parametrize(
    ("old", "new", "texts", "values"), CHANGES, ids=[f"{old}-{new}" for old, new, *_ in CHANGES]
)
def test_a_change_of_type_has_a_verdict_that_no_row_refutes(
    old: str, new: str, texts: Sequence[str], values: list[Any]
) -> None:
    decided = 0
    for text in texts:
        before, after = predicate(text, old), predicate(text, new)
        verdict = compare_retyped(before.node, after.node, ("reject", "reject"))
        decided += verdict.kind not in OPEN
        assert verdict.notes[-1:] == (f"for the values of v that {old} and {new} both hold",)
        for value in (None, *values):
            for qty in (0, 2):
                now = {"now()": datetime(2024, 3, 3, tzinfo=UTC)} if "now()" in text else {}
                outcomes = [
                    side.evaluate({"v": written(value, kind), "qty": qty}, **now)
                    for side, kind in ((before, old), (after, new))
                ]
                assert not refutes(verdict.kind, *outcomes), (text, value, qty, verdict, outcomes)
    assert decided >= 0.95 * len(texts)


def test_what_a_wider_type_adds_is_not_claimed() -> None:
    sides = predicate("v < 100000", "decimal(5,2)"), predicate("v < 100000", "decimal(8,2)")
    assert compare_retyped(sides[0].node, sides[1].node, ("reject", "reject")).kind == "equivalent"
    # For predicates in one catalog, such as copies of a rule, other types stay unsupported.
    assert predicat.compare(*sides).kind == "unsupported"


def test_types_without_common_values_have_no_verdict() -> None:
    sides = predicate("v IS NULL", "array<string>"), predicate("v IS NULL", "boolean")
    verdict = compare_retyped(sides[0].node, sides[1].node, ("reject", "reject"))
    assert (verdict.kind, verdict.notes) == ("unsupported", ("v has another type",))


def test_a_witness_is_evaluated_as_it_is_given() -> None:
    sides = [
        predicat.parse(f"t < now() - INTERVAL '{days}' DAY", "sql", {"t": "timestamp"}) for days in (3, 4)
    ]
    lost = predicat.compare(*sides).lost
    assert lost is not None and set(lost.params) == {"now()"}
    assert [side.evaluate(lost.row, **lost.params) for side in sides] == [lost.before, lost.after]
