"""Lists that are too long to be written out: the evaluator, Spark, PostgreSQL and DuckDB agree."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat_spark.lists import provide
from tests.engines.rows import Tables

CATALOG = """\
apiVersion: predicat/v1
dataset: shop
relation: {postgres: public.shop}
fields:
  id: bigint
  small: int
  code: string
  held: {type: string, nulls: value}
  day: date
  at: timestamp
  price: decimal(10,2)
  data: json
  codes: array<string>
lists:
  ids: {type: bigint, file: lists/ids.csv}
  codes: {type: string, file: lists/codes.csv}
  days: {type: date, file: lists/days.csv}
  times: {type: timestamp, file: lists/times.csv}
  prices: {type: "decimal(10,2)", file: lists/prices.csv}
filters:
  ids: {sql: id IN list('ids')}
  not_ids: {sql: id NOT IN list('ids')}
  small: {spark: "small IN (list('ids'))"}
  codes: {cel: code in lists.codes}
  not_codes: {cel: "!(code in lists.codes)"}
  either: {postgres: "code IN list('codes') OR id IN list('ids')"}
  held: {cel: held in lists.codes}
  days: {sql: day IN list('days')}
  times: {sql: at IN list('times')}
  day_as_time: {sql: day IN list('times')}
  prices: {sql: price IN list('prices')}
  data: {cel: data.code in lists.codes}
  some: {cel: "codes.exists(c, c in lists.codes)"}
  every: {cel: "codes.all(c, c in lists.codes)"}
"""
HOSTILE = [
    "",
    " ",
    "null",
    "NULL",
    "a,b",
    "it's",
    'say "x"',
    "\\",
    "\\N",
    "{}",
    "line\nend",
    "é😀",
    "a b",
    "|",
]
COUNT = 10_050


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lists = tmp_path / "catalog" / "lists"
    lists.mkdir(parents=True)
    (tmp_path / "catalog" / "shop.yml").write_text(CATALOG)
    start = datetime(2020, 1, 1, tzinfo=UTC)
    columns: dict[str, Callable[[int], str]] = {
        "ids": lambda n: str(n * 7 - 21),
        "codes": lambda n: HOSTILE[n] if n < len(HOSTILE) else f"c{n}",
        "days": lambda n: (date(2000, 1, 1) + timedelta(days=n)).isoformat(),
        "times": lambda n: (start + timedelta(hours=n, microseconds=n)).isoformat(),
        "prices": lambda n: f"{n}.50",
    }
    for name, value in columns.items():
        rows = ('"' + value(n).replace('"', '""') + '"' for n in range(COUNT))
        (lists / f"{name}.csv").write_text("v\n" + "\n".join(rows) + "\n", newline="")
    return tmp_path


def rows() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{}, {"id": 1, "code": "C100"}]
    found += [{"id": n, "small": n, "data": {"code": n}} for n in (-21, 0, 1, 7, 2**31 - 1)]
    found += [{"id": n} for n in (2**63 - 1, -(2**63), (COUNT - 1) * 7 - 21)]
    found += [
        {"code": text, "held": text, "data": {"code": text}, "codes": ["nothing", text]}
        for text in (*HOSTILE, "c100", "C100", "c99999", "nul", '"')
    ]
    found += [{"codes": codes, "data": {}} for codes in ([], ["c20"], ["c20", None], ["x", None], [None])]
    found += [{"day": date(2000, 1, 1)}, {"day": date(1999, 12, 31)}, {"day": date(2020, 1, 1)}]
    found += [{"at": datetime(2020, 1, 1, tzinfo=UTC)}, {"at": datetime(2020, 1, 1, 1, tzinfo=UTC)}]
    found += [{"at": datetime(2020, 1, 1, 1, 0, 0, 1, tzinfo=UTC)}]
    return found + [{"price": Decimal(text)} for text in ("0.50", "10.5", "10.51")]


def test_engines_agree(folder: Path, spark: Any, postgres: Any) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    filters = catalog.filters()
    data = rows()
    fields = catalog.datasets["shop"].fields
    wanted = [[catalog[row.qualified].evaluate(item) for item in data] for row in filters]
    assert [set(column) for column in wanted] == [{True, False, None}] * 6 + [{True, False}] + (
        [{True, False, None}] * 7
    )
    provide(spark, [row.current.predicate.node for row in filters])
    for name, run in Tables(spark, postgres, fields, data).engines():
        got = run([catalog[row.qualified].sql(name) for row in filters])
        for row, column, want in zip(filters, got, wanted, strict=True):
            differ = [
                (item, one, other)
                for item, one, other in zip(data, column, want, strict=True)
                if one is not other
            ]
            assert not differ, (name, row.qualified, differ)
