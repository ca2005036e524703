"""How each operator becomes a formula."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from predicat.forms.decimals import may_have_more_digits
from predicat.ir.nodes import Call, Items, Literal, Node
from predicat.ir.operators import ARITHMETIC, COMPARISONS, JSON_READS, TIME_PARTS
from predicat.ir.types import BIGINT, DATE, DURATION, STRING, TIMESTAMP, DecimalType, Type
from predicat.ir.values import INT_MAX, INT_MIN, LONGEST, UNITS
from predicat.review.smt import numbers, strings, times, value_sets
from predicat.review.smt.arrays import Path
from predicat.review.smt.strings import NotEncodable
from predicat.review.smt.terms import (
    KINDS,
    Array,
    Bool,
    Double,
    Json,
    Record,
    Scalar,
    Term,
    Truth,
    all_of,
    any_of,
    as_term,
    choose,
    integer,
    negated,
    truth_of,
    z3,
)
from predicat.semantics.regex import Regex, Seq

if TYPE_CHECKING:
    from predicat.review.smt.encode import Encoder

Env = dict[str, tuple[Path, Term]]
"""The path and the term of each variable of a macro."""
BOUNDS: dict[Type, tuple[int, int]] = {
    BIGINT: (INT_MIN, INT_MAX),
    TIMESTAMP: (times.FIRST, times.LAST),
    DATE: (times.FIRST_DAY, times.LAST_DAY),
    DURATION: (-LONGEST, LONGEST),
}
_MOST_ITEMS = 500
"""A longer list has no formula: the formula alone takes longer than most comparisons."""
Rule = Callable[["Encoder", Call, Env], Term]


def sort(value: Scalar) -> str:
    """The kind of value that Z3 knows a term as."""
    return str(value.term.sort())


def constant(node: Node) -> str:
    """The text of a constant. Raises NotEncodable for other nodes."""
    if not isinstance(node, Literal) or not isinstance(node.value, str):
        raise NotEncodable
    return node.value


def _logic(to: Encoder, node: Call, env: Env) -> Term:
    parts = [to.truth(arg, env) for arg in node.args]
    if node.op == "and":
        return Truth(all_of(*(part.true for part in parts)), any_of(*(part.false for part in parts)))
    return Truth(any_of(*(part.true for part in parts)), all_of(*(part.false for part in parts)))


def _not(to: Encoder, node: Call, env: Env) -> Term:
    part = to.truth(node.args[0], env)
    return Truth(part.false, part.true)


def _is_true(to: Encoder, node: Call, env: Env) -> Term:
    return truth_of(to.truth(node.args[0], env).true)


def _is_null(to: Encoder, node: Call, env: Env) -> Term:
    return truth_of(to.term(node.args[0], env).null)


def _merged(test: Bool, yes: Term, no: Term, null: Bool) -> Term:
    match yes, no:
        case Truth(), Truth():
            true, false = choose(test, yes.true, no.true), choose(test, yes.false, no.false)
            return Truth(all_of(true, negated(null)), all_of(false, negated(null)))
        case Scalar(), Scalar():
            return Scalar(choose(test, yes.term, no.term), any_of(null, choose(test, yes.null, no.null)))
        case Double(), Double():
            return Double(
                choose(test, yes.term, no.term),
                choose(test, yes.nan, no.nan),
                choose(test, yes.plus, no.plus),
                choose(test, yes.minus, no.minus),
                any_of(null, choose(test, yes.null, no.null)),
            )
        case _:
            raise NotEncodable


def _cond(to: Encoder, node: Call, env: Env) -> Term:
    test = to.truth(node.args[0], env)
    return _merged(test.true, to.term(node.args[1], env), to.term(node.args[2], env), test.null)


def _coalesce(to: Encoder, node: Call, env: Env) -> Term:
    result = to.term(node.args[-1], env)
    for arg in reversed(node.args[:-1]):
        term = to.term(arg, env)
        result = _merged(negated(term.null), term, result, False)
    return result


def _extreme(to: Encoder, node: Call, env: Env) -> Term:
    result = to.term(node.args[0], env)
    for arg in node.args[1:]:
        term = to.term(arg, env)
        above = _above(term, result) if node.op == "greatest" else _above(result, term)
        result = _merged(any_of(result.null, all_of(negated(term.null), above)), term, result, False)
    return result


def _above(one: Term, other: Term) -> Bool:
    """The order of values that are there, in which NaN comes last."""
    match one, other:
        case Double(), Double():
            return any_of(numbers.compare("gt", one, other), all_of(one.nan, negated(other.nan)))
        case Scalar(), Scalar():
            return other.term < one.term
        case _:
            raise NotEncodable


def _same(to: Encoder, node: Call, env: Env) -> Term:
    left, right = node.args
    nulls = all_of(to.term(left, env).null, to.term(right, env).null)
    return truth_of(any_of(nulls, to.compared("eq", left, right, env).true))


def _comparison(to: Encoder, node: Call, env: Env) -> Term:
    left, right = node.args
    starts = _starts(to, left, right, env)
    if starts is not None:
        one, other = starts
        order = numbers.compare(node.op, numbers.exact_double(one), numbers.exact_double(other))
        return truth_of(order, any_of(one.null, other.null))
    return to.compared(node.op, left, right, env)


def _starts(to: Encoder, left: Node, right: Node, env: Env) -> tuple[Scalar, Scalar] | None:
    """The starts of months, quarters or years of two moments as their numbers: in their order, and without
    the lengths of months.
    """
    match left, right:
        case (
            Call(op="date_trunc", args=(Literal(value=str(unit)), one)),
            Call(op="date_trunc", args=(Literal(value=other), two)),
        ) if unit == other and unit in times.MONTHS:
            a, b = to.scalar(one, env), to.scalar(two, env)
            return Scalar(times.number_in(unit, a.term), a.null), Scalar(
                times.number_in(unit, b.term), b.null
            )
        case _:
            return None


def _in(to: Encoder, node: Call, env: Env) -> Term:
    left, right = node.args
    if isinstance(right, Items):
        if len(right.items) > _MOST_ITEMS:
            raise NotEncodable
        tests = [to.compared("eq", left, item, env) for item in right.items]
        return Truth(
            any_of(*(test.true for test in tests)),
            all_of(negated(to.term(left, env).null), *(test.false for test in tests)),
        )
    value, array = to.term(left, env), to.elements(right, env)
    if not isinstance(value, Scalar):
        raise NotEncodable
    found, absent = [], []
    for index, item in enumerate(array.items):
        if not isinstance(item, Scalar) or sort(item) != sort(value):
            raise NotEncodable
        found.append(all_of(array.length > index, negated(item.null), item.term == value.term))
        absent.append(all_of(array.length > index, item.null))
    there = all_of(negated(value.null), negated(array.null))
    return Truth(
        all_of(there, any_of(*found)), all_of(there, negated(any_of(*found)), negated(any_of(*absent)))
    )


def _arithmetic(to: Encoder, node: Call, env: Env) -> Term:
    a, b = (to.term(arg, env) for arg in node.args)
    if isinstance(a, Double) and isinstance(b, Double):
        if node.op == "fdiv" and not (isinstance(node.args[1], Literal) and node.args[1].value):
            raise NotEncodable  # which infinity a zero gives depends on its sign
        if not to.exact:
            raise NotEncodable
        to.inexact = True
        return numbers.double_operation("div" if node.op == "fdiv" else node.op, a, b)
    if not isinstance(a, Scalar) or not isinstance(b, Scalar):
        raise NotEncodable
    if isinstance(node.type, DecimalType):
        return numbers.decimal_operation(node.op, a, b, node.type, overflows=may_have_more_digits(node))
    if node.type not in BOUNDS:
        raise NotEncodable
    if node.type == BIGINT:
        return numbers.integer_operation(node.op, a, b)
    result = a.term + b.term if node.op == "add" else a.term - b.term
    low, high = BOUNDS[node.type]
    return Scalar(result, any_of(a.null, b.null, z3.Not(z3.And(result >= low, result <= high))))


def _negative(to: Encoder, node: Call, env: Env) -> Term:
    a = to.term(node.args[0], env)
    if isinstance(a, Double):
        return numbers.negated_double(a) if node.op == "neg" else numbers.absolute(a)
    if not isinstance(a, Scalar):
        raise NotEncodable
    result = -a.term if node.op == "neg" else z3.If(a.term < 0, -a.term, a.term)
    return (
        Scalar(result, a.null)
        if isinstance(node.type, DecimalType)
        else numbers.bigint_result(result, a.null)
    )


def _whole(to: Encoder, node: Call, env: Env) -> Term:
    a = to.double(to.term(node.args[0], env))
    return (
        numbers.floor(a)
        if node.op == "floor"
        else numbers.negated_double(numbers.floor(numbers.negated_double(a)))
    )


def _int32(to: Encoder, node: Call, env: Env) -> Term:
    a = to.scalar(node.args[0], env)
    return Scalar(a.term, any_of(a.null, z3.Not(z3.And(a.term >= -(2**31), a.term < 2**31))))


def _concat(to: Encoder, node: Call, env: Env) -> Term:
    a, b = (to.scalar(arg, env) for arg in node.args)
    return Scalar(z3.Concat(a.term, b.term), any_of(a.null, b.null))


def _length(to: Encoder, node: Call, env: Env) -> Term:
    a = to.scalar(node.args[0], env)
    return Scalar(z3.Length(a.term), a.null)


def _affix(to: Encoder, node: Call, env: Env) -> Term:
    left, right = node.args
    if isinstance(right, Literal) and isinstance(right.value, str):
        cased = isinstance(left, Call) and left.op in ("lower", "upper")
        if to.regular or cased:
            parts = (strings.ANYTHING, *strings.literal(right.value).parts, strings.ANYTHING)  # type: ignore[union-attr]  # a sequence
            start, end = node.op == "starts_with", node.op == "ends_with"
            return to.member(left, Seq(parts[(1 if start else 0) : (-1 if end else None)]), env)
    a, b = to.scalar(left, env), to.scalar(right, env)
    null = any_of(a.null, b.null)
    if node.op == "starts_with":
        return truth_of(z3.PrefixOf(b.term, a.term), null)
    return truth_of(
        z3.SuffixOf(b.term, a.term) if node.op == "ends_with" else z3.Contains(a.term, b.term), null
    )


def _languages(make: Callable[[str], Regex]) -> Rule:
    return lambda to, node, env: to.member(node.args[0], make(constant(node.args[1])), env)


def _affix_ci(before: bool, after: bool) -> Callable[[str], Regex]:
    def make(value: str) -> Regex:
        middle = strings.fold_literal(value)
        return Seq(
            (*((strings.ANYTHING,) if before else ()), middle, *((strings.ANYTHING,) if after else ()))
        )

    return make


def _substr(to: Encoder, node: Call, env: Env) -> Term:
    parts: list[Scalar] = [to.scalar(arg, env) for arg in node.args]
    text, start = parts[0], parts[1]
    null = any_of(*(part.null for part in parts))
    begin = z3.If(start.term > 1, start.term - 1, 0)
    if len(parts) == 2:
        return Scalar(z3.SubString(text.term, begin, z3.Length(text.term)), null)
    length = parts[2].term
    end = z3.If(start.term - 1 + length > 0, start.term - 1 + length, 0)
    result = z3.If(end > begin, z3.SubString(text.term, begin, end - begin), z3.StringVal(""))
    return Scalar(result, any_of(null, length < 0))


def _position(to: Encoder, node: Call, env: Env) -> Term:
    a, b = (to.scalar(arg, env) for arg in node.args)
    return Scalar(z3.IndexOf(a.term, b.term, 0) + 1, any_of(a.null, b.null))


def _to_int(to: Encoder, node: Call, env: Env) -> Term:
    a = to.term(node.args[0], env)
    if isinstance(a, Truth):
        return Scalar(choose(a.true, integer(1), integer(0)), a.null)
    if isinstance(a, Double):
        return numbers.to_integer(a)
    if not isinstance(a, Scalar) or node.args[0].type not in (TIMESTAMP, STRING):
        raise NotEncodable
    if node.args[0].type == TIMESTAMP:
        return Scalar(a.term / times.SECOND, a.null)
    digits = z3.Range("0", "9")
    minus = z3.Concat(z3.Re("-"), z3.Loop(digits, 1, 19))
    written = z3.InRe(a.term, z3.Union(z3.Loop(digits, 1, 20), minus))
    negative = z3.PrefixOf(z3.StringVal("-"), a.term)
    size = z3.StrToInt(z3.If(negative, z3.SubString(a.term, 1, 20), a.term))
    return numbers.bigint_result(z3.If(negative, -size, size), a.null, z3.Not(written))


def _to_double(to: Encoder, node: Call, env: Env) -> Term:
    if node.args[0].type == STRING:
        raise NotEncodable
    return to.double(to.term(node.args[0], env))


def _to_decimal(to: Encoder, node: Call, env: Env) -> Term:
    if node.args[0].type == STRING or not isinstance(node.type, DecimalType):
        raise NotEncodable
    return numbers.to_decimal(to.scalar(node.args[0], env), node.type)


def _to_string(to: Encoder, node: Call, env: Env) -> Term:
    a = to.term(node.args[0], env)
    if isinstance(a, Truth):
        return Scalar(choose(a.true, z3.StringVal("true"), z3.StringVal("false")), a.null)
    if not isinstance(a, Scalar) or node.args[0].type != BIGINT:
        raise NotEncodable
    shown = z3.If(a.term < 0, z3.Concat(z3.StringVal("-"), z3.IntToStr(-a.term)), z3.IntToStr(a.term))
    return Scalar(shown, a.null)


def _to_boolean(to: Encoder, node: Call, env: Env) -> Term:
    a = to.scalar(node.args[0], env)
    true = z3.Or(*(a.term == text for text in ("true", "TRUE", "True", "t", "1")))
    false = z3.Or(*(a.term == text for text in ("false", "FALSE", "False", "f", "0")))
    return Truth(all_of(true, negated(a.null)), all_of(false, negated(a.null)))


def _to_timestamp(to: Encoder, node: Call, env: Env) -> Term:
    kind = node.args[0].type
    if kind == STRING:
        raise NotEncodable
    a = to.scalar(node.args[0], env)
    if kind == DATE:
        return Scalar(a.term * times.DAY, a.null)
    result = a.term * times.SECOND
    return Scalar(result, any_of(a.null, z3.Not(z3.And(result >= times.FIRST, result <= times.LAST))))


def _to_date(to: Encoder, node: Call, env: Env) -> Term:
    if node.args[0].type != TIMESTAMP:
        raise NotEncodable
    a = to.scalar(node.args[0], env)
    return Scalar(a.term / times.DAY, a.null)


def _time_part(to: Encoder, node: Call, env: Env) -> Term:
    if any(constant(zone) != "UTC" for zone in node.args[1:]):
        raise NotEncodable
    a = to.scalar(node.args[0], env)
    result = times.part(node.op, a.term, day=node.args[0].type == DATE)
    if result is None:
        raise NotEncodable
    return Scalar(result, a.null)


def _date_trunc(to: Encoder, node: Call, env: Env) -> Term:
    a = to.scalar(node.args[1], env)
    result = times.truncate(constant(node.args[0]), a.term)
    if result is None:
        raise NotEncodable
    return Scalar(result, any_of(a.null, result < times.FIRST))


def _time_of_day(to: Encoder, node: Call, env: Env) -> Term:
    a = to.scalar(node.args[0], env)
    return Scalar(a.term % times.DAY, a.null)


def _in_units(to: Encoder, node: Call, env: Env) -> Term:
    a = to.scalar(node.args[1], env)
    return Scalar(numbers.truncated(a.term, integer(UNITS[constant(node.args[0])])), a.null)


def _from_micros(to: Encoder, node: Call, env: Env) -> Term:
    a = to.scalar(node.args[0], env)
    return Scalar(a.term, any_of(a.null, z3.Not(z3.And(a.term >= times.FIRST, a.term <= times.LAST))))


def _days(to: Encoder, node: Call, env: Env) -> Term:
    a, b = (to.scalar(arg, env) for arg in node.args)
    null = any_of(a.null, b.null)
    if node.op == "days_between":
        return Scalar(a.term - b.term, null)
    result = a.term + b.term
    return Scalar(result, any_of(null, z3.Not(z3.And(result >= times.FIRST_DAY, result <= times.LAST_DAY))))


def _member(to: Encoder, node: Call, env: Env) -> Term:
    group, key = to.term(node.args[0], env), constant(node.args[1])
    if not isinstance(group, Record):
        raise NotEncodable
    path = (*group.path, ("key", key))
    child = to.variable(path, node.type)
    to.children.setdefault(group.path, {})[key] = path
    to.constraints.append(
        z3.Or(*(part for part in (child.null, z3.Not(group.null)) if not isinstance(part, bool)))
    )
    return child


def _index(to: Encoder, node: Call, env: Env) -> Term:
    place = node.args[1]
    array = to.term(node.args[0], env)
    if (
        not isinstance(array, Array)
        or not isinstance(place, Literal)
        or not isinstance(place.value, int)
        or not 0 <= place.value < len(array.items)
    ):
        raise NotEncodable
    item = array.items[place.value]
    outside = any_of(array.null, array.length <= place.value)
    if isinstance(item, Truth):
        return Truth(all_of(item.true, negated(outside)), all_of(item.false, negated(outside)))
    if not isinstance(item, Scalar | Double | Array | Record):
        raise NotEncodable
    if isinstance(item, Record):
        to.constraints.append(as_term(any_of(item.null, negated(outside))))  # so have its members no value
    return replace(item, null=any_of(item.null, outside))


def _size(to: Encoder, node: Call, env: Env) -> Term:
    result = to.term(node.args[0], env)
    if not isinstance(result, Array):
        raise NotEncodable
    return Scalar(result.length, result.null)


def _json(to: Encoder, node: Call, env: Env) -> Json:
    result = to.term(node.args[0], env)
    if not isinstance(result, Json):
        raise NotEncodable
    return result


def _json_get(to: Encoder, node: Call, env: Env) -> Term:
    key = node.args[1]
    if (
        not isinstance(key, Literal)
        or not isinstance(key.value, str | int)
        or (isinstance(key.value, int) and key.value < 0)
    ):
        raise NotEncodable
    return to.json_child(_json(to, node, env), key.value)


def _json_is(to: Encoder, node: Call, env: Env) -> Term:
    result = _json(to, node, env)
    return truth_of(result.kind == KINDS.index(constant(node.args[1])), result.null)


def _json_eq(to: Encoder, node: Call, env: Env) -> Term:
    """Two texts, numbers or truth values; of two objects or arrays it is known only that one is the same
    as itself.
    """
    a, b = (to.term(arg, env) for arg in node.args)
    if not isinstance(a, Json) or not isinstance(b, Json):
        raise NotEncodable
    nested = True if a.path == b.path else to.truth_unknown(node, env)
    same = (a.text == b.text, numbers.compare("eq", a.number, b.number), a.truth == b.truth, nested, nested)
    equal = any_of(*(all_of(a.kind == index, test) for index, test in enumerate(same)))
    return truth_of(all_of(a.kind == b.kind, equal), any_of(a.null, b.null))


def _json_value(kind: str) -> Rule:
    def rule(to: Encoder, node: Call, env: Env) -> Term:
        result = _json(to, node, env)
        null = any_of(result.null, result.kind != KINDS.index(kind))
        if kind == "string":
            return Scalar(result.text, null)
        if kind == "number":
            return replace(result.number, null=null)
        return truth_of(result.truth, null)

    return rule


RULES: dict[str, Rule] = {
    "and": _logic,
    "or": _logic,
    "not": _not,
    "is_true": _is_true,
    "is_null": _is_null,
    "cond": _cond,
    "coalesce": _coalesce,
    "greatest": _extreme,
    "least": _extreme,
    "same": _same,
    **dict.fromkeys(COMPARISONS, _comparison),
    "in": _in,
    "in_list": value_sets.member,
    **dict.fromkeys(ARITHMETIC, _arithmetic),
    "int32": _int32,
    "neg": _negative,
    "abs": _negative,
    "floor": _whole,
    "ceil": _whole,
    "concat": _concat,
    "length": _length,
    "starts_with": _affix,
    "ends_with": _affix,
    "contains": _affix,
    "like": _languages(strings.like_language),
    "matches": _languages(strings.pattern_language),
    "equals_ci": _languages(_affix_ci(before=False, after=False)),
    "starts_with_ci": _languages(_affix_ci(before=False, after=True)),
    "contains_ci": _languages(_affix_ci(before=True, after=True)),
    "like_ci": _languages(strings.fold_like),
    "substr": _substr,
    "position": _position,
    "to_int": _to_int,
    "to_whole": lambda to, node, env: numbers.to_whole(to.double(to.term(node.args[0], env))),
    "to_decimal": _to_decimal,
    "to_double": _to_double,
    "to_string": _to_string,
    "to_boolean": _to_boolean,
    "to_timestamp": _to_timestamp,
    "to_date": _to_date,
    **dict.fromkeys(TIME_PARTS - {"day_of_year"}, _time_part),
    "date_trunc": _date_trunc,
    "time_of_day": _time_of_day,
    "in_units": _in_units,
    "add_days": _days,
    "to_micros": lambda to, node, env: to.scalar(node.args[0], env),
    "from_micros": _from_micros,
    "days_between": _days,
    "get": _member,
    "member": _member,
    "index": _index,
    "size": _size,
    "json_eq": _json_eq,
    "json_get": _json_get,
    "json_at": _json_get,
    "json_is": _json_is,
    **{op: _json_value(kind) for op, kind in JSON_READS.items()},
}
"""How each operator becomes a formula."""
