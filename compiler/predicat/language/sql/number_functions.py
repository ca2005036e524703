"""Numeric and conditional SQL functions, as trees of operators.

Sources: Spark SQL, "Built-in Functions", mathematical, bitwise and conditional functions; PostgreSQL,
"Mathematical Functions and Operators".
"""

from __future__ import annotations

import math

from sqlglot import exp

from predicat.diagnostics import Span
from predicat.diagnostics.messages import sql_functions as say
from predicat.ir import syntax as t
from predicat.language.common.trees import apply, cast_to, choose, each, let, number
from predicat.language.sql import constants
from predicat.language.sql.arguments import arguments, counted
from predicat.language.sql.functions import function
from predicat.language.sql.node_reader import Build, Reader
from predicat.language.sql.operators import array_of, binary
from predicat.language.sql.shapes import BINARY, THIS

# Names of variables that no condition can contain.
_ITEM, _REST, _VALUE = "an element", "a rest", "a value"
_MAX_ARGUMENTS = 100


def double(tree: t.Tree, span: Span) -> t.Tree:
    """A cast to double."""
    return cast_to("to_double", tree, span)


def ordered(op: str) -> Build:
    """`a < b`, or `a < ALL (array)` and `a < ANY (array)`."""
    plain = binary(op)

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        for kind, names in (("any", ("any", "some")), ("all", ("all",))):
            array = array_of(node.expression, *names)
            if array is not None:
                return _against_all(reader, node, array, op, kind, depth)
        return plain(reader, node, depth)

    return build


def _against_all(reader: Reader, node: exp.Expr, array: exp.Expr, op: str, kind: str, depth: int) -> t.Tree:
    """A comparison with any or all elements of an array (`kind`)."""
    span = reader.span(node)
    value, items = reader.all([node.this, array], depth)
    return each(kind, _ITEM, items, lambda item: apply(op, span, value, item), span)


def pmod(prefix: str = "") -> Build:
    """PMOD: the remainder; the divisor is added to a negative one. `prefix` is the prefix of the operators:
    those with "lenient." wrap around on overflow.
    """
    mod, add = f"{prefix}mod", f"{prefix}add"

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        span = reader.span(node)
        value, by = reader.all(counted(reader, node, 2), depth)

        def of_rest(rest: t.Tree) -> t.Tree:
            again = apply(mod, span, apply(add, span, rest, by), by)
            return choose(apply("lt", span, rest, number(0, span)), again, rest, span)

        return let(_REST, apply(mod, span, value, by), of_rest, span)

    return build


def of_double(op: str) -> Build:
    """The rule of a function of one number, which is cast to double."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        span = reader.span(node)
        (value,) = reader.all(counted(reader, node, 1), depth)
        return apply(op, span, double(value, span))

    return build


def square_root(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """SQRT of Spark and DuckDB: NaN for a negative number."""
    span = reader.span(node)
    (value,) = reader.all(counted(reader, node, 1), depth)

    def build(value: t.Tree) -> t.Tree:
        below = apply("lt", span, value, t.Constant(0.0, span))
        root = apply("sqrt", span, value)
        return choose(apply("is_true", span, below), t.Constant(math.nan, span), root, span)

    return let(_VALUE, double(value, span), build, span)


def logarithm(alone: str | None) -> Build:
    """LOG(x) by the operator `alone` (None: not supported), and log10(x), parsed as LOG(10, x)."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        span = reader.span(node)
        base, value = reader.read(node.this, depth), node.args.get("expression")
        if value is None:
            if alone is None:
                raise reader.fail(say.log_of_base(span))
            return apply(alone, span, double(base, span))
        if not isinstance(base, t.Constant) or base.value != 10:
            raise reader.fail(say.log_of_base(span))
        return apply("log10", span, double(reader.read(value, depth), span))

    return build


def rounded(op: str) -> Build:
    """ROUND, BROUND and TRUNC. The check decides what they do, by the type of the number."""

    def build(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        args = list(reader.all(counted(reader, node, 1, 2), depth))
        if len(args) == 2:
            args[1] = number(constants.whole(reader, args[1], reader.called_name(node)), args[1].span)
        return apply(op, reader.span(node), *args)

    return build


def power(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """POW with an exponent of 0.5, 1 or 2, for which all engines round alike. Raises Stop for any other."""
    span = reader.span(node)
    base, exponent = reader.all([node.this, node.expression], depth)
    value = exponent.value if isinstance(exponent, t.Constant) else None
    if isinstance(value, bool) or value not in (0.5, 1, 2):
        raise reader.fail(say.exponent(exponent.span))
    if value == 2:
        return let(_VALUE, double(base, span), lambda base: apply("mul", span, base, base), span)
    return double(base, span) if value == 1 else apply("sqrt", span, double(base, span))


def _exclusive_or(reader: Reader, node: exp.Expr, _depth: int) -> t.Tree:
    """Refuses `a ^ b`: an exclusive or on Spark, a power on PostgreSQL."""
    raise reader.fail(say.circumflex(reader.span(node)))


def _inverted(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """`~a`: all bits inverted, which is -1 - a."""
    span = reader.span(node)
    return apply("sub", span, number(-1, span), reader.read(node.this, depth))


def divide(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """TRY_DIVIDE: the quotient as a double."""
    span = reader.span(node)
    left, right = reader.all(counted(reader, node, 2), depth)
    return apply("div", span, double(left, span), double(right, span))


def iff(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """IFF(condition, yes, no): `no` if the condition is FALSE or UNKNOWN."""
    span = reader.span(node)
    test, yes, no = reader.all(counted(reader, node, 3), depth)
    return choose(apply("is_true", span, test), yes, no, span)


def decode(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """DECODE(x, a, yes, b, other, rest): the result after the first equal value. NULL equals NULL."""
    span = reader.span(node)
    subject, *others = reader.all(counted(reader, node, *range(3, _MAX_ARGUMENTS)), depth)
    tree: t.Tree = others.pop() if len(others) % 2 else t.Constant(None, span)
    for value, result in reversed(list(zip(others[::2], others[1::2], strict=True))):
        tree = choose(apply("same", span, subject, value), result, tree, span)
    return tree


def hashed(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """SHA2(s, 256). Raises Stop for another length than 256, or 0, which means 256."""
    args = list(arguments(node))
    value, *bits = reader.all(args, depth)
    if len(args) != 2 or constants.whole(reader, bits[0], "sha2") not in (0, 256):
        raise reader.fail(say.sha_of_bits(reader.span(node)))
    return apply("sha256", reader.span(node), value)


# The functions and operators, by sqlglot's classes or by their names.
RULES: dict[type[exp.Expr] | str, tuple[frozenset[str] | None, Build]] = {
    exp.LT: (BINARY, ordered("lt")),
    exp.LTE: (BINARY, ordered("le")),
    exp.GT: (BINARY, ordered("gt")),
    exp.GTE: (BINARY, ordered("ge")),
    exp.Pow: (BINARY, power),
    exp.BitwiseAnd: (BINARY, binary("bit_and")),
    exp.BitwiseOr: (BINARY, binary("bit_or")),
    exp.BitwiseXor: (BINARY, _exclusive_or),
    exp.BitwiseNot: (THIS, _inverted),
    exp.BitwiseLeftShift: (BINARY | {"requires_int128"}, binary("shift_left")),
    exp.BitwiseRightShift: (BINARY | {"requires_int128"}, binary("shift_right")),
    "shiftleft": (None, function("shift_left", 2)),
    "shiftright": (None, function("shift_right", 2)),
    "pmod": (None, pmod()),
    "sign": (None, of_double("math.sign")),
    "signum": (None, of_double("math.sign")),
    "sqrt": (None, of_double("sqrt")),
    "exp": (None, of_double("exp")),
    "ln": (None, of_double("ln")),
    "log10": (None, of_double("log10")),
    exp.Log: (BINARY, logarithm(None)),
    "round": (None, rounded("sql.round")),
    "bround": (None, rounded("sql.bround")),
    "trunc": (None, rounded("sql.trunc")),
    "truncate": (None, rounded("sql.trunc")),
    "try_divide": (None, divide),
    "try_add": (None, function("add", 2)),
    "try_subtract": (None, function("sub", 2)),
    "try_multiply": (None, function("mul", 2)),
    "try_mod": (None, function("mod", 2)),
    "iff": (None, iff),
    "decode": (None, decode),
    "md5": (None, function("md5", 1)),
    "sha2": (None, hashed),
}
