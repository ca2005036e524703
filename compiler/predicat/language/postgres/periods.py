"""`(start, end) OVERLAPS (start, end)`: half-open periods, or one moment each if both ends are equal.

The ends of a period may be in any order, and either may be NULL. Source: PostgreSQL documentation, "Date/Time
Functions and Operators"; overlaps_timestamp of its source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlglot import exp

from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql as say
from predicat.ir import syntax as t
from predicat.language.common.trees import any_of, apply, choose, let, nothing
from predicat.language.sql import lengths
from predicat.language.sql.node_reader import Reader

Period = tuple[t.Tree, t.Tree]


def overlap(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """Whether two periods have a moment in common. Raises Stop if a side is no pair, or has a length."""
    span = reader.span(node)
    one, other = (_ends(reader, side, depth, span) for side in (node.this, node.expression))
    return _named(
        "one", one, lambda one: _named("other", other, lambda other: _judged(one, other, span), span), span
    )


def _ends(reader: Reader, side: exp.Expr, depth: int, span: Span) -> Period:
    """The earlier end, or the one that is there; and the later end, NULL if one is missing."""
    parts = side.expressions if isinstance(side, exp.Tuple) else []
    if len(parts) != 2 or lengths.read(reader, parts[1], depth) is not None:
        raise reader.fail(say.two_periods(span))
    ends = reader.all(parts, depth)
    last = choose(_absent(ends, span), nothing(span), apply("greatest", span, *ends), span)
    return apply("least", span, *ends), last


def _named(name: str, period: Period, build: Callable[[Period], t.Tree], span: Span) -> t.Tree:
    start, end = period
    return let(
        f"the start of {name}",
        start,
        lambda start: let(f"the end of {name}", end, lambda end: build((start, end)), span),
        span,
    )


def _judged(one: Period, other: Period, span: Span) -> t.Tree:
    starts, ends = zip(one, other, strict=True)
    together = choose(_absent(ends, span), nothing(span), t.Constant(True, span), span)
    first = choose(apply("lt", span, *starts), _reaches(one, other, span), together, span)
    tree = choose(apply("gt", span, *starts), _reaches(other, one, span), first, span)
    return choose(_absent(starts, span), nothing(span), tree, span)


def _reaches(earlier: Period, later: Period, span: Span) -> t.Tree:
    """Whether the earlier period goes on beyond the start of the later one."""
    beyond = apply("is_true", span, apply("lt", span, later[0], earlier[1]))
    unknown = _absent((earlier[1], later[1]), span)
    return choose(
        beyond, t.Constant(True, span), choose(unknown, nothing(span), t.Constant(False, span), span), span
    )


def _absent(values: Iterable[t.Tree], span: Span) -> t.Tree:
    return any_of([apply("is_null", span, value) for value in values], span)
