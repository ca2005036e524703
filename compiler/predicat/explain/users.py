"""The users of a filter: filters that refer to it (also indirectly), groups, subscriptions, policies, jobs,
views.
"""

from collections.abc import Container, Iterable, Mapping
from typing import Any


def qualified(dataset: str, name: str) -> str:
    """`dataset.filter` for a name in a file of the dataset, without its version."""
    base = name.partition("@")[0]
    return base if "." in base else f"{dataset}.{base}"


class UsageIndex:
    """An index of the users of filters. `references` has the filters that each filter refers to, `datasets`
    are as in a manifest. Filters `without_view` have no view in PostgreSQL.
    """

    def __init__(
        self,
        references: Mapping[str, Iterable[str]],
        datasets: Mapping[str, Any],
        without_view: Container[str] = (),
    ) -> None:
        self._datasets = datasets
        self._without_view = without_view
        self._groups: dict[str, dict[str, None]] = {}
        self._subscriptions: dict[str, dict[str, None]] = {}
        for dataset, row in datasets.items():
            for key, group in row.get("groups", {}).items():
                for member in group["filters"]:
                    self._groups.setdefault(qualified(dataset, member), {})[f"{dataset}.{key}"] = None
            for key, subscription in row.get("subscriptions", {}).items():
                self._subscriptions.setdefault(qualified(dataset, subscription["filter"]), {})[
                    f"{dataset}.{key}"
                ] = None
        self._policies: dict[str, dict[str, None]] = {}
        for dataset, row in datasets.items():
            for key, policy in row.get("policies", {}).items():
                for used in (policy[part]["filter"] for part in ("using", "check") if part in policy):
                    self._policies.setdefault(qualified(dataset, used), {})[f"{dataset}.{key}"] = None
        self._jobs: dict[str, dict[str, None]] = {}
        for dataset, row in datasets.items():
            for key, job in row.get("jobs", {}).items():
                for name in _of_job(dataset, row, job):
                    self._jobs.setdefault(name, {})[f"{dataset}.{key}"] = None
        self._direct: dict[str, dict[str, None]] = {}
        for name, wanted in references.items():
            for reference in wanted:
                self._direct.setdefault(reference.partition("@")[0], {})[name] = None

    def filters(self, name: str) -> tuple[str, ...]:
        """The filters that a change of a filter can change."""
        result: dict[str, None] = {}
        pending = [name]
        while pending:
            new = [other for other in self._direct.get(pending.pop(), ()) if other not in result]
            result.update(dict.fromkeys(new))
            pending += new
        return tuple(result)

    def of(self, name: str) -> dict[str, tuple[str, ...]]:
        """Everything that uses a filter, by its kind; kinds without any are left out."""
        filters = self.filters(name)
        own = (name, *filters)
        has_views = "postgres" in self._datasets.get(name.partition(".")[0], {}).get("relation", {})
        result = {
            "filters": filters,
            "groups": _using(self._groups, own),
            "subscriptions": _using(self._subscriptions, own),
            "policies": _using(self._policies, own),
            "jobs": _using(self._jobs, [*own, f"{name.partition('.')[0]}.*"]),
            "views": tuple(item.replace(".", "__") for item in own if item not in self._without_view)
            if has_views
            else (),
        }
        return {key: value for key, value in result.items() if value}


def _of_job(dataset: str, row: Mapping[str, Any], job: Mapping[str, Any]) -> list[str]:
    """The filters of a job; `dataset.*` for all of the dataset."""
    subscriptions = row.get("subscriptions", {})
    named = [one["filter"] for one in job.get("filters", ())] or (
        list(subscriptions) if job.get("every") else ["*"]
    )
    return [qualified(dataset, subscriptions.get(one, {}).get("filter", one)) for one in named]


def _using(index: Mapping[str, Iterable[str]], names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(user for name in names for user in index.get(name, ())))
