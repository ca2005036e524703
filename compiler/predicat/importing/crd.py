"""The CEL rules of CustomResourceDefinitions (`x-kubernetes-validations`): each is a filter of whole objects.

`self` is what the rule is written at: a rule of a part that an object does not have holds, and one below a
list or a map
holds for each of its elements. A rule with `oldSelf` asks only where there was a value before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from predicat.diagnostics import Span
from predicat.diagnostics.messages import importing as say
from predicat.importing.celtext import Cel, cel_of
from predicat.importing.documents import Document
from predicat.importing.kubernetes import title_of
from predicat.importing.located import at, entries, items, key_span, span_of, texts
from predicat.importing.model import Findings, ImportedFilter, Skip
from predicat.importing.rows import OBJECTS
from predicat.language.cel.writer import RESERVED

KEY = "x-kubernetes-validations"
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")
_ESCAPED = re.compile(r"__(?:dot|dash|slash|underscores|[a-z]+)__")
_EACH = {"[]": "item", "{}": "value"}
_DEEP = 60


class _Rule(Struct, frozen=True):
    """A rule, and the way to it: keys, and `[]` or `{}` for the elements of a list or a map."""

    row: Any
    steps: tuple[str, ...]
    number: int


def read(document: Document, findings: Findings) -> None:
    """Takes the rules of the stored version."""
    data = document.data
    versions = items(at(data, "spec", "versions"))
    name = (
        texts(at(data, "spec", "names", "singular")) or texts(at(data, "spec", "names", "kind")) or "object"
    )
    stored = [served for served in versions if at(served, "storage") is True] or versions[:1]
    before = len(findings.imported), len(findings.skipped)
    for version in versions:
        schema = at(version, "schema", "openAPIV3Schema")
        rules = list(_rules(schema, (), 0))
        if version is not stored[0]:
            if rules:
                findings.skip(
                    say.version_of(title_of(data), at(version, "name")),
                    say.ANOTHER_VERSION_STORED,
                    span_of(version),
                )
            continue
        for rule in rules:
            _take(findings, title_of(data), name, rule)
    if before == (len(findings.imported), len(findings.skipped)):
        findings.skip(title_of(data), say.NO_RULES_IN_CEL, document.span)


def _rules(schema: Any, steps: tuple[str, ...], depth: int) -> Iterator[_Rule]:
    if depth > _DEEP or not isinstance(schema, dict):
        return
    for number, rule in enumerate(items(schema.get(KEY))):
        yield _Rule(rule, steps, number)
    for key, inner in entries(schema.get("properties")):
        yield from _rules(inner, (*steps, key), depth + 1)
    yield from _rules(schema.get("items"), (*steps, "[]"), depth + 1)
    yield from _rules(schema.get("additionalProperties"), (*steps, "{}"), depth + 1)


def _take(findings: Findings, title: str, name: str, rule: _Rule) -> None:
    written, path = (
        at(rule.row, "rule"),
        ".".join(rule.steps).replace(".[]", "[]").replace(".{}", "{}") or "the object",
    )
    span: Span = span_of(written, span_of(rule.row))
    keys = [_EACH.get(step, step) for step in rule.steps]
    try:
        cel = _whole(cel_of(texts(written) or "true"), rule)
    except Skip as reason:
        findings.skip(f"{title}, {path}", reason.reason, key_span(rule.row, "rule"))
        return
    findings.add(
        ImportedFilter(
            f"{name}_{'_'.join(keys[-3:]) or 'object'}_{rule.number + 1}",
            title,
            f"{path}, rule {rule.number + 1}",
            "cel",
            cel.text,
            span,
            OBJECTS,
            cel.source,
            says=texts(at(rule.row, "message")),
        )
    )


def _whole(rule: Cel, validation: _Rule) -> Cel:
    """A rule as one of the whole object. Raises Skip."""
    names = {name.partition(".")[0] for name in rule.names()}
    if _ESCAPED.search(rule.text):
        raise Skip(say.ESCAPED_PROPERTY)
    if "oldSelf" in names:
        if "[]" in validation.steps or "{}" in validation.steps:
            raise Skip(say.OLD_SELF_IN_A_LIST)
        if at(validation.row, "optionalOldSelf"):
            raise Skip(say.OPTIONAL_OLD_SELF)
        return _now_and_before(rule, validation.steps)
    return _at("object", validation.steps, rule, 0)


def _now_and_before(rule: Cel, steps: tuple[str, ...]) -> Cel:
    if not steps:
        return rule.within("oldObject == null || cel.bind(self, object, cel.bind(oldSelf, oldObject, ", "))")
    now, before = _Path("object").to(steps), _Path("oldObject").to(steps)
    return rule.within(
        f"!{now.there} || !{before.there} || cel.bind(self, {now.text}, cel.bind(oldSelf, {before.text}, ",
        "))",
    )


class _Path(Struct, frozen=True):
    """A path from a variable, and the question whether there is something."""

    text: str
    there: str = ""

    def to(self, keys: tuple[str, ...]) -> _Path:
        """The path to a member of it."""
        text = self.text
        there = self.there
        for key in keys:
            plain = _IDENTIFIER.match(key) and key not in RESERVED
            quoted = '"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"'
            there = f"has({text}.{key})" if plain else f"({there}{' && ' if there else ''}{quoted} in {text})"
            text = f"{text}.{key}" if plain else f"{text}[{quoted}]"
        return _Path(text, there)


def _at(base: str, steps: tuple[str, ...], rule: Cel, depth: int) -> Cel:
    """A rule at the end of the steps from a variable."""
    count = next((number for number, step in enumerate(steps) if step in ("[]", "{}")), len(steps))
    path, rest = _Path(base).to(steps[:count]), steps[count:]
    absent = f"!{path.there} || " if path.there else ""
    if not rest:
        return rule.within(f"{absent}cel.bind(self, {path.text}, ", ")")
    kind, *further = rest
    inner = f"self{depth or ''}" if further else "self"
    below = _at(inner, tuple(further), rule, depth + 1) if further else rule
    if kind == "[]":
        return below.within(f"{absent}{path.text}.all({inner}, ", ")")
    key = f"key{depth or ''}"
    return below.within(f"{absent}{path.text}.all({key}, cel.bind({inner}, {path.text}[{key}], ", "))")
