"""Files without types are read as declared; a column of another type is an error of its filters."""

from pathlib import Path
from typing import Any

import duckdb
import pytest

import predicat
from predicat.quality.engines import on_duckdb, on_postgres
from predicat.quality.plan import plan
from predicat.seeking import files
from predicat.seeking import postgres as seeking_postgres

CATALOG = """\
apiVersion: predicat/v1
dataset: orders
relation: {postgres: public.typed_orders}
fields: {id: bigint, amount: "decimal(12,2)", labels: "map<string, string>"}
filters:
  vat: {sql: "amount * 1.19 > 119.005"}
  first: {sql: "id <= 1"}
  eu: {cel: 'labels.region == "EU"'}
"""
REASON = r"DECIMAL\(18,4\) in its column 'amount', which the catalog declares as decimal\(12,2\): DuckDB"


@pytest.fixture
def catalog(tmp_path: Path) -> predicat.Catalog:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    return predicat.load_catalog(tmp_path / "catalog")


def counts(catalog: predicat.Catalog, file: Path) -> dict[str, tuple[int, int]]:
    measure = on_duckdb(plan(catalog, "orders", (), "duckdb"), str(file))
    return {name.rpartition(".")[2]: (one.true, one.unknown) for name, one in measure.filters.items()}


def test_csv_and_json_are_read_as_declared(catalog: predicat.Catalog, tmp_path: Path) -> None:
    """DuckDB finds DOUBLE in the CSV; HUGEINT and structs in the JSON, because of the negative number."""
    (tmp_path / "a.csv").write_text("id,amount,labels\n1,100.00,{}\n2,100.01,\n3,100.0020,\n4,n/a,\n")
    (tmp_path / "a.json").write_text(
        '{"id": 1, "amount": 100.5, "labels": {"region": "EU"}}\n'
        '{"id": -2, "amount": 99, "labels": {"tier": "x"}}\n'
    )
    found = counts(catalog, tmp_path / "a.csv")
    assert found["vat"] == (1, 2) and found["first"] == (1, 0)
    assert counts(catalog, tmp_path / "a.json") == {"vat": (1, 0), "first": (2, 0), "eu": (1, 1)}
    fields = catalog.datasets["orders"].fields.values()
    found = files.seek(catalog.accepted("orders.vat"), str(tmp_path / "a.csv"), fields=fields)
    assert found.row is not None and found.row["id"] == 2


def test_a_wider_column_of_a_file_is_refused(catalog: predicat.Catalog, tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.sql(
            "SELECT 1::BIGINT AS id, 100.0020::DECIMAL(18,4) AS amount, MAP {'a': 'b'} AS labels"
        ).write_parquet(str(tmp_path / "a.parquet"))
    measure = on_duckdb(plan(catalog, "orders", (), "duckdb"), str(tmp_path / "a.parquet"))
    assert list(measure.errors) == ["orders.vat"]
    assert "declare the field as decimal(18,4), or read a view" in measure.errors["orders.vat"]
    with pytest.raises(predicat.PredicatError, match=REASON):
        files.seek(catalog.accepted("orders.vat"), str(tmp_path / "a.parquet"))
    assert files.seek(catalog.accepted("orders.first"), str(tmp_path / "a.parquet")).row is not None


def test_a_wider_column_of_a_table_is_refused(catalog: predicat.Catalog, postgres: Any) -> None:
    postgres.execute("CREATE TABLE public.typed_orders (id int, amount numeric, labels jsonb)")
    try:
        postgres.execute("INSERT INTO public.typed_orders VALUES (1, 100.0020, '{}'), (2, 'NaN', NULL)")
        measure = on_postgres(plan(catalog, "orders", (), "postgres"), postgres)
        assert list(measure.errors) == ["orders.vat"]
        assert "any number of digits, infinity and NaN" in measure.errors["orders.vat"]
        with pytest.raises(predicat.PredicatError, match=r"has numeric in its column 'amount'.*this filter"):
            seeking_postgres.seek(postgres, catalog.accepted("orders.vat"), "public.typed_orders")
        found = seeking_postgres.seek(postgres, catalog.accepted("orders.first"), "public.typed_orders")
        assert found.row is not None
    finally:
        postgres.execute("DROP TABLE public.typed_orders")
