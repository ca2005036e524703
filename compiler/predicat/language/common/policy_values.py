"""The values of a policy or pattern: the test of each on one value of a message."""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from msgspec import Struct

from predicat.diagnostics import Span
from predicat.diagnostics.messages import policies as say
from predicat.ir import syntax as t
from predicat.ir.types import BIGINT, JSON, STRING, Type
from predicat.language.common.body import Body
from predicat.language.common.data import DataReader
from predicat.language.common.policy_spelling import AFFIXED, COMPARED
from predicat.language.common.trees import all_of, any_of, apply, cast_to, decided, negated, present
from predicat.semantics import cidr, like

Test = Callable[[t.Tree, Type], t.Tree]
_BUT = ("prefix", "suffix", "wildcard", "equals-ignore-case")


class Flavor(Struct, frozen=True):
    """The features of a service.

    `what`: its name for a policy. `empty`: whether a prefix, a suffix and a wildcard may be empty. `mixed`:
    whether `anything-but` supports strings and numbers together. `limit`: the largest number, with `decimals`
    decimal places; without a limit any double is allowed. `any_case_suffix`: whether `suffix` supports
    `equals-ignore-case`. `addresses`: whether a string with an IPv6 address is matched in all its spellings.
    `reserved`: names that are not allowed as keys in `$or`.
    """

    what: str
    operators: tuple[str, ...]
    empty: bool
    mixed: bool
    any_case_suffix: bool
    addresses: bool = False
    limit: float = math.inf
    decimals: int | None = None
    reserved: tuple[str, ...] = ()


class ValueReader(DataReader):
    """Reads the values of a key."""

    nested = False

    def __init__(self, body: Body, flavor: Flavor) -> None:
        super().__init__(body)
        self.flavor = flavor

    def test(self, value: Any) -> Test:
        """The test of a value of a policy; not for `{"exists": false}`, which tests for no value."""
        if not isinstance(value, Mapping):
            return self.exact(value)
        outer, self.whole = self.whole, self.span(value)  # a number in it has no place of its own
        try:
            operator, wanted = self.only(value, "a condition", self.flavor.operators)
            return self.operator(operator, wanted)
        finally:
            self.whole = outer

    def operator(self, operator: str, wanted: Any) -> Test:
        """The test of an operator such as `prefix`. Raises Stop for an operand that it does not support."""
        span = self.span(wanted)
        match operator:
            case "exists":
                return self.exists(wanted)
            case "exactly":
                return self.exact(self.text(wanted, operator, empty=True))
            case "prefix" | "suffix":
                return self.affix(operator, wanted)
            case "anything-but":
                return self.anything_but(wanted)
            case "equals-ignore-case":
                text = self.text(wanted, operator, empty=self.flavor.empty)
                return lambda key, kind: apply(
                    "equals_ci", key.span, _text(key, kind), t.Constant(text, span)
                )
            case "wildcard":
                pattern = self.wildcard(wanted)
                return lambda key, kind: apply("like", key.span, _text(key, kind), t.Constant(pattern, span))
            case "numeric":
                return self.numeric(wanted)
            case _:
                return _matching(self.cidr(wanted), span)

    def exists(self, wanted: Any) -> Test:
        """The test of `{"exists": true}` or `{"exists": false}`."""
        if not isinstance(wanted, bool):
            raise self.bad(wanted, "exists", say.true_or_false())
        return lambda key, kind: (
            negated(decided(any_of(self.containers(key), key.span))) if kind == JSON else present(key)
        )

    def containers(self, key: t.Tree) -> tuple[t.Tree, ...]:
        """The outcome for objects and arrays, which have no value themselves."""
        return tuple(
            apply("json_is", key.span, key, t.Constant(kind, key.span)) for kind in ("object", "array")
        )

    def exact(self, value: Any) -> Test:
        """The test for one value: a string, a number, true, false or null."""
        span = self.span(value)
        if value is None:
            return self.null
        if isinstance(value, bool):
            shown = "true" if value else "false"
            return lambda key, kind: _equal(
                key, kind, "json_boolean", t.Constant(shown if kind == STRING else bool(value), span)
            )
        if isinstance(value, int | float):
            self.in_range(value)
            return lambda key, kind: apply(
                "eq", key.span, self.as_number(key, kind), t.Constant(float(value), span)
            )
        text = self.text(value, "a value", empty=True)
        spellings = _matching(cidr.patterns(text), span) if self.flavor.addresses and _is_v6(text) else None

        def run(key: t.Tree, kind: Type) -> t.Tree:
            same = _equal(key, kind, "json_string", t.Constant(text, span))
            return same if spellings is None else any_of((same, spellings(key, kind)), key.span)

        return run

    def null(self, key: t.Tree, kind: Type) -> t.Tree:
        """The test for JSON's null. Raises Stop for columns: their NULL means that the key is missing."""
        if kind != JSON:
            raise self.bad(None, "null", say.null_or_absent())
        return apply("is_null", key.span, key)

    def affix(self, operator: str, value: Any) -> Test:
        """The test of `prefix` or `suffix`."""
        if isinstance(value, Mapping):
            _, inner = self.only(value, operator, ("equals-ignore-case",))
            if operator == "suffix" and not self.flavor.any_case_suffix:
                raise self.bad(value, "suffix", say.no_case_insensitive_suffix())
            text, span = self.text(inner, "equals-ignore-case", empty=self.flavor.empty), self.span(inner)
            name, text = (
                ("starts_with_ci", text) if operator == "prefix" else ("like_ci", f"%{like.escaped(text)}")
            )
        else:
            text, span = self.text(value, operator, empty=self.flavor.empty), self.span(value)
            name = AFFIXED[operator]
        return lambda key, kind: apply(name, key.span, _text(key, kind), t.Constant(text, span))

    def anything_but(self, value: Any) -> Test:
        """Present, and not one of the values; or without that prefix, suffix or pattern."""
        if isinstance(value, Mapping):
            operator, inner = self.only(value, "anything-but", _BUT)
            values = [self.but(operator, one) for one in (inner if isinstance(inner, list) else [inner])]
        else:
            values = value if isinstance(value, list) else [value]
        if not values:
            raise self.bad(value, "anything-but", say.no_value())
        if any(one is None or (isinstance(one, bool) and not self.flavor.mixed) for one in values):
            raise self.bad(value, "anything-but", say.texts_or_numbers())
        if not self.flavor.mixed and len({isinstance(one, int | float) for one in values}) > 1:
            raise self.bad(value, "anything-but", say.values_texts_or_numbers())
        tests = [self.test(one) for one in values]

        def run(key: t.Tree, kind: Type) -> t.Tree:
            if kind == JSON:
                return negated(
                    decided(any_of((*self.containers(key), *(test(key, kind) for test in tests)), key.span))
                )
            hits = any_of(tuple(decided(test(key, kind)) for test in tests), key.span)
            return all_of((present(key), negated(hits)), key.span)

        return run

    def but(self, operator: str, value: Any) -> dict[str, Any]:
        """An operator inside `anything-but`, after a check of its operand."""
        if not isinstance(value, str) or (not value and operator in ("prefix", "suffix")):
            self.text(value, operator)
        return {operator: value}

    def wildcard(self, value: Any) -> str:
        """The LIKE pattern of a wildcard, in which `*` matches any string and a backslash escapes."""
        text = self.text(value, "wildcard", empty=self.flavor.empty)
        unescaped = re.sub(r"\\[*\\]", "", text)
        if "**" in unescaped:
            raise self.bad(value, "wildcard", say.two_wildcards())
        if re.search(r"\\(?![*\\])", unescaped):
            raise self.bad(value, "wildcard", say.lone_backslash())
        pieces = re.findall(r"\\[*\\]|\*|[^*\\]+", text)
        return "".join("%" if piece == "*" else like.escaped(piece.removeprefix("\\")) for piece in pieces)

    def numeric(self, value: Any) -> Test:
        """The test of `numeric`: one comparison, or a lower and an upper bound."""
        parts = self.listed(value, "numeric", 2)
        pairs = [(str(parts[index]), parts[index + 1]) for index in range(0, len(parts) - 1, 2)]
        signs = [sign for sign, _ in pairs]
        ordered = len(pairs) == 1 or (len(pairs) == 2 and signs[0][:1] == ">" and signs[1][:1] == "<")
        if len(parts) % 2 or not ordered or any(sign not in COMPARED for sign in signs):
            raise self.bad(value, "numeric", say.numeric_form())
        for _, number in pairs:
            self.in_range(number)
        if len(pairs) == 2 and pairs[0][1] >= pairs[1][1]:
            raise self.bad(value, "numeric", say.empty_range())
        span = self.span(value)

        def run(key: t.Tree, kind: Type) -> t.Tree:
            tests = tuple(
                apply(COMPARED[sign], key.span, self.as_number(key, kind), t.Constant(float(number), span))
                for sign, number in pairs
            )
            return all_of(tests, key.span)

        return run

    def in_range(self, value: Any) -> None:
        """Check that the service compares a number exactly. Raises Stop."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.bad(value, "numeric", say.no_number(value))
        limit, decimals = self.flavor.limit, self.flavor.decimals
        if decimals is not None and (abs(value) > limit or round(value, decimals) != value):
            raise self.bad(value, "numeric", say.not_within(value, limit))
        if decimals is None and not _is_double(value):
            raise self.bad(value, "numeric", say.no_double_number(value))

    def as_number(self, key: t.Tree, kind: Type) -> t.Tree:
        """A key as a number: a string attribute is converted, a string in a body equals no number."""
        if kind in (STRING, BIGINT) or (kind == JSON and not self.nested):
            return cast_to("to_double", key)
        return apply("json_number", key.span, key) if kind == JSON else key

    def cidr(self, value: Any) -> list[str]:
        """A network as patterns of its addresses."""
        text = self.text(value, "cidr")
        try:
            return cidr.patterns(text)
        except ValueError:
            raise self.bad(value, "cidr", say.no_network(text)) from None


def is_absence(value: Any) -> bool:
    """Whether a value is `{"exists": false}` alone."""
    return isinstance(value, Mapping) and len(value) == 1 and value.get("exists") is False


def _text(key: t.Tree, kind: Type) -> t.Tree:
    return apply("json_string", key.span, key) if kind == JSON else key


def _equal(key: t.Tree, kind: Type, read: str, constant: t.Tree) -> t.Tree:
    return apply("eq", key.span, apply(read, key.span, key) if kind == JSON else key, constant)


def _matching(patterns: list[str], span: Span) -> Test:
    return lambda key, kind: any_of(
        tuple(apply("matches", key.span, _text(key, kind), t.Constant(one, span)) for one in patterns),
        key.span,
    )


def _is_v6(text: str) -> bool:
    try:
        return ":" in text and ipaddress.ip_address(text).version == 6
    except ValueError:
        return False


def _is_double(value: float) -> bool:
    """Whether a number is a double exactly."""
    try:
        double = float(value)
    except OverflowError:
        return False
    return math.isfinite(double) and Decimal(str(double)) == Decimal(str(value))
