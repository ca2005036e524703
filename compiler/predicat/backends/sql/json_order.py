"""Comparisons in the order of PostgreSQL's jsonb, and lengths of its arrays, in predicates over JSON.

jsonb orders values by their kind, and then by value; JSON null is the least, and so is an empty array. The
core says that in some twenty nodes, PostgreSQL in one operator.
"""

from __future__ import annotations

from predicat.forms.json_values import looked_up
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.operators import JSON_LOOK_UPS, JUNCTIONS, NEGATED
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, STRING, Type

# The kinds of constants, by type, with the operator that reads such a value, and the kinds above.
_KINDS: dict[Type, tuple[str, str, tuple[str, ...]]] = {
    DOUBLE: ("number", "json_number", ("boolean", "array", "object")),
    STRING: ("string", "json_string", ("number", "boolean", "array", "object")),
}
_FALLS = ("lt", "le")


def compared(order: Call) -> Call:
    """What a `json_order` means."""
    base, step, sign, wanted = order.args
    value = looked_up(base, step)
    op = str(sign.value) if isinstance(sign, Literal) else ""
    null = Call(BOOLEAN, "json_null", (base, step))
    return Call(BOOLEAN, "cond", (null, Literal(BOOLEAN, op in _FALLS), _by_value(op, value, wanted)))


def _by_value(op: str, value: Node, wanted: Node) -> Call:
    """The comparison of a value that is not JSON null."""
    own, read, kinds = _KINDS[wanted.type]
    above = {kind: _is(value, kind) for kind in kinds}
    size = Call(BIGINT, "json_size", (value,))
    some = Call(BOOLEAN, "is_true", (Call(BOOLEAN, "gt", (size, Literal(BIGINT, 0))),))
    above["array"] = Call(BOOLEAN, "and", (above["array"], some))
    rest = Call(BOOLEAN, "or", tuple(above.values()))
    beside = Call(BOOLEAN, op, (Call(wanted.type, read, (value,)), wanted))
    otherwise = Call(BOOLEAN, "not", (rest,)) if op in _FALLS else rest
    return Call(BOOLEAN, "cond", (_is(value, own), beside, otherwise))


def _is(value: Node, kind: str) -> Call:
    return Call(BOOLEAN, "json_is", (value, Literal(STRING, kind)))


def order_test(node: Node) -> Call | None:
    """`json_order` for a test that means the same; None for anything else."""
    match node:
        case Call(op="cond", args=(Call(op="json_null"), Literal(), inner)):
            order = _of_value(inner)
            return order if order is not None and node == compared(order) else None
        case _:
            return None


def _of_value(node: Node | None) -> Call | None:
    """The `json_order` of a comparison of a value that is not JSON null."""
    match node:
        case Call(op="not", args=(inner,)) if (order := _of_value(inner)) is not None:
            base, step, sign, wanted = order.args
            other = Literal(STRING, NEGATED[str(sign.value)]) if isinstance(sign, Literal) else sign
            return Call(BOOLEAN, "json_order", (base, step, other, wanted), node.span)
        case Call(
            op="cond",
            args=(_, Call(op=op, args=(Call(args=(Call(op=look_up) as value,)), Literal() as wanted)), _),
        ) if look_up in JSON_LOOK_UPS and wanted.type in _KINDS and node == _by_value(op, value, wanted):
            return Call(BOOLEAN, "json_order", (*value.args, Literal(STRING, op), wanted), node.span)
        case _:
            return None


def order_in_rows(node: Node) -> Node:
    """An AND or OR of a WHERE with `json_order` in place of a comparison and its test for JSON null."""
    if not isinstance(node, Call) or node.op not in JUNCTIONS:
        return node
    for test in node.args:
        null = test if node.op == "or" else _inside(test)
        if not isinstance(null, Call) or null.op != "json_null":
            continue
        for part in node.args:
            order = _of_value(part if node.op == "and" else _unless(null, part))
            if order is not None and compared(order).args[:2] == (null, Literal(BOOLEAN, node.op == "or")):
                rest = tuple(order if one is part else one for one in node.args if one is not test)
                return rest[0] if len(rest) == 1 else order_in_rows(Call(BOOLEAN, node.op, rest, node.span))
    return node


def _inside(test: Node) -> Node | None:
    return test.args[0] if isinstance(test, Call) and test.op == "not" else None


def _unless(null: Node, part: Node) -> Node | None:
    """The other part of an AND with the opposite of a test for JSON null."""
    match part:
        case Call(op="and", args=(test, inner)) if _inside(test) == null:
            return inner
        case _:
            return None


def array_length(node: Node) -> Call | None:
    """`json_length` for the length of a JSON array; None for anything else."""
    match node:
        case Call(
            op="cond",
            args=(
                Call(op="json_is", args=(value, Literal(value="array"))),
                Call(
                    op="coalesce",
                    args=(
                        Call(op="length", args=(Call(op="json_string", args=(text,)),)),
                        Call(op="json_size", args=(array,)),
                    ),
                ),
                Literal(value=None),
            ),
        ) if text == value == array:
            return Call(BIGINT, "json_length", (value,), node.span)
        case _:
            return None


def length(call: Call) -> Call:
    """What a `json_length` means."""
    (value,) = call.args
    size = Call(BIGINT, "json_size", (value,), call.span)
    return Call(BIGINT, "cond", (_is(value, "array"), size, Literal(BIGINT, None)), call.span)
