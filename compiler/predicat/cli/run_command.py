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
    CATALOG,
    VARIABLES,
    argument,
    load,
    master_option,
    now_option,
    option,
    options,
    pairs,
    reading,
    with_classes_here,
)
from predicat.cli.selection import Selection, selectors
from predicat.cli.spark_command import extension
from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import commands as say
from predicat.diagnostics.wording import quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from predicat.catalog.model import Catalog

# What --rows takes: rows with bad cells have their own option, --quarantine.
_ROWS = tuple(rows for rows in ROWS if rows != "bad")


class Options(Selection, frozen=True, kw_only=True):
    """What `run` was given."""

    selectors: tuple[str, ...] = selectors()
    every: str | None = option(
        "--subscriptions", "Run all subscriptions of the dataset.", is_flag=True, flag_value="subscriptions"
    )
    source: str | None = option(
        "--input PATH|TABLE", "The path or table to read. It is a path if it has a slash or exists."
    )
    form: str | None = option("--format FORMAT", "The format of the files. Default: by their names.")
    options: tuple[str, ...] = option(
        "--option NAME=VALUE", "An option of Spark for this format, such as header=false or nullValue=NA."
    )
    schema: str | None = option(
        "--columns DDL", "The columns of the files in Spark DDL, if the files have no schema."
    )
    out: str | None = option(
        "--out FOLDER",
        "Write the rows of each filter to a subfolder of this folder (any Hadoop path). Default: only print "
        "the report.",
    )
    out_format: str = option(
        "--out-format FORMAT", "The format of these folders: parquet, orc, json, csv.", default="parquet"
    )
    partition_by: tuple[str, ...] = option(
        "--partition-by COLUMN", "Partition each folder or new table by this column."
    )
    tables: str | None = option("--tables PREFIX", "Write one table per filter, named PREFIX + filter.")
    postgres: str | None = option(
        "--postgres DSN",
        "Write one PostgreSQL table per filter, named --tables + filter, all in one transaction.",
    )
    rows: tuple[str, ...] = option(
        "--rows",
        "Which rows are written. Rejected and unknown rows go to folders (or tables) NAME__rejected and "
        "NAME__unknown. matched: each row once for every filter that accepts it, all in one folder. "
        "dead_letter: rows that an entry filter rescheduled until its tries were used up.",
        type=click.Choice(_ROWS),
        default=("accepted",),
    )
    mode: str | None = option(
        "--mode", "What to do with existing rows.  [default: overwrite]", type=click.Choice(MODES)
    )
    adopt: bool = option(
        "--adopt", "Replace folders of sinks even if they have files that predicat has not written."
    )
    at_least_once: bool = option(
        "--at-least-once",
        "Append to tables that do not tell which runs have appended. Rows are there twice if a run is killed "
        "while it appends.",
    )
    bad_records: str | None = option(
        "--bad-records",
        "What to do with rows that have cells which cannot be converted.  [default: permissive]",
        type=click.Choice(BAD_RECORDS),
    )
    quarantine: str | None = option(
        "--quarantine PATH",
        "Write rows with bad cells to this path, unchanged. Implies --bad-records quarantine.",
    )
    passes: str | None = option(
        "--passes",
        "Read the source once for all sinks, or once per sink.  [default: auto]",
        type=click.Choice(PASSES),
    )
    checkpoint: str | None = option(
        "--checkpoint PATH",
        "Read only what is new since the last run. Spark stores its progress at this path.",
    )
    seconds: float | None = option(
        "--stream SECONDS",
        "Keep running until Ctrl-C or SIGTERM, and read new rows every SECONDS. Needs --checkpoint.",
        type=click.FloatRange(0, 86_400),
    )
    tries: int | None = option(
        "--tries NUMBER",
        "How often an entry filter gets a row that it reschedules. Needs --checkpoint.  [default: 10]",
        type=click.IntRange(1, MOST_TRIES),
    )
    rebuild: bool = option(
        "--rebuild", "Ignore the checkpoint. Read everything again, and replace the sinks."
    )
    start: str | None = option("--from VALUE", "Only rows with at least this value in the range column.")
    end: str | None = option("--to VALUE", "Only rows below this value in the range column.")
    range_: str | None = option("--range FIELD", "The field of --from and --to.")
    now: str | None = now_option("the start of the run")
    report: Path | None = option("--report", "Write the report as JSON to this file.")
    events: str | None = option(
        "--events FILE|URL", "Send OpenLineage events of the run to this file or URL."
    )
    prometheus: Path | None = option(
        "--prometheus", "Write the counts to this file, in the text format of Prometheus."
    )
    retries: int = option(
        "--retries NUMBER", "How often a temporary failure is retried.", default=2, type=click.IntRange(0, 20)
    )
    master: str = master_option()
    conf: tuple[str, ...] = option("--conf NAME=VALUE", "A setting of Spark.")
    folder: Path = CATALOG
    variables: dict[str, str] = VARIABLES


@click.command(
    "run",
    help=(
        "Run a job of the catalog, or filters of a dataset, on Spark. It reads the source once, and writes "
        "the rows of each filter to its sink."
    ),
)
@options
def command(*, name: str = argument("JOB|DATASET"), given: Options) -> None:
    from predicat.forge import git  # noqa: PLC0415  # not for --help

    with_classes_here()
    catalog = load(given.folder, given.variables)
    pipeline = extension()
    if given.every and not given.everything:
        raise click.UsageError(say.SUBSCRIPTIONS_AND_SELECTORS)
    job = _job(catalog, name, given, pipeline)
    options = pipeline.Options(
        master=given.master,
        conf=pairs("--conf", given.conf),
        start=given.start,
        end=given.end,
        rebuild=given.rebuild,
        retries=given.retries,
        revision=git.revision(given.folder) or None,
        now=reading(given.now),
        adopt=given.adopt,
        at_least_once=given.at_least_once,
    )
    events = pipeline.Events(given.events, job)
    try:
        if given.seconds is None:
            report = pipeline.run_job(catalog, job, options)
        else:
            progress = _tell(pipeline, given.prometheus)
            newer = _Newer(
                given.folder, given.variables, lambda summary: _job(summary, name, given, pipeline)
            )
            following = pipeline.Following(given.seconds, progress, newer)
            report = pipeline.stream(catalog, job, options, following)
    except (PredicatError, KeyboardInterrupt) as error:
        events.failed(str(error))
        raise
    events.completed(report)
    click.echo(pipeline.table(report))
    if given.prometheus is not None:
        _save(given.prometheus, pipeline.prometheus(report))
    if given.report is not None:
        _save(given.report, json.dumps(report.data(), indent=2, default=str) + "\n")
        click.echo(f"report: {given.report}")


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

    def __init__(self, folder: Path, variables: Mapping[str, str], job: Callable[[Catalog], Job]) -> None:
        self._folder, self._variables, self._job = folder, variables, job
        self._seen = self._fingerprint()

    def _fingerprint(self) -> str:
        from predicat.catalog.cache import fingerprint  # noqa: PLC0415  # not for --help

        return fingerprint(self._folder, self._folder.parent / "macros", self._variables)

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


def _job(catalog: Catalog, name: str, given: Options, pipeline: Any) -> Job:
    """The job of a name with what the flags change, or a job made of flags alone."""
    from predicat.deploy.chosen import chosen, with_filters  # noqa: PLC0415  # not for --help

    job: Job | None = pipeline.job_of(catalog, name)
    job = _located(job, given.folder) if job is not None else None
    if job is None and name not in catalog.datasets:
        known = [
            *catalog.datasets,
            *(job.name for dataset in catalog.datasets.values() for job in dataset.jobs.values()),
        ]
        raise PredicatError.of(say.no_job_or_dataset(name, msg.did_you_mean(name, known)))
    if job is None and given.source is None:
        raise PredicatError.of(say.dataset_without_input(name, _jobs_hint(catalog, name)))
    if job is None:
        job = Job("", name, Source())
    if not given.everything:
        names = _names(catalog, job, given)
        if not names:
            raise click.exceptions.Exit(0)  # nothing is selected, which was told
        job = with_filters(job, names)
        chosen(catalog, job.dataset, job.filters)  # a wrong name is told before Spark starts
    if given.source is not None:
        place = pipeline.Input(given.source, given.form, pairs("--option", given.options), given.schema)
        job = replace(job, source=pipeline.locate(place, given.master, pairs("--conf", given.conf)))
    elif given.form or given.options or given.schema:
        source = job.source
        job = replace(
            job,
            source=replace(
                source,
                format=given.form or source.format,
                schema=given.schema or source.schema,
                options={**source.options, **pairs("--option", given.options)},
            ),
        )
    sinks = _sinks(given)
    changes = {
        "mode": given.mode,
        "bad_records": given.bad_records,
        "passes": given.passes,
        "checkpoint": given.checkpoint,
        "range": given.range_,
        "every": given.every,
        "tries": given.tries,
    }
    if given.quarantine:
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


def _sinks(given: Options) -> list[Sink]:
    """The sinks of the flags, which replace those of the job."""
    result: list[Sink] = []
    for rows in given.rows:
        label = "{filter}" if rows == "accepted" else f"{{filter}}__{rows}" if rows in PER_FILTER else rows
        if given.out:
            result.append(
                Sink(
                    "path",
                    f"{given.out.rstrip('/')}/{label}",
                    given.out_format,
                    {},
                    given.partition_by,
                    rows,
                )
            )
        if given.postgres:
            result.append(Sink("jdbc", f"{given.tables or ''}{label}", rows=rows, url=given.postgres))
        elif given.tables is not None:
            result.append(Sink("table", f"{given.tables}{label}", partition_by=given.partition_by, rows=rows))
    if given.quarantine:
        result.append(Sink("path", given.quarantine, given.out_format, rows="bad"))
    return result
