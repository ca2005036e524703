"""Conditions under the names of their filters: in SQL for Soda, Cube, dbt, MetricFlow and the data contracts
of ODCS, as expressions for Iceberg.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import uuid4

import yaml
from sqlglot import exp

from predicat import backends
from predicat.backends.sql.renderer import Renderer
from predicat.backends.sql.rewritings import ALL
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import exports as say
from predicat.exporting.asked import Asked, Row, Text
from predicat.ir.nodes import Field
from predicat.ir.types import DATE, TIMESTAMP
from predicat.language import writer

# What tools replace in the SQL of their files: templates of Jinja, and variables.
_TEMPLATE = re.compile(r"\{\{|\{%|\{#|\$\{")
_BRACE = re.compile(r"[{}]")
_DIMENSION = re.compile(r"[a-z][a-z0-9_]*")


def soda(asked: Asked) -> Iterator[Text]:
    """A file of SodaCL for each dataset: `filter TABLE [NAME]`, for `checks for TABLE [NAME]`."""
    for dataset, found in asked.by_dataset(
        lambda row: (_table(row, asked), _condition(row, asked, _TEMPLATE))
    ).items():
        data = {f"filter {table} [{row.filter_name}]": {"where": sql} for row, (table, sql) in found}
        yield _yaml(f"{dataset}.yml", data, found)


def dbt_where(asked: Asked) -> Iterator[Text]:
    """Variables of a dbt project, for `where: "{{ var('orders__active') }}"` of a test."""
    written = list(asked.each(lambda row: (row, _condition(row, asked, _TEMPLATE))))
    found = asked.named_once(written, lambda row: row.identifier)
    if found:
        yield _yaml("vars.yml", {"vars": {row.identifier: sql for row, sql in found}}, found)


def cube(asked: Asked) -> Iterator[Text]:
    """A cube for each dataset that has the filters as segments; a cube that `extends` it has them, too."""

    def segment(row: Row) -> tuple[str, dict[str, str]]:
        sql = _qualified(row, asked, lambda column: f"{{CUBE}}.{column}", _BRACE)
        return _table(row, asked), {"name": row.filter_name, **_described(row), "sql": sql}

    for dataset, found in asked.by_dataset(segment).items():
        segments = [segment for _, (_, segment) in found]
        table = found[0][1][0]
        one = {"name": f"{dataset}_filters", "public": False, "sql_table": table, "segments": segments}
        yield _yaml(f"{dataset}.yml", {"cubes": [one]}, found)


def metricflow(asked: Asked) -> Iterator[Text]:
    """The `filter` of a metric for each filter: its columns are dimensions of an entity."""
    entity = asked.settings["entity"]

    def dimension(column: str) -> str:
        return f"{{{{ Dimension('{entity}__{column}') }}}}"

    def condition(row: Row) -> tuple[Row, str]:
        for decl in row.fields.values():
            column = decl.column(asked.settings["dialect"])
            if decl.type in (DATE, TIMESTAMP) or not _DIMENSION.fullmatch(column):
                raise PredicatError.of(say.no_dimension(row.span, row.name, column))
        return row, _qualified(row, asked, dimension, _TEMPLATE)

    for row, sql in asked.each(condition):
        yield Text(f"{row.file}.jinja", f"{sql}\n", (row.name,), "jinja")


def odcs(asked: Asked) -> Iterator[Text]:
    """A data contract for each dataset, whose rules count the rows of its filters."""

    def rule(row: Row) -> tuple[str, dict[str, Any]]:
        table = _table(row, asked)
        query = f"SELECT COUNT(*) FROM {table} WHERE {_condition(row, asked, _BRACE)}"
        named = {"type": "sql", "id": row.identifier, "name": row.name, **_described(row), "query": query}
        return table, {**named, **_limits(row)}

    for dataset, found in asked.by_dataset(rule).items():
        table = found[0][1][0]
        name = table.split(".")[-1]
        schema = {"name": name, "physicalName": name, "quality": [one for _, (_, one) in found]}
        head = {"apiVersion": "v3.0.2", "kind": "DataContract", "id": f"predicat.{dataset}"}
        data = {**head, "version": "1.0.0", "status": "active", "schema": [schema]}
        yield _yaml(f"{dataset}.odcs.yaml", data, found)


def _described(row: Row) -> dict[str, str]:
    """The description, unless a tool would take a part of it as a template."""
    text = row.filter.description
    return {"description": text} if text and not _BRACE.search(text) else {}


def _limits(row: Row) -> dict[str, Any]:
    """The limit that a rule must have: the bounds on the number of accepted rows that are errors. Other
    counts may be any number.
    """
    bounds = row.filter.coverage if row.number == row.filter.latest else {}
    limits = {
        word: int(bound.value)
        for key, word in (("at_least", "mustBeGreaterOrEqualTo"), ("at_most", "mustBeLessOrEqualTo"))
        if (bound := bounds.get(key)) is not None and not bound.share and bound.severity == "error"
    }
    if len(limits) == 2:
        return {"mustBeBetween": list(limits.values())}
    return limits or {"mustBeGreaterOrEqualTo": 0}


def iceberg(asked: Asked) -> Iterator[Text]:
    """A file for each dataset: the expressions of its filters, by name."""
    write = writer("iceberg")
    for dataset, found in asked.by_dataset(lambda row: json.loads(write(row.written))).items():
        forms = {row.filter_name: form for row, form in found}
        body = json.dumps({"dataset": dataset, "expressions": forms}, ensure_ascii=False, indent=2)
        yield Text(f"{dataset}.json", f"{body}\n", tuple(row.name for row, _ in found), "json")


def _yaml(path: str, data: Any, found: Sequence[tuple[Row, Any]]) -> Text:
    body = yaml.safe_dump(data, sort_keys=False, width=1000, allow_unicode=True)
    return Text(path, body, tuple(row.name for row, _ in found), "yaml")


def _table(row: Row, asked: Asked) -> str:
    engine = asked.settings["dialect"]
    relation = row.dataset.relation.get(engine)
    if relation is None:
        raise PredicatError.of(say.no_table(row.dataset.place("relation"), row.dataset.name, engine))
    return relation


def _condition(row: Row, asked: Asked, template: re.Pattern[str]) -> str:
    """The condition of a WHERE. Raises PredicatError if the tool would take a part of it as its own."""
    return _plain(row, backends.dialect(asked.settings["dialect"]).render(row.node, condition=True), template)


def _plain(row: Row, sql: str, template: re.Pattern[str]) -> str:
    """SQL that tools may join with AND."""
    found = template.search(sql)
    if found is not None:
        raise PredicatError.of(say.template(row.span, row.name, found[0]))
    return f"({sql})" if " OR " in sql else sql


class _Qualified(Renderer):
    """Renders SQL whose columns have a table, which is then replaced."""

    mark: str = ""

    def column(self, node: Field) -> exp.Expr:
        """A column, or the expression that it is read from, with the mark before each column."""
        column = super().column(node)
        for part in column.find_all(exp.Column):
            part.set("table", exp.to_identifier(self.mark))
        return column


def _qualified(row: Row, asked: Asked, shown: Callable[[str], str], template: re.Pattern[str]) -> str:
    """The condition with each column as the tool names it."""
    engine = backends.dialect(asked.settings["dialect"])
    mark = f"predicat_{uuid4().hex}"  # in no text by accident, and by nobody's choice
    renderer = _Qualified(engine, mark=mark, where=True)
    sql = engine.to_sql(renderer, ALL.rows(renderer.known(row.node)))
    return re.sub(
        rf"{mark}\.(\w+|\"[^\"]+\"|`[^`]+`)", lambda found: shown(found[1]), _plain(row, sql, template)
    )
