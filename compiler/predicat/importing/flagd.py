"""Feature flags of flagd: which contexts get a variant of a flag by its targeting, also in the FeatureFlag of
OpenFeature's operator. The result of a targeting is the name of a variant, a boolean with that name, or null
for the default variant. Of a flag whose variants are true and false, the filter is which contexts get true;
of any other flag there is a filter for each variant. Source: flagd, "Flag Definitions".
"""

from collections.abc import Iterator, Mapping
from typing import Any

from predicat.diagnostics import Span
from predicat.diagnostics.messages import importing as say
from predicat.diagnostics.messages.jsonlogic import REFUSED
from predicat.importing.documents import Document
from predicat.importing.kubernetes import title_of
from predicat.importing.located import at, entries, items, key_span, listed, mapping, span_of, text, texts
from predicat.importing.model import Findings, ImportedFilter, Skip
from predicat.importing.rows import CONTEXTS

_BOOLEANS = {"true": True, "false": False}


def recognises(document: Document) -> bool:
    """Whether a document has flags with variants."""
    flags = _definition(document.data).get("flags")
    return isinstance(flags, dict) and any(isinstance(at(flag, "variants"), dict) for flag in flags.values())


def read(document: Document, findings: Findings) -> None:
    """Takes the filters of each flag that has a targeting."""
    definition = _definition(document.data)
    shared = definition.get("$evaluators")
    of = f"{title_of(document.data)}, " if "kind" in document.data else ""
    for name, flag in entries(definition.get("flags")):
        title, span = f"{of}flag {name}", key_span(definition["flags"], name)
        try:
            rule = _inlined(at(flag, "targeting"), shared if isinstance(shared, dict) else {}, ())
        except Skip as reason:
            findings.skip(title, reason.reason, reason.span or span)
            continue
        if not rule or texts(at(flag, "state")) == "DISABLED":
            findings.skip(title, say.NO_TARGETING if not rule else say.FLAG_DISABLED, span)
            continue
        if refused := [operator for operator in _operators(rule) if operator in REFUSED]:
            findings.skip(title, say.no_operator(refused[0], REFUSED[refused[0]][0]), span)
            continue
        for own, variants, says in _wanted(name, flag):
            body = _chosen(rule, variants, default=texts(at(flag, "defaultVariant")) in variants)
            place = span_of(at(flag, "targeting"), span)
            findings.add(
                ImportedFilter(
                    own, title, "targeting", "jsonlogic", body, place, CONTEXTS, on="context", says=says
                )
            )


def _definition(data: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = at(data, "spec", "flagSpec")
    return inner if isinstance(inner, dict) else data


def _wanted(name: str, flag: Any) -> list[tuple[str, list[str], str]]:
    """The filters of a flag: name, variants, and what the filter says."""
    variants = at(flag, "variants") or {}
    if variants and all(isinstance(value, bool) for value in variants.values()):
        return [(name, [key for key, value in variants.items() if value], say.FLAG_IS_ON)]
    return [(f"{name}_{variant}", [variant], say.gets_variant(variant)) for variant in variants]


def _chosen(rule: Any, variants: list[str], *, default: bool) -> Any:
    """The rule that is true of the contexts that get one of the variants."""
    span = span_of(rule)
    names = [
        *(text(name, span) for name in variants),
        *(_BOOLEANS[name] for name in variants if name in _BOOLEANS),
    ]
    found = _call("in", span, rule, listed(names, span))
    return _call("or", span, found, _call("==", span, rule, None)) if default else found


def _call(operator: str, span: Span, *args: Any) -> Any:
    return mapping([(operator, listed(args, span), span)], span)


def _operators(rule: Any) -> Iterator[str]:
    """The keys of a rule at every depth."""
    for key, value in entries(rule):
        yield key
        yield from _operators(value)
    for part in items(rule):
        yield from _operators(part)


def _inlined(rule: Any, shared: Mapping[str, Any], inside: tuple[str, ...]) -> Any:
    """A rule with the shared ones for their `$ref`. Raises Skip for one that is not there."""
    if isinstance(rule, list):
        return listed((_inlined(one, shared, inside) for one in rule), span_of(rule))
    if not isinstance(rule, dict):
        return rule
    if list(rule) == ["$ref"]:
        name = texts(rule["$ref"])
        if name not in shared or name in inside:
            raise Skip(say.no_evaluator(name), span_of(rule))
        return _inlined(shared[name], shared, (*inside, name))
    return mapping(
        ((key, _inlined(value, shared, inside), key_span(rule, key)) for key, value in rule.items()),
        span_of(rule),
    )
