"""A hook of the build: the wheel carries the jar of the Spark extension for each Spark that is at hand.

These are the installed PySpark and the folders in PREDICAT_SPARK_HOMES, separated by colons. Where neither
is there, the wheel has no jar, and the package compiles it at first use.
"""

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent


class JarHook(BuildHookInterface[Any]):
    """Adds the jars to a wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add a jar for each Spark of PREDICAT_SPARK_HOMES; by default for the installed PySpark."""
        if version == "editable":
            return
        sys.path[:0] = [str(ROOT / "compiler"), str(ROOT / "spark_ext")]
        homes = [Path(home) for home in os.environ.get("PREDICAT_SPARK_HOMES", "").split(os.pathsep) if home]
        try:
            from predicat_spark.jar import ensure_jar  # noqa: PLC0415  # needs the package's own libraries
            from predicat_spark.java import pyspark_home  # noqa: PLC0415  # as above

            homes = homes or [pyspark_home()]
        except Exception as missing:  # a library of the package, or PySpark
            if homes:
                raise
            self.app.display_info(f"the wheel has no jar of the Spark extension: {missing}")
            return
        for home in homes:
            jar = ensure_jar(home)
            build_data["force_include"][str(jar)] = f"predicat_spark/_jars/{jar.name}"
