"""SQL functions: from sqlglot's nodes to trees."""

from __future__ import annotations

from sqlglot import exp

from predicat.diagnostics.messages import sql as say
from predicat.ir import syntax as t
from predicat.ir.variables import fold_identifier, fresh_name
from predicat.language.common.trees import apply, negated
from predicat.language.sql import meanings
from predicat.language.sql.arguments import arguments, counted
from predicat.language.sql.node_reader import Build, Reader
from predicat.language.sql.operators import absent


def function(op: str, *counts: int) -> Build:
    """The rule of a function that is an operator with the same operands. `counts` are the allowed numbers of
    arguments; without them any number is allowed.
    """

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        args = counted(reader, node, *counts) if counts else list(arguments(node))
        return reader.apply(op, node, *args, depth=depth)

    return build


def nullif(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """NULLIF(value, other): NULL if they are equal, and `value` if the comparison is FALSE or UNKNOWN."""
    value, other = reader.all([node.this, node.expression], depth)
    span = reader.span(node)
    test = apply("is_true", span, apply("eq", span, value, other))
    return apply("cond", span, test, t.Constant(None, span), value)


def trim(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """TRIM of spaces, or of any of the given characters, at one end or both."""
    characters = node.args.get("expression")
    if characters is not None and reader.stands_before(node.this, characters):
        raise reader.fail(say.trim_two_arguments(reader.span(node)))
    return trim_characters(reader, node, depth)


def trim_characters(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """TRIM, also with the characters as the second argument: `ltrim(s, 'xy')`."""
    position = str(node.args.get("position") or "BOTH").upper()
    characters = node.args.get("expression")
    if characters is None:
        return reader.apply(
            {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(position, "trim"), node, node.this, depth=depth
        )
    op = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(position, "strip")
    return reader.apply(op, node, node.this, characters, depth=depth)


def btrim(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """BTRIM(s), which removes spaces, or BTRIM(s, characters)."""
    args = counted(reader, node, 1, 2)
    return reader.apply("trim" if len(args) == 1 else "strip", node, *args, depth=depth)


def right(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """RIGHT(s, length). Raises Stop for a constant length below 0."""
    text, length = reader.all([node.this, node.expression], depth)
    check_length(reader, length)
    return meanings.right(text, length, reader.span(node))


def split_part(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`split_part(s, '@', 2)`."""
    text, by, number = reader.all(counted(reader, node, 3), depth)
    if (
        not isinstance(number, t.Constant)
        or not isinstance(number.value, int)
        or not 0 < number.value < 2**31
    ):
        raise reader.fail(say.place_not_constant(number.span))
    return meanings.split_part(text, by, number.value, reader.span(node))


def is_nan(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """ISNAN(value): UNKNOWN for NULL."""
    (value,) = reader.all(counted(reader, node, 1), depth)
    return apply("is_nan", reader.span(node), value)


def is_nan_or_false(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """Spark's isnan, which is FALSE for NULL."""
    return apply("is_true", reader.span(node), is_nan(reader, node, depth))


def nvl2(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """NVL2(value, a, b): `a` if the value is not NULL, else `b`."""
    value, yes, no = reader.all(counted(reader, node, 3), depth)
    return apply("cond", reader.span(node), absent(value, value.span), no, yes)


def is_not_null(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """ISNOTNULL(value): never UNKNOWN."""
    (value,) = reader.all(counted(reader, node, 1), depth)
    return negated(absent(value, reader.span(node)))


def is_null(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """ISNULL(value): never UNKNOWN."""
    (value,) = reader.all(counted(reader, node, 1), depth)
    return absent(value, reader.span(node))


def overlap(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`arrays_overlap(a, array('x', 'y'))`: whether an element is in the other array."""
    one, other = reader.all(counted(reader, node, 2), depth)
    span = reader.span(node)
    element = fresh_name("element", {fold_identifier(part.name) for part in node.find_all(exp.Identifier)})
    return t.Macro("any", element, one, apply("in", span, t.Name(element, span), other), span)


def substring(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """SUBSTRING(s, start, length). Raises Stop for a constant start below 1 or length below 0: engines
    differ.
    """
    value, start, *length = reader.all(counted(reader, node, 2, 3), depth)
    if _is_below(start, 1):
        raise reader.fail(say.place_before_text(start.span))
    check_length(reader, *length)
    return apply("substr", reader.span(node), value, start, *length)


def check_length(reader: Reader, *lengths: t.Tree) -> None:
    """Raises Stop for a constant length below 0: engines differ."""
    for length in lengths:
        if _is_below(length, 0):
            raise reader.fail(say.negative_length(length.span))


def _is_below(tree: t.Tree, least: int) -> bool:
    return (
        isinstance(tree, t.Constant)
        and isinstance(tree.value, int)
        and not isinstance(tree.value, bool)
        and tree.value < least
    )


def left(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """LEFT(s, length). Raises Stop for a constant length below 0."""
    value, length = reader.all([node.this, node.expression], depth)
    check_length(reader, length)
    return apply("substr", reader.span(node), value, t.Constant(1, length.span), length)


def position(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """POSITION(part IN s), counted from 1; 0 if it is not found."""
    return reader.apply("position", node, node.this, node.args["substr"], depth=depth)
