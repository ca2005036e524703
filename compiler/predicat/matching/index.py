"""An index over many predicates: it finds the few that a row may satisfy, and verifies them.

Each filter is stored under one of its access predicates (see `access`): the one that is expected to be true
for the fewest rows. If many filters share an access predicate, their remaining conditions are indexed again,
so each bucket is small or has an index of its own. A look-up walks the buckets of a row and evaluates the
remaining conditions of the filters in them. A condition of several filters is evaluated once per row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from predicat.ir.nodes import (
    NOW,
    TRUE,
    Call,
    Field,
    FieldDecl,
    Literal,
    Node,
    Parameter,
    Variable,
    fields_of,
    reads_now,
    rewrite_children,
)
from predicat.ir.operators import BY_KEY, STRICT
from predicat.ir.types import BOOLEAN, StructType
from predicat.matching import probes
from predicat.matching.access import (
    Absent,
    Access,
    Between,
    Contains,
    Equal,
    Prefix,
    Present,
    Test,
    alternatives,
    conjuncts,
    element_name,
    solved,
)
from predicat.matching.probes import Bucket, Check, Hits, Lookup, Member, Probe, Values
from predicat.matching.selectivity import Selectivity
from predicat.semantics import casefold
from predicat.semantics.closures import NONE, OF_FIELD, Eval
from predicat.semantics.evaluate import compile_items, compile_members, compile_node, member_of

# Up to this number of filters are evaluated one by one rather than indexed.
_MAX_LEAF = 6
# A test that a larger share of the rows is expected to pass is no access.
_MAX_SHARE = 0.7
# With at least this number of keys of one map in filters, the index iterates over the keys of the row.
_MIN_GATED_KEYS = 3


class _Slot(Struct, frozen=True):
    """A value of the row that filters test: `each` as in Access."""

    key: Node
    folded: bool
    each: tuple[Node, ...]


# A test of the slot with this number, and whether it holds where that has no value.
_Asked = tuple[int, Test, bool]


class _Condition(Struct, frozen=True):
    """A condition: the number of its check, and its cover."""

    check: int
    tests: tuple[_Asked, ...] | None
    exact: bool


class _Pending(Struct, frozen=True):
    """A filter, or one alternative of it, and its remaining conditions."""

    ident: int
    left: tuple[_Condition, ...]


class Index:
    """An index over predicates. The id of a predicate is its position in `predicates`.

    Args:
        predicates: The core node of each filter, without free parameters, and whether it accepts a row for
            which it is UNKNOWN.
    """

    def __init__(self, predicates: Iterable[tuple[Node, bool]]) -> None:
        self._slots: dict[_Slot, int] = {}
        self._checks: dict[Node, int] = {}
        self._uses: Counter[int] = Counter()
        self._compiled: dict[int, Check] = {}
        self._readers: dict[int, Check] = {}
        self._sources: dict[Node, Check] = {}
        # Whether a predicate reads the current time.
        self.timed = False
        # The fields that the predicates read, by name.
        self.fields: dict[str, FieldDecl] = {}
        pending = [
            part
            for ident, (node, tolerant) in enumerate(predicates)
            for part in self._pending(ident, node, tolerant)
        ]
        self._by_number = list(self._slots)
        self._nodes = list(self._checks)
        self._in_arrays = frozenset(number for slot, number in self._slots.items() if slot.each)
        self._root = self._bucket(pending)
        self._read = [
            (_variable(decl.name), compile_node(Field(decl.type, decl))) for decl in self.fields.values()
        ]

    def accepting(self, row: Mapping[str, Any], now: Mapping[str, Any] = NONE) -> set[int]:
        """The ids of the predicates that accept a row at the time `now`.

        Raises PredicatError if a value does not fit the type of its field.
        """
        values: Values = {**now, **{key: read(row) for key, read in self._read}}
        hits: Hits = [self._root]
        accepted: set[int] = set()
        for bucket in hits:  # probes append to it
            for probe in bucket.probes:
                probe(values, hits)
            for ident, checks in bucket.leaf:
                for check in checks:
                    if check(values) is not True:
                        break
                else:
                    accepted.add(ident)
        return accepted

    # --- what is indexed

    def _pending(self, ident: int, node: Node, tolerant: bool) -> Iterator[_Pending]:
        self.fields.update(fields_of(node))
        self.timed = self.timed or reads_now(node)
        bound = _over_variables(node if tolerant else solved(node))
        for alternative in [bound] if tolerant else alternatives(bound):
            left: list[_Condition] = []
            for item in conjuncts(alternative, tolerant=tolerant):
                if item.cover is not None and not item.cover.tests:
                    break  # it never holds
                left.append(
                    _Condition(
                        self._check(item.node, tolerant),
                        tuple(map(self._asked, item.cover.tests)) if item.cover is not None else None,
                        item.cover is not None and item.cover.exact,
                    )
                )
            else:
                yield _Pending(ident, tuple(sorted(left, key=lambda item: item.tests is None)))

    def _check(self, node: Node, tolerant: bool) -> int:
        """The number of a condition. If the filter accepts UNKNOWN, UNKNOWN counts as TRUE."""
        whole = Call(BOOLEAN, "coalesce", (node, TRUE), node.span) if tolerant else node
        number = self._checks.setdefault(whole, len(self._checks))
        self._uses[number] += 1
        return number

    def _asked(self, access: Access) -> _Asked:
        slot = _Slot(access.key, access.folded, access.each)
        return self._slots.setdefault(slot, len(self._slots)), access.test, access.absent

    # --- buckets

    def _bucket(self, pending: Sequence[_Pending]) -> Bucket:
        if len(pending) <= _MAX_LEAF:
            return Bucket([self._leaf(item) for item in pending])
        asked = (test for item in pending for cond in item.left if cond.tests for test in cond.tests)
        shares = Selectivity(asked, self._in_arrays)
        leaf: list[tuple[int, tuple[Check, ...]]] = []
        placed: dict[int, list[tuple[Test, bool, _Pending]]] = {}
        for item in pending:
            best = _best(item, shares)
            if best is None:
                leaf.append(self._leaf(item))
                continue
            rest = _without(item, best)
            for slot, test, absent in best.tests or ():
                placed.setdefault(slot, []).append((test, absent, rest))
        return Bucket(leaf, self._probes(placed))

    def _leaf(self, item: _Pending) -> tuple[int, tuple[Check, ...]]:
        return item.ident, tuple(self._compiled_check(condition.check) for condition in item.left)

    def _compiled_check(self, number: int) -> Check:
        """The evaluator of a condition. If several filters have the condition, it runs once per row."""
        known = self._compiled.get(number)
        if known is None:
            function = _over_values(self._nodes[number])
            known = self._compiled[number] = (
                remembered(function, number) if self._uses[number] > 1 else function
            )
        return known

    # --- probes

    def _probes(self, placed: Mapping[int, Sequence[tuple[Test, bool, _Pending]]]) -> list[Probe]:
        """The probes of the slots: of elements of arrays, of keys of maps, and of all others."""
        plain: list[Probe] = []
        gated: dict[Node, dict[str, list[tuple[Probe, Member]]]] = {}
        arrays: dict[tuple[Node, ...], list[Probe]] = {}
        for number, tests in placed.items():
            slot = self._by_number[number]
            lookups = list(self._lookups(tests))
            made = probes.probe(self._reader(number, slot), lookups)
            door = _gate_of(slot, tests)
            if slot.each:
                arrays.setdefault(slot.each, []).append(made)
            elif door is not None:
                itself = isinstance(slot.key, Call) and slot.key.args[0] is door[0] and not slot.folded
                member = probes.of_member(lookups) if itself else probes.of_values(made)
                gated.setdefault(door[0], {}).setdefault(door[1], []).append((made, member))
            else:
                plain.append(made)
        for base, keyed in gated.items():
            if len(keyed) < _MIN_GATED_KEYS:
                plain += (made for several in keyed.values() for made, _ in several)
            else:
                members = {key: [member for _, member in several] for key, several in keyed.items()}
                plain.append(probes.gate(self._source(base, compile_members), members, member_of(base)))
        plain += (self._elements(each, inner) for each, inner in arrays.items())
        return plain

    def _elements(self, each: tuple[Node, ...], inner: list[Probe]) -> Probe:
        """The probes of the elements of arrays, from the innermost array outwards."""
        for level in reversed(range(len(each))):
            source = self._source(each[level], compile_items)
            inner = [probes.elements(source, element_name(level), inner)]
        return inner[0]

    def _source(self, node: Node, compiled: Callable[[Node], Eval]) -> Check:
        read = self._sources.get(node)
        if read is None:
            read = self._sources[node] = partial(compiled(node), {})
        return read

    def _reader(self, number: int, slot: _Slot) -> Check:
        """The function that reads the value of a slot. It remembers the value, except of a plain field."""
        read = self._readers.get(number)
        if read is None:
            function = _over_values(slot.key)
            if slot.folded:
                function = _folded(function)
            plain = isinstance(slot.key, Variable) and not slot.folded
            read = function if plain or slot.each else remembered(function, -1 - number)
            self._readers[number] = read
        return read

    def _lookups(self, tests: Sequence[tuple[Test, bool, _Pending]]) -> Iterator[Lookup]:
        equal: dict[Any, list[_Pending]] = {}
        prefix: dict[str, list[_Pending]] = {}
        within: dict[str, list[_Pending]] = {}
        present: list[_Pending] = []
        between: list[tuple[Between, _Pending]] = []
        for test, absent, item in tests:
            if absent or isinstance(test, Absent):
                equal.setdefault(None, []).append(item)
            match test:
                case Equal():
                    for value in test.values:
                        equal.setdefault(value, []).append(item)
                case Between():
                    between.append((test, item))
                case Prefix():
                    prefix.setdefault(test.text, []).append(item)
                case Contains():
                    within.setdefault(probes.gram(test.text), []).append(item)
                case Present():
                    present.append(item)
                case Absent():
                    pass
        if equal:
            yield probes.equality(self._buckets(equal))
        if prefix:
            yield probes.prefixes(self._buckets(prefix))
        if within:
            yield probes.substrings(self._buckets(within))
        if present:
            yield probes.presence(self._bucket(present))
        if between:
            yield self._intervals(between)

    def _buckets(self, placed: Mapping[Any, Sequence[_Pending]]) -> dict[Any, Bucket]:
        return {key: self._bucket(items) for key, items in placed.items()}

    def _intervals(self, between: Sequence[tuple[Between, _Pending]]) -> Lookup:
        tree = probes.Intervals(test for test, _ in between)
        nodes: dict[int, list[_Pending]] = {}
        for test, item in between:
            for place in tree.places(test):
                nodes.setdefault(place, []).append(item)
        return tree.lookup(self._buckets(nodes))


def _best(item: _Pending, shares: Selectivity) -> _Condition | None:
    """The condition that is expected to be true for the fewest rows; None if each is true for most rows."""
    best, least = None, _MAX_SHARE
    for condition in item.left:
        if condition.tests is None:
            continue
        share = sum(shares.share(*test) for test in condition.tests)
        if share < least:
            best, least = condition, share
    return best


def _without(item: _Pending, condition: _Condition) -> _Pending:
    """The remaining conditions of a filter in the bucket of one of them.

    If the tests of that condition are exact, it is left out; otherwise it stays, to be evaluated. A test that
    finds a string by some of its characters is not exact.
    """
    decides = condition.exact and not any(isinstance(test, Contains) for _, test, _ in condition.tests or ())
    kept = (replace(condition, tests=None),) if not decides else ()
    return _Pending(item.ident, (*(other for other in item.left if other is not condition), *kept))


def _gate_of(slot: _Slot, tests: Sequence[tuple[Test, bool, _Pending]]) -> tuple[Node, str] | None:
    """The map or JSON object and the key that a slot reads; None if a test is true for a missing key."""
    if slot.each or any(absent or isinstance(test, Absent) for test, absent, _ in tests):
        return None
    gate_ = None
    node = slot.key
    while isinstance(node, Call) and node.op in STRICT and node.args:
        if (
            node.op in BY_KEY
            and isinstance(node.args[1], Literal)
            and not isinstance(node.args[0].type, StructType)
        ):
            gate_ = node.args[0], str(node.args[1].value)
        node = node.args[0]
    return gate_


_MISSING = object()


def remembered(function: Check, number: int) -> Check:
    """The function with a memory: it is called once per row."""

    def run(values: Values) -> Any:
        value = values.get(number, _MISSING)
        if value is _MISSING:
            value = values[number] = function(values)
        return value

    return run


def _over_values(node: Node) -> Check:
    """The evaluator of a node over variables: it needs no row."""
    return partial(compile_node(node), {})


def _folded(function: Check) -> Check:
    def run(values: Values) -> Any:
        value = function(values)
        return None if value is None else casefold.fold(value)

    return run


def _variable(field: str) -> str:
    """The variable for a field."""
    return f"{OF_FIELD}{field}"


def _over_variables(node: Node) -> Node:
    """The predicate over variables in place of its fields, whose values are converted once for all
    filters.
    """
    if isinstance(node, Field):
        return Variable(node.type, _variable(node.decl.name), node.span)
    if isinstance(node, Parameter) and node.decl == NOW:
        return Variable(node.type, NOW.name, node.span)
    return rewrite_children(node, _over_variables)
