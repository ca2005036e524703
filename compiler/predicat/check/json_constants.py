"""Constants beside JSON values, in the languages of engines with a type for JSON.

PostgreSQL reads an untyped constant beside jsonb as jsonb: `doc -> 'n' = '5'` compares with the number 5, and
`doc @> '"vip"'` with a string. Its JSON null is a value, and so `doc -> 'n' IS NULL` is FALSE for it; `->>`
makes NULL of it. Source: PostgreSQL documentation, "JSON Types", "jsonb Containment and Existence", and the
order of jsonb below them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from predicat.check.protocol import Calls, Compares
from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql_json as say
from predicat.forms import json_values
from predicat.forms.conversions import convert, underlying
from predicat.forms.logic import all_of, any_of, negated_if, unknown_without
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Quantifier, Variable
from predicat.ir.operators import COMPARISONS, EQUALITIES, FLIPPED
from predicat.ir.surface import HALF_UP
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, NULL, STRING, ArrayType, MapType, Type
from predicat.ir.values import INT_MAX, INT_MIN

# The deepest nesting of a JSON constant.
MOST_NESTED = 20
# The kinds in the order of jsonb: JSON null is below all of them, and so is an empty array.
_ABOVE = ("string", "number", "boolean", "array", "object")


# --- what the operands are


def is_document(_check: Compares, node: Node) -> bool:
    """Whether a value is JSON, the string of `->>`, or the name of a kind."""
    node = underlying(node)
    return node.type == JSON or _is_text(node) or _named(node) is not None


def is_text_of_document(_check: Compares, node: Node) -> bool:
    """Whether a value is the string of `->>`."""
    return _is_text(underlying(node))


def is_given(_check: Compares, node: Node) -> bool:
    """Whether a value is not NULL, which needs no other rule than that of any type."""
    return node.type != NULL


def _is_text(node: Node) -> bool:
    """Whether a string is that of `->>`, or a choice with one."""
    match node:
        case Call(op="cond", args=(_, yes, no)) if node.type == STRING:
            return _is_text(yes) or _is_text(no)
        case _:
            return json_values.is_text(node)


def _json_value(check: Compares, node: Node, beside: Node) -> tuple[Any] | None:
    """The value of a JSON constant in a tuple; None for any other node. Raises Stop if it is not JSON."""
    node = underlying(node)
    if isinstance(node, Call) and node.op == "parse_json":
        node = node.args[0]
    if not isinstance(node, Literal) or not isinstance(node.value, str):
        return None
    return (parsed(check, node, spelled(beside, "->>")),)


def parsed(check: Compares, text: Literal, beside: str | None = None) -> Any:
    """The JSON value in a string constant. Raises Stop if it is not JSON, or nested too deep."""
    try:
        value = json.loads(str(text.value), parse_float=Decimal, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise check.fail(say.no_json(text.span, str(text.value), beside)) from None
    if _depth(value) > MOST_NESTED:
        raise check.fail(say.nested(text.span, MOST_NESTED))
    return value


def _no_constant(word: str) -> Any:
    raise ValueError(word)


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_depth, inner), default=-1)


def spelled(node: Node, arrow: str = "->") -> str:
    """A look-up as it is written, with an arrow of one's own at its end; other nodes as they are written."""
    match node:
        case Call(op="json_get" | "json_at", args=(base, Literal() as step)):
            key = f"'{step.value}'" if isinstance(step.value, str) else str(step.value)
            return f"{spelled(base)} {arrow} {key}"
        case Call() if json_values.is_text(node):
            return spelled(node.args[0], "->>")
        case Field():
            return node.decl.name
        case _:
            return " ".join(node.span.text.split())


# --- NULL and JSON null


def json_null(node: Node) -> Node | None:
    """A test for JSON null, which is UNKNOWN if there is no value; None for a value that cannot be asked. In
    a column it is missing.
    """
    match node:
        case Call(op="json_get" | "json_at", args=(_, step)) if step.type in (STRING, BIGINT):
            return Call(BOOLEAN, "json_null", node.args, node.span)
        case Variable():  # an element, which is never missing
            return Call(BOOLEAN, "is_null", (node,), node.span)
        case Call(op="cond", args=(test, *values)):
            tests = list(map(json_null, values))
            no = Literal(BOOLEAN, False)
            return Call(BOOLEAN, "cond", (test, *(one or no for one in tests))) if any(tests) else None
        case Call(op="coalesce", args=args):
            tests = list(map(json_null, args))
            known = tuple(one for one in tests if one is not None)
            return Call(BOOLEAN, "coalesce", known, node.span) if len(known) == len(args) else None
        case _:
            return None


def missing(node: Node, span: Span) -> Node:
    """IS NULL. JSON null is a value; the string of `->>` is missing for it, but for no other value."""
    node = underlying(node)
    match node:
        case Call(op="cond", args=(test, yes, no)) if _is_text(node):
            return Call(BOOLEAN, "cond", (test, missing(yes, span), missing(no, span)), span)
        case Call() if _is_text(node):
            return Call(BOOLEAN, "is_null", node.args, span)
    absent = Call(BOOLEAN, "is_null", (node,), span)
    null = json_null(node) if node.type == JSON else None
    if null is None:
        return absent
    there = Call(BOOLEAN, "not", (Call(BOOLEAN, "is_true", (null,), span),), span)
    return Call(BOOLEAN, "and", (absent, there), span)


def _unless_null(node: Node, result: Node, of_null: Node, span: Span) -> Node:
    """`result`, or `of_null` for JSON null."""
    null = json_null(node)
    return result if null is None else Call(BOOLEAN, "cond", (null, of_null, result), span)


# --- comparisons


def comparison(check: Compares, op: str, left: Node, right: Node, span: Span) -> Node:
    """A comparison, or IN, with a JSON value or the string of `->>`. Raises Stop for types that the engine
    does not compare, and for constants that are not JSON.
    """
    left, right = underlying(left), underlying(right)
    if op == "in":
        return _in(check, left, right, span)
    if not is_document(check, left) or (_is_constant(left) and is_document(check, right)):
        left, right, op = right, left, FLIPPED.get(op, op)
    if (document := _named(left)) is not None and isinstance(right, Literal) and op in _SAME:
        return _of_kind(op, document, right.value, span)
    for one, other, sign in ((left, right, op), (right, left, FLIPPED.get(op, op))):
        if isinstance(one, Call) and one.op == "cond" and is_document(check, one):
            ways = (comparison(check, sign, way, other, span) for way in one.args[1:])
            return Call(BOOLEAN, "cond", (one.args[0], *ways), span)
    if left.type == JSON:
        return _of_json(check, op, left, right, span)
    return _of_text(check, op, left, right, span)


_SAME = frozenset({*EQUALITIES, "same"})


def _of_kind(op: str, document: Node, name: object, span: Span) -> Node:
    """`jsonb_typeof(doc) = 'array'`."""
    no: Node = Literal(BOOLEAN, False, span)
    if name == "null":
        result = equal(document, None, span)
    else:
        test = json_values.is_kind(document, str(name), span) if name in _ABOVE else no
        result = _unless_null(document, unknown_without(test, [document], span), no, span)
    return _true(result, span) if op == "same" else negated_if(op == "ne", result, span)


def _is_constant(node: Node) -> bool:
    """Whether a value is JSON in a constant string."""
    return isinstance(node, Call) and node.op == "parse_json" and isinstance(node.args[0], Literal)


def _in(check: Compares, left: Node, right: Node, span: Span) -> Node:
    if not isinstance(right, Items):
        raise check.fail(say.in_documents(span))
    return any_of([comparison(check, "eq", left, item, span) for item in right.items], span)


def _of_json(check: Compares, op: str, left: Node, right: Node, span: Span) -> Node:
    constant = _json_value(check, right, left)
    if constant is None and right.type != JSON:
        raise check.fail(
            say.typed_beside_json(span, spelled(left), spelled(left, "->>"), right.span.text, right.type)
        )
    known = _json_value(check, left, right) if constant is not None else None
    if op in EQUALITIES or op == "same":
        if constant is None:
            same = _equal(left, right, span)
        elif known is None:
            same = equal(left, constant[0], span)
        else:
            same = Literal(BOOLEAN, _same(known[0], constant[0]), span)
        return _both_missing(left, right, same, span) if op == "same" else negated_if(op == "ne", same, span)
    scalars = [one[0] for one in (known, constant) if one is not None]
    if constant is None or any(value is None or isinstance(value, dict | list) for value in scalars):
        raise check.fail(say.order_of_documents(span))
    if known is not None:
        return Literal(BOOLEAN, COMPARISONS[op].holds(_place(known[0]), _place(constant[0])), span)
    return _ordered(op, left, constant[0], span)


def _place(value: Any) -> tuple[int, Any]:
    """The place of a scalar in the order of jsonb."""
    kind = "boolean" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"
    return _ABOVE.index(kind), value


def _same(one: Any, other: Any) -> bool:
    return json.dumps(one, default=float, sort_keys=True) == json.dumps(other, default=float, sort_keys=True)


def _both_missing(left: Node, right: Node, same: Node, span: Span) -> Node:
    """IS NOT DISTINCT FROM."""
    absent = [missing(node, span) for node in (left, right) if not _is_constant(node)]
    found = Call(BOOLEAN, "is_true", (same,), span)
    if isinstance(right, Literal) or len(absent) == 1:
        return found
    return any_of([all_of(absent, span), found], span)


def _equal(left: Node, right: Node, span: Span) -> Node:
    """Whether two JSON values are equal."""
    result: Node = Call(BOOLEAN, "eq", (left, right), span)
    nulls = [json_null(left), json_null(right)]
    known = [test for test in nulls if test is not None]
    if not known:
        return result
    both = all_of(known, span) if len(known) == 2 else Literal(BOOLEAN, False, span)
    return Call(BOOLEAN, "cond", (any_of(known, span), both, result), span)


def equal(node: Node, value: Any, span: Span) -> Node:
    """Whether a JSON value equals a constant; UNKNOWN only if there is no value."""
    if value is None:
        return json_null(node) or unknown_without(Literal(BOOLEAN, False, span), [node], span)
    return _unless_null(node, _is(node, value, span), Literal(BOOLEAN, False, span), span)


def _is(node: Node, value: Any, span: Span) -> Node:
    """The same; also UNKNOWN for JSON null."""
    if isinstance(value, dict | list):
        kind = "object" if isinstance(value, dict) else "array"
        size = Call(BIGINT, "json_size", (node,), span)
        parts: list[Node] = [Call(BOOLEAN, "eq", (size, Literal(BIGINT, len(value), span)), span)]
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            parts.append(_true(equal(member(node, step, span), inner, span), span))
        return _where(json_values.is_kind(node, kind, span), all_of(parts, span), span)
    return Call(BOOLEAN, "eq", (node, literal(value, span)), span)


def member(node: Node, step: str | int, span: Span) -> Node:
    """The member of a JSON value with this name, or the element at this index."""
    if isinstance(step, str):
        return Call(JSON, "json_get", (node, Literal(STRING, step, span)), span)
    return Call(JSON, "json_at", (node, Literal(BIGINT, step, span)), span)


def literal(value: Any, span: Span) -> Literal:
    """A scalar of JSON as a constant. Its numbers are integers of 64 bits, or doubles."""
    if isinstance(value, bool):
        return Literal(BOOLEAN, value, span)
    if isinstance(value, str):
        return Literal(STRING, value, span)
    if value == int(value) and INT_MIN <= value <= INT_MAX:
        return Literal(BIGINT, int(value), span)
    return Literal(DOUBLE, float(value), span)


def _where(test: Node, result: Node, span: Span) -> Node:
    """`result` if a test is TRUE, FALSE if it is FALSE."""
    return Call(BOOLEAN, "cond", (test, result, Literal(BOOLEAN, False, span)), span)


def _true(test: Node, span: Span) -> Node:
    return Call(BOOLEAN, "is_true", (test,), span)


def _ordered(op: str, node: Node, value: Any, span: Span) -> Node:
    """`doc > '5'` in the order of jsonb: first by kind, then by value."""
    falls = op in ("lt", "le")
    read: Node = Call(BIGINT, "to_int", (convert(node, BOOLEAN),), span)
    own, other = "boolean", literal(value, span)
    if isinstance(value, bool):
        other = Literal(BIGINT, int(value), span)
    elif isinstance(value, str):
        own, read = "string", convert(node, STRING)
    else:
        own, read = "number", convert(node, DOUBLE)
        other = Literal(DOUBLE, float(value), span)
    above: list[Node] = [json_values.is_kind(node, kind, span) for kind in _ABOVE[_ABOVE.index(own) + 1 :]]
    some = Call(BOOLEAN, "gt", (Call(BIGINT, "json_size", (node,), span), Literal(BIGINT, 0, span)), span)
    above[-2] = Call(BOOLEAN, "and", (above[-2], _true(some, span)), span)
    rest = negated_if(falls, any_of(above, span), span)
    by_value = Call(BOOLEAN, op, (read, other), span)
    result = Call(BOOLEAN, "cond", (json_values.is_kind(node, own, span), by_value, rest), span)
    return _unless_null(node, result, Literal(BOOLEAN, falls, span), span)


def _of_text(check: Compares, op: str, left: Node, right: Node, span: Span) -> Node:
    """`doc ->> 'a' = 'x'`: an array, an object or a number equals no such text."""
    value = right.value if isinstance(right, Literal) else None
    if not isinstance(value, str):
        if right.type != STRING:
            raise check.fail(say.typed_beside_text(span, spelled(left), right.type))
        return Call(BOOLEAN, op, (left, right), span)
    if op not in EQUALITIES and op != "same":
        return Call(BOOLEAN, op, (left, right), span)
    if not json_values.is_text(left):  # a constant of a choice
        if isinstance(left, Literal):
            return Literal(BOOLEAN, None if left.value is None else (left.value == value) is (op != "ne"))
        return Call(BOOLEAN, op, (left, right), span)
    document = left.args[0]
    known = [value, *((value == "true",) if value in ("true", "false") else ()), *_number(value)]
    tests: list[Node] = [Call(BOOLEAN, "eq", (document, literal(one, span)), span) for one in known]
    tests += [equal(document, one, span) for one in _nested(check, value, right.span)]
    same = any_of(tests, span)
    return _true(same, span) if op == "same" else negated_if(op == "ne", same, span)


def _nested(check: Compares, text: str, span: Span) -> list[Any]:
    """The empty array or object with this text, in a list. Raises Stop for one that is not empty."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if isinstance(value, dict | list) and value:
        raise check.fail(say.text_of_nested(span))
    return [value] if text in ("[]", "{}") else []


def _number(text: str) -> Sequence[int | Decimal]:
    """The number that has this text, in a list: the shortest one of its double, without an exponent."""
    try:
        value = float(text)
    except ValueError:
        return ()
    short = Decimal(repr(value)) if abs(value) < float("inf") else Decimal(0)
    written = f"{short.to_integral_value() if short == short.to_integral_value() else short:f}"
    return (Decimal(text),) if written == text else ()


def is_text_constant(_check: Compares, node: Node) -> bool:
    """Whether a value is a constant string, or a list of them."""
    parts = node.items if isinstance(node, Items) else (node,)
    return bool(parts) and all(isinstance(one, Literal) and isinstance(one.value, str) for one in parts)


def beside_text(check: Compares, op: str, left: Node, right: Node, span: Span) -> Node:
    """A comparison of a JSON value with a constant string, which DuckDB reads as JSON and compares as text.
    Raises Stop for an order, and for arrays and objects that are not empty: their texts have no one spelling.
    """
    if op == "in" and isinstance(right, Items):
        return any_of([beside_text(check, "eq", left, item, span) for item in right.items], span)
    document, constant = (left, right) if left.type == JSON else (right, left)
    value = _given(check, document, constant)
    if op not in _SAME or (isinstance(value, dict | list) and value):
        raise check.fail(say.compared_as_text(span, spelled(document, "->>")))
    same = equal(document, value, span)
    return _true(same, span) if op == "same" else negated_if(op == "ne", same, span)


# --- @>, <@ and ?


def contains(check: Compares, _op: str, args: list[Node], span: Span) -> Node:
    """`doc @> '{"a": 1}'`: UNKNOWN if there is no value."""
    node, value = underlying(args[0]), _given(check, *args)
    result = _holds(check, node, value, span)
    if not isinstance(value, dict | list):  # an array may contain a scalar
        inside = _any(check, node, lambda item: _holds(check, item, value, span), span)
        result = any_of([result, inside], span)
    return _of_value(node, result, of_null=value is None, span=span)


def within(check: Compares, _op: str, args: list[Node], span: Span) -> Node:
    """`doc <@ '["a", "b"]'`: UNKNOWN if there is no value."""
    node, value = underlying(args[0]), _given(check, *args)
    result = _inside(check, node, value, span)
    scalars = [item for item in value if not isinstance(item, dict | list)] if isinstance(value, list) else []
    parts = [result, *(_true(equal(node, item, span), span) for item in scalars)]
    return _of_value(node, any_of(parts, span), of_null=value is None or None in scalars, span=span)


def has_key(check: Compares, _op: str, args: list[Node], span: Span) -> Node:
    """`doc ? 'key'`: whether an object has a key, an array contains a string, or a string is this one."""
    node, key = underlying(args[0]), args[1]
    if key.type != STRING:
        raise check.fail(say.key_wanted(key.span))
    if isinstance(node.type, MapType):
        there: list[Node] = [_present(Call(node.type.value, "get", (node, key), span), span)]
    elif node.type == JSON:
        there = [_present(Call(JSON, "json_get", (node, key), span), span), _equals(check, node, key, span)]
        there.append(_any(check, node, lambda item: _equals(check, item, key, span), span))
    else:
        there = [_any(check, node, lambda item: _equals(check, item, key, span), span)]
    return _of_value(node, any_of(there, span), of_null=False, span=span)


def _given(check: Compares, subject: Node, node: Node) -> Any:
    """The constant. Beside an array of the engine, `'{}'` is the empty array. Raises Stop."""
    if not isinstance(node, Literal) or not isinstance(node.value, str):
        raise check.fail(say.constant_wanted(node.span))
    value = parsed(check, node)
    return [] if value == {} and isinstance(subject.type, ArrayType) else value


def _of_value(node: Node, result: Node, *, of_null: bool, span: Span) -> Node:
    """A result that is never UNKNOWN, but UNKNOWN if there is no value."""
    known = unknown_without(result, [node], span)
    return _unless_null(node, known, Literal(BOOLEAN, of_null, span), span) if node.type == JSON else known


def _holds(check: Compares, node: Node, value: Any, span: Span) -> Node:
    """Whether a value contains a constant: its members, its elements in any order, or a scalar. Never
    UNKNOWN.
    """
    match value:
        case dict():
            parts = [_holds(check, _part(node, key, span), inner, span) for key, inner in value.items()]
            return all_of(parts, span) if parts else _is_kind(node, "object", span)
        case list():
            tests = [partial(_holds, check, value=inner, span=span) for inner in value]
            parts = [_any(check, node, test, span) for test in tests]
            return all_of(parts, span) if parts else _is_kind(node, "array", span)
        case _:
            return _equals(check, node, Literal(NULL, None) if value is None else literal(value, span), span)


def _inside(check: Compares, node: Node, value: Any, span: Span) -> Node:
    """Whether a constant contains a value. Never UNKNOWN."""
    match value:
        case dict():
            own = check.element(JSON, span)
            keys = Call(JSON, "json_items", (node,), span)
            named = any_of([_equals(check, own, literal(key, span), span) for key in value], span)
            parts = [
                any_of([missing(part, span), _inside(check, part, inner, span)], span)
                for key, inner in value.items()
                for part in (member(node, key, span),)
            ]
            only = _true(Quantifier(BOOLEAN, "all", own.name, keys, named, span), span)
            return all_of([_is_kind(node, "object", span), only, *parts], span)
        case list():
            item = check.element(node.type.element if isinstance(node.type, ArrayType) else JSON, span)
            found = any_of([_inside(check, item, inner, span) for inner in value], span)
            return _true(Quantifier(BOOLEAN, "all", item.name, node, found, span), span)
        case _ if node.type == JSON:
            return _true(equal(node, value, span), span)
        case _:
            return _equals(check, node, literal(value, span), span)


def _part(node: Node, key: str, span: Span) -> Node:
    if isinstance(node.type, MapType):
        return Call(node.type.value, "get", (node, Literal(STRING, key, span)), span)
    return member(node, key, span)


def _equals(check: Compares, node: Node, other: Node, span: Span) -> Node:
    """Whether a value, possibly an element of an array or a map, equals a scalar. Never UNKNOWN."""
    if node.type != JSON:
        return _true(check.comparison("eq", [node, other], span), span)
    if other.type == NULL:
        return _true(equal(node, None, span), span)
    return _true(Call(BOOLEAN, "eq", (node, other), span), span)


def _any(check: Compares, node: Node, test: Callable[[Node], Node], span: Span) -> Node:
    """Whether a test is TRUE for an element of an array; FALSE for any other value."""
    if node.type != JSON and not isinstance(node.type, ArrayType):
        return Literal(BOOLEAN, False, span)
    item = check.element(node.type.element if isinstance(node.type, ArrayType) else JSON, span)
    return _true(Quantifier(BOOLEAN, "any", item.name, node, test(item), span), span)


def _is_kind(node: Node, kind: str, span: Span) -> Node:
    if node.type == JSON:
        return _true(json_values.is_kind(node, kind, span), span)
    return Literal(BOOLEAN, isinstance(node.type, MapType if kind == "object" else ArrayType), span)


def _present(node: Node, span: Span) -> Node:
    return Call(BOOLEAN, "not", (missing(node, span),), span)


# --- other functions


def kind_of(_check: Compares, _op: str, args: list[Node], span: Span) -> Node:
    """jsonb_typeof: the name of the kind."""
    return _name_of(underlying(args[0]), span)


def _name_of(node: Node, span: Span) -> Node:
    *others, last = _ABOVE
    result: Node = Literal(STRING, last, span)
    for kind in others:
        test = json_values.is_kind(node, kind, span)
        result = Call(STRING, "cond", (test, Literal(STRING, kind, span), result), span)
    null = json_null(node)
    if null is None:
        return result
    return Call(STRING, "cond", (null, Literal(STRING, "null", span), result), span)


def converted(check: Calls, to: Type, node: Node, span: Span) -> Node:
    """A cast of a JSON value, which must be of the kind: numbers are rounded to integers, halves away from
    zero. Raises Stop for other types.
    """
    if to == BIGINT:
        return Call(BIGINT, HALF_UP, (convert(node, DOUBLE),), span)
    if to not in (DOUBLE, BOOLEAN):
        raise check.fail(say.document_as(span, spelled(node, "->>"), to))
    return convert(node, to)


def _named(node: Node) -> Node | None:
    """The JSON value whose kind a string names; None for any other node."""
    part = node
    while isinstance(part, Call) and part.op == "cond" and part.type == STRING:
        test = part.args[0]
        if isinstance(test, Call) and test.op == "json_is":
            return test.args[0] if _name_of(test.args[0], node.span) == node else None
        part = part.args[2]
    return None


def choice(check: Compares, values: list[Node]) -> list[Node]:
    """The values of a choice: a string constant beside a JSON value is JSON. Raises Stop if it is not."""
    if not any(underlying(value).type == JSON for value in values):
        return values
    return [_as_json(check, value) for value in values]


def _as_json(check: Compares, node: Node) -> Node:
    if not isinstance(node, Literal) or not isinstance(node.value, str):
        return node
    parsed(check, node)
    return Call(JSON, "parse_json", (node,), node.span)


def has_documents(check: Compares, values: Sequence[Node]) -> bool:
    """Whether one of the values of a choice has rules of its own for NULL."""
    ruled = check.rules.json_constants or check.rules.json_scalars
    return ruled and any(is_document(check, value) for value in values)


def first_present(values: Sequence[Node], span: Span) -> Node:
    """COALESCE of JSON values, or of strings of `->>`."""
    *others, result = values
    for value in reversed(others):
        result = Call(result.type, "cond", (missing(value, span), result, value), span)
    return result
