"""Comparisons of a calculation with one field, as bounds of the field itself.

`n + 5 > 10` is `n > 5 AND n <= 9223372036854775802`: no calculation, so nothing that can overflow, and an
index or the statistics of a file serve it. A calculation of monotone operators maps the values of a field, in
order, to values in order. So the rows that a comparison accepts are intervals of the field, which
`predicat.values.preimage` finds with the reference evaluator: overflow, rounding and UNKNOWN come out right
by construction.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from predicat.analysis.facts import may_be_nan, may_overflow
from predicat.forms.decimals import fits, may_have_more_digits
from predicat.forms.total_order import bare_comparison, disjuncts, rewrite_parts, with_nan_tests
from predicat.ir.bounds import bounded
from predicat.ir.nodes import LEAVES, UNKNOWN, Call, Field, Items, Literal, Node, substituted, walk
from predicat.ir.operators import COMPARISONS, CONNECTIVES, FLIPPED, JUNCTIONS
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, DURATION, TIMESTAMP, DecimalType
from predicat.rewrite.junctions import conjunction, disjunction
from predicat.rewrite.solve_clock import of_clock, of_length, until_clock
from predicat.rewrite.solve_near import near_clock
from predicat.rewrite.solve_texts import solved_text
from predicat.rewrite.solve_zones import near_zone
from predicat.semantics.evaluate import compile_node
from predicat.values.automaton import Opaque
from predicat.values.cycles import PERIODIC
from predicat.values.domain import Domain, domain_of, first_where
from predicat.values.outcomes import outcomes
from predicat.values.partition import Partition, Some
from predicat.values.preimage import narrowed, x_of

# An IN of more values stays as it is.
_MAX_ITEMS = 20
# A condition of more intervals than this would be longer than the calculation.
_MAX_INTERVALS = 4


def for_rows(node: Node) -> Node:
    """A predicate that is TRUE for the same rows, with comparisons of calculations as bounds of fields.

    FALSE and UNKNOWN are not told apart, as in a WHERE.
    """
    node = _beside_nan(without_nan_tests(node))
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
    node = _beside_nan(without_nan_tests(node))
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
    return test if is_field or not isinstance(test, Call) else _nan_test(test, positive=True)


@lru_cache(maxsize=4096)
def _solved(node: Call, *, positive: bool) -> Node | None:
    test = _nan_test(node, positive=positive)
    test = solved_text(node) if test is None else test
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
    sets = _sets(node, field, domain)
    if sets is None:
        return None
    result = _positive(node, field, domain, sets) if positive else _exact(node, field, domain, sets)
    return (
        result
        if result is not None and _agrees(node, result, field, domain, sets, positive=positive)
        else None
    )


def _beside_nan(node: Node) -> Node:
    """`x is NaN OR f(x) > 2`, or `x is no NaN AND f(x) > 2`, for a comparison of a calculation that has a
    constant for NaN. Other nodes stay as they are.
    """
    if not isinstance(node, Call) or node.op not in COMPARISONS:
        return node
    flipped = isinstance(node.args[0], Literal)
    choice, constant = node.args[::-1] if flipped else node.args
    if not isinstance(choice, Call) or choice.op != "cond" or not _is_constant(constant):
        return node
    test, value, rest = choice.args
    is_nan = isinstance(test, Call) and test.op == "ne" and test.args[0] == test.args[1]
    if not is_nan or not isinstance(test, Call) or not _is_constant(value):
        return node

    def compared(part: Node) -> Call:
        return Call(BOOLEAN, node.op, (constant, part) if flipped else (part, constant), node.span)

    field, result = test.args[0], compared(rest)
    if not isinstance(field, Field) or _field(result) != field:
        return node
    wanted = compile_node(compared(value))({})
    if compile_node(result)({field.decl.name: math.nan}) is wanted:
        return result
    if wanted:
        return Call(BOOLEAN, "or", (test, result), node.span)
    return Call(BOOLEAN, "and", (Call(BOOLEAN, "eq", (field, field), node.span), result), node.span)


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
    if not isinstance(part, Call) or part.op != "ne" or part.args[0] != part.args[1]:
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


def _nan_test(node: Call, *, positive: bool) -> Node | None:
    """`x <> x` for `f(x) <> f(x)`, where a calculation is NaN for NaN alone, and has a value for all others:
    where only TRUE counts it need not have one.
    """
    if node.op != "ne" or node.args[0] != node.args[1] or node.args[0].type != DOUBLE:
        return None
    field = _field(Call(BOOLEAN, "ne", (node.args[0], Literal(DOUBLE, 0.0)), node.span))
    found = _outcomes(node, field) if field is not None and field.type == DOUBLE else None
    if field is None or found is None or found.of(math.nan) is not True:
        return None
    others = found.cells.labels
    if True in others or (None in others and not positive):
        return None
    return Call(BOOLEAN, "ne", (field, field), node.span)


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
    if node.op not in COMPARISONS and node.op != "in":
        return None
    left, right = node.args
    if isinstance(left, Literal):
        left, right = right, left
    if isinstance(right, Items):
        if len(right.items) > _MAX_ITEMS or not all(
            _is_constant(item) and _comparable(left, item) for item in right.items
        ):
            return None
    elif not _is_constant(right) or not _comparable(left, right):
        return None
    if any(isinstance(part, Call) and part.op in PERIODIC for part in walk(left)):
        return None  # bounds would only repeat that of the calendar
    inputs = {part for part in walk(left) if isinstance(part, LEAVES) and not isinstance(part, Literal)}
    only = inputs.pop() if len(inputs) == 1 else left
    return only if isinstance(only, Field) and only != left else None


def _comparable(left: Node, right: Node) -> bool:
    """Whether values of two types have one order: those of one type, and numbers."""
    return left.type == right.type or all(
        node.type in (BIGINT, DOUBLE) or isinstance(node.type, DecimalType) for node in (left, right)
    )


def _is_constant(node: Node) -> bool:
    return isinstance(node, Literal) and node.value is not None


# Types whose round values read best as bounds: from one on, and below one.
_TIMES = (TIMESTAMP, DURATION)


# --- the sets


class _Sets(Struct, frozen=True):
    """Ordinals of a field's values: where the calculation has a value, and where the comparison is TRUE."""

    defined: list[tuple[int, int]]
    true: list[tuple[int, int]]


def _sets(node: Call, field: Field, domain: Domain) -> _Sets | None:
    """The intervals of a comparison; None where they cannot be found."""
    found = _outcomes(node, field)
    if found is None:
        return None
    cells = narrowed(found, domain).line()
    ends = [*(start - 1 for start in cells.starts[1:]), domain.greatest]
    pieces = list(zip(cells.starts, ends, cells.labels, strict=True))
    defined = _joined((low, high) for low, high, label in pieces if label is not None)
    return _Sets(defined, [(low, high) for low, high, label in pieces if label is True]) if defined else None


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


def _joined(parts: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Intervals, with those that touch as one."""
    result: list[tuple[int, int]] = []
    for first, last in parts:
        begin = result.pop()[0] if result and first == result[-1][1] + 1 else first
        result.append((begin, last))
    return result


# --- the result


def _positive(node: Call, field: Field, domain: Domain, sets: _Sets) -> Node | None:
    if len(sets.true) > _MAX_INTERVALS:
        return None
    return disjunction([_within(node, field, domain, sets, *part) for part in sets.true])


def _exact(node: Call, field: Field, domain: Domain, sets: _Sets) -> Node | None:
    """The comparison with UNKNOWN where the calculation has no value, in one CASE."""
    whole = sets.defined == [(domain.least, domain.greatest)]
    closed = domain.closed_below and domain.closed_above
    if not closed or not sets.true or len(sets.defined) != 1 or sets.true == sets.defined:
        return None
    if whole:
        return _positive(node, field, domain, sets)
    least, greatest = sets.defined[0]
    inside = _within(node, field, domain, sets, least, greatest)
    if field.type == DOUBLE and _has_value_of(node, field, math.nan):
        not_a_number = Call(BOOLEAN, "ne", (field, field), node.span)
        inside = Call(BOOLEAN, "or", (inside, not_a_number), node.span)
    # Within the CASE only these values are left: no bound repeats them.
    left = replace(domain, least=least, greatest=greatest)
    result = _positive(node, field, left, sets)
    return Call(BOOLEAN, "cond", (inside, result, UNKNOWN), node.span) if result is not None else None


def _within(node: Call, field: Field, domain: Domain, sets: _Sets, low: int, high: int) -> Node:
    """Whether the field lies in an interval."""
    if low == high:
        return Call(BOOLEAN, "eq", (field, Literal(field.type, domain.value(low))), node.span)
    strict = node.op in ("lt", "gt") or field.type in _TIMES
    parts: list[Node] = []
    if low > domain.least or not domain.closed_below:
        open_ = strict and field.type not in _TIMES and _is_defined(sets, low - 1)
        parts.append(_bound(node, field, domain, *(("gt", low - 1) if open_ else ("ge", low))))
    if high < domain.greatest or not domain.closed_above:
        open_ = (strict and _is_defined(sets, high + 1)) or (field.type in _TIMES and high < domain.greatest)
        parts.append(_bound(node, field, domain, *(("lt", high + 1) if open_ else ("le", high))))
    if parts:
        return conjunction(parts)
    absent = Call(BOOLEAN, "is_null", (field,), node.span)
    return Call(BOOLEAN, "not", (absent,), node.span)


def _bound(node: Call, field: Field, domain: Domain, op: str, at: int) -> Node:
    """A bound of a field. Of the two ways to write a bound of a double, the one with fewer digits."""
    if field.type == DOUBLE:
        other, beside = {
            "gt": ("ge", at + 1),
            "ge": ("gt", at - 1),
            "lt": ("le", at - 1),
            "le": ("lt", at + 1),
        }[op]
        if len(repr(domain.value(beside))) < len(repr(domain.value(at))):
            op, at = other, beside
    return Call(BOOLEAN, op, (field, Literal(field.type, domain.value(at))), node.span)


def _is_defined(sets: _Sets, at: int) -> bool:
    return any(low <= at <= high for low, high in sets.defined)


# --- the proof


def _agrees(before: Node, after: Node, field: Field, domain: Domain, sets: _Sets, *, positive: bool) -> bool:
    """Whether both have the same outcome at every end of an interval, at its neighbours, and elsewhere."""
    ends = [end for low, high in (*sets.defined, *sets.true) for end in (low, high)]
    near = {at + step for at in (*ends, 0) for step in (-1, 0, 1)} | {domain.least, domain.greatest}
    values = [domain.value(at) for at in near if domain.least <= at <= domain.greatest]
    old, new, name = compile_node(before), compile_node(after), field.decl.name
    for value in (*values, *domain.others, None):
        one, other = old({name: value}), new({name: value})
        if one != other and not (positive and one is not True and other is not True):
            return False
    return True
