"""predicat owners"""

from __future__ import annotations

from pathlib import Path

import click

from predicat.cli.options import catalog_option, load_quietly, pairs, vars_option


@click.command("owners", help="Write CODEOWNERS. Each catalog file belongs to the owners of its filters.")
@catalog_option
@vars_option
@click.option("--out", type=click.Path(path_type=Path), help="The file to write. Default: standard output.")
@click.option("--check", is_flag=True, help="Write nothing. Exit code 1 if the file is not up to date.")
def command(folder: Path, variables: tuple[str, ...], out: Path | None, *, check: bool) -> None:
    from predicat.catalog.manifest import write_text  # noqa: PLC0415  # not for --help
    from predicat.review.owners import codeowners  # noqa: PLC0415  # as above

    shown = codeowners(load_quietly(folder, pairs("--var", variables)))
    if out is None:
        click.echo(shown, nl=False)
    elif check:
        if not out.exists() or out.read_text(encoding="utf-8") != shown:
            click.echo(f"{out} is not up to date; run predicat owners --out {out}", err=True)
            raise click.exceptions.Exit(1)
    else:
        write_text(out, shown)
