"""A catalog with some of its filters."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from predicat.catalog.model import Catalog, Dataset


def part_of(catalog: Catalog, names: Iterable[str]) -> Catalog:
    """Some filters and those that they refer to; see `Catalog.only`."""
    kept: set[str] = set()
    front = list(names)
    while front:
        name = front.pop()
        if name not in kept:
            kept.add(name)
            versions = catalog.known[name].versions.values()
            front += [other.partition("@")[0] for version in versions for other in version.references]
    datasets = {
        name: _dataset(dataset, kept)
        for name, dataset in catalog.datasets.items()
        if any(row.qualified in kept for row in dataset.filters.values())
    }
    return replace(
        catalog,
        datasets=datasets,
        known={name: row for name, row in catalog.known.items() if name in kept},
    )


def _dataset(dataset: Dataset, kept: Collection[str]) -> Dataset:
    filters = {name: row for name, row in dataset.filters.items() if row.qualified in kept}

    def known(name: str) -> bool:
        return dataset.filter_named(name).partition("@")[0].rpartition(".")[2] in filters

    return replace(
        dataset,
        filters=filters,
        groups={name: group for name, group in dataset.groups.items() if all(map(known, group["filters"]))},
        subscriptions={name: row for name, row in dataset.subscriptions.items() if known(row["filter"])},
        jobs={
            name: job
            for name, job in dataset.jobs.items()
            if all(known(asked.filter) for asked in job.filters)
        },
    )
