"""The untyped tree: what every front end produces, with the place of each part."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from predicat.diagnostics import Span

Value = bool | int | float | Decimal | str | datetime | date | timedelta | None
"""A constant. Timestamps carry UTC; None is the NULL literal."""


@dataclass(frozen=True, slots=True)
class Const:
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Name:
    """A field, a bound variable, a parameter or the first part of a dotted name."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter that the language marks as one (`:minutes` in SQL)."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Member:
    """`base.key`: part of a dotted field name, a struct member, a map key or a JSON key."""

    base: Tree
    key: str
    span: Span


@dataclass(frozen=True, slots=True)
class ListOf:
    items: tuple[Tree, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class MapOf:
    """A map constant: its keys and values."""

    entries: tuple[tuple[Tree, Tree], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator of the operator table, applied to arguments."""

    op: str
    args: tuple[Tree, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Bind:
    """A macro over a list: `kind` is one of QUANTIFIERS; `body` sees the element as `variable`."""

    kind: str
    variable: str
    source: Tree
    body: Tree
    span: Span


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to another filter of the catalog, with values for its parameters."""

    name: str
    args: tuple[tuple[str, Tree], ...]
    span: Span


Tree = Const | Name | Param | Member | ListOf | MapOf | Apply | Bind | Ref
