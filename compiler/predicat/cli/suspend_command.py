"""predicat suspend."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from predicat.cli.options import (
    CATALOG,
    FOLDER,
    VARIABLES,
    Timeouts,
    argument,
    dsn_option,
    load,
    option,
    options,
)
from predicat.cli.output import FORMAT, show
from predicat.cli.project import EMBEDDED, connect
from predicat.diagnostics.wording import quantity


@click.command(
    "suspend",
    help=(
        "Alter a PostgreSQL table that has views: in one transaction, drop the views and what depends on "
        "them, run the SQL of FILE (- for the standard input), and bring everything back."
    ),
)
@options
def command(
    *,
    table: str = argument(),
    file: str = argument(type=click.Path(exists=True, dir_okay=False, allow_dash=True)),
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
    timeouts: Timeouts,
    dsn: str | None = dsn_option(),
    schema: str | None = option(
        "--schema NAME", "The schema of the views. Default: the schema of each relation.", setting="schema"
    ),
    dry_run: bool = option("--dry-run", "Do everything, then roll it back."),
    force: bool = option("--force", "Bring views that were changed by hand back as the catalog has them."),
    data: Path = option("--data", "The data folder of the embedded server.", below=EMBEDDED, type=FOLDER),
    form: str = FORMAT,
) -> None:
    from predicat.catalog.project import load_project  # noqa: PLC0415  # not for --help
    from predicat.diagnostics.reading import text_of  # noqa: PLC0415  # as above

    catalog, name = load(folder, variables), load_project(folder).catalog
    sql = sys.stdin.read() if file == "-" else text_of(Path(file))
    with connect(dsn, data) as connection:
        from predicat.deploy.plan import Rules  # noqa: PLC0415  # needs the driver, which connect asks for
        from predicat.deploy.suspend import Suspension  # noqa: PLC0415  # as above

        rules, limits = Rules(force=force), timeouts.limits()
        shown = Suspension(catalog, connection, name, table, sql, file, schema, rules, limits).run(
            dry=dry_run
        )
    result = {"table": table, "views": shown, "done": not dry_run}
    count = quantity(len(shown), "view")
    last = (
        f"{table} was altered; {count} were away" if not dry_run else f"{count} would be away and come back"
    )
    show(form, result, lambda: "\n".join([*(f"{one} came back" for one in shown), last]))
