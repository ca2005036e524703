"""predicat sql"""

from __future__ import annotations

from pathlib import Path

import click

from predicat.cli.options import catalog_option, load, vars_option


@click.command(
    "sql",
    help=(
        "Print the SQL of a filter. NAME is dataset.filter, dataset.filter@2, or just the filter if that "
        "is unique."
    ),
)
@click.argument("name")
@click.option("--dialect", default="spark", show_default=True, help="spark, postgres or duckdb.")
@catalog_option
@vars_option
def command(name: str, dialect: str, folder: Path, variables: tuple[str, ...]) -> None:
    click.echo(load(folder, variables)[name].sql(dialect))
