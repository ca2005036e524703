"""Whose rows a column is of: tables behind their aliases, also through queries that only hand columns on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from sqlglot import exp

# How the type of a column begins that predicat has no form of; its name in SQL is behind.
OTHER = "other:"


def is_known(kind: str) -> bool:
    """Whether the type of a column is one of predicat."""
    return bool(kind) and not kind.startswith(OTHER)


class SomeColumns(dict[str, str]):
    """Types of columns of a relation that may have others, too."""


# The types of the columns of known relations.
Columns = Mapping[str, Mapping[str, str]]
# The queries that WITH names.
Named = Mapping[str, exp.Expr]
_LONGEST_CHAIN = 50
_QUERIES = (exp.Select, exp.Update, exp.Delete, exp.Merge)


class Origin(Struct, frozen=True):
    """Where a column comes from: a relation, and the name of the column there. `path` are the sources that it
    went through: two columns with one path are of one row. `nullable` says whether an outer join may leave
    the row out.
    """

    relation: str
    column: str
    path: tuple[int, ...]
    derived: bool
    nullable: bool = False

    @property
    def key(self) -> int:
        """The source that the query itself reads."""
        return self.path[0]


class Source(Struct, frozen=True):
    """What a query reads under a name: a table, or a query of the statement itself."""

    name: str
    relation: str
    key: int
    query: exp.Expr | None = None
    nullable: bool = False


class Scope(Struct, frozen=True):
    """The names of a query. `known` has the scopes of all queries of the statement, by their nodes;
    `aliases` are those of all sources of the statement, `variables` those of values of a program.
    """

    node: exp.Expr
    sources: Mapping[str, Source]
    columns: Columns
    known: Mapping[int, Scope]
    aliases: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()

    def is_variable(self, column: exp.Column) -> bool:
        """Whether a name is that of a variable, as no source is known to have a column of this name."""
        name = folded(column.this)
        return (
            name in self.variables
            and not column.table
            and not any(name in (self.names(source) or ()) for source in self.sources.values())
        )

    def origin(self, column: exp.Column, depth: int = 0) -> Origin | None:
        """The origin of a column, or None if the statement does not tell."""
        table, name = column.table.lower(), folded(column.this)
        source = self.sources.get(table)
        if source is None and table:
            source, name = self.member(list(map(folded, column.parts)))
        elif source is None:
            source = next(iter(self.sources.values())) if len(self.sources) == 1 else self.owner(name)
        return None if source is None else traced(source, name, self.known, depth)

    def member(self, names: Sequence[str]) -> tuple[Source | None, str]:
        """The source of a member of a struct, and its name there: the first is a column or a source."""
        if names[0] in self.sources:
            return self.sources[names[0]], ".".join(names[1:])
        if names[0] in self.aliases or names[-2] in self.aliases or len(self.sources) != 1:
            return None, ""  # perhaps of a query around this one
        return next(iter(self.sources.values())), ".".join(names)

    def owner(self, name: str) -> Source | None:
        """The one source that has a column, or that may have it if no other can."""
        known = [(source, self.names(source)) for source in self.sources.values()]
        having = [source for source, names in known if names is not None and name in names]
        open_ = [source for source, names in known if names is None]
        return (
            having[0]
            if len(having) == 1 and not open_
            else open_[0]
            if len(open_) == 1 and not having
            else None
        )

    def names(self, source: Source) -> Collection[str] | None:
        """The names of the columns of a source; None if they are not all known."""
        if source.query is None:
            columns = self.columns.get(source.relation)
            return None if isinstance(columns, SomeColumns) else columns
        query = source.query.this if isinstance(source.query, exp.Subquery) else source.query
        while isinstance(query, exp.SetOperation):
            query = query.this
        if not isinstance(query, exp.Select) or query.is_star:
            return None
        return {part.alias_or_name.lower() for part in query.expressions}


def folded(node: exp.Expr | str | None) -> str:
    """The name of an identifier in small letters, as nearly all dialects compare names of columns."""
    return (node if isinstance(node, str) else node.name if node is not None else "").lower()


def scopes(root: exp.Expr, columns: Columns, variables: frozenset[str] = frozenset()) -> list[Scope]:
    """The scope of each query of a statement, in which some names are those of variables."""
    known: dict[int, Scope] = {}
    tables = root.find_all(exp.Table, exp.Subquery, exp.CTE, exp.Lateral, exp.Unnest)
    aliases = frozenset(table.alias_or_name.lower() for table in tables) - {""}
    pending: list[tuple[exp.Expr, Named]] = [(root, {})]
    while pending:
        node, named = pending.pop()
        within = node.args.get("with_")
        if within is not None:
            named = dict(named)
            for cte in within.expressions:
                # A name means the query only after its definition: before, it is a table.
                pending.append((cte.this, dict(named)))
                named[cte.alias.lower()] = cte.this
        if isinstance(node, _QUERIES):
            known[id(node)] = Scope(node, _sources(node, named), columns, known, aliases, variables)
        pending.extend((part, named) for part in node.iter_expressions() if part is not within)
    return list(known.values())


def _sources(node: exp.Expr, named: Named) -> dict[str, Source]:
    """The sources of a query by their names."""
    joins: list[exp.Join] = list(node.args.get("joins") or [])
    first = node.args.get("from_")
    tables = [(first.this, _any_outer(joins))] if first is not None else []
    if not isinstance(node, exp.Select):
        tables += [
            (node.args[key], False) for key in ("this", "using") if isinstance(node.args.get(key), exp.Expr)
        ]
    for number, join in enumerate(joins):
        tables.append((join.this, _any_outer(joins[number + 1 :]) or join.side in ("LEFT", "FULL")))
    tables += [(lateral, False) for lateral in node.args.get("laterals") or []]
    sources = []
    for table, nullable in tables:
        sources.append(_source(table, named, nullable=nullable))
        inner = (table.args.get("joins") or []) if isinstance(table, exp.Table) else []
        sources += [_source(join.this, named, nullable=nullable or bool(join.side)) for join in inner]
    return {source.name: source for source in sources}


def _any_outer(joins: list[exp.Join]) -> bool:
    """Whether a join among these may leave out what is before it."""
    return any(join.side in ("RIGHT", "FULL") for join in joins)


def _source(table: exp.Expr, named: Named, *, nullable: bool) -> Source:
    alias = table.alias.lower()
    if isinstance(table, exp.Table) and table.name:
        relation = ".".join(map(_part_of_name, table.parts))
        query = None if table.args.get("db") else named.get(table.name.lower())
        return Source(alias or table.name.lower(), relation, id(table), query, nullable)
    return Source(alias or f"#{id(table)}", alias, id(table), table, nullable)


def _part_of_name(part: exp.Expr) -> str:
    """A part of the name of a table, with its mark where a program puts it in."""
    return f"@{part.name}" if isinstance(part, exp.Parameter | exp.Placeholder) else part.name


def traced(source: Source, name: str, known: Mapping[int, Scope], depth: int = 0) -> Origin:
    """The origin of a column of a source, followed through queries that only hand it on."""
    own = Origin(source.relation, name, (source.key,), source.query is not None, source.nullable)
    query = source.query.this if isinstance(source.query, exp.Subquery) else source.query
    scope = known.get(id(query))
    if not isinstance(query, exp.Select) or scope is None or _changes_rows(query) or depth > _LONGEST_CHAIN:
        return own
    origin = _handed_on(query, name, scope, depth)
    if origin is None:
        return own
    nullable = source.nullable or origin.nullable
    return Origin(origin.relation, origin.column, (source.key, *origin.path), origin.derived, nullable)


def _changes_rows(query: exp.Select) -> bool:
    """Whether a row of the query is no row of what it reads, with some columns more or less."""
    return any(query.args.get(key) for key in ("group", "distinct", "having", "pivots", "laterals"))


def _handed_on(query: exp.Select, name: str, scope: Scope, depth: int) -> Origin | None:
    """The origin of a column that a query hands on as it is."""
    star: Source | None = None
    for part in query.expressions:
        if part.alias_or_name.lower() == name and not part.is_star:
            inner = part.this if isinstance(part, exp.Alias) else part
            return scope.origin(inner, depth + 1) if isinstance(inner, exp.Column) else None
        if isinstance(part, exp.Star) and not any(part.args.get(key) for key in ("replace", "rename")):
            star = next(iter(scope.sources.values())) if len(scope.sources) == 1 else None
        elif isinstance(part, exp.Column) and part.is_star and _stars(query) == 1:
            star = scope.sources.get(part.table.lower())
    return traced(star, name, scope.known, depth + 1) if star is not None else None


def _stars(query: exp.Select) -> int:
    return sum(isinstance(part, exp.Column) and part.is_star for part in query.expressions)
