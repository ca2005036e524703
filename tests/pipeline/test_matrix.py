"""Each type in each format of text, whether columns are given or not: a value is that value, and what is out
of range or of scale is a bad cell. What sinks hold is read back as it was.
"""

import csv
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import predicat
import predicat_spark
from predicat.catalog.jobs import Job, JobFilter, Sink, Source
from predicat_spark.pipeline.source import read
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


@pytest.mark.parametrize("form", ["parquet", "orc", "json", "csv"])
def test_what_a_sink_holds_is_read_back(
    spark: Any, catalog: predicat.Catalog, sources: Path, tmp_path: Path, form: str
) -> None:
    dataset = catalog.datasets["d"]
    flat = [name for name, kind in KINDS.items() if "<" not in kind.type and kind.type != "json"]
    columns = ", ".join(["id bigint", *(f"x_{name} string" for name in flat)])
    with (tmp_path / "in.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", *(f"x_{name}" for name in flat)])
        rows.writerow([1, *(KINDS[name].text for name in flat)])
        rows.writerow([2, *("" for _ in flat)])
    source = Source(paths=(str(tmp_path / "in.csv"),), schema=columns)
    options = {"header": "true", "escape": '"'} if form == "csv" else {}
    sink = Sink("path", str(tmp_path / "out"), form, options)
    run_job(catalog, Job("", "d", source, (JobFilter("all_rows", "all_rows"),), (sink,)))
    with settings(spark, READING):
        before, after = (
            read(spark, place, dataset).orderBy("id").select("id", *(f"x_{name}" for name in flat)).collect()
            for place in (str(tmp_path / "in.csv"), str(tmp_path / "out"))
        )
    assert [row.asDict() for row in after] == [row.asDict() for row in before]
    assert str(after[0].x_wide) == WIDE and after[1].x_wide is None


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
