"""`all`, `any` and `not`: composition of filters by name, in Kleene's logic."""

from __future__ import annotations

from typing import Any

from predicat.diagnostics import PredicatError, Reporter, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import policies as say
from predicat.ir import syntax as t
from predicat.ir.limits import MAX_DEPTH
from predicat.language.common.body import Body
from predicat.language.common.trees import apply


def all_of(body: Body) -> t.Tree:
    """Every one of the named filters. Raises PredicatError."""
    return _composition("all", body.value, body.span)


def any_of(body: Body) -> t.Tree:
    """At least one of the named filters. Raises PredicatError."""
    return _composition("any", body.value, body.span)


def not_of(body: Body) -> t.Tree:
    """The negation of the named filter. Raises PredicatError."""
    return _composition("not", body.value, body.span)


def _composition(language: str, body: Any, span: Span) -> t.Tree:
    """The untyped tree of a composition; its parts are names, or mappings with all, any or not. Raises
    PredicatError.
    """
    reporter = Reporter()
    tree = _read({language: body}, span, reporter, 0)
    reporter.raise_errors()
    if tree is None:
        raise PredicatError.of(say.empty_composition(span))
    return tree


def _read(part: Any, span: Span, reporter: Reporter, depth: int) -> t.Tree | None:
    span = getattr(part, "span", span)
    if depth > MAX_DEPTH:
        reporter.add(msg.too_deep(span, MAX_DEPTH))
        return None
    if isinstance(part, str):
        return t.Ref(str(part), (), span)
    if not isinstance(part, dict) or len(part) != 1 or next(iter(part)) not in ("all", "any", "not"):
        reporter.add(say.composition_parts(span))
        return None
    ((key, inner),) = part.items()
    if key == "not":
        tree = _read(inner, span, reporter, depth + 1)
        return apply("not", span, tree) if tree is not None else None
    if not isinstance(inner, list) or not inner:
        reporter.add(say.composition_list(getattr(inner, "span", span), str(key)))
        return None
    parts = [_read(item, span, reporter, depth + 1) for item in inner]
    trees = tuple(item for item in parts if item is not None)
    return apply("and" if key == "all" else "or", span, *trees) if len(trees) == len(parts) else None
