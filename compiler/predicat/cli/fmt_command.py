"""predicat fmt."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import Any

import click

from predicat.cli.options import CATALOG, argument, option, options
from predicat.cli.output import FORMAT, text_of
from predicat.diagnostics import PredicatError, Reporter, Source
from predicat.diagnostics.wording import quantity

_HELP = (
    "Format catalog files, or those of folders (default: all; - is standard input): two spaces per level, "
    "quotes only where they are needed. Comments, bodies of filters and the meaning of the files do not "
    "change."
)


@click.command("fmt", help=_HELP)
@options
def command(
    *,
    files: tuple[Path, ...] = argument(
        nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path, allow_dash=True)
    ),
    folder: Path = CATALOG,
    only_check: bool = option("--check", "Write nothing. Exit code 1 if a file would change."),
    show: bool = option("--diff", "Write nothing. Print the changes."),
    form: str = FORMAT,
) -> None:
    from predicat.catalog.files import catalog_files, read_source  # noqa: PLC0415  # not for --help
    from predicat.editor.layout import layout  # noqa: PLC0415  # as above

    reporter = Reporter()
    changed = count = 0
    problems_: list[dict[str, Any]] = []
    named = [one for path in files for one in (catalog_files(path, reporter) if path.is_dir() else [path])]
    for file in named if files else catalog_files(folder, reporter):
        source = Source("<stdin>", sys.stdin.read()) if str(file) == "-" else read_source(file, reporter, {})
        if source is None:
            continue
        count += 1
        try:
            text = layout(source)
        except PredicatError as error:
            reporter.extend(error.diagnostics)
            continue
        writes = not (only_check or show)
        if str(file) == "-" and writes and form == "text":
            click.echo(text, nl=False)
        elif text != source.text:
            changed += 1
            lines = _changes(source, text, show=show, writes=writes)
            if writes and str(file) != "-":
                _write(file, text)
            if form == "text":
                click.echo("".join(lines), nl=False)
        shown = {"text": text} if str(file) == "-" else {}
        problems_.append({"file": source.name, "changes": text != source.text, **shown})
    reporter.raise_errors()
    if form == "json":
        written = bool(changed) and not (only_check or show)
        click.echo(text_of({"files": problems_, "changed": changed, "written": written}))
    elif str(next(iter(files), "")) != "-":
        what = "would change" if only_check or show else "changed"
        click.echo(f"{changed} of {quantity(count, 'file')} {what}", err=True)
    if only_check and changed:
        raise click.exceptions.Exit(1)


def _changes(source: Source, text: str, *, show: bool, writes: bool) -> list[str]:
    """The message for a file that changes."""
    if show:
        before, after = (item.splitlines(keepends=True) for item in (source.text, text))
        return list(difflib.unified_diff(before, after, source.name, source.name))
    return [f"{source.name}\n" if writes else f"{source.name} is not formatted\n"]


def _write(file: Path, text: str) -> None:
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # only where something changes

    mode = file.stat().st_mode
    write_text(file.resolve(), text)
    file.chmod(mode)
