"""Messages of entry filters: Python classes that say which rows are delivered.

Each row is one: see the package.
"""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import Failure, Problem, Text
from predicat.diagnostics.messages.backends import RUN_ENTRY_FILTER, RUNS_AS_PYTHON
from predicat.diagnostics.source import Span

class_not_text = Problem[()]("""bad-class: python must be the name of a class, or a list of such names
    hint: write python: package.module.Class, or a list of classes""")
bad_class = Problem[str]("""bad-class: {text!r} is not the name of a Python class
    hint: write package.module.Class, or the name of a provider (predicat filters providers)""")
no_class = Problem[()]("bad-class: an entry filter needs at least one Python class")
after_without_python = Problem[str]("""bad-value: `after` belongs to an entry filter, but this filter is in
    {language}
    hint: join native filters with `all: [...]`""")
part_of_another = Problem[str]("""entry-filter: {name} is an entry filter, which cannot be a part of another
    filter
    hint: name its native filter instead; entry filters form a chain as a list: `python: [a.B, c.D]`""")
needs_running = Failure[str]("""entry-filter: this filter runs Python code ({name}), which a predicate cannot
    evaluate
    hint: use predicat.entry_filters.opened(catalog, name), or predicat_spark.entry_filters.apply on Spark""")
not_an_entry_filter = Failure[str]("""entry-filter: {name} is not an entry filter
    hint: it has no `python:` key; use it as a native filter""")
no_provider = Failure[str, Iterable[str]]("""no-provider: no entry filter is installed under the name {name!r}
    hint: {known:near name}
    hint: `predicat filters providers` lists those that are installed""")
not_loaded = Failure[str, str]("no-class: the entry filter {name} cannot be loaded: {reason}")
no_method = Failure[str]("""no-class: {name} is not an entry filter: it has no method filter_entry
    hint: see docs/entry_filters.md for the protocol""")
needs_parameter = Failure[str, str]("""missing-parameter: the native filter of {name} needs a value for
    its parameter {parameter!r}""")
no_subscription = Failure[str, str, Iterable[str]]("""(name, dataset, known) no-subscription: {dataset} has no
    subscription named {name!r}
    hint: {known:near name}""")
raised_in_job = Text[str, str, str, str, str, int]("""(filter_, class_, kind, key, text, count) entry
    filter {class_} of {filter_} raised {kind} for the row {key}: {text}; {count:count row} of this batch
    count as UNKNOWN""")
needs_newer_spark = Failure[()]("""entry-filter: a job with an entry filter needs Spark 4.1 or later
    hint: use predicat_spark.entry_filters.apply, which runs on Spark 4.0 too""")
no_reading_each = Failure[()]("""entry-filter: an entry filter sees each row once, but passes: many reads rows
    several times
    hint: remove passes: many""")
no_providers = Text[str]("no provider is installed (entry point group {group})")
raised = Text[str, object, BaseException]("""(name, key, error) entry filter {name} raised
    {error.__class__.__name__} for the row {key}: {error}; the row counts as UNKNOWN, and so do further rows,
    which are not logged""")


def not_written(span: Span, language: str) -> Diagnostic:
    return msg.unsupported(span, language, "Python code", RUNS_AS_PYTHON, RUN_ENTRY_FILTER)
