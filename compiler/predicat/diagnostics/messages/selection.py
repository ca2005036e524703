"""Messages about selectors of filters. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Failure
from predicat.diagnostics.wording import quantity

TAG = "tag"
OWNER = "owner"
LANGUAGE = "language"
FIELD = "field"
NOTHING_SELECTED = "no filter is selected"
CHANGED_AND_SELECTORS = "--changed and selectors exclude each other; write state:changed"

bad_selector = Failure[str]("""usage: {text!r} selects nothing
    hint: write a name, a pattern such as flights.*, or tag:NAME""")
path_as_filter = Failure[str, str, str]("""usage: {path} is a {kind}, not a filter
    hint: write {option} {path}""")
no_subscription = Failure[str, Iterable[str]]("""usage: no subscription is named {pattern!r}
    hint: {known:near pattern}""")
no_state = Failure[str, Iterable[str]]("""usage: no state is named {state!r}
    hint: {known:near state}
    hint: known are {known:list}""")


def checked(counts: Mapping[str, Any]) -> str:
    """What `predicat check` has checked. `of` is the number of filters of the catalog; None where only what a
    change touches was read.
    """
    if counts["of"] == 0 and not counts["datasets"]:
        return "the change touches nothing in the catalog"
    part = "" if counts["of"] is not None else "what the change touches: "
    filters = quantity(counts["filters"], "filter")
    if counts["of"] is not None and counts["of"] != counts["filters"]:
        filters = f"{counts['filters']} of {quantity(counts['of'], 'filter')}"
    released = f", {counts['released']} released" if counts["released"] is not None else ""
    released += " (compared with the base)" if counts["compared"] else ""
    return (
        f"{part}{quantity(counts['datasets'], 'dataset')}, {filters} in "
        f"{quantity(counts['versions'], 'version')}{released}, {quantity(counts['tests'], 'test')} passed"
    )


def no_method(kind: str, text: str, known: Iterable[str]) -> Diagnostic:
    names = ", ".join(f"{name}:" for name in known)
    return msg.usage(
        f"no selector is named {kind!r}, in {text!r}", msg.did_you_mean(kind, known) or f"known are {names}"
    )


def nobody_has(what: str, pattern: str, known: Iterable[str]) -> Diagnostic:
    names = list(known)
    if what == FIELD:
        message = f"no filter reads the field {pattern!r}"
    else:
        message = f"no filter has the {what} {pattern!r}"
    few = f"known are {', '.join(names)}" if 0 < len(names) <= 12 else None
    return msg.usage(message, msg.did_you_mean(pattern, names) or few)
