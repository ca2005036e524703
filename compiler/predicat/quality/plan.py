"""What is asked of an engine: every filter and every condition as a digit, so that one GROUP BY answers all questions.

Each predicate is 0 (FALSE), 1 (TRUE) or 2 (UNKNOWN). Thirty of them make one number in base four; rows are grouped by these numbers.
Real data has few combinations, and from their counts follow coverage, overlaps, gaps and dead conditions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from predicat import backends
from predicat.catalog.model import Catalog, Dataset, Filter
from predicat.diagnostics import PredicatError, Unsupported
from predicat.diagnostics import messages as msg
from predicat.ir.nodes import Call, Field, Node, fields_of
from predicat.ir.types import BOOLEAN
from predicat.passes.substitute import with_defaults
from predicat.review.reasons import atoms as conditions
from predicat.review.words import words

DIGITS = 30
"""Predicates in one 64-bit number: two bits each, and the sign left alone."""


@dataclass(frozen=True, slots=True)
class Item:
    """A predicate to count: of a filter, of a condition (`atom`) of it, or whether a field has no value."""

    kind: str
    name: str
    atom: int
    text: str
    sql: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The predicates of a dataset for an engine; `refused` are filters that it cannot evaluate, with the reason."""

    dataset: Dataset
    engine: str
    filters: tuple[Filter, ...]
    items: tuple[Item, ...]
    refused: Mapping[str, str]

    def masks(self) -> list[str]:
        """SQL for the numbers that rows are grouped by."""
        found = []
        for start in range(0, len(self.items), DIGITS):
            chunk = self.items[start : start + DIGITS]
            # Shifts and ORs: sums and products would be checked for overflow, row by row.
            found.append(" | ".join(f"(COALESCE(CAST(CAST(({item.sql}) AS INT) AS BIGINT), 2) << {2 * place})" for place, item in enumerate(chunk)))
        return found

    def outcomes(self, masks: Sequence[int]) -> list[int]:
        """The digit of each item in a row's numbers."""
        return [(masks[place // DIGITS] >> (2 * (place % DIGITS))) & 3 for place in range(len(self.items))]


def plan(catalog: Catalog, dataset: str, names: Sequence[str], engine: str, *, atoms: bool = True) -> Plan:
    """What to ask of an engine about some filters of a dataset (all of them if none is named). Raises PredicatError."""
    if dataset not in catalog.datasets:
        raise PredicatError.of(msg.usage(f"there is no dataset {dataset!r}", msg.did_you_mean(dataset, catalog.datasets)))
    owner = catalog.datasets[dataset]
    rows = [catalog.find(name if "." in name else f"{dataset}.{name}")[0] for name in names] or list(owner.filters.values())
    kept: list[Filter] = []
    refused: dict[str, str] = {}
    items: list[Item] = []
    fields: dict[str, Node] = {}
    for row in rows:
        if any(decl.required for decl in row.current.params.values()):
            refused[row.qualified] = "a parameter has no default"
            continue
        node = with_defaults(row.current.predicate.node)
        try:
            found = [Item("filter", row.qualified, -1, "", _render(engine, node))]
            if atoms:
                found += _atoms(engine, row, node)
        except Unsupported as error:
            refused[row.qualified] = error.diagnostics[0].message
            continue
        kept.append(row)
        items += found
        fields.update({decl.name: Field(decl.type, decl) for decl in fields_of(node).values()})
    items += [Item("null", name, -1, "", _render(engine, Call(BOOLEAN, "is_null", (field,)))) for name, field in fields.items()]
    return Plan(owner, engine, tuple(kept), tuple(items), refused)


def _render(engine: str, node: Node) -> str:
    return backends.dialect(engine).render(node)


def _atoms(engine: str, row: Filter, node: Node) -> list[Item]:
    found = list(dict.fromkeys(conditions(node)))
    if len(found) < 2:
        return []
    return [Item("atom", row.qualified, place, words(atom), _render(engine, atom)) for place, atom in enumerate(found)]
