"""SQL operators, constants and names: from sqlglot's nodes to trees."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal

from sqlglot import exp

from predicat.diagnostics import Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import lists as say_lists
from predicat.diagnostics.messages import references
from predicat.diagnostics.messages import sql as say
from predicat.ir import syntax as t
from predicat.ir.types import MAX_PRECISION
from predicat.ir.values import INT_MAX, INT_MIN
from predicat.language.common.trees import all_of, any_of, apply, cast_to, negated
from predicat.language.sql import rows
from predicat.language.sql.arguments import arguments
from predicat.language.sql.node_reader import Build, Reader
from predicat.semantics.like import LikeError, canonical

_MAX_DIGITS = 1000
_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def chain(op: str) -> Build:
    """AND and OR: a left-deep chain is translated to one flat call."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        kind = type(node)
        parts: list[exp.Expr] = []
        rest: exp.Expr = node
        while isinstance(rest, kind):
            parts.append(rest.expression)
            rest = rest.this
        parts.append(rest)
        return reader.apply(op, node, *reversed(parts), depth=depth)

    return build


def binary(op: str) -> Build:
    """The rule of an operator with two operands."""
    return lambda reader, node, depth: reader.apply(op, node, node.this, node.expression, depth=depth)


def unary(op: str) -> Build:
    """The rule of an operator with one operand."""
    return lambda reader, node, depth: reader.apply(op, node, node.this, depth=depth)


def paren(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """A node in parentheses, which only group."""
    return reader.read(node.this, depth)


def literal(reader: Reader, node: exp.Expr, _depth: int) -> t.Tree:
    """A string, a bigint, a decimal (`0.5`) or a double (`5e-1`)."""
    text, span = str(node.this), reader.span(node)
    if node.args.get("is_string"):
        return t.Constant(text, span)
    if len(text) > _MAX_DIGITS or not text.isascii():
        raise reader.fail(say.number_of_digits(span, _MAX_DIGITS))
    if _NUMBER.fullmatch(text) is None:
        raise reader.fail(say.unfinished_number(span))
    if text.isdigit() and (int(text) <= INT_MAX or len(text.lstrip("0")) > MAX_PRECISION):
        return t.Constant(int(text), span)
    if "e" in text.lower():
        return t.Constant(float(text), span)
    return t.Constant(Decimal(text), span)


def negative(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """A minus before a value: a negative constant, or a call."""
    inner = reader.read(node.this, depth)
    if (
        isinstance(inner, t.Constant)
        and isinstance(inner.value, int | float | Decimal | timedelta)
        and not isinstance(inner.value, bool)
    ):
        value = (
            inner.value.copy_negate() if isinstance(inner.value, Decimal) else -inner.value
        )  # the operator - rounds a Decimal
        value = INT_MIN if value == INT_MIN else value
        return t.Constant(value, reader.span(node))
    return apply("neg", reader.span(node), inner)


def boolean(reader: Reader, node: exp.Expr, _depth: int) -> t.Tree:
    """TRUE or FALSE."""
    return t.Constant(bool(node.this), reader.span(node))


def null(reader: Reader, node: exp.Expr, _depth: int) -> t.Tree:
    """NULL."""
    return t.Constant(None, reader.span(node))


def column(reader: Reader, node: exp.Expr, _depth: int) -> t.Tree:
    """A column or an element of one: `a`, `a.b`."""
    parts = [part for key in ("catalog", "db", "table", "this") if (part := node.args.get(key)) is not None]
    if not all(isinstance(part, exp.Identifier) for part in parts):
        raise reader.fail(reader.unsupported(parts[-1]))
    return names(reader, parts)


def names(reader: Reader, parts: list[exp.Expr]) -> t.Tree:
    """The parts of a dotted name."""
    tree: t.Tree = t.Name(parts[0].name, reader.span(parts[0]))
    for part in parts[1:]:
        tree = t.Member(tree, part.name, tree.span.to(reader.span(part)))
    return tree


def identifier(reader: Reader, node: exp.Expr, _depth: int) -> t.Tree:
    """A bare name."""
    return t.Name(node.name, reader.span(node))


def dot(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`value.name`, if the value is not a plain name."""
    if not isinstance(node.expression, exp.Identifier):
        raise reader.fail(reader.unsupported(node.expression))
    return t.Member(reader.read(node.this, depth), node.expression.name, reader.span(node))


def placeholder(reader: Reader, node: exp.Expr, _depth: int) -> t.Tree:
    """A parameter, `:name`."""
    name = str(node.this or "")
    low, high = reader.words.get(id(node), (reader.whole.start, reader.whole.end))
    span = Span(reader.source, low, high)
    if not name:
        raise reader.fail(say.parameter_without_name(span))
    return t.Param(name, span)


def between(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`x BETWEEN low AND high`; SYMMETRIC also tries the bounds swapped."""
    span = reader.span(node)
    value, low, high = reader.all([node.this, node.args["low"], node.args["high"]], depth)
    tree = _between(value, low, high, span)
    if node.args.get("symmetric"):
        return apply("or", span, tree, _between(value, high, low, span))
    return tree


def _between(value: t.Tree, low: t.Tree, high: t.Tree, span: Span) -> t.Tree:
    return apply("and", span, apply("ge", span, value, low), apply("le", span, value, high))


def in_(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`x IN (1, 2)`, `x IN list('name')`, or `(a, b) IN ((1, 2), (3, 4))`."""
    if rows.parts(reader, node.this) is not None:
        if not node.expressions:
            raise reader.fail(say.no_rows_in(reader.span(node)))
        comparisons = [rows.equal(reader, node, node.this, row, depth) for row in node.expressions]
        return apply("or", reader.span(node), *tuple(test for test in comparisons if test is not None))
    span = reader.span(node)
    listed = node.args.get("field") or (node.expressions[0] if len(node.expressions) == 1 else None)
    if node.args.get("field") or isinstance(listed, exp.List):
        return apply("in", span, reader.read(node.this, depth), _list(reader, node, listed))
    values = reader.all(node.expressions, depth)
    return apply("in", span, reader.read(node.this, depth), t.ListLiteral(values, span))


def _list(reader: Reader, node: exp.Expr, listed: exp.Expr | None) -> t.Tree:
    """`list('name')`: the values of a list in the catalog."""
    if not isinstance(listed, exp.List):
        raise reader.fail(reader.unsupported(node))
    args = listed.expressions
    if len(args) != 1 or not isinstance(args[0], exp.Literal) or not args[0].is_string:
        raise reader.fail(say_lists.bad_list_name(reader.span(listed)))
    span = reader.span(args[0])
    return t.Member(t.Name("lists", span, rooted=True), str(args[0].this), span)


def absent(value: t.Tree, span: Span) -> t.Tree:
    """Whether a value is NULL."""
    return apply("is_null", span, value)


def is_(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """IS [NOT] NULL, IS [NOT] TRUE and IS [NOT] FALSE: never UNKNOWN."""
    inner, span = reader.read(node.this, depth), reader.span(node)
    right = node.expression
    if isinstance(right, exp.Null):
        tree = absent(inner, span)
        return negated(tree) if node.args.get("negate") else tree
    if isinstance(right, exp.Boolean):
        return apply("is_true", span, inner if right.this else negated(inner))
    raise reader.fail(reader.unsupported(node))


def like(op: str) -> Build:
    """The rule of LIKE or ILIKE without ESCAPE: the escape character is the backslash."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        return like_with(reader, node, op, "\\", depth)

    return build


def like_with(reader: Reader, node: exp.Expr, op: str, escape: str, depth: int) -> t.Tree:
    """LIKE with one pattern, or with ANY or ALL of several. `x NOT LIKE ANY (a, b)` means `x NOT LIKE a OR
    x NOT LIKE b`, as in Spark and PostgreSQL.
    """
    span = reader.span(node.parent if isinstance(node.parent, exp.Escape) else node)
    value = reader.read(node.this, depth)
    right = node.expression
    inner = right.this.unnest() if isinstance(right, exp.Any | exp.All) else right
    if reader.stands_before(right, node.this):
        raise reader.fail(say.like_as_function(span))
    patterns = (
        inner.expressions
        if isinstance(right, exp.Any | exp.All) and isinstance(inner, exp.Tuple | exp.Array)
        else [inner]
    )
    if not patterns:
        raise reader.fail(say.no_pattern(span))
    parts = tuple(pattern(reader, value, item, op, escape, span, depth) for item in patterns)
    if node.args.get("negate"):
        parts = tuple(map(negated, parts))
    return all_of(parts, span) if isinstance(right, exp.All) else any_of(parts, span)


def pattern(
    reader: Reader, value: t.Tree, node: exp.Expr, op: str, escape: str, span: Span, depth: int
) -> t.Tree:
    """LIKE or ILIKE with a pattern that is a constant or computed from the row."""
    pattern = reader.read(node, depth)
    if isinstance(pattern, t.Constant) and isinstance(pattern.value, str):
        try:
            pattern = t.Constant(canonical(pattern.value, escape), pattern.span)
        except LikeError as error:
            raise reader.fail(msg.bad_like(pattern.span, str(error))) from None
    elif not isinstance(pattern, t.Constant):
        parts: tuple[t.Tree, ...] = (value, _escaping(pattern, escape))
        if op == "like_ci":
            parts = tuple(apply("fold_case", one.span, one) for one in parts)
        return apply("like_row", span, *parts)
    return apply(op, span, value, pattern)


def _escaping(pattern: t.Tree, escape: str) -> t.Tree:
    """A pattern that is computed from the row, with its escape character replaced by a backslash."""
    if escape == "\\":
        return pattern
    doubled = apply(
        "replace", pattern.span, pattern, t.Constant("\\", pattern.span), t.Constant("\\\\", pattern.span)
    )
    if not escape:
        return doubled
    return apply(
        "replace", pattern.span, doubled, t.Constant(escape, pattern.span), t.Constant("\\", pattern.span)
    )


def escape(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """LIKE or ILIKE with ESCAPE."""
    inner = node.this
    ops = {exp.Like: "like", exp.ILike: "like_ci"}
    escape = node.expression
    if type(inner) not in ops or not isinstance(escape, exp.Literal) or len(str(escape.this)) > 1:
        raise reader.fail(msg.one_escape_character(reader.span(node)))
    return like_with(reader, inner, ops[type(inner)], str(escape.this), depth)


def case(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """CASE: a condition that is UNKNOWN counts as FALSE; without ELSE the default is NULL."""
    span = reader.span(node)
    operand = reader.read(node.this, depth) if node.this is not None else None
    default = node.args.get("default")
    tree: t.Tree = reader.read(default, depth) if default is not None else t.Constant(None, span)
    for branch in reversed(node.args["ifs"]):
        test = reader.read(branch.this, depth)
        if operand is not None:
            test = apply("eq", span, operand, test)
        value = reader.read(branch.args["true"], depth)
        tree = apply("cond", span, apply("is_true", test.span, test), value, tree)
    return tree


def if_(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """IF(test, yes, no): `no` if the test is FALSE or UNKNOWN."""
    test = reader.read(node.this, depth)
    no = node.args.get("false")
    other: t.Tree = reader.read(no, depth) if no is not None else t.Constant(None, test.span)
    yes = reader.read(node.args["true"], depth)
    return apply("cond", reader.span(node), apply("is_true", test.span, test), yes, other)


def bracket(op: str) -> Build:
    """`base[index]`: the operator `bracket` counts the elements of an array from 0, `bracket1` from 1. Both
    count the elements of a JSON array from 0.
    """

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        if len(node.expressions) != 1 or isinstance(node.expressions[0], exp.Slice):
            raise reader.fail(reader.unsupported(node.expressions[0]))
        return reader.apply(op, node, node.this, node.expressions[0], depth=depth)

    return build


def concat(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """CONCAT and ||: NULL if a part is NULL."""
    tree, *rest = reader.all(list(arguments(node)), depth)
    for part in rest:
        tree = apply("concat", reader.span(node), tree, part)
    return tree


def equal(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`x = y`, `x = ANY(array)` or `(a, b) = (1, 2)`."""
    comparison = rows.equal(reader, node, node.this, node.expression, depth)
    if comparison is not None:
        return comparison
    array = array_of(node.expression, "any", "some")
    return (
        reader.apply("eq", node, node.this, node.expression, depth=depth)
        if array is None
        else element(reader, node, array, depth)
    )


def unequal(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`x <> y`, `x <> ALL(array)` or `(a, b) <> (1, 2)`."""
    comparison = rows.equal(reader, node, node.this, node.expression, depth)
    if comparison is not None:
        return negated(comparison)
    array = array_of(node.expression, "all")
    return (
        reader.apply("ne", node, node.this, node.expression, depth=depth)
        if array is None
        else negated(element(reader, node, array, depth))
    )


def array_of(node: exp.Expr, *names: str) -> exp.Expr | None:
    """The array in ANY(array), SOME(array) or ALL(array), if its name is in `names`, else None. Sqlglot has a
    node for ANY only.
    """
    if isinstance(node, exp.Any) and "any" in names:
        inner: exp.Expr = node.this.unnest()
        return inner
    named = isinstance(node, exp.Anonymous) and str(node.this).lower() in names and len(node.expressions) == 1
    array: exp.Expr | None = node.expressions[0] if named else None
    return array


def element(reader: Reader, node: exp.Expr, array: exp.Expr, depth: int) -> t.Tree:
    """Whether an array contains a value. FALSE for an empty array, even if the value is NULL."""
    span = reader.span(node)
    tree = reader.apply("in", node, node.this, array, depth=depth)
    if isinstance(array.unnest(), exp.Array):
        return tree if array.unnest().expressions else t.Constant(False, span)
    some = apply("gt", span, apply("size", span, reader.read(array, depth)), t.Constant(0, span))
    return tree if isinstance(node.this, exp.Literal) else apply("and", span, tree, some)


def either_concat(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """CONCAT of parts that are never NULL: engines differ about NULL parts."""
    return reader.apply("either_concat", node, *arguments(node), depth=depth)


def double_division(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`/` of two numbers, which are both cast to double."""
    span = reader.span(node)
    parts = reader.all([node.this, node.expression], depth)
    doubles = tuple(cast_to("to_double", part) for part in parts)
    return apply("div", span, *doubles)


def text(reader: Reader, node: exp.Expr, _depth: int) -> t.Tree:
    """A string constant with another syntax: E'...', $$...$$ or r'...'."""
    return t.Constant(str(node.this), reader.span(node))


def array(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """ARRAY[1, 2] of constants or values."""
    return t.ListLiteral(reader.all(node.expressions, depth), reader.span(node))


def reference(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`matches_filter('name', minutes => 90)`."""
    name, *rest = node.expressions or [None]
    if not isinstance(name, exp.Literal) or not name.is_string:
        hint = "write matches_filter('name')"
        raise reader.fail(references.filter_name_not_constant(reader.span(node), hint))
    args: list[tuple[str, t.Tree]] = []
    for arg in rest:
        if not isinstance(arg, exp.Kwarg):
            raise reader.fail(say.argument_without_name(reader.span(arg)))
        args.append((arg.this.name, reader.read(arg.expression, depth)))
    return t.Ref(str(name.this), tuple(args), reader.span(node))
