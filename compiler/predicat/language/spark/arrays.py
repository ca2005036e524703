"""Functions of Spark that return arrays, supported with an index only.

ARRAY_EXCEPT, ARRAY_INTERSECT and ARRAY_DISTINCT remove duplicates, which does not change the first element.
Source: Spark SQL, "Built-in Functions", array and lambda functions.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.diagnostics.messages import sql_functions as say
from predicat.ir import syntax as t
from predicat.language.common.trees import apply, choose, each, let, negated, nothing, number
from predicat.language.sql import array_functions, constants
from predicat.language.sql.arguments import arguments, counted
from predicat.language.sql.node_reader import Build, Reader

# The maximum length of SEQUENCE: its elements become constants.
_MOST_ELEMENTS = 1000
# Names of variables that no condition can contain.
_ITEM, _SECOND, _ONE, _OTHER = "an element", "a second element", "an array", "another array"


def bracket(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`xs[0]`. The array may also be a function that is supported with an index only."""
    inner, index = node.this, node.expressions[0] if len(node.expressions) == 1 else None
    name = reader.called_name(inner) if isinstance(inner, exp.Func) else ""
    if node.args.get("offset") != 1 and isinstance(index, exp.Literal) and not index.is_string:
        if name == "zip_with":
            return _zipped(reader, inner, index, depth)
        if name in _SETS and index.name == "0":
            return _first(reader, node, _SETS[name](reader, inner, depth))
    return array_functions.spark_bracket(reader, node, depth)


def _first(reader: Reader, node: exp.Expr, items: t.Tree) -> t.Tree:
    span = reader.span(node)
    return apply("bracket", span, items, number(0, span))


def _zipped(reader: Reader, node: exp.Expr, index: exp.Expr, depth: int) -> t.Tree:
    """An element of ZIP_WITH. The shorter array is padded with NULL to the length of the longer one."""
    span, args = reader.span(node), list(arguments(node))
    body = args[-1] if len(args) == 3 else None
    if not isinstance(body, exp.Lambda) or len(body.expressions) != 2:
        raise reader.fail(say.zip_form(span))
    one, other, place = reader.all([*args[:2], index], depth)
    made = reader.read(body.this, depth)
    first, second = (variable.name for variable in body.expressions)

    def build(one: t.Tree, other: t.Tree) -> t.Tree:
        size, rest = (apply("size", span, part) for part in (one, other))
        longer = choose(apply("gt", span, size, rest), size, rest, span)
        values = [apply("bracket", span, part, place) for part in (one, other)]
        tree = let(_SECOND, values[1], lambda value: _bound(first, values[0], second, value, made), span)
        return choose(apply("gt", span, longer, place), tree, nothing(span), span)

    return let(_ONE, one, lambda one: let(_OTHER, other, lambda other: build(one, other), span), span)


def _bound(first: str, one: t.Tree, second: str, other: t.Tree, made: t.Tree) -> t.Tree:
    """The body of a lambda with its two variables bound."""
    return t.Macro("let", first, one, t.Macro("let", second, other, made, made.span), made.span)


def _among(*, included: bool) -> Build:
    """The rule for the elements of an array that are (`included`) or are not among constants."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        span = reader.span(node)
        items, others = reader.all(counted(reader, node, 2), depth)
        if not isinstance(others, t.ListLiteral) or not all(map(_is_plain, others.items)):
            raise reader.fail(say.set_of_constants(others.span, reader.called_name(node)))

        def test(item: t.Tree) -> t.Tree:
            among = apply("is_true", span, apply("in", span, item, others))
            return among if included else negated(among)

        return each("filter", _ITEM, items, test, span)

    return build


def _is_plain(tree: t.Tree) -> bool:
    """Whether a value is a constant other than NULL or a double (0.0 and -0.0 are equal)."""
    return isinstance(tree, t.Constant) and tree.value is not None and not isinstance(tree.value, float)


def _distinct(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    (items,) = reader.all(counted(reader, node, 1), depth)
    return items


# The functions that remove duplicates. Their rules keep them.
_SETS: dict[str, Build] = {
    "array_except": _among(included=False),
    "array_intersect": _among(included=True),
    "array_distinct": _distinct,
}


def sequence(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """SEQUENCE(1, 10, 3) of constants, as a list of its elements. Raises Stop if it is too long."""
    span = reader.span(node)
    args = counted(reader, node, 2, 3)
    start, end, *step = (constants.whole(reader, part, "sequence") for part in reader.all(args, depth))
    by = step[0] if step else 1 if start <= end else -1
    length = (end - start) // by + 1 if by else 0
    if not 0 < length <= _MOST_ELEMENTS:
        raise reader.fail(say.long_sequence(span, _MOST_ELEMENTS))
    return t.ListLiteral(tuple(number(start + place * by, span) for place in range(length)), span)
