"""The predicate languages, by name. Each front end turns a body into an untyped tree; modules load on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from predicat.diagnostics import PredicatError, Source, Span
from predicat.diagnostics import messages as msg
from predicat.ir.nodes import FieldDecl
from predicat.ir.tree import Tree
from predicat.passes.check import CEL_RULES, SQL_RULES, Rules


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a filter: data from YAML or Python, its place, and what names in it may refer to."""

    value: Any
    source: Source
    span: Span
    on: str | None = None
    fields: Mapping[str, FieldDecl] | None = None


@dataclass(frozen=True, slots=True)
class Language:
    """A predicate language. `text`: its bodies are texts (with Jinja); `on`: the field that its keys are read from."""

    name: str
    doc: str
    rules: Rules
    read: Callable[[Body], Tree]
    text: bool = True
    on: str | None = None


def _text(body: Body) -> str:
    if not isinstance(body.value, str):
        raise PredicatError.of(msg.wrong_kind(body.span, "the body", "a text", repr(body.value)))
    return str(body.value)


def _sql(body: Body) -> Tree:
    from predicat.frontends import sql  # noqa: PLC0415  # sqlglot takes a tenth of a second to load

    return sql.parse(_text(body), body.source)


def _cel(body: Body) -> Tree:
    from predicat.frontends import cel  # noqa: PLC0415  # a C++ library

    return cel.parse(_text(body), body.source)


def _pip(body: Body) -> Tree:
    from predicat.frontends import pip  # noqa: PLC0415  # loaded where it is used, as the others are

    return pip.parse(body.value, body.span, pip.Context(body.on, body.fields))


def _compose(key: str) -> Callable[[Body], Tree]:
    def read(body: Body) -> Tree:
        from predicat.frontends import compose  # noqa: PLC0415  # loaded where it is used, as the others are

        return compose.parse(key, body.value, body.span)

    return read


LANGUAGES = {
    row.name: row
    for row in (
        Language("sql", "a SQL condition", SQL_RULES, _sql),
        Language("cel", "a CEL expression", CEL_RULES, _cel),
        Language("pip", "predicates of the Pulsar message filter proposal", CEL_RULES, _pip, text=False, on="properties"),
        Language("all", "every one of the named filters", SQL_RULES, _compose("all"), text=False),
        Language("any", "at least one of the named filters", SQL_RULES, _compose("any"), text=False),
        Language("not", "the negation of the named filter", SQL_RULES, _compose("not"), text=False),
    )
}
"""Every language by its name."""
