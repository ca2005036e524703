"""One table says which columns hold a declared type; what is generated from it is up to date."""

import pytest

from predicat.api import declared
from predicat.backends.column_types import CONTRACT, ENGINES, REFUSED, SAME, column_type, declared_type, holds
from tests import column_types
from tests.rounds import rounds

# Columns for which a field can be declared, by engine.
COLUMNS = {
    "spark": "tinyint|smallint|int|bigint|float|double|decimal(12,2)|decimal(38,10)|string|varchar(9)|"
    "char(1)|date|timestamp|boolean|variant|array<int>|map<string,float>|struct<a:smallint,b:array<decimal(5,2)>>",
    "postgres": "smallint|integer|bigint|real|double precision|numeric(12,2)|text|character varying(9)|"
    "character(1)|date|timestamp with time zone|timestamp(3) with time zone|boolean|jsonb|integer[]|"
    "numeric(5,2)[]",
    "duckdb": "TINYINT|SMALLINT|INTEGER|BIGINT|UTINYINT|USMALLINT|UINTEGER|FLOAT|DOUBLE|DECIMAL(12,2)|"
    "VARCHAR|DATE|TIMESTAMP|TIMESTAMP WITH TIME ZONE|BOOLEAN|JSON|INTEGER[]|MAP(VARCHAR, FLOAT)|"
    "STRUCT(a SMALLINT, b DATE[])",
}


def verdict(engine: str, kind: str, column: str) -> str:
    return holds(engine, declared({"x": kind})["x"], column_type(engine, column)).kind


def test_what_is_generated_from_the_table_is_up_to_date() -> None:
    page = column_types.PAGE.read_text(encoding="utf-8")
    assert page == column_types.page(page), "run: python -m tests.column_types"
    extension = column_types.EXTENSION.read_text(encoding="utf-8")
    assert extension == column_types.extension(), "run: python -m tests.column_types"


@pytest.mark.parametrize("engine", COLUMNS)
def test_the_declared_type_of_a_column_holds_it(engine: str) -> None:
    for text in COLUMNS[engine].split("|"):
        kind = declared_type(engine, column_type(engine, text))
        assert kind is not None, text
        assert verdict(engine, kind, text) != REFUSED, (text, kind)


@pytest.mark.parametrize(
    ("kind", "column", "good"),
    [
        ("decimal(12,2)", "decimal(12,2)", True),
        ("decimal(12,2)", "decimal(10,0)", True),
        ("decimal(12,2)", "decimal(11,0)", False),
        ("decimal(12,2)", "decimal(5,3)", False),
        ("decimal(12,2)", "decimal(18,4)", False),
        ("decimal(5,0)", "decimal(10,0)", False),
        ("decimal(5,0)", "bigint", False),
        ("decimal(5,0)", "tinyint", False),  # x + 1 overflows there
        ("int", "bigint", False),
        ("smallint", "int", False),
        ("bigint", "int", True),
        ("double", "float", True),
        ("double", "bigint", False),
        ("double", "decimal(15,2)", True),
        ("double", "decimal(18,4)", False),
        ("float", "double", False),
        ("float", "int", False),
        ("float", "smallint", True),
        ("timestamp", "timestamp_ntz", False),
        ("timestamp", "date", False),
        ("string", "char(5)", False),
        ("string", "string collate UTF8_LCASE", False),
        ("array<decimal(5,2)>", "array<decimal(6,2)>", False),
        ("struct<a: string>", "struct<a:char(5)>", False),
        ("struct<a: string>", "struct<b:string>", False),
        ("map<string, string>", "map<string,string>", True),
        ("date", "void", True),
    ],
)
def test_a_wider_column_is_refused(kind: str, column: str, good: bool) -> None:
    assert (verdict("spark", kind, column) == SAME) is good


def test_rows_of_the_table_are_reached() -> None:
    """A row whose pairs are all decided by the rows before it would say nothing."""
    seen: set[tuple[str, str, str]] = set()
    for row in rounds(CONTRACT, 30):
        pairs = {
            (engine, declared_, column)
            for engine in row.engines.split()
            for declared_ in row.declared.split()
            for column in row.columns.split()
        }
        assert pairs - seen, row
        assert set(row.engines.split()) <= set(ENGINES.split())
        seen |= pairs


@pytest.mark.parametrize(
    ("engine", "column", "kind"),
    [
        (
            "duckdb",
            'STRUCT(a INTEGER, "Zip Code" VARCHAR, b INTERVAL, id UUID)',
            "struct<a: bigint, `Zip Code`: string, id: uuid>",
        ),
        ("duckdb", "STRUCT(x ENUM('A', 'it''s'))[]", "array<struct<x: enum(A, 'it''s')>>"),
        ("duckdb", "STRUCT(b INTERVAL)", None),
        ("duckdb", "MAP(VARCHAR, UUID)", None),
        ("duckdb", "MAP(VARCHAR, TIMESTAMP)", "map<string, timestamp>"),
        ("duckdb", "TIMESTAMP[]", "array<timestamp_ntz>"),
        ("duckdb", "TIMESTAMP WITH TIME ZONE", "timestamp"),
        ("postgres", "uuid[]", "array<uuid>"),
        ("postgres", "enum('A', 'b')[]", "array<enum(A, b)>"),
        ("postgres", "public.citext[]", "array<citext>"),
        (
            "spark",
            "array<struct<t:timestamp_ntz,größe:char(3),b:interval>>",
            "array<struct<t: timestamp_ntz, `größe`: char(3)>>",
        ),
    ],
)
def test_parts_of_columns_have_types_of_columns(engine: str, column: str, kind: str | None) -> None:
    assert declared_type(engine, column_type(engine, column)) == kind
    if kind is not None:
        assert verdict(engine, kind, column) == ("converted" if kind == "map<string, timestamp>" else "same")


def test_members_of_other_types_are_refused() -> None:
    assert verdict("duckdb", "struct<a: enum(x, y)>", "STRUCT(a ENUM('x', 'z'))") == REFUSED
    assert verdict("postgres", "array<uuid>", "text[]") == REFUSED
