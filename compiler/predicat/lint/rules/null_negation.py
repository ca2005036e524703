"""P301: a negation that rejects rows with NULL, if nothing shows that this is meant.

Only if the filter would gain rows: next to `n > 3`, `n <> 5` loses none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from predicat.catalog.model import Filter
from predicat.forms.failing import written_operands
from predicat.forms.total_order import disjuncts, without_nan_test
from predicat.ir.canonical import proof_text
from predicat.ir.nodes import Call, Field, Literal, Node, children, fields_of, substituted, walk
from predicat.ir.operators import JUNCTIONS
from predicat.ir.surface import NULL_IS_VALUE
from predicat.ir.types import BOOLEAN, STRING
from predicat.lint.rule import Context, Finding, Rule
from predicat.lower import core_of_part
from predicat.proof.compare import compare_nodes, example
from predicat.proof.inputs import over_inputs
from predicat.rewrite.acceptance import never_unknown


def check(context: Context) -> Iterator[Finding]:
    for filter_, node in context.surfaces():
        if filter_.on_unknown == "accept":
            continue
        asked = {
            part.args[0].decl.name
            for part in walk(node)
            if isinstance(part, Call) and part.op == "is_null" and isinstance(part.args[0], Field)
        }
        own = [part for part in negations(node) if _is_own(filter_, part)]
        for negation in own:
            lost = [
                name
                for name in fields_lost(negation)
                if name not in asked
                and not _tested(filter_, name)
                and not _is_blank_test(context, negation, name)
                and _gains(context, filter_, node, [part for part in own if name in fields_lost(part)], name)
            ]
            if lost:
                yield Finding(
                    RULE.code,
                    filter_.qualified,
                    f"this negation does not accept rows without a value for {', '.join(lost)}"
                    f"{_referred(filter_, negation, lost[0])}",
                    negation.span,
                    f"to accept them, add OR {lost[0]} IS NULL; if this is right, add a test: "
                    f"{{row: {{{lost[0]}: null}}, matches: false}}",
                )
                break


def _is_own(filter_: Filter, negation: Call) -> bool:
    """Whether a filter has a negation in its own text, and not in that of a filter that it refers to."""
    if not filter_.current.references:
        return True
    whole, part = filter_.current.span.outermost(), negation.span.outermost()
    return whole.source == part.source and whole.start <= part.start and part.end <= whole.end


def _referred(filter_: Filter, negation: Call, name: str) -> str:
    """Where a field is read that the text of a negation does not name."""
    if not filter_.current.references or name in negation.span.text:
        return ""
    return ", which another filter reads"


def _gains(context: Context, filter_: Filter, node: Node, parts: Sequence[Call], name: str) -> bool:
    """Whether a filter accepts further rows if its negations accept those without a value of a field."""
    decl = fields_of(node)[name]
    absent = Call(BOOLEAN, "is_null", (Field(decl.type, decl),))
    accepting = node
    for part in parts:
        accepting = substituted(accepting, part, Call(BOOLEAN, "or", (part, absent)))
    before, after = core_of_part(node), core_of_part(accepting)
    accepts = over_inputs(after)
    if any(outcome is not True and accepts(row) is True for row, outcome in context.trial(filter_)):
        return True
    return context.ask(
        ("gains", proof_text(before), proof_text(after)),
        lambda: compare_nodes(before, after, effort=context.effort).gained is not None,
    )


def _is_blank_test(context: Context, negation: Call, name: str) -> bool:
    """Whether a negation rejects nothing but blank strings, which are no values either."""
    decl = fields_of(negation)[name]
    constants = [part.value for part in walk(negation) if isinstance(part, Literal) and part.type == STRING]
    if decl.type != STRING or len(fields_of(negation)) > 1 or any(str(text).strip() for text in constants):
        return False
    filled = Call(BOOLEAN, "ne", (Call(STRING, "trim", (Field(STRING, decl),)), Literal(STRING, "")))
    rejected = core_of_part(Call(BOOLEAN, "and", (Call(BOOLEAN, "not", (negation,)), filled)))
    return context.ask(
        ("never", "True", proof_text(rejected)), lambda: example(rejected, True, context.effort)[0] == "none"
    )


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
    "A negation that rejects rows without a value, without a test that shows it: also one of another filter. "
    "Only if accepting them gains rows; `<> ''` means to reject them.",
    check,
)
