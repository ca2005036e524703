"""Unity Catalog of Databricks: a SQL function of a filter, alone, as the row filter of a table, in an ABAC
policy, or in the configuration of dbt-databricks.

Databricks shows the rows for which the function is TRUE. The function is never NULL: UNKNOWN is FALSE.
Sources: the SQL reference of Databricks, CREATE FUNCTION, ROW FILTER and CREATE POLICY; dbt-databricks 1.12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import yaml
from msgspec import Struct
from sqlglot import exp

from predicat import backends
from predicat.backends.sql.builders import string_literal
from predicat.backends.sql.column_forms import stored_type
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import exports as say
from predicat.exporting.asked import Asked, Row, Text
from predicat.exporting.visible import Visible, of_datasets
from predicat.ir.nodes import Call
from predicat.ir.types import BOOLEAN, JSON, ArrayType, MapType, StructType, Type
from predicat.rewrite.simplify import simplify

_SPARK = backends.dialect("spark")
# What Databricks allows in one policy.
MAX_MATCHED_COLUMNS, MAX_PRINCIPALS = 3, 20


class Function(Struct, frozen=True):
    """The SQL function of a filter, or of policies. `columns` are its arguments: columns of the relation."""

    row: Row | Visible
    name: str
    columns: Mapping[str, str]
    body: str

    @property
    def sql(self) -> str:
        """The statement that creates it."""
        arguments = ", ".join(f"{quoted(name)} {kind}" for name, kind in self.columns.items())
        return (
            f"CREATE OR REPLACE FUNCTION {self.name}({arguments})\nRETURNS BOOLEAN\n"
            f"COMMENT {_text(self.row.title)}\nRETURN {self.body};\n"
        )

    @property
    def arguments(self) -> str:
        """The columns that it is called with."""
        return ", ".join(map(quoted, self.columns))


def texts(asked: Asked) -> Iterator[Text]:
    """A file for each filter, or for the policies of each dataset. The setting `as` says what it has beside
    the function.

    A table has one row filter, and one policy of a user: several filters of a table are refused.
    """
    more = KINDS[asked.settings["as"]]
    if more is not _policy:
        asked.needs("--as policy", "to", "except")
    if asked.settings["of"] == "filters":
        asked.needs("--of policies", "attribute")
    else:
        asked.needs("--of filters", "param")
    rows: Iterable[Row | Visible] = asked.rows if asked.settings["of"] == "filters" else of_datasets(asked)
    if more is None:
        yield from asked.each_of(rows, lambda row: _own(function_of(row, asked.settings["schema"])))
        return
    for found in asked.each_of(asked.one_of_each(rows, _table), partial(_texts, asked, more)):
        yield from found


def _texts(asked: Asked, more: _More, given: tuple[Row | Visible, str]) -> list[Text]:
    row, table = given
    function = function_of(row, asked.settings["schema"])
    return more(asked, function, table, _own(function))


def _own(function: Function) -> Text:
    return Text(f"{function.row.file}.sql", function.sql, function.row.filters)


def function_of(row: Row | Visible, schema: str | None = None) -> Function:
    """The function of a filter, in a schema. Raises PredicatError for a field that is no column."""
    columns = {}
    for decl in row.fields.values():
        if decl.expression("spark"):
            raise PredicatError.of(say.no_column(row.span, "databricks", decl.name))
        columns[decl.column("spark")] = stored_type("spark", decl, ddl)
    name = exp.to_table(f"{schema}.{row.identifier}" if schema else row.identifier, dialect="databricks")
    never_null = simplify(Call(BOOLEAN, "is_true", (row.node,)))
    given = row.given if isinstance(row, Visible) else None
    body = _SPARK.render(never_null, given=given)
    return Function(row, name.sql(dialect="databricks"), columns, body)


def ddl(kind: Type) -> str:
    """A type of a column in SQL. A text of fixed length comes to a function as a text."""
    match kind:
        case ArrayType(element):
            return f"ARRAY<{ddl(element)}>"
        case MapType(value):
            return f"MAP<STRING, {ddl(value)}>"
        case StructType(members):
            return f"STRUCT<{', '.join(f'{quoted(name)}: {ddl(inner)}' for name, inner in members)}>"
        case _ if kind == JSON:
            return "VARIANT"
        case _:
            return "STRING" if str(kind).startswith(("char(", "varchar(")) else str(kind).upper()


def quoted(name: str) -> str:
    """A name in SQL, in quotes if it needs them."""
    return _SPARK.text(exp.Column(this=_SPARK.identifier(name)))


def _text(text: str) -> str:
    return _SPARK.text(string_literal(text))


def _table(row: Row | Visible) -> str:
    relation = row.dataset.relation.get("spark")
    if relation is None:
        raise PredicatError.of(say.no_table(row.dataset.place("relation"), row.dataset.name, "spark"))
    return exp.to_table(relation, dialect="databricks").sql(dialect="databricks")


def _row_filter(_asked: Asked, function: Function, table: str, own: Text) -> list[Text]:
    """The function, and the statement that makes it the row filter of the table."""
    attach = f"ALTER TABLE {table} SET ROW FILTER {function.name} ON ({function.arguments});\n"
    return [Text(own.path, f"{own.body}\n{attach}", own.filters)]


def _policy(asked: Asked, function: Function, table: str, own: Text) -> list[Text]:
    """The function, the tags of its columns, and the policy: it finds the columns by their tags."""
    row, tag = function.row, asked.settings["tag"]
    to, without = asked.settings["to"] or ("account users",), asked.settings["except"]
    if len(function.columns) > MAX_MATCHED_COLUMNS:
        raise PredicatError.of(
            say.matched_columns(row.span, row.name, list(function.columns), MAX_MATCHED_COLUMNS)
        )
    if len(to) + len(without) > MAX_PRINCIPALS:
        raise PredicatError.of(say.principals(MAX_PRINCIPALS))
    tags = [
        f"ALTER TABLE {table} ALTER COLUMN {quoted(name)} SET TAGS ({_text(tag)} = {_text(name)});\n"
        for name in function.columns
    ]
    parts = [
        f"CREATE OR REPLACE POLICY {quoted(row.identifier)} ON TABLE {table}",
        f"COMMENT {_text(row.title)}",
    ]
    parts += [f"ROW FILTER {function.name}", f"TO {_principals(to)}"]
    parts += [f"EXCEPT {_principals(without)}"] if without else []
    parts += ["FOR TABLES"]
    if function.columns:
        aliases = [f"column{number}" for number, _ in enumerate(function.columns, 1)]
        matches = (
            f"has_tag_value({_text(tag)}, {_text(name)}) AS {alias}"
            for name, alias in zip(function.columns, aliases, strict=True)
        )
        parts += [f"MATCH COLUMNS {', '.join(matches)}", f"USING COLUMNS ({', '.join(aliases)})"]
    policy = "\n".join(parts) + ";\n"
    body = "\n".join(part for part in (own.body, "".join(tags), policy) if part)
    return [Text(own.path, body, own.filters)]


def _principals(names: Sequence[str]) -> str:
    return ", ".join(exp.to_identifier(name, quoted=True).sql(dialect="databricks") for name in names)


def _dbt(_asked: Asked, function: Function, table: str, own: Text) -> list[Text]:
    """The function, and the properties of the model of the table."""
    row = function.row
    name = exp.to_table(function.name, dialect="databricks")
    if len(name.parts) == 2:
        raise PredicatError.of(say.schema_of_dbt(row.identifier))
    if not function.columns:
        raise PredicatError.of(say.no_columns_in_dbt(row.span, row.name))
    names = ".".join(part.name for part in name.parts)
    config = {"row_filter": {"function": names, "columns": list(function.columns)}}
    model = {"name": exp.to_table(table, dialect="databricks").name, "config": config}
    data = yaml.safe_dump({"version": 2, "models": [model]}, sort_keys=False, width=1000)
    return [own, Text(f"{row.file}.yml", data, own.filters, "yaml")]


_More = Callable[[Asked, Function, str, Text], list[Text]]
# What is written beside the function, by the setting `as`.
KINDS: Mapping[str, _More | None] = {
    "function": None,
    "row-filter": _row_filter,
    "policy": _policy,
    "dbt": _dbt,
}
