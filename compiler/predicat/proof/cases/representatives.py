"""Representative values of one path in a row: each represents all values that no test distinguishes from
it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from itertools import product
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
from predicat.proof.cases.arrays import Arrays
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
from predicat.values.texts import Texts

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
    elif kind == JSON:
        return _documents(variable, nodes, tests)
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
        arrays = Arrays(variable, kind, _kinds)
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
    raise Opaque


def _kinds(variable: Field, tests: Sequence[Node]) -> list[tuple[Any, Labels]]:
    """A value of a variable with its labels for each combination of outcomes of tests."""
    known = _sure(representatives(variable, tests, absent_first=False))
    return [(one.value, one.labels) for one in known]


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
            return Texts(self.text).sure(substituted(node, self.digits, self.text)).machine()
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


def _documents(variable: Field, nodes: Sequence[Node], tests: Sequence[Node]) -> list[Representative]:
    for node, test in zip(nodes, tests, strict=True):
        _try(test, _reads_scalars, node, variable)
    result: list[Representative] = []
    for kind, (reader, inner) in _KINDS.items():
        scalar = x_of(inner)
        seen = [_as_kind(node, variable, kind, reader, scalar) for node in nodes]
        *found, _ = _labelled(scalar, domain_of(scalar), seen, tests)
        result += [one for one in found if one.value == one.value]  # JSON has no NaN
    runs = [over_inputs(node) for node in nodes]
    others: tuple[Any, ...] = ([], {}, None)
    values = [replace(one, value=_json(one.value)) for one in result]
    values += [Representative(value, ()) for value in others]
    return [replace(one, labels=_labels(runs, one.value)) if one.sure else one for one in values]


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
