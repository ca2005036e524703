"""predicat run."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from predicat.catalog.jobs import BAD_RECORDS, MODES, MOST_TRIES, PASSES, PER_FILTER, ROWS, Job, Sink, Source
from predicat.cli.engines import located
from predicat.cli.options import (
    FILE,
    catalog_option,
    load,
    master_option,
    now_option,
    pairs,
    reading,
    vars_option,
    with_classes_here,
)
from predicat.cli.selection import Selection, completed, selection_options
from predicat.cli.spark_command import extension
from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import commands as say
from predicat.diagnostics.wording import quantity

if TYPE_CHECKING:
    from collections.abc import Callable

    from predicat.catalog.model import Catalog

_ROWS = tuple(rows for rows in ROWS if rows != "bad")
"""What --rows takes: rows with bad cells have their own option, --quarantine."""


@click.command(
    "run",
    help=(
        "Run a job of the catalog, or filters of a dataset, on Spark. It reads the "
        "source once, and writes the rows of each filter to its sink."
    ),
)
@click.argument("name", metavar="JOB|DATASET")
@click.argument("filters", nargs=-1, metavar="[SELECTOR]...", shell_complete=completed)
@selection_options
@click.option(
    "--subscriptions", "every", flag_value="subscriptions", help="Run all subscriptions of the dataset."
)
@click.option(
    "--input",
    "source",
    metavar="PATH|TABLE",
    help="The path or table to read. It is a path if it has a slash or exists.",
)
@click.option("--format", "form", metavar="FORMAT", help="The format of the files. Default: by their names.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of Spark for this format, such as header=false or nullValue=NA.",
)
@click.option(
    "--columns",
    "schema",
    metavar="DDL",
    help="The columns of the files in Spark DDL, if the files have no schema.",
)
@click.option(
    "--out",
    metavar="FOLDER",
    help=(
        "Write the rows of each filter to a subfolder of this folder (any Hadoop "
        "path). Default: only print the report."
    ),
)
@click.option(
    "--out-format",
    metavar="FORMAT",
    default="parquet",
    show_default=True,
    help="The format of these folders: parquet, orc, json, csv.",
)
@click.option(
    "--partition-by",
    multiple=True,
    metavar="COLUMN",
    help="Partition each folder or new table by this column.",
)
@click.option("--tables", metavar="PREFIX", help="Write one table per filter, named PREFIX + filter.")
@click.option(
    "--postgres",
    metavar="DSN",
    help="Write one PostgreSQL table per filter, named --tables + filter, all in one transaction.",
)
@click.option(
    "--rows",
    type=click.Choice(_ROWS),
    multiple=True,
    default=("accepted",),
    show_default=True,
    help=(
        "Which rows are written. Rejected and unknown rows go to folders (or tables) NAME__rejected and "
        "NAME__unknown. matched: each row once for every filter that accepts it, all in one folder. "
        "dead_letter: rows that an entry filter rescheduled until its tries were used up."
    ),
)
@click.option("--mode", type=click.Choice(MODES), help="What to do with existing rows.  [default: overwrite]")
@click.option(
    "--bad-records",
    type=click.Choice(BAD_RECORDS),
    help="What to do with rows that have cells which cannot be converted.  [default: permissive]",
)
@click.option(
    "--quarantine",
    metavar="PATH",
    help="Write rows with bad cells to this path, unchanged. Implies --bad-records quarantine.",
)
@click.option(
    "--passes",
    type=click.Choice(PASSES),
    help="Read the source once for all sinks, or once per sink.  [default: auto]",
)
@click.option(
    "--checkpoint",
    metavar="PATH",
    help="Read only what is new since the last run. Spark stores its progress at this path.",
)
@click.option(
    "--stream",
    "seconds",
    type=click.FloatRange(0, 86_400),
    metavar="SECONDS",
    help="Keep running until Ctrl-C or SIGTERM, and read new rows every SECONDS. Needs --checkpoint.",
)
@click.option(
    "--tries",
    type=click.IntRange(1, MOST_TRIES),
    metavar="NUMBER",
    help="How often an entry filter gets a row that it reschedules. Needs --checkpoint.  [default: 10]",
)
@click.option(
    "--rebuild", is_flag=True, help="Ignore the checkpoint. Read everything again, and replace the sinks."
)
@click.option(
    "--from", "start", metavar="VALUE", help="Only rows with at least this value in the range column."
)
@click.option("--to", "end", metavar="VALUE", help="Only rows below this value in the range column.")
@click.option("--range", "range_", metavar="FIELD", help="The field of --from and --to.")
@now_option("the start of the run")
@click.option("--report", type=FILE, help="Write the report as JSON to this file.")
@click.option("--events", metavar="FILE|URL", help="Send OpenLineage events of the run to this file or URL.")
@click.option(
    "--prometheus", type=FILE, help="Write the counts to this file, in the text format of Prometheus."
)
@click.option(
    "--retries",
    default=2,
    show_default=True,
    type=click.IntRange(0, 20),
    metavar="NUMBER",
    help="How often a temporary failure is retried.",
)
@master_option()
@click.option("--conf", multiple=True, metavar="NAME=VALUE", help="A setting of Spark.")
@catalog_option
@vars_option
def command(
    name: str, filters: tuple[str, ...], folder: Path, variables: tuple[str, ...], **given: Any
) -> None:
    from predicat.forge import git  # noqa: PLC0415  # not for --help

    with_classes_here()
    catalog = load(folder, variables)
    pipeline = extension()
    more = {key: given.pop(key) for key in ("exclude", "base")}
    selection = Selection.given(folder, variables, filters, **more)
    if given["every"] and not selection.everything:
        raise click.UsageError(say.SUBSCRIPTIONS_AND_SELECTORS)
    job = _job(catalog, name, selection, given, pipeline)
    options = pipeline.Options(
        master=given["master"],
        conf=pairs("--conf", given["conf"]),
        start=given["start"],
        end=given["end"],
        rebuild=given["rebuild"],
        retries=given["retries"],
        revision=git.revision(folder) or None,
        now=reading(given["now"]),
    )
    events = pipeline.Events(given["events"], job)
    try:
        if given["seconds"] is None:
            report = pipeline.run_job(catalog, job, options)
        else:
            progress = _tell(pipeline, given["prometheus"])
            newer = _Newer(folder, variables, lambda summary: _job(summary, name, selection, given, pipeline))
            following = pipeline.Following(given["seconds"], progress, newer)
            report = pipeline.stream(catalog, job, options, following)
    except (PredicatError, KeyboardInterrupt) as error:
        events.failed(str(error))
        raise
    events.completed(report)
    click.echo(pipeline.table(report))
    if given["prometheus"] is not None:
        _save(given["prometheus"], pipeline.prometheus(report))
    if given["report"] is not None:
        _save(given["report"], json.dumps(report.data(), indent=2, default=str) + "\n")
        click.echo(f"report: {given['report']}")


def _tell(pipeline: Any, prometheus: Path | None) -> Callable[[Any], None]:
    """A line for each batch of a stream, and its counts for Prometheus."""
    total: Counter[tuple[str, str]] = Counter()

    def told(report: Any) -> None:
        for filter_report in report.filters:
            for outcome, count in filter_report.counts.items():
                if outcome != "rescheduled":  # how many wait now, which is no sum
                    total[filter_report.name, outcome] += count
        click.echo(f"{report.run}: {quantity(report.rows, 'row')} in {report.seconds:.1f} s")
        if prometheus is not None:
            _save(prometheus, pipeline.prometheus(report, total))

    return told


class _Newer:
    """The catalog and its job when a file of the catalog has changed. One with errors is reported once, and
    the stream goes on with the filters that it has.
    """

    def __init__(self, folder: Path, variables: tuple[str, ...], job: Callable[[Catalog], Job]) -> None:
        self._folder, self._variables, self._job = folder, variables, job
        self._seen = self._fingerprint()

    def _fingerprint(self) -> str:
        from predicat.catalog.cache import fingerprint  # noqa: PLC0415  # not for --help

        return fingerprint(self._folder, self._folder.parent / "macros", pairs("--var", self._variables))

    def __call__(self) -> tuple[Catalog, Job] | None:
        now = self._fingerprint()
        if now == self._seen:
            return None
        self._seen = now
        try:
            catalog = load(self._folder, self._variables)
            return catalog, self._job(catalog)
        except PredicatError as error:
            click.echo(f"{error}\n{say.STREAM_KEEPS_FILTERS}", err=True)
            return None


def _save(path: Path, text: str) -> None:
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # not for --help

    write_text(path, text)


def _job(catalog: Catalog, name: str, selection: Selection, options: dict[str, Any], pipeline: Any) -> Job:
    """The job of a name with what the flags change, or a job made of flags alone."""
    from predicat.deploy.chosen import chosen, with_filters  # noqa: PLC0415  # not for --help

    job: Job | None = pipeline.job_of(catalog, name)
    job = _located(job, selection.folder) if job is not None else None
    if job is None and name not in catalog.datasets:
        known = [
            *catalog.datasets,
            *(job.name for dataset in catalog.datasets.values() for job in dataset.jobs.values()),
        ]
        raise PredicatError.of(say.no_job_or_dataset(name, msg.did_you_mean(name, known)))
    if job is None and options["source"] is None:
        raise PredicatError.of(say.dataset_without_input(name, _jobs_hint(catalog, name)))
    if job is None:
        job = Job("", name, Source())
    if not selection.everything:
        names = _names(catalog, job, selection)
        if not names:
            raise click.exceptions.Exit(0)  # nothing is selected, which was told
        job = with_filters(job, names)
        chosen(catalog, job.dataset, job.filters)  # a wrong name is told before Spark starts
    if options["source"] is not None:
        place = pipeline.Input(
            options["source"], options["form"], pairs("--option", options["options"]), options["schema"]
        )
        job = replace(job, source=pipeline.locate(place, options["master"], pairs("--conf", options["conf"])))
    elif options["form"] or options["options"] or options["schema"]:
        source = job.source
        job = replace(
            job,
            source=replace(
                source,
                format=options["form"] or source.format,
                schema=options["schema"] or source.schema,
                options={**source.options, **pairs("--option", options["options"])},
            ),
        )
    sinks = _sinks(options)
    changes = {
        "mode": options["mode"],
        "bad_records": options["bad_records"],
        "passes": options["passes"],
        "checkpoint": options["checkpoint"],
        "range": options["range_"],
        "every": options["every"],
        "tries": options["tries"],
    }
    if options["quarantine"]:
        changes["bad_records"] = "quarantine"
    return replace(
        job,
        **{key: value for key, value in changes.items() if value is not None},
        **({"sinks": tuple(sinks)} if sinks else {}),
    )


def _located(job: Job, folder: Path) -> Job:
    """A job of the catalog with the paths of its files as seen from the current folder."""
    place = partial(located, folder)
    return replace(
        job,
        source=replace(job.source, paths=tuple(map(place, job.source.paths))),
        sinks=tuple(
            replace(sink, target=place(sink.target)) if sink.kind == "path" else sink for sink in job.sinks
        ),
        checkpoint=place(job.checkpoint) if job.checkpoint is not None else None,
        state=place(job.state) if job.state is not None else None,
    )


def _names(catalog: Catalog, job: Job, selection: Selection) -> list[str]:
    """The filters of a job, or of its dataset, that are selected. A name is taken as it is: it can be one
    that the job or a subscription gives to a filter.
    """
    from predicat.catalog.select import is_plain  # noqa: PLC0415  # not for --help
    from predicat.deploy.chosen import selected_names  # noqa: PLC0415  # as above

    known = {job.dataset} - catalog.datasets[job.dataset].filters.keys()
    names = [text for text in selection.selectors if is_plain([text]) and text not in known]
    others = [text for text in selection.selectors if text not in names]
    if names and not others and not selection.exclude:
        return names
    narrower = replace(selection, selectors=[*others, *(_qualified(catalog, job, name) for name in names)])
    return selected_names(
        catalog, job, {filter_.qualified: number for filter_, number in narrower.versions(catalog)}
    )


def _qualified(catalog: Catalog, job: Job, name: str) -> str:
    """The name of a filter with its dataset; of one that a job names otherwise, that of the filter."""
    filter_name = next((one.filter for one in job.filters if one.name == name), name)
    filter_name = catalog.datasets[job.dataset].filter_named(filter_name)
    return filter_name if "." in filter_name else f"{job.dataset}.{filter_name}"


def _jobs_hint(catalog: Catalog, dataset: str) -> str | None:
    jobs = ", ".join(catalog.datasets[dataset].jobs)
    return f"or name one of its jobs: {jobs}" if jobs else None


def _sinks(options: dict[str, Any]) -> list[Sink]:
    """The sinks of the flags, which replace those of the job."""
    result: list[Sink] = []
    for rows in options["rows"]:
        label = "{filter}" if rows == "accepted" else f"{{filter}}__{rows}" if rows in PER_FILTER else rows
        if options["out"]:
            result.append(
                Sink(
                    "path",
                    f"{options['out'].rstrip('/')}/{label}",
                    options["out_format"],
                    {},
                    options["partition_by"],
                    rows,
                )
            )
        if options["postgres"]:
            result.append(
                Sink("jdbc", f"{options['tables'] or ''}{label}", rows=rows, url=options["postgres"])
            )
        elif options["tables"] is not None:
            result.append(
                Sink("table", f"{options['tables']}{label}", partition_by=options["partition_by"], rows=rows)
            )
    if options["quarantine"]:
        result.append(Sink("path", options["quarantine"], options["out_format"], rows="bad"))
    return result
