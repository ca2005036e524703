"""What differs in Spark SQL without ANSI mode (`spark.sql.ansi.enabled=false`): the table of differences.

Each row was tested on Spark 4.3. Most errors of ANSI mode are NULL without it, and UNKNOWN here in both
modes: division by zero, an index out of range, a string that is not a number, a decimal with too many digits.
These have no row. TRY_CAST means the same in both. Comparisons depend on the types: they are in
`check/without_ansi.py`, with the meanings of the operators `lenient.*`.

| condition                        | ANSI mode              | without it                                |
|----------------------------------|------------------------|-------------------------------------------|
| `i + 1`, `-i`, `abs(i)` overflow | an error               | wraps around                              |
| `a * b` of BIGINT overflows      | an error               | not supported: write try_multiply         |
| `try_add(i, 1)` overflows INT    | NULL                   | NULL                                      |
| `CAST(3e9 AS INT)`               | an error               | the nearest INT; NaN is 0                 |
| `CAST(bigint AS INT)` overflows  | an error               | the lowest 32 bits                        |
| `CAST('2.5' AS INT)`             | an error               | 2                                         |
| `floor(1e300)`                   | an error               | the nearest BIGINT                        |
| `substring(s, bigint)` overflows | an error               | an INT, as by a cast                      |
| `unix_timestamp(s)` of a string  | an error, or a number  | not supported: write the format           |
| `size(NULL)`                     | NULL                   | -1                                        |
| `s > 5` of a string              | a BIGINT, or an error  | the type of the number: '5.7' is 5        |
| `s > DATE '2026-02-01'`          | a date, or an error    | a date, or NULL                           |
| `'5' + 1`                        | a BIGINT               | a DOUBLE                                  |
| `s IN (1, 2)`, `i IN (' 7')`     | numbers                | strings: ' 7' is not '7'                  |
| `paid = 1` of a BOOLEAN          | not supported          | TRUE is 1                                 |
| `aggregate(xs, 0L, ...)` overfl. | an error               | not supported: write 0D                   |
"""

from __future__ import annotations

from sqlglot import exp

from predicat.check.without_ansi import OPERATORS
from predicat.diagnostics.messages import sql as say
from predicat.ir import syntax as t
from predicat.language.common.trees import apply, number
from predicat.language.spark import arrays, texts
from predicat.language.sql import (
    array_functions,
    calendars,
    functions,
    lengths,
    number_functions,
    operators,
    rows,
    text_functions,
    times,
)
from predicat.language.sql.arguments import counted
from predicat.language.sql.node_reader import Build, Key, Reader, Rule

_THIS, _BINARY = frozenset({"this"}), frozenset({"this", "expression"})
_CAST = frozenset({"this", "to", "_type", "safe"})
_BRACKET = frozenset({"this", "expressions", "offset", "safe"})
_SUBSTRING = frozenset({"this", "start", "length"})


def lenient(build: Build) -> Build:
    """The rule with its operator replaced by `lenient.*`, if there is one, which knows the integer types."""

    def built(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        return _renamed(build(reader, node, depth))

    return built


def _renamed(tree: t.Tree) -> t.Tree:
    if not isinstance(tree, t.OperatorCall) or f"lenient.{tree.op}" not in OPERATORS:
        return tree
    return apply(f"lenient.{tree.op}", tree.span, *tree.args)


def cast(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """CAST. A cast to an integer type is a `lenient.*` operator."""
    bits = times.BITS.get(node.args["to"].this)
    if bits is None:
        return times.cast(reader, node, depth)
    span = reader.span(node)
    return apply("lenient.whole", span, reader.read(node.this, depth), number(bits, span))


def try_cast(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """TRY_CAST, which means the same as in ANSI mode."""
    tree, bits = times.engine_cast("to_int")(reader, node, depth), times.BITS.get(node.args["to"].this)
    return tree if bits is None else apply("lenient.width", tree.span, tree, number(bits, tree.span))


def bigint(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """BIGINT(x)."""
    (value,) = reader.all(counted(reader, node, 1), depth)
    return apply("lenient.whole", reader.span(node), value, number(64, reader.span(node)))


def compared(build: Build) -> Build:
    """The rule of a comparison. Raises Stop after LIKE, RLIKE or BETWEEN: Spark would parse the comparison as
    a part of the pattern or the bound.
    """

    def built(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        left = node.this.this if isinstance(node.this, exp.Not) else node.this
        if isinstance(left, exp.Like | exp.ILike | exp.RegexpLike | exp.Between):
            raise reader.fail(say.behind_comparison(reader.span(node), reader.written(node).split()[-1]))
        return build(reader, node, depth)

    return built


def unix_timestamp(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """UNIX_TIMESTAMP. A string without a format is not supported."""
    args, span = counted(reader, node, 0, 1, 2), reader.span(node)
    if len(args) != 1:
        return calendars.unix_timestamp(reader, node, depth)
    moment = apply("lenient.no_text", span, reader.read(args[0], depth))
    return calendars.seconds(calendars.as_timestamp(reader, moment), span)


def _of_ints(build: Build, *names: str) -> Build:
    """The rule of a function with INT arguments: a BIGINT is cast to INT. `names` are the names of these
    arguments in the node.
    """

    def built(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        for name in names:
            if (value := node.args.get(name)) is not None:
                node.set(name, _as_int(value))
        return build(reader, node, depth)

    return built


def _of_ints_at(build: Build, *places: int) -> Build:
    """As `_of_ints`, for functions without a node; `places` are the indexes of the INT arguments."""

    def built(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
        parts = node.expressions
        node.set("expressions", [_as_int(one) if at in places else one for at, one in enumerate(parts)])
        return build(reader, node, depth)

    return built


def _as_int(node: exp.Expr) -> exp.Expr:
    plain = node.this if isinstance(node, exp.Neg) else node
    return node if isinstance(plain, exp.Literal) else exp.Cast(this=node, to=exp.DataType.build("int"))


def aggregate(reader: Reader, node: exp.Expr, depth: int) -> t.Tree:
    """AGGREGATE as a sum without ANSI mode: an overflow wraps around."""
    tree = array_functions.aggregate(reader, node, depth)
    if isinstance(tree, t.OperatorCall) and tree.op == "add":
        return apply("lenient.add", tree.span, tree.args[0], _renamed(tree.args[1]))
    return _renamed(tree)


RULES: dict[Key, Rule | None] = {
    exp.Add: (_BINARY, lenient(calendars.plus("add"))),
    exp.Sub: (_BINARY, lenient(calendars.plus("sub"))),
    exp.Mul: (_BINARY, lenient(lengths.alone(operators.binary("mul")))),
    exp.Mod: (_BINARY, lenient(operators.binary("mod"))),
    exp.Neg: (_THIS, lenient(operators.negative)),
    exp.Abs: (_THIS, lenient(operators.unary("abs"))),
    exp.IntDiv: (_BINARY, lenient(operators.binary("div"))),
    "div": (None, lenient(functions.function("div", 2))),
    "pmod": (None, number_functions.pmod("lenient.")),
    "try_add": (None, lenient(functions.function("try_add", 2))),
    "try_subtract": (None, lenient(functions.function("try_sub", 2))),
    "try_multiply": (None, lenient(functions.function("try_mul", 2))),
    "try_mod": (None, lenient(functions.function("try_mod", 2))),
    exp.EQ: (_BINARY, compared(operators.equal)),
    exp.NEQ: (_BINARY, compared(operators.unequal)),
    exp.NullSafeEQ: (_BINARY, compared(rows.same)),
    exp.BitwiseAnd: (_BINARY, lenient(operators.binary("bit_and"))),
    exp.BitwiseOr: (_BINARY, lenient(operators.binary("bit_or"))),
    exp.BitwiseXor: (_BINARY, lenient(operators.binary("bit_xor"))),
    exp.Bracket: (_BRACKET, lenient(arrays.bracket)),
    exp.Substring: (_SUBSTRING, _of_ints(texts.substring, "start", "length")),
    exp.Left: (_BINARY, _of_ints(texts.left, "expression")),
    exp.Right: (_BINARY, _of_ints(texts.right, "expression")),
    "add_months": (None, _of_ints_at(calendars.add_months, 1)),
    "make_date": (None, _of_ints_at(calendars.make_date, 0, 1, 2)),
    "dateadd": (None, _of_ints_at(calendars.later(1), 1)),
    "timestampadd": (None, _of_ints_at(calendars.later(1), 1)),
    "elt": (None, _of_ints_at(text_functions.elt, 0)),
    "unix_timestamp": (None, unix_timestamp),
    "to_unix_timestamp": (None, unix_timestamp),
    exp.Cast: (_CAST, cast),
    exp.TryCast: (_CAST, try_cast),
    "bigint": (None, bigint),
    "long": (None, bigint),
    exp.Floor: (_THIS, lenient(operators.unary("floor"))),
    exp.Ceil: (_THIS, lenient(operators.unary("ceil"))),
    "size": (None, lenient(functions.function("size", 1))),
    "cardinality": (None, lenient(functions.function("size", 1))),
    "aggregate": (None, aggregate),
    "reduce": (None, aggregate),
}
