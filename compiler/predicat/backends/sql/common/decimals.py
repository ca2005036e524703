"""Exact arithmetic of decimals that several dialects share. It is plain if the type holds every result."""

from __future__ import annotations

from sqlglot import exp

from predicat.backends.sql.builders import Sql, call, cast, try_cast, wrap
from predicat.backends.sql.common.widths import as_double
from predicat.backends.sql.renderer import Renderer, Rule
from predicat.forms import decimals
from predicat.ir.decimal_types import Digits
from predicat.ir.nodes import Call, Literal, Node
from predicat.ir.types import BIGINT, DOUBLE, STRING, DecimalType

SIGNS: dict[str, type[exp.Binary]] = {"add": exp.Add, "sub": exp.Sub, "mul": exp.Mul}


def where_exact(exact: Rule, otherwise: Rule) -> Rule:
    """An operator with one rule for decimals and one for other types."""
    return lambda r, node: (exact if isinstance(node.type, DecimalType) else otherwise)(r, node)


def of_numbers(exact: Rule, of_texts: Rule) -> Rule:
    """A conversion to a decimal, with a rule for numbers and one for strings."""
    return lambda r, node: (of_texts if node.args[0].type == STRING else exact)(r, node)


def operands(r: Renderer, node: Call) -> list[Sql]:
    """The operands of a calculation. An integer literal beside integers is cast to a decimal."""
    parts = list(map(r.node, node.args))
    if all(arg.type == BIGINT or _is_whole_constant(arg) for arg in node.args):
        place = next(place for place, arg in enumerate(node.args) if arg.type != BIGINT)
        parts[place] = cast(parts[place], str(decimals.exact_type(node.args[place])))
    return parts


def _is_whole_constant(node: Node) -> bool:
    return isinstance(node, Literal) and decimals.exact_type(node).scale == 0


def signed(r: Renderer, node: Call) -> Sql:
    """The negation or the absolute value of a decimal."""
    value = r.node(node.args[0])
    return exp.Neg(this=wrap(value)) if node.op == "neg" else call("ABS", value)


def ends_at(node: Call, digits: Digits) -> bool:
    """Whether an engine with 38 digits gives NULL exactly if the result is NULL."""
    same = not digits.fits and isinstance(node.type, DecimalType) and node.type.scale == digits.scale
    return (same and decimals.has_known_type(node)) or not decimals.may_have_more_digits(node)


def converted(r: Renderer, node: Call) -> Sql:
    """A number cast to a decimal type, rounded as the engine does: a half away from zero."""
    (arg,), kind = node.args, str(node.type)
    value = as_double(r, arg) if arg.type == DOUBLE else r.node(arg)
    return try_cast(value, kind) if decimals.may_not_fit(node) else cast(value, kind)


def by_text(r: Renderer, node: Call) -> Sql:
    """Like `converted`, but a double is cast through its shortest decimal form: a direct cast would multiply
    doubles.
    """
    if node.args[0].type != DOUBLE:
        return converted(r, node)
    return try_cast(cast(as_double(r, node.args[0]), "TEXT"), str(node.type))
