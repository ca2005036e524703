"""One Spark session and one PostgreSQL server for the whole test run."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
os.environ.setdefault("TZ", "UTC")


@pytest.fixture(scope="session")
def postgres() -> Iterator[object]:
    """A connection to a real server. Its folder is open to others: under root the server runs as another user."""
    from predicat.deploy.server import connect

    folder = Path(tempfile.mkdtemp(prefix="predicat-postgres-"))
    folder.chmod(0o755)
    with connect(os.environ.get("PREDICAT_TEST_DSN"), folder / "data") as connection:
        connection.autocommit = True
        yield connection


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """A real session with the extension, over the reference catalog."""
    import predicat_spark

    folder = tmp_path_factory.mktemp("spark")
    manifest = folder / "manifest.json"
    predicat_spark.compile_manifest(ROOT / "catalog", manifest)
    session = predicat_spark.session(
        manifest=manifest,
        config={
            "spark.master": "local[2]",
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.session.timeZone": "America/Los_Angeles",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.driver.memory": "3g",
        },
    )
    yield session
    session.stop()
