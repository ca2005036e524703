"""Reads the WHERE of a query as a predicate over a dataset: columns by their names in the engine, in any
case, behind any alias.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from predicat.api import Predicate, read_body
from predicat.backends import DIALECTS, dialect
from predicat.catalog.model import Catalog, Dataset
from predicat.check.resolve import check
from predicat.check.scope import Resolve, Scope
from predicat.diagnostics import Diagnostic, PredicatError, Source, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import agents as say
from predicat.diagnostics.messages import references
from predicat.discover.catalogs import dataset_of
from predicat.ir import syntax as t
from predicat.ir.nodes import Call, FieldDecl, Literal, Node
from predicat.ir.types import BOOLEAN
from predicat.ir.variables import fold_identifier
from predicat.language import LANGUAGES
from predicat.language.common.body import Body
from predicat.lower import core
from predicat.rewrite.simplify import simplify
from predicat.rewrite.substitute import substitute, with_defaults

# The languages of a WHERE: what all engines mean alike, and those of the engines.
COMMON = "sql"
LANGUAGES_OF_WHERE = (COMMON, *DIALECTS)
_QUOTES = ('"', "`")


class Where(Struct, frozen=True):
    """A WHERE, as a predicate over the fields of a dataset."""

    dataset: Dataset
    predicate: Predicate


def read_where(text: str, language: str, catalog: Catalog, name: str = "") -> list[Where]:
    """A WHERE on the dataset of a name, or on each dataset that has its columns.

    Args:
        text: The condition.
        language: One of LANGUAGES_OF_WHERE; "" for that of the first engine of the dataset.
        catalog: The catalog.
        name: A dataset or a relation; "" for any.

    Raises:
        PredicatError: There is no such language or dataset, or the text has problems.
    """
    if language and language not in LANGUAGES_OF_WHERE:
        raise PredicatError.of(say.unknown_dialect(language, LANGUAGES_OF_WHERE))
    if name:
        found = catalog.datasets.get(name) or dataset_of(name, catalog)
        if found is None:
            relations = [one for row in catalog.datasets.values() for one in row.relation.values()]
            raise PredicatError.of(say.unknown_table(name, [*catalog.datasets, *relations]))
        return [Where(found, _predicate(text, language, found, catalog))]
    result: list[Where] = []
    problems: list[PredicatError] = []
    for dataset in catalog.datasets.values():
        try:
            result.append(Where(dataset, _predicate(text, language, dataset, catalog)))
        except PredicatError as error:
            problems.append(error)
    if not result:
        raise _told(problems, catalog)
    return result


def _told(problems: list[PredicatError], catalog: Catalog) -> PredicatError:
    """The problem that all datasets have, or that none has the columns."""
    others = [error for error in problems if any(item.code != "unknown-field" for item in error.diagnostics)]
    counts = [len(error.diagnostics) for error in problems]
    if others or (counts and counts.count(min(counts)) == 1):
        return others[0] if others else problems[counts.index(min(counts))]
    return PredicatError.of(say.no_table_has(catalog.datasets))


def _predicate(text: str, language: str, dataset: Dataset, catalog: Catalog) -> Predicate:
    language = language or next((name for name in dataset.relation if name in DIALECTS), COMMON)
    source = Source("where", text)
    whole = Span(source, 0, len(text))
    kind = LANGUAGES[language].meant(ansi=dataset.ansi)
    fields = _columns(dataset, language)
    scope = Scope(fields, enums=dataset.enums)
    tree = read_body(kind, Body(text, source, whole, kind.on, fields), scope)
    named = _as_written(tree, scope, dataset, language)
    resolve = _reference(catalog, dataset)
    surface = check(tree, Scope({**fields, **named}, resolve=resolve, enums=dataset.enums), kind.rules)
    return Predicate(core(surface), language, written=simplify(surface))


def _reference(catalog: Catalog, dataset: Dataset) -> Resolve:
    """What `matches_filter` is in a query: TRUE for the rows that the filter accepts, otherwise FALSE."""

    def resolve(name: str, args: tuple[tuple[str, Node], ...], span: Span) -> Node:
        filter_, number = catalog.find(name)
        if filter_.dataset != dataset.name:
            raise PredicatError.of(references.unknown_filter(span, name, dataset.filters))
        params = filter_.versions[number].params
        for key, _ in args:
            if key not in params:
                raise PredicatError.of(references.surplus_param(span, filter_.qualified, key, params))
        given = dict(args)
        for key, decl in params.items():
            if decl.required and key not in given:
                raise PredicatError.of(references.missing_param(span, filter_.qualified, key))
        node = with_defaults(substitute(filter_.versions[number].predicate.surface, given))
        unknown = Literal(BOOLEAN, filter_.on_unknown == "accept")
        return Call(BOOLEAN, "coalesce", (node, unknown), span)

    return resolve


def _is_exact(language: str) -> bool:
    """Whether quoted names of the engine differ in case."""
    return language in DIALECTS and dialect(language).case_sensitive_columns


def _columns(dataset: Dataset, language: str) -> dict[str, FieldDecl]:
    """The fields by the names that a WHERE has for them: in a text for an engine those of its columns alone,
    since the table may have a column with the name of a field that is read from another one.
    """
    if language not in DIALECTS:
        return dataset.fields
    columns: dict[str, FieldDecl] = {}
    for decl in dataset.fields.values():
        if not decl.expression(language):
            columns.setdefault(decl.column(language), decl)
    return columns


def _as_written(tree: t.Tree, scope: Scope, dataset: Dataset, language: str) -> dict[str, FieldDecl]:
    """The columns by the names that a WHERE has for them: `STATUS`, `o.status`, `public.orders."status"`.
    Raises PredicatError if they are of two tables, or if there is no such column.
    """
    columns, exact = scope.fields or {}, _is_exact(language)
    unknown: list[Diagnostic] = []
    result: dict[str, FieldDecl] = {}
    table = ""
    for chain in _chains(tree, frozenset()):
        for length in range(len(chain)):
            decl = _column(chain[length], columns, exact=exact)
            if decl is None:
                continue
            owner = ".".join(part.name for part in chain[:length])
            if owner and table and fold_identifier(owner) != fold_identifier(table):
                raise PredicatError.of(say.two_tables(chain[0].span, table, owner))
            table = owner or table
            result[".".join(part.name for part in chain[: length + 1])] = decl
            break
        else:
            if (name := ".".join(part.name for part in chain)) not in scope.enums:
                field = dataset.fields.get(chain[-1].name)
                hint = say.read_from(language, field.name, field.column(language)) if field else None
                unknown.append(msg.unknown_field(chain[-1].span, name, columns, hint))
    if unknown:
        raise PredicatError(unknown)
    return result


class _Part(Struct, frozen=True):
    """A part of a dotted name."""

    name: str
    span: Span

    @property
    def quoted(self) -> bool:
        return self.span.text.endswith(_QUOTES)


def _column(part: _Part, columns: Mapping[str, FieldDecl], *, exact: bool) -> FieldDecl | None:
    """The column that a name means; None if there is none, or several."""
    name = part.name
    if exact and part.quoted:
        return columns.get(name)
    preferred = name.lower() if exact else name
    if preferred in columns:
        return columns[preferred]
    folded = [decl for known, decl in columns.items() if fold_identifier(known) == fold_identifier(name)]
    return folded[0] if folded and all(decl == folded[0] for decl in folded) else None


def _chains(tree: t.Tree, bound: frozenset[str]) -> Iterator[list[_Part]]:
    """The dotted names of a tree, part by part, without those of variables."""
    match tree:
        case t.Name(name, span):
            if name not in bound:
                yield [_Part(name, span)]
        case t.Member(base, key, span):
            for chain in _chains(base, bound):
                yield [*chain, _Part(key, span)] if isinstance(base, t.Name | t.Member) else chain
        case t.ListLiteral(items) | t.OperatorCall(_, items):
            for part in items:
                yield from _chains(part, bound)
        case t.MapLiteral(entries):
            for entry in entries:
                for part in entry:
                    yield from _chains(part, bound)
        case t.Macro(_, variable, source, body):
            yield from _chains(source, bound)
            yield from _chains(body, bound | {variable})
        case t.Ref(_, args):
            for _, part in args:
                yield from _chains(part, bound)
        case t.Constant() | t.Param():
            pass
