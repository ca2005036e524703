"""Reads filters out of the manifests of other systems: one module a kind of manifest, a row of `KINDS`
each.
"""

import re
from collections.abc import Callable, Collection
from pathlib import Path

from msgspec import Struct

from predicat.diagnostics import NOWHERE, Reporter
from predicat.diagnostics.messages import importing as say
from predicat.importing import (
    admission,
    aws,
    cloudformation,
    crd,
    flagd,
    kafka,
    knative,
    kubernetes,
    rabbitmq,
    serverless,
    servicebus,
    tekton,
    terraform,
)
from predicat.importing.documents import Document, documents, files
from predicat.importing.kubernetes import title_of
from predicat.importing.model import Findings


class Kind(Struct, frozen=True):
    """A kind of manifest: what is taken from it, the language that the filters get, and what recognises it:
    the kinds of its documents and a pattern of their apiVersion, or a function.
    """

    name: str
    takes: str
    language: str
    read: Callable[[Document, Findings], None]
    kinds: Collection[str] = ()
    api: str = ""
    found: Callable[[Document], bool] = lambda _document: True

    def recognises(self, document: Document) -> bool:
        """Whether a document is of this kind."""
        data = document.data
        return (
            (not self.kinds or data.get("kind") in self.kinds)
            and re.search(self.api, str(data.get("apiVersion", ""))) is not None
            and self.found(document)
        )


# The kinds of manifests. The first that recognises a document reads it.
KINDS = (
    Kind(
        "Knative",
        "Trigger, ApiServerSource and EventPolicy: filters, or else filter",
        "cloudevents, attributes",
        knative.read,
        ("Trigger", "Broker", "ApiServerSource", "EventPolicy"),
        r"knative\.dev",
    ),
    Kind(
        "Tekton",
        "EventListener and Trigger: filters of CEL interceptors",
        "cel",
        tekton.read,
        ("EventListener", "Trigger"),
        r"tekton\.dev",
    ),
    Kind(
        "Kubernetes policies",
        "ValidatingAdmissionPolicy; Kyverno's and Gatekeeper's policies in CEL: validations, conditions",
        "cel",
        admission.read,
        found=admission.recognises,
    ),
    Kind(
        "Kubernetes definitions",
        "CustomResourceDefinition: x-kubernetes-validations",
        "cel",
        crd.read,
        ("CustomResourceDefinition",),
    ),
    Kind(
        "Kafka Connect",
        "connectors, also Strimzi's and properties files: predicates of transformations, negate",
        "kafka",
        kafka.read,
        found=kafka.recognises,
    ),
    Kind(
        "Kubernetes selectors",
        "Service, Deployment and other workloads, NetworkPolicy, PodDisruptionBudget, ServiceMonitor, "
        "PodMonitor",
        "labels",
        kubernetes.read,
        kubernetes.KINDS,
        r"^(?!.*knative).",
    ),
    Kind(
        "CloudFormation and SAM",
        "SNS subscriptions; rules, archives and pipes of EventBridge; event source mappings",
        "sns, eventbridge",
        cloudformation.read,
        found=cloudformation.recognises,
    ),
    Kind(
        "Serverless Framework",
        "serverless.yml: events of functions, and the resources in it",
        "sns, eventbridge",
        serverless.read,
        found=serverless.recognises,
    ),
    Kind(
        "Azure Service Bus",
        "rules of subscriptions in ARM templates, compiled Bicep and the emulator's configuration: SQL and "
        "correlation filters",
        "servicebus",
        servicebus.read,
        found=servicebus.recognises,
    ),
    Kind(
        "Terraform",
        "the same of AWS and of Azure Service Bus; Google Pub/Sub subscriptions",
        "sns, eventbridge, servicebus, pubsub",
        terraform.read,
        found=terraform.recognises,
    ),
    Kind(
        "RabbitMQ",
        "definitions.json: bindings",
        "rabbitmq, headers",
        rabbitmq.read,
        found=rabbitmq.recognises,
    ),
    Kind(
        "flagd",
        "flags and OpenFeature's FeatureFlag: who gets true, or each variant, by its targeting",
        "jsonlogic",
        flagd.read,
        found=flagd.recognises,
    ),
    Kind(
        "AWS command line",
        "attributes of SNS subscriptions, rules of EventBridge",
        "sns, eventbridge",
        aws.read,
        found=aws.recognises,
    ),
)


def read(paths: tuple[Path, ...], dataset: str | None = None) -> Findings:
    """The filters in files, and in the files of folders. A file that cannot be read is among the problems;
    one of a folder, which may be no manifest at all, is left out.

    `dataset` is that of all filters, by default one for each kind of row.
    """
    findings, reporter, named = Findings(dataset), Reporter(), set(paths)
    for file in files(paths):
        of_file = Reporter()
        found = documents(file, of_file)
        if file in named:
            reporter.extend(of_file.errors)
        else:
            for error in of_file.errors:
                findings.skip("document", say.not_read(error.message), error.span or NOWHERE)
        for document in found:
            try:
                _read(document, findings)
            except _ODD:
                findings.skip(title_of(document.data), say.ODD_MANIFEST, document.span)
    findings.problems.extend(reporter.errors)
    return findings


# What looking into a document raises that is not of the shape that its format has.
_ODD = (LookupError, TypeError, AttributeError, ValueError)


def _read(document: Document, findings: Findings) -> None:
    kind = next((importer for importer in KINDS if importer.recognises(document)), None)
    if kind is not None:
        kind.read(document, findings)
    else:
        findings.skip(title_of(document.data), say.NO_MANIFEST, document.span)


__all__ = ["KINDS", "Kind", "read"]
