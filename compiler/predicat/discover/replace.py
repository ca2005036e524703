"""Rewrites conditions of the code to the filters that they are, as a patch with the proof of each place.

A place is rewritten only where the solver proves that the same rows are accepted, with the types that the
catalog declares, and where its engine has `matches_filter`: in Spark, and in dbt by the macro of the exported
package.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path

from msgspec import Struct
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from predicat.api import Predicate, parse
from predicat.catalog import Catalog
from predicat.catalog.model import Filter
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import discover as say
from predicat.discover.catalogs import dataset_of
from predicat.discover.conditions import Condition
from predicat.discover.read.above import top_of
from predicat.discover.verdicts import Judged
from predicat.proof.compare import compare

# The clauses in which only TRUE counts; a CHECK constraint takes UNKNOWN, too.
_ACCEPTS_TRUE = ("where", "join", "filter", "case", "having", "qualify")
_SPARK = ("spark", "databricks")
# The dialects that the exported dbt package has.
_MACROS = ("postgres", "spark", "databricks", "duckdb")
_EFFORT = 10.0


class Replacement(Struct, frozen=True):
    """A place that can be rewritten: the condition, the filter, its new text, and the proof."""

    condition: Condition
    name: str
    text: str
    proof: str


class Patch(Struct, frozen=True):
    """The text of a patch, the places that it rewrites, and why other copies of filters stay."""

    text: str
    places: list[Replacement]
    stay: list[tuple[Condition, str]]


def patch(
    conditions: Sequence[Condition], judged: Judged, known: Mapping[int, str], catalog: Catalog
) -> Patch:
    """The rewriting of all conditions that are proved to be filters of a catalog.

    Args:
        conditions: The conditions that were judged, those of the catalog behind those of the code.
        judged: What was found; a rule that is the same as a filter is a candidate.
        known: The names of filters, by the numbers of the conditions that are these filters.
        catalog: The catalog.
    """
    places: list[Replacement] = []
    stay: list[tuple[Condition, str]] = []
    for numbers in judged.same:
        names = [known[number] for number in numbers if number in known]
        for number in numbers:
            if names and number not in known:
                replacement = _first(conditions[number], names, catalog)
                if isinstance(replacement, Replacement):
                    places.append(replacement)
                else:
                    stay.append((conditions[number], replacement))
    return Patch("".join(_diffs(places)), places, stay)


def _first(condition: Condition, names: Sequence[str], catalog: Catalog) -> Replacement | str:
    """The rewriting to the first filter that fits, or why there is none."""
    reason = ""
    for name in names:
        filter_ = catalog.known[name]
        replacement = _place(condition, filter_, catalog)
        if isinstance(replacement, Replacement):
            return replacement
        reason = reason or replacement
    return reason


def _place(condition: Condition, filter_: Filter, catalog: Catalog) -> Replacement | str:
    dataset = None if condition.derived else dataset_of(condition.relation, catalog)
    if dataset is None or dataset.name != filter_.dataset:
        return say.OTHER_RELATION
    if condition.rendered or condition.clause not in _ACCEPTS_TRUE or _written(condition) != condition.text:
        return say.NOT_REPLACEABLE
    text = _call(condition, filter_.qualified)
    if text is None:
        return say.no_matches_filter(condition.dialect)
    proof = _proof(condition, filter_, catalog)
    return Replacement(condition, filter_.qualified, text, proof) if proof else say.NOT_PROVED


def _proof(condition: Condition, filter_: Filter, catalog: Catalog) -> str:
    """The verdict of the solver, if the rows are proved to be the same."""
    fields = catalog.datasets[filter_.dataset].fields
    try:
        predicate = parse(condition.sql, "sql", fields)
    except PredicatError:
        return ""
    filter_predicate: Predicate = filter_.current.predicate
    verdict = compare(filter_predicate, predicate, on_unknown=(filter_.on_unknown, "reject"), effort=_EFFORT)
    return f"{verdict.kind}, {verdict.proof}" if verdict.same_rows else ""


def _written(condition: Condition) -> str:
    """What is in the file at the place."""
    try:
        text = Path(condition.place.path).read_bytes().decode("utf-8").removeprefix("\ufeff")
    except (OSError, ValueError):
        return ""
    return text[condition.place.start : condition.place.end]


def _call(condition: Condition, name: str) -> str | None:
    """The call of the filter in the language of the file; None where that has none."""
    try:
        columns = list(parse_one(condition.text, dialect=condition.dialect or None).find_all(exp.Column))
    except SqlglotError:
        return None
    tables = {column.table for column in columns}
    alias = next(iter(tables)) if len(tables) == 1 else None
    if alias is None:
        return None
    args = f"'{name}', '{alias}'" if alias else f"'{name}'"
    path = Path(condition.place.path)
    if path.suffix == ".sql" and any((folder / "dbt_project.yml").is_file() for folder in path.parents):
        macro = f"{{{{ predicat_filters.matches_filter({args}) }}}}"
        return macro if condition.dialect in _MACROS else None
    inside_quotes = path.suffix == ".py" and "'" in _before(condition)
    return f"matches_filter({args})" if condition.dialect in _SPARK and not inside_quotes else None


def _before(condition: Condition) -> str:
    """The character before the place: the quote of a text in a program."""
    text = Path(condition.place.path).read_bytes().decode("utf-8").removeprefix("\ufeff")
    return text[max(0, condition.place.start - 1) : condition.place.start]


def _in_repository(path: Path) -> str:
    """A file as a patch names it: from the root of its repository, or else from the current folder."""
    file = path.absolute()
    top = top_of(file.parent)
    root = top if (top / ".git").exists() else Path.cwd()
    return Path(os.path.relpath(file, root)).as_posix()


def _diffs(places: Sequence[Replacement]) -> Iterator[str]:
    """A diff for each file, with the proofs of its places before it."""
    files: dict[str, list[Replacement]] = {}
    for place in places:
        files.setdefault(place.condition.place.path, []).append(place)
    for path, rows in sorted(files.items()):
        name = _in_repository(Path(path))
        before = Path(path).read_bytes().decode("utf-8")
        after, last = before.removeprefix("\ufeff"), len(before)
        marked = before[: len(before) - len(after)]
        for place in sorted(rows, key=lambda place: -place.condition.place.start):
            start, end = place.condition.place.start, place.condition.place.end
            if end <= last:
                after, last = after[:start] + place.text + after[end:], start
                yield say.proved(path, place.condition.place.line, place.name, place.proof) + "\n"
        old, new = before.splitlines(keepends=True), (marked + after).splitlines(keepends=True)
        for line in unified_diff(old, new, f"a/{name}", f"b/{name}"):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
