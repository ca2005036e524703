"""The Serverless Framework (`serverless.yml`): the events of functions, and the file's resources of
CloudFormation.

`${self:custom.x}` is put in where the file has it; `${env:x}`, `${opt:x}` and their like become parameters.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from predicat.diagnostics import Span
from predicat.diagnostics.messages import importing as say
from predicat.importing import cloudformation
from predicat.importing.aws import Read, criteria, rule, subscription, under
from predicat.importing.documents import Document
from predicat.importing.located import at, entries, items, key_span, mapping, span_of
from predicat.importing.model import Findings, Skip
from predicat.importing.values import Site, Values

_HOLE = re.compile(r"\$\{([^${}]*)\}")
_SELF = re.compile(r"self:([A-Za-z0-9_.-]+)\Z")


def recognises(document: Document) -> bool:
    """Whether a document is a service: it names its provider and has functions or resources."""
    data = document.data
    return {"service", "provider"} <= data.keys() and bool({"functions", "resources"} & data.keys())


def read(document: Document, findings: Findings) -> None:
    """Takes the filters of the events of functions, and of the resources."""
    data = document.data
    before = len(findings.imported), len(findings.skipped)
    new = partial(_Values, data)
    functions = data.get("functions")
    for given in items(functions) or [functions]:
        for name, function in entries(given):
            for number, event in enumerate(items(at(function, "events"))):
                _event(findings, new, name, f"functions.{name}.events[{number}]", event)
    for part in items(data.get("resources")) or [data.get("resources")]:
        if at(part, "Resources"):
            cloudformation.resources(part, findings, new)
    if before == (len(findings.imported), len(findings.skipped)):
        findings.skip("service", say.NO_RESOURCE_WITH_FILTER, document.span)


def _event(findings: Findings, new: Callable[[], Values], function: str, path: str, event: Any) -> None:
    for kind, given in entries(event):
        title, span = f"function {function}, event {kind}", key_span(event, kind)
        if kind in _EVENTS:
            read_event = _EVENTS[kind]
            read_event(findings, Site(f"{function}_{kind}", title, f"{path}.{kind}", span), new, given)
        else:
            findings.skip(title, say.events_without_filter(kind), span)


def _patterns(
    findings: Findings, site: Site, new: Callable[[], Values], found: list[Any], _beside: Any
) -> None:
    """The patterns of a source, as the filters of CloudFormation have them."""
    criteria(findings, site, new, [mapping([("Pattern", one, span_of(one))], span_of(one)) for one in found])


_FILTERS = under("filterPatterns", _patterns)
_EVENTS: dict[str, Read] = {
    "sns": under("filterPolicy", subscription, "filterPolicyScope"),
    "eventBridge": under("pattern", rule),
    "cloudwatchEvent": under("event", rule),
    **dict.fromkeys(("sqs", "stream", "msk", "kafka", "activemq", "rabbitmq", "documentDb"), _FILTERS),
}


class _Values(cloudformation.TemplateValues):
    """The variables of the framework, beside the functions of templates."""

    def __init__(self, service: Any) -> None:
        super().__init__(at(service, "resources") or {})
        self.service = service

    def special(self, value: Any) -> Any:
        if not isinstance(value, str) or "${" not in value or value[2:-1] in self.params:
            return super().special(value)
        if "${" in _HOLE.sub("", value):
            raise Skip(say.TEXT_PUT_TOGETHER, span_of(value))
        return self.put_in(value, _HOLE, self.variable)

    def variable(self, written: str, span: Span) -> Any:
        """The value of `self:custom.x`, of the default behind a comma, or a parameter."""
        first, comma, rest = written.partition(",")
        match = _SELF.match(first.strip())
        known = None if match is None else at(self.service, *match[1].split("."))
        if known is None:
            default = rest.strip().strip("'\"") if comma else None
            return self.parameter(first.strip(), span, default)
        return self.defined(first.strip(), known, span)
