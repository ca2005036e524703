"""What a body may use: rules of languages, and names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from predicat.diagnostics import Diagnostic, Span
from predicat.ir.nodes import FieldDecl, Node, ParamDecl
from predicat.ir.types import Type
from predicat.ir.value_sets import ValueSet

Resolve = Callable[[str, tuple[tuple[str, Node], ...], Span], Node]


class Rules(Struct, frozen=True):
    """What a language lets pass.

    Attributes:
        widens_numbers: An integer may stand where a double is wanted, and a text constant where a date or
            timestamp is (SQL).
        null_is_value: Fields declared `nulls: value` compare as CEL's null does.
        strict_lists: A list with an absent element is an error as a whole.
        ieee_division: Doubles divide as IEEE 754 has it, and whole numbers overflow as in CEL.
        absorbs_constants: Beside a constant that decides AND, OR or a choice alone, the type of what it
            passes over counts for nothing.
        case_insensitive_names: No name differs from that of a macro's variable by capital letters alone
            (SQL).
        engine_order: NaN equals itself and is above every number, as in SQL engines.
        reads_literals: A text constant beside a number or a truth value is one (SQL).
        casts_of_text: Casts take the texts that both engines take, not those of CEL's conversions.
        decimal_arithmetic: Sums, differences and products of decimals are exact; else they are doubles.
        unlimited_decimals: The language has no bound for their digits, or an error beyond 38. Otherwise it
            rounds there (Spark).
        interval_fields: A part of a length of time is one of its fields, as in SQL engines; else the whole
            length in that unit.
        names_now: `now` is the current time where no field or parameter has that name.
        ansi: Texts are compared as in Spark's ANSI mode, not as without it.
    """

    widens_numbers: bool
    null_is_value: bool
    strict_lists: bool = False
    ieee_division: bool = False
    absorbs_constants: bool = False
    case_insensitive_names: bool = False
    engine_order: bool = False
    reads_literals: bool = False
    casts_of_text: bool = False
    decimal_arithmetic: bool = False
    unlimited_decimals: bool = False
    interval_fields: bool = False
    names_now: bool = False
    ansi: bool = True


SQL_RULES = Rules(
    widens_numbers=True,
    null_is_value=False,
    case_insensitive_names=True,
    engine_order=True,
    reads_literals=True,
    casts_of_text=True,
    decimal_arithmetic=True,
    interval_fields=True,
)
SPARK_RULES = SQL_RULES
SPARK_WITHOUT_ANSI_RULES = replace(SPARK_RULES, ansi=False)
POSTGRES_RULES = replace(SPARK_RULES, unlimited_decimals=True)
DUCKDB_RULES = POSTGRES_RULES
JMS_RULES = Rules(widens_numbers=True, null_is_value=False, ieee_division=True)
CEL_RULES = Rules(
    widens_numbers=False, null_is_value=True, strict_lists=True, ieee_division=True, absorbs_constants=True
)
CEL_TEXT_RULES = replace(CEL_RULES, names_now=True)


class Scope(Struct, frozen=True):
    """The names that a body may use. `fields` None: any name is a field of dynamic (JSON-like) type.

    `enums` has the constants that are named by an enumeration and a word, `Status.ACTIVE`; a field of such a
    name goes before.
    `doubts` takes what engines mean differently (`sql`), where its first meaning is to hold; None: that is an
    error.
    `lists` has the types and values of what bodies name `lists.NAME`.
    `placeholders`: `${name}` in a text constant stands for the parameter of that name, if there is one.
    """

    fields: Mapping[str, FieldDecl] | None
    params: Mapping[str, ParamDecl] = field(default_factory=dict[str, ParamDecl])
    resolve: Resolve | None = None
    enums: Mapping[str, int | str] = field(default_factory=dict[str, int | str])
    placeholders: bool = False
    doubts: list[Diagnostic] | None = None
    lists: Mapping[str, tuple[Type, tuple[Any, ...] | ValueSet]] = field(
        default_factory=dict[str, tuple[Type, tuple[Any, ...] | ValueSet]]
    )


class Stop(Exception):
    """A part has a problem that is reported already; its parents say nothing."""
