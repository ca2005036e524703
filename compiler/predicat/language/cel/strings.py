"""The strings extension of CEL, built from operators of the table. Positions start at 0; a position outside
of the string is an error.

Source: cel-go, ext/strings (version 1).
"""

from __future__ import annotations

import re

from predicat.diagnostics import PredicatError, Span
from predicat.diagnostics.messages import cel as say
from predicat.ir import syntax as t
from predicat.ir.values import WHITE_SPACE
from predicat.language.common.trees import Methods, apply, cast_to, constant, number, plus, within

# The highest limit of split and replace.
_MOST = 1_000_000


def _char_at(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    text, place = args
    tree = apply("substr", span, text, plus(place, 1, span), number(1, span))
    return within(place, number(0, span), apply("length", span, text), tree, span)


def _substring(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    text, start = args[:2]
    length = apply("length", span, text)
    if len(args) == 2:
        tree = apply("substr", span, text, plus(start, 1, span))
        return within(start, number(0, span), length, tree, span)
    tree = apply("substr", span, text, plus(start, 1, span), apply("sub", span, args[2], start))
    return within(start, number(0, span), args[2], within(args[2], number(0, span), length, tree, span), span)


def _index_of(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    text, part = args[:2]
    if len(args) == 2:
        return plus(apply("position", span, text, part), -1, span)
    start = args[2]
    rest = apply("position", span, apply("substr", span, text, plus(start, 1, span)), part)
    placed = apply("add", span, plus(rest, -1, span), start)
    tree = apply("cond", span, apply("eq", span, rest, number(0, span)), number(-1, span), placed)
    return within(start, number(0, span), apply("length", span, text), tree, span)


def _last_index_of(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    """Searches in the reversed text."""
    text, part = args[:2]
    if len(args) == 3:
        start = args[2]
        cut = apply(
            "substr", span, text, number(1, span), apply("add", span, start, apply("length", span, part))
        )
        return within(
            start, number(0, span), apply("length", span, text), _last_index_of((cut, part), span), span
        )
    place = apply("position", span, apply("reverse", span, text), apply("reverse", span, part))
    before = apply("sub", span, apply("length", span, text), apply("length", span, part))
    placed = plus(apply("sub", span, before, place), 1, span)
    return apply("cond", span, apply("eq", span, place, number(0, span)), number(-1, span), placed)


def _trim(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    return apply("strip", span, args[0], t.Constant(WHITE_SPACE, span))


def _join(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    return apply("join", span, args[0], args[1] if len(args) == 2 else t.Constant("", span))


def _limit(tree: t.Tree, name: str) -> int:
    """The limit of replacements, a constant. None if it is negative: no limit."""
    if isinstance(tree, t.Constant) and type(tree.value) is int and tree.value <= _MOST:
        return tree.value
    raise PredicatError.of(say.limit_not_constant(tree.span, name, _MOST))


def _split(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    limit = _limit(args[2], "split") if len(args) == 3 else -1
    if limit == 0:
        return t.Macro("filter", "piece", apply("split", span, *args[:2]), t.Constant(False, span), span)
    return apply("split", span, *args[:2], *([number(limit, span)] if limit > 0 else []))


def _replace(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    """With a limit n, the string is split at the first n occurrences, and the parts are joined."""
    text, old, new = args[:3]
    limit = _limit(args[3], "replace") if len(args) == 4 else -1
    known = isinstance(old, t.Constant) and isinstance(old.value, str) and old.value != ""
    if limit == 0 and isinstance(old, t.Constant) and isinstance(new, t.Constant):
        return apply("replace", span, text, old, old)
    if limit < 0:
        return apply("replace" if known else "replace_each", span, text, old, new)
    if not known:
        raise PredicatError.of(say.replace_with_limit(old.span))
    return apply("join", span, apply("split", span, text, old, number(limit + 1, span)), new)


_CLAUSE = re.compile(r"%(?:%|(?:\.\d+)?(.))", re.DOTALL)


def _format(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    """`"%s of %d".format([s, n])`, with a constant format. Values are inserted as strings."""
    template, values = constant(args[0]), args[1]
    if template is None or not isinstance(values, t.ListLiteral):
        raise PredicatError.of(say.format_not_constant(span))
    rest, end = list(values.items), 0
    parts: list[t.Tree] = []
    for clause in _CLAUSE.finditer(template):
        parts.append(t.Constant(template[end : clause.start()] + ("%" if clause[0] == "%%" else ""), span))
        end = clause.end()
        if clause[0] == "%%":
            continue
        if clause[0] not in ("%s", "%d"):
            raise PredicatError.of(say.format_clause(args[0].span, clause[0]))
        if not rest:
            raise PredicatError.of(say.format_needs_values(values.span))
        parts.append(cast_to("to_string", rest.pop(0), span))
    if rest:
        raise PredicatError.of(say.format_has_values(rest[0].span))
    tree: t.Tree = t.Constant(template[end:], span)
    for part in reversed([part for part in parts if constant(part) != ""]):
        tree = part if constant(tree) == "" else apply("add", span, part, tree)
    return tree


# Each method: how many arguments it takes, and the tree of a call on (target, *arguments).
METHODS: Methods = {
    "charAt": ((1,), _char_at),
    "indexOf": ((1, 2), _index_of),
    "lastIndexOf": ((1, 2), _last_index_of),
    "substring": ((1, 2), _substring),
    "trim": ((0,), _trim),
    "split": ((1, 2), _split),
    "replace": ((2, 3), _replace),
    "join": ((0, 1), _join),
    "format": ((1,), _format),
}
