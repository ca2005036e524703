"""Checks between definitions: names of filters, fields and views."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from predicat.catalog.filters import is_open
from predicat.catalog.jobs import JobFilter
from predicat.catalog.keys import VIEW_MATERIALIZED
from predicat.catalog.model import Filter, WrittenDataset
from predicat.catalog.names import Names
from predicat.diagnostics import Diagnostic, Reporter, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.messages import deploy as say_deploy
from predicat.diagnostics.messages import jobs as say_jobs
from predicat.diagnostics.messages import references
from predicat.ir.nodes import ParamDecl
from predicat.ir.python_values import RowError
from predicat.ir.types import DATE, TIMESTAMP
from predicat.ir.values import to_value


class Checks(Struct, frozen=True):
    """Checks of whole datasets. Problems are reported."""

    names: Names
    reporter: Reporter

    def run(self, known: Mapping[str, Filter]) -> None:
        """All checks. `known` are the filters that have no problems, by `dataset.filter`."""
        self.members()
        self.jobs(known)
        self.views(known.values())

    def views(self, filters: Iterable[Filter]) -> None:
        """No two filters share the name of their views, dataset__filter, and no view shows readers the rows
        that its filter rejects.
        """
        seen: dict[str, Filter] = {}
        filters = list(filters)
        self.materialized(filters)
        for filter_ in filters:
            if (other := seen.setdefault(filter_.view, filter_)) is not filter_:
                self.reporter.add(say_deploy.same_view(filter_.span, filter_.view, other.qualified))
        for dataset in self.names.datasets.values():
            if is_open(dataset.view):
                self.reporter.add(say_deploy.open_view(dataset.places["view"]))
                continue
            for one in dataset.filters.values():
                if is_open({**dataset.view, **one.view_options}):
                    self.reporter.add(say_deploy.open_view(one.span))

    def materialized(self, filters: Iterable[Filter]) -> None:
        """A materialized view has the same rows in each query: it reads no clock and no role of its reader.
        It is refreshed by the key of its dataset.
        """
        for filter_ in filters:
            if not filter_.is_materialized:
                continue
            dataset, span = self.names.datasets[filter_.dataset], filter_.span
            place = dataset.places["view"] if dataset.view.get(VIEW_MATERIALIZED) else span
            if filter_.current.predicate.reads_now:
                self.reporter.add(say_deploy.materialized_now(span, filter_.qualified))
            if filter_.view_options.get("security_invoker"):
                self.reporter.add(say_deploy.materialized_invoker(span))
            if not dataset.key:
                self.reporter.add(say_deploy.materialized_without_key(place, dataset.name))

    def members(self) -> None:
        """Groups and subscriptions refer to filters that exist, keys to fields, and freshness to a timestamp
        or date field.
        """
        for dataset in self.names.datasets.values():
            self.freshness(dataset)
            self.partition(dataset)
            if dataset.where:
                self.use(dataset.name, dataset.where, dataset.places["where"])
            for name in dataset.key:
                if name not in dataset.fields and "unknown-field" not in dataset.unread:
                    self.reporter.add(msg.unknown_field(dataset.places["key"], name, dataset.fields))
            for name, span in dataset.uses:
                self.use(dataset.name, name, span)

    def use(self, dataset: str, name: str, span: Span) -> None:
        """A name refers to a filter, or to a version that it has."""
        definition = self.names.lookup(dataset, name)
        if definition is None:
            if not self.names.declares(dataset, name):
                self.reporter.add(references.unknown_filter(span, name, self.names.all(dataset)))
            return
        row, number = definition
        if number is not None and number not in row.versions:
            version = name.partition("@")[2]
            self.reporter.add(
                references.unknown_version(span, row.qualified, version, map(str, row.versions))
            )

    def jobs(self, known: Mapping[str, Filter]) -> None:
        """Jobs refer to filters that exist, with valid values of parameters, and to a range column that is a
        field.
        """
        for dataset in self.names.datasets.values():
            for job in dataset.jobs.values():
                if job.name in self.names.datasets:
                    self.reporter.add(say_jobs.job_named_as_dataset(job.span, job.name))
                if job.range is not None and job.range not in dataset.fields:
                    self.reporter.add(msg.unknown_field(job.span, job.range, dataset.fields))
                if job.every == "subscriptions" and not dataset.subscriptions:
                    self.reporter.add(say_jobs.no_subscriptions(job.span, dataset.name))
                for filter_ in job.filters:
                    self.job_filter(dataset, filter_, known)

    def job_filter(self, dataset: WrittenDataset, filter_: JobFilter, known: Mapping[str, Filter]) -> None:
        """A filter of a job exists, is of the job's dataset, and takes the values. A filter with problems is
        not checked here.
        """
        name = dataset.filter_named(filter_.filter)
        definition = self.names.lookup(dataset.name, name)
        if definition is None:
            if not self.names.declares(dataset.name, name):
                names = [*self.names.all(dataset.name), *dataset.subscriptions]
                self.reporter.add(references.unknown_filter(filter_.span, filter_.filter, names))
            return
        target = known.get(definition[0].qualified)
        if target is None:
            return
        number = definition[1] or target.latest
        if target.dataset != dataset.name:
            self.reporter.add(say_jobs.filter_of_another_dataset(filter_.span, filter_.filter, dataset.name))
        elif number not in target.versions:
            if filter_.filter not in dataset.subscriptions:  # where it is reported
                version = name.partition("@")[2]
                self.reporter.add(
                    references.unknown_version(
                        filter_.span, target.qualified, version, map(str, target.versions)
                    )
                )
        else:
            self.reporter.extend(
                argument_problems(
                    filter_.span, target.qualified, target.versions[number].params, filter_.params
                )
            )

    def freshness(self, dataset: WrittenDataset) -> None:
        """Freshness refers to a declared field of type timestamp or date."""
        if dataset.freshness is not None:
            self.time_field(dataset, "freshness", dataset.freshness.field, dataset.freshness.span)

    def partition(self, dataset: WrittenDataset) -> None:
        """Partitions are of a declared field of type timestamp or date. Days of a date have no zone and no
        hours.
        """
        spec = dataset.partition
        if spec is None or not self.time_field(dataset, "partition", spec.field, spec.span):
            return
        if dataset.fields[spec.field].type == DATE and (spec.zone or spec.by == "hour"):
            self.reporter.add(say.partition_of_dates(spec.span, spec.field))

    def time_field(self, dataset: WrittenDataset, what: str, name: str, span: Span) -> bool:
        """Whether a field is declared as a timestamp or date; reported if it is not."""
        declared = dataset.fields.get(name)
        if declared is None:
            self.reporter.add(msg.unknown_field(span, name, dataset.fields))
        elif declared.type not in (TIMESTAMP, DATE):
            self.reporter.add(say.field_of_no_time(span, what, name, str(declared.type)))
        return declared is not None and declared.type in (TIMESTAMP, DATE)


def argument_problems(
    span: Span, name: str, params: Mapping[str, ParamDecl], given: Mapping[str, Any]
) -> list[Diagnostic]:
    """The problems of values for a filter's parameters: unknown or missing parameters, and wrong types."""
    problems = [references.surplus_param(span, name, key, params) for key in given if key not in params]
    for key, decl in params.items():
        if key not in given:
            if decl.required:
                problems.append(references.missing_param(span, name, key))
            continue
        try:
            to_value(given[key], decl.type)
        except RowError:
            problems.append(say.bad_argument(span, key, name, given[key], decl.type))
    return problems
