"""From surface to core: operators as their author wrote them become operators of the operator table.

The check returns nodes of the surface: an operator may have operands whose kind depends on the row
(`j.a < j.b`, `size(j)`), and CEL's integers have their own operators (see `predicat.ir.surface`). Writers of
languages use the surface. Everything else (the evaluator, SQL, the solver, hashes of meanings) uses the core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from predicat.diagnostics import PredicatError
from predicat.diagnostics import messages as msg
from predicat.forms import total_order
from predicat.forms.logic import unknown_if
from predicat.ir.bounds import guarded
from predicat.ir.limits import MAX_DEPTH, MAX_TYPED_NODES
from predicat.ir.nodes import LEAVES, Call, Field, Node, children, rewrite_children
from predicat.ir.operators import COMPARISONS, EQUALITIES
from predicat.ir.surface import (
    CASTS,
    CHECKED_MOD,
    CHECKED_TO_INT,
    ELEMENTS,
    EXTREMES,
    HALF_EVEN,
    HALF_UP,
    IS_NAN,
    LENGTH_FIELDS,
    MATHEMATICS,
    NULL_CASES,
    NULL_IS_VALUE,
    SECONDS,
    SECONDS_OF_LENGTH,
    TEXT_CASTS,
    TOTAL_ORDER,
    UNKNOWN_IF,
    WRAPPED,
    WRAPPING,
)
from predicat.lower import cel_integers, cel_math, decimals, json, membership, null_values, sql, wrapping
from predicat.rewrite.simplify import simplify

# A function that returns the core of a call with lowered arguments; None if the rule does not apply.
Rule = Callable[[Call], Node | None]


def unknown_unless_false(call: Call) -> Node:
    """A value that is UNKNOWN unless all of some tests are FALSE."""
    value, *tests = call.args
    return unknown_if(value, tests, call.span)


# The operators of each rule, in order. The first rule that does not return None is used.
RULES: tuple[tuple[Iterable[str], Rule], ...] = (
    (COMPARISONS, json.compare),
    (EQUALITIES, json.equal_to_typed),
    (("in",), membership.in_json),
    (("in",), membership.in_map),
    (("json_get",), json.subscript),
    (("size",), json.size),
    ((*CASTS, CHECKED_TO_INT), json.conversion),
    ((ELEMENTS,), json.elements),
    (EXTREMES.values(), json.extreme),
    (MATHEMATICS, cel_math.function),
    ((*COMPARISONS, "same"), decimals.against_constant),
    ((UNKNOWN_IF,), unknown_unless_false),
    (TEXT_CASTS.values(), sql.cast_of_text),
    ((HALF_EVEN, HALF_UP), sql.rounded),
    ((IS_NAN,), sql.is_nan),
    ((SECONDS, SECONDS_OF_LENGTH), sql.seconds),
    (LENGTH_FIELDS.values(), sql.length_field),
    ((CHECKED_MOD,), cel_integers.checked_mod),
    ((CHECKED_TO_INT,), cel_integers.checked_to_int),
    ((TOTAL_ORDER,), total_order.total_order),
    ((NULL_IS_VALUE,), null_values.null_is_value),
    ((NULL_CASES,), null_values.null_cases),
    (WRAPPED.values(), wrapping.wrapped),
    (WRAPPING.values(), wrapping.wrapping),
)
_OF_SQL = (*TEXT_CASTS.values(), HALF_EVEN, HALF_UP, IS_NAN, SECONDS, SECONDS_OF_LENGTH)
# Operators of the surface that no writer supports.
_NOT_WRITTEN = (*_OF_SQL, *WRAPPED.values(), *WRAPPING.values(), *LENGTH_FIELDS.values(), UNKNOWN_IF)
# Operators of the surface that only the writer of CEL supports.
_OF_CEL = (*MATHEMATICS, NULL_IS_VALUE, NULL_CASES)


def core(surface: Node) -> Node:
    """The core of a predicate, in the form that back ends render. Raises PredicatError if it is too large."""
    return simplify(_lowered(surface, _RULES_OF))


def core_of_part(part: Node) -> Node:
    """The core of a part of a simplified surface. It is simplified again only if lowering changes it. Raises
    PredicatError.
    """
    lowered = _lowered(part, _RULES_OF)
    return part if lowered is part else simplify(lowered)


def for_writers(surface: Node, *, cel: bool, nan: bool) -> Node:
    """The surface for a language other than SQL, in which numbers are compared by IEEE 754.

    Args:
        surface: A predicate.
        cel: Whether the language is CEL. Otherwise CEL's math extension and equality with null are lowered.
        nan: Whether numbers of the language may be NaN. In JSON and in strings they cannot.
    """
    rules = {} if cel else {op: _RULES_OF[op] for op in _OF_CEL}
    rules |= {op: _RULES_OF[op] for op in _NOT_WRITTEN}
    rules |= {op: [decimals.against_constant] for op in (*COMPARISONS, "same")}
    rules[TOTAL_ORDER] = _RULES_OF[TOTAL_ORDER] if nan else [total_order.plain]
    lowered = _lowered(surface, rules, guard=False)
    return surface if lowered is surface else simplify(lowered)


def _lowered(surface: Node, rules: Mapping[str, list[Rule]], *, guard: bool = True) -> Node:
    """The surface lowered by rules. `guard`: values outside the declared range of a field count as NULL."""
    try:
        return _Lowering(rules, guard).node(surface)
    except RecursionError:
        raise PredicatError.of(msg.too_deep(surface.span, MAX_DEPTH)) from None


def _by_op() -> dict[str, list[Rule]]:
    result: dict[str, list[Rule]] = {}
    for ops, rule in RULES:
        for op in ops:
            result.setdefault(op, []).append(rule)
    return result


_RULES_OF = _by_op()


class _Lowering:
    """Lowers from the leaves up. A shared object is lowered only once."""

    def __init__(self, rules: Mapping[str, list[Rule]], guard: bool) -> None:
        self.rules, self.guard = rules, guard
        self.done: dict[int, tuple[Node, Node]] = {}
        self.sizes: dict[int, tuple[Node, int]] = {}

    def node(self, node: Node) -> Node:
        if isinstance(node, LEAVES):
            return guarded(node) if self.guard and isinstance(node, Field) else node
        known = self.done.get(id(node))
        if known is None:
            known = self.done[id(node)] = node, self.lowered(node)
        return known[1]

    def lowered(self, node: Node) -> Node:
        inner = rewrite_children(node, self.node)
        result = inner
        if isinstance(inner, Call):
            results = (rule(inner) for rule in self.rules.get(inner.op, ()))
            result = next((core for core in results if core is not None), inner)
        if result is not node and (size := self.size(result)) > MAX_TYPED_NODES:
            raise PredicatError.of(msg.too_large(node.span, size, MAX_TYPED_NODES, "parts"))
        return result

    def size(self, node: Node) -> int:
        """The number of a node's parts. A shared part counts each time, but is visited once."""
        if isinstance(node, LEAVES):
            return 1
        known = self.sizes.get(id(node))
        if known is None:
            known = self.sizes[id(node)] = node, 1 + sum(map(self.size, children(node)))
        return known[1]
