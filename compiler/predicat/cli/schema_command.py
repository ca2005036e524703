"""predicat schema."""

from __future__ import annotations

import json

import click

from predicat.cli.options import option, options


@click.command("schema", help="Print the JSON Schema of catalog files, for editors.")
@options
def command(
    project: bool = option("--project", "Print the schema of the project file predicat.yml instead."),
) -> None:
    from predicat.catalog.json_schema import json_schema  # noqa: PLC0415  # as above
    from predicat.catalog.project_schema import project_schema  # noqa: PLC0415  # not for --help

    click.echo(json.dumps(project_schema() if project else json_schema(), indent=2))
