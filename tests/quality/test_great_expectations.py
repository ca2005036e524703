"""The real Great Expectations, on Spark and on PostgreSQL: one pass, stable files, errors that are errors."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import predicat
from predicat.quality.project import DSN, generate, run
from tests.quality.test_measure import CATALOG, ROWS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "shop.yml").write_text(
        CATALOG.replace("unknown_at_most: 5%", "unknown_at_most: 60%").replace("exhaustive: true", "exhaustive: false")
        .replace("{at_least: 1}", "{at_most: 1}"))  # fmt: skip
    return tmp_path


def files(root: Path) -> dict[str, str]:
    return {str(file.relative_to(root)): hashlib.sha256(file.read_bytes()).hexdigest() for file in root.rglob("*") if file.is_file() and "uncommitted" not in str(file)}


def test_spark(folder: Path, spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import predicat_spark.quality as engine

    passes: list[int] = []
    count = engine._count
    monkeypatch.setattr(engine, "_count", lambda *args: passes.append(1) or count(*args))
    catalog = predicat.load_catalog(folder / "catalog")
    assert generate(catalog, folder / "catalog", folder / "project", "spark") == ["predicat_shop"]
    before = files(folder / "project")
    suite = json.loads((folder / "project/gx/expectations/predicat_shop.json").read_text())
    bounds = {(item["kwargs"].get("filter") or item["kwargs"]["group"], item["severity"]): item["kwargs"] for item in suite["expectations"]}
    assert bounds["low", "critical"]["min_share"] == 0.1 and "max_share" not in bounds["low", "critical"]
    assert bounds["low", "warning"]["max_share"] == 0.2 and bounds["never", "critical"]["max_rows"] == 1 and ("clash", "warning") in bounds
    assert generate(catalog, folder / "catalog", folder / "project", "spark") == ["predicat_shop"]
    assert files(folder / "project") == before

    frame = spark.createDataFrame(ROWS, "n bigint, s string")
    fine, errors, docs = run(folder / "project", "predicat_shop", {"dataframe": frame})
    assert (fine, errors) == (False, [])  # `low` and the group `clash` break their bounds
    assert passes == [1]
    assert Path(docs.removeprefix("file://")).exists()
    fine, errors, _ = run(folder / "project", "predicat_shop", {"dataframe": spark.createDataFrame([(1, "y")] * 3 + [(5, "y")] * 22, "n bigint, s string")})
    assert (fine, errors) == (True, [])
    fine, errors, _ = run(folder / "project", "predicat_shop", {"dataframe": spark.range(3)})
    assert not fine and "UNRESOLVED_COLUMN" in errors[0].message


def test_postgres(folder: Path, postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = predicat.load_catalog(folder / "catalog")
    postgres.execute("DROP TABLE IF EXISTS public.shop CASCADE")
    postgres.execute("CREATE TABLE public.shop (n bigint, s text)")
    with postgres.cursor() as cursor:
        cursor.executemany("INSERT INTO public.shop VALUES (%s, %s)", [(1, "y")] * 3 + [(5, "y")] * 22)
    info = postgres.info
    monkeypatch.setenv(DSN, f"postgresql+psycopg://{info.user}:{info.password}@/{info.dbname}?host={info.host}&port={info.port}")
    assert generate(catalog, folder / "catalog", folder / "project", "postgres") == ["predicat_shop"]
    assert info.password not in (folder / "project/gx/great_expectations.yml").read_text() or not info.password
    fine, errors, _ = run(folder / "project", "predicat_shop")
    assert (fine, errors) == (True, [])
    postgres.execute("ALTER TABLE public.shop RENAME COLUMN s TO t")
    fine, errors, _ = run(folder / "project", "predicat_shop")
    assert not fine and 'column "s" does not exist' in errors[0].message
