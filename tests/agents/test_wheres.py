"""WHEREs as language models write them: none is called the same as a filter that has other rows."""

import random
from collections import Counter
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

import predicat
from predicat.agents.recognize import Recognized, recognize
from predicat.agents.wheres import Where, read_where
from predicat.api import checked_dialect

HERE = Path(__file__).parent
WHERES = [
    (*row, group)
    for group, rows in yaml.safe_load((HERE / "wheres.yml").read_text(encoding="utf-8")).items()
    for row in rows
]
# Values at and around the constants of the filters and the WHEREs, written by hand.
VALUES: dict[str, list[Any]] = {
    "status": [None, "", "new", "paid", "packed", "shipped", "cancelled", "New", "Packed", "pending", " new"],
    "amount": [
        None,
        *map(Decimal, ("-1", "0", "10", "250.49", "250.50", "999.99", "1000", "1000.01", "5000")),
    ],
    "quantity": [None, -1, 0, 10, 11, 12],
    "placed_at": [
        None,
        *(
            datetime.fromisoformat(f"{day}+00:00")
            for day in (
                "2023-12-31 22:59:59",
                "2023-12-31 23:00:00",
                "2023-12-31 23:59:59.999999",
                "2024-01-01 00:00:00",
                "2024-01-01 00:00:00.000001",
                "2024-06-15 12:00:00",
                "2024-12-31 00:00:00",
                "2024-12-31 00:00:00.000001",
                "2024-12-31 23:30:00",
                "2024-12-31 23:59:59",
                "2024-12-31 23:59:59.500000",
                "2025-01-01 00:00:00",
                "2025-01-01 00:00:00.000001",
            )
        ),
    ],
    "due": [None, *(date(2024, 2, 28) + timedelta(days=day) for day in range(36)), date(2023, 3, 15)],
    "shipped_at": [None, datetime.fromisoformat("2024-03-01 00:00:00+00:00")],
    "country": [None, "", "DE", "de", "De", "FR"],
    "email": [
        None,
        "",
        "a@example.com",
        "A@EXAMPLE.COM",
        "b@Example.Com",
        "c@notexample.com",
        "@example.com",
    ],
    "is_test": [None, True, False],
    "coupon": [None, "", " ", "  ", "SPRING", "\t"],
    "customerId": [None, 7, 8],
}


def rows() -> list[dict[str, Any]]:
    """Each pair of values of two fields, and rows of values by chance."""
    chance = random.Random(47)

    def filled(**given: Any) -> dict[str, Any]:
        return {name: given.get(name, chance.choice(values)) for name, values in VALUES.items()}

    single = [
        filled(**{name: value}) for name, values in VALUES.items() for value in values for _ in range(8)
    ]
    pairs = [
        filled(status=one, **{name: other})
        for name in ("amount", "quantity", "country", "is_test")
        for one, other in product(VALUES["status"], VALUES[name])
    ]
    return [*single, *pairs, *(filled() for _ in range(500)), dict.fromkeys(VALUES)]


ROWS = rows()


@cache
def catalog() -> predicat.Catalog:
    return predicat.load_catalog(HERE / "catalog.yml")


@cache
def found(dialect: str, text: str) -> tuple[Where, Recognized]:
    (where,) = read_where(text, dialect, catalog())
    return where, recognize(where)


def named(names: str) -> set[str]:
    return set(names.replace(" OR ", " AND ").split(" AND "))


@pytest.mark.parametrize(("dialect", "text", "answer", "group"), WHERES)
def test_the_answer_is_right(dialect: str, text: str, answer: str, group: str) -> None:
    kind, _, names = answer.partition(": ")
    if kind == "error":
        with pytest.raises(predicat.PredicatError):
            found(dialect, text)
        return
    _, result = found(dialect, text)
    assert result.kind == kind, [(row.candidate.name, row.kind) for row in result.found]
    assert not names or named(names) == named(result.found[0].candidate.name)


def filters_of(name: str, row: dict[str, Any], params: dict[str, Any]) -> bool:
    """Whether a row is accepted by what an answer names: filters joined by AND or OR, or NOT a filter."""
    if name.startswith("NOT "):
        return not filters_of(name.removeprefix("NOT "), row, params)
    for word, joined in ((" AND ", all), (" OR ", any)):
        if word in name:
            return joined(filters_of(part, row, params) for part in name.split(word))
    return catalog()[name].evaluate(row, **params) is True


def sames() -> list[tuple[str, str, str]]:
    return [row[:3] for row in WHERES if row[2].startswith("same")]


@pytest.mark.parametrize(("dialect", "text", "answer"), sames())
def test_the_same_has_the_same_rows(dialect: str, text: str, answer: str) -> None:
    """Rows that were made by hand and by chance, without the prover, on the evaluator."""
    where, result = found(dialect, text)
    first = result.found[0].candidate
    accepted = 0
    for row in ROWS:
        outcome = where.predicate.evaluate(row) is True
        accepted += outcome
        assert outcome is filters_of(first.name, row, dict(first.params)), row
    assert 0 < accepted < len(ROWS)


SWAPPED = """apiVersion: predicat/v1
dataset: swapped
relation: {postgres: t, spark: t}
fields:
  a: {type: bigint, column: {postgres: b}}
  b: {type: bigint, column: {postgres: a}}
  Both: bigint
  both: bigint
  hour: {type: bigint, expression: {postgres: "extract(hour from placed)::bigint"}}
filters:
  one: {sql: a = 1}
  two: {sql: b = 1}
  upper: {sql: '"Both" = 1'}
  lower: {sql: both = 1}
  late: {sql: hour > 20}
"""


@pytest.mark.parametrize(
    ("dialect", "text", "answer"),
    [
        ("postgres", "a = 1", "two"),
        ("postgres", "b = 1", "one"),
        ("spark", "a = 1", "one"),
        ("sql", "a = 1", "one"),
        ("postgres", "x.A = 1", "two"),
        ("postgres", "both = 1", "lower"),
        ("postgres", "BOTH = 1", "lower"),
        ("postgres", 'x."Both" = 1', "upper"),
        ("spark", "Both = 1", "upper"),
        ("spark", "BOTH = 1", ""),
        ("postgres", '"BOTH" = 1', ""),
        ("postgres", '"A" = 1', ""),
        ("postgres", "hour > 20", ""),
        ("spark", "hour > 20", "late"),
    ],
)
def test_a_column_is_that_of_the_engine(dialect: str, text: str, answer: str, tmp_path: Path) -> None:
    (tmp_path / "swapped.yml").write_text(SWAPPED)
    swapped = predicat.load_catalog(tmp_path)
    if not answer:
        with pytest.raises(predicat.PredicatError, match="no field is named"):
            read_where(text, dialect, swapped)
        return
    (where,) = read_where(text, dialect, swapped)
    assert [row.candidate.name for row in recognize(where).found] == [f"swapped.{answer}"]


@pytest.mark.slow
def test_the_sql_of_filters_is_recognized() -> None:
    """What predicat writes for a filter is this filter, or one with its rows, or nothing is said of it."""
    reference = predicat.load_catalog(HERE.parents[1] / "catalog", tests=False)
    kinds: Counter[str] = Counter()
    for filter_ in reference.filters():
        node = filter_.row_filter()
        for dialect in ("postgres", "spark") if node is not None and filter_.has_view() else ():
            for condition in (False, True):
                text = checked_dialect(dialect).render(node, condition=condition)
                try:
                    (where,) = read_where(text, dialect, reference, filter_.dataset)
                except predicat.PredicatError:
                    kinds["refused"] += 1
                    continue
                result = recognize(where)
                kinds[result.kind] += 1
                if result.kind == "same":
                    other = reference.accepted(result.found[0].candidate.name)
                    assert predicat.compare(reference.accepted(filter_.qualified), other).same_rows
    assert kinds["same"] >= 0.85 * kinds.total() and kinds.total() > 200, kinds


def test_there_are_a_hundred() -> None:
    assert len(WHERES) >= 100
    assert len({row[:2] for row in WHERES}) == len(WHERES)
