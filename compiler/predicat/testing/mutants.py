"""Mutants: slightly wrong versions of a predicate, which good tests distinguish from the right one.

The mutation operators are the usual ones for conditions (relational and logical operator replacement,
negation, constants by one, removed operands). Source: Offutt et al., "An Experimental Determination of
Sufficient Mutant Operators", 1996.
"""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal

from msgspec import Struct
from msgspec.structs import replace

from predicat.check.signatures import constant_positions
from predicat.diagnostics import Span
from predicat.ir.nodes import Call, Items, Literal, Node, Quantifier
from predicat.ir.operators import BY_KEY, FLIPPED, JUNCTIONS, NEGATED, OPS
from predicat.ir.surface import NULL_CASES, NULL_IS_VALUE, UNKNOWN_IF, WRITTEN
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE
from predicat.ir.values import INT_MAX, INT_MIN

_SWAPS = {
    **{op: tuple(dict.fromkeys((FLIPPED[other], other))) for op, other in NEGATED.items()},
    "and": ("or",),
    "or": ("and",),
    "starts_with": ("contains",),
    "ends_with": ("contains",),
    "add": ("sub",),
    "sub": ("add",),
    "is_true": (),
    "mul": ("add",),
}
# Operators whose constants have a form to keep: patterns, units, time zones, keys.
_FORMS = BY_KEY | {op for op in OPS if constant_positions(op) and not op.endswith("_ci")}


class Mutant(Struct, frozen=True):
    """A changed predicate, what was changed, and where."""

    node: Node
    change: str
    span: Span


def mutants(node: Node) -> Iterator[Mutant]:
    """The mutants of a predicate. Each differs from it in a single place."""
    yield from _here(node)
    match node:
        case Call():
            parts = node.args[: WRITTEN.get(node.op)]
            for index, arg in enumerate(parts):
                if node.op in _FORMS and isinstance(arg, Literal):
                    continue
                for result in mutants(arg):
                    if node.op in (NULL_CASES, NULL_IS_VALUE) and result.node == Call(BOOLEAN, "not", (arg,)):
                        continue  # negated as a whole
                    yield replace(
                        result,
                        node=replace(node, args=(*node.args[:index], result.node, *node.args[index + 1 :])),
                    )
        case Items():
            for index, item in enumerate(node.items):
                for result in mutants(item):
                    yield replace(
                        result,
                        node=replace(
                            node, items=(*node.items[:index], result.node, *node.items[index + 1 :])
                        ),
                    )
        case Quantifier():
            for result in mutants(node.body):
                yield replace(result, node=replace(node, body=result.node))
        case _:
            return


def _here(node: Node) -> Iterator[Mutant]:
    match node:
        case Call(kind, op, args):
            numbers = kind in (BIGINT, DOUBLE) or op not in (
                "add",
                "sub",
                "mul",
            )  # moments have fewer operators
            for other in _SWAPS.get(op, ()) if numbers else ():
                yield Mutant(replace(node, op=other), f"{op} becomes {other}", node.span)
            if op in JUNCTIONS:
                yield from _shorter(node)
            elif op == "not":
                yield Mutant(args[0], "not is removed", node.span)
            elif kind == BOOLEAN and op not in ("is_true", UNKNOWN_IF):
                yield Mutant(Call(BOOLEAN, "not", (node,), node.span), "it is negated", node.span)
            if op == "in" and isinstance(args[1], Items):
                yield from _fewer_items(node, args[1])
        case Quantifier(_, "any" | "all" as kind_):
            other = "all" if kind_ == "any" else "any"
            yield Mutant(replace(node, kind=other), f"{kind_} becomes {other}", node.span)
        case Literal():
            yield from _constants(node)
        case _:
            return


def _shorter(node: Call) -> Iterator[Mutant]:
    for index, operand in enumerate(node.args):
        left = node.args[:index] + node.args[index + 1 :]
        if left:
            shorter = replace(node, args=left) if left[1:] else left[0]
            yield Mutant(shorter, f"operand {index + 1} of {node.op} is removed", operand.span)


def _fewer_items(node: Call, listed: Items) -> Iterator[Mutant]:
    for index, item in enumerate(listed.items):
        left = listed.items[:index] + listed.items[index + 1 :]
        if left:
            yield Mutant(
                replace(node, args=(node.args[0], replace(listed, items=left))),
                f"item {index + 1} of the list is removed",
                item.span,
            )


def _constants(node: Literal) -> Iterator[Mutant]:
    match node.value:
        case bool():
            yield Mutant(
                replace(node, value=not node.value), f"{node.value} becomes {not node.value}", node.span
            )
        case int() | float() | Decimal() as number:
            for near in (number + 1, number - 1):
                if not isinstance(near, int) or INT_MIN <= near <= INT_MAX:
                    yield Mutant(replace(node, value=near), f"{number} becomes {near}", node.span)
        case str() as text if text:
            yield Mutant(replace(node, value=text + "x"), f"{text!r} becomes {text + 'x'!r}", node.span)
        case datetime() | date() as moment if 1 < moment.year < 9999:
            later = moment + timedelta(days=1)
            yield Mutant(replace(node, value=later), f"{moment} becomes a day later", node.span)
        case _:
            return
