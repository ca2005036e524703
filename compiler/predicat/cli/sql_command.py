"""predicat sql"""

from __future__ import annotations

from pathlib import Path

import click

from predicat.cli.options import catalog_option, load, vars_option


@click.command(
    "sql", help="Print the SQL of a filter: dataset.filter, dataset.filter@2, or filter where it is unique."
)
@click.argument("name")
@click.option("--dialect", default="spark", show_default=True, help="spark or postgres.")
@catalog_option
@vars_option
def command(name: str, dialect: str, folder: Path, variables: tuple[str, ...]) -> None:
    click.echo(load(folder, variables)[name].sql(dialect))
