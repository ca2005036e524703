"""What programs that tests start find around them."""

from __future__ import annotations

import os


def spark_environment() -> dict[str, str]:
    """This process's environment without its Spark; a JVM that ends soon is not worth the better compiler."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK", "PYSPARK"))}
    return {**inherited, "SPARK_SUBMIT_OPTS": "-XX:TieredStopAtLevel=1"}
