"""Kafka Connect: which records the transformations of a connector are applied to, by their predicates and
`negate`.

The transformation Filter drops the records that it is applied to, so its filter is the negation. A
configuration is flat
(`transforms.t.type`), is under `config` (REST) or `spec.config` (Strimzi), or in a properties file.
"""

from typing import Any

from predicat.diagnostics.messages import importing as say
from predicat.importing.documents import Document
from predicat.importing.kubernetes import title_of
from predicat.importing.located import at, key_span, mapping, span_of, texts
from predicat.importing.model import Findings, ImportedFilter
from predicat.importing.rows import RECORDS
from predicat.language.kafka.reader import FILTER, SETTINGS, applied, configuration, settings, words

# Transformations with a condition in a language that is no filter language.
_FOREIGN = {
    "io.debezium.transforms.Filter": say.CONDITION_IS_A_SCRIPT,
    "io.debezium.transforms.ContentBasedRouter": say.CONDITION_IS_A_SCRIPT,
    "io.confluent.connect.transforms.Filter$Value": say.CONDITION_IS_A_JSONPATH,
    "io.confluent.connect.transforms.Filter$Key": say.CONDITION_IS_A_JSONPATH,
}


def recognises(document: Document) -> bool:
    """Whether a document configures a connector."""
    return configuration(document.data) is not None or document.data.get("kind") == "KafkaConnector"


def read(document: Document, findings: Findings) -> None:
    """Takes a filter for each transformation that has a predicate, and for each predicate that none has."""
    data = document.data
    config = configuration(data) or {}
    name = str(at(data, "metadata", "name") or data.get("name") or config.get("name") or "connector")
    title = title_of(data) if "kind" in data else f"connector {name}"
    rows = applied(config)
    for transform in rows:
        says = say.records_of(transform.transform, transform.drops)
        _predicate(
            findings,
            config,
            title,
            f"{name}_{transform.transform}",
            transform.predicate,
            negate=transform.negate,
            says=says,
        )
    for predicate in words(config.get("predicates")):
        if predicate not in {transform.predicate for transform in rows}:
            _predicate(
                findings,
                config,
                title,
                f"{name}_{predicate}",
                predicate,
                negate=False,
                says=say.PREDICATE_NOT_USED,
            )
    _without(findings, config, title, {transform.transform for transform in rows})
    if not words(config.get("transforms")) and not config.get("predicates"):
        findings.skip(title, say.NO_TRANSFORMATION, document.span)


def _without(findings: Findings, config: Any, title: str, known: set[str]) -> None:
    """Tells the transformations without a predicate, or with a condition of their own."""
    for transform in words(config.get("transforms")):
        kind = texts(config.get(f"transforms.{transform}.type"))
        if kind in _FOREIGN or transform not in known:
            reason = _FOREIGN.get(kind) or (
                say.DROPS_EVERY_RECORD if kind == FILTER else say.APPLIED_TO_EVERY_RECORD
            )
            findings.skip(
                f"{title}, transforms.{transform}", reason, key_span(config, f"transforms.{transform}.type")
            )


def _predicate(
    findings: Findings, config: Any, title: str, name: str, predicate: str, *, negate: bool, says: str
) -> None:
    prefix, path = f"predicates.{predicate}.", f"predicates.{predicate}"
    values = settings(config, predicate)
    span = key_span(config, f"{prefix}type")
    if not values:
        findings.skip(f"{title}, {path}", say.UNKNOWN_TYPE, span_of(config))
        return
    for key in values:
        if key not in SETTINGS:
            findings.skip(f"{title}, {path}.{key}", say.NO_SETTING, key_span(config, prefix + key))
    body = mapping(
        ((key, value, key_span(config, prefix + key)) for key, value in values.items() if key in SETTINGS),
        span,
    )
    if negate:
        body["negate"] = True
        body.key_spans["negate"] = span
    findings.add(ImportedFilter(name, title, path, "kafka", body, span, RECORDS, says=says))
