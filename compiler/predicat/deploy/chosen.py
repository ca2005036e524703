"""The filters of a run: their versions and parameters, as SQL that is evaluated once per row."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from predicat import backends
from predicat.backends.sql.column_forms import stored_type
from predicat.backends.sql.expressions import columns_of
from predicat.catalog.jobs import Job, JobFilter
from predicat.catalog.model import Catalog, Dataset, Filter
from predicat.diagnostics import NOWHERE, PredicatError
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import deploy as say
from predicat.diagnostics.messages import jobs as say_jobs
from predicat.ir.canonical import meaning_hash
from predicat.ir.nodes import Literal, Node, fields_of
from predicat.ir.values import to_value
from predicat.rewrite.simplify import simplify
from predicat.rewrite.substitute import at, substitute, with_defaults


class Chosen(Struct, frozen=True, dict=True):
    """A version of a filter in a run. `name` is its name in sinks; `node` its predicate with all parameters
    replaced.
    """

    name: str
    filter: Filter
    number: int
    params: Mapping[str, Any]
    node: Node
    now: datetime | None = None
    """The current time of the run. Default: the engine's own, that of each query."""
    subscription: str = ""
    """The subscription that names the filter."""
    computed: tuple[str, str] | None = None
    """The column, and its type, that has the outcome already."""

    @property
    def accepts_unknown(self) -> bool:
        """Whether rows for which the filter is UNKNOWN are accepted."""
        return self.filter.on_unknown == "accept"

    @cached_property
    def sql(self) -> str:
        """The predicate: TRUE, FALSE or NULL."""
        if self.computed is not None:
            return self.computed[0]
        return backends.dialect("spark").render(at(self.node, self.now))

    @cached_property
    def native_sql(self) -> str:
        """The same, with functions of the extension's jar."""
        spark = backends.dialect("spark")
        if self.computed is not None or spark.runtime is None or not spark.runtime.serves(self.node):
            return self.sql
        return spark.render(at(self.node, self.now), runtime=spark.runtime)

    @property
    def columns(self) -> dict[str, str]:
        """The columns of the fields that it reads, with their declared types."""
        if self.computed is not None:
            return {self.computed[0]: self.computed[1]}
        fields = fields_of(self.filter.versions[self.number].predicate.node).values()
        return {
            column: "" if decl.expression("spark") else stored_type("spark", decl, str)
            for decl in fields
            for column in columns_of(decl, "spark")
        }

    @property
    def present(self) -> str:
        """The SQL condition that no column that it reads is NULL."""
        columns = (column.replace("`", "``") for column in self.columns)
        return " AND ".join(f"`{column}` IS NOT NULL" for column in columns) or "TRUE"

    @cached_property
    def meaning(self) -> str:
        """The hash of its meaning in this run, including parameters."""
        return meaning_hash(self.node, self.filter.on_unknown)


def chosen(catalog: Catalog, dataset: str, job_filters: Sequence[JobFilter], every: str = "") -> list[Chosen]:
    """The requested filters; by default all subscriptions of the dataset (`every`), or all its filters
    without required parameters. Raises PredicatError.
    """
    result = dataset_of(catalog, dataset)
    if every == "subscriptions":
        if not result.subscriptions:
            raise PredicatError.of(say_jobs.no_subscriptions(NOWHERE, dataset))
        return [_named(catalog, result, JobFilter(name, name)) for name in sorted(result.subscriptions)]
    if not job_filters:
        rows = (
            filter_
            for filter_ in result.filters.values()
            if not any(param.required for param in filter_.current.params.values())
        )
        return [_chosen(filter_.name, filter_, filter_.latest, {}) for filter_ in rows]
    return [_named(catalog, result, one) for one in job_filters]


def dataset_of(catalog: Catalog, name: str) -> Dataset:
    """A dataset by its name. Raises PredicatError with similar names."""
    result = catalog.datasets.get(name)
    if result is None:
        raise PredicatError.of(say.no_dataset(name, msg.did_you_mean(name, catalog.datasets)))
    return result


def job_of(catalog: Catalog, name: str) -> Job | None:
    """A job by its name or `dataset.job`; None if there is none. Raises PredicatError if several datasets
    have a job of this name.
    """
    result = [
        job
        for dataset in catalog.datasets.values()
        for job in dataset.jobs.values()
        if name in (job.name, job.qualified)
    ]
    if len(result) > 1:
        raise PredicatError.of(say.several_jobs(name, " or ".join(job.qualified for job in result)))
    return result[0] if result else None


def with_filters(job: Job, names: Sequence[str]) -> Job:
    """A job for some of its filters, or for others of its dataset by their own names, and the sinks that
    take rows of these.
    """
    named = {job_filter.name: job_filter for job_filter in job.filters}
    return replace(
        job,
        filters=tuple(named.get(name, JobFilter(name, name)) for name in names),
        sinks=tuple(
            replace(sink, filters=tuple(name for name in sink.filters if name in names))
            for sink in job.sinks
            if not sink.filters or set(sink.filters) & set(names)
        ),
    )


def selected_names(catalog: Catalog, job: Job, selected: Mapping[str, int]) -> list[str]:
    """The names of those filters of a job (of its dataset, if it names none) that are selected.

    `selected` has the version of each selected filter by `dataset.filter`. Filters of the dataset with a
    parameter that has no default are left out.
    """
    dataset = dataset_of(catalog, job.dataset)
    if job.filters:
        matches = [
            (job_filter, catalog.find(_full(dataset, job_filter.filter))) for job_filter in job.filters
        ]
        return [
            job_filter.name
            for job_filter, (filter_, number) in matches
            if selected.get(filter_.qualified) in (number, filter_.latest)
        ]
    rows = [filter_ for filter_ in dataset.filters.values() if filter_.qualified in selected]
    return [
        filter_.name
        if selected[filter_.qualified] == filter_.latest
        else f"{filter_.name}@{selected[filter_.qualified]}"
        for filter_ in rows
        if not any(param.required for param in filter_.versions[selected[filter_.qualified]].params.values())
    ]


def _full(dataset: Dataset, filter_: str) -> str:
    """The full name of a filter or subscription of a job."""
    name = dataset.filter_named(filter_)
    return name if "." in name else f"{dataset.name}.{name}"


def _named(catalog: Catalog, dataset: Dataset, job_filter: JobFilter) -> Chosen:
    filter_, number = catalog.find(_full(dataset, job_filter.filter))
    if filter_.dataset != dataset.name:
        raise PredicatError.of(
            say.filter_of_another_dataset(job_filter.filter, filter_.dataset, dataset.name)
        )
    subscription = job_filter.filter if job_filter.filter in dataset.subscriptions else ""
    return replace(_chosen(job_filter.name, filter_, number, job_filter.params), subscription=subscription)


def _chosen(name: str, filter_: Filter, number: int, params: Mapping[str, Any]) -> Chosen:
    from predicat.catalog.checks import argument_problems  # noqa: PLC0415  # loading a catalog has loaded it

    version = filter_.versions[number]
    problems = argument_problems(filter_.span, filter_.qualified, version.params, params)
    if problems:
        raise PredicatError(problems)
    values: dict[str, Node] = {
        key: Literal(version.params[key].type, to_value(value, version.params[key].type))
        for key, value in params.items()
    }
    written = version.predicate.node
    node = with_defaults(substitute(written, values))
    return Chosen(name, filter_, number, params, node if node is written else simplify(node))
