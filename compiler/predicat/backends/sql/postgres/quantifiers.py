"""PostgreSQL: the macros over arrays and JSON."""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.builders import (
    COMPARISON_NODES,
    Sql,
    binary,
    call,
    case,
    cast,
    is_null,
    not_,
    number_literal,
    variable,
)
from predicat.backends.sql.common.comparisons import compare
from predicat.backends.sql.postgres import queries
from predicat.backends.sql.postgres.collections import array_value, subscripted, type_name
from predicat.backends.sql.postgres.documents import elements, values
from predicat.backends.sql.postgres.queries import count_all, in_order, only_where, select, table, value_of
from predicat.backends.sql.renderer import Renderer
from predicat.diagnostics import Unsupported
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Quantifier, Variable, element_of, walk
from predicat.ir.operators import FLIPPED
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DURATION, JSON, STRING, TIMESTAMP, ArrayType, StructType
from predicat.rewrite.acceptance import for_acceptance, never_unknown
from predicat.rewrite.elements import condition, is_exists_over_values
from predicat.rewrite.polarity import true_rows

# The types that PostgreSQL compares as a filter does. Doubles are not among them: they may be NaN.
_COMPARED = (BIGINT, STRING, BOOLEAN, DATE, TIMESTAMP, DURATION)


def quantifier(r: Renderer, node: Quantifier) -> Sql:
    """A macro. For `any` and `all` the outcomes of the elements become an array: `TRUE = ANY (array)` has the
    logic of the macro, while EXISTS has no UNKNOWN.

    For other macros a subquery computes the body next to its element. An aggregate of the body alone would
    belong to the outer query if the body does not use a column of the element.
    """
    if is_exists_over_values(node):
        return _exists_over_values(r, node)
    if (result := _any_or_all(r, node)) is not None:
        return result
    if node.source.type == JSON:
        there, items = elements(r, node.source)
    else:
        items = r.node(node.source)
        there = not_(is_null(items))
    if node.kind in ("any", "all"):
        kind = exp.Any if node.kind == "any" else exp.All
        each = select(r.node(node.body), _rows(r, node, items, None))
        verdicts = exp.Paren(this=exp.Anonymous(this="ARRAY", expressions=[each]))
        return case((there, exp.EQ(this=exp.Boolean(this=True), expression=kind(this=verdicts))))
    verdict = exp.to_identifier(r.fresh_name("is"))
    place = exp.column(r.fresh_name("at")) if node.kind in ("filter", "map") else None
    if node.kind == "filter" and never_unknown(node.body):
        return case((there, _filtered(r, node, _rows(r, node, items, place), place)))
    kept = [variable(node.variable)] if node.kind == "filter" else []
    judged = exp.Select(
        expressions=[*kept, *([place] if place else []), exp.Alias(this=r.node(node.body), alias=verdict)]
    )
    rows = judged.from_(_rows(r, node, items, place), copy=False).subquery(r.fresh_name("t"), copy=False)
    outcome = _outcome(r, node, exp.Column(this=verdict), place)
    return case((there, value_of(outcome, rows)))


def _filtered(r: Renderer, node: Quantifier, rows: Sql, place: Sql | None) -> Sql:
    """The elements for which the test is TRUE, in their order. The test is never UNKNOWN."""
    kept = select(variable(node.variable), rows)
    kept.set("where", exp.Where(this=r.node(node.body)))
    kept.set("order", exp.Order(expressions=[exp.Ordered(this=place, nulls_first=False)]))
    return call("ARRAY", kept)


def exists(r: Renderer, node: Quantifier) -> Sql:
    """Whether an array has an element for which a test is TRUE."""
    shorter = _any_or_all(r, node)
    if shorter is not None:
        return shorter
    rows = _rows(r, node, r.node(node.source), None)
    return queries.exists(rows, r.node(true_rows(for_acceptance(node.body))))


def _exists_over_values(r: Renderer, node: Quantifier) -> Sql:
    rows = table(r, values(r, node.source), exp.to_identifier(node.variable, quoted=True))
    return queries.exists(rows, r.node(condition(node)))  # names for repeated parts become a subquery


def _any_or_all(r: Renderer, node: Quantifier) -> Sql | None:
    """A comparison of each element with one value as `value < ANY (array)`; None for other macros. For NULL
    and for an empty array this has the result of the macro.
    """
    body, kind = node.body, {"any": exp.Any, "all": exp.All}.get(node.kind)
    if kind is None or not isinstance(body, Call) or body.op not in COMPARISON_NODES:
        return None
    first, second = (
        [isinstance(part, Variable) and part.name == node.variable for part in walk(arg)] for arg in body.args
    )
    if [True] not in (first, second) or (any(first) and any(second)):
        return None
    op, (value, item) = (FLIPPED[body.op], body.args[::-1]) if any(first) else (body.op, body.args)
    if item.type not in _COMPARED or value.type != item.type:
        return None
    result = compare(r, op, value, item)
    result.set("expression", kind(this=array_value(r.node(node.source))))
    return result


def _rows(r: Renderer, node: Quantifier, items: Sql, place: exp.Column | None) -> Sql:
    """The elements as rows: the variable and, if `place` is given, the position in the array."""
    places = [place] if place else []
    if isinstance(element_of(node.source), StructType):
        # In FROM, each member of a composite value would be a column.
        counted = [
            exp.Alias(this=call("GENERATE_SERIES", 1, call("CARDINALITY", items)), alias=column.this)
            for column in places
        ]
        return exp.Select(
            expressions=[exp.alias_(call("UNNEST", items), node.variable, quoted=True, copy=False), *counted]
        ).subquery(r.fresh_name("t"), copy=False)
    each = call("JSONB_ARRAY_ELEMENTS" if node.source.type == JSON else "UNNEST", items)
    columns = [exp.to_identifier(node.variable, quoted=True), *(column.this for column in places)]
    return table(r, each, *columns, numbered=bool(places))


def _outcome(r: Renderer, node: Quantifier, verdict: Sql, place: Sql | None) -> Sql:
    """The result of a macro from the verdicts on its elements: a boolean, or an array in the order of the
    source; NULL if a verdict is NULL.
    """
    unknown = call("BOOL_OR", is_null(verdict))
    if node.kind == "one":
        hits = only_where(count_all(), verdict)
        result: Sql = binary(exp.EQ, hits, 1)
    else:
        kept = verdict if node.kind == "map" else variable(node.variable)
        gathered: Sql = call("ARRAY_AGG", in_order(kept, place))
        if node.kind == "filter":
            gathered = only_where(gathered, verdict)
        result = call("COALESCE", gathered, _empty(r, node))
    return case((not_(call("COALESCE", unknown, False)), result))


def _empty(r: Renderer, node: Quantifier) -> Sql:
    """An empty array of the type of a macro. Raises Unsupported for a `map` to arrays or structs."""
    element = node.type.element if isinstance(node.type, ArrayType) else STRING
    if isinstance(element, ArrayType | StructType):
        if node.kind != "filter":
            raise Unsupported.of(say.array_worked_out(node.span))
        return exp.Bracket(
            this=subscripted(r.node(node.source)),
            expressions=[exp.Slice(this=number_literal(1), expression=number_literal(0))],
            offset=1,
        )
    return cast("{}", f"{type_name(element)}[]")
