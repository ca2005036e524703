"""predicat check"""

from __future__ import annotations

from pathlib import Path

import click

from predicat.cli.options import catalog_option, load, vars_option


@click.command("check", help="Check a catalog: every file, name, type, reference and inline test.")
@catalog_option
@vars_option
def command(folder: Path, variables: tuple[str, ...]) -> None:
    found = load(folder, variables)
    filters = found.filters()
    tests = sum(len(row.tests) for row in filters)
    versions = sum(len(row.versions) for row in filters)
    click.echo(f"{len(found.datasets)} datasets, {len(filters)} filters in {versions} versions, {tests} tests passed")
