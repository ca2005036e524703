"""Runs the lint rules, shows what they find, and applies their fixes where a proof allows it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from predicat.catalog.manifest import write_text
from predicat.catalog.model import Catalog
from predicat.diagnostics import PredicatError
from predicat.review.compare import compare
from predicat.review.lint import RULES, Context, Finding
from predicat.review.report import annotation, location, sarif_log


def collect(catalog: Catalog, select: Sequence[str] = (), ignore: Sequence[str] = (), timeout: float = 1.0) -> list[Finding]:
    """Everything that the chosen rules find, by place. `timeout` is in seconds for each question to the solver."""
    context = Context(catalog, timeout)
    found: list[Finding] = []
    for rule in RULES:
        if chosen(rule.code, select, ignore):
            found += rule.check(context)
    return sorted(found, key=_place)


def chosen(code: str, select: Sequence[str], ignore: Sequence[str]) -> bool:
    """Whether a rule is among those that are asked for by the beginnings of their codes."""
    return (not select or code.startswith(tuple(select))) and not code.startswith(tuple(ignore))


def _place(item: Finding) -> tuple[str, int, str]:
    place = item.span.outermost()
    return place.source.name, place.start, item.code


def mend(found: Sequence[Finding], reload: Callable[[], Catalog], timeout: float = 10.0) -> list[Finding]:
    """Apply the fixes one by one, each only if the catalog still loads and the filter provably accepts the same rows."""
    done: list[Finding] = []
    for item in sorted(found, key=_from_the_end):
        if item.fix is None:
            continue
        place = item.fix.span.outermost()
        file = Path(place.source.name)
        before = file.read_text(encoding="utf-8")
        if before.removeprefix("\ufeff") != place.source.text and not done:
            continue
        old = reload()[item.name]
        if before[place.start : place.end] != place.source.text[place.start : place.end]:
            continue
        write_text(file, before[: place.start] + item.fix.text + before[place.end :])
        try:
            same = compare(old, reload()[item.name], timeout=timeout).same_rows
        except PredicatError:
            same = False
        if same:
            done.append(item)
        else:
            write_text(file, before)
    return done


def _from_the_end(item: Finding) -> tuple[str, int]:
    place = item.fix.span.outermost() if item.fix else item.span.outermost()
    return place.source.name, -place.start


def text(found: Sequence[Finding]) -> str:
    """The findings as people read them."""
    shown = [item.diagnostic().render() for item in found]
    count = f"{len(found)} finding{'s' if len(found) != 1 else ''}" if found else "nothing found"
    return "\n\n".join((*shown, count)) + "\n"


def _data(item: Finding) -> dict[str, Any]:
    place = item.span.outermost()
    line, column = place.source.line_column(place.start) if place.source.text else (0, 0)
    return {"code": item.code, "name": item.name, "message": item.message, "hint": item.hint, "file": place.source.name, "line": line,
            "column": column, "fixable": item.fix is not None}  # fmt: skip


def as_json(found: Sequence[Finding]) -> str:
    """The findings as JSON."""
    return json.dumps([_data(item) for item in found], ensure_ascii=False, indent=2) + "\n"


def sarif(found: Sequence[Finding]) -> str:
    """The findings as a SARIF log."""
    results = []
    for item in found:
        data = _data(item)
        place = location(data["file"] or "catalog", data["line"])
        results.append({"ruleId": item.code, "level": "warning", "message": {"text": f"{item.name}: {item.message}"}, "locations": [place]})
    return sarif_log(results)


def github(found: Sequence[Finding]) -> str:
    """The findings as GitHub annotations."""
    lines = []
    for item in found:
        data = _data(item)
        lines.append(annotation("warning", data["file"], data["line"], item.code, f"{item.name}: {item.message}"))
    return "".join(lines)


FORMATS: dict[str, Callable[[Sequence[Finding]], str]] = {"text": text, "json": as_json, "sarif": sarif, "github": github}
"""The forms of findings by name."""
