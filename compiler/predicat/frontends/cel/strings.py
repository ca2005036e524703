"""The strings extension of CEL, written with the operators of the table: places count from 0, and one outside is an error.

Source: cel-go, ext/strings (version 1).
"""

from __future__ import annotations

from collections.abc import Callable

from predicat.diagnostics import PredicatError, Span
from predicat.diagnostics import messages as msg
from predicat.ir import tree as t
from predicat.ir.values import WHITE_SPACE

_MOST = 1_000_000
"""The highest limit of split and replace."""
Build = Callable[[tuple[t.Tree, ...], Span], t.Tree]


def _apply(op: str, span: Span, *args: t.Tree) -> t.Tree:
    return t.Apply(op, args, span)


def _number(value: int, span: Span) -> t.Tree:
    return t.Const(value, span)


def _plus(tree: t.Tree, amount: int, span: Span) -> t.Tree:
    if isinstance(tree, t.Const) and isinstance(tree.value, int):
        return t.Const(tree.value + amount, span)
    return _apply("add", span, tree, _number(amount, span))


def _within(place: t.Tree, low: t.Tree, high: t.Tree, found: t.Tree, span: Span) -> t.Tree:
    """`found` where a place lies in a range; an error outside."""
    inside = _apply("and", span, _apply("le", span, low, place), _apply("le", span, place, high))
    return _apply("cond", span, inside, found, t.Const(None, span))


def _char_at(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    text, place = args
    found = _apply("substr", span, text, _plus(place, 1, span), _number(1, span))
    return _within(place, _number(0, span), _apply("length", span, text), found, span)


def _substring(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    text, start = args[:2]
    length = _apply("length", span, text)
    if len(args) == 2:
        found = _apply("substr", span, text, _plus(start, 1, span))
        return _within(start, _number(0, span), length, found, span)
    found = _apply("substr", span, text, _plus(start, 1, span), _apply("sub", span, args[2], start))
    return _within(
        start, _number(0, span), args[2], _within(args[2], _number(0, span), length, found, span), span
    )


def _index_of(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    text, part = args[:2]
    if len(args) == 2:
        return _plus(_apply("position", span, text, part), -1, span)
    start = args[2]
    rest = _apply("position", span, _apply("substr", span, text, _plus(start, 1, span)), part)
    placed = _apply("add", span, _plus(rest, -1, span), start)
    found = _apply("cond", span, _apply("eq", span, rest, _number(0, span)), _number(-1, span), placed)
    return _within(start, _number(0, span), _apply("length", span, text), found, span)


def _last_index_of(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    """The first place in the reversed text."""
    text, part = args[:2]
    if len(args) == 3:
        start = args[2]
        cut = _apply(
            "substr", span, text, _number(1, span), _apply("add", span, start, _apply("length", span, part))
        )
        return _within(
            start, _number(0, span), _apply("length", span, text), _last_index_of((cut, part), span), span
        )
    place = _apply("position", span, _apply("reverse", span, text), _apply("reverse", span, part))
    before = _apply("sub", span, _apply("length", span, text), _apply("length", span, part))
    placed = _plus(_apply("sub", span, before, place), 1, span)
    return _apply("cond", span, _apply("eq", span, place, _number(0, span)), _number(-1, span), placed)


def _trim(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    return _apply("strip", span, args[0], t.Const(WHITE_SPACE, span))


def _join(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    return _apply("join", span, args[0], args[1] if len(args) == 2 else t.Const("", span))


def _limit(tree: t.Tree, name: str) -> int:
    """How often at most, a constant; a negative one is no limit."""
    if isinstance(tree, t.Const) and type(tree.value) is int and tree.value <= _MOST:
        return tree.value
    raise PredicatError.of(
        msg.unsupported_syntax(
            tree.span,
            f"{name} with a limit that is no constant up to {_MOST:,}",
            "write the limit as a number",
        )
    )


def _split(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    limit = _limit(args[2], "split") if len(args) == 3 else -1
    if limit == 0:
        return t.Bind("filter", "piece", _apply("split", span, *args[:2]), t.Const(False, span), span)
    return _apply("split", span, *args[:2], *([_number(limit, span)] if limit > 0 else []))


def _replace(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    """With a limit, the pieces between the first so many occurrences are joined."""
    text, old, new = args[:3]
    limit = _limit(args[3], "replace") if len(args) == 4 else -1
    known = isinstance(old, t.Const) and isinstance(old.value, str) and old.value != ""
    if limit == 0 and isinstance(old, t.Const) and isinstance(new, t.Const):
        return _apply("replace", span, text, old, old)
    if limit < 0:
        return _apply("replace" if known else "replace_each", span, text, old, new)
    if not known:
        raise PredicatError.of(msg.unsupported_syntax(old.span, "replace with a limit and a text to replace that is empty or no constant",
                                                          "write the text to replace itself, or leave the limit out"))  # fmt: skip
    return _apply("join", span, _apply("split", span, text, old, _number(limit + 1, span)), new)


METHODS: dict[str, tuple[tuple[int, ...], Build]] = {
    "charAt": ((1,), _char_at),
    "indexOf": ((1, 2), _index_of),
    "lastIndexOf": ((1, 2), _last_index_of),
    "substring": ((1, 2), _substring),
    "trim": ((0,), _trim),
    "reverse": ((0,), lambda args, span: _apply("reverse", span, *args)),
    "split": ((1, 2), _split),
    "replace": ((2, 3), _replace),
    "join": ((0, 1), _join),
}
"""Each method: how many arguments it takes, and the tree of a call on (target, *arguments)."""
