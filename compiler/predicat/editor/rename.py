"""Renaming a filter, parameter, field or group: every place that means it, in all files, or none.

Nothing is guessed: the catalog with the new name is loaded and must mean, filter by filter, what it means
now.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml
from msgspec import Struct
from msgspec.structs import replace

from predicat.backends import DIALECTS
from predicat.catalog.keys import FIELD_NAME, FILE, NAME
from predicat.catalog.live import LiveCatalog, Loaded
from predicat.catalog.lock import lock_path, read_lock
from predicat.catalog.model import Filter
from predicat.catalog.yaml_nodes import YamlNode
from predicat.diagnostics import Diagnostic, Severity, Span
from predicat.diagnostics.messages import review as say
from predicat.editor.symbols import Symbol, Use, dict_of, file_of
from predicat.ir.nodes import Field, Node, Parameter, fields_of, rewrite_children

_RENAMED = ("filter", "parameter", "field", "group")


class Refused(Exception):
    """Why something cannot be renamed, as a sentence."""


class Edit(Struct, frozen=True):
    """New text for some characters of a file."""

    file: Path
    start: int
    end: int
    text: str


def check(symbol: Symbol, loaded: Loaded, folder: Path) -> None:
    """Raise Refused where a symbol cannot have any other name."""
    if symbol.kind not in _RENAMED:
        raise Refused(say.cannot_be_renamed(symbol.kind))
    errors = [item for item in loaded.diagnostics if _blocks(item)]
    if errors:
        raise Refused(say.problems_first(len(errors)))
    _released(symbol, folder)


def _blocks(item: Diagnostic) -> bool:
    return item.severity is Severity.ERROR and item.code != "failed-test"


def _released(symbol: Symbol, folder: Path) -> None:
    lock = read_lock(lock_path(folder))
    if lock is None:
        return
    qualified = f"{symbol.dataset}.{symbol.name}"
    for name, entry in lock.versions.items():
        if symbol.kind == "filter" and name.partition("@")[0] == qualified:
            raise Refused(say.released_name(name))
        if symbol.kind == "parameter" and name == f"{symbol.dataset}.{symbol.owner}":
            raise Refused(say.released_parameters(name))
        if (
            symbol.kind == "field"
            and name.startswith(f"{symbol.dataset}.")
            and symbol.name in fields_of(entry.node())
        ):
            raise Refused(say.released_reads(name, symbol.name))
    if symbol.kind == "filter":
        for name, data in lock.subscriptions.items():
            if name.startswith(f"{symbol.dataset}.") and data.get("of") in (symbol.name, qualified):
                raise Refused(say.released_subscription_names(name))


def rename(
    symbol: Symbol, name: str, uses: Sequence[Use], loaded: Loaded, folder: Path, texts: Mapping[Path, str]
) -> list[Edit]:
    """The edits that give a symbol another name. Raises Refused with the reason where that cannot be."""
    check(symbol, loaded, folder)
    _valid(symbol, name, loaded)
    result = [use for use in uses if use.symbol == symbol]
    edits: dict[tuple[Path, int], Edit] = {}
    for use in result:
        if use.span is None:
            line = use.near.outermost().source.line_column(use.near.outermost().start)[0]
            raise Refused(say.used_without_name(file_of(use.near).name, line, symbol.name))
        outer = use.span.outermost()
        text = _key(name) if use.scalar and use.near.text == symbol.name and not _quoted(outer) else name
        edits[file_of(outer), outer.start] = Edit(file_of(outer), outer.start, outer.end, text)
    if symbol.kind == "field":
        column = _same_column(symbol, loaded)
        edits |= {(edit.file, -edit.start): edit for edit in column}
    _same_meaning(symbol, name, list(edits.values()), loaded, folder, texts)
    return list(edits.values())


def _valid(symbol: Symbol, name: str, loaded: Loaded) -> None:
    pattern = FIELD_NAME if symbol.kind == "field" else NAME
    if not pattern.match(name):
        rule = say.RULE_OF_FIELDS if symbol.kind == "field" else say.RULE_OF_NAMES
        raise Refused(say.no_name_of(name, symbol.kind, rule))
    dataset = loaded.definitions[symbol.dataset]
    names: Mapping[str, object] = dataset.groups
    if symbol.kind == "parameter":
        filter_, _, number = symbol.owner.partition("@")
        names = dataset.filters[filter_].versions[int(number)].params
    elif symbol.kind != "group":
        names = dataset.filters if symbol.kind == "filter" else dataset.fields
    if name in names and name != symbol.name:
        raise Refused(say.name_taken(symbol.kind, name))


def _quoted(span: Span) -> bool:
    return span.source.text[max(span.start - 1, 0)] in "\"'"


def _key(name: str) -> str:
    """A name as a key or value of YAML, in quotes where it would be read as something else."""
    return name if isinstance(yaml.safe_load(name), str) else f'"{name}"'


def _same_column(symbol: Symbol, loaded: Loaded) -> list[Edit]:
    """The edit that keeps the physical column of a field, which goes by its name unless `column:` says
    otherwise.
    """
    for file, root in loaded.files.items():
        keys = root.known("a catalog file", FILE)[0]
        if "fields" not in keys or "dataset" not in keys or keys["dataset"].value != symbol.dataset:
            continue
        for name, value, _ in keys["fields"].entries("fields"):
            if name == symbol.name and "column" not in dict_of(value):
                return [_with_column(file, value, symbol.name)]
    return []


def _with_column(file: Path, item: YamlNode, name: str) -> Edit:
    span = Span(item.source, item.node.start_mark.index, item.node.end_mark.index).outermost()
    column = f"column: {_key(name)}"
    if not item.is_mapping:
        text = span.source.text[span.start : span.end].rstrip()
        return Edit(file, span.start, span.start + len(text), f"{{type: {_flow(text)}, {column}}}")
    if span.source.text[span.start] == "{":
        return Edit(file, span.start + 1, span.start + 1, f"{column}, ")
    indent = " " * (span.source.line_column(span.start)[1] - 1)
    return Edit(file, span.start, span.start, f"{column}\n{indent}")


def _flow(text: str) -> str:
    """A plain value as one between braces, where a comma and a bracket end it."""
    return f'"{text}"' if set(text) & set(",[]{}") and text[0] not in "\"'" else text


def applied(edits: Sequence[Edit], texts: Mapping[Path, str]) -> dict[Path, str]:
    """Texts with edits made."""
    result = dict(texts)
    for edit in sorted(edits, key=lambda item: (item.start, item.end), reverse=True):
        text = result[edit.file]
        result[edit.file] = text[: edit.start] + edit.text + text[edit.end :]
    return result


def _same_meaning(
    symbol: Symbol, name: str, edits: Sequence[Edit], loaded: Loaded, folder: Path, texts: Mapping[Path, str]
) -> None:
    """Raise Refused unless the catalog with the edits means what it means now."""
    whole = {file: root.source.text for file, root in loaded.files.items()}
    after = LiveCatalog(folder).load({**texts, **applied(edits, whole)})
    problem = next((item for item in after.diagnostics if _blocks(item)), None)
    if problem is not None:
        raise Refused(f"{problem.where()}: {problem.message}")
    before = loaded.catalog.known
    names = {key: _renamed(key, symbol, name) for key in before}
    now = after.catalog.known
    for key, filter_ in before.items():
        if names[key] not in now or not _equal(filter_, now[names[key]], symbol, name):
            raise Refused(say.another_meaning(name, key))
    if [item.code for item in after.diagnostics] != [item.code for item in loaded.diagnostics]:
        raise Refused(say.other_problems(name))


def _renamed(key: str, symbol: Symbol, name: str) -> str:
    same = symbol.kind == "filter" and key == f"{symbol.dataset}.{symbol.name}"
    return f"{symbol.dataset}.{name}" if same else key


def _equal(before: Filter, after: Filter, symbol: Symbol, name: str) -> bool:
    if before.on_unknown != after.on_unknown or list(before.versions) != list(after.versions):
        return False
    return all(
        _back(after.versions[number].predicate.node, symbol, name) == _plain(version.predicate.node, symbol)
        for number, version in before.versions.items()
    )


def _back(node: Node, symbol: Symbol, name: str) -> Node:
    """A node with the old name of a field or parameter."""
    return _replaced(node, symbol.kind, name, symbol.name)


def _plain(node: Node, symbol: Symbol) -> Node:
    return _replaced(node, symbol.kind, symbol.name, symbol.name)


def _replaced(node: Node, kind: str, name: str, new: str) -> Node:
    """With a field or parameter called `new`, and only its engine's columns and type kept of it."""
    if kind == "field" and isinstance(node, Field) and node.decl.name == name:
        columns = tuple((engine, node.decl.column(engine)) for engine in DIALECTS)
        return Field(node.type, replace(node.decl, name=new, columns=columns, description=""))
    if kind == "parameter" and isinstance(node, Parameter) and node.decl.name == name:
        return Parameter(node.type, replace(node.decl, name=new))
    return rewrite_children(node, lambda part: _replaced(part, kind, name, new))
