"""predicat translate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
from msgspec import UNSET

from predicat.cli.options import CATALOG, VARIABLES, argument, load_quietly, option, options, pairs
from predicat.cli.output import FORMAT, show
from predicat.diagnostics import PredicatError, Reporter, Source
from predicat.diagnostics.messages import commands as say


@click.command(
    "translate",
    help=(
        "Translate a predicate to another language or SQL dialect. INPUT is the name of a filter, of one of "
        "its versions, or of a subscription. With --from it is a file (default: standard input)."
    ),
)
@options
def command(
    *,
    file: str = argument(default="-", metavar="[INPUT]"),
    source: str | None = option(
        "--from LANGUAGE",
        "The language of the file. sqlglot translates bigquery, snowflake and trino to sql.",
    ),
    target: str = option("--to LANGUAGE", "The language or SQL dialect of the output.", required=True),
    fields: tuple[str, ...] = option(
        "--field NAME=TYPE",
        "A field and its type. Default: headers, attributes and properties are strings; other names are "
        "dynamically typed.",
    ),
    on: str | None = option(
        "--on FIELD",
        "The field that keys are read from. Default: as in a catalog, such as labels for labels and ce for "
        "cesql.",
    ),
    ansi: bool = option(
        "--ansi/--no-ansi",
        "With --from spark: the mode of Spark that the condition is written for. Default: ANSI mode.",
        default=True,
        show_default=False,
    ),
    folder: Path = CATALOG,
    variables: dict[str, str] = VARIABLES,
    form: str = FORMAT,
) -> None:
    from predicat import api  # noqa: PLC0415  # not for --help
    from predicat.diagnostics.messages import sql  # noqa: PLC0415  # as above
    from predicat.language import LANGUAGES, default_fields  # noqa: PLC0415  # as above
    from predicat.language.sql.others import DIALECTS, as_sql  # noqa: PLC0415  # as above

    api.check_target(target)
    if source is None:
        if file == "-" or Path(file).is_file():
            raise click.UsageError(say.no_source_language(file))
        text = load_quietly(folder, variables).accepted(file).to(target)
        show(form, {"to": target, "text": text}, lambda: text)
        return
    if not ansi and source != "spark":
        raise click.UsageError(say.ansi_mode_of_spark(source))
    declared = pairs("--field", fields, "NAME=TYPE")
    if not declared and on is None:
        declared = default_fields(source)
    name = "<stdin>" if file == "-" else file
    text = _read(file)
    if source in DIALECTS and source not in LANGUAGES:
        text, engine, source = as_sql(text.strip(), source, name), DIALECTS[source], "sql"
        click.echo(sql.engine_not_asked(engine), err=True)
    body = _body(text, source, name)
    predicate = api.parse(body, source, declared or None, on=on or UNSET, name=name, ansi=ansi)
    text = predicate.to(target)
    show(form, {"to": target, "text": text}, lambda: text)


def _read(file: str) -> str:
    from predicat.diagnostics.reading import reading  # noqa: PLC0415  # not for --help

    if file != "-" and not Path(file).exists():
        raise PredicatError.of(say.no_file_to_translate(file))
    with reading(file):
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")


def _body(text: str, language: str, name: str) -> Any:
    """A text, or the data that YAML (and so JSON) holds."""
    from predicat.catalog.yaml_nodes import compose  # noqa: PLC0415  # not for --help
    from predicat.language import LANGUAGES  # noqa: PLC0415  # as above

    language_ = LANGUAGES.get(language)
    if language_ is None or language_.shape == "text":
        return text.rstrip("\n")
    reporter = Reporter()
    item = compose(Source(name, text), reporter)
    if reporter.errors and language_.shape == "data":
        raise PredicatError(reporter.errors)
    result = item.data() if item is not None else None
    return (
        text.rstrip("\n") if language_.shape == "either" and not isinstance(result, dict | list) else result
    )
