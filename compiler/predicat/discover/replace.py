"""Rewrites conditions of the code to the filters that they are, as a patch with the proof of each place.

A place is rewritten only where the solver proves that the same rows are accepted, with the types that the
catalog declares, and where its engine has `matches_filter`: in Spark, and in dbt by the macro of the exported
package.
"""

import ast
import warnings
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path

from msgspec import Struct

from predicat.api import parse
from predicat.catalog import Catalog
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import discover as say
from predicat.discover.calls import NoCall, Use, call, in_chain
from predicat.discover.catalogs import accepted_by, columns_of, dataset_of, relation_name
from predicat.discover.conditions import Condition
from predicat.discover.places import source_at
from predicat.discover.read.above import in_repository
from predicat.discover.verdicts import Judged
from predicat.proof.compare import compare

# The clauses in which only TRUE counts; a CHECK constraint takes UNKNOWN, too.
_ACCEPTS_TRUE = ("where", "join", "filter", "case", "having", "qualify")
_EFFORT = 10.0


class Copy(Struct, frozen=True):
    """A place that has a filter of the catalog in its own words.

    Attributes:
        condition: What is there.
        use: The filter.
        text: What to put there.
        hint: The same as a hint, or why the filter cannot be used there.
        proof: That the rows stay the same with the types of the catalog; empty if it is not proved.
        stays: Why a patch leaves the place alone; empty if it does not.
        elsewhere: Whether it is about the rows of another relation, where the filter cannot be used.
        is_callable: Whether the place has a way to use the filter.
    """

    condition: Condition
    use: Use
    text: str = ""
    hint: str = ""
    proof: str = ""
    stays: str = ""
    elsewhere: bool = False
    is_callable: bool = False

    @property
    def advice(self) -> str:
        """What to do, and whether the rows are proved to stay the same."""
        return self.hint if self.elsewhere else say.with_proof(self.hint, bool(self.proof))


class Patch(Struct, frozen=True):
    """The text of a patch, the places that it rewrites, and why other copies of filters stay."""

    text: str
    places: list[Copy]
    stay: list[tuple[Condition, str]]


class Copies:
    """Tells how places write the filters of a catalog, with the proof: each question is asked once."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.proofs: dict[tuple[str, Use], str] = {}

    def at(self, condition: Condition, uses: Sequence[Use]) -> Copy:
        """The place with the first filter that a patch can put there, or else with the first one."""
        tried = [self.tried(condition, use) for use in uses]
        return next((copy for copy in tried if not copy.stays), tried[0])

    def tried(self, condition: Condition, use: Use, *, proving: bool = True) -> Copy:
        """The place with one of the filters."""
        filter_ = self.catalog.known[use.name]
        if condition.language != "sql":  # nothing tells of which rows it is, and it cannot name a filter
            hint = say.translate_filter(use.name, condition.language)
            return Copy(condition, use, hint=hint, stays=hint, elsewhere=True)
        dataset = None if condition.derived else dataset_of(condition.relation, self.catalog)
        if dataset is None or dataset.name != filter_.dataset:
            known = condition.relation is not None and not condition.derived
            other = relation_name(self.catalog.datasets[filter_.dataset])
            reason = say.other_relation(str(condition.relation), other) if known else say.UNKNOWN_RELATION
            return Copy(condition, use, hint=reason, stays=reason, elsewhere=known)
        proof = self.proved(condition, use) if proving else ""
        if condition.clause not in _ACCEPTS_TRUE:
            return Copy(condition, use, "", say.ACCEPTS_UNKNOWN, proof, say.ACCEPTS_UNKNOWN)
        try:
            call_ = call(condition, use, self.catalog)
        except NoCall as reason:
            return Copy(condition, use, "", str(reason), proof, str(reason))
        stays = "" if proof else say.NOT_PROVED
        if not call_.text:
            stays = call_.hint
        elif not replaceable(condition, call_.text):
            stays = say.NOT_REPLACEABLE
        return Copy(condition, use, call_.text, call_.hint, proof, stays, is_callable=True)

    def if_right(self, condition: Condition, use: Use) -> str | None:
        """What a place that differs from a filter would write if the filter is right; None if it cannot."""
        copy = self.tried(condition, use, proving=False)
        return say.if_right(copy.hint) if copy.is_callable else None

    def proved(self, condition: Condition, use: Use) -> str:
        """The verdict of the solver, if the rows are proved to be the same."""
        key = condition.sql, use
        if key not in self.proofs:
            self.proofs[key] = _proof(condition, use, self.catalog)
        return self.proofs[key]


def patch(
    conditions: Sequence[Condition], judged: Judged, known: Mapping[int, Use], catalog: Catalog
) -> Patch:
    """The rewriting of all conditions that are proved to be filters of a catalog.

    Args:
        conditions: The conditions that were judged, those of the catalog behind those of the code.
        judged: What was found; a rule that is the same as a filter is a candidate.
        known: The filters, by the numbers of the conditions that are these filters.
        catalog: The catalog.
    """
    source_at.cache_clear()  # the files may have changed since
    copies = Copies(catalog)
    found: list[Copy] = []
    for numbers in judged.same:
        uses = [known[number] for number in numbers if number in known]
        if uses:
            found += [copies.at(conditions[number], uses) for number in numbers if number not in known]
    return patch_of(found)


def patch_of(found: Sequence[Copy]) -> Patch:
    """The rewriting of places."""
    places = [copy for copy in found if not copy.stays]
    stay = [(copy.condition, copy.stays) for copy in found if copy.stays]
    return Patch("".join(_diffs(places)), places, stay)


def _proof(condition: Condition, use: Use, catalog: Catalog) -> str:
    """The verdict of the solver on the rows that the condition and the filter accept."""
    filter_ = catalog.known[use.name]
    try:
        predicate = parse(condition.sql, "sql", columns_of(catalog.datasets[filter_.dataset]))
        verdict = compare(accepted_by(filter_, use), predicate, effort=_EFFORT)
    except PredicatError:
        return ""
    return f"{verdict.kind}, {verdict.proof}" if verdict.same_rows else ""


def replaceable(condition: Condition, text: str) -> bool:
    """Whether a text can be put in the place of a condition, so that the file can still be read."""
    source, place = source_at(condition.place.path).text, condition.place
    if not in_chain(condition) and (condition.rendered or source[place.start : place.end] != condition.text):
        return False
    if not place.path.endswith(".py"):
        return True
    return not _is_python(source) or _is_python(source[: place.start] + text + source[place.end :])


def _is_python(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _diffs(places: Sequence[Copy]) -> Iterator[str]:
    """A diff for each file, with the proofs of its places before it."""
    files: dict[str, list[Copy]] = {}
    for place in places:
        files.setdefault(place.condition.place.path, []).append(place)
    for path, rows in sorted(files.items()):
        name = in_repository(Path(path))
        before = Path(path).read_bytes().decode("utf-8")
        after, last = before.removeprefix("\ufeff"), len(before)
        marked = before[: len(before) - len(after)]
        for place in sorted(rows, key=lambda place: -place.condition.place.start):
            start, end = place.condition.place.start, place.condition.place.end
            if end <= last:
                after, last = after[:start] + place.text + after[end:], start
                yield say.proved(path, place.condition.place.line, str(place.use), place.proof) + "\n"
        old, new = before.splitlines(keepends=True), (marked + after).splitlines(keepends=True)
        for line in unified_diff(old, new, f"a/{name}", f"b/{name}"):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
