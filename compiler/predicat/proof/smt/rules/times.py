"""Formulas of timestamps, dates and durations."""

from datetime import timedelta

from predicat.ir.nodes import Call, Literal
from predicat.ir.operators import TIME_PARTS
from predicat.ir.types import DATE
from predicat.ir.values import LONGEST, UNITS
from predicat.proof.smt import numbers, times
from predicat.proof.smt.encoder import Encoder, Env
from predicat.proof.smt.rules.rule import Rule, constant
from predicat.proof.smt.strings import NotEncodable
from predicat.proof.smt.terms import (
    Scalar,
    Term,
    any_of,
    integer,
    z3,
)


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


def _multiple(to: Encoder, node: Call, env: Env) -> Term:
    length, count = node.args[0], to.scalar(node.args[1], env)
    if not isinstance(length, Literal) or not isinstance(length.value, timedelta):
        raise NotEncodable
    result = count.term * integer(length.value // timedelta(microseconds=1))
    return Scalar(result, any_of(count.null, z3.Not(z3.And(result >= -LONGEST, result <= LONGEST))))


RULES: dict[str, Rule] = {
    **dict.fromkeys(TIME_PARTS - {"day_of_year"}, _time_part),
    "date_trunc": _date_trunc,
    "time_of_day": _time_of_day,
    "in_units": _in_units,
    "add_days": _days,
    "to_micros": lambda to, node, env: to.scalar(node.args[0], env),
    "from_micros": _from_micros,
    "days_between": _days,
    "multiple": _multiple,
}
