"""The way back from what the check makes of operators on JSON values to these operators, for writers of
languages that have them.
"""

from __future__ import annotations

from collections.abc import Callable

from predicat.ir.nodes import Call, Literal, Node, Quantifier, Variable, rewrite_children, walk
from predicat.ir.ops import COMPARISONS, JSON_READS, OF_INTEGERS
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, JSON, STRING, TIMESTAMP, Type
from predicat.passes import constants, documents, overflow


def as_written(node: Node) -> Node:
    """The node with what stands for operators on JSON values as these operators; it is not typed any more."""
    if isinstance(node, Call):
        for rule in _RULES:
            found = rule(node)
            if found is not None:
                return as_written(found)
    return rewrite_children(node, as_written)


def _equal(node: Call) -> Node | None:
    return Call(BOOLEAN, "eq", node.args, node.span) if node.op == "json_eq" else None


def _one(node: Call) -> Node | None:
    """The bracket, size, conversion or comparison that the choice by the kind of a value stands for."""
    first = node.args[0] if node.op == "coalesce" else None
    if not isinstance(first, Call):
        return None
    reads = [part.args[0] for part in walk(first) if isinstance(part, Call) and part.op in JSON_READS]
    span = node.span
    candidates: list[tuple[Node, Node]] = []
    if first.op == "json_get" and len(reads) == 1:
        candidates.append(
            (
                documents.element(first.args[0], reads[0], span),
                Call(JSON, "json_get", (first.args[0], reads[0]), span),
            )
        )
    if len(reads) == 1 and node.type in _CASTS:
        op = _CASTS[node.type]
        converted = documents.conversion(reads[0], node.type, lambda part: _cast(op, node.type, part), span)
        candidates.append((documents.size(reads[0], span), Call(BIGINT, "json_size", (reads[0],), span)))
        candidates.append((converted, Call(node.type, op, (reads[0],), span)))
    if len(reads) == 2 and first.op in COMPARISONS:
        left, right = reads
        candidates.append(
            (documents.pair(first.op, left, right, span), Call(BOOLEAN, first.op, (left, right), span))
        )
    return next((written for lowered, written in candidates if lowered == node), None)


def _cast(op: str, kind: Type, part: Node) -> Node:
    """A conversion as the check makes it."""
    found = Call(kind, op, (part,), part.span)
    return (
        part
        if part.type == kind
        else overflow.whole(found)
        if op == "to_int" and part.type == DOUBLE
        else found
    )


def _member(node: Call) -> Node | None:
    """`key in object`, which is also that of an element in an array."""
    match node:
        case Call(op="cond", args=(kind, there, Quantifier(kind="any", source=base) as member)):
            pass
        case _:
            return None
    if kind != documents.is_kind(base, "object", node.span):
        return None
    keys = [
        part.args[1]
        for part in walk(there)
        if isinstance(part, Call) and part.op == "json_get" and part.args[0] == base
    ]
    key = (
        keys[0].args[0]
        if keys and isinstance(keys[0], Call) and keys[0].op == "json_string"
        else keys[0]
        if keys
        else None
    )
    if key is None or documents.is_key(key, base, node.span) != there or key not in walk(member.body):
        return None
    return Call(BOOLEAN, "in", (key, base), node.span)


def _guarded(node: Call) -> Node | None:
    """An operator that is UNKNOWN where an operand is, which languages have without a test: `x == y`, `key
    in map`.
    """
    match node:
        case Call(op="cond", args=(test, Literal(value=None), Call() as found)):
            pass
        case _:
            return None
    absent = constants.asked_absent(test)
    if not absent:
        return None
    match found:
        case Call(op="and", args=(Call(op="json_is", args=(value, _)), Call(op="eq") as equal)):
            return found if value in walk(equal) and all(part in equal.args for part in absent) else None
        case Call(op="not", args=(Call(op="is_null", args=(Call(op="get", args=(base, key)),)),)):
            fits = all(part in (base, _read(key)) for part in absent)
            return Call(BOOLEAN, "in", (_read(key), base), node.span) if fits else None
        case _:
            return None


def _read(node: Node) -> Node:
    """The JSON value that is read as a text, a number or a truth value."""
    return node.args[0] if isinstance(node, Call) and node.op in JSON_READS else node


def _whole(node: Call) -> Node | None:
    """Arithmetic on whole numbers, one of which is one anyway, or that takes no others."""
    if node.op not in OF_INTEGERS:
        return None
    whole = [isinstance(arg, Call) and arg.op == "to_whole" for arg in node.args]
    if not any(whole) or (all(whole) and node.op != "mod"):
        return None
    args = tuple(
        _total(arg.args[0]) if isinstance(arg, Call) and arg.op == "to_whole" else arg for arg in node.args
    )
    return Call(node.type, node.op, args, node.span)


def _total(node: Node) -> Node:
    """A sum of JSON values where only numbers are of use: + of any two."""
    if not isinstance(node, Call) or node.op != "add":
        return node
    return Call(JSON, "add", tuple(map(_total, node.args)), node.span)


def _listed(node: Call) -> Node | None:
    """A function of the numbers or texts of a JSON array."""
    if node.op == "coalesce" and len(node.args) == 2:
        number, found = node.args
        items = _listed(found) if isinstance(found, Call) else None
        return (
            items if isinstance(items, Call) and number == Call(DOUBLE, "json_number", items.args) else None
        )
    items = node.args[0] if node.op in ("join", "sum", "array_max", "array_min") else None
    match items:
        case Quantifier(kind="map", variable=name, body=Call(op=op, args=(Variable(name=read), *_))) if (
            op in JSON_READS and read == name
        ):
            whole = items.source.type == JSON
            return Call(node.type, node.op, (items.source, *node.args[1:]), node.span) if whole else None
        case _:
            return None


_CASTS: dict[Type, str] = {
    BIGINT: "to_int",
    DOUBLE: "to_double",
    BOOLEAN: "to_boolean",
    STRING: "to_string",
    TIMESTAMP: "to_timestamp",
}
_RULES: tuple[Callable[[Call], Node | None], ...] = (_equal, _one, _member, _guarded, _whole, _listed)
