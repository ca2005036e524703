"""P101: a declared field that no filter reads."""

from __future__ import annotations

from collections.abc import Iterator

from predicat.diagnostics import Severity
from predicat.ir.nodes import fields_of
from predicat.lint.rule import Context, Finding, Rule


def check(context: Context) -> Iterator[Finding]:
    for name, dataset in context.datasets.items():
        read = {
            field
            for filter_ in dataset.filters.values()
            for version in filter_.versions.values()
            for field in fields_of(version.predicate.node)
        }
        for field, decl in dataset.fields.items():
            if field not in read:
                advice = None if decl.description else "describe it, or remove it"
                yield Finding(RULE.code, f"{name}.{field}", "no filter reads this field", hint=advice)


RULE = Rule("P101", "unused-field", "A declared field that no filter reads.", check, Severity.NOTE)
