"""Puts suggested bounds into catalog files: as new lines, so that comments and layout stay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from predicat.catalog.bounds import share_of
from predicat.catalog.files import catalog_files
from predicat.catalog.live import LiveCatalog, Loaded
from predicat.catalog.model import Bound, Freshness, limit_text
from predicat.catalog.yaml_nodes import compose
from predicat.diagnostics import PredicatError, Reporter, Source
from predicat.diagnostics.messages import files as say
from predicat.diagnostics.reading import text_of
from predicat.diagnostics.source import NOWHERE
from predicat.diagnostics.writing import write_text
from predicat.quality.suggest import Suggestion


def write(
    folder: Path, suggestions: Sequence[Suggestion], variables: Mapping[str, Any] | None = None
) -> dict[Path, list[Suggestion]]:
    """Add bounds to the files of a catalog. A filter or dataset that has bounds keeps them as they are.

    Returns:
        The changed files, each with what was added.

    Raises:
        PredicatError: The catalog would not load with them, or mean something else. No file is changed then.
    """
    wanted = {(item.name, item.key): item for item in suggestions if item.bounds}
    texts: dict[Path, str] = {}
    added: dict[Path, list[Suggestion]] = {}
    for file in catalog_files(folder, Reporter()):
        source = Source(str(file), text_of(file))
        edits = list(_edits(source, wanted))
        if edits:
            texts[file.resolve()] = _applied(source.text, [(place, text) for _, place, text in edits])
            added[file] = [item for item, _, _ in edits]
            for item in added[file]:  # a dataset may be in several files
                del wanted[item.name, item.key]
    if texts:
        _check(LiveCatalog(folder, variables), texts, added)
    for file, text in texts.items():
        _replace(file, text)
    return added


def _edits(
    source: Source, wanted: Mapping[tuple[str, str], Suggestion]
) -> Iterator[tuple[Suggestion, int, str]]:
    """What is inserted where in a file."""
    item = compose(source, Reporter())
    keys = _keys(item.node) if item is not None else {}
    name = keys["dataset"].value if "dataset" in keys else ""
    for key in ("rows", "freshness"):
        own = wanted.get((name, key))
        if own is not None and "fields" in keys and key not in keys:
            yield own, *_inserted(source.text, keys["fields"], own.line, 0)
    for short, node in _keys(keys.get("filters")).items():
        filter_ = wanted.get((f"{name}.{short}", "coverage"))
        if filter_ is not None and isinstance(node, yaml.MappingNode) and "coverage" not in _keys(node):
            value = node.value[-1][1]
            if node.flow_style:
                yield filter_, _end(value), f", {filter_.line}"
            else:
                yield filter_, *_inserted(source.text, value, filter_.line, node.start_mark.column)


def _keys(node: yaml.Node | None) -> dict[str, yaml.Node]:
    """The values of a mapping by key; none of another node."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}


def _inserted(text: str, before: yaml.Node, line: str, indent: int) -> tuple[int, str]:
    """A line below a value and the comment behind it."""
    end = len(text[: _end(before)].rstrip())
    place = text.find("\n", end)
    place = len(text) if place < 0 else place - (text[place - 1] == "\r")
    end_of_line = "\r\n" if "\r\n" in text else "\n"
    return place, f"{end_of_line}{' ' * indent}{line}"


def _end(node: yaml.Node) -> int:
    """Where a value ends. A block ends with its last part: its own end is behind the comments below it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def _applied(text: str, edits: Sequence[tuple[int, str]]) -> str:
    for place, added in sorted(edits, reverse=True):
        text = text[:place] + added + text[place:]
    return text


def _replace(file: Path, text: str) -> None:
    mode, mark = file.stat().st_mode, file.read_bytes()[:3] == b"\xef\xbb\xbf"
    write_text(file, "\ufeff" * mark + text)
    file.chmod(mode)


def _check(live: LiveCatalog, texts: Mapping[Path, str], added: Mapping[Path, Sequence[Suggestion]]) -> None:
    """Raise PredicatError unless the catalog has the bounds with these texts, and is otherwise as it was."""
    loaded = live.load({})
    before, problems = _stated(loaded), loaded.diagnostics
    loaded = live.load(texts)
    after = _stated(loaded)
    for item in (item for items in added.values() for item in items):
        before[item.name] |= {item.key: _bounds(item)}
    new = [item for item in loaded.diagnostics if item.code not in {problem.code for problem in problems}]
    if new:
        raise PredicatError.of(say.bounds_not_written(new[0].span, new[0].message))
    if before != after:
        changed = min(name for name in before | after if before.get(name) != after.get(name))
        raise PredicatError.of(say.bounds_not_written(NOWHERE, say.would_change(changed)))


def _stated(loaded: Loaded) -> dict[str, dict[str, Any]]:
    """The bounds and the definition of each dataset and filter, as data to compare."""
    datasets = {
        item.name: {"rows": item.rows, "freshness": _age(item.freshness), "of": (item.relation, item.fields)}
        for item in loaded.catalog.datasets.values()
    }
    return datasets | {
        name: {
            "coverage": item.coverage,
            "of": [(number, row.predicate.node) for number, row in item.versions.items()],
        }
        for name, item in loaded.catalog.known.items()
    }


def _age(spec: Freshness | None) -> tuple[str, str] | None:
    return None if spec is None else (spec.field, limit_text(spec.thresholds))


def _bounds(item: Suggestion) -> Any:
    """Bounds as the catalog reads them."""
    if item.key == "freshness":
        return item.bounds["column"], item.bounds["at_most"]
    return {key: _bound(text) for key, text in item.bounds.items()}


def _bound(text: str) -> Bound:
    share = share_of(text)
    return Bound(float(text), share=False) if share is None else Bound(share, share=True)
