"""predicat owners."""

from __future__ import annotations

from pathlib import Path

import click

from predicat.cli.options import CATALOG, VARIABLES, load_quietly, option, options
from predicat.cli.output import FORMAT, show


@click.command("owners", help="Write CODEOWNERS. Each catalog file belongs to the owners of its filters.")
@options
def command(
    *,
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
    out: Path | None = option("--out", "The file to write. Default: standard output."),
    check: bool = option("--check", "Write nothing. Exit code 1 if the file is not up to date."),
    form: str = FORMAT,
) -> None:
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # not for --help
    from predicat.review.owners import codeowners  # noqa: PLC0415  # as above

    shown = codeowners(load_quietly(folder, variables))
    before = out.read_text(encoding="utf-8") if out is not None and out.exists() else None
    if out is not None and not check:
        write_text(out, shown)
    data = {"file": None if out is None else str(out), "text": shown, "up_to_date": before == shown}
    show(form, data, lambda: shown.rstrip("\n") if out is None else "")
    if check and out is not None and before != shown:
        click.echo(f"{out} is not up to date; run predicat owners --out {out}", err=True)
        raise click.exceptions.Exit(1)
