"""`spark: {ansi: false}` of a dataset: its spark conditions mean what Spark means without ANSI mode."""

from pathlib import Path

import pytest
import yaml

import predicat
from predicat.catalog.live import LiveCatalog
from predicat.catalog.load import load_catalog
from predicat.catalog.manifest import build_manifest
from predicat.diagnostics import PredicatError
from predicat.explain.text import explain

FIELDS = {"id": "int", "n": "bigint", "m": "bigint", "s": "string", "x": "double", "xs": "array<bigint>"}


def catalog(folder: Path, body: str, *, ansi: bool | None, language: str = "spark") -> Path:
    data = {
        "apiVersion": "predicat/v1",
        "dataset": "orders",
        **({} if ansi is None else {"spark": {"ansi": ansi}}),
        "fields": FIELDS,
        "filters": {"f": {language: body}},
    }
    (folder / "orders.yml").write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("body", "row", "with_ansi", "without"),
    [
        ("CAST(s AS INT) = 2", {"s": "2.5"}, None, True),
        ("CAST(x AS INT) = 0", {"x": float("nan")}, None, True),
        ("id + 1 < 0", {"id": 2**31 - 1}, False, True),
        ("size(xs) = -1", {"xs": None}, None, True),
        ("try_add(id, 1) > 0", {"id": 2**31 - 1}, True, None),
        ("n IN (1, 2)", {"n": 1}, True, True),
        ("size(array(id, n)) + 1 = 3", {"id": 1, "n": 1}, True, True),
        ("array(id, id)[0] + 1 < 0", {"id": 2**31 - 1}, False, True),
    ],
)
def test_the_setting_changes_what_spark_conditions_mean(
    tmp_path: Path, body: str, row: dict[str, object], with_ansi: bool | None, without: bool | None
) -> None:
    for ansi, expected in ((None, with_ansi), (True, with_ansi), (False, without)):
        assert load_catalog(catalog(tmp_path, body, ansi=ansi))["f"].evaluate(row) is expected


def test_other_languages_and_the_manifest_of_others_stay_as_they_are(tmp_path: Path) -> None:
    plain = load_catalog(catalog(tmp_path, "id + 1 < 0", ansi=None, language="sql"))
    lenient = load_catalog(catalog(tmp_path, "id + 1 < 0", ansi=False, language="sql"))
    assert plain["f"].node == lenient["f"].node
    assert "spark" not in build_manifest(plain)["datasets"]["orders"]
    assert build_manifest(lenient)["datasets"]["orders"]["spark"] == {"ansi": False}


@pytest.mark.parametrize(
    ("body", "marked", "hint"),
    [
        ("s = 'a' AND n * m > 3", "n * m", "write try_multiply(n, m)"),
        ("n IN ('1', ' 2')", "' 2'", "write all of them as strings, or all as numbers"),
        ("exists(xs, e -> e + 1 > 2)", "e + 1", "write CAST(e AS BIGINT)"),
        ("aggregate(xs, 0L, (t, e) -> t + e) > 2", "aggregate", "add doubles: aggregate(xs, 0D"),
        ("unix_timestamp(s) > 2", "unix_timestamp(s)", "unix_timestamp(s, 'yyyy-MM-dd HH:mm:ss')"),
        ("s LIKE 'a' = n", "s LIKE 'a' = n", "use parentheses"),
    ],
)
def test_what_is_not_supported_has_a_place_and_an_alternative(body: str, marked: str, hint: str) -> None:
    with pytest.raises(PredicatError) as caught:
        predicat.parse(body, "spark", FIELDS, ansi=False)
    found = caught.value.diagnostics[0]
    assert found.span.text.startswith(marked)
    assert hint in (found.hint or "")


@pytest.mark.parametrize(
    ("body", "instead"),
    [
        ("n * m > 3", "try_multiply(n, m) > 3"),
        ("exists(xs, e -> e + 1 > 2)", "exists(xs, e -> CAST(e AS BIGINT) + 1 > 2)"),
        (
            "aggregate(xs, 0L, (t, e) -> t + e) > 2",
            "aggregate(xs, 0D, (t, e) -> t + CAST(e AS DOUBLE)) > 2",
        ),
        ("unix_timestamp(s) > 2", "unix_timestamp(s, 'yyyy-MM-dd HH:mm:ss') > 2"),
    ],
)
def test_the_alternatives_are_supported(body: str, instead: str) -> None:
    with pytest.raises(PredicatError):
        predicat.parse(body, "spark", FIELDS, ansi=False)
    predicat.parse(instead, "spark", FIELDS, ansi=False)


def test_ranges_of_fields_leave_the_sql_as_it_is_written() -> None:
    fields = {
        **FIELDS,
        "n": {"type": "bigint", "min": 0, "max": 10**6},
        "m": {"type": "int", "min": 0, "max": 9},
    }
    for body in ("n * m + 1 > id", "n - m > 3", "m + 1 > 2"):
        lenient = predicat.parse(body, "spark", fields, ansi=False)
        assert lenient.node == predicat.parse(body, "spark", fields).node


def test_explain_says_it(tmp_path: Path) -> None:
    for ansi, said in ((True, "written in spark"), (False, "written in spark, without ANSI mode")):
        found = load_catalog(catalog(tmp_path, "id > 1", ansi=ansi))
        row = found.known["orders.f"]
        assert explain(found, row, row.current)[1] == said


def test_an_editor_sees_the_change(tmp_path: Path) -> None:
    live = LiveCatalog(catalog(tmp_path, "id + 1 < 0", ansi=True))
    row = {"id": 2**31 - 1}
    assert live.load({}).catalog["f"].evaluate(row) is False
    catalog(tmp_path, "id + 1 < 0", ansi=False)
    assert live.load({}).catalog["f"].evaluate(row) is True
