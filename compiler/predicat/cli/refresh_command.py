"""predicat refresh."""

from __future__ import annotations

from pathlib import Path

import click

from predicat.cli.bars import bar
from predicat.cli.colour import tell
from predicat.cli.exit_codes import ExitCode, code_for
from predicat.cli.options import FOLDER, Timeouts, dsn_option, load, option, options
from predicat.cli.output import FORMAT, problems, show
from predicat.cli.project import EMBEDDED, connect
from predicat.cli.selection import Selection
from predicat.diagnostics import PredicatError, rendered
from predicat.diagnostics.messages import commands as say


@click.command(
    "refresh",
    help=(
        "Refresh the materialized PostgreSQL views of filters, each behind those that it reads, in "
        "transactions of their own. Readers do not wait, but for a view that has no rows yet. After a "
        "failure the others are still refreshed."
    ),
)
@options
def command(
    *,
    selection: Selection,
    dsn: str | None = dsn_option(),
    schema: str | None = option(
        "--schema NAME", "The schema of the views. Default: the schema of each relation.", setting="schema"
    ),
    timeouts: Timeouts,
    data: Path = option("--data", "The data folder of the embedded server.", below=EMBEDDED, type=FOLDER),
    form: str = FORMAT,
) -> None:
    from predicat.catalog.project import load_project  # noqa: PLC0415  # not for --help

    catalog, name = load(selection.folder, selection.variables), load_project(selection.folder).catalog
    filters = selection.filters(catalog)
    done: dict[str, bool] = {}
    with connect(dsn, data) as connection:
        from predicat.deploy import materialized  # noqa: PLC0415  # needs the driver, which connect asks for

        there = materialized.ours(connection, name, schema)
        wanted, failed = materialized.of_filters(filters, there)
        with bar() as progress:
            for view in progress.track(wanted, description="refresh"):
                if connection.closed:
                    break
                try:
                    done[view.shown] = materialized.refresh(connection, view, timeouts.limits())
                except PredicatError as error:
                    failed += error.diagnostics
    views = [{"name": shown, "concurrently": beside} for shown, beside in done.items()]
    words = {True: "refreshed", False: "filled"}
    lines = [f"{words[beside]} {shown}" for shown, beside in done.items()]
    show(form, {"views": views, "problems": problems(failed)}, lambda: "\n".join(lines))
    if failed:
        tell(rendered(failed))
        raise click.exceptions.Exit(code_for("refresh", failed))
    if not done:
        click.echo(say.NOTHING_MATERIALIZED, err=True)
        raise click.exceptions.Exit(ExitCode.USAGE)
