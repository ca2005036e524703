"""References between proposed filters: a rule that has another one as a part refers to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from msgspec import Struct
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from predicat.api import Predicate, parse
from predicat.catalog import Catalog, load_catalog
from predicat.diagnostics import PredicatError
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import FieldDecl
from predicat.proof.compare import compare, compare_nodes
from predicat.proof.work import Work

_EFFORT = 1.0
# How much work a comparison may take; what is not decided has no reference.
_PART_EFFORT = 0.2
# For the comparisons of a dataset; after that parts are the same only if their text is.
_ALL_EFFORT = 5.0
_MOST_PARTS = 30
# Parts on the same fields with which one is compared, at most.
_MOST_ALIKE = 20


class _Parts(Struct, frozen=True):
    """The operands of the AND that a rule is: their SQL, by what they say in any spelling. `bare` says that
    it is a boolean field alone, which is shorter than a reference.
    """

    sql: Mapping[str, str]
    bare: bool


def with_references(rules: Mapping[str, tuple[str, Predicate]], keys: PartKeys) -> dict[str, str]:
    """The SQL of the rules that have another one as a whole part, with a reference in the place of that part.

    Args:
        rules: The SQL and the predicate of each rule of a dataset, by name.
        keys: What parts say, with the fields of the dataset.

    Returns:
        The SQL by name. Nothing is proved yet: see `proved`.
    """
    parts = {name: body for name, (sql, _) in rules.items() if (body := keys.parts(sql)) is not None}
    by_size = sorted((name for name in parts if not parts[name].bare), key=lambda name: -len(parts[name].sql))
    result: dict[str, str] = {}
    for name, own in parts.items():
        rest, names = dict(own.sql), []
        for other in by_size:
            part = parts[other].sql.keys()
            if part < own.sql.keys() and part <= rest.keys():
                names.append(other)
                rest = {key: sql for key, sql in rest.items() if key not in part}
        if names:
            result[name] = " AND ".join([*(f"matches_filter('{other}')" for other in names), *rest.values()])
    return result


def proved(text: str, dataset: str, rules: Mapping[str, tuple[str, Predicate]]) -> Iterator[str]:
    """The rules that have their rows in the text of a catalog file: it is checked as `predicat check` does,
    with its tests, and what the solver does not prove is left out.
    """
    file = Path(f"{dataset}.yml")
    try:
        catalog: Catalog = load_catalog(file.parent, files=[file], texts={file.resolve(): text})
    except PredicatError:
        return
    for name, filter_ in catalog.datasets[dataset].filters.items():
        verdict = compare(rules[name][1], filter_.current.predicate, effort=_EFFORT)
        if verdict.same_rows:
            yield name


class PartKeys:
    """What parts of rules say: parts that take the same rows have one key."""

    def __init__(self, fields: Mapping[str, FieldDecl]) -> None:
        self.fields = fields
        self.known: dict[frozenset[str], dict[str, Predicate]] = {}
        self.keys: dict[str, str] = {}
        self.work = Work(_ALL_EFFORT)

    def parts(self, sql: str) -> _Parts | None:
        """The parts of a rule; None where one of them depends on its context."""
        try:
            whole = parse_one(sql)
            operands = list(whole.flatten()) if isinstance(whole, exp.And) else [whole]
            if len(operands) > _MOST_PARTS:
                return None
            written = [exp.and_(part, exp.true()).this.sql(comments=False) for part in operands]
            bare = isinstance(whole.this if isinstance(whole, exp.Not) else whole, exp.Column)
            return _Parts({self.key(parse(part, "sql", self.fields)): part for part in written}, bare)
        except (PredicatError, SqlglotError, RecursionError):
            return None

    def key(self, part: Predicate) -> str:
        """What a part says: the text of the first part that takes the same rows."""
        text = canonical_text(part.node)
        if text not in self.keys:
            self.keys[text] = self._first_alike(text, part)
        return self.keys[text]

    def _first_alike(self, text: str, part: Predicate) -> str:
        alike = self.known.setdefault(frozenset(part.fields), {})
        for other, predicate in islice(alike.items(), _MOST_ALIKE):
            if self.work.is_done:
                break
            if compare_nodes(predicate.node, part.node, effort=self.work.part(_PART_EFFORT)).same_rows:
                return other
        alike[text] = part
        return text
