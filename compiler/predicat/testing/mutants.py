"""Mutants: slightly wrong versions of a predicate, which good tests distinguish from the right one.

The mutation operators are the usual ones for conditions (relational and logical operator replacement,
negation, constants by one, removed operands), and those of filters: missing values, patterns, case, spaces,
units, time zones. Source: Offutt et al., "An Experimental Determination of
Sufficient Mutant Operators", 1996.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal

from msgspec import Struct
from msgspec.structs import replace

from predicat.check.signatures import constant_positions
from predicat.diagnostics import Span
from predicat.ir.nodes import Call, Field, Items, Literal, Node, Quantifier
from predicat.ir.operators import BY_KEY, FLIPPED, JUNCTIONS, LOGIC, NEGATED, OPS, ZONED
from predicat.ir.surface import NULL_CASES, NULL_IS_VALUE, UNKNOWN_IF, WRITTEN
from predicat.ir.types import BIGINT, BOOLEAN, DOUBLE, STRING
from predicat.ir.values import INT_MAX, INT_MIN
from predicat.rewrite.acceptance import never_unknown

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
_FORMS = BY_KEY | {op for op in OPS if constant_positions(op) and not op.endswith("_ci")} | {"like_ci"}


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
                    yield from _other_forms(node, index, arg)
                    continue
                for result in mutants(arg):
                    if node.op in (NULL_CASES, NULL_IS_VALUE) and _is_logic(result.node):
                        continue  # it is made of the whole
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


def _is_logic(node: Node) -> bool:
    return isinstance(node, Call) and node.op in LOGIC


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
            yield from _of_missing_values(node)
            yield from _of_texts(node)
        case Quantifier(_, "any" | "all" as kind_):
            other = "all" if kind_ == "any" else "any"
            yield Mutant(replace(node, kind=other), f"{kind_} becomes {other}", node.span)
        case Literal():
            yield from _constants(node)
        case _:
            return


def _of_missing_values(node: Call) -> Iterator[Mutant]:
    """A test with another outcome where it is UNKNOWN."""
    if node.type != BOOLEAN or node.op in (*LOGIC, UNKNOWN_IF) or never_unknown(node):
        return
    accepted = Call(BOOLEAN, "is_true", (Call(BOOLEAN, "not", (node,)),))
    yield Mutant(Call(BOOLEAN, "not", (accepted,)), "a missing value makes it TRUE", node.span)
    yield Mutant(Call(BOOLEAN, "is_true", (node,)), "a missing value makes it FALSE", node.span)


def _of_texts(node: Call) -> Iterator[Mutant]:
    """A test of a text that does or does not distinguish case, and spaces around it."""
    match node.args:
        case (text,) if node.op in ("lower", "upper", "trim", "ltrim", "rtrim"):
            yield Mutant(text, f"{node.op} is removed", node.span)
        case (Field(type=kind) as text, wanted) if kind == STRING:
            other = _IN_ANY_CASE.get(node.op)
            if other and isinstance(wanted, Literal) and _has_letters(wanted.value):
                yield Mutant(replace(node, op=other), "case is ignored", node.span)
            if node.op in ("eq", "in"):
                trimmed = Call(STRING, "trim", (text,), text.span)
                yield Mutant(replace(node, args=(trimmed, wanted)), "spaces around it are ignored", node.span)


def _has_letters(value: object) -> bool:
    return isinstance(value, str) and value.lower() != value.upper()


def _other_forms(node: Call, index: int, constant: Literal) -> Iterator[Mutant]:
    """A pattern, a unit or a time zone that is almost the same."""
    text = constant.value
    if not isinstance(text, str):
        return
    for other in dict.fromkeys(_CHANGED.get(node.op, _no_other)(text)):
        if other != text:
            args = (*node.args[:index], replace(constant, value=other), *node.args[index + 1 :])
            yield Mutant(replace(node, args=args), f"{text!r} becomes {other!r}", constant.span)


def _no_other(_text: str) -> Iterator[str]:
    yield from ()


def _other_likes(pattern: str) -> Iterator[str]:
    """Without a wildcard at an end, and with `_` as a character, which it often is in names."""
    yield pattern.removeprefix("%")
    if not pattern.endswith("\\%"):
        yield pattern.removesuffix("%")
    yield re.sub(r"(\\.)|_", lambda part: part[1] or "\\_", pattern)


def _other_patterns(pattern: str) -> Iterator[str]:
    """Without an anchor, and with a dot as a character."""
    yield pattern.removeprefix("^")
    if not pattern.endswith("\\$"):
        yield pattern.removesuffix("$")
    yield re.sub(r"(\\.)|\.(?![*+?{])", lambda part: part[1] or "\\.", pattern)


def _other_units(unit: str) -> Iterator[str]:
    yield _NEXT_UNIT.get(unit, unit)


def _other_zones(_zone: str) -> Iterator[str]:
    yield "UTC"


_IN_ANY_CASE = {
    "eq": "equals_ci",
    "starts_with": "starts_with_ci",
    "contains": "contains_ci",
    "like": "like_ci",
}
_NEXT_UNIT = {
    "second": "minute",
    "minute": "hour",
    "hour": "day",
    "day": "month",
    "week": "day",
    "month": "year",
}
_NEXT_UNIT |= {"quarter": "month", "year": "month"}
_CHANGED: dict[str, Callable[[str], Iterator[str]]] = {
    **dict.fromkeys(("like", "like_ci"), _other_likes),
    "matches": _other_patterns,
    "date_trunc": _other_units,
    **dict.fromkeys(ZONED, _other_zones),
}


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
        case timedelta() as length:
            for other in (length + timedelta(days=1), length - timedelta(days=1)):
                yield Mutant(replace(node, value=other), f"{length} becomes {other}", node.span)
        case datetime() | date() as moment if 1 < moment.year < 9999:
            later = moment + timedelta(days=1)
            yield Mutant(replace(node, value=later), f"{moment} becomes a day later", node.span)
        case _:
            return
