"""Comparisons: equality, order and IN over every pair of types that compares, and what NULL is there."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from predicat.diagnostics import Diagnostic, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import passes as say
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Parameter, Quantifier, Variable
from predicat.ir.ops import COMPARISONS, EQUALITIES, LOOK_UPS
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
    StructType,
    Type,
    is_numeric,
)
from predicat.passes import constants, decimals, documents, signatures
from predicat.passes.calls import Calls
from predicat.passes.convert import bare, beside_double, convert, dyn, json_number, loose, time_constant


class Comparisons(Calls):
    """Comparisons of typed arguments, by the rules of a language."""

    def comparison(self, op: str, args: list[Node], span: Span) -> Node:
        left, right = args
        if (
            left.type is right.type
            and left.type in _PLAIN
            and op in COMPARISONS
            and not self.special(left)
            and not self.special(right)
        ):
            return Call(
                BOOLEAN, op, (left, right), span
            )  # the common case, for which no rule below asks anything
        if (chosen := self.ways(args, span)) is not None:
            test, ways = chosen
            return Call(BOOLEAN, "cond", (test, *(self.comparison(op, way, span) for way in ways)), span)
        if op == "in" and constants.is_map(right):
            keys = [key for key, _ in constants.entries(right)]
            return constants.guarded(
                constants.either([self.comparison("eq", [left, key], span) for key in keys], span),
                [right, left],
                span,
            )
        if op == "in" and isinstance(right, Items):
            return self.in_list(left, right, span)
        if op == "in" and (isinstance(right.type, MapType) or right.type == JSON) and self.rules.strict_lists:
            return self.has_key(left, right, span)
        if op in EQUALITIES and isinstance(left.type, _COLLECTIONS) and isinstance(right.type, _COLLECTIONS):
            equal = self.equal_collections(left, right, span)
            return equal if op == "eq" else Call(BOOLEAN, "not", (equal,), span)
        if (
            op in EQUALITIES
            and NULL in (left.type, right.type)
            and (isinstance(left, Items) or isinstance(right, Items))
        ):
            return constants.guarded(Literal(BOOLEAN, op == "ne", span), [left, right], span)
        untyped = loose(left) or loose(right)
        left, right = bare(left), bare(right)
        if untyped and op != "in" and not self.comparable(left, right):
            return self.different(op, left, right, span)
        if op == "in" and not isinstance(right.type, ArrayType):
            raise self.fail(say.in_without_list(span, op, [str(left.type), str(right.type)]))
        if op in EQUALITIES or op == "same":
            null = _null_test(left, right, span) if self.rules.null_is_value else None
            if null is not None:
                return null if op != "ne" else Call(BOOLEAN, "not", (null,), span)
            if NULL in (left.type, right.type) and JSON in (left.type, right.type):
                known = left if left.type == JSON else right
                return (
                    Call(BOOLEAN, "is_null", (known,), span) if op == "same" else Literal(BOOLEAN, None, span)
                )
            if JSON in (left.type, right.type) and left.type != right.type and op != "same":
                return self.json_equality(op, left, right, span)
        if (
            (left.type, right.type) == (JSON, JSON)
            and op in COMPARISONS
            and not self.nullable_value(left)
            and not self.nullable_value(right)
        ):
            return documents.pair(op, left, right, span)
        if op != "in":
            left, right = self.align(left, right)
        left, right = json_number(left, right.type), json_number(right, left.type)
        left, right = decimals.as_decimal(left, right), decimals.as_decimal(right, left)
        if DOUBLE in (left.type, right.type):
            left, right = beside_double(left), beside_double(right)
        elif not decimals.fits((left, right)):
            return self.wide_decimals(op, left, right, span)
        if op == "in" and isinstance(right.type, ArrayType) and _one_by_one(left, right.type.element):
            return self.in_elements(left, right, right.type.element, span)
        kinds = (left.type, right.type)
        found = signatures.find(op, kinds, promote=self.rules.promote, mixed_numbers=True)
        if found is None or isinstance(left.type, _NESTED) or kinds == (JSON, JSON):
            hint = _comparison_hint(left, right)
            raise self.fail(msg.not_comparable(span, str(left.type), str(right.type), hint))
        pair = tuple(convert(arg, kind) for arg, kind in zip((left, right), found.wanted, strict=True))
        if op in EQUALITIES and self.rules.null_is_value and any(self.nullable_value(arg) for arg in pair):
            return self.null_equality(op, pair[0], pair[1], span)
        return Call(BOOLEAN, op, pair, span)

    def wide_decimals(self, op: str, left: Node, right: Node, span: Span) -> Node:
        found = decimals.against_constant(op, left, right, span)
        if found is None:
            raise self.fail(msg.too_many_digits(span, str(left.type), str(right.type)))
        return found

    def in_elements(self, left: Node, right: Node, kind: Type, span: Span) -> Node:
        """Engines bring a value to the type of an array's elements: each element is compared by itself
        instead.
        """
        item = self.element(kind, span)
        equal = self.comparison("eq", [left, item], span)
        return constants.guarded(Quantifier(BOOLEAN, "any", item.name, right, equal, span), [left], span)

    def special(self, node: Node) -> bool:
        """Whether a node compares by rules of its own, whatever its type."""
        return loose(node) or self.nullable_value(node)

    def comparable(self, left: Node, right: Node) -> bool:
        kinds = {left.type, right.type}
        return len(kinds) == 1 or all(is_numeric(kind) for kind in kinds) or NULL in kinds or JSON in kinds

    def different(self, op: str, left: Node, right: Node, span: Span) -> Node:
        """Values of types that never compare: not equal, and in no order."""
        if op not in EQUALITIES:
            return Literal(BOOLEAN, None, span)
        return constants.guarded(Literal(BOOLEAN, op == "ne", span), [left, right], span)

    # --- lists and maps

    def equal_collections(self, left: Node, right: Node, span: Span) -> Node:
        def compare(one: Node, other: Node) -> Node:
            return self.comparison("eq", [dyn(one), other], span)

        if isinstance(left, Items) and isinstance(right, Items):
            if constants.is_list(left) and constants.is_list(right):
                return constants.equal_lists(left, right, compare, span)
            if constants.is_map(left) and constants.is_map(right):
                return constants.equal_maps(left, right, compare, span)
            return constants.guarded(Literal(BOOLEAN, False, span), [left, right], span)
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
                self.comparison("eq", [place, bare(item)], span)
                for place, item in zip(places, right.items, strict=True)
            ]
            return constants.guarded(constants.both([size, *parts], span), [right], span)
        if isinstance(left.type, MapType) and (left.type == right.type or constants.is_map(right)):
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
            return constants.both(
                [
                    self.has_key(key, left, span),
                    self.comparison("eq", [self.call("get", [left, key], span), bare(value)], span),
                ],
                span,
            )

        size: Node
        if isinstance(right, Items):
            size, parts = (
                Literal(BIGINT, len(right.items), span),
                [same(key, value) for key, value in constants.entries(right)],
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
        found = constants.both(
            [Call(BOOLEAN, "eq", (self.call("size", [left], span), size), span), *parts], span
        )
        return constants.guarded(found, [left, right], span)

    def has_key(self, key: Node, base: Node, span: Span) -> Node:
        """CEL's `key in map`: whether the map has the key. A JSON array has it as an element."""
        key = bare(key)
        if base.type == JSON:
            item = self.element(JSON, span)
            member = Quantifier(
                BOOLEAN, "any", item.name, base, self.comparison("eq", [item, key], span), span
            )
            kind = documents.is_kind(base, "object", span)
            there = documents.is_key(key, base, span)
            return Call(BOOLEAN, "cond", (kind, there, member), span)
        if key.type not in (STRING, JSON, NULL):
            raise self.fail(say.map_key_not_text(key.span, str(key.type)))
        there = constants.present(self.call("get", [base, key], span), span)
        return constants.guarded(there, [base, key], span)

    def in_list(self, left: Node, right: Items, span: Span) -> Node:
        """`x in [...]`: NULL items follow the language, the others are compared at once."""
        if self.rules.strict_lists:
            mixed = any(loose(item) or isinstance(item, Items) for item in (left, *right.items))
            if mixed:
                tests = [self.comparison("eq", [left, item], span) for item in right.items]
                return constants.guarded(
                    constants.either(tests, span), [right, *([] if tests else [left])], span
                )
            uncertain = constants.doubtful([right])
            if uncertain:
                rules, self.rules = self.rules, replace(self.rules, strict_lists=False)
                try:
                    return constants.guarded(self.in_list(left, right, span), uncertain, span)
                finally:
                    self.rules = rules
        nulls = [item for item in right.items if isinstance(item, Literal) and item.value is None]
        items = [decimals.as_decimal(item, left) for item in right.items if item not in nulls]
        parts: list[Node] = []
        if items and (left.type == JSON or self.nullable_value(left) or not _one_number_type([left, *items])):
            parts = [self.comparison("eq", [left, item], span) for item in items]
        elif items:
            pairs = [self.align(left, item) for item in items]
            left = pairs[0][0]
            aligned = tuple(beside_double(item) if left.type == DOUBLE else item for _, item in pairs)
            kinds = {left.type, *(item.type for item in aligned)} - {NULL}
            if len(kinds) > 1 and not all(is_numeric(kind) for kind in kinds):
                raise self.fail(
                    msg.not_comparable(
                        span, str(left.type), str(aligned[0].type), _comparison_hint(left, aligned[0])
                    )
                )
            parts = [
                Call(BOOLEAN, "in", (left, Items(ArrayType(aligned[0].type), aligned, right.span)), span)
            ]
        if nulls and self.rules.null_is_value:
            parts.append(Call(BOOLEAN, "is_null", (left,), span))
        elif nulls:
            parts.append(Literal(BOOLEAN, None, span))
        if not parts:
            # `x in []` is FALSE, but UNKNOWN where x is: it is an operator like any other.
            return Call(BOOLEAN, "in", (left, Items(ArrayType(left.type), (), right.span)), span)
        return parts[0] if len(parts) == 1 else Call(BOOLEAN, "or", tuple(parts), span)

    # --- dates beside texts and times

    def align(self, left: Node, right: Node) -> tuple[Node, Node]:
        """SQL: a text constant beside a date or a timestamp is one; a date beside a timestamp is its
        midnight in UTC.
        """
        if not self.rules.promote:
            return left, right
        return self.as_time(left, right.type), self.as_time(right, left.type)

    def as_time(self, node: Node, other: Type) -> Node:
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
            equal = self.json_equal_items(json, other, span)
            return equal if op == "eq" else Call(BOOLEAN, "not", (equal,), span)
        kind = "number" if is_numeric(other.type) else _JSON_KINDS.get(other.type)
        if kind is None:
            raise self.fail(msg.not_comparable(span, str(left.type), str(right.type)))
        test = documents.is_kind(json, kind, span)
        equal = Call(BOOLEAN, "eq", (convert(json, DOUBLE if kind == "number" else other.type), other), span)
        both = constants.guarded(Call(BOOLEAN, "and", (test, equal), span), [other], span)
        return both if op == "eq" else Call(BOOLEAN, "not", (both,), span)

    def json_equal_items(self, json: Node, other: Items, span: Span) -> Node:
        """A JSON value beside a list or a map that is written out: an array or an object of that size with
        equal parts.
        """
        listed = constants.is_list(other)

        def same(part: Node, item: Node) -> Node:
            return self.comparison("eq", [part, bare(item)], span)

        def entry(key: Node, item: Node) -> Node:
            if key.type != STRING:
                return Literal(BOOLEAN, False, span)  # every key is a text
            part = Call(JSON, "json_get", (json, bare(key)), span)
            return constants.both([constants.present(part, span), same(part, item)], span)

        if listed:
            parts = [
                same(Call(JSON, "json_at", (json, Literal(BIGINT, place, span)), span), item)
                for place, item in enumerate(other.items)
            ]
        else:
            parts = [entry(key, item) for key, item in constants.entries(other)]
        size = Call(
            BOOLEAN,
            "eq",
            (Call(BIGINT, "json_size", (json,), span), Literal(BIGINT, len(other.items), span)),
            span,
        )
        tests, kind = [size, *parts], documents.is_kind(json, "array" if listed else "object", span)
        found = Call(
            BOOLEAN, "cond", (kind, constants.both(tests, span), Literal(BOOLEAN, False, span)), span
        )
        return constants.guarded(found, [other], span)

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
        return equal if op == "eq" else Call(BOOLEAN, "not", (equal,), span)


_PLAIN = frozenset((BIGINT, STRING, TIMESTAMP, DATE))
_COLLECTIONS = (ArrayType, MapType)
_NESTED = (*_COLLECTIONS, StructType)
_JSON_KINDS: dict[Type, str] = {STRING: "string", BOOLEAN: "boolean"}


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


def _null_test(left: Node, right: Node, span: Span) -> Node | None:
    """`x == null` asks whether there is a value to look up; what is computed is never null, and an error
    where it has no value.
    """
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Literal) and one.type == NULL:
            absent = Call(BOOLEAN, "is_null", (other,), span)
            looked_up = isinstance(other, Field | Parameter | Variable) or (
                isinstance(other, Call) and other.op in LOOK_UPS
            )
            return (
                absent
                if looked_up or other.type == NULL
                else Call(BOOLEAN, "cond", (absent, Literal(BOOLEAN, None), Literal(BOOLEAN, False)), span)
            )
    return None


def _comparison_hint(left: Node, right: Node) -> str | None:
    for text, other in ((left, right), (right, left)):
        if isinstance(text, Literal) and isinstance(text.value, str) and is_numeric(other.type):
            return say.NUMBER_WITHOUT_QUOTES if text.value.replace(".", "", 1).lstrip("-").isdigit() else None
    if STRING in (left.type, right.type) and (is_numeric(left.type) or is_numeric(right.type)):
        return say.QUOTE_OR_CONVERT
    for value, other in ((left, right), (right, left)):
        if (
            value.type == JSON
            and other.type == TIMESTAMP
            and (hint := documents.declared_hint(value, TIMESTAMP))
        ):
            return hint
    return say.DECLARE_OR_CONVERT_ONE_SIDE if JSON in (left.type, right.type) else None
