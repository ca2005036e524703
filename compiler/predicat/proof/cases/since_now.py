"""Comparisons with the current time as tests of one value: the time since then, as if it were a field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from predicat.analysis.clock import is_of_clock
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import (
    NOW,
    Call,
    Field,
    FieldDecl,
    Node,
    reads_now,
    rewrite_children,
    substituted,
    walk,
)
from predicat.ir.operators import COMPARISONS
from predicat.proof.candidate_values import MOMENT
from predicat.proof.inputs import over_inputs
from predicat.rewrite.solve_clock import beside_clock, of_clock
from predicat.values.automaton import Opaque

Lengths = Mapping[Field, Call]


def since_now(node: Node, is_place: Callable[[Node], bool]) -> tuple[Node, Lengths]:
    """A predicate with fields that stand for times since now, and these times.

    Raises Opaque if it reads the clock otherwise: a clock has no value of each kind that a timestamp has.
    """
    if not reads_now(node):
        return node, {}
    node = _beside_clock(node)
    lengths = {
        Field(part.type, FieldDecl(canonical_text(part), part.type)): part
        for part in walk(node)
        if isinstance(part, Call)
        and part.op in ("sub", "days_between")
        and is_of_clock(part.args[1])
        and is_place(part.args[0])
    }
    for field, length in lengths.items():
        node = substituted(node, length, field)
    if reads_now(node):
        raise Opaque
    return node, lengths


def _beside_clock(node: Node) -> Node:
    if not isinstance(node, Call) or node.op not in COMPARISONS:
        return rewrite_children(node, _beside_clock)
    moved = beside_clock(node)
    if moved != node:
        return moved
    whole = of_clock(node)
    return node if whole is None else rewrite_children(whole, _beside_clock)


def at_moment(row: dict[str, Any], lengths: Lengths, put: Callable[[Node, Any], None]) -> None:
    """Replace times since now in a row by the moments that they are at some current time.

    Raises Opaque for one beyond the calendar.
    """
    for field, length in lengths.items():
        row[f":{NOW.name}"] = MOMENT
        value = row.pop(field.decl.name, None)
        start = over_inputs(length.args[1])(row)
        try:
            if value is not None:
                put(
                    length.args[0], start + (value if isinstance(value, timedelta) else timedelta(days=value))
                )
        except OverflowError:
            raise Opaque from None
