"""predicat init"""

from __future__ import annotations

from pathlib import Path

import click

_CATALOG = """\
apiVersion: predicat/v1
dataset: customers
description: One row a customer.
relation: {spark: customers, postgres: public.customers}
fields:
  id: bigint
  country: string
  orders: {type: bigint, description: Orders so far.}
  last_seen: timestamp
filters:
  active:
    description: Seen since a day, and has ordered.
    owner: you@example.com
    sql: "last_seen >= :since AND orders > 0"
    params: {since: {type: timestamp, default: "2026-01-01 00:00:00"}}
    tests:
      - {row: {last_seen: "2026-02-01 00:00:00", orders: 3}, matches: true}
      - {row: {last_seen: "2026-02-01 00:00:00", orders: 0}, matches: false}
      - {row: {last_seen: null, orders: 3}, matches: false}
  european:
    description: From a country that we ship to in Europe.
    owner: you@example.com
    cel: country in ["DE", "FR", "NL"]
  active_european:
    description: Both.
    owner: you@example.com
    all: [active, european]
"""
_MACROS = "{#- Macros are Jinja, as in dbt; filters call them as {{ name(...) }}. -#}\n"


@click.command(
    "init", help="Write a small catalog that passes predicat check; nothing that exists is changed."
)
@click.argument("folder", default=".", type=click.Path(path_type=Path))
def command(folder: Path) -> None:
    from predicat.catalog.attributes import missing_attributes  # noqa: PLC0415  # not for --help
    from predicat.catalog.manifest import write_text  # noqa: PLC0415  # as above

    files = {folder / "catalog" / "customers.yml": _CATALOG, folder / "macros" / "macros.sql": _MACROS}
    there = [str(path) for path in files if path.exists()]
    if there:
        raise click.UsageError(f"{there[0]} exists already")
    attributes = missing_attributes(folder / "catalog")
    if attributes is not None and not attributes[0].exists():
        files[attributes[0]] = attributes[1]
    for path, text in files.items():
        write_text(path, text)
        click.echo(f"wrote {path}")
    click.echo(f"next: predicat check --catalog {folder / 'catalog'}")
