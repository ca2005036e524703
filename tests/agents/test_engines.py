"""The WHEREs themselves, read by the engines: what is called the same as a filter selects its rows there."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.agents.test_wheres import ROWS, VALUES, catalog, filters_of, found, sames

TYPES = {"postgres": {"timestamp": "timestamptz", "string": "text"}, "duckdb": {"timestamp": "timestamptz"}}


def judged_by(run: Any, dialect: str) -> int:
    """How many texts the engine itself has read: what is called the same selects the same rows there."""
    types = {name: str(decl.type) for name, decl in catalog().datasets["orders"].fields.items()}
    columns = {name: "country_code" if name == "country" else name for name in VALUES}
    listed = ", ".join(f'"{columns[name]}" {TYPES[dialect].get(types[name], types[name])}' for name in VALUES)
    for statement in ("CREATE SCHEMA shop", "SET TimeZone = 'UTC'"):
        run(statement)
    run(f"CREATE TABLE shop.orders (number bigint, {listed})")
    place = "%s" if dialect == "postgres" else "?"
    places = ", ".join([place] * (len(VALUES) + 1))
    for start in range(0, len(ROWS), 100):
        part = [(start + number, *row.values()) for number, row in enumerate(ROWS[start : start + 100])]
        values = [value for row in part for value in row]
        run(f"INSERT INTO shop.orders VALUES {', '.join([f'({places})'] * len(part))}", values)
    return compared(lambda query: [row[0] for row in run(query).fetchall()], dialect, "shop.orders")


def compared(numbers: Callable[[str], list[int]], dialect: str, table: str) -> int:
    texts = [text for name, text, _ in sames() if name == dialect and "matches_filter" not in text]
    for text in texts:
        alias = re.match(r"\W*(\w+)\W?\.", text)
        own = text.startswith("shop.orders.")
        source = table if own else f"{table} {alias[1] if alias else 'orders'}"
        taken = set(numbers(f"SELECT number FROM {source} WHERE {text}"))
        first = found(dialect, text)[1].found[0].candidate
        wanted = {
            number for number, row in enumerate(ROWS) if filters_of(first.name, row, dict(first.params))
        }
        assert taken == wanted, text
    return len(texts)


@pytest.mark.slow
def test_the_same_has_the_same_rows_on_postgres(postgres: Any) -> None:
    with postgres.transaction(force_rollback=True):
        assert judged_by(postgres.execute, "postgres") > 80


@pytest.mark.slow
def test_the_same_has_the_same_rows_on_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as session:
        assert judged_by(session.execute, "duckdb") >= 10


@pytest.mark.slow
def test_the_same_has_the_same_rows_on_spark(spark: Any) -> None:
    from predicat_spark.settings import settings

    types = {name: str(decl.type) for name, decl in catalog().datasets["orders"].fields.items()}
    names = {name: "country_code" if name == "country" else name for name in VALUES}
    schema = ", ".join(["number bigint", *(f"`{names[name]}` {types[name]}" for name in VALUES)])
    data = [(number, *row.values()) for number, row in enumerate(ROWS)]
    with settings(spark, {"spark.sql.session.timeZone": "UTC"}):
        spark.createDataFrame(data, schema).createOrReplaceTempView("orders_of_agents")

        def numbers(query: str) -> list[int]:
            return [row[0] for row in spark.sql(query).collect()]

        assert compared(numbers, "spark", "orders_of_agents") > 15
