"""Whether the columns of a relation hold what the catalog declares."""

from collections.abc import Callable, Iterable, Mapping

from predicat.backends import dialect
from predicat.backends.column_types import (
    REFUSED,
    ColumnType,
    Composites,
    Verdict,
    column_type,
    declared_type,
    duckdb_type,
    holds,
)
from predicat.backends.sql import expressions
from predicat.backends.sql.column_forms import stored_type
from predicat.catalog.model import Filter
from predicat.deploy.rows import postgres_type
from predicat.diagnostics import NOWHERE, Diagnostic, PredicatError, Span
from predicat.diagnostics.messages import columns as say_columns
from predicat.diagnostics.messages import deploy as say
from predicat.diagnostics.messages import expressions as say_expressions
from predicat.ir.members import read_by
from predicat.ir.nodes import FieldDecl, fields_of

NO_PLACES: Mapping[str, Span] = {}
_SHOWN = {"spark": "Spark", "postgres": "PostgreSQL", "duckdb": "DuckDB"}


def problems(
    engine: str,
    relation: str,
    columns: Mapping[str, str],
    filters: Iterable[Filter],
    composites: Composites | None = None,
    places: Mapping[str, Span] = NO_PLACES,
) -> list[Diagnostic]:
    """The problems of running filters on a relation: missing columns, and columns of another type.

    `columns` maps the relation's columns to the engine's names of their types (`engine` is spark, postgres or
    duckdb). `places` are those of a dataset's definitions.
    """
    filters = list(filters)
    readers: dict[str, list[str]] = {}
    for filter_ in filters:
        for name in fields_of(filter_.current.predicate.node):
            readers.setdefault(name, []).append(filter_.qualified)
    read = read_by(filter_.current.predicate.node for filter_ in filters)
    fields = [(decl, readers[name]) for name, decl in read.items()]
    return problems_of_fields(engine, relation, columns, fields, composites, places)


def problems_of_fields(
    engine: str,
    relation: str,
    columns: Mapping[str, str],
    fields: Iterable[tuple[FieldDecl, list[str]]],
    composites: Composites | None = None,
    places: Mapping[str, Span] = NO_PLACES,
) -> list[Diagnostic]:
    """The problems of reading fields from a relation. Each field comes with the names of its filters."""
    folds = engine != "postgres"
    known = {(name.lower() if folds else name): kind for name, kind in columns.items()}
    diagnostics: list[Diagnostic] = []
    for decl, readers in fields:
        column, place = decl.column(engine), places.get(f"field {decl.name}", NOWHERE)
        text = known.get(column.lower() if folds else column)
        if text is None and decl.expression(engine):
            continue  # whoever asks the engine for its type reports why there is none
        if text is None:
            diagnostics.append(say.column_missing(place, _SHOWN[engine], relation, column, readers, columns))
            continue
        kind = column_type(engine, text, composites)
        verdict = holds(engine, decl, kind)
        if verdict.kind == REFUSED:
            why = verdict.words.replace("{declared}", decl.shown_type)
            hint = _instead(engine, decl, kind, verdict)
            named = (column, text, decl.shown_type)
            diagnostics.append(say.column_type(place, _SHOWN[engine], relation, named, why, readers, hint))
    return diagnostics


# The type of an expression over a relation, as the engine names it. Raises BadExpression.
Describe = Callable[[str], str]


def expressions_of(
    engine: str, fields: Iterable[FieldDecl], describe: Describe, places: Mapping[str, Span] = NO_PLACES
) -> tuple[dict[str, str], list[Diagnostic]]:
    """The types of the expressions that fields are read from, and those that the engine cannot read."""
    types: dict[str, str] = {}
    wrong: list[Diagnostic] = []
    for decl in fields:
        found = expressions.of_field(decl, engine)
        if found is None:
            continue
        text = decl.expression(engine)
        try:
            types[text] = describe(dialect(engine).text(found.sql))
        except expressions.BadExpression as error:
            place = places.get(f"field {decl.name}", NOWHERE)
            wrong.append(say_expressions.fails_there(place, decl.name, _SHOWN[engine], text, str(error)))
    return types, wrong


def check_fields(
    engine: str,
    relation: str,
    columns: Mapping[str, str],
    fields: Iterable[FieldDecl],
    composites: Composites | None = None,
    reader: str = say.THIS_FILTER,
) -> None:
    """Raise PredicatError for columns of another type than the fields of a predicate declare."""
    read = [(decl, [reader]) for decl in fields]
    found = problems_of_fields(engine, relation, columns, read, composites)
    wrong = [problem for problem in found if problem.code == "column-type"]
    if wrong:
        raise PredicatError(wrong)


def refused(
    engine: str,
    relation: str,
    columns: Mapping[str, str],
    filters: Iterable[Filter],
    composites: Composites | None = None,
    places: Mapping[str, Span] = NO_PLACES,
) -> dict[str, Diagnostic]:
    """The filters that read a column of another type than the catalog declares, or one that files lack, each
    with the problem.
    """
    found: dict[str, Diagnostic] = {}
    for filter_ in filters:
        for problem in problems(engine, relation, columns, [filter_], composites, places):
            # of a missing column a server tells more, and readers of files less
            if problem.code == "column-type" or engine != "postgres":
                found.setdefault(filter_.qualified, problem)
    return found


def _instead(engine: str, decl: FieldDecl, kind: ColumnType, verdict: Verdict) -> str:
    ddl = {"postgres": postgres_type, "duckdb": duckdb_type}.get(engine, str)
    wanted = stored_type(engine, decl, ddl)
    return say_columns.instead(declared_type(engine, kind), verdict.cast, wanted, decl.column(engine))
