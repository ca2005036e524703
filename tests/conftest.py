"""One Spark session and one PostgreSQL server for each process of the test run."""

import gc
import logging
import os
import re
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.oracles import NOT_RUN

ROOT = Path(__file__).parent.parent
os.environ.setdefault("TZ", "UTC")


FAST = os.environ.get("PREDICAT_FAST") == "1"
SLOW = os.environ.get("PREDICAT_SLOW") == "1"
_FIXTURES = frozenset({"spark", "postgres", "browser", "page"})
_ENGINES = re.compile(
    r"duckdb|predicat_spark|psycopg|playwright|great_expectations|spark-submit|spark_environment|--engine"
)


def needs_engine(item: pytest.Item) -> bool:
    """Whether a test may start Spark, PostgreSQL, DuckDB or a browser: by its fixtures, or as its module
    speaks of one.
    """
    fixtures = set(getattr(item, "fixturenames", ()))
    return bool(fixtures & _FIXTURES) or _speaks_of_engines(item.path)


@cache
def _speaks_of_engines(file: Path) -> bool:
    return _ENGINES.search(file.read_text(encoding="utf-8")) is not None


# The loggers of defects: a proof that a row contradicts, and a solver that only time stopped.
_DEFECTS = ("predicat.proof.second_opinion", "predicat.proof.compare")


class _Defect(logging.Handler):
    """A defect that a proof survives fails the suite."""

    def emit(self, record: logging.LogRecord) -> None:
        raise AssertionError(record.getMessage())


def pytest_configure() -> None:
    for name in _DEFECTS:
        logging.getLogger(name).addHandler(_Defect())


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """`make test-fast` does not even load what may start an engine."""
    return (FAST and collection_path.suffix == ".py" and _speaks_of_engines(collection_path)) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`make test-fast` (PREDICAT_FAST=1) runs what needs no engine, and only `make test-all`
    (PREDICAT_SLOW=1) what is slow.
    """
    if not SLOW:
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="slow: make test-all runs it"))
    if FAST:
        chosen = [item for item in items if not item.get_closest_marker("long") and not needs_engine(item)]
        kept = set(chosen)
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = chosen
    # The processes take files in this order: what takes longest must not come last.
    spark = {item.path for item in items if "spark" in getattr(item, "fixturenames", ())}
    items.sort(key=lambda item: item.path not in spark and item.path.stem not in _LONG)


def pytest_collection_finish() -> None:
    """What is collected lives as long as the process: the garbage collector would walk all the tests and
    their modules again and again.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


# Files that take long though they have no Spark session.
_LONG = ("test_benchmarks", "test_docs", "test_programs", "test_servers")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Lists what docs/evidence.md claims and this run could not check."""
    found = {
        report.longrepr[2].partition(NOT_RUN)[2]
        for report in terminalreporter.stats.get("skipped", ())
        if isinstance(report.longrepr, tuple) and NOT_RUN in report.longrepr[2]
    }
    if found:
        terminalreporter.section("not run, of what docs/evidence.md claims")
        for line in sorted(found):
            terminalreporter.write_line(f"- {line}")


@pytest.fixture(scope="session")
def postgres() -> Iterator[object]:
    """A connection to a real server. Its folder is open to others: under root the server runs as another
    user.
    """
    from predicat.deploy.server import connect

    folder = Path(tempfile.mkdtemp(prefix="predicat-postgres-"))
    folder.chmod(0o755)
    with connect(os.environ.get("PREDICAT_TEST_DSN"), folder / "data") as connection:
        connection.autocommit = True
        # Tests make tables of the same name with other columns, which a prepared statement would not notice.
        connection.prepare_threshold = None
        connection.execute("CREATE EXTENSION IF NOT EXISTS citext")
        yield connection


# What a test may leave to the next one: functions in `predicat`, which others replace.
LEFT = """
SELECT array_agg(name ORDER BY name), current_setting('TimeZone') FROM (
  SELECT 'schema ' || nspname AS name FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'predicat'
  UNION ALL SELECT 'role ' || rolname FROM pg_roles WHERE rolname !~ '^pg_'
) AS there
"""


@pytest.fixture(autouse=True)
def nothing_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test leaves no schema, role or setting on the server, so its order among others does not matter."""
    connection: Any = None
    if "postgres" in request.fixturenames:
        connection = request.getfixturevalue("postgres")
    if not hasattr(connection, "execute"):  # some tests have a parameter of this name
        yield
        return
    before = connection.execute(LEFT).fetchone()
    yield
    assert connection.execute(LEFT).fetchone() == before


# A query of a test may have many expressions and has few rows, and runs once. In one method for the whole
# stage the expressions are too long for Java, which Spark finds only after it has compiled them; then it
# compiles them once more.
ONE_QUERY = {"spark.sql.codegen.wholeStage": "false", "spark.sql.adaptive.enabled": "false"}


@pytest.fixture
def one_query(spark: object) -> Iterator[None]:
    """Spark compiles each expression on its own."""
    from predicat_spark.settings import settings

    with settings(spark, ONE_QUERY):
        yield


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
            # Hardly a query runs twice: the optimizing compiler would take a third of the time. Plans and
            # compiled queries die young: with room for them the collector copies little.
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
            " -Xms1g -Xmn600m -XX:MetaspaceSize=400m",
            "spark.predicat.manifest.sessions": "true",
        },
    )
    yield session
    session.stop()
