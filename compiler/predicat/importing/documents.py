"""Files as documents: YAML (several in a file), JSON, Terraform's HCL and Java properties, all as data with
places.

The tags of CloudFormation (`!Ref x`) read as their long form (`{Ref: x}`). Aliases are written out, within
bounds.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct
from yaml import MappingNode, Node, ScalarNode, SequenceNode

from predicat.catalog.files import read_source
from predicat.catalog.yaml_nodes import (
    LIST,
    MAPPING,
    MAX_DEPTH,
    TEXT,
    SafeLoader,
    YamlNode,
    bad_yaml,
    check_bounds,
)
from predicat.diagnostics import PredicatError, Reporter, Source, Span
from predicat.diagnostics.messages import importing as say
from predicat.diagnostics.messages import keys as say_keys
from predicat.importing.located import entries, items, key_span, mapping, span_of, text

# The files of a folder that are read.
SUFFIXES = (".yml", ".yaml", ".json", ".jsonc", ".template", ".tf", ".properties")
# So many values a file may have, with its aliases written out.
MAX_PARTS = 1_000_000
_PROPERTY = re.compile(r"[ \t]*([^#!\s=:][^\s=:]*)[ \t]*[=:][ \t]*([^\r\n]*)")
_SHARED = re.compile(r"^\s*(?:variable|locals)\b", re.MULTILINE)
_SHORT = {"!Ref": "Ref", "!Condition": "Condition"}


class Document(Struct, frozen=True):
    """One document of a file: a mapping, and how it is written (`yaml`, which JSON is, `hcl` or
    `properties`).
    """

    data: dict[str, Any]
    span: Span
    form: str = "yaml"


def files(paths: tuple[Path, ...]) -> list[Path]:
    """The files that paths name; those of folders by their suffixes."""
    result: list[Path] = []
    for path in paths:
        if path.is_dir():
            result += sorted(
                file
                for file in path.rglob("*")
                if file.suffix in SUFFIXES and file.is_file() and not _hidden(file, path)
            )
        else:
            result.append(path)
    return result


def _hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def documents(file: Path, reporter: Reporter) -> list[Document]:
    """The documents of a file that are mappings; what cannot be read is reported."""
    source = read_source(file, reporter, {})
    if source is None:
        return []
    try:
        if file.suffix == ".tf":
            return [Document(_module(file, source), Span(source, 0, 1), "hcl")]
        if file.suffix == ".properties":
            return [Document(_properties(source), Span(source, 0, 1), "properties")]
        return list(_listed(parsed(source)))
    except PredicatError as error:
        reporter.extend(error.diagnostics)
        return []


def _module(file: Path, source: Source) -> dict[str, Any]:
    """A file of Terraform, with the variables and locals of the other files of its folder, which are of
    the same module.
    """
    from predicat.importing import hcl  # noqa: PLC0415  # an optional package reads it

    data = hcl.parse(source)
    others = [
        _shared(other) for other in sorted(file.parent.glob("*.tf")) if other.resolve() != file.resolve()
    ]
    variables = {name: variable for other in others for name, variable in entries(other.get("variable"))}
    own = mapping(((key, value, key_span(data, key)) for key, value in entries(data)), span_of(data))
    own["variable"] = {**variables, **dict(entries(data.get("variable")))}
    own["locals"] = [
        *items(data.get("locals")),
        *(block for other in others for block in items(other.get("locals"))),
    ]
    return own


@lru_cache(maxsize=1_000)
def _shared(file: Path) -> dict[str, Any]:
    """A file of Terraform for what other files use of it; nothing of one that cannot be read, which is
    told where it is imported itself.
    """
    from predicat.importing import hcl  # noqa: PLC0415  # as above

    source = read_source(file, Reporter(), {})
    if source is None or not _SHARED.search(source.text):
        return {}
    try:
        return hcl.parse(source)
    except PredicatError:
        return {}


def _listed(documents: list[Any]) -> Iterator[Document]:
    """The documents, and those in a Kubernetes List."""
    for data in documents:
        if isinstance(data, dict) and data.get("kind") == "List":
            yield from _listed(items(data.get("items")))
        elif isinstance(data, list):
            yield from _listed(data)
        elif isinstance(data, dict):
            yield Document(data, span_of(data))


def parsed(source: Source) -> list[Any]:
    """The documents of a YAML or JSON text as data with places. Raises PredicatError."""
    plain = source.text
    if source.name.endswith((".json", ".jsonc")):
        plain = _COMMENT.sub(_blank, plain)
    if _is_json(plain):
        plain = plain.replace("\t", " ")
    blanks = source if plain is source.text else Source(source.name, plain, source.outer, source.offsets)
    reporter = Reporter()
    try:
        check_bounds(blanks)
        roots = [
            _Expanded(source).node(root, 0)
            for root in yaml.compose_all(blanks.text, Loader=SafeLoader)
            if root is not None
        ]
    except yaml.MarkedYAMLError as error:
        raise PredicatError.of(bad_yaml(error, source)) from None
    except (yaml.YAMLError, RecursionError) as error:
        raise PredicatError.of(
            say_keys.bad_yaml(Span(source, 0, 1), " ".join(str(error).split()[:20]))
        ) from None
    documents = [YamlNode(root, source, reporter).data() for root in roots]
    reporter.raise_errors()
    return documents


# A text, or a comment of JSON as Visual Studio Code and Azure write it.
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def _blank(match: re.Match[str]) -> str:
    """A comment as spaces, so that all places stay."""
    return match[0] if match[0].startswith('"') else re.sub(r"[^\n]", " ", match[0])


def _is_json(content: str) -> bool:
    """JSON takes tabs between its values, YAML does not; in its texts they are escaped."""
    return content.lstrip()[:1] in ("{", "[")


class _Expanded:
    """Nodes without aliases, merge keys (`<<`) and tags of CloudFormation."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.parts = 0

    def node(self, node: Node, depth: int) -> Node:
        self.parts += 1
        start, end = node.start_mark, node.end_mark
        if self.parts > MAX_PARTS or depth > MAX_DEPTH:
            raise PredicatError.of(say.aliases(Span(self.source, start.index, start.index + 1)))
        result: Node
        if isinstance(node, MappingNode):
            result = MappingNode(MAPPING, list(self.pairs(node, depth)), start, end)
        elif isinstance(node, SequenceNode):
            result = SequenceNode(LIST, [self.node(item, depth + 1) for item in node.value], start, end)
        else:
            result = ScalarNode(
                TEXT if node.tag.startswith("!") else node.tag,
                node.value,
                start,
                end,
                getattr(node, "style", None),
            )
        if node.tag.startswith("!") and len(node.tag) > 1:
            name = ScalarNode(TEXT, _SHORT.get(node.tag, f"Fn::{node.tag[1:]}"), start, start)
            return MappingNode(MAPPING, [(name, result)], start, end)
        return result

    def pairs(self, node: MappingNode, depth: int) -> Iterator[tuple[Node, Node]]:
        own = {key.value for key, _ in node.value if isinstance(key, ScalarNode)}
        for key, value in node.value:
            if key.tag != "tag:yaml.org,2002:merge":
                yield key, self.node(value, depth + 1)
                continue
            for merged in value.value if isinstance(value, SequenceNode) else [value]:
                for inner, part in merged.value if isinstance(merged, MappingNode) else ():
                    if inner.value not in own:
                        own.add(inner.value)
                        yield inner, self.node(part, depth + 1)


def _properties(source: Source) -> dict[str, Any]:
    """A file of `key=value` lines."""
    lines = []
    at = 0
    for line in source.text.splitlines(keepends=True):
        if match := _PROPERTY.match(line):
            key, value = (
                Span(source, at + match.start(1), at + match.end(1)),
                Span(source, at + match.start(2), at + max(match.end(2), match.start(2) + 1)),
            )
            lines.append((match[1], text(match[2].rstrip(), value), key))
        at += len(line)
    return mapping(lines, Span(source, 0, 1))
