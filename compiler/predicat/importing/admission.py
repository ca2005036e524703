"""Policies of Kubernetes in CEL: ValidatingAdmissionPolicies, and those of Kyverno and Gatekeeper that are
written alike.

Each validation is a filter, which accepts what is valid; so is each match condition. The policy itself is
composed of them: it
accepts a request that a condition does not match, or that all validations accept. Variables are put in.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from predicat.diagnostics import Span
from predicat.diagnostics.messages import importing as say
from predicat.importing.celtext import Cel, cel_of
from predicat.importing.documents import Document
from predicat.importing.kubernetes import name_of, title_of
from predicat.importing.located import at, items, key_span, span_of, text, texts
from predicat.importing.model import Findings, ImportedFilter, Skip
from predicat.importing.rows import ADMISSION

_POLICIES = ("ValidatingAdmissionPolicy", "ValidatingPolicy", "NamespacedValidatingPolicy")
_KYVERNO = ("ClusterPolicy", "Policy")
# Of a deletion anyObject is the old object.
_GATEKEEPER = {"variables.anyObject": "object", "variables.params": "params.spec.parameters"}


class _Policy(Struct, frozen=True):
    """A policy of any kind: `spec` has validations and variables, `path` leads there."""

    name: str
    title: str
    path: str
    span: Span
    spec: Any
    validations: str
    conditions: Any
    failure: str = "Fail"
    given: Mapping[str, str] = {}
    """Variables that policies of its kind have without a definition."""


def recognises(document: Document) -> bool:
    """Whether a document is a policy with expressions."""
    kind = document.data.get("kind")
    if kind in _KYVERNO:
        return "kyverno.io" in str(document.data.get("apiVersion", ""))
    return kind in _POLICIES or (
        kind == "ConstraintTemplate" and any(True for _ in _gatekeeper(document.data))
    )


def read(document: Document, findings: Findings) -> None:
    """Takes the validations and the conditions of a policy."""
    policies = list(_policies(document, findings))
    if not policies and document.data["kind"] not in _KYVERNO:
        findings.skip(title_of(document.data), say.NO_VALIDATIONS, document.span)
    for policy in policies:
        _PolicyReader(policy, findings).read()


def _policies(document: Document, findings: Findings) -> Iterator[_Policy]:
    data = document.data
    kind, name, title, spec = data["kind"], name_of(data), title_of(data), data.get("spec")
    if kind in _POLICIES:
        for key in sorted(
            {"matchConstraints", "autogen", "auditAnnotations", "evaluation"}
            & set(spec if isinstance(spec, dict) else ())
        ):
            findings.skip(f"{title}, spec.{key}", say.SAYS_WHICH_REQUESTS_OR_HOW, key_span(spec, key))
        yield _Policy(
            name,
            title,
            "spec",
            document.span,
            spec,
            "validations",
            at(spec, "matchConditions"),
            texts(at(spec, "failurePolicy")) or "Fail",
        )
    elif kind == "ConstraintTemplate":
        for number, inner in enumerate(_gatekeeper(data)):
            yield _Policy(
                f"{name}_{number + 1}" if number else name,
                title,
                "spec.targets.code.source",
                span_of(inner, document.span),
                inner,
                "validations",
                at(inner, "matchConditions"),
                texts(at(inner, "failurePolicy")) or "Fail",
                _GATEKEEPER,
            )
    else:
        yield from _kyverno(document, findings, name, title, spec)


def _gatekeeper(data: Any) -> Iterator[Any]:
    """The CEL in a constraint template."""
    for target in items(at(data, "spec", "targets")):
        for code in items(at(target, "code")):
            if at(code, "engine") == "K8sNativeValidation":
                yield at(code, "source")


def _kyverno(document: Document, findings: Findings, name: str, title: str, spec: Any) -> Iterator[_Policy]:
    """The rules of a Kyverno policy that are CEL."""
    for number, rule in enumerate(items(at(spec, "rules"))):
        where = f"{title}, spec.rules[{number}]"
        cel = at(rule, "validate", "cel")
        if cel is None:
            findings.skip(where, say.NO_RULE_IN_CEL, span_of(rule, document.span))
            continue
        if "match" in rule or "exclude" in rule:
            findings.skip(f"{where}.match", say.SAYS_WHICH_REQUESTS, key_span(rule, "match"))
        rules = items(at(spec, "rules"))
        yield _Policy(
            f"{name}_{texts(at(rule, 'name'))}" if len(rules) > 1 else name,
            title,
            f"spec.rules[{number}].validate.cel",
            span_of(rule, document.span),
            cel,
            "expressions",
            at(rule, "celPreconditions"),
        )


class _PolicyReader:
    def __init__(self, policy: _Policy, findings: Findings) -> None:
        self.policy = policy
        self.found = findings
        self.variables = {name: cel_of(text(written, policy.span)) for name, written in policy.given.items()}

    def read(self) -> None:
        policy = self.policy
        for item in items(at(policy.spec, "variables")):
            if isinstance(at(item, "expression"), str):
                self.variables[f"variables.{at(item, 'name')}"] = cel_of(item["expression"]).inlined(
                    self.variables
                )
        rows = items(at(policy.spec, policy.validations))
        if not rows:
            self.found.skip(policy.title, say.NO_VALIDATIONS, policy.span)
            return
        alone = len(rows) == 1 and not policy.conditions
        conditions = [
            self.expression(
                f"{policy.name}_{texts(at(item, 'name')) or number + 1}",
                item,
                f"matchConditions[{number}]",
                say.POLICY_APPLIES,
            )
            for number, item in enumerate(items(policy.conditions))
        ]
        wanted = [
            self.expression(
                policy.name if alone else f"{policy.name}_{number + 1}",
                item,
                f"{policy.path}.{policy.validations}[{number}]",
                texts(at(item, "message")),
                alone=alone,
            )
            for number, item in enumerate(rows)
        ]
        if alone:
            return
        parts = [*conditions, *wanted]
        if None in parts:
            self.found.skip(say.as_a_whole(policy.title), say.PARTS_LEFT_OUT, policy.span)
            return
        self.composed([name for name in conditions if name], [name for name in wanted if name])

    def composed(self, conditions: list[str], wanted: list[str]) -> None:
        """The policy as one filter."""
        policy = self.policy
        on_unknown = "accept" if policy.failure == "Ignore" else "reject"
        language, body = "all", list[Any](wanted)
        if conditions:
            language, body = (
                "any",
                [
                    {"not": {"all": conditions} if len(conditions) > 1 else conditions[0]},
                    {"all": wanted} if len(wanted) > 1 else wanted[0],
                ],
            )
        self.found.add(
            ImportedFilter(
                policy.name,
                policy.title,
                policy.path,
                language,
                body,
                policy.span,
                ADMISSION,
                on_unknown=on_unknown,
                says=say.WHOLE_POLICY,
                uses=(*conditions, *wanted),
            )
        )

    def expression(self, name: str, item: Any, path: str, says: str, *, alone: bool = False) -> str | None:
        """Takes an expression; None where it is left out."""
        written = at(item, "expression")
        title = self.policy.title
        try:
            cel = cel_of(_text(written)).inlined(self.variables)
            _check_names(cel)
        except Skip as reason:
            self.found.skip(
                f"{title}, {path}", reason.reason, span_of(written, span_of(item, self.policy.span))
            )
            return None
        accept = alone and self.policy.failure == "Ignore"
        return self.found.add(
            ImportedFilter(
                name,
                title,
                path,
                "cel",
                cel.text.rstrip(),
                span_of(written),
                ADMISSION,
                cel.source,
                says=says,
                on_unknown="accept" if accept else "reject",
            )
        )


def _text(written: Any) -> str:
    """An expression. Raises Skip where there is none."""
    if not isinstance(written, str):
        raise Skip(say.NO_EXPRESSION)
    return written


def _check_names(cel: Cel) -> None:
    """Raise Skip for an expression about what no row has."""
    for name in sorted(cel.names()):
        first, _, rest = name.partition(".")
        if first in say.OUTSIDE_A_REQUEST and (rest or first == "authorizer"):
            raise Skip(say.OUTSIDE_A_REQUEST[first])
