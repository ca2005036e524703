"""SQL functions of arrays and maps, as trees of operators.

Arrays of Spark may have NULL elements: functions that keep them are translated to macros, which support them.
Sources: Spark SQL, "Built-in Functions", array, map and lambda functions; PostgreSQL, "Array Functions and
Operators".
"""

from __future__ import annotations

from sqlglot import exp

from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql
from predicat.diagnostics.messages import sql_functions as say
from predicat.ir import syntax as t
from predicat.language.common.trees import apply, by_kind, choose, each, let, negated, number, plus, there
from predicat.language.sql import operators
from predicat.language.sql.arguments import arguments, counted
from predicat.language.sql.node_reader import Build, Reader

# Names of variables that no condition can contain.
_ITEMS, _ITEM, _KEY = "an array", "an element", "a key"


def element_at(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """ELEMENT_AT: an element of an array, counted from 1, or from the end if the index is negative; or the
    value of a key of a map.
    """
    span = reader.span(node)
    base, key = reader.all(counted(reader, node, 2), depth)
    return at_place(base, key, span)


def at_place(base: t.Tree, key: t.Tree, span: Span, json: t.Tree | None = None) -> t.Tree:
    """An element of an array by its index, from 1 or from the end; a value of a map by its key; `json` is
    that of a JSON value, if it is another.
    """
    if isinstance(key, t.Constant) and isinstance(key.value, str):
        return apply("bracket", span, base, key)
    return by_kind(
        "element_at",
        base,
        span,
        map=apply("bracket", span, base, key),
        list=_at(base, key.value, span)
        if isinstance(key, t.Constant) and isinstance(key.value, int)
        else _place_of_row(base, key, span),
        **({} if json is None else {"json": json}),
    )


def spark_bracket(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """Spark's `xs[0]`, or ELEMENT_AT, which sqlglot parses as an index that counts from 1."""
    build = element_at if node.args.get("offset") == 1 else operators.bracket("bracket")
    return build(reader, node, depth)


def _at(items: t.Tree, place: int, span: Span) -> t.Tree:
    """The element at a constant index, from 1 or from the end. NULL for index 0, an error in Spark."""
    if place >= 0:
        return apply("bracket", span, items, number(place - 1, span))
    return let(
        _ITEMS,
        items,
        lambda items: apply("bracket", span, items, plus(apply("size", span, items), place, span)),
        span,
    )


def _place_of_row(items: t.Tree, place: t.Tree, span: Span) -> t.Tree:
    """The element at an index that is computed from the row. NULL for index 0."""

    def build(items: t.Tree) -> t.Tree:
        below = apply("lt", span, place, number(0, span))
        behind = apply("add", span, apply("size", span, items), place)
        return apply(
            "bracket",
            span,
            items,
            apply("cond", span, below, behind, apply("sub", span, place, number(1, span))),
        )

    return let(_ITEMS, items, build, span)


def extract(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """DuckDB's LIST_EXTRACT: an element of an array, or a character of a string, counted from 1, or from the
    end if the index is negative; NULL if there is none.
    """
    span = reader.span(node)
    base, place = reader.all(counted(reader, node, 2), depth)
    return at_place(base, place, span)


def total(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """DuckDB's LIST_SUM of the elements that are not NULL; NULL if there are none."""
    span = reader.span(node)
    (items,) = reader.all(counted(reader, node, 1), depth)

    def build(items: t.Tree) -> t.Tree:
        empty = apply("eq", span, apply("size", span, items), number(0, span))
        return choose(empty, t.Constant(None, span), apply("sum", span, items), span)

    return let(_ITEMS, there(items, span), build, span)


def keys(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """MAP_KEYS(map)."""
    (base,) = reader.all(counted(reader, node, 1), depth)
    return apply("keys", reader.span(node), base)


def has_key(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """MAP_CONTAINS_KEY(map, key)."""
    base, key = reader.all(counted(reader, node, 2), depth)
    span = reader.span(node)
    return apply("in", span, key, apply("keys", span, base))


def contains(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """ARRAY_CONTAINS. The values of a map are compared key by key, as some may be NULL."""
    span = reader.span(node)
    array, item = counted(reader, node, 2)
    if _called(reader, array) != "map_values":
        items, value = reader.all([array, item], depth)
        return apply("in", span, value, items)
    base, value = reader.all([*counted(reader, array, 1), item], depth)
    return each(
        "any",
        _KEY,
        apply("keys", span, base),
        lambda key: apply("eq", span, apply("bracket", span, base, key), value),
        span,
    )


def _called(reader: Reader, node: exp.Expr) -> str | None:
    return reader.called_name(node) if isinstance(node, exp.Func) else None


def _lambda_of(reader: Reader, node: exp.Expr, count: int, example: str) -> tuple[list[exp.Expr], exp.Lambda]:
    """The arguments before the lambda, at most one for each of its variables, and the lambda. Raises Stop
    unless it has `count` variables.
    """
    *others, last = counted(reader, node, *range(2, 2 + count))
    if not isinstance(last, exp.Lambda) or len(last.expressions) != count:
        raise reader.fail(say.lambda_form(reader.span(node), reader.called_name(node), example))
    return others, last


def filter_(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """FILTER: the elements for which the condition is TRUE, not UNKNOWN."""
    span = reader.span(node)
    (array,), body = _lambda_of(reader, node, 1, "filter(xs, x -> x > 0)")
    items, test = reader.read(array, depth), reader.read(body.this, depth)
    return t.Macro("filter", body.expressions[0].name, items, apply("is_true", span, test), span)


def quantified(kind: str) -> Build:
    """`exists(array, x -> condition)`."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        args = list(arguments(node))
        if len(args) != 2 or not isinstance(args[1], exp.Lambda) or len(args[1].expressions) != 1:
            raise reader.fail(sql.exists_form(reader.span(node)))
        variable, span = args[1].expressions[0].name, reader.span(node)
        array, changed = _transformed(reader, args[0], depth)
        body = reader.read(args[1].this, depth)
        if changed is None:
            return t.Macro(kind, variable, array, body, span)
        item, value = changed
        return t.Macro(kind, item, array, t.Macro("let", variable, value, body, span), span)

    return build


def _transformed(reader: Reader, node: exp.Expr, depth: int) -> tuple[t.Tree, tuple[str, t.Tree] | None]:
    """The array, and for a call of TRANSFORM its variable and its expression, else None."""
    if _called(reader, node) != "transform":
        return reader.read(node, depth), None
    (array,), body = _lambda_of(reader, node, 1, "transform(xs, x -> x + 1)")
    return reader.read(array, depth), (body.expressions[0].name, reader.read(body.this, depth))


def transform(reader: Reader, node: exp.Expr, _depth: int) -> t.Tree:
    """Refuses TRANSFORM outside EXISTS, FORALL and AGGREGATE: elsewhere NULL elements would matter."""
    raise reader.fail(say.transform_here(reader.span(node)))


def aggregate(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """AGGREGATE as a sum, `aggregate(xs, 0, (sum, x) -> sum + x)`. Raises Stop for any other lambda."""
    span, example = reader.span(node), "aggregate(xs, 0, (total, x) -> total + x)"
    others, body = _lambda_of(reader, node, 2, example)
    total, item = (variable.name for variable in body.expressions)
    added = body.this.unnest()
    if (
        len(others) != 2
        or not isinstance(added, exp.Add)
        or added.this.name != total
        or any(part.name == total for part in added.expression.find_all(exp.Identifier))
    ):
        raise reader.fail(say.lambda_form(span, reader.called_name(node), example))
    array, changed = _transformed(reader, others[0], depth)
    first, value = reader.all([others[1], added.expression], depth)
    if changed is not None:
        array = t.Macro("map", changed[0], array, changed[1], span)
    each_value = (
        array
        if isinstance(value, t.Name) and value.name == item
        else t.Macro("map", item, array, value, span)
    )
    tree = apply("sum", span, each_value)
    return tree if isinstance(first, t.Constant) and first.value == 0 else apply("add", span, first, tree)


def remove(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """ARRAY_REMOVE: the array without the elements that equal a value. NULL elements stay."""
    span = reader.span(node)
    items, value = reader.all(counted(reader, node, 2), depth)

    def kept(item: t.Tree) -> t.Tree:
        return negated(apply("is_true", span, apply("eq", span, item, value)))

    return each("filter", _ITEM, items, kept, span)


def extreme(op: str, of_constants: str) -> Build:
    """ARRAY_MAX and ARRAY_MIN of the elements that are not NULL; NULL if there are none."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        span = reader.span(node)
        (items,) = reader.all(counted(reader, node, 1), depth)
        if isinstance(items, t.ListLiteral):
            return apply(of_constants, span, *items.items)
        return apply(op, span, there(items, span))

    return build


def position_or(otherwise: int | None) -> Build:
    """ARRAY_POSITION: the first position of a value; if not found 0, or NULL if `otherwise` is None."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        span = reader.span(node)
        array, value = reader.all(counted(reader, node, 2), depth)

        tree = apply("array_position", span, array, value)
        return tree if otherwise is not None else null_of_zero(tree, span)

    return build


def null_of_zero(tree: t.Tree, span: Span) -> t.Tree:
    """The number, but NULL for 0."""
    return let(
        _ITEM,
        tree,
        lambda tree: apply(
            "cond", span, apply("eq", span, tree, number(0, span)), t.Constant(None, span), tree
        ),
        span,
    )


def position(reader: Reader, node: exp.Expr, _depth: int) -> t.Tree:
    """Refuses ARRAY_POSITION: engines differ (0 or NULL) if the value is not found."""
    raise reader.fail(say.position_of_none(reader.span(node)))


# The functions by name.
RULES: dict[type[exp.Expr] | str, tuple[frozenset[str] | None, Build]] = {
    "element_at": (None, element_at),
    "try_element_at": (None, element_at),
    "map_keys": (None, keys),
    "map_contains_key": (None, has_key),
    "array_contains": (None, contains),
    "exists": (None, quantified("any")),
    "any_match": (None, quantified("any")),
    "forall": (None, quantified("all")),
    "all_match": (None, quantified("all")),
    "filter": (None, filter_),
    "transform": (None, transform),
    "aggregate": (None, aggregate),
    "reduce": (None, aggregate),
    "array_max": (None, extreme("array_max", "greatest")),
    "array_min": (None, extreme("array_min", "least")),
    "array_remove": (None, remove),
    "array_position": (None, position),
}
