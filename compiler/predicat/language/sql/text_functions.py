"""SQL string functions, as trees of operators.

Sources: Spark SQL, "Built-in Functions", string functions; PostgreSQL, "String Functions and Operators". The
functions have the same meaning in both.
"""

from __future__ import annotations

from sqlglot import exp

from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql_functions as say
from predicat.ir import syntax as t
from predicat.language.common.trees import apply, choose, each, let, number, plus, text, there
from predicat.language.sql import constants, meanings
from predicat.language.sql.arguments import counted
from predicat.language.sql.functions import check_length, function
from predicat.language.sql.node_reader import Build, Reader
from predicat.semantics import regex

_MAX_REPEATED = 20
# The maximum length of lpad and rpad: the SQL contains the padding as a constant.
_MAX_PADDED = 1000
# Names of variables that no condition can contain.
_PART, _TEXT = "a part", "a string"


def pad(op: str) -> Build:
    """LPAD and RPAD: a string truncated to a length, or padded at its start or end."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        span = reader.span(node)
        value, size, *with_ = reader.all(counted(reader, node, 2, 3), depth)
        length = max(constants.whole(reader, size, op), 0)
        filling = constants.text(reader, with_[0], op) if with_ else " "
        if length > _MAX_PADDED:
            raise reader.fail(say.length_not_constant(size.span, op, _MAX_PADDED))
        if not length or not filling:
            return start(value, length, span)
        return apply(op, span, value, number(length, size.span), text(filling, span))

    return build


def start(value: t.Tree, length: int, span: Span) -> t.Tree:
    """The first `length` characters of a string."""
    return apply("substr", span, value, number(1, span), number(length, span))


def _length(value: t.Tree, span: Span) -> t.Tree:
    return apply("length", span, value)


def empty(value: t.Tree, span: Span) -> t.Tree:
    """The empty string; NULL if the value is NULL."""
    return start(value, 0, span)


def concat_ws(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """CONCAT_WS: the parts that are not NULL, with a separator between them."""
    span = reader.span(node)
    by, *parts = reader.all(counted(reader, node, *range(1, 100)), depth)
    separator = constants.text(reader, by, "concat_ws")
    tree: t.Tree = text("", span)
    for place, part in enumerate(parts):
        behind = apply("concat", span, by, part)
        tree = (
            apply("concat", span, tree, apply("coalesce", span, behind, text("", span)))
            if place
            else (apply("coalesce", span, behind, text("", span)))
        )
    if not parts or not separator:
        return tree
    return apply("substr", span, tree, number(len(separator) + 1, span))


def split(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """SPLIT by a pattern that matches only one string. Raises Stop for other patterns."""
    span = reader.span(node)
    value, by = reader.all(counted(reader, node, 2), depth)
    literal = plain(constants.text(reader, by, "split"))
    if not literal:
        raise reader.fail(say.separator_is_pattern(by.span))
    return apply("split", span, value, text(literal, by.span))


def plain(pattern: str) -> str | None:
    """The only string that a pattern matches; None for other patterns."""
    try:
        node = regex.parse(pattern)
    except regex.RegexError:
        return None
    literal = regex.as_literal(node)
    return literal[1] if literal is not None and literal[0] == "contains" else None


def string_to_array(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """STRING_TO_ARRAY: as SPLIT, but the empty string gives an empty array."""
    span = reader.span(node)
    value, by = reader.all(counted(reader, node, 2), depth)
    constants.text(reader, by, "string_to_array")
    return let(
        _TEXT,
        value,
        lambda value: each(
            "filter",
            _PART,
            apply("split", span, value, by),
            lambda _part: apply("is_true", span, apply("ne", span, value, text("", span))),
            span,
        ),
        span,
    )


def overlay(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """OVERLAY(s PLACING new FROM place FOR length)."""
    span = reader.span(node)
    value, new, place, *length = reader.all(counted(reader, node, 3, 4), depth)
    at = constants.whole(reader, place, "overlay")
    if at < 1:
        raise reader.fail(say.number_not_constant(place.span, "overlay"))
    check_length(reader, *length)
    count = length[0] if length else _length(new, span)
    rest = apply(
        "substr",
        span,
        value,
        plus(count, at, span)
        if isinstance(count, t.Constant)
        else apply("add", span, count, number(at, span)),
    )
    return apply("concat", span, apply("concat", span, start(value, at - 1, span), new), rest)


def translate(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """TRANSLATE as a series of REPLACE: each character is replaced by the one at its position, or removed."""
    span = reader.span(node)
    value, source, target = reader.all(counted(reader, node, 3), depth)
    old, new = constants.text(reader, source, "translate"), constants.text(reader, target, "translate")
    table: dict[str, str] = {}
    for place, char in enumerate(old):
        table.setdefault(char, new[place : place + 1])
    table = {char: to for char, to in table.items() if char != to}
    tree = value
    while table:
        # The result of a replacement must not be replaced again.
        first = next((one for one, to in table.items() if to not in table), None)
        if first is None:
            raise reader.fail(say.translate_in_circle(span))
        tree = apply("replace", span, tree, text(first, span), text(table.pop(first), span))
    return tree


def substring_index(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """SUBSTRING_INDEX(s, separator, n): the part before the n-th separator or, if n is negative, after the
    -n-th separator from the end. The whole string if it has fewer separators.
    """
    span = reader.span(node)
    value, by, place = reader.all(counted(reader, node, 3), depth)
    name = reader.called_name(node)
    separator, count = constants.text(reader, by, name), constants.whole(reader, place, name)
    if not separator or not count:
        return empty(value, span)
    if count == 1:
        return meanings.split_part(value, by, 1, span)
    if len(separator) > 1 or abs(count) > _MAX_REPEATED:
        raise reader.fail(say.one_separator(span, _MAX_REPEATED))
    sign = regex.escaped(separator)
    several = f"[^{sign}]*" + (f"(?:{sign}[^{sign}]*){{0,{abs(count) - 1}}}" if abs(count) > 1 else "")
    pattern = f"^{several}" if count > 0 else f"{several}$"
    return apply("regex_extract", span, value, text(pattern, span), number(0, span))


def elt(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """ELT(n, first, second, ...): the n-th value, counted from 1; NULL if there is none."""
    span = reader.span(node)
    place, *values = reader.all(counted(reader, node, *range(2, 100)), depth)
    tree: t.Tree = t.Constant(None, span)
    for index, value in reversed(list(enumerate(values, 1))):
        here = apply("is_true", span, apply("eq", span, place, number(index, span)))
        tree = choose(here, value, tree, span)
    return tree


def array_join(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """ARRAY_JOIN and ARRAY_TO_STRING: the elements that are not NULL, with a separator between them."""
    span = reader.span(node)
    items, by = reader.all(counted(reader, node, 2), depth)
    return apply("join", span, there(items, span), by)


def repeat(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """REPEAT(s, 3), with a constant of at most MAX_REPEATED."""
    span = reader.span(node)
    value, count = reader.all(counted(reader, node, 2), depth)
    times = constants.whole(reader, count, "repeat")
    if times > _MAX_REPEATED:
        raise reader.fail(say.length_not_constant(count.span, "repeat", _MAX_REPEATED))

    def build(value: t.Tree) -> t.Tree:
        tree = value if times > 0 else empty(value, span)
        for _ in range(times - 1):
            tree = apply("concat", span, tree, value)
        return tree

    return let(_TEXT, value, build, span)


# The functions by name.
RULES: dict[type[exp.Expr] | str, tuple[frozenset[str] | None, Build]] = {
    "lpad": (None, pad("lpad")),
    "rpad": (None, pad("rpad")),
    "ascii": (None, function("ascii", 1)),
    "concat_ws": (None, concat_ws),
    "split": (None, split),
    "string_to_array": (None, string_to_array),
    "overlay": (None, overlay),
    "translate": (None, translate),
    "substring_index": (None, substring_index),
    "elt": (None, elt),
    "repeat": (None, repeat),
    "array_join": (None, array_join),
    "array_to_string": (None, array_join),
}
