"""Rewrites for the top level of a filter that rejects UNKNOWN, where FALSE and UNKNOWN are the same."""

from __future__ import annotations

from predicat.forms.total_order import rewrite_parts
from predicat.ir.nodes import Call, Literal, Node, Quantifier
from predicat.ir.operators import CONNECTIVES, JUNCTIONS, NEGATED, NEVER_UNKNOWN
from predicat.ir.surface import NULL_IS_VALUE, TOTAL_ORDER
from predicat.ir.types import BOOLEAN, DOUBLE, JSON


def for_acceptance(node: Node) -> Node:
    """A predicate that is TRUE for the same rows, without needless `is_true`: engines push down more."""
    if isinstance(node, Call) and node.op == "is_true":
        return for_acceptance(node.args[0])
    if isinstance(node, Call) and node.op in JUNCTIONS:
        return Call(node.type, node.op, rewrite_parts(node, for_acceptance), node.span)
    return node


def two_valued(node: Node) -> Node:
    """A predicate that is TRUE for the same rows and never UNKNOWN. `is_true` is around single tests where
    that is possible.
    """
    node = _with_inner_not(node)
    if isinstance(node, Call) and node.op in JUNCTIONS:
        return Call(node.type, node.op, tuple(map(two_valued, node.args)), node.span)
    return node if never_unknown(node) else Call(BOOLEAN, "is_true", (node,), node.span)


def _with_inner_not(node: Node) -> Node:
    """`NOT (a AND b)` as `NOT a OR NOT b`, `NOT a < 1` as `a >= 1`: NOT is around single tests."""
    inner = node.args[0] if isinstance(node, Call) and node.op == "not" else None
    if not isinstance(inner, Call) or never_unknown(inner):
        return node
    if inner.op == "not":
        return _with_inner_not(inner.args[0])
    # NaN is neither less nor greater in some languages, and JSON values are compared with their kind.
    if inner.op in NEGATED and not any(arg.type in (DOUBLE, JSON) for arg in inner.args):
        return Call(inner.type, NEGATED[inner.op], inner.args, node.span)
    if inner.op in JUNCTIONS:
        other = "or" if inner.op == "and" else "and"
        return Call(
            node.type, other, tuple(Call(arg.type, "not", (arg,), arg.span) for arg in inner.args), node.span
        )
    return node


def decided_once(node: Node) -> Node:
    """A predicate with the same outcome on every row, and one `is_true` around AND and OR instead of one per
    part: `(a AND b) IS TRUE` for `a IS TRUE AND b IS TRUE`.
    """
    if not isinstance(node, Call) or node.op not in CONNECTIVES:
        return node
    args = tuple(map(decided_once, node.args))
    decisions = [arg for arg in args if isinstance(arg, Call) and arg.op == "is_true"]
    if node.op == "not" or len(decisions) < 2:
        return Call(node.type, node.op, args, node.span)
    inner = Call(node.type, node.op, tuple(arg.args[0] for arg in decisions), node.span)
    whole = Call(BOOLEAN, "is_true", (inner,), node.span)
    if len(decisions) == len(args):
        return whole
    first = args.index(decisions[0])
    rest = [arg for arg in args if arg not in decisions]
    return Call(node.type, node.op, (*rest[:first], whole, *rest[first:]), node.span)


def never_unknown(node: Node) -> bool:
    """Whether a predicate is TRUE or FALSE on every row."""
    if isinstance(node, Call) and node.op in (*CONNECTIVES, TOTAL_ORDER):
        return all(never_unknown(arg) for arg in node.args)
    if isinstance(node, Literal):
        return node.type == BOOLEAN and node.value is not None
    if isinstance(node, Quantifier):
        values = isinstance(node.source, Call) and node.source.op == "json_values"
        return values and node.kind in ("any", "all") and never_unknown(node.body)
    if isinstance(node, Call) and node.op == NULL_IS_VALUE:
        return len(node.args) == 1
    return isinstance(node, Call) and node.op in NEVER_UNKNOWN and node.type == BOOLEAN
