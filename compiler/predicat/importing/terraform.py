"""Terraform (HCL, and its JSON): SNS subscriptions, EventBridge, event source mappings, Service Bus rules,
Pub/Sub subscriptions.

`${var.x}` and what other resources give become parameters of the filter; locals are put in.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec.structs import replace

from predicat.diagnostics import Span
from predicat.diagnostics.messages import importing as say
from predicat.importing import servicebus
from predicat.importing.aws import Read, criteria, rule, subscription, under
from predicat.importing.documents import Document
from predicat.importing.located import at, entries, items, key_span, span_of, text, texts
from predicat.importing.model import Findings, Skip
from predicat.importing.rows import PUBSUB
from predicat.importing.values import Site, Values, taken

_HOLE = re.compile(r"\$\{((?:[^{}]|\{[^{}]*\})*)\}")
_REFERENCE = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+|\[\d+\])+\Z")
_REPEATED = ("each.", "count.", "self.", "path.", "terraform.")


def recognises(document: Document) -> bool:
    """Whether a document is Terraform's."""
    data = document.data
    return document.form == "hcl" or (
        isinstance(data.get("resource"), dict) and not set(data) & {"apiVersion", "Resources", "$schema"}
    )


def read(document: Document, findings: Findings) -> None:
    """Takes the filters of the resources, and of the inputs of modules."""
    before = len(findings.imported), len(findings.skipped)
    new = partial(_Values, document.data)
    for kind, named in entries(document.data.get("resource")):
        for name, body in entries(named) if kind in _RESOURCES else ():
            block = body[0] if isinstance(body, list) and body else body
            _RESOURCES[kind](findings, Site(name, f"{kind} {name}", "", key_span(named, name)), new, block)
    for name, body in entries(document.data.get("module")):
        for block in body if isinstance(body, list) else [body]:
            _inputs(findings, name, new, block, ())
    if before == (len(findings.imported), len(findings.skipped)):
        findings.skip("module", say.NO_RESOURCE_WITH_FILTER, document.span)


def _inputs(
    findings: Findings, module: str, new: Callable[[], Values], given: Any, path: tuple[str, ...]
) -> None:
    """The filters in the inputs of a module, by the names that resources have for them:
    `rules = {name = {event_pattern = ...}}`, `subscriptions = {name = {filter_policy = ...}}`.
    """
    for key, value in entries(given) if len(path) < _LEVELS else ():
        for inner in value if isinstance(value, list) else [value]:
            if key in _INPUTS and inner:
                title, written = f"module {module}", ".".join(path)
                site = Site("_".join([module, *path[1:]]), title, written, key_span(given, key))
                _INPUTS[key](findings, site, new, given)
                break
            _inputs(findings, module, new, inner, (*path, key))


def _service_bus(findings: Findings, site: Site, new: Callable[[], Values], block: Any) -> None:
    sql, correlation = at(block, "sql_filter"), next(iter(items(at(block, "correlation_filter"))), None)
    site = replace(site, path="sql_filter" if "sql_filter" in block else "correlation_filter")
    servicebus.rule(findings, site, new(), servicebus.Rule(sql, correlation, at(block, "action")))


def _pubsub(findings: Findings, site: Site, new: Callable[[], Values], found: list[Any], _: Any) -> None:
    values = new()
    if found:
        taken(findings, site, values, PUBSUB, "pubsub", lambda: values.filled(found[0]))
    else:
        findings.skip(site.title, say.TAKES_EVERY_MESSAGE, site.span)


_RESOURCES: dict[str, Read] = {
    "aws_sns_topic_subscription": under("filter_policy", subscription, "filter_policy_scope"),
    "aws_cloudwatch_event_rule": under("event_pattern", rule),
    "aws_cloudwatch_event_archive": under("event_pattern", rule),
    "aws_lambda_event_source_mapping": under("filter_criteria.filter", criteria),
    "aws_pipes_pipe": under("source_parameters.filter_criteria.filter", criteria),
    "azurerm_servicebus_subscription_rule": _service_bus,
    "google_pubsub_subscription": under("filter", _pubsub),
}


# How deep the inputs of a module are looked at, and what they are called.
_LEVELS = 6
_INPUTS: dict[str, Read] = {
    "filter_policy": under("filter_policy", subscription, "filter_policy_scope"),
    "event_pattern": under("event_pattern", rule),
    "filter_criteria": under("filter_criteria", criteria),
}


class _Values(Values):
    """Expressions: those that name a variable, a local value or another resource."""

    def __init__(self, module: Any) -> None:
        super().__init__()
        self.module = module

    def special(self, value: Any) -> Any:
        if not isinstance(value, str) or ("${" not in value and "%{" not in value):
            return value
        span = span_of(value)
        if "%{" in value:
            raise Skip(say.TEXT_PUT_TOGETHER, span)
        return self.put_in(value, _HOLE, self.expression)

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
        return self.defined(f"local.{name}", known[name], span)

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
