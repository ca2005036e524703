"""The filters of AWS, wherever a manifest has them: SNS filter policies and patterns of EventBridge's
kind.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec.structs import replace

from predicat.diagnostics.messages import importing as say
from predicat.importing.documents import Document
from predicat.importing.located import at, entries, mapping, span_of, text, texts
from predicat.importing.model import Findings, ImportedFilter, Rows, Skip
from predicat.importing.rows import BUS_EVENTS, NOTIFICATIONS, SOURCE_RECORDS
from predicat.importing.values import Site, Values, taken

_BODY_SCOPE = "MessageBody"


# Takes the filters of a resource. The path of the site leads to it.
Read = Callable[[Findings, Site, Callable[[], Values], Any], None]
# Takes filters: those that are at the path of the site, and what stands beside them.
Take = Callable[[Findings, Site, Callable[[], Values], list[Any], Any], Any]


def under(path: str, take: Take, beside: str = "") -> Read:
    """The reader of a resource whose filters are at a path of keys. Lists there are blocks of Terraform."""

    def read(findings: Findings, site: Site, new: Callable[[], Values], resource: Any) -> None:
        found = [resource]
        for key in path.split("."):
            below = [at(part, key) for part in found]
            found = [one for part in below for one in (part if isinstance(part, list) else [part])]
        whole = replace(site, path=f"{site.path}.{path}".lstrip("."))
        take(findings, whole, new, [part for part in found if part], at(resource, beside))

    return read


def subscription(
    findings: Findings, site: Site, new: Callable[[], Values], policies: list[Any], scope: Any
) -> None:
    """Takes the filter policy of an SNS subscription."""
    if not policies:
        findings.skip(site.title, say.NO_FILTER_POLICY, site.span)
        return
    values, policy = new(), policies[0]
    on = "body" if texts(values.filled(scope)) == _BODY_SCOPE else None
    taken(
        findings,
        site,
        values,
        NOTIFICATIONS,
        "sns",
        lambda: _policy_body(values.policy(policy), values.filled(scope)),
        policy,
        on,
    )


def _policy_body(policy: Any, scope: Any) -> Any:
    """The body of an `sns` filter."""
    if texts(scope) != _BODY_SCOPE:
        return policy
    span = span_of(policy)
    return mapping(
        [("FilterPolicyScope", text(_BODY_SCOPE, span), span), ("FilterPolicy", policy, span)], span
    )


def rule(
    findings: Findings, site: Site, new: Callable[[], Values], patterns: list[Any], _beside: Any = None
) -> str | None:
    """Takes an event pattern. Returns the filter's name."""
    if not patterns:
        findings.skip(site.title, say.RUNS_AT_TIMES, site.span)
        return None
    return _pattern(findings, site, new(), patterns[0], BUS_EVENTS)


def _pattern(findings: Findings, site: Site, values: Values, pattern: Any, rows: Rows) -> str | None:
    on = "event" if rows is BUS_EVENTS else None
    body = partial(values.policy, pattern)
    return taken(findings, site, values, rows, "eventbridge", body, pattern, on)


def _rows_of(patterns: list[Any], new: Callable[[], Values]) -> Rows:
    """What patterns of an event source are about: the content of its records, if they read nothing else."""
    keys: set[str] = set()
    for pattern in patterns:
        try:
            keys |= dict(entries(new().policy(pattern))).keys()
        except Skip:
            return BUS_EVENTS
    return SOURCE_RECORDS if keys and keys <= SOURCE_RECORDS.fields.keys() else BUS_EVENTS


def criteria(
    findings: Findings, site: Site, new: Callable[[], Values], rows: list[Any], _beside: Any = None
) -> None:
    """Takes the filter criteria of an event source: patterns, one of which has to match."""
    if not rows:
        findings.skip(site.title, say.NO_FILTER_CRITERIA, site.span)
        return
    names: list[str] = []
    patterns = [at(criterion, "Pattern") or at(criterion, "pattern") for criterion in rows]
    kind = _rows_of([pattern for pattern in patterns if pattern], new)
    for number, (criterion, given) in enumerate(zip(rows, patterns, strict=True)):
        name = f"{site.name}_{number + 1}" if len(rows) > 1 else site.name
        inner = Site(name, site.title, f"{site.path}[{number}].Pattern", span_of(criterion, site.span))
        if not given:
            findings.skip(inner.title, say.NO_PATTERN, inner.span)
            continue
        name_ = _pattern(findings, inner, new(), given, kind)
        names += [name_] if name_ else []
    if len(rows) > 1 and len(names) == len(rows):
        findings.add(
            ImportedFilter(
                site.name,
                site.title,
                site.path,
                "any",
                list(names),
                site.span,
                kind,
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
        site = Site(name, f"rule {name}", "EventPattern", document.span)
        rule(findings, site, Values, [data["EventPattern"]])
        return
    inner = at(data, "Attributes") or data
    name = texts(inner.get("SubscriptionArn")).rpartition(":")[0].rpartition(":")[2] or "subscription"
    site = Site(name, f"subscription of {name}", "", document.span)
    under("FilterPolicy", subscription, "FilterPolicyScope")(findings, site, Values, inner)
