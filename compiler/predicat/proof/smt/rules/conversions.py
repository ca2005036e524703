"""Formulas of conversions."""

from predicat.ir.nodes import Call
from predicat.ir.types import BIGINT, DATE, STRING, TIMESTAMP, DecimalType
from predicat.proof.smt import numbers, times
from predicat.proof.smt.encoder import Encoder, Env
from predicat.proof.smt.rules.rule import Rule
from predicat.proof.smt.strings import NotEncodable
from predicat.proof.smt.terms import (
    Double,
    Scalar,
    Term,
    Truth,
    all_of,
    any_of,
    choose,
    integer,
    negated,
    z3,
)


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


RULES: dict[str, Rule] = {
    "to_int": _to_int,
    "to_whole": lambda to, node, env: numbers.to_whole(to.double(to.term(node.args[0], env))),
    "to_decimal": _to_decimal,
    "to_double": _to_double,
    "to_string": _to_string,
    "to_boolean": _to_boolean,
    "to_timestamp": _to_timestamp,
    "to_date": _to_date,
}
