"""Negations that lose rows without a value: `status <> 'closed'` where `status` is NULL."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from predicat.discover.parts import Extent, extent
from predicat.explain.show import plain
from predicat.ir.nodes import TRUE, Call, Field, Node, fields_of, replaced, walk
from predicat.ir.types import BOOLEAN
from predicat.lint.rules.null_negation import fields_lost, negations
from predicat.proof.compare import search
from predicat.proof.work import Work


class LostRow(Struct, frozen=True):
    """A negation with its place, the field without which it is UNKNOWN, and a row that only that loses."""

    field: str
    part: str
    row: dict[str, Any]
    at: Extent


def lost_rows(node: Node, effort: float | Work) -> Iterator[LostRow]:
    """The negations of a predicate that lose rows without a value which nothing else in it asks for."""
    tested = tested_fields(node)
    for negation in negations(node):
        names = [name for name in dict.fromkeys(fields_lost(negation)) if name not in tested]
        if len(names) != 1:
            continue
        field = Field(fields_of(node)[names[0]].type, fields_of(node)[names[0]])
        without = Call(BOOLEAN, "is_null", (field,))
        otherwise = Call(BOOLEAN, "and", (replaced(node, negation, TRUE), without))
        answer, witness = search(
            node,
            otherwise,
            lambda one, other: one is not True and other is True,
            lambda one, other: one.null if one.true is other.true else other.true,
            effort,
        )
        if answer == "found" and witness is not None:
            yield LostRow(
                names[0], " ".join(negation.span.text.split()), plain({**witness.row}), extent(negation.span)
            )


def tested_fields(node: Node) -> set[str]:
    """The fields that a predicate asks the absence of."""
    return {
        inner.decl.name
        for part in walk(node)
        if isinstance(part, Call) and part.op in ("is_null", "coalesce")
        for inner in part.args
        if isinstance(inner, Field)
    }
