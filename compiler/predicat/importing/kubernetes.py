"""Label selectors of Kubernetes: Services, workloads, NetworkPolicies, disruption budgets and monitors."""

from typing import Any

from msgspec import Struct

from predicat.diagnostics.messages import importing as say
from predicat.importing.documents import Document
from predicat.importing.located import at, entries, items, span_of
from predicat.importing.model import Findings, ImportedFilter, Rows
from predicat.importing.rows import PODS, SERVICES


class _Selector(Struct, frozen=True):
    """Where a kind has its selector, what that selects, and what it means that it is missing."""

    key: str
    rows: Rows = PODS
    without: str = "it has no selector"


_WORKLOAD = _Selector("selector")
KINDS = {
    "Service": _Selector("selector", without="it has no selector: its endpoints are defined by hand"),
    **dict.fromkeys(
        ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "PodDisruptionBudget", "PodMonitor"),
        _WORKLOAD,
    ),
    "Job": _Selector("selector", without="it has no selector: Kubernetes creates one"),
    "ReplicationController": _WORKLOAD,
    "NetworkPolicy": _Selector("podSelector"),
    "ServiceMonitor": _Selector("selector", SERVICES),
}
_PEERS = (("ingress", "from"), ("egress", "to"))


def title_of(data: Any) -> str:
    """How a report names an object of Kubernetes: its kind, namespace and name."""
    name = str(at(data, "metadata", "name") or at(data, "metadata", "generateName") or "")
    namespace = at(data, "metadata", "namespace")
    return f"{data.get('kind', 'document')} {f'{namespace}/' if namespace and name else ''}{name}".rstrip()


def name_of(data: Any) -> str:
    """What filters of an object of Kubernetes are called after: its name, or else its kind."""
    return str(at(data, "metadata", "name") or data["kind"])


def read(document: Document, findings: Findings) -> None:
    """Takes the selector of an object, and those of the peers of a NetworkPolicy."""
    data, spec = document.data, at(document.data, "spec")
    kind = KINDS[data["kind"]]
    selector = at(spec, kind.key)
    if isinstance(selector, dict):
        _take(
            document,
            findings,
            kind.rows,
            name_of(data),
            selector,
            f"spec.{kind.key}",
        )
    else:
        findings.skip(title_of(data), kind.without, document.span)
    if data["kind"] == "NetworkPolicy":
        _peers(document, findings)


def _take(document: Document, findings: Findings, rows: Rows, name: str, selector: Any, path: str) -> None:
    says = "" if selector else "It is empty and selects all."
    findings.add(
        ImportedFilter(
            name,
            title_of(document.data),
            path,
            "labels",
            selector,
            span_of(selector, document.span),
            rows,
            says=says,
        )
    )


def _peers(document: Document, findings: Findings) -> None:
    """The pods that traffic of a policy comes from or goes to."""
    data = document.data
    name = name_of(data)
    for direction, key in _PEERS:
        for number, rule in enumerate(items(at(data, "spec", direction))):
            for place, peer in enumerate(items(at(rule, key))):
                path = f"spec.{direction}[{number}].{key}[{place}]"
                for kind, selector in entries(peer):
                    if kind == "podSelector" and "namespaceSelector" not in peer:
                        _take(
                            document,
                            findings,
                            PODS,
                            f"{name}_{key}_{number + 1}_{place + 1}",
                            selector,
                            f"{path}.podSelector",
                        )
                    elif kind != "podSelector":
                        findings.skip(
                            f"{title_of(data)}, {path}.{kind}", say.NAMESPACES_OR_ADDRESSES, span_of(selector)
                        )
                    else:
                        findings.skip(
                            f"{title_of(data)}, {path}.{kind}", say.WITH_NAMESPACE_SELECTOR, span_of(selector)
                        )
