"""How a place in the code writes a filter of the catalog: by a call in its language, or by a view."""

import json
import re
from collections.abc import Collection, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from msgspec import Struct
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from predicat.catalog import Catalog
from predicat.catalog.model import Filter
from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Condition
from predicat.discover.places import source_at, span_of
from predicat.discover.read.above import is_template_of_dbt
from predicat.exporting.dbt import refusal
from predicat.exporting.dbt_targets import TARGETS

SPARK = ("spark", "databricks")
_PROGRAMS = (".py", ".scala")
# How a text begins in a program.
_LITERAL = re.compile(r"\w{0,2}['\"]")


class Use(Struct, frozen=True):
    """A filter with values for its parameters: numbers, truth values, and texts (also of dates)."""

    name: str
    params: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        given = ", ".join(f"{name} => {_sql(value)}" for name, value in self.params)
        return f"{self.name}({given})" if given else self.name


class Call(Struct, frozen=True):
    """What to write: the text for the place, and a hint that shows it as a person writes it. Without a text
    more than the place changes.
    """

    hint: str
    text: str = ""


class NoCall(Exception):
    """The place cannot use the filter; the message says why."""


def call(condition: Condition, use: Use, catalog: Catalog) -> Call:
    """How the place of a condition writes a filter. Raises NoCall."""
    path = Path(condition.place.path)
    if path.suffix == ".sql" and is_template_of_dbt(path):
        if condition.dialect not in TARGETS:
            raise NoCall(say.no_matches_filter(condition.dialect))
        if reason := refusal(catalog.known[use.name], condition.dialect):
            raise NoCall(say.not_in_package(condition.dialect, reason))
        return _written(f"{{{{ predicat_filters.matches_filter({_jinja(use, _alias(condition))}) }}}}")
    if condition.dialect in SPARK:
        return _spark(condition, use)
    if condition.dialect == "postgres":
        return Call(say.read_view(*_view(condition, catalog.known[use.name], catalog)))
    raise NoCall(say.no_matches_filter(condition.dialect))


def _spark(condition: Condition, use: Use) -> Call:
    """The call in SQL, or in the text that a method of a DataFrame takes."""
    text = f"matches_filter({_arguments(use, _alias(condition))})"
    chain = in_chain(condition)
    if not chain and "\\" in text and condition.place.path.endswith(_PROGRAMS):
        return Call(say.write(text))  # the program has its own escapes
    if not chain and not _is_whole_literal(condition):
        return _written(text)
    literal = json.dumps(text, ensure_ascii=False)
    if condition.clause == "where":
        return Call(say.write(f".where({literal})"), literal if chain else text)
    return Call(say.write(f"expr({literal})"), f"expr({literal})" if chain else text)


def in_chain(condition: Condition) -> bool:
    """Whether a condition is a chain of columns in a program, such as `col("kind") == 1`."""
    text = span_of(condition.place).text
    in_program = condition.place.path.endswith(_PROGRAMS)
    return in_program and condition.rendered and condition.whole and not _LITERAL.match(text)


def _is_whole_literal(condition: Condition) -> bool:
    """Whether a condition is a text of its own in a program, and no part of a statement."""
    before = source_at(condition.place.path).text[: condition.place.start][-1:]
    return condition.place.path.endswith(_PROGRAMS) and before in ("'", '"')


def _written(text: str) -> Call:
    return Call(say.write(text), text)


def _alias(condition: Condition) -> str:
    """The table that a condition names before its columns; empty if it names none. Raises NoCall."""
    try:
        written = _columns(condition.text, condition.dialect)
        named = {tuple(map(str.lower, names)) for names in _columns(condition.sql, "")}
    except SqlglotError:
        raise NoCall(say.NOT_REPLACEABLE) from None
    tables = {_before(names, named) for names in written}
    if len(tables) != 1:
        raise NoCall(say.SEVERAL_TABLES)
    return tables.pop()


def _columns(sql: str, dialect: str) -> list[list[str]]:
    """The names of each column: its table, itself, and members of a struct."""
    found = parse_one(sql, dialect=dialect or None).find_all(exp.Column)
    return [[part.name for part in column.parts] for column in found]


def _before(names: list[str], columns: Collection[tuple[str, ...]]) -> str:
    """The table before the name that a column has in its relation. Raises NoCall where it has another."""
    for number in range(len(names)):
        if tuple(map(str.lower, names[number:])) in columns:
            return names[number - 1] if number else ""
    raise NoCall(say.RENAMED)


def _view(condition: Condition, filter_: Filter, catalog: Catalog) -> tuple[str, str]:
    """The view of a filter, and the relation in whose place it is read. Raises NoCall."""
    relation = catalog.datasets[filter_.dataset].relation.get("postgres")
    if relation is None:
        raise NoCall(say.no_relation_there(filter_.dataset, "postgres"))
    if not filter_.has_view():
        raise NoCall(say.no_view(filter_.qualified))
    if condition.clause not in ("where", "view"):
        raise NoCall(say.NOT_IN_WHERE)
    schema, dot, _ = relation.rpartition(".")
    return f"{schema}{dot}{filter_.view}", relation


def _arguments(use: Use, alias: str) -> str:
    """The arguments of a call in SQL."""
    given = [f"{name} => {_sql(value)}" for name, value in use.params]
    return ", ".join([_sql(use.name), *([_sql(alias)] if alias else []), *given])


def _jinja(use: Use, alias: str) -> str:
    """The arguments of the macro."""
    params: Mapping[str, Any] = dict(use.params)
    given = ", ".join(f"{_quoted(name)}: {_constant(value)}" for name, value in params.items())
    named = [f"params={{{given}}}"] if given else []
    return ", ".join([_quoted(use.name), *([_quoted(alias)] if alias else []), *named])


def _sql(value: Any) -> str:
    match value:
        case bool():
            return str(value).upper()
        case int() | float() | Decimal():
            return str(value)
        case _:
            return exp.Literal.string(str(value)).sql("spark")


def _constant(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int() | float() | Decimal():
            return str(value)
        case _:
            return _quoted(str(value))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
