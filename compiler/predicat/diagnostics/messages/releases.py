"""Every message about released versions and their lock file. Each function is a message: see the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from predicat.diagnostics.diagnostic import Diagnostic, Severity
from predicat.diagnostics.source import NOWHERE, Source, Span

PROVER = "z3, which proves that a released filter keeps its meaning,"
_REPAIR = (
    "predicat release --repair restores the line of the base; if the base has none, remove the line and "
    "release again"
)


def _lock(span: Span, message: str, hint: str, severity: Severity = Severity.ERROR) -> Diagnostic:
    return Diagnostic("lock", message, span, hint, severity)


# --- the file


def lock_damaged(span: Span) -> Diagnostic:
    return _lock(span, "this line of the lock file cannot be read", _REPAIR)


def lock_newer(span: Span, version: int, known: int) -> Diagnostic:
    return _lock(
        span,
        f"the lock file has format {version}; this predicat reads formats up to {known}",
        "upgrade predicat",
    )


def lock_conflict(span: Span) -> Diagnostic:
    return _lock(
        span,
        "the lock file has conflict markers of a merge",
        "predicat release --repair keeps the lines of both sides; then git add it",
    )


def lock_meaning_edited(span: Span, name: str) -> Diagnostic:
    return _lock(
        span,
        f"the line of {name} was edited: its meaning, parameters or on_unknown do not match its hash",
        _REPAIR,
    )


def lock_line_edited(span: Span, name: str) -> Diagnostic:
    return _lock(span, f"the line of {name} was edited: it does not match its checksum", _REPAIR)


def lock_unsealed(span: Span, name: str) -> Diagnostic:
    return _lock(span, f"the line of {name} has no checksum: it was not written by predicat release", _REPAIR)


def lock_subscription_twice(span: Span, name: str, other: str) -> Diagnostic:
    return _lock(
        span,
        f"the subscription {name} was released with other properties in {other}",
        "keep the line of the branch that was merged first, and make a new subscription of the other",
    )


def lock_rivals(span: Span, name: str, other: str, number: int) -> Diagnostic:
    return _lock(
        span,
        f"{name} was released with two meanings, on two branches; the other one is in {other}",
        f"keep the one that was merged first, make the other version {number}, and run "
        "predicat release --repair",
    )


def lock_untidy(path: str) -> Diagnostic:
    return _lock(
        Span(Source(path, ""), 0, 0),
        "lines of the lock file are out of order or duplicated, as after a merge",
        "predicat release --repair sorts it",
        Severity.WARNING,
    )


# --- against the base


def no_base(reason: str, hint: str) -> Diagnostic:
    return Diagnostic(
        "no-base",
        f"released versions are compared with the lock file alone, not with what is merged: {reason}",
        NOWHERE,
        hint,
        Severity.WARNING,
    )


def shallow(hint: str) -> Diagnostic:
    return no_base("the clone does not contain the commit where the branch left main", hint)


def lock_file_gone(path: str, location: str, names: Sequence[str]) -> Diagnostic:
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return Diagnostic(
        "lock-gone",
        f"the lock file {path} is gone; {location} has released {shown}",
        NOWHERE,
        "predicat release --repair restores it",
    )


def lock_line_gone(span: Span, name: str, day: str, location: str, path: str) -> Diagnostic:
    return Diagnostic(
        "lock-gone",
        f"{name} was released on {day} ({location}), and no longer has a line in {path}",
        span,
        "predicat release --repair restores it",
    )


def lock_line_changed(span: Span, name: str, path: str) -> Diagnostic:
    return Diagnostic(
        "lock-changed",
        f"the lock file gives {name} a meaning other than the released one ({path})",
        span,
        _REPAIR,
    )


def lock_date_changed(span: Span, name: str, what: str, before: str, now: str, path: str) -> Diagnostic:
    return Diagnostic(
        "lock-changed",
        f"the lock file has {now} as the {what} of {name}; it was released with {before} ({path})",
        span,
        _REPAIR,
    )


def lock_subscription(span: Span, name: str, location: str, path: str) -> Diagnostic:
    return Diagnostic(
        "lock-changed",
        (
            f"the subscription {name} is released ({location}), and {path} no longer has it, or has other "
            "properties"
        ),
        span,
        _REPAIR,
    )


# --- the catalog


def released_changed(
    span: Span, name: str, day: str, path: str, rows: Iterable[str], hint: str
) -> Diagnostic:
    message = f"{name} was released on {day} ({path}) and must keep its meaning; {'; '.join(rows)}"
    return Diagnostic("released-changed", message, span, hint)


def released_unproved(span: Span, name: str, path: str, reason: str, hint: str) -> Diagnostic:
    message = f"{name} was released ({path}), and there is no proof that it keeps its meaning: {reason}"
    return Diagnostic("released-changed", message, span, hint)


def released_exact(span: Span, name: str, reason: str, number: int) -> Diagnostic:
    return Diagnostic(
        "released-exact",
        (
            f"{name} was released, and there is no proof for doubles that its new condition keeps its "
            "meaning: "
            f"{reason}"
        ),
        span,
        (
            f"arithmetic of doubles rounds: write the new condition as version {number} if rows may "
            "be gained "
            "or lost by it"
        ),
        Severity.WARNING,
    )


def released_not(span: Span, name: str, rows: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "released-unknown",
        f"{name} accepts the rows that it was released with, but {'; '.join(rows)}",
        span,
        "filters that negate it may have changed, too",
        Severity.WARNING,
    )


def released_params(span: Span, name: str, path: str, before: str, now: str, hint: str) -> Diagnostic:
    message = f"{name} was released with the parameters ({before}) ({path}); now they are ({now})"
    return Diagnostic("released-changed", message, span, hint)


def released_gone(span: Span, name: str, day: str | None, renamed: str | None) -> Diagnostic:
    hint = (
        f"it can be removed after {day}"
        if day
        else "first deprecate it with a date, then remove it after that date"
    )
    if renamed:
        filter_name = name.partition("@")[0].partition(".")[2]
        hint = (
            f"{renamed} means the same: keep the old name beside it ({filter_name}: {{all: [{renamed}]}}), "
            "deprecate it, and remove it after that date"
        )
    return Diagnostic("released-gone", f"{name} was released and cannot be removed yet", span, hint)


def released_nowhere(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        "released-gone",
        f"neither the catalog nor the lock file of the base has {name}",
        span,
        "predicat release --repair removes the line",
    )


def latest_lowered(span: Span, name: str, now: int, before: int, number: int) -> Diagnostic:
    return Diagnostic(
        "released-latest",
        (
            f"{name} without a version was released as version {before}; now it means version {now}, an "
            "older one"
        ),
        span,
        f"to go back, write the condition of version {now} as version {number}",
    )


def subscription_changed(span: Span, name: str, before: object, now: object) -> Diagnostic:
    message = (
        f"the properties of the released subscription {name} must not change; they were {before}, now {now}"
    )
    return Diagnostic("subscription-changed", message, span, "make a new subscription")
