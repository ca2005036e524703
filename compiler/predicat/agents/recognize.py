"""Finds the filter that a WHERE is: proved to be the same, narrower, wider, or with other rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, product
from typing import Any

from msgspec import Struct

from predicat.agents.wheres import Where
from predicat.catalog.acceptance import accepted_rows
from predicat.catalog.model import Filter
from predicat.ir.nodes import Call, Literal, Node, code_of, fields_of, params_of, walk
from predicat.ir.python_values import RowError
from predicat.ir.types import BOOLEAN, Type
from predicat.ir.values import to_value
from predicat.lint.trials import Row, accepted, rows
from predicat.proof.compare import Verdict, compare_nodes, example
from predicat.proof.inputs import over_inputs
from predicat.proof.work import Work, work_of
from predicat.rewrite.substitute import substitute, with_defaults

# The work for one WHERE in all datasets, and for each question about it.
EFFORT, _EACH = 5.0, 0.5
# Values of parameters that are tried, and filters that are joined, at most.
_MOST_VALUES = 24
_MOST_JOINED = 4
# Rows on which candidates are ranked.
_ROWS = 200
# Kinds that are told, those of the second line only of a filter that reads the same fields.
_NEAR = ("narrower", "wider")
_ALIKE = ("differs", "undecided")
_NOT = "NOT "


class Candidate(Struct, frozen=True):
    """What a WHERE is compared with: a filter, its negation, or several filters joined."""

    name: str
    node: Node
    on_unknown: str = "reject"
    params: Mapping[str, Any] = {}


class Compared(Struct, frozen=True):
    """What the WHERE is to a candidate: `narrower` if it has fewer rows."""

    candidate: Candidate
    verdict: Verdict

    @property
    def is_plain(self) -> bool:
        """Whether the WHERE is a filter as it is called without parameters."""
        return self.kind == "same" and not self.is_negated and not self.candidate.params

    @property
    def is_negated(self) -> bool:
        """Whether the WHERE is beside NOT a filter."""
        return self.candidate.name.startswith(_NOT)

    @property
    def kind(self) -> str:
        """`same`, `narrower`, `wider`, `differs`, `disjoint` or `undecided`."""
        if self.verdict.same_rows:
            return "same"
        if self.verdict.kind.startswith("equivalent") or not self.verdict.proof:
            return "undecided"
        return {"changed": "differs", "always": "wider"}.get(self.verdict.kind, self.verdict.kind)


class Recognized(Struct, frozen=True):
    """What a WHERE is. `kind` is that of `found`, or `new`, `never` (it accepts no row) or `always`. `beside`
    are filters that read some of its fields, `left_out` is how many were not compared.
    """

    kind: str
    found: tuple[Compared, ...] = ()
    beside: tuple[str, ...] = ()
    left_out: int = 0


def recognize(where: Where, effort: float | Work = EFFORT) -> Recognized:
    """What a WHERE is in its dataset. Needs the extra `review` (the solver Z3).

    Args:
        where: The WHERE.
        effort: How much work it may take; 1 is about a second.
    """
    node, work = where.predicate.node, work_of(effort)
    constant = _constant(node, work)
    if constant:
        return Recognized(constant)
    filters = _nearest(node, where.dataset.filters.values())
    compared: list[Compared] = []
    left_out = 0
    for number, filter_ in enumerate(filters):
        if work.is_done:
            left_out = len(filters) - number
            break
        compared += _compared(node, filter_, work)
        if compared and compared[-1].is_plain:
            break
    beside = tuple(filter_.qualified for filter_ in filters)
    same = sorted((row for row in compared if row.kind == "same"), key=lambda row: not row.is_plain)
    if not same:
        same = [row for row in _joined(node, compared, work) if row.kind == "same"][:1]
    if same:
        return Recognized("same", tuple(same), beside, left_out)
    fields = fields_of(node).keys()
    alike = {row.qualified for row in filters if fields_of(_node(row)).keys() == fields}
    near = [
        row
        for row in compared
        if row.kind in _NEAR or (row.kind in _ALIKE and row.candidate.name.removeprefix(_NOT) in alike)
    ]
    tried = list(rows((node, *(row.candidate.node for row in near)), _ROWS)) if near else []
    near.sort(key=lambda row: (row.kind == "undecided", -_nearness(node, row, tried), row.is_negated))
    return Recognized(near[0].kind if near else "new", tuple(near), beside, left_out)


def _nearness(node: Node, near: Compared, tried: Iterable[Row]) -> float:
    """How many of the rows that the WHERE or a candidate accepts both accept. It counts double if one of them
    has all rows of the other.
    """
    one, other = over_inputs(node), over_inputs(near.candidate.node)
    accept = near.candidate.on_unknown == "accept"
    taken = [(one(row) is True, accepted(other(row), accept=accept)) for row in tried]
    return sum(map(all, taken)) / max(sum(map(any, taken)), 1) * (2 if near.kind in _NEAR else 1)


def _constant(node: Node, work: Work) -> str:
    """`never` or `always` for a WHERE that accepts no row, or every row; otherwise empty."""
    if example(node, True, work.part(_EACH))[0] == "none":
        return "never"
    others = (False, None)
    return "always" if all(example(node, one, work.part(_EACH))[0] == "none" for one in others) else ""


def _nearest(node: Node, filters: Iterable[Filter]) -> list[Filter]:
    """The filters that read a field of the WHERE, those with the same fields first."""
    fields = fields_of(node).keys()

    def unlike(filter_: Filter) -> float:
        others = fields_of(filter_.current.predicate.node).keys()
        return -len(fields & others) / len(fields | others)

    chosen = [
        row for row in filters if fields & row.current.predicate.fields.keys() and not code_of(_node(row))
    ]
    return sorted(chosen, key=unlike)


def _node(filter_: Filter) -> Node:
    return filter_.current.predicate.node


def _compared(node: Node, filter_: Filter, work: Work) -> Iterator[Compared]:
    """The WHERE beside a filter: with the values of its parameters for which they are the same, if there are
    any, otherwise with the defaults; and beside NOT the filter, if they have no row in common.
    """
    rows = []
    for candidate in _candidates(node, filter_):
        row = _beside(node, candidate, work)
        if row.kind == "same":
            yield row
            return
        rows.append(row)
    if not rows or any(param.required for param in filter_.current.params.values()):
        return
    yield rows[0]
    if rows[0].kind == "disjoint":
        yield from _beside_negation(node, rows[0].candidate, work)


def _candidates(node: Node, filter_: Filter) -> list[Candidate]:
    """A filter with the defaults of its parameters, and with constants of the WHERE as their values."""
    name, rule = filter_.qualified, filter_.on_unknown
    params = params_of(_node(filter_))
    params = {key: decl for key, decl in params.items() if key in filter_.current.params}
    result = []
    if not any(decl.required for decl in params.values()):
        result.append(Candidate(name, with_defaults(_node(filter_)), rule))
    fitting = [list(_constants(node, decl.type)) for decl in params.values()]
    for values in islice(product(*fitting), _MOST_VALUES) if params else ():
        chosen = dict(zip(params, values, strict=True))
        given = {key: one.value for key, one in chosen.items()}
        result.append(Candidate(name, substitute(_node(filter_), chosen), rule, given))
    return result


def _constants(node: Node, kind: Type) -> Iterator[Literal]:
    """The constants of a WHERE as values of a type, each once."""
    known: dict[Any, None] = {}
    for part in walk(node):
        if isinstance(part, Literal) and part.value is not None:
            with suppress(RowError):
                known[to_value(part.value, kind)] = None
    return (Literal(kind, value) for value in known)


def _beside_negation(node: Node, candidate: Candidate, work: Work) -> Iterator[Compared]:
    """The WHERE beside NOT a filter, if it has these rows, or those of them for which nothing is missing."""
    accepted = accepted_rows(candidate.node, candidate.on_unknown)
    others = Call(BOOLEAN, "not", (Call(BOOLEAN, "is_true", (accepted,)),))
    row = _beside(node, Candidate(f"{_NOT}{candidate.name}", others), work)
    known = Candidate("", Call(BOOLEAN, "not", (candidate.node,)))
    if row.kind == "same" or (row.kind == "narrower" and _beside(node, known, work).kind == "same"):
        yield row


def _joined(node: Node, compared: Sequence[Compared], work: Work) -> Iterator[Compared]:
    """The WHERE beside filters joined by AND that all have more rows, or by OR that all have fewer."""
    for kind, op in (("narrower", "and"), ("wider", "or")):
        parts = [row.candidate for row in compared if row.kind == kind][:_MOST_JOINED]
        if len(parts) < 2 or work.is_done:
            continue
        whole = _beside(node, _join(parts, op), work)
        for part in list(parts):
            fewer = [one for one in parts if one is not part]
            if whole.kind == "same" and len(fewer) > 1:
                without = _beside(node, _join(fewer, op), work)
                parts, whole = (fewer, without) if without.kind == "same" else (parts, whole)
        yield whole


def _join(parts: Sequence[Candidate], op: str) -> Candidate:
    nodes = tuple(accepted_rows(part.node, part.on_unknown) for part in parts)
    return Candidate(f" {op.upper()} ".join(part.name for part in parts), Call(BOOLEAN, op, nodes))


def _beside(node: Node, candidate: Candidate, work: Work) -> Compared:
    rules = (candidate.on_unknown, "reject")
    return Compared(candidate, compare_nodes(candidate.node, node, rules, work.part(_EACH)))
