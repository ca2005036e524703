"""predicat explain"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import click

from predicat.cli.options import catalog_option, load_quietly, needs_review, pairs, vars_option


@click.command(
    "explain",
    help="Say what a filter means: in words, as SQL, what is pushed down, lineage. With --row, why it accepts the row or not.",
)
@click.argument("name")
@catalog_option
@vars_option
@click.option("--row", help="A row as JSON, such as '{\"dep_delay\": 90}', or @FILE.")
def command(name: str, folder: Path, variables: tuple[str, ...], row: str | None) -> None:
    needs_review()
    from predicat.review import explain  # noqa: PLC0415  # not for --help

    catalog = load_quietly(folder, pairs("--var", variables))
    found, number = catalog.find(name)
    version = found.versions[number]
    if row is None:
        click.echo("\n".join(explain.explain(catalog, found, version)))
        return
    data = _row(row)
    _check_names(data, catalog.datasets[found.dataset].fields)
    click.echo("\n".join(explain.explain_row(found, version, data)))


def _check_names(row: dict[str, object], fields: Iterable[str]) -> None:
    """Warns of keys that are no fields of the dataset: a mistyped one would pass for a field without a value."""
    from predicat.diagnostics import messages as msg  # noqa: PLC0415  # not for --help

    known = list(fields)
    for name in row:
        if name not in known and not any(field.startswith(f"{name}.") for field in known):
            hint = msg.did_you_mean(name, known)
            click.echo(
                f"warning: the row has {name!r}, which is no field of the dataset{': ' + hint if hint else ''}",
                err=True,
            )


def _row(text: str) -> dict[str, object]:
    try:
        data = json.loads(Path(text[1:]).read_text(encoding="utf-8") if text.startswith("@") else text)
    except (OSError, ValueError) as error:
        raise click.UsageError(f"--row takes a JSON object: {error}") from None
    if not isinstance(data, dict):
        raise click.UsageError("--row takes a JSON object, such as '{\"dep_delay\": 90}'")
    return data
