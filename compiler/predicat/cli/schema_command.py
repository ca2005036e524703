"""predicat schema"""

from __future__ import annotations

import json

import click


@click.command("schema", help="Print the JSON Schema of catalog files, for editors.")
def command() -> None:
    from predicat.catalog.schema import json_schema  # noqa: PLC0415  # not for --help

    click.echo(json.dumps(json_schema(), indent=2))
