"""predicat init."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from predicat.catalog.paths import PROJECT_FILE
from predicat.cli.engines import engine_for, is_given, located, to_write
from predicat.cli.options import argument, check_dataset_name, dsn_option, option, options
from predicat.cli.output import FORMAT, show
from predicat.cli.project import connect, from_here
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import commands as say
from predicat.diagnostics.messages import deploy
from predicat.diagnostics.reading import text_of

if TYPE_CHECKING:
    from predicat.catalog import Catalog
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
_TABLES, IGNORED = ("postgres", "spark"), "target/"
_MACROS = "{#- Macros are Jinja, as in dbt; filters call them as {{ name(...) }}. -#}\n"


@click.command(
    "init",
    help=(
        "Write a first catalog into FOLDER (default: that of the project, otherwise the current one), and a "
        "project file with which other commands need no options. The catalog passes predicat check. "
        "Existing files are not changed."
    ),
)
@options
def command(
    *,
    folder: Path | None = argument(required=False, type=click.Path(path_type=Path)),
    source: str | None = option(
        "--from FILE|TABLE|DSN",
        "Write a dataset with the columns of this source: a Parquet, CSV or JSON file, or a folder of them "
        "(needs the extra duckdb), a table of PostgreSQL or Spark, or a DSN alone if the database has one "
        "table.",
    ),
    engine: str | None = option(
        "--engine",
        "The engine that has the table. Default: postgres with --dsn, otherwise the project's engine.",
        type=click.Choice(_TABLES),
    ),
    dsn: str | None = dsn_option(" of the table"),
    dataset: str | None = option(
        "--dataset NAME", "The name of the dataset. Default: the name of the file or table."
    ),
    update: bool = option(
        "--update",
        "Add fields for new columns to datasets of the catalog, and report columns that are gone or have "
        "another type. Nothing else in the files changes. Without --from: all datasets on the engine.",
    ),
    form: str = FORMAT,
) -> None:
    from predicat.catalog.attributes import missing_attributes  # noqa: PLC0415  # not for --help
    from predicat.catalog.paths import project_file  # noqa: PLC0415  # as above
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # as above

    if update:
        _update(folder or Path(), source, engine, dsn, dataset, form)
        return
    if source is None and (is_given("dsn") or dataset or engine):
        raise click.UsageError(say.NEED_FROM)
    name, text, used, server = "customers", _CATALOG, "spark", None
    project = project_file(folder or Path())
    there = "" if folder is None or folder.resolve() == Path.cwd() else f"cd {shlex.quote(str(folder))} && "
    if folder is None:
        folder = from_here(project.parent) if project is not None else Path()
    if source is not None:
        described, server = _columns(source, engine, dsn)
        if described.engine == "duckdb":
            root = project.parent if project is not None else folder
            described = replace(described, relation=to_write(root, described.relation))
        (name, text), used = _described(described, dataset), described.engine
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
    if project is None:
        files[folder / PROJECT_FILE] = _project(folder, used, server)
    ignored = folder / ".gitignore"
    if not ignored.exists():
        files[ignored] = f"{IGNORED}\n"
    elif not _is_ignored(ignored):
        click.echo(say.not_ignored(IGNORED, ignored), err=True)
    for path, content in files.items():
        write_text(path, content)
    written = [f"wrote {path}\n" for path in files]
    data = {"dataset": name, "files": list(map(str, files))}
    show(form, data, lambda: f"{''.join(written)}next: {there}predicat check")


def _update(
    folder: Path, source: str | None, engine: str | None, dsn: str | None, dataset: str | None, form: str
) -> None:
    """Add new columns to the files of datasets. Raises PredicatError with the columns that changed."""
    from predicat.catalog.paths import project_file  # noqa: PLC0415  # not for --help
    from predicat.cli.options import load_quietly  # noqa: PLC0415  # as above
    from predicat.deploy import starter  # noqa: PLC0415  # as above
    from predicat.deploy.update import Update, updated  # noqa: PLC0415  # as above
    from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # as above

    project = project_file(folder)
    home = (project.parent if project is not None else folder) / "catalog"
    catalog = load_quietly(home, {})
    found: dict[str, Update] = {}
    for name, place in _relations(catalog, home, source, engine, dataset).items():
        described, _ = _columns(place, engine, dsn)
        known = catalog.datasets.get(name or starter.dataset_name(described))
        if known is None:
            raise PredicatError.of(deploy.no_dataset(name or starter.dataset_name(described), None))
        one = updated(known, described)
        if one is None:
            raise PredicatError.of(deploy.no_fields_to_add_to(known.name))
        found[known.name] = one
    for one in found.values():
        if one.added:
            write_text(Path(one.path), one.text)
    data = {name: {"file": one.path, "added": one.added} for name, one in found.items()}
    show(form, data, lambda: "\n".join(deploy.updated(one.path, one.added) for one in found.values()))
    if changed := [problem for one in found.values() for problem in one.changed]:
        raise PredicatError(changed)


def _relations(
    catalog: Catalog, home: Path, source: str | None, engine: str | None, dataset: str | None
) -> dict[str, str]:
    """What is read for each dataset; the name is "" where it follows from what is read."""
    if source is not None:
        return {dataset or "": source}
    wanted = engine or engine_for((), ("postgres", "spark", "duckdb"), fallback="postgres")
    found = {
        name: located(home, row.relation[wanted]) if wanted == "duckdb" else row.relation[wanted]
        for name, row in catalog.datasets.items()
        if wanted in row.relation and dataset in (None, name)
    }
    if not found:
        raise click.UsageError(say.no_relations(wanted))
    return found


def _is_ignored(file: Path) -> bool:
    return any(line.strip().strip("/") == IGNORED.strip("/") for line in text_of(file).splitlines())


def _project(folder: Path, engine: str, dsn: str | None) -> str:
    """The text of the project file. A password is not written, which the command says."""
    from predicat.catalog.project import usable_name  # noqa: PLC0415  # not for --help
    from predicat.deploy.first_project import project_text, without_password  # noqa: PLC0415  # as above

    server, had_password = without_password(dsn) if dsn is not None else (None, False)
    if had_password:
        click.echo(say.LOGIN_BY_LIBPQ, err=True)
    return project_text(usable_name(folder / "catalog"), engine, server)


def _described(described: Described, dataset: str | None) -> tuple[str, str]:
    """The name of the dataset of a file or table, and its catalog file. Raises PredicatError."""
    from predicat.deploy import starter  # noqa: PLC0415  # not for --help

    name = dataset or starter.dataset_name(described)
    check_dataset_name(name)
    for column_name in described.strange_dates:
        click.echo(deploy.strange_date(column_name), err=True)
    for column in described.columns:
        if column.type is None:
            click.echo(deploy.left_out(column.name, column.physical, column.member), err=True)
    if read := [(column.name, column.physical) for column in described.columns if column.expression]:
        click.echo(deploy.read_by_expression(read), err=True)
    if described.policies is not None:
        for one, reason in described.policies.left.items():
            click.echo(deploy.policy_not_read(one, reason).removeprefix("# "), err=True)
    return name, starter.dataset_text(name, described)


def _columns(source: str, engine: str | None, dsn: str | None) -> tuple[Described, str | None]:
    """The columns of a DSN (its only table), of a table in a database, of a file, or of a Spark table; and
    the server, if one is given. Spark is started only if it is named, here or in the project.

    Raises PredicatError.
    """
    from predicat.deploy import describe  # noqa: PLC0415  # not for --help
    from predicat.files.records import ENDINGS, PACKED  # noqa: PLC0415  # as above

    is_dsn = source.startswith(("postgresql://", "postgres://")) or (
        "=" in source and not Path(source).exists()
    )
    is_file = Path(source).exists() or "/" in source or source.lower().endswith((*ENDINGS, *PACKED))
    if is_dsn or is_given("dsn"):
        engine = "postgres"
    elif is_file and engine is None:
        return describe.from_file(source), None
    elif engine is None:
        engine = engine_for(_TABLES if dsn is not None else (), _TABLES, fallback="")
    if engine == "postgres":
        server = source if is_dsn else dsn
        with connect(server) as connection:
            return describe.from_postgres(connection, None if is_dsn else source), server
    if engine != "spark":
        raise click.UsageError(say.no_file_or_table(source))
    return describe.from_spark(source), None
