"""Terraform (HCL, and its JSON): SNS subscriptions, EventBridge, event source mappings, Service Bus rules,
Pub/Sub subscriptions.

`${var.x}` and what other resources give become parameters of the filter; locals are put in.
"""

import re
from collections.abc import Callable
from typing import Any

from predicat.diagnostics import Span
from predicat.diagnostics.messages import importing as say
from predicat.importing import aws, servicebus
from predicat.importing.documents import Document
from predicat.importing.located import at, entries, items, key_span, source_of, span_of, text, texts
from predicat.importing.model import Findings, ImportedFilter, Skip
from predicat.importing.rows import PUBSUB
from predicat.importing.values import Values, shown

_HOLE = re.compile(r"\$\{((?:[^{}]|\{[^{}]*\})*)\}")
_REFERENCE = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+|\[\d+\])+\Z")
_REPEATED = ("each.", "count.", "self.", "path.", "terraform.")
_DEEP = 20


def recognises(document: Document) -> bool:
    """Whether a document is Terraform's."""
    data = document.data
    return document.form == "hcl" or (
        isinstance(data.get("resource"), dict) and not set(data) & {"apiVersion", "Resources", "$schema"}
    )


def read(document: Document, findings: Findings) -> None:
    """Takes the filters of the resources, and of modules of rules."""
    before = len(findings.imported), len(findings.skipped)
    for kind, named in entries(document.data.get("resource")):
        read_one = _RESOURCES.get(kind)
        if read_one is None:
            continue
        for name, body in entries(named):
            block = body[0] if isinstance(body, list) and body else body
            read_one(
                findings, document.data, aws.Site(name, f"{kind} {name}", "", key_span(named, name)), block
            )
    modules = document.data.get("module")
    for name, block in entries(modules):
        _module(findings, document.data, name, block)
    if before == (len(findings.imported), len(findings.skipped)):
        findings.skip("module", say.NO_RESOURCE_WITH_FILTER, document.span)


def _under(site: aws.Site, key: str) -> aws.Site:
    return aws.Site(site.name, site.title, key, site.span)


def _subscription(findings: Findings, module: Any, site: aws.Site, block: Any) -> None:
    aws.subscription(
        findings,
        _under(site, "filter_policy"),
        _Values(module),
        at(block, "filter_policy"),
        at(block, "filter_policy_scope"),
    )


def _rule(findings: Findings, module: Any, site: aws.Site, block: Any) -> None:
    aws.pattern(
        findings,
        _under(site, "event_pattern"),
        _Values(module),
        at(block, "event_pattern"),
        say.RUNS_AT_TIMES,
    )


def _mapping(findings: Findings, module: Any, site: aws.Site, resource: Any) -> None:
    filters = [
        inner for block in items(at(resource, "filter_criteria")) for inner in items(at(block, "filter"))
    ]
    aws.criteria(findings, _under(site, "filter_criteria.filter"), lambda: _Values(module), filters)


def _pipe(findings: Findings, module: Any, site: aws.Site, resource: Any) -> None:
    filters = [
        inner
        for source in items(at(resource, "source_parameters"))
        for block in items(at(source, "filter_criteria"))
        for inner in items(at(block, "filter"))
    ]
    aws.criteria(
        findings, _under(site, "source_parameters.filter_criteria.filter"), lambda: _Values(module), filters
    )


def _service_bus(findings: Findings, module: Any, site: aws.Site, block: Any) -> None:
    servicebus.rule(
        findings,
        _under(site, "sql_filter" if "sql_filter" in block else "correlation_filter"),
        _Values(module),
        servicebus.Rule(
            at(block, "sql_filter"),
            next(iter(items(at(block, "correlation_filter"))), None),
            at(block, "action"),
        ),
    )


def _pubsub(findings: Findings, module: Any, site: aws.Site, block: Any) -> None:
    condition = at(block, "filter")
    if not condition:
        findings.skip(site.title, say.TAKES_EVERY_MESSAGE, site.span)
        return
    values = _Values(module)
    try:
        body = values.filled(condition)
    except Skip as reason:
        findings.skip(f"{site.title}, filter", reason.reason, reason.span or span_of(condition))
        return
    findings.add(
        ImportedFilter(
            site.name,
            site.title,
            "filter",
            "pubsub",
            body,
            span_of(condition),
            PUBSUB,
            source_of(body),
            params=values.params,
        )
    )


_RESOURCES: dict[str, Callable[[Findings, Any, aws.Site, Any], None]] = {
    "aws_sns_topic_subscription": _subscription,
    "aws_cloudwatch_event_rule": _rule,
    "aws_cloudwatch_event_archive": _rule,
    "aws_lambda_event_source_mapping": _mapping,
    "aws_pipes_pipe": _pipe,
    "azurerm_servicebus_subscription_rule": _service_bus,
    "google_pubsub_subscription": _pubsub,
}


def _module(findings: Findings, module: Any, name: str, body: Any) -> None:
    """The rules of a module for EventBridge: `rules = {name = {event_pattern = ...}}`."""
    for block in body if isinstance(body, list) else [body]:
        rules = at(block, "rules")
        for rule, given in entries(rules):
            if at(given, "event_pattern"):
                site = aws.Site(
                    f"{name}_{rule}",
                    f"module {name}, rule {rule}",
                    f"rules.{rule}.event_pattern",
                    key_span(rules, rule),
                )
                aws.pattern(findings, site, _Values(module), given["event_pattern"], "")


class _Values(Values):
    """Expressions: those that name a variable, a local value or another resource."""

    def __init__(self, module: Any) -> None:
        super().__init__()
        self.module = module
        self.depth = 0

    def special(self, value: Any) -> Any:
        if not isinstance(value, str) or ("${" not in value and "%{" not in value):
            return value
        span = span_of(value)
        if "%{" in value:
            raise Skip(say.TEXT_PUT_TOGETHER, span)
        whole = _HOLE.fullmatch(value)
        if whole is not None:
            return self.expression(whole[1].strip(), span)
        return text(_HOLE.sub(lambda match: shown(self.expression(match[1].strip(), span)), value), span)

    def expression(self, written: str, span: Span) -> Any:
        if written in self.params:  # a value that was filled already
            return text(f"${{{written}}}", span)
        if written.startswith("jsonencode(") and written.endswith(")"):
            return self.expression(written[len("jsonencode(") : -1].strip(), span)
        if _REFERENCE.match(written) is None:
            raise Skip(say.worked_out(" ".join(written.split())[:60]), span)
        if written.startswith(_REPEATED):
            raise Skip(say.differs_between_copies(written), span)
        kind, _, name = written.partition(".")
        if kind == "local":
            return self.local(name, span)
        return (
            self.variable(name, span)
            if kind == "var"
            else self.parameter(written, span, name=written.removeprefix("data."))
        )

    def local(self, name: str, span: Span) -> Any:
        """A local value, which is put in."""
        known = {
            key: value
            for block in items(self.module.get("locals")) or [self.module.get("locals")]
            for key, value in entries(block)
        }
        if name not in known:
            return self.parameter(f"local.{name}", span, name=name)
        self.depth += 1
        if self.depth > _DEEP:
            raise Skip(say.defined_by_itself(name), span)
        result = self.filled(known[name])
        self.depth -= 1
        return result

    def variable(self, name: str, span: Span) -> Any:
        """A variable: a text is a parameter; the default of another type is put in."""
        variable_ = at(self.module, "variable", name)
        variable_ = variable_[0] if isinstance(variable_, list) and variable_ else variable_
        default, kind = at(variable_, "default"), texts(at(variable_, "type")).strip("${}")
        if default is not None and not isinstance(default, str):
            return default
        if kind not in ("", "string", "any"):
            raise Skip(say.variable_given(name, kind), span)
        return self.parameter(f"var.{name}", span, default, name)
