"""predicat apply"""

from __future__ import annotations

from pathlib import Path

import click

from predicat.cli.options import catalog_option, dsn_option, load, vars_option


@click.command("apply", help="Create or replace a view dataset__filter for every filter whose parameters have defaults.")
@catalog_option
@vars_option
@dsn_option
@click.option("--schema", help="The schema of the views; by default that of the relation.")
@click.option("--dry-run", is_flag=True, help="Print the SQL and change nothing.")
@click.option("--data", default="target/postgres", show_default=True, type=click.Path(path_type=Path), help="Data folder of the embedded server.")
def command(folder: Path, variables: tuple[str, ...], dsn: str | None, schema: str | None, dry_run: bool, data: Path) -> None:  # click passes flags so
    from predicat.deploy import server, views  # noqa: PLC0415  # not for --help

    catalog = load(folder, variables)
    if dry_run:
        click.echo("\n".join(f"{sql};" for sql in ("BEGIN", *(sql for _, sql in views.statements(catalog, schema)), "COMMIT")))
        return
    with server.connect(dsn, data) as connection:
        done = views.apply(catalog, connection, schema)
    click.echo(f"{len(done)} views: {', '.join(done[:5])}{', ...' if len(done) > 5 else ''}")
