"""Formulas of AND, OR, choices and comparisons."""

from predicat.ir.nodes import Call, Items, Literal, Node
from predicat.ir.operators import COMPARISONS
from predicat.ir.values import PERIOD_MONTHS
from predicat.proof.smt import numbers, times, value_sets
from predicat.proof.smt.encoder import Encoder, Env, sort
from predicat.proof.smt.rules.rule import Rule
from predicat.proof.smt.strings import NotEncodable
from predicat.proof.smt.terms import (
    Bool,
    Double,
    Scalar,
    Term,
    Truth,
    all_of,
    any_of,
    choose,
    negated,
    truth_of,
)

# A longer list has no formula: the formula alone takes longer than most comparisons.
_MOST_ITEMS = 500


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
    """Whether one value is greater than another, if neither is NULL. NaN is greater than every number."""
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
    """For two DATE_TRUNC to the same unit (month, quarter or year): the numbers of the two periods. They have
    the same order as the timestamps, and do not need the lengths of months. None for other operands.
    """
    match left, right:
        case (
            Call(op="date_trunc", args=(Literal(value=str(unit)), one)),
            Call(op="date_trunc", args=(Literal(value=other), two)),
        ) if unit == other and unit in PERIOD_MONTHS:
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
    result, absent = [], []
    for index, item in enumerate(array.items):
        if not isinstance(item, Scalar) or sort(item) != sort(value):
            raise NotEncodable
        result.append(all_of(array.length > index, negated(item.null), item.term == value.term))
        absent.append(all_of(array.length > index, item.null))
    there = all_of(negated(value.null), negated(array.null))
    return Truth(
        all_of(there, any_of(*result)), all_of(there, negated(any_of(*result)), negated(any_of(*absent)))
    )


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
}
