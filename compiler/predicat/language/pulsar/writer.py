"""Writes the Pulsar Expr (JSON form of the protobuf), and the same predicates as `pip` data."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from predicat.diagnostics.messages import backends as say
from predicat.ir.nodes import Call, Node
from predicat.ir.operators import JUNCTIONS
from predicat.language.common.key_tests import KeyTest, negated, refuse, test_of, without_conversions
from predicat.language.pulsar.spelling import COMPARISONS, CONVERSIONS, IN, NEGATIONS, REFS, TEXTS

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OPERATORS = {**COMPARISONS, **IN, **TEXTS}
_PYTHON = {"LONG": int, "DOUBLE": float}


def write(node: Node) -> str:
    """The Expr as JSON. Raises Unsupported."""
    return json.dumps(_expr(tree(without_conversions(node))), ensure_ascii=False)


def write_text(node: Node) -> str:
    """The Expr in protobuf's text format. Raises Unsupported."""
    from google.protobuf import text_format  # noqa: PLC0415  # only for this format

    return str(text_format.MessageToString(message(node), as_utf8=True)).strip()


def write_binary(node: Node) -> str:
    """The Expr in base64. Raises Unsupported."""
    return base64.b64encode(message(node).SerializeToString()).decode()


def write_pip(node: Node) -> str:
    """The predicates as YAML data (JSON). Raises Unsupported."""
    return json.dumps(tree(without_conversions(node)), ensure_ascii=False)


def message(node: Node) -> Any:
    """The Expr message."""
    return expr_message(tree(without_conversions(node)))


def expr_message(data: dict[str, Any]) -> Any:
    """The Expr message of `pip` data."""
    from google.protobuf import json_format  # noqa: PLC0415  # only for this language

    from predicat.language.pulsar import proto  # noqa: PLC0415  # as above

    message = proto.messages()["Expr"]()
    json_format.ParseDict(_expr(data), message, max_recursion_depth=400)
    return message


def tree(node: Node) -> dict[str, Any]:
    """A node as the data of a `pip` body."""
    inner = negated(node)
    if inner is not None:
        expr = tree(inner)
        if "op" in expr and expr["op"] in NEGATIONS:
            return {**expr, "op": NEGATIONS[expr["op"]]}
        return {"not": expr}
    if isinstance(node, Call) and node.op in JUNCTIONS:
        parts = [tree(arg) for arg in node.args]
        return (_any_of(parts) if node.op == "or" else None) or {node.op: parts}
    test = test_of(node)
    if test is None:
        raise refuse("pulsar", node, say.PULSAR_COMPARES)
    return _leaf(test)


def _any_of(parts: list[dict[str, Any]]) -> dict[str, Any] | None:
    """One CONTAINS_ANY for several CONTAINS of one property; None for other parts."""
    if (
        all(part.get("op") == "CONTAINS" for part in parts)
        and len({part.get("property") for part in parts}) == 1
    ):
        return {
            "property": parts[0]["property"],
            "op": "CONTAINS_ANY",
            "values": [part["value"] for part in parts],
        }
    return None


def _leaf(test: KeyTest) -> dict[str, Any]:
    operator = _OPERATORS.get(test.op)
    values = [_milliseconds(test, value) if isinstance(value, datetime) else value for value in test.values]
    kinds = {type(value) for value in values}
    wanted = _PYTHON.get(CONVERSIONS.get(test.convert, ""))
    is_ref = test.of_row and test.key in REFS
    if operator is None or len(kinds) != 1 or kinds & {bool} or (test.op in TEXTS and test.convert):
        raise refuse("pulsar", test.node, say.PULSAR_HAS_NO_OPERATOR)
    if wanted is not None and kinds != {wanted}:
        raise refuse("pulsar", test.node, say.PULSAR_CONVERSION)
    if is_ref and kinds != {int}:
        raise refuse("pulsar", test.node, say.a_number_of_milliseconds(test.key))
    if not is_ref and kinds != {str} and wanted is None:
        raise refuse("pulsar", test.node, say.PROPERTY_IS_A_TEXT)
    target = {"ref": test.key} if is_ref else {"property": test.key}
    return (
        {**target, "op": operator, "values": values}
        if test.op == "in"
        else {**target, "op": operator, "value": values[0]}
    )


def _milliseconds(test: KeyTest, value: datetime) -> int:
    milliseconds, rest = divmod(value - _EPOCH, timedelta(milliseconds=1))
    if rest:
        raise refuse("pulsar", test.node, say.finer_than_milliseconds(test.key))
    return milliseconds


def _expr(part: dict[str, Any]) -> dict[str, Any]:
    """`pip` data as an Expr, whose AND and OR have two operands each."""
    if "not" in part:
        return {"tp": "NOT", "op1": _expr(part["not"])}
    for key in ("and", "or"):
        if key in part:
            *rest, last = [_expr(one) for one in part[key]]
            expr = last
            for one in reversed(rest):
                expr = {"tp": key.upper(), "op1": one, "op2": expr}
            return expr
    values = part["values"] if "values" in part else [part["value"]]
    kind = {int: "LONG", float: "DOUBLE"}.get(type(values[0]), "STRING")
    target = {"ref": part["ref"].upper()} if "ref" in part else {"ref": "PROPERTY", "name": part["property"]}
    texts = [repr(value) if isinstance(value, float) else str(value) for value in values]
    return {"tp": "PREDICATE", "predicate": {**target, "op": part["op"], "values": texts, "ty": kind}}
