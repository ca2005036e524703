"""P204: an operand of AND or OR that changes no row, also known as an unreachable branch."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from predicat.catalog.model import Filter
from predicat.diagnostics import Span
from predicat.ir.nodes import Call, Node
from predicat.ir.operators import JUNCTIONS, LOGIC
from predicat.lint.rule import Context, Finding, Fix, Rule
from predicat.lower import core_of_part


def check(context: Context) -> Iterator[Finding]:
    for filter_, node in context.surfaces():
        if filter_.current.references or not (isinstance(node, Call) and node.op in LOGIC):
            continue  # of a reference a part may be of use to the filter that it comes from
        number = int(
            context.ask(
                ("redundant", filter_.on_unknown, filter_.current.body, context.text(filter_)),
                partial(_first, context, filter_),
            )
        )
        if number >= 0:
            _, parent, place = list(without_one(node))[number]
            yield Finding(
                RULE.code,
                filter_.qualified,
                f"this operand of {parent.op.upper()} has no effect",
                parent.args[place].span,
                "the other operands imply it; remove it",
                _fix(parent, place),
            )


def _first(context: Context, filter_: Filter) -> str:
    """The number of the first operand that can be left out, -1 for none."""
    predicate = filter_.current.predicate
    for number, (surface, _, _) in enumerate(without_one(predicate.surface)):
        shorter = core_of_part(surface)
        if context.trial(filter_).differs(shorter, accept=filter_.on_unknown == "accept"):
            continue
        # An operand that makes FALSE of UNKNOWN, as `has(m.k) && m.k == "x"`, is a guard: bounds on UNKNOWN
        # rows see it.
        rule, language = filter_.on_unknown, filter_.current.language
        if context.compared(predicate.node, shorter, (rule, rule), (language, language)) == "equivalent":
            return str(number)
    return "-1"


def without_one(node: Node) -> Iterator[tuple[Node, Call, int]]:
    """The predicate without one operand of an AND or OR, for each such operand."""
    if not isinstance(node, Call) or node.op not in LOGIC:
        return
    for index, arg in enumerate(node.args):
        left = _others(node, index)
        if node.op in JUNCTIONS and left:
            yield (left[0] if len(left) == 1 else Call(node.type, node.op, left, node.span)), node, index
        for inner, parent, at in without_one(arg):
            yield (
                Call(node.type, node.op, (*node.args[:index], inner, *node.args[index + 1 :]), node.span),
                parent,
                at,
            )


def _others(node: Call, index: int) -> tuple[Node, ...]:
    """The other operands. Operands from the same place in the text, as the two that `j.kind == "x"` becomes
    (type and value), are treated as one.
    """
    span = node.args[index].span
    return tuple(arg for at, arg in enumerate(node.args) if at != index and not arg.span.overlaps(span))


def _fix(parent: Call, index: int) -> Fix | None:
    spans = [
        arg.span
        for at, arg in enumerate(parent.args)
        if arg.span not in [earlier.span for earlier in parent.args[:at]]
    ]
    if any(span.source is not spans[0].source or not span.source.text for span in spans) or spans != sorted(
        spans, key=lambda span: span.start
    ):
        return None
    if len(spans) < 2:
        return None
    index = spans.index(parent.args[index].span)
    start = spans[index - 1].end if index else spans[0].start
    end = spans[index].end if index else spans[1].start
    return Fix(Span(spans[0].source, start, end), "")


RULE = Rule(
    "P204",
    "redundant-operand",
    (
        "An operand of AND or OR that has no effect (proved). Operands that turn UNKNOWN into FALSE are "
        "not reported."
    ),
    check,
    over=("P301", "P302", "P303"),
)
