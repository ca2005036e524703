"""predicat export."""

from __future__ import annotations

from pathlib import Path

import click
from msgspec.structs import replace

from predicat.cli.options import CATALOG, FOLDER, VARIABLES, argument, load_quietly, option, options
from predicat.cli.output import FORMAT, show
from predicat.diagnostics.wording import quantity

# Those of `deploy.dbt_targets`, which takes long to import.
DBT_ADAPTERS = ("postgres", "spark", "duckdb", "databricks", "snowflake", "bigquery", "redshift", "trino")


@click.group("export", help="Write the filters for other tools: dbt, Spark Declarative Pipelines.")
def command() -> None:
    """Hold the subcommands."""


@command.command(
    "dbt",
    help=(
        "Write a dbt package. It has the macro {{ predicat_filters.matches_filter('name') }}, and generic "
        "tests of coverage."
    ),
)
@options
def dbt(
    *,
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
    out: Path = option("--out", "The folder of the package.", below="target/dbt", type=FOLDER),
    targets: tuple[str, ...] = option(
        "--target ADAPTER",
        "An adapter to write SQL for; can be repeated.  [default: postgres, spark, duckdb, which are run]",
        type=click.Choice(DBT_ADAPTERS),
    ),
    form: str = FORMAT,
) -> None:
    from predicat.deploy.dbt import export  # noqa: PLC0415  # not for --help
    from predicat.deploy.dbt_targets import DEFAULT  # noqa: PLC0415  # as above

    count, notes = export(load_quietly(folder, variables), out, targets or DEFAULT)
    for note in notes:
        click.echo(f"note: {note}", err=True)
    data = {"folder": str(out), "filters": count, "notes": list(notes)}
    show(form, data, lambda: f"{out}: {quantity(count, 'filter')}; add it to packages.yml as - local: {out}")


@command.command(
    "pipeline",
    help=(
        "Write a project of Spark Declarative Pipelines. Each filter of a job or dataset is a view, a table "
        "or a sink."
    ),
)
@options
def pipeline(
    *,
    name: str = argument("JOB|DATASET"),
    filters: tuple[str, ...] = argument(nargs=-1, metavar="[FILTER]..."),
    kind: str = option(
        "--as",
        "What each filter becomes.",
        type=click.Choice(["materialized-view", "streaming-table", "sink"]),
        default="materialized-view",
    ),
    table: str | None = option(
        "--input TABLE", "The table to read, if no job names it.  [default: the relation of the dataset]"
    ),
    form: str | None = option(
        "--format FORMAT", "The format of the files of the job, if the job does not name it."
    ),
    schema: str | None = option(
        "--columns DDL", "The columns of the files of the job in Spark DDL. A streaming table needs them."
    ),
    sinks: str | None = option("--sinks PATH", "The folder of the sinks."),
    out: Path = option("--out", "The folder of the project.", below="target/pipeline", type=FOLDER),
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
) -> None:
    from predicat.catalog.jobs import Job, Source  # noqa: PLC0415  # not for --help
    from predicat.deploy.chosen import dataset_of, job_of, with_filters  # noqa: PLC0415  # as above
    from predicat.deploy.pipelines import export  # noqa: PLC0415  # as above

    catalog = load_quietly(folder, variables)
    job = job_of(catalog, name)
    if job is None:
        job = Job("", name, Source(table=table or dataset_of(catalog, name).relation.get("spark", name)))
    elif table is not None:
        job = replace(job, source=Source(table=table))
    if filters:
        job = with_filters(job, filters)
    job = replace(
        job, source=replace(job.source, format=form or job.source.format, schema=schema or job.source.schema)
    )
    names = export(catalog, job, kind, out, sinks=sinks)
    written = quantity(len(names), "filter")
    click.echo(f"{out}: {written}; spark-pipelines run --spec {out / 'spark-pipeline.yml'}")
