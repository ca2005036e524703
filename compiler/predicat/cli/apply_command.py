"""predicat apply."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from predicat.cli.exit_codes import ExitCode
from predicat.cli.options import CATALOG, FOLDER, VARIABLES, Timeouts, dsn_option, load, option, options
from predicat.cli.output import FORMAT, show
from predicat.cli.project import EMBEDDED, connect
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import commands as say
from predicat.diagnostics.messages import deploy as say_deploy
from predicat.diagnostics.wording import quantity

if TYPE_CHECKING:
    from predicat.catalog.model import Catalog
    from predicat.deploy.deployment import Plan
    from predicat.deploy.plan import Rules


class Target(Struct, frozen=True, kw_only=True):
    """Which views of which database, and what may be done to them."""

    dsn: str | None = dsn_option()
    schema: str | None = option(
        "--schema NAME", "The schema of the views. Default: the schema of each relation.", setting="schema"
    )
    force: bool = option("--force", "Also replace or drop views and policies that were changed by hand.")
    adopt: bool = option(
        "--adopt", "Take over views of predicat 0.1.0, which have no mark, and row policies of the same name."
    )
    standalone: bool = option(
        "--standalone",
        "Make views that call no functions of the schema predicat, and install none. The SQL of these views "
        "is longer.",
    )
    data: Path = option("--data", "The data folder of the embedded server.", below=EMBEDDED, type=FOLDER)

    def rules(self) -> Rules:
        """What is allowed."""
        from predicat.deploy.plan import Rules  # noqa: PLC0415  # needs the driver, which connect asks for

        return Rules(self.force, self.adopt, self.standalone)

    def options(self) -> dict[str, Any]:
        """What a plan depends on beside the catalog and the database."""
        return {name: getattr(self, name) for name in ("schema", "force", "adopt", "standalone")}


@click.command(
    "apply",
    help=(
        "Create, replace or drop PostgreSQL views so that they match the catalog. The view of a filter is "
        "named dataset__filter. Unchanged views are not touched."
    ),
)
@options
def command(
    *,
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
    target: Target,
    timeouts: Timeouts,
    dry_run: bool = option("--dry-run", "Print the plan with its SQL. Change nothing."),
    check: bool = option("--check", "Change nothing. End with 1 if something would change."),
    approved: Path | None = option(
        "--plan FILE",
        "Apply this plan of predicat plan, or nothing if the plan for the database is another one by now.",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
    ),
    form: str = FORMAT,
) -> None:
    from predicat.catalog.project import load_project  # noqa: PLC0415  # not for --help

    catalog, name = load(folder, variables), load_project(folder).catalog
    with connect(target.dsn, target.data) as connection:
        from predicat.deploy import approval, deployment  # noqa: PLC0415  # needs the driver, which connect asks for

        limits = timeouts.limits()
        plan = deployment.plan(catalog, connection, name, target.schema, target.rules())
        if dry_run or check:
            script = list(deployment.script(connection, plan, limits))
            show(form, _data(plan, script), lambda: _text(plan, catalog) if check else "\n".join(script))
            if form == "text" and not script and not check:
                click.echo(_text(plan, catalog), err=True)
            needs_views(plan, catalog)
            if check and plan.batches:
                raise click.exceptions.Exit(ExitCode.FINDINGS)
            return
        if approved is not None:
            now = approval.document(connection, plan, target.options())
            if differ := approval.differences(approval.read(approved), now):
                raise PredicatError.of(say_deploy.other_plan(str(approved), differ))
        done = deployment.execute(connection, name, plan, limits)
    if done.functions.note is not None:
        click.echo(done.functions.note.render(), err=True)
    show(form, _data(done, None), lambda: _text(done, catalog))
    needs_views(done, catalog)


def needs_views(plan: Plan, catalog: Catalog) -> None:
    """Fail if there is nothing to apply: a job that does nothing would always pass."""
    if _nothing(plan, catalog):
        raise click.exceptions.Exit(ExitCode.USAGE)


def _nothing(plan: Plan, catalog: Catalog) -> bool:
    asks = any("postgres" in row.relation or row.policies for row in catalog.datasets.values())
    return not plan.steps and not asks


def _data(plan: Plan, script: list[str] | None) -> dict[str, Any]:
    """The plan as JSON has it; with a script nothing was done."""
    return {
        "views": [
            {"name": step.shown, "action": str(step.action), "reason": step.reason} for step in plan.steps
        ],
        "lists": list(plan.lists.lines()),
        "functions": len(plan.functions.to_install),
        "filter_functions": list(plan.filters.lines()),
        "policies": list(plan.policies.lines()),
        "renewed": len(plan.renewed),
        "transactions": len(plan.batches),
        "done": script is None,
        "script": script,
    }


# The largest number of changes that are listed one by one.
_SHOWN = 20
_PAST = {
    "create": "created",
    "replace": "replaced",
    "recreate": "dropped and created again",
    "options": "options changed",
    "comment": "comments changed",
    "drop": "dropped",
    "keep": "unchanged",
}


def _text(done: Plan, catalog: Catalog) -> str:
    lines: list[str] = []
    if _nothing(done, catalog):
        return say.NO_VIEWS
    if done.functions.to_install:
        lines.append(f"install {quantity(len(done.functions.to_install), 'function')} in the schema predicat")
    lines += [*done.lists.lines(), *done.filters.lines(), *done.policies.lines()]
    if done.renewed:
        lines.append(f"renew the marks of {quantity(len(done.renewed), 'view')}: the server stores them anew")
    lines += [f"{step.action} {step.shown}: {step.reason}" for step in done.changes[:_SHOWN]]
    if len(done.changes) > _SHOWN:
        lines.append(f"... and {len(done.changes) - _SHOWN:,} more")
    counts = Counter(str(step.action) for step in done.steps)
    counted = ", ".join(f"{counts[action]:,} {past}" for action, past in _PAST.items() if counts[action])
    parts = len(done.batches)
    suffix = f", in {parts} transactions of up to 100 views" if parts > 1 else ""
    return "\n".join((*lines, f"{counted or 'no views'}{suffix}"))
