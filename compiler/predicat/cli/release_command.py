"""predicat release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from predicat.cli.options import BASE, CATALOG, VARIABLES, load, load_quietly, option, options
from predicat.cli.output import FORMAT, show
from predicat.diagnostics import PredicatError, Severity

if TYPE_CHECKING:
    from predicat.catalog import Catalog
    from predicat.review.base import BaseCommit
    from predicat.review.releases import Rules


@click.command(
    "release",
    help="Check the rules of released versions. Then record every version in catalog.lock, and new ones in "
    "the CHANGELOG.md of the catalog.",
)
@options
def command(
    *,
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
    base: str | None = BASE,
    dry_run: bool = option("--dry-run", "Print what would be written. Write nothing."),
    repair: bool = option(
        "--repair",
        "Release nothing. Sort both files after a merge, remove conflict markers, and restore lost or "
        "edited lines of the lock file from the base.",
    ),
    form: str = FORMAT,
) -> None:
    from predicat.catalog.lock import lock_path  # noqa: PLC0415  # not for --help
    from predicat.review import base as bases  # noqa: PLC0415  # as above

    catalog = load_quietly(folder, variables) if repair else load(folder, variables)
    path = lock_path(folder)
    result = bases.find(path, base)
    if result.warning is not None:
        click.echo(result.warning.render() + "\n", err=True)
    rules = _rules(catalog, path, result)
    texts, lines, summary = _repaired(rules, path) if repair else _released(rules, path)
    if not dry_run:
        _write(texts)
    data = {
        "lock": str(path),
        "summary": summary,
        "changes": list(lines),
        "files": list(map(str, texts)),
        "written": bool(texts) and not dry_run,
    }
    last = f"{path}: {summary}{', not written' if dry_run and texts else ''}"
    show(form, data, lambda: "\n".join((*lines, last)))


def _rules(catalog: Catalog, path: Path, base: BaseCommit) -> Rules:
    from predicat.catalog.lock import read_lock_file  # noqa: PLC0415  # not for --help
    from predicat.review.releases import Rules  # noqa: PLC0415  # as above

    today = datetime.now(tz=UTC).date()
    file = read_lock_file(path)
    return Rules(catalog, file, today, base=base.file(catalog.datasets, file), path=str(path))


def _released(rules: Rules, path: Path) -> tuple[dict[Path, str], Sequence[str], str]:
    """What a release writes and says. Raises PredicatError for a breach of the rules, unless writing mends
    it.
    """
    from predicat.catalog.attributes import missing_attributes  # noqa: PLC0415  # not for --help
    from predicat.catalog.released import lock_text  # noqa: PLC0415  # as above
    from predicat.review import changelog  # noqa: PLC0415  # as above

    errors = [item for item in rules.problems() if item.severity is Severity.ERROR]
    if errors:
        raise PredicatError(errors)
    release = rules.release()
    text = lock_text(release.lock)
    if text == _text(path):
        return {}, [], "nothing to release"
    lines = changelog.lines(rules.catalog, release.new, release.gone, release.deprecated)
    texts = {path: text}
    log = path.with_name(changelog.NAME)
    if lines:
        texts = {log: changelog.add(_text(log), rules.today, lines), **texts}
    attributes = missing_attributes(path.parent)
    if attributes is not None:
        texts = {attributes[0]: attributes[1], **texts}
        lines += [f"{attributes[0]}: merges keep the lines of both branches"]
    counts = (
        (len(release.new), "new version" if len(release.new) == 1 else "new versions"),
        (len(release.deprecated), "deprecated"),
        (len(release.gone), "removed"),
    )
    return (
        texts,
        lines,
        ", ".join(f"{count} {what}" for count, what in counts if count) or "brought up to date",
    )


def _repaired(rules: Rules, path: Path) -> tuple[dict[Path, str], Sequence[str], str]:
    """What a repair writes and says. Raises PredicatError for lines that it cannot restore."""
    from predicat.catalog.released import lock_text  # noqa: PLC0415  # not for --help
    from predicat.review import changelog  # noqa: PLC0415  # as above

    after, lines = rules.repair()
    texts: dict[Path, str] = {}
    if rules.exists or after.versions or after.subscriptions:
        texts[path] = lock_text(after)
    log = path.with_name(changelog.NAME)
    before = _text(log)
    if before is not None:
        texts[log] = changelog.ordered(before)
    changed = {name: text for name, text in texts.items() if text != _text(name)}
    if not changed:
        return {}, [], "nothing to repair"
    return changed, lines, "repaired" if path in changed else f"in order; {log} was put in order"


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def _write(texts: Mapping[Path, str]) -> None:
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # not for --help

    for path, text in texts.items():
        write_text(path, text)
