"""Values that are given when a manifest is deployed: they become parameters of the filter, `${name}` in
its texts.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from predicat.diagnostics import PredicatError, Span
from predicat.diagnostics.messages import importing as say
from predicat.importing.located import key_span, listed, mapping, plain, source_of, span_of, text
from predicat.importing.model import Findings, ImportedFilter, Parameter, Rows, Skip, slug
from predicat.language.common import jsontext

# How deep values may be defined by others.
_DEEP = 20


class Values:
    """The values of one filter. What a manifest writes for a value that it does not know is told by
    `special`.
    """

    def __init__(self) -> None:
        self.params: dict[str, Parameter] = {}
        self.depth = 0

    def special(self, value: Any) -> Any:
        """The value of a part: itself, unless the manifest has a notation such as a reference.
        Raises Skip.
        """
        return value

    def filled(self, value: Any) -> Any:
        """A part with all that is in it. Raises Skip for a value that can be neither known nor a
        parameter.
        """
        result = self.special(value)
        if result is not value:
            return result
        if isinstance(value, dict):
            return mapping(
                ((key, self.filled(inner), key_span(value, key)) for key, inner in value.items()),
                span_of(value),
            )
        if isinstance(value, list):
            return listed([self.filled(inner) for inner in value], span_of(value))
        return value

    def put_in(self, value: str, holes: re.Pattern[str], of: Callable[[str, Span], Any]) -> Any:
        """A text with the values of its holes: a text that is one hole is the value itself. Raises Skip."""
        span = span_of(value)
        whole = holes.fullmatch(value)
        if whole is not None:
            return of(whole[1].strip(), span)
        return text(holes.sub(lambda match: shown(of(match[1].strip(), span)), value), span)

    def defined(self, name: str, value: Any, span: Span) -> Any:
        """The value that a manifest defines for a name. Raises Skip for a name that is defined by itself."""
        self.depth += 1
        if self.depth > _DEEP:
            raise Skip(say.defined_by_itself(name), span)
        result = self.filled(value)
        self.depth -= 1
        return result

    def policy(self, value: Any) -> Any:
        """A part that is data, or a text that holds it as JSON. Raises Skip."""
        result = self.filled(value)
        if isinstance(result, dict) and set(result) == {"Fn::ToJsonString"}:
            return result["Fn::ToJsonString"]
        return self.filled(from_json(result)) if isinstance(result, str) else result

    def parameter(self, written: str, span: Span, default: Any = None, name: str = "") -> str:
        """A placeholder for a parameter, which the manifest writes as `written`; its name is made of
        that, unless it is given.
        """
        stands_for, name = written, slug(name or written, "value")
        known = self.params.get(name)
        if known is None or known.default is None:
            self.params[name] = Parameter(name, stands_for, None if default is None else shown(default))
        return text(f"${{{name}}}", span)


def shown(value: Any) -> str:
    """A value as a template puts it into a text."""
    return str(value) if isinstance(value, str) else json.dumps(plain(value))


def from_json(value: str) -> Any:
    """The data of a JSON text, with places in the file. Raises Skip for a text that is no JSON."""
    if value.startswith("${"):
        raise Skip(say.VALUE_GIVEN, span_of(value))
    source = source_of(value)
    try:
        return jsontext.read(str(value), source, Span(source, 0, len(source.text)), "it")
    except PredicatError as error:
        first = error.diagnostics[0]
        raise Skip(first.message, first.span) from None


class Site(Struct, frozen=True):
    """A place where a manifest has a filter: its name, what it belongs to, and the path to it."""

    name: str
    title: str
    path: str
    span: Span


def taken(
    findings: Findings,
    site: Site,
    values: Values,
    rows: Rows,
    language: str,
    body: Callable[[], Any],
    given: Any = None,
    on: str | None = None,
) -> str | None:
    """Takes a filter, whose body may be skipped while its values are put in. Returns its name."""
    try:
        filled = body()
    except Skip as reason:
        span = reason.span or span_of(given, site.span)
        findings.skip(f"{site.title}, {site.path}", reason.reason, span)
        return None
    span = span_of(filled if given is None else given, site.span)
    source = source_of(filled) if given is None and isinstance(filled, str) else None
    entry = ImportedFilter(site.name, site.title, site.path, language, filled, span, rows, source, on)
    return findings.add(replace(entry, params=values.params))
