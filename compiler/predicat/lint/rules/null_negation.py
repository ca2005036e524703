"""P301: a negation that rejects rows with NULL, if nothing shows that this is meant."""

from __future__ import annotations

from collections.abc import Iterator

from predicat.catalog.model import Filter
from predicat.forms.failing import written_operands
from predicat.forms.total_order import disjuncts, without_nan_test
from predicat.ir.nodes import Call, Field, Node, children, fields_of, walk
from predicat.ir.operators import JUNCTIONS
from predicat.ir.surface import NULL_IS_VALUE
from predicat.lint.rule import Context, Finding, Rule
from predicat.rewrite.acceptance import never_unknown


def check(context: Context) -> Iterator[Finding]:
    for filter_, node in context.surfaces():
        if filter_.on_unknown == "accept" or filter_.current.references:
            continue
        asked = {
            part.args[0].decl.name
            for part in walk(node)
            if isinstance(part, Call) and part.op == "is_null" and isinstance(part.args[0], Field)
        }
        for negation in negations(node):
            open_fields = [
                name for name in fields_lost(negation) if name not in asked and not _tested(filter_, name)
            ]
            if open_fields:
                names = ", ".join(open_fields)
                yield Finding(
                    RULE.code,
                    filter_.qualified,
                    f"this negation does not accept rows without a value for {names}",
                    negation.span,
                    f"to accept them, add OR {open_fields[0]} IS NULL; if this is right, add a test: "
                    f"{{row: {{{open_fields[0]}: null}}, matches: false}}",
                )
                break


def negations(node: Node) -> Iterator[Call]:
    """The negated parts that reject a row with NULL."""
    if not isinstance(node, Call):
        return
    compared = without_nan_test(node)
    if compared is node and node.op in JUNCTIONS:
        args = written_operands(node)
        for arg in disjuncts(args) if node.op == "or" else args:
            yield from negations(arg)
    elif (isinstance(compared, Call) and compared.op == "ne") or (
        node.op == "not" and not never_unknown(node.args[0])
    ):
        yield node


def fields_lost(node: Node) -> Iterator[str]:
    """The fields that make a negation UNKNOWN if they are NULL, without those in coalesce() and the like."""
    if isinstance(node, Field):
        yield node.decl.name
    elif isinstance(node, Call) and node.op == NULL_IS_VALUE:
        yield from dict.fromkeys(name for test in node.args[1:] for name in fields_of(test))
    elif not never_unknown(node) and not (isinstance(node, Call) and node.op == "coalesce"):
        yield from dict.fromkeys(name for child in children(node) for name in fields_lost(child))


def _tested(filter_: Filter, name: str) -> bool:
    return any(test.row.get(name, ...) is None or name not in test.row for test in filter_.tests)


RULE = Rule(
    "P301",
    "null-negation",
    "A negation that rejects rows without a value, without a test that shows it.",
    check,
)
