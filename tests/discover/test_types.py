"""The types that a repository tells, and the relation of a model itself."""

from pathlib import Path

import pytest

from predicat.discover.read.types import TableTypes, kind_of, tell
from tests.discover import reading

SCHEMA = """
models:
  - name: orders
    config: {contract: {enforced: true}}
    columns:
      - {name: Amount, data_type: "NUMERIC(9,2)"}
      - {name: open, data_type: bool}
      - {name: tags, data_type: ARRAY<STRING>}
      - {name: note}
sources:
  - name: crm
    schema: raw_crm
    tables:
      - name: people
        identifier: people_v1
        columns: [{name: age, data_type: int64}]
seeds:
  - name: codes
    config: {column_types: {code: string}}
"""
PROJECT = """
name: shop
seeds:
  shop:
    rates:
      +column_types: {rate: FLOAT64}
"""
MODEL = """
{{ config(materialized='incremental') }}
select * from {{ ref('orders') }} as o where o.amount > 3 and note = 'x'
{% if is_incremental() %}
  union all select * from {{ this }} where day > '2026-01-01' and kind = 2
{% endif %}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "models").mkdir()
    (tmp_path / "dbt_project.yml").write_text(PROJECT)
    (tmp_path / "models" / "schema.yml").write_text(SCHEMA)
    (tmp_path / "models" / "daily.sql").write_text(MODEL)
    (tmp_path / "models" / "rest.sql").write_text(
        "select 1 from {{ source('crm', 'people') }} where age > 3;\n"
        "select 1 from {{ ref('codes') }} where code = 'a';\n"
        "select 1 from {{ ref('rates') }} where rate > 1;\n"
    )
    return tmp_path


def test_schema_files_tell_types_in_the_dialect_of_the_project(project: Path) -> None:
    rows = {row.relation: row for row in reading.read([project], "bigquery").conditions}
    assert rows["orders"].fields == {"amount": "decimal(9,2)", "open": "boolean"}
    assert rows["orders"].others == {"tags": "ARRAY<STRING>"}
    assert rows["crm.people"].fields == {"age": "bigint"}
    assert rows["codes"].fields == {"code": "string"}
    assert rows["rates"].fields == {"rate": "double"}


def test_this_is_the_relation_of_the_model(project: Path) -> None:
    rows = {row.sql: row.relation for row in reading.read([project], "bigquery").conditions}
    assert rows["day > '2026-01-01' AND kind = 2"] == "daily"


def test_a_documented_table_may_have_other_columns(project: Path) -> None:
    (project / "models" / "rest.sql").write_text(
        "select 1 from {{ ref('orders') }} o join t on t.id = o.id where hidden = 2;\n"
    )
    assert "hidden = 2" not in [row.sql for row in reading.read([project], "bigquery").conditions]


@pytest.mark.parametrize(
    ("dialect", "written", "kind"),
    [
        ("snowflake", "number", "decimal(38,0)"),
        ("snowflake", "timestamp_ntz", "timestamp"),
        ("bigquery", "NUMERIC", "decimal(38,9)"),
        ("bigquery", "BIGNUMERIC", "other:BIGNUMERIC"),
        ("postgres", "numeric", "other:DECIMAL"),
        ("postgres", "mood", "other:mood"),
        ("databricks", "decimal", "decimal(10,0)"),
        ("clickhouse", "LowCardinality(Nullable(String))", "string"),
        ("clickhouse", "UInt8", "bigint"),
        ("tsql", "datetime2(7)", "timestamp"),
        ("trino", "timestamp(6) with time zone", "timestamp"),
    ],
)
def test_types_of_dialects(dialect: str, written: str, kind: str) -> None:
    assert kind_of(written, dialect) == kind


def test_columns_that_are_added_later_have_types() -> None:
    types = TableTypes()
    tell(
        "create table a.t (n int); alter table a.t add column d date, alter column n type text;",
        "postgres",
        types,
    )
    tell("alter table other add column flag boolean", "postgres", types)
    assert types["a.t"] == {"n": "string", "d": "date"}
    assert types["other"] == {"flag": "boolean"}


def test_a_project_that_overrides_ref_means_its_models(project: Path) -> None:
    (project / "macros").mkdir()
    (project / "macros" / "ref.sql").write_text(
        "{% macro ref(name) %}{% if target.type == 'x' %}local__{{ name }}{% endif %}{% endmacro %}\n"
        "{% macro open() %}{{ return(builtins.ref('orders')) }}{% endmacro %}\n"
    )
    (project / "models" / "rest.sql").write_text("select 1 from {{ open() }} where amount = 4")
    rows = {row.sql: row.relation for row in reading.read([project], "bigquery").conditions}
    assert rows["amount = 4"] == "orders" and rows["amount > 3 AND note = 'x'"] == "orders"
