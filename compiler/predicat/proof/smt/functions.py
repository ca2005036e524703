"""Operators without a formula, as uninterpreted functions: equal arguments give equal results.

So `trim(s) = trim(u)` is TRUE if `s = u` is. A strict operator is also constrained to be UNKNOWN if an
argument is.
"""

from typing import Any

from predicat.ir.nodes import Call, Field, Items, Literal, Node, walk
from predicat.ir.operators import JUNCTIONS, OPS, STRICT, TEXT_OPERATORS
from predicat.ir.types import BOOLEAN, STRING
from predicat.proof.smt import strings
from predicat.proof.smt.encoder import BOUNDS, Encoder, Env
from predicat.proof.smt.strings import NotEncodable
from predicat.proof.smt.terms import (
    Bool,
    Double,
    Scalar,
    Term,
    all_of,
    any_of,
    as_term,
    negated,
    truth_of,
    z3,
)
from predicat.semantics.evaluate import compile_node


def is_of_texts(node: Node) -> bool:
    """Whether a node calculates a string, or another value of a string in the row."""
    return (
        isinstance(node, Call)
        and node.op in TEXT_OPERATORS
        and STRING in (node.type, *(arg.type for arg in node.args if not isinstance(arg, Literal)))
    )


def applied(to: Encoder, node: Call, env: Env) -> Term | None:
    """The value of a strict operator as an uninterpreted function of its arguments; None for an operator that
    is not strict, and for arguments or results that are not scalars.
    """
    if node.op not in STRICT or not (node.type in BOUNDS or node.type in (STRING, BOOLEAN)):
        return None
    terms = _terms(to, node, env)
    if terms is None or not all(isinstance(term, Scalar) for term in terms):
        return None
    values = [term.term for term in terms if isinstance(term, Scalar)]
    row = OPS[node.op]
    null = any_of(
        *(term.null for term in terms), not row.total and _function(node, "null", values, z3.BoolSort())
    )
    if node.type == BOOLEAN:
        return truth_of(_function(node, "value", values, z3.BoolSort()), null)
    value = _function(node, "value", values, z3.StringSort() if node.type == STRING else z3.IntSort())
    if node.type in BOUNDS:
        low, high = row.range or BOUNDS[node.type]
        to.constraints += [value >= low, value <= high]
    return Scalar(value, null)


def absent_with_its_arguments(to: Encoder, node: Call, result: Term, env: Env) -> None:
    """Constrain the value of a strict operator to be NULL if an argument is NULL."""
    terms = _terms(to, node, env) if node.op in STRICT else None
    if terms:
        there = all_of(*(negated(term.null) for term in terms))
        to.constraints.append(as_term(any_of(result.null, there)))


# Operators that may be evaluated on constants: their value depends only on their arguments. Python code is
# not run.
_WORKED_OUT = (STRICT - {"entry_filter"}) | JUNCTIONS | {"cond", "coalesce", "in", "not", "is_null"}
# The most string constants for which a node without a formula is evaluated.
_MOST_TEXTS = 8


def known_at_constants(to: Encoder, node: Call, result: Term, env: Env) -> None:
    """Constrain a value that depends on one string field: for the string constants with which the predicates
    compare something, it is what the reference evaluator computes.
    """
    parts = list(walk(node))
    fields = {part.decl.name: part for part in parts if isinstance(part, Field)}
    others = [part for part in parts if not isinstance(part, Field | Literal | Items)]
    worked_out = all(isinstance(part, Call) and part.op in _WORKED_OUT for part in others)
    if len(fields) != 1 or not worked_out or not isinstance(result, Scalar | Double):
        return
    ((name, field),) = fields.items()
    read = to.term(field, env)
    if field.type != STRING or not isinstance(read, Scalar):
        return
    run = compile_node(node)
    for text in to.texts[:_MOST_TEXTS]:
        value = to.literal(Literal(node.type, run({name: text})))
        if (same := _same(result, value)) is not None:
            given = all_of(negated(read.null), read.term == strings.text(text))
            to.constraints.append(as_term(any_of(negated(given), same)))


def _same(one: Term, other: Term) -> Bool | None:
    match one, other:
        case (Scalar(), Scalar()) | (Double(), Double()) if other.null is True:
            return one.null
        case Scalar(), Scalar():
            return all_of(negated(one.null), one.term == other.term)
        case Double(), Double():
            flags = ((one.nan, other.nan), (one.plus, other.plus), (one.minus, other.minus))
            held = (here if there is True else negated(here) for here, there in flags)
            return all_of(negated(one.null), *held, other.finite is not True or one.term == other.term)
        case _:
            return None


def _terms(to: Encoder, node: Call, env: Env) -> list[Term] | None:
    try:
        return [to.term(arg, env) for arg in node.args]
    except NotEncodable:
        return None


def _function(node: Call, what: str, values: list[Any], result: Any) -> Bool:
    """An application of the uninterpreted function of an operator and the types of its arguments."""
    name = f"{what} of {node.op} of {', '.join(str(arg.type) for arg in node.args)}"
    return z3.Function(name, *(value.sort() for value in values), result)(*values)
