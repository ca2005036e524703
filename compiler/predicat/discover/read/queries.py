"""Statements of SQL in YAML, JSON and Terraform: queries of dashboards, of jobs and of checks.

Variables of Grafana and of Terraform, and templates, are parameters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from predicat.catalog.templates import is_template
from predicat.diagnostics import Reporter, Source, Span
from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Condition, Refused
from predicat.discover.read import templates
from predicat.discover.read.json_texts import characters, located_json
from predicat.discover.read.relations import Columns
from predicat.discover.read.residues import parameter_of
from predicat.discover.read.sql import SqlText, shown
from predicat.discover.read.statements import STATEMENT, has_statement
from predicat.discover.read.written import place_of, ranges_of, replaced
from predicat.importing.documents import documents
from predicat.importing.located import at, entries, items, source_of, span_of

_KEY = re.compile(r"sql|quer|statement|native", re.IGNORECASE)
_MARK = re.compile(r"(?:sql|quer\w*|statements?|native)[\"']?\s*[:=]", re.IGNORECASE)
# `${day}`, `${day:csv}`, `$day`, `$__timeFilter(day)`; not `$$`, which quotes, nor the `$` of a table.
_VARIABLE = re.compile(
    r"\$\{(?P<braces>[^{}]*)\}|(?<![\w$])\$(?P<macro>__\w+(?:\((?:[^()]|\([^()]*\))*\))?)"
    r"|(?<![\w$])\$(?P<name>[A-Za-z]\w*)(?![\w$.(])"
)
# Metabase leaves what is in such brackets out where its variable has no value.
_OPTIONAL = "[["
# The lines of a query in a dashboard of Databricks.
_LINES = "queryLines"


def has_queries(text: str) -> bool:
    """Whether a file may have a statement under a key that says so."""
    return _MARK.search(text) is not None and has_statement(text)


def conditions(
    path: Path, text: str, dialect: Callable[[str], str], columns: Columns
) -> Iterator[Condition | Refused]:
    """The conditions of the statements of a file. `dialect` is that of a statement. Raises PredicatError,
    ValueError, ModuleNotFoundError and RecursionError for what is no data.
    """
    if path.suffix == ".json":
        found = [(located_json(Source(str(path), text)), _of_json)]
    else:
        found = [(one.data, source_of) for one in documents(path, Reporter())]
    for data, source in found:
        if at(data, "kind") == "DataContract" or at(data, "metadata", "dbt_schema_version"):
            continue  # another reader has it; a manifest of dbt says again what the models say
        for query, own in _queries(data, source):
            yield from _read(query, own, dialect, columns)


def _of_json(value: str) -> Source:
    return Source("", value, span_of(value).source, list(characters(value)))


def _queries(value: Any, source: Callable[[str], Source]) -> Iterator[tuple[Source, str]]:
    """The statements under keys that say so, wherever they are, with their dialect if it is known."""
    for key, inner in entries(value):
        texts = [one for one in ([inner] if isinstance(inner, str) else items(inner)) if isinstance(one, str)]
        lines = key == _LINES or (len(texts) > 1 and all(one.endswith("\n") for one in texts[:-1]))
        parts = [texts] if lines else [[one] for one in texts]
        for part in parts if _KEY.search(key) else ():
            if STATEMENT.match("".join(part)):
                yield _joined([source(one) for one in part if one]), "databricks" if key == _LINES else ""
        yield from _queries(inner, source)
    for inner in items(value):
        yield from _queries(inner, source)


def _joined(parts: list[Source]) -> Source:
    offsets = [offset for part in parts for offset in part.offsets]
    return Source(parts[0].name, "".join(part.text for part in parts), parts[0].outer, offsets)


def _read(
    query: Source, own: str, dialect: Callable[[str], str], columns: Columns
) -> Iterator[Condition | Refused]:
    filled = replaced(query, _VARIABLE, _parameter)
    rendered = None
    known = _OPTIONAL not in query.text
    try:
        if known and is_template(filled.text):
            rendered = templates.render(filled.text, {})
    except templates.NotRendered:
        known = False
    if not known:
        yield Refused(place_of(Span(query, 0, len(query.text))), say.NOT_RENDERED, shown(query.text))
        return
    sql = filled.text if rendered is None else rendered.text
    yield from SqlText(sql, own or dialect(sql), ranges_of(filled, "", rendered), columns).read()


def _parameter(match: re.Match[str]) -> str:
    return parameter_of(match["braces"] or match["macro"] or match["name"] or "value")
