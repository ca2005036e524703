"""Reading bodies that are data (YAML or JSON): their spans, their problems, the keys that they read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from predicat.diagnostics import Diagnostic, Reporter, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import Reason, shown
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.messages import policies as say
from predicat.ir import syntax as t
from predicat.ir.limits import MAX_DEPTH, MAX_NODES
from predicat.ir.types import JSON, STRING, MapType, StructType, Type
from predicat.ir.values import INT_MAX
from predicat.language.common.body import Body


class Stop(Exception):
    """A part has a problem that is reported already."""


class DataReader:
    """Reads the data of one body. All its problems are collected."""

    def __init__(self, body: Body) -> None:
        self.whole = body.span
        self.on = body.on
        self.fields = body.fields
        self.reporter = Reporter()
        self.parts = 0

    def tree(self, read: Callable[[], t.Tree]) -> t.Tree:
        """The result of `read`. Raises PredicatError with every problem."""
        try:
            return read()
        except Stop:
            self.reporter.raise_errors()
            raise

    def fail(self, diagnostic: Diagnostic) -> Stop:
        """Report a problem. Returns the exception to raise."""
        self.reporter.add(diagnostic)
        return Stop()

    def bad(self, value: Any, what: str, reason: Reason) -> Stop:
        """Report a value that `what` does not support. Returns the exception to raise."""
        return self.fail(msg.bad_value(self.span(value), what, reason.text, reason.hint))

    # --- places

    def span(self, value: Any) -> Span:
        """The span of a value. Data without places get the span of the whole body."""
        span: Span = getattr(value, "span", self.whole)
        return span

    def key_span(self, body: Any, key: object) -> Span:
        """The span of a key; the span of the mapping for data without places."""
        places: dict[object, Span] = getattr(body, "key_spans", {})
        return places.get(key, self.span(body))

    def value_span(self, body: Any, key: object) -> Span:
        """The span of the value of a key. Numbers, booleans and null have none of their own."""
        places: dict[object, Span] = getattr(body, "value_spans", {})
        return places.get(key) or getattr(body[key], "span", None) or self.key_span(body, key)

    def item_span(self, body: Any, index: int) -> Span:
        """The span of an item of a list."""
        places: list[Span] = getattr(body, "item_spans", [])
        return places[index] if index < len(places) else getattr(body[index], "span", None) or self.span(body)

    # --- shapes

    def mapping(self, value: Any, what: str, known: Iterable[str] | None = None) -> Mapping[str, Any]:
        """A mapping with known keys only. Raises Stop for anything else."""
        if not isinstance(value, Mapping):
            raise self.fail(say_keys.wrong_kind(self.span(value), what, "a mapping", kind(value)))
        if known is not None:
            known = tuple(known)
            unknown = [key for key in value if key not in known]
            for key in unknown:
                self.reporter.add(say_keys.unknown_key(self.key_span(value, key), str(key), what, known))
            if unknown:
                raise Stop
        return value

    def only(self, value: Any, what: str, known: Iterable[str]) -> tuple[str, Any]:
        """The one entry of a mapping with one key."""
        entries = self.mapping(value, what, known)
        if len(entries) != 1:
            raise self.bad(value, what, say.one_key(len(entries), ", ".join(known)))
        ((key, inner),) = entries.items()
        return key, inner

    def listed(self, value: Any, what: str, least: int = 1) -> list[Any]:
        """The value as a list of at least `least` elements. Raises Stop for anything else."""
        if not isinstance(value, list):
            raise self.fail(say_keys.wrong_kind(self.span(value), what, "a list", kind(value)))
        if len(value) < least:
            raise self.bad(value, what, say.least_values(least))
        return value

    def text(self, value: Any, what: str, *, empty: bool = False, place: Span | None = None) -> str:
        """A string. `place` is the span for the message if it is not a string."""
        if not isinstance(value, str):
            raise self.fail(say_keys.wrong_kind(place or self.span(value), what, "a string", kind(value)))
        if not value and not empty:
            raise self.fail(say.empty_text(place or self.span(value), what))
        return str(value)

    def deep(self, value: Any, depth: int) -> None:
        """Limits the depth and the number of parts of a body."""
        self.parts += 1
        if self.parts > MAX_NODES:
            self.reporter.add(msg.too_large(self.whole, self.parts, MAX_NODES, "parts"))
            self.reporter.raise_errors()
        if depth > MAX_DEPTH:
            raise self.fail(msg.too_deep(self.span(value), MAX_DEPTH))

    def many(self, values: Iterable[Any], read: Callable[[Any], t.Tree]) -> tuple[t.Tree, ...]:
        """The trees of several parts. All their problems are reported."""
        out: list[t.Tree] = []
        stopped = False
        for value in values:
            try:
                out.append(read(value))
            except Stop:
                stopped = True
        if stopped:
            raise Stop
        return tuple(out)

    def in_64_bits(self, value: int, span: Span) -> int | float:
        """An integer of 64 bits; a longer one as a double. Raises Stop for one that no double holds."""
        if abs(value) <= INT_MAX:
            return value
        try:
            return float(value)
        except OverflowError:
            raise self.fail(say.no_double(span, "the number")) from None

    # --- keys

    def key(self, name: str, span: Span) -> t.Tree:
        """The tree that reads a key: a member of the field `on`, or a field of the row."""
        return (
            t.Name(name, span)
            if self.on is None or self.is_column(name)
            else t.Member(t.Name(self.on, span), name, span)
        )

    def declared_path(self, parts: list[str], span: Span) -> tuple[t.Tree, Type, list[str]]:
        """The field that a dotted path begins with: the longest that is declared; its type, and the rest."""
        if self.on is not None and not self.is_column(parts[0]):
            return self.key(parts[0], span), self.key_type(parts[0]), parts[1:]
        declared = self.fields or {}
        count = next((n for n in range(len(parts), 0, -1) if ".".join(parts[:n]) in declared), 1)
        tree = self.key(parts[0], span)
        for part in parts[1:count]:
            tree = t.Member(tree, part, span)
        found = declared.get(".".join(parts[:count]))
        return tree, JSON if found is None else found.type, parts[count:]

    def is_column(self, name: str) -> bool:
        """Whether a key is a field of the row: a field with its name is declared, and the field `on` is not,
        neither as a whole nor with this key.
        """
        fields = self.fields
        return bool(
            self.on
            and fields
            and name in fields
            and self.on not in fields
            and f"{self.on}.{name}" not in fields
        )

    def declared_name(self, name: str) -> str:
        """The name of the declared field for this key, if there is one."""
        return name if self.on is None or self.is_column(name) else f"{self.on}.{name}"

    def key_type(self, name: str) -> Type:
        """The declared type of a key; JSON if there is none."""
        if self.fields is None:
            return JSON
        declared = self.fields.get(self.declared_name(name))
        if declared is not None:
            return declared.type
        base = self.fields.get(self.on or name.split(".", maxsplit=1)[0])
        match base.type if base is not None else None:
            case MapType(value):
                return value
            case StructType() as struct:
                return struct.get(name) or STRING
            case _:
                return JSON if base is not None else STRING


def kind(value: Any) -> str:
    """A value as shown in messages."""
    names: dict[type, str] = {dict: "a mapping", list: "a list", type(None): "null"}
    for type_, name in names.items():
        if isinstance(value, type_):
            return name
    return shown(value)
