"""Dirty files, as a table: what is in each, and what every reader must say of it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from msgspec import Struct, field

RECORD = "(record)"
FIELDS = """\
  id: bigint
  qty: int
  small: smallint
  amount: decimal(12,2)
  price: double
  paid: boolean
  day: date
  at: timestamp
  note: string
"""
FILTERS = {
    "any": "id > 0",
    "many": "qty > 2",
    "few": "small < 5",
    "dear": "amount > 100",
    "cheap": "price < 1.5",
    "paid": "paid",
    "new": "day >= DATE '2026-01-01'",
    "late": "at >= TIMESTAMP '2026-01-01 12:00:00'",
    "zurich": "note = 'Zürich'",
    "long": "note LIKE '%\"%' OR note LIKE '%,%'",
}
HEAD = "id,qty,small,amount,price,paid,day,at,note"
GOOD = "1,3,4,150.00,1.25,true,2026-01-02,2026-01-02 10:00:00,Zürich"


class Dirty(Struct, frozen=True):
    """A file: its text, its name, how it is written, the bad cells by field, and the rows.

    `accepted` are the numbers of rows of some filters. `at` is the line of the first bad cell.
    """

    text: str
    bad: Mapping[str, int] = field(default_factory=dict[str, int])
    rows: int = 2
    accepted: Mapping[str, int] = field(default_factory=dict[str, int])
    name: str = "a.csv"
    form: Mapping[str, Any] = field(default_factory=dict[str, Any])
    encoding: str = "utf-8"
    at: int = 3


def _with(second: str, **more: Any) -> Dirty:
    return Dirty(f"{HEAD}\n{GOOD}\n{second}\n", **more)


def _json(second: str, **more: Any) -> Dirty:
    first = '{"id": 1, "qty": 3, "amount": 150.00, "price": 1.25, "paid": true, "note": "Zürich"}'
    return Dirty(f"{first}\n{second}\n", **{"name": "a.jsonl", "at": 2, **more})


_SEMI = HEAD.replace(",", ";")
# By name. Every reader gives the same numbers for each.
FILES = {
    "clean": _with("2,1,9,99.99,2,false,2025-12-31,,x", accepted={"any": 2, "many": 1, "zurich": 1}),
    "bad_number": _with("2,x,,,,,,,", bad={"qty": 1}, accepted={"many": 1}),
    "int_range": _with("2,99999999999,,,,,,,", bad={"qty": 1}, accepted={"many": 1}),
    "smallint_range": _with("2,1,40000,,,,,,", bad={"small": 1}),
    "bigint_range": _with("9223372036854775808,1,1,,,,,,", bad={"id": 1}, accepted={"any": 1}),
    "fraction_of_integer": _with("2,1.5,,,,,,,", bad={"qty": 1}),
    "whole_double_of_integer": _with("2.0,5.0,,,,,,,", accepted={"any": 2, "many": 2}),
    "scale": _with("2,,,150.005,,,,,", bad={"amount": 1}, accepted={"dear": 1}),
    "zeros_behind_scale": _with("2,,,150.0100,,,,,", accepted={"dear": 2}),
    "precision": _with("2,,,12345678901.00,,,,,", bad={"amount": 1}),
    "exponent": _with("2,,,1.5e3,1.5e-1,,,,", accepted={"dear": 2, "cheap": 2}),
    "no_boolean": _with("2,,,,,maybe,,,", bad={"paid": 1}),
    "word_of_boolean": _with("2,,,,,YES,,,", accepted={"paid": 2}),
    "no_day": _with("2,,,,,,2026-02-30,,", bad={"day": 1}, accepted={"new": 1}),
    "american_day": _with("2,,,,,,01/02/2026,,", bad={"day": 1}),
    "moment_with_zone": _with("2,,,,,,,2026-01-01T13:00:00+02:00,", accepted={"late": 1}),
    "no_moment": _with("2,,,,,,,yesterday,", bad={"at": 1}),
    "blanks": _with("2, 3 , 4 , 150 , 1 , true ,2026-01-02,,", accepted={"many": 2, "few": 2, "paid": 2}),
    "short": _with("2,7", bad={RECORD: 1}, accepted={"any": 2, "many": 2}),
    "long": _with(f"{GOOD},more", bad={RECORD: 1}, accepted={"any": 2, "zurich": 2}),
    "more_columns": Dirty(f"more,{HEAD}\nx,{GOOD}\n,{GOOD}\n", accepted={"any": 2, "zurich": 2}),
    "other_order": Dirty("note,id,amount\nZürich,1,150\nx,y,200\n", bad={"id": 1}, accepted={"dear": 2}),
    "quotes": _with('2,"3",,,,,,,"a ""b"" c"', accepted={"many": 2, "long": 1}),
    "comma_in_quotes": _with('2,,,,,,,,"a, b"', accepted={"long": 1}),
    "line_in_quotes": _with('2,x,,,,,,,"a\nb, c"', bad={"qty": 1}, accepted={"long": 1}),
    "empty_lines": Dirty(f"{HEAD}\n\n{GOOD}\n\n2,x,,,,,,,\n\n", bad={"qty": 1}, at=5),
    "carriage_returns": Dirty(f"{HEAD}\r\n{GOOD}\r\n2,x,,,,,,,\r\n", bad={"qty": 1}),
    "semicolons": Dirty(f"{_SEMI}\n1;3;4;150;1.25;true;;;Zürich\n2;x;;;;;;;\n", bad={"qty": 1}),
    "decimal_comma": Dirty(
        f"{_SEMI}\n1;3;4;150,00;1,25;true;;;Zürich\n2;3;4;1.500,00;1.5;;;;\n",
        bad={"amount": 1, "price": 1},
        accepted={"dear": 1, "cheap": 1},
        form={"csv": "a.csv", "delim": ";", "decimal": ","},
    ),
    "decimal_comma_of_integer": Dirty(
        f"{_SEMI}\n1;3,0;4;;;;;;\n2;1.000;1,5;;;;;;\n",
        bad={"qty": 1, "small": 1},
        accepted={"many": 1, "few": 1},
        form={"csv": "a.csv", "delim": ";", "decimal": ","},
    ),
    "thousands": Dirty(
        f"{_SEMI}\n1; 1.500 ;4;1.234.150,00;1,25;true;;;a.b\n2;1.50;;1.500,5;-1.000;;;;1.500\n",
        bad={"qty": 1},
        accepted={"many": 1, "dear": 2, "cheap": 2},
        form={"csv": "a.csv", "delim": ";", "decimal": ",", "thousands": "."},
    ),
    "thousands_in_quotes": _with(
        '2,"1,500",,"12,34.5","1,5",,,,',
        bad={"amount": 1, "price": 1},
        accepted={"many": 2},
        form={"csv": "a.csv", "thousands": ","},
    ),
    "tabs": Dirty(f"{HEAD}\n{GOOD}\n2,x,,,,,,,\n".replace(",", "\t"), bad={"qty": 1}, name="a.tsv"),
    "pipes": Dirty(f"{HEAD}\n{GOOD}\n2,x,,,,,,,\n".replace(",", "|"), bad={"qty": 1}),
    "latin_1": _with(
        "2,x,,,,,,,Zürich",
        bad={"qty": 1},
        accepted={"zurich": 2},
        encoding="latin-1",
        form={"csv": "a.csv", "encoding": "latin-1"},
    ),
    "byte_order_mark": _with("2,x,,,,,,,", bad={"qty": 1}, accepted={"any": 2}, encoding="utf-8-sig"),
    "gzip": _with("2,x,,,,,,,", bad={"qty": 1}, name="a.csv.gz"),
    "zst": _with("2,x,,,,,,,", bad={"qty": 1}, name="a.csv.zst"),
    "gzip_of_json": _json('{"id": 2, "qty": "x"}', bad={"qty": 1}, name="a.jsonl.gz"),
    "zst_of_json": _json('{"id": 2, "qty": "x"}', bad={"qty": 1}, name="a.jsonl.zst"),
    "null_words": _with("NA,-,,,,,,,NA", accepted={"any": 1}, form={"csv": "a.csv", "nulls": ["NA", "-"]}),
    "no_header": Dirty(
        "1,3\n2,x\n",
        bad={"qty": 1},
        accepted={"any": 2},
        form={"csv": "a.csv", "header": ["id", "qty"]},
        at=2,
    ),
    "single_quotes": Dirty(
        f"{HEAD}\n{GOOD}\n2,x,,,,,,,'a, b'\n",
        bad={"qty": 1},
        accepted={"long": 1},
        form={"csv": "a.csv", "quote": "'", "escape": "'"},
    ),
    "backslashes": Dirty(
        f'{HEAD}\n{GOOD}\n2,x,,,,,,,"a \\"b\\""\n',
        bad={"qty": 1},
        accepted={"long": 1},
        form={"csv": "a.csv", "escape": "\\"},
    ),
    "json_lines": _json(
        '{"id": 2, "qty": "x", "amount": 150.005, "day": "2026-02-30"}',
        bad={"qty": 1, "amount": 1, "day": 1},
    ),
    "json_texts": _json(
        '{"id": "2", "qty": "7", "amount": "200.10", "price": "1"}',
        accepted={"any": 2, "many": 2, "dear": 2},
    ),
    "json_whole_doubles": _json('{"id": 2.0, "qty": 7.0}', accepted={"any": 2, "many": 2}),
    "json_nulls": _json('{"id": null, "qty": null, "note": null}', accepted={"any": 1}),
    "json_damaged": _json('{"id": 2, "qty"', bad={RECORD: 1}, accepted={"any": 1}),
    "json_empty_lines": _json('\n{"id": 2, "qty": 99999999999}\n', bad={"qty": 1}, at=3),
    "json_array": Dirty(
        '[\n  {"id": 1, "qty": 3},\n  {"id": 2,\n   "qty": "x"}\n]\n',
        bad={"qty": 1},
        accepted={"any": 2, "many": 1},
        name="a.json",
    ),
}  # fmt: skip


def _zst(data: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(data, asbytes=True))


_PACK: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".zst": _zst}


def write(name: str, folder: Path) -> Path:
    """Write a catalog and a file of the table. Gives the path of the file."""
    dirty = FILES[name]
    data = dirty.text.encode(dirty.encoding)
    path = folder / dirty.name
    folder.mkdir(exist_ok=True)
    path.write_bytes(_PACK.get(path.suffix, bytes)(data))
    (folder / "catalog").mkdir(exist_ok=True)
    relation = {**dirty.form, "csv": str(path)} if dirty.form else str(path)
    text = f"relation: {{duckdb: {_yaml(relation)}, spark: {_yaml(relation)}}}\nfields:\n{FIELDS}filters:\n"
    text += "".join(f"  {filter_}: {{sql: {_yaml(sql)}}}\n" for filter_, sql in FILTERS.items())
    (folder / "catalog" / "orders.yml").write_text(f"apiVersion: predicat/v1\ndataset: orders\n{text}")
    return path


def _yaml(value: Any) -> str:
    """A value inside of braces."""
    return json.dumps(value, ensure_ascii=False)
