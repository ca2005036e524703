"""What was found, for people and for programs."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from predicat.discover.conditions import Condition, Place, Refused
from predicat.discover.read.folder import Found


def text(found: Found) -> str:
    """A summary for people."""
    clauses = Counter(row.clause for row in found.conditions)
    reasons = Counter(row.reason for row in found.refused)
    relations = {row.relation for row in found.conditions if row.relation and not row.derived}
    lines = [
        _line("files", sum(found.files.values()), _listed(found.files)),
        *([_line("dialects", len(found.dialects), _listed(found.dialects))] if found.dialects else []),
        _line("conditions", len(found.conditions), _listed(clauses)),
        _line("distinct", len({(row.relation, row.sql or row.text) for row in found.conditions})),
        _line("relations", len(relations)),
        _line("left out", len(found.refused)),
        *(f"{number:>16}  {reason}" for reason, number in reasons.most_common()),
    ]
    return "\n".join(lines) + "\n"


def _line(name: str, number: int, more: str = "") -> str:
    return f"{name:<10}{number:>6}" + (f"  {more}" if more else "")


def _listed(counts: Counter[Any]) -> str:
    return ", ".join(f"{name or 'standard'} {number}" for name, number in counts.most_common())


def as_json(found: Found) -> str:
    """All that was found, as JSON."""
    data = {
        "files": dict(found.files),
        "dialects": dict(found.dialects),
        "conditions": [condition_data(row) for row in found.conditions],
        "left_out": [_refused_data(row) for row in found.refused],
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def condition_data(row: Condition) -> dict[str, Any]:
    """A condition as JSON has it."""
    return {
        **place_data(row.place),
        "relation": row.relation,
        "clause": row.clause,
        "language": row.language,
        "dialect": row.dialect,
        "text": row.text,
        "sql": row.sql,
        "whole": row.whole,
        "derived": row.derived,
        "owner": row.owner,
        "params": sorted(row.params),
    }


def place_data(place: Place) -> dict[str, Any]:
    """A place as JSON has it."""
    return {"file": place.path, "line": place.line, "column": place.column}


def _refused_data(row: Refused) -> dict[str, Any]:
    return {**place_data(row.place), "reason": row.reason, "text": row.text}
