"""Comparisons of lists and maps, and IN, both for values of the row and for literals."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from predicat.check import collection_literals, json_nulls, without_ansi
from predicat.check.alignment import as_time, beside_items
from predicat.check.protocol import Compares
from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import check as say
from predicat.diagnostics.messages import lists as say_lists
from predicat.forms import decimals, json_values
from predicat.forms.conversions import (
    dynamic,
    is_dynamic,
    underlying,
)
from predicat.forms.logic import all_of, any_of, negated_if, present
from predicat.ir.nodes import Call, Items, Literal, Node, Quantifier
from predicat.ir.surface import NULL_IS_VALUE
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
    DecimalType,
    MapType,
    Type,
    is_numeric,
)
from predicat.ir.value_sets import MAX_WRITTEN

# A longer list becomes one IN, even for a field whose NULL is a value.
_LONG = 100
# The most items that are compared one by one.
_MOST = 1000


def in_written_map(check: Compares, _op: str, left: Node, right: Node, span: Span) -> Node:
    """Whether a map literal has a key."""
    tests = [check.comparison("eq", [left, key], span) for key, _ in collection_literals.entries(right)]
    return collection_literals.unknown_if_missing(any_of(tests, span), [right, left], span)


def in_written_list(check: Compares, _op: str, left: Node, right: Node, span: Span) -> Node:
    """Whether a list literal contains a value, by the rules of `in_list`."""
    assert isinstance(right, Items)  # noqa: S101  # the overload asks for it
    if not check.rules.ansi:
        right = replace(right, items=without_ansi.in_texts(check, left, right.items, span))
    return in_list(check, left, right, span)


def in_long_list(check: Compares, _op: str, left: Node, right: Node, span: Span) -> Node:
    """Whether a long list of the catalog contains a value. Raises Stop if the value has another type."""
    assert isinstance(right.type, ArrayType)  # noqa: S101  # the overload asks for it
    left, kind = underlying(left), right.type.element
    if left.type == JSON and kind == STRING:
        is_text = json_values.is_kind(left, "string", span)
        result = in_long_list(check, "in", Call(STRING, "json_string", (left,), span), right, span)
        return Call(BOOLEAN, "cond", (is_text, result, Literal(BOOLEAN, False, span)), span)
    if check.rules.widens_numbers:
        left = as_time(check, left, kind)
    if left.type == NULL:
        left = Literal(kind, None, left.span)
    if left.type != kind:
        raise check.fail(say_lists.other_type(span, str(left.type), str(kind), MAX_WRITTEN))
    result = Call(BOOLEAN, "in_list", (left, right), span)
    return Call(BOOLEAN, NULL_IS_VALUE, (result,), span) if check.nullable_value(left) else result


def in_keys(check: Compares, _op: str, left: Node, right: Node, span: Span) -> Node:
    """CEL's `key in map` for a map or a JSON value."""
    return has_key(check, left, right, span)


def of_collections(check: Compares, op: str, left: Node, right: Node, span: Span) -> Node:
    """`==` or `!=` of two lists or two maps, possibly literals; UNKNOWN if a part is missing."""
    return negated_if(op == "ne", _equal_collections(check, left, right, span), span)


def of_null_and_written(_check: Compares, op: str, left: Node, right: Node, span: Span) -> Node:
    """A comparison of a list or map literal with null: they are never equal."""
    return collection_literals.unknown_if_missing(Literal(BOOLEAN, op == "ne", span), [left, right], span)


def _equal_collections(check: Compares, left: Node, right: Node, span: Span) -> Node:
    """Whether two lists or two maps are equal, part by part. Raises Stop for unsupported element types."""

    def compare(one: Node, other: Node) -> Node:
        return check.comparison("eq", [dynamic(one), other], span)

    if isinstance(left, Items) and isinstance(right, Items):
        if collection_literals.is_list(left) and collection_literals.is_list(right):
            return collection_literals.equal_lists(left, right, compare, span)
        if collection_literals.is_map(left) and collection_literals.is_map(right):
            return collection_literals.equal_maps(left, right, compare, span)
        return collection_literals.unknown_if_missing(Literal(BOOLEAN, False, span), [left, right], span)
    if isinstance(left, Items):
        left, right = right, left
    if isinstance(right, Items) and isinstance(left.type, ArrayType):
        size = Call(
            BOOLEAN,
            "eq",
            (Call(BIGINT, "size", (left,), span), Literal(BIGINT, len(right.items), span)),
            span,
        )
        places = [
            check.call("index", [left, Literal(BIGINT, place, span)], span)
            for place in range(len(right.items))
        ]
        parts = [
            check.comparison("eq", [place, underlying(item)], span)
            for place, item in zip(places, right.items, strict=True)
        ]
        return collection_literals.unknown_if_missing(all_of([size, *parts], span), [right], span)
    if isinstance(left.type, MapType) and (left.type == right.type or collection_literals.is_map(right)):
        return equal_maps(check, left, right, span)
    element = left.type.element if isinstance(left.type, ArrayType) else None
    if left.type != right.type or element not in (STRING, BIGINT, BOOLEAN, TIMESTAMP, DATE):
        raise check.fail(say.arrays_of_types(span, str(left.type), str(right.type)))
    return Call(BOOLEAN, "array_eq", (left, right), span)


def equal_maps(check: Compares, left: Node, right: Node, span: Span) -> Node:
    """Whether two maps have the same size, and each key of the right has an equal value in the left. The
    right one may be a literal.
    """

    def same(key: Node, value: Node) -> Node:
        return all_of(
            [
                has_key(check, key, left, span),
                check.comparison("eq", [check.call("get", [left, key], span), underlying(value)], span),
            ],
            span,
        )

    size: Node
    if isinstance(right, Items):
        size, parts = (
            Literal(BIGINT, len(right.items), span),
            [same(key, value) for key, value in collection_literals.entries(right)],
        )
    else:
        key = check.element(STRING, span)
        size = check.call("size", [right], span)
        every = same(key, check.call("get", [right, key], span))
        parts = [
            Quantifier(BOOLEAN, "all", key.name, Call(ArrayType(STRING), "keys", (right,), span), every, span)
        ]
    result = all_of([Call(BOOLEAN, "eq", (check.call("size", [left], span), size), span), *parts], span)
    return collection_literals.unknown_if_missing(result, [left, right], span)


def has_key(check: Compares, key: Node, base: Node, span: Span) -> Node:
    """CEL's `key in map`: whether a map or a JSON object has the key, or a JSON array the element. Raises
    Stop for keys of other types.
    """
    key, base = underlying(key), underlying(base)
    if base.type == JSON:
        item = check.element(JSON, span)
        check.comparison("eq", [item, key], span)  # raises Stop for types that JSON does not have
        found = Call(BOOLEAN, "in", (key, base, item), span)
        return json_nulls.contains(check, found, key, base, span)
    if key.type not in (STRING, JSON, NULL):
        raise check.fail(say.map_key_not_text(key.span, str(key.type)))
    return Call(BOOLEAN, "in", (key, base), span)


def in_list(check: Compares, left: Node, right: Items, span: Span) -> Node:
    """`x in [...]` with items of any types. With `strict_lists` it is UNKNOWN if an item is missing."""
    if not check.rules.strict_lists:
        return _in_items(check, left, right, span)
    if any(is_dynamic(item) or isinstance(item, Items) for item in (left, *right.items)):
        tests = [check.comparison("eq", [left, item], span) for item in right.items]
        parts = [right] if tests else [right, left]
        return json_nulls.unless_missing(check, any_of(tests, span), parts, span)
    return json_nulls.unless_missing(check, _in_items(check, left, right, span), [right], span)


def _in_items(check: Compares, left: Node, right: Items, span: Span) -> Node:
    """`x in [...]` without tests for missing items. A NULL item equals NULL with `null_is_value`; otherwise
    it makes UNKNOWN what would be FALSE. Raises Stop.
    """
    nulls = [item for item in right.items if isinstance(item, Literal) and item.value is None]
    left = decimals.unwidened(left)
    items = [decimals.as_decimal(item, left) for item in right.items if item not in nulls]
    if not items and not nulls:
        # `x in []` is FALSE, but UNKNOWN if x is NULL, as for other operators.
        found = Call(BOOLEAN, "in", (left, Items(ArrayType(left.type), (), right.span)), span)
        return json_nulls.of_no_element(check, found, left, span)
    parts: list[Node] = []
    one_type = left.type != JSON and _one_number_type([left, *items])
    one_type = one_type and not all(item.type == JSON for item in items)
    one_type = one_type and all(json_nulls.null(check, item) is None for item in items)
    nullable = check.nullable_value(left)
    constants = one_type and all(isinstance(item, Literal) and item.type == left.type for item in items)
    if items and nullable and (constants or (one_type and len(items) > _LONG)):
        _, aligned = beside_items(check, left, items, span)
        listed = Items(ArrayType(aligned[0].type), aligned, right.span)
        parts = [Call(BOOLEAN, NULL_IS_VALUE, (Call(BOOLEAN, "in", (left, listed), span),), span)]
    elif items and (not one_type or nullable):
        if len(items) > _MOST:
            raise check.fail(msg.too_large(right.span, len(items), _MOST, "values"))
        parts = [check.comparison("eq", [left, item], span) for item in items]
    elif items:
        left, aligned = beside_items(check, left, items, span)
        kind = ArrayType(aligned[0].type)
        parts = [Call(BOOLEAN, "in", (left, Items(kind, aligned, right.span)), span)]
    if nulls:
        null_is_value = check.rules.null_is_value
        parts.append(
            json_nulls.equals_null(check, left, span) or Call(BOOLEAN, "is_null", (left,), span)
            if null_is_value
            else Literal(BOOLEAN, None, span)
        )
    return any_of(parts, span)


def in_elements(check: Compares, left: Node, right: Node, kind: Type, span: Span) -> Node:
    """Whether an array contains a value, by comparing each element: engines would first convert the value to
    the type of the elements.
    """
    item = check.element(kind, span)
    equal = check.comparison("eq", [left, item], span)
    return collection_literals.unknown_if_missing(
        Quantifier(BOOLEAN, "any", item.name, right, equal, span), [left], span
    )


def json_equal_items(check: Compares, json: Node, other: Items, span: Span) -> Node:
    """Whether a JSON value equals a list or map literal: it is an array or an object of the same size with
    equal parts.
    """
    listed = collection_literals.is_list(other)

    def same(part: Node, item: Node) -> Node:
        return check.comparison("eq", [part, underlying(item)], span)

    def entry(key: Node, item: Node) -> Node:
        if key.type != STRING:
            return Literal(BOOLEAN, False, span)  # JSON keys are strings
        part = Call(JSON, "json_get", (json, underlying(key)), span)
        there = json_nulls.has(check, part, span) or present(part, span)
        return all_of([there, same(part, item)], span)

    if listed:
        parts = [
            same(Call(JSON, "json_at", (json, Literal(BIGINT, place, span)), span), item)
            for place, item in enumerate(other.items)
        ]
    else:
        parts = [entry(key, item) for key, item in collection_literals.entries(other)]
    size = Call(
        BOOLEAN,
        "eq",
        (Call(BIGINT, "json_size", (json,), span), Literal(BIGINT, len(other.items), span)),
        span,
    )
    tests, kind = [size, *parts], json_values.is_kind(json, "array" if listed else "object", span)
    result = Call(
        BOOLEAN,
        "cond",
        (kind, all_of(tests, span), Literal(BOOLEAN, False, span)),
        span,
    )
    return collection_literals.unknown_if_missing(result, [other], span)


def _one_number_type(nodes: Sequence[Node]) -> bool:
    """Whether the engines can convert all numbers to one type without rounding: not decimals to double, and
    decimals only to a type that holds them all.
    """
    return not (
        any(_is_decimal(DOUBLE, node.type) for node in nodes)
        and (any(node.type == DOUBLE for node in nodes) or not decimals.fits(nodes))
    )


def _is_decimal(left: Type, right: Type) -> bool:
    """Whether two types are different numeric types, and at least one is a decimal."""
    return (
        left != right
        and is_numeric(left)
        and is_numeric(right)
        and (isinstance(left, DecimalType) or isinstance(right, DecimalType))
    )
