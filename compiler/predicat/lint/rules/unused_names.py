"""P513, P514: a variable or a macro that no filter uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from predicat.catalog.macros import VARIABLE, used
from predicat.catalog.templates import is_template
from predicat.diagnostics import NOWHERE, Source, Span
from predicat.lint.rule import Context, Finding, Rule

# A variable whose name is computed: it may be any variable.
_ANY_VARIABLE = re.compile(r"\bvar\s*\(\s*(?!['\"])")


def _bodies(context: Context) -> list[str]:
    """The templates of all versions, each once."""
    every = (
        version.template for filter_ in context.catalog.filters() for version in filter_.versions.values()
    )
    return [text for text in dict.fromkeys(every) if is_template(text)]


def _used(context: Context) -> set[str]:
    macros = context.catalog.macros
    return {name for text in _bodies(context) for name in used(text, macros)}


def _variables(context: Context) -> Iterator[Finding]:
    catalog = context.catalog
    if not catalog.variables:
        return
    texts = (*_bodies(context), *(macro.text for macro in catalog.macros.values()))
    names = _used(context)
    if any(_ANY_VARIABLE.search(text) for text in texts):
        return
    for name in catalog.variables:
        if VARIABLE + name not in names:
            yield Finding(
                "P513", name, "no filter uses this variable", _defined(context, name), "remove it from vars"
            )


def _defined(context: Context, name: str) -> Span:
    """The place where a variable is defined, if that is a file with filters."""
    sources: dict[str, Source] = {}
    for filter_ in context.catalog.filters():
        source = filter_.span.outermost().source
        sources.setdefault(source.name, source)
    for source in sources.values():
        block = re.search(r"^vars:.*(?:\n(?:[ \t].*)?)*", source.text, re.MULTILINE)
        result = (
            re.compile(rf"(?<![\w.]){re.escape(name)}(?=['\"]?\s*:)").search(source.text, *block.span())
            if block
            else None
        )
        if result:
            return Span(source, *result.span())
    return NOWHERE


def _macros(context: Context) -> Iterator[Finding]:
    macros = {
        name: macro for name, macro in context.catalog.macros.items() if macro.text
    }  # without text it is what is around macros
    names = _used(context) if macros else set[str]()
    for name, macro in macros.items():
        if name not in names:
            yield Finding("P514", name, "no filter uses this macro", macro.span, "remove it")


RULES = (
    Rule("P513", "unused-variable", "A variable that no filter uses.", _variables, whole=True),
    Rule("P514", "unused-macro", "A macro that no filter uses.", _macros, whole=True),
)
