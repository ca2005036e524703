"""CloudFormation and SAM: SNS subscriptions, rules and archives of EventBridge, event source mappings and
pipes.

`!Ref`, `!GetAtt`, `!Sub`, `!ImportValue` and `!FindInMap` become parameters of the filter, with the default
of the template.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from predicat.diagnostics import Span
from predicat.diagnostics.messages import importing as say
from predicat.importing.aws import Read, criteria, rule, subscription, under
from predicat.importing.documents import Document
from predicat.importing.located import at, entries, items, key_span, listed, span_of, text, texts
from predicat.importing.model import Findings, Skip
from predicat.importing.values import Site, Values, shown

_HOLE = re.compile(r"\$\{(!?)([^}]*)\}")


def recognises(document: Document) -> bool:
    """Whether a document is a template: it has resources with types such as AWS::SNS::Topic."""
    return any("::" in texts(at(resource, "Type")) for _, resource in entries(document.data.get("Resources")))


def read(document: Document, findings: Findings) -> None:
    """Takes the filters of the resources of a template."""
    before = len(findings.imported), len(findings.skipped)
    resources(document.data, findings, partial(TemplateValues, document.data))
    if before == (len(findings.imported), len(findings.skipped)):
        findings.skip("template", say.NO_RESOURCE_WITH_FILTER, document.span)


def resources(template: Any, findings: Findings, new: Callable[[], Values]) -> None:
    """Takes the filters of the resources of a template."""
    listed_ = at(template, "Resources")
    for name, resource in entries(listed_):
        kind = texts(at(resource, "Type"))
        if kind in _RESOURCES:
            site = Site(name, f"{kind} {name}", f"Resources.{name}.Properties", key_span(listed_, name))
            _RESOURCES[kind](findings, site, new, at(resource, "Properties"))


def _serverless(findings: Findings, site: Site, new: Callable[[], Values], properties: Any) -> None:
    """The events of a function or a state machine of SAM."""
    events = at(properties, "Events")
    for event, trigger in entries(events):
        kind, title = texts(at(trigger, "Type")), f"{site.title}, event {event}"
        path = f"{site.path}.Events.{event}.Properties"
        inner = Site(f"{site.name}_{event}", title, path, key_span(events, event))
        if kind in _EVENTS:
            _EVENTS[kind](findings, inner, new, at(trigger, "Properties"))
        else:
            findings.skip(title, say.events_without_filter(kind), inner.span)


_POLICY = under("FilterPolicy", subscription, "FilterPolicyScope")
_FILTERS = under("FilterCriteria.Filters", criteria)
_RESOURCES: dict[str, Read] = {
    "AWS::SNS::Subscription": _POLICY,
    "AWS::Events::Rule": under("EventPattern", rule),
    "AWS::Events::Archive": under("EventPattern", rule),
    "AWS::Lambda::EventSourceMapping": _FILTERS,
    "AWS::Pipes::Pipe": under("SourceParameters.FilterCriteria.Filters", criteria),
    "AWS::Serverless::Function": _serverless,
    "AWS::Serverless::StateMachine": _serverless,
}
# What starts a function of SAM, by its type.
_EVENTS: dict[str, Read] = {
    "SNS": _POLICY,
    **dict.fromkeys(("EventBridgeRule", "CloudWatchEvent"), under("Pattern", rule)),
    **dict.fromkeys(("SQS", "Kinesis", "DynamoDB", "MSK", "SelfManagedKafka", "MQ", "DocumentDB"), _FILTERS),
}


class TemplateValues(Values):
    """The functions of templates."""

    def __init__(self, template: Any) -> None:
        super().__init__()
        self.template = template

    def special(self, value: Any) -> Any:
        """The value of a function of templates, such as Ref. Raises Skip."""
        if not isinstance(value, dict) or len(value) != 1:
            return value
        ((name, inner),) = value.items()
        span = span_of(inner, span_of(value))
        match name:
            case "Ref":
                return self.reference(texts(inner), span)
            case "Fn::Sub":
                return self.substituted(inner, span)
            case "Fn::GetAtt":
                return self.parameter(texts(inner) or ".".join(map(str, items(inner))), span)
            case "Fn::ImportValue":
                return self.parameter(_bare(texts(self.filled(inner))), span)
            case "Fn::FindInMap":
                return self.parameter(
                    " ".join(_bare(texts(self.filled(part))) for part in items(inner)), span
                )
            case "Fn::Join" if len(items(inner)) == 2:
                return self.joined(inner[0], inner[1], span)
            case "Fn::ToJsonString":
                return self.filled(inner)
        if name.startswith("Fn::"):
            raise Skip(say.worked_out_with_template(name), span_of(value))
        return value

    def reference(self, name: str, span: Span) -> Any:
        """The value of a parameter, or of the name of a resource."""
        parameter = at(self.template, "Parameters", name)
        kind, default = texts(at(parameter, "Type")), at(parameter, "Default")
        if name == "AWS::NoValue":
            raise Skip(say.NO_VALUE, span)
        if kind == "CommaDelimitedList" or kind.startswith("List<"):
            if default is None:
                raise Skip(say.parameter_is_a_list(name), span)
            return listed([text(part.strip(), span) for part in str(default).split(",")], span)
        if kind == "Number":
            if default is None:
                raise Skip(say.parameter_is_a_number(name), span)
            return float(default) if "." in str(default) else int(default)
        return self.parameter(name, span, default)

    def substituted(self, inner: Any, span: Span) -> Any:
        """A text with `${name}` in it, whose values may be given with it."""
        own = inner[1] if isinstance(inner, list) and len(inner) == 2 else {}
        template = inner[0] if isinstance(inner, list) and inner else inner

        def put(match: re.Match[str]) -> str:
            if match[1]:
                return f"${{{match[2]}}}"
            value = self.filled(own[match[2]]) if match[2] in own else self.reference(match[2], span)
            return shown(value)

        return text(_HOLE.sub(put, texts(template)), span_of(template, span))

    def joined(self, separator: Any, parts: Any, span: Span) -> Any:
        """The parts as one text, with a separator between them. Raises Skip."""
        values = [self.filled(part) for part in items(self.filled(parts))]
        return text(texts(separator).join(map(shown, values)), span)


def _bare(value: str) -> str:
    return _HOLE.sub(lambda match: match[2], value)
