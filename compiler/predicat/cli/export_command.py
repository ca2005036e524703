"""predicat export."""

from __future__ import annotations

from pathlib import Path

import click
from msgspec.structs import replace

from predicat.cli.options import FOLDER, catalog_option, load_quietly, pairs, vars_option
from predicat.cli.output import format_option, show
from predicat.cli.project import FromProject
from predicat.diagnostics.wording import quantity


@click.group("export", help="Write the filters for other tools: dbt, Spark Declarative Pipelines.")
def command() -> None:
    """Hold the subcommands."""


@command.command(
    "dbt",
    help=(
        "Write a dbt package. It has the macro {{ "
        "predicat_filters.matches_filter('name') }}, and generic tests of coverage."
    ),
)
@catalog_option
@vars_option
@click.option(
    "--out",
    cls=FromProject,
    below="target/dbt",
    show_default=True,
    type=FOLDER,
    help="The folder of the package.",
)
@format_option
def dbt(folder: Path, variables: tuple[str, ...], out: Path, form: str) -> None:
    from predicat.deploy.dbt import export  # noqa: PLC0415  # not for --help

    count, notes = export(load_quietly(folder, pairs("--var", variables)), out)
    for note in notes:
        click.echo(f"note: {note}", err=True)
    data = {"folder": str(out), "filters": count, "notes": list(notes)}
    show(form, data, lambda: f"{out}: {quantity(count, 'filter')}; add it to packages.yml as - local: {out}")


@command.command(
    "pipeline",
    help=(
        "Write a project of Spark Declarative Pipelines. Each filter of a job or "
        "dataset is a view, a table or a sink."
    ),
)
@click.argument("name", metavar="JOB|DATASET")
@click.argument("filters", nargs=-1, metavar="[FILTER]...")
@click.option(
    "--as",
    "kind",
    type=click.Choice(["materialized-view", "streaming-table", "sink"]),
    default="materialized-view",
    show_default=True,
    help="What each filter becomes.",
)
@click.option(
    "--input",
    "table",
    metavar="TABLE",
    help="The table to read, if no job names it.  [default: the relation of the dataset]",
)
@click.option(
    "--format",
    "form",
    metavar="FORMAT",
    help="The format of the files of the job, if the job does not name it.",
)
@click.option(
    "--columns",
    "schema",
    metavar="DDL",
    help="The columns of the files of the job in Spark DDL. A streaming table needs them.",
)
@click.option("--sinks", metavar="PATH", help="The folder of the sinks.")
@click.option(
    "--out",
    cls=FromProject,
    below="target/pipeline",
    show_default=True,
    type=FOLDER,
    help="The folder of the project.",
)
@catalog_option
@vars_option
def pipeline(
    name: str,
    filters: tuple[str, ...],
    kind: str,
    table: str | None,
    form: str | None,
    schema: str | None,
    sinks: str | None,
    out: Path,
    folder: Path,
    variables: tuple[str, ...],
) -> None:
    from predicat.catalog.jobs import Job, Source  # noqa: PLC0415  # not for --help
    from predicat.deploy.chosen import dataset_of, job_of, with_filters  # noqa: PLC0415  # as above
    from predicat.deploy.pipelines import export  # noqa: PLC0415  # as above

    catalog = load_quietly(folder, pairs("--var", variables))
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
