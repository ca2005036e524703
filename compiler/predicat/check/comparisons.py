"""Comparisons: equality, order and IN for all comparable types, and their results for NULL."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from predicat.check import (
    collection_literals,
    compare_collections,
    json_casts,
    json_constants,
    json_nulls,
    signatures,
    without_ansi,
)
from predicat.check.alignment import align, comparison_hint
from predicat.check.overloads import OverloadResolver
from predicat.check.protocol import Compares
from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import check as say
from predicat.forms import decimals, json_values, total_order
from predicat.forms.conversions import (
    beside_double,
    convert,
    is_dynamic,
    is_union,
    json_number,
    underlying,
)
from predicat.forms.logic import negated_if
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Parameter, Variable
from predicat.ir.operators import COMPARISONS, EQUALITIES
from predicat.ir.surface import NULL_IS_VALUE, is_look_up
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    JSON,
    NULL,
    STRING,
    TIMESTAMP,
    ArrayType,
    MapType,
    StructType,
    Type,
    is_numeric,
)
from predicat.ir.value_sets import ValueSet


class Comparisons(OverloadResolver):
    """Comparisons of typed arguments, by the rules of a language."""

    def comparison(self, op: str, args: list[Node], span: Span) -> Node:
        """`left op right`: an overload of OF_WRITTEN or OF_TYPES, otherwise `of_one_type`.

        The outcome is UNKNOWN if an operand is NULL, unless NULL is a value in the language.

        Raises:
            Stop: Values of these types are not comparable. It is reported.
        """
        left, right = args
        if (
            left.type is right.type
            and left.type in _PLAIN
            and op in COMPARISONS
            and not self.special(left)
            and not self.special(right)
        ):  # the common case, for which there are no overloads
            return Call(BOOLEAN, op, (left, right), span)
        for overload in OF_WRITTEN:
            if overload.fits(self, op, left, right):
                return overload.build(self, op, left, right, span)
        left, right = underlying(left), underlying(right)
        build = next((one.build for one in OF_TYPES if one.fits(self, op, left, right)), of_one_type)
        found = build(self, op, left, right, span)
        if build is of_null or JSON not in (left.type, right.type):
            return found
        if op == "in":
            return json_nulls.in_array(self, found, left, right, span)
        return json_nulls.compared(self, op, found, left, right, span) if op in EQUALITIES else found

    def special(self, node: Node) -> bool:
        """Whether a node has special comparison rules: it is dynamically typed, its NULL is a value, or it is
        the string of a JSON value.
        """
        text = (self.rules.json_constants and json_constants.is_document(self, node)) or (
            self.rules.json_scalars and json_constants.is_text_of_document(self, node)
        )
        return text or is_dynamic(node) or self.nullable_value(node)


# --- the overloads, in the order of the tables


def of_choice(check: Compares, op: str, left: Node, right: Node, span: Span) -> Node:
    """A comparison of a choice between values of different types: each value is compared."""
    chosen = check.split_union([left, right], span)
    assert chosen is not None  # noqa: S101  # one of them is a choice
    test, ways = chosen
    return Call(BOOLEAN, "cond", (test, *(check.comparison(op, way, span) for way in ways)), span)


def of_other_types(_check: Compares, op: str, left: Node, right: Node, span: Span) -> Node:
    """A comparison of values of incomparable types: they are not equal, and their order is UNKNOWN."""
    left, right = underlying(left), underlying(right)
    if op not in EQUALITIES:
        return Literal(BOOLEAN, None, span)
    return collection_literals.unknown_if_missing(Literal(BOOLEAN, op == "ne", span), [left, right], span)


def in_no_list(check: Compares, op: str, left: Node, right: Node, span: Span) -> Node:
    """IN with a right operand that has no elements. Always raises Stop."""
    raise check.fail(say.in_without_list(span, op, [str(left.type), str(right.type)]))


def of_null(check: Compares, op: str, left: Node, right: Node, span: Span) -> Node:
    """`x == null`: for a field or a look-up, whether the value is missing. A computed value is never null, so
    the result is FALSE, or UNKNOWN if there is no value.
    """
    other = right if _is_null(check, left) else left
    equal = json_nulls.equals_null(check, other, span)
    if equal is not None:
        return negated_if(op == "ne", equal, span)
    absent: Node = Call(BOOLEAN, "is_null", (other,), span)
    looked_up = isinstance(other, Field | Parameter | Variable) or is_look_up(other)
    if not looked_up and other.type != NULL:
        absent = Call(BOOLEAN, "cond", (absent, Literal(BOOLEAN, None), Literal(BOOLEAN, False)), span)
    return negated_if(op == "ne", absent, span)


def of_null_and_json(_check: Compares, op: str, left: Node, right: Node, span: Span) -> Node:
    """A comparison of NULL with a JSON value: UNKNOWN, but `same` tests whether the value is NULL."""
    known = left if left.type == JSON else right
    return Call(BOOLEAN, "is_null", (known,), span) if op == "same" else Literal(BOOLEAN, None, span)


def of_json(_check: Compares, op: str, left: Node, right: Node, span: Span) -> Node:
    """A comparison of two JSON values. The lowering compares them by their kinds."""
    return Call(BOOLEAN, op, (left, right), span)


def of_one_type(check: Compares, op: str, left: Node, right: Node, span: Span) -> Node:
    """A comparison of values of one type, or of comparable types such as numbers or times. Raises Stop."""
    if not check.rules.ansi and op in _SAME:
        left, right = without_ansi.truth_beside_number(left, right)
    if op != "in":
        left, right = align(check, left, right)
    left, right = decimals.unwidened(left), decimals.unwidened(right)
    left, right = json_number(left, right.type), json_number(right, left.type)
    left, right = decimals.as_decimal(left, right), decimals.as_decimal(right, left)
    if DOUBLE in (left.type, right.type):
        left, right = beside_double(left), beside_double(right)
    elif not decimals.fits((left, right)):
        return _wide_decimals(check, op, left, right, span)
    if op == "in" and isinstance(right.type, ArrayType) and _one_by_one(left, right.type.element):
        return compare_collections.in_elements(check, left, right, right.type.element, span)
    kinds = (left.type, right.type)
    match = signatures.find(op, kinds, widens_numbers=check.rules.widens_numbers, mixed_numbers=True)
    if match is None or isinstance(left.type, _NESTED) or kinds == (JSON, JSON):
        hint = comparison_hint(left, right)
        raise check.fail(msg.not_comparable(span, str(left.type), str(right.type), hint))
    pair = tuple(convert(arg, kind) for arg, kind in zip((left, right), match.wanted, strict=True))
    plain = Call(BOOLEAN, op, pair, span)
    if op in EQUALITIES and any(map(check.nullable_value, pair)):
        absent = [arg for arg in pair if not isinstance(arg, Literal) and not check.nullable_value(arg)]
        tests = (Call(BOOLEAN, "is_null", (arg,), span) for arg in absent)
        return Call(BOOLEAN, NULL_IS_VALUE, (plain, *tests), span)
    return total_order.with_nan_above(plain) if check.rules.total_order else plain


def _wide_decimals(check: Compares, op: str, left: Node, right: Node, span: Span) -> Node:
    """A comparison of decimals that have no common type. Raises Stop unless one operand is a constant."""
    if decimals.beside_constant(op, left, right) is None:
        raise check.fail(msg.too_many_digits(span, str(left.type), str(right.type)))
    return Call(BOOLEAN, op, (left, right), span)


def json_equality(check: Compares, op: str, left: Node, right: Node, span: Span) -> Node:
    """A JSON value equals a typed value if it is of the same kind and equal; a missing value is UNKNOWN."""
    json, other = (left, right) if left.type == JSON else (right, left)
    if isinstance(other, Items) and check.rules.strict_lists:
        return negated_if(op == "ne", compare_collections.json_equal_items(check, json, other, span), span)
    if not is_numeric(other.type) and other.type not in json_values.KINDS:
        raise check.fail(msg.not_comparable(span, str(left.type), str(right.type)))
    return Call(BOOLEAN, op, (left, right), span)


_PLAIN = frozenset((BIGINT, STRING, TIMESTAMP, DATE))
_COLLECTIONS = (ArrayType, MapType)
_NESTED = (*_COLLECTIONS, StructType)


def _one_by_one(left: Node, element: Type) -> bool:
    """Whether a value must be compared with each element of an array, because the search of the engines finds
    unequal values as well: NaN, or rounded numbers.
    """
    known = isinstance(left, Literal) and left.value == left.value  # NaN does not equal itself
    return (
        JSON in (left.type, element)
        or (is_numeric(left.type) and is_numeric(element) and left.type != element)
        or (left.type == DOUBLE and not known)
    )


# --- the tables of overloads

# A test of an operand.
Kind = Callable[[Compares, Node], bool]
Build = Callable[[Compares, str, Node, Node, Span], Node]


def _any(_check: Compares, _node: Node) -> bool:
    return True


def _is_choice(_check: Compares, node: Node) -> bool:
    return is_union(node)


def _is_written_map(_check: Compares, node: Node) -> bool:
    return collection_literals.is_map(node)


def _is_long_list(_check: Compares, node: Node) -> bool:
    return isinstance(node, Literal) and isinstance(node.value, ValueSet)


def _is_written(_check: Compares, node: Node) -> bool:
    return isinstance(node, Items)


def _is_collection(_check: Compares, node: Node) -> bool:
    return isinstance(node.type, _COLLECTIONS)


def _has_keys(_check: Compares, node: Node) -> bool:
    return isinstance(node.type, MapType) or node.type == JSON


def _is_no_array(_check: Compares, node: Node) -> bool:
    return not isinstance(node.type, ArrayType)


def _is_loose(_check: Compares, node: Node) -> bool:
    return is_dynamic(node)


def _is_null(_check: Compares, node: Node) -> bool:
    return isinstance(node, Literal) and node.type == NULL


def _is_null_type(_check: Compares, node: Node) -> bool:
    return node.type == NULL


def _is_json(_check: Compares, node: Node) -> bool:
    return node.type == JSON


def _is_typed(_check: Compares, node: Node) -> bool:
    return node.type != JSON


def _is_absent_or_json(check: Compares, node: Node) -> bool:
    return node.type == JSON and not check.nullable_value(node)


class Overload(Struct, frozen=True):
    """The meaning of operators for operands that pass the tests `left` and `right`."""

    ops: frozenset[str]
    left: Kind
    right: Kind
    build: Build
    either_way: bool = False
    """Whether the operands may also be swapped."""
    rule: str = ""
    """The rule of the language (see Rules) that the overload depends on."""
    unrelated: bool = False
    """Whether it is only for types that are not comparable."""

    def fits(self, check: Compares, op: str, left: Node, right: Node) -> bool:
        """Whether the overload applies to these operands."""
        if op not in self.ops or (self.rule and not getattr(check.rules, self.rule)):
            return False
        fits = (self.left(check, left) and self.right(check, right)) or (
            self.either_way and self.left(check, right) and self.right(check, left)
        )
        return fits and not (self.unrelated and _comparable(left, right))


def _comparable(left: Node, right: Node) -> bool:
    kinds = {left.type, right.type}
    return len(kinds) == 1 or all(map(is_numeric, kinds)) or NULL in kinds or JSON in kinds


_COMPARED = frozenset(COMPARISONS)
_EQUAL = frozenset(EQUALITIES)
_SAME = _EQUAL | {"same"}
_IN = frozenset({"in"})

# The overloads for choices, list and map literals, and dynamically typed values. The first that fits is
# used.
OF_WRITTEN = (
    Overload(_COMPARED | _SAME | _IN, _is_choice, _any, of_choice, either_way=True),
    Overload(
        _COMPARED | _SAME | _IN,
        json_constants.is_document,
        json_constants.is_given,
        json_constants.comparison,
        either_way=True,
        rule="json_constants",
    ),
    Overload(
        _SAME | _IN,
        json_constants.is_text_of_document,
        json_constants.is_text_constant,
        json_constants.comparison,
        either_way=True,
        rule="json_scalars",
    ),
    Overload(
        _COMPARED | _SAME | _IN,
        _is_json,
        json_constants.is_text_constant,
        json_constants.beside_text,
        either_way=True,
        rule="json_scalars",
    ),
    Overload(
        _COMPARED | _SAME,
        _is_json,
        json_casts.is_typed,
        json_casts.comparison,
        either_way=True,
        rule="json_scalars",
    ),
    Overload(_COMPARED | _SAME, _is_json, _is_json, json_casts.comparison, rule="json_scalars"),
    Overload(_IN, _is_json, json_casts.is_typed, json_casts.comparison, rule="json_scalars"),
    Overload(_IN, _any, _is_written_map, compare_collections.in_written_map),
    Overload(_IN, _any, _is_long_list, compare_collections.in_long_list),
    Overload(_IN, _any, _is_written, compare_collections.in_written_list),
    Overload(_IN, _any, _has_keys, compare_collections.in_keys, rule="strict_lists"),
    Overload(_EQUAL, _is_collection, _is_collection, compare_collections.of_collections),
    Overload(_EQUAL, _is_null_type, _is_written, compare_collections.of_null_and_written, either_way=True),
    Overload(_COMPARED | _SAME, _is_loose, _any, of_other_types, either_way=True, unrelated=True),
)
# The overloads for operands of known types. The first that fits is used.
OF_TYPES = (
    Overload(_IN, _any, _is_no_array, in_no_list),
    Overload(_SAME, _is_null, _any, of_null, either_way=True, rule="null_is_value"),
    Overload(_SAME, _is_null_type, _is_json, of_null_and_json, either_way=True),
    Overload(_EQUAL, _is_json, _is_typed, json_equality, either_way=True),
    Overload(_COMPARED, _is_absent_or_json, _is_absent_or_json, of_json),
)
