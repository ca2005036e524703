"""The output formats of a review: terminal, Markdown comment, JSON, GitHub annotations, SARIF."""

import json
from collections.abc import Callable
from typing import Any

from predicat.catalog.review_rules import Waiver
from predicat.diagnostics.wording import quantity
from predicat.explain import show
from predicat.forge.annotations import annotation, location, sarif_log
from predicat.review.comment import markdown
from predicat.review.entries import Entry, Review, join_names
from predicat.review.impact import Impact, of_topic
from predicat.review.kinds import KINDS, NOTE
from predicat.review.proofs import Proof
from predicat.review.terminal import text
from predicat.review.topics import Topic, summary, tally, topics

# --- JSON


def as_json(review: Review, data: Impact) -> str:
    """The review as JSON: every entry, and the filters with the effect on their rows."""
    return json.dumps(_data_of(review, data), ensure_ascii=False, indent=2, default=str) + "\n"


def _data_of(review: Review, data: Impact) -> dict[str, Any]:
    """The review as data."""
    return {
        "base": review.base,
        "head": review.identity.head or None,
        "before": review.identity.before or None,
        "after": review.identity.after or None,
        "summary": summary(review),
        "changes_rows": review.changes_rows,
        "severity": review.severity,
        "missing_approvals": {who: list(names) for who, names in review.missing.items()},
        "expired_waivers": [_waiver(one) for one in review.expired],
        "formatting_only": review.formatting_only,
        "count": review.filters,
        "unchanged": review.unchanged,
        "filters": [
            _filter_data(name, review.of(name), data)
            for name in dict.fromkeys(row.name for row in review.entries if row.subject == "filter")
        ],
        "entries": [_entry_data(entry, data) for entry in review.entries],
        "affected": _affected(review, data),
    }


def _filter_data(name: str, entries: tuple[Entry, ...], data: Impact) -> dict[str, Any]:
    topic = Topic("filter", name, entries)
    decided = next((entry for entry in entries if entry.kind == "rows"), topic.head)
    return {
        "name": name,
        "status": decided.status
        if decided.kind == "filter"
        else "renamed"
        if decided.kind == "filter-renamed"
        else _status(decided),
        "title": topic.title,
        "changes_rows": any(entry.changes_rows for entry in entries),
        **_proof_data(decided.proof),
        "causes": [cause.text for cause in decided.causes],
        "versions": [
            {
                "number": int(entry.part.rpartition(" ")[2]),
                "status": entry.status,
                "diff": entry.diff(),
                **_proof_data(entry.proof),
            }
            for entry in entries
            if entry.kind == "version" and entry.part.startswith("version ")
        ],
        "also": [entry.title for entry in entries if entry.kind not in ("rows", "version", "filter")],
        "notes": list(decided.notes),
        "affects": {key: list(value) for key, value in decided.users.items()},
        "rows": data[name].data() if name in data else None,
    }


def _status(entry: Entry) -> str:
    if entry.kind in ("rows", "version"):
        return "affected" if entry.causes else "changed"
    return "not compared" if entry.kind == "not-compared" else "described"


def _proof_data(proof: Proof | None) -> dict[str, Any]:
    """The verdict for views and calls without arguments and, if that differs, for all values."""
    if proof is None:
        return {"verdict": None}
    result: dict[str, Any] = {"verdict": show.verdict_data(proof.main)}
    if proof.defaults is not None:
        result |= {
            "at": "defaults",
            "params": list(proof.params),
            "verdict_for_all_values": show.verdict_data(proof.verdict),
        }
    return result


def _affected(review: Review, data: Impact) -> list[dict[str, Any]]:
    """The rows of what has no change of its own: groups, subscriptions and jobs of changed filters."""
    own = {topic.label for topic in topics(review)}
    own |= {entry.name for entry in review.entries}
    return [
        {"subject": label.partition(" ")[0], "name": label.partition(" ")[2], "rows": counts.data()}
        for label, counts in data.items()
        if label not in own and " " in label
    ]


def _waiver(waiver: Waiver) -> dict[str, str]:
    return {
        "entry": waiver.entry,
        "when": waiver.when,
        "reason": waiver.reason,
        "until": waiver.until.isoformat(),
    }


def _judged(entry: Entry) -> dict[str, Any]:
    """The severity of an entry, its rule, who must approve it, and its waiver."""
    found = entry.judged
    return {
        "severity": found and found.severity,
        "rule": found and found.rule.code,
        "approve": list(found.approvals) if found else [],
        "waiver": _waiver(found.waiver) if found and found.waiver else None,
    }


def _entry_data(entry: Entry, data: Impact) -> dict[str, Any]:
    return {
        "kind": entry.kind,
        "level": entry.level,
        "subject": entry.subject,
        "name": entry.name,
        "part": entry.part or None,
        "status": entry.status,
        "title": entry.title,
        "before": entry.before,
        "after": entry.after,
        "file": entry.place.file or None,
        "line": entry.place.line or None,
        "causes": [
            {"kind": cause.kind, "name": cause.name, "part": cause.part or None} for cause in entry.causes
        ],
        "filters": list(entry.under),
        "affects": {key: list(value) for key, value in entry.users.items()},
        "notes": list(entry.notes),
        "owners": list(entry.owners),
        **_judged(entry),
        **(_proof_data(entry.proof) if entry.proof is not None else {}),
        "rows": data[label].data() if (label := Topic(entry.subject, entry.name, ()).label) in data else None,
    }


# --- annotations and SARIF


def _message(entry: Entry) -> str:
    """An entry in one line."""
    rows = [f"{what}: {row}" for what, _, row in entry.proof.rows()] if entry.proof is not None else []
    return "; ".join((*entry.lines(), *rows))


def github(review: Review, data: Impact) -> str:
    """A GitHub annotation for each changed object, the most important first: GitHub shows ten of a kind."""
    lines = []
    for topic in topics(review):
        level = "notice" if all(entry.level == NOTE for entry in topic.entries) else "warning"
        told = [
            entry
            for entry in topic.entries
            if entry is topic.head or entry.proof is None or entry.proof != topic.head.proof
        ]
        under = (
            f"; {quantity(len(topic.under), 'filter')} changed by it: {tally(topic.under)}"
            if topic.under
            else ""
        )
        counts = of_topic(topic, data)
        counted = f"\ndata: {counts.short()}" if counts is not None else ""
        message = "\n".join(map(_message, told)) + under + counted
        lines.append(annotation(level, topic.head.place.file, topic.head.place.line, topic.label, message))
    return "".join(lines)


def sarif(review: Review, _data: Impact) -> str:
    """A SARIF 2.1.0 log with one result per entry."""
    results = [
        {
            "ruleId": entry.kind,
            "level": "note" if entry.level == NOTE else "warning",
            "message": {
                "text": f"{entry.name}: {_message(entry)}"
                + (f"; filters: {join_names(entry.under)}" if entry.under else "")
            },
            "locations": [location(entry.place.file or "catalog", entry.place.line)],
        }
        for entry in review.entries
    ]
    kinds = dict.fromkeys(entry.kind for entry in review.entries)
    return sarif_log(results, [{"id": kind, "shortDescription": {"text": KINDS[kind].doc}} for kind in kinds])


# The forms of a review by name.
FORMATS: dict[str, Callable[[Review, Impact], str]] = {
    "text": text,
    "markdown": markdown,
    "json": as_json,
    "github": github,
    "sarif": sarif,
}
