"""Sets of fields that datasets share: `fields: {include: common.yml}`."""

from pathlib import Path

import pytest

import predicat
from predicat.catalog.live import LiveCatalog
from predicat.diagnostics import PredicatError
from tests.processes import in_process

HEAD = "apiVersion: predicat/v1\ndataset: {}\n"
COMMON = "carrier: string\ndelay: {type: int, description: In minutes.}\n"


def dataset(name: str, fields: str, sql: str) -> str:
    return f"{HEAD.format(name)}fields: {fields}\nfilters: {{f: {{sql: {sql!r}}}}}\n"


def including(files: str) -> str:
    return dataset("flights", f"{{include: {files}}}", "a")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "catalog"
    (root / "teams").mkdir(parents=True)
    (root / "common.yml").write_text(COMMON)
    (root / "flights.yml").write_text(dataset("flights", "{include: common.yml, a: bigint}", "delay > a"))
    (root / "teams" / "trains.yml").write_text(
        dataset("trains", "{include: [../common.yml, more.yml], carrier: string}", "delay > 1 AND b")
    )
    (root / "teams" / "more.yml").write_text("b: boolean\n")
    return root


def test_the_fields_of_a_file_are_those_of_the_datasets(folder: Path) -> None:
    catalog = predicat.load_catalog(folder)
    flights, trains = (catalog.datasets[name].fields for name in ("flights", "trains"))
    assert {name: decl.shown_type for name, decl in flights.items()} == {
        "a": "bigint", "carrier": "string", "delay": "int",
    }  # fmt: skip
    assert set(trains) == {"carrier", "delay", "b"}
    assert trains["delay"].description == "In minutes."
    assert catalog["trains.f"].evaluate({"delay": 2, "b": True}) is True


def test_a_catalog_of_one_file(folder: Path) -> None:
    assert predicat.load_catalog(folder / "flights.yml")["f"].evaluate({"delay": 2, "a": 1}) is True


def test_problems_of_the_fields_are_told_for_a_catalog_of_one_file(folder: Path) -> None:
    (folder / "common.yml").write_text("carrier: string\ndelay: 5\nwhen: {typ: date}\n")
    with pytest.raises(PredicatError) as error:
        predicat.load_catalog(folder / "flights.yml")
    told = {(item.code, item.span.source.name.rpartition("/")[2]) for item in error.value.diagnostics}
    assert {
        ("wrong-kind", "common.yml"),
        ("unknown-key", "common.yml"),
        ("missing-key", "common.yml"),
    } <= told


def test_a_field_may_have_the_name(tmp_path: Path) -> None:
    (tmp_path / "d.yml").write_text(dataset("d", "{include: string}", "include = 'x'"))
    assert predicat.load_catalog(tmp_path)["f"].evaluate({"include": "x"}) is True


@pytest.mark.parametrize(
    ("file", "text", "said", "at"),
    [
        ("flights.yml", dataset("flights", "{include: common.yml, delay: double}", "delay > 1"),
         "field delay: it is double here, but int in common.yml", "flights.yml:3:31"),
        ("flights.yml", including("none.yml"), "there is no file none.yml", "flights.yml:3"),
        ("flights.yml", including("../other.yml"), "is not in the folder of the catalog", "flights.yml:3"),
        ("flights.yml", including("/etc/other.yml"), "is not in the folder of the catalog", "flights.yml:3"),
        ("flights.yml", including("teams/trains.yml"), "the file has definitions", "flights.yml:3"),
        ("flights.yml", including("[[]]"), "include", "flights.yml:3"),
        ("common.yml", "include: more.yml\n", "cannot include another one", "common.yml:1:1"),
        ("common.yml", "delay: nothing\n", "nothing", "common.yml:1:8"),
        ("common.yml", "[delay]\n", "a mapping", "common.yml:1:1"),
        ("unused.yml", COMMON, "apiVersion", "unused.yml:1:1"),
        ("flights.yml", including("common.txt"), "common.txt is not a .yml file", "flights.yml:3"),
        ("common.yml", "", "the file has no fields", "flights.yml:3"),
        ("common.yml", "{}\n", "the file has no fields", "flights.yml:3"),
        ("common.yml", "fields: {a: date}\n", "are below the key 'fields'", "common.yml:1:1"),
    ],
)  # fmt: skip
def test_what_is_wrong(folder: Path, file: str, text: str, said: str, at: str) -> None:
    (folder.parent / "other.yml").write_text(COMMON)
    (folder / file).write_text(text)
    with pytest.raises(PredicatError) as error:
        predicat.load_catalog(folder)
    shown = str(error.value)
    assert said in shown and at in shown, shown


@pytest.mark.parametrize("common", ["", "fields: {a: int}\n", "a: [b\n"])
def test_one_mistake_in_a_shared_file_is_one_error(tmp_path: Path, common: str) -> None:
    (tmp_path / "common.yml").write_text(common)
    (tmp_path / "flights.yml").write_text(dataset("flights", "{include: common.yml}", "delay > 1 AND b"))
    (tmp_path / "trains.yml").write_text(dataset("trains", "{include: common.yml}", "delay > 1"))
    with pytest.raises(PredicatError) as error:
        predicat.load_catalog(tmp_path)
    assert not [item for item in error.value.diagnostics if item.code == "unknown-field"]


def test_an_editor_sees_what_is_not_saved(folder: Path) -> None:
    live = LiveCatalog(folder)
    assert live.load({}).good
    common = (folder / "common.yml").resolve()
    assert not live.load({common: "carrier: string\n"}).good
    assert live.load({common: COMMON + "later: date\n"}).good
    assert "later" in live.load({common: COMMON + "later: date\n"}).catalog.datasets["flights"].fields


@pytest.mark.parametrize("name", ["", "flights.yml"])
def test_a_check_sees_that_the_file_has_changed(
    folder: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREDICAT_CACHE", str(tmp_path / "cache"))
    place = ["--catalog", str(folder / name)]
    assert in_process("check", *place, cwd=tmp_path).returncode == 0
    (folder / "common.yml").write_text("carrier: string\n")
    done = in_process("check", *place, cwd=tmp_path)
    assert done.returncode == 1 and "delay" in done.stderr
