"""Pairs of predicates by chance, where proofs go wrong: arrays in arrays, wide decimals beside doubles, JSON,
fields of every name.

All of it is made from a number, so that a pair that fails is found again by its number.
"""

import random
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from predicat.ir.nodes import (
    Call,
    Field,
    FieldDecl,
    Items,
    Literal,
    Node,
    Quantifier,
    Variable,
    children,
    walk,
)
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, STRING, ArrayType, StructType, Type, parse_type
from predicat.testing.mutants import mutants
from tests.review.hostile import POOLS

NAMES = [
    "length xs",
    "null a",
    "xs[0]",
    "m['k']",
    "a b",
    "a:bigint b",
    "b:double 1",
    "v1",
    "v2",
    "n!1",
    ":p",
    "\x01x",
    "é",
    "$x",
    "(and",
    "x)",
    "x",
    "X",
    "'",
    '"',
    "a.b",
    "a.c",
    "element 0",
    "item",
    "opaque",
    "true",
    "\\",
    "😀",
    " ",
    "1",
    "-1",
    "round",
    "if",
    "k!0",
    "Select",
    "%",
    "\n",
    "int",
    "field",
    "[",
    "]",
]
KINDS = {
    "n": "bigint",
    "k": "bigint",
    "b": "double",
    "c": "double",
    "w": "decimal(38,20)",
    "e": "decimal(15,2)",
    "s": "string",
    "p": "boolean",
    "t": "timestamp",
    "xs": "array<bigint>",
    "ys": "array<bigint>",
    "ss": "array<string>",
    "aa": "array<array<bigint>>",
    "rs": "array<struct<x: bigint, tags: array<string>>>",
    "m": "map<string, string>",
    "j": "json",
}
_ORDER = ("eq", "ne", "lt", "le", "gt", "ge")
_INTS = [0, 1, 2, 3, 7, -1, 1000, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)]
_FLOATS = [
    0.0,
    -0.0,
    1.0,
    2.0,
    0.1,
    1.5,
    -2.5,
    1e300,
    5e-324,
    float(2**53),
    float("nan"),
    float("inf"),
    float("-inf"),
]
_FINE = [
    Decimal(text)
    for text in (
        "0",
        "0.1",
        "0.10000000000000000001",
        "1",
        "1.5",
        "-2.5",
        "123456789012345678.12345678901234567890",
    )
]
_TEXTS = ["", "a", "A", "b", "ab", "7"]
_SIZES = [0, 1, 2, 3, 5, 999, 1000, 1001, 2000]
Scope = dict[str, Type]


class Maker:
    """Predicates over fields of one of all kinds, by chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        names = self.chance.sample(NAMES, len(KINDS)) if self.chance.random() < 0.4 else list(KINDS)
        self.fields = {
            key: FieldDecl(name, parse_type(kind))
            for (key, kind), name in zip(KINDS.items(), names, strict=True)
        }
        self.variables = 0

    def pair(self) -> tuple[Node, Node]:
        before, after = self.predicate(3), self.predicate(2)
        match self.chance.randrange(5):
            case 0:
                found = list(mutants(before))
                return before, self.chance.choice(found).node if found else after
            case 1:
                return Call(BOOLEAN, "and", (before, after)), before
            case 2:
                return Call(BOOLEAN, "not", (Call(BOOLEAN, "not", (before,)),)), before
            case 3:
                return Call(BOOLEAN, "and", (before, after)), Call(BOOLEAN, "and", (after, before))
            case _:
                return before, after

    def predicate(self, depth: int, scope: Scope | None = None) -> Node:
        scope = scope or {}
        if depth <= 0 or self.chance.random() < 0.15:
            return self.test(scope)
        choice = self.chance.random()
        if choice < 0.4:
            return Call(
                BOOLEAN,
                self.chance.choice(["and", "or"]),
                tuple(self.predicate(depth - 1, scope) for _ in range(self.chance.choice([2, 2, 3]))),
            )
        if choice < 0.5:
            return Call(
                BOOLEAN,
                self.chance.choice(["not", "is_true", "is_null"]),
                (self.predicate(depth - 1, scope),),
            )
        return self.macro(depth, scope) if choice < 0.8 else self.test(scope)

    def macro(self, depth: int, scope: Scope) -> Node:
        source = self.array(scope)
        # The name of a variable around is taken now and then: the inner one hides it.
        name = self.chance.choice(list(scope)) if scope and self.chance.random() < 0.2 else f"v{len(scope)}"
        element = source.type.element if isinstance(source.type, ArrayType) else JSON
        kind = self.chance.choice(["any", "any", "all", "all", "one"])
        inner = {**scope, name: element}
        body = (
            self.about(Variable(element, name), inner)
            if self.chance.random() < 0.6
            else self.predicate(depth - 1, inner)
        )
        return Quantifier(BOOLEAN, kind, name, source, body)

    def array(self, scope: Scope) -> Node:
        own = [
            Variable(kind, name)
            for name, kind in scope.items()
            if isinstance(kind, ArrayType) or kind == JSON
        ]
        own += [
            Call(kind.get("tags"), "member", (Variable(kind, name), Literal(STRING, "tags")))  # type: ignore[arg-type]  # it has tags
            for name, kind in scope.items()
            if isinstance(kind, StructType)
        ]
        if own and self.chance.random() < 0.6:
            return self.chance.choice(own)
        return self.chance.choice(
            [
                *(self.field(key) for key in ("xs", "xs", "ys", "ss", "aa", "rs")),
                Call(JSON, "json_get", (self.field("j"), Literal(STRING, "a"))),
            ]
        )

    def field(self, key: str) -> Field:
        return Field(self.fields[key].type, self.fields[key])

    def about(self, node: Node, scope: Scope) -> Node:
        """A test of a value."""
        kind = node.type
        if kind == BIGINT:
            return self.compared(node, self.integer(scope))
        if kind == STRING:
            return self.compared(node, Literal(STRING, self.chance.choice(_TEXTS)))
        if isinstance(kind, StructType):
            return self.compared(Call(BIGINT, "member", (node, Literal(STRING, "x"))), self.integer(scope))
        if kind == JSON:
            return self.compared(
                Call(DOUBLE, "json_number", (node,)), Literal(DOUBLE, self.chance.choice(_FLOATS))
            )
        if self.chance.random() < 0.5:
            return Call(BOOLEAN, "in", (self.integer(scope), node))
        return self.compared(Call(BIGINT, "size", (node,)), Literal(BIGINT, self.chance.choice(_SIZES)))

    def compared(self, left: Node, right: Node) -> Node:
        return Call(BOOLEAN, self.chance.choice(_ORDER), (left, right))

    def test(self, scope: Scope) -> Node:
        if scope and self.chance.random() < 0.6:
            name, kind = self.chance.choice(list(scope.items()))
            return self.about(Variable(kind, name), scope)
        tests: list[Callable[[], Node]] = [
            lambda: self.compared(self.integer(scope), self.integer(scope)),
            lambda: self.compared(self.double(), self.double()),
            lambda: self.compared(self.field("w"), Literal(self.field("w").type, self.chance.choice(_FINE))),
            lambda: self.compared(
                self.field("e"),
                Literal(parse_type("decimal(3,2)"), Decimal(self.chance.choice(["0.1", "0.11", "-3.5"]))),
            ),
            lambda: self.compared(
                Call(DOUBLE, "to_double", (self.field(self.chance.choice("we")),)), self.double()
            ),
            lambda: self.compared(self.field("n"), self.double()),
            lambda: self.compared(self.field("s"), Literal(STRING, self.chance.choice(_TEXTS))),
            lambda: self.compared(
                Call(STRING, "get", (self.field("m"), Literal(STRING, self.chance.choice("kK")))),
                self.field("s"),
            ),
            lambda: self.compared(
                Call(BIGINT, "size", (self.field(self.chance.choice(["xs", "ss", "aa"])),)),
                Literal(BIGINT, self.chance.choice(_SIZES)),
            ),
            lambda: Call(BOOLEAN, "in", (self.integer(scope), self.field("xs"))),
            lambda: Call(
                BOOLEAN,
                "in",
                (self.field("n"), Items(ArrayType(BIGINT), (Literal(BIGINT, 1), self.integer({})))),
            ),
            lambda: self.compared(Call(DOUBLE, "json_number", (self.json(),)), self.double()),
            lambda: Call(
                BOOLEAN,
                "json_is",
                (self.json(), Literal(STRING, self.chance.choice(["string", "number", "array", "object"]))),
            ),
            lambda: Call(
                BOOLEAN,
                "is_null",
                (self.chance.choice([self.field(self.chance.choice(list(KINDS))), self.json()]),),
            ),
            lambda: self.field("p"),
        ]
        return self.chance.choice(tests)()

    def json(self) -> Node:
        found: Node = Call(JSON, "json_get", (self.field("j"), Literal(STRING, self.chance.choice("ab"))))
        return (
            Call(JSON, "json_at", (found, Literal(BIGINT, self.chance.choice([0, 1, -1]))))
            if self.chance.random() < 0.3
            else found
        )

    def integer(self, scope: Scope) -> Node:
        own = [Variable(kind, name) for name, kind in scope.items() if kind == BIGINT]
        choice = self.chance.random()
        if own and choice < 0.4:
            return self.chance.choice(own)
        if choice < 0.6:
            return Literal(BIGINT, self.chance.choice(_INTS))
        if choice < 0.7:
            return Call(
                BIGINT,
                self.chance.choice(["add", "sub", "mul", "div", "mod"]),
                (self.integer(scope), Literal(BIGINT, self.chance.choice(_INTS))),
            )
        if choice < 0.75:
            return Call(
                BIGINT, "index", (self.field("xs"), Literal(BIGINT, self.chance.choice([0, 1, 4, -1])))
            )
        return self.field(self.chance.choice("nk"))

    def double(self) -> Node:
        choice = self.chance.random()
        if choice < 0.35:
            return Literal(DOUBLE, self.chance.choice(_FLOATS))
        if choice < 0.5:
            return Call(
                DOUBLE,
                self.chance.choice(["add", "sub", "mul", "div", "fdiv"]),
                (self.double(), self.double()),
            )
        if choice < 0.6:
            return Call(DOUBLE, "to_double", (self.field(self.chance.choice("nkwe")),))
        if choice < 0.65:
            return Call(DOUBLE, self.chance.choice(["abs", "neg", "floor", "ceil"]), (self.double(),))
        return self.field(self.chance.choice("bc"))


# The elements of a long array; a macro in a macro looks at them too often.
_MOST_ELEMENTS = 4_000


def _size(value: Any) -> int:
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1


_SIZED = {kind: [(value, _size(value)) for value in values] for kind, values in POOLS.items()}


def rows(
    nodes: tuple[Node, Node], fields: dict[str, FieldDecl], count: int, seed: int
) -> Iterator[dict[str, Any]]:
    """Rows by chance, with arrays of up to 3,000 elements where no macro stands in another."""
    chance = random.Random(seed)
    read = {part.decl.name for node in nodes for part in walk(node) if isinstance(part, Field)}
    deep = max(_depth(node) for node in nodes)
    for _ in range(count):
        row: dict[str, Any] = {}
        for decl in fields.values():
            if decl.name in read and chance.random() < 0.9:
                most = 6 if deep > 1 else _MOST_ELEMENTS if chance.random() < 0.1 else 20
                values = [value for value, size in _SIZED[str(decl.type)] if size <= most]
                row[decl.name] = chance.choice(values)
                if isinstance(row[decl.name], list) and len(row[decl.name]) < 10 and chance.random() < 0.5:
                    row[decl.name] = [
                        chance.choice(row[decl.name] or [None]) for _ in range(chance.randrange(8))
                    ]
        yield row


def _depth(node: Node) -> int:
    return (1 if isinstance(node, Quantifier) else 0) + max(map(_depth, children(node)), default=0)
