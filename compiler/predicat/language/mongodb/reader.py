"""Query documents of MongoDB.

A condition on a field holds if it holds for the value of the field, or for an element if that is an array. A
path goes through arrays: `a.b` is also the `b` of the elements of `a`. `$ne`, `$nin`, `$not` and `$nor` are
negations of the whole condition. null equals null and an absent field. Values of two types are neither equal
nor in an order. Source: MongoDB manual, "Query and Projection Operators", "Query for Null or Missing Fields",
"Query an Array", "Comparison/Sort Order".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from msgspec import Struct

from predicat.diagnostics import Span
from predicat.diagnostics.messages import mongodb as say
from predicat.ir import syntax as t
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    JSON,
    MAX_PRECISION,
    NULL,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    MapType,
    StructType,
    Type,
)
from predicat.language.common import jsontext
from predicat.language.common.body import Body
from predicat.language.common.data import DataReader
from predicat.language.common.trees import all_of, any_of, apply, cast_to, decided, negated, present, text
from predicat.language.mongodb.spelling import ORDERS


def parse(body: Body) -> t.Tree:
    """The untyped tree of a query document. Raises PredicatError."""
    reader = _QueryReader(body)
    value = body.value
    if isinstance(value, str):
        value = jsontext.read(value, body.source, body.span, say.QUERY)
    return reader.tree(lambda: reader.document(value, None, 0))


class Place(Struct, frozen=True, gc=False):
    """A value that is tested.

    Attributes:
        tree: The value.
        type: Its type.
        key: For a member of a JSON value, that value and the name.
        element: It is an element of the array that a path ends with.
    """

    tree: t.Tree
    type: Type
    key: tuple[t.Tree, str] | None = None
    element: bool = False


# A condition on one value, never UNKNOWN.
Test = Callable[[Place], t.Tree]


class _QueryReader(DataReader):
    # --- documents

    def document(self, value: Any, base: Place | None, depth: int) -> t.Tree:
        """All conditions of a query document, on the row or on an element of an array."""
        self.deep(value, depth)
        entries = {key: inner for key, inner in self.mapping(value, say.QUERY).items() if key != "$comment"}
        span = self.span(value)
        if not entries:
            return t.Constant(value=True, span=span)
        return all_of(self.many(entries, lambda key: self.entry(value, key, base, depth)), span)

    def entry(self, value: Any, key: str, base: Place | None, depth: int) -> t.Tree:
        span, inner = self.key_span(value, key), value[key]
        if key in _JUNCTIONS:
            parts = self.many(self.listed(inner, key), lambda part: self.document(part, base, depth + 1))
            return _JUNCTIONS[key](parts, span)
        if key.startswith("$"):
            raise self.refused(key, span, (*_JUNCTIONS, "$comment"))
        return self.field(key, inner, self.value_span(value, key), base, depth)

    def refused(self, key: str, span: Span, known: tuple[str, ...]) -> Exception:
        if key in say.REFUSED:
            return self.fail(say.refused(span, key, *say.REFUSED[key]))
        return self.fail(say.unknown_operator(span, key, known))

    def field(self, path: str, value: Any, span: Span, base: Place | None, depth: int) -> t.Tree:
        """The condition of one path: operators, or a value that it equals."""
        return self.operators(value, span, lambda test: self.along(path, span, base, test), depth)

    def operators(self, value: Any, span: Span, at: Callable[[Test], t.Tree], depth: int) -> t.Tree:
        """All operators of a condition. `at` applies a test to each value of its path."""
        if not _is_operators(value):
            return at(self.equal(value, span))
        self.deep(value, depth)
        options = value.get("$options", "")
        names = [name for name in value if name != "$options"]
        if "$options" in value and "$regex" not in value:
            raise self.bad(value, "$options", say.options_without_regex())

        def one(name: str) -> t.Tree:
            place = self.value_span(value, name)
            if name in _NEGATED:
                return negated(self.operator(_NEGATED[name], value[name], place, at, depth))
            if name == "$regex":
                return at(self.pattern(value[name], options, place))
            if name not in _OPERATORS:
                raise self.refused(name, self.key_span(value, name), (*_OPERATORS, *_NEGATED, "$regex"))
            return self.operator(name, value[name], place, at, depth)

        return all_of(self.many(names, one), span)

    def operator(self, name: str, value: Any, span: Span, at: Callable[[Test], t.Tree], depth: int) -> t.Tree:
        return _OPERATORS[name](self, value, span, at, depth + 1)

    # --- paths

    def along(self, path: str, span: Span, base: Place | None, test: Test) -> t.Tree:
        """Whether a test holds for a value that a path leads to."""
        parts = path.split(".")
        if not all(parts):
            raise self.fail(say.empty_part(span, path))
        if base is not None:
            return self.below(base, parts, span, test, 1)
        tree, kind, rest = self.declared_path(parts, span)
        return self.below(Place(tree, kind), rest, span, test, 1)

    def below(self, place: Place, parts: list[str], span: Span, test: Test, depth: int) -> t.Tree:
        """Whether a test holds for a value below another."""
        if not parts:
            return self.spread(place, span, test, depth)
        if place.type != JSON and not isinstance(place.type, ArrayType):
            return self.inside(place, parts, span, test, depth)

        def element(one: Place) -> t.Tree:
            if _is_false(_is_object(one)):
                return _false(span)
            return _every([_is_object(one), self.inside(one, parts, span, test, depth + 1)], span)

        ways = [self.elements(place, span, element, depth)]
        if place.type != JSON:
            missing = test(Place(t.Constant(None, span), NULL))
            ways.append(_every([apply("is_null", span, place.tree), missing], span))
        if place.type == JSON:
            ways.append(
                _every(
                    [negated(_is_json(place, "array")), self.inside(place, parts, span, test, depth)], span
                )
            )
        if parts[0].isdecimal():
            ways.append(self.at_index(place, int(parts[0]), parts[1:], span, test, depth))
        return _some(ways, span)

    def inside(self, place: Place, parts: list[str], span: Span, test: Test, depth: int) -> t.Tree:
        """Whether a test holds for a value below a document."""
        return self.below(self.member(place, parts[0], span), parts[1:], span, test, depth)

    def at_index(
        self, place: Place, index: int, rest: list[str], span: Span, test: Test, depth: int
    ) -> t.Tree:
        """Whether a test holds for a value below an element of an array, or for one that is missing."""
        number = t.Constant(index, span)
        longer = decided(apply("gt", span, apply("size", span, place.tree), number))
        kind = place.type.element if isinstance(place.type, ArrayType) else JSON
        item = Place(apply("bracket", span, place.tree, number), kind)
        listed = [_is_json(place, "array")] if place.type == JSON else []
        found = _every([*listed, longer, self.below(item, rest, span, test, depth)], span)
        missing = test(Place(t.Constant(None, span), NULL))
        return _some([found, _every([*listed, negated(longer), missing], span)], span)

    def member(self, place: Place, part: str, span: Span) -> Place:
        """A member. What has none lacks it."""
        tree = t.Member(place.tree, part, span)
        match place.type:
            case StructType() as struct:
                return Place(tree, struct.get(part) or JSON)
            case MapType(value):
                return Place(tree, value)
            case kind if kind == JSON:
                return Place(tree, JSON, (place.tree, part))
            case ArrayType():
                return place
            case _:
                raise self.fail(say.no_members(span, part, str(place.type)))

    def spread(self, place: Place, span: Span, test: Test, depth: int) -> t.Tree:
        """Whether a test holds for a value, or for an element of it."""
        whole = test(place)
        if place.type != JSON and not isinstance(place.type, ArrayType):
            return whole
        return _some([whole, self.elements(place, span, test, depth)], span)

    def elements(self, place: Place, span: Span, test: Test, depth: int) -> t.Tree:
        """Whether a test holds for an element of an array."""
        name = f"element{depth - 1 or ''}"
        kind = place.type.element if isinstance(place.type, ArrayType) else JSON
        body = test(Place(t.Name(name, span), kind, element=True))
        if _is_false(body):
            return body
        found = decided(t.Macro("any", name, place.tree, body, span))
        return found if place.type != JSON else _every([_is_json(place, "array"), found], span)

    # --- tests of one value

    def equal(self, value: Any, span: Span) -> Test:
        """Equality with a constant. null also equals what is absent."""
        constant = self.constant(value, span)
        if constant.value is None:
            return lambda place: apply("is_null", span, place.tree)
        return lambda place: _compared("eq", place, constant)

    def ordered(self, op: str, value: Any, span: Span) -> Test:
        constant = self.constant(value, span)
        if constant.value is None:  # only null is at most null, and at least
            return lambda place: apply("is_null", span, place.tree) if op in _OR_EQUAL else _false(span)
        if isinstance(constant.value, bool):
            raise self.fail(say.order_of_booleans(span))
        return lambda place: _compared(op, place, constant)

    def among(self, value: Any, span: Span, at: Callable[[Test], t.Tree], _depth: int) -> t.Tree:
        """$in: equal to one of the values."""
        items = self.listed(value, "$in", 0)
        constants = [self.constant(item, self.item_span(value, place)) for place, item in enumerate(items)]
        nulls = [constant for constant in constants if constant.value is None]
        kinds: dict[type, list[t.Tree]] = {}
        for constant in constants:
            if constant.value is not None:
                kinds.setdefault(_kind(constant), []).append(constant)

        def test(place: Place) -> t.Tree:
            tests = [_within(place, kind, tuple(found), span) for kind, found in kinds.items()]
            tests += [apply("is_null", span, place.tree)] if nulls else []
            return _some(tests, span)

        return at(test)

    def all_values(self, value: Any, span: Span, at: Callable[[Test], t.Tree], _depth: int) -> t.Tree:
        """$all: each of the values is one of the field. No field has all of none."""
        items = self.listed(value, "$all", 0)
        tests = [at(self.equal(item, self.item_span(value, place))) for place, item in enumerate(items)]
        return all_of(tests, span) if tests else _false(span)

    def one_element(self, value: Any, span: Span, at: Callable[[Test], t.Tree], depth: int) -> t.Tree:
        """$elemMatch: one element of an array meets all conditions."""
        entries = self.mapping(value, "$elemMatch")

        def meets(one: Place) -> t.Tree:
            if _is_operators(entries):
                return self.operators(entries, span, lambda test: test(one), depth)
            return _every([_is_object(one), self.document(entries, one, depth)], span)

        def test(place: Place) -> t.Tree:
            if place.element or (place.type != JSON and not isinstance(place.type, ArrayType)):
                return _false(span)
            return self.elements(place, span, meets, 10 + depth)

        return at(test)

    def size(self, value: Any, span: Span, at: Callable[[Test], t.Tree], _depth: int) -> t.Tree:
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.bad(value, "$size", say.whole_number())

        def test(place: Place) -> t.Tree:
            if place.element or (place.type != JSON and not isinstance(place.type, ArrayType)):
                return _false(span)
            found = decided(apply("eq", span, apply("size", span, place.tree), t.Constant(value, span)))
            return found if place.type != JSON else _every([_is_json(place, "array"), found], span)

        return at(test)

    def exists(self, value: Any, span: Span, at: Callable[[Test], t.Tree], _depth: int) -> t.Tree:
        def test(place: Place) -> t.Tree:
            if place.element:
                return _false(span)  # the array itself exists
            if place.key is None:
                return present(place.tree)
            null = decided(apply("json_null", span, place.key[0], text(place.key[1], span)))
            return _some([present(place.tree), null], span)

        found = at(test)
        return found if value else negated(found)

    def type_of(self, value: Any, span: Span, at: Callable[[Test], t.Tree], _depth: int) -> t.Tree:
        names = [_CODES.get(name, name) for name in (value if isinstance(value, list) else [value])]
        for name in names:
            if name not in _TYPES:
                raise self.fail(say.type_name(span, name, _TYPES))

        def test(place: Place) -> t.Tree:
            return _some([_has_type(place, str(name), span) for name in names], span)

        return at(test)

    def remainder(self, value: Any, span: Span, at: Callable[[Test], t.Tree], _depth: int) -> t.Tree:
        numbers = self.listed(value, "$mod", 2)
        if (
            len(numbers) != 2
            or not all(isinstance(one, int) and not isinstance(one, bool) for one in numbers)
            or not numbers[0]
        ):
            raise self.bad(value, "$mod", say.divisor_and_remainder())
        by, rest = (t.Constant(number, span) for number in numbers)

        def test(place: Place) -> t.Tree:
            tree = _read(place, NUMBER)
            if tree is None:
                return _false(span)
            whole = tree if place.type == BIGINT else cast_to("to_int", tree, span)
            return decided(apply("eq", span, apply("mod", span, whole, by), rest))

        return at(test)

    def pattern(self, value: Any, options: Any, span: Span) -> Test:
        """A regular expression, for strings only."""
        source = self.text(value, "$regex", empty=True, place=span)
        flags = "".join(sorted(set(self.text(options, "$options", empty=True))))
        if set(flags) - set(_FLAGS):
            raise self.fail(say.regex_options(span, flags))
        pattern = t.Constant(f"(?{flags}){source}" if flags else str(source), span)

        def test(place: Place) -> t.Tree:
            tree = _read(place, str)
            return _false(span) if tree is None else decided(apply("matches", span, tree, pattern))

        return test

    def negation(self, value: Any, span: Span, at: Callable[[Test], t.Tree], depth: int) -> t.Tree:
        if not _is_operators(value):
            raise self.bad(value, "$not", say.operators_wanted())
        return negated(self.operators(value, span, at, depth))

    # --- constants

    def constant(self, value: Any, span: Span) -> t.Constant:
        """A constant, also in MongoDB's extended JSON. Raises Stop for an array or a document."""
        if isinstance(value, Mapping) and len(value) == 1:
            ((name, inner),) = value.items()
            if name in _EXTENDED:
                try:
                    value = _EXTENDED[name](inner)
                except (TypeError, ValueError, ArithmeticError):
                    raise self.fail(say.extended_value(span, name)) from None
        if isinstance(value, Mapping | list):
            raise self.fail(say.whole_value(span, "array" if isinstance(value, list) else "document"))
        if isinstance(value, str):  # without its place in the text
            return t.Constant(str(value), span)
        return t.Constant(self.in_64_bits(value, span) if isinstance(value, int) else value, span)


NUMBER = float
_JUNCTIONS: dict[str, Callable[[tuple[t.Tree, ...], Span], t.Tree]] = {
    "$and": all_of,
    "$or": any_of,
    "$nor": lambda parts, span: negated(any_of(parts, span)),
}
_NEGATED = {"$ne": "$eq", "$nin": "$in"}
_OR_EQUAL = ("le", "ge")
_FLAGS = "ims"
Build = Callable[[_QueryReader, Any, Span, Callable[[Test], t.Tree], int], t.Tree]


def _order(op: str) -> Build:
    return lambda reader, value, span, at, _depth: at(reader.ordered(op, value, span))


_OPERATORS: dict[str, Build] = {
    "$eq": lambda reader, value, span, at, _depth: at(reader.equal(value, span)),
    **{name: _order(op) for op, name in ORDERS.items()},
    "$in": _QueryReader.among,
    "$all": _QueryReader.all_values,
    "$elemMatch": _QueryReader.one_element,
    "$size": _QueryReader.size,
    "$exists": _QueryReader.exists,
    "$type": _QueryReader.type_of,
    "$mod": _QueryReader.remainder,
    "$not": _QueryReader.negation,
}


def _date(value: Any) -> str:
    """The string of a date. Raises TypeError for a number of milliseconds."""
    if not isinstance(value, str):
        raise TypeError(value)
    return str(value)


# Extended JSON: the constants that JSON itself does not have.
_EXTENDED: dict[str, Callable[[Any], t.Value]] = {
    "$date": _date,
    "$numberInt": int,
    "$numberLong": int,
    "$numberDouble": float,
    "$numberDecimal": lambda value: _decimal(str(value)),
}
# Types by name, as kinds of JSON values.
_TYPES = {
    "string": "string",
    "number": "number",
    "bool": "boolean",
    "object": "object",
    "array": "array",
    "null": "null",
    "date": "date",
}
_CODES = {2: "string", 3: "object", 4: "array", 8: "bool", 9: "date", 10: "null"}


def _decimal(written: str) -> Decimal | float:
    """A decimal, or a double for too many digits. Raises ValueError for NaN and infinity."""
    value = Decimal(written)
    if not value.is_finite():
        raise ValueError(written)
    return (
        value
        if len(value.as_tuple().digits) <= MAX_PRECISION and abs(value.adjusted()) < MAX_PRECISION
        else float(value)
    )


def _is_operators(value: Any) -> bool:
    """Whether a value is a document of operators; extended JSON is a constant."""
    return (
        isinstance(value, Mapping)
        and any(str(key).startswith("$") for key in value)
        and not set(value) & set(_EXTENDED)
    )


def _false(span: Span) -> t.Tree:
    return t.Constant(value=False, span=span)


def _is_false(tree: t.Tree) -> bool:
    return isinstance(tree, t.Constant) and tree.value is False


def _some(tests: list[t.Tree], span: Span) -> t.Tree:
    """Whether one of the tests holds."""
    return any_of([test for test in tests if not _is_false(test)] or [_false(span)], span)


def _every(tests: list[t.Tree], span: Span) -> t.Tree:
    """Whether all of the tests hold."""
    return _false(span) if any(map(_is_false, tests)) else all_of(tests, span)


def _kind(constant: t.Constant) -> type:
    value = constant.value
    return type(value) if isinstance(value, bool | str) else date if isinstance(value, date) else NUMBER


def _compared(op: str, place: Place, constant: t.Constant) -> t.Tree:
    """A comparison with a constant: FALSE for a value of another type."""
    tree = _read(place, _kind(constant))
    return _false(constant.span) if tree is None else decided(apply(op, constant.span, tree, constant))


def _within(place: Place, kind: type, constants: tuple[t.Tree, ...], span: Span) -> t.Tree:
    tree = _read(place, kind)
    return _false(span) if tree is None else decided(apply("in", span, tree, t.ListLiteral(constants, span)))


def _read(place: Place, kind: type) -> t.Tree | None:
    """The value as one of a kind; None if it never is. A time is also compared with its string."""
    if place.type == JSON:
        name = {str: "json_string", NUMBER: "json_number", bool: "json_boolean"}.get(kind)
        return None if name is None else apply(name, place.tree.span, place.tree)
    kinds: tuple[type, ...] = _KINDS.get(place.type, ())
    if isinstance(place.type, DecimalType):
        kinds = (NUMBER,)
    return place.tree if kind in kinds else None


_KINDS: dict[Type, tuple[type, ...]] = {
    STRING: (str,),
    BIGINT: (NUMBER,),
    DOUBLE: (NUMBER,),
    BOOLEAN: (bool,),
    DATE: (str, date),
    TIMESTAMP: (str, date),
}


def _is_json(place: Place, kind: str) -> t.Tree:
    return decided(apply("json_is", place.tree.span, place.tree, text(kind, place.tree.span)))


def _is_object(place: Place) -> t.Tree:
    if place.type == JSON:
        return _is_json(place, "object")
    there = isinstance(place.type, StructType | MapType)
    return present(place.tree) if there else _false(place.tree.span)


def _has_type(place: Place, name: str, span: Span) -> t.Tree:
    """Whether a value has one of MongoDB's types."""
    kind = _TYPES[name]
    if kind == "null":
        if place.key is None:
            return apply("is_null", span, place.tree) if place.element else _false(span)
        return decided(apply("json_null", span, place.key[0], text(place.key[1], span)))
    if place.type == JSON:
        return _false(span) if kind == "date" else _is_json(place, kind)
    names = {str: "string", NUMBER: "number", bool: "boolean", date: "date"}
    found = {names[one] for one in (str, NUMBER, bool, date) if _read(place, one) is not None}
    if isinstance(place.type, ArrayType):
        found = {"array"}
    if isinstance(place.type, StructType | MapType):
        found = {"object"}
    if "date" in found:
        found = {"date"}
    return present(place.tree) if kind in found else _false(span)
