"""Messages about references between filters. Each function is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic, Severity
from predicat.diagnostics.source import Span


def unknown_filter(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    elsewhere = [other for other in known if other.rpartition(".")[2] == name]
    hint = f"did you mean {elsewhere[0]!r}?" if len(elsewhere) == 1 else msg.did_you_mean(name, known)
    return Diagnostic("unknown-filter", f"no filter is named {name!r}", span, hint)


def unknown_version(span: Span, name: str, version: str, known: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "unknown-version", f"{name} has no version {version}", span, f"its versions: {', '.join(known)}"
    )


def reference_outside_catalog(span: Span) -> Diagnostic:
    return Diagnostic(
        "no-catalog",
        "a reference to another filter needs a catalog",
        span,
        "put the filter into a catalog, or write the condition out",
    )


def cycle(span: Span, path: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "cycle",
        f"filters refer to each other in a cycle: {' -> '.join(path)}",
        span,
        "remove one of these references",
    )


def deprecated(span: Span, name: str, date: str, replacement: str | None) -> Diagnostic:
    hint = f"use {replacement}" if replacement else None
    return Diagnostic("deprecated", f"{name} is deprecated as of {date}", span, hint, Severity.WARNING)


def missing_param(span: Span, filter_name: str, name: str) -> Diagnostic:
    return Diagnostic("missing-parameter", f"{filter_name} needs a value for its parameter {name!r}", span)


def surplus_param(span: Span, filter_name: str, name: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    hint = msg.did_you_mean(name, known) or (
        f"its parameters: {msg.listed(known)}" if known else "it takes no parameters"
    )
    return Diagnostic("unknown-parameter", f"{filter_name} has no parameter {name!r}", span, hint)


def param_type(span: Span, filter_name: str, name: str, expected: str, given: str) -> Diagnostic:
    return Diagnostic(
        "parameter-type",
        f"the parameter {name!r} of {filter_name} must have type {expected}, not {given}",
        span,
    )


def deprecation_over(span: Span, name: str, day: str) -> Diagnostic:
    return Diagnostic(
        "deprecation-over", f"{name} is past its deprecation date {day}", span, "remove it", Severity.WARNING
    )


def deprecated_use(span: Span, name: str, day: str, replacement: str | None) -> Diagnostic:
    return Diagnostic(
        "deprecated",
        f"{name} was deprecated as of {day}, which is past",
        span,
        f"use {replacement}" if replacement else None,
    )


def filter_name_in_call(span: Span) -> Diagnostic:
    return filter_name_not_constant(span, 'write filter("name")')


def filter_name_not_constant(span: Span, hint: str) -> Diagnostic:
    return msg.unsupported_syntax(span, "a filter name that is not a constant", hint)
