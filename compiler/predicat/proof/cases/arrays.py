"""Representative arrays: words of kinds of elements.

Each test sees an array element by element, and remembers little: which kinds occur, one element, a length,
the state of a machine that reads the elements as one string. Arrays that leave all tests in the same states
have the same outcomes, so that the shortest array for each combination of states represents all others.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from predicat.ir.column_forms import stored_element
from predicat.ir.nodes import (
    Call,
    Field,
    FieldDecl,
    Literal,
    Node,
    Quantifier,
    Variable,
    children,
    substituted,
)
from predicat.ir.types import BIGINT, BOOLEAN, STRING, ArrayType
from predicat.proof.cases.kinds import Kinds, Labels, check_closed
from predicat.values.automaton import Opaque, tabulated
from predicat.values.domain import TEXTS, domain_of
from predicat.values.outcomes import outcomes
from predicat.values.partition import Partition, Some
from predicat.values.preimage import combines_tests, x_of
from predicat.values.samples import samples
from predicat.values.text_machines import from_each
from predicat.values.texts import Texts, place_of, with_nulls

_MOST_ARRAYS = 2_000
_MOST_MOVES = 100_000
_ABSENT = "absent"
_UNKNOWN = "unknown"


class _Element(Struct, frozen=True):
    """A kind of elements: its outcomes, and for each joined string the states to which it leads."""

    value: Any
    labels: Labels
    reads: Labels = ()


class _Observer(Struct, frozen=True):
    """What a test sees. Arrays with the same label of their last state have the same outcome."""

    start: Any
    step: Callable[[Any, _Element], Any]
    label: Callable[[Any], Any] = lambda state: state


class Arrays:
    """The tests of an array, and its values."""

    def __init__(self, variable: Field, kind: ArrayType, kinds: Kinds) -> None:
        self.variable = variable
        self.kinds = kinds
        self.element = Field(kind.element, FieldDecl("x", kind.element, stored=stored_element(variable)))
        self.bodies: dict[Node, int] = {}
        self.joined: list[Partition] = []
        self.observers: list[_Observer] = []

    def take(self, node: Node) -> None:
        """Add a test. Raises Opaque if it is of another kind."""
        match node:
            case Literal():
                return
            case Call(op="is_null", args=(inner,)) if inner == self.variable:
                return
            case Call(op="in", args=(Literal() as value, source)):
                self.seen(self.kept(source), Call(BOOLEAN, "eq", (self.element, value)))
            case Quantifier(kind="any" | "all" | "one", source=source):
                self.seen(self.kept(source), self.own(node), 2 if node.kind == "one" else 0)
            case Call() if combines_tests(node):
                for arg in node.args:
                    self.take(arg)
            case Call():
                self.leaf(node)
            case _:
                raise Opaque

    def leaf(self, node: Call) -> None:
        """Add a test of one value that an array gives."""
        (only, *others) = dict.fromkeys(_reads(node)) or (node,)
        if others or only.op not in _READS:
            raise Opaque
        result = self.element if only.op == "index" else x_of(only.type)
        test = substituted(node, only, result)
        check_closed(test, result)
        _READS[only.op](self, only, test, result)

    def kept(self, node: Node) -> list[Node]:
        """The tests of the elements that filters keep."""
        if node == self.variable:
            return []
        if isinstance(node, Quantifier) and node.kind == "filter":
            return [*self.kept(node.source), self.own(node)]
        raise Opaque

    def own(self, node: Quantifier) -> Node:
        """The body of a macro as a test of an element."""
        return substituted(node.body, Variable(self.element.type, node.variable), self.element)

    def body(self, node: Node) -> int:
        """The number of a test of elements."""
        check_closed(node, self.element)
        return self.bodies.setdefault(node, len(self.bodies))

    # --- what tests see

    def seen(self, kept: Sequence[Node], body: Node | None, often: int = 0) -> None:
        """Which outcomes a test has for elements that filters keep, and how often it is TRUE."""
        tests = [self.body(one) for one in (*kept, *(() if body is None else (body,)))]
        filters = len(kept)

        def step(state: tuple[frozenset[Labels], int], element: _Element) -> tuple[frozenset[Labels], int]:
            seen, count = state
            labels = tuple([element.labels[place] for place in tests])
            if False in labels[:filters]:
                return state
            return seen | {labels}, min(count + all(label is True for label in labels), often)

        self.observers.append(_Observer((frozenset(), 0), step))

    def sized(self, only: Call, test: Node, result: Field) -> None:
        """The number of elements."""
        starts = [start for start in outcomes(test, result).line().starts if start > 0]
        most = starts[-1] if starts else 0
        kept = self.kept(only.args[0])
        if kept:
            self.seen(kept, None, most)
            return
        self.observers.append(
            _Observer(0, lambda size, _: min(size + 1, most), lambda size: bisect_right(starts, size))
        )

    def summed(self, only: Call, test: Node, result: Field) -> None:
        """The sum of as many ones as there are elements."""
        match only.args:
            case (Quantifier(kind="map", source=source, body=Literal(value=1)),) if only.type == BIGINT:
                self.sized(Call(BIGINT, "size", (source,)), test, result)
            case _:
                raise Opaque

    def placed(self, only: Call, test: Node, _result: Field) -> None:
        """An element at a place."""
        if only.args[0] != self.variable:
            raise Opaque
        from_end, place = place_of(only.args[1], self.variable)
        body = self.body(test)

        def first(state: tuple[int, Any], element: _Element) -> tuple[int, Any]:
            read, label = state
            return min(read + 1, place + 1), element.labels[body] if read == place else label

        def last(state: Labels, element: _Element) -> Labels:
            return (*state, element.labels[body])[place:]

        if not from_end:
            self.observers.append(_Observer((0, _ABSENT), first, lambda state: state[1]))
        elif place < 0:
            self.observers.append(
                _Observer((), last, lambda state: state[0] if len(state) == -place else _ABSENT)
            )

    def extreme(self, only: Call, test: Node, result: Field) -> None:
        """The greatest or the least integer: which elements reach the values at which its outcome changes."""
        if only.type != BIGINT:
            raise Opaque
        kept = self.kept(only.args[0])
        self.seen(kept, Call(BOOLEAN, "is_null", (self.element,)))
        for cut in outcomes(test, result).line().starts[1:]:
            self.seen(kept, Call(BOOLEAN, "ge", (self.element, Literal(BIGINT, cut))))

    def position(self, only: Call, test: Node, result: Field) -> None:
        """The place of the first element that is equal to a constant."""
        if only.args[0] != self.variable or not isinstance(only.args[1], Literal):
            raise Opaque
        body = self.body(Call(BOOLEAN, "eq", (self.element, only.args[1])))
        most = max(*outcomes(test, result).line().starts, 1)

        def step(state: tuple[int, int], element: _Element) -> tuple[int, int]:
            read, found = state
            read = min(read + 1, most)
            return (0, found) if found else (0, read) if element.labels[body] is True else (read, 0)

        self.observers.append(_Observer((0, 0), step, lambda state: state[1]))

    def joint(self, only: Call, test: Node, result: Field) -> None:
        """The elements as one string."""
        source, by = with_nulls(only.args[0]), only.args[1]
        if source != self.variable or not isinstance(by, Literal) or not isinstance(by.value, str):
            raise Opaque
        table = Texts(result).sure(test)
        numbered, _ = from_each(table.machine())
        number = len(self.joined)
        self.joined.append(Partition(TEXTS, tabulated(from_each(numbered)[1]), (None,)))
        behind = [numbered.label(numbered.after(state, by.value)) for state in range(len(table.labels))]

        def step(state: Any, element: _Element) -> Any:
            if element.value is None:
                return state if source != only.args[0] else _UNKNOWN
            reads = element.reads[number]
            return state if state == _UNKNOWN else reads[0 if state is None else behind[state]]

        def label(state: Any) -> Any:
            return state if state == _UNKNOWN else table.labels[state or 0]

        self.observers.append(_Observer(None, step, label))

    # --- values

    def elements(self) -> Iterator[_Element]:
        """The kinds of elements."""
        bodies = list(self.bodies)
        if not self.joined:
            for value, labels in self.kinds(self.element, bodies):
                yield _Element(value, labels)
            return
        if self.element.type != STRING:
            raise Opaque
        parts = [outcomes(body, self.element, exact=True) for body in bodies]
        for labels, value in samples([*parts, *self.joined], domain_of(self.element)):
            if any(isinstance(label, Some) for label in labels):
                raise Opaque
            yield _Element(value, labels[: len(bodies)], labels[len(bodies) :])

    def values(self) -> Iterator[list[Any]]:
        """An array for each combination of what the tests see."""
        elements = list(self.elements())
        start = tuple([one.start for one in self.observers])
        before: dict[Labels, tuple[Labels, Any]] = {}
        order, known, shown = [start], {start}, set()
        for state in order:
            labels = tuple([one.label(own) for one, own in zip(self.observers, state, strict=True)])
            if labels not in shown:
                shown.add(labels)
                yield _word(state, before)
            for element in elements:
                steps = zip(self.observers, state, strict=True)
                target = tuple([one.step(own, element) for one, own in steps])
                if target not in known:
                    known.add(target)
                    before[target] = state, element.value
                    order.append(target)
            if len(order) * len(elements) > _MOST_MOVES or len(shown) > _MOST_ARRAYS:
                raise Opaque


def _word(state: Labels, before: dict[Labels, tuple[Labels, Any]]) -> list[Any]:
    """The elements that lead to a state."""
    result = []
    while state in before:
        state, value = before[state]
        result.append(value)
    return result[::-1]


def _reads(node: Node) -> Iterator[Call]:
    """The values that a test reads of arrays."""
    if isinstance(node, Call) and node.op in _READS:
        yield node
        return
    for part in children(node):
        yield from _reads(part)


# By operator: how a test sees the value that it gives.
_READS: dict[str, Callable[[Arrays, Call, Node, Field], None]] = {
    "size": Arrays.sized,
    "sum": Arrays.summed,
    "index": Arrays.placed,
    "array_max": Arrays.extreme,
    "array_min": Arrays.extreme,
    "array_position": Arrays.position,
    "join": Arrays.joint,
}
