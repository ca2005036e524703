"""predicat run"""

from __future__ import annotations

import json
from pathlib import Path

import click

from predicat.cli.options import catalog_option, load, vars_option
from predicat.cli.spark_command import extension


@click.command(
    "run", help="Read a dataset on Spark, evaluate filters in one pass, write the accepted rows of each."
)
@click.argument("dataset")
@click.argument("filters", nargs=-1)
@click.option("--input", "source", required=True, help="A table, or a Parquet, JSON or CSV path.")
@click.option(
    "--out", help="Folder (any Hadoop path) for one Parquet folder a filter; none: only the report."
)
@click.option(
    "--tables", metavar="PREFIX", help="Write a table a filter instead, named PREFIX and the filter's name."
)
@click.option("--report", type=click.Path(path_type=Path), help="Where to save the report as JSON.")
@click.option("--master", default="local[*]", show_default=True, help="The Spark master.")
@catalog_option
@vars_option
def command(dataset: str, filters: tuple[str, ...], source: str, out: str | None, tables: str | None, report: Path | None, master: str,
            folder: Path, variables: tuple[str, ...]) -> None:  # fmt: skip
    from predicat.catalog.manifest import write_text  # noqa: PLC0415  # not for --help

    catalog = load(folder, variables)
    jobs = extension()
    found = jobs.run(catalog, dataset, list(filters), source, out, master, tables)
    click.echo(jobs.table(found))
    if report is not None:
        write_text(report, json.dumps(found, indent=2) + "\n")
        click.echo(f"report: {report}")
