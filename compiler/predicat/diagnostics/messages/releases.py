"""Every message about released versions and their lock file. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from predicat.diagnostics.diagnostic import Diagnostic, Severity
from predicat.diagnostics.message import Arguments, Failure, Problem
from predicat.diagnostics.source import Source, Span


class _Repaired(Problem[*Arguments]):
    """A problem of the lock file that its repair mends."""

    hint = (
        "predicat release --repair restores the line of the base; if the base has none, remove the "
        "line and release again"
    )


PROVER = "z3, which proves that a released filter keeps its meaning,"


# --- the file

lock_damaged = _Repaired[()]("lock: this line of the lock file cannot be read")
lock_newer = Problem[int, int]("""lock: the lock file has format {version}; this predicat reads formats up to
    {known}
    hint: upgrade predicat""")
lock_conflict = Problem[()]("""lock: the lock file has conflict markers of a merge
    hint: predicat release --repair keeps the lines of both sides; then git add it""")
lock_meaning_edited = _Repaired[str]("""lock: the line of {name} was edited: its meaning, parameters or
    on_unknown do not match its hash""")
lock_line_edited = _Repaired[str]("lock: the line of {name} was edited: it does not match its checksum")
lock_unsealed = _Repaired[str]("""lock: the line of {name} has no checksum: it was not written by predicat
    release""")
lock_subscription_twice = Problem[str, str]("""lock: the subscription {name} was released with other
    properties in {other}
    hint: keep the line of the branch that was merged first, and make a new subscription of the other""")
lock_rivals = Problem[str, str, int]("""lock: {name} was released with two meanings, on two branches; the
    other one is in {other}
    hint: keep the one that was merged first, make the other version {number}, and run predicat release
    --repair""")


def lock_untidy(path: str) -> Diagnostic:
    return Diagnostic(
        "lock",
        "lines of the lock file are out of order or duplicated, as after a merge",
        Span(Source(path, ""), 0, 0),
        "predicat release --repair sorts it",
        Severity.WARNING,
    )


# --- against the base

no_base = Failure[str, str]("""warning[no-base]: released versions are compared with the lock file alone, not
    with what is merged: {reason}
    hint: {hint}""")
shallow = Failure[str]("""warning[no-base]: released versions are compared with the lock file alone, not with
    what is merged: the clone does not contain the commit where the branch left main
    hint: {hint}""")
lock_file_gone = Failure[str, str, Sequence[str]]("""lock-gone: the lock file {path} is gone; {location} has
    released {names:some 5}
    hint: predicat release --repair restores it""")
lock_line_gone = Problem[str, str, str, str]("""lock-gone: {name} was released on {day} ({location}), and no
    longer has a line in {path}
    hint: predicat release --repair restores it""")
lock_line_changed = _Repaired[str, str]("""lock-changed: the lock file gives {name} a meaning other than
    the released one ({path})""")
lock_date_changed = _Repaired[str, str, str, str, str]("""(name, what, before, now, path) lock-changed:
    the lock file has {now} as the {what} of {name}; it was released with {before} ({path})""")
lock_subscription = _Repaired[str, str, str]("""lock-changed: the subscription {name} is released
    ({location}), and {path} no longer has it, or has other properties""")


# --- the catalog

released_changed = Problem[str, str, str, Iterable[str], str]("""released-changed: {name} was released on
    {day} ({path}) and must keep its meaning; {rows:semicolons}
    hint: {hint}""")
released_unproved = Problem[str, str, str, str]("""released-changed: {name} was released ({path}), and there
    is no proof that it keeps its meaning: {reason}
    hint: {hint}""")
released_exact = Problem[str, str, int]("""warning[released-exact]: {name} was released, and there is no proof
    for doubles that its new condition keeps its meaning: {reason}
    hint: arithmetic of doubles rounds: write the new condition as version {number} if rows may be gained
    or lost by it""")
released_not = Problem[str, Iterable[str]]("""warning[released-unknown]: {name} accepts the rows that it was
    released with, but {rows:semicolons}
    hint: filters that negate it may have changed, too""")
released_params = Problem[str, str, str, str, str]("""(name, path, before, now, hint) released-changed: {name}
    was released with the parameters ({before}) ({path}); now they are ({now})
    hint: {hint}""")
released_nowhere = Problem[str]("""released-gone: neither the catalog nor the lock file of the base has {name}
    hint: predicat release --repair removes the line""")
latest_lowered = Problem[str, int, int, int]("""(name, now, before, number) released-latest: {name} without a
    version was released as version {before}; now it means version {now}, an older one
    hint: to go back, write the condition of version {now} as version {number}""")
subscription_changed = Problem[str, object, object]("""subscription-changed: the properties of the released
    subscription {name} must not change; they were {before}, now {now}
    hint: make a new subscription""")


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
