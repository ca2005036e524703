"""predicat spark: works with the package predicat_spark, which is loaded only here and in `run`."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import click

from predicat.cli.options import FOLDER, option, options


def extension() -> Any:
    """The package predicat_spark: the compiler does not depend on it, this command does."""
    return importlib.import_module("predicat_spark")


@click.group("spark", help="Build the jar of the Spark extension.")
def command() -> None:
    """Hold the subcommands."""


@command.command("jar", help="Compile the extension for a version of Spark and write its jar.")
@options
def jar(
    *,
    out: Path = option("--out", "The file to write.", default="predicat-spark.jar"),
    spark_home: Path | None = option(
        "--spark-home", "The folder of the Spark to compile for. Default: the installed PySpark.", type=FOLDER
    ),
) -> None:
    extension().write_jar(out, spark_home)
    click.echo(
        f"wrote {out}; start Spark with --jars {out} --conf spark.predicat.manifest=target/manifest.json"
    )


@command.command("home", help="Print the JAVA_HOME that Spark will use.")
def home() -> None:
    click.echo(str(extension().ensure_java()))
