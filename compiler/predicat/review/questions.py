"""What is asked of real data about a change: for each thing that it affects, the conditions of the rows that
it accepts before and after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from predicat import backends
from predicat.backends.sql import shown
from predicat.diagnostics import Unsupported
from predicat.diagnostics.messages import review as say
from predicat.explain.users import qualified
from predicat.ir.nodes import Call, FieldDecl, Literal, Node, Parameter, fields_of, walk
from predicat.ir.types import BOOLEAN, parse_type
from predicat.review.counts import Counts
from predicat.review.entries import Review
from predicat.review.kinds import READ, RELATIONS
from predicat.review.snapshot import Snapshot
from predicat.rewrite.substitute import with_defaults

# A filter and its version; 0 is the latest one.
Member = tuple[str, int]
# The definitions of a dataset that accept the rows of some filters: what each is called in `Topic.label`.
_USERS = {"groups": "group", "subscriptions": "subscription", "jobs": "job"}


_ALL = Literal(BOOLEAN, True)


class Question(Struct, frozen=True):
    """What is counted for one thing, called as in `Topic.label`: it accepts a row if one of its conditions
    is true. The conditions are SQL and never NULL.
    """

    label: str
    dataset: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    columns: Mapping[str, str]
    """The columns of example rows as SQL, by their names."""
    nodes: tuple[Node, ...] = ()
    """The predicates."""
    accepted: tuple[Node, Node] = (_ALL, _ALL)
    """Whether the one and the other side accept a row, which is never UNKNOWN."""


class Condition(Struct, frozen=True):
    """Whether a filter accepts a row, as SQL that is TRUE or FALSE and as a node of AND, OR, NOT and IS TRUE
    around conditions; and its predicate.
    """

    sql: str
    accepts: Node
    predicate: Node


def condition(dialect: str, predicate: Node, *, accepts_unknown: bool) -> Condition:
    """The condition of a filter whose parameters have defaults. Raises Unsupported if the dialect does not
    support it.
    """
    node = with_defaults(predicate)
    accepts = asked = _is_true(node)
    if accepts_unknown:
        asked, accepts = Call(BOOLEAN, "coalesce", (node, _ALL)), _not(_is_true(_not(node)))
    return Condition(backends.dialect(dialect).render(asked), accepts, predicate)


def _is_true(node: Node) -> Node:
    return Call(BOOLEAN, "is_true", (node,))


def _not(node: Node) -> Node:
    return Call(BOOLEAN, "not", (node,))


def _any(nodes: Sequence[Node]) -> Node:
    return Call(BOOLEAN, "or", tuple(nodes)) if len(nodes) > 1 else next(iter(nodes), Literal(BOOLEAN, False))


def question(
    label: str, dataset: str, sides: Sequence[Sequence[Condition]], columns: Mapping[str, str]
) -> Question:
    """A question about the filters of both sides."""
    before, after = (tuple(dict.fromkeys(one.sql for one in side)) for side in sides)
    nodes = tuple(dict.fromkeys(one.predicate for side in sides for one in side))
    old, new = (_any([one.accepts for one in side]) for side in sides)
    return Question(label, dataset, before, after, columns, nodes, (old, new))


class Questions(Struct, frozen=True):
    """The questions of a review for a dialect, and why there is none about other things. `sensitive` are the
    datasets with fields whose values nobody sees.
    """

    dialect: str
    sides: tuple[Snapshot, Snapshot]
    asked: tuple[Question, ...]
    refused: Mapping[str, Counts]
    sensitive: frozenset[str]

    def only(self, dataset: str | None) -> Questions:
        """Those about one dataset, or all."""
        if dataset is None:
            return self
        refused = {label: one for label, one in self.refused.items() if _dataset(label) == dataset}
        return replace(self, asked=tuple(self.of(dataset)), refused=refused)

    def of(self, dataset: str) -> list[Question]:
        """Those about one dataset."""
        return [question for question in self.asked if question.dataset == dataset]

    @property
    def datasets(self) -> list[str]:
        """The datasets that the questions are about."""
        return list(dict.fromkeys(question.dataset for question in self.asked))

    def state(self, dataset: str) -> Mapping[str, Any]:
        """The definition of a dataset, the former one if it was removed."""
        before, after = (side.datasets.get(dataset) for side in self.sides)
        return after or before or {}


def _dataset(label: str) -> str:
    return label.rpartition(" ")[2].partition(".")[0]


def questions(review: Review, dialect: str) -> Questions:
    """The count questions of a review for a dialect."""
    asking = _Asking(review, dialect)
    asked, refused = [], {}
    for label, dataset, members in asking.subjects():
        try:
            asked.append(asking.question(label, dataset, members))
        except Unsupported as error:
            refused[label] = Counts(reason=error.diagnostics[0].message)
    moved = dict.fromkeys(entry.name for entry in review.entries if entry.kind in RELATIONS)
    asked += [
        Question(f"dataset {name}", name, ("TRUE",), ("TRUE",), asking.columns(name, ())) for name in moved
    ]
    names = {name for side in review.sides for name in side.datasets}
    hidden = frozenset(name for name in names if asking.sensitive(name))
    return Questions(dialect, review.sides, tuple(asked), refused, hidden)


def touched(review: Review) -> list[str]:
    """The filters whose rows a change can affect."""
    names: dict[str, None] = {}
    for entry in review.entries:
        if entry.kind in READ:
            names.update(dict.fromkeys(entry.under))
        elif entry.subject == "filter" and entry.changes_rows:
            names[entry.name] = None
    return list(names)


class _Asking:
    """Makes the questions of a review."""

    def __init__(self, review: Review, dialect: str) -> None:
        self.review, self.dialect = review, dialect
        self.known: dict[tuple[int, Member], Condition | None] = {}

    def subjects(self) -> Iterator[tuple[str, str, Sequence[Sequence[Member]]]]:
        """What is counted: its label, its dataset, and its filters on both sides."""
        changed = touched(self.review)
        for name in changed:
            yield name, name.partition(".")[0], ([(name, 0)], [(name, 0)])
        own = {(entry.subject, entry.name) for entry in self.review.entries}
        for key, what in _USERS.items():
            for dataset, name in self.named(key):
                members = [self.members(side, dataset, key, name) for side in self.review.sides]
                label = f"{dataset}.{name}"
                if (what, label) in own or not {one for side in members for one, _ in side}.isdisjoint(
                    changed
                ):
                    yield f"{what} {label}", dataset, members

    def named(self, key: str) -> list[tuple[str, str]]:
        """The groups, subscriptions or jobs of both sides."""
        found = [
            (dataset, name)
            for side in self.review.sides
            for dataset, row in side.datasets.items()
            for name in row.get(key, {})
        ]
        return list(dict.fromkeys(found))

    def members(self, side: Snapshot, dataset: str, key: str, name: str) -> list[Member]:
        """The filters of a group, a subscription or a job."""
        row = side.datasets.get(dataset, {})
        found = row.get(key, {}).get(name)
        if found is None:
            return []
        subscriptions = row.get("subscriptions", {})
        if key == "subscriptions":
            texts = [found["filter"]]
        elif key == "groups":
            texts = found["filters"]
        else:
            named = [one["filter"] for one in found["filters"]]
            every = list(subscriptions) if found.get("every") else _without_values(side, dataset)
            texts = [
                subscriptions[text]["filter"] if text in subscriptions else text for text in named or every
            ]
        return [(qualified(dataset, text), int(text.partition("@")[2] or 0)) for text in texts]

    # --- questions

    def question(self, label: str, dataset: str, members: Sequence[Sequence[Member]]) -> Question:
        """A question. Raises Unsupported if the dialect cannot be asked."""
        found = [
            [one for member in side if (one := self.condition(place, member)) is not None]
            for place, side in enumerate(members)
        ]
        nodes = [one.predicate for side in found for one in side]
        return question(label, dataset, found, self.columns(dataset, nodes))

    def condition(self, place: int, member: Member) -> Condition | None:
        """Whether a filter of a side accepts a row; None if there is no such filter. Parameters have their
        defaults.

        Raises Unsupported if the dialect does not support it, or a parameter has no default.
        """
        if (place, member) not in self.known:
            self.known[place, member] = self._condition(self.review.sides[place], *member)
        return self.known[place, member]

    def _condition(self, side: Snapshot, name: str, version: int) -> Condition | None:
        row = side.filters.get(name)
        checked = side.check(name, version or row["latest"]) if row is not None else None
        if row is None or checked is None:
            return None
        for part in walk(checked.node):
            if isinstance(part, Parameter) and part.decl.required:
                raise Unsupported.of(say.parameter_without_default(part.span, part.decl.name))
        return condition(self.dialect, checked.node, accepts_unknown=row["on_unknown"] == "accept")

    def sensitive(self, dataset: str) -> set[str]:
        """The fields of a dataset that one of the sides calls sensitive."""
        sides = [side.datasets.get(dataset, {}) for side in self.review.sides]
        return {
            name for side in sides for name, row in side.get("fields", {}).items() if row.get("sensitive")
        }

    def columns(self, dataset: str, nodes: Iterable[Node]) -> Mapping[str, str]:
        """The columns to show, as SQL: the key, then what the filter reads. What one of the sides calls
        sensitive is masked.
        """
        before, after = (side.datasets.get(dataset) for side in self.review.sides)
        hidden = self.sensitive(dataset)
        decls = [*key_of(after or before or {}), *(d for node in nodes for d in fields_of(node).values())]
        return shown.named([replace(decl, sensitive=decl.name in hidden) for decl in decls], self.dialect)


def _without_values(side: Snapshot, dataset: str) -> list[str]:
    """The filters of a dataset that need no values: those of a job that names none."""
    own = {name: row for name, row in side.filters.items() if name.startswith(f"{dataset}.")}
    return [
        name
        for name, row in own.items()
        if all(param["default"] for param in row["versions"][str(row["latest"])]["params"].values())
    ]


def key_of(dataset: Mapping[str, Any]) -> list[FieldDecl]:
    """The fields of the key of a dataset."""
    fields = dataset.get("fields", {})
    return [declared(name, fields[name]) for name in dataset.get("key", ()) if name in fields]


def declared(name: str, row: Mapping[str, Any]) -> FieldDecl:
    """A field of a snapshot, as far as it is read."""
    return FieldDecl(
        name,
        parse_type(row["type"]),
        nulls=row["nulls"],
        stored=row.get("stored", ""),
        columns=tuple(row["columns"].items()),
        expressions=tuple(row.get("expressions", {}).items()),
    )
