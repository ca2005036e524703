"""Conditions in YAML, JSON and Terraform: tests of dbt, files of tools, what `predicat import` reads."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from predicat.diagnostics import PredicatError, Reporter
from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Condition, Refused, SourceRange
from predicat.discover.read import queries
from predicat.discover.read.relations import Columns
from predicat.discover.read.tool_files import TOOLS
from predicat.discover.read.written import Written, place_of
from predicat.importing import KINDS
from predicat.importing.documents import Document, documents
from predicat.importing.located import at, entries, items, plain
from predicat.importing.model import Findings, ImportedFilter
from predicat.language import LANGUAGES

_DBT = re.compile(r"^\s*(?:data_)?tests\s*:", re.MULTILINE)
_CONDITIONS = re.compile(r"\bwhere\b|\bexpression\b|\bcondition\b")
_MANIFEST = re.compile(
    r"^\s*kind\s*:|\"kind\"\s*:|[Ff]ilter_?(?:[Pp]olicy|[Cc]riteria)|FilterPattern|event_pattern|EventPattern|"
    r"servicebus|ServiceBus|google_pubsub_subscription|\"bindings\"|connector\.class|"
    r"defaultVariant",
    re.MULTILINE,
)
_RESOURCES = ("models", "sources", "seeds", "snapshots")
# Generic tests of dbt that take a condition, with the name of the argument.
_CHECKS = {"expression_is_true": "expression", "not_constant_where": "where", "not_null_where": "where"}


def conditions(
    path: Path,
    text: str,
    dialect: Callable[[], str],
    columns: Columns,
    fitting: Callable[[str], str] | None = None,
) -> Iterator[Condition | Refused]:
    """The conditions of a file. `fitting` is the dialect of a statement; the one of the file by default."""
    is_dbt = path.suffix in (".yml", ".yaml") and _DBT.search(text) and _CONDITIONS.search(text)
    tools = [tool for tool in TOOLS if tool.mark.search(text)]
    asks = queries.has_queries(text)
    if not is_dbt and not tools and not asks and not _MANIFEST.search(text):
        return
    reporter = Reporter()
    try:
        if asks:
            yield from queries.conditions(path, text, fitting or (lambda _: dialect()), columns)
        if not is_dbt and not tools and not _MANIFEST.search(text):
            return
        documents_ = documents(path, reporter)
        for document in documents_:
            if is_dbt:
                yield from _Tests(dialect(), columns).read(document)
            for tool in tools:
                yield from tool.read(document.data, Written(dialect(), columns))
            if not is_dbt and not tools:
                yield from _manifest(document)
    except (PredicatError, ModuleNotFoundError, RecursionError, ValueError):
        yield Refused(SourceRange(str(path), 1, 1, 0, 0), say.NOT_DATA, "")
        return
    for problem in reporter.errors[:1]:
        yield Refused(place_of(problem.span), say.NOT_DATA, "")


def _manifest(document: Document) -> Iterator[Condition | Refused]:
    kind = next((entry for entry in KINDS if entry.recognises(document)), None)
    if kind is None:
        return
    findings = Findings()
    kind.read(document, findings)
    for entry in findings.imported:
        if not entry.uses:
            yield _taken(entry)
    for left in findings.skipped:
        yield Refused(place_of(left.span), left.reason, left.title)


def _taken(entry: ImportedFilter) -> Condition:
    body = plain(entry.body)
    return Condition(
        body if isinstance(body, str) else json.dumps(body, ensure_ascii=False),
        entry.language,
        "",
        entry.rows.name,
        "selector",
        place_of(entry.span),
        fields=dict(entry.rows.fields),
        params=dict.fromkeys(entry.params, "string"),
        on=entry.on or LANGUAGES[entry.language].on,
    )


class _Tests(Written):
    """The tests of a schema file of dbt."""

    def read(self, document: Document) -> Iterator[Condition | Refused]:
        for kind in _RESOURCES:
            for resource in items(at(document.data, kind)):
                if kind != "sources":
                    yield from self.resource(resource, str(at(resource, "name") or ""))
                for table in items(at(resource, "tables")) if kind == "sources" else ():
                    schema = at(resource, "schema") or at(resource, "name")
                    yield from self.resource(
                        table, f"{schema}.{at(table, 'identifier') or at(table, 'name')}"
                    )

    def resource(self, resource_: Any, relation: str) -> Iterator[Condition | Refused]:
        yield from self.tests(resource_, relation, "")
        for column in items(at(resource_, "columns")):
            yield from self.tests(column, relation, str(at(column, "name") or ""))

    def tests(self, node: Any, relation: str, column: str) -> Iterator[Condition | Refused]:
        for key in ("tests", "data_tests"):
            for test in items(at(node, key)):
                for name, arguments in entries(test):
                    yield from self.test(name, arguments, relation, column)

    def test(self, name: str, arguments: Any, relation: str, column: str) -> Iterator[Condition | Refused]:
        for where in (
            at(arguments, "where"),
            at(arguments, "config", "where"),
            at(arguments, "arguments", "where"),
        ):
            if isinstance(where, str):
                yield from self.condition(where, "", relation)
        argument = _CHECKS.get(name.rpartition(".")[2], "")
        written = at(arguments, argument) or at(arguments, "arguments", argument)
        if argument == "expression" and isinstance(written, str):
            yield from self.condition(written, f"{column} " if column else "", relation)
