"""Long lists on Spark: from the manifest, in all plans, in `predicat run` and in coverage."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import predicat
import predicat_spark
from predicat.ir.types import BIGINT
from predicat.ir.value_sets import ValueSet
from predicat.quality.plan import plan
from predicat_spark import entry_filters
from predicat_spark.lists import _file_of
from predicat_spark.pipeline import run
from predicat_spark.quality import on_spark
from predicat_spark.settings import settings

CATALOG = """\
apiVersion: predicat/v1
dataset: listed
relation: {spark: listed}
fields: {id: bigint, code: string}
lists:
  ids: {type: bigint, file: ids.csv}
  codes: {type: string, file: codes.csv}
filters:
  ids: {sql: id IN list('ids')}
  not_ids: {sql: id NOT IN list('ids')}
  either: {cel: id in lists.ids || code in lists.codes}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("listed")
    (place / "catalog").mkdir()
    (place / "catalog" / "c.yml").write_text(CATALOG)
    (place / "catalog" / "ids.csv").write_text("id\n" + "".join(f"{n * 3}\n" for n in range(12_000)))
    (place / "catalog" / "codes.csv").write_text("c\n" + "".join(f"c{n}\n" for n in range(11_000)))
    predicat_spark.compile_manifest(place / "catalog", place / "target" / "manifest.json")
    return place


@pytest.fixture
def rows(spark: Any) -> Any:
    frame = spark.range(0, 40_000).selectExpr(
        "CASE WHEN id % 7 > 0 THEN id END AS id", "CASE WHEN id % 5 > 0 THEN concat('c', id) END AS code"
    )
    frame.createOrReplaceTempView("listed")
    return frame


def expected(rows: Any, condition: str) -> int:
    return rows.where(condition).count()


IDS = "id % 3 = 0 AND id < 36000"
CODES = "substr(code, 2) < 11000"


def test_matches_filter(spark: Any, rows: Any, folder: Path) -> None:
    def count(condition: str) -> int:
        return spark.sql(f"SELECT * FROM listed WHERE {condition}").count()

    manifest = {"spark.predicat.manifest": str(folder / "target" / "manifest.json")}
    for more in (
        {},
        {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"},
    ):
        with settings(spark, {**manifest, **more}):
            assert count("matches_filter('listed.ids')") == expected(rows, IDS) > 0
            assert count("matches_filter('listed.not_ids')") == expected(rows, f"NOT ({IDS})") > 0
            assert count("NOT matches_filter('listed.ids')") == 40_000 - expected(rows, IDS)
            assert count("matches_filter('listed.either')") == expected(rows, f"{IDS} OR {CODES}")
            named = (
                spark.sql("SELECT explode(matching_filters('listed')) AS f FROM listed").groupBy("f").count()
            )
            assert {row.f: row["count"] for row in named.collect()} == {
                "ids": expected(rows, IDS),
                "not_ids": expected(rows, f"NOT ({IDS})"),
                "either": expected(rows, f"{IDS} OR {CODES}"),
            }


def test_a_file_with_other_values_is_refused(spark: Any, rows: Any, folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    (tmp_path / "catalog").mkdir()
    for name, text in {"c.yml": CATALOG, "ids.csv": "id\n", "codes.csv": "c\n"}.items():
        (tmp_path / "catalog" / name).write_text(text)
    for name in ("ids", "codes"):
        kept = "".join(f"{n}\n" for n in range(-10_500, 0))
        (tmp_path / "catalog" / f"{name}.csv").write_text(f"x\n{kept}")
    predicat_spark.compile_manifest(tmp_path / "catalog", target / "manifest.json")
    (file,) = target.glob("lists/predicat_ids_*.json")
    file.write_text(file.read_text().replace("-10500,", "-99999,", 1))
    with settings(spark, {"spark.predicat.manifest": str(target / "manifest.json")}):
        with pytest.raises(Exception, match="does not match the manifest"):
            spark.sql("SELECT count(*) FROM listed WHERE matches_filter('listed.ids')").collect()
        file.unlink()
        with pytest.raises(Exception, match="copy the folder lists of predicat compile beside the manifest"):
            spark.sql("SELECT count(*) FROM listed WHERE matches_filter('listed.ids')").collect()


def test_run_and_coverage(spark: Any, rows: Any, folder: Path, tmp_path: Path) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    done = run(catalog, "listed", ["ids", "not_ids"], "listed", tmp_path / "out")
    assert {row.name: row.accepted for row in done.filters} == {
        "ids": expected(rows, IDS),
        "not_ids": expected(rows, f"NOT ({IDS})"),
    }
    assert spark.read.parquet(str(tmp_path / "out" / "ids")).count() == expected(rows, IDS)
    measured = on_spark(plan(catalog, "listed", (), "spark"), rows)
    assert measured.accepted["listed.either"] == expected(rows, f"{IDS} OR {CODES}")
    digest = next(iter(json.loads((folder / "target" / "manifest.json").read_text())["lists"]))
    assert len(digest) == 64


def test_views_functions_and_entry_filters(spark: Any, rows: Any, tmp_path: Path) -> None:
    """In a session that has not read a manifest with these lists."""
    text = CATALOG.replace("ids.csv", "more.csv").replace("  codes: {type: string, file: codes.csv}\n", "")
    text = text.replace("  either: {cel: id in lists.ids || code in lists.codes}\n", "")
    (tmp_path / "c.yml").write_text(text)
    (tmp_path / "more.csv").write_text("id\n" + "".join(f"{n * 3}\n" for n in range(12_001)))
    catalog = predicat.load_catalog(tmp_path / "c.yml")
    wanted = expected(rows, "id % 3 = 0 AND id <= 36000")
    assert predicat_spark.create_views(spark, catalog) == ["listed__ids", "listed__not_ids"]
    assert spark.table("listed__ids").count() == wanted
    predicat_spark.create_functions(spark, catalog)
    assert expected(rows, "listed__ids(id)") == wanted
    text += "  partly: {python: tests.entry_classes.SecondTime, after: ids}\n"
    (tmp_path / "c.yml").write_text(text.replace("listed\n", "other\n", 1))
    found = entry_filters.apply(
        rows, predicat.load_catalog(tmp_path / "c.yml"), "other.partly", outcome="said"
    )
    assert found.count() == wanted


def test_the_cache_of_lists_does_not_grow_for_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is asked for again is as good as new."""
    monkeypatch.setenv("PREDICAT_CACHE", str(tmp_path))
    first, second, third = (_file_of(ValueSet.of(BIGINT, range(n))) for n in (1, 2, 3))
    for file in (first, second):
        os.utime(file, (0, 0))
    assert _file_of(ValueSet.of(BIGINT, range(2))) == second
    fourth = _file_of(ValueSet.of(BIGINT, range(4)))
    assert set((tmp_path / "lists").iterdir()) == {second, third, fourth}
