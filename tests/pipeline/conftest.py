"""The catalog of tables with versions (tests/spark/Versioned.scala), beside the session's own."""

from collections.abc import Iterator
from typing import Any

import pytest

from predicat_spark.settings import settings
from tests.spark.recorded import recorded_jar


@pytest.fixture(scope="module")
def versioned(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session whose catalog `versioned` is ours."""
    spark.sql(f"ADD JAR '{recorded_jar()}'")
    chosen = {
        "spark.sql.catalog.versioned": "predicat.test.Versioned",
        "spark.sql.catalog.versioned.path": str(tmp_path_factory.mktemp("versioned")),
    }
    with settings(spark, chosen):
        yield spark
