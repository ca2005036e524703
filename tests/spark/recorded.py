"""The jar of the Scala sources beside this: a source that shows what Spark hands it, a catalog of tables with
versions, and another extension.
"""

import hashlib
from pathlib import Path

import predicat_spark
from predicat.catalog.cache import cache_folder
from predicat_spark.jar import compile_jar
from predicat_spark.java import spark_version

SOURCES = sorted(Path(__file__).parent.glob("*.scala"))


def recorded_jar() -> Path:
    """Compiled once for the installed Spark."""
    version = "{}.{}".format(*spark_version())
    digest = hashlib.sha256(b"\0".join(file.read_bytes() for file in SOURCES)).hexdigest()[:16]
    target = cache_folder() / "jars" / f"test-{digest}-{version}.jar"
    return target if target.is_file() else compile_jar(predicat_spark.ensure_java(), SOURCES, target)
