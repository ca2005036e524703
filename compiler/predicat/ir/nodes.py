"""The typed nodes of the surface and the core: a closed union, so a `match` over it ends in assert_never."""

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

    `nulls` is "absent" (NULL is a missing value: any use of it is UNKNOWN) or "value" (NULL is CEL's null).
    `stored` is the declared width of a number that is narrower than `bigint` or `double` (`int`, `float`),
    otherwise "". `columns` maps an engine ("spark", "postgres") to the physical column if it differs from the
    name, `expressions` to the SQL that it is read from instead of a column. `least` and `greatest` are the
    declared range, None for no limit. Values of a `sensitive` field are masked where people see them.
    """

    name: str
    type: Type
    description: str = ""
    nulls: str = "absent"
    columns: tuple[tuple[str, str], ...] = ()
    stored: str = ""
    least: Value = None
    greatest: Value = None
    expressions: tuple[tuple[str, str], ...] = ()
    sensitive: bool = False

    @property
    def shown_type(self) -> str:
        """The type as it was declared, such as `int`, although its expressions are `bigint`."""
        return self.stored or str(self.type)

    def column(self, engine: str) -> str:
        """The name of the physical column on this engine, or the expression that stands for it."""
        if self.expressions and (text := self.expression(engine)):
            return text
        return dict(self.columns).get(engine, self.name) if self.columns else self.name

    def expression(self, engine: str) -> str:
        """The SQL that the field is read from on this engine; "" if it is a column."""
        return dict(self.expressions).get(engine, "") if self.expressions else ""


class ParamDecl(Struct, frozen=True, gc=False):
    """A parameter of a filter. If it is `required`, callers must give a value."""

    name: str
    type: Type
    default: Value = None
    required: bool = False
    description: str = ""


# The current time, a parameter that needs no declaration. Engines have a function for it, callers of the
# evaluator may set it, and proofs hold for all its values. No other parameter can have this name: it is not
# an identifier.
NOW = ParamDecl("now()", TIMESTAMP, required=True, description="The current time.")


class _Typed(Struct, frozen=True, eq=False, gc=False):
    """The base of nodes: two nodes are equal if they have equal contents, whatever their positions are."""

    _said: ClassVar[attrgetter[tuple[object, ...]]]

    def __init_subclass__(cls) -> None:
        cls._said = attrgetter(*(name for name in cls.__annotations__ if name not in ("span", "stored")))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._said(self) == self._said(other)

    def __ne__(self, other: object) -> bool:
        return not self == other  # the method of msgspec would also compare positions

    def __hash__(self) -> int:
        return hash(self._said(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._said(self)}"


class Literal(_Typed, frozen=True, eq=False, gc=False):
    """A constant of a type. The value None is NULL (UNKNOWN for booleans).

    0.0 and -0.0 are two constants, though they are equal numbers: 1 / x tells them apart. `stored` is the
    type of a column that its author gave it.
    """

    type: Type
    value: Value
    span: Span = NOWHERE
    stored: str = ""

    def __eq__(self, other: object) -> bool:
        return _Typed.__eq__(self, other) and (
            not isinstance(self.value, float) or self.value != 0.0 or repr(self) == repr(other)
        )

    __hash__ = _Typed.__hash__


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
    """The element that an enclosing Quantifier binds. `stored` is as that of a field, if it is known."""

    type: Type
    name: str
    span: Span = NOWHERE
    stored: str = ""


class Items(_Typed, frozen=True, eq=False, gc=False):
    """A list of expressions, the right side of `in`. The check expands all other lists, and all maps.

    In a map (its type is a MapType) each item is a pair of a key and its value.
    """

    type: Type
    items: tuple[Node, ...]
    span: Span = NOWHERE


class Call(_Typed, frozen=True, eq=False, gc=False):
    """A call of an operator of the operator table, with arguments that match one of its signatures."""

    type: Type
    op: str
    args: tuple[Node, ...]
    span: Span = NOWHERE


class Quantifier(_Typed, frozen=True, eq=False, gc=False):
    """A macro over an array or a JSON array.

    `any` and `all` have error-absorbing Kleene logic over the elements; `any` of an empty array is FALSE,
    `all` of it TRUE. `one` is TRUE if the body is TRUE for exactly one element; `filter` and `map` return
    arrays. These three are UNKNOWN if the body is UNKNOWN for an element. All macros are UNKNOWN over a NULL
    array. Source: CEL specification, macros.
    """

    type: Type
    kind: str
    variable: str
    source: Node
    body: Node
    span: Span = NOWHERE


Node = Literal | Field | Parameter | Variable | Items | Call | Quantifier

# The nodes without parts.
LEAVES = (Field, Literal, Parameter, Variable)

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
    """The value that a macro ranges over: its elements, or, for a source `json_items(value)`, the elements or
    keys of the JSON value.
    """
    return source.args[0] if isinstance(source, Call) and source.op == "json_items" else source


def rewrite_children(node: Node, rewrite: Callable[[Node], Node]) -> Node:
    """The node with each direct part rewritten; the same object if no part changed."""
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
    """The node with one part replaced. `old` is found by identity."""
    return new if node is old else rewrite_children(node, lambda part: replaced(part, old, new))


def substituted(node: Node, old: Node, new: Node) -> Node:
    """The node with each part that equals `old` replaced."""
    return new if node == old else rewrite_children(node, lambda part: substituted(part, old, new))


def walk(node: Node) -> Iterator[Node]:
    """A node and all its parts, in pre-order."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack += (node.args if isinstance(node, Call) else children(node))[::-1]


def element_of(node: Node) -> Type | None:
    """The type of the elements of an array; None for other nodes."""
    return node.type.element if isinstance(node.type, ArrayType) else None


def fields_of(node: Node) -> dict[str, FieldDecl]:
    """The fields that a node reads, by name, in the order of first use."""
    return {part.decl.name: part.decl for part in walk(node) if isinstance(part, Field)}


def code_of(node: Node) -> list[str]:
    """The names of the Python classes that a node calls, in order."""
    return [
        str(part.args[0].value)
        for part in walk(node)
        if isinstance(part, Call) and part.op == "entry_filter" and isinstance(part.args[0], Literal)
    ]


def params_of(node: Node) -> dict[str, ParamDecl]:
    """The free parameters of a node, by name, without the current time."""
    return {name: decl for name, decl in inputs_of(node).items() if name != NOW.name}


def inputs_of(node: Node) -> dict[str, ParamDecl]:
    """The free parameters of a node, by name, and the current time (`NOW`) if the node reads it."""
    return {part.decl.name: part.decl for part in walk(node) if isinstance(part, Parameter)}


def reads_now(node: Node) -> bool:
    """Whether a node reads the current time."""
    return NOW.name in inputs_of(node)
