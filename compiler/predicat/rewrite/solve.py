"""Comparisons of a calculation with one field, as bounds of the field itself.

`n + 5 > 10` is `n > 5 AND n <= 9223372036854775802`: no calculation, so nothing that can overflow, and an
index or the statistics of a file serve it. A calculation of monotone operators maps the values of a field, in
order, to values in order. So the rows that a comparison accepts are intervals of the field, which
`predicat.values.preimage` finds with the reference evaluator: overflow, rounding and UNKNOWN come out right
by construction.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from predicat.analysis.facts import may_be_nan, may_overflow
from predicat.forms.decimals import fits, may_have_more_digits
from predicat.forms.total_order import bare_comparison, disjuncts, is_nan_test, rewrite_parts, with_nan_tests
from predicat.ir.bounds import bounded
from predicat.ir.nodes import FALSE, LEAVES, UNKNOWN, Call, Field, Items, Literal, Node, substituted, walk
from predicat.ir.operators import COMPARISONS, CONNECTIVES, FLIPPED, JUNCTIONS
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, DURATION, TIMESTAMP, DecimalType
from predicat.rewrite.junctions import disjunction
from predicat.rewrite.solve_clock import of_clock, of_length, until_clock
from predicat.rewrite.solve_near import near_clock
from predicat.rewrite.solve_texts import solved_text
from predicat.rewrite.solve_zones import near_zone
from predicat.semantics.evaluate import compile_node
from predicat.values.automaton import Label, Opaque
from predicat.values.cycles import PERIODIC
from predicat.values.domain import Domain, domain_of, first_where
from predicat.values.outcomes import outcomes
from predicat.values.partition import Partition, Some, relabelled
from predicat.values.preimage import narrowed, x_of
from predicat.values.written import Bound, Interval, between

# An IN of more values stays as it is.
_MAX_ITEMS = 20
# A condition of more intervals than this would be longer than the calculation.
_MAX_INTERVALS = 4


def for_rows(node: Node) -> Node:
    """A predicate that is TRUE for the same rows, with comparisons of calculations as bounds of fields.

    FALSE and UNKNOWN are not told apart, as in a WHERE.
    """
    node = without_nan_tests(node)
    if isinstance(node, Call) and node.op in JUNCTIONS:
        return replace(node, args=rewrite_parts(node, for_rows))
    if not isinstance(node, Call):
        return node
    result = _solved(node, positive=True)
    if result is not None:
        return result
    until = until_clock(node)
    if until is not None:
        return for_rows(until)  # it may have a day of the field
    near = near_zone(node, for_rows)
    return near_clock(node) if near == node else near


def exactly(node: Node, better: Callable[[Node, Node], bool]) -> Node:
    """A predicate with the same outcome on every row, with comparisons of calculations as bounds of fields.

    Args:
        node: A simplified predicate.
        better: Whether the second node is to replace the first one: a CASE may be longer than a guard.
    """
    node = without_nan_tests(node)
    if isinstance(node, Call) and bare_comparison(node) is not None:
        return _in_total_order(node, better)
    if isinstance(node, Call) and node.op in CONNECTIVES:
        args = disjuncts(node.args) if node.op == "or" else node.args
        return replace(node, args=tuple(exactly(part, better) for part in args))
    result = _solved(node, positive=False) if isinstance(node, Call) else None
    if result is None or not isinstance(node, Call):
        return node
    return result if better(node, result) or of_clock(node) == result else node


def _in_total_order(node: Call, better: Callable[[Node, Node], bool]) -> Node:
    """A comparison that has a test for NaN beside it. Where the bounds stand in a CASE, the test does, too:
    only there the calculation has a value.
    """
    ((comparison, test),) = with_nan_tests(node.args)
    result = exactly(comparison, better)
    if result == comparison:
        return node
    is_nan = _nan_of_field(test)
    match result:
        case Call(op="cond", args=(Call(op="or") as inside, bounds, rest)) if (
            is_nan is not None and is_nan in inside.args
        ):
            return replace(result, args=(inside, Call(BOOLEAN, "or", (bounds, is_nan), node.span), rest))
        case _:
            return Call(BOOLEAN, "or", (result, exactly(test, better)), node.span)


def _nan_of_field(test: Node) -> Node | None:
    """The test for NaN of a field that a test of a calculation amounts to, wherever that has a value."""
    is_field = isinstance(test, Call) and isinstance(test.args[0], Field)
    return test if is_field or not isinstance(test, Call) else _solved(test, positive=True)


@lru_cache(maxsize=4096)
def _solved(node: Call, *, positive: bool) -> Node | None:
    test = solved_text(node)
    test = _difference(node, positive=positive) if test is None else test
    test = of_clock(node) if test is None else test
    test = of_length(node, lambda one: _solved(one, positive=positive)) if test is None else test
    if test is not None:
        return test
    field = _field(node)
    domain = None if field is None else _domain(field)
    if field is None or domain is None:
        return None
    for part in walk(node):
        if (bounds := bounded(part)) is not None:
            domain = _between(domain, bounds.least, bounds.greatest)
    found = _outcomes(node, field)
    if found is None or {*found.line().labels} == {None}:
        return None
    found = narrowed(found, domain)
    result = (_positive if positive else _exact)(node, field, found)
    if result is not None and field.type == DOUBLE and any(map(is_nan_test, walk(node))):
        result = _beside_nan(result, field, wanted=found.of(math.nan))
    agrees = result is not None and _agrees(node, result, field, domain, positive=positive)
    return result if agrees else None


def _beside_nan(result: Node, field: Field, *, wanted: Label) -> Node:
    """The bounds of a field, with a test for NaN beside them if they do not have the outcome for it."""
    if wanted is None or compile_node(result)({field.decl.name: math.nan}) is wanted:
        return result
    op, test = ("or", "ne") if wanted else ("and", "eq")
    is_nan = Call(BOOLEAN, test, (field, field), result.span)
    return is_nan if result == FALSE else Call(BOOLEAN, op, (is_nan, result), result.span)


def without_nan_tests(node: Node) -> Node:
    """An OR without a test for NaN of what is none, beside a comparison of the same value. Other nodes stay
    as they are.
    """
    if not isinstance(node, Call) or node.op != "or":
        return node
    left = tuple(part for part in node.args if not _is_needless(part, node.args))
    if len(left) == len(node.args):
        return node
    return left[0] if len(left) == 1 else replace(node, args=left)


def _is_needless(part: Node, beside: tuple[Node, ...]) -> bool:
    if not is_nan_test(part):
        return False
    value = part.args[0]
    return (
        value.type == DOUBLE
        and (not may_be_nan(value) or _is_of_integers(value))
        and any(
            isinstance(other, Call)
            and other.op in COMPARISONS
            and (value in other.args or (other, part) in with_nan_tests(beside))
            for other in beside
            if other is not part
        )
    )


def _is_of_integers(value: Node) -> bool:
    """Whether a value is a calculation of an integer that is NaN for none."""
    test = Call(BOOLEAN, "ne", (value, value), value.span)
    field = _field(Call(BOOLEAN, "ne", (value, Literal(DOUBLE, 0.0)), value.span))
    found = _outcomes(test, field) if field is not None and field.type == BIGINT else None
    return found is not None and True not in found.labels()


def _difference(node: Call, *, positive: bool) -> Node | None:
    """`a < b` for `a - b < 0`, where the difference has a value whenever both have one: a difference of
    doubles is zero for equal ones alone, and NaN for two infinities.
    """
    if node.op not in COMPARISONS:
        return None
    op, (left, right) = node.op, node.args
    if isinstance(left, Literal):
        op, left, right = FLIPPED[op], right, left
    if not isinstance(left, Call) or left.op != "sub" or not isinstance(right, Literal) or right.value != 0:
        return None
    if isinstance(left.type, DecimalType):
        total = not may_have_more_digits(left)
        return Call(BOOLEAN, op, left.args, node.span) if total and fits(left.args) else None
    if {arg.type for arg in left.args} != {right.type}:
        return None
    if right.type == BIGINT:
        same = not may_overflow(left) or (positive and op == "eq")
    else:
        same = right.type == DOUBLE and op in ("lt", "gt")
    return Call(BOOLEAN, op, left.args, node.span) if same else None


def _domain(field: Field) -> Domain | None:
    """The values of a field in its declared range, which the column is sure to have."""
    domain = domain_of(field)
    if domain is None or (field.decl.least is None and field.decl.greatest is None):
        return domain
    return replace(
        _between(domain, field.decl.least, field.decl.greatest), closed_below=True, closed_above=True
    )


def _between(domain: Domain, least: Any, greatest: Any) -> Domain:
    """The values of a domain in a range. Columns may have others, so each condition has both bounds."""

    def first(holds: Callable[[Any], bool]) -> int:
        """The least ordinal for whose value a test holds, which does from some place on."""
        return first_where(lambda at: holds(domain.value(at)), domain.least, domain.greatest)

    low = domain.least if least is None else first(lambda value: value >= least)
    high = domain.greatest if greatest is None else first(lambda value: value > greatest) - 1
    return replace(
        domain,
        least=low,
        greatest=max(low, high),
        closed_below=domain.closed_below and least is None,
        closed_above=domain.closed_above and greatest is None,
    )


# --- which comparisons


def _field(node: Call) -> Field | None:
    """The one field of a comparison of a calculation with constants; None for any other node."""
    if node.op not in (*COMPARISONS, "in") or (node.args[0] == node.args[1] and not is_nan_test(node)):
        return None
    if any(isinstance(part, Call) and part.op in PERIODIC for part in walk(node)):
        return None  # bounds would only repeat that of the calendar
    if any(isinstance(arg, Items) and len(arg.items) > _MAX_ITEMS for arg in node.args):
        return None
    inputs = {part for part in walk(node) if isinstance(part, LEAVES) and not isinstance(part, Literal)}
    only = inputs.pop() if len(inputs) == 1 else node
    return only if isinstance(only, Field) and only not in node.args else None


# Types whose round values read best as bounds: from one on, and below one.
_TIMES = (TIMESTAMP, DURATION)


# --- the sets


def _outcomes(node: Node, field: Field) -> Partition | None:
    """The outcomes of a test by the values of its field, in intervals; None if they are not known."""
    x = x_of(field.type)
    try:
        found = outcomes(substituted(node, field, x), x)
        return None if any(isinstance(label, Some) for label in found.line().labels) else found
    except Opaque:
        return None


def _has_value_of(node: Call, field: Field, value: Any) -> bool:
    """Whether the calculation of a comparison has a value where its field has this one."""
    calculation = node.args[1] if isinstance(node.args[0], Literal) else node.args[0]
    return compile_node(calculation)({field.decl.name: value}) is not None


# --- the result


def _positive(node: Call, field: Field, found: Partition) -> Node | None:
    """Whether the field lies in one of the intervals in which the comparison is TRUE."""
    intervals = _intervals(found, lambda label: label is True)
    if len(intervals) > _MAX_INTERVALS:
        return None
    return disjunction([_within(node, field, found, interval) for interval in intervals])


def _exact(node: Call, field: Field, found: Partition) -> Node | None:
    """The comparison with UNKNOWN where the calculation has no value, in one CASE."""
    domain, labels = found.domain, found.line().labels
    defined = _intervals(found, lambda label: label is not None)
    closed = domain.closed_below and domain.closed_above
    if not closed or len(defined) != 1 or not {True, False} <= {*labels, *found.others[1:]}:
        return None
    if None not in labels:
        return _positive(node, field, found)
    inside = _within(node, field, found, defined[0])
    if field.type == DOUBLE and _has_value_of(node, field, math.nan):
        not_a_number = Call(BOOLEAN, "ne", (field, field), node.span)
        inside = Call(BOOLEAN, "or", (inside, not_a_number), node.span)
    # Within the CASE only these values are left: no bound repeats them.
    least, end = defined[0]
    left = replace(domain, least=least, greatest=domain.greatest if end is None else end - 1)
    result = _positive(node, field, narrowed(found, left))
    return Call(BOOLEAN, "cond", (inside, result, UNKNOWN), node.span) if result is not None else None


def _intervals(found: Partition, chosen: Callable[[Label], bool]) -> list[Interval]:
    """The intervals of some labels."""
    return relabelled(found, chosen).intervals()


def _within(node: Call, field: Field, found: Partition, interval: Interval) -> Node:
    """Whether the field lies in an interval, with bounds as the comparison has them."""
    values, cells = found.domain, found.line()

    def bound(ways: Sequence[Bound]) -> Node:
        op, at = min(ways, key=order)
        return Call(BOOLEAN, op, (field, Literal(field.type, values.value(at))), node.span)

    def order(way: Bound) -> tuple[int, int]:
        op, at = way
        if field.type in _TIMES:
            return 0, op not in ("ge", "lt")
        digits = len(repr(values.value(at))) if field.type == DOUBLE else 0
        if op in ("ge", "le"):
            return digits, 1
        return digits, 0 if node.op in ("lt", "gt") and cells.at(at) is not None else 2

    if interval[1] == interval[0] + 1 or interval[0] == values.greatest:
        return Call(BOOLEAN, "eq", (field, Literal(field.type, values.value(interval[0]))), node.span)
    return between(field, values, interval, bound)


def _agrees(before: Node, after: Node, field: Field, domain: Domain, *, positive: bool) -> bool:
    """Whether both have the same outcome on values that are in no interval."""
    old, new = compile_node(before), compile_node(after)
    for value in (*domain.others, None):
        one, other = (run({field.decl.name: value}) for run in (old, new))
        if one != other and not (positive and one is not True and other is not True):
            return False
    return True
