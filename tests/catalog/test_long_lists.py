"""Lists that are too long to be written out: what bodies may do with them, hashes, files and proofs."""

import json
from pathlib import Path

import pytest

import predicat
from predicat.diagnostics import PredicatError
from predicat.ir.canonical import meaning_hash
from predicat.ir.codec import from_data, to_data
from predicat.ir.value_sets import MissingValuesError, ValueSet
from predicat.proof.compare import compare
from predicat.rewrite.list_tables import long_lists
from tests.processes import in_process

CATALOG = """\
apiVersion: predicat/v1
dataset: shop
fields: {id: bigint, code: string, price: double, data: json, day: date}
lists:
  ids: {type: bigint, file: ids.csv}
  more: {type: bigint, file: more.csv}
  others: {type: bigint, file: others.csv}
  same: {type: bigint, versions: {1: {file: ids.csv}, 2: {file: more.csv}}}
filters:
"""
FILTERS = """\
  ids: {sql: id IN list('ids')}
  same: {cel: id in lists.same.v1}
  more: {sql: id IN list('more')}
  others: {sql: id IN list('others')}
  not_ids: {sql: NOT (id IN list('ids'))}
  twice: {sql: id IN list('ids') OR id IN list('ids')}
  both: {sql: id IN list('ids') AND id IN list('more')}
  none: {sql: id IN list('ids') AND id IN list('others')}
  low: {sql: id IN list('ids') AND id < 0}
  seven: {sql: id = 7}
  seven_in: {sql: id = 7 AND id IN list('ids')}
  eight_in: {sql: id = 8 AND id IN list('ids')}
"""


def write(folder: Path, filters: str) -> Path:
    place = folder / "catalog"
    place.mkdir(exist_ok=True)
    for name, numbers in {
        "ids": range(7, 140_000, 7),
        "more": range(7, 150_000, 7),
        "others": range(200_000, 220_000),
    }.items():
        (place / f"{name}.csv").write_text("id\n" + "".join(f"{n}\n" for n in numbers))
    (place / "shop.yml").write_text(CATALOG + filters)
    return place


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("ids", "same", "equivalent"),
        ("ids", "twice", "equivalent"),
        ("ids", "both", "equivalent"),  # one list is a part of the other
        ("ids", "more", "wider"),
        ("more", "ids", "narrower"),
        ("ids", "others", "disjoint"),
        ("seven", "seven_in", "equivalent"),  # a value that is known to be in the list
        ("none", "eight_in", "equivalent"),  # of both nothing is accepted
        ("low", "none", "equivalent"),
        ("ids", "not_ids", "disjoint"),
    ],
)
def test_proofs(tmp_path: Path, before: str, after: str, kind: str) -> None:
    catalog = predicat.load_catalog(write(tmp_path, FILTERS))
    verdict = compare(catalog[before], catalog[after])
    assert verdict.kind == kind, verdict


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("{sql: price IN list('ids')}", "a double cannot be looked up.*type bigint.*CAST\\(x AS BIGINT\\)"),
        ("{cel: code in lists.ids}", "a string cannot be looked up"),
        ("{cel: data.id in lists.ids}", "a json cannot be looked up"),
        ("{cel: size(lists.ids) > 3}", "outside of IN.*x in lists.name in CEL"),
        ("{cel: 'lists.ids.exists(i, i == id)'}", "outside of IN"),
        ("{sql: id = list('ids')}", "."),
    ],
)
def test_what_a_long_list_is_not_for(tmp_path: Path, body: str, said: str) -> None:
    with pytest.raises(PredicatError, match=f"(?s){said}"):
        predicat.load_catalog(write(tmp_path, f"  f: {body}\n"))


def test_meaning_and_data(tmp_path: Path) -> None:
    catalog = predicat.load_catalog(write(tmp_path, FILTERS))
    one, other = catalog["ids"].node, catalog["same"].node
    assert (
        meaning_hash(one, "reject")
        == meaning_hash(other, "reject")
        != meaning_hash(catalog["more"].node, "reject")
    )
    assert len(json.dumps(to_data(one))) < 300  # a lock file holds the hash of the values alone
    read = from_data(json.loads(json.dumps(to_data(one))))
    assert read == one
    ((_, listed),) = long_lists([read])
    assert (listed.count, listed.is_known) == (19_999, False)
    with pytest.raises(MissingValuesError):
        _ = listed.values


def test_a_set_is_its_values() -> None:
    from predicat.ir.types import BIGINT, STRING

    one, other = ValueSet.of(STRING, ["b", "a"], "x"), ValueSet.of(STRING, ["a", "b"], "y")
    assert one == other and hash(one) == hash(other) and "a" in one and "c" not in one
    assert one != ValueSet.of(STRING, ["a", "b", "c"])
    assert ValueSet.of(STRING, ["1"]) != ValueSet.of(BIGINT, [1])
    again = ValueSet(one.digest, 2, one.content)
    assert again.values == ("a", "b")


@pytest.mark.long
def test_compile_writes_the_values_beside_the_manifest(tmp_path: Path) -> None:
    write(tmp_path, FILTERS)
    assert in_process("compile", cwd=tmp_path).returncode == 0
    manifest = json.loads((tmp_path / "target" / "manifest.json").read_text())
    assert {row["name"] for row in manifest["lists"].values()} == {"ids", "more", "others"}
    for digest, row in manifest["lists"].items():
        content = (tmp_path / "target" / row["file"]).read_bytes()
        assert ValueSet(digest, row["count"], lambda content=content: content).values[0] in (7, 200_000)
    assert (tmp_path / "target" / "manifest.json").stat().st_size < 30_000
    shown = in_process("sql", "ids", "--dialect", "postgres", "--where", cwd=tmp_path).stdout
    assert shown.startswith("EXISTS(SELECT 1 FROM predicat_ids_") and len(shown) < 200
    told = in_process("sql", "ids", "--dialect", "postgres", cwd=tmp_path).stderr
    assert told.startswith("note: the 19,999 values of the list ids are not in the SQL: predicat_ids_")
    assert "is one of the 19,999 values of the list ids" in in_process("explain", "ids", cwd=tmp_path).stdout
    assert "unchanged" in in_process("compile", cwd=tmp_path).stdout
    write(tmp_path, "  ids: {sql: id IN list('ids')}\n")
    assert in_process("compile", cwd=tmp_path).returncode == 0
    assert len(list((tmp_path / "target" / "lists").iterdir())) == 1


@pytest.mark.long
def test_a_change_is_compared_with_a_manifest_and_with_a_lock(tmp_path: Path) -> None:
    place = write(tmp_path, "  ids: {sql: id IN list('ids'), description: Some.}\n")
    assert in_process("compile", cwd=tmp_path).returncode == 0
    assert in_process("release", cwd=tmp_path).returncode == 0
    assert in_process("check", cwd=tmp_path).returncode == 0
    (place / "ids.csv").write_text("id\n" + "".join(f"{n}\n" for n in range(7, 139_000, 7)))
    done = in_process("diff", "target/manifest.json", cwd=tmp_path)
    assert "narrower" in done.stdout, done.stdout + done.stderr
    done = in_process("check", cwd=tmp_path)
    assert done.returncode == 1 and "19,999 values" not in done.stdout
    assert "ids@1" in done.stderr and "Traceback" not in done.stderr, done.stderr
