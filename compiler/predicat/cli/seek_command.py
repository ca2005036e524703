"""predicat seek."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from predicat.cli.engines import engine_for, is_given, located
from predicat.cli.options import CATALOG, VARIABLES, argument, dsn_option, load_quietly, option, options
from predicat.cli.output import FORMAT
from predicat.cli.project import connect
from predicat.diagnostics import NOWHERE, PredicatError
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import commands as say

if TYPE_CHECKING:
    from predicat.catalog.model import Dataset
    from predicat.seeking import Found

_ENGINES = ("postgres", "duckdb")


@click.command(
    "seek",
    help=(
        "Find the first row that a filter accepts, and read as little as possible. NAME is a filter, one of "
        "its versions or a subscription. Without --input it looks in the relation of the dataset: its "
        "PostgreSQL table, or the files that DuckDB reads."
    ),
)
@options
def command(
    *,
    name: str = argument(),
    source: str | None = option("--input PATH", "A Parquet, CSV or JSON file, or a folder of such files."),
    dsn: str | None = dsn_option(),
    order_by: str | None = option(
        "--order-by FIELD",
        "The field that orders the rows, smallest value first. Default: the order of the rows in the file.",
    ),
    starting_offsets: bool = option(
        "--starting-offsets",
        "For records with topic, partition and offset: print the startingOffsets of Spark's Kafka source.",
    ),
    form: str = FORMAT,
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
) -> None:
    catalog = load_quietly(folder, variables)
    predicate = catalog.accepted(name)
    dataset = catalog.datasets[catalog.find(name)[0].dataset]
    if order_by is not None and order_by not in dataset.fields:
        raise PredicatError.of(msg.unknown_field(NOWHERE, order_by, dataset.fields))
    if source is None and not is_given("dsn") and engine_for(dataset.relation, _ENGINES) == "duckdb":
        source = located(folder, dataset.relation["duckdb"]) if "duckdb" in dataset.relation else None
    first = dataset.fields[order_by] if order_by is not None else None
    if source is not None:
        from predicat.seeking import files  # noqa: PLC0415  # not for --help

        written = dataset.form("duckdb")
        if starting_offsets:
            text, bad = files.offsets(predicate, source, written)
            click.echo(text)
        else:
            found = files.seek(predicate, source, first, written, dataset.fields.values())
            _show(found, form, dataset, "duckdb")
            bad = found.bad
        for warning in bad.messages(dataset.fields):
            click.echo(warning, err=True)
        return
    relation = dataset.relation.get("postgres")
    if relation is None:
        raise click.UsageError(say.no_relation(dataset.name, "postgres"))
    from predicat.seeking import postgres  # noqa: PLC0415  # as above

    with connect(dsn) as connection:
        if starting_offsets:
            click.echo(postgres.offsets(connection, predicate, relation, sensitive=dataset.is_sensitive))
        else:
            found = postgres.seek(connection, predicate, relation, first, sensitive=dataset.is_sensitive)
            _show(found, form, dataset, "postgres")


def _show(result: Found, form: str, dataset: Dataset, engine: str) -> None:
    from predicat.backends.sql.shown import row  # noqa: PLC0415  # not for --help

    seen = row(result.row, dataset.fields.values(), engine) if result.row is not None else None
    shown: dict[str, Any] = {"row": seen, "position": result.position, "bytes_read": result.bytes_read}
    if result.bad.counts:
        shown["bad_cells"] = result.bad.data()
    if form == "json":
        click.echo(json.dumps(shown, default=str, ensure_ascii=False))
        return
    if seen is None:
        click.echo(say.NO_ROW_ACCEPTED)
    for key, value in [*result.position.items(), *(seen or {}).items()]:
        click.echo(f"{key}: {value}")
    if result.bytes_read is not None:
        click.echo(say.bytes_read(result.bytes_read), err=True)
