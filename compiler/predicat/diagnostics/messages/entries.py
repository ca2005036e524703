"""Messages of entry filters: Python classes that say which rows are delivered.

Each function is one: see the package.
"""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.messages.backends import RUN_ENTRY_FILTER, RUNS_AS_PYTHON
from predicat.diagnostics.source import NOWHERE, Span
from predicat.diagnostics.wording import quantity


def class_not_text(span: Span) -> Diagnostic:
    hint = "write python: package.module.Class, or a list of classes"
    return Diagnostic("bad-class", "python must be the name of a class, or a list of such names", span, hint)


def bad_class(span: Span, text: str) -> Diagnostic:
    return Diagnostic(
        "bad-class",
        f"{text!r} is not the name of a Python class",
        span,
        "write package.module.Class, or the name of a provider (predicat filters providers)",
    )


def no_class(span: Span) -> Diagnostic:
    return Diagnostic("bad-class", "an entry filter needs at least one Python class", span)


def after_without_python(span: Span, language: str) -> Diagnostic:
    return Diagnostic(
        "bad-value",
        f"`after` belongs to an entry filter, but this filter is in {language}",
        span,
        "join native filters with `all: [...]`",
    )


def part_of_another(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        "entry-filter",
        f"{name} is an entry filter, which cannot be a part of another filter",
        span,
        "name its native filter instead; entry filters form a chain as a list: `python: [a.B, c.D]`",
    )


def needs_running(name: str) -> Diagnostic:
    return Diagnostic(
        "entry-filter",
        f"this filter runs Python code ({name}), which a predicate cannot evaluate",
        NOWHERE,
        "use predicat.entry_filters.opened(catalog, name), or predicat_spark.entry_filters.apply on Spark",
    )


def not_written(span: Span, language: str) -> Diagnostic:
    return msg.unsupported(span, language, "Python code", RUNS_AS_PYTHON, RUN_ENTRY_FILTER)


def not_an_entry_filter(name: str) -> Diagnostic:
    return Diagnostic(
        "entry-filter",
        f"{name} is not an entry filter",
        NOWHERE,
        "it has no `python:` key; use it as a native filter",
    )


def no_provider(name: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    hint = msg.did_you_mean(name, known) or "`predicat filters providers` lists those that are installed"
    return Diagnostic("no-provider", f"no entry filter is installed under the name {name!r}", NOWHERE, hint)


def not_loaded(name: str, reason: str) -> Diagnostic:
    return Diagnostic("no-class", f"the entry filter {name} cannot be loaded: {reason}", NOWHERE)


def no_method(name: str) -> Diagnostic:
    return Diagnostic(
        "no-class",
        f"{name} is not an entry filter: it has no method filter_entry",
        NOWHERE,
        "see docs/entry_filters.md for the protocol",
    )


def needs_parameter(name: str, parameter: str) -> Diagnostic:
    return Diagnostic(
        "missing-parameter",
        f"the native filter of {name} needs a value for its parameter {parameter!r}",
        NOWHERE,
    )


def no_subscription(name: str, dataset: str, known: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "no-subscription",
        f"{dataset} has no subscription named {name!r}",
        NOWHERE,
        msg.did_you_mean(name, known),
    )


def raised(name: str, key: object, error: BaseException) -> str:
    return (
        f"entry filter {name} raised {type(error).__name__} for the row {key}: {error}; "
        "the row counts as UNKNOWN, and so do further rows, which are not logged"
    )


def raised_in_job(filter_: str, class_: str, kind: str, key: str, text: str, count: int) -> str:
    rows = quantity(count, "row")
    return (
        f"entry filter {class_} of {filter_} raised {kind} for the row {key}: {text}; "
        f"{rows} of this batch count as UNKNOWN"
    )


def needs_newer_spark() -> Diagnostic:
    return Diagnostic(
        "entry-filter",
        "a job with an entry filter needs Spark 4.1 or later",
        NOWHERE,
        "use predicat_spark.entry_filters.apply, which runs on Spark 4.0 too",
    )


def no_reading_each() -> Diagnostic:
    return Diagnostic(
        "entry-filter",
        "an entry filter sees each row once, but passes: many reads rows several times",
        NOWHERE,
        "remove passes: many",
    )


def no_providers(group: str) -> str:
    return f"no provider is installed (entry point group {group})"
