"""Comparisons of values, numbers across types, and doubles that may be NaN."""

from __future__ import annotations

import math

from sqlglot import exp

from predicat.backends.sql.builders import (
    COMPARISON_NODES,
    Sql,
    and_,
    binary,
    call,
    case,
    cast,
    is_null,
    is_small,
    not_,
    number_literal,
    or_,
    wrap,
)
from predicat.backends.sql.common.letters import has_usual_case
from predicat.backends.sql.common.widths import is_full
from predicat.backends.sql.functions import calls
from predicat.backends.sql.renderer import Renderer, Rule, constant
from predicat.ir.nodes import Call, Field, Literal, Node
from predicat.ir.operators import EQUALITIES, FLIPPED, OF_INT, ORDERED
from predicat.ir.types import BIGINT, DOUBLE, STRING


def compare(r: Renderer, op: str, left: Node, right: Node) -> Sql:
    """A comparison by value. Numbers of different types are compared exactly; NaN equals nothing and is in no
    order.
    """
    if is_numeric_mix(left, right):
        return _compare_mixed(r, op, left, right)
    if left.type is DOUBLE or right.type is DOUBLE:
        return _compare_doubles(r, op, left, right)
    if op in EQUALITIES and (ascii_only := _of_ascii(r, op, left, right) or _of_ascii(r, op, right, left)):
        return ascii_only
    if op in EQUALITIES:
        return binary(COMPARISON_NODES[op], tested(r, left, right), tested(r, right, left))
    one, other = _compared(r, left), _compared(r, right)
    if left.type == STRING and op in ORDERED and r.dialect.collated is not None:
        one = r.dialect.collated(r, (left, right))
    return binary(COMPARISON_NODES[op], one, other)


# Operators whose SQL is a number of another type, with a cast to the width of theirs.
_NARROW = OF_INT | {"int32"}


def _compared(r: Renderer, node: Node) -> Sql:
    """A value that is only compared: a number needs no cast to a greater width."""
    sql = r.node(node)
    if isinstance(node, Call) and node.op in _NARROW and type(sql) is exp.Cast:
        return sql.this.this if isinstance(sql.this, exp.Paren) else sql.this
    return sql


def tested(r: Renderer, node: Node, *constants: Node) -> Sql:
    """A value whose equality with constants is tested: the engine's own LOWER or UPPER, if the result is the
    same.
    """
    if not r.parameterize and isinstance(node, Call) and has_usual_case(node, *constants):
        return call(node.op.upper(), r.node(node.args[0]))
    return _compared(r, node)


def _of_ascii(r: Renderer, op: str, node: Node, other: Node) -> Sql | None:
    """`lower(x) = 'kim'` with a test of the number of bytes, because LOWER may turn another letter into `k`
    (and UPPER one letter into two).

    None for another comparison, and if the collation may change LOWER for ASCII.
    """
    size = r.dialect.byte_length_function
    if size is None or r.parameterize or not isinstance(node, Call) or node.op not in ("lower", "upper"):
        return None
    wanted, text = constant(other) if isinstance(other, Literal) else "", node.args[0]
    if not wanted.isascii() or not wanted or not isinstance(text, Field) or has_usual_case(node, other):
        return None
    value = r.node(text)
    kind = COMPARISON_NODES[op]
    letters = number_literal(len(wanted)) if node.op == "lower" else call("LENGTH", value)
    tests = (binary(kind, call(node.op.upper(), value), wanted), binary(kind, call(size, value), letters))
    return and_(*tests) if op == "eq" else or_(*tests)


def _compare_doubles(r: Renderer, op: str, left: Node, right: Node) -> Sql:
    """A comparison of doubles by IEEE 754. Engines order NaN above every number and equal to itself, so
    comparisons with another result get a guard.
    """
    if op == "ne" and left == right and left.type == DOUBLE:  # the test for NaN, which engines hold equal
        return binary(exp.EQ, r.node(left), r.literal(DOUBLE, math.nan))
    guards_right = op in ("lt", "le")
    guarded, other = (right, left) if guards_right else (left, right)

    def ordered(op: str, value: Sql, beside: Sql) -> Sql:
        return binary(COMPARISON_NODES[op], *((beside, value) if guards_right else (value, beside)))

    value, beside = r.node(guarded), r.node(other)
    text, limit = _text_read(guarded), _limit(other)
    if not _needs_guard(r, op, guarded, other):
        return ordered(op, value, beside)
    costly = (_is_long(value) and text is None) or calls(value)
    if costly and limit is not None and op not in EQUALITIES:
        # The engines put NaN above all numbers, negated or not: the opposite comparison needs the value
        # only once.
        return ordered(FLIPPED[op], exp.Neg(this=wrap(value)), r.literal(DOUBLE, -limit))

    def build(value: Sql) -> Sql:
        result = ordered(op, value, beside)
        # Only one string is read as NaN: comparing the string is cheaper than converting it twice.
        is_number = _not_nan(r, guarded, value) if text is None else binary(exp.NEQ, r.node(text), "NaN")
        return _with_guard(r, op, result, is_number, other)

    return r.dialect.let_compared(r, value, build) if text is None else build(value)


def _needs_guard(r: Renderer, op: str, guarded: Node, other: Node) -> bool:
    """Whether NaN would change the result of a comparison."""
    if not r.may_be_nan(guarded) or (op in EQUALITIES and not r.may_be_nan(other)):
        return False
    of_json = isinstance(guarded, Call) and guarded.op == "json_number"
    return r.dialect.documents.has_nan or not of_json


def _text_read(node: Node) -> Node | None:
    """The string that a node converts to a double; None for any other node."""
    reads = isinstance(node, Call) and node.op == "to_double" and node.args[0].type == STRING
    return node.args[0] if reads and isinstance(node, Call) else None


def _limit(node: Node) -> float | None:
    """A constant double, which is not NaN."""
    value = node.value if isinstance(node, Literal) else None
    return value if isinstance(value, float) and not math.isnan(value) else None


def _with_guard(r: Renderer, op: str, result: Sql, is_number: Sql, other: Node) -> Sql:
    """A comparison with a guard: FALSE for NaN (`ne`: TRUE). UNKNOWN beside NULL, also for NaN."""
    if isinstance(other, Literal) and other.value is not None:
        return or_(result, not_(is_number)) if op == "ne" else and_(result, is_number)
    missing = is_null(r.node(other))
    if op == "ne":
        return or_(result, and_(not_(is_number), not_(missing)))
    return and_(result, or_(is_number, missing))


def _is_long(value: Sql) -> bool:
    return isinstance(value, exp.Case | exp.TryCast) or not is_small(value)


def _not_nan(r: Renderer, node: Node, value: Sql) -> Sql:
    """The guard against NaN. Beside a double column a string literal is read as a double."""
    guard = r.dialect.not_nan(value)
    if isinstance(node, Field) and is_full(r, node) and isinstance(guard, exp.NEQ):
        nan = guard.expression
        return binary(exp.NEQ, value, nan.this if isinstance(nan, exp.Cast) else nan)
    return guard


def is_numeric_mix(left: Node, right: Node) -> bool:
    """Whether one of two values is an integer and the other one a double."""
    return (left.type is BIGINT and right.type is DOUBLE) or (left.type is DOUBLE and right.type is BIGINT)


def _compare_mixed(r: Renderer, op: str, left: Node, right: Node) -> Sql:
    """An integer compared with a double. Both are compared as doubles, as in CEL, Spark and PostgreSQL."""
    if left.type == DOUBLE:
        op, left, right = FLIPPED[op], right, left
    if isinstance(right, Literal) and isinstance(right.value, float):
        return _compare_with_double(r, op, left, right.value)
    if isinstance(left, Literal) and isinstance(left.value, int) and abs(left.value) <= 2**53:
        return compare(r, op, Literal(DOUBLE, float(left.value)), right)
    return _compare_doubles(r, op, Call(DOUBLE, "to_double", (left,), left.span), right)


def _compare_with_double(r: Renderer, op: str, left: Node, value: float) -> Sql:
    """`bigint op constant`. The constant becomes an integer with the same result, so an index is used."""
    sql = _compared(r, left)
    if math.isnan(value):
        return case((not_(is_null(sql)), exp.Boolean(this=op == "ne")))
    if abs(value) >= 2**53:  # 2**53 + 1 is rounded to it
        return binary(COMPARISON_NODES[op], cast(sql, "DOUBLE"), r.double(value))
    if op in EQUALITIES and not value.is_integer():
        return case((not_(is_null(sql)), exp.Boolean(this=op == "ne")))
    bound = math.ceil(value) if op in ("lt", "ge") else math.floor(value)
    return binary(COMPARISON_NODES[op], sql, r.literal(BIGINT, bound))


def nan_where(r: Renderer, node: Call) -> Sql | None:
    """ISNAN for `x <> x` in a WHERE, where NULL and FALSE are the same."""
    one, other = node.args
    return call("ISNAN", r.node(one)) if one == other and one.type == DOUBLE else None


def _comparison(op: str) -> Rule:
    return lambda r, node: compare(r, op, *node.args)


RULES: dict[str, Rule] = {op: _comparison(op) for op in COMPARISON_NODES}
