"""Azure Service Bus: SQL and correlation filters of subscription rules, in ARM templates and what Bicep is
compiled to.

`[parameters('x')]` becomes a parameter of the filter.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from msgspec import Struct

from predicat.diagnostics.messages import importing as say
from predicat.importing.documents import Document
from predicat.importing.located import at, entries, items, key_span, mapping, span_of, text, texts
from predicat.importing.model import Findings, Skip
from predicat.importing.rows import SERVICE_BUS
from predicat.importing.values import Site, Values, taken
from predicat.language.servicebus.spelling import CORRELATION

_TYPE = re.compile(r"(?:microsoft\.servicebus/namespaces/topics/subscriptions/)?rules\Z", re.IGNORECASE)
_EXPRESSION = re.compile(r"\[(?!\[)(.*)\]\Z", re.DOTALL)
_CALL = re.compile(r"(parameters|variables)\('([^']*)'\)\Z")
_QUOTED = re.compile(r"'([^']*)'")
# How deeply the resources of a template are nested, at most.
_MAX_DEPTH = 20


class Rule(Struct, frozen=True):
    """A rule: a SQL expression or a correlation filter, and an action."""

    sql: Any
    correlation: Any
    action: Any


def recognises(document: Document) -> bool:
    """Whether a document is an ARM template with rules of Service Bus, or one such rule."""
    return any(True for _ in _rules(document.data)) or bool(at(document.data, "UserConfig", "Namespaces"))


def read(document: Document, findings: Findings) -> None:
    """Takes the rules of a template."""
    _emulator(at(document.data, "UserConfig", "Namespaces"), findings)
    for resource in _rules(document.data):
        properties = at(resource, "properties")
        sql = at(properties, "sqlFilter")
        name = _name(texts(resource.get("name")))
        path = "properties.sqlFilter.sqlExpression" if sql else "properties.correlationFilter"
        site = Site(name, f"Service Bus rule {name}", path, span_of(resource, document.span))
        action = at(properties, "action", "sqlExpression")
        rule(
            findings,
            site,
            _Values(document.data),
            Rule(at(sql, "sqlExpression"), at(properties, "correlationFilter"), action),
        )


def _emulator(namespaces: Any, findings: Findings) -> None:
    """Takes the rules in the configuration of the emulator, whose keys have capital letters."""
    before = len(findings.imported), len(findings.skipped)
    topics = [topic for namespace in items(namespaces) for topic in items(at(namespace, "Topics"))]
    for subscription in [one for topic in topics for one in items(at(topic, "Subscriptions"))]:
        for given in items(at(subscription, "Rules")):
            name, filters = texts(at(given, "Name")) or "rule", at(given, "Properties")
            sql = at(filters, "SqlFilter")
            path = "Properties.SqlFilter.SqlExpression" if sql else "Properties.CorrelationFilter"
            title = f"Service Bus rule {texts(at(subscription, 'Name'))}/{name}"
            parts = Rule(
                at(sql, "SqlExpression"),
                at(filters, "CorrelationFilter"),
                at(filters, "Action", "SqlExpression"),
            )
            rule(findings, Site(name, title, path, span_of(given)), _Values({}), parts)
    if namespaces and before == (len(findings.imported), len(findings.skipped)):
        findings.skip("configuration", say.NO_RESOURCE_WITH_FILTER, span_of(namespaces))


def _rules(data: Any, depth: int = 0) -> Iterator[Any]:
    """The rules in a template, with those in its resources and in templates inside of it."""
    if not isinstance(data, dict) or depth > _MAX_DEPTH:
        return
    if _TYPE.match(texts(data.get("type"))) and {"sqlFilter", "correlationFilter", "filterType"} & set(
        dict(entries(data.get("properties")))
    ):
        yield data
    inner = data.get("resources")
    for resource in inner.values() if isinstance(inner, dict) else items(inner):
        yield from _rules(resource, depth + 1)
    yield from _rules(at(data, "properties", "template"), depth + 1)


def _name(written: str) -> str:
    """The last part of a name, which may be an expression."""
    match = _EXPRESSION.match(written)
    if match is None:
        return written.rpartition("/")[2] or "rule"
    words = [
        word.rpartition("/")[2]
        for word in _QUOTED.findall(match[1])
        if re.search(r"[A-Za-z]", word) and "{" not in word.rpartition("/")[2]
    ]
    return words[-1] if words else "rule"


def rule(findings: Findings, site: Site, values: Values, given: Rule) -> None:
    """Takes a rule."""
    if given.action:
        findings.skip(say.action_of(site.title), say.ACTION, span_of(given.action, site.span))
    sql = isinstance(given.sql, str)
    body = partial(_sql, values, given.sql) if sql else partial(_correlation, values, given.correlation)
    taken(findings, site, values, SERVICE_BUS, "servicebus", body)


def _sql(values: Values, written: str) -> str:
    parts = texts(values.filled(written))
    if not parts.startswith("${"):
        return parts
    given = values.params.pop(parts[2:-1], None)
    if given is None or given.default is None:
        raise Skip(say.SQL_GIVEN, span_of(written))
    return text(given.default, span_of(written))


def _correlation(values: Values, written: Any) -> Any:
    """A correlation filter by the names that properties have in ARM; in Terraform they have underscores."""
    properties = [
        (_camel(key), values.filled(value), key_span(written, key))
        for key, value in entries(written)
        if value not in ("", None)
    ]
    properties = [
        property_
        for property_ in properties
        if property_[0] in (*CORRELATION, "properties") and property_[1] != {}
    ]
    if not properties:
        raise Skip(say.NO_CONDITION)
    return mapping(properties, span_of(written))


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first[:1].lower() + first[1:] + "".join(word.capitalize() for word in rest)


class _Values(Values):
    """The expressions of ARM templates: `[parameters('x')]` and `[variables('x')]`."""

    def __init__(self, template: Any) -> None:
        super().__init__()
        self.template = template

    def special(self, value: Any) -> Any:
        match = _EXPRESSION.match(value) if isinstance(value, str) else None
        if match is None:
            return value
        call = _CALL.match(match[1].strip())
        if call is None:
            raise Skip(say.worked_out_with_template(repr(match[1][:60])), span_of(value))
        if call[1] == "variables":
            known = at(self.template, "variables", call[2])
            if known is None:
                raise Skip(say.no_variable(call[2]), span_of(value))
            return self.filled(known)
        default = at(self.template, "parameters", call[2], "defaultValue")
        if default is not None and not isinstance(default, str):
            return default
        return self.parameter(match[1].strip(), span_of(value), default, call[2])
