"""Knative: the filters of Triggers, and of ApiServerSources and EventPolicies. `filters` goes before
`filter`; neither accepts all.
"""

from typing import Any

from predicat.diagnostics.messages import importing as say
from predicat.importing.documents import Document
from predicat.importing.kubernetes import title_of
from predicat.importing.located import at, entries, span_of
from predicat.importing.model import Findings, ImportedFilter
from predicat.importing.rows import EVENTS


def read(document: Document, findings: Findings) -> None:
    """Takes the filter of a Knative document."""
    data = document.data
    title, spec = title_of(data), at(data, "spec")
    if data["kind"] == "Broker":
        findings.skip(title, say.BROKER_WITHOUT_FILTER, document.span)
        return
    filters, only = at(spec, "filters"), at(spec, "filter")
    if filters and only:
        findings.skip(f"{title}, spec.filter", say.FILTERS_GO_FIRST, span_of(only, document.span))
    language, body, path = _body(filters, only)
    if path == "spec" and data["kind"] != "Trigger":
        findings.skip(title, say.NO_FILTERS, document.span)
        return
    name = str(at(data, "metadata", "name") or at(data, "metadata", "generateName") or data["kind"])
    findings.add(
        ImportedFilter(
            name,
            title,
            path,
            language,
            body,
            span_of(body, document.span),
            EVENTS,
            says="" if path != "spec" else "It has no filter and accepts every event.",
        )
    )


def _body(filters: Any, only: Any) -> tuple[str, Any, str]:
    """The language, the body and its path."""
    if filters:
        return "cloudevents", filters, "spec.filters"
    if only is not None and "sourceAndType" in only:
        return "sourceAndType", only["sourceAndType"], "spec.filter.sourceAndType"
    if only is not None and entries(attributes := at(only, "attributes")):
        return "attributes", attributes, "spec.filter.attributes"
    return "attributes", {}, "spec"
