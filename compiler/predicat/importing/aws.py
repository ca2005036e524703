"""The filters of AWS, wherever a manifest has them: SNS filter policies and patterns of EventBridge's
kind.
"""

from typing import Any

from msgspec import Struct

from predicat.diagnostics import Span
from predicat.diagnostics.messages import importing as say
from predicat.importing.documents import Document
from predicat.importing.located import at, items, mapping, span_of, text, texts
from predicat.importing.model import Findings, ImportedFilter, Skip
from predicat.importing.rows import BUS_EVENTS, NOTIFICATIONS
from predicat.importing.values import Values

BODY_SCOPE = "MessageBody"


class Site(Struct, frozen=True):
    """A place where a manifest has a filter: its name, what it belongs to, and the path to it."""

    name: str
    title: str
    path: str
    span: Span


def subscription(findings: Findings, site: Site, values: Values, policy: Any, scope: Any) -> None:
    """Takes the filter policy of an SNS subscription."""
    if not policy:
        findings.skip(site.title, say.NO_FILTER_POLICY, site.span)
        return
    try:
        body = policy_body(values.policy(policy), values.filled(scope))
    except Skip as reason:
        findings.skip(f"{site.title}, {site.path}", reason.reason, reason.span or span_of(policy, site.span))
        return
    in_body = "FilterPolicyScope" in body
    findings.add(
        ImportedFilter(
            site.name,
            site.title,
            site.path,
            "sns",
            body,
            span_of(policy, site.span),
            NOTIFICATIONS,
            on="body" if in_body else None,
            params=values.params,
        )
    )


def policy_body(policy: Any, scope: Any) -> Any:
    """The body of an `sns` filter."""
    if texts(scope) != BODY_SCOPE:
        return policy
    span = span_of(policy)
    return mapping(
        [("FilterPolicyScope", text(BODY_SCOPE, span), span), ("FilterPolicy", policy, span)], span
    )


def pattern(findings: Findings, site: Site, values: Values, event_pattern: Any, without: str) -> str | None:
    """Takes an event pattern. Returns the filter's name."""
    if not event_pattern:
        findings.skip(site.title, without, site.span)
        return None
    try:
        body = values.policy(event_pattern)
    except Skip as reason:
        findings.skip(
            f"{site.title}, {site.path}", reason.reason, reason.span or span_of(event_pattern, site.span)
        )
        return None
    return findings.add(
        ImportedFilter(
            site.name,
            site.title,
            site.path,
            "eventbridge",
            body,
            span_of(event_pattern, site.span),
            BUS_EVENTS,
            on="event",
            params=values.params,
        )
    )


def criteria(findings: Findings, site: Site, new: Any, filters: Any) -> None:
    """Takes the filter criteria of an event source: patterns, one of which has to match."""
    rows = items(filters)
    if not rows:
        findings.skip(site.title, say.NO_FILTER_CRITERIA, site.span)
        return
    names: list[str] = []
    for number, criterion in enumerate(rows):
        name = f"{site.name}_{number + 1}" if len(rows) > 1 else site.name
        inner = Site(name, site.title, f"{site.path}[{number}].Pattern", span_of(criterion, site.span))
        taken = pattern(
            findings, inner, new(), at(criterion, "Pattern") or at(criterion, "pattern"), say.NO_PATTERN
        )
        names += [taken] if taken else []
    if len(rows) > 1 and len(names) == len(rows):
        findings.add(
            ImportedFilter(
                site.name,
                site.title,
                site.path,
                "any",
                list(names),
                site.span,
                BUS_EVENTS,
                uses=tuple(names),
                says="One of its patterns matches.",
            )
        )


# --- what the command line of AWS answers


def recognises(document: Document) -> bool:
    """Whether a document is the attributes of an SNS subscription, or a rule of EventBridge."""
    data = document.data
    return "FilterPolicy" in (at(data, "Attributes") or data) or isinstance(
        data.get("EventPattern"), str | dict
    )


def read(document: Document, findings: Findings) -> None:
    """Takes the filter of a subscription or a rule."""
    data = document.data
    if data.get("EventPattern"):
        name = texts(data.get("Name")) or "rule"
        pattern(
            findings,
            Site(name, f"rule {name}", "EventPattern", document.span),
            Values(),
            data["EventPattern"],
            "",
        )
        return
    inner = at(data, "Attributes") or data
    name = texts(inner.get("SubscriptionArn")).rpartition(":")[0].rpartition(":")[2] or "subscription"
    subscription(
        findings,
        Site(name, f"subscription of {name}", "FilterPolicy", document.span),
        Values(),
        inner["FilterPolicy"],
        inner.get("FilterPolicyScope"),
    )
