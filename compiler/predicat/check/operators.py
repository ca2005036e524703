"""Operators as languages have them: signs that mean several things, look-ups, conversions, dates."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from predicat.check import (
    cel_math,
    collection_literals,
    interval_fields,
    lists,
    signatures,
    sql_documents,
    sql_numbers,
    sql_types,
    without_ansi,
)
from predicat.check.casts import cast, written
from predicat.check.comparisons import Comparisons
from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import check as say
from predicat.diagnostics.messages import sql_meanings, sql_times
from predicat.forms import json_values
from predicat.forms.conversions import (
    convert,
    dynamic,
    dynamic_error,
    is_dynamic,
    is_joined,
    is_union,
    same_constant,
    underlying,
)
from predicat.forms.logic import all_of, any_of, present
from predicat.ir import syntax as t
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Quantifier, element_of, walk
from predicat.ir.operators import COMPARISONS, OF_INTEGERS
from predicat.ir.surface import (
    CHECKED_MOD,
    ELEMENTS,
    EXTREMES,
    IS_NAN,
    LENGTH_FIELDS,
    MATHEMATICS,
    SECONDS,
    SECONDS_OF_LENGTH,
    is_look_up,
)
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
    MapType,
    Scalar,
    StructType,
    Type,
)
from predicat.ir.values import INT_MAX, INT_MIN, UNITS, type_of


class Operators(Comparisons):
    """What an operator means for arguments of given types: one of the operator table, or several of them."""

    def operator(self, op: str, args: list[Node], span: Span) -> Node:
        """An operator of any language, other than AND, OR and NOT: the first rule that has a meaning for
        these arguments, or else the call of an operator of the table.
        """
        for rule in ON_CHOICES.get(op, ()):
            if (found := rule(self, op, args, span)) is not None:
                return found
        if (chosen := self.split_union(args, span)) is not None:
            test, ways = chosen
            return self.choice("cond", [test, *(self.operator(op, way, span) for way in ways)], span)
        for rule in ON_VALUES.get(op, ()):
            if (found := rule(self, op, args, span)) is not None:
                return found
        return self.of_table(op, args, span)

    def of_table(self, op: str, args: list[Node], span: Span) -> Node:
        """The call of an operator of the table that a sign or a name means for these arguments."""
        args = [self.array(arg) for arg in args]
        untyped = any(map(is_dynamic, args))
        op, args = self.overload(op, list(map(underlying, args)))
        if op in ("greatest", "least") and any(map(_has_no_order, args)):
            raise self.fail(say.no_order(span, str(args[0].type), str(args[-1].type)))
        kinds = tuple(arg.type for arg in args)
        if op == "size" and kinds == (JSON,):
            return Call(BIGINT, op, tuple(args), span)
        if untyped and signatures.find(op, kinds, widens_numbers=False, mixed_numbers=True) is None:
            return dynamic_error(span)
        if kinds == (DURATION,) and op in _PARTS_OF_LENGTHS:
            return self.part_of_length(op, args[0], span)
        if op in ("add", "sub") and args[0].type == DATE:
            op, args = self.days(op, args)
        found = self.call(op, args, span)
        overflows = op == "mod" and self.rules.ieee_division
        return Call(BIGINT, CHECKED_MOD, found.args, span) if overflows else found

    def part_of_length(self, unit: str, length: Node, span: Span) -> Node:
        """A part of a length of time: in SQL a field of it, in CEL the whole length."""
        if not self.rules.interval_fields and unit in UNITS:
            return _duration_part(unit, length, span)
        if not self.rules.interval_fields:
            return self.call(unit, [length], span)
        if not interval_fields.has_field(unit, length):
            raise self.fail(sql_times.field_of_interval(span, unit))
        return Call(BIGINT, LENGTH_FIELDS[unit], (length,), span)

    # --- the rules, in the order of the tables

    def untyped(self, _op: str, args: list[Node], _span: Span) -> Node:
        """CEL's dyn(x)."""
        return dynamic(args[0])

    def in_joined(self, _op: str, args: list[Node], span: Span) -> Node | None:
        """Whether one of several lists that are joined has an element."""
        item, lists_ = args
        if not is_joined(lists_):
            return None
        tests = [self.operator("in", [item, part], span) for part in lists_.args]
        return self.where_lists(lists_.args, any_of(tests, span), span)

    def compared(self, op: str, args: list[Node], span: Span) -> Node:
        """A comparison, or IN."""
        return self.comparison(op, list(map(self.no_joined, args)), span)

    def joined(self, _op: str, args: list[Node], span: Span) -> Node | None:
        """`x + y` of lists of which the row alone knows that they are."""
        known = any(map(lists.is_list, args)) and all(map(lists.may_be_list, args))
        return lists.joined(tuple(args), span) if known and not lists.are_one_array(*args) else None

    def presence(self, _op: str, args: list[Node], span: Span) -> Node:
        """CEL's test for presence. A field whose NULL is a value is always there."""
        node = args[0]
        if isinstance(node, Field) and self.nullable_value(node):
            return Literal(BOOLEAN, True, span)
        return present(node, span)

    def key(self, _op: str, args: list[Node], _span: Span) -> Node:
        """The key of a map: a JSON value must be a text, else the look-up is UNKNOWN."""
        return convert(args[0], STRING) if args[0].type == JSON else args[0]

    def path(self, _op: str, args: list[Node], span: Span) -> Node:
        """A node that looks something up, and has no value only where that is absent."""
        for part in walk(underlying(args[0])):
            if isinstance(part, Items | Quantifier) or (
                isinstance(part, Call) and part.op != "dyn" and not is_look_up(part)
            ):
                raise self.fail(say.optional_part(span))
        return args[0]

    def of_type(self, _op: str, args: list[Node], span: Span) -> Node:
        """Whether a value has a type of CEL."""
        node, name = args[0], args[1].value if isinstance(args[1], Literal) else ""
        if is_joined(node):
            return self.where_lists(node.args, Literal(BOOLEAN, name == "list", span), span)
        return lists.has_type(node, str(name), span)

    def places(self, _op: str, args: list[Node], span: Span) -> Node:
        """0 to the last place of a list."""
        plain = underlying(args[0])
        found = lists.places(plain, span)
        if found is not None:
            return found
        if is_dynamic(args[0]):
            return dynamic_error(span)
        raise self.fail(say.no_list(span, [str(plain.type)]))

    def conversion(self, _op: str, args: list[Node], span: Span) -> Node:
        """A conversion to the type that the second argument names."""
        return self.cast(args[0], args[1], span)

    def seconds(self, _op: str, args: list[Node], span: Span) -> Node:
        """SQL's EXTRACT(SECOND), with decimals: of a time it is not negative."""
        of_length = self.rules.interval_fields and args[0].type == DURATION
        op = SECONDS_OF_LENGTH if of_length else SECONDS
        return Call(DOUBLE, op, self.call("to_micros", list(map(underlying, args)), span).args, span)

    def subscript(self, op: str, args: list[Node], span: Span) -> Node:
        """`base[key]`."""
        return self.bracket(op, args[0], args[1], span)

    def either_quotient(self, _op: str, args: list[Node], span: Span) -> Node:
        """SQL's `/`, which engines mean differently for whole numbers."""
        if args[0].type == args[1].type == BIGINT:
            self.doubt(sql_meanings.ambiguous_division(span, *(written(arg) for arg in args)))
        return self.operator("div", args, span)

    def either_element(self, _op: str, args: list[Node], span: Span) -> Node:
        """SQL's `base[index]`, which engines count differently for arrays."""
        if isinstance(args[0].type, ArrayType):
            self.doubt(sql_meanings.ambiguous_index(span, written(args[0]), written(args[1])))
        return self.operator("bracket", args, span)

    def either_moment(self, _op: str, args: list[Node], span: Span) -> Node:
        """A timestamp without a zone, which AT TIME ZONE makes a moment of, and no time of clocks."""
        zone = args[1].value if isinstance(args[1], Literal) else ""
        self.doubt(sql_times.part_of_clocks(span, args[0].span.text, str(zone)))
        return args[0]

    def either_text(self, _op: str, args: list[Node], span: Span) -> Node:
        """SQL's concat(), where engines differ about parts that are NULL."""
        if any(not isinstance(arg, Literal) and not never_null(arg) for arg in args):
            self.doubt(sql_meanings.ambiguous_concat(span, [written(arg) for arg in args]))
        found = args[0]
        for part in args[1:]:
            found = self.operator("concat", [found, part], span)
        return found

    def not_a_number(self, _op: str, args: list[Node], span: Span) -> Node:
        """SQL's isnan: what does not equal itself by IEEE 754."""
        node = underlying(args[0])
        if node.type == DOUBLE:
            return Call(BOOLEAN, IS_NAN, (node,), span)
        return self.comparison("ne", [node, node], span)

    def text_of_json(self, _op: str, args: list[Node], span: Span) -> Node:
        """The text of a JSON string, truth value or whole number, as `->>` gives it; UNKNOWN for other JSON
        values. A value that is no JSON stays what it is.
        """
        node = args[0]
        return Call(STRING, "to_string", (node,), span) if node.type == JSON else node

    def elements(self, _op: str, args: list[Node], _span: Span) -> Node | None:
        """What a macro ranges over: of all but JSON, the value itself."""
        return args[0] if args[0].type != JSON else None

    def size_of_list(self, _op: str, args: list[Node], span: Span) -> Node | None:
        """The size of a list that is joined or written out."""
        node = args[0]
        if is_joined(node):
            sizes = tuple(self.operator("size", [part], span) for part in node.args)
            return self.where_lists(node.args, self.total(Items(ArrayType(BIGINT), sizes, span), span), span)
        if isinstance(node, Items):
            return collection_literals.unknown_if_missing(
                Literal(BIGINT, len(node.items), span), [node], span
            )
        return None

    def sum_of_arrays(self, _op: str, args: list[Node], span: Span) -> Node | None:
        """`x + y` of two arrays."""
        left, right = args
        arrays = isinstance(left.type, ArrayType) and isinstance(right.type, ArrayType)
        return self.joined_lists(left, right, span) if arrays else None

    def sum_of_json(self, _op: str, args: list[Node], span: Span) -> Node | None:
        """CEL's `x + y` of two JSON values: texts or numbers."""
        left, right = map(underlying, args)
        untyped = left.type == right.type == JSON and not self.rules.widens_numbers
        return json_values.total(left, right, span) if untyped else None

    def of_written_list(self, op: str, args: list[Node], span: Span) -> Node | None:
        """`join` and `sum` of a list that is written out."""
        items = args[0]
        if not isinstance(items, Items):
            return None
        return self.joined_texts(items, args[1], span) if op == "join" else self.total(items, span)

    def of_json_list(self, op: str, args: list[Node], span: Span) -> Node | None:
        """`join` and `sum` of a JSON array."""
        if JSON not in (underlying(args[0]).type, element_of(args[0])):
            return None
        source = underlying(self.no_joined(args[0]))
        kind = STRING if op == "join" else DOUBLE
        items = Call(ArrayType(kind), ELEMENTS, (source, self.element(JSON, span)), span)
        return self.of_table(op, [items, *args[1:]], span)

    def choice(self, op: str, args: list[Node], span: Span) -> Node:
        """A choice by a condition, or the first value that there is. Values of several types stay what
        they are where the row knows one of them.
        """
        test, values = (
            (args[0], args[1:]) if op == "cond" else (None, [*map(self.array, args[:-1]), args[-1]])
        )
        kinds = {underlying(value).type for value in values} - {NULL}
        if (
            self.rules.absorbs_constants
            and isinstance(test, Literal)
            and isinstance(test.value, bool)
            and len(kinds) > 1
        ):
            return values[0 if test.value else 1]
        tests = [self.truth(test)] if test else []
        mixed = any(isinstance(value, Items) or is_union(value) or is_joined(value) for value in values)
        mixed = mixed or (len(kinds) > 1 and any(value.type == JSON or is_dynamic(value) for value in values))
        mixed = mixed or (self.rules.absorbs_constants and kinds == {BIGINT, DOUBLE})
        if not mixed or any(one.type != BOOLEAN for one in tests):
            one = self.call(op, [*tests, *map(underlying, values)], span)
            return dynamic(one) if any(map(is_dynamic, values)) else one
        if self.rules.absorbs_constants:
            values = [value if value.type == JSON else dynamic(value) for value in values]
        if tests:
            found: Node = Call(JSON, "cond", (*tests, *values), span)
            self.check_union_width([found], span)
            return found
        *others, found = values
        for value in reversed(others):
            found = Call(JSON, "cond", (collection_literals.absent(value, span), found, value), span)
            self.check_union_width([found], span)
        return found

    def map_union(self, choice: Node, build: Callable[[Node], Node], span: Span) -> Node:
        """What is made of a choice: the choice between what is made of its values."""
        assert isinstance(choice, Call)  # noqa: S101  # callers made sure
        test, *values = choice.args
        return self.choice("cond", [test, *map(build, values)], span)

    def truth(self, node: Node) -> Node:
        """A node where a truth value is wanted; one whose type is not checked may be none, which is an
        error where it is used.
        """
        if is_union(node):
            return self.map_union(node, self.truth, node.span)
        plain = underlying(node)
        if is_dynamic(node) and plain.type not in (BOOLEAN, JSON):
            return Literal(BOOLEAN, None, node.span)
        return convert(plain, BOOLEAN)

    def overload(self, op: str, args: list[Node]) -> tuple[str, list[Node]]:
        """The operator that a sign or a name means for arguments of these types."""
        kinds = [arg.type for arg in args]
        if op == "size":
            return _SIZES.get(kinds[0], op), args
        if op == "add" and STRING in kinds and not self.rules.casts_of_text:
            return "concat", args
        if op == "add" and kinds == [DURATION, TIMESTAMP]:
            return op, args[::-1]
        if (
            not self.rules.widens_numbers
            and op in OF_INTEGERS
            and (known := dynamic_numbers(op, args)) is not None
        ):
            return known
        if (
            op == "div"
            and self.rules.ieee_division
            and DOUBLE in kinds
            and set(kinds) <= {DOUBLE, BIGINT if self.rules.widens_numbers else DOUBLE, JSON}
        ):
            return "fdiv", args
        return op, args

    def joined_lists(self, left: Node, right: Node, span: Span) -> Node:
        """Two lists one after the other; UNKNOWN where one of two arrays is."""
        if isinstance(left, Items) and isinstance(right, Items):
            kind = left.type if left.items else right.type
            return Items(kind, (*left.items, *right.items), span)
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Items) and not one.items:
                return other
        left, right = self.array(left), self.array(right)
        return self.call("array_concat", [left, right], span)

    def joined_texts(self, items: Items, by: Node, span: Span) -> Node:
        """The texts of a list that is written out, with a text between them."""
        found: Node = Literal(STRING, "", span)
        for place, item in enumerate(items.items):
            if place:
                found = self.call("concat", [found, by], span)
            found = self.call("concat", [found, underlying(item)], span)
        return found

    def where_lists(self, parts: tuple[Node, ...], found: Node, span: Span) -> Node:
        """`found` where all parts are lists; an error otherwise."""
        listed = all_of([self.listed(part, span) for part in parts], span)
        return self.choice("cond", [listed, found, Literal(found.type, None, span)], span)

    def listed(self, node: Node, span: Span) -> Node:
        """Whether a node is a list; UNKNOWN where it has no value."""
        return (
            self.map_union(node, lambda value: self.listed(value, span), span)
            if is_union(node)
            else lists.has_type(node, "list", span)
        )

    def total(self, items: Items, span: Span) -> Node:
        """The sum of a written-out list."""
        found: Node = items.items[0] if items.items else Literal(BIGINT, 0, span)
        for item in items.items[1:]:
            found = self.operator("add", [found, item], span)
        return found

    def days(self, op: str, args: list[Node]) -> tuple[str, list[Node]]:
        """SQL: a date and a number of days, an interval of whole days, or another date."""
        date, other = args
        if op == "sub" and other.type == DATE:
            return "days_between", args
        if (
            isinstance(other, Literal)
            and isinstance(other.value, timedelta)
            and not other.value % timedelta(days=1)
        ):
            other = Literal(BIGINT, other.value // timedelta(days=1), other.span)
        if other.type == BIGINT:
            shift = Call(BIGINT, "neg", (other,), other.span) if op == "sub" else other
            return "add_days", [date, shift]
        return op, args

    def mathematics(self, op: str, args: list[Node], span: Span) -> Node:
        """A function of CEL's math extension."""
        plain = [underlying(arg) for arg in args]
        if (
            op in EXTREMES
            and len(plain) == 1
            and (plain[0].type == JSON or isinstance(plain[0].type, ArrayType))
        ):
            return self.extreme(op, plain[0], span)
        kind = cel_math.result(op, [arg.type for arg in plain])
        if kind is not None:
            return Call(kind, op, tuple(plain), span)
        if any(map(is_dynamic, args)):
            return dynamic_error(span)
        raise self.fail(msg.type_mismatch(span, op, [str(arg.type) for arg in plain], cel_math.expected(op)))

    def extreme(self, op: str, source: Node, span: Span) -> Node:
        """The greatest or least number of a list; of a JSON number, that number."""
        if source.type != JSON:
            return self.call(EXTREMES[op], [source], span)
        return Call(DOUBLE, EXTREMES[op], (source, self.element(JSON, span)), span)

    def cast(self, node: Node, target: Node, span: Span) -> Node:
        """A value as another type: `target` names a conversion of casts.CASTS."""
        return cast(self, str(target.value if isinstance(target, Literal) else ""), node, span)

    # --- parts of values

    def bracket(self, op: str, base: Node, key: Node, span: Span) -> Node:
        """`base[key]`; "bracket1" counts array elements from 1."""
        if isinstance(base, Items):
            return self.look_up(base, key, span)
        key = underlying(key)
        if isinstance(base.type, StructType) and isinstance(key, Literal) and isinstance(key.value, str):
            return self.member(base, key.value, span)
        if isinstance(base.type, MapType):
            return self.call("get", [base, key], span)
        if base.type == JSON and key.type == JSON:
            return Call(JSON, "json_get", (base, key), span)
        if base.type == JSON:
            return self.call("json_get" if key.type == STRING else "json_at", [base, key], span)
        if op == "bracket1" and isinstance(base.type, ArrayType):
            key = Call(BIGINT, "sub", (key, Literal(BIGINT, 1, span)), span)
        return self.call("index", [base, key], span)

    def member(self, node: Node, key: str, span: Span) -> Node:
        """`base.key` of a map, a record or a JSON value; UNKNOWN where it is absent. Raises Stop for a key
        that a record lacks, and for values without members.
        """
        if is_union(node):
            return self.map_union(node, lambda value: self.member(value, key, span), span)
        name = self.constant(key, span)
        if collection_literals.is_map(node):
            return self.look_up(node, name, span)
        match node.type:
            case MapType(value):
                return Call(value, "get", (node, name), span)
            case StructType() as struct:
                kind = struct.get(key)
                if kind is None:
                    known = [item for item, _ in struct.fields]
                    raise self.fail(msg.unknown_member(span, key, str(struct), known))
                return Call(kind, "member", (node, name), span)
            case _ if node.type == JSON:
                return Call(JSON, "json_get", (node, name), span)
            case _:
                raise self.fail(msg.no_members(span, key, str(node.type)))

    def look_up(self, base: Node, key: Node, span: Span) -> Node:
        """The value of a key of a written-out map, or the element at a place of a written-out list."""
        assert isinstance(base, Items)  # noqa: S101  # callers made sure
        if collection_literals.is_map(base):
            pairs = collection_literals.entries(base)
        else:
            if key.type not in (BIGINT, DOUBLE) or (key.type == DOUBLE and not is_dynamic(key)):
                if is_dynamic(key):
                    return dynamic_error(span)
                raise self.fail(say.brackets(span, [str(base.type), str(key.type)]))
            pairs = [(Literal(BIGINT, place, span), item) for place, item in enumerate(base.items)]
        if isinstance(underlying(key), Literal) and all(
            isinstance(underlying(one), Literal) for one, _ in pairs
        ):
            found = next(
                (value for one, value in pairs if same_constant(underlying(one), underlying(key))), None
            )
            missing = Literal(pairs[0][1].type if pairs else BOOLEAN, None, span)
            result = (
                found
                if found is not None
                else dynamic(missing)
                if missing.type == NULL or isinstance(pairs[0][1] if pairs else None, Items)
                else missing
            )
            return collection_literals.unknown_if_missing(result, [base], span)
        chosen = collection_literals.first_match(
            [(self.comparison("eq", [one, key], span), underlying(value)) for one, value in pairs], span
        )
        if chosen is None:
            raise self.fail(say.look_up_among_types(span))
        return collection_literals.unknown_if_missing(chosen, [base], span)

    def array(self, node: Node) -> Node:
        """A written-out list as an array of the engine."""
        if not isinstance(node, Items):
            return node
        items = tuple(underlying(item) for item in node.items)
        kinds = {item.type for item in items}
        if (
            collection_literals.is_map(node)
            or any(map(is_union, items))
            or len(kinds) != 1
            or not isinstance(items[0].type, Scalar)
            or NULL in kinds
        ):
            raise self.fail(say.list_of_types(node.span))
        return Call(ArrayType(items[0].type), "array", items, node.span)

    def constant(self, value: t.Value, span: Span) -> Node:
        """A constant. Raises Stop for integers beyond 64 bits and texts that are no Unicode."""
        if (
            isinstance(value, str)
            and not value.isascii()
            and any("\ud800" <= char <= "\udfff" for char in value)
        ):
            raise self.fail(msg.half_a_pair(span))
        if isinstance(value, int) and not isinstance(value, bool) and not INT_MIN <= value <= INT_MAX:
            raise self.fail(msg.number_range(span, str(value)))
        return Literal(type_of(value), value, span)


def dynamic_numbers(op: str, args: list[Node]) -> tuple[str, list[Node]] | None:
    """CEL's arithmetic on JSON numbers: of whole numbers beside one and in a remainder, else of doubles;
    None where there are none.
    """
    known = [arg.type == JSON or json_values.is_number(arg) for arg in args]
    if not any(known):
        return None
    if (all(known) and op == "mod") or any(arg.type == BIGINT for arg in args):
        return op, [
            json_values.whole(arg, arg.span) if one else arg for arg, one in zip(args, known, strict=True)
        ]
    return ("fdiv", args) if op == "div" and all(arg.type in (DOUBLE, JSON) for arg in args) else None


def never_null(node: Node) -> bool:
    """Whether a value is there in every row."""
    if isinstance(node, Call) and node.op == "coalesce":
        return any(isinstance(arg, Literal) and arg.value is not None for arg in node.args)
    return isinstance(node, Literal) and node.value is not None


def _has_no_order(node: Node) -> bool:
    return node.type == JSON or isinstance(node.type, ArrayType | MapType | StructType)


_SIZES: dict[Type, str] = {STRING: "length"}


_PARTS_OF_LENGTHS = frozenset({*UNITS, "day"})


def _duration_part(unit: str, duration: Node, span: Span) -> Node:
    """CEL's getHours() and its like convert the whole duration; only getMilliseconds() is what is left
    beside whole seconds.
    """
    found = Call(BIGINT, "in_units", (Literal(STRING, unit, span), duration), span)
    return Call(BIGINT, "mod", (found, Literal(BIGINT, 1000, span)), span) if unit == "millisecond" else found


# --- the rules of operators

Rule = Callable[[Operators, str, list[Node], Span], Node | None]
"""What an operator means for its arguments; None where another rule knows."""
_of = Operators

ON_CHOICES: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys((*COMPARISONS, "same"), (_of.compared,)),
    "in": (_of.in_joined, _of.compared),
    "add": (_of.joined,),
    "dyn": (_of.untyped,),
    "cond": (_of.choice,),
    "coalesce": (_of.choice,),
}
"""The rules that take a choice between values of several types as a whole. All others are applied to each of
its values.
"""
ON_VALUES: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys(MATHEMATICS, (_of.mathematics,)),
    **dict.fromkeys(sql_numbers.FUNCTIONS, (sql_numbers.function,)),
    **{op: (rule,) for op, rule in without_ansi.OPERATORS.items()},
    **dict.fromkeys(("sql.decimal", "spark.decimal"), (sql_numbers.decimal,)),
    "sql.text": (sql_numbers.text,),
    "sql.div": (sql_numbers.whole_quotient,),
    "duckdb.div": (sql_numbers.quotient,),
    "spark.floor": (sql_numbers.whole,),
    "spark.ceil": (sql_numbers.whole,),
    "postgres.sign": (sql_numbers.sign,),
    "sql.json": (sql_documents.document,),
    "sql.subject": (sql_documents.subject,),
    "sql.parsed_subject": (sql_documents.parsed_subject,),
    "spark.typeof": (sql_types.typeof,),
    "add": (_of.sum_of_arrays, _of.sum_of_json),
    "join": (_of.of_written_list, _of.of_json_list),
    "sum": (_of.of_written_list, _of.of_json_list),
    "size": (_of.size_of_list,),
    "has": (_of.presence,),
    "key": (_of.key,),
    "path": (_of.path,),
    "is_type": (_of.of_type,),
    "places": (_of.places,),
    "cast": (_of.conversion,),
    "sql.second": (_of.seconds,),
    "bracket": (_of.subscript,),
    "bracket1": (_of.subscript,),
    "json_items": (_of.elements,),
    "json_text": (_of.text_of_json,),
    "is_nan": (_of.not_a_number,),
    "either_div": (_of.either_quotient,),
    "either_bracket": (_of.either_element,),
    "either_concat": (_of.either_text,),
    "either_moment": (_of.either_moment,),
}
"""The rules for values of one type each, in order."""
