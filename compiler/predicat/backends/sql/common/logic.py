"""AND, OR, NOT, `if` and IN: the rules that all dialects share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeGuard

from sqlglot import exp

from predicat.analysis.facts import may_be_nan
from predicat.backends.sql.builders import (
    COMPARISON_NODES,
    Sql,
    and_,
    between,
    binary,
    call,
    case,
    comparison_operand,
    is_null,
    is_true,
    not_,
    number_literal,
    or_,
    wrap,
)
from predicat.backends.sql.common.comparisons import compare, is_numeric_mix, tested
from predicat.backends.sql.common.texts import INT32_MAX
from predicat.backends.sql.common_subexpressions import is_nameable, with_names
from predicat.backends.sql.json_rewrites import ONLY_IN_SQL
from predicat.backends.sql.renderer import Renderer, Rule, constant
from predicat.backends.sql.rules import NotSupported
from predicat.diagnostics.messages import backends as say
from predicat.forms.conversions import convert
from predicat.forms.total_order import bare_comparison, with_nan_tests
from predicat.ir.column_forms import of_field
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Quantifier, Variable, walk
from predicat.ir.operators import JUNCTIONS, STRICT
from predicat.ir.surface import CONVERSIONS
from predicat.ir.types import BIGINT, BOOLEAN, DATE, DOUBLE, JSON, STRING, TIMESTAMP
from predicat.rewrite.acceptance import never_unknown
from predicat.rewrite.idioms import nullif


def _and(r: Renderer, node: Call) -> Sql:
    """AND. A long expression that several operands compare with constants (a range) is computed once."""
    compared = [
        arg.args[0]
        for arg in node.args
        if isinstance(arg, Call) and arg.op in COMPARISON_NODES and isinstance(arg.args[1], Literal)
    ]
    again = next((part for part in compared if _is_costly(part) and compared.count(part) > 1), None)
    if again is None:
        return and_(*conjuncts(r, node, lambda part: [r.node(part)]))
    return r.let_node(again, lambda name: _and(r, _named_in(r, node, again, name)))


def conjuncts(r: Renderer, node: Call, render: Callable[[Node], list[Sql]]) -> list[Sql]:
    """The parts of an AND. Two consecutive bounds of one value become a BETWEEN. Beside an upper bound a
    lower bound needs no guard: the upper bound excludes NaN.
    """
    if not r.rewritings.between:
        return [sql for part in node.args for sql in render(part)]
    result: list[Sql] = []
    parts = list(node.args)
    numbers = {part.args[0] for part in parts if _is_false_for_nan(part)}
    while parts:
        part = parts.pop(0)
        bounds = _bounds(_lower_bound(part), parts[0]) if parts else None
        if bounds is None:
            plain = _without_guard(r, part, numbers) if numbers else None
            result += render(part) if plain is None else [plain]
            continue
        parts.pop(0)
        low, high = bounds
        value = r.node(low.args[0])
        if low.op == "ge" and high.op == "le":
            result.append(between(value, r.node(low.args[1]), r.node(high.args[1])))
        else:
            result += [
                binary(COMPARISON_NODES[bound.op], value, r.node(bound.args[1])) for bound in (low, high)
            ]
    return result


def _is_false_for_nan(node: Node) -> TypeGuard[Call]:
    """Whether a comparison of a column with a constant is FALSE if the column is NaN, also for engines."""
    match node:
        case Call(op="lt" | "le" | "eq", args=(Field(type=kind), Literal(value=float() as value))):
            return kind == DOUBLE and not math.isnan(value)
        case _:
            return False


def _without_guard(r: Renderer, node: Node, numbers: set[Node]) -> Sql | None:
    """A lower bound of a column without its guard, if NaN cannot occur in the rows that count; None for other
    nodes.
    """
    if not isinstance(node, Call) or node.op not in ("gt", "ge") or node.args[0] not in numbers:
        return None
    other = node.args[1]
    if not isinstance(other, Literal | Field) or other.type != DOUBLE or r.parameterize:
        return None
    return binary(COMPARISON_NODES[node.op], r.node(node.args[0]), r.node(other))


def _lower_bound(node: Node) -> Node:
    """A lower bound without its test for NaN: beside an upper bound NaN does not matter."""
    return bare_comparison(node) or node


def _bounds(one: Node, other: Node) -> tuple[Call, Call] | None:
    """A lower and an upper bound of one column, by constants of its type."""
    if not (isinstance(one, Call) and isinstance(other, Call)):
        return None
    if one.op not in ("gt", "ge") or other.op not in ("lt", "le") or one.args[0] != other.args[0]:
        return None
    value, *limits = one.args[0], one.args[1], other.args[1]
    if not isinstance(value, Field) or value.type not in _BETWEEN or of_field(value):
        return None
    usual = all(isinstance(limit, Literal) and limit.type == value.type for limit in limits)
    known = all(isinstance(limit, Literal) and limit.value is not None for limit in limits)
    return (one, other) if usual and known and not any(map(may_be_nan, limits)) else None


# Types whose bounds need no collation.
_BETWEEN = (BIGINT, DOUBLE, DATE, TIMESTAMP)


def _named_in(r: Renderer, node: Call, part: Node, name: Node) -> Call:
    return (
        with_names(node, {r.numbering.number(part): name.name}, r.numbering)
        if isinstance(name, Variable)
        else node
    )


def _is_costly(node: Node) -> bool:
    """Whether the SQL of a node is much longer than a name for it."""
    return (
        isinstance(node, Call)
        and is_nameable(node)
        and any(isinstance(part, Call) and part.op in CONVERSIONS.values() for part in walk(node))
    )


def _or(r: Renderer, node: Call) -> Sql:
    return or_(*disjuncts(r, node, r.node))


def disjuncts(
    r: Renderer,
    node: Call,
    render: Callable[[Node], Sql],
    finish: Callable[[Node, Sql], Sql] = lambda _, sql: sql,
) -> list[Sql]:
    """The parts of an OR. Two of them that are a comparison in the engine's own order are that comparison,
    as `finish` makes it.
    """
    args = [part for arg in node.args for part in (arg.args if _is_or(arg) else (arg,))]
    pairs = with_nan_tests(args) if r.rewritings.total_order else [(arg,) for arg in args]
    return [finish(first, _as_engine(r, first)) if rest else render(first) for first, *rest in pairs]


def _is_or(node: Node) -> TypeGuard[Call]:
    return isinstance(node, Call) and node.op == "or"


def _as_engine(r: Renderer, node: Node) -> Sql:
    """A comparison of doubles in the total order."""
    assert isinstance(node, Call)  # noqa: S101  # the first part of what `with_nan_tests` has put together
    left, right = (arg if arg.type == DOUBLE else convert(arg, DOUBLE) for arg in node.args)
    one, other = r.node(left), r.node(right)
    if node.op == "same":
        return exp.NullSafeEQ(this=wrap(one), expression=wrap(other))
    return binary(COMPARISON_NODES[node.op], one, other)


def _not(r: Renderer, node: Call) -> Sql:
    return not_(r.node(node.args[0]))


def _is_null(r: Renderer, node: Call) -> Sql:
    (arg,) = node.args
    return is_null(r.dialect.documents.text(r, arg) if arg.type == JSON else r.node(arg))


def _cond(r: Renderer, node: Call) -> Sql:
    """IF, which is UNKNOWN if its condition is. A CASE would take its ELSE, so the condition is tested for
    both TRUE and FALSE, unless it is never UNKNOWN.
    """
    test, yes, no = node.args
    if isinstance(yes, Literal) and yes.value is None:
        if (sql := nullif(node)) is not None and _is_as_engines(*sql):
            return call("NULLIF", *map(r.node, sql))
        return case((not_(r.node(test)), r.node(no)))
    if isinstance(no, Literal) and no.value is None:
        return case((_test_for_branch(r, no, test), r.node(yes)))
    if never_unknown(test) or _null_with_kind(no, test):
        default = r.node(no)
        if isinstance(default, exp.Case) and default.this is None:  # one CASE instead of one in the other
            first = exp.If(this=_test_for_branch(r, no, test), true=r.node(yes))
            return exp.Case(ifs=[first, *default.args["ifs"]], default=default.args.get("default"))
        return case((_test_for_branch(r, no, test), r.node(yes)), default=default)
    branches = [
        exp.If(this=exp.Boolean(this=value), true=r.node(part)) for value, part in ((True, yes), (False, no))
    ]
    return exp.Case(this=r.node(test), ifs=branches)


def _is_as_engines(value: Node, other: Node) -> bool:
    """Whether the engines' NULLIF compares two values in the same way as the core."""
    plain = value.type == other.type and value.type in (BIGINT, STRING, DATE, TIMESTAMP, DOUBLE)
    return plain and not (may_be_nan(value) and may_be_nan(other))


def _test_for_branch(r: Renderer, otherwise: Node, test: Node) -> Sql:
    """The condition of a CASE. If the ELSE is NULL whenever the condition is UNKNOWN, a test of the kind of a
    JSON value need not distinguish UNKNOWN from FALSE.
    """
    if isinstance(test, Call) and test.op == "is_true":
        return r.node(test.args[0])
    absent = isinstance(otherwise, Literal) and otherwise.value is None
    if isinstance(test, Call) and test.op == "json_is" and (absent or _null_with_kind(otherwise, test)):
        json = r.dialect.documents
        return json.is_kind(json.kind(r, test.args[0]), constant(test.args[1]))
    return r.node(test)


def _null_with_kind(node: Node, test: Node) -> bool:
    """Whether a node is UNKNOWN whenever a test of the kind of a JSON value is."""
    return isinstance(test, Call) and test.op == "json_is" and _null_with(node, test.args[0])


def _null_with(node: Node, value: Node) -> bool:
    """Whether a node is UNKNOWN whenever another one is."""
    if node == value:
        return True
    if not isinstance(node, Call):
        return isinstance(node, Quantifier) and _null_with(node.source, value)
    if node.op == "cond":
        return _null_with(node.args[0], value) or all(_null_with(arg, value) for arg in node.args[1:])
    if node.op in JUNCTIONS:
        return all(_null_with(arg, value) for arg in node.args)
    return (node.op in ONLY_IN_SQL or node.op in STRICT) and any(_null_with(arg, value) for arg in node.args)


def _in(r: Renderer, node: Call) -> Sql:
    left, right = node.args
    if not isinstance(right, Items):
        return r.dialect.in_array(r, node)
    sql = tested(r, left, *right.items)
    if not right.items:
        return case((not_(is_null(sql)), False))
    if any(is_numeric_mix(left, item) or r.may_be_nan(item) for item in right.items):
        return or_(*(compare(r, "eq", left, item) for item in right.items))
    return exp.In(this=comparison_operand(sql), expressions=[r.node(item) for item in right.items])


def _same(r: Renderer, node: Call) -> Sql:
    """IS NOT DISTINCT FROM. On engines NaN equals itself, and an integer the double that it is rounded to."""
    left, right = node.args
    if DOUBLE in (left.type, right.type) and (
        left.type != right.type or not any(isinstance(arg, Literal) for arg in node.args)
    ):
        absent = Call(
            BOOLEAN, "and", tuple(Call(BOOLEAN, "is_null", (arg,), node.span) for arg in node.args), node.span
        )
        equal = Call(BOOLEAN, "is_true", (Call(BOOLEAN, "eq", node.args, node.span),), node.span)
        return r.node(Call(BOOLEAN, "or", (absent, equal), node.span))
    return exp.NullSafeEQ(this=wrap(r.node(node.args[0])), expression=wrap(r.node(node.args[1])))


def _extreme(name: str) -> Rule:
    """GREATEST or LEAST, which ignore NULL on every engine. The first argument has the collation."""

    def rule(r: Renderer, node: Call) -> Sql:
        first, *others = r.args(node)
        if node.type == STRING and r.dialect.collated is not None:
            first = r.dialect.collated(r, node.args)
        return call(name, first, *others)

    return rule


def _coalesce(r: Renderer, node: Call) -> Sql:
    """COALESCE. A part of a split string, or else the empty string, is SPLIT_PART on all engines."""
    match node.args:
        case (
            Call(
                op="index",
                args=(
                    Call(op="split", args=(text, Literal(value=str() as by) as separator)),
                    Literal(value=int() as place),
                ),
            ),
            Call(op="substr", args=(same, Literal(value=1), Literal(value=0))),
        ) if text == same and by and 0 <= place < INT32_MAX:
            number = number_literal(place + 1)
            return call("SPLIT_PART", r.node(text), r.node(separator), number)
        case _:
            return call("COALESCE", *r.args(node))


RULES: dict[str, Rule | NotSupported] = {
    "and": _and,
    "or": _or,
    "not": _not,
    "is_true": lambda r, node: is_true(r.node(node.args[0])),
    "is_null": _is_null,
    "cond": _cond,
    "coalesce": _coalesce,
    "greatest": _extreme("GREATEST"),
    "least": _extreme("LEAST"),
    "dyn": lambda r, node: r.node(node.args[0]),
    "entry_filter": NotSupported(say.RUNS_AS_PYTHON, say.RUN_ENTRY_FILTER),
    "same": _same,
    "in": _in,
}
