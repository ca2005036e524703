"""The 16 operators of the Pulsar proposal "Message filtering expression", as YAML predicates.

A predicate is `{property: key, op: OPERATOR, value: x}` (or `values: [...]`), or the same with `ref:
event_time` or `ref: publish_time` (milliseconds since 1970); `and`, `or` and `not` combine them. The value's
type is LONG for a YAML integer, DOUBLE for a number with a point and STRING for a string, unless `type:` is
set. The proposal does not specify missing properties: here they are UNKNOWN, and so is their negation
(Kleene).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import pulsar as say
from predicat.ir import syntax as t
from predicat.ir.types import TIMESTAMP
from predicat.ir.values import parse_double, parse_whole
from predicat.language.common.body import Body
from predicat.language.common.data import DataReader
from predicat.language.common.trees import any_of, apply, cast_to
from predicat.language.pulsar.spelling import COMPARED, CONVERSIONS, REFS, TESTED

# The operators in the order of their numbers in the protobuf Expr. TYPES has the same kind of order.
OPERATORS = (
    "EQUALS",
    "NOT_EQUALS",
    "IN",
    "NOT_IN",
    "GREATER_THAN",
    "GREATER_THAN_EQUALS",
    "LESS_THAN",
    "LESS_THAN_EQUALS",
    "STARTS_WITH",
    "STARTS_WITH_IGNORE_CASE",
    "CONTAINS",
    "CONTAINS_IGNORE_CASE",
    "DOES_NOT_CONTAIN",
    "DOES_NOT_CONTAIN_IGNORE_CASE",
    "CONTAINS_ANY",
    "CONTAINS_NONE",
)
TYPES = ("STRING", "LONG", "DOUBLE")
_MANY = ("IN", "NOT_IN", "CONTAINS_ANY", "CONTAINS_NONE")
_KEYS = ("property", "ref", "op", "value", "values", "type")


def parse(body: Body) -> t.Tree:
    """The untyped tree of predicates given as YAML or JSON data. Raises PredicatError with every problem."""
    reader = PredicateReader(body)
    return reader.tree(lambda: reader.read(body.value, 0))


class PredicateReader(DataReader):
    """Reads predicates. The reader of protobuf gives it the same data, with more operators."""

    more: tuple[str, ...] = ()

    def __init__(self, body: Body) -> None:
        super().__init__(body)
        self.source = body.source
        # The span of each member of an Expr, by its path.
        self.members: dict[str, Span] = {}

    def read(self, body: Any, depth: int) -> t.Tree:
        """The tree of a predicate: `and`, `or` or `not`, or one test. Raises Stop."""
        span = self.span(body)
        self.deep(body, depth)
        self.mapping(body, say.PIP_PREDICATE)
        connectives = [key for key in ("and", "or", "not") if key in body]
        if not connectives:
            return self.leaf(body, span)
        if len(body) > 1:
            raise self.fail(say.operators_alone(span))
        key = connectives[0]
        if key == "not":
            return apply("not", span, self.read(body["not"], depth + 1))
        parts = body[key]
        if not isinstance(parts, list) or len(parts) < 2:
            raise self.fail(say.combines_a_list(self.span(parts), key))
        return apply(key, span, *self.many(parts, lambda part: self.read(part, depth + 1)))

    def leaf(self, body: Mapping[str, Any], span: Span) -> t.Tree:
        """The tree of one test of a key, a property or a field."""
        for key in body:
            if key not in _KEYS:
                raise self.fail(
                    say.unknown_pip_key(self.key_span(body, key), str(key), (*_KEYS, "and", "or", "not"))
                )
        op = str(body.get("op", ""))
        if op not in OPERATORS and op not in self.more:
            hint = msg.did_you_mean(op.upper(), OPERATORS) or f"operators: {', '.join(OPERATORS)}"
            raise self.fail(say.no_operator(self.span(body.get("op")) if "op" in body else span, op, hint))
        values = self.values(body, op, span)
        kind = self.kind(body, values, span)
        target, kind = self.target(body, kind, op, span)
        return self.predicate(target, op, self.constants(values, kind, span), span)

    def values(self, body: Mapping[str, Any], op: str, span: Span) -> list[Any]:
        """The constants of a test, from `value` or `values`. Raises Stop for none, and for too many."""
        if ("value" in body) == ("values" in body):
            raise self.fail(say.value_or_values(span))
        values = body["values"] if "values" in body else [body["value"]]
        if not isinstance(values, list) or not values:
            raise self.fail(say.no_values(self.span(values)))
        if op not in _MANY and len(values) != 1:
            raise self.fail(say.one_value(self.span(values), op, len(values)))
        return values

    def kind(self, body: Mapping[str, Any], values: list[Any], span: Span) -> str:
        """The type of the constants: `type` if the test has it, else the type of the values."""
        declared = body.get("type")
        if declared is not None:
            if declared not in TYPES:
                raise self.fail(say.no_value_type(self.span(declared), declared, ", ".join(TYPES)))
            return str(declared)
        kinds = {_value_type(value) for value in values}
        if None in kinds:
            raise self.fail(say.texts_or_numbers(span))
        if len(kinds) > 1:
            raise self.fail(say.values_of_one_type(span))
        return str(kinds.pop())

    def target(self, body: Mapping[str, Any], kind: str, op: str, span: Span) -> tuple[t.Tree, str]:
        """The tree of the property or time, converted to the type of the values."""
        if ("property" in body) == ("ref" in body):
            raise self.fail(say.property_or_ref(span))
        if "ref" in body:
            ref = str(body["ref"])
            if ref not in REFS:
                raise self.fail(say.no_reference(self.span(body["ref"]), ref, ", ".join(REFS)))
            if op in TESTED or kind == "STRING":
                raise self.fail(say.reference_is_a_number(span, op, ref))
            decl = (self.fields or {}).get(ref)
            return t.Name(ref, span), "TIME" if decl is not None and decl.type == TIMESTAMP else kind
        if op in TESTED and kind != "STRING":
            raise self.fail(say.compares_texts(span, op))
        key = str(body["property"])
        read = self.key(key, span)
        convert = next((op for op, name in CONVERSIONS.items() if name == kind), None)
        return (cast_to(convert, read, span) if convert else read), kind

    def constants(self, values: list[Any], kind: str, span: Span) -> list[t.Tree]:
        """The values as constants of a type. Raises Stop for a value of another type."""
        out: list[t.Tree] = []
        for value in values:
            constant = _typed_value(value, kind)
            if constant is None:
                raise self.fail(
                    msg.bad_constant(
                        self.span(value) if self.span(value) is not self.whole else span,
                        kind,
                        str(value),
                        _EXAMPLES[kind],
                    )
                )
            out.append(t.Constant(constant, span))
        return out

    def predicate(self, target: t.Tree, op: str, values: list[t.Tree], span: Span) -> t.Tree:
        """The condition of an operator."""
        if op in COMPARED:
            return apply(COMPARED[op], span, target, values[0])
        if op in ("IN", "NOT_IN"):
            tree: t.Tree = apply("in", span, target, t.ListLiteral(tuple(values), span))
            return tree if op == "IN" else apply("not", span, tree)
        name, negate = TESTED[op]
        tree = any_of([apply(name, span, target, value) for value in values], span)
        return apply("not", span, tree) if negate else tree


_EXAMPLES = {"LONG": "42", "DOUBLE": "4.2", "TIME": "1372933815000", "STRING": "'text'"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _value_type(value: Any) -> str | None:
    match value:
        case bool():
            return None
        case int():
            return "LONG"
        case float():
            return "DOUBLE"
        case str():
            return "STRING"
        case _:
            return None


def _double(value: Any) -> float | None:
    return (
        float(value)
        if isinstance(value, int | float) and not isinstance(value, bool)
        else parse_double(str(value))
    )


def _typed_value(value: Any, kind: str) -> t.Value:
    try:
        match kind:
            case "STRING":
                return value if isinstance(value, str) else str(value)
            case "LONG":
                return value if type(value) is int else parse_whole(str(value))
            case "DOUBLE":
                return _double(value)
            case _:
                millis = _double(value)
                return None if millis is None else _EPOCH + timedelta(milliseconds=millis)
    except (
        ValueError,
        OverflowError,
    ):  # a string with too many digits, a time that is infinite or out of range
        return None
