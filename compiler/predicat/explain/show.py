"""Rows, outcomes and verdicts as text."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from predicat.ir.values import seconds

if TYPE_CHECKING:
    from predicat.proof.compare import Verdict, Witness


def plain(value: Any) -> Any:
    """A value as JSON data; a string for types that JSON does not have."""
    match value:
        case float() if not math.isfinite(value):
            return {math.inf: ".inf", -math.inf: "-.inf"}.get(value, ".nan")
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case date():
            return value.isoformat()
        case Decimal():
            return _decimal(value)
        case timedelta():
            return seconds(value)
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            return value


def _decimal(value: Decimal) -> int | float | str:
    """A decimal as JSON data, the same for 5, 5.0 and 5.00: a number if a double keeps its digits, else a
    string.
    """
    if not value.is_finite():
        return str(value)
    digits = f"{value:f}" if value else "0"
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    number: int | float = float(digits) if "." in digits else int(digits)
    return number if len(digits) <= _SAFE_DIGITS and str(number) == digits else digits


# Characters of a number that a double, and so JSON and YAML, gives back as it was.
_SAFE_DIGITS = 16


def value_text(value: Any) -> str:
    """A constant as in a row."""
    return _value(value)


def row_text(row: Mapping[str, Any]) -> str:
    """A row as a YAML mapping in one line, which can be pasted into a test."""
    return "{" + ", ".join(f"{_key(key)}: {_value(value)}" for key, value in row.items()) + "}"


def _key(name: str) -> str:
    return name if name.replace("_", "").replace(".", "").isalnum() else json.dumps(name)


def _value(value: Any) -> str:
    shown = plain(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(shown)
    if isinstance(value, Mapping):
        return row_text(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return (
        str(shown)
        if isinstance(value, date) and not isinstance(value, datetime)
        else json.dumps(shown, ensure_ascii=False)
    )


def outcome(value: bool | None) -> str:
    """TRUE, FALSE or UNKNOWN."""
    return "UNKNOWN" if value is None else str(value).upper()


SENTENCES = {
    "equivalent": "the same outcome on every row ({proof})",
    "equivalent as a filter": (
        "the same rows ({proof}); some are FALSE where they were UNKNOWN, or the reverse, so NOT differs"
    ),
    "narrower": "rows are lost, none is gained ({proof})",
    "wider": "rows are gained, none is lost ({proof})",
    "changed": "rows are lost and rows are gained ({proof})",
    "disjoint": "other rows are accepted, none of the earlier ones ({proof})",
    "always": "every row is accepted now ({proof})",
    "never": "no row is accepted now ({proof})",
    "undecided": "no proof within the time limit",
    "unsupported": "no proof",
}


def sentence(verdict: Verdict) -> str:
    """A verdict in words."""
    result = SENTENCES[verdict.kind].format(proof=verdict.proof)
    if verdict.operators:
        result += f", because of {', '.join(verdict.operators)}"
    if verdict.kind in ("undecided", "unsupported") and (verdict.lost or verdict.gained):
        result += f"; rows are {'lost' if verdict.lost else 'gained'}"
    return "; ".join((result, *verdict.notes))


def title(verdict: Verdict) -> str:
    """The kind of a verdict, with its evidence unless it is proved or shown."""
    return (
        f"{verdict.kind} ({verdict.proof})" if verdict.proof not in ("proved", "shown", "") else verdict.kind
    )


def witnesses(verdict: Verdict) -> list[tuple[str, Witness]]:
    """The rows of a verdict, each with what it shows."""
    parts = (("lost", verdict.lost), ("gained", verdict.gained), ("differs under NOT", verdict.unknown))
    return [(what, part) for what, part in parts if part is not None]


def session_text(witness: Witness) -> str:
    """`{a: 4} with {tenant: 4}`: the row, and the values of parameters."""
    return row_text(witness.row) + (f" with {row_text(witness.params)}" if witness.params else "")


def witness_text(witness: Witness, what: str = "") -> str:
    """`{a: 4}: TRUE before, FALSE after`; of a row that is gained or lost, whether UNKNOWN is accepted."""
    before, after = outcome(witness.before), outcome(witness.after)
    if before == after == "UNKNOWN" and what in _ENDS:
        before, after = f"{before} ({_ENDS[what][0]})", f"{after} ({_ENDS[what][1]})"
    return f"{session_text(witness)}: {before} before, {after} after"


# What becomes of a row that is UNKNOWN for both predicates.
_ENDS = {"gained": ("rejected", "accepted"), "lost": ("accepted", "rejected")}


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """A verdict as JSON."""
    return {
        "kind": verdict.kind,
        "proof": verdict.proof,
        "sentence": sentence(verdict),
        "operators": list(verdict.operators),
        "notes": list(verdict.notes),
        "witnesses": [
            {
                "shows": what,
                "row": plain(witness.row),
                "params": plain(witness.params),
                "before": outcome(witness.before),
                "after": outcome(witness.after),
            }
            for what, witness in witnesses(verdict)
        ],
    }
