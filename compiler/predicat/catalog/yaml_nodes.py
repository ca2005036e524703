"""YAML with places: every key and value has its position in the file. Safe, and limited in size and depth."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import is_
from typing import Any

import yaml
from msgspec import Struct
from yaml import CollectionNode, MappingNode, ScalarNode, SequenceNode

from predicat.catalog import yaml_problems
from predicat.diagnostics import Diagnostic, PredicatError, Reporter, Source, Span
from predicat.diagnostics.located import LocatedDict, LocatedList, LocatedStr
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.messages import cut
from predicat.diagnostics.messages import keys as say_keys

MAX_SIZE = 20_000_000
MAX_DEPTH = 60
_Safe: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
TEXT, LIST, MAPPING = (f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))
_resolver: Any = yaml.resolver.Resolver()


class _Tags(dict[str, str]):
    """The tags of plain scalars, by the YAML 1.1 rules of PyYAML."""

    def __missing__(self, value: str) -> str:
        result = str(_resolver.resolve(ScalarNode, value, (True, False)))
        if len(self) < _KEPT:
            self[value] = result
        return result


_KEPT = 100_000
_tags = _Tags()


def _tag(kind: type[yaml.Node], value: str, implicit: tuple[bool, bool]) -> str:
    """The tag of a node."""
    if kind is ScalarNode:
        return _tags[value] if implicit[0] else TEXT
    return LIST if kind is SequenceNode else MAPPING


class SafeLoader(_Safe):  # type: ignore[misc]  # chosen at run time
    """The safe loader, with a cache of the tags of scalars: a large file has a million nodes."""

    resolve = staticmethod(_tag)
    # Tags that depend on the path to a node: not used, and neither are the results of these functions.
    descend_resolver = staticmethod(is_)
    ascend_resolver = staticmethod(tuple)


class YamlNode(Struct):
    """A YAML node, read as the type that a format expects. Another type is reported."""

    node: yaml.Node
    source: Source
    reporter: Reporter

    @property
    def span(self) -> Span:
        """The span of a scalar, or the first line of a longer node."""
        text = self.source.text
        start, end = self.node.start_mark.index, self.node.end_mark.index
        if isinstance(self.node, CollectionNode):
            line_end = text.find("\n", start, end)
            end = line_end if line_end >= 0 else end
        while end > start + 1 and text[end - 1].isspace():
            end -= 1
        return Span(self.source, start, max(end, start + 1))

    @property
    def kind(self) -> str:
        """A description for messages: a mapping, a list, an empty value, or the value as written."""
        if isinstance(self.node, MappingNode):
            return "a mapping"
        if isinstance(self.node, SequenceNode):
            return "a list"
        if self.is_null:
            return str(self.node.value) or "an empty value"
        return cut(repr(self.node.value) if isinstance(self.value, str) else str(self.node.value))

    @property
    def is_null(self) -> bool:
        """Whether it is null, written or empty."""
        return isinstance(self.node, ScalarNode) and self.value is None

    @property
    def is_mapping(self) -> bool:
        """Whether it is a mapping."""
        return isinstance(self.node, MappingNode)

    @property
    def empty(self) -> bool:
        """Whether it is an empty mapping or list."""
        return isinstance(self.node, CollectionNode) and not self.node.value

    @property
    def value(self) -> Any:
        """The value of a scalar, by the YAML 1.1 rules of PyYAML."""
        return _scalar(self.node) if isinstance(self.node, ScalarNode) else None

    def entries(self, what: str) -> Iterator[tuple[str, YamlNode, Span]]:
        """The keys, values and key places of a mapping. Problems are reported."""
        if not isinstance(self.node, MappingNode):
            self.reporter.add(say_keys.wrong_kind(self.span, what, "a mapping", self.kind))
            return
        seen: set[str] = set()
        for key, value in self.pairs():
            if not isinstance(key, ScalarNode):
                place = YamlNode(key, value.source, self.reporter).span
                self.reporter.add(say.key_not_text(place, what))
                continue
            place = Span(
                value.source, key.start_mark.index, max(key.end_mark.index, key.start_mark.index + 1)
            )
            if key.value in seen:
                self.reporter.add(say_keys.duplicate_key(place, key.value))
            else:
                seen.add(key.value)
                yield key.value, value, place

    def pairs(self) -> Iterator[tuple[yaml.Node, YamlNode]]:
        """The keys and values of a mapping, unchecked."""
        for key, value in self.node.value:
            yield key, YamlNode(value, self.source, self.reporter)

    def keys(self, what: str, known: Collection[str]) -> dict[str, YamlNode]:
        """The values of the known keys. Other keys are reported, and a node that is not a mapping."""
        if not self.is_mapping:
            self.reporter.add(say_keys.not_a_mapping(self.span, what, self.kind, known))
            return {}
        keys, unknown = self.known(what, known)
        cut = unknown and any(
            isinstance(node.value, str) and say_keys.is_cut(node.value) for node in keys.values()
        )
        for key, place in unknown:
            if not (cut and say_keys.is_rest(key)):  # the rest of a type that a comma ends, which is reported
                self.reporter.add(say_keys.unknown_key(place, key, what, known))
        return keys

    def lacks(self, keys: Container[str], key: str, what: str, span: Span | None = None) -> bool:
        """Whether a required key is missing, which is reported; `keys` reports a node that is no mapping."""
        if key not in keys and self.is_mapping:
            self.reporter.add(say_keys.missing_key(span or self.span, key, what))
        return key not in keys

    def known(self, what: str, keys: Container[str]) -> tuple[dict[str, YamlNode], list[tuple[str, Span]]]:
        """The values of the known keys, and the other keys with their places."""
        result: dict[str, YamlNode] = {}
        if isinstance(self.node, MappingNode):
            for key, value in self.node.value:
                if not isinstance(key, ScalarNode) or key.value not in keys or key.value in result:
                    break  # something to report: the slow way knows how
                result[key.value] = YamlNode(value, self.source, self.reporter)
            else:
                return result, []
        return self.all_problems(what, keys)

    def all_problems(
        self, what: str, keys: Container[str]
    ) -> tuple[dict[str, YamlNode], list[tuple[str, Span]]]:
        """Like `known`, but every problem of the keys is reported."""
        entries = list(self.entries(what))
        return {key: value for key, value, _ in entries if key in keys}, [
            (key, place) for key, _, place in entries if key not in keys
        ]

    def items(self, what: str) -> Iterator[YamlNode]:
        """The values of a list. Another type is reported."""
        if not isinstance(self.node, SequenceNode):
            self.reporter.add(say_keys.wrong_kind(self.span, what, "a list", self.kind))
            return
        for node in self.node.value:
            yield YamlNode(node, self.source, self.reporter)

    def text(self, what: str) -> str:
        """A string. Another type is reported; the result is then an empty string."""
        result = self.value
        if isinstance(result, str):
            return result
        self.reporter.add(say_keys.wrong_kind(self.span, what, "a string", self.kind))
        return ""

    def texts(self, what: str, each: str = "") -> tuple[str, ...]:
        """One string, or a list of strings, each called `each` in messages. Another type is reported."""
        if self.value is not None:
            return (self.text(what),)
        return tuple(part.text(each or what) for part in self.items(what))

    def truths(self, what: str, known: Collection[str]) -> dict[str, bool]:
        """A mapping to true and false. Other values are reported."""
        return self.truths_of(self.keys(what, known))

    def truths_of(self, keys: Mapping[str, YamlNode]) -> dict[str, bool]:
        """These keys of this node with their values. Other values than true and false are reported."""
        result: dict[str, bool] = {}
        for key, value in keys.items():
            if isinstance(value.value, bool):
                result[key] = value.value
            else:
                self.reporter.add(say.not_truth(value.span, key, value.kind))
        return result

    def key_places(self, prefix: str = "") -> dict[str, tuple[int, int]]:
        """The offsets of the keys of a mapping. Keys of nested mappings are written with a dot:
        `outer.inner`.
        """
        result: dict[str, tuple[int, int]] = {}
        for key, value in self.pairs() if isinstance(self.node, MappingNode) else ():
            if isinstance(key, ScalarNode):
                result[f"{prefix}{key.value}"] = key.start_mark.index, key.end_mark.index
                if value.is_mapping:
                    result |= value.key_places(f"{prefix}{key.value}.")
        return result

    def plain(self) -> Any:
        """The node as plain data."""
        try:
            return _plain(self.node)
        except _BadKeyError:
            return self.data()  # it reports what is wrong

    def data(self) -> Any:
        """The node as plain data, with the place of each part."""
        if isinstance(self.node, MappingNode):
            result = LocatedDict()
            result.span, result.key_spans, result.value_spans = self.span, {}, {}
            for key, value, place in self.entries("a mapping"):
                result[key] = value.data()
                result.key_spans[key], result.value_spans[key] = place, value.span
            return result
        if isinstance(self.node, SequenceNode):
            items = list(self.items("a list"))
            listed = LocatedList(item.data() for item in items)
            listed.span, listed.item_spans = self.span, [item.span for item in items]
            return listed
        value = self.value
        if isinstance(value, str):
            text = LocatedStr(value)
            text.span = self.span
            return text
        return value

    def body(self) -> Source:
        """The text of a scalar as a source that maps back to this file."""
        value = self.node.value
        start, end = self._extent()
        return Source(
            self.source.name, value, self.source, align(value, self.source.text, start, end) or [start]
        )

    def _extent(self) -> tuple[int, int]:
        start, end = self.node.start_mark.index, self.node.end_mark.index
        if getattr(self.node, "style", None) in ("|", ">"):
            start = self.source.text.find("\n", start, end) + 1 or start
        elif getattr(self.node, "style", None) in ("'", '"'):
            start += 1
        return start, end


def text_of(keys: Mapping[str, YamlNode], key: str, default: str = "") -> str:
    """The string of an optional key."""
    return keys[key].text(key) if key in keys else default


class _BadKeyError(Exception):
    """A key is not a string, or is a duplicate."""


def _plain(node: yaml.Node) -> Any:
    if isinstance(node, ScalarNode):
        return _scalar(node)
    if isinstance(node, SequenceNode):
        return [_plain(item) for item in node.value]
    result: dict[str, Any] = {}
    for key, value in node.value:
        if not isinstance(key, ScalarNode) or key.value in result:
            raise _BadKeyError
        result[key.value] = _plain(value)
    return result


def _scalar(node: ScalarNode) -> Any:
    return node.value if node.tag == TEXT else _constructed(node.tag, node.value)


def resolved(text: str) -> Any:
    """The value of a text as a plain scalar, without quotes."""
    return _constructed(tag, text) if (tag := _tags[text]) != TEXT else text


_constructor: Any = yaml.constructor.SafeConstructor()
# How the values of plain scalars are made; they need no constructor of their own.
_PLAIN: dict[str, Any] = {
    tag: _constructor.yaml_constructors[tag]
    for tag in (f"tag:yaml.org,2002:{kind}" for kind in ("null", "bool", "int", "float", "timestamp"))
}


# The characters of a scalar that may be a number or a time. A longer one stays text, which is refused with
# its place: the time to read a number in base 60 grows with the square of its length.
_LONGEST = 1_000


@lru_cache(maxsize=100_000)
def _constructed(tag: str, value: str) -> Any:
    if len(value) > _LONGEST:
        return value
    node = ScalarNode(tag, value)
    try:
        return (
            _PLAIN[tag](_constructor, node)
            if tag in _PLAIN
            else yaml.constructor.SafeConstructor().construct_object(node)
        )
    except (yaml.YAMLError, ValueError, OverflowError):
        return value


def align(value: str, raw: str, start: int, end: int) -> Sequence[int]:
    """The offset in the file of each character of a scalar's value. White space may differ; the other
    characters are found in order.
    """
    position = raw.find(value, start, end)
    if position >= 0:
        return range(position, position + len(value))
    offsets: list[int] = []
    at = start
    for char in value:
        if char.isspace():
            while at < end - 1 and not raw[at].isspace():
                at += 1
            offsets.append(at)
            at = min(at + 1, end)
            continue
        position = raw.find(char, at, end)
        if position < 0:  # an escape such as \u00e9: it stands at the next unread character
            position = min(at, max(end - 1, start))
        offsets.append(position)
        at = position + 1
    return offsets


# Forty values inside of each other on a line.
_NESTED = re.compile(r"^(?:[ \t]*[-?:] ){40}", re.MULTILINE)
_NO_BRACKET, _NO_MARK = (bytes(set(range(256)) - set(kept)) for kept in (b"[]{}", b"-?:\n"))


def compose(source: Source, reporter: Reporter) -> YamlNode | None:
    """The root of a YAML document; problems are reported."""
    try:
        check_bounds(source)
        root = parse(source)
    except yaml.MarkedYAMLError as error:
        reporter.add(bad_yaml(error, source))
        return None
    except (yaml.YAMLError, RecursionError) as error:
        reporter.add(say_keys.bad_yaml(Span(source, 0, 1), " ".join(str(error).split()[:20])))
        return None
    except PredicatError as error:
        reporter.extend(error.diagnostics)
        return None
    return YamlNode(root, source, reporter) if root is not None else None


def bad_yaml(error: yaml.MarkedYAMLError, source: Source, shift: int = 0) -> Diagnostic:
    """The diagnostic for an error of the YAML parser, which was given the text after `shift` characters."""
    return yaml_problems.described(error, source, shift)


def check_bounds(source: Source) -> None:
    """Raise PredicatError for a text that is too large, or whose values may be nested too deeply."""
    text = source.text
    if len(text) > MAX_SIZE:
        raise PredicatError.of(say.too_many_characters(Span(source, 0, 1), MAX_SIZE))
    raw = text.encode(errors="replace")
    _no_deep_brackets(raw.translate(None, _NO_BRACKET), source)
    marked = max(map(len, raw.translate(None, _NO_MARK).split(b"\n"))) >= 40
    deep = _NESTED.search(text) if marked else None
    at = deep.start() if deep else f"\n{text}".find("\n" + " " * 400)
    if at >= 0:
        raise PredicatError.of(say.values_too_deep(Span(source, at, at + 1), MAX_DEPTH))


def parse(source: Source) -> yaml.Node | None:
    """The root of a YAML document. Raises PredicatError and YAMLError."""
    root: yaml.Node | None = yaml.compose(source.text, Loader=SafeLoader)
    _no_aliases(root, source)
    return root


def _no_deep_brackets(brackets: bytes, source: Source) -> None:
    depth = 0
    for bracket in brackets:
        depth = depth + 1 if bracket in b"[{" else max(depth - 1, 0)
        if depth > MAX_DEPTH:  # unless these are in texts, such as patterns
            _no_deep_flow(source)
            return


def _no_deep_flow(source: Source) -> None:
    """Raise PredicatError if YAML brackets are nested too deeply."""
    depth = 0
    try:
        for token in yaml.scan(source.text, Loader=SafeLoader):
            if isinstance(token, yaml.FlowSequenceStartToken | yaml.FlowMappingStartToken):
                depth += 1
            elif isinstance(token, yaml.FlowSequenceEndToken | yaml.FlowMappingEndToken):
                depth -= 1
            if depth > MAX_DEPTH:
                at = token.start_mark.index
                raise PredicatError.of(say.brackets_too_deep(Span(source, at, at + 1), MAX_DEPTH))
    except yaml.MarkedYAMLError as error:
        if "nesting depth" in str(error.problem) and error.problem_mark is not None:  # libyaml's own limit
            at = error.problem_mark.index - 1
            raise PredicatError.of(say.brackets_too_deep(Span(source, at, at + 1), MAX_DEPTH)) from None
    except yaml.YAMLError:
        return  # the reader comes no further, and says why


def _no_aliases(root: yaml.Node | None, source: Source) -> None:
    """Reject `*alias`: a few lines of aliases can expand to billions of values, and they are hard
    to review.
    """
    if root is None or "*" not in source.text:
        return
    seen: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            start = node.start_mark.index
            raise PredicatError.of(say.alias_again(Span(source, start, start + 1)))
        seen.add(id(node))
        if isinstance(node, MappingNode):
            stack.extend(part for pair in node.value for part in pair)
        elif isinstance(node, SequenceNode):
            stack.extend(node.value)
