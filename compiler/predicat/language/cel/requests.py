"""Functions for filters on requests: Tekton's interceptors and Google Cloud's IAM conditions.

Sources: Tekton Triggers, "CEL expression extensions"; Google Cloud IAM, "Attribute reference for IAM
Conditions" (extract).
"""

from __future__ import annotations

import re

from predicat.diagnostics import PredicatError, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import cel as say
from predicat.ir import syntax as t
from predicat.language.common.trees import (
    Methods,
    apply,
    by_kind,
    choose,
    constant,
    let,
    number,
    of_text,
    plus,
    text,
)

Args = tuple[t.Tree, ...]

# Variables that nobody can write.
_HEADER, _PLACE, _REST = "a header", "a place", "the rest"


def canonical(args: Args, span: Span, function: str = "canonical") -> t.Tree:
    """`header.canonical('x-github-event')`: a header by its name in any case. The first value is used; a
    missing header is an empty string.

    The keys of the field have the canonical spelling, as Go's http.Header: `X-Github-Event`.
    """
    headers, name = args
    written = constant(name)
    if written is None:
        raise PredicatError.of(msg.not_constant(name.span, function, "name"))
    key = "-".join(part[:1].upper() + part[1:].lower() for part in written.split("-"))
    tree = apply("bracket", headers.span.to(name.span), headers, t.Constant(key, name.span))

    def first(value: t.Tree) -> t.Tree:
        item = apply("bracket", span, value, number(0, span))
        return by_kind(
            "canonical",
            value,
            span,
            text=value,
            list=item,
            json=apply("coalesce", span, apply("key", span, value), apply("key", span, item)),
        )

    return apply("coalesce", span, let(_HEADER, tree, first, span), text("", name.span))


def match(args: Args, span: Span) -> t.Tree:
    """`header.match('X-GitHub-Event', 'push')`: whether a header has a value."""
    return apply("eq", span, canonical(args[:2], span, "match"), args[2])


def _truncate(args: Args, span: Span) -> t.Tree:
    """The first characters of a string."""
    return apply("substr", span, args[0], number(1, span), args[1])


_TEMPLATE = re.compile(r"([^{}]*)\{[^{}]*\}([^{}]*)\Z")


def _extract(args: Args, span: Span) -> t.Tree:
    """`resource.name.extract("buckets/{name}/objects")`: the text between the first occurrence of a string
    and the next occurrence of another; an empty string if they are not found.
    """
    match = _TEMPLATE.match(constant(args[1]) or "")
    if match is None:
        hint = 'write extract("/objects/{name}")'
        raise PredicatError.of(say.extract_pattern(args[1].span, hint))
    before, after = match[1], match[2]

    def up_to(rest: t.Tree) -> t.Tree:
        place = apply("position", span, rest, text(after, span))
        return let(
            _PLACE,
            place,
            lambda at: choose(
                apply("eq", span, at, number(0, span)),
                text("", span),
                apply("substr", span, rest, number(1, span), plus(at, -1, span)),
                span,
            ),
            span,
        )

    def from_place(whole: t.Tree, at: t.Tree) -> t.Tree:
        rest = apply("substr", span, whole, plus(at, len(before), span))
        cut = let(_REST, rest, up_to, span) if after else rest
        return choose(apply("eq", span, at, number(0, span)), text("", span), cut, span)

    def build(whole: t.Tree) -> t.Tree:
        if not before:
            return up_to(whole) if after else whole
        return let(
            _PLACE, apply("position", span, whole, text(before, span)), lambda at: from_place(whole, at), span
        )

    return let(_HEADER, args[0], build, span)


METHODS: Methods = {
    "canonical": ((1,), canonical),
    **of_text({"truncate": ((1,), _truncate), "extract": ((1,), _extract)}),
}
FUNCTIONS: Methods = of_text({"truncate": ((2,), _truncate)})
