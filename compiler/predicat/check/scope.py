"""The rules of a language, and the names that a body may use."""

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
    """The rules of a language.

    Attributes:
        widens_numbers: An integer is converted to a double, and a string constant to a date or timestamp, if
            an operator needs that (SQL).
        null_is_value: Fields declared `nulls: value` compare like CEL's null.
        json_null_is_value: So do JSON nulls inside of a `json` field that is declared `nulls: value`.
        strict_lists: A missing element makes the whole list an error.
        ieee_division: Doubles are divided by IEEE 754, and integers overflow as in CEL.
        absorbs_constants: If a constant alone decides AND, OR or a choice, the types of the other arguments
            are not checked.
        case_insensitive_names: No name may differ only in case from the variable of a macro (SQL).
        total_order: NaN equals itself and is above every number, as in SQL engines.
        reads_literals: A string constant beside a number or a boolean is converted to it (SQL).
        casts_of_text: Casts accept the strings that all engines accept, not those of CEL's conversions.
        decimal_arithmetic: Sums, differences and products of decimals are exact; otherwise they are doubles.
        unlimited_decimals: Decimals have unlimited digits, or more than 38 are an error. Otherwise the
            language rounds to 38 digits (Spark).
        interval_fields: A part of an interval is one of its fields, as in SQL engines; otherwise the whole
            duration in that unit.
        names_now: `now` is the current time, unless a field or parameter has that name.
        ansi: Spark's ANSI mode.
        ends_at_errors: An error in an operand of AND and OR rejects the message, unless an operand before it
            decides (CESQL). Otherwise they are Kleene's.
        not_binds_first: NOT before a test by LIKE or IN would negate the operand of the test: an error
            (CESQL). Otherwise it negates the test.
        absent_differs: `!=` is also TRUE of a missing key (Pub/Sub). Otherwise it is FALSE.
        json_scalars: A string constant beside a JSON value is the text of JSON (DuckDB).
        json_constants: A string constant beside a JSON value is JSON, and JSON null is a value (PostgreSQL).
    """

    widens_numbers: bool
    null_is_value: bool
    json_null_is_value: bool = False
    strict_lists: bool = False
    ieee_division: bool = False
    absorbs_constants: bool = False
    case_insensitive_names: bool = False
    total_order: bool = False
    reads_literals: bool = False
    casts_of_text: bool = False
    decimal_arithmetic: bool = False
    unlimited_decimals: bool = False
    interval_fields: bool = False
    names_now: bool = False
    ansi: bool = True
    absent_differs: bool = False
    ends_at_errors: bool = False
    not_binds_first: bool = False
    json_constants: bool = False
    json_scalars: bool = False


SQL_RULES = Rules(
    widens_numbers=True,
    null_is_value=False,
    case_insensitive_names=True,
    total_order=True,
    reads_literals=True,
    casts_of_text=True,
    decimal_arithmetic=True,
    interval_fields=True,
)
SPARK_RULES = SQL_RULES
SPARK_WITHOUT_ANSI_RULES = replace(SPARK_RULES, ansi=False)
DUCKDB_RULES = replace(SPARK_RULES, unlimited_decimals=True, json_scalars=True)
POSTGRES_RULES = replace(SPARK_RULES, unlimited_decimals=True, json_constants=True)
JMS_RULES = Rules(widens_numbers=True, null_is_value=False, ieee_division=True)
CEL_RULES = Rules(
    widens_numbers=False,
    null_is_value=True,
    json_null_is_value=True,
    strict_lists=True,
    ieee_division=True,
    absorbs_constants=True,
)
CESQL_RULES = replace(CEL_RULES, ends_at_errors=True, not_binds_first=True)
PUBSUB_RULES = replace(CEL_RULES, absent_differs=True)
CEL_TEXT_RULES = replace(CEL_RULES, names_now=True)


class Scope(Struct, frozen=True):
    """The names that a body may use. If `fields` is None, any name is a field of dynamic (JSON-like) type.

    `enums` has the constants of enumerations, such as `Status.ACTIVE`; a field of the same name takes
    precedence. `doubts` collects expressions on which engines differ (`sql`): their first meaning is used. If
    it is None, such an expression is an error. `lists` has the types and values of the lists `lists.NAME`.
    `placeholders`: `${name}` in a string constant stands for the parameter of that name, if there is one.
    `tables` has the names of the dataset's relation, which may stand before a field; None for any.
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
    tables: frozenset[str] | None = None


class Stop(Exception):
    """A part has a problem that is already reported. Its parents report nothing."""
