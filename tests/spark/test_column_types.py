"""The extension decides by the same table as the compiler, for each pair of types."""

from pathlib import Path
from typing import Any

import pytest

import predicat
import predicat_spark
from predicat.api import declared
from predicat.backends.column_types import REFUSED, column_type, holds
from predicat.backends.sql.column_forms import stored_type
from predicat_spark.pipeline.source import column_types
from tests.rounds import rounds

DECLARED = [
    *(
        "tinyint",
        "smallint",
        "int",
        "bigint",
        "float",
        "double",
        "string",
        "boolean",
        "date",
        "timestamp",
        "json",
    ),
    *(
        "decimal(5,0)",
        "decimal(12,2)",
        "decimal(38,10)",
        "array<decimal(5,2)>",
        "array<bigint>",
        "array<string>",
    ),
    *(
        "map<string, double>",
        "map<string, string>",
        "struct<a: decimal(5,2), b: string>",
        "struct<c: bigint>",
    ),
    *("uuid", "enum(a, b)", "citext", "char(5)", "timestamp_ntz", "timestamp_in(UTC)", "inet", "binary"),
    *(
        "array<uuid>",
        "array<char(5)>",
        "struct<a: uuid, b: timestamp_ntz>",
        "struct<`Zip Code`: binary>",
        "struct<größe: bigint>",
    ),
]
COLUMNS = [
    *(
        "tinyint",
        "smallint",
        "int",
        "bigint",
        "float",
        "double",
        "string",
        "boolean",
        "date",
        "timestamp",
        "variant",
    ),
    *(
        "char(1)",
        "char(5)",
        "varchar(5)",
        "timestamp_ntz",
        "binary",
        "string collate UTF8_LCASE",
        "interval day",
    ),
    *(
        "array<char(5)>",
        "struct<a: string, b: timestamp_ntz, c: interval day>",
        "struct<a: string, b: timestamp>",
        "struct<`Zip Code`: binary, `größe`: int>",
    ),
    *("decimal(4,0)", "decimal(5,0)", "decimal(10,0)", "decimal(10,2)", "decimal(12,2)", "decimal(15,4)"),
    *(
        "decimal(18,4)",
        "decimal(38,10)",
        "array<decimal(4,1)>",
        "array<decimal(6,2)>",
        "array<int>",
        "array<char(5)>",
    ),
    *("map<string,float>", "map<string,varchar(5)>", "map<int,string>", "struct<A:decimal(5,2),b:char(5)>"),
    *("struct<A:decimal(5,1),b:varchar(5),d:date>", "struct<a:decimal(6,2),b:string>", "struct<c:tinyint>"),
]


def test_the_extension_and_the_compiler_agree(spark: Any) -> None:
    columns = ", ".join(f"c{place} {kind}" for place, kind in enumerate(COLUMNS))
    spark.sql(f"CREATE TABLE typed ({columns}) USING parquet")
    try:
        frame = spark.sql("SELECT *, NULL AS nothing FROM typed")
        types = column_types(frame)
        output = frame._jdf.queryExecution().analyzed().output()
        check = spark._jvm.io.predicat.spark.Types.problem
        wrong: list[str] = []
        for place, (name, text) in enumerate(types.items()):
            for kind in DECLARED:
                field = declared({"x": kind})["x"]
                found = check("shop.f", name, output.apply(place), stored_type("spark", field, str))
                refused = holds("spark", field, column_type("spark", text)).kind == REFUSED
                if found.isDefined() != refused:
                    wrong.append(f"{kind} of {text}: {found}")
                assert not found.isDefined() or "read a view that selects" in str(found.get()), found
        assert not wrong, wrong
    finally:
        spark.sql("DROP TABLE typed")


CATALOG = """\
apiVersion: predicat/v1
dataset: typed
relation: {spark: typed}
fields: {amount: "decimal(12,2)", rate: "decimal(5,0)"}
filters:
  vat: {sql: "amount * 1.19 > 119.005"}
  cents: {sql: "round(amount, 2) = amount"}
  large: {sql: "rate + 1 > 100000"}
  small: {sql: "NOT (rate * 10 > 1000000)"}
"""


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        ("100.0020BD AS amount, CAST(1 AS DECIMAL(5,0)) AS rate", ["vat", "cents"]),
        ("CAST(100 AS DECIMAL(12,2)) AS amount, 123456L AS rate", ["large", "small"]),
        ("CAST(100 AS DECIMAL(12,2)) AS amount, CAST(123456 AS DECIMAL(10,0)) AS rate", ["large", "small"]),
    ],
)
def test_run_refuses_a_wider_column(spark: Any, tmp_path: Path, columns: str, names: list[str]) -> None:
    """The SQL of these filters is folded or rounded by the declared digits."""
    (tmp_path / "typed.yml").write_text(CATALOG)
    catalog = predicat.load_catalog(tmp_path)
    spark.sql(
        f"SELECT CAST(amount AS DECIMAL(18,4)) AS amount, rate FROM (SELECT {columns})"
        if "vat" in names
        else f"SELECT {columns}"
    ).write.parquet(str(tmp_path / "in.parquet"))
    for name in rounds(names, 1):
        with pytest.raises(predicat.PredicatError, match=r"the SQL relies on|overflow") as error:
            predicat_spark.run(catalog, "typed", [name], str(tmp_path / "in.parquet"), tmp_path / "out")
        assert "declare the field as" in str(error.value)
        assert not (tmp_path / "out").exists()


def test_what_a_view_selects_is_taken(spark: Any) -> None:
    """The expressions that errors propose, on columns that have values."""
    spark.sql(
        "CREATE TABLE proposed (c CHAR(5), u STRING COLLATE UTF8_LCASE, t TIMESTAMP_NTZ, j STRING) "
        "USING parquet"
    )
    try:
        spark.sql("INSERT INTO proposed VALUES ('a', 'b', TIMESTAMP_NTZ '2020-01-01 23:30:00', '{}')")
        for name, kind in (("c", "string"), ("u", "string"), ("t", "timestamp"), ("j", "json")):
            field = declared({"x": kind})["x"]
            verdict = holds("spark", field, column_type("spark", column_types(spark.table("proposed"))[name]))
            assert verdict.kind == REFUSED
            frame = spark.sql(f"SELECT {verdict.cast.replace('{column}', name)} AS x FROM proposed")
            assert holds("spark", field, column_type("spark", column_types(frame)["x"])).kind != REFUSED, name
            if name == "t":
                assert frame.selectExpr("x = TIMESTAMP '2020-01-01 23:30:00Z' AS same").head()[0] is True
    finally:
        spark.sql("DROP TABLE proposed")
