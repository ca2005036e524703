"""Comparisons: equality, order and IN over every pair of types that compares, and what NULL is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from predicat.check import collection_literals, signatures, text_constants, without_ansi
from predicat.check.overloads import OverloadResolver
from predicat.diagnostics import Diagnostic, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import check as say
from predicat.diagnostics.messages import lists as say_lists
from predicat.diagnostics.messages import sql
from predicat.forms import decimals, engine_order, json_values
from predicat.forms.conversions import (
    beside_double,
    convert,
    dynamic,
    is_dynamic,
    is_union,
    json_number,
    time_constant,
    underlying,
)
from predicat.forms.logic import all_of, any_of, negated_if, present
from predicat.forms.text_casts import BLANKS
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Parameter, Quantifier, Variable
from predicat.ir.operators import COMPARISONS, EQUALITIES
from predicat.ir.surface import is_look_up
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    JSON,
    NULL,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    MapType,
    Scalar,
    StructType,
    Type,
    is_numeric,
)
from predicat.ir.value_sets import MAX_WRITTEN, ValueSet
from predicat.ir.values import parse_clock


class Comparisons(OverloadResolver):
    """Comparisons of typed arguments, by the rules of a language."""

    def comparison(self, op: str, args: list[Node], span: Span) -> Node:
        """`left op right`: an overload of OF_WRITTEN or OF_TYPES, or else two values of one type.

        Where a side has no value the outcome is UNKNOWN, unless the language has null as a value.

        Raises:
            Stop: Values of these types do not compare. It is reported.
        """
        left, right = args
        if (
            left.type is right.type
            and left.type in _PLAIN
            and op in COMPARISONS
            and not self.special(left)
            and not self.special(right)
        ):  # the common case, of which no overload asks anything
            return Call(BOOLEAN, op, (left, right), span)
        for overload in OF_WRITTEN:
            if overload.fits(self, op, left, right):
                return overload.build(self, op, left, right, span)
        left, right = underlying(left), underlying(right)
        for overload in OF_TYPES:
            if overload.fits(self, op, left, right):
                return overload.build(self, op, left, right, span)
        return self.of_one_type(op, left, right, span)

    # --- the overloads, in the order of the tables

    def of_choice(self, op: str, left: Node, right: Node, span: Span) -> Node:
        """A choice between values of several types: each of them is compared."""
        chosen = self.split_union([left, right], span)
        assert chosen is not None  # noqa: S101  # one of them is a choice
        test, ways = chosen
        return Call(BOOLEAN, "cond", (test, *(self.comparison(op, way, span) for way in ways)), span)

    def in_written_map(self, _op: str, left: Node, right: Node, span: Span) -> Node:
        """Whether a map that is written out has a key."""
        tests = [self.comparison("eq", [left, key], span) for key, _ in collection_literals.entries(right)]
        return collection_literals.unknown_if_missing(any_of(tests, span), [right, left], span)

    def in_written_list(self, _op: str, left: Node, right: Node, span: Span) -> Node:
        """Whether a list that is written out has a value. UNKNOWN where its absence decides."""
        assert isinstance(right, Items)  # noqa: S101  # the overload asks for it
        if not self.rules.ansi:
            right = replace(right, items=without_ansi.in_texts(self, left, right.items, span))
        return self.in_list(left, right, span)

    def in_long_list(self, _op: str, left: Node, right: Node, span: Span) -> Node:
        """Whether a long list of the catalog has a value. Its values have one type, and so must the value."""
        assert isinstance(right.type, ArrayType)  # noqa: S101  # the overload asks for it
        left, kind = underlying(left), right.type.element
        if left.type == JSON and kind == STRING:
            is_text = json_values.is_kind(left, "string", span)
            found = self.in_long_list("in", Call(STRING, "json_string", (left,), span), right, span)
            return Call(BOOLEAN, "cond", (is_text, found, Literal(BOOLEAN, False, span)), span)
        if self.rules.widens_numbers:
            left = self.as_time(left, kind)
        if left.type == NULL:
            left = Literal(kind, None, left.span)
        if left.type != kind:
            raise self.fail(say_lists.other_type(span, str(left.type), str(kind), MAX_WRITTEN))
        found = Call(BOOLEAN, "in_list", (left, right), span)
        null_is_value = self.rules.null_is_value and self.nullable_value(left)
        return Call(BOOLEAN, "is_true", (found,), span) if null_is_value else found

    def in_keys(self, _op: str, left: Node, right: Node, span: Span) -> Node:
        """CEL's `key in map`, of a map or a JSON value."""
        return self.has_key(left, right, span)

    def of_collections(self, op: str, left: Node, right: Node, span: Span) -> Node:
        """Two lists or two maps, of which one may be written out; UNKNOWN where a part is absent."""
        return negated_if(op == "ne", self.equal_collections(left, right, span), span)

    def of_null_and_written(self, op: str, left: Node, right: Node, span: Span) -> Node:
        """A list or a map is not null."""
        return collection_literals.unknown_if_missing(Literal(BOOLEAN, op == "ne", span), [left, right], span)

    def of_other_types(self, op: str, left: Node, right: Node, span: Span) -> Node:
        """Values of types that never compare: not equal, and in no order."""
        left, right = underlying(left), underlying(right)
        if op not in EQUALITIES:
            return Literal(BOOLEAN, None, span)
        return collection_literals.unknown_if_missing(Literal(BOOLEAN, op == "ne", span), [left, right], span)

    def in_no_list(self, op: str, left: Node, right: Node, span: Span) -> Node:
        """What has no elements. Raises Stop: it is reported."""
        raise self.fail(say.in_without_list(span, op, [str(left.type), str(right.type)]))

    def of_null(self, op: str, left: Node, right: Node, span: Span) -> Node:
        """`x == null` asks whether there is a value to look up. What is computed is never null, and
        UNKNOWN where it has no value.
        """
        other = right if _is_null(self, left) else left
        absent: Node = Call(BOOLEAN, "is_null", (other,), span)
        looked_up = isinstance(other, Field | Parameter | Variable) or is_look_up(other)
        if not looked_up and other.type != NULL:
            absent = Call(BOOLEAN, "cond", (absent, Literal(BOOLEAN, None), Literal(BOOLEAN, False)), span)
        return negated_if(op == "ne", absent, span)

    def of_null_and_json(self, op: str, left: Node, right: Node, span: Span) -> Node:
        """NULL in a language that has no such value (SQL): UNKNOWN, unless `same` asks for absence."""
        known = left if left.type == JSON else right
        return Call(BOOLEAN, "is_null", (known,), span) if op == "same" else Literal(BOOLEAN, None, span)

    def of_json(self, op: str, left: Node, right: Node, span: Span) -> Node:
        """Two JSON values, in the surface: lowering compares them by their kinds."""
        return Call(BOOLEAN, op, (left, right), span)

    def of_one_type(self, op: str, left: Node, right: Node, span: Span) -> Node:
        """Values of one type, or of types that have an order in common: numbers, times."""
        if not self.rules.ansi and op in _SAME:
            left, right = without_ansi.truth_beside_number(left, right)
        if op != "in":
            left, right = self.align(left, right)
        left, right = decimals.unwidened(left), decimals.unwidened(right)
        left, right = json_number(left, right.type), json_number(right, left.type)
        left, right = decimals.as_decimal(left, right), decimals.as_decimal(right, left)
        if DOUBLE in (left.type, right.type):
            left, right = beside_double(left), beside_double(right)
        elif not decimals.fits((left, right)):
            return self.wide_decimals(op, left, right, span)
        if op == "in" and isinstance(right.type, ArrayType) and _one_by_one(left, right.type.element):
            return self.in_elements(left, right, right.type.element, span)
        kinds = (left.type, right.type)
        found = signatures.find(op, kinds, widens_numbers=self.rules.widens_numbers, mixed_numbers=True)
        if found is None or isinstance(left.type, _NESTED) or kinds == (JSON, JSON):
            hint = _comparison_hint(left, right)
            raise self.fail(msg.not_comparable(span, str(left.type), str(right.type), hint))
        pair = tuple(convert(arg, kind) for arg, kind in zip((left, right), found.wanted, strict=True))
        if op in EQUALITIES and self.rules.null_is_value and any(map(self.nullable_value, pair)):
            return self.null_equality(op, pair[0], pair[1], span)
        plain = Call(BOOLEAN, op, pair, span)
        return engine_order.marked(plain) if self.rules.engine_order else plain

    def wide_decimals(self, op: str, left: Node, right: Node, span: Span) -> Node:
        """Decimals that no engine brings to one type: they compare with constants only."""
        if decimals.beside_constant(op, left, right) is None:
            raise self.fail(msg.too_many_digits(span, str(left.type), str(right.type)))
        return Call(BOOLEAN, op, (left, right), span)

    def in_elements(self, left: Node, right: Node, kind: Type, span: Span) -> Node:
        """Engines bring a value to the type of an array's elements: each element is compared by itself
        instead.
        """
        item = self.element(kind, span)
        equal = self.comparison("eq", [left, item], span)
        return collection_literals.unknown_if_missing(
            Quantifier(BOOLEAN, "any", item.name, right, equal, span), [left], span
        )

    def special(self, node: Node) -> bool:
        """Whether a node compares by rules of its own, whatever its type."""
        return is_dynamic(node) or self.nullable_value(node)

    # --- lists and maps

    def equal_collections(self, left: Node, right: Node, span: Span) -> Node:
        """Whether two lists or two maps are equal, part by part. Raises Stop for elements that no engine
        compares.
        """

        def compare(one: Node, other: Node) -> Node:
            return self.comparison("eq", [dynamic(one), other], span)

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
                self.call("index", [left, Literal(BIGINT, place, span)], span)
                for place in range(len(right.items))
            ]
            parts = [
                self.comparison("eq", [place, underlying(item)], span)
                for place, item in zip(places, right.items, strict=True)
            ]
            return collection_literals.unknown_if_missing(all_of([size, *parts], span), [right], span)
        if isinstance(left.type, MapType) and (left.type == right.type or collection_literals.is_map(right)):
            return self.equal_maps(left, right, span)
        element = left.type.element if isinstance(left.type, ArrayType) else None
        if left.type != right.type or element not in (STRING, BIGINT, BOOLEAN, TIMESTAMP, DATE):
            raise self.fail(say.arrays_of_types(span, str(left.type), str(right.type)))
        return Call(BOOLEAN, "array_eq", (left, right), span)

    def equal_maps(self, left: Node, right: Node, span: Span) -> Node:
        """As many keys, and each key of one with an equal value in the other. The right one may be written
        out.
        """

        def same(key: Node, value: Node) -> Node:
            return all_of(
                [
                    self.has_key(key, left, span),
                    self.comparison("eq", [self.call("get", [left, key], span), underlying(value)], span),
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
            key = self.element(STRING, span)
            size = self.call("size", [right], span)
            every = same(key, self.call("get", [right, key], span))
            parts = [
                Quantifier(
                    BOOLEAN, "all", key.name, Call(ArrayType(STRING), "keys", (right,), span), every, span
                )
            ]
        found = all_of([Call(BOOLEAN, "eq", (self.call("size", [left], span), size), span), *parts], span)
        return collection_literals.unknown_if_missing(found, [left, right], span)

    def has_key(self, key: Node, base: Node, span: Span) -> Node:
        """CEL's `key in map`: whether the map has the key. A JSON array has it as an element."""
        key, base = underlying(key), underlying(base)
        if base.type == JSON:
            item = self.element(JSON, span)
            self.comparison("eq", [item, key], span)  # which fails for what is no element of JSON
            return Call(BOOLEAN, "in", (key, base, item), span)
        if key.type not in (STRING, JSON, NULL):
            raise self.fail(say.map_key_not_text(key.span, str(key.type)))
        return Call(BOOLEAN, "in", (key, base), span)

    def in_list(self, left: Node, right: Items, span: Span) -> Node:
        """`x in [...]`: NULL items follow the language, the others are compared at once. Where a list is an
        error as a whole (`strict_lists`), one with an item that may be absent is tested for that first.
        """
        if not self.rules.strict_lists:
            return self.in_items(left, right, span)
        if any(is_dynamic(item) or isinstance(item, Items) for item in (left, *right.items)):
            tests = [self.comparison("eq", [left, item], span) for item in right.items]
            parts = [right] if tests else [right, left]
            return collection_literals.unknown_if_missing(any_of(tests, span), parts, span)
        return collection_literals.unknown_if_missing(
            self.in_items(left, right, span), collection_literals.maybe_missing([right]), span
        )

    def in_items(self, left: Node, right: Items, span: Span) -> Node:
        """`x in [...]` with items of one type, or NULL."""
        nulls = [item for item in right.items if isinstance(item, Literal) and item.value is None]
        left = decimals.unwidened(left)
        items = [decimals.as_decimal(item, left) for item in right.items if item not in nulls]
        if not items and not nulls:
            # `x in []` is FALSE, but UNKNOWN where x is: it is an operator like any other.
            return Call(BOOLEAN, "in", (left, Items(ArrayType(left.type), (), right.span)), span)
        parts: list[Node] = []
        one_type = left.type != JSON and _one_number_type([left, *items])
        if one_type and len(items) > _LONG and self.nullable_value(left):
            _, aligned = self.beside_items(left, items, span)
            listed = Items(ArrayType(aligned[0].type), aligned, right.span)
            parts = [Call(BOOLEAN, "is_true", (Call(BOOLEAN, "in", (left, listed), span),), span)]
        elif items and (not one_type or self.nullable_value(left)):
            if len(items) > _MOST:
                raise self.fail(msg.too_large(right.span, len(items), _MOST, "values"))
            parts = [self.comparison("eq", [left, item], span) for item in items]
        elif items:
            left, aligned = self.beside_items(left, items, span)
            kind = ArrayType(aligned[0].type)
            parts = [Call(BOOLEAN, "in", (left, Items(kind, aligned, right.span)), span)]
        if nulls:
            null_is_value = self.rules.null_is_value
            parts.append(
                Call(BOOLEAN, "is_null", (left,), span) if null_is_value else Literal(BOOLEAN, None, span)
            )
        return any_of(parts, span)

    def beside_items(self, left: Node, items: list[Node], span: Span) -> tuple[Node, tuple[Node, ...]]:
        """A value and the items of a list as types that compare."""
        pairs = [self.align(left, item) for item in items]
        left = pairs[0][0]
        aligned = tuple(beside_double(item) if left.type == DOUBLE else item for _, item in pairs)
        kinds = {left.type, *(item.type for item in aligned)} - {NULL}
        if len(kinds) > 1 and not all(map(is_numeric, kinds)):
            hint = _comparison_hint(left, aligned[0])
            raise self.fail(msg.not_comparable(span, str(left.type), str(aligned[0].type), hint))
        return left, aligned

    # --- dates beside texts and times

    def align(self, left: Node, right: Node) -> tuple[Node, Node]:
        """SQL: a text constant beside a date or a timestamp is one; a date beside a timestamp is its
        midnight in UTC.
        """
        if not self.rules.widens_numbers:
            return left, right
        if not self.rules.ansi:
            left, right = without_ansi.beside(self, left, right)
        left, right = self.as_time(left, right.type), self.as_time(right, left.type)
        if not self.rules.reads_literals:
            return left, right
        return self.as_scalar(left, right), self.as_scalar(right, left)

    def as_scalar(self, node: Node, other: Node) -> Node:
        """SQL: a text constant beside a number or a truth value that is no constant of its own is one."""
        if not isinstance(node, Literal) or not isinstance(node.value, str) or isinstance(other, Literal):
            return node
        if isinstance(other, Call) and other.op == "time_of_day":
            return self.as_clock(node, node.value)
        found = text_constants.scalar(node.value, other.type)
        if found is None:
            return node
        if isinstance(found, str):
            raise self.fail(msg.bad_constant(node.span, str(other.type), node.value, found))
        return found(node.span)

    def as_clock(self, node: Node, text: str) -> Node:
        """SQL: a text constant beside a time of the day is one."""
        value = parse_clock(text.strip(BLANKS))
        if value is None:
            raise self.fail(sql.bad_time_of_day(node.span, text))
        return Literal(DURATION, value, node.span)

    def as_time(self, node: Node, other: Type) -> Node:
        """SQL: a text constant beside a date or a timestamp as one, and a date beside a timestamp as its
        midnight. Raises Stop for a text that is none.
        """
        if isinstance(node, Literal) and isinstance(node.value, str) and other in (TIMESTAMP, DATE):
            value = time_constant(node.value, other, node.span)
            if isinstance(value, Diagnostic):
                raise self.fail(value)
            return Literal(other, value, node.span)
        if node.type == DATE and other == TIMESTAMP:
            return Call(TIMESTAMP, "to_timestamp", (node,), node.span)
        return node

    # --- JSON, and nulls that are values

    def json_equality(self, op: str, left: Node, right: Node, span: Span) -> Node:
        """A JSON value equals a typed one if it is of that kind and the same; absent is UNKNOWN."""
        json, other = (left, right) if left.type == JSON else (right, left)
        if isinstance(other, Items) and self.rules.strict_lists:
            return negated_if(op == "ne", self.json_equal_items(json, other, span), span)
        if not is_numeric(other.type) and other.type not in json_values.KINDS:
            raise self.fail(msg.not_comparable(span, str(left.type), str(right.type)))
        return Call(BOOLEAN, op, (left, right), span)

    def json_equal_items(self, json: Node, other: Items, span: Span) -> Node:
        """A JSON value beside a list or a map that is written out: an array or an object of that size with
        equal parts.
        """
        listed = collection_literals.is_list(other)

        def same(part: Node, item: Node) -> Node:
            return self.comparison("eq", [part, underlying(item)], span)

        def entry(key: Node, item: Node) -> Node:
            if key.type != STRING:
                return Literal(BOOLEAN, False, span)  # every key is a text
            part = Call(JSON, "json_get", (json, underlying(key)), span)
            return all_of([present(part, span), same(part, item)], span)

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
        found = Call(
            BOOLEAN,
            "cond",
            (kind, all_of(tests, span), Literal(BOOLEAN, False, span)),
            span,
        )
        return collection_literals.unknown_if_missing(found, [other], span)

    def null_equality(self, op: str, left: Node, right: Node, span: Span) -> Node:
        """Equality where a NULL of one or both sides is a value: null == null, and null differs from all
        else.
        """
        equal: Node
        if self.nullable_value(left) and self.nullable_value(right):
            equal = Call(BOOLEAN, "same", (left, right), span)
        else:
            value, other = (left, right) if self.nullable_value(left) else (right, left)
            plain = Call(BOOLEAN, "eq", (left, right), span)
            if isinstance(other, Literal):
                equal = Call(BOOLEAN, "is_true", (plain,), span)
            else:
                other_null = Call(BOOLEAN, "is_null", (other,), span)
                missing = Call(
                    BOOLEAN, "cond", (other_null, Literal(BOOLEAN, None), Literal(BOOLEAN, False)), span
                )
                equal = Call(
                    BOOLEAN, "cond", (Call(BOOLEAN, "is_null", (value,), span), missing, plain), span
                )
        return negated_if(op == "ne", equal, span)


_PLAIN = frozenset((BIGINT, STRING, TIMESTAMP, DATE))
_COLLECTIONS = (ArrayType, MapType)
_NESTED = (*_COLLECTIONS, StructType)


def _is_decimal(left: Type, right: Type) -> bool:
    """Whether two numbers are of different types, one of them a decimal."""
    return (
        left != right
        and is_numeric(left)
        and is_numeric(right)
        and (isinstance(left, DecimalType) or isinstance(right, DecimalType))
    )


def _one_by_one(left: Node, element: Type) -> bool:
    """Whether a value is compared with each element of an array, because engines find what is not equal: a
    NaN, or a rounded number.
    """
    known = isinstance(left, Literal) and left.value == left.value  # NaN does not equal itself
    return (
        JSON in (left.type, element)
        or (is_numeric(left.type) and is_numeric(element) and left.type != element)
        or (left.type == DOUBLE and not known)
    )


def _one_number_type(nodes: Sequence[Node]) -> bool:
    """Whether the engines may bring numbers to one type: decimals to one that holds them all, and none of
    them to a double.
    """
    return not (
        any(_is_decimal(DOUBLE, node.type) for node in nodes)
        and (any(node.type == DOUBLE for node in nodes) or not decimals.fits(nodes))
    )


def _comparison_hint(left: Node, right: Node) -> str | None:
    for text, other in ((left, right), (right, left)):
        if isinstance(text, Literal) and isinstance(text.value, str) and is_numeric(other.type):
            return say.NUMBER_WITHOUT_QUOTES if text.value.replace(".", "", 1).lstrip("-").isdigit() else None
    if STRING in (left.type, right.type) and (is_numeric(left.type) or is_numeric(right.type)):
        return say.QUOTE_OR_CONVERT
    for value, other in ((left, right), (right, left)):
        if isinstance(value.type, ArrayType) and isinstance(other.type, Scalar) and other.type != JSON:
            return say.ASK_FOR_AN_ELEMENT
        if value.type == STRING and other.type in (DATE, TIMESTAMP):
            return say.convert_it(value.span.text, str(other.type).upper())
        if (
            value.type == JSON
            and other.type == TIMESTAMP
            and (hint := json_values.declared_hint(value, TIMESTAMP))
        ):
            return hint
    return say.DECLARE_OR_CONVERT_ONE_SIDE if JSON in (left.type, right.type) else None


# --- the tables of overloads

Kind = Callable[[Comparisons, Node], bool]
"""Whether an operand is of a kind."""
Build = Callable[[Comparisons, str, Node, Node, Span], Node]


def _any(_check: Comparisons, _node: Node) -> bool:
    return True


def _is_choice(_check: Comparisons, node: Node) -> bool:
    return is_union(node)


def _is_written_map(_check: Comparisons, node: Node) -> bool:
    return collection_literals.is_map(node)


def _is_long_list(_check: Comparisons, node: Node) -> bool:
    return isinstance(node, Literal) and isinstance(node.value, ValueSet)


def _is_written(_check: Comparisons, node: Node) -> bool:
    return isinstance(node, Items)


def _is_collection(_check: Comparisons, node: Node) -> bool:
    return isinstance(node.type, _COLLECTIONS)


def _has_keys(_check: Comparisons, node: Node) -> bool:
    return isinstance(node.type, MapType) or node.type == JSON


def _is_no_array(_check: Comparisons, node: Node) -> bool:
    return not isinstance(node.type, ArrayType)


def _is_loose(_check: Comparisons, node: Node) -> bool:
    return is_dynamic(node)


def _is_null(_check: Comparisons, node: Node) -> bool:
    return isinstance(node, Literal) and node.type == NULL


def _is_null_type(_check: Comparisons, node: Node) -> bool:
    return node.type == NULL


def _is_json(_check: Comparisons, node: Node) -> bool:
    return node.type == JSON


def _is_typed(_check: Comparisons, node: Node) -> bool:
    return node.type != JSON


def _is_absent_or_json(check: Comparisons, node: Node) -> bool:
    return node.type == JSON and not check.nullable_value(node)


class Overload(Struct, frozen=True):
    """What operators mean for a left and a right operand of some kinds."""

    ops: frozenset[str]
    left: Kind
    right: Kind
    build: Build
    either_way: bool = False
    """Whether the kinds may stand the other way round, too."""
    rule: str = ""
    """The rule of the language (see Rules) that the overload depends on."""
    unrelated: bool = False
    """Whether it is only for types that do not compare."""

    def fits(self, check: Comparisons, op: str, left: Node, right: Node) -> bool:
        """Whether the overload is the one for these operands."""
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
_LONG = 100
"""A list with more items is compared at once, even with a field that may hold null."""
_MOST = 1000
"""Items that are compared one by one."""
_IN = frozenset({"in"})
_of = Comparisons

OF_WRITTEN = (
    Overload(_COMPARED | _SAME | _IN, _is_choice, _any, _of.of_choice, either_way=True),
    Overload(_IN, _any, _is_written_map, _of.in_written_map),
    Overload(_IN, _any, _is_long_list, _of.in_long_list),
    Overload(_IN, _any, _is_written, _of.in_written_list),
    Overload(_IN, _any, _has_keys, _of.in_keys, rule="strict_lists"),
    Overload(_EQUAL, _is_collection, _is_collection, _of.of_collections),
    Overload(_EQUAL, _is_null_type, _is_written, _of.of_null_and_written, either_way=True),
    Overload(_COMPARED | _SAME, _is_loose, _any, _of.of_other_types, either_way=True, unrelated=True),
)
"""The overloads for operands as the check has them: choices, lists and maps that are written out, values
whose type is not checked. The first that fits holds.
"""
OF_TYPES = (
    Overload(_IN, _any, _is_no_array, _of.in_no_list),
    Overload(_SAME, _is_null, _any, _of.of_null, either_way=True, rule="null_is_value"),
    Overload(_SAME, _is_null_type, _is_json, _of.of_null_and_json, either_way=True),
    Overload(_EQUAL, _is_json, _is_typed, _of.json_equality, either_way=True),
    Overload(_COMPARED, _is_absent_or_json, _is_absent_or_json, _of.of_json),
)
"""The overloads for operands whose type is known. The first that fits holds."""
