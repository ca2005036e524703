"""Dirty files: `match`, `quality` and `seek` count the same rows, and name the same bad cells."""

import gzip
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.catalog.file_formats import ANY
from predicat.files.bad_cells import BadCells
from predicat.matching.matcher import Matcher
from predicat.matching.rows import RowReader
from predicat.quality.engines import on_duckdb
from predicat.quality.plan import plan
from predicat.seeking import files
from tests.files.dirty import FILES, FILTERS, RECORD, write


def matched(catalog: predicat.Catalog, path: Path) -> tuple[int, dict[str, int], BadCells]:
    dataset = catalog.datasets["orders"]
    reader = RowReader(dataset, form=dataset.files.get("duckdb", ANY))
    matcher = Matcher(catalog, "orders")
    rows = list(reader.read(str(path)))
    found = [matcher.match(row) for row in rows]
    return len(rows), {name: sum(name in one for one in found) for name in FILTERS}, reader.bad


@pytest.mark.parametrize("name", FILES)
@pytest.mark.filterwarnings("ignore::predicat.api.UnknownKeyWarning")
def test_every_reader_says_the_same(name: str, tmp_path: Path) -> None:
    dirty, path = FILES[name], write(name, tmp_path)
    catalog = predicat.load_catalog(tmp_path / "catalog")
    fields = catalog.datasets["orders"].fields
    rows, accepted, bad = matched(catalog, path)
    assert (rows, bad.counts) == (dirty.rows, dirty.bad)
    assert {key: accepted[key] for key in dirty.accepted} == dirty.accepted
    lines = [sample.line for few in bad.samples.values() for sample in few]
    assert lines == [dirty.at] * len(lines) and all(text for text in bad.messages(fields))

    measure = on_duckdb(plan(catalog, "orders", (), "duckdb"), str(path))
    assert (measure.rows, measure.bad) == (rows, bad)
    for key, count in measure.accepted.items():
        assert count == accepted[key.partition(".")[2]], key
    absent = {item.partition(".")[2] for item in measure.errors}  # of columns that the file lacks
    assert all("has no column" in reason for reason in measure.errors.values()) and not any(
        accepted[key] for key in absent
    )

    form = catalog.datasets["orders"].files.get("duckdb")
    more: dict[str, Any] = {"form": form} if form is not None else {}
    found = files.seek(catalog.accepted("orders.any"), str(path), fields=fields.values(), **more)
    assert found.row is not None and found.row["id"] == 1
    none = files.seek(
        predicat.parse("id < 0", "sql", {"id": "bigint"}), str(path), fields=fields.values(), **more
    )
    assert none.row is None and none.bad == bad


LATIN = "id,note\n" + "1,Zurich\n" * 2000 + "1,Zürich\n"
# Files that no reader takes, and a part of the sentence. Each has a name of its own.
UNREADABLE = (
    ("a.xlsx", b"PK", "it is a spreadsheet"),
    ("b.csv", "id,note\n1,Zürich\n".encode("latin-1"), "it is not valid UTF-8 at byte 11"),
    ("long.csv", LATIN.encode("latin-1"), "it is not valid UTF-8 at byte 18011"),
    ("long.csv.gz", gzip.compress(LATIN.encode("latin-1")), "it is not valid UTF-8 at byte 18011"),
    ("c.csv", b"", "it has no header"),
    ("d.csv", b"id,id\n1,2\n", "its header has the column 'id' twice"),
    ("e.json", b'[{"id": 1},\n {"id": }]', "e.json:2: it is not valid JSON"),
    ("f.csv.gz", b"id\n1\n", "Not a gzipped file"),
    ("g.csv.zst", b"id\n1\n", "g.csv.zst"),
    ("none.csv", None, "file or folder"),
    ("other.csv", b"a,b\n1,2\n", "other.csv"),
)


def written(folder: Path, name: str, data: bytes | None) -> Path:
    """A file of the table, or the path of none."""
    if data is not None:
        (folder / name).write_bytes(data)
    return folder / name


def test_a_file_of_another_kind_is_one_sentence(tmp_path: Path) -> None:
    write("clean", tmp_path)
    catalog = predicat.load_catalog(tmp_path / "catalog")
    for name, data, said in UNREADABLE:
        path = written(tmp_path, name, data)
        for read in (
            lambda: matched(catalog, path),  # noqa: B023  # called here
            lambda: on_duckdb(plan(catalog, "orders", ("any",), "duckdb"), str(path)),  # noqa: B023  # as above
            lambda: files.seek(catalog.accepted("orders.any"), str(path)),  # noqa: B023  # as above
        ):
            with pytest.raises(predicat.PredicatError) as caught:
                read()
            assert said in caught.value.diagnostics[0].render(), name


def test_a_quote_that_is_not_closed_takes_no_rows_silently(tmp_path: Path) -> None:
    write("clean", tmp_path)
    (tmp_path / "a.csv").write_text('id,note\n1,x\n2,"y\n3,z\n')
    catalog = predicat.load_catalog(tmp_path / "catalog")
    _, accepted, bad = matched(catalog, tmp_path / "a.csv")
    assert accepted["any"] == 1 and bad.counts == {RECORD: 1}
    assert bad.samples[RECORD][0].text == "a quote is not closed" and bad.samples[RECORD][0].line == 3
