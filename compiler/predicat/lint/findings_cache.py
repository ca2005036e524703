"""The cache of lint findings: an unchanged catalog is not read again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from predicat.catalog.cache import cache_folder, fingerprint, text_hash
from predicat.diagnostics import NOWHERE, Severity, Source, Span
from predicat.diagnostics.reading import text_of
from predicat.diagnostics.writing import write_text
from predicat.lint.answers import Answers, load_answers
from predicat.lint.rule import Finding, Fix

# How many runs are kept.
_KEPT = 50


def answers(folder: Path) -> Answers:
    """The answers of earlier runs on the catalog of a folder."""
    name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
    return load_answers(cache_folder() / "lint" / f"answers-{name}.json")


def cache_path(folder: Path, macros: Path, variables: Mapping[str, str], options: Sequence[object]) -> Path:
    """The cache file of the findings of a catalog in its current state, with these options and this code."""
    here = str(Path.cwd())  # files are named from there
    digest = fingerprint(folder, macros, {**variables, " here": here, " options": repr(options)})
    return cache_folder() / "lint" / f"run-{digest}.json"


def load(path: Path) -> list[Finding] | None:
    """The cached findings at a path; None if there are none, or the file is damaged."""
    try:
        head, _, content = path.read_text(encoding="utf-8").partition("\n")
        if head != text_hash(content):
            return None
        sources: dict[str, Source] = {}
        return [_finding(item, sources) for item in json.loads(content)]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save(path: Path, findings: Sequence[Finding]) -> None:
    """Cache the findings of a run, and remove the oldest runs. A cache that cannot be written is ignored."""
    content = json.dumps([_data(item) for item in findings])
    try:
        write_text(path, f"{text_hash(content)}\n{content}")
        runs = sorted(path.parent.glob("run-*.json"), key=lambda file: file.stat().st_mtime, reverse=True)
        for old in runs[_KEPT:]:
            old.unlink(missing_ok=True)
    except OSError:
        pass


def _data(item: Finding) -> dict[str, Any]:
    return {
        "code": item.code,
        "name": item.name,
        "message": item.message,
        "span": _span_data(item.span),
        "hint": item.hint,
        "fix": [_span_data(item.fix.span), item.fix.text] if item.fix else None,
        "filters": item.filters,
        "level": item.level.value,
    }


def _span_data(span: Span) -> list[Any] | None:
    if not span.source.text:
        return None
    whole = span.outermost()
    return [whole.source.name, whole.start, whole.end, span.text]


def _finding(item: Mapping[str, Any], sources: dict[str, Source]) -> Finding:
    fix = Fix(_span(item["fix"][0], sources), item["fix"][1]) if item["fix"] else None
    return Finding(
        item["code"],
        item["name"],
        item["message"],
        _span(item["span"], sources),
        item["hint"],
        fix,
        tuple(item["filters"]),
        Severity(item["level"]),
    )


def _span(data: Sequence[Any] | None, sources: dict[str, Source]) -> Span:
    """A span in a file. If its text is not the file's own, as in a macro, it gets a source of its own."""
    if data is None:
        return NOWHERE
    name, start, end, text = data
    if name not in sources:
        sources[name] = Source(name, text_of(Path(name)))
    whole = Span(sources[name], start, end)
    if whole.text == text or len(text) < 2:
        return whole
    inner = Source(name, text, sources[name], [start] * (len(text) - 1) + [max(end - 1, start)])
    return Span(inner, 0, len(text))
