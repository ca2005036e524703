"""predicat export"""

from __future__ import annotations

from pathlib import Path

import click

from predicat.cli.options import catalog_option, load_quietly, pairs, vars_option


@click.group("export", help="The filters as packages of other tools.")
def command() -> None:
    """The group."""


@command.command(
    "dbt",
    help="Write a dbt package: {{ predicat_filters.matches_filter('name') }} and generic tests of coverage.",
)
@catalog_option
@vars_option
@click.option(
    "--out",
    default="target/dbt",
    show_default=True,
    type=click.Path(path_type=Path),
    help="The folder of the package.",
)
def dbt(folder: Path, variables: tuple[str, ...], out: Path) -> None:
    from predicat.deploy.dbt import export  # noqa: PLC0415  # not for --help

    count, notes = export(load_quietly(folder, pairs("--var", variables)), out)
    for note in notes:
        click.echo(f"note: {note}", err=True)
    click.echo(f"{out}: {count} filters; add it to packages.yml as - local: {out}")
