"""Representative maps for tests of their size, of keys with a name and of any key: only which named keys they
have, with which kinds of values, what other kinds of entries, and how many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, count, islice, product
from math import prod
from typing import Any

from predicat.ir.nodes import (
    Call,
    Field,
    FieldDecl,
    Items,
    Literal,
    Node,
    Parameter,
    Quantifier,
    Variable,
    substituted,
    walk,
)
from predicat.ir.operators import EQUALITIES
from predicat.ir.types import BIGINT, BOOLEAN, STRING, ArrayType, MapType
from predicat.proof.cases.kinds import Kinds, check_closed
from predicat.proof.inputs import over_inputs
from predicat.values.automaton import Opaque
from predicat.values.outcomes import outcomes
from predicat.values.preimage import combines_tests, x_of

_MOST_MAPS = 2_000
_MOST_ENTRIES = 20


def is_whole(node: Node) -> Node | None:
    """The map that a part of a test reads as a whole."""
    match node:
        case Call(op="size" | "keys", args=(holder,)) if isinstance(holder.type, MapType):
            return holder
        case _:
            return None


class Maps:
    """The tests of a map, and its values."""

    def __init__(self, variable: Field, kind: MapType, kinds: Kinds) -> None:
        self.variable = variable
        self.kinds = kinds
        self.key = Field(STRING, FieldDecl("key", STRING))
        self.value = Field(kind.value, FieldDecl("value", kind.value))
        self.size = x_of(BIGINT)
        self.of_named: dict[str, list[Node]] = {}
        self.of_keys: list[Node] = []
        self.of_values: list[Node] = []
        # Where the outcome of a test of the size may change.
        self.sizes: set[int] = set()

    def take(self, node: Node) -> None:
        """Add a test. Raises Opaque if it asks for something else."""
        match node:
            case Literal():
                return
            case Call(op="is_null", args=(inner,)) if inner == self.variable:
                return
            case Call(op="in", args=(Literal(value=str(name)), Call(op="keys"))):
                self.of_named.setdefault(name, [])
            case Quantifier(kind="any" | "all", source=Call(op="keys")):
                own = Variable(STRING, node.variable)
                inside = Call(self.value.type, "get", (self.variable, own))
                self.entry(substituted(substituted(node.body, inside, self.value), own, self.key))
            case Call() if combines_tests(node):
                for arg in node.args:
                    self.take(arg)
            case Call():
                self.leaf(node)
            case _:
                raise Opaque

    def leaf(self, node: Call) -> None:
        """Add a test of the value of one key, or of the size."""
        read = {part for part in walk(node) if isinstance(part, Call) and part.op in ("get", "size")}
        if len(read) != 1:
            raise Opaque
        (only,) = read
        if only.op == "size":
            test = substituted(node, only, self.size)
            check_closed(test, self.size)
            self.sizes.update(outcomes(test, self.size).line().starts)
            return
        match only.args:
            case (holder, Literal(value=str(name))) if holder == self.variable:
                test = substituted(node, only, self.value)
                check_closed(test, self.value)
                self.of_named.setdefault(name, []).append(test)
            case _:
                raise Opaque

    def entry(self, node: Node) -> None:
        """Add a test of entries: each part of it is a test of the key or of the value."""
        reads = {part for part in walk(node) if isinstance(part, Field | Variable | Parameter)}
        if reads <= {self.key}:
            self.of_keys.append(node)
            for part in walk(node):
                if isinstance(part, Call) and part.op in (*EQUALITIES, "in") and self.key in part.args:
                    self.of_named = {**{name: [] for name in _texts(part)}, **self.of_named}
        elif reads <= {self.value}:
            self.of_values.append(node)
        elif combines_tests(node) and isinstance(node, Call):
            for arg in node.args:
                self.entry(arg)
        else:
            raise Opaque

    def values(self) -> Iterator[dict[str, Any]]:
        """Maps with all combinations of outcomes."""
        names = list(self.of_named)
        named = [
            [{}, *({name: value} for value, _ in self.kinds(self.value, [*own, *self.of_values]))]
            for name, own in self.of_named.items()
        ]
        is_named = Call(
            BOOLEAN,
            "in",
            (self.key, Items(ArrayType(STRING), tuple(Literal(STRING, name) for name in names))),
        )
        keys = [
            key
            for key, _ in self.kinds(self.key, [*self.of_keys, *([is_named] if names else [])])
            if key is not None and key not in names
        ]
        others = list(product(keys, [value for value, _ in self.kinds(self.value, self.of_values)]))
        if prod(map(len, named)) << len(others) > _MOST_MAPS:
            raise Opaque
        for chosen in product(*named):
            for some in (own for size in range(len(others) + 1) for own in combinations(others, size)):
                yield from self.lengthened([entry for one in chosen for entry in one.items()], some)

    def lengthened(
        self, entries: list[tuple[str, Any]], others: Sequence[tuple[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """The map with these entries, and larger ones with more of a kind: one for each range of sizes."""
        taken = {key for key, _ in entries}
        for kind, value in others:
            taken.add(key := next(self.alike(kind, taken)))
            entries = [*entries, (key, value)]
        yield dict(entries)
        if not others:
            return
        kind, value = others[0]
        for start in sorted(start for start in self.sizes if start > len(entries)):
            if start > _MOST_ENTRIES:
                raise Opaque
            more = islice(self.alike(kind, taken), start - len(entries))
            yield dict([*entries, *((key, value) for key in more)])

    def alike(self, kind: str, taken: set[str]) -> Iterator[str]:
        """Keys of a kind that are not taken. Raises Opaque if too few are known."""
        runs = [over_inputs(test) for test in self.of_keys]
        wanted = [run({"key": kind}) for run in runs]
        yield from (kind,) if kind not in taken else ()
        for number in islice(count(), 2 * _MOST_ENTRIES):
            for key in (f"{kind}{number}", f"{number}{kind}", f"{kind}{'a' * number}b"):
                if (
                    key not in taken
                    and key not in self.of_named
                    and [run({"key": key}) for run in runs] == wanted
                ):
                    yield key
                    break
        raise Opaque


def _texts(test: Call) -> Iterator[str]:
    for part in walk(test):
        if isinstance(part, Literal) and isinstance(part.value, str):
            yield part.value
