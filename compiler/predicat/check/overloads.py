"""Calls of operators: the matching signature, and the conversions of arguments that it needs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod

from msgspec import Struct, field

from predicat.check import json_casts, json_constants, signatures
from predicat.check.integer_widths import Known
from predicat.check.scope import Rules, Scope, Stop
from predicat.diagnostics import Diagnostic, Reporter, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import check as say
from predicat.diagnostics.messages import sql_functions as numbers
from predicat.diagnostics.messages import sql_json
from predicat.forms import decimals, json_values
from predicat.forms.conversions import convert, is_joined, is_union, union_width
from predicat.ir.labels import label
from predicat.ir.limits import MAX_VALUES
from predicat.ir.nodes import Call, Field, Literal, Node, Variable
from predicat.ir.operators import CHOICES, LOGIC, ZONED
from predicat.ir.time_zones import is_zone, zone_names
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    DURATION,
    JSON,
    MAX_PRECISION,
    NULL,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    Scalar,
    Type,
    is_numeric,
)
from predicat.ir.values import PERIOD_LENGTHS, PERIOD_MONTHS
from predicat.semantics import captures, regex

_IN = re.compile(r"\s*in\b")
# The casts in hints, by the type that an operator needs.
_CAST_TO = {
    "string": "STRING",
    "bigint": "BIGINT",
    "double": "DOUBLE",
    "timestamp": "TIMESTAMP",
    "date": "DATE",
    "boolean": "BOOLEAN",
}


def _nearest(op: str, kinds: Sequence[str]) -> Sequence[str]:
    """The parameters of the signature that takes most of the types as they are, and the others by a cast."""

    def near(params: Sequence[str]) -> tuple[int, bool]:
        pairs = list(zip(kinds, params, strict=False))
        others = [wanted for kind, wanted in pairs if kind != wanted]
        return len(pairs) - len(others), all(wanted in _CAST_TO for wanted in others)

    return max((row.params for row in signatures.signatures(op)), key=near)


class OverloadResolver(Struct):
    """Resolves calls of operators with typed arguments, and reports problems."""

    scope: Scope
    rules: Rules
    reporter: Reporter = field(default_factory=Reporter)
    variables: dict[str, Node] = field(default_factory=dict[str, Node])
    null_elements: frozenset[str] = frozenset()
    """The variables of macros over JSON arrays whose null elements are values."""
    numbers: dict[int, tuple[Node, Known]] = field(default_factory=dict[int, tuple[Node, Known]])
    """The widths of integers, by the identity of their nodes."""
    synthetic: int = 0

    def fail(self, diagnostic: Diagnostic) -> Stop:
        """Report a problem. The caller raises the returned exception."""
        self.reporter.add(diagnostic)
        return Stop()

    def doubt(self, diagnostic: Diagnostic) -> None:
        """Report that engines differ. Raises Stop unless the scope collects doubts."""
        if self.scope.doubts is None:
            raise self.fail(diagnostic)
        if diagnostic not in self.scope.doubts:
            self.scope.doubts.append(diagnostic)

    def call(self, op: str, args: list[Node], span: Span) -> Call:
        """A call of an operator of the table, with the conversions of its arguments.

        Most operators are UNKNOWN if an argument is NULL.

        Raises:
            Stop: No signature fits, or an argument must be a constant of some form. It is reported.
        """
        args = list(map(self.one_type, args))
        for position in signatures.constant_positions(op):
            if position < len(args) and not isinstance(args[position], Literal):
                raise self.fail(
                    msg.not_constant(
                        args[position].span,
                        label(op, sql=self.rules.widens_numbers),
                        _constant_name(op, position),
                    )
                )
        self.pattern(op, args)
        if self.rules.decimal_arithmetic and decimals.is_exact(op, args):
            return self.exact(op, args, span)
        if self.rules.decimal_arithmetic and (chosen := self.one_decimal(op, args, span)) is not None:
            return chosen
        if self.rules.widens_numbers:
            args = self.sql_arithmetic(op, args)
        kinds = tuple(arg.type for arg in args)
        match = signatures.find(op, kinds, widens_numbers=self.rules.widens_numbers, mixed_numbers=False)
        if match is None:
            raise self.fail(self.mismatch(op, args, span))
        args = self.documents(args, match.wanted)
        converted = tuple(convert(arg, kind) for arg, kind in zip(args, match.wanted, strict=True))
        return Call(match.result, op, converted, span)

    def documents(self, args: list[Node], wanted: Sequence[Type]) -> list[Node]:
        """The arguments, with JSON values as conditions where DuckDB casts them. Raises Stop for a JSON value
        as a string or a number, which engines do not accept, or take with its quotes.
        """
        if not self.rules.json_constants and not self.rules.json_scalars:
            return args
        result = list[Node]()
        for arg, kind in zip(args, wanted, strict=True):
            wrong = arg.type == JSON != kind
            if wrong and (kind != BOOLEAN or self.rules.json_constants):
                number = "DOUBLE" if self.rules.json_scalars else "numeric"
                text = json_constants.spelled(arg, "->>")
                raise self.fail(sql_json.document_as(arg.span, text, kind, number))
            result.append(json_casts.cast(arg, kind, arg.span) if wrong else arg)
        return result

    def mismatch(self, op: str, args: list[Node], span: Span) -> Diagnostic:
        """The message why an operator does not support its arguments."""
        kinds = tuple(arg.type for arg in args)
        tests = args[:1] if op == "cond" else args if op in LOGIC else []
        wrong = next((arg for arg in tests if arg.type != BOOLEAN), None)
        if wrong is not None:
            if op == "not" and _IN.match(wrong.span.source.text, wrong.span.end) is not None:
                return msg.not_before_in(wrong.span, str(wrong.type), wrong.span.text)
            return msg.no_condition(wrong.span, str(wrong.type))
        if op in CHOICES:
            names = dict.fromkeys(map(str, kinds[1:] if op == "cond" else kinds))
            return msg.several_types(
                span,
                "a choice" if op == "cond" else label(op, sql=self.rules.widens_numbers),
                names,
                self.number_hint(kinds),
            )
        takes = signatures.expected(op, decimals=self.rules.decimal_arithmetic)
        hint = self.number_hint(kinds) or self.time_hint(op, args) or self.cast_hint(op, args)
        if not self.rules.widens_numbers:
            hint = self.hint_by_kind(op, kinds[0]) or hint
        return msg.type_mismatch(span, label(op, sql=self.rules.widens_numbers), map(str, kinds), takes, hint)

    @staticmethod
    def hint_by_kind(op: str, kind: Type) -> str | None:
        """A hint for an operator of another kind of value, in a language of expressions."""
        if op == "contains" and isinstance(kind, ArrayType):
            return say.IN_A_LIST
        return say.PART_OF_A_STRING if op in ("get", "index") and kind == STRING else None

    def one_type(self, node: Node) -> Node:
        """The node. Raises Stop if it is a choice between values of different types, or a `joined` list."""
        if not isinstance(node, Call):
            return node  # the common case
        if is_union(node):
            if json_values.is_total(node):
                raise self.fail(say.sum_of_unknown_types(node.span))
            raise self.fail(say.choice_of_types(node.span))
        return self.no_joined(node)

    def no_joined(self, node: Node) -> Node:
        """The node. Raises Stop if it is a `joined` list, some of whose parts may not be lists."""
        if is_joined(node):
            raise self.fail(say.joined_list(node.span))
        return node

    def split_union(self, args: list[Node], span: Span) -> tuple[Node, list[list[Node]]] | None:
        """The test of the first argument that is a choice between values of different types, and the
        arguments once for each of these values. None if there is no such argument.
        """
        for place, arg in enumerate(args):
            if is_union(arg):
                self.check_union_width(args, span)
                test, *values = arg.args
                return test, [[*args[:place], value, *args[place + 1 :]] for value in values]
        return None

    def check_union_width(self, nodes: list[Node], span: Span) -> None:
        """Raises Stop if choices between values of different types have too many combinations."""
        count = prod(map(union_width, nodes))
        if count > MAX_VALUES:
            raise self.fail(say.too_many_values(span, count, MAX_VALUES))

    def pattern(self, op: str, args: list[Node]) -> None:
        """Raises Stop for a constant that is an invalid regular expression, separator, unit or time zone."""
        for position in signatures.constant_positions(op):
            node = args[position] if position < len(args) else None
            if not isinstance(node, Literal) or not isinstance(node.value, str):
                continue
            if op == "matches":
                try:
                    regex.parse(node.value)
                except regex.RegexError as error:
                    raise self.fail(msg.bad_regex(node.span, str(error), error.hint)) from None
            elif op in ("regex_extract", "regex_replace") and position == 1:
                self.found_part(op, args)
            elif op == "split" and not node.value:
                raise self.fail(say.empty_separator(node.span))
            elif op == "date_trunc" and node.value not in PERIOD_LENGTHS | PERIOD_MONTHS:
                raise self.fail(say.bad_unit(node.span, node.value))
            elif op in ZONED and not is_zone(node.value):
                raise self.fail(say.bad_zone(node.span, node.value, zone_names()))

    def found_part(self, op: str, args: list[Node]) -> None:
        """Raises Stop if a pattern does not find the same part of a string on all engines."""
        pattern, beside = args[1], args[2]
        if not isinstance(pattern, Literal) or not isinstance(beside, Literal) or beside.value is None:
            return
        try:
            pattern_ = captures.parse(str(pattern.value))
            if op == "regex_replace":
                captures.check_replacement(pattern_, str(beside.value))
            elif isinstance(beside.value, int):
                captures.check_group(pattern_, beside.value)
        except regex.RegexError as error:
            raise self.fail(msg.bad_regex(pattern.span, str(error), error.hint)) from None

    def exact(self, op: str, args: list[Node], span: Span) -> Call:
        """Exact arithmetic of decimals. Raises Stop if an engine would round the result."""
        args = list(map(decimals.as_exact, args))
        digits = decimals.digits(op, args)
        rounds = digits.rounded_by_spark and not self.rules.unlimited_decimals
        if digits.scale > MAX_PRECISION or rounds:
            raise self.fail(numbers.too_many_digits_of_result(span, digits.precision, digits.scale))
        return Call(digits.type(), op, tuple(args), span)

    def one_decimal(self, op: str, args: list[Node], span: Span) -> Call | None:
        """A choice between decimals and integers as a decimal of one type; None for other calls."""
        first = CHOICES.get(op, 0)
        kind = decimals.common(args[first:]) if op in CHOICES else None
        if kind is None or any(test.type != BOOLEAN for test in args[:first]):
            return None
        return Call(kind, op, (*args[:first], *(decimals.as_type(arg, kind) for arg in args[first:])), span)

    def sql_arithmetic(self, op: str, args: list[Node]) -> list[Node]:
        """The arguments of arithmetic with decimals as doubles: the engines disagree about the digits."""
        if op not in ("add", "sub", "mul", "div", "neg", "abs"):
            return args
        return [convert(arg, DOUBLE) if isinstance(arg.type, DecimalType) else arg for arg in args]

    def time_hint(self, op: str, args: list[Node]) -> str | None:
        """A hint how to read a JSON value as the timestamp that an operator needs, or None."""
        takes = {row.params[0] for row in signatures.signatures(op)}
        return (
            json_values.declared_hint(args[0], TIMESTAMP)
            if args[0].type == JSON and "timestamp" in takes
            else None
        )

    def cast_hint(self, op: str, args: list[Node]) -> str | None:
        """A hint how to cast an argument in SQL to a type of the operator's nearest signature, or None."""
        if not self.rules.widens_numbers:
            return None
        kinds = [arg.type for arg in args]
        if op == "add" and kinds == [STRING, STRING]:
            return say.JOIN_OR_CONVERT
        if op == "shift_left" and kinds == [STRING, STRING]:
            return say.NETWORK_IN_CEL
        if op in ("add", "sub") and TIMESTAMP in kinds and any(map(is_numeric, kinds)):
            return say.NUMBER_OF_DAYS
        if DURATION in kinds and any(map(is_numeric, kinds)):
            return say.SECONDS_OF_INTERVAL
        for arg, wanted in zip(args, _nearest(op, [str(kind) for kind in kinds]), strict=False):
            known = isinstance(arg.type, Scalar | DecimalType) and arg.type not in (JSON, NULL)
            if isinstance(arg.type, ArrayType) and wanted in _CAST_TO:
                return say.ASK_FOR_AN_ELEMENT
            if known and wanted in _CAST_TO and str(arg.type) != wanted:
                return say.convert_it(arg.span.text, _CAST_TO[wanted])
        return None

    def number_hint(self, kinds: tuple[Type, ...]) -> str | None:
        """A hint how to write an integer as a double, for a language that does not convert it, or None."""
        if not self.rules.widens_numbers and BIGINT in kinds and (DOUBLE in kinds or JSON in kinds):
            return say.INTEGER_WITH_A_POINT
        return None

    def nullable_value(self, node: Node) -> bool:
        """Whether a node is a field whose NULL is a value, by the language's rules."""
        if not isinstance(node, Field) or (node.type == JSON and self.rules.json_null_is_value):
            return False  # JSON has its own cases: see json_nulls
        return self.rules.null_is_value and node.decl.nulls == "value"

    def element(self, kind: Type, span: Span) -> Variable:
        """The variable of a generated macro, with an unused name."""
        name = ""
        while (
            not name
            or name in self.variables
            or name in self.scope.params
            or name in (self.scope.fields or ())
        ):
            self.synthetic += 1
            name = f"item{self.synthetic}"
        return Variable(kind, name, span)


def _constant_name(op: str, position: int) -> str:
    """The name of an argument that must be a constant, for messages."""
    if op in ZONED:
        return "time zone"
    if op == "split":
        return "separator" if position == 1 else "limit"
    return {"strip": "characters", "date_trunc": "unit", "in_units": "unit", "member": "name"}.get(
        op, "pattern"
    )
