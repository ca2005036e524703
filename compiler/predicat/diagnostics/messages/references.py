"""Messages about references between filters. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.message import NotInFilter, Problem
from predicat.diagnostics.source import Span

unknown_version = Problem[str, str, Iterable[str]]("""unknown-version: {name} has no version {version}
    hint: its versions: {known:list}""")
reference_outside_catalog = Problem[()]("""no-catalog: a reference to another filter needs a catalog
    hint: put the filter into a catalog, or write the condition out""")
cycle = Problem[Iterable[str]]("""cycle: filters refer to each other in a cycle: {path:by ->}
    hint: remove one of these references""")
deprecated = Problem[str, str, str | None]("""warning[deprecated]: {name} is deprecated as of {date}
    hint: {replacement:if use {replacement}|}""")
missing_param = Problem[str, str]("missing-parameter: {filter_name} needs a value for its parameter {name!r}")
surplus_param = Problem[str, str, Iterable[str]]("""unknown-parameter: {filter_name} has no parameter {name!r}
    hint: {known:near name}
    hint: {known:if its parameters: {known:listed}|it takes no parameters}""")
param_type = Problem[str, str, str, str]("""(filter_name, name, expected, given) parameter-type: the
    parameter {name!r} of {filter_name} must have type {expected}, not {given}""")
deprecation_over = Problem[str, str]("""warning[deprecation-over]: {name} is past its deprecation date {day}
    hint: remove it""")
deprecated_use = Problem[str, str, str | None]("""deprecated: {name} was deprecated as of {day}, which is past
    hint: {replacement:if use {replacement}|}""")
filter_name_in_call = NotInFilter[()]("""a filter name that is not a constant
    hint: write filter("name")""")
filter_name_not_constant = NotInFilter[str]("""a filter name that is not a constant
    hint: {hint}""")


def unknown_filter(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    elsewhere = [other for other in known if other.rpartition(".")[2] == name]
    hint = f"did you mean {elsewhere[0]!r}?" if len(elsewhere) == 1 else msg.did_you_mean(name, known)
    return Diagnostic("unknown-filter", f"no filter is named {name!r}", span, hint)
