"""predicat discover."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource
from msgspec import Struct, structs

from predicat.cli.bars import bar
from predicat.cli.baselines import tell
from predicat.cli.baselines import update as update_baseline
from predicat.cli.colour import tell as warn
from predicat.cli.options import (
    BASELINE,
    FOLDER,
    argument,
    failure_as_review,
    form_option,
    load_quietly,
    option,
    options,
    removed_before,
)
from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics.messages import discover as say

if TYPE_CHECKING:
    from predicat.catalog import Catalog
    from predicat.discover.answer_cache import Progress
    from predicat.discover.conditions import Condition
    from predicat.discover.counts import Count
    from predicat.discover.examine import Problem
    from predicat.discover.findings import Found
    from predicat.discover.judging import Tell
    from predicat.discover.propose import Near
    from predicat.discover.read.folder import Scan
    from predicat.discover.real_rows import RealRows
    from predicat.discover.replace import Patch
    from predicat.discover.report import Report
    from predicat.discover.rules import Rule
    from predicat.lint import Finding

_HELP = (
    "Find the conditions that a repository already has, and what is wrong with "
    "them. It reads SQL of any dialect, dbt models, PySpark and manifests, and "
    "prints each finding with its place, and a summary. With --check the exit code "
    "is 1 if a condition is never TRUE, or is a copy or a near copy of a filter of "
    "the catalog."
)

# Objects between two collections: with Python's 700 a large text is looked through while it grows, again and
# again, for half of the time.
_COLLECTED = 50_000


class Options(Struct, frozen=True, kw_only=True):
    """What `discover` was given."""

    paths: tuple[Path, ...] = argument(
        nargs=-1, metavar="PATH...", type=click.Path(path_type=Path, exists=True)
    )
    dsn: str | None = option(
        "--dsn DSN",
        "Also read views, CHECK constraints, policies and statements of this PostgreSQL server, postgresql://...",
    )
    engine: str | None = option(
        "--engine DSN|FOLDER",
        "Count the rows that each condition accepts, on a PostgreSQL server or in Parquet and CSV files. "
        "With --propose: take rows for tests from there.",
    )
    dialect: str | None = option(
        "--dialect NAME",
        "The dialect of all SQL. Default: that of dbt, sqlfluff or predicat.yml, otherwise the one that can "
        "read the most files.",
    )
    folder: Path | None = option(
        "--catalog",
        "Compare conditions with the filters of this catalog. Default: that of predicat.yml, otherwise the "
        "folder catalog if it exists.",
        setting="catalog",
        default=None,
        type=FOLDER,
    )
    form: str = form_option("text", "json", "sarif", "github", "markdown", "html")
    output: Path | None = option(
        "--out, --output FILE",
        "The file to write. Default: standard output.",
        type=click.Path(path_type=Path, dir_okay=False),
        callback=removed_before,
    )
    select: tuple[str, ...] = option("--select CODE", "Show findings with this code in full, even notes.")
    unjudged: bool = option("--read-only", "List the conditions only. Do not look for findings.")
    jobs: int = option(
        "--jobs NUMBER",
        "The number of processes that read files and look for findings.",
        default=2,
        type=click.IntRange(min=1),
    )
    check: bool = option(
        "--check", "For CI: exit code 1 if there is a new finding that should stop a change."
    )
    baseline: Path | None = BASELINE
    against: str | None = option(
        "--against REVISION",
        "Findings that the files of this git revision have, too, are not new. With main... it is the merge "
        "base with main.",
    )
    since: str | None = option(
        "--since REVISION",
        "Report only what concerns files that have changed since this git revision, or are new. With main... "
        "it is the merge base with main.",
    )
    update: bool = option("--update-baseline", "Write the current findings to the --baseline file.")
    propose: Path | None = option(
        "--propose FOLDER",
        "Write a catalog with a filter for each rule to this folder. Existing files are not overwritten.",
        type=click.Path(path_type=Path, file_okay=False),
    )
    min_places: int = option(
        "--min-places NUMBER",
        "With --propose: a rule is in this number of places, at least, or a table or server declares it.",
        default=2,
        type=click.IntRange(min=1),
    )
    rewritten: Path | None = option(
        "--patch FILE",
        "Write a patch that replaces copies by the filters of the catalog (or of --propose), each with its "
        "proof.",
        type=click.Path(path_type=Path, dir_okay=False),
    )
    interactive: bool = option(
        "--interactive", "With --propose: ask for names, and which of two near rules is right."
    )


@click.command("discover", help=_HELP)
@options
def command(*, given: Options) -> None:
    with failure_as_review(given.form, given.output, Path(), "discover"):
        _run(given)


def _run(given: Options) -> None:
    """One run. Raises UsageError and PredicatError, and Exit with what the findings say."""
    gc.enable()  # thousands of files are read, and trees of SQL refer to each other: they are garbage soon
    gc.set_threshold(_COLLECTED)
    from predicat.discover import report  # noqa: PLC0415  # not for --help
    from predicat.discover.findings import CODES, is_told, stops  # noqa: PLC0415  # as above
    from predicat.discover.since import narrow  # noqa: PLC0415  # as above

    _valid(given)
    scan = _read(given.paths, given.dialect, given.dsn, given.jobs)
    if given.since is not None:
        from predicat.discover.since import mark_changed  # noqa: PLC0415  # only with --since

        mark_changed(scan, given.paths, given.since)
    if not scan.files and not scan.conditions and not given.check:
        warn(say.nothing_read(given.paths).render() + "\n")
    if given.propose is None and given.form == "json":
        from predicat.discover.authors import with_authors  # noqa: PLC0415  # what else is shown has no authors

        scan.conditions = with_authors(scan.conditions)
    if given.propose is not None or given.rewritten is not None:
        _complete(scan.unread)
    if given.propose is not None:
        _propose(scan, given.propose, given)
        return
    if given.rewritten is not None:
        _rewrite(scan, given.folder, given.rewritten, given.jobs)
        return
    result = (
        report.Report(scan, [], Counter(), judged=False, unanswered=scan.unread)
        if given.unjudged
        else _judged(scan, _loaded(given.folder), given.jobs)
    )
    if given.update and given.baseline is not None:
        _complete(result.unanswered)
        update_baseline(given.baseline, result.findings, is_told, CODES.__contains__)
        return
    narrow(scan)
    former = [] if given.against is None or result.unanswered else _former(scan, given)
    shown = report.Report(
        scan,
        _new(result.findings, former, given),
        result.unjudged,
        result.judged,
        result.undecided,
        given.select,
        _counted(scan, given.engine) if given.engine is not None and not result.unanswered else (),
        None if given.check and given.form != "markdown" else report.MOST_SHOWN,
        result.unanswered,
        result.filters,
        against=given.against or "",
    )
    shown = _with_history(shown)
    _show(shown, given.form, given.output)
    _complete(shown.unanswered)  # before --check decides
    if given.check and given.since is None and shown.unjudged.total() == len(scan.conditions):
        _nothing_checked(shown.unjudged, given)
    if given.check and any(map(stops, shown.findings)):
        raise click.exceptions.Exit(1)


def _with_history(shown: Report) -> Report:
    """The report with the history of its files and, but for --check, of the lines that it shows first. What
    is new was just written.
    """
    from predicat.discover.origins import changes, origins  # noqa: PLC0415  # not for --help
    from predicat.discover.ranking import Ranking, line_of  # noqa: PLC0415  # as above
    from predicat.discover.report import MOST_SHOWN  # noqa: PLC0415  # as above

    places = (place.path for item in shown.findings for place in item.places)
    ranked = structs.replace(shown, ranking=Ranking(changes(places)))
    if shown.most is None or shown.against:
        return ranked
    first, _ = ranked.first
    return structs.replace(ranked, origins=origins(map(line_of, first[:MOST_SHOWN])))


def _valid(given: Options) -> None:
    """Raise UsageError for options that say nothing together."""
    _consistent(
        {
            "--propose": given.propose is not None,
            "--patch": given.rewritten is not None and given.propose is None,
            "--update-baseline": given.update,
            "--check": given.check,
            "--read-only": given.unjudged,
        }
    )
    if given.update and given.baseline is None:
        raise click.UsageError(say.NEEDS_BASELINE)
    if given.interactive and given.propose is None:
        raise click.UsageError(say.NEEDS_PROPOSE)
    if not given.paths and given.dsn is None:
        raise click.UsageError(say.NEEDS_PATHS)
    _known_codes(given.select)
    if (
        given.engine is not None
        and not Path(given.engine).is_dir()
        and "=" not in given.engine
        and "://" not in given.engine
    ):
        raise click.UsageError(say.no_engine(given.engine))
    whole = {
        "--propose": given.propose is not None,
        "--patch": given.rewritten is not None,
        "--update-baseline": given.update,
    }
    if given.against is not None:
        _consistent({"--against": True, **whole, "--read-only": given.unjudged})
    if given.since is not None:
        _consistent({"--since": True, **whole})


def _consistent(options: Mapping[str, bool]) -> None:
    """Raise UsageError if more than one of the options is given."""
    used = [name for name, is_given in options.items() if is_given]
    if len(used) > 1:
        raise click.UsageError(say.not_together(*used[:2]))


def _known_codes(select: Sequence[str]) -> None:
    """Raise UsageError for the beginning of a code that no finding has."""
    from predicat.discover.findings import CODES  # noqa: PLC0415  # not for --help

    for code in select:
        if not any(known.startswith(code) for known in CODES):
            raise click.UsageError(say.no_code(code, list(CODES)))


def _show(shown: Report, form: str, output: Path | None) -> None:
    """Print the report, or write it to a file."""
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # not for --help
    from predicat.discover import report  # noqa: PLC0415  # as above
    from predicat.discover.markdown import markdown  # noqa: PLC0415  # as above
    from predicat.discover.page import page  # noqa: PLC0415  # as above
    from predicat.forge.git import head_of  # noqa: PLC0415  # as above
    from predicat.review.comments import mark_of  # noqa: PLC0415  # as above

    text = {**report.FORMATS, "markdown": markdown, "html": page}[form](shown)
    if form == "markdown" and (head := head_of(Path())):
        text = mark_of(head) + text  # so that `predicat comment` posts it
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)
        click.echo(report.summary(shown), nl=False)


def _read(
    paths: tuple[Path, ...], dialect: str | None, dsn: str | None, jobs: int, search: str | None = None
) -> Scan:
    """What is in the files and on the server, kept under the name of a search. Raises UsageError for an
    unknown dialect.
    """
    from predicat.discover import answer_cache  # noqa: PLC0415  # not for --help
    from predicat.discover.read import dialects, folder  # noqa: PLC0415  # not for --help

    chosen = dialects.known(dialect) if dialect is not None else None
    if dialect is not None and chosen is None:
        raise click.UsageError(say.unknown_dialect(dialect, dialects.names()))
    columns = declared = None
    if dsn is not None:
        from predicat.discover.read import postgres  # noqa: PLC0415  # an optional package

        columns, declared = postgres.columns(dsn), postgres.conditions(dsn)
    with _progress(say.READING) as (progress, _):
        scan = folder.read(
            paths, chosen, columns, cache=answer_cache.folder(), search=search, progress=progress, jobs=jobs
        )
    if declared is not None:
        scan.add(declared)
    return scan


def _loaded(folder: Path | None) -> Catalog | None:
    """The catalog with whose filters conditions are compared. Raises PredicatError."""
    place = _catalog(folder)
    return load_quietly(place, {}) if place is not None else None


def _judged(scan: Scan, catalog: Catalog | None, jobs: int) -> Report:
    """The findings in the conditions, also compared with the filters of the catalog."""
    extras.require("z3")
    from predicat.discover import answer_cache  # noqa: PLC0415  # not for --help
    from predicat.discover.catalogs import Known, known_filters, with_types  # noqa: PLC0415  # as above
    from predicat.discover.findings import findings  # noqa: PLC0415  # as above
    from predicat.discover.judging import judge  # noqa: PLC0415  # as above
    from predicat.discover.replace import Copies  # noqa: PLC0415  # as above
    from predicat.discover.report import Filters, Report  # noqa: PLC0415  # as above
    from predicat.discover.since import concerns  # noqa: PLC0415  # as above

    conditions, known, copies = scan.conditions, Known(), None
    if catalog is not None:
        conditions = with_types(conditions, catalog)
        known, copies = known_filters(catalog, conditions), Copies(catalog)
    with _progress(say.PROGRESS) as (progress, tell):
        numbers = dict(enumerate(known.uses, len(scan.conditions)))
        judged = judge(
            [*conditions, *known.conditions],
            jobs=jobs,
            cache=answer_cache.folder(),
            progress=progress,
            tell=tell,
            stopped=scan.unread > 0,
            filters=list(numbers),
        )
    unjudged = Counter(
        reason
        for number, reason in judged.unjudged.items()
        if number not in numbers
        and (scan.changed is None or conditions[number].place.path in scan.changed_paths)
    )
    found = findings([*conditions, *known.conditions], judged, numbers, copies)
    return Report(
        scan,
        [item for item in found if concerns(scan, item)],
        unjudged,
        undecided=judged.undecided,
        unanswered=judged.unanswered + scan.unread,
        filters=None if catalog is None else Filters(known.compared, known.left),
    )


def _former(scan: Scan, given: Options) -> list[Finding]:
    """The findings at the revision of --against. A copy of a filter counts also if the filter is new: the
    code has not changed. What a server declares is the same as now. Raises PredicatError.
    """
    from predicat.discover.against import at_revision  # noqa: PLC0415  # not for --help
    from predicat.discover.answer_cache import search_name  # noqa: PLC0415  # as above
    from predicat.discover.conditions import SERVER  # noqa: PLC0415  # as above

    catalog, search = _loaded(given.folder), search_name(given.paths)
    with at_revision(given.paths, given.against or "", _catalog(given.folder)) as former:
        before = _read(former.paths, given.dialect, None, given.jobs, search)
        before.add(item for item in scan.conditions if item.place.path.startswith(SERVER))
        reports = [_judged(before, catalog, given.jobs)]
        if former.has_other_catalog:
            with suppress(PredicatError):  # a catalog with problems, which this one mends
                reports.append(_judged(before, _loaded(given.folder), given.jobs))
    _complete(sum(item.unanswered for item in reports))
    *_, own = reports
    copies = [item for item in reports[0].findings if item.code == "D301"]
    return [*(item for item in own.findings if item.code != "D301"), *copies]


@contextmanager
def _progress(doing: str) -> Iterator[tuple[Progress, Tell]]:
    """Shows on a terminal how many files are read, or questions answered; and conditions that accept no row
    when they are found.
    """
    from rich.markup import escape  # noqa: PLC0415  # not for --help

    with bar() as shown:
        task, found = shown.add_task(doing, total=None), 0

        def tell(condition: Condition, problem: Problem) -> None:
            nonlocal found
            found += 1
            shown.update(task, description=say.found_so_far(found))
            if problem.kind == "never":
                place = condition.place
                line = say.found_one(place.path, place.line, problem.message)
                printable = "".join(char if char.isprintable() else "?" for char in line)
                shown.console.print(escape(printable), highlight=False, soft_wrap=True)

        yield lambda done, total: shown.update(task, completed=done, total=total), tell


def _complete(unanswered: int) -> None:
    """End as interrupted where Ctrl-C left questions: what is written or decided needs all answers."""
    if unanswered:
        raise KeyboardInterrupt


def _counted(scan: Scan, place: str) -> list[Count]:
    """The rows of each condition on an engine. Raises PredicatError if it cannot be reached."""
    from predicat.discover.counts import counts  # noqa: PLC0415  # not for --help
    from predicat.discover.engines import engine  # noqa: PLC0415  # an optional package

    with engine(place) as opened:
        return counts(scan.conditions, opened)


def _rewrite(scan: Scan, catalog: Path | None, out: Path, jobs: int) -> None:
    """Write the patch of all copies of filters. Raises UsageError without a catalog."""
    extras.require("z3")
    from predicat.discover import answer_cache  # noqa: PLC0415  # not for --help
    from predicat.discover.catalogs import known_filters, with_types  # noqa: PLC0415  # as above
    from predicat.discover.judging import judge  # noqa: PLC0415  # as above
    from predicat.discover.replace import patch  # noqa: PLC0415  # as above

    place = _catalog(catalog)
    if place is None:
        raise click.UsageError(say.NEEDS_CATALOG)
    loaded = load_quietly(place, {})
    conditions = with_types(scan.conditions, loaded)
    known = known_filters(loaded, conditions)
    conditions += known.conditions
    with _progress(say.PROGRESS) as (progress, _):
        judged = judge(conditions, jobs=jobs, cache=answer_cache.folder(), progress=progress)
    _complete(judged.unanswered)
    _write_patch(out, patch(conditions, judged, dict(enumerate(known.uses, len(scan.conditions))), loaded))


def _write_patch(out: Path, result: Patch, *, quietly: bool = False) -> None:
    """Write a patch, and say which places stay as they are."""
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # not for --help

    by_reason: dict[str, dict[str, None]] = {}
    for condition, reason in result.stay:
        by_reason.setdefault(reason, {})[f"{condition.place.path}:{condition.place.line}"] = None
    for reason, places in by_reason.items():
        click.echo(say.stay(list(places), len(places), reason), err=True)
    write_text(out, result.text)
    click.echo(say.patched(str(out), len(result.places)), err=quietly)
    if any(copy.text.startswith("{{") for copy in result.places):
        click.echo(say.NEEDS_PACKAGE, err=quietly)


def _catalog(option: Path | None) -> Path | None:
    """The folder of the catalog: the given one, or else that of the project, or `catalog`, if it is there."""
    if click.get_current_context().get_parameter_source("folder") is ParameterSource.COMMANDLINE:
        return option
    folder = option or Path("catalog")
    return folder if folder.is_dir() else None


def _propose(scan: Scan, folder: Path, given: Options) -> None:
    """Write a catalog with the rules that were found."""
    extras.require("z3")
    from predicat.discover import answer_cache, replacing  # noqa: PLC0415  # not for --help
    from predicat.discover import propose as catalogs  # noqa: PLC0415  # as above
    from predicat.discover.judging import judge  # noqa: PLC0415  # as above
    from predicat.discover.replace import patch_of  # noqa: PLC0415  # as above

    with _progress(say.PROGRESS) as (progress, _):
        judged = judge(scan.conditions, jobs=given.jobs, cache=answer_cache.folder(), progress=progress)
    _complete(judged.unanswered)
    ask, choose = (_asked, _right) if given.interactive else (None, None)
    with _data(given) as data:
        proposal = catalogs.propose(scan.conditions, judged, ask, choose, given.min_places, data)
    written, there = catalogs.write(proposal, folder)
    places = replacing.places_of(proposal.filters, load_quietly(folder, {}, written))
    result = replacing.Written(proposal, written, there, places)
    if given.form == "json":
        click.echo(replacing.as_json(result), nl=False)
    else:
        for reason, number in proposal.left.most_common():
            click.echo(say.left_out(reason, number), err=True)
        click.echo(replacing.as_text(result))
    if given.rewritten is not None:
        found = [copy for copies in places.values() for copy in copies]
        _write_patch(given.rewritten, patch_of(found), quietly=given.form == "json")


@contextmanager
def _data(given: Options) -> Iterator[RealRows | None]:
    """Where rows for the tests of proposed filters are, if an engine is given. Raises PredicatError if it
    cannot be reached.
    """
    if given.engine is None:
        yield None
        return
    from predicat.catalog.files import catalog_files  # noqa: PLC0415  # not for --help
    from predicat.diagnostics import Reporter  # noqa: PLC0415  # as above
    from predicat.discover.engines import engine  # noqa: PLC0415  # an optional package
    from predicat.discover.real_rows import RealRows  # noqa: PLC0415  # as above

    place = _catalog(given.folder)
    has_files = place is not None and any(catalog_files(place, Reporter()))
    with engine(given.engine) as opened:
        yield RealRows(opened, _loaded(given.folder) if has_files else None)


def _right(near: Near) -> list[Rule]:
    """The rules that somebody says are right, of two that are nearly the same."""
    both = [near.first, near.second]
    shown = [
        (rule.sql, [f"{condition.place.path}:{condition.place.line}" for condition in rule.conditions])
        for rule in both
    ]
    click.echo("\n" + say.two_rules(near.relation, near.message, shown, near.rows), err=True)
    answers = {"1": both[:1], "2": both[1:], "both": both}
    answer: str = click.prompt(say.ASKS_WHICH, default="both", type=click.Choice(list(answers)), err=True)
    return answers[answer]


def _asked(sql: str, name: str) -> str:
    """The name that somebody gives a filter; empty if it is left out."""
    click.echo(f"\n{sql}", err=True)
    answer: str = click.prompt(say.ASKS_FOR_A_NAME, default=name, err=True)
    return "" if answer.strip() == "-" else answer


def _new(findings: Sequence[Found], former: Sequence[Finding], given: Options) -> Sequence[Found]:
    """The findings that neither a baseline nor a former revision has."""
    from predicat.discover.findings import CODES  # noqa: PLC0415  # not for --help
    from predicat.lint import baseline as lines  # noqa: PLC0415  # as above

    if given.baseline is not None:
        result = lines.apply_baseline(findings, lines.read(given.baseline), CODES.__contains__)
        tell(given.baseline, result, whole=_reads_folders(given))
        findings = result.new
    if given.against is not None:
        result = lines.apply_baseline(findings, list(map(lines.entry, former)))
        click.echo(say.known_at(given.against, result.accepted), err=True)
        findings = result.new
    return findings


def _nothing_checked(reasons: Counter[str], given: Options) -> None:
    """Say that nothing was checked. Raises PredicatError where folders are read: there a check that judges
    nothing would always pass. Single files, as a hook names them, may well have no condition.
    """
    if _reads_folders(given):
        raise PredicatError.of(say.nothing_checked(list(reasons)))
    warn(say.none_in_files(list(reasons)).render())


def _reads_folders(given: Options) -> bool:
    """Whether more is read than single files, as a hook of pre-commit names them."""
    return given.dsn is not None or any(path.is_dir() for path in given.paths)
