"""Row conditions of Great Expectations select the rows that the evaluator accepts."""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.diagnostics import PredicatError
from predicat.exporting.row_conditions import condition
from tests.exporting.written import asked
from tests.rounds import rounds

FIELDS = {"n": "bigint", "i": "int", "x": "double", "s": "string", "b": "boolean", "p": "decimal(10,2)"}
EXPORTED = [
    *(
        f"{test.format(sign)}"
        for sign in ("=", "<>", "<", "<=", ">", ">=")
        for test in ("n {} 5", "i {} 5", "x {} 1.5", "x {} 0", "p {} 2", "NOT (n {} 5)", "NOT (x {} 1.5)")
    ),
    "n > 4.5",
    "s = 'it''s \"q\" \\ 100%'",
    "s <> 'ab'",
    "s IN ('ab', '', 'é')",
    "s NOT IN ('ab', '', 'é')",
    "s LIKE 'ab'",
    "n IN (1, 5)",
    "n NOT IN (1, 5)",
    "x NOT IN (0, 1.5)",
    "b",
    "NOT b",
    "b IS NOT TRUE",
    "s IS NULL OR n IS NOT NULL",
    "coalesce(n > 1, TRUE)",
    "s IS DISTINCT FROM 'ab'",
    "NOT (n > 1 AND s = 'ab')",
    "(n > 1 OR x > 1.5) IS NOT TRUE",
    "(n > 1 OR s = 'ab') AND (b OR i < 3) AND x IS NOT NULL",
    "n BETWEEN 1 AND 5 OR s = 'ab' AND (b OR p >= 2)",
]
REFUSED = [
    "n = 3000000000",
    "n = 1.5",
    "p > 1.5",
    "s > 'ab'",
    "s LIKE 'ab%'",
    "x = 'NaN'",
    "s = '\u0001'",
    "n = i",
    "lower(s) = 'a'",
    "TRUE",
    " AND ".join(f"(n = {at} OR i = {at})" for at in range(8)),
]
_OPERATORS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "IN": lambda value, wanted: value in wanted,
    "NOT_IN": lambda value, wanted: value not in wanted,
}
VALUES = {
    "n": [None, 0, 1, 4, 5, 6],
    "i": [None, 2, 5, 9],
    "x": [None, 0.0, -0.0, 1.5, 2.5, math.nan],
    "s": [None, "ab", "", "é", "AB", "ab ", 'it\'s "q" \\ 100%'],
    "b": [None, True, False],
    "p": [None, "1.50", "2.00", "2.01"],
}


def rows(count: int, *, nan: bool = True) -> list[dict[str, Any]]:
    source = random.Random(5)
    return [
        {
            name: source.choice([value for value in values if nan or str(value) != "nan"])
            for name, values in VALUES.items()
        }
        for _ in range(count)
    ]


def catalog_of(folder: Path, conditions: list[str]) -> predicat.Catalog:
    import yaml

    filters = {f"f{at}": {"sql": sql} for at, sql in enumerate(conditions)}
    data = {"apiVersion": "predicat/v1", "dataset": "d", "fields": FIELDS, "filters": filters}
    (folder / "d.yml").write_text(yaml.safe_dump(data))
    return predicat.load_catalog(folder / "d.yml")


def selects(form: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    """As a SQL engine does: NULL is neither equal nor unequal, NaN is above every number."""
    if form["type"] in ("and", "or"):
        return {"and": all, "or": any}[form["type"]](selects(one, row) for one in form["conditions"])
    value = row[form["column"]["name"]]
    if form["type"] == "nullity":
        return (value is None) is form["is_null"]
    if value is None:
        return False
    value = float(value) if form["column"]["name"] == "p" else value
    value = math.inf if isinstance(value, float) and math.isnan(value) else value
    return bool(_OPERATORS[form["operator"]](value, form["parameter"]))


def conditions(catalog: predicat.Catalog) -> list[tuple[dict[str, Any], predicat.Predicate]]:
    of = asked(catalog)
    made = [(condition(row, "postgres"), row.predicate) for row in of.rows]
    of.reporter.raise_errors()
    return made


def test_a_row_condition_selects_the_same_rows(tmp_path: Path) -> None:
    for form, predicate in rounds(conditions(catalog_of(tmp_path, EXPORTED)), 61):
        for row in rounds(rows(60), 60):
            assert selects(form, row) is (predicate.evaluate(row) is True), (form, row)


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(PredicatError, match="unsupported"):
        conditions(catalog_of(tmp_path, [text]))


@pytest.mark.slow
def test_great_expectations_selects_the_same_rows(tmp_path: Path, postgres: Any, spark: Any) -> None:
    import pandas as pd
    from great_expectations.execution_engine import (
        PandasExecutionEngine,
        SparkDFExecutionEngine,
        SqlAlchemyExecutionEngine,
    )
    from great_expectations.expectations.row_conditions import (
        deserialize_row_condition,
        validate_row_condition,
    )
    from sqlalchemy import create_engine, select, table, text

    made = conditions(catalog_of(tmp_path, EXPORTED))
    given = [{"at": at, **row} for at, row in enumerate(rows(1000))]
    columns = "at int, n bigint, i int, x double precision, s text, b boolean, p decimal(10,2)"
    postgres.execute("DROP TABLE IF EXISTS public.conditions CASCADE")
    postgres.execute(f"CREATE TABLE public.conditions ({columns})")
    with postgres.cursor() as cursor:
        marks = ", ".join(["%s"] * 7)
        cursor.executemany(
            f"INSERT INTO public.conditions VALUES ({marks})", [list(row.values()) for row in given]
        )
    info = postgres.info
    url = f"postgresql+psycopg://{info.user}:{info.password}@/{info.dbname}?host={info.host}&port={info.port}"
    database = create_engine(url)
    on_postgres = SqlAlchemyExecutionEngine(engine=database)
    plain = [{**row, "p": None if row["p"] is None else float(row["p"])} for row in given]
    schema = "at int, n bigint, i int, x double, s string, b boolean, p double"
    frame = spark.createDataFrame([tuple(row.values()) for row in plain], schema)
    on_spark, on_pandas = SparkDFExecutionEngine(), PandasExecutionEngine()
    numbers = [{**row, "p": None if row["p"] is None else float(row["p"])} for row in rows(1000, nan=False)]
    typed = pd.DataFrame(numbers).astype({"n": "Int64", "i": "Int64", "b": "object", "s": "object"})
    with database.connect() as connection:
        for form, predicate in rounds(made, 61):
            row_condition = validate_row_condition(deserialize_row_condition(form))
            wanted = [row["at"] for row in given if predicate.evaluate(row) is True]
            where = on_postgres.condition_to_filter_clause(row_condition)
            query = select(text("at")).select_from(table("conditions")).where(where)
            assert sorted(connection.execute(query).scalars()) == wanted, form
            clause = on_spark.condition_to_filter_clause(row_condition)
            assert sorted(row["at"] for row in frame.filter(clause).select("at").collect()) == wanted, form
            kept = typed.query(on_pandas.condition_to_filter_clause(row_condition)).index
            assert list(kept) == [at for at, row in enumerate(numbers) if predicate.evaluate(row) is True], (
                form
            )
    database.dispose()
