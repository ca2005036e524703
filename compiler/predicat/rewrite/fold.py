"""Constant folding: a call with constant arguments becomes its value, as the reference evaluator computes
it.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from predicat.forms.logic import asked_absent
from predicat.forms.rounding import rounded_to_int
from predicat.forms.text_casts import of_text
from predicat.ir.nodes import FALSE, LEAVES, TRUE, Call, Items, Literal, Node, rewrite_children
from predicat.ir.operators import JSON_READS, OPS, STRICT, STRICT_IN_FIRST
from predicat.ir.surface import CHECKED_MOD, CHECKED_TO_INT, HALF_EVEN, HALF_UP, TEXT_CASTS, UNKNOWN_IF
from predicat.ir.types import BOOLEAN, JSON, DecimalType, Scalar
from predicat.ir.values import INT_MIN
from predicat.rewrite.acceptance import never_unknown
from predicat.semantics.evaluate import compile_node


def fold(node: Node) -> Node:
    """The predicate with its constant parts computed, and without constant operands of AND and OR."""
    if isinstance(node, LEAVES):
        return node
    node = rewrite_children(node, fold)
    if not isinstance(node, Call):
        return node
    rule = _RULES.get(node.op)
    return _computed(node) if rule is None else rule(node)


def _computed(node: Call) -> Node:
    if not isinstance(node.type, Scalar | DecimalType):
        return node
    constants = [arg for arg in node.args if _is_constant(arg)]
    if node.op in STRICT and any(isinstance(arg, Literal) and arg.value is None for arg in constants):
        return Literal(node.type, None, node.span)
    if constants and len(constants) == len(node.args) and node.type != JSON and node.op in OPS:
        return Literal(node.type, compile_node(node)({}), node.span)
    return node


def _unknown_if(node: Call) -> Node:
    """`unknown_if` without the tests that are FALSE for every row."""
    value, *tests = node.args
    kept = [test for test in tests if test != FALSE]
    if TRUE in kept:
        return Literal(node.type, None, node.span)
    return replace(node, args=(value, *kept)) if kept else value


def _cast_of_text(node: Call) -> Node:
    text = node.args[0]
    return fold(of_text(text, node.type, node.span)) if isinstance(text, Literal) else node


def _rounded(node: Call) -> Node:
    number = node.args[0]
    if not isinstance(number, Literal):
        return node
    return fold(rounded_to_int(number, node.span, half_even=node.op == HALF_EVEN))


def _dyn(node: Call) -> Node:
    return node.args[0]


def _is_true(node: Call) -> Node:
    return node.args[0] if never_unknown(node.args[0]) else _computed(node)


def _cond(node: Call) -> Node:
    if not isinstance(node.args[0], Literal):
        return _forced(node) or _computed(node)
    test = node.args[0].value
    return Literal(node.type, None, node.span) if test is None else node.args[1 if test else 2]


def _forced(node: Call) -> Node | None:
    """The value of a choice with a needless guard: the value is NULL anyway if the guard is FALSE, because a
    part of it is missing, or is a JSON value of another kind.
    """
    test, yes, no = node.args
    if (
        isinstance(yes, Literal)
        and yes.value is None
        and (absent := asked_absent(test))
        and all(_strict_in(no, part) for part in absent)
    ):
        return no  # it is UNKNOWN anyway where one of these is
    tests = test.args if isinstance(test, Call) and test.op == "and" else (test,)
    kinds = [
        (part.args[0], part.args[1].value)
        for part in tests
        if isinstance(part, Call) and part.op == "json_is" and isinstance(part.args[1], Literal)
    ]
    if len(kinds) < len(tests):
        return None
    if (
        isinstance(yes, Literal)
        and yes.value is None
        and any(_reads(no, value, but=kind) for value, kind in kinds)
    ):
        return no
    forced = (
        isinstance(no, Literal)
        and no.value is None
        and all(_reads(yes, value, only=kind) for value, kind in kinds)
    )
    return yes if forced else None


def _strict_in(node: Node, part: Node) -> bool:
    """Whether a node is NULL if this part of it is."""
    if node == part:
        return True
    if not isinstance(node, Call):
        return False
    args = node.args if node.op in STRICT else node.args[:1] if node.op in STRICT_IN_FIRST else ()
    return any(_strict_in(arg, part) for arg in args)


def _reads(node: Node, value: Node, *, only: object = None, but: object = None) -> bool:
    """Whether a node is NULL unless a JSON value is of the kind `only`, or NULL if it is of a kind other
    than `but`.
    """
    if not isinstance(node, Call) or node.op not in STRICT:
        return False
    kind = JSON_READS.get(node.op)
    if kind is not None and node.args[0] == value:
        return kind == only if only is not None else kind != but
    return any(_reads(arg, value, only=only, but=but) for arg in node.args)


def _coalesce(node: Call) -> Node:
    """Drop NULL constants, and all arguments after a constant that is not NULL."""
    kept: list[Node] = []
    for arg in node.args:
        if not (isinstance(arg, Literal) and arg.value is None):
            kept.append(arg)
        if isinstance(arg, Literal) and arg.value is not None:
            break
    if not kept:
        return Literal(node.type, None, node.span)
    if len(kept) == 1:
        return kept[0]
    return (
        node if len(kept) == len(node.args) and tuple(kept) == node.args else replace(node, args=tuple(kept))
    )


def _checked(node: Call) -> Node:
    """The plain operators for CEL's checked ones on whole numbers, if a constant rules out an overflow."""
    op, position, overflowing = _OVERFLOWS[node.op]
    last = node.args[position]
    if not isinstance(last, Literal) or last.value == overflowing:
        return node
    return _computed(Call(node.type, op, node.args, node.span))


_OVERFLOWS = {CHECKED_MOD: ("mod", 1, -1), CHECKED_TO_INT: ("to_int", 0, float(INT_MIN))}


def _is_constant(node: Node) -> bool:
    return isinstance(node, Literal) or (
        isinstance(node, Items) and all(isinstance(item, Literal) for item in node.items)
    )


def _connective(node: Call) -> Node:
    """AND or OR, flattened and without neutral operands; the absorbing operand if there is one."""
    absorbing = node.op == "or"
    kept: list[Node] = []
    for arg in node.args:
        parts = arg.args if isinstance(arg, Call) and arg.op == node.op else (arg,)
        for part in parts:
            if isinstance(part, Literal) and part.value is absorbing:
                return Literal(BOOLEAN, absorbing, node.span)
            if not (isinstance(part, Literal) and part.value is (not absorbing)) and part not in kept:
                kept.append(part)
    if not kept:
        return Literal(BOOLEAN, not absorbing, node.span)
    if len(kept) == 1:
        return kept[0]
    return (
        node if len(kept) == len(node.args) and tuple(kept) == node.args else replace(node, args=tuple(kept))
    )


def _code(node: Call) -> Node:
    """A call of Python code is not folded, even if its arguments are constants: it runs once per row."""
    return node


# The operators that are more than computed.
_RULES: dict[str, Callable[[Call], Node]] = {
    "entry_filter": _code,
    "dyn": _dyn,
    "is_true": _is_true,
    "cond": _cond,
    "and": _connective,
    "or": _connective,
    "coalesce": _coalesce,
    **dict.fromkeys(TEXT_CASTS.values(), _cast_of_text),
    **dict.fromkeys((HALF_EVEN, HALF_UP), _rounded),
    UNKNOWN_IF: _unknown_if,
    CHECKED_MOD: _checked,
    CHECKED_TO_INT: _checked,
}
