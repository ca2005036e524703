"""P402: a row that no filter of an exhaustive group accepts."""

from __future__ import annotations

from collections.abc import Iterator

from predicat.diagnostics import Severity
from predicat.explain.show import row_text
from predicat.ir.canonical import proof_text
from predicat.ir.nodes import Call, Node
from predicat.ir.types import BOOLEAN
from predicat.lint.rule import Context, Finding, Rule
from predicat.proof.compare import search
from predicat.proof.smt.terms import negated


def check(context: Context) -> Iterator[Finding]:
    for group in context.groups():
        if not group.exhaustive or not group.members:
            continue
        shown = _gap(
            context, group.nodes[0] if len(group.nodes) == 1 else Call(BOOLEAN, "or", tuple(group.nodes))
        )
        if shown:
            yield Finding(
                RULE.code,
                group.name,
                f"no filter of the group accepts {shown}",
                group.members[0].span,
                "the group has exhaustive: true; add a filter for the rest, including rows with "
                "missing values",
            )


def _gap(context: Context, union: Node) -> str:
    """A row for which a predicate is not TRUE, as text; empty if none was found."""

    def answer() -> str:
        _, witness = search(
            union, union, lambda a, _: a is not True, lambda a, _: negated(a.true), context.effort
        )
        return "" if witness is None else row_text(witness.row)

    return context.ask(("gap", proof_text(union)), answer)


RULE = Rule(
    "P402",
    "group-gap",
    "A row that no filter of an exhaustive group accepts, which is shown.",
    check,
    Severity.ERROR,
)
