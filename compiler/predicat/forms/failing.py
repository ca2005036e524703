"""AND and OR of languages in which an error ends the evaluation: the left side comes first (CloudEvents SQL).

Kleene's `a OR b` is TRUE if b is, even where a is UNKNOWN. In such a language the error of a rejects the
message, so it is `a OR (NOT a AND b)`: the same with Kleene's operators.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from predicat.diagnostics import Span
from predicat.ir.nodes import Call, Field, Items, Literal, Node, children
from predicat.ir.operators import BY_KEY, COMPARISONS, CONNECTIVES, JUNCTIONS, NEVER_UNKNOWN
from predicat.ir.surface import CHECKED_TO_INT
from predicat.ir.types import BOOLEAN, JSON
from predicat.semantics.like import PATTERNS

# The attributes that every event has.
EVERY_EVENT = ("id", "source", "specversion", "type")
# Operators that have a value if their operands have one.
_TOTAL = frozenset(
    {*COMPARISONS, *PATTERNS, *CONNECTIVES, "in", "lower", "upper", "length", "concat", "strip"}
)
# The same, for a scalar in JSON.
_OF_SCALARS = frozenset({"json_is", "json_string", "json_number", "json_boolean", "to_string", "cond"})


def read_keys(node: Node, always: Collection[str] = ()) -> frozenset[str] | None:
    """The keys without which a node may be UNKNOWN; None if it may be UNKNOWN for another reason.

    `always`: the keys that every message has.
    """
    if isinstance(node, Literal):
        return None if node.value is None else frozenset()
    key = _key(node)
    if key is not None:
        return frozenset() if key in always else frozenset({key})
    if isinstance(node, Call) and node.op in NEVER_UNKNOWN and node.op not in CONNECTIVES:
        return frozenset()
    if not isinstance(node, Items) and not _is_total(node):
        return None
    keys: frozenset[str] = frozenset()
    tested: set[str] = set()
    for part in _read(node):
        more = read_keys(part, always)
        if more is None:
            return None
        keys |= more - tested
        if isinstance(node, Call) and node.op == "and" and (there := _present(part)) is not None:
            tested.add(there)
    return keys


def _is_total(node: Node) -> bool:
    """Whether a node has a value if its operands have one."""
    if not isinstance(node, Call):
        return False
    if node.op in ("to_int", CHECKED_TO_INT):  # of a number in JSON: an attribute has 32 bits
        return isinstance(node.args[0], Call) and node.args[0].op == "json_number"
    return node.op in _OF_SCALARS or (node.op in _TOTAL and all(arg.type != JSON for arg in node.args))


def _read(node: Node) -> Sequence[Node]:
    """The operands. The last way of a choice by the kind of a JSON value is for what is no scalar."""
    parts = tuple(children(node))
    return parts[:-1] if isinstance(node, Call) and node.op == "cond" and _is_nothing(parts[-1]) else parts


def _is_nothing(node: Node) -> bool:
    return isinstance(node, Literal) and node.value is None


def _present(node: Node) -> str | None:
    """The key that a node tests for presence."""
    absent = node.args[0] if isinstance(node, Call) and node.op == "not" else None
    return _key(absent.args[0]) if isinstance(absent, Call) and absent.op == "is_null" else None


def _first_keys(node: Node, always: Collection[str] = ()) -> frozenset[str]:
    """Keys without which a node is UNKNOWN. Of AND and OR only the first operand is surely evaluated."""
    while isinstance(node, Call) and node.op in CONNECTIVES:
        node = node.args[0]
    return read_keys(node, always) or frozenset()


def agrees(parts: Sequence[Node], always: Collection[str] = ()) -> bool:
    """Whether AND or OR of the parts is the same from the left: where a part is UNKNOWN, so are the later."""
    later = _first_keys(parts[-1], always)
    for part in parts[-2::-1]:
        keys = read_keys(part, always)
        if keys is None or not keys <= later:
            return False
        later &= _first_keys(part, always)
    return True


def from_left(op: str, parts: Sequence[Node], span: Span, always: Collection[str] = ()) -> Node:
    """AND or OR whose operands are evaluated from the left; an UNKNOWN one makes the whole UNKNOWN."""
    other = "or" if op == "and" else "and"
    rest, later = [parts[-1]], _first_keys(parts[-1], always)
    for part in parts[-2::-1]:
        keys, first = read_keys(part, always), _first_keys(part, always)
        if keys is not None and keys <= later:
            rest, later = [part, *rest], later & first
        else:
            opposite = Call(BOOLEAN, "not", (part,), part.span)
            rest, later = [part, Call(BOOLEAN, other, (opposite, _joined(op, rest, span)), span)], first
    return _joined(op, rest, span)


def _joined(op: str, parts: Sequence[Node], span: Span) -> Node:
    return parts[0] if len(parts) == 1 else Call(BOOLEAN, op, tuple(parts), span)


def written_operands(node: Call) -> Sequence[Node]:
    """The operands of AND or OR that its author wrote: `a` and `b` of `a OR (NOT a AND b)` by `from_left`.

    The negation has the place of `a`, as no negation that is written.
    """
    *first, last = node.args
    if first and isinstance(last, Call) and last.op in JUNCTIONS and last.op != node.op:
        again, *rest = last.args
        if again.span == first[-1].span and again.span.text:
            return (*first, *rest)
    return node.args


def _key(node: Node) -> str | None:
    """The key that a node reads, if it is a look-up of one: a field, or a member of a field."""
    if isinstance(node, Field):
        return node.decl.name.rpartition(".")[2]
    if isinstance(node, Call) and node.op in BY_KEY and isinstance(node.args[0], Field):
        name = node.args[1]
        return str(name.value) if isinstance(name, Literal) else None
    return None
