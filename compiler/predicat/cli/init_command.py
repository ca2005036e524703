"""predicat init."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from predicat.cli.options import check_dataset_name
from predicat.cli.output import format_option, show
from predicat.cli.project import connect
from predicat.diagnostics.messages import commands as say
from predicat.diagnostics.messages import deploy

if TYPE_CHECKING:
    from predicat.deploy.describe import Described

_CATALOG = """\
apiVersion: predicat/v1
dataset: customers
description: One row per customer.
relation: {spark: customers, postgres: public.customers}
fields:
  id: bigint
  country: string
  orders: {type: bigint, description: Number of orders.}
  last_seen: timestamp
filters:
  active:
    description: Seen since a date, with at least one order.
    owner: you@example.com
    sql: "last_seen >= :since AND orders > 0"
    params: {since: {type: timestamp, default: "2026-01-01 00:00:00"}}
    tests:
      - {row: {last_seen: "2026-02-01 00:00:00", orders: 3}, matches: true}
      - {row: {last_seen: "2026-02-01 00:00:00", orders: 0}, matches: false}
      - {row: {last_seen: null, orders: 3}, matches: false}
  european:
    description: From a European country that we ship to.
    owner: you@example.com
    cel: country in ["DE", "FR", "NL"]
  active_european:
    description: Active and European.
    owner: you@example.com
    all: [active, european]
"""
_MACROS = "{#- Macros are Jinja, as in dbt; filters call them as {{ name(...) }}. -#}\n"


@click.command(
    "init",
    help=(
        "Write a first catalog into FOLDER (default: the current folder). It passes "
        "predicat check. Existing files are not changed."
    ),
)
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option(
    "--from",
    "source",
    metavar="FILE|TABLE|DSN",
    help=(
        "Write a dataset with the columns of this source: a Parquet, CSV or JSON file, or "
        "a folder of them (needs the extra duckdb), a PostgreSQL table (with --dsn, or a DSN alone if "
        "the database has one table), or a Spark table."
    ),
)
@click.option("--dsn", metavar="DSN", help="The PostgreSQL server of the table, postgresql://...")
@click.option(
    "--dataset", metavar="NAME", help="The name of the dataset. Default: the name of the file or table."
)
@format_option
def command(folder: Path, source: str | None, dsn: str | None, dataset: str | None, form: str) -> None:
    from predicat.catalog.attributes import missing_attributes  # noqa: PLC0415  # not for --help
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # as above

    if source is None and (dsn or dataset):
        raise click.UsageError(say.NEED_FROM)
    name, text = ("customers", _CATALOG) if source is None else _described(source, dsn, dataset)
    main = folder / "catalog" / f"{name}.yml"
    macros = folder / "macros" / "macros.sql"
    files = {main: text}
    if main.exists() or (source is None and macros.exists()):
        raise click.UsageError(say.already_exists(main if main.exists() else macros))
    if not macros.exists():
        files[macros] = _MACROS
    attributes = missing_attributes(folder / "catalog")
    if attributes is not None and not attributes[0].exists():
        files[attributes[0]] = attributes[1]
    for path, content in files.items():
        write_text(path, content)
    written = [f"wrote {path}\n" for path in files]
    data = {"dataset": name, "files": list(map(str, files))}
    show(form, data, lambda: f"{''.join(written)}next: predicat check --catalog {folder / 'catalog'}")


def _described(source: str, dsn: str | None, dataset: str | None) -> tuple[str, str]:
    """The name of the dataset of a file or table, and its catalog file. Raises PredicatError."""
    from predicat.deploy import starter  # noqa: PLC0415  # not for --help

    described = _columns(source, dsn)
    name = dataset or starter.dataset_name(described)
    check_dataset_name(name)
    if local := [column.name for column in described.columns if column.lacks_zone]:
        click.echo(deploy.without_zone(described.engine, local), err=True)
    for column in described.columns:
        if column.type is None and not column.lacks_zone:
            click.echo(
                deploy.left_out(described.engine, column.name, column.physical, column.member, column.cast),
                err=True,
            )
    return name, starter.dataset_text(name, described)


def _columns(source: str, dsn: str | None) -> Described:
    """The columns of a DSN (its only table), of a table in a database, of a file, or of a Spark table."""
    from predicat.deploy import describe  # noqa: PLC0415  # not for --help
    from predicat.deploy.data_files import ENDINGS  # noqa: PLC0415  # as above

    is_dsn = source.startswith(("postgresql://", "postgres://")) or (
        "=" in source and not Path(source).exists()
    )
    if is_dsn or dsn:
        with connect(source if is_dsn else dsn) as connection:
            return describe.from_postgres(connection, None if is_dsn else source)
    if Path(source).exists() or "/" in source or source.lower().endswith((*ENDINGS, ".gz")):
        return describe.from_file(source)
    spark: Any = importlib.import_module("predicat_spark.columns")
    return describe.Described("spark", source, describe.columns_of("spark", spark.table_columns(source)))
