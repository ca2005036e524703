"""`predicat match`: which filters accept each row of a file or of standard input."""

import gzip
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import predicat
from predicat.catalog.file_formats import FileFormat
from predicat.files.records import Record
from predicat.matching.rows import RowReader
from tests.processes import in_process

CATALOG = """\
apiVersion: predicat/v1
dataset: orders
key: id
fields:
  id: bigint
  amount: double
  paid: boolean
  at: timestamp
  ce.type: string
  labels: map<string, string>
filters:
  large: {sql: amount > 100, tags: [money]}
  paid: {sql: paid}
  late: {sql: "at >= TIMESTAMP '2026-02-01 00:00:00'"}
  order: {sql: ce.type = 'order', tags: [kind]}
  eu: {labels: region=eu}
subscriptions:
  desk: {filter: large}
"""
CSV = FileFormat("csv")
ROWS: list[dict[str, Any]] = [
    {"id": 1, "amount": 250.5, "paid": True, "at": "2026-02-01T10:00:00Z", "labels": {"region": "eu"}},
    {"id": 2, "amount": 7, "paid": None, "at": "2026-01-01 10:00:00", "ce": {"type": "order"}},
]
WANTED = [["eu", "large", "late", "paid"], ["order"]]


def test_without_input_a_terminal_has_the_files_of_the_dataset(folder: Path) -> None:
    """Nobody types rows. What is not a terminal is read, and it is said if it is empty."""
    catalog = folder / "catalog" / "orders.yml"
    catalog.write_text(CATALOG.replace("key: id\n", "relation: {duckdb: orders.csv}\n"))
    (folder / "orders.csv").write_text("id,amount\n1,250.5\n2,7\n")
    command = [str(Path(sys.executable).parent / "predicat"), "match", "orders", "large"]
    terminal, here = pty.openpty()
    for stdin, out, said in (
        (here, "1\tlarge\n2\t-\n", ""),
        (subprocess.DEVNULL, "", "note: standard input is empty; --input FILE reads a file\n"),
    ):
        done = subprocess.run(command, cwd=folder, stdin=stdin, capture_output=True, text=True, check=True)
        assert done.stdout == out and done.stderr.partition("filter\n")[2] == said
    os.close(terminal)
    os.close(here)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "orders.yml").write_text(CATALOG)
    return tmp_path


def match(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return in_process("match", "orders", *more, cwd=folder)


def found(done: subprocess.CompletedProcess[str]) -> list[list[str]]:
    assert done.returncode == 0, done.stderr
    return [json.loads(line)["filters"] for line in done.stdout.splitlines()]


def test_every_format_gives_the_same_names(folder: Path) -> None:
    lines = "".join(f"{json.dumps(row)}\n" for row in ROWS)
    (folder / "rows.jsonl").write_text(lines)
    (folder / "array.json").write_text(json.dumps(ROWS, indent=2))
    (folder / "rows.csv.gz").write_bytes(
        gzip.compress(
            b"\xef\xbb\xbfid,amount,paid,at,ce.type,labels\n"
            b'1,250.5,true,2026-02-01T10:00:00Z,,"{""region"": ""eu""}"\n2,7,NA,2026-01-01 10:00:00,order,\n'
        )
    )
    types = {"labels": pa.map_(pa.string(), pa.string()), "ce": pa.struct([("type", pa.string())])}
    columns = {name: pa.array([row.get(name) for row in ROWS], types.get(name)) for name in [*ROWS[0], "ce"]}
    pq.write_table(pa.table(columns), folder / "rows.parquet")
    for name in ("rows.jsonl", "array.json", "rows.csv.gz", "rows.parquet"):
        assert found(match(folder, "--input", name, "--null", "NA", "--format", "json")) == WANTED, name


def test_standard_input_and_what_is_asked_for(folder: Path) -> None:
    text = "".join(f"{json.dumps(row)}\n" for row in ROWS)

    def piped(*more: str) -> str:
        command = [str(Path(sys.executable).parent / "predicat"), "match", "orders", *more]
        done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=folder, check=True)
        assert "rows, " in done.stderr and done.stderr.endswith("accepted by at least one filter\n")
        return done.stdout

    assert piped("--tag", "money") == "id=1\tlarge\nid=2\t-\n"
    assert [line.split() for line in piped("order", "large", "--count").splitlines()] == [
        ["large", "1", "50.0%"],
        ["order", "1", "50.0%"],
    ]
    assert piped("--subscriptions", "--format", "json").splitlines()[0] == (
        '{"row": 1, "key": {"id": 1}, "filters": ["desk"]}'
    )
    assert json.loads(piped("large", "--count", "--format", "json")) == {"rows": 2, "filters": {"large": 1}}


def test_values_that_do_not_fit_are_absent_and_told(folder: Path) -> None:
    (folder / "rows.csv").write_text("id,amount,at\n1,dear,2026-02-30\n2,120,2026-02-03\n")
    done = match(folder, "--input", "rows.csv", "large", "late")
    assert done.stdout == "id=1\t-\nid=2\tlarge, late\n"
    assert "warning: 1 value is not of type double, the type of amount: 'dear'" in done.stderr
    assert "warning: 1 value is not of type timestamp, the type of at: '2026-02-30'" in done.stderr


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        ("no\nyes\n", (), "cannot read rows.json:1: it is not valid JSON"),
        ("3\n", (), "cannot read rows.json:1: it is not a JSON object"),
        ("[" * 100_000, (), "it is not valid JSON"),
        ('{"identity": 3}\n', (), "no column of rows.json is a field of the dataset: identity"),
        (
            "id,at\n3\n",
            ("--input-format", "csv"),
            "cannot read rows.json:2: it has 1 column, but the header has 2",
        ),
        ("id\n", ("--input-format", "parquet"), "cannot read rows.json"),
        ("{}\n", ("--tag", "monye"), "did you mean 'money'?"),
        ("{}\n", ("rows.json",), "rows.json is a file, not a filter\n  = hint: write --input rows.json"),
        ("{}\n", ("larg",), "did you mean 'orders.large'"),
    ],
)
def test_what_is_wrong_is_one_sentence(folder: Path, text: str, more: tuple[str, ...], said: str) -> None:
    (folder / "rows.json").write_text(text)
    done = match(folder, "--input", "rows.json", *more)
    assert done.returncode != 0
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_text_is_converted_as_sql_casts_it(folder: Path) -> None:
    """The reader and CAST in a filter agree on every text."""
    dataset = predicat.load_catalog(folder / "catalog").datasets["orders"]
    texts = [
        "1",
        " 1 ",
        "1.5",
        "1e3",
        "0x1",
        "NaN",
        "yes",
        "true",
        "2026-01-01",
        "2026-01-01 10:00",
        "",
        "1_0",
    ]
    for name, kind, constant in (
        ("amount", "double", "1"),
        ("id", "bigint", "1"),
        ("paid", "boolean", "true"),
    ):
        equal = predicat.parse(f"CAST(text AS {kind}) = {constant}", "sql", {"text": "string"})
        for text in texts:
            read = RowReader(dataset)._typed(Record({name: text}, 1), "rows.csv", CSV)[name]
            expected = None if read is None else read == (True if constant == "true" else 1)
            assert equal.evaluate({"text": text}) is expected, (name, text)


def test_a_file_with_the_name_of_a_filter_is_in_nobodys_way(folder: Path) -> None:
    (folder / "orders.large").write_text("")
    (folder / "rows.json").write_text('{"id": 1, "amount": 120}\n')
    done = match(folder, "--input", "rows.json", "orders.large")
    assert (done.returncode, done.stdout) == (0, "id=1\tlarge\n")
