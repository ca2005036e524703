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
from predicat.importing import aws
from predicat.importing.documents import Document
from predicat.importing.located import at, entries, items, key_span, listed, span_of, text, texts
from predicat.importing.model import Findings, Skip
from predicat.importing.values import Values, shown

_HOLE = re.compile(r"\$\{(!?)([^}]*)\}")


def recognises(document: Document) -> bool:
    """Whether a document is a template: it has resources with types such as AWS::SNS::Topic."""
    return any("::" in texts(at(resource, "Type")) for _, resource in entries(document.data.get("Resources")))


def read(document: Document, findings: Findings) -> None:
    """Takes the filters of the resources of a template."""
    new = partial(_Values, document.data)
    resources = document.data["Resources"]
    before = len(findings.imported), len(findings.skipped)
    for name, resource in entries(resources):
        read_one = _RESOURCES.get(texts(at(resource, "Type")))
        if read_one is not None:
            read_one(findings, new, name, resource, key_span(resources, name))
    if before == (len(findings.imported), len(findings.skipped)):
        findings.skip("template", say.NO_RESOURCE_WITH_FILTER, document.span)


New = Callable[[], Values]


def _site(name: str, resource: Any, path: str, span: Span) -> aws.Site:
    return aws.Site(name, f"{texts(at(resource, 'Type'))} {name}", path, span)


def _subscription(findings: Findings, new: New, name: str, resource: Any, span: Span) -> None:
    properties = at(resource, "Properties")
    path = f"Resources.{name}.Properties.FilterPolicy"
    aws.subscription(
        findings,
        _site(name, resource, path, span),
        new(),
        at(properties, "FilterPolicy"),
        at(properties, "FilterPolicyScope"),
    )


def _rule(findings: Findings, new: New, name: str, resource: Any, span: Span) -> None:
    path = f"Resources.{name}.Properties.EventPattern"
    aws.pattern(
        findings,
        _site(name, resource, path, span),
        new(),
        at(resource, "Properties", "EventPattern"),
        say.RUNS_AT_TIMES,
    )


def _mapping(findings: Findings, new: New, name: str, resource: Any, span: Span) -> None:
    path = f"Resources.{name}.Properties.FilterCriteria.Filters"
    aws.criteria(
        findings,
        _site(name, resource, path, span),
        new,
        at(resource, "Properties", "FilterCriteria", "Filters"),
    )


def _pipe(findings: Findings, new: New, name: str, resource: Any, span: Span) -> None:
    path = f"Resources.{name}.Properties.SourceParameters.FilterCriteria.Filters"
    aws.criteria(
        findings,
        _site(name, resource, path, span),
        new,
        at(resource, "Properties", "SourceParameters", "FilterCriteria", "Filters"),
    )


def _serverless(findings: Findings, new: New, name: str, resource: Any, _span: Span) -> None:
    """The events of a function or a state machine of SAM."""
    events = at(resource, "Properties", "Events")
    for event, trigger in entries(events):
        properties = at(trigger, "Properties")
        path = f"Resources.{name}.Properties.Events.{event}.Properties"
        site = aws.Site(
            f"{name}_{event}",
            f"{texts(at(resource, 'Type'))} {name}, event {event}",
            path,
            key_span(events, event),
        )
        match texts(at(trigger, "Type")):
            case "SNS":
                aws.subscription(
                    findings,
                    _under(site, "FilterPolicy"),
                    new(),
                    at(properties, "FilterPolicy"),
                    at(properties, "FilterPolicyScope"),
                )
            case "EventBridgeRule" | "CloudWatchEvent":
                aws.pattern(
                    findings, _under(site, "Pattern"), new(), at(properties, "Pattern"), say.RUNS_AT_TIMES
                )
            case "SQS" | "Kinesis" | "DynamoDB" | "MSK" | "SelfManagedKafka" | "MQ" | "DocumentDB":
                aws.criteria(
                    findings,
                    _under(site, "FilterCriteria.Filters"),
                    new,
                    at(properties, "FilterCriteria", "Filters"),
                )
            case kind:
                findings.skip(site.title, say.events_without_filter(kind), site.span)


def _under(site: aws.Site, key: str) -> aws.Site:
    return aws.Site(site.name, site.title, f"{site.path}.{key}", site.span)


_RESOURCES: dict[str, Callable[[Findings, New, str, Any, Span], None]] = {
    "AWS::SNS::Subscription": _subscription,
    "AWS::Events::Rule": _rule,
    "AWS::Events::Archive": _rule,
    "AWS::Lambda::EventSourceMapping": _mapping,
    "AWS::Pipes::Pipe": _pipe,
    "AWS::Serverless::Function": _serverless,
    "AWS::Serverless::StateMachine": _serverless,
}


class _Values(Values):
    """The functions of templates."""

    def __init__(self, template: Any) -> None:
        super().__init__()
        self.template = template

    def special(self, value: Any) -> Any:
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
        values = [self.filled(part) for part in items(self.filled(parts))]
        return text(texts(separator).join(map(shown, values)), span)


def _bare(value: str) -> str:
    return _HOLE.sub(lambda match: match[2], value)
