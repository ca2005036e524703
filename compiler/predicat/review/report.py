"""A review in the forms that people and machines read: terminal, Markdown comment, JSON, GitHub annotations, SARIF."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from predicat.review import show
from predicat.review.changes import Change, Changes
from predicat.review.comments import MARK
from predicat.review.compare import Verdict
from predicat.review.counts import Counts

MAX_COMMENT = 60_000
"""Characters; a comment on GitHub holds 65,536."""
Data = Mapping[str, Counts]


def _title(change: Change) -> str:
    if change.status in ("added", "removed"):
        return change.status
    if change.verdict is None:
        return "described anew" if change.status == "described" else "versions changed"
    return show.title(change.verdict)


def _detail(change: Change) -> Iterator[str]:
    if change.verdict is not None:
        yield show.sentence(change.verdict)
    yield from change.about
    if change.tests:
        yield change.tests


def _users(change: Change) -> Iterator[str]:
    for kind, names in change.affects.items():
        yield f"{kind}: {', '.join(names[:12])}" + (f" and {len(names) - 12} more" if len(names) > 12 else "")


def _order(change: Change) -> tuple[bool, str]:
    return not change.changes_rows, change.name


def _summary(found: Changes) -> str:
    counts: dict[str, int] = {}
    for change in found.filters:
        counts[_title(change)] = counts.get(_title(change), 0) + 1
    parts = [f"{count} {title}" for title, count in sorted(counts.items())]
    return ", ".join(parts) or "no filter differs"


# --- terminal


def text(found: Changes, data: Data) -> str:
    """The review as plain text."""
    lines = [f"compared with {found.base}: {_summary(found)}; {found.unchanged} unchanged"]
    for change in sorted(found.filters, key=_order):
        lines += ["", f"{change.name}: {_title(change)}"]
        lines += [f"  {line}" for line in _detail(change)]
        lines += [f"  {what}: {show.witness_text(row)}" for what, row in _rows(change.verdict)]
        for version in change.versions:
            lines.append(f"  version {version.number} {version.status}" + (f": {show.title(version.verdict)}" if version.verdict else ""))
            lines += [f"    {line}" for line in version.text_diff()]
        if change.name in data:
            lines += [f"  {line}" for line in data[change.name].lines()]
        lines += [f"  affects {line}" for line in _users(change)]
    for line in (*found.groups, *found.subscriptions):
        lines += ["", line]
    return "\n".join(lines) + "\n"


def _rows(verdict: Verdict | None) -> list[tuple[str, Any]]:
    return show.witnesses(verdict) if verdict is not None else []


# --- Markdown


def markdown(found: Changes, data: Data) -> str:
    """One comment for a pull request, cut where it would grow beyond MAX_COMMENT characters."""
    lines = [MARK, f"### Filters: {_summary(found)}", ""]
    if found.filters:
        lines += ["| filter | what happens to its rows | for example |", "|---|---|---|"]
        lines += [_table_row(change, data) for change in sorted(found.filters, key=_order)]
        lines.append("")
    lines += [f"- {line}" for line in (*found.groups, *found.subscriptions)]
    parts = ["\n".join(lines)]
    size = len(parts[0])
    left = sorted(found.filters, key=_order)
    while left:
        part = _markdown_change(left[0])
        if size + len(part) > MAX_COMMENT:
            parts.append(f"\n... and {len(left)} more filters; run `predicat diff` to see them.")
            break
        parts.append(part)
        size += len(part)
        left.pop(0)
    parts.append(f"\n<sub>Compared with `{found.base[:40]}`; {found.unchanged} filters unchanged.</sub>")
    return "\n".join(parts)[: MAX_COMMENT + 500] + "\n"


def _table_row(change: Change, data: Data) -> str:
    rows = "<br>".join(f"{what}: {_code(show.row_text(row.row))}" for what, row in _rows(change.verdict))
    what = _title(change) + (f"<br>{data[change.name].short()}" if change.name in data else "")
    return f"| `{change.name}` | **{what}** | {rows or ' '} |"


def _code(shown: str) -> str:
    safe = shown if len(shown) <= 300 else shown[:300] + "..."
    fence = "``" if "`" in safe else "`"
    return f"{fence}{safe}{fence}".replace("|", "\\|").replace("\n", " ")


def _markdown_change(change: Change) -> str:
    lines = ["<details>", f"<summary><code>{change.name}</code>: {_title(change)}</summary>", ""]
    lines += [f"- {_plain(line)}" for line in _detail(change)]
    lines += [f"- affects {kind}: {', '.join(f'`{name}`' for name in names[:30])}" for kind, names in change.affects.items()]
    lines += [f"- {what}: {_code(show.witness_text(row))}" for what, row in _rows(change.verdict)]
    for version in change.versions:
        lines += ["", f"Version {version.number} {version.status}" + (f", {show.title(version.verdict)}" if version.verdict else "") + ":", ""]
        diff = version.text_diff()
        if not diff:
            lines.append("its text is the same; what it refers to changed")
            continue
        fence = "`" * max(3, 1 + max((len(run) for line in diff for run in _ticks(line)), default=0))
        lines += [f"{fence}diff", *diff, fence]
    return "\n".join((*lines, "", "</details>", ""))


def _ticks(line: str) -> list[str]:
    """The runs of backticks in a line."""
    return re.findall("`+", line)


def _plain(line: str) -> str:
    """A text that people wrote says nothing to Markdown or HTML."""
    return "".join(f"&#{ord(char)};" if char in "\\`*_[]<>|#@&" else char for char in line).replace("\n", " ")


# --- JSON


def data_of(found: Changes, data: Data) -> dict[str, Any]:
    """The review as data."""
    return {
        "base": found.base,
        "unchanged": found.unchanged,
        "filters": [
            {
                "name": change.name,
                "status": change.status,
                "title": _title(change),
                "changes_rows": change.changes_rows,
                "verdict": show.verdict_data(change.verdict) if change.verdict else None,
                "about": list(change.about),
                "tests": change.tests or None,
                "versions": [
                    {"number": version.number, "status": version.status, "diff": version.text_diff(),
                     "verdict": show.verdict_data(version.verdict) if version.verdict else None}
                    for version in change.versions
                ],
                "affects": {key: list(value) for key, value in change.affects.items()},
                "rows": data[change.name].data() if change.name in data else None,
            }
            for change in sorted(found.filters, key=_order)
        ],
        "groups": list(found.groups),
        "subscriptions": list(found.subscriptions),
    }  # fmt: skip


def as_json(found: Changes, data: Data) -> str:
    """The review as JSON."""
    return json.dumps(data_of(found, data), ensure_ascii=False, indent=2, default=str) + "\n"


# --- annotations and SARIF


def github(found: Changes, _data: Data) -> str:
    """A GitHub annotation for each filter whose rows change."""
    lines = []
    for change in sorted(found.filters, key=_order):
        file, line = change.state.place
        level = "warning" if change.changes_rows else "notice"
        message = "; ".join((_title(change), *_detail(change), *(f"{what}: {show.witness_text(row)}" for what, row in _rows(change.verdict))))
        lines.append(annotation(level, file, line, change.name, message))
    return "".join(lines)


def annotation(level: str, file: str, line: int, title: str, message: str) -> str:
    """A GitHub workflow command that shows a message beside a line of a file."""
    return f"::{level} file={_property(file)},line={line or 1},title={_property(title)}::{_message(message)}\n"


def _message(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _message(value).replace(":", "%3A").replace(",", "%2C")


def sarif(found: Changes, _data: Data) -> str:
    """A SARIF 2.1.0 log, a result a filter."""
    results = [
        {
            "ruleId": f"filter-{(change.verdict.kind if change.verdict else _title(change)).replace(' ', '-')}",
            "level": "warning" if change.changes_rows else "note",
            "message": {"text": "; ".join((f"{change.name}: {_title(change)}", *_detail(change), *(show.witness_text(row) for _, row in _rows(change.verdict))))},
            "locations": [location(*change.state.place)],
        }
        for change in sorted(found.filters, key=_order)
    ]
    return sarif_log(results)


def location(file: str, line: int, column: int = 0) -> dict[str, Any]:
    """A place in a file as SARIF has it."""
    region = {"startLine": max(line, 1), **({"startColumn": column} if column else {})}
    return {"physicalLocation": {"artifactLocation": {"uri": file}, "region": region}}


def sarif_log(results: list[dict[str, Any]], metadata: Sequence[dict[str, Any]] = ()) -> str:
    """Results as a SARIF log, with the `metadata` of rules, or the names of those that have results. Source: OASIS SARIF 2.1.0."""
    rules = list(metadata) or [{"id": rule} for rule in sorted({result["ruleId"] for result in results})]
    log = {
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{"tool": {"driver": {"name": "predicat", "rules": rules}}, "results": results}],
    }
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


FORMATS: dict[str, Callable[[Changes, Data], str]] = {"text": text, "markdown": markdown, "json": as_json, "github": github, "sarif": sarif}
"""The forms of a review by name."""
