"""predicat sql."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from predicat.backends import DIALECTS
from predicat.cli.engines import FOLLOWS, engine_for
from predicat.cli.options import PARAMS, load, option, options, values_of
from predicat.cli.output import FORMAT, show
from predicat.cli.selection import SomeSelection
from predicat.diagnostics import Unsupported
from predicat.diagnostics.messages import commands as say
from predicat.diagnostics.wording import either

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from predicat.catalog.model import Catalog, Filter


@click.command(
    "sql",
    help=(
        "Print the SQL of filters. It is TRUE, FALSE, or NULL for UNKNOWN, so you can use it as a column or "
        "below NOT. For a WHERE use --where: that condition is often shorter, and indexes can serve it. "
        "SELECTOR is a filter (flights.late, flights.late@2, or just late if that is unique), or selects "
        "several filters."
    ),
)
@options
def command(
    *,
    selection: SomeSelection,
    given: str | None = option("--dialect DIALECT", f"The SQL dialect: {either(DIALECTS)}. {FOLLOWS}"),
    where: bool = option(
        "--where",
        "Print a condition for a WHERE, as in views. It is TRUE for the same rows, in a form that indexes "
        "can serve.",
    ),
    runtime: bool = option(
        "--runtime/--standalone",
        "--runtime prints SQL for PostgreSQL that calls functions of the schema predicat, as views do. "
        "predicat apply installs them. Standalone SQL is longer and runs everywhere.",
        default=False,
    ),
    pretty: bool | None = option(
        "--pretty/--one-line", "Break long SQL into lines, or not. Default: only on a terminal.", default=None
    ),
    params: tuple[str, ...] = PARAMS,
    form: str = FORMAT,
) -> None:
    from predicat.backends.sql.lines import broken  # noqa: PLC0415  # not for --help
    from predicat.catalog.select import is_plain  # noqa: PLC0415  # not for --help

    catalog = load(selection.folder, selection.variables)
    rows = selection.versions(catalog)
    relations = [name for filter_, _ in rows for name in catalog.datasets[filter_.dataset].relation]
    dialect = engine_for(relations, DIALECTS, given)
    names = {name for filter_, number in rows for name in filter_.versions[number].params}
    texts = [
        (
            filter_,
            number,
            _sql(catalog, filter_, number, dialect, params, names, where=where, runtime=runtime),
        )
        for filter_, number in rows
    ]
    data = [
        {"name": filter_.qualified, "version": number, "dialect": dialect, "sql": text}
        for filter_, number, text in texts
    ]
    _tell_lists(rows, dialect)
    if not where and sys.stderr.isatty():
        _tell_conditions(
            (text, _sql(catalog, filter_, number, dialect, params, names, where=True, runtime=runtime))
            for filter_, number, text in texts
        )
    if form != "json" and (sys.stdout.isatty() if pretty is None else pretty):
        texts = [(filter_, number, broken(text, dialect)) for filter_, number, text in texts]
    if is_plain(selection.selectors) and len(texts) == 1:
        show(form, data, lambda: texts[0][2])
    else:
        show(
            form,
            data,
            lambda: "\n\n".join(
                f"-- {filter_.qualified}@{number}\n{text}" for filter_, number, text in texts
            ),
        )


def _tell_lists(rows: Sequence[tuple[Filter, int]], dialect: str) -> None:
    """Say where the values of long lists are, into which the SQL looks."""
    from predicat.diagnostics.messages import lists as say  # noqa: PLC0415  # not for --help
    from predicat.rewrite.list_tables import long_lists, table_of  # noqa: PLC0415  # as above

    for _, listed in long_lists(filter_.versions[number].predicate.node for filter_, number in rows):
        note = say.IN_FILES if dialect == "spark" else say.IN_TABLES.get(dialect, say.IN_TABLE)
        click.echo(say.long_list(listed.name, listed.count, table_of(listed), note), err=True)


def _tell_conditions(texts: Iterable[tuple[str, str]]) -> None:
    """Say that there is shorter SQL for a WHERE, given the SQL of filters and of their conditions."""
    with suppress(Unsupported):
        if any(len(condition) < len(text) for text, condition in texts):
            click.echo(say.shorter_condition(), err=True)


def _sql(
    catalog: Catalog,
    filter_: Filter,
    number: int,
    dialect: str,
    params: tuple[str, ...],
    names: Collection[str],
    *,
    where: bool,
    runtime: bool,
) -> str:
    """The SQL at some values of parameters. `names` are those of all selected filters: a value that only
    others of them take is left out.
    """
    version = filter_.versions[number]
    values = {
        name: value
        for name, value in values_of(params, version.params).items()
        if name in version.params or name not in names
    }
    bound = version.predicate.bound(**values)
    from predicat import backends  # noqa: PLC0415  # not for --help
    from predicat.api import checked_dialect  # noqa: PLC0415  # as above
    from predicat.catalog.acceptance import accepted_rows  # noqa: PLC0415  # as above
    from predicat.rewrite.list_tables import in_tables  # noqa: PLC0415  # as above

    engine = checked_dialect(dialect)
    functions = engine.runtime if runtime else None
    node = in_tables(bound.node)
    if not where:
        return engine.render(node, runtime=functions)
    dataset = catalog.datasets[filter_.dataset]
    return engine.render(
        accepted_rows(node, filter_.on_unknown),
        condition=True,
        storage=backends.stored(dialect, dataset.collation, dataset.indexes),
        runtime=functions,
    )
