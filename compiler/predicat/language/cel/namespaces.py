"""The functions of CEL's math, sets and lists extensions, by their names with the namespace.

Source: cel-go, ext/math (except square roots and bit operations), ext/sets and ext/lists.
"""

from __future__ import annotations

from predicat.diagnostics import PredicatError, Span
from predicat.diagnostics.messages import cel as say
from predicat.ir import syntax as t
from predicat.language.common.trees import Build, apply

# How many arguments math.greatest and math.least may have: each doubles the condition.
_MOST = 8
# A variable that nobody can write.
_ITEM = "an element"


def _math(name: str) -> Build:
    def build(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
        listed = args[0].items if len(args) == 1 and isinstance(args[0], t.ListLiteral) else args
        if not 1 <= len(listed) <= _MOST:
            raise PredicatError.of(say.count_of_numbers(span, name, len(listed), _MOST))
        return apply(name, span, *listed)

    return build


def _contains(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    """Whether each element of the second list is in the first."""
    return _each("all", args[1], args[0], span)


def _intersects(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    return _each("any", args[1], args[0], span)


def _equivalent(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    return apply("and", span, _contains(args, span), _contains(args[::-1], span))


def _each(kind: str, items: t.Tree, among: t.Tree, span: Span) -> t.Tree:
    return t.Macro(kind, _ITEM, items, apply("in", span, t.Name(_ITEM, span), among), span)


# Each function: how many arguments it takes, if not several, and the tree of a call.
FUNCTIONS: dict[str, tuple[int | None, Build]] = {
    "math.greatest": (None, _math("math.greatest")),
    "math.least": (None, _math("math.least")),
    **{
        name: (1, _math(name))
        for name in (
            "math.abs",
            "math.sign",
            "math.ceil",
            "math.floor",
            "math.trunc",
            "math.round",
            "math.isNaN",
            "math.isInf",
            "math.isFinite",
        )
    },
    "regex.replace": (3, lambda args, span: apply("regex_replace", span, *args)),
    "lists.range": (1, lambda args, span: apply("range", span, *args)),
    "sets.contains": (2, _contains),
    "sets.intersects": (2, _intersects),
    "sets.equivalent": (2, _equivalent),
}
