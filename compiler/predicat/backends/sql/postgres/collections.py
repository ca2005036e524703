"""PostgreSQL: arrays, maps (kept as jsonb), structs, and the macros over them."""

from __future__ import annotations

from functools import partial

from sqlglot import exp

from predicat.backends.sql.builders import (
    COMPARISON_NODES,
    Sql,
    and_,
    between,
    binary,
    call,
    case,
    cast,
    clamp,
    is_null,
    not_,
    number_literal,
    or_,
    variable,
    wrap,
)
from predicat.backends.sql.common.collections import (
    array_concat,
    array_eq,
    array_position,
    numbers_before,
    source_of_present,
)
from predicat.backends.sql.common.comparisons import compare
from predicat.backends.sql.common.conversions import truth_value
from predicat.backends.sql.postgres import value_lists
from predicat.backends.sql.postgres.conversions import (
    text_to_date,
    text_to_decimal,
    text_to_double,
    text_to_int,
    text_to_timestamp,
)
from predicat.backends.sql.postgres.documents import arrow, elements, json_kind, not_null, text_of, values
from predicat.backends.sql.renderer import Renderer, constant, constant_int, unless_missing
from predicat.backends.sql.rules import Rule
from predicat.diagnostics import Unsupported
from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Literal, Node, Quantifier, Variable, element_of, walk
from predicat.ir.operators import FLIPPED
from predicat.ir.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    DURATION,
    JSON,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    MapType,
    StructType,
    Type,
)
from predicat.ir.values import INT_MAX, INT_MIN, SUM_MOST
from predicat.rewrite.acceptance import for_acceptance, never_unknown
from predicat.rewrite.elements import condition, is_exists_over_values
from predicat.rewrite.polarity import true_rows

TYPES: dict[Type, str] = {
    STRING: "TEXT",
    BIGINT: "BIGINT",
    DOUBLE: "DOUBLE",
    BOOLEAN: "BOOLEAN",
    TIMESTAMP: "TIMESTAMPTZ",
    DATE: "DATE",
    DURATION: "BIGINT",
    JSON: "JSONB",
}
"""What scalar types are called."""
_COMPARED = (BIGINT, STRING, BOOLEAN, DATE, TIMESTAMP, DURATION)
"""What PostgreSQL compares as the meaning does: a double may be NaN."""


def quantifier(r: Renderer, node: Quantifier) -> Sql:
    """A macro as an array of the outcomes of its elements, since EXISTS has no UNKNOWN: `TRUE = ANY (array)`
    has the logic of the macro.

    For other macros the body is computed next to its element first. An aggregate of the body alone would
    belong to the outer query, if it does not use a column of the element.
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
        each = exp.Select(expressions=[r.node(node.body)]).from_(_rows(r, node, items, None), copy=False)
        verdicts = exp.Paren(this=exp.Anonymous(this="ARRAY", expressions=[each]))
        return case((there, exp.EQ(this=exp.Boolean(this=True), expression=kind(this=verdicts))))
    verdict = exp.to_identifier(r.fresh_name("is"))
    place = exp.column(r.fresh_name("at")) if node.kind in ("filter", "map") else None
    if node.kind == "filter" and never_unknown(node.body):
        return case((there, _filtered(r, node, _rows(r, node, items, place), place)))
    kept = [_variable(node)] if node.kind == "filter" else []
    judged = exp.Select(
        expressions=[*kept, *([place] if place else []), exp.Alias(this=r.node(node.body), alias=verdict)]
    )
    rows = judged.from_(_rows(r, node, items, place), copy=False).subquery(r.fresh_name("t"), copy=False)
    outcome = _outcome(r, node, exp.Column(this=verdict), place)
    return case((there, exp.Select(expressions=[outcome]).from_(rows, copy=False).subquery(copy=False)))


def _filtered(r: Renderer, node: Quantifier, rows: Sql, place: Sql | None) -> Sql:
    """The elements for which a test holds that is never UNKNOWN, in their order."""
    kept = exp.Select(expressions=[_variable(node)]).from_(rows, copy=False)
    kept.set("where", exp.Where(this=r.node(node.body)))
    kept.set("order", exp.Order(expressions=[exp.Ordered(this=place, nulls_first=False)]))
    return call("ARRAY", kept)


def exists(r: Renderer, node: Quantifier) -> Sql:
    """Whether an array has an element for which a test is TRUE."""
    shorter = _any_or_all(r, node)
    if shorter is not None:
        return shorter
    found = exp.Select(expressions=[number_literal(1)]).from_(
        _rows(r, node, r.node(node.source), None), copy=False
    )
    found.set("where", exp.Where(this=r.node(true_rows(for_acceptance(node.body)))))
    return exp.Exists(this=found)


def _exists_over_values(r: Renderer, node: Quantifier) -> Sql:
    alias = exp.TableAlias(
        this=exp.to_identifier(r.fresh_name("t")), columns=[exp.to_identifier(node.variable, quoted=True)]
    )
    rows = exp.Table(this=values(r, node.source), alias=alias)
    result = exp.Select(expressions=[number_literal(1)]).from_(rows, copy=False)
    result.set(
        "where", exp.Where(this=r.node(condition(node)))
    )  # a name for what comes again makes a subquery of it
    return exp.Exists(this=result)


def _any_or_all(r: Renderer, node: Quantifier) -> Sql | None:
    """A comparison of each element with one value as `value < ANY (array)`, whose answer for a NULL, and
    for no elements, is that of the macro.
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
    result.set("expression", kind(this=_array_value(r.node(node.source))))
    return result


def _array_value(items: Sql) -> Sql:
    """An array in the parentheses of ANY or ALL, where a subquery alone would be the rows to compare with."""
    return exp.Paren(this=call("COALESCE", items) if isinstance(items, exp.Subquery) else items)


def _variable(node: Quantifier) -> Sql:
    return variable(node.variable)


def _rows(r: Renderer, node: Quantifier, items: Sql, place: exp.Column | None) -> Sql:
    """The elements as rows: the variable, and the place in the array where it is asked for."""
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
    return exp.Table(
        this=each,
        alias=exp.TableAlias(this=exp.to_identifier(r.fresh_name("t")), columns=columns),
        ordinality=bool(places),
    )


def _outcome(r: Renderer, node: Quantifier, verdict: Sql, place: Sql | None) -> Sql:
    """What the verdicts on the elements make: a truth value, or an array in the order of the source."""
    unknown = call("BOOL_OR", is_null(verdict))
    if node.kind == "one":
        hits = exp.Filter(this=call("COUNT", exp.Star()), expression=exp.Where(this=verdict))
        result: Sql = binary(exp.EQ, hits, 1)
    else:
        kept = verdict if node.kind == "map" else _variable(node)
        gathered: Sql = call(
            "ARRAY_AGG", exp.Order(this=kept, expressions=[exp.Ordered(this=place, nulls_first=False)])
        )
        if node.kind == "filter":
            gathered = exp.Filter(this=gathered, expression=exp.Where(this=verdict))
        result = call("COALESCE", gathered, _empty(r, node))
    return case((not_(call("COALESCE", unknown, False)), result))


def _empty(r: Renderer, node: Quantifier) -> Sql:
    """An empty array of the element type of a macro."""
    element = node.type.element if isinstance(node.type, ArrayType) else STRING
    if isinstance(element, ArrayType | StructType):
        if node.kind != "filter":
            raise Unsupported.of(say.array_worked_out(node.span))
        return exp.Bracket(
            this=subscripted(r.node(node.source)),
            expressions=[exp.Slice(this=number_literal(1), expression=number_literal(0))],
            offset=1,
        )
    return cast("{}", f"{_type_name(element)}[]")


def _type_name(kind: Type) -> str:
    if isinstance(kind, DecimalType):
        return f"DECIMAL({kind.precision}, {kind.scale})"
    return "JSONB" if isinstance(kind, MapType) else TYPES.get(kind, "TEXT")


def array(r: Renderer, node: Call) -> Sql:
    element = node.type.element if isinstance(node.type, ArrayType) else STRING
    result = cast(exp.Array(expressions=r.args(node)), f"{_type_name(element)}[]")
    return unless_missing(r, node, result)


def _numbers_before(count: Sql) -> Sql:
    rows = exp.Select(expressions=[call("GENERATE_SERIES", 0, binary(exp.Sub, count, 1))])
    return call("ARRAY", rows)


def is_whole(sql: Sql) -> Sql:
    """Whether no element of an array is missing."""
    return is_null(call("ARRAY_POSITION", sql, exp.Null()))


def extreme_of(name: str) -> Rule:
    """The largest or smallest element; without a value where one has none."""

    def rule(r: Renderer, node: Call) -> Sql:
        source = source_of_present(node.args[0])
        item = exp.to_identifier("__item", quoted=True)
        rows = exp.Unnest(
            expressions=[r.node(node.args[0] if source is None else source)],
            alias=exp.TableAlias(this=exp.to_identifier("__items", quoted=True), columns=[item]),
        )
        value = exp.Column(this=item)
        whole = binary(exp.EQ, call("COUNT", value), call("COUNT", exp.Star()))
        found = call(name, value)
        return (
            exp.Select(expressions=[case((whole, found)) if source is None else found])
            .from_(rows, copy=False)
            .subquery(copy=False)
        )

    return rule


def keys(r: Renderer, node: Call) -> Sql:
    sql = r.node(node.args[0])
    rows = exp.Select(expressions=[call("JSONB_OBJECT_KEYS", sql)]).subquery(copy=False)
    return case((not_(is_null(sql)), exp.Anonymous(this="ARRAY", expressions=[rows.this])))


def sum_(r: Renderer, node: Call) -> Sql:
    """The elements added up in order. PostgreSQL adds integers as numerics, and raises where a sum of
    doubles is beyond them.
    """
    items, kind = r.node(node.args[0]), TYPES[node.type]
    item, place = exp.column(r.fresh_name("e")), exp.column(r.fresh_name("at"))
    columns = [item.this, place.this]
    rows = exp.Table(
        this=call("UNNEST", items),
        alias=exp.TableAlias(this=exp.to_identifier(r.fresh_name("t")), columns=columns),
        ordinality=True,
    )
    ordered = exp.Order(this=cast(item, kind), expressions=[exp.Ordered(this=place, nulls_first=False)])
    added = call("COALESCE", call("SUM", ordered), 0)
    if node.type == DOUBLE:
        size = call("ABS", item)
        wrong = or_(
            is_null(item),
            and_(
                binary(exp.GT, size, number_literal(repr(SUM_MOST))),
                binary(exp.LT, size, cast("Infinity", "DOUBLE")),
            ),
        )
        checked = (
            exp.Select(expressions=[call("COALESCE", call("BOOL_OR", wrong), False)])
            .from_(rows, copy=False)
            .subquery(copy=False)
        )
        return case(
            (
                and_(not_(is_null(items)), not_(checked)),
                exp.Select(expressions=[added]).from_(rows, copy=False).subquery(copy=False),
            )
        )
    absent = exp.Filter(this=call("COUNT", exp.Star()), expression=exp.Where(this=is_null(item)))
    fits = and_(binary(exp.EQ, absent, 0), between(added, INT_MIN, INT_MAX))
    result = (
        exp.Select(expressions=[case((fits, cast(added, "BIGINT")))])
        .from_(rows, copy=False)
        .subquery(copy=False)
    )
    return case((not_(is_null(items)), result))


def in_array(r: Renderer, node: Call) -> Sql:
    value, items = r.args(node)
    result = exp.EQ(this=wrap(value), expression=exp.Any(this=_array_value(items)))
    # `= ANY` of an empty array is FALSE even for a NULL value, where the meaning is UNKNOWN.
    known = isinstance(node.args[0], Literal) and node.args[0].value is not None
    return result if known else case((not_(is_null(value)), result))


def subscripted(items: Sql) -> Sql:
    """PostgreSQL takes a subscript behind a column or behind parentheses."""
    return items if isinstance(items, exp.Column) else exp.Paren(this=items)


def array_get(r: Renderer, node: Call) -> Sql:
    """0-based, whatever the lower bound of the array; unnested arrays of arrays are not supported by the
    type.
    """
    items, position = r.args(node)
    if isinstance(node.args[1], Literal) and node.args[1].value is None:
        return r.null(node.type)
    if isinstance(node.args[1], Literal) and not 0 <= constant_int(node.args[1]) < 2**31 - 1:
        return r.null(node.type)
    if isinstance(node.args[1], Literal):
        return exp.Bracket(
            this=subscripted(items), expressions=[number_literal(constant_int(node.args[1]) + 1)], offset=1
        )
    # No array reaches so far: what is beyond the integers finds nothing there either.
    shifted = binary(exp.Add, cast(clamp(position, -1, 2**31 - 2), "INT"), 1)
    return exp.Bracket(this=subscripted(items), expressions=[shifted], offset=1)


def is_missing(r: Renderer, node: Call) -> Sql:
    """A test for NULL. IS NULL is TRUE for a composite value whose members are all NULL, so such values are
    compared with NULL.
    """
    (arg,) = node.args
    if arg.type == JSON:
        return is_null(text_of(r, arg))
    sql = r.node(arg)
    return (
        exp.NullSafeEQ(this=wrap(sql), expression=exp.Null())
        if isinstance(arg.type, StructType)
        else is_null(sql)
    )


def member(r: Renderer, node: Call) -> Sql:
    if _in_jsonb(r, node.args[0]):
        return _from_jsonb(r, node, wrap(r.node(node.args[0])), r.node(node.args[1]))
    name = r.dialect.identifier(constant(node.args[1]))
    return exp.Dot(this=exp.Paren(this=r.node(node.args[0])), expression=name)


def size(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    sql = r.node(arg)
    if not isinstance(arg.type, MapType):
        return cast(call("CARDINALITY", sql), "BIGINT")
    keys = exp.Table(this=call("JSONB_OBJECT_KEYS", sql))
    return case(
        (
            json_kind(sql, "object"),
            exp.Select(expressions=[call("COUNT", exp.Star())]).from_(keys, copy=False).subquery(copy=False),
        )
    )


def value_of_key(r: Renderer, node: Call) -> Sql:
    """The value of a key of a map, which PostgreSQL keeps as jsonb."""
    base, key = (wrap(sql) for sql in r.args(node))
    return _from_jsonb(r, node, base, key)


def _in_jsonb(r: Renderer, node: Node) -> bool:
    """Whether a struct is stored as a JSON object, as in a map, and not as a composite value."""
    if isinstance(node, Call) and node.op == "member":
        return _in_jsonb(r, node.args[0])
    if isinstance(node, Call) and node.op in ("cond", "coalesce"):
        kinds = {_in_jsonb(r, arg) for arg in node.args if arg.type == node.type}
        if len(kinds) > 1:
            raise r.refuse(node, say.STRUCTS_OF_TWO_KINDS)
        return True in kinds
    return isinstance(node, Call) and node.op == "get"


def _from_jsonb(r: Renderer, node: Call, base: Sql, key: Sql) -> Sql:
    """The value of a key as the type that is declared for it; none where it is not one."""
    kind, value = node.type, arrow(base, key, "->")
    if isinstance(kind, ArrayType):
        item = exp.column(r.fresh_name("e"))
        if isinstance(kind.element, ArrayType | StructType):
            raise r.refuse(node, say.ARRAY_IN_JSONB)
        whole = isinstance(kind.element, MapType) or kind.element == JSON
        each = call("JSONB_ARRAY_ELEMENTS" if whole else "JSONB_ARRAY_ELEMENTS_TEXT", value)
        rows = exp.Table(
            this=each, alias=exp.TableAlias(this=exp.to_identifier(r.fresh_name("t")), columns=[item.this])
        )
        read = not_null(item) if whole else _of_text(r, item, kind.element)
        items = call("ARRAY", exp.Select(expressions=[read]).from_(rows, copy=False))
        return case((json_kind(value, "array"), items))
    if isinstance(kind, MapType | StructType):
        return case((json_kind(value, "object"), value))
    return value if kind == JSON else _of_text(r, arrow(base, key, "->>"), kind)


def _of_text(r: Renderer, sql: Sql, kind: Type) -> Sql:
    """The text of a JSON value as a type."""
    if isinstance(kind, DecimalType):
        return text_to_decimal(r, sql, kind)
    if kind == BOOLEAN:
        return truth_value(sql)
    readers = {BIGINT: text_to_int, DOUBLE: text_to_double, TIMESTAMP: text_to_timestamp, DATE: text_to_date}
    return readers[kind](r, sql) if kind in readers else sql


RULES: dict[str, Rule] = {
    "is_null": is_missing,
    "in_list": value_lists.in_array,
    "get": value_of_key,
    "member": member,
    "index": array_get,
    "size": size,
    "array": array,
    "array_position": array_position("ARRAY_POSITION"),
    "array_eq": array_eq(is_whole),
    "array_max": extreme_of("MAX"),
    "array_min": extreme_of("MIN"),
    "array_concat": array_concat(partial(binary, exp.DPipe)),
    "range": numbers_before(_numbers_before),
    "sum": sum_,
    "keys": keys,
}
