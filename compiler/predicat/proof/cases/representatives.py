"""Representative values of one path in a row: each represents all values that no test distinguishes from
it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from itertools import product
from math import prod
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from predicat.ir.column_forms import of_field, stored_element
from predicat.ir.nodes import (
    TRUE,
    Call,
    Field,
    FieldDecl,
    Literal,
    Node,
    Parameter,
    Quantifier,
    Variable,
    rewrite_children,
    substituted,
    walk,
)
from predicat.ir.operators import JSON_READS
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    JSON,
    STRING,
    ArrayType,
    DecimalType,
    MapType,
    StructType,
    Type,
)
from predicat.ir.values import INT_MAX, INT_MIN
from predicat.proof.cases.maps import Maps, is_whole
from predicat.proof.inputs import Inputs, over_inputs
from predicat.rewrite.fold import fold
from predicat.values import automaton
from predicat.values.automaton import Opaque
from predicat.values.domain import Domain, domain_of
from predicat.values.outcomes import outcomes
from predicat.values.partition import Partition, Some, choices
from predicat.values.preimage import combines_tests, connected, narrowed, x_of
from predicat.values.samples import samples
from predicat.values.text_machines import replaced
from predicat.values.text_numbers import integer
from predicat.values.text_patterns import pattern_machine
from predicat.values.texts import Texts, with_nulls

Labels = tuple[Any, ...]
_MOST_ARRAYS = 2_000
_LONGEST = 20_000
_MOST_COUNTED = 6
# What depends on all elements of an array.
_OF_ALL = ("array_max", "array_min", "array_position")
# What reads a JSON value of a kind, and as what.
_KINDS: dict[str, tuple[str, Type]] = {
    "string": ("json_string", STRING),
    "number": ("json_number", DOUBLE),
    "boolean": ("json_boolean", BOOLEAN),
}


class Unknown(Opaque):
    """A test whose cases are unknown."""

    def __init__(self, test: Node) -> None:
        super().__init__(test)
        self.test = test


class Representative(Struct, frozen=True):
    """A value, and the outcome of each test of its path; if they are not `sure`, a possible one.

    Attributes:
        value: The value; None for NULL.
        labels: The outcomes.
        sure: Whether they are known.
        holder: Whether it needs the map that contains it, or that there is none; None for either.
        is_key: Whether it is the NULL of a key that the map has.
    """

    value: Any
    labels: Labels
    sure: bool = True
    holder: bool | None = None
    is_key: bool = False


def looked_up(node: Node) -> Call | None:
    """The value of the key that a test asks for: `m['k']` for whether `m` has the key `k`."""
    match node:
        case Call(op="in", args=(Literal(value=str()) as key, Call(op="keys", args=(holder,)))):
            pass
        case Quantifier(
            kind="any",
            source=Call(op="keys", args=(holder,)),
            body=Call(op="eq", args=(Variable(), Literal(value=str()) as key)),
        ):
            pass
        case _:
            return None
    return Call(holder.type.value, "get", (holder, key)) if isinstance(holder.type, MapType) else None


def representatives(slot: Node, tests: Sequence[Node], *, absent_first: bool = True) -> list[Representative]:
    """One value of a path for each possible combination of outcomes.

    If NULL and a value have the same outcomes, `absent_first` prefers NULL. Raises Unknown, or Opaque if
    there are too many combinations.
    """
    variable = x_of(slot.type)
    if isinstance(slot.type, ArrayType) and (stored := stored_element(slot)):
        variable = Field(slot.type, FieldDecl("x", slot.type, stored=f"array<{stored}>"))
    form = of_field(slot)
    asked = [*tests, *(() if form is None else (form.shape(slot),))]
    keys = {part for test in tests for part in walk(test) if looked_up(part) == slot}
    if keys:
        return _of_key(slot, tests, keys)
    nodes = [substituted(test, slot, variable) for test in asked]
    *found, absent = _labelled(variable, domain_of(slot), nodes, asked)
    if form is not None:
        if any(one.labels[-1] is True and not form.is_value(one.value) for one in found):
            raise Opaque  # others of the same kind may be values
        found = [one for one in found if form.is_value(one.value)]
    if (
        isinstance(slot, Parameter) and slot.type == DOUBLE and slot.decl.default == slot.decl.default
    ):  # no NaN
        found = [one for one in found if one.value == one.value]  # none is given as NaN
    ordered = [absent, *found] if absent_first and not isinstance(slot, Parameter) else [*found, absent]
    result: dict[tuple[Labels, bool], Representative] = {}
    for one in sorted(ordered, key=lambda one: not one.sure):
        labels = one.labels[: len(tests)]
        # A value with places inside of it stands beside NULL, even if no test tells them apart.
        holds_places = absent_first and isinstance(one.value, dict)
        result.setdefault((labels, holds_places), Representative(one.value, labels, one.sure))
    return list(result.values())


def _of_key(slot: Node, tests: Sequence[Node], keys: Iterable[Node]) -> list[Representative]:
    """The values of a key whose presence is tested, too: it may have NULL, be missing, or be in no map."""
    found: list[Representative] = []
    for has_key, holder in ((True, True), (False, True), (None, False)):
        own = list(tests)
        for key in keys:
            own = [fold(substituted(test, key, Literal(BOOLEAN, has_key))) for test in own]
        values = representatives(slot, own, absent_first=not has_key)
        found += [
            replace(one, holder=holder, is_key=has_key is True)
            for one in values
            if has_key or one.value is None
        ]
    return found


def _labels(runs: Iterable[Callable[[Inputs], Any]], value: Any) -> Labels:
    row = {"x": value}
    return tuple([run(row) for run in runs])


def _labelled(
    variable: Field, column: Domain | None, nodes: Sequence[Node], tests: Sequence[Node]
) -> list[Representative]:
    """Representative values with the outcomes of the tests; NULL last. `column` has the ordered values."""
    kind = variable.type
    digits = Call(STRING, "to_string", (variable,))
    is_written = isinstance(kind, DecimalType) or kind == BIGINT
    if is_written and column is not None and any(digits in walk(node) for node in nodes):
        values: list[Any] = _Written(variable, digits, column).values(nodes, tests)
    elif kind == STRING or column is not None:
        parts = [_try(test, _exact, node, variable) for node, test in zip(nodes, tests, strict=True)]
        found = samples(parts or [outcomes(TRUE, variable)], column)
        return [one for labels, value in found for one in _possible(value, labels[: len(parts)])]
    else:
        values = _values(variable, nodes, tests)
    runs = [over_inputs(node) for node in nodes]
    return [Representative(value, _labels(runs, value)) for value in (*values, None)]


def _possible(value: Any, labels: Labels) -> Iterator[Representative]:
    """The outcomes that a value may have."""
    if Some not in map(type, labels):
        yield Representative(value, labels)
        return
    for chosen in product(*map(choices, labels)):
        yield Representative(value, chosen, sure=False)


def _values(variable: Field, nodes: Sequence[Node], tests: Sequence[Node]) -> list[Any]:
    """Representative values other than NULL, of a type without an order."""
    kind = variable.type
    if kind == BOOLEAN:
        return [True, False]
    if isinstance(kind, ArrayType):
        arrays = _Arrays(variable, kind)
        for node, test in zip(nodes, tests, strict=True):
            _try(test, arrays.take, node)
        return list(arrays.values())
    if isinstance(kind, MapType) and any(is_whole(part) for node in nodes for part in walk(node)):
        maps = Maps(variable, kind, _kinds)
        for node, test in zip(nodes, tests, strict=True):
            _try(test, maps.take, node)
        return list(maps.values())
    if isinstance(kind, MapType | StructType):
        for node, test in zip(nodes, tests, strict=True):
            _try(test, _asks_presence_only, node, variable)
        return [{}]
    if kind == JSON:
        return _documents(variable, nodes, tests)
    raise Opaque


def _kinds(variable: Field, tests: Sequence[Node]) -> list[Any]:
    """A value of a variable for each combination of outcomes of tests, and NULL."""
    return [one.value for one in _sure(representatives(variable, tests, absent_first=False))]


def _sure(found: list[Representative]) -> list[Representative]:
    """The values, whose outcomes must be known. Raises Opaque."""
    if not all(one.sure for one in found):
        raise Opaque
    return found


def _exact(node: Node, variable: Field) -> Partition:
    return outcomes(node, variable, exact=True)


def _try(test: Node, take: Any, *args: Any) -> Any:
    try:
        return take(*args)
    except Opaque:
        raise Unknown(test) from None


class _Written:
    """Numbers whose digits are tested: solved as strings."""

    def __init__(self, variable: Field, digits: Node, column: Domain) -> None:
        self.variable = variable
        self.digits = digits
        self.column = column
        self.text = x_of(STRING)
        self.scale = variable.type.scale if isinstance(variable.type, DecimalType) else 0

    def test(self, node: Node) -> automaton.Machine:
        """The outcomes of a test of the number or of its digits, by the digits. Raises Opaque."""
        if combines_tests(node) and isinstance(node, Call):
            parts = [automaton.tabulated(self.test(arg)).machine() for arg in node.args]
            return automaton.product(parts, partial(connected, node.op))
        if self.digits in walk(node):
            return Texts(self.text).test(substituted(node, self.digits, self.text))
        cells = narrowed(outcomes(node, self.variable, exact=True), self.column).line()
        return self.of_number(cells.starts, cells.labels)

    def of_number(self, starts: tuple[int, ...], labels: Labels) -> automaton.Machine:
        """The labels of the ranges of numbers, which are integers without their points."""
        found = automaton.relabelled(integer(starts), lambda piece: None if piece is None else labels[piece])
        return replaced(found, ".", "") if self.scale else found

    def values(self, nodes: Sequence[Node], tests: Sequence[Node]) -> list[Any]:
        """Numbers of a column with all combinations of outcomes."""
        if self.column.least < INT_MIN or self.column.greatest > INT_MAX:
            raise Opaque
        machines = [_try(test, self.test, node) for node, test in zip(nodes, tests, strict=True)]
        fraction = f"[.][0-9]{{{self.scale}}}" if self.scale else ""
        shape = f"^(0|[1-9][0-9]*){fraction}$|^-(0|[1-9][0-9]*){fraction}$"
        starts = (INT_MIN, self.column.least, self.column.greatest + 1)
        machines += [
            pattern_machine("matches", shape),
            pattern_machine("matches", "^-[0.]*$"),
            self.of_number(starts, (False, True, False)),
        ]
        found = automaton.shortest_texts([*map(automaton.tabulated, machines)])
        read = Decimal if self.scale else int
        return [read(text) for labels, text in found.items() if labels[-3:] == (True, False, True)]


def _asks_presence_only(node: Node, variable: Node) -> None:
    if node == variable:
        raise Opaque
    if isinstance(node, Call) and node.op == "is_null" and node.args[0] == variable:
        return
    if isinstance(node, Call | Quantifier):
        for part in node.args if isinstance(node, Call) else (node.source, node.body):
            _asks_presence_only(part, variable)


# --- JSON


def _documents(variable: Field, nodes: Sequence[Node], tests: Sequence[Node]) -> list[Any]:
    for node, test in zip(nodes, tests, strict=True):
        _try(test, _reads_scalars, node, variable)
    result: list[Any] = []
    for kind, (reader, inner) in _KINDS.items():
        scalar = x_of(inner)
        seen = [_as_kind(node, variable, kind, reader, scalar) for node in nodes]
        *found, _ = _sure(_labelled(scalar, domain_of(scalar), seen, tests))
        result += [one.value for one in found if one.value == one.value]  # JSON has no NaN
    return [*map(_json, result), [], {}]


def _json(value: Any) -> Any:
    """Replace an infinity by a JSON number beyond the range of doubles, which reads as an infinity."""
    if isinstance(value, float) and abs(value) == float("inf"):
        return 10**400 if value > 0 else -(10**400)
    return value


def _reads_scalars(node: Node, variable: Node) -> None:
    if node == variable:
        raise Opaque
    if (
        isinstance(node, Call)
        and (node.op in JSON_READS or node.op in ("json_is", "is_null"))
        and node.args[0] == variable
    ):
        return
    if isinstance(node, Call | Quantifier):
        for part in node.args if isinstance(node, Call) else (node.source, node.body):
            _reads_scalars(part, variable)


def _as_kind(node: Node, variable: Node, kind: str, reader: str, scalar: Node) -> Node:
    """A test of a JSON value as a test of a scalar of one kind."""
    return fold(_scalar(node, variable, kind, reader, scalar))


def _scalar(node: Node, variable: Node, kind: str, reader: str, scalar: Node) -> Node:
    if isinstance(node, Call) and node.args and node.args[0] == variable:
        if node.op == "is_null":
            return Literal(BOOLEAN, False)
        if node.op == "json_is":
            asked = node.args[1]
            return Literal(BOOLEAN, isinstance(asked, Literal) and asked.value == kind)
        return scalar if node.op == reader else Literal(node.type, None)
    return rewrite_children(node, lambda part: _scalar(part, variable, kind, reader, scalar))


# --- arrays


class _Arrays:
    """Representative arrays for macros: only the kinds of elements, their counts and the length matter."""

    def __init__(self, variable: Field, kind: ArrayType) -> None:
        self.variable = variable
        self.element = Field(kind.element, FieldDecl("x", kind.element, stored=stored_element(variable)))
        self.size = x_of(BIGINT)
        self.bodies: dict[Node, None] = {}
        # For each body, the number of TRUE elements up to which it matters.
        self.often: dict[Node, int] = {}
        # Where the outcome of a test of the size may change.
        self.sizes: set[int] = set()

    def take(self, node: Node) -> None:
        match node:
            case Literal():
                return
            case Call(op="is_null", args=(inner,)) if inner == self.variable:
                return
            case Call(op="and" | "or" | "not" | "is_true" | "cond" | "coalesce" | "is_null", args=args) if (
                args[-1].type == BOOLEAN
            ):
                for arg in args:
                    self.take(arg)
            case Call(op="in", args=(Literal() as value, array)) if array == self.variable:
                self.body(Call(BOOLEAN, "eq", (self.element, value)))
            case Quantifier(kind="any" | "all" | "one", source=source) if source == self.variable:
                self.body(self.own(node), 2 if node.kind == "one" else 0)
            case Call() if (extreme := self.extreme(node)) is not None:
                self.bounded(node, extreme)
            case Call():
                test = substituted(node, Call(BIGINT, "size", (self.variable,)), self.size)
                if test is not node and test != node:
                    self.closed(test, self.size)
                    self.sizes.update(outcomes(test, self.size).line().starts)
                else:
                    self.filtered(node)
            case _:
                raise Opaque

    def extreme(self, node: Call) -> Call | None:
        """The greatest or the least element, or the place of one, that a test is about."""
        found = {
            part
            for part in walk(node)
            if isinstance(part, Call) and part.op in _OF_ALL and self.is_whole(part.args[0])
        }
        return found.pop() if len(found) == 1 else None

    def is_whole(self, node: Node) -> bool:
        """Whether a node is the array, or its elements that are not NULL."""
        return with_nulls(node) == self.variable

    def bounded(self, node: Call, extreme: Call) -> None:
        """Add a test of the greatest or the least integer, or of whether an element has a place: it depends
        on which elements reach the values at which its outcome changes.
        """
        result = x_of(BIGINT)
        test = substituted(node, extreme, result)
        self.closed(test, result)
        cuts = outcomes(test, result).line().starts[1:]
        if extreme.op == "array_position":
            if any(cut > 1 for cut in cuts) or not isinstance(extreme.args[1], Literal):
                raise Opaque
            self.body(Call(BOOLEAN, "eq", (self.element, extreme.args[1])))
        elif extreme.type != BIGINT:
            raise Opaque
        else:
            for cut in cuts:
                self.body(Call(BOOLEAN, "ge", (self.element, Literal(BIGINT, cut))))

    def filtered(self, node: Call) -> None:
        """Add a test of the number of elements that a filter keeps."""
        filters = {
            part
            for part in walk(node)
            if isinstance(part, Quantifier) and part.kind == "filter" and part.source == self.variable
        }
        if len(filters) != 1:
            raise Opaque
        (only,) = filters
        test = substituted(node, Call(BIGINT, "size", (only,)), self.size)
        self.closed(test, self.size)
        starts = outcomes(test, self.size).line().starts
        self.body(self.own(only), max((start for start in starts if 0 < start < _MOST_COUNTED), default=1))
        if any(_MOST_COUNTED <= start <= _LONGEST for start in starts):
            raise Opaque

    def own(self, node: Quantifier) -> Node:
        return substituted(node.body, Variable(self.element.type, node.variable), self.element)

    def body(self, node: Node, often: int = 0) -> None:
        """Add a test of elements, and up to which count it matters how many elements pass it."""
        self.closed(node, self.element)
        self.bodies.setdefault(node)
        self.often[node] = max(often, self.often.get(node, 0))

    @staticmethod
    def closed(node: Node, own: Field) -> None:
        if any(isinstance(part, Field | Variable | Parameter) and part != own for part in walk(node)):
            raise Opaque

    def values(self) -> Iterator[list[Any]]:
        bodies = list(self.bodies)
        kinds = _sure(representatives(self.element, bodies, absent_first=False))
        limits = [
            max(
                (self.often[body] for body, label in zip(bodies, kind.labels, strict=True) if label is True),
                default=0,
            )
            for kind in kinds
        ]
        if prod(max(limit, 1) + 1 for limit in limits) > _MOST_ARRAYS:
            raise Opaque
        starts = [0, *sorted(start for start in self.sizes if start > 0)]
        for counts in product(*(range(max(limit, 1) + 1) for limit in limits)):
            elements = [kind.value for kind, count in zip(kinds, counts, strict=True) for _ in range(count)]
            more = [
                kind.value
                for kind, count, limit in zip(kinds, counts, limits, strict=True)
                if count and count >= limit
            ]
            yield from self.lengthened(elements, more, starts)

    def lengthened(self, elements: list[Any], more: list[Any], starts: list[int]) -> Iterator[list[Any]]:
        """The array, and longer ones with the same kinds of elements, one for each range of lengths."""
        yield elements
        for start in starts:
            if more and start > len(elements):
                if start > _LONGEST:
                    raise Opaque
                yield elements + more[:1] * (start - len(elements))
