"""The outcome of a test of one value for each value that it can have.

The value is the operand of the test: a field, or a calculation that nothing here sees through. The reference
evaluator decides the outcome of each piece, so overflow and rounding are as in a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from msgspec import Struct
from msgspec.structs import replace

from predicat.diagnostics import PredicatError
from predicat.forms.total_order import total_order
from predicat.ir.nodes import (
    LEAVES,
    Call,
    Field,
    FieldDecl,
    Items,
    Literal,
    Node,
    Quantifier,
    rewrite_children,
    substituted,
    walk,
)
from predicat.ir.operators import LOOK_UPS, OPS
from predicat.ir.surface import TOTAL_ORDER
from predicat.ir.types import BOOLEAN, DATE, STRING, TIMESTAMP, Type
from predicat.semantics.evaluate import compile_node
from predicat.values import preimage
from predicat.values.automaton import Opaque
from predicat.values.calendar import is_of_day, of_calendar
from predicat.values.cycles import OF_DAYS
from predicat.values.domain import TEXTS, Domain, after_prefix, domain
from predicat.values.partition import Line, Partition, Some, choices, line, product
from predicat.values.parts import of_parts
from predicat.values.preimage import CONNECTIVES, combines_tests, connected, x_of
from predicat.values.texts import Texts


class Accepted(Struct, frozen=True):
    """The values for which a test is TRUE, as sets.

    Attributes:
        operand: What the test is a test of.
        sure: The values for which it is TRUE.
        near: Those for which it may be TRUE.
    """

    operand: Node
    sure: Partition
    near: Partition


@lru_cache(maxsize=16384)
def accepted(test: Node) -> Accepted | None:
    """The values that a test accepts. Its operand is as far inside as the outcome is known for; None for a
    test of several values, and for one of which nothing is known.
    """
    for operand, found in known_outcomes(_core(test)):
        try:
            sure = product([found], lambda label: label is True, of_choices=False)
            near = product([found], lambda label: True in choices(label), of_choices=False)
        except Opaque:
            continue
        return Accepted(operand, sure, sure if near == sure else near)
    return None


def known_outcomes(test: Node) -> Iterator[tuple[Node, Partition]]:
    """What a test is a test of, with its outcomes: first what is farthest inside, then what is around it."""
    for operand in reversed(_operands(test)):
        try:
            found = _outcome(test, operand)
        except (Opaque, PredicatError):
            continue
        if not any(isinstance(label, Some) for label in found.cells.labels):
            yield operand, found


def _core(node: Node) -> Node:
    """The node without the marks of the surface for the total order of doubles."""
    node = rewrite_children(node, _core)
    return total_order(node) if isinstance(node, Call) and node.op == TOTAL_ORDER else node


# --- operands


def _operands(node: Node) -> tuple[Node, ...]:
    """The values of which a node is a calculation or a test, the outermost first."""
    if isinstance(node, Literal | Quantifier):
        return ()
    parts = [_operands(arg) for arg in _parts(node)]
    shared = [one for one in parts[0] if all(one in other for other in parts)] if parts else []
    return (node, *shared) if _is_value(node) else tuple(shared)


def _parts(node: Node) -> Iterator[Node]:
    """The arguments that are no constants."""
    if isinstance(node, Call):
        yield from (arg for arg in node.args if not isinstance(arg, Literal) and not _are_constants(arg))


def _are_constants(node: Node) -> bool:
    return isinstance(node, Items) and all(isinstance(item, Literal) for item in node.items)


def _is_value(node: Node) -> bool:
    """Whether a node is a value that tests are tests of. A boolean is one if it is no test itself."""
    if node.type == BOOLEAN:
        return not isinstance(node, Call) or node.op in LOOK_UPS
    return node.type == STRING or domain(node.type) is not None


# --- outcomes


def _outcome(node: Node, operand: Node) -> Partition:
    """The outcomes of a test of an operand. Raises Opaque."""
    variable = x_of(operand.type)
    test = substituted(node, operand, variable)
    if any(_is_other(part, variable) for part in walk(test)):
        raise Opaque
    return outcomes(test, variable)


def outcomes(test: Node, variable: Field, *, exact: bool = False) -> Partition:
    """The outcomes of a test of a variable. Raises Opaque. See `predicat.values.preimage.outcomes`."""
    found = _known_outcomes(test, variable, exact)
    if found is None:
        raise Opaque
    return found


@lru_cache(maxsize=8192)
def _known_outcomes(test: Node, variable: Field, exact: bool) -> Partition | None:
    """The outcomes of a test. They are cached, because filters share tests."""
    try:
        return _any_outcomes(test, variable, exact=exact)
    except Opaque:
        return None


def _any_outcomes(test: Node, variable: Field, *, exact: bool) -> Partition:
    if combines_tests(test) and isinstance(test, Call) and (exact or variable.type == STRING):
        parts = [outcomes(arg, variable, exact=exact) for arg in test.args]
        return product(parts, partial(connected, test.op))
    if variable.type in _OF:
        return _OF[variable.type](test, variable)
    if not exact:
        return preimage.outcomes(test, variable)
    for way in _EXACTLY:
        try:
            return way(test, variable)
        except (Opaque, PredicatError):
            continue
    raise Opaque


def _is_other(part: Node, variable: Field) -> bool:
    """Whether a part of a test reads another value, or is of the surface."""
    if isinstance(part, Call):
        return part.op not in OPS and part.op not in CONNECTIVES
    return isinstance(part, LEAVES) and not isinstance(part, Literal) and part != variable


# --- for proofs


def _by_preimage(test: Node, variable: Field) -> Partition:
    return preimage.outcomes(test, variable, exact=True)


def _by_inside(test: Node, variable: Field) -> Partition:
    """The outcomes of a test of a calculation, by those of a test of its result."""
    midnight = Call(TIMESTAMP, "to_timestamp", (variable,))  # a test of it would be one of its day again
    for operand in _operands(test):
        mark, x = Field(operand.type, FieldDecl("inside", operand.type)), x_of(operand.type)
        inner = substituted(test, operand, mark)
        if operand in (variable, test, midnight) or variable in walk(inner):
            continue
        try:
            found = outcomes(substituted(inner, mark, x), x, exact=True)
            return preimage.preimage(operand, found, variable, exact=True)
        except Opaque:
            continue
    raise Opaque


def _by_parts(test: Node, variable: Field) -> Partition:
    return of_parts(test, variable, lambda part, own: preimage.preimage(part, own, variable, exact=True))


def _by_calendar(test: Node, variable: Field) -> Partition:
    """The outcomes of a test of a date, or of the day of a timestamp."""
    dates = x_of(DATE)
    if variable.type == DATE:
        return of_calendar(test, variable, preimage.of_type(DATE))
    if variable.type != TIMESTAMP:
        raise Opaque
    found = outcomes(_of_day(test, variable, dates), dates, exact=True)
    return preimage.preimage(Call(DATE, "to_date", (variable,)), found, variable, exact=True)


def _of_day(node: Node, variable: Field, day: Field) -> Node:
    """What a node reads of the day of a timestamp. Raises Opaque if it reads more."""
    if node == variable:
        raise Opaque
    if isinstance(node, Call) and variable in node.args:
        rest = tuple(arg for arg in node.args if arg != variable)
        if node.op == "to_date":
            return day
        if node.op in (*OF_DAYS, "year") and not rest:  # with a zone, it is of another day
            return replace(node, args=(day,))
        if is_of_day(node):
            return replace(node, args=(*rest, Call(TIMESTAMP, "to_timestamp", (day,))))
        raise Opaque
    return rewrite_children(node, lambda part: _of_day(part, variable, day))


# The ways to the outcomes of a test, in turn.
_EXACTLY = (_by_preimage, _by_inside, _by_calendar, _by_parts)


# --- texts


def _of_text(test: Node, variable: Field) -> Partition:
    try:
        return preimage.outcomes(test, variable)
    except Opaque:
        null = compile_node(test)({"x": None})
        return Partition(TEXTS, _beginning(test, variable) or Texts(variable).table(test), (null,))


def _beginning(test: Node, variable: Field) -> Line | None:
    """The intervals of a test of the beginning; None for other tests."""
    match test:
        case Call(op="starts_with", args=(inner, Literal(value=str(start)))) if inner == variable and start:
            end = after_prefix(start)
            ends = () if end is None else (end,)
            return Line(("", start, *ends), (False, True, False)[: 2 + len(ends)])
        case _:
            return None


# --- booleans

_TRUTHS = Domain(0, 1, bool, int)


def _of_boolean(test: Node, _variable: Field) -> Partition:
    run = compile_node(test)
    return Partition(_TRUTHS, line((0, 1), (run({"x": False}), run({"x": True}))), (run({"x": None}),))


# By the type of the operand; all others have an order that bisection works on.
_OF: dict[Type, Callable[[Node, Field], Partition]] = {STRING: _of_text, BOOLEAN: _of_boolean}
