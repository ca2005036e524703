"""Conditions in LookML: of explores, joins, dimensions that are true or false, filters of measures, and the
SQL of derived tables.

`${field}` is the SQL of a dimension, also of another view; Liquid is a parameter.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from predicat.catalog.templates import is_template
from predicat.diagnostics import PredicatError, Source, Span
from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Clause, Condition, Refused
from predicat.discover.read import templates
from predicat.discover.read.looker_filters import NotExact, filter_sql
from predicat.discover.read.lookml import Block, NotLookML, parse
from predicat.discover.read.relations import Columns
from predicat.discover.read.residues import parameter_of
from predicat.discover.read.sql import SqlText, shown
from predicat.discover.read.written import place_of, ranges_of, replaced
from predicat.importing.documents import parsed
from predicat.importing.located import at, entries, items, key_span, span_of, text, texts

Found = Iterator[Condition | Refused]
# From a statement to its dialect.
Dialects = Callable[[str], str]
_DIMENSIONS = ("dimension", "dimension_group", "filter", "parameter")
_PUT_IN = re.compile(
    r"\$\{(?P<name>[^}]*)\}"
    r"|\{%-?\s*condition\s+(?P<condition>[\w.]+)\s*-?%\}.*?\{%-?\s*endcondition\s*-?%\}"
    r"|\{%-?\s*(?:parameter\s+|(?P<end>date_start|date_end)\s+)(?P<parameter>[\w.]+)\s*-?%\}|\{\{(?P<value>.*?)\}\}",
    re.DOTALL,
)
_TAG = re.compile(r"\{%.*?%\}", re.DOTALL)
_BRANCHES = re.compile(r"\b(?:case|if|iff|countif|filter)\b", re.IGNORECASE)
_SUBSTITUTION = re.compile(r"[\w.`\"\[\]-]+\Z")
# A dimension that is a column tests nothing.
_COLUMN = re.compile(r"\s*(?:\$\{[^}]*\}\.?)?[\w.`\"]*\s*\Z")
_TIME = "time"
# A time that is a day for the engine, which Looker reads as it is.
_DAY = "day"
_MOST_DEEP = 12


class View(Struct, frozen=True):
    """A view: its table, as it is written for the engine, the types and SQL of its fields, and a statement
    that tells its dialect. `whole` is False where only refinements of it are known.
    """

    name: str
    relation: str
    fields: Mapping[str, tuple[str, str]]
    extends: tuple[str, ...] = ()
    sample: str = ""
    whole: bool = True


class _Unreadable(Exception):
    """A reference leads nowhere, or back to itself; the text is the reason."""


def views_of(source: Source) -> list[View]:
    """The views of a file; none of one that cannot be read."""
    try:
        return [_view(block) for block in _blocks(parse(source), "view")]
    except NotLookML:
        return []


def merged(views: Iterable[View]) -> dict[str, View]:
    """Views by their names; refinements (`view: +orders`) add to them."""
    result: dict[str, View] = {}
    for view in sorted(views, key=lambda view: view.name.startswith("+")):
        name = view.name.lstrip("+")
        before = result.get(name, View(name, name, {}, whole=not view.name.startswith("+")))
        relation = view.relation if view.relation != name else before.relation
        result[name] = View(
            name,
            relation,
            {**before.fields, **view.fields},
            before.extends + view.extends,
            view.sample or before.sample,
            before.whole,
        )
    return result


def _blocks(block: Block, *keys: str) -> Iterator[Block]:
    return (part for part in block.all(*keys) if isinstance(part, Block))


def _view(block: Block) -> View:
    fields: dict[str, tuple[str, str]] = {}
    for key, one in block.parts:
        if isinstance(one, Block) and key in _DIMENSIONS:
            kind = _time_of(one) if key == "dimension_group" else one.text("type") or "string"
            fields[one.name] = (kind, one.text("sql") or f"${{TABLE}}.{one.name}")
        elif isinstance(one, Block) and key == "measure":
            fields[one.name] = ("measure", "")
    table = block.text("sql_table_name")
    name = block.name.lstrip("+")
    own = table if table and not any(mark in table for mark in ("{", "$", ";")) else name
    extends = [str(value) for one in _blocks(block, "extends", "extends__all") for value in one.all("")]
    sql = next((one.text("sql") for one in _blocks(block, "derived_table")), f"SELECT 1 FROM {own}")
    return View(block.name, own, fields, tuple(extends), _PUT_IN.sub("x", sql) if own != name or sql else "")


def _time_of(group: Block) -> str:
    is_day = group.text("type") in ("", "time") and group.text("datatype") == "date"
    return _DAY if is_day and group.text("convert_tz") == "no" else _TIME


def conditions(
    source: Source, views: Mapping[str, View], dialect: Dialects, columns: Columns
) -> Iterator[Condition | Refused]:
    """The conditions of a file. `views` are those of all files, `dialect` is that of a statement."""
    if source.name.endswith(".lookml"):
        yield from _dashboards(source, _Reader(views, dialect, columns))
        return
    try:
        root = parse(source)
    except NotLookML:
        yield Refused(place_of(Span(source, 0, 0)), say.NOT_DATA, "")
        return
    reader = _Reader(views, dialect, columns)
    for key, block in root.parts:
        if isinstance(block, Block) and key == "view":
            yield from reader.view(block)
        elif isinstance(block, Block) and key == "explore":
            yield from reader.explore(block)


def _dashboards(source: Source, reader: _Reader) -> Found:
    """The filters of the elements of dashboards, which are written in YAML."""
    try:
        documents = parsed(source)
    except (PredicatError, RecursionError):
        yield Refused(place_of(Span(source, 0, 0)), say.NOT_DATA, "")
        return
    for dashboard in (one for document in documents for one in items(document)):
        for element in items(at(dashboard, "elements")):
            filters, own = at(element, "filters"), list[tuple[str, str]]()
            for name, value in entries(filters):
                if "." in name:
                    own.append((name, text(str(value), span_of(value, key_span(filters, name)))))
                else:
                    place = place_of(key_span(filters, name))
                    yield Refused(place, say.COMPUTED, shown(f"{name}: {value}"))
            yield from reader.tested(own, texts(at(element, "explore")), {})


class _Reader:
    def __init__(self, views: Mapping[str, View], dialect: Dialects, columns: Columns) -> None:
        self.views = views
        self.dialect = dialect
        self.columns = columns

    def view(self, block: Block) -> Found:
        name = block.name.lstrip("+")
        for table in _blocks(block, "derived_table"):
            for sql in table.all("sql"):
                yield from self.code(sql, name, "", "", None)
        for one in _blocks(block, "dimension", "measure", "dimension_group", "filter"):
            for sql in one.all("sql", "sql_start", "sql_end"):
                if one.text("type") == "yesno" and _COLUMN.match(str(sql)):
                    continue
                if one.text("type") == "yesno":
                    yield from self.code(sql, name, " WHERE ", "", "filter")
                elif isinstance(sql, str) and _BRANCHES.search(sql):
                    yield from self.code(sql, name, "", "SELECT ", None)
            for when in (when for case in _blocks(one, "case") for when in _blocks(case, "when")):
                for sql in when.all("sql"):
                    yield from self.code(sql, name, " WHERE ", "", "case")
            yield from self.filters(one, name)

    def explore(self, block: Block) -> Found:
        name = block.text("from") or block.text("view_name") or block.name.lstrip("+")
        aliases = {block.name.lstrip("+"): name}
        for join in _blocks(block, "join"):
            aliases[join.name] = join.text("from") or join.name
        for sql in block.all("sql_always_where"):
            yield from self.code(sql, name, " WHERE ", "", "where", aliases)
        for join in _blocks(block, "join"):
            for sql in join.all("sql_on", "sql_where"):
                yield from self.code(sql, name, " WHERE ", "", "join", aliases)
        for having in (one for key in ("sql_always_having", "sql_having") for one in block.all(key)):
            yield Refused(place_of(span_of(having)), say.AGGREGATE, shown(str(having)))
        for outer in _blocks(block, "always_filter", "conditionally_filter"):
            yield from self.filters(outer, name, aliases)

    def code(
        self,
        sql: Any,
        view: str,
        head: str,
        select: str,
        clause: Clause | None,
        aliases: Mapping[str, str] | None = None,
    ) -> Found:
        """The conditions of SQL in a file: a condition behind ` WHERE `, an expression behind `SELECT `, or
        a statement.
        """
        if not isinstance(sql, str):
            return
        span = span_of(sql)
        expanding = _Expanding(self.views, aliases or {})
        try:
            own = expanding.source(span, view)
            rendered = _rendered(own)
        except (_Unreadable, templates.NotRendered) as problem:
            yield Refused(place_of(span), str(problem) or say.NOT_RENDERED, shown(sql))
            return
        text = own.text if rendered is None else rendered.text
        if not head and not select:
            ranges = ranges_of(own, "", rendered)
            yield from SqlText(text, self.dialect(text), ranges, self.columns).read()
            return
        tables = expanding.tables(view)
        before = select or f"SELECT 1 FROM {tables}{head}"
        statement = before + text + (f"\nFROM {tables}" if select else "")
        ranges = ranges_of(own, before, rendered)
        for row in SqlText(statement, self.dialect(statement), ranges, self.columns).read():
            yield _owned(row, before, clause)

    def filters(self, block: Block, view: str, aliases: Mapping[str, str] | None = None) -> Found:
        """The filters of a measure or an explore."""
        yield from self.tested(_filters(block), view, aliases or {})

    def tested(self, filters: Iterable[tuple[str, str]], view: str, aliases: Mapping[str, str]) -> Found:
        """Fields with filter expressions, which a row has to accept all."""
        expanding = _Expanding(self.views, aliases)
        tests: list[str] = []
        places: list[Span] = []
        left: list[Refused] = []
        for name, value in filters:
            place = span_of(value)
            try:
                test = self.test(expanding, name, value, view)
            except NotExact:
                left.append(Refused(place_of(place), say.FILTER_EXPRESSION, shown(f"{name}: {value}")))
            except (_Unreadable, templates.NotRendered) as problem:
                reason = str(problem) or say.NOT_RENDERED
                left.append(Refused(place_of(place), reason, shown(f"{name}: {value}")))
            else:
                if test:
                    tests.append(test)
                    places.append(place)
        yield from left
        if tests:
            before = f"SELECT 1 FROM {expanding.tables(view)} WHERE "
            statement = before + " AND ".join(tests)
            whole = place_of(places[0].to(places[-1]))
            dialect = self.dialect(statement)
            for row in SqlText(statement, dialect, lambda *_: (whole, False), self.columns).read():
                owned = _owned(row, before, "filter")
                yield (
                    dataclasses.replace(owned, whole=False)
                    if left and isinstance(owned, Condition)
                    else owned
                )

    def test(self, expanding: _Expanding, name: str, value: str, view: str) -> str:
        """A filter of a field in SQL. Raises NotExact, _Unreadable and NotRendered."""
        kind, sql = expanding.field(name, view)
        if not kind:
            raise _Unreadable(say.NO_FIELD)
        dialect = self.dialect(f"SELECT 1 FROM {expanding.tables(view)} WHERE {sql} IS NULL")
        return filter_sql(kind, sql, value, dialect)


def _owned(row: Condition | Refused, head: str, clause: Clause | None) -> Condition | Refused:
    if isinstance(row, Refused):
        return dataclasses.replace(row, text=row.text.removeprefix(head))
    return dataclasses.replace(row, clause=clause) if clause and row.clause == "where" else row


def _filters(block: Block) -> Iterator[tuple[str, str]]:
    """The fields of filters with their expressions, in the form of today and the one before."""
    for filters in _blocks(block, "filters", "filter"):
        if field_ := filters.text("field"):
            yield field_, filters.text("value")
            continue
        for name, value in filters.parts:
            if isinstance(value, str) and name:
                yield name, value
            elif isinstance(value, Block):
                yield from ((key, text) for key, text in value.parts if isinstance(text, str))


def _rendered(source: Source) -> templates.Rendered | None:
    if not is_template(source.text):
        return None
    return templates.render(_jinja(source.text), {})


def _jinja(liquid: str) -> str:
    """Liquid in the words of Jinja, as long as it was; Jinja's sandbox refuses names such as `_in_query`."""
    return _TAG.sub(lambda tag: tag[0].replace("elsif", "elif ").replace("._", ".x"), liquid)


class _Expanding:
    """Puts the SQL of fields in, and knows the views that it reads. `aliases` are the names of views in an
    explore.
    """

    def __init__(self, views: Mapping[str, View], aliases: Mapping[str, str]) -> None:
        self.views = views
        self.aliases = aliases
        self.used: dict[str, str] = {}

    def source(self, span: Span, view: str) -> Source:
        """A text of the file with what it refers to. Raises _Unreadable."""
        part = Source(span.source.name, span.text, span.source, range(span.start, span.end))
        return replaced(part, _PUT_IN, lambda match: self.put_in(match, view, 0))

    def tables(self, view: str) -> str:
        """The FROM of what was put in."""
        if not self.used:
            self.use(view)
        return ", ".join(
            relation if relation == alias else f"{relation} AS {alias}"
            for alias, relation in self.used.items()
        )

    def use(self, alias: str) -> str:
        name = self.aliases.get(alias, alias)
        known = self.views.get(name)
        self.used[alias] = known.relation if known is not None else name
        return alias

    def put_in(self, match: re.Match[str], view: str, depth: int) -> str:
        if match["name"] is None:
            word = match["condition"] or match["parameter"] or match["value"].strip()
            return parameter_of(f"{match['end']}_{word}" if match["end"] else word)
        name = match["name"].strip()
        if name == "TABLE":
            return self.use(view)
        if name.endswith(".SQL_TABLE_NAME"):
            known = self.views.get(name.rpartition(".")[0])
            return known.relation if known is not None else name.rpartition(".")[0]
        return self.field(name, view, depth)[1]

    def field(self, name: str, view: str, depth: int = 0) -> tuple[str, str]:
        """The type and the SQL of a field. Raises _Unreadable and NotRendered."""
        owner, _, own = name.rpartition(".")
        kind, sql = self.found(owner or view, own)
        if depth > _MOST_DEEP:
            raise _Unreadable(say.TOO_DEEP)
        if kind == "measure":
            raise _Unreadable(say.AGGREGATE)
        text = _PUT_IN.sub(lambda match: self.put_in(match, owner or view, depth + 1), sql)
        if is_template(text):
            text = templates.render(_jinja(text), {}).text.strip()
        return kind, text if _SUBSTITUTION.match(text) else f"({text})"

    def found(self, view: str, name: str) -> tuple[str, str]:
        """A field of a view, or of one that it extends; of a view that is in other files, a column of the
        name. Raises _Unreadable.
        """
        pending, seen, elsewhere = [self.aliases.get(view, view)], set[str](), False
        while pending:
            known = self.views.get(one := pending.pop())
            if known is None or one in seen:
                elsewhere = elsewhere or known is None
                continue
            seen.add(one)
            if name in known.fields:
                return known.fields[name]
            group, _, frame = name.rpartition("_")
            if (kind := known.fields.get(group, ("", ""))[0]) in (_TIME, _DAY):
                if frame != "raw" and (kind, frame) != (_DAY, "date"):
                    raise _Unreadable(say.TIMEFRAME)
                return known.fields[group]
            pending += known.extends
            elsewhere = elsewhere or not known.whole
        if not elsewhere:
            raise _Unreadable(say.NO_FIELD)
        return "", f"${{TABLE}}.{name}"
