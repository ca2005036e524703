"""Why a predicate has an outcome on a row: the value of each condition, and the conditions that decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from predicat.backends.sql import shown
from predicat.diagnostics import Span
from predicat.diagnostics.messages import coverage as say
from predicat.explain.prose import describe, is_presence
from predicat.explain.show import outcome as shown_outcome
from predicat.ir.nodes import (
    Call,
    Field,
    Items,
    Literal,
    Node,
    Quantifier,
    Variable,
    children,
    fields_of,
    walk,
)
from predicat.ir.operators import BY_KEY, LOGIC
from predicat.ir.types import BOOLEAN
from predicat.lower import core
from predicat.proof.inputs import over_inputs

Outcome = bool | None


class Explanation(Struct, frozen=True):
    """The evaluation of a part of a predicate on a row: its text, its outcome, the values that it reads, and
    its parts if it is a combination.
    """

    text: str
    outcome: Outcome
    values: Mapping[str, Any]
    span: Span
    parts: tuple[Explanation, ...] = ()
    op: str = ""


def explain_node(node: Node, row: Mapping[str, Any]) -> Explanation:
    """The outcomes of a predicate and its parts on a row. The node is a surface node, with the parts that the
    author wrote.
    """
    outcome: Outcome = over_inputs(core(node))(row)
    if isinstance(node, Call) and is_combination(node):
        parts = tuple(explain_node(arg, row) for arg in node.args)
        return Explanation(describe(node), outcome, {}, node.span, parts, node.op)
    values = {name: _seen(part, over_inputs(core(part))(row)) for name, part in inputs(node)}
    return Explanation(describe(node), outcome, values, node.span)


def is_combination(node: Node) -> bool:
    """Whether a node combines conditions. `x IS NOT NULL` is a condition."""
    return isinstance(node, Call) and node.op in LOGIC and not is_presence(node)


def _seen(node: Node, value: Any) -> Any:
    """A value that a condition reads, as people see it."""
    hidden = next((decl for decl in fields_of(node).values() if decl.sensitive), None)
    return shown.value(hidden, value)


def inputs(node: Node) -> Iterator[tuple[str, Node]]:
    """The fields (or their members) that a condition reads, with their nodes."""
    if isinstance(node, Field):
        yield node.decl.name, node
    elif (
        isinstance(node, Call) and node.op in BY_KEY and isinstance(node.args[1], Literal) and fields_of(node)
    ):
        yield describe(node), node
    else:
        for child in children(node):
            if not isinstance(child, Items) and not _depends_on_element(child):
                yield from inputs(child)


def _depends_on_element(node: Node) -> bool:
    """Whether a part reads the element of an enclosing quantifier, which has no value of its own."""
    return isinstance(node, Quantifier) or any(isinstance(part, Variable) for part in walk(node))


def decisive(explanation: Explanation) -> list[Explanation]:
    """The conditions that decide an outcome: the FALSE operands of a FALSE AND, all operands of a TRUE one,
    and so on.
    """
    if not explanation.parts:
        return [explanation]
    if explanation.op in ("not", "is_true"):
        return decisive(explanation.parts[0])
    same = [part for part in explanation.parts if part.outcome is explanation.outcome]
    strong = explanation.op != "and"  # the outcome that one part alone decides
    chosen = same[:1] if explanation.outcome is strong else same
    return [leaf for part in chosen for leaf in decisive(part)]


def told(explanation: Explanation) -> str:
    """A condition with its outcome; of an UNKNOWN one also what is missing."""
    missing = [name for name, value in explanation.values.items() if value is None]
    why = ", ".join(map(say.missing, missing)) or say.UNUSABLE
    return f"{explanation.text}: {shown_outcome(explanation.outcome)}" + (
        f" ({why})" if explanation.outcome is None else ""
    )


def reason(explanation: Explanation) -> str:
    """The conditions that decide an outcome, each with its own, in one sentence."""
    return "; ".join(map(told, decisive(explanation)))


def atoms(node: Node) -> list[Node]:
    """The conditions of a predicate, without AND, OR and NOT around them."""
    if isinstance(node, Call) and node.op in LOGIC:
        return [atom for arg in node.args for atom in atoms(arg)]
    return [] if isinstance(node, Literal) or node.type != BOOLEAN else [node]
