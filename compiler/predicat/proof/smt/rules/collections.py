"""Formulas of arrays, maps and structs."""

from msgspec.structs import replace

from predicat.ir.nodes import Call, Literal
from predicat.proof.smt.encoder import Encoder, Env
from predicat.proof.smt.rules.rule import Rule, constant
from predicat.proof.smt.strings import NotEncodable
from predicat.proof.smt.terms import (
    Array,
    Double,
    Record,
    Scalar,
    Term,
    Truth,
    all_of,
    any_of,
    as_term,
    negated,
    z3,
)


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
        to.constraints.append(as_term(any_of(item.null, negated(outside))))  # then its members are NULL
    return replace(item, null=any_of(item.null, outside))


def _size(to: Encoder, node: Call, env: Env) -> Term:
    result = to.term(node.args[0], env)
    if not isinstance(result, Array):
        raise NotEncodable
    return Scalar(result.length, result.null)


RULES: dict[str, Rule] = {
    "get": _member,
    "member": _member,
    "index": _index,
    "size": _size,
}
