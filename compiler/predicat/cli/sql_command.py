"""predicat sql"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from predicat.cli.options import catalog_option, load, param_option, values_of, vars_option
from predicat.cli.output import format_option, show
from predicat.cli.project import FromProject
from predicat.cli.selection import Selection, selection_options, selectors_argument

if TYPE_CHECKING:
    from collections.abc import Collection

    from predicat.catalog.model import Version


@click.command(
    "sql",
    help=(
        "Print the SQL of filters. SELECTOR is dataset.filter, dataset.filter@2, just the filter if that is "
        "unique, or selects several filters."
    ),
)
@selectors_argument(required=True)
@selection_options
@click.option(
    "--dialect",
    cls=FromProject,
    setting="engine",
    default="spark",
    show_default=True,
    help="spark, postgres or duckdb.",
)
@param_option
@format_option
@catalog_option
@vars_option
def command(
    selectors: tuple[str, ...],
    exclude: tuple[str, ...],
    base: str | None,
    dialect: str,
    params: tuple[str, ...],
    form: str,
    folder: Path,
    variables: tuple[str, ...],
) -> None:
    from predicat.catalog.select import is_plain  # noqa: PLC0415  # not for --help

    catalog = load(folder, variables)
    rows = Selection.given(folder, variables, selectors, exclude=exclude, base=base).versions(catalog)
    taken = {name for row, number in rows for name in row.versions[number].params}
    texts = [(row, number, _sql(row.versions[number], dialect, params, taken)) for row, number in rows]
    data = [
        {"name": row.qualified, "version": number, "dialect": dialect, "sql": text}
        for row, number, text in texts
    ]
    if is_plain(selectors) and len(texts) == 1:
        show(form, data, lambda: texts[0][2])
    else:
        show(
            form,
            data,
            lambda: "\n\n".join(f"-- {row.qualified}@{number}\n{text}" for row, number, text in texts),
        )


def _sql(version: Version, dialect: str, params: tuple[str, ...], taken: Collection[str]) -> str:
    """The SQL at some values of parameters. A value that only other filters take (`taken`) is left out."""
    values = {
        name: value
        for name, value in values_of(params, version.params).items()
        if name in version.params or name not in taken
    }
    return version.predicate.bound(**values).sql(dialect)
