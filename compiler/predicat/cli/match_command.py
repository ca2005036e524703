"""predicat match."""

from __future__ import annotations

import json
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from predicat.cli.engines import located
from predicat.cli.options import (
    CATALOG,
    VARIABLES,
    argument,
    form_option,
    load_quietly,
    now_option,
    option,
    options,
    reading,
)
from predicat.cli.selection import no_paths
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import matching as say

if TYPE_CHECKING:
    from predicat.catalog.model import Dataset
    from predicat.matching.rows import RowReader

STDIN = "-"
_FORMATS = ("json", "csv", "parquet")


@click.command(
    "match",
    help=(
        "Print, for each row of a file or of standard input, the names of the filters of a dataset that "
        "accept it. NAME is a filter, or a version such as late@1 (default: all filters)."
    ),
)
@options
def command(
    *,
    dataset: str = argument(),
    names: tuple[str, ...] = argument(nargs=-1, metavar="[NAME]..."),
    source: str | None = option(
        "--input FILE",
        "JSON lines, CSV with a header, or Parquet: a file, folder or pattern; - is standard input. "
        "Default: standard input, or in a terminal the files of the dataset.",
    ),
    kind: str | None = option(
        "--input-format",
        "The format of the rows. Default: by the ending of the file; json for standard input.",
        type=click.Choice(_FORMATS),
    ),
    null: str = option("--null STRING", "The string that means NULL, such as NA in CSV.", default=""),
    tag: str | None = option("--tag TAG", "Only filters with this tag."),
    subscriptions: bool = option("--subscriptions", "Print the names of subscriptions instead of filters."),
    count: bool = option("--count", "Print for each filter how many rows it accepts."),
    now: str | None = now_option("the clock"),
    form: str = form_option(
        "table", "json", what="result. json prints one object per line, one for each row"
    ),
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
) -> None:
    from predicat.api import UnknownKeyWarning  # noqa: PLC0415  # not for --help
    from predicat.matching.matcher import Matcher  # noqa: PLC0415  # as above
    from predicat.matching.rows import RowReader  # noqa: PLC0415  # as above

    catalog = load_quietly(folder, variables)
    with no_paths(names, file="--input"):
        matcher = Matcher(catalog, dataset, names=names or None, tag=tag, subscriptions=subscriptions)
    dataset_ = catalog.datasets[dataset]
    tags = {one for row in dataset_.filters.values() for one in row.tags}
    if tag is not None and tag not in tags:
        raise PredicatError.of(say.no_tag(tag, tags))
    for name, reason in matcher.left_out.items():
        click.echo(say.not_asked(name, reason), err=True)
    source = source or _default(folder, dataset_)
    reader = RowReader(dataset_, null, dataset_.form("duckdb"))
    moment = reading(now)
    counts: Counter[str] = Counter()
    rows = accepted = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UnknownKeyWarning)
        for row in reader.read(source, kind, sys.stdin.buffer):
            matched = matcher.match(row, moment)
            rows += 1
            accepted += bool(matched)
            counts.update(matched)
            if not count:
                click.echo(_line(form, rows, _key(dataset_, row), matched))
    if count:
        for line in _counted(form, rows, {name: counts[name] for name in matcher.names}):
            click.echo(line)
    _tell(reader, dataset_, [str(one.message) for one in caught])
    click.echo(say.rows_told(rows, accepted), err=True)
    if not rows and source == STDIN:
        click.echo(say.NO_INPUT, err=True)


def _default(folder: Path, dataset: Dataset) -> str:
    """What is read without --input. Nobody types rows, so in a terminal it is the files of the dataset."""
    files = dataset.relation.get("duckdb")
    return located(folder, files) if files is not None and sys.stdin.isatty() else STDIN


def _key(dataset: Dataset, row: dict[str, Any]) -> dict[str, Any]:
    """What names a row: the key of the dataset, as people see it."""
    from predicat.backends.sql.shown import value  # noqa: PLC0415  # not for --help

    return {name: value(dataset.fields.get(name), row.get(name)) for name in dataset.key}


def _line(form: str, number: int, key: dict[str, Any], matched: list[str]) -> str:
    if form == "json":
        shown = {"row": number, **({"key": key} if key else {}), "filters": matched}
        return json.dumps(shown, ensure_ascii=False, default=str)
    keys = " ".join(f"{name}={value}" for name, value in key.items())
    return f"{keys or number}\t{', '.join(matched) or '-'}"


def _counted(form: str, rows: int, counts: dict[str, int]) -> Iterator[str]:
    if form == "json":
        yield json.dumps({"rows": rows, "filters": counts}, ensure_ascii=False)
        return
    width = max(map(len, counts), default=0)
    for name, number in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        yield f"{name:<{width}}  {number:>9,}  {number / rows if rows else 0:>6.1%}"


def _tell(reader: RowReader, dataset: Dataset, messages: list[str]) -> None:
    """What was odd about the rows, on standard error."""
    for text in dict.fromkeys(messages):
        click.echo(f"warning: {text}", err=True)
    for text in reader.bad.messages(dataset.fields):
        click.echo(text, err=True)
