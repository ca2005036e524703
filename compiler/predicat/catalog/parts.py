"""A catalog file in parts that are parsed separately, so that an edit of one filter does not affect the
others.

A part is a top-level key with its value or, under `filters:` and `tests:`, one entry. The parts together have
the meaning of the file because of YAML's indentation: a line that begins at the column of a mapping's keys,
outside of quotes and brackets, ends the entry before it. A part with open quotes or brackets is not valid
YAML by itself. Then, and if a line at the margin is not a plain key, the file is read as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml
from msgspec import Struct, field
from msgspec.structs import force_setattr
from yaml import MappingNode, ScalarNode

from predicat.catalog.yaml_nodes import MAX_SIZE, YamlNode, bad_yaml, check_bounds, compose, parse
from predicat.diagnostics import PredicatError, Reporter, Source

_KEY = re.compile(r"^[A-Za-z_]\w* *:(?=\s|$)", re.MULTILINE)
_MARGIN = re.compile(r"^[^\s#]", re.MULTILINE)
# Before the first key: blank lines, comments, and the mark at which a document begins.
_NOTHING = re.compile(r"(?:[ ]*(?:#[\x20-\x7e]*)?\r?\n)*(?:---[ ]*\r?\n)?(?:[ ]*(?:#[\x20-\x7e]*)?\r?\n)*\Z")
# Keys whose entries are parts of their own.
_LONG = ("filters", "tests")
_INDENT = re.compile(r"^( +)[^\s#]", re.MULTILINE)
_ANCHOR = re.compile(r"[\s,\[{]&[^\s&]")
# What ends a line in YAML and not here.
_ODD = re.compile(r"[\x85\u2028\u2029\ufeff]|\r(?!\n)")


Extent = tuple[int, int]
Piece = tuple[Extent, list[Extent]]


class Part(Struct, eq=False):
    """A part of a file. Its source is updated when text before it changes. `kept` caches what readers made of
    its items.
    """

    source: Source
    node: MappingNode
    kept: dict[Any, Any] = field(default_factory=dict[Any, Any])

    def move(self, file: Source, start: int) -> None:
        """Set the current source and offset of the part."""
        force_setattr(self.source, "outer", file)
        force_setattr(self.source, "offsets", range(start, start + len(self.source.text)))


class PartNode(YamlNode):
    """A value with a reference to its part."""

    part: Part

    def pairs(self) -> Iterator[tuple[yaml.Node, YamlNode]]:
        """The keys and values of the mapping. The values refer to the part too."""
        for key, value in self.node.value:
            yield key, PartNode(value, self.source, self.reporter, self.part)


class Joined(YamlNode):
    """A mapping with entries from several parts."""

    found: list[tuple[yaml.Node, YamlNode]]

    def pairs(self) -> Iterator[tuple[yaml.Node, YamlNode]]:
        """The keys and values of all parts."""
        return iter(self.found)

    def known(self, what: str, keys: Any) -> Any:
        """The values of known keys, and the other keys. Two parts may have the same key, so no shortcut is
        taken.
        """
        return self.all_problems(what, keys)


class FileParts(Struct, eq=False):
    """A file as last read, in parts if it can be split."""

    source: Source
    parts: list[Part] = field(default_factory=list[Part])
    sections: list[tuple[Part, list[Part]]] = field(default_factory=list[tuple[Part, list[Part]]])
    whole: tuple[yaml.Node | None, Reporter] | None = None
    """The root and the problems of a file that was read as a whole."""

    def item(self, reporter: Reporter) -> YamlNode | None:
        """The root; problems are reported."""
        if self.whole is not None:
            root, problems = self.whole
            reporter.extend(problems.diagnostics)
            return YamlNode(root, self.source, reporter) if root is not None else None
        result: list[tuple[yaml.Node, YamlNode]] = []
        for head, entries in self.sections:
            for key, value in head.node.value:
                own = PartNode(value, head.source, reporter, head)
                result.append((key, _joined(head, entries, reporter) if entries else own))
        return _mapping(result, self.source, reporter)


def _joined(head: Part, entries: list[Part], reporter: Reporter) -> Joined:
    """The mapping of the entries below a key. Its place is in the source of `head`."""
    result: list[tuple[yaml.Node, YamlNode]] = [
        (key, PartNode(value, part.source, reporter, part))
        for part in entries
        for key, value in part.node.value
    ]
    return _mapping(result, head.source, reporter)


def _mapping(result: list[tuple[yaml.Node, YamlNode]], source: Source, reporter: Reporter) -> Joined:
    mark = yaml.Mark(source.name, 0, 0, 0, None, 0)
    return Joined(MappingNode("tag:yaml.org,2002:map", [], mark, mark), source, reporter, result)


def read(source: Source, before: FileParts | None) -> FileParts:
    """Read a file in parts. Unchanged parts of the last reading are reused."""
    if before is not None and before.source.text == source.text and before.source.name == source.name:
        return before
    last = before.parts if before is not None else []
    split = _split(source.text)
    if split is None or len(source.text) > MAX_SIZE:
        return _whole(source, None, last)
    pieces, end = split
    known: dict[str, list[Part]] = {}
    for part in reversed(last):
        known.setdefault(part.source.text, []).append(part)
    result = FileParts(source)
    # Where each part that is in order begins, and what YAML's reader must have read before it.
    starts: list[tuple[int, str]] = []
    for extent, entries in pieces:
        head = _part(source, extent, known, empty=bool(entries))
        if head is None:
            break
        result.parts.append(head)
        starts.append((extent[0], "x: x\n"))
        parts: list[Part] = []
        for entry in entries:
            piece = _part(source, entry, known)
            if piece is None:
                break
            parts.append(piece)
            starts.append((entry[0], "x:\n"))
        result.parts += parts
        result.sections.append((head, parts))
        if len(parts) < len(entries):
            break
    else:
        if end == len(source.text):
            return result
    rest = [part for parts in known.values() for part in parts]
    return _whole(source, starts[-1] if starts else None, [*result.parts, *rest])


def _whole(source: Source, last: tuple[int, str] | None, parts: list[Part]) -> FileParts:
    """A file as one document. `last` is the last valid part before the problem: the text before it need not
    be parsed. `parts` are kept for when the file can be read in parts again.
    """
    reporter = Reporter()
    if last is not None:
        start, before = last
        probe = Source("", before + source.text[start:])
        try:
            check_bounds(probe)
            parse(probe)
        except yaml.MarkedYAMLError as error:
            reporter.add(bad_yaml(error, source, start - len(before)))
            return FileParts(source, parts, whole=(None, reporter))
        except (yaml.YAMLError, RecursionError, PredicatError):
            pass
    item = compose(source, reporter)
    return FileParts(source, parts, whole=(item.node if item is not None else None, reporter))


def _part(file: Source, extent: Extent, known: dict[str, list[Part]], *, empty: bool = False) -> Part | None:
    """A piece as a part; None unless it is a mapping by itself (`empty`: of one key without a value)."""
    start, end = extent
    text = file.text[start:end]
    same = known.get(text)
    if same:
        part = same.pop()
    else:
        source = Source(file.name, text, file)
        try:
            check_bounds(source)
            node = parse(source)
        except (yaml.YAMLError, RecursionError, PredicatError):
            return None
        if not isinstance(node, MappingNode):
            return None
        part = Part(source, node)
    part.move(file, start)
    return None if empty and not _is_empty(part.node) else part


def _is_empty(node: MappingNode) -> bool:
    value = node.value[0][1] if len(node.value) == 1 else None
    return isinstance(value, ScalarNode) and not value.value and not value.style


def _split(text: str) -> tuple[list[Piece], int] | None:
    """The extents of the top-level keys (only the own line of a key with entries) and of their entries, and
    the offset of the first line that is neither; the text should end there. None if YAML may split it
    otherwise.
    """
    if _ODD.search(text) or _ANCHOR.search(text):
        return None
    starts = [match.start() for match in _MARGIN.finditer(text)]
    if starts and text.startswith("---", starts[0]):
        starts.pop(0)
    if not starts or not _NOTHING.match(text[: starts[0]]):
        return None
    pieces: list[Piece] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        key = _KEY.match(text, start)
        if key is None:
            return (pieces, start) if pieces else None
        entries = _entries(text, key.end(), end) if key[0].rstrip(" :") in _LONG else []
        pieces.append(((start, entries[0][0] if entries else end), entries))
    return pieces, len(text)


def _entries(text: str, start: int, end: int) -> list[Extent]:
    """The extents of the entries below a key. Each begins at a line with the indentation of the first."""
    line = text.find("\n", start, end) + 1
    first = _INDENT.search(text, line, end) if line else None
    if first is None:
        return []
    # No `^`: a search may begin in the middle of the text, always at the start of a line.
    pattern = re.compile(rf"^{first[1]}[\w\"']", re.MULTILINE)
    starts = [match.start() for match in pattern.finditer(text, line, end)]
    if not starts or starts[0] != first.start():
        return []
    return list(zip(starts, [*starts[1:], end], strict=True))
