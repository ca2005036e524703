"""Formulas of string operators."""

from collections.abc import Callable

from predicat.ir.nodes import Call, Literal
from predicat.proof.smt import strings
from predicat.proof.smt.encoder import Encoder, Env
from predicat.proof.smt.rules.rule import Rule, constant
from predicat.proof.smt.terms import (
    Scalar,
    Term,
    any_of,
    truth_of,
    z3,
)
from predicat.semantics.regex import Regex, Seq


def _concat(to: Encoder, node: Call, env: Env) -> Term:
    a, b = (to.scalar(arg, env) for arg in node.args)
    return Scalar(z3.Concat(a.term, b.term), any_of(a.null, b.null))


def _length(to: Encoder, node: Call, env: Env) -> Term:
    a = to.scalar(node.args[0], env)
    return Scalar(z3.Length(a.term), a.null)


def _byte_count(to: Encoder, node: Call, env: Env) -> Term:
    a = to.scalar(node.args[0], env)
    return Scalar(z3.Length(a.term) / 2 - 1, a.null)


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


RULES: dict[str, Rule] = {
    "concat": _concat,
    "length": _length,
    "byte_count": _byte_count,
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
}
