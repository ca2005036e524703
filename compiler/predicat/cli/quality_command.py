"""predicat quality."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import asdict, replace

from predicat.cli.engines import FOLLOWS, engine_for, is_given, located, options_given
from predicat.cli.exit_codes import ExitCode
from predicat.cli.options import (
    CATALOG,
    FOLDER,
    VARIABLES,
    argument,
    dsn_option,
    form_option,
    load_quietly,
    now_option,
    option,
    options,
    pairs,
    reading,
)
from predicat.cli.output import FORMAT, show
from predicat.cli.project import below, connect
from predicat.cli.selection import Selection, selectors
from predicat.diagnostics import PredicatError, Reporter, waiting
from predicat.diagnostics.messages import commands as say
from predicat.diagnostics.messages import coverage as say_coverage
from predicat.diagnostics.wording import quantity

if TYPE_CHECKING:
    from datetime import datetime

    from predicat.catalog import Catalog
    from predicat.catalog.model import Dataset
    from predicat.forge.telemetry import Lineage
    from predicat.quality.history import Entry, Series
    from predicat.quality.measure import Measure
    from predicat.quality.outcome import About, Run
    from predicat.quality.partitions import Parts
    from predicat.quality.plan import Plan
    from predicat.quality.suggest import Suggestion
    from predicat.quality.suite import Suite

FORMATS = ("text", "json", "junit", "markdown", "html")
ENGINES, GX_ENGINES = ("spark", "postgres", "duckdb"), ("spark", "postgres")
HISTORY = option(
    "--history",
    "Where results are stored: a file of JSON lines, or a folder NAME.parquet.",
    below="target/quality/history.jsonl",
)


def _baseline_option(text: str) -> Any:
    """The file of the baseline; `text` says what the command does with it."""
    return option("--baseline", below="target/quality/baseline.jsonl", help=text)


class Counting(Selection, frozen=True, kw_only=True):
    """What commands that count rows were given."""

    selectors: tuple[str, ...] = selectors(metavar="[DATASET|SELECTOR]...")
    engine: str | None = option(
        "--engine", f"The engine that counts the rows. {FOLLOWS}", type=click.Choice(ENGINES)
    )
    inputs: tuple[str, ...] = option(
        "--input DATASET=SOURCE",
        "The table or path to read for a dataset (Spark, DuckDB). Default: its relation.",
    )
    sample: float = option(
        "--sample SHARE",
        "The share of rows to read, such as 0.01.",
        default=1.0,
        type=click.FloatRange(0.000001, 1.0),
    )
    partitions: str = option(
        "--partitions RANGE",
        "The declared partitions to measure in one scan, such as 2026-01-01..2026-03-01 (both ends "
        "included).",
        default="",
    )
    last: int = option(
        "--last NUMBER",
        "Measure the last declared partitions that have ended. Default: 1.",
        default=0,
        type=click.IntRange(min=0),
    )
    dsn: str | None = dsn_option(" for --engine postgres")
    now: str | None = now_option("that of the engine")
    history: Path = HISTORY


class Reported(Counting, frozen=True, kw_only=True):
    """What `quality run` was given."""

    form: str = form_option(*FORMATS, what="report")
    out: Path | None = option("--out", "Write the report to a file.")
    pages: Path | None = option("--html", "Also write the report as an HTML page to this file.")
    site: str | None = option(
        "--site URL", "Link filters to this site of the catalog. Default: target/site, if it exists."
    )
    baseline: Path = _baseline_option("The results that drift is measured from.")
    partition: str = option(
        "--partition NAME",
        "The partition of the measured data, such as a date: a name for the results, or one of those that "
        "the dataset declares.",
        default="",
    )
    events: str | None = option(
        "--events FILE|URL", "Send OpenLineage events of the run to this file or URL."
    )
    prometheus: Path | None = option(
        "--prometheus", "Write the counts and bounds to this file, in the text format of Prometheus."
    )
    rows: str | None = option(
        "--rows TABLE|FILE",
        "Write the key of each row that breaks a bound to a file (.csv, .json, .jsonl or .parquet) or to "
        "a table of the engine, with the filter, its outcome and the reason. {dataset} in the name is that "
        "of the dataset.",
    )
    keep_in_postgres: bool = option(
        "--keep-in-postgres", "Also store results in the table predicat_quality of --dsn."
    )
    notify: str | None = option(
        "--notify URL",
        "Post the result to a webhook. The URL can also be in the variable PREDICAT_NOTIFY.",
        envvar="PREDICAT_NOTIFY",
    )
    notify_format: str = option(
        "--notify-format", "The format of the message.", default="json", type=click.Choice(("json", "slack"))
    )
    notify_on: str = option(
        "--notify-on", "When to post.", default="fail", type=click.Choice(("fail", "warn", "always"))
    )


@click.group("quality", help="Measure how many rows filters accept, and check the bounds of the catalog.")
def command() -> None:
    """Hold the subcommands."""


@command.command(
    "run",
    help=(
        "Count the rows that filters accept, and check every bound. It measures all datasets, or only those "
        "that you name. Exit code 1: a bound is broken; 2: wrong use; 3: an engine failed."
    ),
)
@options
def run(*, given: Reported) -> None:
    from predicat.catalog.project import load_project  # noqa: PLC0415  # as above
    from predicat.quality import events, stores  # noqa: PLC0415  # as above
    from predicat.quality.history import Series  # noqa: PLC0415  # as above
    from predicat.quality.plan import plan  # noqa: PLC0415  # as above

    catalog = load_quietly(given.folder, given.variables)
    project = load_project(given.folder).catalog
    moment = reading(given.now) or (datetime.now(tz=UTC) if given.rows else None)  # one for all queries
    about = _about(given.folder, project, moment)
    selected = _asked(catalog, given)
    _check_rows(given, catalog, selected)
    past = _past(given, selected, table=given.keep_in_postgres)
    stated = stores.read(given.baseline)
    runs: list[Run] = []
    added: list[Entry] = []
    later: list[Callable[[], None]] = []
    sources = _sources(given, selected)
    for name, filters in selected.items():
        used = _engine(catalog, name, given.engine, sources)
        parts = _parts(given, catalog.datasets[name], moment, given.partition)
        measured = partial(_measured, given, catalog, name, filters, used, sources, moment, parts)
        by = parts.text if parts is not None else ""
        series = partial(Series, project, name, used, sample=given.sample, by=by)
        lineage = _started(given.events, catalog.datasets[name], used, sources.get(name))
        if parts is None:
            own = series(given.partition)
            found, new = _run_whole(catalog, name, filters, measured, own, past, stated, moment)
        else:
            found, new = _run_parts(catalog, name, filters, measured, series, past, stated, moment)
        added += new
        runs += _placed(found, catalog.datasets[name], about)
        planned = partial(plan, catalog, name, filters, used, moment, parts)
        later.append(partial(_write_rows, given, planned, found, sources))
        events.send(lineage, runs[-len(found) :])
    _report(given, runs)
    stores.append(given.history, added)
    if given.keep_in_postgres:
        _keep_in_table(given.dsn, added)
    if given.notify:
        _notify(given.notify, given.notify_format, given.notify_on, runs)
    for write_rows in later:  # the results are kept if that fails
        write_rows()
    code = max(outcome.code for outcome in runs) if runs else 0
    if code:
        raise click.exceptions.Exit(code)


@command.command(
    "baseline", help="Use the newest stored results as the baseline that drift is measured from."
)
@options
def baseline(
    *,
    history: Path = HISTORY,
    baseline: Path = _baseline_option("The file to write."),
    partition: str | None = option("--partition NAME", "Only results of this partition."),
    form: str = FORMAT,
) -> None:
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # not for --help

    last = {
        tuple(entry.get(key) for key in ("catalog", "engine", "sample", "filter")): entry
        for entry in sorted(_read(history), key=lambda entry: str(entry["at"]))
        if partition is None or entry["partition"] == partition
    }
    if not last:
        raise click.UsageError(say.no_results(history))
    write_text(baseline, "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in last.values()))
    filters = {entry["filter"] for entry in last.values() if "." in entry["filter"]}
    failed = sum(entry.get("status") == "fail" for entry in last.values() if "." in entry["filter"])
    failures = f"; {failed} of them did not pass" if failed else ""
    data = {"file": str(baseline), "filters": len(filters), "failed": failed}
    show(form, data, lambda: f"{baseline}: {quantity(len(filters), 'filter')}{failures}")


@command.command(
    "export", help="Print the stored results and their incidents, for other tools: all, or those of datasets."
)
@options
def export(
    *,
    datasets: tuple[str, ...] = argument(nargs=-1, metavar="[DATASET]..."),
    history: Path = HISTORY,
    form: str = FORMAT,
) -> None:
    from predicat.quality.history import by_filter  # noqa: PLC0415  # not for --help
    from predicat.quality.incidents import incidents  # noqa: PLC0415  # as above

    found = [entry for entry in _read(history) if not datasets or entry["dataset"] in datasets]
    if not found:
        raise click.UsageError(say.no_results(history))
    same = ("catalog", "engine", "sample", "by")
    series = dict.fromkeys(tuple(entry.get(key) for key in same) for entry in found)
    past = [
        by_filter(entry for entry in found if tuple(entry.get(key) for key in same) == one) for one in series
    ]
    told = [asdict(item) for results in past for item in incidents(results)]
    missing = {"run": None, "catalog": None, "engine": None, "sample": 1.0, "status": "pass"}
    results = [{**missing, **entry} for entry in sorted(found, key=lambda entry: str(entry["at"]))]
    data = {"results": results, "incidents": told}
    show(form, data, lambda: "\n".join(map(_stored, results)))


def _stored(entry: Entry) -> str:
    """A stored result in one line."""
    place, counts = entry["partition"] or "-", f"{entry['accepted']:,} of {entry['rows']:,}"
    return "  ".join((entry["at"], place, entry["filter"], counts, entry["status"]))


@command.command(
    "suggest",
    help=(
        "Count the rows that filters accept, and propose bounds for filters and datasets that have none. "
        "The bounds follow from these counts and from those of earlier runs."
    ),
)
@options
def suggest(
    *,
    given: Counting,
    write: bool = option("--write", "Add the bounds to the catalog files. Existing bounds stay."),
    history_in_postgres: bool = option(
        "--history-in-postgres", "Also use the results in the table predicat_quality of --dsn."
    ),
    explain: bool = option("--explain", "Print the reason for each bound, as a comment above it."),
    form: str = FORMAT,
) -> None:
    from predicat.catalog.project import load_project  # noqa: PLC0415  # not for --help
    from predicat.quality.history import PartHistory, Series, entries  # noqa: PLC0415  # as above
    from predicat.quality.suggest import suggest as propose  # noqa: PLC0415  # as above
    from predicat.quality.suggest import with_age  # noqa: PLC0415  # as above

    catalog = load_quietly(given.folder, given.variables)
    project = load_project(given.folder).catalog
    selected = _asked(catalog, given)
    sources, moment = _sources(given, selected), reading(given.now)
    past = _past(given, selected, table=history_in_postgres)
    proposed: dict[str, list[Suggestion]] = {}
    for name, filters in selected.items():
        used = _engine(catalog, name, given.engine, sources)
        parts = _parts(given, catalog.datasets[name], moment)
        measured = _measured(given, catalog, name, filters, used, sources, moment, parts, with_age)
        _tell_bad(measured, catalog.datasets[name])
        series = partial(
            Series, project, name, used, sample=given.sample, by=parts.text if parts is not None else ""
        )
        known = PartHistory(series(""), past)
        for one in measured.parts[:-1]:
            known.add(entries(catalog, one, series(one.part.name if one.part is not None else "")))
        last = measured.parts[-1] if parts is not None else measured
        earlier = known.before(last.part) if last.part is not None else series("").stated(past)
        proposed[name] = propose(catalog, last, earlier, moment)
    written = _written(given.folder, proposed, given.variables) if write else {}
    data = [_proposed(name, items, written) for name, items in proposed.items() if items]
    show(form, data, lambda: _shown(proposed, written, explain=explain))


def _written(
    folder: Path, proposed: Mapping[str, Sequence[Suggestion]], variables: Mapping[str, Any]
) -> dict[tuple[str, str], str]:
    """Put bounds into the catalog: the file of those that were added, by name and key."""
    from predicat.quality.writing import write  # noqa: PLC0415  # only where files change

    added = write(folder, [item for items in proposed.values() for item in items], variables)
    return {(item.name, item.key): os.path.relpath(file) for file, items in added.items() for item in items}


def _proposed(
    name: str, items: Sequence[Suggestion], written: Mapping[tuple[str, str], str]
) -> dict[str, Any]:
    """The bounds of a dataset as JSON data."""
    return {
        "dataset": name,
        "lines": [line for item in items if not item.of_dataset for line in item.lines()],
        **{key: next((item.bounds for item in items if item.key == key), {}) for key in _OF_DATASET},
        "bounds": [
            {
                "name": item.name,
                "bound": bound.key,
                "value": bound.value or None,
                "reason": bound.reason,
                "days": item.days,
                "rows": item.rows,
                "method": item.method,
                "confidence": item.confidence,
                "file": written.get((item.name, item.key)),
            }
            for item in items
            for bound in item.proposed
        ],
    }


# The bounds of a dataset that are proposed.
_OF_DATASET = ("rows", "freshness")


def _shown(
    proposed: Mapping[str, Sequence[Suggestion]], written: Mapping[tuple[str, str], str], *, explain: bool
) -> str:
    """What was added where, and the other bounds as YAML; with `explain` all of them."""
    lines: list[str] = []
    for file in dict.fromkeys(written.values()):
        names = dict.fromkeys(name for (name, _), place in written.items() if place == file)
        lines.append(f"{file}: {', '.join(names)}")
    for name, items in proposed.items():
        shown = [item for item in items if explain or (item.line and (item.name, item.key) not in written)]
        own = [line for item in shown if item.of_dataset for line in item.lines(explain=explain)]
        filters = [line for item in shown if not item.of_dataset for line in item.lines(explain=explain)]
        if filters or own:
            lines += [f"# {name}", *own, *(["filters:", *filters] if filters else [])]
    return "\n".join(lines) or say_coverage.NOTHING_TO_SUGGEST


@command.command(
    "gx",
    help=(
        "Write a Great Expectations project: suites, validation definitions and checkpoints of the bounds "
        "of the catalog."
    ),
)
@options
def project(
    *,
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
    engine: str | None = option("--engine", f"The data source. {FOLLOWS}", type=click.Choice(GX_ENGINES)),
    out: Path = option("--out", "The folder of the project.", below="target/quality", type=FOLDER),
    baseline: Path = _baseline_option("The results that stability is measured from."),
) -> None:
    from predicat.diagnostics import extras  # noqa: PLC0415  # not for --help

    extras.require("great_expectations")
    from predicat.quality import stores  # noqa: PLC0415  # not for --help
    from predicat.quality.history import by_filter  # noqa: PLC0415  # as above
    from predicat.quality.project import DSN, checkpoint, generate  # noqa: PLC0415  # takes seconds to import

    catalog = load_quietly(folder, variables)
    relations = dict.fromkeys(name for dataset in catalog.datasets.values() for name in dataset.relation)
    used = engine_for(relations, GX_ENGINES, engine)
    suites = generate(catalog, folder.resolve(), out, used, by_filter(stores.read(baseline)))
    names = [checkpoint(item.dataset.name) for item in suites if item.expectations]
    note = f"; put the connection into {DSN}" if used == "postgres" else ""
    nothing = say.NO_EXPECTATIONS if suites else say.NO_DATASET_HAS_BOUNDS
    click.echo(f"{out / 'gx'}: {', '.join(names) or nothing}{note}")
    for reason, bounds in _by_reason(suites).items():
        click.echo(say_coverage.left_out(", ".join(bounds), reason))
    if names:
        click.echo(say.IMPORT_EXPECTATIONS)
    if suites and not names:
        raise click.exceptions.Exit(ExitCode.FINDINGS)


def _by_reason(suites: Sequence[Suite]) -> dict[str, list[str]]:
    """The bounds that are left out of suites, each with its place, by the reason."""
    result: dict[str, list[str]] = {}
    for item in suites:
        for label, reason in item.left_out.items():
            place = item.places[label].outermost()
            line, _ = place.source.line_column(place.start)
            result.setdefault(reason, []).append(f"{label} ({os.path.relpath(place.source.name)}:{line})")
    return result


def _report(given: Reported, runs: Sequence[Run]) -> None:
    """Print the report, or write it, and the files that are asked for beside it."""
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # not for --help
    from predicat.quality import events, report  # noqa: PLC0415  # as above

    shown = report.FORMATS[given.form](runs)
    if given.out is None:
        click.echo(shown, nl=False)
    else:
        write_text(given.out, shown)
    if given.pages is not None:
        site = given.site if given.site is not None else _site_beside(given.pages)
        write_text(given.pages, report.html(runs, site))
        click.echo(f"page: {given.pages}", err=True)
    if given.prometheus is not None:
        write_text(given.prometheus, events.prometheus(runs))


def _started(target: str | None, dataset: Dataset, engine: str, source: str | None) -> Lineage:
    """The OpenLineage events of measuring a dataset; it has started."""
    from predicat.forge import telemetry  # noqa: PLC0415  # not for --help

    kind = {"postgres": "jdbc", "duckdb": "path"}.get(engine, "table")
    read = telemetry.dataset(kind, source or dataset.relation.get(engine, dataset.name))
    result = telemetry.Lineage(target, f"quality.{dataset.name}", [read])
    result.send("START", {})
    return result


def _tell_bad(measure: Measure, dataset: Dataset) -> None:
    """The cells of files that are no values of their fields, on standard error."""
    for text in measure.bad.messages(dataset.fields):
        click.echo(text, err=True)


def _about(folder: Path, project: str, moment: datetime | None) -> About:
    """When the run is, and the revision of the catalog, with a + if files differ from the commit."""
    from predicat.forge import git  # noqa: PLC0415  # as above
    from predicat.quality.outcome import About  # noqa: PLC0415  # not for --help

    commit, changed, _ = git.revision(folder).partition("+")
    revision = commit[:12] + changed
    options = options_given("folder", "variables", "engine", "inputs", "sample", "dsn", "now")
    return About((moment or datetime.now(tz=UTC)).isoformat(timespec="seconds"), project, revision, options)


def _site_beside(page: Path) -> str:
    """The way from a page to the site in target/site; "" if it was not built."""
    site = below("target/site")
    return Path(os.path.relpath(site, page.parent)).as_posix() if (site / "index.html").exists() else ""


def _notify(url: str, form: str, event: str, runs: Sequence[Run]) -> None:
    """Post the result. A webhook that cannot be reached is reported, and does not change the exit code: the
    bounds were checked.
    """
    from predicat.quality import notify  # noqa: PLC0415  # not for --help

    if notify.EVENTS[event](runs):
        try:
            notify.notify(url, form, runs)
        except PredicatError as error:
            click.echo(error.diagnostics[0].render(), err=True)


def _read(history: Path) -> list[Entry]:
    """The results in the history; damaged ones are reported on standard error and skipped."""
    from predicat.quality import stores  # noqa: PLC0415  # not for --help

    reporter = Reporter()
    entries = stores.read(history, reporter)
    for warning in reporter.warnings:
        click.echo(warning.render(), err=True)
    return entries


def _past(given: Counting, datasets: Collection[str], *, table: bool) -> list[Entry]:
    """The results of earlier runs, with `table` also those in PostgreSQL."""
    from predicat.quality import stores  # noqa: PLC0415  # as above

    known = _read(given.history)
    if not table:
        return stores.merged(known, ())
    with connect(given.dsn) as connection:
        return stores.merged(
            known, [one for name in datasets for one in stores.read_postgres(connection, name)]
        )


def _keep_in_table(dsn: str | None, added: Sequence[Entry]) -> None:
    from predicat.quality import stores  # noqa: PLC0415  # as above

    with connect(dsn) as connection:
        stores.append_postgres(connection, added)


def _run(
    catalog: Catalog,
    name: str,
    filters: Sequence[str],
    measured: Callable[[], Measure],
    series: Series,
    entries: Sequence[Entry],
    baseline: Sequence[Entry],
    now: datetime | None,
) -> Run:
    from predicat.quality.bounds import judge, unmeasured  # noqa: PLC0415  # not for --help
    from predicat.quality.outcome import Run  # noqa: PLC0415  # as above

    past = series.of(entries)
    try:
        result = measured()
    except PredicatError as error:
        if all(item.code in ("usage", "missing-extra") for item in error.diagnostics):
            raise
        dataset, reason = catalog.datasets[name], "; ".join(item.message for item in error.diagnostics)
        asked = [f"{name}.{item}" for item in filters or dataset.filters]
        return Run(name, None, unmeasured(dataset, asked, reason), error.diagnostics, past)
    return Run(
        name, result, judge(catalog, result, past, series.stated(baseline), now, series.partition), (), past
    )


def _run_whole(
    catalog: Catalog,
    name: str,
    filters: Sequence[str],
    measured: Callable[[], Measure],
    series: Series,
    entries_: Sequence[Entry],
    baseline: Sequence[Entry],
    now: datetime | None,
) -> tuple[list[Run], list[Entry]]:
    """A run of all rows, and its results."""
    from predicat.quality.history import entries  # noqa: PLC0415  # not for --help

    result = _run(catalog, name, filters, measured, series, entries_, baseline, now)
    if result.measure is None:
        return [result], []
    _tell_bad(result.measure, catalog.datasets[name])
    return [result], entries(catalog, result.measure, series, result.checks, now)


def _placed(runs: Sequence[Run], dataset: Dataset, about: About) -> list[Run]:
    """The runs of a dataset with the places of the filters whose bounds do not hold."""
    from predicat.quality.incidents import origins  # noqa: PLC0415  # not for --help

    checks = (check for one in runs for check in one.checks)
    broken = {check.name for check in checks if check.status not in ("pass", "not_checked")}
    places = origins(dataset, broken)
    return [replace(one, definition=dataset, about=about, origins=places) for one in runs]


def _run_parts(
    catalog: Catalog,
    name: str,
    filters: Sequence[str],
    measured: Callable[[], Measure],
    series: Callable[[str], Series],
    entries_: Sequence[Entry],
    baseline: Sequence[Entry],
    now: datetime | None,
) -> tuple[list[Run], list[Entry]]:
    """A run of each partition in order, and the results that are new. Each is compared with those before
    it.
    """
    from predicat.quality.bounds import judge  # noqa: PLC0415  # not for --help
    from predicat.quality.history import PartHistory, entries  # noqa: PLC0415  # as above
    from predicat.quality.outcome import Run  # noqa: PLC0415  # as above

    whole = _run(catalog, name, filters, measured, series(""), (), (), now)
    if whole.measure is None:
        return [whole], []
    dataset = catalog.datasets[name]
    _tell_bad(whole.measure, dataset)
    if whole.measure.unplaced and dataset.partition is not None:
        click.echo(say_coverage.unplaced(whole.measure.unplaced, name, dataset.partition.field), err=True)
    known = PartHistory(series(""), entries_)
    stated = series("").stated(baseline)
    runs: list[Run] = []
    added: list[Entry] = []
    for found in whole.measure.parts:
        part = found.part
        assert part is not None  # noqa: S101  # it is the figure of one
        past, late = known.before(part), known.late(found, part)
        checks = judge(catalog, found, past, stated, now, part.name)
        runs.append(Run(name, found, checks, (), past, part=part, late=late))
        added += known.add(entries(catalog, found, series(part.name), checks, now))
    return runs, added


def _parts(given: Counting, dataset: Dataset, now: datetime | None, named: str = "") -> Parts | None:
    """The partitions to measure; None if the dataset declares none."""
    from predicat.quality.partitions import in_range, newest  # noqa: PLC0415  # not for --help

    of, text = dataset.partition, given.partitions or named
    if sum(map(bool, (given.partitions, named, given.last))) > 1:
        raise PredicatError.of(say_coverage.one_way_to_partitions())
    if of is None:
        if given.partitions or given.last:
            raise PredicatError.of(say_coverage.no_partition_declared(dataset.name))
        return None
    return in_range(of, text) if text else newest(of, given.last or 1, now or datetime.now(tz=UTC))


def _asked(catalog: Catalog, selection: Selection) -> dict[str, list[str]]:
    """The filters to measure of each dataset; an empty list for a whole dataset.

    Raises PredicatError.
    """
    if selection.everything:
        return {name: [] for name in catalog.datasets}
    whole = [name for name in selection.selectors if name in catalog.datasets and not selection.exclude]
    result: dict[str, list[str]] = {name: [] for name in whole}
    patterns = [f"{text}.*" if text in catalog.datasets else text for text in selection.selectors]
    rest = [text for text in patterns if text.removesuffix(".*") not in whole]
    if rest or selection.exclude:
        for filter_ in replace(selection, selectors=rest).filters(catalog):
            if filter_.dataset not in whole:
                result.setdefault(filter_.dataset, []).append(filter_.name)
    return result


def _engine(catalog: Catalog, name: str, given: str | None, sources: Collection[str]) -> str:
    """The engine of a dataset: with --dsn PostgreSQL, unless the server is where results are kept. PostgreSQL
    reads no file.
    """
    relations = catalog.datasets[name].relation
    offered = [engine for engine in ENGINES if engine != "postgres"] if name in sources else ENGINES
    if not given and "postgres" in offered and "postgres" in relations and is_given("dsn"):
        keeps = any(map(is_given, ("keep_in_postgres", "history_in_postgres")))
        given = None if keeps else "postgres"
    return engine_for(relations, offered, given)


def _sources(given: Counting, selected: Collection[str]) -> dict[str, str]:
    """The table or path that is given for each dataset. Raises click.UsageError if one would not be read."""
    sources = pairs("--input", given.inputs, "DATASET=SOURCE")
    if sources and given.engine == "postgres":
        raise click.UsageError(say.INPUT_NEEDS_ANOTHER_ENGINE)
    for name in sources:
        if name not in selected:
            raise click.UsageError(say.input_not_measured(name, selected))
    return sources


def _measured(
    given: Counting,
    catalog: Catalog,
    name: str,
    filters: Sequence[str],
    engine: str,
    inputs: Mapping[str, str],
    now: datetime | None,
    parts: Parts | None,
    more: Callable[[Plan], Plan] = lambda plan_: plan_,
) -> Measure:
    """The counts of a dataset. `more` adds to what is asked."""
    from predicat.quality import engines  # noqa: PLC0415  # not for --help
    from predicat.quality.plan import plan  # noqa: PLC0415  # as above

    plan_ = more(plan(catalog, name, filters, engine, now, parts))
    if engine == "postgres":
        with connect(given.dsn) as connection, _progress(name):
            return engines.on_postgres(plan_, connection, given.sample)
    source = _source(given, plan_, inputs)
    with _progress(name):
        if engine == "duckdb":
            return engines.on_duckdb(plan_, source, given.sample)
        spark: Any = importlib.import_module("predicat_spark.quality")
        result: Measure = spark.on_spark(plan_, source, given.sample)
        return result


def _source(given: Counting, plan_: Plan, inputs: Mapping[str, str]) -> str:
    """The table or path that an engine reads for a dataset."""
    source = inputs.get(plan_.dataset.name)
    if source is None:
        relation = _relation(plan_, plan_.engine)
        source = located(given.folder, relation) if plan_.engine == "duckdb" else relation
    return source


def _check_rows(given: Reported, catalog: Catalog, selected: Collection[str]) -> None:
    """Raise PredicatError if the rows of broken bounds are asked for and cannot be written."""
    from predicat.quality import rows, rows_written  # noqa: PLC0415  # not for --help

    if given.rows is None:
        return
    if len(selected) > 1 and "{dataset}" not in given.rows:
        raise PredicatError.of(say_coverage.one_dataset_for_rows(given.rows))
    for name in selected:
        rows.check_key(catalog.datasets[name])
        rows_written.check_target(given.rows, _engine(catalog, name, given.engine, _sources(given, selected)))


def _write_rows(
    given: Reported, planned: Callable[[], Plan], runs: Sequence[Run], inputs: Mapping[str, str]
) -> None:
    """If they are asked for, write the rows of the bounds that are broken, and tell how many they are. Of
    what could not be measured the earlier rows stay.
    """
    from predicat.quality import rows, rows_written  # noqa: PLC0415  # not for --help

    if given.rows is None or any(run.measure is None for run in runs):
        return
    plan_ = planned()
    name = plan_.dataset.name
    asked, target = rows.asked(plan_, runs, given.partition), given.rows.replace("{dataset}", name)
    with _progress(name, "writing rows of"):
        if plan_.engine == "postgres":
            with connect(given.dsn) as connection:
                count = rows_written.from_postgres(asked, connection, target)
        elif plan_.engine == "duckdb":
            count = rows_written.from_duckdb(asked, _source(given, plan_, inputs), target)
        else:
            spark: Any = importlib.import_module("predicat_spark.quality")
            count = spark.rows_from_spark(asked, _source(given, plan_, inputs), target)
    click.echo(say_coverage.rows_written(target, count, len(asked.bounds), name), err=True)
    if asked.without:
        click.echo(say_coverage.without_rows(asked.without), err=True)


def _relation(plan_: Plan, engine: str) -> str:
    result = plan_.dataset.relation.get(engine)
    if result is None:
        raise click.UsageError(say.no_relation(plan_.dataset.name, engine))
    return result


def _progress(name: str, what: str = "measuring") -> AbstractContextManager[Any]:
    if not sys.stderr.isatty():
        return waiting.reported(f"{what} {name}")
    from rich.console import Console  # noqa: PLC0415  # only on a terminal

    return Console(stderr=True).status(f"{what} {name}")
