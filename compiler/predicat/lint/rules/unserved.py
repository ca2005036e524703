"""P304: a condition that no index of PostgreSQL serves, although the dataset has one on its field."""

from __future__ import annotations

from collections.abc import Iterator

from predicat import backends
from predicat.backends.sql.storage import Storage
from predicat.diagnostics import Severity
from predicat.explain.text import reading, serving, why_no_index
from predicat.ir.nodes import Call, Node
from predicat.ir.operators import JUNCTIONS
from predicat.lint.rule import Context, Finding, Rule
from predicat.lower import core_of_part


def check(context: Context) -> Iterator[Finding]:
    for filter_, node in context.surfaces():
        dataset = context.datasets[filter_.dataset]
        if not dataset.indexes or filter_.current.references:
            continue
        storage = backends.stored("postgres", dataset.collation, dataset.indexes)
        for part in _unserved(node, storage):
            hint = why_no_index(core_of_part(part), storage)
            yield Finding(RULE.code, filter_.qualified, "no index serves this condition", part.span, hint)


def _unserved(node: Node, storage: Storage) -> Iterator[Node]:
    """The conditions for which an index is missing: each operand of OR needs one, and one operand of AND."""
    if serving(core_of_part(node), storage) is not None:
        return
    several = (
        isinstance(node, Call) and node.op in JUNCTIONS and any(arg.span != node.span for arg in node.args)
    )
    if isinstance(node, Call) and several:
        result = [part for arg in node.args for part in _unserved(arg, storage)]
        yield from result if node.op == "or" else result[:1]
    elif reading(node, storage):
        yield node


RULE = Rule(
    "P304",
    "unserved",
    "A condition that no index serves, although `indexes` of the dataset has one on what it reads.",
    check,
    Severity.NOTE,
)
