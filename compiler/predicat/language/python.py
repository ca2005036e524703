"""Entry filters: Python classes by their names. Nothing is imported here: a name is checked as a text."""

from __future__ import annotations

from typing import Any

from predicat.check.scope import SQL_RULES
from predicat.diagnostics import PredicatError, Reporter
from predicat.diagnostics.messages import entries as say
from predicat.ir import syntax as t
from predicat.ir.names import is_code_name
from predicat.language.common.body import Body
from predicat.language.common.trees import all_of, apply

RULES = SQL_RULES


def parse(body: Body) -> t.Tree:
    """The native filter AND each of the classes.

    The body is a name, a list of names, or `{python: ..., after: ...}`. Raises PredicatError for a bad name.
    """
    reporter = Reporter()
    value: Any = body.value
    after: Any = None
    if isinstance(value, dict):
        value, after = value.get("python"), value.get("after")
    names = value if isinstance(value, list) else [value]
    if not names:
        raise PredicatError.of(say.no_class(body.span))
    parts: list[t.Tree] = []
    if after is not None:
        span = getattr(after, "span", body.span)
        parts.append(apply("is_true", span, t.Ref(str(after), (), span)))
    for name in names:
        span = getattr(name, "span", body.span)
        if not isinstance(name, str):
            reporter.add(say.class_not_text(span))
        elif not is_code_name(name):
            reporter.add(say.bad_class(span, name))
        parts.append(apply("entry_filter", span, t.Constant(str(name), span)))
    reporter.raise_errors()
    return all_of(parts, body.span)
