"""predicat apply"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from predicat.cli.options import SECONDS, catalog_option, dsn_option, load, vars_option

if TYPE_CHECKING:
    from predicat.deploy.deployment import Plan


@click.command(
    "apply",
    help="Make the PostgreSQL views dataset__filter as the catalog asks. What does not change is not touched.",
)
@catalog_option
@vars_option
@dsn_option
@click.option("--schema", help="The schema of the views; by default that of each relation.")
@click.option("--dry-run", is_flag=True, help="Print the plan with its SQL and change nothing.")
@click.option("--force", is_flag=True, help="Replace or drop views that somebody changed by hand, too.")
@click.option(
    "--adopt",
    is_flag=True,
    help="Take over the views of an earlier edition of predicat, which did not mark them.",
)
@click.option(
    "--lock-timeout", default=5.0, show_default=True, type=SECONDS, help="Seconds to wait for a lock."
)
@click.option(
    "--statement-timeout",
    default=300.0,
    show_default=True,
    type=SECONDS,
    help="Seconds that a statement may take.",
)
@click.option(
    "--data",
    default="target/postgres",
    show_default=True,
    type=click.Path(path_type=Path),
    help="Data folder of the embedded server.",
)
def command(folder: Path, variables: tuple[str, ...], dsn: str | None, schema: str | None, data: Path, lock_timeout: float, statement_timeout: float,
            *, dry_run: bool, force: bool, adopt: bool) -> None:  # fmt: skip
    from predicat.catalog.project import load_project  # noqa: PLC0415  # not for --help
    from predicat.deploy import server  # noqa: PLC0415  # as above

    catalog, name = load(folder, variables), load_project(folder).catalog
    with server.connect(dsn, data) as connection:
        from predicat.deploy import deployment  # noqa: PLC0415  # needs the driver, which connect asks for
        from predicat.deploy.plan import Rules  # noqa: PLC0415  # as above
        from predicat.deploy.sessions import Limits  # noqa: PLC0415  # as above

        rules, limits = Rules(force, adopt), Limits(lock_timeout, statement_timeout)
        if dry_run:
            for line in deployment.script(
                connection, deployment.plan(catalog, connection, name, schema, rules), limits
            ):
                click.echo(line)
            return
        done = deployment.apply(catalog, connection, name, schema, rules=rules, limits=limits)
    _tell(done)


_SHOWN = 20
"""So many changes are told one by one."""
_PAST = {"create": "created", "replace": "replaced", "recreate": "dropped and created again", "options": "options changed", "comment": "described anew",
         "drop": "dropped", "keep": "unchanged"}  # fmt: skip


def _tell(done: Plan) -> None:
    for step in done.changes[:_SHOWN]:
        click.echo(f"{step.action} {step.shown}: {step.reason}")
    if len(done.changes) > _SHOWN:
        click.echo(f"... and {len(done.changes) - _SHOWN:,} more")
    counts = Counter(str(step.action) for step in done.steps)
    said = ", ".join(f"{counts[action]:,} {past}" for action, past in _PAST.items() if counts[action])
    parts = len(done.batches)
    click.echo(f"{said or 'no views'}{f', in {parts} transactions of up to 500 views' if parts > 1 else ''}")
