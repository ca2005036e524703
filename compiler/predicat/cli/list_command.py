"""predicat list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from predicat.cli.options import load_quietly, option, options
from predicat.cli.output import FORMAT, show
from predicat.cli.selection import Selection

if TYPE_CHECKING:
    from predicat.catalog.model import Filter


@click.command("list", help="List all filters, or those that selectors choose, with owner and description.")
@options
def command(
    *,
    selection: Selection,
    names: bool = option("--names", "Print only the names, for other commands."),
    form: str = FORMAT,
) -> None:
    rows = selection.versions(load_quietly(selection.folder, selection.variables))
    show(form, [_data(*filter_) for filter_ in rows], lambda: _names(rows) if names else _table(rows))


def _data(filter_: Filter, number: int) -> dict[str, Any]:
    version = filter_.versions[number]
    return {
        "name": filter_.qualified,
        "version": number,
        "latest": number == filter_.latest,
        "description": filter_.description,
        "owner": filter_.owner,
        "tags": list(filter_.tags),
        "language": version.language,
        "deprecated": version.deprecated,
        "reads": list(version.predicate.fields),
        "references": list(version.references),
        "params": list(version.params),
        "tests": len(filter_.tests),
        "file": filter_.span.outermost().source.name,
    }


def _shown(filter_: Filter, number: int) -> str:
    return filter_.qualified if number == filter_.latest else f"{filter_.qualified}@{number}"


def _names(rows: list[tuple[Filter, int]]) -> str:
    return "\n".join(_shown(*filter_) for filter_ in rows)


def _table(rows: list[tuple[Filter, int]]) -> str:
    """One line for each filter: name, owner, tags, first line of the description."""
    lines = [
        (
            _shown(cells, number),
            cells.owner,
            ", ".join(cells.tags),
            cells.description.strip().partition("\n")[0],
        )
        for cells, number in rows
    ]
    widths = [max((len(line[place]) for line in lines), default=0) for place in range(3)]
    return "\n".join(
        "  ".join(
            (*(text.ljust(width) for text, width in zip(line, widths, strict=False) if width), line[3])
        ).rstrip()
        for line in lines
    )
