"""predicat export."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from predicat.cli.colour import tell
from predicat.cli.options import (
    CATALOG,
    FOLDER,
    PARAMS,
    VARIABLES,
    argument,
    load_quietly,
    option,
    options,
    values_of,
)
from predicat.cli.output import FORMAT, problems, show
from predicat.cli.selection import Selection
from predicat.diagnostics import Reporter, rendered
from predicat.diagnostics.messages import exports as say
from predicat.diagnostics.reading import up_to_repository
from predicat.diagnostics.wording import quantity
from predicat.exporting.targets import TARGETS, Setting, Target

if TYPE_CHECKING:
    from predicat.catalog.model import Catalog, Filter
    from predicat.exporting.asked import Text
    from predicat.exporting.writing import File

_SETTINGS = "predicat.settings"


@click.group("export", help="Write the filters for other tools.")
def command() -> None:
    """Hold the subcommands."""


class Ways(Struct, frozen=True, kw_only=True):
    """How an export is written."""

    check: bool = option(
        "--check",
        "Write nothing. Exit code 1 if a file of the folder is not what would be written, which is told.",
    )
    force: bool = option(
        "--force", "Overwrite files that were changed by hand, or that predicat did not write."
    )

    def write(self, target: str, catalog: Catalog, texts: Sequence[Text], out: Path) -> list[File]:
        """Write the files, or compare them. Exit code 1 if something differs. Raises PredicatError."""
        from predicat.exporting import writing  # noqa: PLC0415  # not for --help

        found = writing.files(catalog, target, out, texts)
        if not self.check:
            writing.write(out, found, force=self.force)
        return found

    def tell(self, target: str, out: Path, found: Sequence[File]) -> None:
        """Say what differs; exit code 1 with --check."""
        from predicat.exporting.writing import State  # noqa: PLC0415  # as above

        told = [
            file
            for file in found
            if file.state is State.GONE or (self.check and file.state is not State.SAME)
        ]
        for file in told:
            click.echo(f"{out / file.path} {file.state.value}", err=True)
        if self.check and told:
            click.echo(f"run predicat export {target} again", err=True)
            raise click.exceptions.Exit(1)


def _out(target: Target) -> Any:
    if target.out:
        return option("--out", "The folder to write.", below=target.out, type=FOLDER)
    return option("--out", "The folder to write. Default: standard output.", type=FOLDER)


def _exported(name: str, target: Target) -> click.Command:
    """The command of a target."""

    @options
    def run(
        *,
        selection: Selection,
        params: tuple[str, ...] = PARAMS,
        ways: Ways,
        out: Path | None = _out(target),
        skip: bool = option(
            "--skip-refused", "Write the other filters, and exit with 0, where some cannot be exported."
        ),
        form: str = FORMAT,
    ) -> None:
        from predicat.exporting.asked import Asked, no_values  # noqa: PLC0415  # not for --help

        if params and not target.params:
            raise click.UsageError(say.no_params(name))
        catalog = load_quietly(selection.folder, selection.variables)
        chosen = selection.versions(catalog)
        settings = click.get_current_context().meta.get(_SETTINGS, {})
        values = _values(chosen, params) if params else no_values
        asked = Asked(catalog, chosen, settings, values)
        texts = list(target.texts(asked))
        notes = _tell_refusals(asked.reporter, skip=skip and bool(texts))
        filters = {one for text in texts for one in text.filters}
        data: dict[str, Any] = {"target": name, "folder": None, "filters": len(filters), "files": [], **notes}
        if out is None:
            _show_texts(form, data, name, texts)
            return
        found = ways.write(name, catalog, texts, out)
        data |= {"folder": str(out), "files": [_file(file) for file in found]}
        shown = f"{out}: {quantity(len(filters), 'filter')}"
        shown += f"; {target.next.format(out=_in_project(out))}" if target.next else ""
        show(form, data, lambda: "" if ways.check else shown)
        ways.tell(name, out, found)

    return _with_settings(click.command(name, help=target.what)(run), target.settings)


def _in_project(out: Path) -> str:
    """The path of a folder from the dbt project that it is in, or else from the current folder."""
    above = up_to_repository(out.absolute().parent)
    project = next((place for place in above if (place / "dbt_project.yml").is_file()), Path.cwd())
    return Path(os.path.relpath(out, project)).as_posix()


def _with_settings(command: click.Command, settings: Sequence[Setting]) -> click.Command:
    """A command with the options of its target. They are kept in the context, under their names."""

    def keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        context.meta.setdefault(_SETTINGS, {})[parameter.name] = value

    command.params[1:1] = [
        click.Option(
            [f"--{one.name}"],
            type=click.Choice(one.choices) if one.choices else None,
            multiple=one.many,
            default=one.default,
            show_default=one.default is not None,
            metavar=one.value or None,
            help=one.text,
            callback=keep,
            expose_value=False,
        )
        for one in settings
    ]
    return command


def _values(
    chosen: Sequence[tuple[Filter, int]], params: tuple[str, ...]
) -> Callable[[Filter, int], dict[str, Any]]:
    """The values of `--param` that a filter takes. One that no chosen filter takes is an error of each."""
    names = {name for filter_, number in chosen for name in filter_.versions[number].params}

    def of(filter_: Filter, number: int) -> dict[str, Any]:
        known = filter_.versions[number].params
        given = values_of(params, known)
        return {name: value for name, value in given.items() if name in known or name not in names}

    return of


def _tell_refusals(reporter: Reporter, *, skip: bool) -> dict[str, Any]:
    """Tell what is refused and noted. Raises PredicatError for refusals, unless they are skipped."""
    if not skip:
        reporter.raise_errors()
    refused = reporter.sorted_errors()
    notes = [item for item in reporter.diagnostics if item not in refused]
    for note in notes:
        click.echo(f"note: {note.message}", err=True)
    if refused:
        tell(rendered(refused))
        click.echo(f"\n{quantity(len(refused), 'problem')}", err=True)
    return {"notes": [note.message for note in notes], "refused": problems(refused)}


def _show_texts(form: str, data: dict[str, Any], target: str, texts: Sequence[Text]) -> None:
    from predicat.exporting.marks import marked  # noqa: PLC0415  # not for --help

    shown = [(text, marked(text, target)) for text in texts]
    data["files"] = [
        {"path": text.path, "filters": list(text.filters), "state": None, "text": whole}
        for text, whole in shown
    ]
    show(form, data, lambda: "\n".join(whole for _, whole in shown).rstrip("\n"))


def _file(file: File) -> dict[str, Any]:
    return {"path": file.path, "filters": list(file.filters), "state": file.state.value, "text": file.text}


@command.command("pipeline", help=TARGETS["pipeline"].what)
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
    out: Path = option("--out", "The folder of the project.", below=TARGETS["pipeline"].out, type=FOLDER),
    ways: Ways,
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
) -> None:
    from predicat.catalog.jobs import Job, Source  # noqa: PLC0415  # not for --help
    from predicat.deploy.chosen import dataset_of, job_of, with_filters  # noqa: PLC0415  # as above
    from predicat.exporting.pipelines import texts  # noqa: PLC0415  # as above

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
    names, made = texts(catalog, job, kind, out, sinks=sinks)
    found = ways.write("pipeline", catalog, made, out)
    ways.tell("pipeline", out, found)
    if not ways.check:
        written = quantity(len(names), "filter")
        click.echo(f"{out}: {written}; spark-pipelines run --spec {out / 'spark-pipeline.yml'}")


for _name, _target in TARGETS.items():
    if _target.module:
        command.add_command(_exported(_name, _target))
