"""Formulas of arithmetic."""

from predicat.forms.decimals import may_have_more_digits
from predicat.ir.nodes import Call, Literal
from predicat.ir.operators import ARITHMETIC
from predicat.ir.types import BIGINT, DecimalType
from predicat.proof.smt import numbers
from predicat.proof.smt.encoder import BOUNDS, Encoder, Env
from predicat.proof.smt.rules.rule import Rule
from predicat.proof.smt.strings import NotEncodable
from predicat.proof.smt.terms import (
    Double,
    Scalar,
    Term,
    any_of,
    z3,
)


def _arithmetic(to: Encoder, node: Call, env: Env) -> Term:
    a, b = (to.term(arg, env) for arg in node.args)
    if isinstance(a, Double) and isinstance(b, Double):
        if node.op == "fdiv" and not (isinstance(node.args[1], Literal) and node.args[1].value):
            raise NotEncodable  # the sign of a zero decides between the infinities
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


RULES: dict[str, Rule] = {
    **dict.fromkeys(ARITHMETIC, _arithmetic),
    "int32": _int32,
    "neg": _negative,
    "abs": _negative,
    "floor": _whole,
    "ceil": _whole,
}
