"""Long lists in formulas: each list is one uninterpreted function, from a value to whether the list has it.

Constraints add what is known: which constants of the predicates are in the list, its least and greatest
value, and whether it is a subset of another list or disjoint from it.
"""

from typing import Any

from predicat.ir.nodes import Call, Literal, walk
from predicat.ir.types import ArrayType, Type
from predicat.ir.value_sets import ValueSet
from predicat.proof.smt.encoder import Encoder
from predicat.proof.smt.strings import NotEncodable
from predicat.proof.smt.terms import Bool, Scalar, Term, Truth, truth_of, z3

# The most constraints about lists in one formula.
_MOST_FACTS = 200


def member(to: Encoder, node: Call, env: Any) -> Term:
    """Whether a value is in a long list; UNKNOWN for NULL. Raises NotEncodable if the value is no scalar."""
    value, listed = to.term(node.args[0], env), node.args[1]
    assert isinstance(listed, Literal) and isinstance(listed.value, ValueSet)  # noqa: S101, PT018  # the check
    assert isinstance(listed.type, ArrayType)  # noqa: S101  # as above
    if not isinstance(value, Scalar):
        raise NotEncodable
    function = _function(to, listed.value, listed.type.element, value)
    _relate(to, value.term)
    results: Bool = function(value.term)
    result = truth_of(results, value.null)
    assert isinstance(result, Truth)  # noqa: S101  # as its name says
    return result


def _function(to: Encoder, listed: ValueSet, kind: Type, value: Scalar) -> Any:
    """The uninterpreted function of a list. Its first use adds the constraints about constants."""
    sort = value.term.sort()
    key = f"{listed.digest} {sort}"
    if key not in to.asked.lists:
        function = z3.Function(f"in {listed.digest}", sort, z3.BoolSort())
        to.asked.lists[key] = listed, function
        for constant in _constants(to, kind) if listed.is_known else ():
            known = to.literal(constant)
            if isinstance(known, Scalar) and known.term.sort() == sort and _more(to):
                to.constraints.append(function(known.term) == (constant.value in listed))
        for other in to.asked.values.get(str(sort), []):
            _pairs(to, other)
    return to.asked.lists[key][1]


def _constants(to: Encoder, kind: Type) -> list[Literal]:
    return list(
        dict.fromkeys(
            part
            for node in to.nodes
            for part in walk(node)
            if isinstance(part, Literal) and part.type == kind and part.value is not None
        )
    )


def _relate(to: Encoder, term: Any) -> None:
    """Add the constraints on a value for all lists in use. A later list adds its own at its first use."""
    known = to.asked.values.setdefault(str(term.sort()), [])
    if not any(term.eq(one) for one in known):
        known.append(term)
        _pairs(to, term)


def _pairs(to: Encoder, term: Any) -> None:
    """Constrain a value that is in a list: its bounds, and whether it is in other lists."""
    asked = [
        (listed, function)
        for listed, function in to.asked.lists.values()
        if listed.is_known and function.domain(0) == term.sort()
    ]
    for listed, function in asked:
        if z3.is_arith(term) and listed.values:
            ends = [to.literal(Literal(_kind(listed), listed.values[end])) for end in (0, -1)]
            low, high = (end.term for end in ends if isinstance(end, Scalar))
            to.constraints.append(z3.Implies(function(term), z3.And(low <= term, term <= high)))
        for other, of_other in asked:
            if other != listed and _more(to):
                if listed.members <= other.members:
                    to.constraints.append(z3.Implies(function(term), of_other(term)))
                elif listed.members.isdisjoint(other.members):
                    to.constraints.append(z3.Not(z3.And(function(term), of_other(term))))


def _kind(listed: ValueSet) -> Type:
    from predicat.ir.values import type_of  # noqa: PLC0415  # only with long lists

    return type_of(listed.values[0])


def _more(to: Encoder) -> bool:
    to.asked.facts += 1
    return to.asked.facts <= _MOST_FACTS
