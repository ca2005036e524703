"""P512: a parameter that the body does not use."""

from __future__ import annotations

from collections.abc import Iterator

from predicat.ir.nodes import params_of
from predicat.ir.syntax import Name, Param
from predicat.lint.rule import Context, Finding, Rule
from predicat.lint.written import walk


def check(context: Context) -> Iterator[Finding]:
    for filter_, node in context.filters():
        version = filter_.current
        if not version.params or version.tree is None:
            continue
        named = {part.name for part in walk(version.tree) if isinstance(part, Name | Param)} | set(
            params_of(node)
        )
        for name in version.params:
            if name not in named:
                yield Finding(
                    RULE.code,
                    filter_.qualified,
                    f"the condition does not use the parameter {name}",
                    version.span,
                    f"use it as :{name}, or remove it from params",
                )


RULE = Rule("P512", "unused-parameter", "A parameter that the condition does not use.", check)
