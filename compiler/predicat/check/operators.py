"""The operators of the languages: overloaded signs, look-ups, conversions, dates."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from predicat.check import (
    cel_math,
    interval_fields,
    json_constants,
    json_nulls,
    list_functions,
    lists,
    signatures,
    sql_documents,
    sql_doubts,
    sql_numbers,
    sql_types,
    without_ansi,
)
from predicat.check.casts import cast
from predicat.check.look_ups import LookUps
from predicat.diagnostics import Span
from predicat.diagnostics.messages import check as say
from predicat.diagnostics.messages import columns, sql_times
from predicat.forms import failing, json_values
from predicat.forms.conversions import (
    convert,
    dynamic,
    dynamic_error,
    is_dynamic,
    is_joined,
    underlying,
)
from predicat.forms.logic import present
from predicat.ir.column_forms import of_field
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Quantifier, walk
from predicat.ir.operators import COMPARISONS, OF_INTEGERS
from predicat.ir.surface import (
    CHECKED_MOD,
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
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    MapType,
    StructType,
    Type,
)
from predicat.ir.values import UNITS


class Operators(LookUps):
    """What an operator means for arguments of given types: one of the operator table, or several of them."""

    def operator(self, op: str, args: list[Node], span: Span) -> Node:
        """An operator of any language, other than AND, OR and NOT: the first rule that has a meaning for
        these arguments, or else the call of an operator of the table.
        """
        for rule in _ON_CHOICES.get(op, ()):
            if (found := rule(self, op, args, span)) is not None:
                return found
        if (chosen := self.split_union(args, span)) is not None:
            test, ways = chosen
            return self.choice("cond", [test, *(self.operator(op, way, span) for way in ways)], span)
        for rule in _ON_VALUES.get(op, ()):
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

    # --- the rules, in the order of the tables below

    def untyped(self, _op: str, args: list[Node], _span: Span) -> Node:
        """CEL's dyn(x)."""
        return dynamic(args[0])

    def compared(self, op: str, args: list[Node], span: Span) -> Node:
        """A comparison, or IN."""
        return self.comparison(op, list(map(self.no_joined, args)), span)

    def differs(self, _op: str, args: list[Node], span: Span) -> Node:
        """Pub/Sub's `!=`: NOT of `=`, which a missing key fails. Before `absent_differs` a key was needed."""
        equal = Call(BOOLEAN, "is_true", (self.truth(self.operator("eq", args, span)),), span)
        if self.rules.absent_differs:
            return Call(BOOLEAN, "not", (equal,), span)
        return Call(BOOLEAN, "is_true", (self.truth(self.operator("ne", args, span)),), span)

    def from_left(self, op: str, args: list[Node], span: Span) -> Node:
        """AND and OR of CESQL, whose errors reject the event."""
        op, args = op.removeprefix("cesql."), list(map(self.truth, args))
        if self.rules.ends_at_errors:
            return failing.from_left(op, args, span, failing.EVERY_EVENT)
        return Call(BOOLEAN, op, tuple(args), span)

    def negated_test(self, _op: str, args: list[Node], span: Span) -> Node:
        """CESQL's NOT directly before a test by LIKE or IN."""
        if self.rules.not_binds_first:
            raise self.fail(say.not_binds_first(span))
        return Call(BOOLEAN, "not", (self.truth(args[0]),), span)

    def presence(self, _op: str, args: list[Node], span: Span) -> Node:
        """CEL's presence test. A field whose NULL is a value is always present."""
        node = args[0]
        if isinstance(node, Field) and self.rules.null_is_value and node.decl.nulls == "value":
            return Literal(BOOLEAN, True, span)
        return json_nulls.has(self, node, span) or present(node, span)

    def absence(self, _op: str, args: list[Node], span: Span) -> Node | None:
        """Whether a member of a document is missing, which JSON null is not; None for any other value."""
        there = json_nulls.has(self, args[0], span)
        return None if there is None else Call(BOOLEAN, "not", (there,), span)

    def first(self, _op: str, args: list[Node], span: Span) -> Node | None:
        """The first of two values that is not missing, if the first of them may be null."""
        there = json_nulls.has(self, args[0], span) if len(args) == 2 else None
        return None if there is None else self.choice("cond", [there, *args], span)

    def is_null(self, _op: str, args: list[Node], span: Span) -> Node | None:
        """IS NULL of a JSON value, or of its string: the string may be UNKNOWN though engines have one. None
        for other values.
        """
        node = underlying(args[0])
        if self.rules.json_constants or self.rules.json_scalars:
            return json_constants.missing(node, span)
        return Call(BOOLEAN, "is_null", node.args, span) if json_values.is_text(node) else None

    def key(self, _op: str, args: list[Node], _span: Span) -> Node:
        """The key of a map. A JSON value must be a string, otherwise the look-up is UNKNOWN."""
        return convert(args[0], STRING) if args[0].type == JSON else args[0]

    def path(self, _op: str, args: list[Node], span: Span) -> Node:
        """The node. Raises Stop if it contains anything but look-ups: only these are missing exactly if the
        part is.
        """
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
        return json_nulls.of_type(self, lists.has_type(node, str(name), span), node, str(name), span)

    def conversion(self, _op: str, args: list[Node], span: Span) -> Node:
        """A conversion to the type that the second argument names."""
        return self.cast(args[0], args[1], span)

    def seconds(self, _op: str, args: list[Node], span: Span) -> Node:
        """SQL's EXTRACT(SECOND) with fraction: for a timestamp it is never negative."""
        of_length = self.rules.interval_fields and args[0].type == DURATION
        op = SECONDS_OF_LENGTH if of_length else SECONDS
        return Call(DOUBLE, op, self.call("to_micros", list(map(underlying, args)), span).args, span)

    def subscript(self, op: str, args: list[Node], span: Span) -> Node:
        """`base[key]`."""
        return self.bracket(op, args[0], args[1], span)

    def not_a_number(self, _op: str, args: list[Node], span: Span) -> Node:
        """SQL's isnan: TRUE if the value does not equal itself by IEEE 754."""
        node = underlying(args[0])
        if node.type == DOUBLE:
            return Call(BOOLEAN, IS_NAN, (node,), span)
        return self.comparison("ne", [node, node], span)

    def text_of_json(self, _op: str, args: list[Node], span: Span) -> Node:
        """A JSON string, boolean or integer as a string, as in `->>`; UNKNOWN for other JSON values. A value
        of another type is returned unchanged.
        """
        node = args[0]
        return Call(STRING, "to_string", (node,), span) if node.type == JSON else node

    def sum_of_json(self, _op: str, args: list[Node], span: Span) -> Node | None:
        """CEL's `x + y` of two JSON values: strings or numbers. None for other operands."""
        left, right = map(underlying, args)
        untyped = left.type == right.type == JSON and not self.rules.widens_numbers
        return json_values.total(left, right, span) if untyped else None

    def overload(self, op: str, args: list[Node]) -> tuple[str, list[Node]]:
        """The operator for these argument types, and its arguments."""
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
            and (known := _dynamic_numbers(op, args)) is not None
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

    def days(self, op: str, args: list[Node]) -> tuple[str, list[Node]]:
        """SQL's `+` and `-` of a date and a number of days, an interval of whole days, or another date."""
        date, other = args
        if op == "sub" and other.type == DATE:
            return "days_between", args
        size = other.args[0] if isinstance(other, Call) and other.op == "multiple" else other
        length = size.value if isinstance(size, Literal) else None
        if isinstance(length, timedelta) and not length % timedelta(days=1):
            days = Literal(BIGINT, length // timedelta(days=1), size.span)
            count = other.args[1] if isinstance(other, Call) else days
            other = (
                count if size is other or days.value == 1 else Call(BIGINT, "mul", (count, days), other.span)
            )
        if other.type == BIGINT:
            shift = Call(BIGINT, "neg", (other,), other.span) if op == "sub" else other
            return "add_days", [date, shift]
        return op, args

    def later(self, _op: str, args: list[Node], span: Span) -> Node | None:
        """A timestamp some days later: SQL's functions take dates and timestamps. None for a date."""
        moment, count = map(underlying, args)
        if moment.type != TIMESTAMP:
            return None
        ahead = self.operator("multiple", [Literal(DURATION, timedelta(days=1), span), count], span)
        return self.operator("add", [moment, ahead], span)

    def multiple(self, _op: str, args: list[Node], _span: Span) -> Node | None:
        """A number times an interval. Raises Stop for numbers with a fraction, which engines round."""
        count = underlying(args[1])
        if count.type == DOUBLE or isinstance(count.type, DecimalType):
            raise self.fail(sql_times.fraction_of_interval(count.span, str(count.type)))
        return None

    def bytes(self, _op: str, args: list[Node], span: Span) -> Node | None:
        """The length of a column whose values are no texts, such as bytes; None for any other value."""
        node = underlying(args[0])
        form = of_field(node)
        return Call(BIGINT, form.form.length, (node,), span) if form and form.form.length else None

    def bytes_of_text(self, _op: str, args: list[Node], span: Span) -> Node | None:
        """The bytes of a string in UTF-8. Raises Stop for a column that is read in another form."""
        if of_field(underlying(args[0])):
            raise self.fail(columns.bytes_of_text(span))
        return self.operator("utf8_length", args, span)

    def cast(self, node: Node, target: Node, span: Span) -> Node:
        """A value as another type: `target` names a conversion of casts.CASTS."""
        return cast(self, str(target.value if isinstance(target, Literal) else ""), node, span)


def _dynamic_numbers(op: str, args: list[Node]) -> tuple[str, list[Node]] | None:
    """CEL's arithmetic on JSON numbers: on integers beside an integer and for remainders, otherwise on
    doubles. None if no argument is a JSON number.
    """
    known = [arg.type == JSON or json_values.is_number(arg) for arg in args]
    if not any(known):
        return None
    if (all(known) and op == "mod") or any(arg.type == BIGINT for arg in args):
        return op, [
            json_values.whole(arg, arg.span) if one else arg for arg, one in zip(args, known, strict=True)
        ]
    return ("fdiv", args) if op == "div" and all(arg.type in (DOUBLE, JSON) for arg in args) else None


def _has_no_order(node: Node) -> bool:
    return node.type == JSON or isinstance(node.type, ArrayType | MapType | StructType)


_SIZES: dict[Type, str] = {STRING: "length"}


_PARTS_OF_LENGTHS = frozenset({*UNITS, "day"})


def _duration_part(unit: str, duration: Node, span: Span) -> Node:
    """CEL's getHours() and similar functions: the whole duration in the unit. Only getMilliseconds() is the
    rest beside whole seconds.
    """
    found = Call(BIGINT, "in_units", (Literal(STRING, unit, span), duration), span)
    return Call(BIGINT, "mod", (found, Literal(BIGINT, 1000, span)), span) if unit == "millisecond" else found


# --- the rules of operators

# A function that returns the node for an operator and its arguments; None if the rule does not apply.
Rule = Callable[[Operators, str, list[Node], Span], Node | None]
_of = Operators

# The rules that support choices between values of different types. All others are applied to each value.
_ON_CHOICES: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys((*COMPARISONS, "same"), (_of.compared,)),
    "in": (list_functions.in_joined, _of.compared),
    "add": (list_functions.joined,),
    "differs": (_of.differs,),
    "cesql.and": (_of.from_left,),
    "cesql.or": (_of.from_left,),
    "cesql.not": (_of.negated_test,),
    "dyn": (_of.untyped,),
    "cond": (_of.choice,),
    "coalesce": (_of.first, _of.choice),
}
# The rules for arguments that each have one type, in order.
_ON_VALUES: dict[str, tuple[Rule, ...]] = {
    **dict.fromkeys(MATHEMATICS, (cel_math.function,)),
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
    "sql.unparenthesised": (sql_documents.unparenthesised,),
    "sql.parsed_subject": (sql_documents.parsed_subject,),
    "jsonb.contains": (json_constants.contains,),
    "jsonb.within": (json_constants.within,),
    "jsonb.has_key": (json_constants.has_key,),
    "jsonb.kind": (json_constants.kind_of,),
    "spark.typeof": (sql_types.typeof,),
    "add_days": (_of.later,),
    "multiple": (_of.multiple,),
    "add": (list_functions.sum_of_arrays, _of.sum_of_json),
    "join": (list_functions.of_written_list, list_functions.of_json_list),
    "sum": (list_functions.of_written_list, list_functions.of_json_list),
    "size": (list_functions.size, _of.bytes),
    "length": (_of.bytes,),
    "byte_count": (_of.bytes, _of.bytes_of_text),
    "has": (_of.presence,),
    "is_null": (_of.absence, _of.is_null),
    "key": (_of.key,),
    "path": (_of.path,),
    "is_type": (_of.of_type,),
    "places": (list_functions.places,),
    "cast": (_of.conversion,),
    "sql.second": (_of.seconds,),
    "bracket": (_of.subscript,),
    "bracket1": (_of.subscript,),
    "json_items": (list_functions.elements,),
    "json_text": (_of.text_of_json,),
    "is_nan": (_of.not_a_number,),
    "either_div": (sql_doubts.quotient,),
    "either_bracket": (sql_doubts.element,),
    "either_concat": (sql_doubts.text,),
    "either_moment": (sql_doubts.moment,),
}
