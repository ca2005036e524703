"""predicat release"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from predicat.cli.options import catalog_option, load, vars_option


@click.command("release", help="Check the rules of released versions, then record every version in catalog.lock and what is new in the "
               "catalog's CHANGELOG.md.")  # fmt: skip
@catalog_option
@vars_option
@click.option("--dry-run", is_flag=True, help="Say what would be released and write nothing.")
def command(folder: Path, variables: tuple[str, ...], *, dry_run: bool) -> None:
    from predicat.catalog.lock import EMPTY, lock_path, read_lock, write_lock  # noqa: PLC0415  # not for --help
    from predicat.diagnostics import PredicatError, Severity  # noqa: PLC0415  # as above
    from predicat.review import changelog, releases  # noqa: PLC0415  # as above

    catalog = load(folder, variables)
    today = datetime.now(tz=UTC).date()
    path = lock_path(folder)
    before = read_lock(path) or EMPTY
    problems = releases.verify(catalog, before, today)
    errors = [item for item in problems if item.severity is Severity.ERROR]
    if errors:
        raise PredicatError(errors)
    after, new = releases.released(catalog, before, today)
    gone = [name for name in before.versions if name not in after.versions]
    if after == before:
        click.echo(f"{path}: nothing to release")
        return
    lines = changelog.lines(catalog, new, gone)
    if not dry_run:
        log = path.with_name("CHANGELOG.md")
        changelog.add(log, today, lines)
        write_lock(after, path)
    for line in lines:
        click.echo(line)
    click.echo(f"{path}: {len(new)} new versions{', not written' if dry_run else ''}")
