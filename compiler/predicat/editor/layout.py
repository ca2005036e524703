"""One layout for catalog files: two blanks a level, quotes only where YAML needs them, comments and texts
as they are.

The reading and writing that keeps comments is ruamel.yaml's. What it writes is compared with what was
there: a file whose data or comments would change is refused, as is one whose layout would not stay.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from io import StringIO
from typing import Any

import yaml

from predicat.catalog.yaml_nodes import compose, resolved
from predicat.diagnostics import PredicatError, Reporter, Source, Span
from predicat.diagnostics.messages import files as say_files
from predicat.diagnostics.messages import review as say

_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#[^\r\n]*", re.MULTILINE)
# What is before a document up to the mark of its start, which stays.
_STARTED = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*---[ \t]*\r?\n")
_PASSES = 3


def layout(source: Source) -> str:
    """The text of a file in the standard layout. Raises PredicatError if it is not YAML, or cannot be
    formatted without a change of its data or comments.
    """
    before = source.text
    root = _root(source)
    if root is None:
        return before
    if isinstance(root, yaml.ScalarNode) and root.value:
        raise _refused(source, say.LAYOUT_OF_TEXT)
    text = before
    for _ in range(_PASSES):
        again = _written(source, text)
        if again == text:
            break
        text = again
    else:
        raise _refused(source, say.LAYOUT_DOES_NOT_SETTLE)
    _unchanged(source, text)
    return text.replace("\n", "\r\n") if "\r\n" in before else text


def _root(source: Source) -> yaml.Node | None:
    reporter = Reporter()
    item = compose(source, reporter)
    reporter.raise_errors()
    return item.node if item is not None else None


def _refused(source: Source, reason: str, at: int = 0, hint: str | None = None) -> PredicatError:
    return PredicatError.of(say_files.no_layout(Span(source, at, at + 1), reason, hint))


def _unchanged(source: Source, text: str) -> None:
    """Raise PredicatError where a layout changes what a file says."""
    after = Source(source.name, text)
    if _data(_root(source)) != _data(_root(after)):
        raise _refused(source, say.DATA_WOULD_CHANGE)
    comments = sorted((comment for comment, _ in _commented(text)))
    for comment, at in _commented(source.text):
        if comment in comments:
            comments.remove(comment)
        else:
            raise _refused(source, say.comment_lost(comment), at, say.COMMENT_ON_ITS_OWN_LINE)


def _data(node: yaml.Node | None) -> Any:
    """A node as data that can be compared: tags and texts, in their order."""
    if isinstance(node, yaml.MappingNode):
        return node.tag, [(_data(key), _data(value)) for key, value in node.value]
    if isinstance(node, yaml.SequenceNode):
        return node.tag, list(map(_data, node.value))
    if node is None or node.tag.endswith(":null"):
        return None
    return node.tag, node.value


def _comments_in_line(text: str) -> str:
    """Comments indented as what follows them, or two blanks behind a value; no line ends with blanks (but
    of a text), and no two are empty.
    """
    scalars = _scalars(text)
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    comments = {bisect_right(starts, at) - 1: (at, comment) for comment, at in _commented(text)}
    # Lines that are all of a text's.
    inner = {
        number
        for start, end in scalars
        for number in range(bisect_right(starts, start), bisect_right(starts, end) - 1)
    }
    out: list[str] = []
    indent = ""
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        if number in inner:
            out.append(line)
            continue
        if number in comments:
            at, comment = comments[number]
            before = line[: at - starts[number]].rstrip()
            line = f"{before}  {comment}" if before else indent + comment
        line = line.rstrip()
        if line and not line.lstrip().startswith("#"):
            indent = line[: len(line) - len(line.lstrip(" "))]
        if line or (out and out[-1]):
            out.append(line)
    return "\n".join(out[::-1]).strip("\n") + "\n"


def _commented(text: str) -> Iterator[tuple[str, int]]:
    """The comments of a YAML text and their places: what begins with # outside of its scalars."""
    scalars = _scalars(text)
    place = 0
    for result in _COMMENT.finditer(text):
        while place < len(scalars) and scalars[place][1] <= result.start():
            place += 1
        if place == len(scalars) or not scalars[place][0] <= result.start() < scalars[place][1]:
            yield result[0].rstrip(), result.start()


def _scalars(text: str) -> list[tuple[int, int]]:
    """The extents of the scalars of a YAML text."""
    tokens = yaml.scan(text, yaml.SafeLoader)
    return [
        (token.start_mark.index, token.end_mark.index)
        for token in tokens
        if isinstance(token, yaml.ScalarToken)
    ]


def _written(source: Source, text: str) -> str:
    from ruamel.yaml import YAML  # noqa: PLC0415  # only for this command
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415  # as above

    writer = YAML(typ="rt")
    writer.preserve_quotes = True
    writer.indent(mapping=2, sequence=4, offset=2)
    writer.width = 1_000_000
    writer.brace_single_entry_mapping_in_flow_sequence = True
    writer.representer.add_representer(type(None), _null)
    writer.allow_duplicate_keys = True
    out = StringIO()
    text = text.replace("\r\n", "\n")
    head = match[0] if (match := _STARTED.match(text)) else ""
    out.write(head)
    try:
        data = writer.load(text[len(head) :])
        writer.dump(_unquoted(data), out)
    except (YAMLError, RecursionError, AttributeError, NotImplementedError) as error:
        raise _refused(source, " ".join(str(error).split()[:12]) or type(error).__name__) from None
    return _comments_in_line(out.getvalue())


def _null(representer: Any, _value: None) -> Any:
    return representer.represent_scalar("tag:yaml.org,2002:null", "null")


def _unquoted(data: Any, *, flow: bool = False) -> Any:
    """Data of ruamel.yaml in which texts that need no quotes have none."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq  # noqa: PLC0415  # only for this command
    from ruamel.yaml.scalarstring import (  # noqa: PLC0415  # as above
        DoubleQuotedScalarString,
        PlainScalarString,
        SingleQuotedScalarString,
    )

    if isinstance(data, CommentedMap):
        flow = flow or bool(data.fa.flow_style())
        for key in list(data):
            data[key] = _unquoted(data[key], flow=flow)
    elif isinstance(data, CommentedSeq):
        flow = flow or bool(data.fa.flow_style())
        for index, item in enumerate(data):
            data[index] = _unquoted(item, flow=flow)
    elif isinstance(data, DoubleQuotedScalarString | SingleQuotedScalarString) and _plain(
        str(data), flow=flow
    ):
        return PlainScalarString(data)
    return data


def _plain(text: str, *, flow: bool) -> bool:
    """Whether a text on a line is the same text without quotes."""
    if "\n" in text or not isinstance(resolved(text), str):
        return False
    emitter = yaml.emitter.Emitter(StringIO())
    emitter.allow_unicode = True
    analysis = emitter.analyze_scalar(text)
    return bool(analysis.allow_flow_plain if flow else analysis.allow_block_plain)
