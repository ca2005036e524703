"""Tables in memory: `filter` keeps the rows for which `evaluate` is True, and the table as it was."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import predicat
from tests.rounds import rounds

FIELDS = {
    "n": "bigint",
    "x": "double",
    "s": "string",
    "b": "boolean",
    "t": "timestamp",
    "d": "date",
    "m": "decimal(10,2)",
    "a": "array<string>",
    "k": "struct<c: bigint>",
}
SCHEMA = pa.schema(
    [
        ("n", pa.int64()),
        ("x", pa.float64()),
        ("s", pa.string()),
        ("b", pa.bool_()),
        ("t", pa.timestamp("us", "UTC")),
        ("d", pa.date32()),
        ("m", pa.decimal128(10, 2)),
        ("a", pa.list_(pa.string())),
        ("k", pa.struct([("c", pa.int64())])),
    ]
)
ROWS: list[dict[str, Any]] = [
    {
        "n": number,
        "x": number / 4,
        "s": ["a", "ab", "", "ä"][number % 4],
        "b": number % 2 == 0,
        "t": datetime(2024, 3, 31, number % 24, tzinfo=UTC),
        "d": date(2024, 2, 1 + number % 28),
        "m": Decimal(number) / 8,
        "a": ["a"] * (number % 3),
        "k": {"c": number},
    }
    for number in range(8, 40, 8)
] + [dict.fromkeys(FIELDS)]
CONDITIONS = [
    "n > 8",
    "NOT (n > 8)",
    "x < 5 OR b",
    "s LIKE 'a%'",
    "s IN ('a', 'b')",
    "b IS NULL",
    "t >= TIMESTAMP '2024-03-31 09:00:00'",
    "hour(t AT TIME ZONE 'Europe/Berlin') > 9",
    "d < DATE '2024-02-20'",
    "m = 2",
    "size(a) = 1",
    "k.c * 2 = 32",
    "n / 0 = 1 OR n = 16",
    "t < now() - n * INTERVAL '1 day'",
]


def accepted(predicate: predicat.Predicate, now: str) -> list[bool]:
    return [outcome is True for outcome in predicate.evaluate_many(ROWS, now=now)]


def test_filter_keeps_the_rows_that_evaluate_accepts() -> None:
    table, now = pa.Table.from_pylist(ROWS, SCHEMA), "2024-04-20T00:00:00Z"
    some = 0
    for condition in rounds(CONDITIONS, 14):
        predicate = predicat.parse(condition, "spark", FIELDS)
        wanted = accepted(predicate, now)
        assert predicate.filter(table, now=now) == table.filter(pa.array(wanted)), condition
        some += 0 < sum(wanted) < len(ROWS)
    assert some == len(CONDITIONS)


def test_a_data_frame_keeps_its_index_and_its_types() -> None:
    frame = pd.DataFrame(
        {
            "n": pd.array([1, 2, None, 4], dtype="Int64"),
            "x": [1.5, float("nan"), 2.5, 3.5],
            "s": pd.Categorical(["a", "b", None, "b"]),
            "t": pd.to_datetime(["2024-01-01", "2024-06-01", None, "2025-01-01"]),
        },
        index=["p", "q", "r", "r"],
    )
    for condition, wanted in rounds({"n >= 2": [1, 3], "x > 1": [0, 2, 3], "s = 'b'": [1, 3]}.items(), 3):
        pd.testing.assert_frame_equal(
            predicat.parse(condition, "sql", FIELDS).filter(frame), frame.iloc[wanted]
        )
    local = predicat.parse("t >= '2024-06-01'", "sql", {"t": "timestamp_ntz"})
    pd.testing.assert_frame_equal(local.filter(frame), frame.iloc[[1, 3]])
    batch = pa.RecordBatch.from_pydict({"n": [1, 2]})
    assert predicat.parse("n > 1", "sql", FIELDS).filter(batch) == batch.slice(1)


def test_rows_keep_their_order() -> None:
    table = pa.table({"n": pa.array(range(1_000_000))})
    found = predicat.parse("n % 3 = 1", "sql", FIELDS).filter(table)
    assert found["n"].to_pylist() == list(range(1, 1_000_000, 3))


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"n": ["1"]}, "VARCHAR in its column 'n', which is declared as bigint"),
        ({"n": [Decimal("1.5")]}, "DECIMAL(2,1) in its column 'n'"),
        ({"m": [1]}, "no column 'n'"),
        ({"N": [1], "n": [2]}, "several columns could be 'n': N, n"),
    ],
)
def test_other_columns_are_refused(columns: dict[str, Any], problem: str) -> None:
    with pytest.raises(predicat.PredicatError) as error:
        predicat.parse("n > 0", "sql", FIELDS).filter(pa.table(columns))
    assert problem in str(error.value)


def test_an_expression_has_the_type_of_its_field() -> None:
    table = pa.table({"s": ["1", "20"]})
    number = {"n": {"type": "bigint", "expression": {"duckdb": "CAST(s AS BIGINT)"}}}
    assert predicat.parse("n > 5", "sql", number).filter(table).to_pylist() == [{"s": "20"}]
    text = {"n": {"type": "bigint", "expression": {"duckdb": "upper(s)"}}}
    with pytest.raises(predicat.PredicatError, match="declared as bigint"):
        predicat.parse("n > 5", "sql", text).filter(table)
    missing = {"n": {"type": "bigint", "expression": {"duckdb": "other + 1"}}}
    with pytest.raises(predicat.PredicatError, match="other"):
        predicat.parse("n > 5", "sql", missing).filter(table)


def test_nanoseconds_are_refused_if_a_row_has_some() -> None:
    frame = pd.DataFrame({"t": pd.to_datetime([1_700_000_000_000_000_001], unit="ns")})
    with pytest.raises(predicat.PredicatError, match="nanoseconds"):
        predicat.parse("t > '2020-01-01'", "sql", FIELDS).filter(frame)


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(predicat.PredicatError, match="list is not a table"):
        predicat.parse("n > 0", "sql", FIELDS).filter([{"n": 1}])


def test_parameters_have_types_and_defaults() -> None:
    predicate = predicat.parse(
        "n >= :least AND s = :kind",
        "sql",
        FIELDS,
        params={"least": {"type": "bigint", "default": 5}, "kind": "string"},
    )
    rows = [{"n": 4, "s": "a"}, {"n": 5, "s": "a"}, {"n": 6, "s": None}]
    assert predicate.evaluate_many(rows, kind="a") == [False, True, None]
    assert predicate.evaluate_many(rows, kind="a", least=4) == [True, True, None]
    assert predicate.filter(pa.Table.from_pylist(rows), kind="a").to_pylist() == rows[1:2]
    with pytest.raises(predicat.PredicatError, match="parameter 'kind'"):
        predicate.filter(pa.Table.from_pylist(rows))
    for wrong in rounds(({"p": "numbr"}, {"p": {"type": "bigint", "default": "x"}}, {"p": {}}), 3):
        with pytest.raises(predicat.PredicatError):
            predicat.parse("n >= :p", "sql", FIELDS, params=wrong)


def test_a_catalog_has_items_and_one_line() -> None:
    catalog = predicat.load_catalog("catalog")
    items = dict(catalog.items())
    assert list(items) == list(catalog)
    assert all(items[name] == catalog[name] for name in items)
    assert repr(catalog) == f"Catalog({len(catalog.datasets)} datasets, {len(catalog)} filters)"
