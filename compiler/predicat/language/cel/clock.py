"""The current time in CEL: `now()`, and `t.timeSince()` for the time since `t`.

CEL itself has no clock. Source: Cerbos, "Conditions" (now, timeSince).
"""

from __future__ import annotations

from predicat.diagnostics import Span
from predicat.ir import syntax as t
from predicat.language.common.trees import Methods, apply


def _now(_args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    return apply("now", span)


def _since(args: tuple[t.Tree, ...], span: Span) -> t.Tree:
    return apply("sub", span, _now((), span), args[0])


METHODS: Methods = {"timeSince": ((0,), _since)}
FUNCTIONS: Methods = {"now": ((0,), _now), "timeSince": ((1,), _since)}
