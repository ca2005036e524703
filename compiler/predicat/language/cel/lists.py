"""Functions of lists, built from the core macros. The indexes of a list start at 0; an index outside of the
list is an error.

Sources: Kubernetes, "CEL in Kubernetes", list library (isSorted, sum, min, max, indexOf, lastIndexOf);
cel-go, ext/lists (first, last, slice,
distinct, reverse) and ext/comprehensions (transformList); Cerbos, "Conditions" (hasIntersection, isSubset,
intersect, except).
Equality is CEL's. The greatest element is found by comparing all pairs, so these functions are for short
lists.
"""

from __future__ import annotations

from predicat.diagnostics import Span
from predicat.ir import syntax as t
from predicat.language.cel import strings
from predicat.language.common.trees import Build, Methods, apply, by_kind, each, let, number, plus, within

Args = tuple[t.Tree, ...]

# Variables that nobody can write.
_LIST, _PLACE, _OTHER, _FOUND = "a list", "a place", "another place", "what is found"


def _places(items: t.Tree, span: Span) -> t.Tree:
    """The indexes of a list: 0 to its size minus 1."""
    return apply("places", span, items)


def _at(items: t.Tree, place: t.Tree, span: Span) -> t.Tree:
    return apply("bracket", span, items, place)


def _size(items: t.Tree, span: Span) -> t.Tree:
    return apply("size", span, items)


def _equal_places(items: t.Tree, value: t.Tree, span: Span) -> t.Tree:
    """The indexes of the elements that equal a value."""
    return each(
        "filter",
        _PLACE,
        _places(items, span),
        lambda place: apply("eq", span, _at(items, place, span), value),
        span,
    )


def _index_of(args: Args, span: Span) -> t.Tree:
    """The index of a substring, or of an element of a list; -1 if it is not found."""
    if len(args) == 3:
        return strings.METHODS["indexOf"][1](args, span)

    def build(items: t.Tree) -> t.Tree:
        tree = apply(
            "add", span, _equal_places(items, args[1], span), t.ListLiteral((number(-1, span),), span)
        )
        return by_kind(
            "indexOf",
            items,
            span,
            text=strings.METHODS["indexOf"][1]((items, args[1]), span),
            list=_at(tree, number(0, span), span),
        )

    return let(_LIST, args[0], build, span)


def _last_index_of(args: Args, span: Span) -> t.Tree:
    if len(args) == 3:
        return strings.METHODS["lastIndexOf"][1](args, span)

    def build(items: t.Tree) -> t.Tree:
        tree = apply(
            "add", span, t.ListLiteral((number(-1, span),), span), _equal_places(items, args[1], span)
        )
        return by_kind(
            "lastIndexOf",
            items,
            span,
            text=strings.METHODS["lastIndexOf"][1]((items, args[1]), span),
            list=_last((tree,), span),
        )

    return let(_LIST, args[0], build, span)


def _is_sorted(args: Args, span: Span) -> t.Tree:
    """Whether no element is greater than the next one."""

    def build(items: t.Tree) -> t.Tree:
        def in_order(place: t.Tree) -> t.Tree:
            pair = apply("le", span, _at(items, plus(place, -1, span), span), _at(items, place, span))
            return apply("or", span, apply("eq", span, place, number(0, span)), pair)

        return by_kind(
            "isSorted", items, span, list=each("all", _PLACE, _places(items, span), in_order, span)
        )

    return let(_LIST, args[0], build, span)


def _extreme(op: str, name: str) -> Build:
    """The first smallest or greatest element. An empty list is an error."""

    def build(args: Args, span: Span) -> t.Tree:
        def over(items: t.Tree) -> t.Tree:
            def first(one: t.Tree) -> t.Tree:
                return each("all", _OTHER, items, lambda other: apply(op, span, one, other), span)

            return by_kind(
                name, items, span, list=_at(each("filter", _PLACE, items, first, span), number(0, span), span)
            )

        return let(_LIST, args[0], over, span)

    return build


def _first(args: Args, span: Span) -> t.Tree:
    return _at(args[0], number(0, span), span)


def _last(args: Args, span: Span) -> t.Tree:
    return let(_FOUND, args[0], lambda items: _at(items, plus(_size(items, span), -1, span), span), span)


def _slice(args: Args, span: Span) -> t.Tree:
    """The elements from an index up to, but not including, another index."""

    def build(items: t.Tree) -> t.Tree:
        start, end = args[1:]
        positions = each(
            "filter",
            _PLACE,
            _places(items, span),
            lambda place: apply("and", span, apply("le", span, start, place), apply("lt", span, place, end)),
            span,
        )
        tree = each("map", _PLACE, positions, lambda place: _at(items, place, span), span)
        inside = within(end, start, _size(items, span), tree, span)
        return by_kind("slice", items, span, list=within(start, number(0, span), end, inside, span))

    return let(_LIST, args[0], build, span)


def _distinct(args: Args, span: Span) -> t.Tree:
    """The elements without duplicates of earlier ones."""

    def build(items: t.Tree) -> t.Tree:
        def is_new(place: t.Tree) -> t.Tree:
            def same(other: t.Tree) -> t.Tree:
                return apply(
                    "and",
                    span,
                    apply("lt", span, other, place),
                    apply("eq", span, _at(items, other, span), _at(items, place, span)),
                )

            return apply("not", span, each("any", _OTHER, _places(items, span), same, span))

        positions = each("filter", _PLACE, _places(items, span), is_new, span)
        return by_kind(
            "distinct",
            items,
            span,
            list=each("map", _PLACE, positions, lambda place: _at(items, place, span), span),
        )

    return let(_LIST, args[0], build, span)


def _unique(args: Args, span: Span) -> t.Tree:
    """Whether no two elements are equal."""
    whole, distinct = (_size(items, span) for items in (args[0], _distinct(args, span)))
    return apply("eq", span, whole, distinct)


def _reverse(args: Args, span: Span) -> t.Tree:
    def build(items: t.Tree) -> t.Tree:
        def mirrored(place: t.Tree) -> t.Tree:
            return _at(items, apply("sub", span, plus(_size(items, span), -1, span), place), span)

        return by_kind(
            "reverse",
            items,
            span,
            text=apply("reverse", span, items),
            list=each("map", _PLACE, _places(items, span), mirrored, span),
        )

    return let(_LIST, args[0], build, span)


def _among(kind: str, *, negated: bool = False) -> Build:
    """A macro over the first list that tests whether an element is in the second."""

    def build(args: Args, span: Span) -> t.Tree:
        def over(items: t.Tree) -> t.Tree:
            tree = apply("in", span, t.Name(_PLACE, span), items)
            return t.Macro(kind, _PLACE, args[0], apply("not", span, tree) if negated else tree, span)

        return let(_LIST, args[1], over, span)

    return build


def _includes(args: Args, span: Span) -> t.Tree:
    """Whether a list contains an element, or a string equals another."""

    def build(items: t.Tree) -> t.Tree:
        return by_kind(
            "includes",
            items,
            span,
            text=apply("eq", span, items, args[1]),
            list=apply("in", span, args[1], items),
        )

    return let(_LIST, args[0], build, span)


# Each method: how many arguments it takes, and the tree of a call on (target, *arguments).
METHODS: Methods = {
    "includes": ((1,), _includes),
    "indexOf": ((1, 2), _index_of),
    "lastIndexOf": ((1, 2), _last_index_of),
    "isSorted": ((0,), _is_sorted),
    "sum": ((0,), lambda args, span: apply("sum", span, *args)),
    "min": ((0,), _extreme("le", "min")),
    "max": ((0,), _extreme("ge", "max")),
    "first": ((0,), _first),
    "last": ((0,), _last),
    "slice": ((2,), _slice),
    "distinct": ((0,), _distinct),
    "unique": ((0,), _unique),
    "reverse": ((0,), _reverse),
    "hasIntersection": ((1,), _among("any")),
    "has_intersection": ((1,), _among("any")),
    "isSubset": ((1,), _among("all")),
    "is_subset": ((1,), _among("all")),
    "intersect": ((1,), _among("filter")),
    "except": ((1,), _among("filter", negated=True)),
}
# Those that Cerbos also takes as functions.
FUNCTIONS: Methods = {
    name: ((2,), METHODS[name][1])
    for name in ("hasIntersection", "has_intersection", "isSubset", "is_subset", "intersect", "except")
}
