"""Filters of Lightdash in the YAML of dbt: of models (`sql_filter`), of joins and of metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sqlglot import exp

from predicat.diagnostics import Span
from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Condition, Refused
from predicat.discover.read.embedded import condition
from predicat.discover.read.residues import parameter_of
from predicat.discover.read.written import Written, place_of
from predicat.importing.located import at, entries, items, key_span, span_of, texts

Found = Iterator[Condition | Refused]
MARK = re.compile(r"^\s*models\s*:[\s\S]*?\b(?:sql_filter|sql_where|sql_on|filters)\b", re.MULTILINE)
_PUT_IN = re.compile(r"\$\{(?P<name>[\w.]+)\}")
_COMPARED = re.compile(r"(?P<sign><=|>=|<|>)\s*(?P<number>[-+]?\d+(?:\.\d+)?)\Z")
_NULLS = {"null": "IS NULL", "!null": "IS NOT NULL"}
# Attributes of the user who asks.
_OF_USERS = ("lightdash.attributes", "ld.attributes", "lightdash.attribute", "ld.attr")
_MOST_DEEP = 12
_TIME = re.compile(r"(?:not)?in(?:the|between)", re.IGNORECASE)


class _NotRead(Exception):
    """A filter means what depends on the time or the release of Lightdash, or it reads another model."""


def read(data: Any, written: Written) -> Found:
    """The filters of the models of a file."""
    for model in items(at(data, "models")):
        yield from _Model(model, written).read()


class _Model:
    def __init__(self, model: Any, written: Written) -> None:
        self.model = model
        self.written = written
        self.name = texts(at(model, "name"))
        self.fields: dict[str, str] = {}
        for column in items(at(model, "columns")):
            name = texts(at(column, "name"))
            self.fields[name] = texts(at(_meta(column), "dimension", "sql")) or name
            self.add(at(_meta(column), "additional_dimensions"))
        self.add(at(_meta(model), "additional_dimensions"))

    def add(self, dimensions: Any) -> None:
        self.fields |= {name: texts(at(one, "sql")) or name for name, one in entries(dimensions)}

    def read(self) -> Found:
        meta = _meta(self.model)
        for sql in (at(meta, "sql_filter"), at(meta, "sql_where")):
            yield from self.sql(sql)
        for join in items(at(meta, "joins")):
            yield from self.sql(at(join, "sql_on"))
        for key in ("required_filters", "default_filters"):
            yield from self.filters(at(meta, key))
        for owner in (self.model, *items(at(self.model, "columns"))):
            for _, metric in entries(at(_meta(owner), "metrics")):
                yield from self.filters(at(metric, "filters"))

    def sql(self, value: Any) -> Found:
        if not isinstance(value, str):
            return
        try:
            text = _PUT_IN.sub(lambda match: self.column(match["name"], 0), value)
        except _NotRead:
            yield Refused(place_of(span_of(value)), say.SEVERAL, " ".join(value.split())[:200])
            return
        yield from self.written.rewritten(value, text, self.name)

    def column(self, name: str, depth: int) -> str:
        """The SQL of a field. Raises _NotRead."""
        owner, _, own = name.rpartition(".")
        if name == "TABLE":
            return self.name
        if owner in _OF_USERS:
            return parameter_of(name)
        if owner not in ("", "TABLE", self.name) or depth > _MOST_DEEP:
            raise _NotRead
        sql = self.fields.get(own, own)
        if sql == own:
            return exp.to_identifier(own).sql(self.written.dialect or None)
        return f"({_PUT_IN.sub(lambda match: self.column(match['name'], depth + 1), sql)})"

    def filters(self, filters: Any) -> Found:
        """What a row has to accept all of."""
        tests: list[str] = []
        places: list[Span] = []
        for one in items(filters):
            for name, value in entries(one):
                if name == "required":
                    continue
                place = key_span(one, name)
                try:
                    tests.append(self.test(self.column(name, 0), value))
                except _NotRead:
                    yield Refused(place_of(place), say.FILTER_EXPRESSION, f"{name}: {value}"[:200])
                else:
                    places.append(place)
        if tests:
            whole = place_of(places[0].to(places[-1]))
            yield from condition(
                " AND ".join(tests),
                self.name,
                "filter",
                self.written.dialect,
                lambda *_: (whole, False),
                self.written.columns,
            )

    def test(self, column: str, value: Any) -> str:
        """A filter of a column. Raises _NotRead."""
        if isinstance(value, list):
            return f"{column} IN ({', '.join(self.constant(one) for one in value)})"
        if isinstance(value, str):
            written = value.strip()
            if written.lower() in _NULLS:
                return f"{column} {_NULLS[written.lower()]}"
            if match := _COMPARED.match(written):
                return f"{column} {match['sign']} {match['number']}"
        if value is None:
            raise _NotRead
        return f"{column} = {self.constant(value)}"

    def constant(self, value: Any) -> str:
        if isinstance(value, bool):
            return str(value).upper()
        if isinstance(value, int | float):
            return str(value)
        text = texts(value)
        if not text or text[0] in "!<>=" or "%" in text or "\\" in text or _TIME.match(text):
            raise _NotRead
        if text.lower() in ("true", "false"):
            return text.upper()
        return exp.Literal.string(text).sql(self.written.dialect or None)


def _meta(node: Any) -> Mapping[str, Any]:
    """What dbt hands on to other tools, in the form of today and the one before."""
    return {**dict(entries(at(node, "meta"))), **dict(entries(at(node, "config", "meta")))}
