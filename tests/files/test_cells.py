"""What a text means as each type: one table, for the evaluator and DuckDB. Spark is in `tests/spark`."""

import json
import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import duckdb
import pytest

import predicat
from predicat import backends
from predicat.backends.column_types import column_type, duckdb_type, holds
from predicat.catalog.file_formats import FileFormat
from predicat.files import cells
from predicat.files.cells import Converter, Number
from predicat.ir.column_forms import held_type
from predicat.ir.nodes import Field, FieldDecl
from predicat.ir.python_values import RowError
from predicat.ir.types import parse_type
from predicat.ir.widths import field_type, stored_width
from tests.rounds import rounds

CSV = FileFormat("csv")
BAD = object()
KINDS = (
    *("tinyint", "smallint", "int", "bigint", "double", "float"),
    *("decimal(12,2)", "boolean", "date", "timestamp", "string"),
)
_DAY, _MOMENT = date(2026, 1, 31), datetime(2026, 1, 31, 10, 0, tzinfo=UTC)
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_INEXACT = ("double", "float")


def _numbers(whole: int | None, double: float, decimal: str | None) -> dict[str, Any]:
    found: dict[str, Any] = dict.fromkeys(_INEXACT, double)
    found |= dict.fromkeys(_WHOLE, whole) if whole is not None else {}
    return found | ({"decimal(12,2)": Decimal(decimal)} if decimal is not None else {})


# The values of a text by type. Of other types it is none; every text that is not empty is a string.
TEXTS: dict[str, dict[str, Any]] = {
    "1": _numbers(1, 1.0, "1") | {"boolean": True},
    " 0 ": _numbers(0, 0.0, "0") | {"boolean": False},
    "-5": _numbers(-5, -5.0, "-5"),
    "5.0": _numbers(5, 5.0, "5"),
    "5.5": _numbers(None, 5.5, "5.5"),
    "1.5e2": _numbers(None, 150.0, "150"),
    "1.001e1": _numbers(None, 10.01, "10.01") | {"float": 10.010000228881836},
    "150.005": _numbers(None, 150.005, None) | {"float": 150.00500488281250},
    "150.1000": _numbers(None, 150.1, "150.1") | {"float": 150.10000610351562},
    "12345678901.00": {"double": 12345678901.0, "float": 12345678848.0, "bigint": 12345678901},
    "300": _numbers(300, 300.0, "300") | {"tinyint": BAD},
    "70000": _numbers(70000, 70000.0, "70000") | {"tinyint": BAD, "smallint": BAD},
    "9223372036854775808": {"double": 2.0**63, "float": 2.0**63},
    "1e300": {"double": 1e300},
    "1e-300": {"double": 1e-300},
    "1e400": {},
    "NaN": dict.fromkeys(_INEXACT, float("nan")),
    "Infinity": dict.fromkeys(_INEXACT, float("inf")),
    "1,5": {},
    "1_0": {},
    "0x1": {},
    "yes": {"boolean": True},
    "FALSE": {"boolean": False},
    "maybe": {},
    "2026-01-31": {"date": _DAY, "timestamp": datetime(2026, 1, 31, tzinfo=UTC)},
    "2026-02-30": {},
    "31.01.2026": {},
    "2026-01-31 10:00": {"date": _DAY, "timestamp": _MOMENT},
    "2026-01-31T12:00:00+02:00": {"date": _DAY, "timestamp": _MOMENT},
    "": dict.fromkeys(KINDS),
}


def declared(kind: str) -> FieldDecl:
    return FieldDecl("x", parse_type(kind), stored=stored_width(kind))


def converted(text: str, kind: str) -> Any:
    return TEXTS[text].get(kind, text if kind == "string" else BAD)


def is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_means_the_same_everywhere(kind: str) -> None:
    convert, sql = Converter(declared(kind), CSV), cells.sql("duckdb", "x", declared(kind), CSV)
    there = cells.present_sql("duckdb", "x", CSV)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for text in TEXTS:
            wanted = converted(text, kind)
            try:
                found = convert(text)
            except RowError:
                found = BAD
            query = f"SELECT {sql}, {there} FROM (SELECT ?::VARCHAR AS x)"
            value, kept = connection.execute(query, [text]).fetchone() or ()
            on_duckdb = BAD if value is None and kept is not None else value
            for reader in (found, on_duckdb):
                same = reader is wanted or reader == wanted or (is_nan(wanted) and is_nan(reader))
                assert same, (text, reader, wanted)


UUID = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
# By type and text: what the evaluator has, or BAD. DuckDB has the same, as its column shows it.
FORMS: dict[str, dict[str, Any]] = {
    "uuid": {UUID: UUID, UUID.upper(): UUID, UUID.replace("-", ""): BAD, "x": BAD, "": None},
    "enum(new, 'it''s', 7)": {"7": "7", "new": "new", "it's": "it's", "New": BAD, "lost": BAD, "": None},
    "char(3)": {"DE": "DE", "DE  ": "DE", "DEFG": BAD, "": None},
    "citext": {"Ann": "Ann", "": None},
    "binary": {"\\xdeadbeef": "\\xdeadbeef", "\\x": "\\x", "\\xzz": BAD, "\\xabc": BAD, "ff": BAD, "": None},
    "inet": {"10.0.0.1": "10.0.0.1", "10.0.0.0/8": "10.0.0.0/8", "::1": "::1", "10.0.0.256": BAD, "x": BAD},
    "cidr": {"10.0.0.0/8": "10.0.0.0/8", "10.0.0.1/32": "10.0.0.1/32", "10.0.0.1": BAD, "10.0.0.0/33": BAD},
    "time": {
        "10:30:00": "10:30:00",
        "10:30:00.25": "10:30:00.25",
        "24:00:00": "24:00:00",
        "10:30": BAD,
        "": None,
    },
    "ubigint": {
        "0": 0,
        "18446744073709551615": 2**64 - 1,
        "5.0": 5,
        "-1": BAD,
        "18446744073709551616": BAD,
        "": None,
    },
    "name": {"größe": "größe", "": None},
    "timestamp_in(Asia/Tokyo)": {
        "2026-01-31 10:00": _MOMENT,
        "2026-01-31T12:00:00+02:00": BAD,
        "x": BAD,
        "": None,
    },
    "timestamp_ntz": {
        "2026-01-31 10:00": _MOMENT,
        "2026-01-31T10:00:00": _MOMENT,
        "2026-01-31T12:00:00+02:00": BAD,
        "2026-01-31": datetime(2026, 1, 31, tzinfo=UTC),
        "x": BAD,
        "": None,
    },
}


@pytest.mark.parametrize("kind", FORMS)
def test_a_text_is_a_value_of_a_column_or_none_everywhere(kind: str) -> None:
    core, stored = field_type(kind)
    decl = FieldDecl("x", core, stored=stored)
    convert, there = Converter(decl, CSV), cells.present_sql("duckdb", "x", CSV)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        held = (
            f"SELECT {cells.sql('duckdb', 'x', decl, CSV)} AS x, {there} AS y FROM (SELECT ?::VARCHAR AS x)"
        )
        for text, wanted in rounds(FORMS[kind].items(), 2):
            try:
                found = convert(text)
            except RowError:
                found = BAD
            assert found == wanted, text
            read = backends.dialect("duckdb").render(Field(core, decl))
            value, kept = connection.execute(f"SELECT {read}, y FROM ({held})", [text]).fetchone() or ()
            on_duckdb = BAD if value is None and kept is not None else value
            assert (on_duckdb.astimezone(UTC) if isinstance(on_duckdb, datetime) else on_duckdb) == wanted, (
                text
            )


# Parts of JSON by type: whether they are values. Engines alone would round numbers, and read other dates.
PARTS: dict[str, dict[str, bool]] = {
    "decimal(10,2)": {"1.25": True, "1.250": True, "-5": True, "1.005": False, "123456789": False},
    "date": {'"2024-02-29"': True, '"2023-02-29"': False, '"20240229"': False, '"1"': False, "1": False},
    "timestamp": {'"2024-02-29T12:34:56Z"': True, '"12:00"': False, "1": False, '"2024-2-9"': False},
    "bigint": {
        "1": True,
        "9223372036854775807": True,
        "9223372036854775808": False,
        "1.5": False,
        '"x"': False,
    },
    "double": {"0.1": True, '"x"': False},
    "boolean": {"true": True, '"maybe"': False},
    "uuid": {json.dumps(UUID): True, '"zz"': False},
}


def part(kind: str) -> FieldDecl:
    core, stored = field_type(f"struct<a: array<{kind}>, it: struct<x: {kind}>>")
    return FieldDecl("x", core, stored=stored)


def documents(kind: str) -> dict[str, bool]:
    """Documents in which a part is in an array or a member of a struct, beside one that is missing."""
    texts = ('{"a": [null, %s], "it": null}', '{"a": [], "it": {"x": %s}}')
    return {text % value: fits for value, fits in PARTS[kind].items() for text in texts}


@pytest.mark.parametrize("kind", PARTS)
def test_a_part_of_json_is_a_value_or_the_cell_is_bad(kind: str) -> None:
    decl = part(kind)
    convert = Converter(decl, CSV)
    text = f"TRY_CAST(TRY_CAST(? AS JSON) AS {duckdb_type(cells.read_type('duckdb', decl))})"
    with duckdb.connect() as connection:
        for document, fits in rounds(documents(kind).items(), 4):
            (found,) = (
                connection.execute(
                    f"SELECT {cells.in_forms('duckdb', text, held_type(decl))}", [document]
                ).fetchone()
                or ()
            )
            assert (found is not None) == fits, document
            try:
                convert(document)
            except RowError:
                assert not fits, document
            else:
                assert fits, document


@pytest.mark.parametrize("kind", FORMS)
def test_parts_of_json_are_values_of_columns_everywhere(kind: str) -> None:
    core, stored = field_type(f"struct<`a b`: array<{kind}>, it: struct<x: {kind}>>")
    decl = FieldDecl("x", core, stored=stored)
    convert = Converter(decl, CSV)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        text = f"TRY_CAST(TRY_CAST(x AS JSON) AS {duckdb_type(cells.read_type('duckdb', decl))})"
        held = f"SELECT {cells.in_forms('duckdb', text, held_type(decl))} AS x FROM (SELECT ?::VARCHAR AS x)"
        reads = [predicat.parse(one, "spark", {"x": decl}).sql("duckdb") for one in READS]
        values = {
            one: wanted for one, wanted in FORMS[kind].items() if wanted is not BAD and wanted is not None
        }
        for one, wanted in rounds(values.items(), 1):
            document = json.dumps({"a b": [one, None], "it": {"x": one}})
            row = {"x": convert(document)}
            assert row["x"] == {"a b": [wanted, None], "it": {"x": wanted}}
            found = connection.execute(f"SELECT {', '.join(reads)} FROM ({held})", [document]).fetchone()
            (text,) = connection.execute(f"SELECT typeof(x) FROM ({held})", [document]).fetchone() or ("",)
            assert holds("duckdb", decl, column_type("duckdb", text)).kind == "same", text
            assert found == tuple(
                predicat.parse(read, "spark", {"x": decl}).evaluate(row) for read in READS
            ), one


READS = [
    "x.`a b`[0] = x.it.x",
    "x.`a b`[1] IS NULL",
    "exists(x.`a b`, y -> y = x.it.x)",
    "x.it.x IS NULL",
]


def test_a_number_of_json_keeps_its_digits() -> None:
    convert = Converter(declared("decimal(38,10)"), FileFormat("json"))
    assert convert(Number("12345678901234567890.0123456789")) == Decimal("12345678901234567890.0123456789")


def test_a_word_of_the_catalog_is_no_sql() -> None:
    form = FileFormat("csv", nulls=("x' OR '1", "c0", "NA"))
    with duckdb.connect() as connection:
        sql = cells.sql("duckdb", "x", declared("string"), form)
        rows = connection.execute(
            f"SELECT {sql} FROM (VALUES ('x'' OR ''1'), ('c0'), ('y')) AS t (x)"
        ).fetchall()
    assert rows == [(None,), (None,), ("y",)]
