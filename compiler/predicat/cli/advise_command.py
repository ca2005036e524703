"""predicat advise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from predicat.cli.exit_codes import ExitCode
from predicat.cli.options import (
    CATALOG,
    FOLDER,
    VARIABLES,
    Timeouts,
    dsn_option,
    load,
    option,
    options,
)
from predicat.cli.output import FORMAT, problems, show
from predicat.cli.project import EMBEDDED, connect
from predicat.diagnostics.messages import advice as say
from predicat.diagnostics.wording import quantity

if TYPE_CHECKING:
    from predicat.deploy.advice.advisor import Advice, Proposal, Use


@click.command(
    "advise",
    help=(
        "Propose indexes and statistics of PostgreSQL for the views of the filters. Each index is created in "
        "a transaction that is rolled back, and proposed if the planner then uses it. Exit code 1 if there "
        "is a proposal or a warning."
    ),
)
@options
def command(
    *,
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
    dsn: str | None = dsn_option(),
    schema: str | None = option(
        "--schema NAME", "The schema of the views. Default: the schema of each relation.", setting="schema"
    ),
    workload: Path | None = option(
        "--workload FILE",
        "SQL statements, each with a semicolon, for which advice is given, too.",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
    ),
    plan_only: bool = option(
        "--plan-only", "Do not run the queries: no buffers, and no advice on estimates."
    ),
    create: bool = option(
        "--create", "Also try indexes on tables of more than 256 MB. Writers of a table wait meanwhile."
    ),
    rows: int = option(
        "--rows N",
        "Warn of sequential scans of tables with at least so many rows.",
        default=10_000,
        type=click.IntRange(1),
    ),
    timeouts: Timeouts,
    data: Path = option("--data", "The data folder of the embedded server.", below=EMBEDDED, type=FOLDER),
    form: str = FORMAT,
) -> None:
    from predicat.catalog.project import load_project  # noqa: PLC0415  # not for --help

    catalog, name = load(folder, variables), load_project(folder).catalog
    with connect(dsn, data) as connection:
        from predicat.deploy.advice import run  # noqa: PLC0415  # needs the driver, which connect asks for
        from predicat.deploy.advice.advisor import Rules  # noqa: PLC0415  # as above

        most = {"most": 2**63} if create else {}
        rules = Rules(runs=not plan_only, rows=rows, **most)
        advice = run.advise(
            catalog, connection, name, schema, workload, limits=timeouts.limits(), rules=rules
        )
    data_ = {
        "queries": advice.queries,
        "tables": advice.tables,
        "tried": advice.tried,
        "proposals": [one.data for one in advice.proposals],
        "warnings": problems(advice.warnings),
    }
    show(form, data_, lambda: "\n".join(_lines(advice)))
    if not advice.queries:
        click.echo(say.NO_QUERIES, err=True)
        raise click.exceptions.Exit(ExitCode.USAGE)
    if advice.proposals or advice.warnings:
        raise click.exceptions.Exit(ExitCode.FINDINGS)


def _lines(advice: Advice) -> Iterator[str]:
    for one in advice.proposals:
        yield from _of_proposal(one)
        yield ""
    for warning in advice.warnings:
        yield warning.render()
        yield ""
    yield (
        f"{advice.queries:,} queries judged on {quantity(advice.tables, 'table')}, "
        f"{advice.tried:,} tried and rolled back: {quantity(len(advice.proposals), 'proposal')}, "
        f"{quantity(len(advice.warnings), 'warning')}"
    )


def _of_proposal(one: Proposal) -> Iterator[str]:
    yield from (f"{statement};" for statement in one.sql)
    if one.reapply:
        yield "  then run predicat apply: views get a form that it serves"
    yield from (f"  {use.name}: {_change(use)}" for use in one.uses)


def _change(use: Use) -> str:
    before, after = use.before, use.after
    parts = [f"cost {before.cost:,.0f} -> {after.cost:,.0f}"]
    if before.buffers is not None and after.buffers is not None:
        parts.append(f"buffers {before.buffers:,} -> {after.buffers:,}")
        parts.append(f"rows {after.rows:,}")
    return ", ".join([*parts, f"estimated {before.estimate:,.0f} -> {after.estimate:,.0f}"])
