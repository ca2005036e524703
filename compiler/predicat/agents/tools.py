"""The tools: what each takes, and what it answers. They only read; nothing here knows the protocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from predicat.agents.pages import page_of
from predicat.backends import DIALECTS
from predicat.diagnostics import NOWHERE, PredicatError, Reporter, Severity, extras, rendered
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import agents as say
from predicat.diagnostics.messages import references

if TYPE_CHECKING:
    from predicat.catalog.live import LiveCatalog
    from predicat.catalog.model import Catalog, Dataset, Filter, Version

_MOST_BYTES, _DEEPEST = 64_000, 40
_EFFORT = 2.0

Text = Annotated[str, Meta(max_length=5_000)]
Short = Annotated[str, Meta(max_length=300)]
Name = Annotated[Short, Meta(description="A filter: dataset.filter, dataset.filter@version, or filter.")]
Values = Annotated[dict[str, Any], Meta(description="Values of the filter's parameters, by name.")]


class Arguments(Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """What every tool takes."""

    page: Annotated[int, Meta(ge=1, le=10_000, description="The page of a long answer.")] = 1


class SearchFilters(Arguments, frozen=True):
    """Find filters by words in their names, descriptions, tags, owners and fields."""

    words: Annotated[Short, Meta(description="Words that the filter should have; none for all filters.")] = ""
    dataset: Annotated[Short, Meta(description="Only the filters of this dataset.")] = ""


class ExplainFilter(Arguments, frozen=True):
    """Explain a filter: its meaning in words, its SQL on each engine, and what it reads and uses."""

    filter: Name


class FilterSql(Arguments, frozen=True):
    """The condition of a filter for a WHERE, as SQL of an engine. Use it as it is."""

    filter: Name
    engine: Annotated[Short, Meta(description=f"One of {', '.join(DIALECTS)}.")]
    params: Values = {}


class TestRow(Arguments, frozen=True):
    """Whether a filter accepts a row, and which of its conditions decide."""

    filter: Name
    row: Annotated[dict[str, Any], Meta(description="Values by field. A field left out is a missing value.")]
    params: Values = {}


class FilterCounts(Arguments, frozen=True):
    """How many rows a filter accepted when that was measured last."""

    filter: Name


class MatchWhere(Arguments, frozen=True):
    """Which filter a WHERE is: the same (proved for every row), narrower, wider, or with other rows, shown by
    a row; or new. Call it before you write a condition on a dataset of the catalog.
    """

    where: Annotated[Text, Meta(description="The condition, on one table, without the word WHERE.")]
    dialect: Annotated[
        Short,
        Meta(
            description=f"The SQL that it is written in: {', '.join(DIALECTS)}, or sql for what all of them"
            " mean alike. Default: the first engine of the dataset."
        ),
    ] = ""
    dataset: Annotated[Short, Meta(description="The dataset, or its table. Default: any.")] = ""


class CompareFilters(Arguments, frozen=True):
    """How the rows of a second filter, or version, differ from those of a first one, with proof."""

    first: Name
    second: Name


class ReviewChanges(Arguments, frozen=True):
    """What the changes of the catalog since a git revision do to the rows of each filter, with proofs."""

    base: Annotated[
        Short, Meta(description="A git revision. Default: where the branch left the main one.")
    ] = ""


class CatalogSource:
    """The catalog of a folder, loaded at the first question and again where its files have changed.

    Args:
        folder: The folder of the catalog.
        variables: Values for Jinja variables.
        history: Where `quality run` keeps its results.
    """

    def __init__(self, folder: Path, variables: Mapping[str, str], history: Path) -> None:
        self.folder, self.variables, self.history = folder, variables, history
        self._live: LiveCatalog | None = None

    def load(self) -> tuple[Catalog, int]:
        """The filters without problems, and how many problems the catalog has. Raises PredicatError if there
        is no filter.
        """
        if self._live is None:
            from predicat.catalog.live import LiveCatalog  # noqa: PLC0415  # not for the start

            self._live = LiveCatalog(self.folder, self.variables)
        loaded = self._live.load({})
        problems = [item for item in loaded.diagnostics if item.severity is Severity.ERROR]
        if problems and not loaded.catalog.known:
            raise PredicatError(problems)
        return loaded.catalog, len(problems)


class Call(Struct, frozen=True):
    """A question about a catalog."""

    source: CatalogSource
    catalog: Catalog

    def find(self, name: str) -> tuple[Filter, Version, Dataset]:
        """A filter by name. Raises PredicatError."""
        filter_, number = self.catalog.find(name)
        return filter_, filter_.versions[number], self.catalog.datasets[filter_.dataset]


Lines = Iterable[str]


def _search(call: Call, asked: SearchFilters) -> Lines:
    words = asked.words.lower().split()
    rows = [
        row
        for row in call.catalog.filters()
        if asked.dataset in ("", row.dataset) and all(word in _text(row) for word in words)
    ]
    yield say.found(len(rows), len(call.catalog.known))
    if not rows:
        yield say.NOTHING_FOUND
    for row in rows:
        about = row.description.strip().partition("\n")[0]
        facts = [about, f"[{', '.join(row.tags)}]" if row.tags else "", row.owner]
        yield "  ".join(filter(None, (row.qualified, *facts)))


def _text(row: Filter) -> str:
    names = (row.qualified, row.description, row.owner, *row.tags, *row.current.predicate.fields)
    return " ".join(names).lower()


def _explain(call: Call, asked: ExplainFilter) -> Lines:
    from predicat.explain.text import explain  # noqa: PLC0415  # not for the start

    filter_, version, _ = call.find(asked.filter)
    return explain(call.catalog, filter_, version)


def _sql(call: Call, asked: FilterSql) -> Lines:
    from predicat import backends  # noqa: PLC0415  # not for the start
    from predicat.api import checked_dialect  # noqa: PLC0415  # not for the start
    from predicat.catalog.acceptance import accepted_rows  # noqa: PLC0415  # as above
    from predicat.rewrite.list_tables import in_tables  # noqa: PLC0415  # as above
    from predicat.rewrite.substitute import with_defaults  # noqa: PLC0415  # as above

    filter_, version, dataset = call.find(asked.filter)
    engine = checked_dialect(asked.engine)
    bound = version.predicate.bound(**asked.params)
    for name in bound.params:
        if version.params[name].required:
            raise PredicatError.of(references.missing_param(NOWHERE, filter_.qualified, name))
    node = in_tables(with_defaults(bound.node))
    storage = backends.stored(asked.engine, dataset.collation, dataset.indexes)
    yield engine.render(accepted_rows(node, filter_.on_unknown), condition=True, storage=storage)


def _row(call: Call, asked: TestRow) -> Lines:
    from predicat.explain.text import explain_row  # noqa: PLC0415  # not for the start
    from predicat.ir.rows import unknown_keys  # noqa: PLC0415  # as above

    filter_, version, dataset = call.find(asked.filter)
    bound = replace(version, predicate=version.predicate.bound(**asked.params))
    yield from explain_row(filter_, bound, asked.row)
    for name, known in unknown_keys(asked.row, dataset.fields):
        problem = msg.unknown_row_key(NOWHERE, name, known)
        yield say.surplus(problem.message, problem.hint or "")


def _counts(call: Call, asked: FilterCounts) -> Lines:
    from predicat.quality.stores import read  # noqa: PLC0415  # not for the start

    filter_, _, _ = call.find(asked.filter)
    entries = [row for row in read(call.source.history, Reporter()) if row["filter"] == filter_.qualified]
    if not entries:
        yield say.no_counts(filter_.qualified)
    for row in sorted(entries, key=lambda row: str(row["at"]), reverse=True):
        name = f"{row['filter']}@{row['version']}"
        part = f" in {row['partition']}" if row["partition"] else ""
        yield say.counted(name, part, row["accepted"], row["rows"], row["unknown"], str(row["at"]))


def _match(call: Call, asked: MatchWhere) -> Lines:
    extras.require("z3")
    from predicat.agents.answers import recognized  # noqa: PLC0415  # not for the start
    from predicat.agents.recognize import EFFORT, recognize  # noqa: PLC0415  # not for the start
    from predicat.agents.wheres import read_where  # noqa: PLC0415  # as above
    from predicat.proof.work import Work  # noqa: PLC0415  # as above

    work = Work(EFFORT)
    for number, where in enumerate(read_where(asked.where, asked.dialect, call.catalog, asked.dataset)):
        yield from [""] if number else []
        yield from recognized(where, recognize(where, work))


def _compare(call: Call, asked: CompareFilters) -> Lines:
    extras.require("z3")
    from predicat.agents.answers import compared  # noqa: PLC0415  # not for the start
    from predicat.proof.compare import compare  # noqa: PLC0415  # not for the start

    first, before, dataset = call.find(asked.first)
    second, after, _ = call.find(asked.second)
    rules = (first.on_unknown, second.on_unknown)
    verdict = compare(before.predicate, after.predicate, on_unknown=rules, effort=_EFFORT)
    yield from compared(f"{second.qualified}@{after.number}", verdict, dataset)


def _review(call: Call, asked: ReviewChanges) -> Lines:
    extras.require("z3")
    from predicat.review import report, sides  # noqa: PLC0415  # not for the start
    from predicat.review.changes import review  # noqa: PLC0415  # as above

    source = call.source
    with sides.against_git(asked.base or None, source.folder, source.variables) as both:
        found = review(
            both.before,
            both.after,
            both.label,
            effort=_EFFORT,
            filters=both.filters,
            edited=both.edited,
            identity=both.identity,
        )
        if problems := both.problems():
            raise PredicatError(problems)
        return report.FORMATS["text"](found, {}).splitlines()


class Tool(Struct, frozen=True):
    """A tool. Its name and description are those of its arguments."""

    arguments: type[Arguments]
    answer: Callable[[Call, Any], Lines]

    @property
    def description(self) -> str:
        """What it does."""
        return " ".join((self.arguments.__doc__ or "").split())

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        _, parts = msgspec.json.schema_components([self.arguments])
        return {key: value for key, value in parts[self.arguments.__name__].items() if key != "description"}


TOOLS = {
    "search_filters": Tool(SearchFilters, _search),
    "explain_filter": Tool(ExplainFilter, _explain),
    "filter_sql": Tool(FilterSql, _sql),
    "test_row": Tool(TestRow, _row),
    "filter_counts": Tool(FilterCounts, _counts),
    "match_where": Tool(MatchWhere, _match),
    "compare_filters": Tool(CompareFilters, _compare),
    "review_changes": Tool(ReviewChanges, _review),
}


def answer(source: CatalogSource, name: str, given: Mapping[str, Any]) -> tuple[str, bool]:
    """What a tool says, at most 2,000 bytes, and whether it is an error."""
    number = 1
    try:
        asked = _arguments(name, given)
        number = asked.page
        catalog, problems = source.load()
        lines = list(TOOLS[name].answer(Call(source, catalog), asked))
        text, failed = "\n".join([*lines, *([say.problems(problems)] if problems else [])]), False
    except PredicatError as error:
        text, failed = rendered(error.diagnostics), True
    except RecursionError:
        text, failed = say.too_much(_MOST_BYTES).render(), True
    except Exception as error:  # noqa: BLE001  # the server goes on, and shows nobody a traceback
        text, failed = say.internal(type(error).__name__).render(), True
    try:
        return page_of(text, number), failed
    except PredicatError as error:
        return rendered(error.diagnostics), True


def _arguments(name: str, given: Mapping[str, Any]) -> Arguments:
    """The arguments of a call, checked. Raises PredicatError."""
    tool = TOOLS.get(name)
    if tool is None:
        raise PredicatError.of(say.unknown_tool(name[:100], TOOLS))
    if _depth(given) > _DEEPEST or len(json.dumps(given)) > _MOST_BYTES:
        raise PredicatError.of(say.too_much(_MOST_BYTES))
    try:
        return msgspec.convert(given, tool.arguments)
    except msgspec.ValidationError as error:
        raise PredicatError.of(say.bad_arguments(name, str(error))) from None


def _depth(value: Any) -> int:
    """How deeply a value is nested; it stops counting where it is too deep."""
    level, depth = [value], 0
    while level and depth <= _DEEPEST:
        depth += 1
        inner = [
            list(one.values()) if isinstance(one, dict) else one
            for one in level
            if isinstance(one, dict | list)
        ]
        level = [item for one in inner for item in one]
    return depth
