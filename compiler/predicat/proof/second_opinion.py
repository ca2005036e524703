"""A second opinion on proofs: rows that owe nothing to the prover, and that no proof may contradict.

The rows are made from the constants in both predicates, their neighbours and what arithmetic makes of them,
at the places that both read. They share nothing with the cases, the formulas or the candidate rows, so that
one mistake cannot hide in both. The same predicates have the same rows.
"""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import review as say
from predicat.ir.canonical import canonical_text
from predicat.ir.column_forms import of_field, stored_element
from predicat.ir.nodes import (
    Call,
    Field,
    Literal,
    Node,
    Parameter,
    Quantifier,
    Variable,
    children,
    ranged_over,
)
from predicat.ir.operators import BY_KEY, LOOK_UPS
from predicat.ir.types import JSON, ArrayType, Type
from predicat.proof.inputs import Inputs
from predicat.proof.opinion_values import Values

Outcome = bool | None
Seen = tuple[dict[str, Any], Outcome, Outcome]
# Rows for each comparison. Some have a value that does not fit its field.
ROWS = 240
_LOG = logging.getLogger(__name__)
_MOST_ELEMENTS = 3
_SHARE_OF_OBJECTS = 0.9


class _Place(Struct):
    """A place of a row, and the places inside of it that predicates read."""

    type: Type
    stored: str = ""
    members: dict[str, _Place] = field(default_factory=dict[str, Any])
    element: _Place | None = None
    document: _Place | None = None
    """The JSON in a text."""

    def member(self, name: str, kind: Type, stored: str) -> _Place:
        return self.members.setdefault(name, _Place(kind, stored))

    def each(self, kind: Type, stored: str) -> _Place:
        if self.element is None:
            self.element = _Place(kind, stored)
        return self.element


class SecondOpinion:
    """The rows of two predicates, with the outcomes of both."""

    def __init__(self, nodes: Sequence[Node], functions: Sequence[Callable[[Inputs], Outcome]]) -> None:
        self.nodes = nodes
        self.functions = functions
        self.known: list[Seen] | None = None

    def contradiction(self, test: Callable[[Outcome, Outcome], bool]) -> Seen | None:
        """A row with outcomes that no row has, as was proved."""
        if self.known is None:
            self.known = list(self._outcomes())
        return next((seen for seen in self.known if test(seen[1], seen[2])), None)

    def refutes(self, test: Callable[[Outcome, Outcome], bool]) -> bool:
        """Whether a row has outcomes that no row has, as was proved. That is a defect, and logged as one."""
        seen = self.contradiction(test)
        if seen is not None:
            before, after = map(canonical_text, self.nodes)
            _LOG.error(say.proof_contradicted(before, after, *seen))
        return seen is not None

    def _outcomes(self) -> Iterator[Seen]:
        before, after = self.functions
        for row in rows(self.nodes, ROWS):
            try:
                yield row, before(row), after(row)
            except PredicatError:  # a value that does not fit its field
                continue


def rows(nodes: Iterable[Node], count: int) -> list[dict[str, Any]]:
    """Rows with values of the places that predicates read; parameters are in rows as `:name`."""
    places = _Places()
    nodes = tuple(nodes)
    for node in nodes:
        places.visit(node, {})
    return _Columns(Values(nodes), count).rows(places.roots)


class _Places:
    """The places that predicates read."""

    def __init__(self) -> None:
        self.roots: dict[str, _Place] = {}

    def visit(self, node: Node, env: Mapping[str, _Place]) -> None:
        """Add the places that a node reads. `env` has those of bound variables."""
        if self.place(node, env) is not None:
            return
        match node:
            case Quantifier(source=source):
                self.visit(source, env)
                found = self.place(ranged_over(source), env)
                kind = source.type.element if isinstance(source.type, ArrayType) else JSON
                each = _Place(kind) if found is None else found.each(kind, stored_element(source))
                self.visit(node.body, {**env, node.variable: each})
            case _:
                for child in children(node):
                    self.visit(child, env)

    def place(self, node: Node, env: Mapping[str, _Place]) -> _Place | None:
        """The place that a node is; None for a computed value."""
        match node:
            case Field(decl=decl):
                return self.roots.setdefault(decl.name, _Place(node.type, decl.stored))
            case Parameter(decl=decl):
                return self.roots.setdefault(f":{decl.name}", _Place(node.type))
            case Variable(name=name):
                return env.get(name)
            case Call(op="parse_json", args=(text,)):
                holder = self.place(text, env)
                if holder is not None and holder.document is None:
                    holder.document = _Place(JSON)
                return None if holder is None else holder.document
            case Call(op="json_values", args=(inner,)):
                return self.place(inner, env)
            case Call(op=op, args=(inner, key)) if op in LOOK_UPS or op == "json_values":
                self.visit(key, env)
                holder = self.place(inner, env)
                if holder is None:
                    return None
                stored = "" if (form := of_field(node)) is None else form.shown
                if op in BY_KEY or op == "json_values":
                    name = str(key.value) if isinstance(key, Literal) else "k"
                    return holder.member(name, node.type, stored)
                return holder.each(node.type, stored)
            case _:
                return None


class _Columns:
    """Values for places, `count` of each."""

    def __init__(self, values: Values, count: int) -> None:
        self.values = values
        self.count = count
        self.chance = random.Random(count)  # noqa: S311  # no secret

    def rows(self, places: Mapping[str, _Place]) -> list[dict[str, Any]]:
        """Rows with values at places. A field without a value is NULL."""
        columns = [self.column(place, given=name.startswith(":")) for name, place in places.items()]
        return [dict(zip(places, row, strict=True)) for row in zip(*columns, strict=True)] or [{}]

    def objects(self, places: Mapping[str, _Place]) -> list[dict[str, Any]]:
        """Objects with values at places: NULL and no member at all differ in JSON."""
        columns = [self.column(place) for place in places.values()]
        absent = self.chance.choices((True, False), k=self.count)
        return [
            {
                name: value
                for name, value in zip(places, row, strict=True)
                if value is not None or not without_null
            }
            for row, without_null in zip(zip(*columns, strict=True), absent, strict=True)
        ]

    def column(self, place: _Place, *, given: bool = False) -> list[Any]:
        """The values of a place. If they are `given`, none is NULL."""
        plain = self.chance.choices(self.values.of(place.type, place.stored, given=given), k=self.count)
        if place.document is not None:
            documents = self.column(place.document)
            return self.mixed(plain, [json.dumps(value, default=str) for value in documents])
        if place.members:
            plain = self.mixed(plain, self.objects(place.members))
        if place.element is not None or isinstance(place.type, ArrayType):
            plain = self.mixed(plain, self.arrays(place))
        return plain

    def mixed(self, some: list[Any], most: Sequence[Any]) -> list[Any]:
        """The columns in one, with most values of the second."""
        drawn = self.chance.random
        return [
            value if drawn() < _SHARE_OF_OBJECTS else other for other, value in zip(some, most, strict=True)
        ]

    def arrays(self, place: _Place) -> list[list[Any]]:
        """Arrays of a few elements."""
        kind = place.type.element if isinstance(place.type, ArrayType) else JSON
        element = place.element or _Place(kind)
        drawn = [self.column(element) for _ in range(_MOST_ELEMENTS)]
        sizes = self.chance.choices(range(_MOST_ELEMENTS + 1), k=self.count)
        return [list(items[:size]) for items, size in zip(zip(*drawn, strict=True), sizes, strict=True)]
