"""Each type in each format, whether columns are given or not: a value is that value, and what is out of range
or of scale is a bad cell of a text. What sinks hold is read back as it was.
"""

import csv
import json
import re
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

import predicat
import predicat_spark
from predicat.catalog.jobs import Job, JobFilter, Sink, Source
from predicat_spark.pipeline.source import read_source
from predicat_spark.pipeline.start import run_job
from predicat_spark.settings import READING, settings

WIDE = "1234567890123456789012345678.0123456789"


class Kind(NamedTuple):
    """A type, a value as JSON, and texts that are no values; numbers among them are numbers in JSON, too."""

    type: str
    value: str
    bad: tuple[str, ...] = ()
    ddl: str = ""

    @property
    def text(self) -> str:
        """The value as a cell of CSV."""
        return str(json.loads(self.value)) if self.value.startswith('"') else self.value


KINDS = {
    "text": Kind("string", '"\'a,\\"b\\nü"'),
    "flag": Kind("boolean", "true", ("maybe",)),
    "tiny": Kind("tinyint", "127", ("128", "1.5")),
    "small": Kind("smallint", "-32768", ("32768",)),
    "whole": Kind("int", "2147483647", ("2147483648", "9e99")),
    "big": Kind("bigint", "9223372036854775807", ("9223372036854775808",)),
    "single": Kind("float", "1.5", ("1e39",)),
    "double": Kind("double", "0.1", ("x",)),
    "money": Kind("decimal(10,2)", "12345678.25", ("1.005", "123456789")),
    "wide": Kind("decimal(38,10)", WIDE, ("12345678901234567890123456789",)),
    "day": Kind("date", '"2024-02-29"', ("2023-02-29",)),
    "moment": Kind("timestamp", '"2024-02-29T12:34:56.123456Z"', ("yesterday",)),
    "local": Kind("timestamp_ntz", '"2024-02-29T12:34:56.123456"', ("yesterday",)),
    "key": Kind("uuid", '"0f8fad5b-d9cb-469f-a165-70867728950e"', ("zz",), "string"),
    "items": Kind("array<int>", "[1, 2]", ("[1, 9223372036854775808]", "[x")),
    "pairs": Kind("map<string, int>", '{"k": 1}', ("nope",)),
    "parts": Kind("struct<a: int, b: string>", '{"a": 1, "b": "x"}', ("nope", '{"a": "x"}')),
    "json": Kind("json", '{"a": [1, null]}', ("{nope",), "variant"),
}
COLUMNS = {
    "found": None,
    "texts": ", ".join(["id bigint", *(f"x_{name} string" for name in KINDS)]),
    "types": ", ".join(["id bigint", *(f"x_{name} {kind.ddl or kind.type}" for name, kind in KINDS.items())]),
}
ROWS = 4


def texts(row: int) -> list[str]:
    """The cells of a row: values, nothing, and texts that are no values."""
    if row == 1:
        return [kind.text for kind in KINDS.values()]
    return [kind.bad[-(row % 2)] if row > 2 and kind.bad else "" for kind in KINDS.values()]


def document(row: int) -> str:
    parts = [f'"id": {row}']
    for (name, kind), text in zip(KINDS.items(), texts(row), strict=True):
        if text:
            is_number = text[0].isdigit() and text.replace(".", "").replace("e", "").isdigit()
            parts.append(f'"x_{name}": {kind.value if row == 1 else text if is_number else json.dumps(text)}')
    return f"{{{', '.join(parts)}}}"


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> predicat.Catalog:
    folder = tmp_path_factory.mktemp("catalog")
    fields = "".join(f"  x_{name}: '{kind.type}'\n" for name, kind in KINDS.items())
    filters = "".join(f"  there_{name}: {{sql: x_{name} IS NOT NULL}}\n" for name in KINDS)
    head = "apiVersion: predicat/v1\ndataset: d\nfields:\n  id: bigint\n"
    (folder / "c.yml").write_text(f"{head}{fields}filters:\n  all_rows: {{sql: id > 0}}\n{filters}")
    return predicat.load_catalog(folder)


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    with (folder / "in.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", *(f"x_{name}" for name in KINDS)])
        rows.writerows([row, *texts(row)] for row in range(1, ROWS + 1))
    documents = [document(row) for row in range(1, ROWS + 1)]
    (folder / "in.jsonl").write_text("\n".join(documents) + "\n")
    (folder / "in.json").write_text(f"[{', '.join(documents)}]")
    return folder


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("file", ["in.csv", "in.jsonl", "in.json"])
def test_each_type_of_text(
    spark: Any, catalog: predicat.Catalog, sources: Path, tmp_path: Path, file: str, columns: str
) -> None:
    source = Source(paths=(str(sources / file),), schema=COLUMNS[columns])
    quarantine = (Sink("path", str(tmp_path / "bad"), "json", rows="bad"),)
    names = ("all_rows", *(f"there_{name}" for name in KINDS))
    filters = tuple(JobFilter(name, name) for name in names)
    report = run_job(catalog, Job("", "d", source, filters))
    assert {row.name: row.accepted for row in report.filters} == dict.fromkeys(names, 1) | {"all_rows": ROWS}
    wanted = {f"x_{name}": 2 for name, kind in KINDS.items() if kind.bad}
    assert {cell.column: cell.cells for cell in report.bad_cells} == wanted
    run_job(catalog, Job("", "d", source, filters, quarantine, bad_records="quarantine"))
    kept = [json.loads(line) for part in (tmp_path / "bad").glob("part-*") for line in part.open()]
    assert sorted(row["x_money"] for row in kept) == sorted(KINDS["money"].bad)


@pytest.fixture(scope="module")
def avro(spark: Any, catalog: predicat.Catalog, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The name `avro` for the reader and writer that every Spark 4 has. The jar spark-avro gives it, too."""
    folder = tmp_path_factory.mktemp("avro")
    (folder / "in.avro").touch()
    with pytest.raises(predicat.PredicatError, match="this Spark has no module for Avro files"):
        predicat_spark.run(catalog, "d", ["all_rows"], str(folder / "in.avro"))
    jar = folder / "avro.jar"
    with zipfile.ZipFile(jar, "w") as file:
        service = "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister"
        file.writestr(service, "org.apache.spark.sql.avro.AvroFileFormat\n")
    spark.sql(f"ADD JAR '{jar}'")


NESTED = ("items", "pairs", "parts")
# What the files of a format cannot hold.
LEFT_OUT = {"csv": (*NESTED, "json"), "orc": ("json",), "avro": ("json",)}
TYPED, TEXTS = ("parquet", "orc", "avro"), ("json", "csv")
_FAST = ("parquet", "json")


@pytest.mark.parametrize(
    "form", [pytest.param(form, marks=() if form in _FAST else pytest.mark.slow) for form in (*TYPED, *TEXTS)]
)
def test_what_a_sink_holds_is_read_back(
    spark: Any, avro: None, catalog: predicat.Catalog, sources: Path, tmp_path: Path, form: str
) -> None:
    """With the columns that are found, and with those that are given."""
    names = [name for name in KINDS if name not in LEFT_OUT.get(form, ())]
    with (tmp_path / "in.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", *(f"x_{name}" for name in names)])
        rows.writerow([1, *(KINDS[name].text for name in names)])
        rows.writerow([2, *("" for _ in names)])
    options = {"header": "true", "escape": '"'} if form == "csv" else {}
    out = tmp_path / "out"
    source = Source(paths=(str(tmp_path / "in.csv"),))
    filters = (JobFilter("all_rows", "all_rows"),)
    report = run_job(catalog, Job("", "d", source, filters, (Sink("path", str(out), form, options),)))
    assert not report.bad_cells
    kept = Source(paths=(str(out),), format=form)
    types = {name: KINDS[name].ddl or KINDS[name].type for name in names}
    if form in TYPED:
        held = spark.read.format(form).load(str(out)).schema
        types = {name: held[f"x_{name}"].dataType.simpleString() for name in names}
    given = ", ".join(["id bigint", *(f"x_{name} {kind}" for name, kind in types.items())])
    shown = ["id", *(f"to_json(x_{name}) j" if name == "json" else f"x_{name}" for name in names)]
    with settings(spark, READING):
        before, *after = (
            read_source(spark, one, catalog.datasets["d"]).frame.orderBy("id").selectExpr(*shown).collect()
            for one in (source, kept, replace(kept, schema=given))
        )
    assert [row.asDict() for row in after[0]] == [row.asDict() for row in before]
    assert [row.asDict() for row in after[1]] == [row.asDict() for row in before]
    assert str(before[0].x_wide) == WIDE and before[1].x_wide is None


@pytest.mark.parametrize("form", TYPED)
def test_given_types_that_cannot_hold_those_of_the_files_are_refused(
    spark: Any, avro: None, catalog: predicat.Catalog, tmp_path: Path, form: str
) -> None:
    """Spark makes 200 NULL for a tinyint of an ORC file, and rounds decimals of Avro."""
    rows = spark.sql("SELECT 200L AS id, 1.005BD AS x_money, array(200) AS x_items, 1 AS x_big")
    rows.write.format(form).save(str(tmp_path / "in"))
    source = Source(paths=(str(tmp_path / "in"),), format=form)
    given = "id tinyint, x_money decimal(10,2), x_items array<tinyint>, x_big bigint"
    wanted = (
        "id is bigint there, but given as tinyint; x_money is decimal(4,3) there, but given as "
        "decimal(10,2); x_items is array<int> there, but given as array<tinyint>"
    )
    with pytest.raises(predicat.PredicatError, match=re.escape(f"{tmp_path}/in: {wanted}")):
        predicat_spark.run(catalog, "d", ["all_rows"], replace(source, schema=given))
    fitting = replace(source, schema="id bigint, x_big bigint")
    assert predicat_spark.run(catalog, "d", ["there_big"], fitting).filters[0].accepted == 1


@pytest.mark.parametrize("file", [pytest.param("in.csv", marks=pytest.mark.slow), "in.jsonl"])
def test_columns_that_are_given_and_not_declared(
    spark: Any, sources: Path, tmp_path: Path, file: str
) -> None:
    """Their cells are those of fields: Spark would make -56 of the tinyint 200, and round decimals."""
    head = "apiVersion: predicat/v1\ndataset: d\nfields: {id: bigint}\n"
    (tmp_path / "c.yml").write_text(f"{head}filters: {{all_rows: {{sql: id > 0}}}}\n")
    catalog = predicat.load_catalog(tmp_path)
    texts = COLUMNS["types"].replace("variant", "string")
    source = Source(paths=(str(sources / file),), schema=texts.replace("array<int>", "array<tinyint>"))
    out = (Sink("path", str(tmp_path / "out")),)
    report = run_job(catalog, Job("", "d", source, (JobFilter("all_rows", "all_rows"),), out))
    wanted = {f"x_{name}": 2 for name, kind in KINDS.items() if kind.bad and name not in ("key", "json")}
    assert {cell.column: cell.cells for cell in report.bad_cells} == wanted
    rows = spark.read.parquet(str(tmp_path / "out"))
    assert rows.schema["x_items"].dataType.simpleString() == "array<tinyint>"
    row = rows.where("id = 1").head()
    assert (row.x_tiny, row.x_items, str(row.x_money), row.x_flag) == (127, [1, 2], "12345678.25", True)


def test_numbers_in_a_given_array_fit_or_are_bad(spark: Any, tmp_path: Path) -> None:
    head = "apiVersion: predicat/v1\ndataset: d\nfields: {id: bigint}\n"
    (tmp_path / "c.yml").write_text(f"{head}filters: {{all_rows: {{sql: id > 0}}}}\n")
    (tmp_path / "in.jsonl").write_text('{"id": 1, "u": [200]}\n{"id": 2, "u": [-128, null]}\n')
    source = Source(paths=(str(tmp_path / "in.jsonl"),), schema="id bigint, u array<tinyint>")
    with settings(spark, READING):
        reading = read_source(spark, source, predicat.load_catalog(tmp_path).datasets["d"])
        rows = (
            reading.frame.orderBy("id").selectExpr("u", *(cell.sql for cell in reading.cells[-1:])).collect()
        )
    assert [tuple(row) for row in rows] == [(None, "[200]"), ([-128, None], None)]


def test_one_bad_part_leaves_the_cells_of_other_rows(
    spark: Any, catalog: predicat.Catalog, tmp_path: Path
) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": 1, "x_items": [1]}\n{"id": 2, "x_items": ["x"]}\n')
    report = predicat_spark.run(catalog, "d", ["there_items"], str(tmp_path / "in.jsonl"))
    assert report.filters[0].accepted == 1
    assert [(cell.column, cell.cells, cell.samples) for cell in report.bad_cells] == [
        ("x_items", 1, ["['x']"])
    ]


def test_fewer_columns_than_the_header_of_csv(spark: Any, catalog: predicat.Catalog, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("id,x_big\n1,2\n")
    source = Source(paths=(str(tmp_path / "in.csv"),), schema="id bigint")
    with pytest.raises(predicat.PredicatError, match=r"the header of .*in\.csv has other columns than those"):
        predicat_spark.run(catalog, "d", ["all_rows"], source)


def test_a_damaged_record_is_read_back_from_the_quarantine(
    spark: Any, catalog: predicat.Catalog, tmp_path: Path
) -> None:
    """Spark takes a column of the name `_corrupt_record` for its own, and leaves it empty."""
    (tmp_path / "in.jsonl").write_text('{"id": 1}\n{"id": 2\n')
    sink = Sink("path", str(tmp_path / "bad"), "json", rows="bad")
    source = Source(paths=(str(tmp_path / "in.jsonl"),))
    filters = (JobFilter("all_rows", "all_rows"),)
    run_job(catalog, Job("", "d", source, filters, (sink,), bad_records="quarantine"))
    assert [row.record for row in spark.read.json(str(tmp_path / "bad")).collect()] == ['{"id": 2']


def test_a_format_of_dates_goes_with_the_columns_that_are_given(
    spark: Any, catalog: predicat.Catalog, tmp_path: Path
) -> None:
    (tmp_path / "in.csv").write_text("id,x_day\n1,29.02.2024\n")
    source = Source(
        paths=(str(tmp_path / "in.csv"),),
        options={"dateFormat": "dd.MM.yyyy"},
        schema="id bigint, x_day date",
    )
    report = predicat_spark.run(catalog, "d", ["there_day"], source)
    assert report.filters[0].accepted == 1
