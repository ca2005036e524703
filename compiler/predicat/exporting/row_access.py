"""Row access policies of BigQuery and Snowflake, and the named filters of Snowflake's semantic models.

Sources: CREATE ROW ACCESS POLICY in the SQL references of both; the specification of semantic models of
Cortex Analyst.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import yaml
from sqlglot import exp

from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import exports as say
from predicat.exporting.asked import Asked, Row, Text
from predicat.exporting.warehouses import BIGQUERY, SNOWFLAKE


def bigquery(asked: Asked) -> Iterator[Text]:
    """A policy for each filter. Of several on a table, a reader sees the rows of all that grant to him."""
    if not asked.settings["to"]:
        raise PredicatError.of(say.who_reads())
    yield from asked.each(partial(_bigquery, asked))


def _bigquery(asked: Asked, row: Row) -> Text:
    to = ", ".join(exp.Literal.string(name).sql(dialect="bigquery") for name in asked.settings["to"])
    table = exp.to_table(_table(asked, row), dialect="bigquery").sql(dialect="bigquery")
    body = (
        f"-- {row.title}\nCREATE OR REPLACE ROW ACCESS POLICY {row.identifier}\nON {table}\nGRANT TO ({to})\n"
        f"FILTER USING ({BIGQUERY.condition(row)});\n"
    )
    return Text(f"{row.file}.sql", body, (row.name,))


def snowflake(asked: Asked) -> Iterator[Text]:
    """What the setting `as` says: a policy for each filter, also attached to its table, or the named filters
    of each dataset.
    """
    kind = asked.settings["as"]
    if kind == "filters":
        yield from _filters(asked)
    elif kind == "attached":
        yield from asked.each_of(
            asked.one_of_each(asked.rows, partial(_table, asked)), partial(_snowflake, asked)
        )
    else:
        yield from asked.each(lambda row: _snowflake(asked, (row, "")))


def _snowflake(asked: Asked, given: tuple[Row, str]) -> Text:
    """The policy is created once, and gets its body each time: one in use cannot be replaced."""
    row, table = given
    schema = asked.settings["schema"]
    name = exp.to_table(f"{schema}.{row.identifier}" if schema else row.identifier, dialect="snowflake")
    policy = name.sql(dialect="snowflake")
    columns, condition = SNOWFLAKE.columns(row), SNOWFLAKE.condition(row, never_null=True)
    arguments = ", ".join(f"{column} {kind}" for column, kind in columns.items())
    body = (
        f"-- {row.title}\nCREATE ROW ACCESS POLICY IF NOT EXISTS {policy} AS ({arguments})\n"
        f"RETURNS BOOLEAN -> FALSE;\n\nALTER ROW ACCESS POLICY {policy} SET BODY -> {condition};\n"
    )
    if table:
        target = exp.to_table(table, dialect="snowflake").sql(dialect="snowflake")
        body += f"\nALTER TABLE {target} ADD ROW ACCESS POLICY {policy} ON ({', '.join(columns)});\n"
    return Text(f"{row.file}.sql", body, (row.name,))


def _filters(asked: Asked) -> Iterator[Text]:
    for dataset, found in asked.by_dataset(SNOWFLAKE.condition).items():
        filters = [
            {"name": row.identifier.removeprefix(f"{dataset}__"), "description": row.title, "expr": condition}
            for row, condition in found
        ]
        data = {"tables": [{"name": dataset, "filters": filters}]}
        body = yaml.safe_dump(data, sort_keys=False, width=1000)
        yield Text(f"{dataset}.yml", body, tuple(row.name for row, _ in found), "yaml")


def _table(asked: Asked, row: Row) -> str:
    """The table of a dataset: these dialects have no relations in a catalog."""
    return str(asked.settings["table"]).replace("{dataset}", row.dataset.name)
