"""Conditions in the files of tools: SodaCL, segments of Cube, row conditions of Great Expectations, filters
of MetricFlow, metric views of Databricks, rules of data contracts (ODCS).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from sqlglot import exp

from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Condition, Refused
from predicat.discover.read import lightdash
from predicat.discover.read.embedded import condition
from predicat.discover.read.sql import MAX_SHOWN, SqlText
from predicat.discover.read.statements import STATEMENT
from predicat.discover.read.written import Written, place_of, ranges_of
from predicat.importing.located import at, entries, items, source_of, span_of, texts

Found = Iterator[Condition | Refused]


class Tool(Struct, frozen=True):
    """A tool: what its files have, and the function that reads a document of one."""

    mark: re.Pattern[str]
    read: Callable[[Any, Written], Found]


def _within(value: Any, keys: frozenset[str]) -> Iterator[tuple[str, Any]]:
    """The entries with these keys, wherever they are."""
    for key, inner in entries(value):
        if key in keys:
            yield key, inner
        yield from _within(inner, keys)
    for inner in items(value):
        yield from _within(inner, keys)


# --- Soda

_SECTION = re.compile(r"(?:filter|checks for|profile columns for)\s+(\S+)(?:\s+\[[^\]]*\])?")
_SODA_KEYS = frozenset({"where", "filter", "fail condition"})


def _soda(data: Any, written: Written) -> Found:
    """SodaCL, whose sections name a table; a contract of Soda 4 names its dataset."""
    contract = texts(at(data, "dataset")).rpartition("/")[2]
    for section, inner in entries(data):
        match = _SECTION.fullmatch(section)
        relation = match[1] if match else contract
        if relation:
            for _, value in _within({section: inner}, _SODA_KEYS):
                if isinstance(value, str):
                    yield from written.condition(value, "", relation)


# --- Cube

_OWN = re.compile(r"\$?\{(?:CUBE|(?P<cube>\w+))\}\.|\$?\{(?:CUBE\.)?(?P<member>\w+)\}")


def _cube(data: Any, written: Written) -> Found:
    """Segments, and filters of measures. `{CUBE}.column` is a column of the cube's table."""
    for cube in items(at(data, "cubes")):
        relation = texts(at(cube, "sql_table") or at(cube, "name"))
        columns = {texts(at(one, "name")): texts(at(one, "sql")) for one in items(at(cube, "dimensions"))}
        own = texts(at(cube, "name"))

        def column(match: re.Match[str], own: str = own, columns: Mapping[str, str] = columns) -> str:
            if match["member"] is None:
                return "" if match["cube"] in (None, own) else match[0]
            return _OWN.sub("", columns.get(match["member"], "")) or match[0]

        filters = [one for measure in items(at(cube, "measures")) for one in items(at(measure, "filters"))]
        for one in (*items(at(cube, "segments")), *filters):
            sql = at(one, "sql")
            if isinstance(sql, str):
                yield from written.rewritten(sql, _OWN.sub(column, sql), relation)


# --- MetricFlow

_DIMENSION = re.compile(r"\{\{\s*(?:Dimension|Entity)\(\s*(['\"])(?:\w+__)?(\w+)\1\s*\)\s*\}\}")


def _metricflow(data: Any, written: Written) -> Found:
    """Filters of metrics and saved queries. A dimension is a column; which table has it, the filter does not
    say.
    """
    for kind in ("metrics", "saved_queries", "semantic_models"):
        for _, value in _within(at(data, kind), frozenset({"filter", "where"})):
            for text in (value, *items(value)):
                if isinstance(text, str):
                    yield from written.rewritten(text, _DIMENSION.sub(r"\2", text), None)


# --- metric views of Databricks


def _metric_view(data: Any, written: Written) -> Found:
    """The filter of a metric view, and those of its measures."""
    relation = str(at(data, "source") or "")
    if STATEMENT.match(relation) or not relation:
        return
    joined = [re.escape(texts(at(one, "name"))) for one in items(at(data, "joins"))]
    others = re.compile(rf"\b(?:{'|'.join(joined)})\s*\.") if joined else None
    fields = (one for key in ("dimensions", "fields", "measures") for one in items(at(data, key)))
    for sql, whole in ((at(data, "filter"), True), *((at(one, "expr"), False) for one in fields)):
        if not isinstance(sql, str):
            continue
        if others is not None and others.search(sql):
            yield Refused(place_of(span_of(sql)), say.SEVERAL, sql[:MAX_SHOWN])
        elif whole:
            yield from written.condition(sql, "", relation)
        else:
            ranges = ranges_of(source_of(sql), "SELECT ")
            statement = f"SELECT {sql}\nFROM {relation}"
            yield from SqlText(statement, "databricks", ranges, written.columns).read()


# --- ODCS


def _odcs(data: Any, written: Written) -> Found:
    """The queries of quality rules."""
    for schema in items(at(data, "schema")):
        relation = texts(at(schema, "physicalName") or at(schema, "name"))
        for _, query in _within(schema, frozenset({"query"})):
            if isinstance(query, str):
                own = re.sub(r"\$?\{(?:object|model|table|schema)\}", relation, query)
                ranges = written.ranges(query, own == query)
                yield from SqlText(own, written.dialect, ranges, written.columns).read()


# --- Great Expectations

_COMPARED: Mapping[str, Callable[..., exp.Expr]] = {
    "==": exp.EQ,
    "!=": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}
_LEGACY = re.compile(
    r"""col\("(?P<column>[^"]+)"\)(?:(?P<there>\.notnull\(\))|\s*(?P<sign>==|!=|<=|>=|<|>)\s*
    (?:(?P<number>[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)|(?:date\()?(?P<mark>["'])(?P<text>.*)(?P=mark)\)?))""",
    re.VERBOSE,
)


def _expectations(data: Any, written: Written) -> Found:
    """Row conditions, in whatever file they are."""
    for kwargs in _kwargs(data):
        value = kwargs["row_condition"]
        parser = at(kwargs, "condition_parser")
        if isinstance(value, str) and parser == "spark":
            yield from written.condition(value, "", None)
            continue
        try:
            sql = _sql(_of_text(value) if isinstance(value, str) else value).sql(written.dialect or None)
        except (KeyError, TypeError, ValueError):
            yield Refused(place_of(span_of(value)), say.ROW_CONDITION, str(value)[:200])
            continue
        place = place_of(span_of(value)), False
        yield from condition(
            sql, None, "test", written.dialect, lambda *_, place=place: place, written.columns
        )


def _kwargs(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping) and value.get("row_condition"):
        yield value
    for inner in (*(inner for _, inner in entries(value)), *items(value)):
        yield from _kwargs(inner)


def _of_text(text: str) -> Mapping[str, Any]:
    """A row condition of older releases, `col("n") > 5`, as data."""
    match = _LEGACY.fullmatch(text.strip())
    if match is None:
        raise ValueError(text)
    column = {"name": match["column"]}
    if match["there"]:
        return {"type": "nullity", "column": column, "is_null": False}
    value = match["text"] if match["number"] is None else float(match["number"])
    value = int(value) if isinstance(value, float) and value.is_integer() else value
    return {"type": "comparison", "column": column, "operator": match["sign"], "parameter": value}


def _sql(form: Mapping[str, Any]) -> exp.Expr:
    """A row condition in SQL. Raises KeyError, TypeError and ValueError for what is none."""
    if form["type"] in ("and", "or"):
        join = {"and": exp.and_, "or": exp.or_}[form["type"]]
        return join(*map(_sql, form["conditions"]))
    if form["type"] == "pass_through":
        raise ValueError(form)
    column = exp.column(exp.to_identifier(str(form["column"]["name"])))
    if form["type"] == "nullity":
        test = exp.Is(this=column, expression=exp.null())
        return test if form["is_null"] else exp.not_(test)
    value = form["parameter"]
    if form["operator"] in ("IN", "NOT_IN"):
        listed = exp.In(this=column, expressions=[exp.convert(_plain(item)) for item in value])
        return listed if form["operator"] == "IN" else exp.not_(listed)
    return _COMPARED[form["operator"]](this=column, expression=exp.convert(_plain(value)))


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, str) else value


TOOLS = (
    Tool(lightdash.MARK, lightdash.read),
    Tool(re.compile(r"^(?:filter|checks for) \S+.*:\s*$|^dataset:\s*\S+/", re.MULTILINE), _soda),
    Tool(re.compile(r"^\s*cubes\s*:", re.MULTILINE), _cube),
    Tool(re.compile(r"\Aversion:[^\n]*\n(?:.*\n)?source:", re.DOTALL), _metric_view),
    Tool(re.compile(r"\brow_condition\b"), _expectations),
    Tool(re.compile(r"^\s*kind\s*:\s*[\"']?DataContract\b", re.MULTILINE), _odcs),
    Tool(re.compile(r"\{\{\s*(?:Dimension|TimeDimension|Entity)\("), _metricflow),
)
