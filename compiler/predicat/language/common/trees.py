"""Short functions that build trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from predicat.diagnostics import Span
from predicat.ir import syntax as t

# From the arguments of a call, its target before them, to its tree.
Build = Callable[[tuple[t.Tree, ...], Span], t.Tree]
# Functions by their names: how many arguments each takes, the target not counted, and the tree of a call.
Methods = dict[str, tuple[tuple[int, ...], Build]]


def apply(op: str, span: Span, *args: t.Tree) -> t.OperatorCall:
    """A call of an operator."""
    return t.OperatorCall(op, args, span)


def all_of(parts: Sequence[t.Tree], span: Span) -> t.Tree:
    """AND in Kleene's logic. A single part is returned unchanged."""
    return parts[0] if len(parts) == 1 else apply("and", span, *parts)


def any_of(parts: Sequence[t.Tree], span: Span) -> t.Tree:
    """OR in Kleene's logic. A single part is returned unchanged."""
    return parts[0] if len(parts) == 1 else apply("or", span, *parts)


def negated(tree: t.Tree) -> t.Tree:
    """NOT: UNKNOWN if the condition is UNKNOWN."""
    return apply("not", tree.span, tree)


def decided(tree: t.Tree) -> t.Tree:
    """IS TRUE: UNKNOWN becomes FALSE. A missing key fails the test, and the negated test passes."""
    return apply("is_true", tree.span, tree)


def present(tree: t.Tree) -> t.Tree:
    """IS NOT NULL: never UNKNOWN."""
    return negated(apply("is_null", tree.span, tree))


def cast_to(op: str, tree: t.Tree, span: Span | None = None) -> t.Tree:
    """A cast, such as `to_double`."""
    span = span or tree.span
    return apply("cast", span, tree, t.Constant(op, span))


def number(value: int, span: Span) -> t.Tree:
    """An integer constant."""
    return t.Constant(value, span)


def text(value: str, span: Span) -> t.Tree:
    """A string constant."""
    return t.Constant(value, span)


def nothing(span: Span) -> t.Tree:
    """UNKNOWN, for a call that is an error."""
    return t.Constant(None, span)


def plus(tree: t.Tree, amount: int, span: Span) -> t.Tree:
    """A sum with an integer. Two constants are added up."""
    if isinstance(tree, t.Constant) and isinstance(tree.value, int):
        return t.Constant(tree.value + amount, span)
    return apply("add", span, tree, number(amount, span))


def choose(test: t.Tree, yes: t.Tree, no: t.Tree, span: Span) -> t.Tree:
    """`yes` if a test is TRUE, else `no`, also if it is UNKNOWN."""
    return apply("cond", span, test, yes, no)


def within(place: t.Tree, low: t.Tree, high: t.Tree, tree: t.Tree, span: Span) -> t.Tree:
    """`tree` if an index is in a range, else UNKNOWN."""
    inside = apply("and", span, apply("le", span, low, place), apply("le", span, place, high))
    return choose(inside, tree, nothing(span), span)


def let(name: str, value: t.Tree, build: Callable[[t.Tree], t.Tree], span: Span) -> t.Tree:
    """`build(value)`, with the value bound to a reserved name, so that it is evaluated once."""
    if isinstance(value, t.Constant | t.Name):
        return build(value)
    return t.Macro("let", name, value, build(t.Name(name, value.span)), span)


def each(kind: str, name: str, source: t.Tree, build: Callable[[t.Tree], t.Tree], span: Span) -> t.Tree:
    """A macro with a reserved variable name."""
    return t.Macro(kind, name, source, build(t.Name(name, span)), span)


def there(items: t.Tree, span: Span) -> t.Tree:
    """The elements of a list that are not NULL."""
    return each("filter", "an element", items, lambda item: negated(apply("is_null", span, item)), span)


def by_kind(name: str, subject: t.Tree, span: Span, **branches: t.Tree) -> t.Tree:
    """A function that is overloaded by the kind of a value: `text`, `list` or `map`. `name` is the function's
    name, for messages.

    A JSON value uses the overload of its kind at run time, or the overload `json` if there is one.
    """
    pairs = [part for kind, tree in branches.items() for part in (t.Constant(kind, span), tree)]
    return t.OperatorCall("by_kind", (t.Constant(name, span), subject, *pairs), span)


def of_text(methods: Methods) -> Methods:
    """A function of a string. Any other value is rejected."""

    def checked(name: str, build: Build) -> Build:
        def built(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
            tree = build(args, span)
            return tree if constant(args[0]) is not None else by_kind(name, args[0], span, text=tree)

        return built

    return {name: (counts, checked(name, build)) for name, (counts, build) in methods.items()}


def constant(tree: t.Tree) -> str | None:
    """The string of a tree, if it is a constant."""
    return tree.value if isinstance(tree, t.Constant) and isinstance(tree.value, str) else None
