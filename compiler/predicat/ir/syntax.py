"""The untyped tree that every front end produces, with the position of each part."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal

from msgspec import Struct

from predicat.diagnostics import Diagnostic, PredicatError, Span
from predicat.ir.value_sets import ValueSet

# A constant. Timestamps carry UTC; None is the NULL literal. A set is the right side of `in_list` alone.
Value = bool | int | float | Decimal | str | datetime | date | timedelta | ValueSet | None


class Constant(Struct, frozen=True, gc=False):
    """A constant. `held` is the type of a column that its author gave it, such as `uuid`."""

    value: Value
    span: Span
    held: str = ""


class Name(Struct, frozen=True, gc=False):
    """A field, a bound variable, a parameter or the first part of a dotted name. `rooted`: not a variable,
    even if one has this name (CEL's `.x`).
    """

    name: str
    span: Span
    rooted: bool = False


class Param(Struct, frozen=True, gc=False):
    """A parameter with a mark in the language (`:minutes` in SQL)."""

    name: str
    span: Span


class Member(Struct, frozen=True, gc=False):
    """`base.key`: part of a dotted field name, a struct member, a map key or a JSON key."""

    base: Tree
    key: str
    span: Span


class ListLiteral(Struct, frozen=True, gc=False):
    """A list literal."""

    items: tuple[Tree, ...]
    span: Span


class MapLiteral(Struct, frozen=True, gc=False):
    """A map literal: its keys and values."""

    entries: tuple[tuple[Tree, Tree], ...]
    span: Span


class OperatorCall(Struct, frozen=True, gc=False):
    """An operator of the operator table, applied to arguments."""

    op: str
    args: tuple[Tree, ...]
    span: Span


class Macro(Struct, frozen=True, gc=False):
    """A macro over a list: `kind` is one of QUANTIFIERS; in `body`, `variable` is the element. For the kind
    `let`, `variable` is the source itself.
    """

    kind: str
    variable: str
    source: Tree
    body: Tree
    span: Span


class Ref(Struct, frozen=True, gc=False):
    """A reference to another filter of the catalog, with values for its parameters."""

    name: str
    args: tuple[tuple[str, Tree], ...]
    span: Span


Tree = Constant | Name | Param | Member | ListLiteral | MapLiteral | OperatorCall | Macro | Ref


class PartlyRead(PredicatError):
    """The problems of a text that a language cannot read, with the parts of it that it can: their problems
    are shown too. `variables` are names that lambdas and macros of the text define.
    """

    def __init__(
        self, diagnostics: Sequence[Diagnostic], parts: Sequence[Tree], variables: Collection[str] = ()
    ) -> None:
        super().__init__(diagnostics)
        self.parts, self.variables = tuple(parts), frozenset(variables)
