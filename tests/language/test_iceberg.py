"""Iceberg: pyiceberg's evaluator, its scans and Java's rules accept the rows that predicat does."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.expressions import BooleanExpression
from pyiceberg.expressions.visitors import bind, expression_evaluator
from pyiceberg.io.pyarrow import expression_to_pyarrow
from pyiceberg.schema import Schema
from pyiceberg.typedef import Record
from pyiceberg.types import (
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IcebergType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
    TimestamptzType,
)

import predicat
from predicat.diagnostics import Unsupported
from predicat.ir import types
from predicat.ir.nodes import FieldDecl, Literal, fields_of, walk
from tests.readers import iceberg

ROOT = Path(__file__).parent.parent.parent
FIELDS = {
    "n": "bigint",
    "i": "int",
    "x": "double",
    "f": "float",
    "s": "string",
    "u": "string",
    "d": "date",
    "t": "timestamp",
    "w": "timestamp_ntz",
    "p": "decimal(10,2)",
    "b": "boolean",
    "r": {"type": "bigint", "min": 0, "max": 6},
    "y": {"type": "double", "min": 0},
}
# Those that can be exported, and those that cannot.
EXPORTED = [
    *(
        f"{name} {sign} {value}"
        for sign in ("=", "<>", "<", "<=", ">", ">=")
        for name, value in (
            ("n", "5"),
            ("n", "-3000000000"),
            ("x", "1.5"),
            ("x", "0"),
            ("f", "0.5"),
            ("s", "'ab'"),
            ("p", "1.50"),
            ("d", "'2024-02-29'"),
            ("t", "'2024-02-29 12:00:00.25'"),
            ("b", "TRUE"),
        )
    ),
    *(
        f"{name} {sign} {value}"
        for sign in ("<", "<=", ">", ">=")
        for name, value in (("n", "1.5"), ("p", "1.505"), ("i", "3000000000"), ("i", "-3000000000"))
    ),
    "i = 3000000000",
    "i <> 3000000000",
    "n IN (1, 5)",
    "n NOT IN (1, 5)",
    "x IN (0, 1.5)",
    "x NOT IN (0, 1.5)",
    "x IN (1.5, 2.5)",
    "x NOT IN (1.5, 2.5)",
    "s IN ('ab', NULL)",
    "s NOT IN ('ab', NULL)",
    "s IN ('ab', '', 'é')",
    "s NOT IN ('ab', '', 'é')",
    "d IN ('2024-02-29', '2025-01-01')",
    "p NOT IN (1.50, 2)",
    "s LIKE 'a%'",
    "s NOT LIKE 'a%'",
    "s LIKE 'a!%b%' ESCAPE '!'",
    "starts_with(s, '')",
    "w > '2024-02-29 12:00:00'",
    "w <> '2024-02-29 12:00:00'",
    "s IS NULL",
    "s IS NOT NULL",
    "x = 'NaN'",
    "x <> 'NaN'",
    "NOT (x = 'NaN' OR n > 5)",
    "b",
    "NOT b",
    "b IS TRUE",
    "b IS NOT TRUE",
    "b IS FALSE",
    "coalesce(b, FALSE) OR n = 5",
    "coalesce(n > 1, TRUE)",
    "NOT coalesce(n > 1, TRUE)",
    "s IS DISTINCT FROM 'ab'",
    "s IS NOT DISTINCT FROM 'ab'",
    "NOT (n > 1 AND s = 'ab')",
    "(n > 1 AND s = 'ab') IS NOT TRUE",
    "(n > 1 OR x > 1.5) IS TRUE",
    "(n > 1 OR x > 1.5) IS NOT TRUE",
    "NOT (n > 1 OR x > 1.5)",
    "n BETWEEN 1 AND 5 OR s = 'ab' AND (d < '2024-03-01' OR p >= 1.5)",
    "n NOT BETWEEN 1 AND 5",
    *(
        condition.replace("?", name)
        for name in ("r", "y")
        for condition in (
            "? > 5",
            "? <> 5",
            "NOT ? > 5",
            "? IS NULL",
            "? IS NOT NULL",
            "? IS DISTINCT FROM 5",
            "? IN (-1, 1, 5)",
            "coalesce(? > 5, TRUE)",
        )
    ),
    "TRUE",
    "FALSE",
]
REFUSED = [
    "n = i",
    "n = 1.5",
    "f = 0.1",
    "p = 1.505",
    "n + 1 > 2",
    "lower(s) = 'a'",
    "s LIKE '%a'",
    "s LIKE 'a%b'",
    "x > 'Infinity'",
    "t > now()",
    "(n > 1) IS NULL",
    "s > u",
    "coalesce(s, 'x') = 'x'",
    "CASE WHEN b THEN n ELSE i END = 1",
]


def test_what_is_refused() -> None:
    for condition in REFUSED:
        with pytest.raises(Unsupported, match="iceberg does not support"):
            predicat.parse(condition, "sql", FIELDS).to("iceberg")


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_every_library_accepts_the_same_rows(count: int) -> None:
    for condition in EXPORTED:
        accepts_the_same(predicat.parse(condition, "sql", FIELDS), count)


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_filters_of_the_catalog_and_of_cel(count: int) -> None:
    catalog = predicat.load_catalog(ROOT / "catalog")
    written = 0
    for row in catalog.filters():
        try:
            predicate = catalog.accepted(row.qualified)
            predicate.to("iceberg")
        except predicat.PredicatError:
            continue
        written += 1
        accepts_the_same(predicate, count)
    assert written >= 5
    # IEEE 754: NaN is neither above nor below a number.
    for condition in ("x > 1.5", "x <= 1.5", "!(x > 1.5)", "!(x < 0.0)", "x != 0.0", "x == 0.0"):
        accepts_the_same(predicat.parse(condition, "cel", {"x": "double"}), count)


def combined(source: random.Random, depth: int) -> str:
    """Conditions under AND, OR, NOT and tests of their outcome."""
    if depth == 0:
        return source.choice(EXPORTED)
    one, other = combined(source, depth - 1), combined(source, source.randrange(depth))
    return source.choice(
        [
            f"({one}) AND ({other})",
            f"({one}) OR ({other})",
            f"NOT ({one})",
            f"({one}) IS TRUE",
            f"({one}) IS NOT TRUE",
            f"({one}) IS NOT FALSE",
            f"coalesce({one}, TRUE)",
        ]
    )


@pytest.mark.parametrize("count", [15, pytest.param(600, marks=pytest.mark.slow)])
def test_combinations(count: int) -> None:
    source = random.Random(count)
    for condition in [combined(source, source.randrange(1, 4)) for _ in range(count)]:
        accepts_the_same(predicat.parse(condition, "sql", FIELDS), 40)


def accepts_the_same(predicate: predicat.Predicate, count: int) -> None:
    text = predicate.to("iceberg")
    form = json.loads(text)
    fields = fields_of(predicate.surface) or {"n": predicat.api.declared({"n": "bigint"})["n"]}
    rows = list(rows_for(predicate, fields, count))
    wanted = [predicate.evaluate(row) is True for row in rows]
    schema = Schema(
        *(
            NestedField(at, decl.column("spark"), iceberg_type(decl))
            for at, decl in enumerate(fields.values(), 1)
        )
    )
    expression = BooleanExpression.model_validate(form)
    evaluator = expression_evaluator(schema, expression, case_sensitive=True)
    assert [evaluator(record(row, fields)) for row in rows] == wanted, text
    columns = [{fields[name].column("spark"): value for name, value in row.items()} for row in rows]
    table = pa.Table.from_pylist([{**row, "#": at} for at, row in enumerate(columns)], arrow_schema(schema))
    kept = table.filter(expression_to_pyarrow(bind(schema, expression, case_sensitive=True), schema))
    assert kept["#"].to_pylist() == [at for at, accepted in enumerate(wanted) if accepted], text
    assert [iceberg.holds(form, row) for row in columns] == wanted, text
    declared = {
        name: {"type": decl.shown_type, "column": decl.column("spark")} for name, decl in fields.items()
    }
    back = predicat.parse(form, "iceberg", declared)
    assert [back.evaluate(row) is True for row in rows] == wanted, text


def iceberg_type(decl: FieldDecl) -> IcebergType:
    by_name: dict[str, IcebergType] = {
        "bigint": LongType(),
        "int": IntegerType(),
        "smallint": IntegerType(),
        "double": DoubleType(),
        "float": FloatType(),
        "string": StringType(),
        "date": DateType(),
        "timestamp": TimestamptzType(),
        "timestamp_ntz": TimestampType(),
        "boolean": BooleanType(),
    }
    if isinstance(decl.type, types.DecimalType):
        return DecimalType(decl.type.precision, decl.type.scale)
    return by_name[decl.shown_type]


def arrow_schema(schema: Schema) -> pa.Schema:
    return schema.as_arrow().append(pa.field("#", pa.int64()))


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def record(row: Mapping[str, Any], fields: Mapping[str, FieldDecl]) -> Record:
    """A row with the values that Iceberg keeps: days, and microseconds."""

    def kept(value: Any) -> Any:
        if isinstance(value, datetime):
            return (value.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
        return (value - _EPOCH.date()).days if isinstance(value, date) else value

    return Record(*(kept(row[name]) for name in fields))


def rows_for(
    predicate: predicat.Predicate, fields: Mapping[str, FieldDecl], count: int
) -> Iterator[dict[str, Any]]:
    """Rows with the constants of a filter and the values beside them."""
    source = random.Random(47)
    near: dict[str, list[Any]] = {}
    for name, decl in fields.items():
        values = {
            value
            for node in walk(predicate.node)
            if isinstance(node, Literal)
            for value in around(node.value)
        }
        near[name] = [None, *(value for value in (*sorted(values, key=repr), *USUAL) if fits(value, decl))]
    for _ in range(count):
        yield {name: source.choice(values) for name, values in near.items()}


USUAL = (
    0,
    -7,
    2**31 - 1,
    0.0,
    -0.0,
    1.0,
    math.nan,
    math.inf,
    -math.inf,
    "",
    "a",
    "zé",
    "😀",
    True,
    False,
    Decimal("0.00"),
    Decimal("1.50"),
    date(1969, 12, 31),
    datetime(1969, 12, 31, 23, tzinfo=UTC),
)


def around(value: Any) -> list[Any]:
    match value:
        case bool() | None:
            return []
        case int():
            return [value - 1, value, value + 1]
        case float():
            return [value, math.nextafter(value, -math.inf), value + 0.5]
        case str():
            return [value, value + "b", value[:-1]]
        case Decimal():
            return [
                *around(int(value)),
                *(value.quantize(Decimal("0.01")) + Decimal(step) / 100 for step in (-1, 0, 1)),
            ]
        case datetime():
            return [value + timedelta(microseconds=step) for step in (-1, 0, 1)]
        case date():
            return [value + timedelta(days=step) for step in (-1, 0, 1)]
        case _:
            return []


def fits(value: Any, decl: FieldDecl) -> bool:
    """Whether a field can have a value: a row of it is accepted."""
    kinds = {
        "bigint": int,
        "double": float,
        "string": str,
        "date": date,
        "timestamp": datetime,
        "boolean": bool,
    }
    if type(value) is not kinds.get(str(decl.type), Decimal):
        return False
    try:
        predicat.parse("v IS NULL", "sql", {"v": decl.shown_type}).evaluate({"v": value})
    except predicat.PredicatError:
        return False
    return decl.stored != "float" or not math.isfinite(value) or value == round(value * 8) / 8


def test_a_split_pushes_what_iceberg_supports() -> None:
    parts = predicat.split(predicat.parse("s = 'ab' AND n > i AND lower(u) = 'x'", "sql", FIELDS), "iceberg")
    assert parts.pushed is not None
    assert parts.residual is not None
    assert parts.proof == "proved"
    accepts_the_same(parts.pushed, 60)
    assert parts.residual.to("duckdb") == "n > i AND LOWER(u) = 'x'"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_scans_of_a_table_of_several_files(tmp_path: Path) -> None:
    """Scans also leave out files by their statistics."""
    pytest.importorskip("sqlalchemy", reason="the catalog of the table is in SQLite: scans are not run")
    from pyiceberg.catalog.sql import SqlCatalog

    predicates = [predicat.parse(condition, "sql", FIELDS) for condition in EXPORTED]
    fields = {decl.name: decl for predicate in predicates for decl in fields_of(predicate.surface).values()}
    whole = predicat.parse(" OR ".join(f"({condition})" for condition in EXPORTED), "sql", FIELDS)
    rows = list(rows_for(whole, fields, 1000))
    schema = Schema(
        *(NestedField(at, name, iceberg_type(decl)) for at, (name, decl) in enumerate(fields.items(), 2)),
        NestedField(1, "row", LongType()),
    )
    catalog = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", schema)
    numbered = [{**row, "row": at} for at, row in enumerate(sorted(rows, key=lambda row: repr(row["s"])))]
    for first in range(0, 1000, 100):
        table.append(pa.Table.from_pylist(numbered[first : first + 100], table.schema().as_arrow()))
    assert len(list(table.scan().plan_files())) == 10
    for condition, predicate in zip(EXPORTED, predicates, strict=True):
        wanted = [row["row"] for row in numbered if predicate.evaluate(row) is True]
        expression = BooleanExpression.model_validate(json.loads(predicate.to("iceberg")))
        found = table.scan(row_filter=expression, selected_fields=("row",)).to_arrow()["row"].to_pylist()
        assert sorted(found) == wanted, condition
