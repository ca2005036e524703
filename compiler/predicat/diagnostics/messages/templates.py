"""Messages for Jinja in filter bodies. Each row is one: see the package."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Problem, Text
from predicat.diagnostics.source import Span

_TAGS = ("if", "elif", "else", "endif", "for", "endfor", "set", "macro", "endmacro", "raw", "endraw")
_OF_DBT = {
    "ref": "a filter reads the fields of its dataset, and no models",
    "source": "a filter reads the fields of its dataset, and no tables",
    "config": "settings are keys of the filter in the catalog",
    "this": "a filter reads the fields of its dataset",
    "target": "write var('name'), and give it with --var name=value",
    "env_var": "write var('name'), and give it with --var name=value",
}
_EXPRESSION = "write expressions between {{ and }}: {{ var('name') }} or {{ filter('name') }}"
TOO_DEEP = "it is nested too deeply"
TOO_MUCH_WORK = "the templates of this catalog do too much; use fewer loops and shorter lists"
NO_FORMATTING = "a template cannot format with %; write {{ a ~ b }}"
NO_NUMBER = "only numbers have a sum or a power"
NO_FUNCTION = "only macros, var, filter and methods of strings, lists and mappings can be called"

too_large_number = Text[int]("a number has more than {bits} bits")
too_large_value = Text[int]("a value has more than {most:,} characters, or too many elements")
too_many_calls = Text[int]("more than {most} macros call each other")
too_long = Text[int]("it has more than {most:,} parts")
no_statement = Text[str]("a template of a filter cannot use {name!r}")
unclosed = Problem[str]("""template: the template cannot be rendered: {span.text} opens here and is not closed
    hint: close it with {closing}""")


class NoVariable(ValueError):
    """A variable that is not there.

    Attributes:
        hint: What to do about it.
    """

    def __init__(self, name: object, known: Iterable[str]) -> None:
        super().__init__(f"no variable is named {str(name)!r}")
        near = msg.did_you_mean(str(name), known)
        self.hint = near or f"give it with --var {name}=value, or a default: var('{name}', 1)"


def syntax(span: Span, reason: str) -> Diagnostic:
    """`reason` is Jinja's."""
    block = re.search(r"The innermost block that needs to be closed is '(\w+)'", reason)
    if block is not None:
        name = block[1]
        return template(span, f"{{% {name} %}} is not closed", f"close it with {{% end{name} %}}")
    tag = re.search(r"unknown tag '(\w+)'", reason)
    if tag is not None:
        begun = tag[1].removeprefix("end")
        if tag[1] in _TAGS:
            return template(span, f"{{% {tag[1]} %}} has no beginning", f"begin with {{% {begun} ... %}}")
        near = msg.did_you_mean(tag[1], _TAGS)
        return template(span, f"no tag is named {tag[1]!r}", near or f"tags: {', '.join(_TAGS)}")
    named = re.search(r"No (filter|test) named '(\w+)'", reason)
    if named is not None:
        hint = f"write a {named[1]} of Jinja, as in {{{{ x | round }}}}"
        return template(span, reason.rstrip("."), hint)
    return template(span, reason.rstrip("."), _EXPRESSION)


def undefined(span: Span, name: str, reason: str, known: Collection[str]) -> Diagnostic:
    near = _OF_DBT.get(name) or msg.did_you_mean(name, known)
    if name and near is None and "attribute" not in reason:
        called = span.source.text[span.end :].lstrip().startswith("(")
        write = "write the macro in a file of macros/" if called else f"write var('{name}') for a variable"
        near = f"{write}; names here: {', '.join(sorted(known))}"
    return template(span, reason, near or _EXPRESSION)


def not_rendered(span: Span, error: Exception) -> Diagnostic:
    """What a call in a template does not take."""
    if isinstance(error, NoVariable):
        return template(span, str(error), error.hint)
    if str(error) in (TOO_MUCH_WORK, NO_FORMATTING, NO_NUMBER, NO_FUNCTION):
        return template(span, str(error))
    if isinstance(error, TypeError) and "argument" in str(error):
        return template(
            span,
            "a function is called with wrong arguments",
            "write {{ filter('name') }}, {{ var('name') }}, or the arguments of the macro",
        )
    return template(span, str(error) or "it cannot be computed", _EXPRESSION)


def template(span: Span, reason: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("template", f"the template cannot be rendered: {reason}", span, hint)
