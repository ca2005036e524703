"""The typed nodes: the surface and the core. A closed union; `match` over it ends in
assert_never.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter, is_
from typing import ClassVar

from msgspec import Struct

from predicat.diagnostics import NOWHERE, Span
from predicat.ir.syntax import Value
from predicat.ir.types import BOOLEAN, TIMESTAMP, ArrayType, Type


class FieldDecl(Struct, frozen=True, gc=False):
    """A declared field of a dataset.

    `nulls` is "absent" (a NULL is a missing value: any use of it is UNKNOWN) or "value" (a NULL is CEL's
    null). `stored` is the width of a number that is declared narrower than `bigint` and `double` (`int`,
    `float`), "" otherwise.
    `columns` maps an engine ("spark", "postgres") to the physical column, where it differs from the name.
    `least` and `greatest` are the ends of its declared range, None where it has none.
    """

    name: str
    type: Type
    description: str = ""
    nulls: str = "absent"
    columns: tuple[tuple[str, str], ...] = ()
    stored: str = ""
    least: Value = None
    greatest: Value = None

    @property
    def shown_type(self) -> str:
        """The type as it is declared: `int`, though expressions of it are `bigint`."""
        return self.stored or str(self.type)

    def column(self, engine: str) -> str:
        """The name of the physical column on an engine."""
        return dict(self.columns).get(engine, self.name) if self.columns else self.name


class ParamDecl(Struct, frozen=True, gc=False):
    """A parameter of a filter; a parameter without a default must be given."""

    name: str
    type: Type
    default: Value = None
    required: bool = False
    description: str = ""


NOW = ParamDecl("now()", TIMESTAMP, required=True, description="The current time.")
"""The current time: a parameter that nobody declares. Engines have a function for it, the evaluator's callers
may give it, and proofs hold for all its values. No other parameter has this name: theirs are identifiers.
"""


class _Typed(Struct, frozen=True, eq=False, gc=False):
    """What nodes share: two are equal if they say the same, wherever they stand."""

    _said: ClassVar[attrgetter[tuple[object, ...]]]

    def __init_subclass__(cls) -> None:
        cls._said = attrgetter(*(name for name in cls.__annotations__ if name != "span"))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._said(self) == self._said(other)

    def __ne__(self, other: object) -> bool:
        return not self == other  # msgspec's own would compare the places as well

    def __hash__(self) -> int:
        return hash(self._said(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._said(self)}"


class Literal(_Typed, frozen=True, eq=False, gc=False):
    """A constant of a type; value None is NULL, that is UNKNOWN."""

    type: Type
    value: Value
    span: Span = NOWHERE


class Field(_Typed, frozen=True, eq=False, gc=False):
    """A field of the row."""

    type: Type
    decl: FieldDecl
    span: Span = NOWHERE


class Parameter(_Typed, frozen=True, eq=False, gc=False):
    """A parameter of the filter."""

    type: Type
    decl: ParamDecl
    span: Span = NOWHERE


class Variable(_Typed, frozen=True, eq=False, gc=False):
    """The element that an enclosing Quantifier binds."""

    type: Type
    name: str
    span: Span = NOWHERE


class Items(_Typed, frozen=True, eq=False, gc=False):
    """A list of expressions, the right side of `in`. The check takes every other list, and all maps, apart.

    A map (its type is a MapType) has items of two: a key and its value.
    """

    type: Type
    items: tuple[Node, ...]
    span: Span = NOWHERE


class Call(_Typed, frozen=True, eq=False, gc=False):
    """An operator of the operator table with arguments that fit one of its signatures."""

    type: Type
    op: str
    args: tuple[Node, ...]
    span: Span = NOWHERE


class Quantifier(_Typed, frozen=True, eq=False, gc=False):
    """A macro over an array, or over a JSON value that is one.

    `any` and `all` have error-absorbing Kleene logic over the elements; `any` of an empty array is FALSE,
    `all` of it TRUE.
    `one` is TRUE if the body is TRUE for just one element; `filter` and `map` give arrays: these three are
    UNKNOWN if the
    body is for any element. All are UNKNOWN over a NULL array. Source: CEL specification, macros.
    """

    type: Type
    kind: str
    variable: str
    source: Node
    body: Node
    span: Span = NOWHERE


Node = Literal | Field | Parameter | Variable | Items | Call | Quantifier

LEAVES = (Field, Literal, Parameter, Variable)
"""The nodes without parts."""

TRUE = Literal(BOOLEAN, True)
FALSE = Literal(BOOLEAN, False)
UNKNOWN = Literal(BOOLEAN, None)


def children(node: Node) -> tuple[Node, ...]:
    """The direct parts of a node."""
    match node:
        case Call():
            return node.args
        case Items():
            return node.items
        case Quantifier():
            return (node.source, node.body)
        case _:
            return ()


def ranged_over(source: Node) -> Node:
    """The value whose elements a macro ranges over, or, where that is another node than its source, whose
    elements or keys.
    """
    return source.args[0] if isinstance(source, Call) and source.op == "json_items" else source


def rewrite_children(node: Node, rewrite: Callable[[Node], Node]) -> Node:
    """The node with each direct part rewritten; the same object where no part changed."""
    match node:
        case Call():
            args = tuple(map(rewrite, node.args))
            same = all(map(is_, args, node.args))
            return node if same else Call(node.type, node.op, args, node.span)
        case Items():
            items = tuple(map(rewrite, node.items))
            same = all(map(is_, items, node.items))
            return node if same else Items(node.type, items, node.span)
        case Quantifier():
            source, body = rewrite(node.source), rewrite(node.body)
            same = source is node.source and body is node.body
            return node if same else Quantifier(node.type, node.kind, node.variable, source, body, node.span)
        case _:
            return node


def replaced(node: Node, old: Node, new: Node) -> Node:
    """The node with one part of it, that very object, replaced by another."""
    return new if node is old else rewrite_children(node, lambda part: replaced(part, old, new))


def walk(node: Node) -> Iterator[Node]:
    """A node and all its parts, in pre-order."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack += (node.args if isinstance(node, Call) else children(node))[::-1]


def element_of(node: Node) -> Type | None:
    """The type of the elements of an array; None where a node is none."""
    return node.type.element if isinstance(node.type, ArrayType) else None


def fields_of(node: Node) -> dict[str, FieldDecl]:
    """The fields that a node reads, by name, in the order of first use."""
    return {part.decl.name: part.decl for part in walk(node) if isinstance(part, Field)}


def code_of(node: Node) -> list[str]:
    """The Python classes that a node asks, in order."""
    return [
        str(part.args[0].value)
        for part in walk(node)
        if isinstance(part, Call) and part.op == "entry_filter" and isinstance(part.args[0], Literal)
    ]


def params_of(node: Node) -> dict[str, ParamDecl]:
    """The free parameters of a node, by name, without the current time."""
    return {name: decl for name, decl in inputs_of(node).items() if name != NOW.name}


def inputs_of(node: Node) -> dict[str, ParamDecl]:
    """The free parameters of a node, by name, and the current time (`NOW`) if it reads that."""
    return {part.decl.name: part.decl for part in walk(node) if isinstance(part, Parameter)}


def reads_now(node: Node) -> bool:
    """Whether a node reads the current time."""
    return NOW.name in inputs_of(node)
