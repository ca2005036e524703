"""Kubernetes label selectors: as a string (`a=b, tier in (x, y), !c`), as matchLabels and matchExpressions,
as a plain map of labels of a Service, or as a manifest with a selector (Service, Deployment, NetworkPolicy).

`!=` and `notin` accept an object without the key; every other requirement needs it. `>` and `<` compare
integers.
Source: Kubernetes documentation, "Labels and Selectors"; apimachinery, pkg/labels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from predicat.diagnostics import Source, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import selectors as say
from predicat.ir import syntax as t
from predicat.ir.types import BIGINT
from predicat.language.common.body import Body
from predicat.language.common.data import DataReader
from predicat.language.common.trees import all_of, apply, cast_to, decided, negated, present
from predicat.language.labels.spelling import KEY, VALUE, WHOLE

_PARTS = ("matchLabels", "matchExpressions")
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_TOKEN = re.compile(r"\s*(==|!=|=|!|,|\(|\)|>|<|[^\s=!,()<>]+)")


def parse(body: Body) -> t.Tree:
    """The untyped tree of a label selector. Raises PredicatError."""
    reader = _LabelSelectorReader(body)
    if isinstance(body.value, str):
        return reader.tree(lambda: _Words(reader, str(body.value), body.source).selector())
    return reader.tree(lambda: reader.selector(body.value))


class _LabelSelectorReader(DataReader):
    def selector(self, value: Any) -> t.Tree:
        """Reads matchLabels and matchExpressions, or the plain map of a Service. An empty selector accepts
        everything.
        """
        entries = self.mapping(value, say.LABEL_SELECTOR)
        if "kind" in entries and isinstance(entries.get("spec"), Mapping):
            return self.manifest(entries)
        if list(entries) == ["selector"] and isinstance(entries["selector"], Mapping):
            return self.selector(entries["selector"])
        if (
            entries
            and not any(isinstance(inner, Mapping | list) for inner in entries.values())
            and not set(entries) & set(_PARTS)
        ):
            return all_of(
                self.many(entries.items(), lambda entry: self.equals(entries, *entry)), self.span(value)
            )
        entries = self.mapping(value, say.LABEL_SELECTOR, _PARTS)
        labels = self.mapping(entries.get("matchLabels", {}), "matchLabels")
        requirements = self.listed(entries.get("matchExpressions", []), "matchExpressions", 0)
        reads = [
            *(partial(self.equals, labels, name, value) for name, value in labels.items()),
            *(partial(self.expression, one) for one in requirements),
        ]
        parts = self.many(reads, lambda read: read())
        return all_of(parts, self.span(value)) if parts else t.Constant(value=True, span=self.span(value))

    def manifest(self, entries: Mapping[str, Any]) -> t.Tree:
        """Reads the selector of a Service, a workload or a NetworkPolicy."""
        spec = entries["spec"]
        selector = next(
            (spec[key] for key in ("selector", "podSelector") if isinstance(spec.get(key), Mapping)), None
        )
        if selector is None:
            raise self.bad(entries, f"{entries['kind']}", say.no_selector())
        return self.selector(selector)

    def equals(self, labels: Any, name: str, value: Any) -> t.Tree:
        return self.requirement(
            name, "In", [value], self.key_span(labels, name), self.value_span(labels, name)
        )

    def expression(self, value: Any) -> t.Tree:
        entries = self.mapping(value, "a requirement", ("key", "operator", "values"))
        operator = str(entries.get("operator", ""))
        if operator not in OPERATORS:
            hint = msg.did_you_mean(operator, OPERATORS) or f"operators: {', '.join(OPERATORS)}"
            raise self.bad(entries.get("operator", value), "operator", say.no_operator(operator, hint))
        values = self.listed(entries.get("values", []), "values", 0)
        name = entries.get("key", "")
        return self.requirement(
            name, operator, values, self.span(name), self.span(entries.get("values", value))
        )

    def requirement(self, name: Any, operator: str, values: list[Any], at: Span, place: Span) -> t.Tree:
        if not isinstance(name, str) or not KEY.match(name):
            raise self.fail(say.bad_label_key(at, name))
        wanted = {"Exists": (0, 0), "DoesNotExist": (0, 0), "Gt": (1, 1), "Lt": (1, 1)}.get(
            operator, (1, 10_000)
        )
        if not wanted[0] <= len(values) <= wanted[1]:
            raise self.fail(
                say.count_of_label_values(place, operator, wanted[1] if wanted[1] in (0, 1) else None)
            )
        key = self.key(name, at)
        match operator:
            case "Exists":
                return present(key)
            case "DoesNotExist":
                return apply("is_null", at, key)
            case "Gt" | "Lt":
                number = self.number(values[0], place)
                whole = key if self.key_type(name) == BIGINT else cast_to("to_int", key, at)
                return decided(apply(operator.lower(), at, whole, number))
            case _:
                items = tuple(self.value(value, place) for value in values)
                tree = (
                    apply("eq", at, key, items[0])
                    if len(items) == 1
                    else apply("in", at, key, t.ListLiteral(items, place))
                )
                return decided(tree) if operator == "In" else negated(decided(tree))

    def value(self, value: Any, place: Span) -> t.Tree:
        if not isinstance(value, str) or not VALUE.match(value):
            hint = "quote it" if not isinstance(value, str) else say.LABEL_VALUE_LETTERS
            raise self.fail(say.bad_label_value(getattr(value, "span", place), value, hint))
        return t.Constant(str(value), getattr(value, "span", place))

    def number(self, value: Any, place: Span) -> t.Tree:
        if not WHOLE.fullmatch(str(value)):
            raise self.fail(say.label_not_whole(getattr(value, "span", place), value))
        return t.Constant(int(str(value)), place)


class _Words:
    """Reads the string form token by token."""

    def __init__(self, reader: _LabelSelectorReader, text: str, source: Source) -> None:
        self.reader = reader
        self.source = source
        self.words: list[tuple[str, Span]] = []
        at = 0
        while match := _TOKEN.match(text, at):
            self.words.append((match[1], Span(source, match.start(1), match.end())))
            at = match.end()
        self.end = Span(source, len(text), len(text))
        self.at = 0

    def peek(self) -> str:
        return self.words[self.at][0] if self.at < len(self.words) else ""

    def take(self) -> tuple[str, Span]:
        word = self.words[self.at] if self.at < len(self.words) else ("", self.end)
        self.at += 1
        return word

    def selector(self) -> t.Tree:
        parts: list[t.Tree] = []
        while self.peek():
            parts.append(self.requirement())
            if self.peek():
                self.expect(",")
                if not self.peek():
                    raise self.unexpected("", self.end, "a requirement")
        whole = Span(self.source, 0, len(self.source.text))
        return all_of(tuple(parts), whole) if parts else t.Constant(value=True, span=whole)

    def requirement(self) -> t.Tree:
        name, at = self.take()
        if name == "!":
            name, at = self.name()
            return self.reader.requirement(name, "DoesNotExist", [], at, at)
        if not name or name in "=!,()<>":
            raise self.unexpected(name, at, say.LABEL_KEY)
        match self.peek():
            case "=" | "==" | "!=" | ">" | "<":
                operator = {"!=": "NotIn", ">": "Gt", "<": "Lt"}.get(self.take()[0], "In")
                value, place = self.take() if self.peek() not in (",", "") else ("", at)
                return self.reader.requirement(name, operator, [value], at, place)
            case "in" | "notin" as word:
                self.take()
                return self.reader.requirement(name, "In" if word == "in" else "NotIn", self.values(), at, at)
            case _:
                return self.reader.requirement(name, "Exists", [], at, at)

    def name(self) -> tuple[str, Span]:
        word, span = self.take()
        if not word or word in "=!,()<>":
            raise self.unexpected(word, span, say.LABEL_KEY)
        return word, span

    def values(self) -> list[str]:
        self.expect("(")
        values: list[str] = []
        while True:
            if self.peek() in (",", ")"):
                values.append("")
            else:
                values.append(self.name()[0])
            if self.peek() != ",":
                break
            self.take()
        self.expect(")")
        return values

    def expect(self, wanted: str) -> None:
        word, span = self.take()
        if word != wanted:
            raise self.unexpected(word, span, repr(wanted))

    def unexpected(self, word: str, span: Span, wanted: str) -> Exception:
        message = f"unexpected {word!r}" if word else say.ENDS_TOO_EARLY
        return self.reader.fail(say.invalid_label_selector(span, message, wanted))
