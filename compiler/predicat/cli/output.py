"""`--format json`: the results of a command as JSON on standard output, for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import click

from predicat.cli.options import form_option
from predicat.diagnostics import Diagnostic, PredicatError


def _with_problems(command: Callable[..., None], name: str, kind: Any) -> Callable[..., None]:
    """`--format text|json`. With json, problems that end the command are printed to standard output as
    `{"problems": [...]}`, and as text to standard error as always.
    """

    @wraps(command)
    def wrapped(**options: Any) -> None:
        try:
            command(**options)
        except PredicatError as error:
            if options[name] == "json":
                click.echo(text_of({"problems": problems(error.diagnostics)}))
            raise

    option = form_option("text", "json", what="result. json prints problems to standard output too, as JSON")
    result: Callable[..., None] = option(wrapped, name, kind)
    return result


FORMAT: Any = _with_problems


def show(form: str, data: Any, text: Callable[[], str]) -> None:
    """Print a result: as JSON, or as text. An empty text prints nothing."""
    shown = text_of(data) if form == "json" else text()
    if shown:
        click.echo(shown)


def text_of(data: Any) -> str:
    """JSON as people can read it. Dates and decimals are texts."""
    return json.dumps(data, indent=2, ensure_ascii=False, default=str)


def problems(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Problems as data: `file` is empty, and `line` and `column` are null, for one without a place."""
    return [_problem(item) for item in diagnostics]


def _problem(item: Diagnostic) -> dict[str, Any]:
    outer = item.span.outermost()
    line, column = outer.source.line_column(outer.start) if outer.source.text else (None, None)
    return {
        "severity": item.severity.value,
        "code": item.code,
        "message": item.message,
        "hint": item.hint,
        "file": outer.source.name,
        "line": line,
        "column": column,
    }
