"""Counts of many questions out of groups of rows.

The constants of all conditions on a field cut its values into few classes (`quality.classes`). Questions
about the same fields are a cluster: an engine counts the rows of each combination of their classes, and the
questions are answered for these groups, not for rows. All clusters take one scan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from predicat import backends
from predicat.diagnostics import Unsupported
from predicat.explain.explanation import atoms
from predicat.ir.nodes import Call, Node
from predicat.ir.types import BOOLEAN
from predicat.quality.classes import Classes, Key, classes
from predicat.quality.grouping import FEW, grouped
from predicat.quality.program import program
from predicat.review.counts import Part
from predicat.review.questions import Question
from predicat.review.split import Split

# Clusters in one query, at most.
_CLUSTERS = 32


class Cluster(Struct, frozen=True):
    """Questions that groups of rows answer. Each group has the numbers of some columns, `words`."""

    questions: tuple[Question, ...]
    classes: Classes
    words: Mapping[str, str]

    def parts(self, rows: Iterable[Mapping[str, Any]], split: Split) -> dict[str, list[Part]]:
        """The numbers of each question, by partition, out of the groups of all clusters."""
        first = next(iter(self.words))
        own = ([*(row[word] for word in self.words), row["n"]] for row in rows if row[first] is not None)
        items = [item for question in self.questions for item in _counted(question)]
        found = grouped(program(self.classes, items, parts=split.cuts), self.classes, own)
        names = [(split.name_of(number), totals) for number, totals in found.items() if totals.rows]
        return {
            question.label: [
                Part(name, totals.rows, *totals.true[3 * place : 3 * place + 3]) for name, totals in names
            ]
            for place, question in enumerate(self.questions)
        }


class Clusters(Struct, frozen=True):
    """Some clusters, and SQL for the class of each key by the name of its column."""

    keys: Mapping[str, str]
    all: tuple[Cluster, ...] = ()

    def query(self, relation: str, fence: str) -> str:
        """The groups of all clusters, as SQL. Each has numbers of its own cluster only, and how many rows."""
        keys = ", ".join(f"{sql} AS {name}" for name, sql in self.keys.items())
        words = {name: sql for cluster in self.all for name, sql in cluster.words.items()}
        listed = ", ".join(f"{sql} AS {name}" for name, sql in words.items())
        sets = ", ".join(f"({', '.join(cluster.words)})" for cluster in self.all)
        return (
            f"SELECT {', '.join(words)}, COUNT(*) AS n FROM (SELECT {listed} FROM "
            f"(SELECT {keys} FROM {relation}{fence}) AS predicat_rows) AS predicat_classes "
            f"GROUP BY {f'GROUPING SETS ({sets})' if len(self.all) > 1 else ', '.join(words)}"
        )


def clusters(dialect: str, asked: Sequence[Question], split: Split) -> Clusters:
    """The clusters that take less time than their questions row by row, by the nanoseconds that DuckDB needs
    for a row. A key is worked out once for all clusters.
    """
    conditions = {question.label: _conditions(question) for question in asked}
    try:
        found = classes((one for own in conditions.values() for one in own), backends.dialect(dialect))
    except Unsupported:  # of a condition by itself
        return Clusters({})
    moments = range(len(found.keys), len(found.keys) + len(split.classes.keys))
    found = replace(found, keys=(*found.keys, *split.classes.keys))
    members: dict[frozenset[int], list[Question]] = {}
    for question in asked:
        read = {leaf.key for one in conditions[question.label] for leaf in found.leaves[one]}
        members.setdefault(frozenset((*read, *moments)), []).append(question)
    names: dict[str, str] = {}
    result: list[Cluster] = []
    joined = _joined(found, members)
    uses = Counter(key for keys in joined for key in keys)
    for keys, questions in joined.items():
        own = found.only(keys)
        cost = _cost(own) + sum(_cost_of_key(found.keys[key]) // uses[key] for key in keys)
        by_rows = sum(6 + 2 * len(conditions[question.label]) for question in questions)
        if len(keys) == len(moments) or cost > by_rows:
            continue
        inner = own.in_columns([names.setdefault(sql, f"k{len(names)}") for sql in own.numbers()])
        words = {f"w{len(result)}_{place}": sql for place, sql in enumerate(inner.packed_keys())}
        result.append(Cluster(tuple(questions), own, words))
    return Clusters({name: sql for sql, name in names.items()}, tuple(result))


def _cost_of_key(key: Key) -> int:
    """The nanoseconds that a key takes for a row: those of its column, and of a search."""
    return 10 + key.width**2


def _cost(keys: Classes) -> int:
    """The nanoseconds that a cluster takes for a row whose keys are known: more if its groups do not stay in
    a cache.
    """
    return 20 + 4 * len(keys.keys) + keys.most // 600


def _joined(
    found: Classes, members: Mapping[frozenset[int], Sequence[Question]]
) -> Mapping[frozenset[int], Sequence[Question]]:
    """The questions by the keys of their cluster. Clusters are joined where that costs less."""
    bare = replace(found, leaves={})
    sizes = {keys: (len(own), bare.only(keys).most) for keys, own in members.items()}
    result: dict[frozenset[int], Sequence[Question]] = {}
    for own in sorted(
        (keys for keys in members if sizes[keys][1] <= FEW), key=sizes.__getitem__, reverse=True
    ):
        unions = {keys: bare.only(keys | own) for keys in result}
        costs = {
            keys: _cost(union) - _cost(bare.only(keys)) for keys, union in unions.items() if union.most <= FEW
        }
        home = min(costs, key=costs.__getitem__, default=own)
        if home not in result or costs[home] >= _cost(bare.only(own)):
            home = own
        if home in result or len(result) < _CLUSTERS:
            result[home | own] = [*result.pop(home, ()), *result.get(home | own, ()), *members[own]]
    return result


def _conditions(question: Question) -> list[Node]:
    return list(dict.fromkeys(atom for node in question.accepted for atom in atoms(node)))


def _counted(question: Question) -> tuple[Node, Node, Node]:
    """Which rows a question counts: accepted before, gained, lost."""
    before, after = question.accepted
    return before, _without(after, before), _without(before, after)


def _without(one: Node, other: Node) -> Node:
    return Call(BOOLEAN, "and", (one, Call(BOOLEAN, "not", (other,))))
