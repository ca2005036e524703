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
from msgspec.structs import replace

from predicat.cli.engines import FOLLOWS, engine_for, located, options_given
from predicat.cli.exit_codes import ExitCode
from predicat.cli.options import (
    FILE,
    FOLDER,
    catalog_option,
    dsn_option,
    form_option,
    load_quietly,
    now_option,
    pairs,
    reading,
    vars_option,
)
from predicat.cli.output import format_option, show
from predicat.cli.project import FromProject, below, connect
from predicat.cli.selection import Selection, completed, selection_options
from predicat.diagnostics import PredicatError, Reporter, waiting
from predicat.diagnostics.messages import commands as say
from predicat.diagnostics.messages import coverage as say_coverage
from predicat.diagnostics.wording import quantity

if TYPE_CHECKING:
    from datetime import datetime

    from predicat.catalog import Catalog
    from predicat.catalog.model import Dataset
    from predicat.quality.history import Entry, Series
    from predicat.quality.measure import Measure
    from predicat.quality.outcome import About, Run
    from predicat.quality.plan import Plan
    from predicat.quality.suggest import Suggestion
    from predicat.quality.suite import Suite

FORMATS = ("text", "json", "junit", "markdown", "html")
ENGINES, GX_ENGINES = ("spark", "postgres", "duckdb"), ("spark", "postgres")
engine_option = click.option(
    "--engine", type=click.Choice(ENGINES), help=f"The engine that counts the rows. {FOLLOWS}"
)
input_option = click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="DATASET=SOURCE",
    help="The table or path to read for a dataset (Spark, DuckDB). Default: its relation.",
)
sample_option = click.option(
    "--sample",
    default=1.0,
    show_default=True,
    type=click.FloatRange(0.000001, 1.0),
    metavar="SHARE",
    help="The share of rows to read, such as 0.01.",
)
history_option = click.option(
    "--history",
    cls=FromProject,
    below="target/quality/history.jsonl",
    show_default=True,
    type=FILE,
    help="Where results are stored: a file of JSON lines, or a folder NAME.parquet.",
)


datasets_argument = click.argument(
    "selectors", nargs=-1, metavar="[DATASET|SELECTOR]...", shell_complete=completed
)


def baseline_option(text: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The file of the baseline; `text` says what the command does with it."""
    return click.option(
        "--baseline",
        cls=FromProject,
        below="target/quality/baseline.jsonl",
        show_default=True,
        type=FILE,
        help=text,
    )


common = (
    catalog_option,
    vars_option,
    engine_option,
    input_option,
    sample_option,
    dsn_option(" for --engine postgres"),
    now_option("that of the engine"),
    history_option,
)


def shared(function: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(common):
        function = option(function)
    return function


@click.group("quality", help="Measure how many rows filters accept, and check the bounds of the catalog.")
def command() -> None:
    """Hold the subcommands."""


@command.command(
    "run",
    help=(
        "Count the rows that filters accept, and check every bound. It measures all "
        "datasets, or only those that you name. Exit code 1: a bound is "
        "broken; 2: wrong use; 3: an engine failed."
    ),
)
@datasets_argument
@selection_options
@shared
@form_option(*FORMATS, what="report")
@click.option("--out", type=FILE, help="Write the report to a file.")
@click.option("--html", "pages", type=FILE, help="Also write the report as an HTML page to this file.")
@click.option(
    "--site",
    metavar="URL",
    help="Link filters to this site of the catalog. Default: target/site, if it exists.",
)
@baseline_option("The results that drift is measured from.")
@click.option(
    "--partition", default="", metavar="NAME", help="The partition of the measured data, such as a date."
)
@click.option(
    "--keep-in-postgres", is_flag=True, help="Also store results in the table predicat_quality of --dsn."
)
@click.option(
    "--notify",
    metavar="URL",
    envvar="PREDICAT_NOTIFY",
    help="Post the result to a webhook. The URL can also be in the variable PREDICAT_NOTIFY.",
)
@click.option(
    "--notify-format",
    default="json",
    show_default=True,
    type=click.Choice(("json", "slack")),
    help="The format of the message.",
)
@click.option(
    "--notify-on",
    default="fail",
    show_default=True,
    type=click.Choice(("fail", "warn", "always")),
    help="When to post.",
)
def run(  # noqa: PLR0913, PLR0917  # one argument an option
    selectors: tuple[str, ...],
    exclude: tuple[str, ...],
    base: str | None,
    folder: Path,
    variables: tuple[str, ...],
    engine: str | None,
    inputs: tuple[str, ...],
    sample: float,
    dsn: str | None,
    now: str | None,
    history: Path,
    form: str,
    out: Path | None,
    pages: Path | None,
    site: str | None,
    baseline: Path,
    partition: str,
    notify: str | None,
    notify_format: str,
    notify_on: str,
    *,
    keep_in_postgres: bool,
) -> None:
    from predicat.catalog.project import load_project  # noqa: PLC0415  # as above
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # not for --help
    from predicat.quality import report, stores  # noqa: PLC0415  # as above
    from predicat.quality.history import Series, entries  # noqa: PLC0415  # as above

    catalog = load_quietly(folder, pairs("--var", variables))
    project = load_project(folder).catalog
    about = _about(folder, project)
    selected = _asked(catalog, Selection.given(folder, variables, selectors, exclude=exclude, base=base))
    names = tuple(selected)
    past = stores.merged(_read(history), _read_table(dsn, names) if keep_in_postgres else ())
    stated = stores.read(baseline)
    runs: list[Run] = []
    added: list[Entry] = []
    sources, moment = _sources(inputs, engine, selected), reading(now)
    for name, filters in selected.items():
        used = _engine(catalog, name, engine, sources)
        series = Series(project, name, used, partition, sample)
        engine_of = partial(_measured, catalog, folder, name, filters, used, sources, sample, dsn, moment)
        result = _run(catalog, name, filters, engine_of, series, past, stated, moment)
        runs.append(replace(result, definition=catalog.datasets.get(name), about=about))
        if result.measure is not None:
            added += entries(catalog, result.measure, series, result.checks)
            _tell_bad(result.measure, catalog.datasets[name])
    shown = report.FORMATS[form](runs)
    if out is None:
        click.echo(shown, nl=False)
    else:
        write_text(out, shown)
    if pages is not None:
        write_text(pages, report.html(runs, site if site is not None else _site_beside(pages)))
        click.echo(f"page: {pages}", err=True)
    stores.append(history, added)
    if keep_in_postgres:
        _keep_in_table(dsn, added)
    if notify:
        _notify(notify, notify_format, notify_on, runs)
    code = max(outcome.code for outcome in runs) if runs else 0
    if code:
        raise click.exceptions.Exit(code)


@command.command(
    "baseline", help="Use the newest stored results as the baseline that drift is measured from."
)
@history_option
@baseline_option("The file to write.")
@click.option("--partition", metavar="NAME", help="Only results of this partition.")
@format_option
def baseline(history: Path, baseline: Path, partition: str | None, form: str) -> None:
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
    "suggest",
    help=(
        "Count the rows that filters accept, and propose bounds for filters and datasets that have none. The "
        "bounds follow from these counts and from those of earlier runs."
    ),
)
@datasets_argument
@selection_options
@shared
@click.option("--write", is_flag=True, help="Add the bounds to the catalog files. Existing bounds stay.")
@click.option(
    "--history-in-postgres",
    is_flag=True,
    help="Also use the results in the table predicat_quality of --dsn.",
)
@click.option("--explain", is_flag=True, help="Print the reason for each bound, as a comment above it.")
@format_option
def suggest(  # noqa: PLR0913  # one argument an option
    selectors: tuple[str, ...],
    exclude: tuple[str, ...],
    base: str | None,
    folder: Path,
    variables: tuple[str, ...],
    engine: str | None,
    inputs: tuple[str, ...],
    sample: float,
    dsn: str | None,
    now: str | None,
    history: Path,
    form: str,
    *,
    write: bool,
    history_in_postgres: bool,
    explain: bool,
) -> None:
    from predicat.catalog.project import load_project  # noqa: PLC0415  # not for --help
    from predicat.quality import stores  # noqa: PLC0415  # as above
    from predicat.quality.history import Series  # noqa: PLC0415  # as above
    from predicat.quality.suggest import suggest as propose  # noqa: PLC0415  # as above
    from predicat.quality.suggest import with_age  # noqa: PLC0415  # as above

    given = pairs("--var", variables)
    catalog = load_quietly(folder, given)
    project = load_project(folder).catalog
    selected = _asked(catalog, Selection.given(folder, variables, selectors, exclude=exclude, base=base))
    sources, moment = _sources(inputs, engine, selected), reading(now)
    past = stores.merged(_read(history), _read_table(dsn, tuple(selected)) if history_in_postgres else ())
    proposed: dict[str, list[Suggestion]] = {}
    for name, filters in selected.items():
        used = _engine(catalog, name, engine, sources)
        measured = _measured(catalog, folder, name, filters, used, sources, sample, dsn, moment, with_age)
        _tell_bad(measured, catalog.datasets[name])
        earlier = Series(project, name, used, "", sample).stated(past)
        proposed[name] = propose(catalog, measured, earlier, moment)
    written = _written(folder, proposed, given) if write else {}
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
        **{key: next((item.bounds for item in items if item.key == key), {}) for key in OF_DATASET},
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


OF_DATASET = ("rows", "freshness")
"""The bounds of a dataset that are proposed."""


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
@catalog_option
@vars_option
@click.option("--engine", type=click.Choice(GX_ENGINES), help=f"The data source. {FOLLOWS}")
@click.option(
    "--out",
    cls=FromProject,
    below="target/quality",
    show_default=True,
    type=FOLDER,
    help="The folder of the project.",
)
@baseline_option("The results that stability is measured from.")
def project(folder: Path, variables: tuple[str, ...], engine: str | None, out: Path, baseline: Path) -> None:
    from predicat.diagnostics import extras  # noqa: PLC0415  # not for --help

    extras.require("great_expectations")
    from predicat.quality import stores  # noqa: PLC0415  # not for --help
    from predicat.quality.history import by_filter  # noqa: PLC0415  # as above
    from predicat.quality.project import DSN, checkpoint, generate  # noqa: PLC0415  # takes seconds to import

    catalog = load_quietly(folder, pairs("--var", variables))
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
    """The bounds that are left out of suites, by the reason."""
    result: dict[str, list[str]] = {}
    for item in suites:
        for label, reason in item.left_out.items():
            result.setdefault(reason, []).append(label)
    return result


def _tell_bad(measure: Measure, dataset: Dataset) -> None:
    """The cells of files that are no values of their fields, on standard error."""
    for text in measure.bad.messages(dataset.fields):
        click.echo(text, err=True)


def _about(folder: Path, project: str) -> About:
    """When the run is, and the revision of the catalog, with a + if files differ from the commit."""
    from predicat.forge import git  # noqa: PLC0415  # as above
    from predicat.quality.outcome import About  # noqa: PLC0415  # not for --help

    commit, changed, _ = git.revision(folder).partition("+")
    revision = commit[:12] + changed
    options = options_given("folder", "variables", "engine", "inputs", "sample", "dsn", "now")
    return About(datetime.now(tz=UTC).isoformat(timespec="seconds"), project, revision, options)


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


def _read_table(dsn: str | None, datasets: Sequence[str]) -> list[Entry]:
    from predicat.quality import stores  # noqa: PLC0415  # as above

    with connect(dsn) as connection:
        return [entry for name in datasets for entry in stores.read_postgres(connection, name)]


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
    return Run(name, result, judge(catalog, result, past, series.stated(baseline), now), (), past)


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
    """The engine of a dataset. PostgreSQL reads no file."""
    offered = [engine for engine in ENGINES if engine != "postgres"] if name in sources else ENGINES
    return engine_for(catalog.datasets[name].relation, offered, given)


def _sources(inputs: tuple[str, ...], engine: str | None, selected: Collection[str]) -> dict[str, str]:
    """The table or path that is given for each dataset. Raises click.UsageError if one would not be read."""
    sources = pairs("--input", inputs, "DATASET=SOURCE")
    if sources and engine == "postgres":
        raise click.UsageError(say.INPUT_NEEDS_ANOTHER_ENGINE)
    for name in sources:
        if name not in selected:
            raise click.UsageError(say.input_not_measured(name, selected))
    return sources


def _measured(
    catalog: Catalog,
    folder: Path,
    name: str,
    filters: Sequence[str],
    engine: str,
    inputs: dict[str, str],
    sample: float,
    dsn: str | None,
    now: datetime | None,
    more: Callable[[Plan], Plan] = lambda plan_: plan_,
) -> Measure:
    """The counts of a dataset. `more` adds to what is asked."""
    from predicat.quality import engines  # noqa: PLC0415  # not for --help
    from predicat.quality.plan import plan  # noqa: PLC0415  # as above

    plan_ = more(plan(catalog, name, filters, engine, now))
    if engine == "postgres":
        with connect(dsn) as connection, _progress(name):
            return engines.on_postgres(plan_, connection, sample)
    with _progress(name):
        if engine == "duckdb":
            source = inputs.get(name) or located(folder, _relation(plan_, engine))
            return engines.on_duckdb(plan_, source, sample)
        source = inputs.get(name) or _relation(plan_, engine)
        spark: Any = importlib.import_module("predicat_spark.quality")
        result: Measure = spark.on_spark(plan_, source, sample)
        return result


def _relation(plan_: Plan, engine: str) -> str:
    result = plan_.dataset.relation.get(engine)
    if result is None:
        raise click.UsageError(say.no_relation(plan_.dataset.name, engine))
    return result


def _progress(name: str) -> AbstractContextManager[Any]:
    if not sys.stderr.isatty():
        return waiting.reported(f"measuring {name}")
    from rich.console import Console  # noqa: PLC0415  # only on a terminal

    return Console(stderr=True).status(f"measuring {name}")
