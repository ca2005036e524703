"""Formulas of JSON values."""

from msgspec.structs import replace

from predicat.ir.nodes import Call, Literal
from predicat.ir.operators import JSON_READS
from predicat.ir.types import STRING
from predicat.proof.smt import numbers
from predicat.proof.smt.encoder import Encoder, Env
from predicat.proof.smt.quantifiers import null_at
from predicat.proof.smt.rules.rule import Rule, constant
from predicat.proof.smt.strings import NotEncodable
from predicat.proof.smt.terms import (
    KINDS,
    Json,
    Scalar,
    Term,
    Truth,
    all_of,
    any_of,
    negated,
    truth_of,
)


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


def _json_null(to: Encoder, node: Call, env: Env) -> Term:
    base, value = _json(to, node, env), _json_get(to, node, env)
    if not isinstance(value, Json):
        raise NotEncodable
    if node.args[1].type == STRING:
        null = null_at(to, base, value)
    else:
        within = constant(node.args[1]) < base.length
        null = all_of(negated(base.null), base.kind == KINDS.index("array"), within, value.null)
    return Truth(null, negated(value.null))


def _json_is(to: Encoder, node: Call, env: Env) -> Term:
    result = _json(to, node, env)
    return truth_of(result.kind == KINDS.index(constant(node.args[1])), result.null)


def _json_eq(to: Encoder, node: Call, env: Env) -> Term:
    """Equality of two JSON values. Strings, numbers and booleans are compared. Objects and arrays are equal
    if they have the same path, otherwise the outcome is an unknown condition.
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
    "json_eq": _json_eq,
    "json_get": _json_get,
    "json_at": _json_get,
    "json_is": _json_is,
    "json_null": _json_null,
    **{op: _json_value(kind) for op, kind in JSON_READS.items()},
}
